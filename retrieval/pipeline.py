"""The conductor of retrieval: turns a question and its documents into a result. It writes nothing."""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.client import is_configured
from llm.exchange import Exchange
from llm.prompts import Guidance
from llm.tiers import ChosenTier
from llm.window import read_window
from reading.processes.clock import Clock
from retrieval import absence, dispatch
from retrieval.absence import AbsenceVerdict
from retrieval.accounting import account_of, coverage_of, leave_unsearched
from retrieval.amendments.asked import without_time
from retrieval.amendments.in_force import pairs_told, put_in_force_first
from retrieval.amendments.versions import find_versions
from retrieval.arbiter import Case, Ruling, decide
from retrieval.arbiter.brief import toc_block
from retrieval.arbiter.clear_hits import judge_clear_hit
from retrieval.arbiter.model import PROMPT_NAME as ARBITER_PROMPT
from retrieval.arbiter.room import USUAL, WHOLE, ModelUse, beside, room_in
from retrieval.briefs import fit_for
from retrieval.candidates.disagreements import find_disagreements
from retrieval.candidates.pool import pool_size, propose
from retrieval.candidates.settle import settle
from retrieval.detectors.run import detect
from retrieval.filters import UNFILTERED, Filters, Within, keep_within, lines_within, narrow_hits, with_nearness
from retrieval.forms.compare import compare_sides
from retrieval.forms.outline import outline_result
from retrieval.parts import Judged, judge_parts
from retrieval.question.by_model import PROMPT_NAME as QUESTION_PROMPT
from retrieval.question.by_model import read_by_model
from retrieval.question.kinds import SHIPPED, ReadingRules
from retrieval.question.pages import find_named_pages
from retrieval.question.parse import parse_question
from retrieval.second_look import Judgement, consider_second_look, look_again
from retrieval.told.clauses import Clause, join_clauses
from retrieval.types import (
    ANYTHING,
    ArbiterName,
    Briefed,
    ConceptTerms,
    Contradiction,
    Expected,
    Flag,
    LeftOut,
    Mode,
    Plan,
    Question,
    Ranking,
    RetrievalResult,
    ScopeAccount,
    SearchedWord,
)

OnStage = Callable[[str, dict[str, Any]], None]
Search = Generator[Case, Ruling, RetrievalResult]
AccountFor = Callable[[Question], ScopeAccount]
MODEL_ARBITERS = ("model", "hybrid")  # a reasoned primary may save a question whose words stand nowhere (G2)
NO_GUIDANCE: Mapping[str, Guidance] = {}
UNASKED_ARBITERS: dict[str, ArbiterName] = {"rules": "rules", "none": "none", "rerank": "rerank"}


def retrieve(question_text: str, contents: Sequence[DocumentContent], **options: Any) -> RetrievalResult:
    """Find the passages of the documents that answer a question; `options` are those of `search_in_steps`."""
    return carry_out(search_in_steps(question_text, contents, **options))


def carry_out(search: Search) -> RetrievalResult:
    """The result of a search whose candidates are judged by themselves."""
    try:
        case = next(search)
        while True:
            case = search.send(decide(case))
    except StopIteration as ended:
        result: RetrievalResult = ended.value
        return result


def search_in_steps(
    question_text: str,
    contents: Sequence[DocumentContent],
    *,
    settings: BaseSettings,
    mode: Mode = "balanced",
    arbiter: ArbiterName | None = None,
    dictionary: Sequence[ConceptTerms] = (),
    on_stage: OnStage | None = None,
    account_for: AccountFor | None = None,
    filters: Filters = UNFILTERED,
    is_side: bool = False,
    guidance: Mapping[str, Guidance] = NO_GUIDANCE,
    expected: Expected = ANYTHING,
    rules: ReadingRules = SHIPPED,
) -> Search:
    """Find the passages of the documents that answer a question, or show that there are none, recording every step.

    It stops where its candidates are to be judged, yields the case and goes on with the ruling it is sent, so that
    several searches can be judged in one request (`retrieval.forms.fields`).

    1. parse the question by rules, against the documents' own vocabulary; in thorough mode a model reads it too
    2. plan: which detectors run, each with its reason
    3. detect: titles, keywords and patterns; vectors in parallel, unless words suffice
    4. aggregate hits to candidates, and in thorough mode follow what the best of them point to
    5. yield the case and take its ruling: a verdict for each candidate; where the model asks for more of the documents,
       once more with that. A hit that is clear is judged by the rules, if the base allows it
    6. judge absence by the gates
    7. calibrate the quotes and widen the contexts; look for kept passages that disagree; tell what became of each part
    of the question
    `account_for` accounts for every document of the scope once the question is read, where it has more than `contents`
    (by SQL, see corpus). `filters` narrow what is searched and how much is judged. An outline takes the parts of the
    documents and searches nothing; a comparison asks for each of its sides by itself (`is_side`), see `forms`.
    `guidance` is what the base adds to a prompt, by its name, `rules` how it reads questions; `expected` what the asker
    says of the answer beforehand. Raises DetectionTimeout if step 3 takes too long.
    """
    tell: OnStage = on_stage or (lambda stage, figures: None)
    clock = Clock()
    question = parse_question(question_text, contents, dictionary, rules)
    if is_side:
        question = replace(question, clarification="", form="", outlined=(), sides=())
    clock.stop("parse")
    tell("parsed", {"keywords": len(question.keywords)})
    name = arbiter or chosen_arbiter(settings, mode)
    reading: Exchange | None = None
    if mode == "thorough" and name in MODEL_ARBITERS and not question.form:
        question, reading = read_by_model(question, contents, dictionary, guidance.get(QUESTION_PROMPT), rules)
    question = filters.read_around(expected.of(question, rules.patterns_of))
    plan = dispatch.plan(question, contents, settings, mode)
    if filters.context:
        plan = dispatch.note_reason(plan, "read_around", f"the request says so: {filters.context}")
    named = dispatch.find_named_tier(question, settings.tiers, dictionary)
    shown = stored_settings(settings, filters, rules)
    account = account_for(question) if account_for else account_of(contents)
    if question.clarification:
        return build_clarification(question, plan, contents, leave_unsearched(account), name, shown, reading)
    if question.form:
        if question.form == "outline":
            result = outline_result(question, contents, account, shown, lines_within(filters, contents))
        else:
            ask = partial(
                retrieve,
                settings=settings,
                mode=mode,
                arbiter="rules",
                dictionary=dictionary,
                filters=filters,
                rules=rules,
            )
            search = partial(ask, is_side=True)
            use = judging_by(named, guidance.get(ARBITER_PROMPT))
            result = compare_sides(question, contents, account, search, name, shown, use)
        if named:
            result = replace(result, plan=dispatch.note_tier(result.plan, named))
        clock.stop("aggregate")
        tell("arbiter", {"arbiter": name, "kept": len(result.kept()), "of": len(result.candidates)})
        return replace(result, timings_ms=clock.timings_ms)
    tell("plan", {"detectors": len(plan.detectors)})
    clock.stop("plan")
    hits, plan = detect(question, plan, contents, dictionary, rules)
    within = lines_within(filters, contents)
    hits, plan = narrow_hits(hits, plan, with_nearness(filters, settings.nearness_min), within)
    clock.stop("detect")
    tell("hits", {"hits": len(hits), "by": Counter(hit.method for hit in hits)})
    searched = absence.count_words(question, contents, account.counts if within is None else {}, within)
    candidates: tuple[Briefed, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    versions = find_versions(contents) if len(contents) > 1 else ()
    if not is_barred(name, question, plan, searched):
        pool_max = filters.top_k or pool_size(name, question, plan, settings, mode)
        candidates, left_out, hits, plan = propose(name, question, contents, hits, plan, pool_max, within, versions)
        candidates = keep_within(candidates, within)
    clock.stop("aggregate")
    whole, question = question, without_time(question, candidates, versions)
    clear: Ranking | None = None
    if name in MODEL_ARBITERS and arbiter is None:
        plan, clear = judge_clear_hit(question, candidates, contents, hits, plan, settings, mode)
        name = clear.arbiter if clear else name
    use = USUAL
    if name in MODEL_ARBITERS:
        plan = dispatch.consider_tier(plan, question, contents, named)
        plan, use = consider_room(plan, guidance.get(ARBITER_PROMPT), is_named=named is not None)
    toc = toc_block(contents, use.room.toc_chars) if candidates else ""
    proposed, (candidates, unfit) = candidates, fit_for(name, candidates, toc, contents, use.room)
    tell("candidates", {"candidates": len(candidates)})
    tell("arbiter", {"arbiter": name, "started": True, "of": len(candidates)})
    if clear:
        ruling = Ruling(candidates, unfit, clear)
    else:
        asked = (settings.risk_max, mode, use, proposed, unfit, toc, settings.reranking)
        case = Case(name, question, candidates, contents, hits, *asked)
        ruling = yield case
        clock.leave_out(ruling.waited_s)
    candidates = ruling.candidates
    if ruling.note:
        plan = Plan((*plan.flags, Flag(dispatch.TOGETHER, True, ruling.note)))
    judged = Judgement(candidates, ruling.unfit + left_out, hits, plan, ruling.ranking)
    if name in MODEL_ARBITERS:
        judged = consider_second_look(judged, is_allowed=settings.second_look == "on")
        if judged.plan.is_on("second_look"):
            tell("arbiter", {"arbiter": name, "started": True, "of": len(candidates), "again": True})
            judged = look_again(judged, name, question, contents, toc, within, use)
    hits, plan = judged.hits, judged.plan
    ranking = put_in_force_first(judged.ranking, whole, judged.candidates, contents, versions)
    clock.stop("arbitrate")
    coverage = coverage_of(question, contents, account, filters.pages)
    finding = absence.judge_absence(question, contents, searched, coverage, hits, ranking)
    finding = say_where(say_page(finding, question, plan, contents), filters, within)
    settled = settle(judged.candidates, ranking, question, contents)
    differing = find_disagreements(question, settled, contents, pairs_told(ranking.contradictions))
    ranking = with_disagreements(ranking, differing)
    finding = absence.doubt_differing(finding, question, ranking, settled, differing)
    finding = absence.doubt_struck(finding, settled, contents)
    parts = judge_parts(question, contents, searched, Judged(settled, ranking, finding.status, coverage))
    # What could not be read elsewhere in a base does not make what was found here less sure.
    read_coverage = coverage_of(question, contents, account_of(contents), filters.pages)
    clock.stop("calibrate")
    result = RetrievalResult(
        question=whole,
        plan=plan,
        scope=tuple(content.snapshot() for content in contents),
        documents=account.documents,
        hits=tuple(hits),
        candidates=settled,
        ranking=ranking,
        gates=finding.gates,
        searched=searched,
        coverage=coverage,
        status=finding.status,
        not_found_reason=finding.reason,
        confidence=absence.confidence_of(finding.status, settled, ranking, read_coverage),
        methods_used=plan.detectors,
        toc_shown=toc,
        settings=shown,
        timings_ms=clock.timings_ms,
        left_out=judged.left_out,
        parts=parts,
        reading=reading,
        other_look=judged.other,
        shared=ruling.shared,
    )
    tell("arbiter", {"arbiter": name, "kept": len(result.kept()), "of": len(settled)})
    return result


def judging_by(named: ChosenTier | None, guidance: Guidance | None) -> ModelUse:
    """The model that judges a comparison: the one the base names for it, else the usual."""
    tier, why = named or ChosenTier()
    return ModelUse(tier, guidance=guidance, why=why, is_named=named is not None)


def consider_room(plan: Plan, guidance: Guidance | None, *, is_named: bool) -> tuple[Plan, ModelUse]:
    """How the model of the plan is used and how much it is shown; a small window is in the plan, with its reason."""
    tier, why = dispatch.tier_in(asdict(plan))
    window = read_window()
    room = beside(guidance, room_in(window))
    if room_in(window).chars < WHOLE.chars:
        reason = f"{window.tokens} tokens: at most {room.places} places in {room.chars} characters"
        reason += ", and a short reply" if room.is_small else ""
        plan = Plan((*plan.flags, Flag(dispatch.SMALL_WINDOW, True, reason)))
    return plan, ModelUse(tier, room, guidance, why, is_named)


def stored_settings(settings: BaseSettings, filters: Filters, rules: ReadingRules) -> dict[str, Any]:
    """The settings of the base as the record keeps them, with what narrowed the question and how it was read."""
    narrowed = {"filters": filters.to_json()} if filters.words else {}
    return settings.to_json() | narrowed | ({"reading_rules": rules.to_json()} if rules.number else {})


def chosen_arbiter(settings: BaseSettings, mode: str) -> ArbiterName:
    """Fast questions, and bases without a model, are judged by the rules (R98)."""
    if settings.ranking in UNASKED_ARBITERS:
        return UNASKED_ARBITERS[settings.ranking]
    if mode == "fast" or not is_configured():
        return "rules"
    return "hybrid" if settings.ranking == "hybrid" else "model"


def with_disagreements(ranking: Ranking, found: Sequence[Contradiction]) -> Ranking:
    """The ranking with what the arbiter did not report itself."""
    told = {frozenset(each.candidate_ids) for each in ranking.contradictions}
    more = [each for each in found if frozenset(each.candidate_ids) not in told]
    return replace(ranking, contradictions=(*ranking.contradictions, *more)) if more else ranking


def say_where(finding: AbsenceVerdict, filters: Filters, within: Within | None) -> AbsenceVerdict:
    """What is missing from a part that was searched alone is missing there, and nothing is said of the rest."""
    if within is None or finding.status == "found":
        return finding
    if not any(lines.any() for lines in within.values()):
        nothing = f"nothing was searched: there is no {filters.place}"
        return finding._replace(status="cannot_tell", reason=Clause(nothing, "no such place", place=filters.place))
    only = Clause(f"only {filters.place} was searched", "only there", place=filters.place)
    return finding._replace(reason=join_clauses([finding.reason, only], "; "))


def say_page(
    finding: AbsenceVerdict, question: Question, plan: Plan, contents: Sequence[DocumentContent]
) -> AbsenceVerdict:
    """Where a question names a page that no document has, nothing was looked at."""
    is_there = any(find_named_pages(question.hints, content) for content in contents)
    if is_there or not plan.is_on("page_hints") or finding.status == "found":
        return finding
    place = f"page {question.hints.written_pages}"
    nothing = f"nothing was searched: there is no {place}"
    return finding._replace(status="cannot_tell", reason=Clause(nothing, "no such place", place=place))


def is_barred(arbiter: ArbiterName, question: Question, plan: Plan, searched: Sequence[SearchedWord]) -> bool:
    """Whether nothing is proposed: no word of the question occurs, no page is named, and no model may know better.

    A document of a page or two is looked at all the same.
    """
    is_open = arbiter in MODEL_ARBITERS or question.hints.names_page or plan.is_on("whole_document")
    return not is_open and bool(absence.zero_hits(question, searched))


def build_clarification(
    question: Question,
    plan: Plan,
    contents: Sequence[DocumentContent],
    account: ScopeAccount,
    arbiter: ArbiterName,
    settings: dict[str, Any],
    reading: Exchange | None,
) -> RetrievalResult:
    """The result for a question that must be asked more precisely; nothing was searched (R23)."""
    return RetrievalResult(
        question=question,
        plan=plan,
        scope=tuple(content.snapshot() for content in contents),
        documents=account.documents,
        hits=(),
        candidates=(),
        ranking=Ranking(arbiter, "not_needed", ()),
        gates=(),
        searched=(),
        coverage=coverage_of(question, (), account),
        status="clarify",
        not_found_reason="",
        confidence=0.0,
        methods_used=(),
        settings=settings,
        reading=reading,
    )
