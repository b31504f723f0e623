"""Is an input of a model's formula what it says? Its quote, value, sign, period and unit, held against the page (R78).

What cannot be told is refused: a figure is computed only from amounts of which each of these is known.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from chat.figures.arithmetic import Quantity, Units
from chat.figures.shown import FigureInput
from chat.figures.statement_rows import SCALE, read_column_years
from chat.writing.excerpts import CELL_SIGN, COPIED_NUMBER
from documents.storage.content import DocumentContent
from reading.layout.amounts import has_unread_sign, widen_to_signs, without_side
from reading.matching import match_form
from reading.rows import LineRow, name_in_force
from reading.tables import PERIOD, Table, TableCell, TableColumn, TableRow, amount_of, cells_of_line
from reading.values.currencies import CURRENCIES, CURRENCY_SIGNS, CURRENCY_WORDS
from reading.values.minus import LONG_DASH, MINUS
from reading.values.months import ENGLISH_STEMS
from reading.values.nothing import DASHES
from reading.values.numbers import number_before
from reading.values.scales import SCALE_NAMES, SCALE_WORD, SCALE_WORDS, SCALES
from reading.values.years import YEAR_WORD
from retrieval.candidates.calibration import calibrate
from retrieval.candidates.shown_rows import has_periods
from retrieval.models import RunCandidate
from retrieval.types import LineRange, QuotePiece
from retrieval.words.printed import (
    RANGE_BEFORE,
    TWO_WAYS,
    amounts_in,
    is_in_numerals,
    number_form,
    percentages_in,
)

NAMED_SCALE = re.compile(rf"\b({SCALE_WORD}|mn|bn|m)s?\b", re.IGNORECASE)
SCALE_STATED = re.compile(rf"{SCALE.pattern}|\((?:dollars |amounts |figures )?({SCALE_WORD})s?\b")
SCALE_AFTER = re.compile(rf"\)?\s?({SCALE_WORD}|mn|bn)s?\b", re.IGNORECASE)
PERCENT_AFTER = re.compile(r"\)?\s?(?:%|(?:percent|per cent|percentage points?)\b)\s?\)?", re.IGNORECASE)
PERCENT_WORD = re.compile(r"%|\b(?:percent|per cent|percentage)\b", re.IGNORECASE)
PER_SHARE = re.compile(r"\bper (?:\w+ ){0,2}(?:share|unit|ads|adr)\b|\beps\b", re.IGNORECASE)
SHARES = re.compile(r"\bshares?\b", re.IGNORECASE)
CURRENCY = re.compile(rf"us\$|[{CURRENCY_SIGNS}]|\b(?:us dollars?|{CURRENCY_WORDS})\b", re.IGNORECASE)
SHORT_YEAR = re.compile(r"(?:\bFY\s?|')(\d\d)\b", re.IGNORECASE)
NUMBER_IN_TEXT = re.compile(r"\d+(?:[.,\u2009\u00a0\u202f]\d+)*")
AMOUNT_IN_SENTENCE = re.compile(
    rf"(?:[{CURRENCY_SIGNS}]\s?|\b(?:USD|EUR|GBP|CHF)\s)\d+(?:[.,]\d+)*"
    rf"|(?<![\w.,{CURRENCY_SIGNS}])\d+(?:[.,]\d+)*(?=\s?(?:%|percent|{SCALE_WORD}|mn|bn))"
)
IN_ORDER = re.compile(r"\b(?:respectively|respectivement|jeweils)\b", re.IGNORECASE)
SIGN = re.compile(rf"[{MINUS}{LONG_DASH}]|\([^()]*\)")
MINUS_BEFORE = re.compile(rf"[{MINUS}][{CURRENCY_SIGNS}]?\Z")
MINUS_APART = re.compile(rf"(?<!\w)[{MINUS}]\s(?:[{CURRENCY_SIGNS}]\s?)?\Z")
SPANS = {  # months
    3: re.compile(r"\b(?:three[- ]months?|quarter(?:ly)?|[1-4]q|q[1-4])\b", re.IGNORECASE),
    6: re.compile(r"\b(?:six[- ]months?|half[- ]year|h[12])\b", re.IGNORECASE),
    9: re.compile(r"\bnine[- ]months?\b", re.IGNORECASE),
    12: re.compile(
        r"\b(?:twelve[- ]months?|(?:fiscal |full |calendar )?years?(?: ended)?|fy\s?\d{2,4}|annual)\b", re.IGNORECASE
    ),
}


COMPARED = re.compile(r"\b(?:vs|versus|change|increase|decrease|variance|growth)\b|[%\u2206\u0394]", re.IGNORECASE)
MONTHS_NAMED = re.compile(rf"\b(?:{ENGLISH_STEMS})[a-z]{{0,6}}\b", re.IGNORECASE)
EXCEPTION = re.compile(r"\bexcept\b", re.IGNORECASE)  # "USD millions, except per share data"
UNIT_FILLER = re.compile(r"\b(?:in|of|amounts?|figures?)\b", re.IGNORECASE)
PERIOD_WORD = re.compile(
    rf"(?:{ENGLISH_STEMS})[a-z]*|fiscal|full|years?|ended|months?|weeks?|quarters?|"
    r"three|six|nine|twelve|first|second|third|fourth|half|restated|unaudited|the|and|for"
)
ROWS_ABOVE = 6  # of a label over several rows: "Basic earnings per share: (a)"
LABEL_MAX = 60  # characters; a longer piece of a line above a table is a sentence
HEAD_REACH = 6  # lines above the first row, in which several columns are headed together
BESIDE_MAX = 60.0  # points from the middle of a heading to the nearest of its columns


WORDS_MAX = 160  # of a label, a meaning, a finding


class InputError(ValueError):
    """An input that may not be used; the message says why, for the model and the record."""


class AskedInput(BaseModel):
    """An input as the model names it."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    name: str
    meaning: str | None = ""
    period: str | None = ""
    excerpt: int
    quote: str
    value: str
    unit: str | None = ""


@dataclass(frozen=True)
class ExcerptSource:
    """What an excerpt was made of."""

    candidate: RunCandidate
    content: DocumentContent


@dataclass(frozen=True)
class CheckedInput:
    """An input that is what it says. `scale` is None where no unit is stated; `is_turned` if its sign was left out."""

    quantity: Quantity
    scale: int | None
    shown: FigureInput
    years: set[str]
    is_turned: bool = False


class PrintedNumber(NamedTuple):
    """A number on a page: characters [start, end) of a line, and its cell's table, row and column if it is in one."""

    text: str
    amount: Decimal
    line: LineRow
    start: int
    end: int
    table: Table | None = None
    row: TableRow | None = None
    column: int = 0


def cut_words(text: str) -> str:
    """Words of a model on one line, without what the text of an answer takes for a marker or a result."""
    plain = re.sub(r"[\[\]{}]", "", " ".join(text.split()))
    return plain if len(plain) <= WORDS_MAX else f"{plain[: WORDS_MAX - 1]}\u2026"


def check_asked_input(asked: AskedInput, sources: Mapping[int, ExcerptSource]) -> CheckedInput:
    """The input with its amount, unit and place. Raises InputError."""
    source, found = find_printed(asked, sources)
    matching = [each for each in found if has_value(each, asked.value)]
    if not matching:
        raise InputError(f"its quote does not print the value {asked.value}")
    right, faults = [], []
    for each in matching:
        try:
            right.append((each, read_period(each, asked, source)))
        except InputError as error:
            faults.append(error)
    if not right:
        raise faults[0]
    if len({each.amount for each, _ in right}) > 1:
        raise InputError(f"its quote prints {asked.value} more than once, and not as the same amount")
    chosen, period = right[0]
    is_turned = check_sign(chosen, asked.value)
    quantity, scale, unit = measure_printed(chosen, asked, source)
    meaning = cut_words(asked.meaning or asked.name)
    said = "" if period in meaning else cut_words(period)
    shown = FigureInput(meaning, said, quantity.value, chosen.text, unit, chosen.line, source.candidate, source.content)
    return CheckedInput(quantity, scale, shown, years_named(period), is_turned)


# ---- where it is printed


def find_printed(asked: AskedInput, sources: Mapping[int, ExcerptSource]) -> tuple[ExcerptSource, list[PrintedNumber]]:
    """The numbers inside the quote, and the excerpt it is in: the cited one, or another of the same document."""
    cited = sources.get(asked.excerpt)
    if cited is None:
        raise InputError(f"there is no excerpt {asked.excerpt}")
    others = [each for each in sources.values() if each.candidate.parse_id == cited.candidate.parse_id]
    for source in (cited, *others):
        candidate = source.candidate
        within = LineRange(candidate.context_first_line, candidate.context_last_line)
        near = LineRange(candidate.anchor_first_line, candidate.anchor_last_line)
        # What is the excerpt's and not the page's: the number of a line, the signs between cells.
        plain = COPIED_NUMBER.sub("", asked.quote).replace(CELL_SIGN.strip(), "")
        tried = (calibrate(said, source.content, near, within) for said in (asked.quote, plain))
        if quote := next((each for each in tried if each.repair.status == "exact"), None):
            found = [
                each
                for piece in quote.pieces
                for each in numbers_on(source.content.lines[piece.line_number - 1], source.content)
                if is_inside(each, piece)
            ]
            return source, found
    raise InputError(
        f"its quote is not in excerpt {asked.excerpt} as it is printed: “{' '.join(asked.quote.split())[:120]}”"
    )


def is_inside(printed: PrintedNumber, piece: QuotePiece) -> bool:
    """Whether a piece of a quote has the digits of a number; its sign and brackets may be left out."""
    digits = [at for at in range(printed.start, printed.end) if printed.line.text[at].isdigit()]
    if digits:
        return piece.start <= digits[0] and digits[-1] < piece.end
    rest = printed.line.text[piece.end :]  # a quote is matched without its dashes, and may end before one
    return piece.start <= printed.start and (printed.end <= piece.end or not any(map(str.isalnum, rest)))


def numbers_on(line: LineRow, content: DocumentContent) -> Iterator[PrintedNumber]:
    """The numbers a line prints: the cells of its row, else those in its text."""
    for table in content.tables_on_page(line.page_number):
        row = table.row_at(line.number)
        cells = [
            (at, cell)
            for at, cell in enumerate(row.cells if row else ())
            if cell and cell.amount is not None and cell.line == line.number
        ]
        if cells:
            yield from (cell_as_printed(cell, line, table, row, at) for at, cell in cells)
            taken = [(cell.start, cell.end) for _, cell in cells]
            yield from (
                each
                for each in numbers_in_text(line, content.language)
                if not any(a <= each.start < b for a, b in taken)
            )
            return
    yield from numbers_in_text(line, content.language)


def cell_as_printed(cell: TableCell, line: LineRow, table: Table, row: TableRow | None, at: int) -> PrintedNumber:
    assert cell.amount is not None
    return PrintedNumber(cell.text, cell.amount, line, cell.start, cell.end, table, row, at)


def numbers_in_text(line: LineRow, language: str) -> Iterator[PrintedNumber]:
    """The numbers of a line outside a table; one that is struck through, or whose sign is not known, is left out."""
    written = line.text_in_force
    for found in NUMBER_IN_TEXT.finditer(written):
        own, end = widen_to_signs(written, *found.span(), language)
        signed = written[own:end]
        if has_unread_sign(signed) or without_side(signed, language) != signed or is_in_numerals(written, found):
            continue
        apart = MINUS_APART.search(written, 0, found.start())
        own = min(own, apart.start()) if apart else own
        is_row, is_signed = line.kind == "table_row", SIGN.search(written, own, end) is not None
        if is_signed and (apart or not is_row) and RANGE_BEFORE.search(written, 0, found.start()):
            continue
        sign = (-1 if is_row else sign_in_prose(written, own, end, found, language)) if is_signed else 1
        if sign:
            text = written[own:end] if sign < 0 else found[0]
            yield PrintedNumber(text, sign * Decimal(number_form(found[0])), line, *found.span())


def sign_in_prose(written: str, start: int, end: int, number: re.Match[str], language: str) -> int:
    """1 or -1 of a number with its signs from `start` to `end`; 0 where a dash or brackets may be those of the text.

    A minus right before it is its own; other signs count as the amount or the share is read that the text states. The
    same number in words says that brackets are an aside: "thirty (30) days".
    """
    if MINUS_BEFORE.search(written[start : number.start()]) and not SIGN.search(written[number.start() : end]):
        return -1
    said = number_before(written, len(written[:start].rstrip())) if written[start] == "(" else None
    if said and str(said[0]) == number[0]:
        return 1
    values = [*amounts_in(written, language), *percentages_in(written, language)]
    read = next((each.value for each in values if each.start <= number.start() < each.end), "")
    return -1 if read.startswith("-") else 1 if read else 0


def has_value(printed: PrintedNumber, value: str) -> bool:
    """Whether it is the number the model names, apart from its sign."""
    if set(value.strip()) <= DASHES and value.strip():
        return bool(set(printed.text.strip(f"{CURRENCY_SIGNS} ")) <= DASHES)
    numbers = NUMBER_IN_TEXT.findall(value)
    own = NUMBER_IN_TEXT.findall(printed.text)
    if len(numbers) != 1 or len(own) != 1:
        return False
    if number_form(numbers[0]) != number_form(own[0]):
        return False
    if (unclear := TWO_WAYS.fullmatch(own[0])) and unclear[1] == ".":
        raise InputError(f"{own[0]} can be read in two ways")
    return True


def check_sign(printed: PrintedNumber, value: str) -> bool:
    """Whether the model left out the sign that is printed. Raises InputError if it made one up."""
    named = amount_of(value.strip())
    is_negative = named < 0 if named is not None else bool(re.match(rf"\s*[{MINUS}{LONG_DASH}(]", value))
    if is_negative and printed.amount > 0:
        raise InputError(f"{printed.text.strip()} is printed without a minus or brackets")
    return printed.amount < 0 and not is_negative


# ---- its period


def read_period(printed: PrintedNumber, asked: AskedInput, source: ExcerptSource) -> str:
    """The period of the value's column; in a text, the year that is printed with it or above. Raises InputError."""
    asked_period = " ".join((asked.period or "").split())
    wanted = years_named(asked_period)
    column = column_of_printed(printed, source.content)
    if column.period:
        if wanted and not wanted & years_named(column.period):
            raise InputError(f"{printed.text.strip()} is printed under {column.period}, not {asked_period}")
        months = months_named(column.period), months_named(asked_period)
        if all(months) and not months[0] & months[1]:
            raise InputError(f"{printed.text.strip()} is printed under {column.period}, not {asked_period}")
        if COMPARED.search(column.heading) and not COMPARED.search(f"{asked_period} {asked.meaning}"):
            raise InputError(f"{printed.text.strip()} is printed under \u201c{column.heading}\u201d")
        if is_headed_twice(printed, column, source.content) and not span_named(asked_period):
            raise InputError(f"several columns are of {column.period}; name the months or the quarter as well")
        one, other = span_named(column.heading), span_named(asked_period)
        if one and other and one != other:
            raise InputError(f"{printed.text.strip()} is printed under “{column.heading}”, which is not {asked_period}")
        return asked_period or column.period
    if not wanted:
        return asked_period
    if printed.table and column.heading and not any(map(str.isdigit, column.heading)):
        years = set().union(*(years_named(each.period) for each in printed.table.columns))
        if wanted <= years and len(years) > 1:  # a column of shares or changes beside those of the years
            return asked_period
    row_numbers = len(list(numbers_on(printed.line, source.content)))
    is_dated = bool(wanted & set(YEAR_WORD.findall(printed.line.text[: printed.start])))  # a row for each year
    if printed.line.kind == "table_row" and row_numbers > 1 and not is_dated:
        raise InputError(f"the column of {printed.text.strip()} names no period, so that {asked_period} is not sure")
    if is_value_of_another_year(printed, asked, wanted):
        raise InputError(f"its sentence gives {printed.text.strip()} for another year than {asked_period}, or for none")
    candidate = source.candidate
    above = source.content.lines_between(candidate.context_first_line, printed.line.number + 2)
    page = [
        each
        for each in source.content.lines_on_page(printed.line.page_number)
        if each.number <= printed.line.number + 2
    ]
    texts = [each.text for each in (*above, *page)]
    names = map(name_in_force, (candidate.breadcrumb, candidate.section_title))
    told = " ".join([*texts, *names, candidate.document_title])
    if not wanted & years_named(told):
        raise InputError(f"{asked_period} is not printed above {printed.text.strip()}")
    return asked_period


def is_value_of_another_year(printed: PrintedNumber, asked: AskedInput, wanted: set[str]) -> bool:
    """Whether a sentence that gives several amounts for several years gives this one for another, by their order.

    "$2 million and $10 million in 2022 and 2021, respectively"; one that says so of other numbers of them is unclear.
    """
    years = YEAR_WORD.findall(asked.quote)
    if printed.line.kind == "table_row" or len(set(years)) < 2:
        return False
    amounts = [number_form(NUMBER_IN_TEXT.findall(found)[0]) for found in AMOUNT_IN_SENTENCE.findall(asked.quote)]
    own = NUMBER_IN_TEXT.findall(asked.value)
    if len(amounts) != len(years) or not own or number_form(own[0]) not in amounts:
        return bool(IN_ORDER.search(asked.quote))
    year = years[amounts.index(number_form(own[0]))]
    return bool(IN_ORDER.search(asked.quote)) and year not in wanted


def is_headed_twice(printed: PrintedNumber, column: TableColumn, content: DocumentContent) -> bool:
    """Whether another column of the row is of the same date: of a quarter and of the year to that day."""
    if printed.table is None or printed.row is None:
        return False
    others = [
        column_of_printed(printed._replace(column=at), content)
        for at, cell in enumerate(printed.row.cells)
        if cell is not None and at != printed.column and "%" not in cell.text
    ]
    return any(
        each.period == column.period and not COMPARED.search(each.heading) and is_alike(each, column) for each in others
    )


def is_alike(one: TableColumn, other: TableColumn) -> bool:
    """Whether two columns are of the same kind of amount: "Amount" and "Percent to sales" of a year are not."""
    kinds = [re.sub(r"[\W\d]+", " ", match_form(each.heading)).strip() for each in (one, other)]
    return kinds[0] == kinds[1] or span_named(one.heading) != span_named(other.heading)


def column_of_printed(printed: PrintedNumber, content: DocumentContent) -> TableColumn:
    """The column of a number; where its table names no periods, with that of the nearest headings above on the page."""
    none = TableColumn("", "", printed.table.unit if printed.table else "")
    if printed.table is None or printed.row is None:
        return none
    own = printed.table.columns[printed.column]
    over = heading_over(printed, content)
    if own.period:
        spans = span_named(over) and not span_named(own.heading)
        return TableColumn(f"{over} {own.heading}", own.period, own.unit) if spans else own
    if found := PERIOD.search(over):
        return TableColumn(f"{over} {own.heading}", found[0].strip(), own.unit)
    if any(column.period for column in printed.table.columns):
        return own
    tables = [
        each for each in content.tables_on_page(printed.line.page_number) if each.first_line < printed.table.first_line
    ]
    for table in reversed(tables):
        if has_periods(table) and len(table.columns) == len(printed.table.columns):
            above = table.columns[printed.column]
            return TableColumn(above.heading, above.period, own.unit or above.unit)
    years = read_column_years(lines_above(printed.line, content))
    if len(years) == len(printed.table.columns):
        return TableColumn(years[printed.column], years[printed.column], own.unit)
    return own


def heading_over(printed: PrintedNumber, content: DocumentContent) -> str:
    """The heading, above those of the columns, that this column shares with its neighbours; "" if there is none.

    Each column belongs to the heading whose middle is nearest: "Six Months" and "Full Year" over three columns each.
    """
    table, cell = printed.table, printed.row.cells[printed.column] if printed.row else None
    if table is None or cell is None:
        return ""
    first = min((number for number in table.head_lines), default=table.rows[0].first_line)
    above = content.lines_between(first - HEAD_REACH, table.rows[0].first_line - 1)
    for line in reversed([each for each in above if each.page_number == printed.line.page_number]):
        cells = cells_of_line(line)
        told = [each for each in cells if PERIOD.search(each.text) or span_named(each.text)]
        if not 1 < len(told) < len(table.columns) or any(len(each.text) > LABEL_MAX for each in told):
            continue
        others = [each for each in cells if each.x0 > told[0].x0]
        nearest = min([told[0], *others], key=lambda each: abs(each.x0 + each.x1 - cell.x0 - cell.x1))
        is_near = abs(nearest.x0 + nearest.x1 - cell.x0 - cell.x1) / 2 <= BESIDE_MAX + (nearest.x1 - nearest.x0) / 2
        if nearest.text not in table.columns[printed.column].heading:
            return nearest.text if is_near and nearest in told else ""
    return ""


def months_named(text: str) -> set[str]:
    """The months a text names, by their first three letters."""
    return {found[0][:3].lower() for found in MONTHS_NAMED.finditer(text)}


def years_named(text: str) -> set[str]:
    return {*YEAR_WORD.findall(text), *(f"20{year}" for year in SHORT_YEAR.findall(text))}


def span_named(text: str) -> int:
    """The length of the period a text names, in months; 0 if it names none. "Second quarter FY2023" is a quarter."""
    return next((months for months, pattern in SPANS.items() if pattern.search(text)), 0)


def lines_above(line: LineRow, content: DocumentContent) -> list[LineRow]:
    return [each for each in content.lines_on_page(line.page_number) if each.number < line.number]


# ---- its unit


def measure_printed(
    printed: PrintedNumber, asked: AskedInput, source: ExcerptSource
) -> tuple[Quantity, int | None, str]:
    """The amount in single units with its unit, the scale it was printed in, and the unit in words."""
    unit = EXCEPTION.split(asked.unit or "")[0]
    column = column_of_printed(printed, source.content)
    after = printed.line.text[printed.end : printed.end + 20]
    label = " ".join(filter(None, [printed.row.label, printed.row.group] if printed.row else [printed.line.text]))
    is_money = bool(CURRENCY.search(printed.text))
    if "%" in printed.text or PERCENT_AFTER.match(after) or (PERCENT_WORD.search(column.heading) and not is_money):
        shown = "" if "%" in printed.text else "%"
        return Quantity(printed.amount / 100), 1, shown
    if PERCENT_WORD.search(unit):
        if not PERCENT_WORD.search(f"{label} {column.heading}"):
            raise InputError(f"{printed.text.strip()} is not printed as a percentage")
        return Quantity(printed.amount / 100), 1, "%"
    currency = currency_of(printed, asked, column)
    if is_per_share(printed, label, column, unit, source):
        return Quantity(printed.amount, (("share", -1), (currency, 1))), 1, "per share"
    is_count = not CURRENCY.search(unit) and any(map(str.isalpha, unit_words(unit)))
    units: Units = () if is_count and not SHARES.search(unit) else (("share" if is_count else currency, 1),)
    if found := SCALE_AFTER.match(after):
        scale: int | None = SCALE_NAMES[found[1].lower()]
    else:
        scale = scale_on_page(printed, column, source)
        scale = scale_as_told(scale, unit, printed, source, is_count=is_count)
    words = " ".join(filter(None, [SCALE_WORDS.get(scale or 0, ""), unit_words(unit) if is_count else ""]))
    return Quantity(printed.amount * (scale or 1), units), scale, words


def is_per_share(printed: PrintedNumber, label: str, column: TableColumn, unit: str, source: ExcerptSource) -> bool:
    """Whether it is an amount for a share, as page and model say. Raises InputError where only one of them does.

    A column of its own kind ("EBITDA", "EPS") decides for itself, whatever its rows are called.
    """
    kinds = {word for word in re.findall(r"[a-z]{3,}", column.heading.lower()) if not PERIOD_WORD.fullmatch(word)}
    is_printed = bool(PER_SHARE.search(column.heading if kinds else f"{label} {column.heading}"))
    is_told = bool(PER_SHARE.search(unit))
    if is_told and not is_printed:
        above = lines_above(printed.line, source.content)[-ROWS_ABOVE:]
        if not any(PER_SHARE.search(line.text) for line in above):
            raise InputError(f"{printed.text.strip()} is not printed as an amount per share")
    if is_printed and not is_told and not SHARES.search(unit):
        raise InputError(f"{printed.text.strip()} is printed as an amount per share; say so in its unit")
    return is_told


def unit_words(unit: str) -> str:
    return cut_words(UNIT_FILLER.sub(" ", NAMED_SCALE.sub(" ", unit)))


def currency_of(printed: PrintedNumber, asked: AskedInput, column: TableColumn) -> str:
    """The currency, as the page prints it with the number or over it, else as the model says; "" if neither."""
    told = CURRENCY.search(asked.unit or "")
    around = printed.line.text[max(printed.start - 4, 0) : printed.end + 4]
    stated = CURRENCY.search(around) or CURRENCY.search(column.unit)
    one, other = (code_of(found[0]) if found else "" for found in (stated, told))
    if one and other and one != other and {one, other} != {"USD"}:
        if "$" in (stated[0] if stated else ""):  # of whatever country
            return other
        raise InputError(f"{printed.text.strip()} is printed in {one}, not in {other}")
    return one or other


def code_of(word: str) -> str:
    word = word.lower().removeprefix("us ") if word.lower().startswith("us d") else word.lower()
    return CURRENCIES.get(word, CURRENCIES.get(word.rstrip("s"), ""))


def scale_on_page(printed: PrintedNumber, column: TableColumn, source: ExcerptSource) -> int | None:
    """The scale that the table, or the nearest line above it on the page, states; 1 for an amount in a sentence."""
    own = [printed.row.label, column.unit] if printed.row else [printed.line.text]
    for text in (*own, printed.table.unit if printed.table else ""):
        if found := SCALE_STATED.search(match_form(text)):
            return SCALES[found[1] or found[2]]
    tables = source.content.tables_on_page(printed.line.page_number)
    page = [  # a row that states a scale does so for itself
        line
        for line in source.content.lines_on_page(printed.line.page_number)
        if not any(each.row_at(line.number) for each in tables)
    ]
    above = [line for line in reversed(page) if line.number < printed.line.number]
    found_on = (found for line in (*above, *page) if (found := SCALE_STATED.search(line.match)))
    stated = next((SCALES[found[1] or found[2]] for found in found_on), None)
    if printed.table or printed.line.kind == "table_row":
        return stated
    return None if stated else 1  # a sentence beside tables in millions may be in millions, or not


def scale_as_told(
    scale: int | None, unit: str, printed: PrintedNumber, source: ExcerptSource, *, is_count: bool
) -> int | None:
    """The scale of the page, held against what the model says. Raises InputError where they differ."""
    named = NAMED_SCALE.search(unit)
    told = SCALE_NAMES[named[1].lower()] if named else None
    if is_count:  # "in millions, except employees": its own scale counts, where the page has the word
        page = match_form(" ".join(line.text for line in source.content.lines_on_page(printed.line.page_number)))
        return told if told and SCALE_WORDS[told] in page else 1
    if told and scale is None and SCALE_WORDS[told] in match_form(source.candidate.context_text):
        return told
    if told and scale and told != scale:
        stated = SCALE_WORDS.get(scale, "single unit")
        raise InputError(f"{printed.text.strip()} is printed in {stated}s, not in {SCALE_WORDS[told]}s")
    return scale


def require_one_scale(inputs: Sequence[CheckedInput]) -> bool:
    """Whether every input has a stated unit. Raises InputError if some have, or none and of two documents."""
    amounts = [each for each in inputs if each.quantity.units]
    unknown = [each for each in amounts if each.scale is None]
    if unknown and len(unknown) < len(amounts):
        names = ", ".join(each.shown.name for each in unknown)
        raise InputError(f"the page does not say whether these are in thousands or millions: {names}")
    if unknown and len({each.shown.content.parse_id for each in unknown}) > 1:
        raise InputError("the amounts are of two documents, and their units are not stated")
    return not unknown
