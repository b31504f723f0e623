"""The language of documents that have little or no running text."""

import pytest

from reading.language import detect_language, sample_of
from reading.rows import LineKind, LineRow

BANDS = {
    "en": ["LENGTH FEE EUR", "up to 6 m 12", "6 m to 9 m 18.50", "OVER 12 m 41.00", "Electricity per night 4.50"],
    "de": ["LÄNGE GEBÜHR EUR", "bis 6 m 12", "über 6 m bis 9 m 18,50", "über 12 m 41,00", "Strom je Nacht 4,50"],
    "fr": ["LONGUEUR PRIX EUR", "jusqu’à 6 m 12", "de 6 m à 9 m 18,50", "plus de 12 m 41,00", "Eau par nuit 4,50"],
}


def line(number: int, text: str, kind: LineKind) -> LineRow:
    return LineRow(number, number, 1, 0, text, text.lower(), 72, 72, 300, 84, 0, kind, "text", ())


@pytest.mark.parametrize("language", BANDS)
def test_a_table_of_figures_tells_its_language_by_the_words_of_all_its_rows(language: str) -> None:
    rows = [line(number, text, "table_row") for number, text in enumerate(BANDS[language], start=1)]
    assert detect_language(sample_of(rows)) == language


def test_one_line_that_is_too_short_does_not_hide_the_others() -> None:
    short = line(1, "Order 14-05-2025 / 77 310 / 2025-05-14 / No. 8", "body")
    rows = [line(number, text, "list_item") for number, text in enumerate(BANDS["en"], start=2)]
    assert detect_language(sample_of([short, *rows])) == "en"
