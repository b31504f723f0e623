"""What an answer keeps as JSON beside its text: checks, typed values, what it gives for each question.

The types only say which keys there are: what is stored is plain JSON, and its keys never change.
"""

from typing import NotRequired, Required, TypedDict


class FoundWord(TypedDict):
    """A number or a name of a sentence, and whether what it cites has it."""

    text: str
    found: bool


class ListedItem(TypedDict):
    """An item of a list; one with a list inside it has what comes before that as its text."""

    text: str
    lines: list[int]
    children: NotRequired[list["ListedItem"]]


class ShownRow(TypedDict):
    """A row of a table, or a row around a cell, which has no lines."""

    label: str
    cells: list[str]
    lines: NotRequired[list[int]]


class TypedValue(TypedDict, total=False):
    """A value as its cited lines print it: of a type that was asked for, or a sentence, a cell, a list or a table."""

    type: Required[str]
    lines: list[int]  # the first and the last
    value: str  # as it was read
    printed: str
    currency: str
    unit: str
    text: str  # of a sentence or a cell
    bold: list[int]  # of a long sentence: where its bold words begin and end, in characters
    label: str  # of a cell, as the rest up to `at`
    group: str
    column: str
    period: str
    asked: str  # the year it was found for
    at: list[int]  # its row and column among `rows`
    headers: list[str]  # of a cell or a table
    rows: list[ShownRow]
    items: list[ListedItem]  # of a list
    stated: int  # how many there are, as the question or a passage says
    counted: str  # what was only to be counted
    is_cut: bool  # there are more than are given


class MarkedValue(TypedValue):
    """A value with the marker of the citation it stands in."""

    marker: int


class ValueNote(TypedDict):
    """What an auditor may look at and nobody need: values that do not agree, without any effect on the answer."""

    code: str  # "shares_differ": shares of a column that do not add up to the 100 % it prints
    label: str
    column: str
    added: str
    printed: str
    lines: list[int]  # from the first share to the total


class FigureAmount(TypedDict):
    """An amount a figure was computed from, as the line prints it that its marker cites."""

    name: str
    year: str
    amount: str
    printed: str
    line: int
    marker: int


class ComputedFigure(TypedDict):
    """A figure that code computed, as a value and as it is shown, with its formula in words."""

    type: str
    value: str
    shown: str
    formula: str
    inputs: list[FigureAmount]


class AnswerCheck(TypedDict):
    """What is known of a sentence of an answer, of a value in it, or of a figure that was computed for it."""

    sentence: str
    markers: list[int]
    supported: float  # the share of its words that what it cites has
    numbers: list[FoundWord]
    problems: list[str]
    names: NotRequired[list[FoundWord]]  # of a written answer, as the rest
    verdict: NotRequired[str]
    finding: NotRequired[str]
    left_out: NotRequired[bool]
    typed: NotRequired[TypedValue]
    computed: NotRequired[ComputedFigure]
    note: NotRequired[ValueNote]


class AskedItem(TypedDict):
    """What an answer gives for one thing that was asked: found with its values, or empty with why (R59, R87)."""

    asked: str
    type: str
    outcome: str
    values: list[MarkedValue]
    markers: list[int]
    reason: str
    code: str
    missing: list[str]


def is_headline(check: AnswerCheck) -> bool:
    """Whether it is of what an answer says first, without a writer: a sentence, a cell or a computed figure."""
    return bool(check.get("computed")) or check.get("typed", {}).get("type") in ("sentence", "cell")


def literal_check(
    sentence: str, markers: list[int], *, problems: tuple[str, ...] = (), typed: TypedValue | None = None
) -> AnswerCheck:
    """The check of what was cut from the lines it cites, and so is there."""
    check = AnswerCheck(sentence=sentence, markers=markers, supported=1.0, numbers=[], problems=[*problems])
    if typed is not None:
        check["typed"] = typed
    return check
