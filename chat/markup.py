"""The text of an answer as blocks a template can show: paragraphs, lists, citation markers. Never a model's HTML."""

import re
from collections.abc import Collection
from dataclasses import dataclass

MARKER = re.compile(r"\s?\[(\d{1,3})\]")
LIST_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)])\s+")
EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True)
class Part:
    """A piece of text, or the marker of a citation."""

    text: str
    marker: int = 0


@dataclass(frozen=True)
class Block:
    """A paragraph, with one line, or a list, with one line per item."""

    is_list: bool
    lines: tuple[tuple[Part, ...], ...]


def blocks_of(text: str, markers: Collection[int]) -> list[Block]:
    """Paragraphs and lists in order; a bracketed number that is no citation remains text."""
    blocks: list[Block] = []
    items: list[tuple[Part, ...]] = []
    paragraph: list[str] = []

    def flush() -> None:
        if items:
            blocks.append(Block(True, tuple(items)))
            items.clear()
        if paragraph:
            blocks.append(Block(False, (split_at_markers(" ".join(paragraph), markers),)))
            paragraph.clear()

    for line in text.splitlines():
        item = LIST_ITEM.match(line)
        if not line.strip() or (item and paragraph) or (not item and items):
            flush()
        if item:
            items.append(split_at_markers(line[item.end() :], markers))
        elif line.strip():
            paragraph.append(line.strip())
    flush()
    return blocks


def split_at_markers(line: str, markers: Collection[int]) -> tuple[Part, ...]:
    """Alternating text and markers, without the asterisks of emphasis."""
    plain = EMPHASIS.sub(r"\2", line)
    parts: list[Part] = []
    start = 0
    for match in MARKER.finditer(plain):
        number = int(match[1])
        if number not in markers:
            continue
        parts += [Part(plain[start : match.start()]), Part(match[1], number)]
        start = match.end()
    return tuple(part for part in (*parts, Part(plain[start:])) if part.text)
