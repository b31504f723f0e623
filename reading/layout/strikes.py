"""Words that are struck through: a rule, drawn or an annotation's, goes through their middle and not past both ends.

The rule of a table or below words is none, longer than words or at their edge; one through a row strikes every cell.

Struck words stay in their line, marked in its pieces; they are in no form that is searched, give no headline and no
value (cells, numbers, options, passages, cards and amendments are read from `LineRow.text_in_force`); quotes, names of
sections and the reading's warnings say so. The rules come with the text; to look at them takes a tenth of the time in
which the text is extracted. Where one may strike something the page is extracted a second time with styles, which takes
seven times as long: in 58 files of 4,332 pages without struck words that were five pages, and no word was taken for
struck.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from reading.boxes import in_frame
from reading.layout.extracted import Edges, Span, SpanBlock, SpanLine

DRAWN = 3  # the type of a block that is no text
RULE_HEIGHT_MAX, RULE_LENGTH_MIN = 2.0, 2.5  # points
MIDDLE = (0.3, 0.72)  # of the height of a span, from its top: its foot is at about 0.8
PAST_MAX, PAST_ONE_END_MAX = 3.0, 30.0  # points by which a rule may stand out at either end of the words, or at one
COVERED_MIN = 0.5  # of the width of a span that is struck
STRUCK_FLAG = 1  # of `char_flags`, where styles are collected

STRAIGHT = 0.99  # of a direction: the cosine of eight degrees


class DrawnRule(NamedTuple):
    """A rule along a line, in the frame in which its text reads from left to right."""

    y: float
    x0: float
    x1: float


def is_drawn(block: SpanBlock) -> bool:
    """Whether a block is something drawn, and no text."""
    return bool(block["type"] == DRAWN)


def without_drawn(blocks: Iterable[SpanBlock]) -> tuple[list[SpanBlock], list[SpanBlock]]:
    """The blocks of text, and those of what is drawn."""
    text: list[SpanBlock] = []
    drawn: list[SpanBlock] = []
    for block in blocks:
        (drawn if is_drawn(block) else text).append(block)
    return text, drawn


def mark_struck(
    blocks: list[SpanBlock], drawn: Sequence[SpanBlock], with_styles: Callable[[], list[SpanBlock]]
) -> list[SpanBlock]:
    """The blocks of a page, each struck span with the key "struck"; the same where nothing is struck.

    Where a rule may strike something the page is extracted again `with_styles`, which cuts spans where a rule ends.
    """
    if not drawn or not any(crossed_spans(blocks, drawn)):
        return blocks
    styled = with_styles()
    for span, share in crossed_spans(styled, drawn):
        is_word = any(map(str.isalnum, span["text"]))  # a root has its bar, a blank to fill in its line
        if is_word and span["char_flags"] & STRUCK_FLAG and share >= COVERED_MIN:
            span["struck"] = True
    return styled


def crossed_spans(blocks: Iterable[SpanBlock], drawn: Sequence[SpanBlock]) -> Iterator[tuple[Span, float]]:
    """The spans that rules go through, each with the share of its width."""
    straight = [*straight_lines(blocks)]
    for quarter in {quarter for quarter, _ in straight}:
        rules = rules_along(drawn, quarter)
        lines = [(in_frame(each["bbox"], quarter), each["spans"]) for own, each in straight if own == quarter and rules]
        rows: dict[DrawnRule, list[Edges]] = {}
        for line, _ in lines:
            for rule in through_middle(line, rules):
                rows.setdefault(rule, []).append(line)
        for line, spans in lines:
            for span in spans:
                box = in_frame(span["bbox"], quarter)
                through = through_middle(box, rules)
                found = [each for each in through if ends_with(each, [line]) or ends_with(each, rows.get(each, [line]))]
                if found:
                    yield span, covered_share_of(box, found)


def straight_lines(blocks: Iterable[SpanBlock]) -> Iterator[tuple[int, SpanLine]]:
    """The lines that run along an edge of the page, each with the quarter turns of its text."""
    for block in blocks:
        for line in block["lines"]:
            dx, dy = line["dir"]
            ways = (dx, dy, -dx, -dy)
            if max(ways) > STRAIGHT:
                yield ways.index(max(ways)), line


def rules_along(drawn: Iterable[SpanBlock], quarter: int) -> list[DrawnRule]:
    """The thin rules that run along text of a direction, from its top to its bottom."""
    turned = (in_frame(block["bbox"], quarter) for block in drawn)
    return sorted(
        DrawnRule((y0 + y1) / 2, x0, x1)
        for x0, y0, x1, y1 in turned
        if y1 - y0 <= RULE_HEIGHT_MAX and x1 - x0 >= RULE_LENGTH_MIN
    )


def through_middle(box: Edges, rules: Sequence[DrawnRule]) -> list[DrawnRule]:
    """The rules that go through the middle of a line or a span."""
    x0, top, x1, bottom = box
    height = bottom - top
    first = bisect_left(rules, top + MIDDLE[0] * height, key=itemgetter(0))
    last = bisect_right(rules, top + MIDDLE[1] * height, key=itemgetter(0))
    return [rule for rule in rules[first:last] if rule.x0 < x1 and x0 < rule.x1]


def ends_with(rule: DrawnRule, lines: Sequence[Edges]) -> bool:
    """Whether a rule ends with the words of a line, if only at one end, and is no more beyond them than over them;
    through several lines, which are the cells of a row, it goes from end to end.
    """
    before, behind = min(lines)[0] - rule.x0, rule.x1 - max(right for _, _, right, _ in lines)
    over = rule.x1 - rule.x0 - max(before, 0) - max(behind, 0)
    is_through = len(lines) == 1 or min(before, behind) >= -PAST_MAX
    return is_through and min(before, behind) <= PAST_MAX and max(before, behind) <= min(PAST_ONE_END_MAX, over)


def covered_share_of(span: Edges, rules: Sequence[DrawnRule]) -> float:
    """The share of a span's width that rules go through."""
    x0, _, x1, _ = span
    lengths = (min(rule.x1, x1) - max(rule.x0, x0) for rule in rules)
    return sum(lengths) / (x1 - x0) if x1 > x0 else 0.0
