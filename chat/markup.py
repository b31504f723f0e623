"""The text of an answer as blocks a template can show: paragraphs, lists, citation markers. Never a model's HTML."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from chat.checks import AnswerCheck

MARKER = re.compile(r"\s?\[(\d{1,3})\]")
LAST_MARKER = re.compile(r" \[(\d{1,3})\]\Z")
LIST_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)])\s+")
EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True)
class Part:
    """A piece of text, which may be bold, or the marker of a citation."""

    text: str
    marker: int = 0
    is_bold: bool = False


@dataclass(frozen=True)
class Block:
    """A paragraph, with one line, or a list, with one line per item."""

    is_list: bool
    lines: tuple[tuple[Part, ...], ...]


def bold_in(checks: Iterable[AnswerCheck]) -> dict[str, list[int]]:
    """The sentences that an answer says first, each with where its bold words begin and end; a short one is bold."""
    typed = (check["typed"] for check in checks if "typed" in check)
    texts = {each["text"]: each.get("bold") for each in typed if each["type"] == "sentence" and "text" in each}
    return {text: bold or [0, len(text)] for text, bold in texts.items()}


def blocks_of(text: str, markers: Collection[int], bold: Mapping[str, list[int]] | None = None) -> list[Block]:
    """Paragraphs and lists in order; a bracketed number that is no citation remains text.

    A line that is one of the sentences in `bold` is a paragraph as it stands, with its bold words.
    """
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
        cited = LAST_MARKER.search(line) if bold else None
        if bold and cited and (sentence := line[: cited.start()]) in bold:
            flush()
            blocks.append(Block(False, (sentence_parts(sentence, bold[sentence], cited[1]),)))
            continue
        item = LIST_ITEM.match(line)
        if not line.strip() or (item and paragraph) or (not item and items):
            flush()
        if item:
            items.append(split_at_markers(line[item.end() :], markers))
        elif line.strip():
            paragraph.append(line.strip())
    flush()
    return blocks


def sentence_parts(sentence: str, bold: list[int], marker: str) -> tuple[Part, ...]:
    first, last = bold
    said = (Part(sentence[:first]), Part(sentence[first:last], is_bold=True), Part(sentence[last:]))
    return (*(part for part in said if part.text), Part(marker, int(marker)))


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
