"""Gather a run's whole trail for the page, from stored rows alone, so that it shows what was seen.

A document's present content is never read, so a trail stays the same after the document is parsed again, renamed or
deleted.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from audit.proof.verification import Standing, standing_of
from audit.review.reviewing import Reviews, RunReviews
from audit.runs.disagreement import GridRow, grid_of, rank_candidates, span
from audit.runs.outcomes import METHOD_NAMES, judge_in_full
from audit.trail.candidates import CandidateTable, Choice, build_table, keyword_words, learned_in
from audit.trail.dossier import Dossier, dossier_of
from audit.trail.exchanges import Cost, ExchangeView, cost_of, read_exchange
from audit.trail.section_counts import Contents, read_contents
from audit.trail.story import story_of
from chat.answer_record import other_calls_of
from chat.checks import AnswerCheck
from chat.markup import Block, blocks_of, bold_in
from chat.models import Answer, Citation, Feedback, Turn
from chat.objections import Objection, find_objection
from chat.page.outcomes import Sureness, outcome_of_run, sureness_of
from chat.page.part_outcomes import PartOutcomeRow, part_rows
from chat.page.rereading import recorded_words
from chat.page.scope_table import ScopeTable, scope_table
from chat.page.weak_sources import with_weaknesses
from chat.prompts.guidance import find_guidance
from chat.writing.claims import SUPPORTED
from documents.pages.phrasing import within_sentence
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.record.storing import calls_beside, unfinished_calls
from retrieval.told.columns import StoredFlag, StoredGate, StoredHit, StoredKeyword, StoredQuestion
from retrieval.told.planned import INTENTS, TYPE_WORDS
from retrieval.told.reasons import LANGUAGES, gate_of, left_out_of, missing_of, name_of_point, planned_of, point_of
from retrieval.told.recorded import say_recorded
from retrieval.types import KEPT_ROLES, METHODS, POINTED, UNANSWERED

HITS_SHOWN_MAX = 100  # of one detector; the export has them all
ASKED = ("direct", "identifier")  # the sources of words that the asker wrote

SIGNS = {
    "exact_title": _("exact title"),
    "co_occurrence": _("words meet on one line"),
    "type_match": _("value of the asked type"),
}
FLAG_NAMES = METHOD_NAMES | {
    "sections": _("Sections"),
    "page_hints": _("Page hints"),
    "parts": _("Parts"),
    "listing": _("Listing"),
    "list_pass": _("Further pass for a list"),
    "layout_hints": _("Figures, tables and appendices named"),
    "read_around": _("How much is read around a place"),
    "cross_references": _("Cross references"),
    "filters": _("Narrowed by the asker"),
    "whole_document": _("Whole document"),
    "clear_hit": _("Clear hit, without a model"),
    "hard_model": _("Model for hard questions"),
    "small_model": _("Small model"),
    "small_window": _("Small window of the model"),
    "together": _("Fields in one request"),
    "outline": _("Outline"),
    "compare": _("Comparison"),
    # Of plans that were stored before it was dropped.
    "adaptive_parsing": _("Adaptive parsing"),
}
GATE_NAMES = {"G0": _("coverage"), "G1": _("zero hits"), "G2": _("no keyword support"), "G3": _("nothing primary")}
SHAPE_WORDS = {
    "single": pgettext_lazy("shape of an answer", "single"),
    "listing": pgettext_lazy("shape of an answer", "list of"),
    "table": pgettext_lazy("shape of an answer", "table of"),
    "tree": pgettext_lazy("shape of an answer", "tree of"),
    "nested": pgettext_lazy("shape of an answer", "nested"),
}
READERS = {"rules": _("rules"), "model": _("a model")}
TIMING_NAMES = {
    "repeat": _("Found in the record"),
    "first_pass": _("First pass, over the documents named"),
    "each_document": _("Every document searched on its own"),
    "parse": _("Reading the question"),
    "plan": _("Plan"),
    "detect": _("Detectors"),
    "aggregate": _("Merging hits"),
    "arbitrate": _("Arbiter"),
    "calibrate": _("Gates, quotes, contexts"),
    "compose": _("Writing and checking the answer"),
}


@dataclass(frozen=True)
class FlagRow:
    words: str
    on: bool
    reason: str


@dataclass(frozen=True)
class HitRow:
    lines: str
    score: float
    matched: str
    detail: str


@dataclass(frozen=True)
class LeftOutRow:
    """A place that was found and not judged. `document` is named where several were searched."""

    candidate_id: str
    document: str
    section: str
    page: int
    rank: int
    words: str
    reason: str


@dataclass(frozen=True)
class DetectorRow:
    """The contribution of one detector. `only` counts the candidates no other detector proposed."""

    name: str
    hits: int
    candidates: int
    only: int
    kept: int
    shown: tuple[HitRow, ...]


@dataclass(frozen=True)
class GateRow:
    """A not-found gate, or the arbiter's contract: its result as a state (ok, warn) with its word."""

    name: str
    kind: str
    words: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Timing:
    name: str
    ms: float


@dataclass(frozen=True)
class SentenceCheck:
    """One sentence of the answer: its citations, and what the checks found."""

    sentence: str
    markers: tuple[int, ...]
    percent: int
    problems: tuple[str, ...]
    verdict: str = ""  # of the claim check, with what it found
    is_supported: bool = False
    is_left_out: bool = False  # it was not shown
    note: str = ""  # what may be looked at; the answer is not the worse for it


@dataclass(frozen=True)
class AnswerView:
    answer: Answer
    blocks: tuple[Block, ...]  # as the chat shows it
    citations: tuple[Citation, ...]
    checks: tuple[SentenceCheck, ...]
    standing: Standing
    badly_read: tuple[str, ...] = ()  # what the record says of pages that were read badly

    @property
    def is_said_by_note(self) -> bool:
        """Whether its note says already that it is made of quotes."""
        return bool(self.answer.note) and (self.answer.kind, self.answer.ended) == ("extractive", "complete")


class ReaderWords(NamedTuple):
    """What a reader said of the answer, and whether they have said something else since, which counts instead."""

    feedback: Feedback
    is_withdrawn: bool


@dataclass(frozen=True)
class Trail:
    run: RetrievalRun
    story: tuple[str, ...]
    outcome: str  # its code
    scope: ScopeTable
    sureness: Sureness | None  # for the person who asked, in the place of a number
    objection: Objection | None  # of a reviewer to the answer; never told to a blind reviewer
    arbiter: str
    standing: Standing
    table: CandidateTable
    left_out: tuple[LeftOutRow, ...]
    detectors_ran: tuple[str, ...]  # over the grid's columns
    grid: tuple[GridRow, ...]
    detectors: tuple[DetectorRow, ...]
    hits: int
    hits_max: int
    kind: str
    flags: tuple[FlagRow, ...]
    parts: tuple[PartOutcomeRow, ...]
    contents: Contents
    gates: tuple[GateRow, ...]
    contradictions: tuple[tuple[str, str, list[str]], ...]  # what it is, the point, and the ids of the candidates
    contract: GateRow
    missing: str  # what the arbiter says an answer lacks
    exchanges: tuple[ExchangeView, ...]
    cost: Cost
    why_no_model: str
    answer: AnswerView | None
    dossier: Dossier | None
    timings: tuple[Timing, ...]
    timings_max: float
    reviews: Reviews  # of the answer; those of candidates are in the table
    feedback: tuple[ReaderWords, ...]

    @property
    def mode(self) -> str:
        """How much work the question got, in the language of the reader."""
        return gettext(self.run.mode)

    @property
    def asked_keywords(self) -> list[StoredKeyword]:
        """The words of the question that were searched."""
        return [each for each in self.keywords if each.get("source", "direct") in ASKED]

    @property
    def added_keywords(self) -> list[StoredKeyword]:
        """What the dictionary, a model or earlier questions added to them."""
        return [each for each in self.keywords if each.get("source", "direct") not in ASKED]

    @property
    def keywords(self) -> list[StoredKeyword]:
        found: list[StoredKeyword] = self.run.parsed.get("keywords", [])
        return found


def gather(run: RetrievalRun, choice: Choice, reviews: RunReviews | None) -> Trail | None:
    """Everything the page shows of a run; None if `choice` names a candidate it does not have."""
    candidates = list(run.candidates.all())
    reviews = reviews or RunReviews()
    ranks = rank_candidates(run, candidates)
    table = build_table(candidates, choice, reviews, ranks, learned_in(run))
    if table is None:
        return None
    answer = answer_of(run)
    exchanges = exchanges_of(run, answer)
    proposed = [name for name in POINTED if run.hit_counts.get(name)]
    detectors = tuple(detector_row(run, name, candidates) for name in (*METHODS, *proposed))
    timings = timings_of(run, answer)
    return Trail(
        run=run,
        story=story_of(
            run, candidates, answer.answer if answer else None, len(answer.citations) if answer else 0, reviews
        ),
        outcome=outcome_of_run(run, answer.answer) if answer else outcome_of_run(run, None, state_of_turn(run)),
        sureness=sureness_of(run, answer.answer if answer else None, candidates),
        objection=None if choice.blind else find_objection(run),
        scope=scope_table(run),
        arbiter=judge_in_full(run),
        standing=standing_of("run", run.pk),
        table=table,
        left_out=read_left_out(run),
        detectors_ran=tuple(str(METHOD_NAMES[name]) for name in ranks.ran),
        grid=grid_of(candidates, ranks) if ranks.is_fused else (),
        detectors=detectors,
        hits=sum(detector.hits for detector in detectors),
        hits_max=max((detector.hits for detector in detectors), default=0) or 1,
        kind=kind_words(run.parsed),
        flags=tuple(flag_row(run, flag) for flag in run.plan.get("flags", [])),
        parts=tuple(part_rows(run)),
        contents=read_contents(run, candidates),
        gates=tuple(gate_row(run, gate) for gate in run.gates),
        contradictions=tuple((name_of_point(at), point_of(at), at["candidate_ids"]) for at in run.contradictions),
        contract=contract_row(run, candidates),
        missing=missing_of(run),
        exchanges=exchanges,
        cost=cost_of(exchanges),
        why_no_model=why_no_model(run),
        answer=answer,
        dossier=dossier_of(run, candidates, choice) if run.status in UNANSWERED else None,
        timings=timings,
        timings_max=max((timing.ms for timing in timings), default=0),
        reviews=reviews.of(None),
        feedback=tuple(read_feedback(run)),
    )


def read_feedback(run: RetrievalRun) -> Iterator[ReaderWords]:
    """What readers said of the answer to a run, oldest first."""
    given = list(Feedback.objects.filter(turn__run=run))
    last = {(each.turn_id, each.by_id): each.pk for each in given}
    for each in given:
        yield ReaderWords(each, each.by_id is not None and last[each.turn_id, each.by_id] != each.pk)


def state_of_turn(run: RetrievalRun) -> str:
    """The state of the turn a run was made for; "" of a field or a retrieval, which have none."""
    return str(Turn.objects.filter(run=run).values_list("state", flat=True).first() or "")


def detector_row(run: RetrievalRun, name: str, candidates: Sequence[RunCandidate]) -> DetectorRow:
    found = [candidate for candidate in candidates if name in candidate.methods]
    learned = learned_in(run)
    hits = [hit for hit in run.hits if hit["method"] == name]
    return DetectorRow(
        name=within_sentence(METHOD_NAMES[name]),
        hits=run.hit_counts.get(name, len(hits)),
        candidates=len(found),
        only=sum(candidate.methods == [name] for candidate in found),
        kept=sum(candidate.role in KEPT_ROLES for candidate in found),
        shown=tuple(hit_row(hit, learned) for hit in hits[:HITS_SHOWN_MAX]),
    )


def hit_row(hit: StoredHit, learned: Collection[str]) -> HitRow:
    signs = [str(words) for name, words in SIGNS.items() if hit.get(name)]
    detail = ", ".join([*filter(None, [say_recorded(hit["detail"])]), *signs])
    return HitRow(span(*hit["lines"]), hit["score"], keyword_words(hit["matched_keywords"], learned), detail)


def kind_words(parsed: StoredQuestion) -> str:
    """How the kind of question was read, or ""."""
    if not parsed:
        return ""
    told = {
        "intent": INTENTS.get(parsed["intent"], parsed["intent"].replace("_", " ")),
        "shape": SHAPE_WORDS.get(parsed["shape"], parsed["shape"]),
        "type": TYPE_WORDS.get(parsed["answer_type"], parsed["answer_type"]),
        "language": LANGUAGES.get(parsed["language"], parsed["language"]) or gettext("not told"),
        "by": READERS.get(parsed["parsed_by"], parsed["parsed_by"]),
    }
    return gettext("%(intent)s, answer: %(shape)s %(type)s, language: %(language)s, read by %(by)s") % told


def flag_row(run: RetrievalRun, flag: StoredFlag) -> FlagRow:
    words = FLAG_NAMES.get(flag["name"]) or flag["name"].replace("_", " ").capitalize()
    return FlagRow(str(words), flag["on"], planned_of(run, flag))


def gate_row(run: RetrievalRun, gate: StoredGate) -> GateRow:
    """The row of a gate. G3 asks the arbiter, so it counts as not checked if the arbiter did not run."""
    if gate["fired"]:
        kind, words = "warn", gettext("not found")
    elif gate["code"] == "G3" and run.arbiter_status == "not_run":
        kind, words = "warn", gettext("not checked")
    else:
        kind, words = "ok", gettext("passed")
    return GateRow(f"{gate['code']} {GATE_NAMES.get(gate['code'], gate['name'])}", kind, words, (gate_of(run, gate),))


def contract_row(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> GateRow:
    """Whether the arbiter kept its contract, with each violation."""
    if run.violations:
        kind, words = "warn", gettext("broken")
    elif run.arbiter_status == "not_run":
        kind, words = "warn", gettext("not checked")
    else:
        kind, words = "ok", pgettext("contract", "kept")
    return GateRow(
        gettext("Arbiter’s contract"),
        kind,
        words,
        tuple(map(say_recorded, run.violations)) or (contract_words(run, candidates),),
    )


def read_left_out(run: RetrievalRun) -> tuple[LeftOutRow, ...]:
    """The places that were found and not judged; none are known of runs that did not record them."""
    titles = {seen["document_id"]: seen["title"] for seen in run.scope} if len(run.scope) > 1 else {}
    return tuple(
        LeftOutRow(
            left["candidate_id"],
            titles.get(left["document_id"], ""),
            left["section_title"],
            left["page_number"],
            left["rrf_rank"],
            ", ".join(left["matched_keywords"]),
            left_out_of(run, left["reason"]),
        )
        for left in run.plan.get("left_out", [])
    )


def contract_words(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> str:
    """That the arbiter judged what it was given, in words; what it did not is listed as violations."""
    unjudged = sum(candidate.role == "unjudged" for candidate in candidates)
    told = {"unjudged": unjudged, "all": len(candidates)}
    if not candidates:
        return gettext("no candidate, so nothing to judge")
    if unjudged:
        return gettext("%(unjudged)s of %(all)s candidates were not judged") % told
    if left := len(run.plan.get("left_out", [])):
        judged = ngettext(
            "%(all)s candidates judged once, each with a reason; %(left)s more place was not judged",
            "%(all)s candidates judged once, each with a reason; %(left)s more places were not judged",
            left,
        )
        return judged % (told | {"left": left})
    return gettext("%(all)s candidates, each judged once with a reason") % told


def why_no_model(run: RetrievalRun) -> str:
    if run.repeat:
        return gettext("the answer of %(day)s was given again; what was asked then is in its trail") % {
            "day": run.repeat["on"]
        }
    if run.arbiter_failure:
        return run.arbiter_failure
    if run.arbiter_status == "not_needed":
        return gettext("there was nothing to judge")
    reasons = {"rules": gettext("fixed rules judged"), "none": gettext("nobody judged, the order is by RRF")}
    return reasons.get(run.arbiter, gettext("none is recorded"))


def answer_of(run: RetrievalRun) -> AnswerView | None:
    answer = Answer.objects.select_related("llm_call__charge", "page_notice").filter(run=run).first()
    if answer is None:
        return None
    answer.run = run
    citations = tuple(with_weaknesses(answer.citations.select_related("candidate")))
    return AnswerView(
        answer=answer,
        blocks=tuple(blocks_of(answer.text, {citation.marker for citation in citations}, bold_in(answer.checks))),
        citations=citations,
        checks=tuple(map(read_check, answer.checks)),
        standing=standing_of("answer", answer.pk),
        badly_read=tuple(recorded_words(notice)) if (notice := getattr(answer, "page_notice", None)) else (),
    )


PROBLEMS = {
    "no_citation": _("cites nothing"),
    "weak_support": _("few of its words are in what it cites"),
    "not_computed": _("could not be computed"),
    "number_not_cited": _("a number is not in what it cites"),
    "list_incomplete": _("fewer than the question or the passages say there are"),
    "start_after_end": _("a start is later than its end"),
    "total_differs": _("the rows of the table do not add up to its total"),
    "name_not_cited": _("a name or a month is not in what it cites"),
}
NOTES = {"shares_differ": _("shares add up to something else than the total that is printed")}


CLAIM_VERDICTS = {
    "supported": _("its quotes say so"),
    "contradicted": _("its quotes say otherwise"),
    "not_shown": _("its quotes do not say so"),
}


def read_check(check: AnswerCheck) -> SentenceCheck:
    problems = tuple(str(PROBLEMS.get(problem, problem)) for problem in check["problems"])
    verdict = check.get("verdict", "")
    told = [str(CLAIM_VERDICTS[verdict]), check["finding"]] if verdict else []
    return SentenceCheck(
        check["sentence"],
        tuple(check["markers"]),
        round(100 * check["supported"]),
        problems,
        verdict=" – ".join(filter(None, told)),
        is_supported=verdict == SUPPORTED,
        is_left_out=bool(check.get("left_out")),
        note=str(NOTES.get(code, code)) if (code := check.get("note", {}).get("code", "")) else "",
    )


PURPOSES = {"passages": _("Reading of passages"), "claims": _("Claim check"), "answer": _("Answer, first draft")}


def exchanges_of(run: RetrievalRun, answer: AnswerView | None) -> tuple[ExchangeView, ...]:
    of_answer = answer.answer.llm_call if answer else None
    beside = calls_beside(run)
    calls = [
        ("question", gettext("Question"), beside.get("reading")),
        ("arbiter", gettext("Arbiter"), run.llm_call),
        ("other-look", gettext("Arbiter, the other look"), beside.get("look")),
        ("shared", gettext("Arbiter, one request for several fields"), beside.get("shared")),
        ("answer", gettext("Answer"), of_answer),
    ]
    unfinished = gettext("Before the question ended without a result")
    left = [] if answer else unfinished_calls(run)
    calls += [(f"unfinished-{number}", unfinished, call) for number, call in enumerate(left, 1)]
    others = other_calls_of(answer.answer) if answer else []
    calls += [(f"answer-{number}", str(PURPOSES[call.purpose]), call) for number, call in enumerate(others, 1)]
    return tuple(
        read_exchange(name, purpose, call, find_guidance(run.base_id, call.prompt_name, call.prompt_version))
        for name, purpose, call in calls
        if call
    )


def timings_of(run: RetrievalRun, answer: AnswerView | None) -> tuple[Timing, ...]:
    stored = run.timings_ms | (answer.answer.timings_ms if answer else {})
    order = [*TIMING_NAMES, *sorted(stored.keys() - TIMING_NAMES.keys() - {"total"})]
    return tuple(
        Timing(str(TIMING_NAMES.get(name, name.replace("_", " ").capitalize())), stored[name])
        for name in order
        if name in stored
    )
