"""The verdict that stands on the answer of a run, as one word for every list."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import pgettext_lazy

from audit.models import Review
from retrieval.models import RetrievalRunQuerySet
from retrieval.told.outcomes import Outcome

WRONG = (Review.Outcome.WRONG, Review.Outcome.ABSENT)  # what is counted as a wrong answer
VERDICTS = {
    "agree": Outcome("ok", pgettext_lazy("of an answer", "agreed")),
    "wrong": Outcome("fail", pgettext_lazy("of an answer", "wrong")),
    "incomplete": Outcome("warn", pgettext_lazy("of an answer", "incomplete")),
    "unsupported": Outcome("warn", pgettext_lazy("of an answer", "not supported")),
    "absent": Outcome("fail", pgettext_lazy("of an answer", "should be not found")),
    "": Outcome("", pgettext_lazy("of an answer", "not yet")),
}


def verdict_named(code: str) -> Outcome:
    """How a verdict is shown; one that nobody foresaw is shown as it is."""
    return VERDICTS.get(code) or Outcome("warn", code)


def standing_verdicts(runs: Iterable[UUID] | RetrievalRunQuerySet) -> QuerySet[Any]:
    """The last verdict on the answer of each run that has one; a blind one only where there is no other.

    `is_disputed` where it agrees and a blind reviewer has objected since, or before it if it is blind too.
    """
    followed = Review.objects.filter(previous=OuterRef("pk")).order_by()
    agreed = Q(outcome=Review.Outcome.AGREE)
    unseen = Review.objects.exclude(agreed).filter(run=OuterRef("run"), candidate=None, is_blind=True).order_by()
    since = unseen.filter(created_at__gt=OuterRef("created_at"))
    last = Review.objects.filter(~Exists(followed), run__in=runs, candidate=None)
    last = last.annotate(is_disputed=agreed & (Q(Exists(since)) | Q(Exists(unseen), is_blind=True)))
    return last.order_by("run_id", "is_blind", "-created_at", "-id").distinct("run_id")
