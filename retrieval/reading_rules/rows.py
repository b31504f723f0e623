"""A base's rules of reading as rows and as CSV: kind, name, language, text, on. Everything is validated."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from documents.spreadsheet import restore, write_csv
from retrieval.dictionary.csv_format import LANGUAGES, WordlistError, decode_file, table_of
from retrieval.question.kinds import KINDS, SHAPES, RuleRow, shipped_keys
from retrieval.question.linear import PatternRefused, check_pattern
from retrieval.words.tokens import normalise_words

COLUMNS = ("kind", "name", "language", "text", "on")
KIND_WORDS = {
    "asks": _("Words that ask for a type"),
    "shape": _("Words that ask for a shape"),
    "value": _("Pattern of a type’s values, lower case without accents"),
    "printed": _("Pattern of a type’s values, as printed"),
    "vague": _("Word too vague alone"),
}
ROWS_MAX = 500  # of a base: each pattern is one alternative that every line may be searched for
WORDS_MAX = 80  # characters
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
ON = {"": True, "yes": True, "on": True, "1": True, "true": True, "no": False, "off": False, "0": False, "false": False}
PATTERNED = ("value", "printed")
OF_PATTERNS = frozenset("()[]{}|\\^*+")


class RuleError(WordlistError):
    """A row that cannot be used; the message is for people."""


def check_row(kind: str, name: str, language: str, text: str, on: str = "") -> RuleRow:
    """Validate values as typed. Raises RuleError with what is wrong."""
    kind, name, language = kind.strip(), name.strip().casefold(), language.strip().casefold()
    is_on = ON.get(on.strip().casefold())
    if kind not in KINDS:
        raise RuleError(gettext("The kind must be one of %(names)s.") % {"names": ", ".join(KINDS)})
    if is_on is None:
        raise RuleError(gettext("“On” must be yes or no."))
    if language not in LANGUAGES:
        words = gettext("The language must be empty (any) or one of %(names)s.")
        raise RuleError(words % {"names": ", ".join(filter(None, LANGUAGES))})
    row = RuleRow(kind, name, language, " ".join(text.split()) if kind != "printed" else text.strip())
    if not is_on:
        if row.key not in shipped_keys():
            raise RuleError(gettext("No row that ships reads so; only those can be switched off."))
        return row._replace(is_on=False)
    if row.key in shipped_keys():
        raise RuleError(gettext("This row ships already."))
    check_name(row)
    return row._replace(text=check_words(row))


def check_name(row: RuleRow) -> None:
    if row.kind == "vague" and row.name:
        raise RuleError(gettext("A vague word has no name; leave it empty."))
    if row.kind == "shape" and row.name not in SHAPES:
        raise RuleError(gettext("The shape must be one of %(names)s.") % {"names": ", ".join(SHAPES)})
    if row.kind not in ("vague", "shape") and (not NAME.fullmatch(row.name) or row.name == "text"):
        words = gettext("A type is named by lower-case letters, digits and “_”, for example policy_number.")
        raise RuleError(words)


def check_words(row: RuleRow) -> str:
    if row.kind in PATTERNED:
        try:
            return check_pattern(row.text)
        except PatternRefused as error:
            raise RuleError(str(error)) from error
    words = normalise_words(row.text)
    if not words or len(row.text) > WORDS_MAX:
        raise RuleError(gettext("Write one or more words, at most %(count)s characters.") % {"count": WORDS_MAX})
    if sign := next((sign for sign in row.text if sign in OF_PATTERNS), ""):
        raise RuleError(gettext("Write words only: “%(sign)s” belongs to a pattern.") % {"sign": sign})
    if row.kind != "vague":
        return row.text
    if len(words) > 1:
        raise RuleError(gettext("A vague word is a single word."))
    return words[0]


def check_rows(rows: Iterable[RuleRow]) -> tuple[RuleRow, ...]:
    """The rows in a fixed order, each once. Raises RuleError if there are too many, or one stands there twice."""
    found = sorted(rows)
    if len(found) > ROWS_MAX:
        raise RuleError(gettext("A base holds at most %(count)s rows.") % {"count": ROWS_MAX})
    for before, after in pairwise(found):
        if before.key == after.key:
            raise RuleError(gettext("The row “%(text)s” stands there twice.") % {"text": after.text})
    return tuple(found)


def read_rows(content: bytes) -> tuple[RuleRow, ...]:
    """The rows of an uploaded file. Raises WordlistError with the first line that is wrong."""
    lines = table_of(decode_file(content))
    _number, header = next(lines, (1, []))
    columns = [name.strip().casefold() for name in header]
    if not {"kind", "text"} <= set(columns) <= set(COLUMNS) or len(set(columns)) < len(columns):
        words = gettext("The first line must name the columns: %(names)s (kind and text at least).")
        raise RuleError(words % {"names": ", ".join(COLUMNS)})
    return check_rows(read_line(number, columns, cells) for number, cells in lines)


def read_line(number: int, columns: Sequence[str], cells: Sequence[str]) -> RuleRow:
    values = dict(zip(columns, map(restore, cells), strict=False))
    try:
        return check_row(*(values.get(name, "") for name in COLUMNS))
    except RuleError as error:
        told = {"number": number, "error": error}
        raise RuleError(gettext("Line %(number)s: %(error)s") % told) from error


def write_rows(rows: Iterable[RuleRow]) -> str:
    """The rows as CSV that no spreadsheet executes as formulas and `read_rows` reads back unchanged."""
    return write_csv([COLUMNS, *([*row.key, "yes" if row.is_on else "no"] for row in rows)])
