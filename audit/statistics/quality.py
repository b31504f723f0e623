"""How much of what can be reviewed has been, and how much of that was wrong, beside the time before."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.models import Review, ReviewSample
from audit.review.queue import can_be_reviewed
from audit.runs.verdicts import WRONG, standing_verdicts
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

PERIODS = {7: _("7 days"), 30: _("30 days"), 90: _("90 days"), 365: _("a year")}
DEFAULT_DAYS = 30


@dataclass(frozen=True)
class Quality:
    """The verdicts that stand on the answers of some runs; `faulty` are incomplete or not supported.

    `answers` are those that can be reviewed: a question that was only asked back, or stopped, has none.
    """

    of: Promise | str  # which runs these are
    answers: int
    reviewed: int
    wrong: int
    faulty: int


def quality_of(runs: RetrievalRunQuerySet, of: Promise | str) -> Quality:
    """Two queries, however many runs there are."""
    runs = runs.filter(can_be_reviewed()).order_by()
    standing = Review.objects.filter(pk__in=standing_verdicts(runs).values("pk")).order_by()
    counts = dict(standing.values_list("outcome").annotate(number=Count("pk")))
    wrong, agreed = sum(counts.get(each, 0) for each in WRONG), counts.get(Review.Outcome.AGREE, 0)
    reviewed = sum(counts.values())
    return Quality(of, runs.count(), reviewed, wrong, reviewed - wrong - agreed)


def quality_over(runs: RetrievalRunQuerySet, days: int) -> tuple[Quality, Quality]:
    """The last days and as many before them."""
    now = timezone.now()
    since, before = now - timedelta(days=days), now - timedelta(days=2 * days)
    return (
        quality_of(runs.filter(created_at__gte=since), gettext("Last %(days)s") % {"days": PERIODS[days]}),
        quality_of(runs.filter(created_at__gte=before, created_at__lt=since), _("The same time before")),
    )


def quality_of_sample(sample: ReviewSample) -> tuple[Quality, ...]:
    """The sample and, if there is one, the sample of the same base drawn before it."""
    earlier = ReviewSample.objects.filter(base=sample.base_id, created_at__lt=sample.created_at).first()
    named = [(sample, gettext("This sample"))]
    if earlier:
        named.append((earlier, gettext("The sample before, of %(day)s") % {"day": f"{earlier.created_at:%Y-%m-%d}"}))
    return tuple(quality_of(RetrievalRun.objects.filter(pk__in=each.run_ids), words) for each, words in named)
