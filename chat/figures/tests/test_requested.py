"""The figures a model asks for: each input is held against its page, and nothing of one that fails is shown."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.library import content_of
from chat.drafts import Quoted
from chat.figures.inputs import AskedInput, ExcerptSource, InputError, check_asked_input, numbers_in_text
from chat.figures.requested import JUDGEMENT, NOTE, RequestedFigures, numbers_asked, resolve_request
from chat.writing.writer import StreamedReply
from documents.storage.content import DocumentContent
from reading.passages import cut_passages
from reading.processes.sandbox import read_in_child
from retrieval.models import RunCandidate
from retrieval.tests.builders import content_of_lines

REPORT = Path(__file__).resolve().parents[3] / "samples" / "annual-report.pdf"
INCOME, BALANCE, CASH, REGIONS, MESSAGES = 1, 2, 3, 4, 5
PAGES = {INCOME: 10, BALANCE: 11, CASH: 12, REGIONS: 13, MESSAGES: 8}


@cache
def report() -> DocumentContent:
    reading = read_in_child(REPORT)
    return content_of(
        reading, cut_passages(reading), file_name=REPORT.name, media_type="application/pdf", sha256="0" * 64
    )


@cache
def quotes() -> tuple[Quoted, ...]:
    content = report()
    found = []
    for marker, page in PAGES.items():
        lines = content.lines_on_page(page)
        first, last = lines[0].number, lines[-1].number
        candidate = RunCandidate(
            parse_id=content.parse_id,
            document_title="Annual Report 2024",
            anchor_first_line=first,
            anchor_last_line=last,
            anchor_first_page=page,
            anchor_last_page=page,
            context_first_line=first,
            context_last_line=last,
            context_text=content.text_between(first, last),
        )
        found.append(Quoted(marker, candidate, lines[0].text))
    return tuple(found)


def given(name: str, quote: str, value: str, **changes: Any) -> dict[str, Any]:
    fields = {"meaning": quote.rstrip("()–,.0123456789 "), "period": "2024", "excerpt": INCOME, "unit": "EUR thousand"}
    return {"name": name, "quote": quote, "value": value, **fields, **changes}


def asked(formula: str, result: str = "percent", name: str = "c1", **changes: Any) -> dict[str, Any]:
    return {"name": name, "label": f"Result {name}", "formula": formula, "result": result, "decimals": None, **changes}


REVENUE = given("r", "Revenue 415,890 388,195", "415,890")
REVENUE_BEFORE = given("r0", "Revenue 415,890 388,195", "388,195", period="2023")
OPERATING = given("o", "Operating income 49,910 45,130", "49,910")
COST = given("k", "Cost of products sold (198,745) (189,410)", "(198,745)")
CAPEX = given("x", "Purchase of property, plant and equipment (18,680) (21,460)", "(18,680)", excerpt=CASH)
OPERATIONS = given("f", "Net cash from operating activities 61,250 50,753", "61,250", excerpt=CASH)
EPS = given("e", "Basic earnings per share (EUR) 1.62 1.41", "1.62", unit="EUR per share")
SHARES = given("n", "Weighted average number of shares (thousand) 21,400 21,350", "21,400", unit="thousand shares")
INCOME_NET = given("i", "Net income 34,690 30,158", "34,690")
EUROPE = given("eu", "Europe 201,430 190,215", "201,430", excerpt=REGIONS)
AMERICAS = given("am", "Americas 121,885 112,575", "121,885", excerpt=REGIONS)
EUROPE_BEFORE = given("eu0", "Europe 201,430 190,215", "190,215", excerpt=REGIONS, period="2023")
AMERICAS_BEFORE = given("am0", "Americas 121,885 112,575", "112,575", excerpt=REGIONS, period="2023")


def resolve(
    inputs: list[dict[str, Any]],
    computations: list[dict[str, Any]],
    text: str = "It was {c1}.",
    question: str = "What was it in 2024?",
    **block: Any,
) -> RequestedFigures:
    reply = StreamedReply(PAGES)
    reply.feed(f"COMPUTE\n{json.dumps({'inputs': inputs, 'computations': computations, **block})}\n\n{text}")
    reply.finish()
    content = report()
    return resolve_request(reply, question, quotes(), {content.parse_id: content}, first_marker=6)


def shown(found: RequestedFigures) -> list[str]:
    assert found.findings == () and found.figures
    return [check["computed"]["shown"] for check in found.figures.checks]


def refused(found: RequestedFigures) -> str:
    assert found.figures is None
    return "; ".join(each.words for each in found.findings)


# ---- what is computed


@pytest.mark.parametrize(
    ("inputs", "formula", "result", "told"),
    [
        ([OPERATING, REVENUE], "o / r", "percent", "12.0%"),
        ([REVENUE, REVENUE_BEFORE], "(r - r0) / r0", "percent", "7.1%"),
        ([REVENUE, REVENUE_BEFORE], "avg(r, r0)", "amount", "EUR 402,042.5 thousand"),
        ([REVENUE, REVENUE_BEFORE], "r - r0", "amount", "EUR 27,695 thousand"),
        ([REVENUE, COST], "r - abs(k)", "amount", "EUR 217,145 thousand"),
        ([REVENUE, COST], "r + k", "amount", "EUR 217,145 thousand"),
        ([OPERATIONS, CAPEX], "f - abs(x)", "amount", "EUR 42,570 thousand"),
        ([REVENUE, REVENUE_BEFORE], "365 * avg(r, r0) / r", "days", "352.85 days"),
        ([INCOME_NET, SHARES], "i / n", "amount", "EUR 1.62 per share"),
        ([OPERATING, REVENUE], "o / r > 0.10", "yes_no", "yes"),
        ([OPERATING, REVENUE], "o / r > 10 %", "yes_no", "yes"),
        ([EUROPE, AMERICAS], "argmax(eu, am)", "which", "Europe 2024"),
        ([EUROPE, AMERICAS], "rank(am, eu)", "ranking", "Europe 2024, Americas 2024"),
        ([REVENUE, OPERATING], "(r / o) ** (1/2) - 1", "ratio", "1.89"),
    ],
)
def test_it_computes_what_was_asked_from_what_is_printed(
    inputs: list[dict[str, Any]], formula: str, result: str, told: str
) -> None:
    """R78."""
    found = resolve(inputs, [asked(formula, result)], question="Was it more than 10 % in 2024?")
    assert shown(found) == [told]
    assert found.text.startswith(f"It was {told} [6]")


def test_every_input_is_cited_where_it_is_printed() -> None:
    found = resolve([OPERATING, REVENUE], [asked("o / r", label="Operating margin 2024", decimals=2)])
    assert found.figures and found.text == "It was 12.00% [6][7]."
    assert found.figures.text == (
        "Operating margin 2024: 12.00%, computed as Operating income 2024 ÷ Revenue 2024\n\n"
        "- Operating income 2024: 49,910 thousand [6]\n- Revenue 2024: 415,890 thousand [7]"
    )
    lines = report().lines
    for each in found.figures.quoted:
        assert each.place and each.quote == lines[each.place.first_line - 1].text and each.place.page == 10
    (check,) = found.figures.checks
    assert check["problems"] == [] and check["markers"] == [6, 7]
    assert (check["computed"]["type"], check["computed"]["value"][:6]) == ("percentage", "0.1200")
    assert [each["printed"] for each in check["computed"]["inputs"]] == ["49,910", "415,890"]
    assert found.notes == [NOTE]


@pytest.mark.parametrize("sign", ["{label} | {values}", "245: {label} | {values}", "245-246: {label} {values}"])
def test_a_row_may_be_quoted_as_the_excerpt_shows_it(sign: str) -> None:
    quoted = [
        given("k", sign.format(label="Cost of products sold", values="(198,745) | (189,410)"), "(198,745)"),
        given("r", sign.format(label="Revenue", values="415,890 | 388,195"), "415,890"),
    ]
    assert shown(resolve(quoted, [asked("abs(k) / r")])) == ["47.8%"]


def test_a_result_may_use_earlier_ones() -> None:
    computations = [
        asked("(eu - eu0) / eu0", label="Growth of Europe"),
        asked("(am - am0) / am0", name="c2", label="Growth of the Americas"),
        asked("argmax(c1, c2)", "which", name="c3", label="Grew most"),
        asked("c2 - c1", "points", name="c4"),
    ]
    found = resolve([EUROPE, EUROPE_BEFORE, AMERICAS, AMERICAS_BEFORE], computations, "{c3}, by {c4}.")
    assert shown(found) == ["5.9%", "8.3%", "Growth of the Americas", "+2.4 percentage points"]
    assert found.figures and found.text.startswith("Growth of the Americas [6][7], by +2.4 percentage points [6][7].")
    assert found.figures.text.count("- Europe 2024") == 1, "the inputs are listed once"


def test_a_question_says_in_which_unit_an_amount_is_wanted() -> None:
    found = resolve([REVENUE, REVENUE_BEFORE], [asked("r - r0", "amount")], question="In EUR millions, how much?")
    assert shown(found) == ["EUR 27.7 million"]


def test_an_amount_is_compared_in_single_units() -> None:
    question = "Was revenue above 400 million in 2024?"
    assert shown(resolve([REVENUE], [asked("r > 400000000", "yes_no")], question=question)) == ["yes"]
    assert "neither an input" in refused(resolve([REVENUE], [asked("r > 400", "yes_no")], question=question))


def test_a_value_of_a_sentence_has_the_scale_printed_with_it() -> None:
    lines = [each.text for each in report().lines_on_page(PAGES[MESSAGES])]
    line = next(text for text in lines if "million" in text)
    number = line[: line.index(" million")].split()[-1].lstrip("€")
    found = resolve(
        [given("a", line, number, excerpt=MESSAGES, unit="EUR million", period=""), REVENUE], [asked("a / r", "ratio")]
    )
    assert found.findings == ()


@pytest.mark.parametrize(
    ("value", "period", "is_right"),
    [("2", "2022", True), ("10", "2021", True), ("10", "2022", False), ("2", "2021", False)],
)
def test_amounts_of_a_sentence_are_those_of_its_years_in_order(value: str, period: str, is_right: bool) -> None:
    sentence = "Expenses were $2 million and $10 million in 2022 and 2021, respectively."
    content = content_of_lines([("# Expenses", "heading"), (sentence, "body")])
    candidate = RunCandidate(
        parse_id=content.parse_id,
        **dict.fromkeys(("anchor_first_line", "context_first_line"), 1),
        **dict.fromkeys(("anchor_last_line", "context_last_line"), len(content.lines)),
        context_text=sentence,
    )
    asked_input = AskedInput(
        name="a", meaning="expenses", period=period, excerpt=1, quote=sentence, value=value, unit="USD million"
    )
    if is_right:
        checked = check_asked_input(asked_input, {1: ExcerptSource(candidate, content)})
        assert checked.quantity.value == int(value) * 1_000_000 and checked.quantity.units == (("USD", 1),)
        return
    with pytest.raises(InputError, match="another year"):
        check_asked_input(asked_input, {1: ExcerptSource(candidate, content)})


@pytest.mark.parametrize("unit", ["in thousands", "thousand EUR", "EUR thousand, except per share data", "", "EUR"])
def test_a_unit_is_read_in_the_words_of_the_model(unit: str) -> None:
    found = resolve([REVENUE | {"unit": unit}, REVENUE_BEFORE], [asked("r - r0", "amount")])
    assert shown(found) == ["EUR 27,695 thousand"]


@pytest.mark.parametrize("result", ["percent", "percentage", "%", "PERCENT"])
def test_a_result_may_be_called_otherwise(result: str) -> None:
    found = resolve([OPERATING, REVENUE], [asked("o / r", result, name="margin")], "It was {margin}.")
    assert shown(found) == ["12.0%"] and found.text == "It was 12.0% [6][7]."


def test_a_name_means_one_thing() -> None:
    found = resolve([OPERATING, REVENUE], [asked("o / r", name="r")])
    assert "is used twice" in refused(found)


def test_a_result_brings_its_own_unit() -> None:
    found = resolve([OPERATING, REVENUE], [asked("o / r")], "It was {c1}%, or {c1} % of it.")
    assert found.text == "It was 12.0% [6][7], or 12.0% [6][7] of it."


# ---- what is refused


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"excerpt": 9}, "there is no excerpt 9"),
        ({"quote": "Revenue 415,891 388,195", "value": "415,891"}, "its quote is not in excerpt 1"),
        ({"quote": "Revenue was 415,890"}, "its quote is not in excerpt 1"),
        ({"value": "415,891"}, "does not print the value 415,891"),
        ({"value": "415890000"}, "does not print the value"),
        ({"value": "about 415"}, "does not print the value"),
        ({"value": "—"}, "does not print the value"),
        ({"value": "(415,890)"}, "printed without a minus"),
        ({"period": "2023"}, "is printed under 2024, not 2023"),
        ({"period": "31 December 2023"}, "is printed under 2024, not 31 December 2023"),
        ({"unit": "EUR millions"}, "is printed in thousands, not in millions"),
        ({"unit": "USD thousand"}, "is printed in EUR, not in USD"),
        ({"unit": "%"}, "is not printed as a percentage"),
        ({"unit": "EUR per share"}, "is not printed as an amount per share"),
        ({"quote": EPS["quote"], "value": "1.62"}, "is printed as an amount per share; say so in its unit"),
    ],
)
def test_it_refuses_an_input_that_is_not_what_it_says(changes: dict[str, Any], reason: str) -> None:
    found = resolve([REVENUE | changes, OPERATING], [asked("o / r")])
    assert reason in refused(found) and "415" not in found.text and found.text == ""
    (check,) = found.checks
    assert check["left_out"] and check["problems"] == ["not_computed"] and reason in check["finding"]
    assert found.notes[0].startswith("A figure could not be computed: Result c1: Revenue")


@pytest.mark.parametrize(
    ("inputs", "formula", "result", "reason"),
    [
        ([OPERATIONS, CAPEX], "f - x", "amount", "subtracting it adds it; write abs(x)"),
        ([OPERATIONS, CAPEX | {"value": "18,680"}], "f + x", "amount", "is negative; write abs(x)"),
        ([REVENUE], "r / 388195", "ratio", "the number 388195 is neither an input nor in the question"),
        ([], "49910 / 415890", "percent", "it has no input"),
        ([REVENUE], "r / z", "percent", "“z” is no input"),
        ([REVENUE, SHARES], "r + n", "amount", "different units"),
        ([REVENUE, OPERATING], "r * o", "percent", "do not cancel out"),
        ([REVENUE, REVENUE_BEFORE], "r / (r - r)", "ratio", "divides by zero"),
        ([REVENUE], "r.value", "ratio", "can be calculated"),
        ([REVENUE], "r ** 9", "ratio", "pure number"),
        ([REVENUE, OPERATING], "o / r * 100", "percent", "leave out the 100"),
        ([REVENUE, OPERATING], "o / r > 0.33", "yes_no", "0.33 is neither an input nor in the question"),
    ],
)
def test_it_refuses_a_formula_that_may_be_wrong(
    inputs: list[dict[str, Any]], formula: str, result: str, reason: str
) -> None:
    found = resolve(inputs, [asked(formula, result)])
    assert reason in refused(found) and found.text == ""


def test_the_size_of_an_outflow_may_be_named_without_its_brackets() -> None:
    found = resolve([OPERATIONS, CAPEX | {"value": "18,680"}], [asked("f - abs(x)", "amount")])
    assert shown(found) == ["EUR 42,570 thousand"]


def test_the_losses_of_two_years_are_compared_as_they_are() -> None:
    before = COST | {"name": "k0", "value": "(189,410)", "period": "2023"}
    assert shown(resolve([COST, before], [asked("k - k0", "amount")])) == ["EUR -9,335 thousand"]


def test_a_dash_is_nothing_only_where_one_is_printed() -> None:
    row = "Restructuring (3,150) –"
    one = given("a", row, "(3,150)")
    none = given("b", row, "–", period="2023")
    assert shown(resolve([one, none], [asked("abs(a) - b", "amount")])) == ["EUR 3,150 thousand"]
    assert "does not print" in refused(resolve([one, none | {"value": "0"}], [asked("abs(a) - b", "amount")]))


def test_amounts_of_other_years_than_asked_are_refused() -> None:
    found = resolve([REVENUE, REVENUE_BEFORE], [asked("r / r0", "ratio")], question="How was it in 2019?")
    assert "not asked for" in refused(found)


def test_one_that_fails_leaves_the_others_and_its_sentence_goes() -> None:
    wrong = REVENUE_BEFORE | {"value": "388,196"}
    computations = [asked("o / r"), asked("(r - r0) / r0", name="c2", label="Growth")]
    text = "The margin was {c1}. Growth was {c2}. It is a firm [1]."
    found = resolve([OPERATING, REVENUE, wrong], computations, text)
    assert found.text == "The margin was 12.0% [6][7]. It is a firm [1]."
    assert [each.name for each in found.findings] == ["Growth"] and found.figures
    assert "7.1" not in found.figures.text and "388" not in found.figures.text


def test_what_is_missing_and_whose_judgement_it_is_is_said() -> None:
    found = resolve([OPERATING, REVENUE], [asked("o / r")], missing=["capital expenditure 2019"], judgement=True)
    assert found.notes == [
        NOTE,
        "Not on the pages that were read, and needed for a figure: capital expenditure 2019.",
        JUDGEMENT,
    ]


@pytest.mark.parametrize("block", ["{", '{"inputs": 5}', '{"inputs": [{"name": "a"}]}'])
def test_a_block_that_cannot_be_read_is_a_finding(block: str) -> None:
    reply = StreamedReply(PAGES)
    reply.feed(f"It is so [1]. It was {{c1}}.\nCOMPUTE\n{block}")
    reply.finish()
    found = resolve_request(reply, "?", quotes(), {}, first_marker=6)
    assert found.text == "It is so [1]." and found.figures is None
    assert found.findings[0].words.startswith("the block cannot be read.")


def test_words_of_a_model_bring_no_markers_and_no_results_of_their_own() -> None:
    found = resolve([OPERATING | {"meaning": "income [1] {c9}"}, REVENUE], [asked("o / r", label="A [2]\n{c1} margin")])
    assert found.figures and "[1]" not in found.figures.text and "[2]" not in found.figures.text
    assert "{" not in found.figures.text and "\n{" not in found.text


def test_a_checker_sees_the_row_and_what_was_computed() -> None:
    found = resolve([OPERATING, REVENUE], [asked("o / r", label="Operating margin 2024")])
    assert [each.number for each in found.excerpts] == [6, 7]
    assert "Operating income 49,910 45,130" in found.excerpts[0].text
    assert "Operating margin 2024: 12.0%" in found.excerpts[0].text


def test_the_numbers_of_a_question_have_its_units() -> None:
    told = {str(number) for number in numbers_asked("Is 20 % of 5 years above 1.5 million?")}
    assert told == {"0.2", "5", "1500000.0"}


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("The balance of 25.000,00- EUR was carried over.", ["-25000"]),
        ("The balance of 25.000,00- was carried over.", []),  # a minus, or the hyphen of a word that goes on
        ("The 30- and 60-day periods", ["60"]),
        ("A result of EUR (500) was booked.", ["-500"]),
        ("Employees (450) and places ($1,250)", []),  # a loss, or an aside
        ("Within thirty (30) days, at five percent (5%)", ["30", "5"]),
        ("A hall (5 km away)", ["5"]),
        ("A change of -25 and of \u201130 points", ["-25", "-30"]),
        ("The fee \u2013 25 EUR a month", []),
        ("ISO-9001, ISO\u20119002, section 4\u20111, pp. 3\u201315", ["9001", "9002", "4", "1", "3", "15"]),
        ("Dial 030\u2011123456 in 2019\u20142020", ["30", "123456", "2019", "2020"]),
        ("From 10 -20 people, the rest \u2014 12 \u2014 later", ["10", "12"]),
        ("La cuota \u201425 euros\u2014 se paga", []),
    ],
)
def test_a_number_in_prose_has_its_sign_or_is_left_out(text: str, amounts: list[str]) -> None:
    line = content_of_lines([text]).lines[0]
    assert [f"{each.amount:f}" for each in numbers_in_text(line, "en")] == amounts


@pytest.mark.parametrize("text", ["Result (25) 30-", "Result \u201125 \u201430", "Result - 25 30 -"])
def test_a_number_in_a_row_has_its_sign(text: str) -> None:
    line = content_of_lines([text]).lines[0]._replace(kind="table_row")
    assert [each.amount for each in numbers_in_text(line, "en")] == [-25, -30]


@pytest.mark.parametrize("text", ["料金は¥5万です。", "料金は5万円です。", "¥1億5000万", "一億5000円"])
def test_a_part_of_a_number_in_chinese_numerals_is_none(text: str) -> None:
    assert list(numbers_in_text(content_of_lines([text], language="ja").lines[0], "ja")) == []
