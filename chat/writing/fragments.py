"""What the writer is told of one question, beside what it is told of every question: a piece for each thing that
concerns it (R79). Their names are kept with the exchange."""

from collections.abc import Sequence

from retrieval.question.kinds import ADDRESSES
from retrieval.question.parse import LISTED_SHAPES
from retrieval.told.columns import StoredQuestion

HEAD = "For this question, where it fits"  # rules read the question, and may take it for another kind
FRAGMENTS = {
    # the form of the whole answer
    "outline": """\
It asks what the documents are about. The excerpts are their main parts, in their order, each with its beginning. \
Write a summary: first one sentence that says what the document is, then for each part that matters a line that \
begins with "- " and says in one sentence what it holds, with its number. Several documents: one such list each, \
after a line with the title of the document. What an excerpt does not say, you do not know.""",
    "compare": """\
The question compares several things or documents. Write for each of them, in the order in which the question names \
them, a line with its name and below it lines that begin with "- ", with what the excerpts say of it. Then, only \
where excerpts of both show it, one sentence on what is the same and one on what differs, citing both. For what \
has no excerpt, the line NOT FOUND of rule 5 with the number of its part; never infer it from the other.""",
    # its shape
    "list": """\
A list: one line that begins with "- " for each item, all of them, in the order of the document, none twice. If more \
are announced than you find, say so.""",
    "table": 'A table: one line that begins with "- " for each row, each value after the name of its column.',
    "count": "A count: give the number that is printed; if none is, list what there is.",
    "one fact": "One fact: one or two sentences, with the condition or exception attached to it.",
    # what kind of value
    "yes or no": """\
Yes or no: begin with it, or with what it depends on, then what shows it, with its conditions. \
What is only not mentioned is not a no: rule 5.""",
    "amount": "An amount: with currency, scale (thousands, millions) and period, as printed.",
    "percentage": "A percentage: say of what, and of which period.",
    "date": "A date: as printed, and what it is the date of.",
    "duration": "A time: with its unit (calendar or business days) and what it runs from.",
    "person": "A person or party: full name and role, as printed.",
    "address": "An address, number or link: character for character.",
    "definition": "A definition: whole, in its own words.",
    # how much the asker wants to read
    "fast": "A quick answer was chosen: as few words as it takes, and nothing beside.",
    "thorough": """\
A thorough answer was chosen: all that the excerpts say of it, with each condition, exception, amount and time, and \
what of it they leave open.""",
    # what it distinguishes
    "periods": "Take each value from the column or sentence of the period asked for, and name it.",
    "case": "It names a case: say what holds in it; if there is only a general rule, say that it is the general rule.",
    "parts": """\
Several questions, numbered as parts: answer each in its order, in a paragraph of its own; for one the excerpts do \
not answer, the line NOT FOUND of rule 5 with its number.""",
    "left out": "It says what is not meant: leave that out.",
    "documents": """\
The excerpts are of several documents: say in each sentence of which one, and join nothing of one with another.""",
    "conflict": "Who chose these excerpts found that some disagree: rule 4.",
    "copied": "The excerpts are what was copied for this question out of longer passages.",
}
KIND_OF_TYPE = {
    "boolean": "yes or no",
    "amount": "amount",
    "percentage": "percentage",
    "date": "date",
    "duration": "duration",
    "person": "person",
    "definition": "definition",
    **dict.fromkeys(ADDRESSES, "address"),
}
ONE_VALUE = frozenset(KIND_OF_TYPE) - {"boolean", "definition"} | {"number", "frequency", "rate"}


def choose_fragments(
    parsed: StoredQuestion,
    *,
    mode: str = "balanced",
    documents: int = 1,
    has_conflict: bool = False,
    is_copied: bool = False,
) -> tuple[str, ...]:
    """The names of what concerns a question, as it was read and stored, the mode it was asked in (R98), and the
    excerpts it is answered from.
    """
    form = str(parsed.get("form") or "")
    chosen = {
        **({form: True} if form else of_question(parsed) | {mode: True}),
        "left out": bool(parsed.get("exclusions")),
        "documents": documents > 1 and not form,
        "conflict": has_conflict,
        "copied": is_copied,
    }
    return tuple(name for name in FRAGMENTS if chosen.get(name))


def of_question(parsed: StoredQuestion) -> dict[str, bool]:
    """What concerns a question without a form of its own: its shape, the kind of its answer, what it distinguishes."""
    shape, kind, parts = parsed.get("shape"), str(parsed.get("answer_type") or ""), bool(parsed.get("parts"))
    is_listed = shape in LISTED_SHAPES
    return {
        "list": is_listed and not parsed.get("is_count"),
        "table": shape == "table",
        "count": bool(parsed.get("is_count")),
        "one fact": is_single_fact(parsed),
        KIND_OF_TYPE.get(kind, ""): True,
        "periods": bool(parsed.get("years")),
        "case": bool(parsed.get("condition")),
        "parts": parts,
    }


def is_single_fact(parsed: StoredQuestion) -> bool:
    """Whether one value is asked for, so that whoever has found it may stop looking."""
    is_plain = parsed.get("shape") == "single" and not parsed.get("form") and not parsed.get("is_count")
    is_one = not parsed.get("parts") and not parsed.get("condition") and len(parsed.get("years") or ()) < 2
    return is_plain and is_one and parsed.get("answer_type") in ONE_VALUE


def write_fragments(names: Sequence[str]) -> str:
    """The pieces with these names as the last part of the instructions; "" without any."""
    return "\n".join([HEAD, *(f"- {FRAGMENTS[name]}" for name in names)]) if names else ""
