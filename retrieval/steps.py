"""The steps that `retrieval.pipeline` takes a search through, but for those with a module of their own."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import cast

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.client import is_configured
from llm.window import read_window
from reading.processes.clock import Clock
from retrieval import absence, dispatch
from retrieval.accounting import account_of, coverage_of
from retrieval.amendments.asked import without_time
from retrieval.amendments.in_force import pairs_told, put_in_force_first
from retrieval.amendments.unplaced import Amending, changed_elsewhere
from retrieval.amendments.versions import find_versions
from retrieval.arbiter.brief import toc_block
from retrieval.arbiter.deciding import Ruling
from retrieval.arbiter.evidence import doubtful_probability, limit_for
from retrieval.arbiter.model import PROMPT as ARBITER_PROMPT
from retrieval.arbiter.quoted_kinds import kind_unread
from retrieval.arbiter.room import AT_LENGTH, room_in, room_minus_guidance
from retrieval.briefs import fit_for
from retrieval.candidates.disagreements import find_disagreements
from retrieval.candidates.pool import propose_passages, propose_places
from retrieval.candidates.references import tell_references
from retrieval.candidates.settle import settle
from retrieval.detectors.run import detect
from retrieval.filters import keep_within, lines_within, narrow_hits, with_nearness
from retrieval.headlines.allowed import find_read, with_reads
from retrieval.headlines.choosing import FoundHeadlines, KeptPlace, find_headlines, is_running_text
from retrieval.headlines.mismatches import doubt_in_denial, doubt_in_kind
from retrieval.headlines.printed_questions import other_question
from retrieval.parts import judge_parts
from retrieval.question.by_model import PROMPT as QUESTION_PROMPT
from retrieval.question.by_model import read_by_model
from retrieval.question.forms import are_of_one_name
from retrieval.question.pages import find_named_pages
from retrieval.question.parse import parse_question, read_as_whole
from retrieval.search import MODEL_ARBITERS, WHOLE, ModelUse, Search, SearchOptions
from retrieval.told.clauses import join_clauses
from retrieval.told.columns import StoredPlan
from retrieval.told.planned import give_reason
from retrieval.told.reasons import give_clause
from retrieval.types import AbsenceVerdict, ArbiterName, Contradiction, Flag, Plan, Ranking, RetrievalResult

UNASKED_ARBITERS: dict[str, ArbiterName] = {"rules": "rules", "none": "none", "rerank": "rerank"}


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
    search.report_stage("parsed", keywords=len(question.keywords))
    return search


def read_further(search: Search) -> Search:
    """In thorough mode a model reads the question too; what the asker expects and how much is read around a place."""
    question, exchange, options = search.question, None, search.options
    if options.mode == "thorough" and search.arbiter in MODEL_ARBITERS and not question.form:
        guidance = options.guidance.get(QUESTION_PROMPT.name)
        question, exchange = read_by_model(question, search.contents, options.dictionary, guidance, options.rules)
    question = options.filters.read_around(options.expected.of(question, options.rules.patterns_of))
    return replace(search, question=question, whole=question, question_exchange=exchange)


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
    search.report_stage("plan", detectors=len(search.plan.detectors))
    search.clock.stop("plan")
    hits, plan = detect(search.question, search.plan, search.contents, options.dictionary, options.rules)
    within = lines_within(options.filters, search.contents)
    hits, plan = narrow_hits(hits, plan, with_nearness(options.filters, options.settings.nearness_min), within)
    search.clock.stop("detect")
    search.report_stage("hits", hits=len(hits), by=Counter(hit.method for hit in hits))
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


def set_time_aside(search: Search) -> Search:
    """The date that picks a version of a clause is no word to look for."""
    return replace(search, question=without_time(search.question, search.candidates, search.versions))


def propose_candidates(search: Search) -> Search:
    """Hits become candidates: passages for a reranker, places for all other arbiters."""
    search = replace(search, versions=find_versions(search.contents) if len(search.contents) > 1 else ())
    if not has_nothing_to_propose(search):
        search = propose_passages(search) if search.arbiter == "rerank" else propose_places(search)
        search = replace(search, candidates=keep_within(search.candidates, search.within))
    search.clock.stop("aggregate")
    return search


def has_nothing_to_propose(search: Search) -> bool:
    """Whether no word of the question occurs, no page is named, and no model may know better.

    A document of a page or two is looked at all the same.
    """
    names_page, is_short = search.question.hints.names_page, search.plan.is_on("whole_document")
    is_open = search.arbiter in MODEL_ARBITERS or names_page or is_short
    return not is_open and bool(absence.zero_hits(search.question, search.searched))


# ---- who judges, and what is put before it


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
    search.report_stage("candidates", candidates=len(candidates))
    search.report_stage("arbiter", arbiter=search.arbiter, started=True, of=len(candidates))
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


def rank_in_force(search: Search) -> Search:
    """Of the versions of a clause those in force come first."""
    judged = (search.whole, search.candidates, search.contents, search.versions)
    ranking = put_in_force_first(search.ranking, *judged)
    search.clock.stop("arbitrate")
    return replace(search, ranking=ranking)


def judge_by_gates(search: Search) -> Search:
    """Whether anything was found, and if not, why."""
    coverage = coverage_of(search.question, search.contents, search.account, search.options.filters.pages)
    search = replace(search, coverage=coverage)
    search = replace(search, finding=absence.judge_absence(search))
    search = replace(search, finding=say_page(search))
    return replace(search, finding=limit_absence_to_filter(search))


def settle_candidates(search: Search) -> Search:
    """Quotes are calibrated and contexts widened; what makes the kept passages doubtful makes what was found less sure.

    Of several doubts the first is told; that another document amends one is told beside any of them.
    """
    question, contents = search.question, search.contents
    settled = settle(search.candidates, search.ranking, question, contents)
    differing = find_disagreements(question, settled, contents, pairs_told(search.ranking.contradictions))
    search = replace(search, settled=settled, ranking=with_disagreements(search.ranking, differing))
    doubts = doubts_in(search, differing) if search.finding.status == "found" else ()
    finding = absence.doubt_because(search.finding, next(filter(None, doubts), ""))
    finding = absence.doubt_amended(finding, search.primary, search.account.amended)
    amending = Amending(search.account.amending, search.versions, search.content_of)
    elsewhere = changed_elsewhere(question, settled, amending, is_read=search.is_read)
    return replace(search, finding=absence.doubt_because(finding, elsewhere))


def doubts_in(search: Search, differing: Sequence[Contradiction]) -> Iterator[str]:
    """Why passages that were found do not clearly answer, or "" for each reason that is none."""
    yield absence.doubt_differing(search, differing)
    if search.is_read:
        yield kind_unread(search.question, search.kept, search.content_of)
    yield absence.doubt_struck(search)
    yield absence.doubt_wrapped(search)


def choose_headlines(search: Search) -> Search:
    """What an answer without a writer says first; where that is about another thing, what was found is in doubt."""
    question, ranking, settled = search.whole, search.ranking, search.settled
    is_judged = ranking.status == "ran" and ranking.arbiter not in ("none", "rerank")
    if search.options.is_part or search.finding.status != "found" or not is_judged or ranking.contradictions:
        return search
    kept = [
        KeptPlace(each.candidate_id, search.content_of[each.document_id], each.anchor, each.context.lines)
        for each in search.kept
    ]
    found = find_headlines(question, kept)
    if doubt := doubt_in_said(search, found):
        limit = min(limit_for(search.options.settings.risk_max, is_read=each) for each in (False, True))
        probability = None if ranking.probability is None else doubtful_probability(ranking.probability, limit)
        finding = absence.doubt_because(search.finding, doubt)
        return replace(search, finding=finding, ranking=replace(ranking, probability=probability))
    is_read = ranking.arbiter == "rules" and search.options.weighs_reads
    read = find_read(question, kept) if is_read and not found.spoken and not found.doubt else None
    chosen = tuple(each.as_chosen() for each in ((read,) if read else found.spoken))
    return replace(search, headlines=chosen, settled=with_reads(settled, read))


def doubt_in_said(search: Search, found: FoundHeadlines) -> str:
    """Why what the passages say is no answer, or "": the one sentence with what was asked for is about another thing,
    as `found` says; or every passage says only what is, and not what is not so, or speaks of another kind; or the first
    answers another printed question. No list of what speaks of another kind holds the answer either.
    """
    question, primary = search.whole, search.primary
    is_of_prose = all(map(is_running_text, primary))
    if is_of_prose and found.doubt and not absence.may_hold_more(question, search.ranking):
        return found.doubt
    if question.parts or search.ranking.arbiter == "model":
        return ""
    undenied = doubt_in_denial(question, primary, search.content_of) if is_of_prose else ""
    if doubt := undenied or doubt_in_kind(question, primary, search.content_of):
        return doubt
    asked = [other_question(each, question, search.content_of[each.document_id]) for each in primary[:1]]
    return give_clause("other question", asked=asked[0]) if any(asked) and not found.spoken else ""


def name_references(search: Search) -> Search:
    """Where the kept passages point is told in every mode (R75)."""
    before = next(flag.reason for flag in search.plan.flags if flag.name == "cross_references")
    told = tell_references(search.kept, search.contents, before)
    return replace(search, plan=dispatch.note_reason(search.plan, "cross_references", told))


def result_of(search: Search) -> RetrievalResult:
    """All of it, with what became of each part of the question."""
    contents, finding = search.contents, search.finding
    parts = judge_parts(search)
    # What could not be read elsewhere in a base does not make what was found here less sure.
    read_coverage = coverage_of(search.question, contents, account_of(contents), search.options.filters.pages)
    confidence = absence.confidence_of(finding.status, search.settled, search.ranking, read_coverage)
    search.clock.stop("calibrate")
    result = replace(
        search.empty_result(),
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
    search.report_stage("arbiter", arbiter=search.arbiter, kept=len(search.kept), of=len(search.settled))
    return result


def with_disagreements(ranking: Ranking, found: Sequence[Contradiction]) -> Ranking:
    """The ranking with what the arbiter did not report itself."""
    told = {frozenset(each.candidate_ids) for each in ranking.contradictions}
    more = [each for each in found if frozenset(each.candidate_ids) not in told]
    return replace(ranking, contradictions=(*ranking.contradictions, *more)) if more else ranking


def say_page(search: Search) -> AbsenceVerdict:
    """Where a question names a page that no document has, nothing was looked at."""
    finding, hints = search.finding, search.question.hints
    if not search.plan.is_on("page_hints") or finding.status == "found":
        return finding
    if any(find_named_pages(hints, content) for content in search.contents):
        return finding
    reason = give_clause("no such place", place=f"page {hints.written_pages}")
    return finding._replace(status="cannot_tell", reason=reason)


def limit_absence_to_filter(search: Search) -> AbsenceVerdict:
    """What is missing from a part that was searched alone is missing there, and nothing is said of the rest."""
    finding, within, place = search.finding, search.within, search.options.filters.place
    if within is None or finding.status == "found":
        return finding
    if not any(lines.any() for lines in within.values()):
        return finding._replace(status="cannot_tell", reason=give_clause("no such place", place=place))
    return finding._replace(reason=join_clauses([finding.reason, give_clause("only there", place=place)], "; "))
