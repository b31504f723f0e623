"""What a document itself says is the value of a term: where it defines it, and the date of its preamble."""

import pytest

from retrieval.question.defined import value_given
from retrieval.question.kinds import SHIPPED
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Expected

TERMS = content_of_lines(
    [
        "# SUPPLY AGREEMENT",
        "This Supply Agreement is made on 3 May 2021 by and between Acme Ltd, and Globex GmbH (the “Effective",
        "Date”). It is signed on 4 May 2021.",
        "# Term",
        "It lasts for two (2) years (the “Initial Term”) and renews for six (6) months (each a “Renewal Term”,",
        "and together with the Initial Term, the “Term”).",
        "“Fee” means an amount of 900 euros, and from 2025 on 950 euros.",
        "The “Cap” is high. It was 5,000 euros in the first year (the “Cap”) and is 6,000 euros (the “Cap”) now.",
    ],
    title="Supply Agreement",
)


@pytest.mark.parametrize(
    ("name", "kind", "value", "lines"),
    [
        ("Effective date", "date", "2021-05-03", (2, 2)),
        ("What is the effective date?", "date", "2021-05-03", (2, 2)),
        ("Agreement date", "date", "2021-05-03", (2, 2)),
        ("Initial term", "duration", "2", (5, 5)),
        ("Renewal term", "duration", "6", (5, 5)),
        ("Term", "duration", "", ()),  # two of them together
        ("Fee", "amount", "900", (7, 7)),
        ("Cap", "amount", "", ()),  # defined twice
        ("Notice period", "duration", "", ()),
        ("Fee", "text", "", ()),
    ],
)
def test_a_defined_term_has_the_value_of_its_definition(
    name: str, kind: str, value: str, lines: tuple[int, ...]
) -> None:
    """(R54, R87)"""
    given = value_given(Expected(kind).of(parse_question(name, [TERMS]), SHIPPED.patterns_of), TERMS)
    assert (given.value.value if given else "", tuple(given.lines) if given else ()) == (value, lines)
