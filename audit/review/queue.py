"""The review queue (AT11): runs with a sign of risk, most serious first, and runs whose review needs a second one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from uuid import UUID

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.models import Review, ReviewSample
from audit.review.assigning import leave_to_others
from audit.review.own import without_own
from audit.runs.complaints import complaints_of_run, unheard_complaints
from audit.runs.listing import HEAVY, NEWEST_FIRST, OLDEST_FIRST, key_of_run
from audit.runs.risks import ANY_RISK, RISKS, Risk
from chat.models import Answer, Turn
from chat.page.outcomes import STOPPED_RUNS
from documents.keyset import rows_after
from documents.models import KnowledgeBase, Viewer
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

QUEUE_SHOWN = 50
SECOND = "second"  # the queue of runs that need a second reviewer
QUEUES = ("risk", *RISKS, SECOND)  # by the names their addresses have; a sample has its id
SECOND_MEANING = _("One reviewer objected or overruled a role, and nobody else has looked at it since.")


@dataclass(frozen=True)
class QueuePosition:
    """The position of a run in the queue it was opened from. `number` and `of` only for a sample."""

    name: str
    words: str
    previous: UUID | None
    following: UUID | None
    number: int = 0
    of: int = 0
    blind: bool = False


def is_reviewed() -> Q:
    """A verdict on the answer closes a run, unless a reader complains later."""
    verdicts = Review.objects.filter(run=OuterRef("pk"), candidate=None).order_by()
    return Q(Exists(verdicts)) & ~Q(Exists(unheard_complaints()))


def can_be_reviewed() -> Q:
    """All but what was only asked back, or stopped by a person before it had an answer: no answer, nothing to judge.

    Somebody who judges or complains of one nevertheless makes it one to review.
    """
    verdicts = Review.objects.filter(run=OuterRef("pk"), candidate=None).order_by()
    answers = Answer.objects.filter(run=OuterRef("pk")).order_by()
    stopped = Turn.objects.filter(run=OuterRef("pk"), state=Turn.State.STOPPED).order_by()
    was_stopped = Q(failure__in=STOPPED_RUNS) | Q(Exists(stopped))
    is_empty = Q(status="clarify") | was_stopped & ~Q(Exists(answers))
    return ~is_empty | Q(Exists(verdicts)) | Q(Exists(complaints_of_run()))


def open_runs(user: Viewer) -> RetrievalRunQuerySet:
    """The unreviewed runs a person may review; never their own, nor another asking of an answer they were given."""
    return reviewable(user).filter(~is_reviewed())


def reviewable(user: Viewer) -> RetrievalRunQuerySet:
    bases = KnowledgeBase.objects.with_role(user, "auditor", "owner")
    return without_own(RetrievalRun.objects.filter(can_be_reviewed(), base__in=bases), user)


def risky(user: Viewer, risk: str = "") -> RetrievalRunQuerySet:
    """The open runs with one sign of risk, or with any."""
    return open_runs(user).filter(RISKS[risk].condition if risk else ANY_RISK)


def waiting_for_second(user: Viewer) -> RetrievalRunQuerySet:
    """Runs one other person objected to and nobody else has looked at since; overruling a role counts too."""
    return reviewable(user).filter(is_objected_alone(~Q(reviewer_id=user.pk)))


def own_waiting_for_second(user: Viewer) -> RetrievalRunQuerySet:
    """Runs a person objected to and nobody else has looked at since, which wait for somebody else."""
    return reviewable(user).filter(is_objected_alone(Q(reviewer_id=user.pk)))


def is_objected_alone(by: Q) -> Q:
    """Whether one of these reviewers overruled a role of a run and nobody else has reviewed it, or objected to its
    answer and nobody else has reviewed it openly since, or objected too where no agreement stands: of two who differ,
    neither has the last word unseen.
    """
    agreed = Q(outcome=Review.Outcome.AGREE)
    others = Review.objects.filter(run=OuterRef("run")).exclude(reviewer=OuterRef("reviewer")).order_by()
    objections = Review.objects.exclude(agreed).filter(by, run=OuterRef("pk")).order_by()
    seen = others.filter(created_at__gt=OuterRef("created_at"), is_blind=False)
    objected_too = others.exclude(agreed).filter(candidate=None)
    followed = Review.objects.filter(previous=OuterRef("pk")).order_by()
    agreement = others.filter(agreed, ~Exists(followed), candidate=None, is_blind=False)
    of_answer = objections.filter(~Exists(seen), Exists(agreement) | ~Exists(objected_too), candidate=None)
    of_roles = objections.exclude(candidate=None).filter(~Exists(others))
    return Q(Exists(of_roles)) | Q(Exists(of_answer))


def first_in_queue(
    user: Viewer, name: str = "", only: Q | None = None, *, with_rest: bool = False
) -> list[RetrievalRun]:
    """The first runs of a queue and one more; mixed risks sorted by seriousness, then newest first.

    `with_rest` has those without a sign or with a verdict as well, at the end: they may be given to somebody too.
    """
    only = only or Q()
    if name:
        runs = waiting_for_second(user) if name == SECOND else risky(user, name)
        return list(runs.filter(only).defer(*HEAVY)[: QUEUE_SHOWN + 1])
    found: list[RetrievalRun] = []
    waiting = open_runs(user)
    groups = [waiting.filter(risk.condition) for risk in RISKS.values()]
    for group in [*groups, *([reviewable(user)] if with_rest else [])]:
        rest = group.filter(only).exclude(pk__in=[run.pk for run in found])
        found += rest.defer(*HEAVY)[: QUEUE_SHOWN + 1 - len(found)]
        if len(found) > QUEUE_SHOWN:
            break
    return found


def signs_to_choose(runs: Sequence[RetrievalRun], chosen: str) -> list[tuple[str, Risk, int | None]]:
    """What a queue can be narrowed by: the signs its runs show and the chosen one, each with how many show it.

    All signs and no numbers where the queue goes on after `runs`: they would be counted through every candidate of it.
    """
    if len(runs) > QUEUE_SHOWN:
        return [(name, risk, None) for name, risk in RISKS.items()]
    counts = Counter(chain.from_iterable(signs_of(runs).values()))
    return [(name, risk, counts[name]) for name, risk in RISKS.items() if counts[name] or name == chosen]


def signs_of(runs: Sequence[RetrievalRun]) -> dict[UUID, list[str]]:
    """Each run's signs of risk by name, most serious first."""
    shows = {f"has_{name}": ExpressionWrapper(risk.condition, BooleanField()) for name, risk in RISKS.items()}
    found = RetrievalRun.objects.filter(pk__in=[run.pk for run in runs]).annotate(**shows)
    rows = found.values_list("pk", *shows)
    return {pk: [name for name, is_shown in zip(RISKS, has, strict=True) if is_shown] for pk, *has in rows}


# ---- positions


def find_position(run: RetrievalRun, name: str, user: Viewer) -> QueuePosition | None:
    """A run's position in a queue: a risk, "risk" for any, "second", or a sample's id. None if unknown."""
    if name == "risk":
        return place_by_seriousness(run, user)
    if name in RISKS or name == SECOND:
        return place_by_time(run, name, user)
    return place_in_sample(run, name, user)


def place_in_sample(run: RetrievalRun, name: str, user: Viewer) -> QueuePosition | None:
    try:
        sample = ReviewSample.objects.visible_to(user).filter(pk=UUID(name)).first()
    except ValueError:
        return None
    ids = sample.run_ids if sample else []
    if sample is None or str(run.pk) not in ids:
        return None
    number = ids.index(str(run.pk)) + 1
    before, _own, after = [None, *map(UUID, ids), None][number - 1 : number + 2]
    told = {"day": f"{sample.created_at:%Y-%m-%d}", "seed": sample.seed}
    words = gettext("sample of %(day)s, seed %(seed)s") % told
    return QueuePosition(name, words, before, after, number, len(ids))


def place_by_time(run: RetrievalRun, name: str, user: Viewer) -> QueuePosition:
    is_second = name == SECOND
    runs = waiting_for_second(user) if is_second else risky(user, name)
    words = gettext("waiting for a second reviewer") if is_second else str(RISKS[name].words)
    free = leave_to_others(runs, user)
    return QueuePosition(name, words, newer(free, run), older(free, run), blind=is_second)


def place_by_seriousness(run: RetrievalRun, user: Viewer) -> QueuePosition:
    """Its neighbours in the order of `first_in_queue`, but for what others have; one without a sign comes first.

    Another sign is looked at only where its own has no neighbour: each costs a query over all that waits.
    """
    signs = signs_of([run])[run.pk]
    names = list(RISKS)
    at = names.index(signs[0]) if signs else -1

    def led_by(index: int) -> RetrievalRunQuerySet:
        more_serious = (RISKS[name].condition for name in names[:index])
        return leave_to_others(risky(user, names[index]), user).exclude(reduce(or_, more_serious, Q(pk=run.pk)))

    own = led_by(at) if at >= 0 else RetrievalRun.objects.none()
    before = (led_by(index).order_by("created_at", "id") for index in reversed(range(max(at, 0))))
    after = (led_by(index) for index in range(at + 1, len(names)))
    previous, following = newer(own, run) or first_run_of(before), older(own, run) or first_run_of(after)
    return QueuePosition("risk", gettext("any sign of risk"), previous, following)


def first_run_of(groups: Iterable[RetrievalRunQuerySet]) -> UUID | None:
    firsts = (group.values_list("pk", flat=True).first() for group in groups)
    return next(filter(None, firsts), None)


def newer(runs: RetrievalRunQuerySet, run: RetrievalRun) -> UUID | None:
    return rows_after(runs, OLDEST_FIRST, key_of_run(run)).values_list("pk", flat=True).first()


def older(runs: RetrievalRunQuerySet, run: RetrievalRun) -> UUID | None:
    return rows_after(runs, NEWEST_FIRST, key_of_run(run)).values_list("pk", flat=True).first()
