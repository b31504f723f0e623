"""A search on its way from the question to the result, and the steps that `retrieval.pipeline` takes it through.

Each step is given the search and returns it anew, with what the step found; nothing is changed in place.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from documents.base_settings import BaseSettings
from documents.models import Document
from documents.storage.content import DocumentContent
from llm.client import is_configured
from llm.exchange import Exchange
from llm.prompts import Guidance
from llm.tiers import ChosenTier
from llm.window import read_window
from reading.processes.clock import Clock
from retrieval import absence, dispatch
from retrieval.absence import AbsenceVerdict
from retrieval.accounting import account_of, coverage_of
from retrieval.amendments.asked import without_time
from retrieval.amendments.in_force import pairs_told, put_in_force_first
from retrieval.amendments.unplaced import Amending, changed_elsewhere
from retrieval.amendments.versions import Versions, find_versions
from retrieval.arbiter import Case, Ruling
from retrieval.arbiter.brief import toc_block
from retrieval.arbiter.clear_hits import judge_clear_hit
from retrieval.arbiter.evidence import doubtful_probability, limit_for
from retrieval.arbiter.model import PROMPT as ARBITER_PROMPT
from retrieval.arbiter.quoted_kinds import kind_unread
from retrieval.arbiter.room import AT_LENGTH, USUAL, WHOLE, ModelUse, room_in, room_minus_guidance
from retrieval.briefs import fit_for
from retrieval.candidates.disagreements import find_disagreements
from retrieval.candidates.pool import pool_size, propose
from retrieval.candidates.references import tell_references
from retrieval.candidates.settle import settle
from retrieval.detectors.run import detect
from retrieval.filters import UNFILTERED, Filters, Within, keep_within, lines_within, narrow_hits, with_nearness
from retrieval.headlines.allowed import find_read, with_reads
from retrieval.headlines.choosing import KeptPlace, find_headlines, is_running_text
from retrieval.headlines.mismatches import doubt_in_denial, doubt_in_kind
from retrieval.parts import Judged, judge_parts
from retrieval.question.by_model import PROMPT as QUESTION_PROMPT
from retrieval.question.by_model import read_by_model
from retrieval.question.forms import are_of_one_name
from retrieval.question.kinds import SHIPPED, ReadingRules
from retrieval.question.pages import find_named_pages
from retrieval.question.parse import parse_question, read_as_whole
from retrieval.second_look import Judgement, consider_second_look, look_again
from retrieval.told.clauses import join_clauses
from retrieval.told.columns import StoredPlan
from retrieval.told.planned import give_reason
from retrieval.told.reasons import give_clause
from retrieval.types import (
    ANYTHING,
    KEPT_ROLES,
    ArbiterName,
    Briefed,
    ChosenSentence,
    ConceptTerms,
    Contradiction,
    Coverage,
    Expected,
    Flag,
    Hit,
    LeftOut,
    Mode,
    Plan,
    Question,
    Ranking,
    RetrievalResult,
    ScopeAccount,
    SearchedWord,
    Settled,
)

OnStage = Callable[[str, dict[str, object]], None]
AccountFor = Callable[[Question], ScopeAccount]
MODEL_ARBITERS = ("model", "hybrid")  # a reasoned primary may save a question whose words stand nowhere (G2)
NOT_PLANNED, NOT_COVERED, NOT_GATED = Plan(()), Coverage(0, 0, 0, 0), AbsenceVerdict("found", "", ())
NOT_RANKED, NOT_ACCOUNTED = Ranking("none", "not_needed", ()), ScopeAccount()
UNASKED_ARBITERS: dict[str, ArbiterName] = {"rules": "rules", "none": "none", "rerank": "rerank"}


@dataclass(frozen=True)
class SearchOptions:
    """How a question is asked of documents.

    `account_for` accounts for every document of the scope once the question is read, where it has more than those that
    are searched (by SQL, see corpus). `filters` narrow what is searched and how much is judged. `guidance` is what the
    base adds to a prompt, by its name, `rules` how it reads questions; `expected` what the asker says of the answer
    beforehand. `is_whole_scope`: all of the scope is searched. `is_side`: it is one side of a comparison, asked
    by itself; `is_part`: no answer is made of it alone. `beside`: what may amend the documents, if it was looked for.
    """

    settings: BaseSettings
    mode: Mode = "balanced"
    arbiter: ArbiterName | None = None
    dictionary: Sequence[ConceptTerms] = ()
    on_stage: OnStage | None = None
    account_for: AccountFor | None = None
    filters: Filters = UNFILTERED
    is_whole_scope: bool = True
    is_side: bool = False
    is_part: bool = False
    guidance: Mapping[str, Guidance] = field(default_factory=dict)
    expected: Expected = ANYTHING
    rules: ReadingRules = SHIPPED
    beside: Sequence[Document] | None = None

    def by_rules(self) -> "SearchOptions":
        """Those of a search that is a part of this one: judged by the rules, and nobody is told of its stages."""
        own = SearchOptions(self.settings, self.mode, "rules", self.dictionary, filters=self.filters, rules=self.rules)
        return replace(own, is_part=True)


@dataclass(frozen=True)
class Search:
    """What is known so far. What no step has found yet is empty."""

    contents: Sequence[DocumentContent]
    options: SearchOptions
    question: Question  # as it is searched; `whole` where its date was set aside
    whole: Question
    arbiter: ArbiterName
    clock: Clock
    account: ScopeAccount = NOT_ACCOUNTED
    reading: Exchange | None = None  # of the model that read the question
    named: ChosenTier | None = None  # the model that the base names for the question
    use: ModelUse = USUAL
    plan: Plan = NOT_PLANNED
    within: Within | None = None
    hits: Sequence[Hit] = ()
    searched: Sequence[SearchedWord] = ()
    versions: Sequence[Versions] = ()
    candidates: tuple[Briefed, ...] = ()
    proposed: tuple[Briefed, ...] = ()  # the candidates before their briefs were fitted to a request
    unfit: tuple[LeftOut, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    toc: str = ""
    clear: Ranking | None = None  # of the rules, where no model need judge
    ranking: Ranking = NOT_RANKED
    other_look: Exchange | None = None
    shared: Exchange | None = None
    coverage: Coverage = NOT_COVERED
    finding: AbsenceVerdict = NOT_GATED
    settled: tuple[Settled, ...] = ()
    headlines: tuple[ChosenSentence, ...] = ()

    def report_stage(self, stage: str, figures: dict[str, object]) -> None:
        if self.options.on_stage:
            self.options.on_stage(stage, figures)

    @property
    def recorded_settings(self) -> dict[str, Any]:
        """The settings of the base as the record keeps them, with what narrowed the question and how it was read."""
        filters, rules = self.options.filters, self.options.rules
        narrowed = {"filters": filters.to_json()} if filters.words else {}
        read_by = {"reading_rules": rules.to_json()} if rules.number else {}
        return self.options.settings.to_json() | narrowed | read_by

    @property
    def case(self) -> Case:
        """What is put before the arbiter."""
        options = self.options
        return Case(
            self.arbiter,
            self.question,
            self.candidates,
            self.contents,
            self.hits,
            options.settings.risk_max,
            options.mode,
            self.use,
            self.proposed,
            self.unfit,
            self.toc,
            options.settings.reranking,
            options.settings.cross_encoder == "on",
        )


# ---- the question is read, and what will be done is planned


def begin_search(question_text: str, contents: Sequence[DocumentContent], options: SearchOptions) -> Search:
    """The question as the rules read it, against the documents' own vocabulary."""
    clock = Clock()
    question = parse_question(question_text, contents, options.dictionary, options.rules)
    if options.expected.answer_type:
        question = read_as_whole(question, contents, options.dictionary, options.rules)
    # Of what was not read, a column would be left out in silence.
    if options.is_side or (not options.is_whole_scope and are_of_one_name(question.sides)):
        question = replace(question, clarification="", form="", outlined=(), sides=())
    clock.stop("parse")
    arbiter = options.arbiter or chosen_arbiter(options.settings, options.mode)
    search = Search(contents, options, question, question, arbiter, clock)
    search.report_stage("parsed", {"keywords": len(question.keywords)})
    return search


def read_further(search: Search) -> Search:
    """In thorough mode a model reads the question too; what the asker expects and how much is read around a place."""
    question, reading, options = search.question, None, search.options
    if options.mode == "thorough" and search.arbiter in MODEL_ARBITERS and not question.form:
        guidance = options.guidance.get(QUESTION_PROMPT.name)
        question, reading = read_by_model(question, search.contents, options.dictionary, guidance, options.rules)
    question = options.filters.read_around(options.expected.of(question, options.rules.patterns_of))
    return replace(search, question=question, whole=question, reading=reading)


def plan_search(search: Search) -> Search:
    """Which detectors run, each with its reason; which model the base names; what became of each document."""
    question, options = search.question, search.options
    plan = dispatch.plan(question, search.contents, options.settings, options.mode)
    if options.filters.context:
        plan = dispatch.note_reason(plan, "read_around", give_reason("around requested", size=options.filters.context))
    named = dispatch.find_named_tier(question, options.settings.tiers, options.dictionary)
    account = options.account_for(question) if options.account_for else account_of(search.contents)
    return replace(search, plan=plan, named=named, account=account)


def chosen_arbiter(settings: BaseSettings, mode: str) -> ArbiterName:
    """Fast questions, and bases without a model, are judged by the rules (R98)."""
    if settings.ranking in UNASKED_ARBITERS:
        return UNASKED_ARBITERS[settings.ranking]
    if mode == "fast" or not is_configured():
        return "rules"
    return "hybrid" if settings.ranking == "hybrid" else "model"


# ---- places are found and proposed


def find_hits(search: Search) -> Search:
    """Titles, keywords and patterns; vectors in parallel, unless words suffice. Raises DetectionTimeout."""
    options = search.options
    search.report_stage("plan", {"detectors": len(search.plan.detectors)})
    search.clock.stop("plan")
    hits, plan = detect(search.question, search.plan, search.contents, options.dictionary, options.rules)
    within = lines_within(options.filters, search.contents)
    hits, plan = narrow_hits(hits, plan, with_nearness(options.filters, options.settings.nearness_min), within)
    search.clock.stop("detect")
    search.report_stage("hits", {"hits": len(hits), "by": Counter(hit.method for hit in hits)})
    return replace(search, hits=hits, plan=plan, within=within)


def count_searched(search: Search) -> Search:
    """How often each word of the question occurs, in all that may be searched, and which occur nowhere.

    A word of another language than the documents' stands nowhere of course, and is not told.
    """
    question, contents = search.question, search.contents
    elsewhere = search.account.counts if search.within is None else {}
    searched = absence.count_words(question, contents, elsewhere, search.within)
    is_foreign = absence.is_foreign(question, {content.language for content in contents})
    nowhere = () if is_foreign else absence.topic_words_nowhere(question, searched)
    whole = replace(search.whole, nowhere=nowhere)
    return replace(search, searched=searched, question=replace(question, nowhere=nowhere), whole=whole)


def propose_candidates(search: Search) -> Search:
    """Hits become candidates; in thorough mode what the best of them point to is followed."""
    contents, settings = search.contents, search.options.settings
    search = replace(search, versions=find_versions(contents) if len(contents) > 1 else ())
    if has_nothing_to_propose(search):
        search.clock.stop("aggregate")
        return search
    arbiter, question, plan, within = search.arbiter, search.question, search.plan, search.within
    pool_max = search.options.filters.top_k or pool_size(arbiter, question, plan, settings, search.options.mode)
    nearness = with_nearness(search.options.filters, settings.nearness_min).threshold or 0.0
    found = propose(arbiter, question, contents, list(search.hits), plan, pool_max, within, search.versions, nearness)
    candidates = keep_within(found.candidates, within)
    search.clock.stop("aggregate")
    return replace(search, candidates=candidates, left_out=found.left_out, hits=found.hits, plan=found.plan)


def has_nothing_to_propose(search: Search) -> bool:
    """Whether no word of the question occurs, no page is named, and no model may know better.

    A document of a page or two is looked at all the same.
    """
    names_page, is_short = search.question.hints.names_page, search.plan.is_on("whole_document")
    is_open = search.arbiter in MODEL_ARBITERS or names_page or is_short
    return not is_open and bool(absence.zero_hits(search.question, search.searched))


def set_time_aside(search: Search) -> Search:
    """The date that picks a version of a clause is no word to look for."""
    return replace(search, question=without_time(search.question, search.candidates, search.versions))


# ---- who judges, and what is put before it


def consider_clear_hit(search: Search) -> Search:
    """A hit that is clear is judged by the rules, if the base allows it."""
    options = search.options
    if search.arbiter not in MODEL_ARBITERS or options.arbiter is not None:
        return search
    found = (search.question, search.candidates, search.contents, search.hits)
    plan, clear = judge_clear_hit(*found, search.plan, options.settings, options.mode)
    return replace(search, plan=plan, clear=clear, arbiter=clear.arbiter if clear else search.arbiter)


def consider_model(search: Search) -> Search:
    """Which model judges, and how much one request shows it; a small window is in the plan, with its reason."""
    if search.arbiter not in MODEL_ARBITERS:
        return search
    if search.named:
        plan = dispatch.note_tier(search.plan, search.named)
    else:
        plan = dispatch.consider_hard_model(search.plan, search.question, search.contents)
    guidance = search.options.guidance.get(ARBITER_PROMPT.name)
    tier, why = dispatch.tier_in(cast("StoredPlan", asdict(plan)))
    window = read_window()
    room = room_minus_guidance(guidance, room_in(window))
    if search.arbiter == "model" and not room.is_small and is_for_one_answer(search):
        room = room._replace(at_length=AT_LENGTH)
    if room_in(window).chars < WHOLE.chars:
        told = {"tokens": window.tokens, "places": room.places, "chars": room.chars}
        reason = give_reason("window", **told, small=room.is_small)
        plan = Plan((*plan.flags, Flag(dispatch.SMALL_WINDOW, True, reason)))
    return replace(search, plan=plan, use=ModelUse(tier, room, guidance, why, search.named is not None))


def is_for_one_answer(search: Search) -> bool:
    """Whether the order of the rules may say which places are shown in a sentence (R42).

    Of a list no item may be lost, and it is no order for parts; for several documents it is not measured.
    """
    is_of_many = search.question.intent == "listing" or search.question.parts or search.plan.is_on("whole_document")
    return len(search.contents) == 1 and not is_of_many


def fit_briefs(search: Search) -> Search:
    """What the arbiter reads of each candidate; those that have no room are left out."""
    proposed, room = search.candidates, search.use.room
    toc = toc_block(search.contents, room.toc_chars) if proposed else ""
    candidates, unfit = fit_for(search.arbiter, proposed, toc, search.contents, room)
    search.report_stage("candidates", {"candidates": len(candidates)})
    search.report_stage("arbiter", {"arbiter": search.arbiter, "started": True, "of": len(candidates)})
    return replace(search, candidates=candidates, proposed=proposed, unfit=unfit, toc=toc)


# ---- what was judged is held against the gates and told


def take_ruling(search: Search, ruling: Ruling) -> Search:
    """The candidates as they were judged."""
    search.clock.leave_out(ruling.waited_s)
    flags = search.plan.flags
    note = (Flag(dispatch.TOGETHER, True, ruling.note),) if ruling.note else ()
    return replace(
        search,
        candidates=ruling.candidates,
        left_out=ruling.unfit + search.left_out,
        plan=Plan((*flags, *note)),
        ranking=ruling.ranking,
        shared=ruling.shared,
    )


def look_once_more(search: Search) -> Search:
    """Where the model asks for more of the documents, everything is judged once more with that."""
    if search.arbiter not in MODEL_ARBITERS:
        return search
    judged = Judgement(search.candidates, search.left_out, list(search.hits), search.plan, search.ranking)
    judged = consider_second_look(judged, is_allowed=search.options.settings.second_look == "on")
    if judged.plan.is_on("second_look"):
        search.report_stage(
            "arbiter", {"arbiter": search.arbiter, "started": True, "of": len(judged.candidates), "again": True}
        )
        asked = (search.question, search.contents, search.toc, search.within, search.use)
        judged = look_again(judged, search.arbiter, *asked)
    return replace(
        search,
        candidates=judged.candidates,
        left_out=judged.left_out,
        hits=judged.hits,
        plan=judged.plan,
        ranking=judged.ranking,
        other_look=judged.other,
    )


def rank_in_force(search: Search) -> Search:
    """Of the versions of a clause those in force come first."""
    judged = (search.whole, search.candidates, search.contents, search.versions)
    ranking = put_in_force_first(search.ranking, *judged)
    search.clock.stop("arbitrate")
    return replace(search, ranking=ranking)


def judge_by_gates(search: Search) -> Search:
    """Whether anything was found, and if not, why."""
    question, contents, filters = search.question, search.contents, search.options.filters
    coverage = coverage_of(question, contents, search.account, filters.pages)
    judged = (search.searched, coverage, search.hits, search.ranking)
    finding = absence.judge_absence(question, contents, *judged, search.account.languages)
    finding = say_page(finding, question, search.plan, contents)
    finding = limit_absence_to_filter(finding, filters, search.within)
    return replace(search, coverage=coverage, finding=finding)


def settle_candidates(search: Search) -> Search:
    """Quotes are calibrated and contexts widened; kept passages that disagree make what was found less sure."""
    question, contents = search.question, search.contents
    settled = settle(search.candidates, search.ranking, question, contents)
    differing = find_disagreements(question, settled, contents, pairs_told(search.ranking.contradictions))
    ranking = with_disagreements(search.ranking, differing)
    finding = absence.doubt_differing(search.finding, question, ranking, settled, differing)
    content_of = {content.document_id: content for content in contents}
    is_read = ranking.arbiter == "model" and ranking.status == "ran"
    kept = [each for each in settled if each.verdict.role in KEPT_ROLES]
    finding = absence.doubt_because(finding, kind_unread(question, kept, content_of) if is_read else "")
    finding = absence.doubt_struck(finding, settled, contents)
    finding = absence.doubt_wrapped(finding, question, ranking, settled, contents)
    finding = absence.doubt_amended(finding, settled, search.account.amended)
    amending = Amending(search.account.amending, search.versions, content_of)
    finding = absence.doubt_because(finding, changed_elsewhere(question, settled, amending, is_read=is_read))
    return replace(search, settled=settled, ranking=ranking, finding=finding)


def choose_headlines(search: Search) -> Search:
    """What an answer without a writer says first; where that is about another thing, what was found is in doubt."""
    question, contents, ranking, settled = search.whole, search.contents, search.ranking, search.settled
    is_judged = ranking.status == "ran" and ranking.arbiter not in ("none", "rerank")
    if search.options.is_part or search.finding.status != "found" or not is_judged or ranking.contradictions:
        return search
    content_of = {content.document_id: content for content in contents}
    kept = [
        KeptPlace(each.candidate_id, content_of[each.document_id], each.anchor, each.context.lines)
        for each in settled
        if each.verdict.role in KEPT_ROLES
    ]
    found = find_headlines(question, kept)
    primary = [each for each in settled if each.verdict.role == "primary"]
    is_of_prose = all(is_running_text(each) for each in primary)
    finding = absence.doubt_mismatched(search.finding, question, ranking, found.doubt if is_of_prose else "")
    undenied = doubt_in_denial(question, primary, content_of) if is_of_prose else ""
    of_another = undenied or doubt_in_kind(question, primary, content_of)
    finding = absence.doubt_other(finding, question, ranking, of_another)
    if finding.status == "found":
        is_read = ranking.arbiter == "rules" and search.options.settings.cross_encoder == "on"
        read = find_read(question, kept) if is_read and not found.spoken and not found.doubt else None
        chosen = tuple(each.as_chosen() for each in ((read,) if read else found.spoken))
        return replace(search, headlines=chosen, settled=with_reads(settled, read))
    limit = min(limit_for(search.options.settings.risk_max, is_read=each) for each in (False, True))
    probability = None if ranking.probability is None else doubtful_probability(ranking.probability, limit)
    return replace(search, finding=finding, ranking=replace(ranking, probability=probability))


def name_references(search: Search) -> Search:
    """Where the kept passages point is told in every mode (R75)."""
    kept = [each for each in search.settled if each.verdict.role in KEPT_ROLES]
    before = next(flag.reason for flag in search.plan.flags if flag.name == "cross_references")
    told = tell_references(kept, search.contents, before)
    return replace(search, plan=dispatch.note_reason(search.plan, "cross_references", told))


def result_of(search: Search) -> RetrievalResult:
    """All of it, with what became of each part of the question."""
    question, contents, finding = search.question, search.contents, search.finding
    judged = Judged(search.settled, search.ranking, finding.status, search.coverage)
    parts = judge_parts(question, contents, search.searched, judged)
    # What could not be read elsewhere in a base does not make what was found here less sure.
    read_coverage = coverage_of(question, contents, account_of(contents), search.options.filters.pages)
    confidence = absence.confidence_of(finding.status, search.settled, search.ranking, read_coverage)
    search.clock.stop("calibrate")
    result = replace(
        empty_result(search),
        hits=tuple(search.hits),
        candidates=search.settled,
        gates=finding.gates,
        searched=tuple(search.searched),
        coverage=search.coverage,
        status=finding.status,
        not_found_reason=finding.reason,
        confidence=confidence,
        methods_used=search.plan.detectors,
        timings_ms=search.clock.timings_ms,
        parts=parts,
        headlines=search.headlines,
    )
    search.report_stage("arbiter", {"arbiter": search.arbiter, "kept": len(result.kept()), "of": len(search.settled)})
    return result


def empty_result(search: Search) -> RetrievalResult:
    """What a result has whether or not anything was searched."""
    return RetrievalResult(
        question=search.whole,
        plan=search.plan,
        scope=tuple(content.snapshot() for content in search.contents),
        documents=search.account.documents,
        ranking=search.ranking,
        coverage=search.coverage,
        status="clarify",
        toc_shown=search.toc,
        settings=search.recorded_settings,
        left_out=search.left_out,
        reading=search.reading,
        other_look=search.other_look,
        shared=search.shared,
    )


def with_disagreements(ranking: Ranking, found: Sequence[Contradiction]) -> Ranking:
    """The ranking with what the arbiter did not report itself."""
    told = {frozenset(each.candidate_ids) for each in ranking.contradictions}
    more = [each for each in found if frozenset(each.candidate_ids) not in told]
    return replace(ranking, contradictions=(*ranking.contradictions, *more)) if more else ranking


def limit_absence_to_filter(finding: AbsenceVerdict, filters: Filters, within: Within | None) -> AbsenceVerdict:
    """What is missing from a part that was searched alone is missing there, and nothing is said of the rest."""
    if within is None or finding.status == "found":
        return finding
    if not any(lines.any() for lines in within.values()):
        return finding._replace(status="cannot_tell", reason=give_clause("no such place", place=filters.place))
    only = give_clause("only there", place=filters.place)
    return finding._replace(reason=join_clauses([finding.reason, only], "; "))


def say_page(
    finding: AbsenceVerdict, question: Question, plan: Plan, contents: Sequence[DocumentContent]
) -> AbsenceVerdict:
    """Where a question names a page that no document has, nothing was looked at."""
    if not plan.is_on("page_hints") or finding.status == "found":
        return finding
    if any(find_named_pages(question.hints, content) for content in contents):
        return finding
    place = f"page {question.hints.written_pages}"
    return finding._replace(status="cannot_tell", reason=give_clause("no such place", place=place))
