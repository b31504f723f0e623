"""The golden set: auditors' reviews become questions with gold evidence, and a test of every change."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypedDict
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext, ngettext

from audit.access_log import record_event
from audit.models import Review
from audit.review.replay import CannotReplay, Judge, Rejudged, rejudge, summary
from audit.review.reviewing import Reviews, RunReviews, reviews_of
from chat.models import Answer, Citation
from chat.turns.repeats import DECIDING
from documents.models import KnowledgeBase
from documents.storage.content import DocumentSnapshot
from ledger.events import record
from ledger.models import Event
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RetrievalRunQuerySet, RunCandidate
from retrieval.told.outcomes import Outcome
from retrieval.types import ABSENT, KEPT_ROLES, UNANSWERED, Status
from retrieval.version import program_version

CHECK, CHECK_OF_CHANGE = "golden_check", "proposal_check"  # the kinds of events that checks leave
CHECKS_SHOWN = 10
LISTED_MAX = 200  # broken verdicts kept with a check
FATES = {(True, True): "kept", (True, False): "broken", (False, True): "mended", (False, False): "still_wrong"}
ANY_KEPT = "kept"  # wanted of what a confirmed answer cites: primary or supporting, either will do


@dataclass(frozen=True)
class ExpectedRole:
    """What a reviewed run expects of one candidate: the auditor's role, or that a cited one stays kept."""

    candidate_id: str
    section_title: str
    role: str
    was: str  # the arbiter's role in the record
    by: str

    def holds(self, role: str) -> bool:
        return role in KEPT_ROLES if self.role == ANY_KEPT else role == self.role


@dataclass(frozen=True)
class Golden:
    """A reviewed run with its expected roles; `absent` are the outcomes that are right where nothing answers it."""

    run: RetrievalRun
    wanted: tuple[ExpectedRole, ...]
    absent: tuple[Status, ...]
    disputed: int  # candidates given different roles by two reviewers; nothing is expected of them
    absent_by: str = ""


@dataclass(frozen=True)
class Broken:
    """A verdict that was right in the record and now is not."""

    run_id: str
    question: str
    candidate_id: str
    section_title: str
    wanted: str
    now: str


@dataclass(frozen=True)
class GoldenCheck:
    """How today's judge compares with the auditors; `mended` was wrong in the record and is right now."""

    arbiter: str
    model: str
    prompt_version: str
    runs: int
    verdicts: int
    kept: int
    mended: int
    still_wrong: int
    broken: tuple[Broken, ...]
    not_judged: tuple[str, ...]  # why a run could not be judged, with its id


# ---- the auditors' verdicts


def reviewed_runs(base: KnowledgeBase) -> RetrievalRunQuerySet:
    """The runs of a base with a review, newest first."""
    return RetrievalRun.objects.filter(Exists(Review.objects.filter(run=OuterRef("pk")).order_by()), base=base)


def golden_of(run: RetrievalRun) -> Golden | None:
    """What a run's reviews expect of a judge; None if nothing can be checked."""
    reviews = reviews_of(run)
    candidates = list(run.candidates.all())
    roles = {candidate.pk: role_of(reviews.of(candidate.pk)) for candidate in candidates}
    wanted = [wanted_of(row, reviews, str(roles[row.pk])) for row in candidates if roles[row.pk]]
    verdict = reviews.of(None).standing
    is_confirmed = verdict is not None and verdict.outcome == Review.Outcome.AGREE
    absent = UNANSWERED if is_confirmed and run.status in UNANSWERED else ()
    if verdict is not None and verdict.outcome == Review.Outcome.ABSENT:
        absent = ABSENT  # weak passages would be shown, and there is nothing to show
    if is_confirmed and verdict and run.status == "found":
        judged = {each.candidate_id for each in wanted}
        citations = Citation.objects.filter(answer__run=run).select_related("candidate")
        wanted += [
            ExpectedRole(row.candidate_id, row.section_title, ANY_KEPT, row.role, verdict.reviewer_name)
            for row in {citation.candidate_id: citation.candidate for citation in citations}.values()
            if row.candidate_id not in judged
        ]
    disputed = sum(role == "" for role in roles.values())
    if not wanted and not absent:
        return None
    return Golden(run, tuple(wanted), absent, disputed, verdict.reviewer_name if verdict and absent else "")


def role_of(reviews: Reviews) -> str | None:
    """The role reviewers give a candidate; "" if they differ, None if nobody gave one."""
    roles = {
        review.corrected_role or review.original_role for review in (*filter(None, [reviews.standing]), *reviews.blind)
    }
    given = roles - {"", "unjudged"}  # agreeing that nobody judged it implies no role
    if not given:
        return None
    return given.pop() if len(given) == 1 else ""


def wanted_of(row: RunCandidate, reviews: RunReviews, role: str) -> ExpectedRole:
    given = reviews.of(row.pk)
    last = given.standing or given.blind[-1]
    return ExpectedRole(row.candidate_id, row.section_title, role, row.role, last.reviewer_name)


# ---- questions with gold evidence


class GoldEvidence(TypedDict):
    """What answers a question in one document: `pages` and `sections` are of what is primary."""

    answer: str
    not_found: bool
    pages: list[int]
    alt_pages: list[int]  # of what is supporting
    sections: list[str]
    quotes: list[str]


class QuestionRow(GoldEvidence):
    """A line of a question file for `benchmarks retrieval`."""

    id: str
    document: str
    question: str
    type: str


def question_rows(goldens: Iterable[Golden]) -> Iterator[QuestionRow]:
    """One line for each question and document with evidence."""
    for golden in goldens:
        for number, seen in enumerate(golden.run.scope, start=1):
            fields = NO_EVIDENCE if golden.absent else evidence_in(golden, seen)
            if fields:
                pk = str(golden.run.pk)
                yield {
                    "id": pk if len(golden.run.scope) == 1 else f"{pk}-{number}",
                    "document": file_name_of(seen),
                    "question": golden.run.question,
                    "type": golden.run.parsed.get("answer_type", ""),
                    **fields,
                }


def file_name_of(seen: DocumentSnapshot) -> str:
    """The file name of a document in a folder of golden documents, made unique among equal names."""
    return f"{seen['sha256'][:8]}-{seen['file_name']}"


NO_EVIDENCE: GoldEvidence = {
    "answer": "",
    "not_found": True,
    "pages": [],
    "alt_pages": [],
    "sections": [],
    "quotes": [],
}


def evidence_in(golden: Golden, seen: DocumentSnapshot) -> GoldEvidence | None:
    rows = {row.candidate_id: row for row in golden.run.candidates.filter(document=UUID(seen["document_id"]))}
    roles = {wanted.candidate_id: wanted.role for wanted in golden.wanted if wanted.candidate_id in rows}
    gold = [rows[name] for name, role in roles.items() if role in ("primary", ANY_KEPT)]
    other = [rows[name] for name, role in roles.items() if role == "supporting"]
    if not gold:
        return None
    answer = Answer.objects.filter(run=golden.run).values_list("text", flat=True).first()
    pages = pages_of_candidates(gold)
    return {
        "answer": answer or "",
        "not_found": False,
        "pages": pages,
        "alt_pages": [page for page in pages_of_candidates(other) if page not in pages],
        "sections": sorted({section_of(row, seen) for row in gold} - {""}),
        "quotes": [" ".join(row.content_anchor.split()) for row in gold if row.content_anchor],
    }


def pages_of_candidates(rows: Sequence[RunCandidate]) -> list[int]:
    return sorted({page for row in rows for page in range(row.anchor_first_page, row.anchor_last_page + 1)})


def section_of(row: RunCandidate, seen: DocumentSnapshot) -> str:
    """A section in the benchmark's format: by title in a PDF, by heading path elsewhere."""
    return row.section_title if seen["file_name"].lower().endswith(".pdf") else row.breadcrumb


# ---- checking a change


def check_golden(
    runs: Iterable[RetrievalRun], judge: Judge, actor: str, on_checked: Callable[[int], None] | None = None
) -> GoldenCheck:
    """Judge every golden run's stored brief again and compare it with the reviews. Calls to a model are stored.

    `on_checked` is told before each run how many were looked at.
    """
    counts: Counter[str] = Counter()
    broken: list[Broken] = []
    failed: list[str] = []
    judged = 0
    last: Rejudged | None = None
    for number, run in enumerate(runs):
        if on_checked:
            on_checked(number)
        golden = golden_of(run)
        if golden is None or not run.candidates.exists():
            continue  # nothing is expected, or nothing was proposed, so there is nothing to judge
        try:
            last = rejudge(golden.run, judge)
        except CannotReplay as error:
            failed.append(f"{golden.run.pk}: {error}")
            continue
        judged += 1
        calls = [str(LLMCall.objects.record(exchange).pk) for exchange in last.exchanges]
        record_event(None, "replay", golden.run.pk, by=actor, calls=calls, **summary(last))
        for fate, finding in compare_verdicts(golden, last):
            counts[fate] += 1
            broken += [finding] if fate == "broken" else []
    return GoldenCheck(
        arbiter=judge.arbiter,
        model=last.model if last else "",
        prompt_version=last.prompt_version if last else "",
        runs=judged,
        verdicts=counts.total(),
        kept=counts["kept"],
        mended=counts["mended"],
        still_wrong=counts["still_wrong"],
        broken=tuple(broken),
        not_judged=tuple(failed),
    )


def compare_verdicts(golden: Golden, found: Rejudged) -> Iterator[tuple[str, Broken]]:
    """Every verdict of a run with its outcome: kept, broken, mended or still wrong."""
    now, run = {flip.candidate_id: flip.after for flip in found.flips}, (str(golden.run.pk), golden.run.question)
    for wanted in golden.wanted:
        role = now.get(wanted.candidate_id, wanted.was)
        fate = FATES[wanted.holds(wanted.was), wanted.holds(role)]
        yield fate, Broken(*run, wanted.candidate_id, wanted.section_title, wanted.role, role)
    if golden.absent:
        primary = [(flip.candidate_id, flip.section_title) for flip in found.flips if flip.after == "primary"]
        was_right = golden.run.status in golden.absent
        fate = FATES[was_right, not primary if was_right else found.outcome in golden.absent]
        yield fate, Broken(*run, *(primary or [("", "")])[0], "none primary", "primary" if primary else "")


def say_check(wrong: int, verdicts: int, not_judged: int) -> Outcome:
    """How a check ended: red for every verdict that is wrong now, whether it was before or not.

    That nothing breaks is said only where every question was judged and none is wrong.
    """
    if not verdicts:
        return Outcome("warn", gettext("no verdict was checked"))
    words = ngettext(
        "%(wrong)s of %(all)s differs from the auditors’ verdicts",
        "%(wrong)s of %(all)s differ from the auditors’ verdicts",
        wrong,
    )
    counted = words % {"wrong": wrong, "all": verdicts}
    if wrong:
        return Outcome("fail", counted)
    if not_judged:
        left_out = ngettext("%(count)s question not judged", "%(count)s questions not judged", not_judged)
        return Outcome("warn", f"{counted}, {left_out % {'count': not_judged}}")
    return Outcome("ok", counted + ", " + gettext("nothing breaks"))


def record_check(base: KnowledgeBase, check: GoldenCheck, actor: str) -> None:
    """Record a check's findings in the ledger, without words of a run that could not be erased with it."""
    details = asdict(check)
    details["broken"] = details["broken"][:LISTED_MAX]
    for finding in details["broken"]:
        del finding["question"], finding["section_title"]
    details |= {"broken_count": len(check.broken), "not_judged": list(check.not_judged[:LISTED_MAX])}
    details["installation"] = installation_digest()
    with transaction.atomic():
        record(CHECK, actor, f"base:{base.pk}", details)


def installation_digest() -> str:
    """The digest of what whoever runs the site decides answers by: its models and its program."""
    decides = [[getattr(settings, name) for name in DECIDING], program_version()]
    return hashlib.sha256(json.dumps(decides, default=str).encode()).hexdigest()


def has_changed_since_check(base_id: UUID) -> bool:
    """Whether models or program are others than at the last check of a base, which nothing else would tell.

    Where a model judges, a check by the rules has not tried it, nor has that of one proposal.
    """
    checks = Event.objects.filter(kind=CHECK, subject=f"base:{base_id}")
    last = (checks.filter(details__arbiter="model") if settings.LLM_CONFIGURED else checks).first()
    return last is not None and last.details.get("installation") != installation_digest()


def checks_of(base_id: UUID) -> list[Event]:
    """The last checks of a base; question and section come from the records as they are now."""
    checks = list(Event.objects.filter(kind=CHECK, subject=f"base:{base_id}")[:CHECKS_SHOWN])
    findings = [finding for check in checks for finding in check.details["broken"]]
    questions, titles = read_names({finding["run_id"] for finding in findings})
    for finding in findings:
        finding["question"] = questions.get(finding["run_id"], "")
        finding["section_title"] = titles.get((finding["run_id"], finding["candidate_id"]), "")
    return checks


def read_names(run_ids: Collection[Any]) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """The question of each run, and the section title of each of its candidates, as the records are now."""
    questions = RetrievalRun.objects.filter(pk__in=run_ids).values_list("pk", "question")
    rows = RunCandidate.objects.filter(run__in=run_ids).values_list("run_id", "candidate_id", "section_title")
    titles = {(str(run_id), candidate_id): title for run_id, candidate_id, title in rows}
    return {str(pk): words for pk, words in questions}, titles
