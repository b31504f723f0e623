"""The conductor of retrieval: turns a question and its documents into a result. It writes nothing."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

from documents.storage.content import DocumentContent
from retrieval import dispatch
from retrieval.accounting import coverage_of, leave_unsearched
from retrieval.arbiter.clear_hits import consider_clear_hit
from retrieval.arbiter.deciding import Ruling, decide
from retrieval.forms.compare import compare_sides
from retrieval.forms.outline import outline_result
from retrieval.search import Search, SearchOptions
from retrieval.second_look import look_once_more
from retrieval.steps import (
    begin_search,
    choose_headlines,
    consider_model,
    count_searched,
    find_hits,
    fit_briefs,
    judge_by_gates,
    name_references,
    plan_search,
    propose_candidates,
    rank_in_force,
    read_further,
    result_of,
    set_time_aside,
    settle_candidates,
    take_ruling,
)
from retrieval.types import Ranking, RetrievalResult

Step = Callable[[Search], Search]
SteppedSearch = Generator[Search, Ruling, RetrievalResult]  # it waits with its candidates to be judged
UNTIL_JUDGED: tuple[Step, ...] = (
    find_hits,
    count_searched,
    propose_candidates,
    set_time_aside,
    consider_clear_hit,
    consider_model,
    fit_briefs,
)
ONCE_JUDGED: tuple[Step, ...] = (
    look_once_more,
    rank_in_force,
    judge_by_gates,
    settle_candidates,
    choose_headlines,
    name_references,
)


def retrieve(question_text: str, contents: Sequence[DocumentContent], **options: Any) -> RetrievalResult:
    """Find the passages of the documents that answer a question; `options` are those of `SearchOptions`.

    For measures and tests, which have their documents: the program chooses them first, by `retrieval.corpus`.
    """
    return carry_out(search_in_steps(question_text, contents, SearchOptions(**options)))


def carry_out(search: SteppedSearch) -> RetrievalResult:
    """The result of a search whose candidates are judged by themselves."""
    try:
        waiting = next(search)
        while True:
            waiting = search.send(decide(waiting))
    except StopIteration as ended:
        result: RetrievalResult = ended.value
        return result


def search_in_steps(question_text: str, contents: Sequence[DocumentContent], options: SearchOptions) -> SteppedSearch:
    """Find the passages of the documents that answer a question, or show that there are none, recording every step.

    It stops where its candidates are to be judged, yields itself and goes on with the ruling it is sent, so that
    several searches can be judged in one request (`retrieval.forms.fields`).

    1. read the question by rules, against the documents' own vocabulary; in thorough mode a model reads it too
    2. plan: which detectors run, each with its reason
    3. a question that is too vague is asked back; an outline takes the parts of the documents, and a comparison asks
    for each of its sides by itself: none of these is searched here
    4. until judged: detect, count the words, make candidates of hits, and choose who judges what of them
    5. yield the search and take its ruling: a verdict for each candidate
    6. once judged: look again where the model asks for more, put what is in force first, judge absence by the gates,
    calibrate the quotes, look for kept passages that disagree, choose what is said first, and tell where the kept ones
    point
    7. tell what became of each part of the question
    Raises DetectionTimeout if the detectors take too long.
    """
    search = plan_search(read_further(begin_search(question_text, contents, options)))
    if search.question.clarification:
        return ask_back(search)
    if search.question.form:
        return answer_form(search)
    for step in UNTIL_JUDGED:
        search = step(search)
    ruling = Ruling(search.candidates, search.unfit, search.clear) if search.clear else (yield search)
    search = take_ruling(search, ruling)
    for step in ONCE_JUDGED:
        search = step(search)
    return result_of(search)


# ---- what is not searched here


def ask_back(search: Search) -> RetrievalResult:
    """The result for a question that must be asked more precisely; nothing was searched (R23)."""
    account = leave_unsearched(search.account)
    coverage = coverage_of(search.question, (), account)
    ranking = Ranking(search.arbiter, "not_needed", ())
    return replace(search, account=account, coverage=coverage, ranking=ranking).empty_result()


def answer_form(search: Search) -> RetrievalResult:
    """The result for a request that is answered in a form of its own, see `retrieval.forms`."""
    if search.question.form == "outline":
        result = outline_result(search)
    else:
        result = compare_sides(search, search_side(search.options))
    if search.named:
        result = replace(result, plan=dispatch.note_tier(result.plan, search.named))
    search.clock.stop("aggregate")
    search.report_stage("arbiter", arbiter=search.arbiter, kept=len(result.kept()), of=len(result.candidates))
    return replace(result, timings_ms=search.clock.timings_ms)


def search_side(options: SearchOptions) -> Callable[[str, Sequence[DocumentContent]], RetrievalResult]:
    """How one side of a comparison is searched."""
    own = replace(options.by_rules(), is_side=True)
    return lambda asked, contents: carry_out(search_in_steps(asked, contents, own))
