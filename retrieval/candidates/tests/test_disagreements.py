"""Kept passages that say the same with another value (R50): what counts as that, and what becomes of it."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.disagreements import differing_value, read_statement
from retrieval.pipeline import retrieve
from retrieval.steps import with_disagreements
from retrieval.tests.builders import SETTINGS, Written, content_of_lines

ASKED = ("amount", "percentage", "date", "duration")


@pytest.mark.parametrize(
    ("one", "other", "values"),
    [
        ("The notice period is 30 days.", "A notice period of 60 days.", ("30 days", "60 days")),
        ("The fee is USD 1,200.00 a month.", "The fee is $1,300 a month.", ("USD 1,200.00 a month", "$1,300 a month")),
        ("Interest is due at 4.5 % a year.", "Interest at 5.5% a year is due.", ("4.5 %", "5.5%")),
        ("It ends on 31 March 2027.", "It ends on March 30, 2027.", ("31 March 2027", "March 30, 2027")),
    ],
)
def test_another_value_in_the_same_words_disagrees(one: str, other: str, values: tuple[str, str]) -> None:
    assert differing_value(read_statement(one, "en"), read_statement(other, "en"), ASKED) == values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The notice period is 30 days.", "The notice period is thirty (30) days."),  # the same value
        ("The fee is $600.0 million.", "The fee is USD 600 million."),
        ("The fee was $5 million in 2021.", "The fee was $6 million in 2022."),  # of another year
        ("As of 1 May 2021 the fee was $5 million.", "As of 1 May 2022 the fee was $6 million."),
        ("Fees under Section 3.1 are due.", "Fees under Section 3.2 are due."),  # no values
    ],
)
def test_what_differs_in_more_or_in_nothing_does_not(one: str, other: str) -> None:
    assert differing_value(read_statement(one, "en"), read_statement(other, "en"), ASKED) is None


@pytest.mark.parametrize(
    ("one", "other", "asked", "values"),
    [
        ("6.2 Samples are kept for each of 12 batches.", "1.1 Samples are kept for each of 15 batches.", "number",
         ("12", "15")),
        ("The cover has 3 copies, see Table 4.", "The cover has 3 copies, see Table 5.", "number", None),
        ("The stock of 2021 is 40 pallets.", "The stock of 2022 is 40 pallets.", "number", None),
        ("Invoices are sent to Pennard Foods Ltd in Bath.", "Invoices are sent to Oxwich Haulage Ltd in Bath.", "party",
         ("Pennard Foods Ltd", "Oxwich Haulage Ltd")),
        ("Invoices are sent to Pennard Foods Ltd in Bath.", "Invoices are sent to Oxwich Haulage Ltd in Kent.", "party",
         None),
    ],
)  # fmt: skip
def test_numbers_and_parties_differ_where_they_are_asked_for(
    one: str, other: str, asked: str, values: tuple[str, str] | None
) -> None:
    first, second = (read_statement(each, "en", (asked,)) for each in (one, other))
    assert differing_value(first, second, (asked,)) == values
    assert differing_value(read_statement(one, "en"), read_statement(other, "en"), ASKED) is None


def test_a_value_that_is_not_asked_for_is_not_compared() -> None:
    one, other = (read_statement(f"The notice period is {days} days.", "en") for days in (30, 60))
    assert differing_value(one, other, ("amount",)) is None


# ---- in a search

POLICY = [
    "# Termination",
    "Either party may end this agreement. The notice period for termination is 30 days.",
    "---",
    "# Fees",
    "The monthly fee is USD 900.",
    "---",
    "# Schedule A",
    "The notice period for termination is 60 days.",
]


def test_two_kept_passages_with_other_values_are_reported_and_make_an_answer_less_sure() -> None:
    asked = "What is the notice period for termination?"
    result = retrieve(asked, [content_of_lines(POLICY)], settings=SETTINGS, arbiter="rules")
    (found,) = result.ranking.contradictions
    by_id = {each.candidate_id: each for each in result.candidates}
    assert {by_id[name].anchor_pages[0] for name in found.candidate_ids} == {1, 3}
    assert set(found.values) == {"30 days", "60 days"}
    same = [line.replace("60", "30") if isinstance(line, str) else line for line in POLICY]
    agreeing = retrieve(asked, [content_of_lines(same)], settings=SETTINGS, arbiter="rules")
    assert agreeing.ranking.contradictions == ()
    assert result.confidence <= agreeing.confidence


def test_neither_of_two_values_is_given_as_found() -> None:
    asked = "What is the notice period for termination?"
    result = retrieve(asked, [content_of_lines(POLICY)], settings=SETTINGS, arbiter="rules")
    assert result.status == "weak" and result.confidence <= 0.6
    for said in ("these passages differ", "30 days (p. 1)", "60 days (p. 3)"):
        assert said in result.not_found_reason
    listed = retrieve("List all notice periods for termination.", [content_of_lines(POLICY)], settings=SETTINGS)
    assert listed.status == "found"


def prices(title: str, drill: str, number: int) -> DocumentContent:
    rows = ["| Tool | Price per day | Deposit |", "|---|---|---|", "| Plate compactor | EUR 48 | EUR 200 |", drill]
    written: list[Written] = [f"# {title}", *((row, "furniture" if "---" in row else "table_row") for row in rows)]
    return content_of_lines(written, title=f"List {number}", number=number)


@pytest.mark.parametrize(
    ("question", "title", "differ"),
    [
        ("What is the price per day of the core drill?", "Hire of tools", "EUR 36 / EUR 41"),
        ("What is the deposit for the core drill?", "Hire of tools", ""),  # the same in both
        ("What is the price per day of the core drill?", "Hire of tools in 2023", ""),  # of another year
        ("What is the price per day of the core drill?", "", ""),  # with another deposit
    ],
)
def test_rows_differ_in_the_column_asked_for(question: str, title: str, differ: str) -> None:
    deposit = 150 if title else 300
    lists = [
        prices("Hire of tools", "| Core drill | EUR 36 | EUR 150 |", 1),
        prices(title or "Hire of tools", f"| Core drill | EUR 41 | EUR {deposit} |", 2),
    ]
    result = retrieve(question, lists, settings=SETTINGS, arbiter="rules")
    assert [" / ".join(each.values) for each in result.ranking.contradictions] == ([differ] if differ else [])
    assert not differ or result.status == "weak"


@pytest.mark.parametrize(
    ("above", "differ"),
    [
        (("# Hire of tools", "# Hire of tools"), "EUR 36 / EUR 41"),
        (("The tools are:", "The tools are:"), "EUR 36 / EUR 41"),
        (("The tools of the north yard:", "The tools of the south yard:"), ""),
    ],
)
def test_rows_of_tables_that_are_introduced_alike_differ(above: tuple[str, str], differ: str) -> None:
    written: list[Written] = ["# Yard"]
    for line, price in zip(above, (36, 41), strict=True):
        written += [*["Each tool of the yard is hired out at the price that is told below."] * 8, line]
        written += [("| Tool | Price per day |", "table_row"), ("|---|---|", "furniture")]
        written += [(f"| Core drill | EUR {price} |", "table_row"), ("| Saw | EUR 48 |", "table_row"), "---"]
    content = content_of_lines(written[:-1])
    result = retrieve("What is the price per day of the core drill?", [content], settings=SETTINGS, arbiter="rules")
    assert [" / ".join(each.values) for each in result.ranking.contradictions] == ([differ] if differ else [])


@pytest.mark.parametrize("count", [3, 4, 7])
def test_of_many_values_none_is_given_as_found_and_each_is_told(count: int) -> None:
    """Four versions of a clause differ in six pairs."""
    days = [f"{10 * number} days" for number in range(1, count + 1)]
    notices = [[f"# Part {each}", f"The notice period for termination is {each}.", "---"] for each in days]
    content = content_of_lines([line for part in notices for line in part][:-1])
    asked = "What is the notice period for termination?"
    result = retrieve(asked, [content], settings=SETTINGS, arbiter="rules")
    kept = [each for each in result.kept() if each.verdict.role in ("primary", "supporting")]
    told = {value for each in result.ranking.contradictions for value in each.values}
    assert result.status == "weak" and told == {f"{10 * each.anchor_pages[0]} days" for each in kept}
    assert len(kept) > 2 and len(result.ranking.contradictions) <= max(5, len(kept) - 1)
    assert all(value in result.not_found_reason for value in told)


OTHERS = [content_of_lines(POLICY[:2], number=1), content_of_lines(POLICY[6:], number=2, title="Riverside lease")]


def test_documents_that_say_otherwise_are_told_apart_by_their_names() -> None:
    result = retrieve("What is the notice period for termination?", OTHERS, settings=SETTINGS, arbiter="rules")
    assert result.status == "weak"
    assert "30 days (Policy, p. 1), 60 days (Riverside lease, p. 1)" in result.not_found_reason


def test_a_question_that_names_a_document_asks_for_what_that_one_says() -> None:
    asked = "What is the notice period for termination of the Riverside lease?"
    result = retrieve(asked, OTHERS, settings=SETTINGS, arbiter="rules")
    assert result.status == "found" and result.ranking.contradictions == ()


def test_what_the_arbiter_reported_is_not_reported_again() -> None:
    result = retrieve("What is the notice period?", [content_of_lines(POLICY)], settings=SETTINGS, arbiter="rules")
    (found,) = result.ranking.contradictions
    reported = replace(result.ranking, contradictions=(replace(found, point="by the model", values=()),))
    assert with_disagreements(reported, [found]) == reported


COVERS = [
    "# Transit",
    "Limit of any one consignment £500,000. Excess for each claim by a carrier £5,000. Excess for each claim £750.",
    "# Storage",
    "Limit of any one consignment £900,000. Excess for each claim: nil.",
]


def test_figures_of_something_else_than_what_is_asked_are_no_disagreement() -> None:
    """The limits differ, and neither is an excess."""
    covers = content_of_lines(COVERS)
    excess = retrieve("What is the excess for each claim?", [covers], settings=SETTINGS, arbiter="rules")
    assert excess.status == "found" and excess.ranking.contradictions == ()
    limit = retrieve("What is the limit of any one consignment?", [covers], settings=SETTINGS, arbiter="rules")
    assert [set(each.values) for each in limit.ranking.contradictions] == [{"£500,000", "£900,000"}]


@pytest.mark.parametrize(
    ("question", "said", "values"),
    [
        ("What is the deposit?", "The deposit is {}.", ("500 EUR", "700 EUR")),
        ("Who is the landlord?", "The landlord is {}.", ("Alpha GmbH", "Beta GmbH")),
        ("What is the fee?", "Deposit: {}", ("500 EUR", "700 EUR")),  # a label of something else
    ],
)
def test_one_word_of_meaning_is_enough_if_it_is_asked_for(question: str, said: str, values: tuple[str, str]) -> None:
    """(R50)"""
    lines = ["# Terms", said.format(values[0]), "---", "# Notes", said.format(values[1])]
    result = retrieve(question, [content_of_lines(lines)], settings=SETTINGS, arbiter="rules")
    told = [set(each.values) for each in result.ranking.contradictions]
    assert told == ([set(values)] if "fee" not in question else [])


@pytest.mark.parametrize(
    ("question", "said", "values"),
    [
        ("How many days of notice does a party give?", "A party gives {} of notice.", ("30 days", "60 days")),
        ("When must invoices be paid?", "Invoices must be paid within {}.", ("30 days", "45 days")),
        ("Wann sind Rechnungen zu zahlen?", "Rechnungen sind innerhalb von {} zu zahlen.", ("14 Tagen", "30 Tagen")),
    ],
)  # fmt: skip
def test_values_an_answer_may_be_given_as_are_compared_too(question: str, said: str, values: tuple[str, str]) -> None:
    """(R50) One of them was given as found, and nothing was said of the other."""
    lines = ["# Terms", said.format(values[0]), "---", "# Notes", said.format(values[1])]
    language = "de" if "Rechnungen" in said else "en"
    result = retrieve(question, [content_of_lines(lines, language=language)], settings=SETTINGS, arbiter="rules")
    assert [set(each.values) for each in result.ranking.contradictions] == [set(values)]
    assert result.status == "weak"


def test_beside_a_value_of_the_type_asked_for_no_other_is_compared() -> None:
    one, other = (read_statement(f"The fee is $500 plus {share} tax.", "en", ("amount",)) for share in ("7 %", "8 %"))
    assert differing_value(one, other, ("amount",)) is None
