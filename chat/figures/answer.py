"""The computed figure in an answer: its text, its inputs as citations, its typed value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from chat.drafts import CitedLines, Quoted
from chat.figures.computing import SCALE_WORDS, Computed, Input, compute_all, read_formulas
from chat.figures.formulas import write_formula
from chat.figures.statement_rows import statement_rows
from documents.models import Parse
from documents.storage.content import DocumentContent, load_content
from reading.boxes import boxes_of
from retrieval.models import RetrievalRun, RunCandidate

NOTE = gettext_noop("The figure was computed by code from the rows it cites, not by a model.")
VALUE_TYPES = {"ratio": "number", "percent": "percentage", "points": "percentage", "amount": "amount"}


@dataclass(frozen=True)
class ComputedFigures:
    """A computation: lines of text with markers, the rows behind them, and the typed values for the checks."""

    text: str
    quoted: tuple[Quoted, ...]
    checks: list[dict[str, Any]]


def figures_for(run: RetrievalRun, candidates: Sequence[RunCandidate], *, first_marker: int) -> ComputedFigures | None:
    """The computation the run's question asks for, or None if there is none or it is not certain.

    All amounts come from one document, that of the best candidate, and each from a page where the run has a candidate
    that was not discarded: an amount from elsewhere could not be cited and is not used.
    """
    formulas = read_formulas(run.question)
    if not candidates or not formulas:
        return None
    best = candidates[0]
    parse = Parse.objects.select_related("document").filter(pk=best.parse_id).first()
    if parse is None:
        return None
    content = load_content(parse)
    found = compute_all(formulas, statement_rows(content))
    own = [each for each in run.candidates.all() if each.parse_id == best.parse_id and each.role != "discarded"]
    quoted = quoted_inputs([each for one in found for each in one.inputs], own, content, first_marker)
    if not found or quoted is None:
        return None
    markers = {each.place.first_line: each.marker for each in quoted if each.place}
    return ComputedFigures(
        "\n\n".join(write_figure(each, markers) for each in found),
        quoted,
        [check_of_figure(each, markers) for each in found],
    )


def quoted_inputs(
    inputs: Sequence[Input], candidates: Sequence[RunCandidate], content: DocumentContent, first_marker: int
) -> tuple[Quoted, ...] | None:
    """One citation for each row that gave an amount; None if a row is on a page without a candidate."""
    quoted: dict[int, Quoted] = {}
    for each in inputs:
        line = each.row.line
        if line.number in quoted:
            continue
        candidate = find_nearest_candidate(line.number, line.page_number, candidates)
        if candidate is None:
            return None
        boxes = boxes_of([(line.number, 0, len(line.text))], {line.number: line})
        label = content.page(line.page_number).label
        place = CitedLines(line.number, line.number, line.page_number, label, [box.as_dict() for box in boxes])
        quoted[line.number] = Quoted(first_marker + len(quoted), candidate, line.text, place)
    return tuple(quoted.values())


def find_nearest_candidate(number: int, page: int, candidates: Sequence[RunCandidate]) -> RunCandidate | None:
    """The candidate whose context contains a line, else the first one on its page."""
    inside = [each for each in candidates if each.context_first_line <= number <= each.context_last_line]
    on_page = [each for each in candidates if each.anchor_first_page <= page <= each.anchor_last_page]
    return next(iter(inside or on_page), None)


def write_figure(computed: Computed, markers: dict[int, int]) -> str:
    """The value, its formula, then each input with its marker."""
    years = sorted({each.year for each in computed.inputs})
    head = f"{computed.formula.name[:1].upper()}{computed.formula.name[1:]}, {years[-1]}: {computed.shown}"
    if computed.formula.unit == "points":  # the difference of two values whose inputs are listed above
        cited = dict.fromkeys(markers[each.row.line.number] for each in computed.inputs)
        return (
            f"{head.replace(f', {years[-1]}:', f', {years[0]} to {years[-1]}:')} {''.join(f'[{one}]' for one in cited)}"
        )
    if len(computed.inputs) == 1 and computed.is_plain:
        return f"{head} [{markers[computed.inputs[0].row.line.number]}]"
    rows = [
        f"- {each.name} {each.year}: {write_amount(each)} [{markers[each.row.line.number]}]" for each in computed.inputs
    ]
    return "\n".join([f"{head}, computed as {write_formula(computed.formula.expression)}", "", *rows])


def write_amount(each: Input) -> str:
    """The amount as printed, with the unit its page states."""
    unit = SCALE_WORDS.get(each.row.scale or 0, "")
    return f"{each.printed} {unit}".strip()


def check_of_figure(computed: Computed, markers: dict[int, int]) -> dict[str, Any]:
    """The typed value and its inputs, in the format of sentence checks; correct by construction."""
    return {
        "sentence": f"{computed.formula.name}: {computed.shown}",
        "markers": sorted({markers[each.row.line.number] for each in computed.inputs}),
        "supported": 1.0,
        "numbers": [],
        "problems": [],
        "computed": {
            "type": VALUE_TYPES[computed.formula.unit],
            "value": str(computed.value),
            "shown": computed.shown,
            "formula": write_formula(computed.formula.expression),
            "inputs": [
                {
                    "name": each.name,
                    "year": each.year,
                    "amount": str(each.amount),
                    "printed": each.printed,
                    "line": each.row.line.number,
                    "marker": markers[each.row.line.number],
                }
                for each in computed.inputs
            ],
        },
    }
