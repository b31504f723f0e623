"""Values from the rows of financial statements: label, column year, amount, unit. Unclear ones are left out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import UNSEARCHED_KINDS, LineRow
from retrieval.words.statements import NAME_CHARS_MAX, statement_patterns

HEAD_LINES = 12  # a statement's name, unit and years are above its first row
AMOUNT_ROWS_MIN = 5  # a page with fewer rows of amounts only mentions a statement
NOTE_MAX = 99  # a note's number, in its own column
SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}

SIGN = re.compile(
    r"(?<!\w)(?:\(?\s{0,8}(?:[$\u20ac\u00a3]\s{0,8})?\(?\d[\d,]*(?:\.\d+)?\)?\s?%?\)?|[\u2014\u2013-](?=\s|$))"
)
BETWEEN_SIGNS = " .$\u20ac\u00a3"
LETTER = re.compile(r"[^\W\d_]")
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+(?:\.\d+)?")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
DAY = re.compile(r"\b[0-3]?\d\b")
SCALE = re.compile(r"(?:\bin|\b(?:eur|usd|gbp|chf)|[$\u20ac\u00a3]) ?(thousand|million|billion)s?\b")
NOTE_COLUMN = re.compile(r"\bnotes?\b")
REFERENCE = re.compile(r"(?<!\s)\s*\((?:note|see)[^)]{0,80}\)|(?<![\s.:,])[\s.:,]+$")


@dataclass(frozen=True)
class Cell:
    """One amount of a row: its year, its value before the page's unit, and where it is printed."""

    year: str
    amount: Decimal
    start: int
    end: int


@dataclass(frozen=True)
class StatementRow:
    """A row of a statement. `label` is in match form; `scale` is 1000 for "in thousands", None if no unit is stated."""

    statement: str
    label: str
    line: LineRow
    cells: tuple[Cell, ...]
    scale: int | None

    def cell(self, year: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.year == year), None)


def statement_rows(content: DocumentContent) -> list[StatementRow]:
    """Every readable row of the pages that are named as a statement and look like one, in document order."""
    pages: dict[int, list[LineRow]] = {}
    for line in content.lines:
        pages.setdefault(line.page_number, []).append(line)
    return [row for lines in pages.values() for row in rows_of_page(lines)]


def rows_of_page(lines: Sequence[LineRow]) -> list[StatementRow]:
    """The rows of one statement page; none if it is no statement, or if its columns cannot be identified."""
    statement = statement_of(lines[:HEAD_LINES])
    amounts = [line for line in lines if is_amount_row(line)] if statement else []
    if len(amounts) < AMOUNT_ROWS_MIN:
        return []
    head = [line for line in lines if line.number < amounts[0].number]
    years = read_column_years(head)
    found = SCALE.search(" ".join(line.match for line in head))
    scale = SCALES[found[1]] if found else None
    has_notes = any(NOTE_COLUMN.search(line.match) and YEAR.search(line.text) for line in head)
    rows = (read_statement_row(line, statement, years, scale, has_notes=has_notes) for line in amounts)
    return [row for row in rows if row is not None and years]


def statement_of(head: Iterable[LineRow]) -> str:
    """The statement named by the lines at the top of a page; "" if none or several."""
    lines = [line for line in head if len(line.match) <= NAME_CHARS_MAX and line.kind != "table_row"]
    named = {kind for kind, pattern in statement_patterns().items() for line in lines if pattern.search(line.match)}
    return named.pop() if len(named) == 1 else ""


def is_amount_row(line: LineRow) -> bool:
    """Whether the line has a label and at least two amounts, not only years and days."""
    if line.kind in UNSEARCHED_KINDS:
        return False
    return len(years_on(line)) < 2 and len(split_row(line.text)[1]) > 1


def split_row(text: str) -> tuple[str, list[re.Match[str]]]:
    """The label of a row and the amounts at its end, with only leaders and currency signs between them."""
    signs: list[re.Match[str]] = []
    end = len(text.rstrip())
    for sign in reversed(list(SIGN.finditer(text))):
        is_open = sign[0].count(")") > sign[0].count("(")  # "4)" may close a bracket of the label
        if is_open or text[sign.end() : end].strip(BETWEEN_SIGNS):
            break
        signs.insert(0, sign)
        end = sign.start()
    return (text[:end], signs) if LETTER.search(text[:end]) else ("", [])


def read_column_years(head: Iterable[LineRow]) -> tuple[str, ...]:
    """The years of the columns: those on the last line above the rows that names several, each once."""
    named = [years for line in head if len(years := years_on(line)) > 1]
    years = named[-1] if named else ()
    return years if len(set(years)) == len(years) else ()


def years_on(line: LineRow) -> tuple[str, ...]:
    """The years on a heading line; none if it has other figures than years and days."""
    rest = DAY.sub("", YEAR.sub("", line.text))
    return () if re.search(r"\d", rest) else tuple(YEAR.findall(line.text))


def read_statement_row(
    line: LineRow, statement: str, years: Sequence[str], scale: int | None, *, has_notes: bool
) -> StatementRow | None:
    """The row of a line; None if its amounts do not match the columns one to one."""
    label, signs = split_row(line.text)
    if has_notes and len(signs) == len(years) + 1 and is_note(signs[0][0]):
        signs = signs[1:]
    if len(signs) != len(years) or any("%" in sign[0] for sign in signs):
        return None
    cells = tuple(
        Cell(year, parse_amount(sign[0]), sign.start(), sign.end()) for year, sign in zip(years, signs, strict=True)
    )
    return StatementRow(statement, label_form(label), line, cells, scale)


def is_note(sign: str) -> bool:
    return sign.strip().isdigit() and int(sign) <= NOTE_MAX


def parse_amount(sign: str) -> Decimal:
    """Parse an amount: brackets mean minus, a dash means zero."""
    found = THOUSANDS.search(sign)
    if found is None:
        return Decimal(0)
    amount = Decimal(found[0].replace(",", ""))
    return -amount if "(" in sign else amount


def label_form(text: str) -> str:
    """A row's label in match form, without leaders, note references and the like."""
    form = match_form(text)
    while (shorter := REFERENCE.sub("", form)) != form:
        form = shorter
    return form.strip(" .:$")
