"""How a computed figure is shown, whoever wrote its formula: the result, the formula in words, each input cited."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from chat.checks import AnswerCheck, FigureAmount, literal_check
from chat.drafts import Quoted, cite_lines
from documents.storage.content import DocumentContent
from reading.rows import LineRow
from retrieval.models import RunCandidate


@dataclass(frozen=True)
class FigureInput:
    """An amount a figure is computed from, the line that prints it, and the candidate that line is cited with."""

    name: str
    period: str
    amount: Decimal
    printed: str
    unit: str  # the unit its page states, in words
    line: LineRow
    candidate: RunCandidate
    content: DocumentContent

    @property
    def place(self) -> tuple[str, int]:
        return self.content.parse_id, self.line.number


@dataclass(frozen=True)
class Figure:
    """A computed figure. `head` is its name with its period, as shown.

    `listing` says what follows the result: formula and inputs ("full"), the formula where the inputs are those of
    earlier figures ("formula"), or neither ("none").
    """

    name: str
    head: str
    type: str
    value: str
    shown: str
    formula: str
    inputs: tuple[FigureInput, ...]
    listing: Literal["full", "formula", "none"] = "full"


@dataclass(frozen=True)
class ComputedFigures:
    """A computation: lines of text with markers, the rows behind them, and the typed values for the checks."""

    text: str
    quoted: tuple[Quoted, ...]
    checks: list[AnswerCheck]


def show_figures(figures: Sequence[Figure], *, first_marker: int) -> ComputedFigures:
    """The figures as a part of an answer; a line that several inputs are printed on is cited once."""
    quoted = quote_inputs(figures, first_marker)
    markers = {place: each.marker for place, each in quoted.items()}
    return ComputedFigures(
        "\n\n".join(write_figure(each, markers) for each in figures),
        tuple(quoted.values()),
        [check_of_figure(each, markers) for each in figures],
    )


def quote_inputs(figures: Sequence[Figure], first_marker: int) -> dict[tuple[str, int], Quoted]:
    """One citation for each line that gave an amount."""
    quoted: dict[tuple[str, int], Quoted] = {}
    for each in (each for figure in figures for each in figure.inputs):
        if each.place not in quoted:
            line = each.line
            place = cite_lines(each.content, line.number, line.number, [(line.number, 0, len(line.text))])
            quoted[each.place] = Quoted(first_marker + len(quoted), each.candidate, line.text, place)
    return quoted


def markers_of(figure: Figure, markers: dict[tuple[str, int], int]) -> list[int]:
    return list(dict.fromkeys(markers[each.place] for each in figure.inputs))


def write_figure(figure: Figure, markers: dict[tuple[str, int], int]) -> str:
    """The value, its formula, then each input with its marker."""
    head = f"{figure.head[:1].upper()}{figure.head[1:]}: {figure.shown}"
    cited = "".join(f"[{one}]" for one in markers_of(figure, markers))
    if figure.listing == "none":
        return f"{head} {cited}"
    if figure.listing == "formula":
        return f"{head}, computed as {figure.formula} {cited}"
    rows = [f"- {write_input(each)} [{markers[each.place]}]" for each in figure.inputs]
    return "\n".join([f"{head}, computed as {figure.formula}", "", *rows])


def write_input(given: FigureInput) -> str:
    """The name, period and amount as printed, with the unit its page states."""
    return f"{given.name} {given.period}".strip() + f": {' '.join(given.printed.split())} {given.unit}".rstrip()


def check_of_figure(figure: Figure, markers: dict[tuple[str, int], int]) -> AnswerCheck:
    """The typed value and its inputs, in the format of sentence checks; correct by construction."""
    check = literal_check(f"{figure.name}: {figure.shown}", sorted(markers_of(figure, markers)))
    inputs: list[FigureAmount] = [
        {
            "name": each.name,
            "year": each.period,
            "amount": str(each.amount),
            "printed": each.printed,
            "line": each.line.number,
            "marker": markers[each.place],
        }
        for each in figure.inputs
    ]
    check["computed"] = {
        "type": figure.type,
        "value": figure.value,
        "shown": figure.shown,
        "formula": figure.formula,
        "inputs": inputs,
    }
    return check
