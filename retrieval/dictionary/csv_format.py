"""The expert dictionary as CSV: concept, language, term, priority, weight. Everything read is validated."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, cast

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from documents.pages.phrasing import group_thousands
from documents.spreadsheet import restore, write_csv
from retrieval.words.tokens import normalise_words

COLUMNS = ("concept", "language", "term", "priority", "weight")
REQUIRED = ("concept", "term")
LANGUAGES = {
    "": _("Any"),
    "en": _("English"),
    "fr": _("French"),
    "de": _("German"),
    "es": _("Spanish"),
    "it": _("Italian"),
    "nl": _("Dutch"),
    "pt": _("Portuguese"),
    "ja": _("Japanese"),
    "zh": _("Chinese"),
    "ar": _("Arabic"),
    "he": _("Hebrew"),
}
PRIORITIES = ("primary", "secondary")
PRIORITY_WORDS = {"primary": _("Primary term"), "secondary": _("Secondary term")}
PLACES = {"concept": _("concept"), "term": _("term")}
TEXT_MAX = 120  # characters, as the columns of Concept and Term
WEIGHT_MAX = 5.0  # a heavier term would drown every other word of a question
BYTES_MAX = 1_000_000
ROWS_MAX = 10_000  # of one file and of one base; the packs that ship hold about 3,000
CONCEPT_TERMS_MAX = 200  # of one concept: its terms are compared pairwise, and shown on one page
ERRORS_MAX = 50  # a file of the wrong kind fails on every line

Priority = Literal["primary", "secondary"]


class WordRow(NamedTuple):
    """One row of the dictionary."""

    concept: str
    language: str
    term: str
    priority: Priority = "primary"
    weight: float = 1.0

    @property
    def key(self) -> tuple[str, str, str]:
        """What two rows of the same term share."""
        return self.concept.casefold(), self.language, self.term.casefold()


class LineError(NamedTuple):
    """What is wrong with a line of a file; line 1 is the header."""

    line: int
    message: str


class WordlistError(ValueError):
    """An invalid value or file; the message is for people."""


def decode_file(content: bytes) -> str:
    """The text of an uploaded file. Raises WordlistError."""
    if len(content) > BYTES_MAX:
        words = gettext("The file is larger than %(limit_kb)s kB. Please split it.")
        raise WordlistError(words % {"limit_kb": group_thousands(BYTES_MAX // 1000)})
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WordlistError(gettext("The file is not UTF-8 text. Save it as “CSV UTF-8”.")) from error


def read_bytes(content: bytes) -> tuple[list[WordRow], list[LineError]]:
    """The valid rows of an uploaded file, and the errors of the others. Raises WordlistError if it is no such file."""
    return read_text(decode_file(content))


def read_text(text: str) -> tuple[list[WordRow], list[LineError]]:
    """Like `read_bytes`; a row given twice is an error, since it would be unclear which one applies."""
    lines = table_of(text)
    _, header = next(lines, (1, []))
    columns = [name.strip().casefold() for name in header]
    missing = [name for name in REQUIRED if name not in columns]
    unknown = [name for name in columns if name not in COLUMNS]
    if missing or unknown or len(set(columns)) < len(columns):
        words = gettext("The first line must name the columns: %(names)s (concept and term at least).")
        raise WordlistError(words % {"names": ", ".join(COLUMNS)})
    rows: dict[tuple[str, str, str], tuple[int, WordRow]] = {}
    errors: list[LineError] = []
    for number, cells in lines:
        try:
            row = read_word_row(columns, cells)
            if row.key in rows:
                words = gettext("The same term stands on line %(number)s already.")
                raise WordlistError(words % {"number": rows[row.key][0]})
            rows[row.key] = (number, row)
        except WordlistError as error:
            errors.append(LineError(number, str(error)))
        if len(errors) == ERRORS_MAX:
            errors.append(LineError(number, gettext("Reading stopped here; too many lines are wrong.")))
            break
        if len(rows) > ROWS_MAX:
            raise WordlistError(
                gettext("The file has more than %(count)s rows.") % {"count": group_thousands(ROWS_MAX)}
            )
    return [row for _, row in rows.values()], errors


def table_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """The non-empty lines with their numbers; the delimiter is the header's."""
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        words = gettext("Line %(number)s cannot be read as CSV: %(error)s.")
        raise WordlistError(words % {"number": reader.line_num, "error": error}) from error


def read_word_row(columns: Sequence[str], cells: Sequence[str]) -> WordRow:
    """Read and validate a row. Raises WordlistError."""
    if len(cells) > len(columns):
        words = gettext("%(cells)s cells, but the header names %(columns)s columns.")
        raise WordlistError(words % {"cells": len(cells), "columns": len(columns)})
    values = dict(zip(columns, map(restore, cells), strict=False))
    return check_word_row(*(values.get(name, "") for name in COLUMNS))


def check_word_row(concept: str, language: str, term: str, priority: str = "", weight: str = "") -> WordRow:
    """Validate values as typed; an empty priority is primary, an empty weight 1. Raises WordlistError."""
    language, priority = language.strip().casefold(), priority.strip().casefold() or "primary"
    if language not in LANGUAGES:
        words = gettext("The language must be empty (any) or one of %(names)s.")
        raise WordlistError(words % {"names": ", ".join(filter(None, LANGUAGES))})
    if priority not in PRIORITIES:
        raise WordlistError(gettext("The priority must be primary or secondary."))
    name, text = checked_text(concept, "concept"), checked_text(term, "term")
    return WordRow(name, language, text, cast(Priority, priority), checked_weight(weight))


def checked_text(text: str, what: str) -> str:
    """A name or term with single spaces. Raises WordlistError if it contains nothing searchable."""
    told = {"what": PLACES[what], "count": TEXT_MAX}
    if any(unicodedata.category(character) in ("Cc", "Cs", "Co") for character in text.strip()):
        raise WordlistError(gettext("The %(what)s holds characters that cannot be shown, or a line break.") % told)
    text = " ".join(unicodedata.normalize("NFC", text).split())
    if len(text) > TEXT_MAX:
        raise WordlistError(gettext("The %(what)s is longer than %(count)s characters.") % told)
    if not normalise_words(text):
        words = gettext("The %(what)s has no letter and no digit.") if text else gettext("The %(what)s is missing.")
        raise WordlistError(words % told)
    return text


def checked_weight(text: str) -> float:
    try:
        weight = float(text.strip() or 1)
    except ValueError:
        weight = -1.0
    if not 0 < weight <= WEIGHT_MAX:  # also false for NaN
        words = gettext("The weight must be a number above 0 and up to %(most)s, for example 0.5.")
        raise WordlistError(words % {"most": f"{WEIGHT_MAX:g}"})
    return weight


def write_words(rows: Iterable[WordRow]) -> str:
    """The rows as CSV that no spreadsheet executes as formulas and `read_text` reads back unchanged."""
    return write_csv([COLUMNS, *([*row[:4], f"{row.weight:g}"] for row in rows)])
