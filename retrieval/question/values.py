"""What the values of each type of answer look like (R20): alternatives in `values.*.toml`, found in linear time.

An alternative is looked for in the match form of a line (lower case, no accents), one with `as_printed` in the line as
it stands, where capitals tell a postcode from a word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from documents.storage.content import DocumentContent, kept_with_content
from reading.matching import match_form
from reading.values.nothing import says_nothing
from reading.wording import LANGUAGES, Wording, WordingError, check_fields, read_entries
from retrieval.question.linear import PatternRefused, compile_linear
from retrieval.types import Question

# Values of these types answer a question for the type as well: "when" is answered by "within thirty days", "who" by a
# role or a party, "where" by a postcode with its town.
ALSO = {
    "date": ("duration", "haste"),
    "duration": ("extent",),
    "person": ("role",),
    "address": ("postcode",),
}
MEASURED = frozenset({"amount", "percentage", "duration"})  # what there may be none of
UNFORMED = frozenset(["", "text", "explanation"])  # whose values may look like anything
NAMED_TYPES = frozenset(["person", "party", "role"])  # whose values are names
# Whose form is told apart from everything else: without it beside the words nothing is answered. A number may be a
# word; an amount or a percentage is only missed when the question says that it wants one.
FORMED_TYPES = frozenset(["date", "frequency", "duration", "rate", "email", "phone", "url", "iban"])
PROSE_TYPES = frozenset(["boolean", "definition", "explanation"])  # their form says too little to be missed in a quote
NO_VALUE, VALUE = 1, 2  # of a line; 0 is one that was not looked at
FIELDS = {"pattern": str, "as_printed": bool, "examples": list, "counter_examples": list}


@dataclass(frozen=True)
class ValueWording(Wording):
    """An alternative of a type, its section; the language "" is any."""

    as_printed: bool = False

    def is_in(self, text: str) -> bool:
        return compile_linear(self.pattern).search(text if self.as_printed else match_form(text)) is not None


@cache
def value_wordings() -> tuple[ValueWording, ...]:
    """The alternatives that ship, by file. Raises WordingError if a file is malformed."""
    found: list[ValueWording] = []
    for path in sorted(Path(__file__).parent.glob("values.*.toml")):
        for section, entry in read_entries(path):
            place = f"{path.name}, [[{section}]]"
            check_fields(place, entry, FIELDS, ("pattern", "examples"))
            try:
                compile_linear(entry["pattern"])
            except PatternRefused as error:
                raise WordingError(f"{place}: {error}") from error
            found.append(
                ValueWording(
                    path.name,
                    language if (language := path.name.split(".")[1]) in LANGUAGES else "",
                    section,
                    entry["pattern"],
                    tuple(entry["examples"]),
                    tuple(entry.get("counter_examples", ())),
                    entry.get("as_printed", False),
                )
            )
    return tuple(found)


def join_patterns(patterns: Sequence[str]) -> str:
    """One expression of several; "" of none."""
    return "|".join(f"(?:{each})" for each in dict.fromkeys(patterns))


def has_form(question: Question) -> bool:
    """Whether the values of the type asked for have a form."""
    return bool(question.value_pattern or question.printed_pattern)


def has_value(question: Question, matched: str, printed: str) -> bool:
    """Whether a text, in match form and as printed, has a value of the type asked for; that there is none is one."""
    if question.answer_type in MEASURED and says_nothing(printed):
        return True
    return (bool(question.value_pattern) and compile_linear(question.value_pattern).search(matched) is not None) or (
        bool(question.printed_pattern) and compile_linear(question.printed_pattern).search(printed) is not None
    )


@kept_with_content
def lines_with_values(content: DocumentContent) -> dict[tuple[bool, str, str], bytearray]:
    """For each form of values that was asked for, which lines have one, as far as it is known."""
    return {}


def line_has_value(number: int, question: Question, content: DocumentContent) -> bool:
    """`has_value` of a line; looked for once, since many questions ask for values of a type."""
    form = (question.answer_type in MEASURED, question.value_pattern, question.printed_pattern)
    known = lines_with_values(content).setdefault(form, bytearray(len(content.lines) + 1))
    if not known[number]:
        line = content.lines[number - 1]
        known[number] = VALUE if has_value(question, line.match, line.text_in_force) else NO_VALUE
    return known[number] == VALUE
