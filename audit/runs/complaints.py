"""What readers complained of in an answer: of each reader the last word, since a change of mind is a row of its own."""

from django.db.models import Exists, OuterRef, QuerySet

from audit.models import Review
from chat.models import Feedback
from retrieval.models import RetrievalRun


def standing_complaints() -> QuerySet[Feedback]:
    """The complaints nobody has taken back."""
    later = Feedback.objects.filter(turn=OuterRef("turn"), by=OuterRef("by"), created__gt=OuterRef("created"))
    return Feedback.objects.exclude(kind=Feedback.Kind.HELPFUL).filter(~Exists(later)).order_by()


def complaints_of_run() -> QuerySet[Feedback]:
    """The complaints about a run that is the outer row."""
    return standing_complaints().filter(turn__run=OuterRef("pk"))


def unheard_complaints() -> QuerySet[Feedback]:
    """Of these the ones that no verdict on the answer came after."""
    verdicts = Review.objects.filter(
        run=OuterRef("turn__run"), candidate=None, created_at__gt=OuterRef("created")
    ).order_by()
    return complaints_of_run().filter(~Exists(verdicts))


def feedback_on(run: RetrievalRun) -> list[Feedback]:
    """Everything readers said of a run's answer, in order."""
    return list(Feedback.objects.filter(turn__run=run))
