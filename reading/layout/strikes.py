"""Words that are struck through: a drawn rule, or an annotation's, goes through the middle of them and not past them.

The rule of a table or below words is none: it is longer than the words, or stands at their edge.

They stay in their line, marked in its pieces; they are in no form that is searched, give no headline and no value, and
quotes and the reading's warnings say so. The rules come with the text; to look at them takes a tenth of the time in
which the text is extracted. Where one may strike something the page is extracted a second time with styles, which takes
seven times as long: in 58 files of 4,332 pages without struck words that were five pages, and no word was taken for
struck.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

DRAWN = 3  # the type of a block that is no text
RULE_HEIGHT_MAX, RULE_LENGTH_MIN = 2.0, 2.5  # points
MIDDLE = (0.3, 0.72)  # of the height of a span, from its top: its foot is at about 0.8
PAST_MAX = 3.0  # points by which a rule may stand out at either end of the words
COVERED_MIN = 0.5  # of the width of a span that is struck
STRUCK_FLAG = 1  # of `char_flags`, where styles are collected

Block = dict[str, Any]


class DrawnRule(NamedTuple):
    """A horizontal rule, in points."""

    y: float
    x0: float
    x1: float


def is_drawn(block: Block) -> bool:
    """Whether a block is something drawn, and no text."""
    return bool(block["type"] == DRAWN)


def without_rules(blocks: Iterable[Block]) -> tuple[list[Block], list[DrawnRule]]:
    """The blocks of text, and the thin horizontal rules among what is drawn, from top to bottom."""
    text: list[Block] = []
    rules: list[DrawnRule] = []
    for block in blocks:
        if not is_drawn(block):
            text.append(block)
            continue
        x0, y0, x1, y1 = block["bbox"]
        if y1 - y0 <= RULE_HEIGHT_MAX and x1 - x0 >= RULE_LENGTH_MIN:
            rules.append(DrawnRule((y0 + y1) / 2, x0, x1))
    return text, sorted(rules)


def mark_struck(blocks: list[Block], rules: Sequence[DrawnRule], with_styles: Callable[[], list[Block]]) -> list[Block]:
    """The blocks of a page, each struck span with the key "struck"; the same where nothing is struck.

    Where a rule may strike something the page is extracted again `with_styles`, which cuts spans where a rule ends.
    """
    if not rules or not any(crossing(line, span, rules) for line in level_lines(blocks) for span in line["spans"]):
        return blocks
    styled = with_styles()
    for line in level_lines(styled):
        for span in line["spans"]:
            is_word = any(map(str.isalnum, span["text"]))  # a root has its bar, a blank to fill in its line
            if is_word and span["char_flags"] & STRUCK_FLAG and covered_share_of(line, span, rules) >= COVERED_MIN:
                span["struck"] = True
    return styled


def level_lines(blocks: Iterable[Block]) -> Iterator[dict[str, Any]]:
    """The lines that run from left to right."""
    return (line for block in blocks for line in block["lines"] if line["dir"][0] > 0.99)


def crossing(line: dict[str, Any], span: dict[str, Any], rules: Sequence[DrawnRule]) -> list[DrawnRule]:
    """The rules that go through the middle of a span and end with the words of its line."""
    _, top, _, bottom = span["bbox"]
    left, _, right, _ = line["bbox"]
    height = bottom - top
    first = bisect_left(rules, top + MIDDLE[0] * height, key=itemgetter(0))
    last = bisect_right(rules, top + MIDDLE[1] * height, key=itemgetter(0))
    x0, _, x1, _ = span["bbox"]
    return [
        rule
        for rule in rules[first:last]
        if rule.x0 < x1 and x0 < rule.x1 and rule.x0 >= left - PAST_MAX and rule.x1 <= right + PAST_MAX
    ]


def covered_share_of(line: dict[str, Any], span: dict[str, Any], rules: Sequence[DrawnRule]) -> float:
    """The share of a span's width that rules go through."""
    x0, _, x1, _ = span["bbox"]
    lengths = (min(rule.x1, x1) - max(rule.x0, x0) for rule in crossing(line, span, rules))
    return sum(lengths) / (x1 - x0) if x1 > x0 else 0.0
