"""Readers' complaints about an answer: only each reader's latest feedback counts, since each is a new row."""

from django.db.models import Exists, OuterRef, QuerySet

from audit.models import Review
from chat.models import Feedback


def standing_complaints() -> QuerySet[Feedback]:
    """The complaints nobody has withdrawn."""
    later = Feedback.objects.filter(turn=OuterRef("turn"), by=OuterRef("by"), created__gt=OuterRef("created"))
    return Feedback.objects.exclude(kind=Feedback.Kind.HELPFUL).filter(~Exists(later)).order_by()


def complaints_of_run() -> QuerySet[Feedback]:
    """The complaints about the run of the outer query."""
    return standing_complaints().filter(turn__run=OuterRef("pk"))


def unheard_complaints() -> QuerySet[Feedback]:
    """Those complaints that no later verdict on the answer has settled."""
    verdicts = Review.objects.filter(
        run=OuterRef("turn__run"), candidate=None, created_at__gt=OuterRef("created")
    ).order_by()
    return complaints_of_run().filter(~Exists(verdicts))
