"""How long the words of a run are kept: a rule per base with a minimum, and the erasure of older runs.

Ledger entries are kept for good. A rule is a recorded event; the latest one of a base applies.
"""

from datetime import timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from audit.keeping.erasure import Erasing, erase_run, erase_strays, exclude_erased, explain_denial, holders_of
from documents.models import KnowledgeBase
from ledger.events import record
from ledger.holds import holds_on
from ledger.models import Event
from retrieval.models import RetrievalRun

RETENTION_SET = "retention_set"
FLOOR_DAYS = 183  # six months, AI Act Art. 19(1) and 26(6)
DEFAULT_DAYS = 2192  # six years, the longer of SEC 17a-4's terms
CEILING_DAYS = 36_525  # a hundred years
RUNS_AT_ONCE = 500  # of one base in one call; the rest waits for the next
BY_RULE = "console"


class RetentionRefused(Exception):
    """The rule is not allowed; the message is for people."""


def days_kept(base: KnowledgeBase) -> int:
    rule = Event.objects.filter(kind=RETENTION_SET, subject=f"base:{base.pk}").first()
    return max(int(rule.details["days"][1]), FLOOR_DAYS) if rule else DEFAULT_DAYS


def set_days(base: KnowledgeBase, days: int, by: str) -> None:
    """Change a base's rule, on record. Raises RetentionRefused below the minimum, whoever asks."""
    if not FLOOR_DAYS <= days <= CEILING_DAYS:
        words = _("Records are kept for %(floor)s days at least, and %(ceiling)s at most.")
        raise RetentionRefused(words % {"floor": FLOOR_DAYS, "ceiling": CEILING_DAYS})
    before = days_kept(base)
    if days != before:
        record(RETENTION_SET, by, f"base:{base.pk}", {"days": [before, days]})


def due(base: KnowledgeBase, days: int | None = None) -> "QuerySet[RetrievalRun]":
    """The runs of a base older than its rule, or than so many days, and neither erased nor held, oldest first."""
    old = RetrievalRun.objects.filter(base=base, created_at__lt=Now() - timedelta(days=days or days_kept(base)))
    askers = {pk: set(holders_of(base.pk, pk)) for pk in old.order_by().values_list("asked_by", flat=True).distinct()}
    held = {hold.subject for hold in holds_on(set().union(*askers.values()))}
    if f"base:{base.pk}" in held:
        return RetrievalRun.objects.none()
    free = old.exclude(asked_by__in=[pk for pk, subjects in askers.items() if pk and held & subjects])
    return exclude_erased(free, "run").order_by("created_at", "pk")


def expire() -> int:
    """Erase what is due in every base; return the number of runs. Raises CannotErase."""
    with explain_denial():
        erased = sum(expire_base(base) for base in KnowledgeBase.objects.all())
        erase_strays(Erasing(BY_RULE, _("Their question is gone")))
    return erased


def expire_base(base: KnowledgeBase) -> int:
    erasing = Erasing(BY_RULE, _("Kept for %(days)s days by the rule of the base") % {"days": days_kept(base)})
    runs = list(due(base).only("pk", "base_id", "llm_call_id")[:RUNS_AT_ONCE])
    for run in runs:
        erase_run(run, erasing)
    return len(runs)
