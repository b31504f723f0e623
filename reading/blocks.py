"""Blocks of lines that belong together: a paragraph, a list with its lead-in, a table with its head, a definition."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from reading.markdown import goes_on_in_row
from reading.rows import LineRow
from reading.tables import read_tables
from reading.values.sentences import LINE_ENDS_BLOCK

TABLE_HEAD_LINES = 4  # lines right above a table with its name and columns
GAP_LINES = 0.7  # of a line's height: a gap this large ends a paragraph
ROWS_SHARE = 2  # at least one line in two of a table is a row; the others are its head and labels
ITEM_LINES_MAX = 4  # of an item on average; a longer one is a paragraph that says something by itself
LEAD_LINES_MAX = 6  # above the first item; in a longer paragraph a line only happens to begin with a number

ITEM = re.compile(r"\(?(?:(\d{1,3})[.)]|([A-Za-z])[.)]|([•▪–—*-]))\s")
OPEN_ITEM = re.compile(r"[;,] ?[^\W\d_]{0,4}$")  # "…; and": the sentence of the list goes on in the next item
OUTDENT = 4.0  # points

VERBS = tomllib.loads(Path(__file__).with_name("definitions.toml").read_text(encoding="utf-8"))
VERB = "|".join(re.escape(verb) for verbs in VERBS.values() for verb in verbs)
MEANING = "|".join(re.escape(verb) for name, verbs in VERBS.items() if name != "including" for verb in verbs)
TERM = r'(?:"[^"]{2,80}"|\*\*[^*]{2,80}\*\*)'
DEFINITION = re.compile(
    rf"(?:[-*+] )?(?:\(?[\w.]{{1,8}}[.)]? )?{TERM}(?:,? \w{{1,4}} {TERM}){{0,3}}"
    rf"(?:,? [^\".;:]{{0,80}}?)? ?\b(?:{VERB})\b|(?:[-*+] )?\*\*[^*]{{2,80}}(?:\*\* ?[:-]|:\*\*) "
)


def blocks_of(section: Sequence[LineRow], joints: frozenset[int] = frozenset()) -> Iterator[list[LineRow]]:
    """The lines of a section in order, as blocks; a line whose number is in `joints` goes on with the one before."""
    block: list[LineRow] = []
    for index, line in enumerate(section):
        following = section[index + 1] if index + 1 < len(section) else None
        if block and line.number not in joints and begins_block(line, block, following):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def joints_of(lines: Sequence[LineRow]) -> frozenset[int]:
    """The numbers of all lines inside a table but its first one: labels and headings of its groups among them."""
    joints: set[int] = set()
    for _, page in groupby(lines, key=lambda line: line.page_number):
        for table in read_tables(list(page)):
            joints.update(range(table.first_line + 1, table.last_line + 1))
    return frozenset(joints)


def is_unit(block: Sequence[LineRow]) -> bool:
    """Whether a block is a table, a list or a definition, which is never split (R90)."""
    rows = sum(line.kind == "table_row" for line in block)
    return rows * ROWS_SHARE >= len(block) or is_list(block) or is_definition(block[0], block[1] if block[1:] else None)


def is_list(block: Sequence[LineRow]) -> bool:
    """Whether a block is short items below a short lead-in."""
    items = [place for place, line in enumerate(block) if line.kind == "list_item"]
    return len(items) > 1 and items[0] <= LEAD_LINES_MAX and len(block) - items[0] <= ITEM_LINES_MAX * len(items)


def is_definition(line: LineRow, following: LineRow | None) -> bool:
    """Whether a line begins the definition of a term; its verb may be on the next line."""
    if line.match[:1] not in '"(*-+' and '"' not in line.match[:12]:
        return False
    text = f"{line.match} {following.match}" if following else line.match
    return DEFINITION.match(text) is not None


def ends_piece(line: LineRow, following: LineRow) -> bool:
    """Whether a row, an item or a sentence ends with a line."""
    if following.kind == "list_item" and item_of(following.text):
        return True
    if "table_row" in (line.kind, following.kind):
        return line.kind == following.kind and not goes_on_in_row(line, following)
    return LINE_ENDS_BLOCK.search(line.text.rstrip()) is not None and not following.text[:1].islower()


def begins_block(line: LineRow, block: Sequence[LineRow], following: LineRow | None) -> bool:
    last = block[-1]
    if all(member.kind in ("heading", "caption") for member in block):
        return False
    if line.kind in ("heading", "caption"):
        return True
    if line.kind == "table_row" or last.kind == "table_row":
        return not is_table_joint(line, block, following)
    if line.kind == "list_item":
        return not is_list_joint(line, block)
    if is_definition(line, following):
        return True
    if last.text.rstrip().endswith((".", "!", "?")) and is_outside_list(line, block):
        return True
    if last.page_number != line.page_number or last.column != line.column:
        return last.text.rstrip().endswith((".", ":", "!", "?"))
    return line.y0 - last.y1 > GAP_LINES * (last.y1 - last.y0)


def is_table_joint(line: LineRow, block: Sequence[LineRow], following: LineRow | None) -> bool:
    """Whether a line at a table's edge or inside it belongs to the block."""
    if line.kind == "table_row":
        return any(member.kind == "table_row" for member in block[-3:]) or len(block) <= TABLE_HEAD_LINES
    return following is not None and following.kind == "table_row"  # a label without amounts between two rows


def is_list_joint(line: LineRow, block: Sequence[LineRow]) -> bool:
    """Whether an item goes on with the list of the block: after its lead-in or a short item.

    After an item of several lines only where both are one sentence, or the lead-in announces them and they count on.
    """
    last = block[-1]
    if is_definition(line, None):
        return False
    if last.kind == "list_item" or last.text.rstrip().endswith(":"):
        return True
    items = [place for place, member in enumerate(block) if member.kind == "list_item"]
    if not items or len(block) - items[-1] > ITEM_LINES_MAX:
        return False
    before, item = item_of(block[items[-1]].text), item_of(line.text)
    is_next = bool(item) and item == (next_item(before) if before.isalnum() else before)
    return OPEN_ITEM.search(last.text.rstrip()) is not None or is_next and is_announced(block)


def is_outside_list(line: LineRow, block: Sequence[LineRow]) -> bool:
    """Whether a line stands further left than the markers of the items above it."""
    item = next((member for member in reversed(block) if member.kind == "list_item"), None)
    return item is not None and line.column == item.column and line.x0 < item.x0 - OUTDENT


def is_announced(block: Sequence[LineRow]) -> bool:
    """Whether the line above the first item of a block ends with a colon."""
    above = next((first for first, second in pairwise(block) if second.kind == "list_item"), None)
    return above is not None and above.kind != "list_item" and above.text.rstrip().endswith(":")


def item_of(text: str) -> str:
    """The marker of a list item without brackets and stops: "e", "12", "•"; "" for other lines."""
    found = ITEM.match(text.strip())
    return next(filter(None, found.groups())).lower() if found else ""


def next_item(item: str) -> str:
    if item.isdigit():
        return str(int(item) + 1)
    return chr(ord(item) + 1) if item.isalpha() else item
