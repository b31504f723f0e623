"""From the text of an answer to blocks: paragraphs, lists, markers, and nothing that could act."""

import pytest

from chat.checks import TypedValue, literal_check
from chat.markup import Block, Part, blocks_of, bold_in


def shown(blocks: list[Block]) -> list[str]:
    """Each line as text, its markers in angle brackets."""
    return [
        "".join(f"<{part.text}>" if part.marker else part.text for part in line) for b in blocks for line in b.lines
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("One [1]. Two [2].", ["One<1>. Two<2>."]),
        ("One\nline.\n\nAnother.", ["One line.", "Another."]),
        ("First:\n- a [1]\n- b\nThen.", ["First:", "a<1>", "b", "Then."]),
        ("1. a\n2) b", ["a", "b"]),
        ("**Bold** and __strong__ words", ["Bold and strong words"]),
        ("2 * 3 * 4 and a_b_c", ["2 * 3 * 4 and a_b_c"]),
        ("Not cited [9].", ["Not cited [9]."]),
        ("<script>alert(1)</script> ![x](https://evil.test/)", ["<script>alert(1)</script> ![x](https://evil.test/)"]),
        ("", []),
        ("\n\n \n", []),
    ],
)
def test_it_reads_paragraphs_lists_and_markers(text: str, lines: list[str]) -> None:
    assert shown(blocks_of(text, {1, 2})) == lines


def test_it_tells_lists_from_paragraphs() -> None:
    blocks = blocks_of("Before\n- a\n- b\n\n- c\nafter", set())
    assert [(block.is_list, len(block.lines)) for block in blocks] == [(False, 1), (True, 2), (True, 1), (False, 1)]


def test_it_marks_what_is_a_citation() -> None:
    assert blocks_of("So [1][2].", {1, 2})[0].lines == ((Part("So"), Part("1", 1), Part("2", 2), Part(".")),)


@pytest.mark.parametrize(
    ("bold", "words"), [([3, 27], "The __tenant__ pays rent"), ([], "1. The __tenant__ pays rent, and more.")]
)
def test_a_sentence_that_is_said_first_is_a_paragraph_as_it_stands_with_its_bold_words(
    bold: list[int], words: str
) -> None:
    said = "1. The __tenant__ pays rent, and more."
    typed: TypedValue = {"type": "sentence", "text": said, "lines": [1, 1]}
    checks = [literal_check(said, [1], typed=typed | {"bold": bold} if bold else typed)]
    first, quote = blocks_of(f"{said} [1]\n\n\u201c{said}\u201d [2]", {1, 2}, bold_in(checks))
    [line] = first.lines
    assert not first.is_list and [part.text for part in line if part.is_bold] == [words]
    assert "".join(part.text for part in line if not part.marker) == said and line[-1] == Part("1", 1)
    assert not any(part.is_bold for part in quote.lines[0])


@pytest.mark.parametrize("behind", [" [1][2]", " [x]", " [1] See.", " [", "[1]"])
def test_a_line_with_more_than_one_marker_behind_the_sentence_is_read_as_any_other(behind: str) -> None:
    said = "The tenant pays rent."
    assert blocks_of(f"{said}{behind}", {1, 2}, {said: [0, 10]}) == blocks_of(f"{said}{behind}", {1, 2})


def test_a_typed_sentence_without_its_text_has_no_bold_words() -> None:
    assert bold_in([literal_check("", [1], typed={"type": "sentence", "lines": [1, 1]})]) == {}
