"""Passages, the unit of search and embedding: cut inside sections; tables, lists and definitions whole (R90-R92, R96).

A passage has 256 to 512 tokens where the model of the base reads them and up to 200 where not, and knows its characters
in the document's text. How text is cut may be chosen for an upload; it is kept with the document and in each parse.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby, takewhile
from typing import NamedTuple, Protocol

from reading.blocks import blocks_of, ends_piece, is_unit, joints_of
from reading.limits import Limits
from reading.matching import LEADERS, is_split_word
from reading.parents import PARENT_TOKENS, parents_of
from reading.reasons import refusal
from reading.rows import UNSEARCHED_KINDS, LineRow, PassageRow, Reading, name_in_force
from reading.running_heads import find_running_heads

UNIT_TOKENS_MAX = PARENT_TOKENS  # a table, list or definition is one passage up to the size of a parent
TOP_LINES, TOP_CHARS = 3, 90  # of a page that name what is on it; a longer line is text
RUNNING = "running"  # the kind of a passage made of running heads
SMALL_TOKENS = 25  # a rest this small goes with the passage before it

TOKENS = re.compile(r"\d{1,3}|[^\W\d_]{1,7}|[^\w\s]")
WORD = re.compile(r"\w+")
HALF_WORD = re.compile(r"(?<![\w-])[\w-]*-$")  # before a line-end hyphen: it is not a word of the document


class Cutting(Protocol):
    """How a base's passages are cut: "section", "page", or "fixed" with a size and an overlap in characters."""

    @property
    def chunking(self) -> str: ...
    @property
    def chunk_size(self) -> int: ...
    @property
    def chunk_overlap(self) -> int: ...


class SectionCutting(NamedTuple):
    """The default: inside sections, no overlap (R94)."""

    chunking: str = "section"
    chunk_size: int = 1000
    chunk_overlap: int = 0


class PassageSize(NamedTuple):
    """Tokens of a passage: at most `most`; from `enough` on a heading or new paragraph begins the next one (R90)."""

    most: int
    enough: int


# Of an encoder that reads 256 tokens; the rest is for the context and for errors of the estimate.
SHORT = PassageSize(200, 90)
LONG = PassageSize(512, 256)  # R90, for models that read more


def estimated_tokens(text: str) -> int:
    """Roughly the number of WordPiece tokens of the text, overestimated rather than under."""
    return len(TOKENS.findall(text))


def cut_passages(
    reading: Reading,
    cutting: Cutting | None = None,
    size: PassageSize = SHORT,
    limits: Limits | None = None,
) -> list[PassageRow]:
    """The passages of a reading in order, then those of its running heads, one copy of each. Raises ReadingError.

    Other furniture and the lines of contents pages are in none of them.
    """
    cutting = cutting or SectionCutting()
    lines = [line for line in reading.lines if line.kind not in UNSEARCHED_KINDS and line.text_in_force.strip()]
    if cutting.chunking == "page":
        groups = list(runs(lines, lambda line: line.page_number))
    elif cutting.chunking == "fixed":
        groups = list(fixed_groups(lines, cutting.chunk_size, cutting.chunk_overlap))
    else:
        joints = joints_of(lines)
        groups = [
            group
            for section in runs(lines, lambda line: line.toc_index)
            for group in pack_section(section, size, joints)
        ]
    # Where each line ends in the document's text, which is every line in order, joined by line feeds (R91).
    ends = list(accumulate((len(line.text) + 1 for line in reading.lines), initial=0))
    running = running_passages(reading.lines, ends, first_index=len(groups))
    made, limit = len(groups) + len(running), (limits or Limits()).passages
    if made > limit:
        raise refusal("too_many_passages", passages=made, limit=limit)
    # Searched with every passage of a section, never quoted: its breadcrumb.
    contexts = {
        entry.index: reading.title if entry.origin == "front" else name_in_force(entry.breadcrumb)
        for entry in reading.toc
    }
    tops = page_tops(lines)
    joiner = Joiner(lines)
    parents = parents_of(groups, reading.toc, lines, lambda line: estimated_tokens(searched_text(line)))
    passages = [
        passage_row(
            index,
            group,
            ends,
            classify_passage(group),
            joiner.text_of(group),
            with_top(contexts.get(group[0].toc_index, ""), group, tops),
            parent,
        )
        for index, (group, parent) in enumerate(zip(groups, parents, strict=True))
    ]
    return passages + running


def running_passages(lines: Sequence[LineRow], ends: Sequence[int], first_index: int) -> list[PassageRow]:
    """A passage for each group of running heads that stand together, so that a base finds what only they say."""
    heads = [lines[number - 1] for number in find_running_heads(lines)]
    places = {line.number: place for place, line in enumerate(heads)}
    together = runs(heads, lambda line: (line.page_number, line.number - places[line.number]))
    return [
        passage_row(index, group, ends, RUNNING, "\n".join(map(searched_text, group)))
        for index, group in enumerate(together, first_index)
    ]


def passage_row(
    index: int,
    group: Sequence[LineRow],
    ends: Sequence[int],
    kind: str,
    text: str,
    context: str = "",
    parent: tuple[int, int] | None = None,
) -> PassageRow:
    """The passage of some lines; without a parent it is its own."""
    first, last = group[0], group[-1]
    places = first.number, last.number, first.page_number, last.page_number, first.toc_index
    characters = ends[first.number - 1], ends[last.number] - 1
    return PassageRow(index, *places, kind, text, context, "", *characters, *(parent or (first.number, last.number)))


def page_tops(lines: Sequence[LineRow]) -> dict[int, list[LineRow]]:
    """The short lines at the top of each page: a statement's name, its unit, its years."""
    return {
        page[0].page_number: list(takewhile(lambda line: len(line.text) <= TOP_CHARS, page[:TOP_LINES]))
        for page in runs(lines, lambda line: line.page_number)
    }


def with_top(context: str, group: Sequence[LineRow], tops: dict[int, list[LineRow]]) -> str:
    """The context of a passage. Table rows also get the lines at the top of their page, which they depend on."""
    if classify_passage(group) != "table":
        return context
    tops_here = tops[group[0].page_number]
    said = (searched_text(line) for line in tops_here if line.number < group[0].number)
    above = [text for text in said if text not in context]
    return "\n".join([context, *above]) if above else context


def classify_passage(group: Sequence[LineRow]) -> str:
    for line_kind, kind in (("table_row", "table"), ("list_item", "list")):
        if sum(line.kind == line_kind for line in group) * 2 > len(group):
            return kind
    return "heading" if all(line.kind == "heading" for line in group) else "text"


def runs(lines: Sequence[LineRow], key: Callable[[LineRow], object]) -> Iterator[list[LineRow]]:
    return (list(run) for _, run in groupby(lines, key))


def fixed_groups(lines: Sequence[LineRow], size: int, overlap: int) -> Iterator[list[LineRow]]:
    """Whole lines up to a size in characters; each group repeats the last lines of the one before."""
    start = 0
    while start < len(lines):
        end, chars = start, 0
        while end < len(lines) and (end == start or chars + len(lines[end].text) <= size):
            chars += len(lines[end].text) + 1
            end += 1
        yield list(lines[start:end])
        if end == len(lines):
            return
        following, repeated = end, 0
        while following - 1 > start and repeated + len(lines[following - 1].text) <= overlap:
            following -= 1
            repeated += len(lines[following].text) + 1
        start = following


# ---- sections


def pack_section(section: Sequence[LineRow], size: PassageSize, joints: frozenset[int]) -> Iterator[list[LineRow]]:
    """The lines of one section as passages of a size, cut between blocks; one that belongs together may be longer."""
    group: list[LineRow] = []
    tokens = 0
    for block in blocks_of(section, joints):
        counts = [estimated_tokens(searched_text(line)) for line in block]
        total = sum(counts)
        is_new_part = block[0].kind == "heading" and tokens > size.enough
        if (
            group
            and (tokens + total > size.most or is_new_part)
            and not (
                total <= SMALL_TOKENS and tokens + total <= size.most + SMALL_TOKENS and block[0].kind != "heading"
            )
        ):
            yield group
            group, tokens = [], 0
        most = UNIT_TOKENS_MAX if is_unit(block) else size.most
        if tokens + total <= most or not group and total <= most + SMALL_TOKENS:
            group.extend(block)
            tokens += total
            continue
        for part in split_block(block, counts, most):
            if group:
                yield group
            group = part
        tokens = sum([estimated_tokens(searched_text(line)) for line in group])
    if group:
        yield group


def split_block(block: Sequence[LineRow], counts: Sequence[int], most: int) -> Iterator[list[LineRow]]:
    """Split a block too long for one passage into parts of similar size, between lines (R3: a line is what is cited).

    Where a row, an item or a sentence ends with a line of the second half of a part, the part ends there.
    """
    target = sum(counts) / -(-sum(counts) // most)
    first, tokens = 0, 0
    for place, count in enumerate(counts):
        while place > first and (tokens + count > most or tokens >= target):
            end, size = place, tokens
            while end > first and not ends_piece(block[end - 1], block[end]):
                end -= 1
                size -= counts[end]
            if size * 2 < target:
                end, size = place, tokens
            yield list(block[first:end])
            first, tokens = end, tokens - size
        tokens += count
    yield list(block[first:])


# ---- text


def searched_text(line: LineRow) -> str:
    """The text of a line without what is struck through, and without leader dots, which say nothing and cost tokens."""
    text = line.text_in_force
    if line.struck:
        text = " ".join(text.split())
    return " ".join(LEADERS.sub(" ", text).split()) if "..." in text or ". ." in text else text


class Joiner:
    """Joins the lines of a passage into one text, with words broken at line ends made whole."""

    def __init__(self, lines: Sequence[LineRow]) -> None:
        self.lines = lines
        self._words: set[str] | None = None

    def text_of(self, group: Sequence[LineRow]) -> str:
        """Paragraphs are joined with spaces; headings, table rows and list items keep their own lines."""
        parts: list[str] = []
        for line, following in zip(group, [*group[1:], None], strict=True):
            text = searched_text(line)
            parts.append(text)
            if following is None:
                break
            if is_split_word(text, following.text):
                parts[-1] = text[:-1] if self.is_one_word(text, following.text) else text
            else:
                parts.append(" " if line.kind == following.kind == "body" else "\n")
        return "".join(parts)

    def is_one_word(self, text: str, following: str) -> bool:
        """Whether the hyphen is only there for the line end: the document has the word without it."""
        head, tail = re.split(r"\W+", text[:-1])[-1].lower(), re.match(r"\w*", following)
        whole = head + (tail[0].lower() if tail else "")
        return whole in self.words or head not in self.words

    @property
    def words(self) -> set[str]:
        """Every word of the document, computed on first use."""
        if self._words is None:
            self._words = {word for line in self.lines for word in WORD.findall(HALF_WORD.sub("", line.match))}
        return self._words
