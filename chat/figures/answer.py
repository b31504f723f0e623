"""The figure a question asks for by a formula known to the program, as a part of an answer; no model is needed."""

from collections.abc import Sequence

from django.utils.translation import gettext_noop

from chat.figures.computing import Computed, compute_all, read_formulas
from chat.figures.formulas import write_formula
from chat.figures.shown import ComputedFigures, Figure, FigureInput, show_figures
from chat.figures.statement_rows import statement_rows
from documents.models import Parse
from documents.storage.content import DocumentContent, load_content
from reading.values.scales import SCALE_WORDS
from retrieval.models import RetrievalRun, RunCandidate

NOTE = gettext_noop("The figure was computed by code from the rows it cites, not by a model.")
VALUE_TYPES = {"ratio": "number", "percent": "percentage", "points": "percentage", "amount": "amount"}


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
    figures = [figure_of(each, own, content) for each in found]
    if not found or not all(figures):
        return None
    return show_figures(list(filter(None, figures)), first_marker=first_marker)


def figure_of(computed: Computed, candidates: Sequence[RunCandidate], content: DocumentContent) -> Figure | None:
    """A computed value as it is shown; None if an input is on a page without a candidate."""
    inputs = []
    for each in computed.inputs:
        line = each.row.line
        candidate = find_nearest_candidate(line.number, line.page_number, candidates)
        if candidate is None:
            return None
        unit = SCALE_WORDS.get(each.row.scale or 0, "")
        inputs.append(FigureInput(each.name, each.year, each.amount, each.printed, unit, line, candidate, content))
    years = sorted({each.year for each in computed.inputs})
    is_change = computed.formula.unit == "points"  # the difference of two values whose inputs are listed above
    return Figure(
        name=computed.formula.name,
        head=f"{computed.formula.name}, {years[0]} to {years[-1]}"
        if is_change
        else f"{computed.formula.name}, {years[-1]}",
        type=VALUE_TYPES[computed.formula.unit],
        value=str(computed.value),
        shown=computed.shown,
        formula=write_formula(computed.formula.expression),
        inputs=tuple(inputs),
        listing="none" if is_change or (len(inputs) == 1 and computed.is_plain) else "full",
    )


def find_nearest_candidate(number: int, page: int, candidates: Sequence[RunCandidate]) -> RunCandidate | None:
    """The candidate whose context contains a line, else the first one on its page."""
    inside = [each for each in candidates if each.context_first_line <= number <= each.context_last_line]
    on_page = [each for each in candidates if each.anchor_first_page <= page <= each.anchor_last_page]
    return next(iter(inside or on_page), None)
