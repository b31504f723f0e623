"""Signs of risk that no condition on rows can see (AT11): derived once a run has settled, kept in a table (RunSign).

`audit.tasks.sweep` takes a hundred runs at a time, so older ones too. The table is outside the ledger, and rebuilt when
its rows are deleted.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from audit.models import RunSign
from audit.runs.disagreement import rank_candidates
from chat.figures.across import START_AFTER_END, TOTAL_DIFFERS
from chat.models import Answer, Citation, Turn
from chat.page.outcomes import DOUBTFUL, sureness_of
from chat.page.weak_sources import candidates_with_weaknesses, weaknesses_of, with_weaknesses
from chat.turns.items import NO_COLUMN, NO_VALUE
from retrieval.models import RetrievalRun, RetrievalRunQuerySet, RunCandidate
from retrieval.told.searched import asked_nowhere
from retrieval.types import KEPT_ROLES

LOOKED = ""  # the row that says that a run was looked at
A_SWEEP = 100  # runs: their hits are large
AT_ONCE = 10
SETTLED_AFTER = timedelta(hours=1)  # without an answer by then, none will come
SURE_FROM = 0.5  # below it no kind of evidence is more than a word alone
IN_DOUBT = frozenset(
    {NO_VALUE, NO_COLUMN, START_AFTER_END, TOTAL_DIFFERS, "number_not_cited", "not_computed", "list_incomplete"}
)
# What the derivation does not need and may be large.
UNREAD = ("toc_shown", "parsed", "settings", "gates", "coverage")


def sign_runs() -> int:
    """Derive the signs of the newest runs without; return how many runs that were. Safe to run in parallel."""
    ids = list(unsigned_runs().values_list("pk", flat=True)[:A_SWEEP])
    for begin in range(0, len(ids), AT_ONCE):
        runs = RetrievalRun.objects.filter(pk__in=ids[begin : begin + AT_ONCE]).defer(*UNREAD)
        rows = [RunSign(run=run, name=name) for run in runs for name in (LOOKED, *signs_of_run(run))]
        RunSign.objects.bulk_create(rows, ignore_conflicts=True)
    return len(ids)


def unsigned_runs() -> RetrievalRunQuerySet:
    """The runs nobody has looked at for signs, and to which nothing will be added, newest first."""
    looked = RunSign.objects.filter(run=OuterRef("pk"), name=LOOKED).order_by()
    answered = Answer.objects.filter(run=OuterRef("pk")).order_by()
    at_work = Turn.objects.filter(run=OuterRef("pk"), state__in=(Turn.State.QUEUED, Turn.State.RUNNING)).order_by()
    settled = Q(Exists(answered)) | Q(created_at__lt=timezone.now() - SETTLED_AFTER) & ~Q(Exists(at_work))
    return RetrievalRun.objects.filter(~Exists(looked), settled).order_by("-created_at", "-id")


def signs_of_run(run: RetrievalRun) -> Iterator[str]:
    candidates = list(run.candidates.defer("context_text", "snippet", "brief", "context_boxes"))
    answer = Answer.objects.filter(run=run).first()
    if rank_candidates(run, candidates).against:
        yield "against_detectors"
    if run.status != "found":
        return
    if words_missing(run):
        yield "missing_words"
    if answer and has_doubtful_value(answer):
        yield "typed_values"
    if has_weak_source(run, answer):
        yield "weak_source"
    if run.confidence < SURE_FROM or sureness_of(run, answer, candidates) is DOUBTFUL:
        yield "low_confidence"


def words_missing(run: RetrievalRun) -> list[str]:
    """What the asker is told that no page has, of the question and of its parts."""
    of_parts = (word for part in (run.plan or {}).get("parts", ()) for word in part.get("missing", ()))
    return [*dict.fromkeys([*of_parts, *asked_nowhere(run)])]


def has_doubtful_value(answer: Answer) -> bool:
    """Whether a typed value is missing, or a check finds that it does not agree with what is cited."""
    told = {item.get("code") for item in answer.items}
    told |= {problem for check in answer.checks if not check.get("left_out") for problem in check.get("problems", ())}
    return not IN_DOUBT.isdisjoint(told)


def has_weak_source(run: RetrievalRun, answer: Answer | None) -> bool:
    """Whether what is cited has a weak source; without an answer, what was kept."""
    if answer:
        return any(map(weaknesses_of, with_weaknesses(Citation.objects.filter(answer=answer))))
    kept = RunCandidate.objects.filter(run=run, role__in=KEPT_ROLES)
    return any(map(weaknesses_of, candidates_with_weaknesses(kept)))
