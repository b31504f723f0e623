"""Text from a file is storable in PostgreSQL and encodable as UTF-8, whatever the file held."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.characters import clean_text


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
