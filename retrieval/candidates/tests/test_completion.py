"""One further pass for a list that is shorter than the question or the text says it is (R76, R83, R84)."""

from documents.storage.content import DocumentContent
from llm.conftest import Serve
from retrieval.arbiter.order import WHOLE_LIST
from retrieval.candidates.completion import FETCHED_MAX
from retrieval.filters import Filters
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, Written, content_of_lines, shared_content
from retrieval.types import ArbiterName, Flag, RetrievalResult


def item(text: str) -> Written:
    return text, "list_item"


def yard(*last_page: Written) -> DocumentContent:
    """A dozen pages that speak of the gates of the yard; the last one may say how many there are."""
    pages: list[Written] = [
        each
        for sign in "abcdefghijkl"
        for each in (f"# Hall {sign}", f"The gates of the yard open at 5 in hall {sign}.", "---")
    ]
    return content_of_lines([*pages, "# Annex", *last_page, "---", "# End", "Nothing more."], title="Handbook")


def ask(text: str, content: DocumentContent, arbiter: ArbiterName = "rules") -> RetrievalResult:
    return retrieve(text, [content], settings=SETTINGS, arbiter=arbiter)


def flag_of(result: RetrievalResult) -> Flag:
    return next(each for each in result.plan.flags if each.name == "list_pass")


def test_the_place_that_lists_all_of_them_is_fetched() -> None:
    """(R76)"""
    content = yard("There are four gates: North, South, East, and West.")
    result = ask("What are the gates of the yard?", content)
    [fetched] = [each for each in result.candidates if each.fetched]
    assert fetched.anchor_text == "There are four gates: North, South, East, and West."
    assert (fetched.verdict.role, fetched.verdict.rule) == ("primary", WHOLE_LIST.name)
    assert fetched.verdict.reason.startswith("It says how many there are, or lists them all")
    page = content.lines[fetched.best_line - 1].page_number
    assert flag_of(result).reason.endswith(f"looked again, and added the places that do on page {page}")


def test_what_was_fetched_is_recorded_among_the_hits() -> None:
    result = ask("What are the gates of the yard?", yard("There are four gates: North, South, East, and West."))
    [hit] = [each for each in result.hits if each.fetched]
    assert hit.detail == "further pass: how many gates there are, or all of them"


def test_a_list_below_its_heading_is_fetched() -> None:
    gates = [item(f"({sign}) {name};") for sign, name in zip("abc", ("North", "South", "East"), strict=True)]
    result = ask("What are the three gates of the yard?", yard("These are the three gates:", *gates))
    assert [each.anchor_text for each in result.candidates if each.fetched or "three" in each.anchor_text]
    assert "3 gates are stated" in flag_of(result).reason


def test_a_list_that_is_whole_needs_no_further_pass() -> None:
    content = content_of_lines(["# Gates", "There are two gates: North and South.", "---", "# End", "x", "---", "y"])
    result = ask("What are the two gates?", content)
    assert flag_of(result).reason == "2 gates are stated, and the places found list them"
    assert not any(each.fetched for each in result.hits)


def test_it_looks_once_and_adds_few_places() -> None:
    """(R84)"""
    lists: list[Written] = [f"There are four gates at hall {number}: A, B, C, and D." for number in range(9)]
    assert sum(each.fetched for each in ask("What are the gates of the yard?", yard(*lists)).hits) <= FETCHED_MAX


def test_how_many_fetches_what_only_says_it() -> None:
    result = ask("How many gates does the yard have?", yard("In all, six gates were built."))
    assert [each.anchor_text for each in result.candidates if each.fetched] == ["In all, six gates were built."]


def test_a_list_needs_more_than_a_number() -> None:
    result = ask("What are the gates of the yard?", yard("In all, six gates were built."))
    assert not any(each.fetched for each in result.hits)
    assert flag_of(result).reason.endswith("no other place does")


def test_other_questions_have_no_further_pass() -> None:
    flag = flag_of(ask("Who keeps the gates of the yard?", yard("There are two gates: North and South.")))
    assert (flag.on, flag.reason) == (False, "nothing is to be listed or counted")


def test_a_model_judges_what_was_fetched_in_its_one_call(serve: Serve) -> None:
    server = serve("good")
    ask("What are the gates of the yard?", yard("There are four gates: North, South, East, and West."), "model")
    assert len(server.requests) == 1 and "North, South, East, and West" in server.requests[0].body["input"]


def test_how_many_tiers_the_framework_has_is_fetched_from_its_glossary() -> None:
    content = shared_content("papers/NIST.CSWP.29.pdf")
    kept = ask("How many tiers are there?", content).kept()
    assert any("There are four Tiers: Partial" in each.quote.text for each in kept)


def test_nothing_is_fetched_from_outside_what_may_be_searched() -> None:
    content = yard("There are four gates: North, South, East, and West.")
    result = retrieve(
        "What are the gates of the yard?",
        [content],
        settings=SETTINGS,
        arbiter="rules",
        filters=Filters(pages=(1, 2, 3)),
    )
    assert not [hit for hit in result.hits if hit.fetched]
    assert "added the places" not in flag_of(result).reason
