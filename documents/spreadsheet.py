"""CSV that no spreadsheet executes, whichever separator it takes: every export is written here.

Text that looks like a formula gets an apostrophe. That is so at the start of a cell, and after each semicolon, tab and
line break in it: where a file is opened with another separator, its quotes no longer hold a cell together.
"""

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

# Quotes and spaces before it do not stop a spreadsheet; the wide signs are those of East Asian keyboards.
FORMULA = "[ \"']*[=+\\-@\t\r＝＋－＠]"
CELL_START = "(?:\\A|(?<=[;\t\r\n]))"
UNDEFUSED = re.compile(f"{CELL_START}(?={FORMULA})")
DEFUSED = re.compile(f"{CELL_START}'(?={FORMULA})")


def write_csv(rows: Iterable[Iterable[Any]], *, is_literal: bool = False) -> str:
    """The rows as CSV, every cell quoted; literal ones are for programs and may be formulas."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerows(rows if is_literal else (map(defuse, row) for row in rows))
    return out.getvalue()


def defuse(cell: Any) -> Any:
    """A cell that no spreadsheet treats as a formula."""
    return UNDEFUSED.sub("'", cell) if isinstance(cell, str) else cell


def restore(cell: str) -> str:
    """Undo `defuse`."""
    return DEFUSED.sub("", cell)
