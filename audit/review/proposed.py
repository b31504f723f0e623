"""The golden check of a proposed change: every golden question is searched as things are, and as they would be.

Both searches are new ones, of the documents as they are read now; a request that is the same in both is sent once. What
would be in force is read in a transaction that is rolled back, so nobody is answered by it.

A check names the digest of all it rests on; where that is another, it has to be run again. An owner puts into effect
what passed, or says why in spite of it.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Literal, TypedDict, cast, get_args

from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from accounts.models import User
from audit.access_log import record_event
from audit.models import Rejudgement
from audit.review.golden import (
    CHECK_OF_CHANGE,
    ExpectedRole,
    Golden,
    golden_of,
    installation_digest,
    reviewed_runs,
)
from chat.turns.repeats import reading_of
from chat.turns.searched_by import searched_by
from documents.access import actor_of
from documents.base_settings import asking_as
from documents.guarding.guard import KINDS, ProposalRefused, golden_counters, trial_of
from documents.guarding.proposals import put_into_effect
from documents.models import Document, KnowledgeBase, ProposedChange
from ledger.events import record
from llm.exchange import Exchange
from llm.models import LLMCall
from llm.reuse import Replies, reusing
from retrieval.corpus import retrieve_among
from retrieval.filters import Filters
from retrieval.full_search import search_each
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.search import SearchOptions
from retrieval.types import KEPT_ROLES, LineRange, Mode, RetrievalResult, Settled

QUESTIONS_MAX = 50  # the newest; each is searched twice
ROLES = ("primary", "supporting", "tangential", "discarded", "unjudged", "")  # the best first; "" is not proposed
Fate = Literal["right", "better", "wrong", "worse", "failed", "left_out"]
Standing = Literal["unchecked", "pending", "failed", "stale", "passed", "worse"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
REFUSALS = {
    "unchecked": gettext_lazy("Run the golden check first."),
    "pending": gettext_lazy("The golden check is still running."),
    "failed": gettext_lazy("The golden check ended without a result. Run it again."),
    "stale": gettext_lazy("The base has changed since the golden check. Run it again."),
}
WHYS = {  # why a question was not checked
    "failed": gettext_lazy("a request to the model failed, or its reply could not be used"),
    "erased": gettext_lazy("its words were erased"),
    "gone": gettext_lazy("its documents are not there any more"),
}
FATES: tuple[Fate, ...] = ("worse", "failed", "better", "wrong", "right", "left_out")


class Expectation(TypedDict):
    """What a review expects of one place, or that nothing be found (`candidate_id` ""), and what two searches say."""

    candidate_id: str
    wanted: str
    now: str
    then: str
    is_right_now: bool
    is_right_then: bool


class CheckedQuestion(TypedDict):
    """One golden question; `why` is one of WHYS where it was not checked, else ""."""

    run_id: str
    fate: Fate
    held: list[Expectation]
    why: str


class ProposalCheck(TypedDict):
    """What a check found, as its job keeps it: how many questions have each fate, the worst of them first."""

    basis: str  # see `basis_of`
    counts: dict[Fate, int]
    questions: list[CheckedQuestion]


class NotChecked(Exception):
    """A question that was searched in vain: the model failed."""


# ---- what is compared


def count_golden(base: KnowledgeBase) -> int:
    """How many of the newest reviews of a base ask something."""
    return sum(golden_of(run) is not None for run in reviewed_runs(base)[:QUESTIONS_MAX])


golden_counters.append(count_golden)


def basis_of(base: KnowledgeBase) -> str:
    """The digest of all that a check rests on; where it is another, the check says nothing any more.

    What is in force, what reviews expect, the documents as read, the models of the installation and the program.
    """
    goldens = list(find_goldens(base))
    documents = {document.pk: document for golden in goldens for document in documents_of(golden.run)}
    rests_on = [
        {name: kind.state(base) for name, kind in sorted(KINDS.items())},
        [[str(each.run.pk), each.absent, [asdict(wanted) for wanted in each.wanted]] for each in goldens],
        [reading_of(document) for _, document in sorted(documents.items())],
        installation_digest(),
    ]
    return hashlib.sha256(json.dumps(rests_on, sort_keys=True, default=str).encode()).hexdigest()


def find_goldens(base: KnowledgeBase) -> Iterator[Golden]:
    return filter(None, (golden_of(run) for run in reviewed_runs(base)[:QUESTIONS_MAX]))


def documents_of(run: RetrievalRun) -> list[Document]:
    """The documents of a run's scope that are still there and read."""
    ids = list(run.documents.values_list("document_id", flat=True)) or [each["document_id"] for each in run.scope]
    living = Document.objects.living().filter(base=run.base_id, pk__in=ids, current_parse__isnull=False)
    return list(living.select_related("current_parse", "base").order_by("title", "pk"))


# ---- the check


def check_proposal(proposal: ProposedChange, job: Rejudgement, on_checked: Callable[[int], None]) -> ProposalCheck:
    """Search every golden question twice and compare. Calls to a model are stored; `on_checked` is told how far it is.

    Raises ProposalRefused if the change cannot be made any more.
    """
    base = KnowledgeBase.objects.get(pk=proposal.base_id)
    basis, now = basis_of(base), searched_by(base)
    with trial_of(proposal) as changed:
        then = searched_by(changed)
    checked = []
    for number, golden in enumerate(find_goldens(base)):
        on_checked(number)
        checked.append(check_question(golden, now, then, job))
    counts = Counter(each["fate"] for each in checked)
    return {
        "basis": basis,
        "counts": {fate: counts[fate] for fate in FATES},
        "questions": sorted(checked, key=lambda each: FATES.index(each["fate"])),
    }


def check_question(golden: Golden, now: SearchOptions, then: SearchOptions, job: Rejudgement) -> CheckedQuestion:
    run, documents = golden.run, documents_of(golden.run)
    pk = str(run.pk)
    if not run.question or not documents:
        return {"run_id": pk, "fate": "left_out", "held": [], "why": "gone" if run.question else "erased"}
    try:
        with reusing(Replies(f"check {job.pk}", may_reuse=True)):
            found = [search(run, documents, each, job.by) for each in (now, then)]
    except NotChecked:
        return {"run_id": pk, "fate": "failed", "held": [], "why": "failed"}
    held = list(compare(golden, *found))
    return {"run_id": pk, "fate": judge_fate(held), "held": held, "why": ""}


def search(run: RetrievalRun, documents: list[Document], by: SearchOptions, asker: User) -> RetrievalResult:
    """Search a run's question anew. Raises NotChecked where a model that was to judge did not."""
    is_full = run.documents.filter(finding__isnull=False).exists()
    options = replace(by, mode=cast(Mode, run.mode), filters=Filters.from_json(run.settings.get("filters", {})))
    with asking_as(by.settings, run.base):
        result = (search_each if is_full else retrieve_among)(run.question, documents, **vars(options))
    exchanges = keep_exchanges(result, run, asker)
    if result.ranking.status == "not_run" or any(each.outcome != "ok" for each in exchanges):
        raise NotChecked
    return result


def keep_exchanges(result: RetrievalResult, run: RetrievalRun, by: User) -> list[Exchange]:
    """Store the exchanges of a search; they are erased with the run."""
    found = [result.question_exchange, result.other_look, result.ranking.exchange, result.shared]
    exchanges = list({id(each): each for each in found if each}.values())
    if exchanges:
        with transaction.atomic():
            calls = [str(LLMCall.objects.record(each).pk) for each in exchanges]
            record_event(by, "replay", run.pk, calls=calls, arbiter=result.ranking.arbiter, check="proposed change")
    return exchanges


# ---- right or wrong


def compare(golden: Golden, now: RetrievalResult, then: RetrievalResult) -> Iterator[Expectation]:
    rows = {row.candidate_id: row for row in golden.run.candidates.all()}
    for wanted in golden.wanted:
        before, after = (role_in(result, rows[wanted.candidate_id]) for result in (now, then))
        yield {
            "candidate_id": wanted.candidate_id,
            "wanted": wanted.role,
            "now": before,
            "then": after,
            "is_right_now": is_as_wanted(wanted, before),
            "is_right_then": is_as_wanted(wanted, after),
        }
    if golden.absent:
        yield {
            "candidate_id": "",
            "wanted": "not_found",
            "now": now.status,
            "then": then.status,
            "is_right_now": now.status in golden.absent,
            "is_right_then": then.status in golden.absent,
        }


def role_in(result: RetrievalResult, row: RunCandidate) -> str:
    """The best role of what a search proposes at a recorded place; "" if it proposes nothing there."""
    roles = [each.verdict.role for each in result.candidates if is_at(each, row)]
    return min(roles, key=ROLES.index, default="")


def is_at(found: Settled, row: RunCandidate) -> bool:
    """Whether a place is that of the record: by lines in the same reading, by words in another."""
    if found.document_id != str(row.document_id):
        return False
    if found.parse_id == str(row.parse_id):
        return found.anchor.overlaps(LineRange(row.anchor_first_line, row.anchor_last_line))
    words = [" ".join(text.split()) for text in (found.anchor_text, row.content_anchor or row.anchor_text)]
    return all(words) and (words[0] in words[1] or words[1] in words[0])


def is_as_wanted(wanted: ExpectedRole, role: str) -> bool:
    """What was found right must keep its role; what reviewers set aside must only not be kept."""
    if wanted.role in KEPT_ROLES or wanted.holds("primary"):
        return wanted.holds(role)
    return role not in KEPT_ROLES


def judge_fate(held: Sequence[Expectation]) -> Fate:
    """Worse where anything that is right now would not be; what would be mended elsewhere does not outweigh it."""
    if any(each["is_right_now"] and not each["is_right_then"] for each in held):
        return "worse"
    if any(each["is_right_then"] and not each["is_right_now"] for each in held):
        return "better"
    return "right" if all(each["is_right_then"] for each in held) else "wrong"


# ---- what a check says


def has_passed(counts: Mapping[Fate, int]) -> bool:
    """None worse, none left open by a failure, and something was checked."""
    checked = counts["right"] + counts["better"] + counts["wrong"]
    return not counts["worse"] and not counts["failed"] and checked > 0


def record_proposal_check(proposal: ProposedChange, job: Rejudgement, result: ProposalCheck) -> None:
    """Record what a check found, without words of a run that could not be erased with it."""
    details = {
        "proposal": str(proposal.pk),
        "kind": proposal.kind,
        "check": str(job.pk),
        "basis": result["basis"],
        "passed": has_passed(result["counts"]),
        "counts": result["counts"],
        "fates": {each["run_id"]: each["fate"] for each in result["questions"]},
    }
    record(CHECK_OF_CHANGE, actor_of(job.by), f"base:{proposal.base_id}", details)


def find_proposal_check(proposal: ProposedChange) -> Rejudgement | None:
    checks = Rejudgement.objects.filter(base=proposal.base_id, kind=Rejudgement.Kind.CHANGE)
    return checks.filter(parameters__proposal=str(proposal.pk)).order_by("created_at").last()


def standing_of_proposal(check: Rejudgement | None, basis: Callable[[], str]) -> Standing:
    """What the last check of a proposal allows; one that rests on another `basis` than the present allows nothing."""
    if check is None:
        return "unchecked"
    if check.is_pending:
        return "pending"
    if check.result is None:
        return "failed"
    if check.result["basis"] != basis():
        return "stale"
    return "passed" if has_passed(check.result["counts"]) else "worse"


def take_effect(proposal: ProposedChange, by: User, reason: str) -> None:
    """Put a proposed change into effect if its check passed, or for a reason if it did not. Raises ProposalRefused."""
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=proposal.base_id)
        check = find_proposal_check(proposal)
        standing = standing_of_proposal(check, partial(basis_of, base))
        if standing not in ("passed", "worse"):
            raise ProposalRefused(str(REFUSALS[standing]))
        if standing == "worse" and not reason:
            raise ProposalRefused(gettext("The check did not pass. Say why the change is to take effect all the same."))
        assert check is not None
        put_into_effect(proposal, by, check.pk, reason if standing == "worse" else "")
