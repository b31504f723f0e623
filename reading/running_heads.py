"""Running heads: each distinct line of furniture that says something, so that one copy of it can be searched (R9)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from reading.rows import UNSEARCHED_KINDS, LineRow

Edge = Literal["head", "foot", "margin"]

DIGITS = re.compile(r"\d+")
NUMBER = re.compile(r"(?<![\w.,$%])\d+(?![\w%]|[.,]\d)")  # no part of a code, of an amount or of "Clause 1.5"
ROMAN_NUMBER = re.compile(r"[\W_]*[ivxlc]{1,7}[\W_]*")
PAGE_NUMBER_DIGITS = 4
COUNTING_SHARE = 0.5  # of the copies of a line whose number is as far from the page's: it counts the pages
BETWEEN_WORDS = re.compile(r"[^\w\n]+|_+")
PAGE_WORDS = frozenset(["page", "pages", "pg", "p", "of", "seite", "s", "von", "sur", "de", "pagina", "pag"])
PAGE_NUMBER = re.compile(r"\b(?:page|pg|p|seite|pagina|pag)\b\W*\d{1,4}\b(?:\W*(?:of|sur|von|de|/)\W*\d{1,4}\b)?")


class RunningHead(NamedTuple):
    """One distinct line of furniture: the pages it stands on, page numbers in it apart, and at which edge of them."""

    pages: tuple[int, ...]
    edge: Edge

    @property
    def place(self) -> str:
        """Where it stands, as said to readers: "at the head of 19 pages"."""
        where = "in the margin" if self.edge == "margin" else f"at the {self.edge}"
        return f"{where} of page {self.pages[0]}" if len(self.pages) == 1 else f"{where} of {len(self.pages)} pages"


def find_running_heads(lines: Sequence[LineRow]) -> dict[int, RunningHead]:
    """The number of the first copy of each distinct line of furniture, in reading order.

    Left out are bare page numbers, lines whose words are on a line of text as well (they are searched there), and the
    fences and comments of Markdown, which are in the source and on no page.
    """
    furniture = [line for line in lines if line.kind == "furniture" and line.method != "markdown"]
    if not furniture:
        return {}
    copies: dict[str, list[LineRow]] = defaultdict(list)
    for line, said in say_without_page_numbers(furniture):
        if said:
            copies[said].append(line)
    text = words_in_text(lines)
    middle = max(line.y1 for line in lines) / 2
    heads = {
        same[0].number: RunningHead(tuple(dict.fromkeys(line.page_number for line in same)), edge_of(same[0], middle))
        for said, same in copies.items()
        if f" {said} " not in text
    }
    return dict(sorted(heads.items()))


def say_without_page_numbers(furniture: Sequence[LineRow]) -> Iterable[tuple[LineRow, str]]:
    """Each line with its words, the number of its page left out; "" where nothing else is said."""
    alike: dict[str, list[LineRow]] = defaultdict(list)
    for line in furniture:
        alike[DIGITS.sub("#", line.match)].append(line)
    for same in alike.values():
        counting = numbers_that_count(same)
        for line in same:
            yield line, what_is_said(line.match, counting)


def numbers_that_count(same: Sequence[LineRow]) -> frozenset[int]:
    """Which numbers of a line, by their place in it, count up with the pages."""
    columns = zip(
        *([(number, line.page_number) for number in NUMBER.findall(line.match)] for line in same), strict=True
    )
    return frozenset(place for place, column in enumerate(columns) if is_counting(column))


def is_counting(column: Sequence[tuple[str, int]]) -> bool:
    if len({number for number, _ in column}) < 2:
        return False
    steps = Counter(int(number) - page for number, page in column if len(number) <= PAGE_NUMBER_DIGITS)
    return bool(steps) and max(steps.values()) >= COUNTING_SHARE * len(column)


def what_is_said(match: str, counting: frozenset[int]) -> str:
    """The words of a line but its page number; "" for a line that only numbers its page."""
    places = iter(range(len(match)))
    text = NUMBER.sub(lambda found: " " if next(places) in counting else found[0], match)
    words = BETWEEN_WORDS.sub(" ", PAGE_NUMBER.sub(" ", text)).split()
    said = [word for word in words if word not in PAGE_WORDS]
    is_number = all(word.isdigit() and len(word) <= PAGE_NUMBER_DIGITS for word in said)
    return "" if is_number or ROMAN_NUMBER.fullmatch(match) else " ".join(words)


def words_in_text(lines: Sequence[LineRow]) -> str:
    """The words of the text, line by line, each between blanks."""
    text = "\n".join(f" {line.match} " for line in lines if line.kind not in UNSEARCHED_KINDS)
    return BETWEEN_WORDS.sub(" ", text)


def edge_of(line: LineRow, middle: float) -> Edge:
    is_upright = line.y1 - line.y0 <= line.x1 - line.x0
    if not is_upright and len(line.text) > 2:
        return "margin"
    return "head" if line.y0 < middle else "foot"
