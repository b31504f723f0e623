"""Lists of words and expressions are read whole or not at all."""

from pathlib import Path

import pytest

from reading.wording import WordingError, read_word_lists, read_wordings

FRAMES = {"aside": r"\b(?:{aside})\b", "order": r"^(?:{courtesy}\s+)?(?:{order})", "courtesy": "{courtesy}"}
ENTRY = "[[aside]]\npattern = 'by\\s+the\\s+way'\nexamples = ['By the way, no.']\n"


def test_the_word_list_of_each_language_that_has_one_is_read(tmp_path: Path) -> None:
    (tmp_path / "small.en.txt").write_text("# A comment.\n\na\nthe\n")
    (tmp_path / "small.fr.txt").write_text("la\nle\n")
    assert read_word_lists(tmp_path, "small") == {"en": {"a", "the"}, "fr": {"la", "le"}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\nthe\nan\n", "'an' is twice there or not in alphabetical order"),
        ("a\na\n", "'a' is twice there or not in alphabetical order"),
        ("été\n", "'été' is not one word in match form"),
        ("a the\n", "'a the' is not one word in match form"),
        ("# nothing\n", "no words"),
    ],
)
def test_a_malformed_word_list_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "small.en.txt").write_text(text)
    with pytest.raises(WordingError, match=f"small.en.txt: {told}"):
        read_word_lists(tmp_path, "small")


def test_a_list_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WordingError, match="small.<language>.txt: no such file"):
        read_word_lists(tmp_path, "small")


def test_the_alternatives_of_all_languages_are_one_expression(tmp_path: Path) -> None:
    (tmp_path / "said.en.toml").write_text(ENTRY)
    (tmp_path / "said.de.toml").write_text("[[aside]]\npattern = 'übrigens'\nexamples = ['Übrigens, nein.']\n")
    said = read_wordings(tmp_path, "said", FRAMES)
    assert [bool(said["aside"].search(text)) for text in ("By the way", "Übrigens", "by way")] == [True, True, False]
    assert said.alone(said.alternatives[1]).search("By the way") is None


def test_a_slot_without_an_alternative_matches_nothing(tmp_path: Path) -> None:
    (tmp_path / "said.en.toml").write_text(ENTRY)
    said = read_wordings(tmp_path, "said", FRAMES)
    assert said["order"].search("") is None and said["courtesy"].search("") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[aside]]\npattern = 'a", "Illegal character|Expected"),
        ("[aside]\npattern = 'a'\n", r"write \[\[aside\]\] above each entry"),
        ("[[remark]]\npattern = 'a'\nexamples = ['a']\n", "there is no section 'remark'"),
        ("[[aside]]\npattern = 'a'\n", "'examples' is missing"),
        ("[[aside]]\nexamples = ['a']\n", "'pattern' is missing"),
        ("[[aside]]\npattern = '(a'\nexamples = ['a']\n", "is no expression"),
        ("[[aside]]\npattern = 'a'\nexamples = [1]\n", "examples = .* is not understood"),
        ("[[aside]]\npattern = 'a'\nexamples = ['a']\nflags = 'i'\n", "flags = 'i' is not understood"),
    ],
)
def test_a_malformed_file_of_expressions_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "said.en.toml").write_text(text)
    with pytest.raises(WordingError, match=rf"^said.en.toml.*{told}|^said.en.toml.*({told})"):
        read_wordings(tmp_path, "said", FRAMES)
