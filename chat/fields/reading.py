"""Named fields as people write them: a line each, or a CSV file with the columns name, question, type, instruction."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext

from chat.asking import QuestionError, check_question
from documents.pages.phrasing import group_thousands
from documents.spreadsheet import restore
from reading.characters import clean_name, clean_words
from retrieval.forms.fields import Field
from retrieval.question.called import kind_of_name
from retrieval.question.kinds import ANSWER_TYPES
from retrieval.types import Expected

FIELDS_MAX = 50  # each is a search of its own; a longer list is two of them
NAME_CHARACTERS_MAX, INSTRUCTION_CHARACTERS_MAX = 120, 500
FILE_BYTES_MAX = 300_000  # fifty of the longest questions
COLUMNS = ("name", "question", "type", "instruction")
TYPES = ("text", *ANSWER_TYPES)


class FieldsError(ValueError):
    """A list of fields that cannot be asked. `faults` are messages for people, by the number of the field, from 1."""

    def __init__(self, faults: dict[int, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


def read_fields_text(text: str) -> list[Field]:
    """One field a line: its name, a colon and the question, or a question that is its own name. Raises FieldsError.

    A type may stand in brackets after the name: "Rent (amount): What is the rent?".
    """
    return check_fields(row_of_line(line.strip()) for line in text.splitlines() if line.strip())


def row_of_line(line: str) -> tuple[str, str, str, str]:
    name, colon, question = line.partition(":")
    if not colon or not question.strip():
        name, question = line, ""
    named, bracket, told = name.strip().rpartition("(")
    if bracket and named.strip() and told.endswith(")") and told[:-1].strip().lower() in TYPES:
        return named, question, told[:-1], ""
    return name, question, "", ""


def read_fields_file(content: bytes) -> list[Field]:
    """The fields of a CSV file; the first line names the columns, of which name is enough. Raises FieldsError."""
    if len(content) > FILE_BYTES_MAX:
        words = gettext("The file is larger than %(most)s kB; a list has at most %(fields)s fields.")
        raise FieldsError({0: words % {"most": FILE_BYTES_MAX // 1000, "fields": FIELDS_MAX}})
    try:
        text = content.decode("utf-8-sig")
        lines = list(
            csv.reader(io.StringIO(text, newline=""), delimiter=";" if is_semicolon(text) else ",", strict=True)
        )
    except (UnicodeDecodeError, csv.Error) as error:
        raise FieldsError({0: gettext("This is not a CSV file in UTF-8.")}) from error
    header = [cell.strip().lower() for cell in lines[0]] if lines else []
    unknown = [name for name in header if name not in COLUMNS]
    if "name" not in header or unknown:
        words = gettext("The first line must name the columns: name, and if you like question, type and instruction.")
        raise FieldsError({0: words})
    rows = [dict(zip(header, map(restore, line), strict=False)) for line in lines[1:] if any(map(str.strip, line))]
    return check_fields([[row.get(name, "") for name in COLUMNS] for row in rows])


def is_semicolon(text: str) -> bool:
    """Whether a spreadsheet of a country with decimal commas wrote the file."""
    header = text.partition("\n")[0]
    return header.count(";") > header.count(",")


def check_fields(rows: Iterable[Sequence[str]]) -> list[Field]:
    """The fields of rows of name, question, type and instruction. Raises FieldsError with every fault."""
    fields: list[Field] = []
    faults: dict[int, str] = {}
    for number, row in enumerate(rows, start=1):
        try:
            field = check_field(*row)
        except QuestionError as error:
            faults[number] = str(error)
            continue
        if any(field.name.casefold() == other.name.casefold() for other in fields):
            faults[number] = gettext("The name “%(name)s” is given twice.") % {"name": field.name}
        fields.append(field)
    if not fields and not faults:
        faults[0] = gettext("There is no field to ask. Write one a line.")
    if len(fields) > FIELDS_MAX:
        faults[0] = gettext("These are %(count)s fields; at most %(most)s can be asked at once.") % {
            "count": len(fields),
            "most": FIELDS_MAX,
        }
    if faults:
        raise FieldsError(faults)
    return fields


def check_field(name: str, question: str, answer_type: str, instruction: str) -> Field:
    """One field; without a question its name is asked for. Raises QuestionError."""
    cleaned = clean_name(name.replace("\x00", ""))
    if not cleaned or len(cleaned) > NAME_CHARACTERS_MAX:
        words = gettext("A field needs a name of at most %(most)s characters.") % {"most": NAME_CHARACTERS_MAX}
        raise QuestionError(words)
    asked_type = answer_type.strip().lower()
    if asked_type and asked_type not in TYPES:
        words = gettext("“%(type)s” is no type of answer; there are: %(types)s.")
        raise QuestionError(words % {"type": asked_type[:NAME_CHARACTERS_MAX], "types": ", ".join(TYPES)})
    told = " ".join(clean_words(instruction.replace("\x00", "")).split())
    if len(told) > INSTRUCTION_CHARACTERS_MAX:
        words = gettext("The instruction is %(length)s characters long; at most %(most)s are possible.")
        raise QuestionError(words % {"length": group_thousands(len(told)), "most": INSTRUCTION_CHARACTERS_MAX})
    if not question.strip():  # what is asked for by a name alone is of the kind that this calls: a period
        asked_type = asked_type or kind_of_name(cleaned)
    return Field(cleaned, check_question(question if question.strip() else cleaned), Expected(asked_type, told))
