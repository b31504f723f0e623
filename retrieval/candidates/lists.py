"""Lists as a document prints them: items below one another, over columns and pages, or in a sentence (R76, R77)."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.blocks import item_of, next_item
from reading.matching import match_form
from reading.rows import UNSEARCHED_KINDS, LineRow
from reading.values.sentences import SENTENCE
from retrieval.types import LineRange
from retrieval.words.counts import counting_words

ITEMS_MAX = 60
ITEMS_MIN = 2
ITEM_LINES_MAX = 60  # of one item, about a page; more is text that is set in
INDENT = 4.0  # points: the text of an item is set in from its marker
LINES_BEFORE, LINES_AFTER = 80, 200  # of an anchor, in which a list around or below it is looked for
INTRODUCED_BY = 3  # lines above the first item that may name what is listed
SENTENCE_LINES = 5  # over which a list in a sentence is read
ITEM_CHARS = 90  # of an item in a sentence; longer ones are clauses
ITEM_ENDS = (".", ";", ":")
OF_WORDS = 4  # the last of an introduction: "the following functions are used:"
BULLET = re.compile(r"^\s*(?:[-*\u2022\u2023\u25aa\u25cf\u2013\u2014]|\(?\w{1,5}[.)])\s+")


MARKER = re.compile(r"\A\s*+(?:\(?(\w{1,5})[.)]|([-*\u2022\u2023\u25aa\u25cf\u2013\u2014]))\s")
ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")


class Item(NamedTuple):
    """An item with all of its text; where a list is inside it, `lead` is what comes before that."""

    text: str
    lines: LineRange
    lead: str = ""
    children: tuple["Item", ...] = ()


class PrintedList(NamedTuple):
    """The items of a list, and the text above or before them that may name what they are."""

    items: tuple[Item, ...]
    introduction: str
    is_cut: bool = False  # it goes on before or after what was read
    is_in_sentence: bool = False

    @property
    def lines(self) -> LineRange:
        return LineRange(self.items[0].lines.first, self.items[-1].lines.last)

    def names(self, forms: Collection[str]) -> bool:
        """Whether the introduction has a word in one of these forms."""
        return not set(re.findall(r"\w+", match_form(self.introduction))).isdisjoint(forms)

    def is_of(self, forms: Collection[str]) -> bool:
        """Whether the introduction ends in a word in one of these forms, or in one that says that they follow."""
        words = re.findall(r"\w+", match_form(SENTENCE.split(self.introduction.strip())[-1]))
        return not set(words[-OF_WORDS:]).isdisjoint(forms)


def lists_around(anchor: LineRange, content: DocumentContent) -> list[PrintedList]:
    """The lists one below the other that the anchor is in, or that follow it in its neighbourhood."""
    lines = content.lines_between(anchor.first - LINES_BEFORE, anchor.last + LINES_AFTER)
    around = [found for found in read_lists(lines) if found.lines.last >= anchor.first]
    text = [line.number for line in lines if line.kind not in UNSEARCHED_KINDS]
    ends = {number for number in (*text[:1], *text[-1:]) if 1 < number < len(content.lines)}
    return [found._replace(is_cut=found.is_cut or not ends.isdisjoint(found.lines)) for found in around]


def read_lists(lines: Iterable[LineRow]) -> list[PrintedList]:
    """The lists of some lines. Page furniture between two items does not end a list, nor does a column or a page."""
    blocks: list[list[list[LineRow]]] = []
    above: list[LineRow] = []
    introductions: list[str] = []
    endless: set[int] = set()
    is_open = False
    for line in lines:
        if line.kind in UNSEARCHED_KINDS:
            continue
        if is_open and is_next_item(blocks[-1], line):
            blocks[-1].append([line])
        elif is_open and is_rest_of_item(blocks[-1][-1], line):
            if len(blocks[-1][-1]) == ITEM_LINES_MAX:
                endless.add(len(blocks) - 1)
            else:
                blocks[-1][-1].append(line)
        elif is_open := line.kind == "list_item":
            blocks.append([[line]])
            introductions.append(" ".join(row.text for row in above[-INTRODUCED_BY:]))
        above.append(line)
    return [
        PrintedList(tuple(map(read_item, block[:ITEMS_MAX])), introduction, len(block) > ITEMS_MAX or is_endless)
        for block, introduction, is_endless in join_around(blocks, introductions, endless)
        if len(block) >= ITEMS_MIN
    ]


Block = list[list[LineRow]]


def join_around(
    blocks: Sequence[Block], introductions: Sequence[str], endless: Collection[int]
) -> Iterator[tuple[Block, str, bool]]:
    """The lists with what introduces each; one that is not set in and parts another (1, a, b, 2) is inside it."""
    joined: list[tuple[Block, str, bool]] = []
    for number, block in enumerate(blocks):
        if len(joined) > 1 and is_parted(joined[-2][0], joined[-1][0], block):
            inner, _, is_endless = joined.pop()
            outer, introduction, was_endless = joined.pop()
            last = [*outer[-1], *(line for item in inner for line in item)]
            whole = [*outer[:-1], last, *block]
            joined.append((whole, introduction, is_endless or was_endless or number in endless))
        else:
            joined.append((block, introductions[number], number in endless))
    yield from joined


def is_parted(outer: Block, inner: Block, rest: Block) -> bool:
    """Whether a list goes on right after another, which began right after its last item with a first marker."""
    is_right_after = all(
        one[-1][-1].number + 1 == other[0][0].number and is_beside(one[0][0], other[0][0])
        for one, other in ((outer, inner), (inner, rest))
    )
    last, first, following = (item_marker(block[at][0]) for block, at in ((outer, -1), (inner, 0), (rest, 0)))
    fits = sum(len(item) for item in inner) + len(outer[-1]) <= ITEM_LINES_MAX
    return is_right_after and fits and first in ("a", "i", "1") and last.isalnum() and following in next_markers(last)


def is_next_item(block: Sequence[Sequence[LineRow]], line: LineRow) -> bool:
    """Whether a line begins the next item of a list: not a list inside its last item, nor another list.

    A line read as a heading does if its number is the next one.
    """
    first, last = block[0][0], block[-1][0]
    if line.kind not in ("list_item", "heading") or (is_beside(first, line) and abs(line.x0 - first.x0) > INDENT):
        return False
    before, now = item_of(last.text), item_of(line.text)
    is_counted = before.isalnum() and now.isalnum()
    if line.kind == "heading":
        return is_counted and now == next_item(before)
    if BULLET.match(first.text) and not BULLET.match(line.text):
        return False
    return not is_counted or now == next_item(before)


def is_rest_of_item(item: Sequence[LineRow], line: LineRow) -> bool:
    """Whether a line goes on in an item: it is set in as the item's text is, a list inside it, or mid-sentence."""
    marked, last = item[0], item[-1]
    if line.kind not in ("body", "list_item"):
        return False
    if line.kind == "list_item" and BULLET.match(marked.text) and not BULLET.match(line.text):
        return True
    if is_beside(marked, line) and line.x0 > marked.x0 + INDENT:
        return True
    if line.kind == "body" and len(item) > 1 and not is_beside(marked, line) and abs(line.x0 - last.x0) < INDENT:
        return True  # on the next page, set in as before
    return line.kind == "body" and not last.text.rstrip().endswith(ITEM_ENDS) and line.text.lstrip()[:1].islower()


def is_beside(one: LineRow, other: LineRow) -> bool:
    """Whether two lines are in one column, so that their left edges can be compared."""
    return (one.page_number, one.column) == (other.page_number, other.column)


def read_item(lines: Sequence[LineRow]) -> Item:
    """The item of some lines, with the items of the list inside it."""
    first = next((at for at, line in enumerate(lines) if at and line.kind == "list_item"), len(lines))
    parts = part_items(lines[first:])
    children = tuple(map(read_item, parts)) if len(parts) >= ITEMS_MIN else ()
    lead = text_of(lines[:first]) if children else ""
    return Item(text_of(lines), LineRange(lines[0].number, lines[-1].number), lead, children)


def text_of(lines: Sequence[LineRow]) -> str:
    return BULLET.sub("", " ".join(" ".join(line.text for line in lines).split()))


def part_items(lines: Sequence[LineRow]) -> list[list[LineRow]]:
    """The items of a list that begins with these lines; what does not count on belongs to the item before."""
    parts: list[list[LineRow]] = []
    for line in lines:
        if not parts or (line.kind == "list_item" and is_sibling(parts, line)):
            parts.append([line])
        else:
            parts[-1].append(line)
    return parts


def is_sibling(parts: Sequence[Sequence[LineRow]], line: LineRow) -> bool:
    """Whether a line begins the next item of these: by its number or letter, or by the same sign at the same edge."""
    before, now = item_marker(parts[-1][0]), item_marker(line)
    if before.isalnum() or now.isalnum():
        return now in next_markers(before)
    return before == now and not (is_beside(parts[0][0], line) and abs(line.x0 - parts[0][0].x0) > INDENT)


def item_marker(line: LineRow) -> str:
    """The number, letter or sign an item begins with, in lower case; "" without one."""
    found = MARKER.match(line.text)
    return next(filter(None, found.groups())).lower() if found else ""


def next_markers(marker: str) -> set[str]:
    """What may come after a number or letter; "i" is both a letter and a Roman number."""
    found = {str(int(marker) + 1)} if marker.isdecimal() else set()
    found |= {chr(ord(marker) + 1)} if len(marker) == 1 and "a" <= marker < "z" else set()
    return found | ({ROMANS[ROMANS.index(marker) + 1]} if marker in ROMANS[:-1] else set())


# ---- in a sentence


@cache
def series_start() -> re.Pattern[str]:
    """What stands between the name of the things and the first of them."""
    words = "|".join(counting_words().introducing)
    return re.compile(rf"^[^:\u2014\u2013.;]{{0,60}}?(?:[:\u2014\u2013]|\b(?:{words})\b:?)\s*", re.IGNORECASE)


@cache
def series_joint() -> re.Pattern[str]:
    words = "|".join(sorted(counting_words().joining, key=len, reverse=True))
    return re.compile(rf"(?:^|\s)(?:{words})\s+", re.IGNORECASE)


def series_at(number: int, content: DocumentContent, forms: Collection[str]) -> PrintedList | None:
    """The things that the sentence on this line names and then lists: "six functions: Govern, …, and Recover"."""
    rows = [
        row for row in content.lines_between(number, number + SENTENCE_LINES - 1) if row.kind not in UNSEARCHED_KINDS
    ]
    starts = list(accumulate((len(row.text) + 1 for row in rows), initial=0))
    text = " ".join(row.text for row in rows)
    for word in re.finditer(r"\w+", rows[0].text if rows else ""):
        begun = series_start().match(text[word.end() :]) if match_form(word.group()) in forms else None
        if begun is None:
            continue
        first = word.end() + begun.end()
        pieces = split_series(text[first:], first)
        if pieces:
            items = [
                Item(
                    said,
                    LineRange(*(rows[bisect_right(starts, at) - 1].number for at in (start, start + len(said) - 1))),
                )
                for said, start in pieces
            ]
            return PrintedList(tuple(items), text[:first], is_in_sentence=True)
    return None


def commas_outside(text: str) -> list[int]:
    """The places of the commas that are in no brackets."""
    found, depth = [], 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            found.append(place)
    return found


def split_series(text: str, offset: int) -> list[tuple[str, int]]:
    """The members of "A, B (x, y), and C" up to the end of the sentence, each with its place; [] if it is no series."""
    ended = re.search(r"[.;](?:\s|$)|\s[\u2014\u2013]\s", text)
    text = text[: ended.start()] if ended else text
    cuts = commas_outside(text)
    spans = list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(text)], strict=True))
    first, last = spans[-1]
    joints = list(series_joint().finditer(text, first, last))
    if not joints:
        return []
    joint = joints[-1]
    spans[-1:] = (
        [(first, joint.start()), (joint.end(), last)] if text[first : joint.start()].strip() else [(joint.end(), last)]
    )
    found = [
        (text[start:end].strip(), offset + start + len(text[start:end]) - len(text[start:end].lstrip()))
        for start, end in spans
    ]
    return found if len(found) >= ITEMS_MIN and all(0 < len(said) <= ITEM_CHARS for said, _ in found) else []
