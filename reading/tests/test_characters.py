"""Text from a file is storable in PostgreSQL and encodable as UTF-8, whatever the file held."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.characters import ACCENT_FONT, clean_name, clean_text, clean_words, join_accents


@pytest.mark.parametrize(
    ("text", "cleaned", "count"),
    [
        ("plain", "plain", 0),
        ("caf\u00e9 \U0001d400", "caf\u00e9 \U0001d400", 0),
        ("null\x00byte \x1b[31m", "nullbyte [31m", 2),
        ("tab\there", "tab here", 0),
        ("lone \udced surrogate", "lone  surrogate", 1),
        ("abc\u202efdp.exe", "abc\ufffdfdp.exe", 1),
        ("soft\u00adhyphen", "soft\u00adhyphen", 0),
    ],
)
def test_it_removes_what_cannot_be_stored(text: str, cleaned: str, count: int) -> None:
    assert clean_text(text) == (cleaned, count)


@given(st.text())
def test_it_leaves_only_storable_characters(text: str) -> None:
    cleaned, count = clean_text(text)
    assert "\x00" not in cleaned and "\n" not in cleaned
    cleaned.encode("utf-8")
    assert count >= len(text) - len(cleaned)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Claims \t 2026\n", "Claims 2026"),
        ("exe\u202efdp.pay", "exe fdp.pay"),
        ("\u202e\u200b", ""),
        ("Cafe\u0301", "Caf\u00e9"),
    ],
)
def test_a_name_reads_as_it_is_stored(text: str, name: str) -> None:
    assert clean_name(text) == name


def test_typed_words_keep_what_one_can_see() -> None:
    assert clean_words("a\u202eb\x00c\n\u05d0 \u20ac") == "abc\n\u05d0 \u20ac"


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("la r´esolution `a d´ecaler", "la résolution à décaler"),
        ("boˆıtier, num´eriques, re¸coit, C¸a", "boîtier, numériques, reçoit, Ça"),
        ("f¨ur ´Ecole ma˜nana", "für École mañana"),
        ("ˆx + ´ 5", "ˆx + ´ 5"),  # no such letter
        ("d´ej`a tr`es pr`es, citt`a `e bella", "déjà très près, città è bella"),
        ("the key `open` and `a` or `echo x' of `e'", "the key `open` and `a` or `echo x' of `e'"),
    ],
)
def test_accents_printed_before_their_letters_are_put_on_them(printed: str, read: str) -> None:
    assert join_accents(printed) == read


def test_only_the_oldest_fonts_of_tex_print_them_so() -> None:
    """Elsewhere such a sign may be an apostrophe, "it´s", or one of code and formulas."""
    others = ("LMRoman10-Regular", "CMU Serif", "CMTT10", "CMSLTT10", "CMSY10", "CMBSY7", "CMMI12", "CMEX10")
    assert all(map(ACCENT_FONT.match, ("CMR10", "CMBX12", "CMTI10", "CMCSC10"))) and not any(
        map(ACCENT_FONT.match, others)
    )
