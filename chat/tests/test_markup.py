"""From the text of an answer to blocks: paragraphs, lists, markers, and nothing that could act."""

import pytest

from chat.markup import Block, Part, blocks_of


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
