"""The review queue: runs with a sign of risk, most serious first, and runs whose review needs a second one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.models import Review, ReviewSample
from audit.runs.complaints import complaints_of_run, unheard_complaints
from audit.runs.listing import HEAVY, key_of_run, runs_after, runs_before
from chat.models import Answer
from documents.models import KnowledgeBase, Viewer
from retrieval.models import INSTRUCTING, RetrievalRun, RetrievalRunQuerySet, RunCandidate
from retrieval.types import UNANSWERED

QUEUE_SHOWN = 50
SECOND = "second"  # the queue of runs that need a second reviewer
SECOND_MEANING = _("One reviewer objected or overruled a role, and nobody else has looked at it since.")


class Risk(NamedTuple):
    """A sign that a run deserves a look: its name and explanation, and its condition on runs."""

    words: Promise
    meaning: Promise
    condition: Q


def with_candidate(condition: Q) -> Q:
    return Q(Exists(RunCandidate.objects.filter(condition, run=OuterRef("pk")).order_by()))


def has_repair(*statuses: str) -> Q:
    return with_candidate(Q(anchor_repair__status__in=statuses))


# Also where passages were found and the model, reading them, says that they do not hold the answer.
REFUSALS = Answer.objects.filter(kind__in=UNANSWERED, run=OuterRef("pk")).order_by()
# AT11: each of these is reviewed in full, and not by sample. The most serious first.
RISKS = {
    "complaint": Risk(
        _("a reader complained"),
        _("A reader said that the answer or its evidence is wrong, or that something is missing."),
        Q(Exists(complaints_of_run())),
    ),
    "injection": Risk(
        _("text gives orders to an AI"),
        _("A candidate has words that look like orders to an AI, such as “ignore your instructions”."),
        with_candidate(INSTRUCTING),
    ),
    "failed": Risk(_("stopped by an error"), _("An error ended the work on the question."), Q(status="failed")),
    "degraded": Risk(
        _("arbiter did not run"),
        _(
            "The language model was asked and gave no usable reply. Fixed rules only put the candidates in order; "
            "nobody judged them."
        ),
        Q(arbiter_status="not_run") & ~Q(status="failed"),
    ),
    "contradiction": Risk(
        _("sources contradict"),
        _("The arbiter found candidates that contradict each other."),
        ~Q(contradictions=[]),
    ),
    "violation": Risk(
        _("arbiter broke its rules"),
        _("The arbiter’s reply did not keep to its task: it left a candidate out, for example, or gave no reason."),
        ~Q(violations=[]),
    ),
    "rejected": Risk(
        _("quote rejected"),
        _("A proposed quote does not stand in the document, so it was dropped."),
        has_repair("rejected"),
    ),
    "shortened": Risk(
        _("quote shortened"),
        _("Only the beginning of a proposed quote stands in the document, so the rest was cut off."),
        has_repair("truncated"),
    ),
    "not_found": Risk(
        _("no answer, to be confirmed"),
        _(
            "No candidate carried an answer, or the model said so of those that were kept. Somebody should confirm "
            "that the documents hold none."
        ),
        Q(status__in=UNANSWERED) | Q(Exists(REFUSALS)),
    ),
}
ANY_RISK = Q()
for _each in RISKS.values():
    ANY_RISK |= _each.condition


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


def open_runs(user: Viewer) -> RetrievalRunQuerySet:
    """The unreviewed runs a person may review; never their own."""
    return reviewable(user).filter(~is_reviewed())


def reviewable(user: Viewer) -> RetrievalRunQuerySet:
    bases = KnowledgeBase.objects.with_role(user, "auditor", "owner")
    return RetrievalRun.objects.filter(base__in=bases).exclude(asked_by_id=user.pk)


def risky(user: Viewer, risk: str = "") -> RetrievalRunQuerySet:
    """The open runs with one sign of risk, or with any."""
    return open_runs(user).filter(RISKS[risk].condition if risk else ANY_RISK)


def waiting_for_second(user: Viewer) -> RetrievalRunQuerySet:
    """Runs one other person objected to and nobody else has reviewed; overruling a role counts too."""
    others = Review.objects.filter(run=OuterRef("run")).exclude(reviewer=OuterRef("reviewer")).order_by()
    objections = Review.objects.exclude(outcome=Review.Outcome.AGREE).exclude(reviewer_id=user.pk).order_by()
    alone = objections.filter(~Exists(others), run=OuterRef("pk"))
    return reviewable(user).filter(Exists(alone))


def first_in_queue(user: Viewer, name: str = "") -> list[RetrievalRun]:
    """The first runs of a queue and one more; mixed risks sorted by seriousness, then newest first."""
    if name:
        runs = waiting_for_second(user) if name == SECOND else risky(user, name)
        return list(runs.defer(*HEAVY)[: QUEUE_SHOWN + 1])
    found: list[RetrievalRun] = []
    for group in groups(user):
        found += group.exclude(pk__in=[run.pk for run in found]).defer(*HEAVY)[: QUEUE_SHOWN + 1 - len(found)]
        if len(found) > QUEUE_SHOWN:
            break
    return found


def groups(user: Viewer) -> list[RetrievalRunQuerySet]:
    return [risky(user, name) for name in RISKS]


def signs_of(runs: Sequence[RetrievalRun]) -> dict[UUID, list[str]]:
    """Each run's signs of risk by name, most serious first."""
    ids = [run.pk for run in runs]
    signs: dict[UUID, list[str]] = {pk: [] for pk in ids}
    for name, risk in RISKS.items():
        for pk in RetrievalRun.objects.filter(risk.condition, pk__in=ids).values_list("pk", flat=True):
            signs[pk].append(name)
    return signs


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
    index = ids.index(str(run.pk))
    before, after = ids[max(index - 1, 0) : index], ids[index + 1 : index + 2]
    told = {"day": f"{sample.created_at:%Y-%m-%d}", "seed": sample.seed}
    words = gettext("sample of %(day)s, seed %(seed)s") % told
    return QueuePosition(
        name, words, UUID(before[0]) if before else None, UUID(after[0]) if after else None, index + 1, len(ids)
    )


def place_by_time(run: RetrievalRun, name: str, user: Viewer) -> QueuePosition:
    is_second = name == SECOND
    runs = waiting_for_second(user) if is_second else risky(user, name)
    words = gettext("waiting for a second reviewer") if is_second else str(RISKS[name].words)
    return QueuePosition(name, words, newer(runs, run), older(runs, run), blind=is_second)


def place_by_seriousness(run: RetrievalRun, user: Viewer) -> QueuePosition:
    """Its neighbours in the order of `first_in_queue`; a run without a sign comes before all."""
    signs = signs_of([run])[run.pk]
    names = list(RISKS)
    at = names.index(signs[0]) if signs else -1
    seen = Q(pk=run.pk)
    previous: UUID | None = None
    following: UUID | None = None
    for index, name in enumerate(names):
        group = risky(user, name).exclude(seen)
        seen |= RISKS[name].condition
        if index < at:
            previous = group.order_by("created_at", "id").values_list("pk", flat=True).first() or previous
        elif index == at:
            previous, following = newer(group, run) or previous, older(group, run)
        elif following is None:
            following = group.values_list("pk", flat=True).first()
    return QueuePosition("risk", gettext("any sign of risk"), previous, following)


def newer(runs: RetrievalRunQuerySet, run: RetrievalRun) -> UUID | None:
    return runs_after(runs, key_of_run(run)).values_list("pk", flat=True).first()


def older(runs: RetrievalRunQuerySet, run: RetrievalRun) -> UUID | None:
    return runs_before(runs, key_of_run(run)).values_list("pk", flat=True).first()
