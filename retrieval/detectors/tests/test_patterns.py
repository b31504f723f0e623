"""Values by their form: which texts are an amount, a date or an address, where they may be, the order of hits."""

from dataclasses import replace

import numpy as np
import pytest

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.tests.pdfs import with_struck
from retrieval.detectors.patterns import HITS_MAX, detect_patterns, is_on_line, lines_by_share
from retrieval.question.kinds import ANSWER_TYPES, SHIPPED
from retrieval.question.linear import compile_linear
from retrieval.question.parse import parse_question
from retrieval.tests.builders import Written, content_of_lines
from retrieval.types import Hit
from retrieval.words.lexicon import NO_LINES
from retrieval.words.terms import WeighedTerm

HOLDING = {
    "amount": ["$ 500", "€12", "£1.5 million", "500 euros", "12 mrd", "USD 3", "1,250,000", "(1,250)", "3.14", ".5 €"],
    "percentage": ["5 %", "5%", "12.5 percent", "3 pour cent", "7 Prozent", "2 por ciento", "0.05", ".75"],
    "number": ["42", "1,000", "seven", "in 3 steps", "3.5"],
    "date": ["1 March 2024", "March 1st, 2024", "2024-03-01", "1.3.24", "03/01/2024", "1 août 2024", "in 1999",
             "3. Dez. 2021", "within thirty days", "immediately", "without delay", "sans délai", "unverzüglich"],
    "frequency": ["weekly", "twice", "every two years", "per month", "chaque année", "toutes les semaines",
                  "bi-annually", "trimestrielle", "periodically"],
    "duration": ["30 days", "thirty (30) days", "ten business days", "deux mois", "18-month",
                 "for a week", "half a year", "up to a month", "a week's notice", "ein halbes Jahr", "eine Woche",
                 "une demi-heure", "une semaine", "media hora",
                 "fourteen characters", "two pages", "3 metres", "12 lettres"],
    "rate": ["60 requests per hour", "5/s", "3 euros par jour", "2 hourly"],
    "definition": ["A lease is a contract", "Lessee means the tenant", "VAT stands for tax", "Rent: the sum"],
    "explanation": ["because of fire", "it consists of parts", "calculated monthly", "so that nobody"],
    "person": ["Mr Smith", "the director", "Chairwoman", "the chief risk officer"],
    "email": ["a.b+c@example.org", "write to x@y.z now"],
    "phone": ["+49 30 1234567", "030 / 123 45 67", "(555) 123-4567"],
    "url": ["https://example.org", "www.example.org", "HTTP://X"],
    "iban": ["DE89 3704 0044 0532 0130 00", "gb29nwbk60161331926819"],
    "postcode": ["London SW1A 2AA", "Palo Alto, CA 94304-1112", "75008 Paris", "D-80331 München", "10115 Berlin",
                 "Albany, New York 12207"],
    "address": ["10 Downing Street", "P.O. Box 12", "12 bis, rue de la Paix", "Hauptstraße 12a", "75008 Paris"],
    "party": ["the Landlord", "either party", "Acme, Inc.", "(the “Supplier”)", "le bailleur", "der Mieter"],
    "role": ["the Chief Financial Officer", "a managing director", "le gérant", "der Geschäftsführer"],
}  # fmt: skip
LACKING = {
    "amount": ["", "soon", "page 3", "12", "§ 4.1.2", "1,25", "10.0.0.1"],
    "percentage": ["5", "a percentage", "1.05", "%"],
    "number": ["[9]", "item-3", "v2", "none", "3a"],
    "date": ["March", "12", "3,000", "2100", "18991", "yesterday"],
    "frequency": ["never", "two years", "dailyness"],
    "duration": [
        "days",
        "30",
        "a long time",
        "monthly",
        "characters",
        "100 m",
        "immediately",
        "without undue delay",
        "sans délai",
        "unverzüglich",
        "sin demora",
        "twice a week",
        "a month's rent",
        "500 euros a month",
    ],
    "rate": ["per hour", "60 requests", "hour"],
    "definition": ["This is", "the meaning", "10:30"],
    "explanation": ["sincere", "applies", "on purpose"],
    "person": ["administrative", "steam", "leader"],
    "email": ["@example.org", "a@b", "a at b.org", "a @ b.c"],
    "phone": ["12345", "12-34"],
    "url": ["http:/x", "ww.example.org", "example.org"],
    "iban": ["DE89", "DE89 3704", "D89 3704 0044 0532"],
    "postcode": ["12345 items", "as1 2aa", "Section 10115", "CA 2024"],
    "address": ["address the risk", "a street", "in 2024 the plan", "box 12"],
    "party": ["a partial view", "in part", "the lease"],
    "role": ["the role", "a position", "administration"],
}


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in table.items() for text in texts]


def found(text: str, content: DocumentContent) -> list[Hit]:
    return detect_patterns(parse_question(text, [content]), content)


def test_every_kind_has_cases_for_and_against() -> None:
    assert set(HOLDING) == set(LACKING) == {kind for kind in ANSWER_TYPES if any(SHIPPED.patterns_of(kind))}


def has(kind: str, text: str) -> bool:
    """Whether a text has a value of a type, by all that ships."""
    value, printed = SHIPPED.patterns_of(kind)
    looked_for = [(value, match_form(text)), (printed, text)]
    return any(compile_linear(pattern).search(said) is not None for pattern, said in looked_for if pattern)


@pytest.mark.parametrize(("kind", "text"), cases(HOLDING))
def test_a_text_that_holds_such_a_value(kind: str, text: str) -> None:
    assert has(kind, text)


@pytest.mark.parametrize(("kind", "text"), cases(LACKING))
def test_a_text_that_does_not(kind: str, text: str) -> None:
    assert not has(kind, text)


# ---- where a value may be


@pytest.mark.parametrize(
    ("written", "is_there"),
    [
        (["fee of $ 5"], True),
        (["fee of", "$ 5"], True),
        (["fee of", "x", "$ 5"], False),  # one line further
        (["fee of", "---", "$ 5"], False),  # on the next page
        ([("fee of", "table_row"), "$ 5"], False),  # a row ends with its line
        (["fee of", ("$ 5", "table_row")], False),
        (["fee of", ("$ 5", "furniture")], False),
        (["# fee of", "$ 5"], False),  # a heading does not go on below
        (["fee of"], False),  # the last line of the document
    ],
)
def test_a_value_is_on_the_line_or_where_its_sentence_goes_on(written: list[Written], is_there: bool) -> None:
    content = content_of_lines(written)
    assert is_on_line(1, lambda number: has("amount", content.lines[number - 1].text), content) is is_there


def test_a_value_that_is_struck_is_none() -> None:
    content = content_of_lines(["The fee is $ 500 or free."])
    lines = tuple(with_struck(line, "$ 500 or") for line in content.lines)
    content = replace(content, lines=lines)
    assert not is_on_line(1, lambda number: has("amount", content.lines[number - 1].text_in_force), content)


# ---- order and limits


def term(lines: list[int], weight: float = 1.0, is_primary: bool = True) -> WeighedTerm:
    return WeighedTerm(("x",), ("x",), np.array(lines, dtype=np.int32), NO_LINES, is_primary, 3, weight)


@pytest.mark.parametrize(
    ("terms", "lines"),
    [
        ([], []),
        ([term([2]), term([2, 3])], [(2, 1.0), (3, 0.5)]),
        ([term([4]), term([1])], [(1, 0.5), (4, 0.5)]),  # equal shares in reading order
        ([term([4], 3.0), term([1], 1.0)], [(4, 0.75), (1, 0.25)]),
        ([term([1], 1.0, is_primary=False)], []),  # no line without a primary word
        ([term([2], 1.0), term([1, 2], 3.0, is_primary=False)], [(2, 1.0)]),
        ([term([])], []),
    ],
)
def test_lines_come_by_the_share_of_the_question_on_them(
    terms: list[WeighedTerm], lines: list[tuple[int, float]]
) -> None:
    stands = np.zeros((len(terms), 6), dtype=bool)
    for row, each in enumerate(terms):
        stands[row, each.lines] = True
    assert lines_by_share(terms, stands) == lines


def test_the_line_with_more_of_the_question_is_first_and_says_what_it_matched() -> None:
    content = content_of_lines(["The fee is $ 1.", "The reminder fee is $ 2.", "A reminder costs $ 3."])
    hits = found("How much is the reminder fee?", content)
    assert [hit.lines.first for hit in hits] == [2, 1, 3]
    assert hits[0].matched_keywords == ("reminder", "fee") and hits[0].score == 1.0
    assert {hit.type_match for hit in hits} == {True} and hits[0].line_score == 6.0


def test_no_more_than_the_best_lines_are_hits() -> None:
    content = content_of_lines([*["The fee is $ 1."] * (HITS_MAX + 5), "The reminder fee is $ 2."])
    hits = found("How much is the reminder fee?", content)
    assert len(hits) == HITS_MAX and hits[0].lines.first == HITS_MAX + 6


@pytest.mark.parametrize(
    "question",
    ["", "How much?", "the of and", "How much is the zebra?", "Combien coûte le zèbre ?", "料金はいくらですか"],
)
def test_a_value_without_a_word_of_the_question_is_no_hit(question: str) -> None:
    assert found(question, content_of_lines(["The fee is $ 1."])) == []


def test_a_question_of_no_type_hits_only_its_identifiers() -> None:
    content = content_of_lines(["The clause AB-1234 applies.", "The clause is 12 pages long."])
    assert [(hit.lines.first, hit.type_match) for hit in found("Explain clause AB-1234", content)] == [(1, False)]
    assert found("Describe the clause", content) == []


@pytest.mark.parametrize(
    ("question", "line", "is_value"),
    [
        ("When was the company founded?", "The company founded a branch within six hours.", False),
        ("When was the company founded?", "The company was founded on 3 May 1999.", True),
        ("When is the report filed?", "The report is filed within six hours.", True),
        ("Wann wurde der Vertrag geschlossen?", "Der Vertrag wurde binnen drei Tagen geschlossen.", False),
        ("Quand le bail a-t-il été signé ?", "Le bail a été signé pour deux mois.", False),
    ],
)
def test_no_period_says_when_something_was(question: str, line: str, is_value: bool) -> None:
    content = content_of_lines([line])
    hits = detect_patterns(parse_question(question, [content]), content)
    assert [hit.type_match for hit in hits] == ([True] if is_value else [])
