"""The share of the evidence that a request shows whole is counted as docs/benchmarks.md says."""

from benchmarks.questions import GoldQuestion
from benchmarks.shown import needed_rows, shown_of, summarise_shown
from retrieval.tests.builders import content_of_lines

CONTENT = content_of_lines(
    [
        "CONSOLIDATED BALANCE SHEETS",
        "(in millions)",
        "December 31, 2015 2014",
        *[(f"Asset {letter} of the group 1,100 1,250", "table_row") for letter in "ABCDEF"],
        ("Total current assets 7,800 8,400", "table_row"),
        ("Total current liabilities 2,213 2,494", "table_row"),
        "---",
        "The office is\u00a0fixed and the pre-",
        "mises are clean. Sales rose by 12.5% in the year.",
    ]
)


def gold(question: str, answer: str = "", quotes: tuple[str, ...] = (), pages: tuple[int, ...] = ()) -> GoldQuestion:
    return GoldQuestion("q", question, "d", "", answer, False, pages, (), (), quotes)


def request(*texts: str) -> str:
    return "\n\n".join(f'<candidate id="c{number}">\ntext:\n{text}\n</candidate>' for number, text in enumerate(texts))


def shares(question: GoldQuestion, *texts: str) -> tuple[float | None, float | None]:
    figures = summarise_shown([shown_of(question, request(*texts), CONTENT)])
    return figures["quotes_whole"], figures["pages_with_rows_shown"]


def test_a_quote_is_whole_in_one_brief_whatever_its_blanks_and_hyphens() -> None:
    question = gold("?", quotes=("office is fixed and the premises are clean",))
    assert shares(question, "The office is fixed and the pre-\nmises are clean.") == (1.0, None)
    assert shares(question, "The office is fixed and", "the premises are clean.") == (0.0, None)


def test_the_rows_of_a_formula_need_their_year_and_unit() -> None:
    question = gold("What is the FY2015 working capital ratio of Acme?", "3.52", pages=(1,))
    assert [row.line.number for row in needed_rows(question, CONTENT)] == [10, 11]
    rows = "Total current assets 7,800 8,400\nTotal current liabilities 2,213 2,494"
    assert shares(question, f"(in millions)\nDecember 31, 2015 2014\n{rows}") == (None, 1.0)
    assert shares(question, f"December 31, 2015 2014\n{rows}") == (None, 0.0)
    assert shares(question, f"(in millions)\n{rows}") == (None, 0.0)


def test_other_answers_need_the_line_that_prints_their_number() -> None:
    question = gold("By how much did sales rise?", "By 12.5%.", pages=(2,))
    assert [row.line.number for row in needed_rows(question, CONTENT)] == [13]
    assert shares(question, "mises are clean. Sales rose by 12.5% in the year.") == (None, 1.0)
    assert shares(question, "Sales rose by 12.5%") == (None, 0.0)
