"""The figures a model asked for in a written answer (R78): its formulas over checked inputs, computed and shown.

A formula is used only if every input, every number written into it and its units hold; nothing of one that fails is
shown. Which and why is told to the model once, and kept in the record.

It asks in a `COMPUTE` block of its reply, held back from readers: inputs, each with the quote and excerpt it is printed
in, and formulas over them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.translation import gettext_noop
from pydantic import BaseModel, ConfigDict, Field

from chat.checks import AnswerCheck
from chat.drafts import Quoted
from chat.figures.arithmetic import (
    Calculated,
    ExpressionError,
    Quantity,
    Ranked,
    WrittenFormula,
    calculate,
    compared_numbers,
    names_beyond_abs,
    read_expression,
    subtracted_names,
    write_out,
)
from chat.figures.computing import round_half_up, write_value
from chat.figures.inputs import (
    AskedInput,
    CheckedInput,
    ExcerptSource,
    InputError,
    check_asked_input,
    cut_words,
    require_one_scale,
    years_named,
)
from chat.figures.shown import ComputedFigures, Figure, FigureInput, show_figures
from chat.writing.claims import NOT_SHOWN
from chat.writing.excerpts import Excerpt
from chat.writing.writer import (
    StreamedReply,
    sentences_of,
    without_sentences,
)
from documents.storage.content import DocumentContent
from llm.reply import ReplyError, parse_reply
from reading.matching import match_form
from reading.values.scales import SCALE_NAMES, SCALE_WORD, scale_asked
from retrieval.words.printed import number_form

NOTE = gettext_noop("The model chose the formula; code checked each input on its page and computed the figure.")
NOT_COMPUTED = "A figure could not be computed: {findings}"
MISSING_INPUTS = "Not on the pages that were read, and needed for a figure: {missing}."
JUDGEMENT = gettext_noop(
    "What the figures amount to is a judgement that is left to you: it is neither the document's nor this program's."
)
AGAIN = """\
A program checked the inputs of your COMPUTE block against the excerpts. These could not be used:
{findings}
Write the whole reply again, block and answer. Mend what is named; leave out what cannot be mended and name it in \
missing."""

INPUTS_MAX, COMPUTATIONS_MAX, MISSING_MAX = 60, 20, 10
DECIMALS_MAX = 6
# Numbers that are no findings of a document: of a year, a quarter, an average, a conversion.
USUAL_CONSTANTS = frozenset(
    map(
        Decimal,
        ("0", "0.5", *map(str, range(1, 13)), "24", "52", "100", "360", "365", "366", "1000", "1000000", "1000000000"),
    )
)
ASKED_NUMBER = re.compile(rf"(\d+(?:[.,]\d+)*)\s?(%|(?:percent|per cent|{SCALE_WORD}|mn|bn|m)\b)?", re.IGNORECASE)
# Whatever a model calls its results; they have their own sign of percent.
RESULT_PLACE = re.compile(r"\{([A-Za-z]\w{0,30})\}(?:\s?%)?")
FULL_TYPES = {"percent": "percentage", "points": "percentage", "amount": "amount"}


class AskedComputation(BaseModel):
    """A computation as the model asks for it; `result` is how a number is to be shown."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    name: str
    label: str | None = ""
    formula: str
    result: str | None = ""
    decimals: int | None = None


class FigureRequest(BaseModel):
    """The COMPUTE block of a reply."""

    inputs: list[AskedInput] = Field(default_factory=list, max_length=INPUTS_MAX)
    computations: list[AskedComputation] = Field(default_factory=list, max_length=COMPUTATIONS_MAX)
    missing: list[str] = Field(default_factory=list)
    judgement: bool | None = False


@dataclass(frozen=True)
class FigureFinding:
    name: str
    words: str


@dataclass(frozen=True)
class RequestedFigures:
    """What became of the request of one reply. `text` is its answer with the results in their places."""

    text: str
    figures: ComputedFigures | None = None
    excerpts: tuple[Excerpt, ...] = ()  # the cited rows, with what was computed from them
    findings: tuple[FigureFinding, ...] = ()
    missing: tuple[str, ...] = ()
    is_judged: bool = False
    mended: tuple[FigureFinding, ...] = ()  # of a first draft, which the second has not

    @property
    def notes(self) -> list[str]:
        told = "; ".join(f"{each.name}: {each.words}" for each in self.findings)
        return [
            *([NOTE] if self.figures else []),
            *([NOT_COMPUTED.format(findings=f"{told}.")] if told else []),
            *([MISSING_INPUTS.format(missing="; ".join(self.missing))] if self.missing else []),
            *([JUDGEMENT] if self.is_judged and self.figures else []),
        ]

    @property
    def checks(self) -> list[AnswerCheck]:
        """The computed figures as checks, and those that are not shown with the reason."""
        return [*(self.figures.checks if self.figures else []), *map(check_of_finding, (*self.findings, *self.mended))]


@dataclass
class ComputationState:
    """What is known while the computations of a request are gone through."""

    question: str
    inputs: dict[str, CheckedInput] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    values: dict[str, Calculated] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)
    behind: dict[str, list[CheckedInput]] = field(default_factory=dict)  # the inputs of each result, and of its parts
    findings: list[FigureFinding] = field(default_factory=list)

    def inputs_of(self, names: Sequence[str]) -> list[CheckedInput]:
        """The inputs behind names of inputs and earlier results, each once."""
        own = [
            each for name in names for each in self.behind.get(name, [self.inputs[name]] if name in self.inputs else [])
        ]
        return list({id(each): each for each in own}.values())


def resolve_request(
    reply: StreamedReply,
    question: str,
    quotes: Sequence[Quoted],
    contents: Mapping[Any, DocumentContent],
    *,
    first_marker: int,
) -> RequestedFigures:
    """Check, compute and show what a reply asks for; `contents` are those of the quotes, by parse."""
    try:
        request = parse_reply(reply.block, FigureRequest)
    except ReplyError as error:
        finding = FigureFinding("COMPUTE", f"the block cannot be read. {error}".rstrip("."))
        return show_results(reply, FigureRequest(), ComputationState(question, findings=[finding]), first_marker)
    sources = {
        each.marker: ExcerptSource(each.candidate, contents[each.candidate.parse_id])
        for each in quotes
        if each.candidate.parse_id in contents
    }
    work = ComputationState(question)
    used = names_used(request)
    for asked in request.inputs:
        if asked.name in used and asked.name not in work.inputs:
            read_input(asked, sources, work)
    for computation in request.computations:
        try:
            compute_asked(computation, work)
        except (ExpressionError, InputError) as error:
            work.findings.append(FigureFinding(label_of(computation), cut_words(str(error))))
    return show_results(reply, request, work, first_marker)


def names_used(request: FigureRequest) -> set[str]:
    used: set[str] = set()
    for each in request.computations:
        try:
            used |= set(read_expression(each.formula).names)
        except ExpressionError:
            continue  # it is told when it is computed
    return used


def read_input(asked: AskedInput, sources: Mapping[int, ExcerptSource], work: ComputationState) -> None:
    try:
        work.inputs[asked.name] = check_asked_input(asked, sources)
        work.values[asked.name] = work.inputs[asked.name].quantity
    except InputError as error:
        name = cut_words(f"{asked.meaning or asked.name} {asked.period or ''}")
        work.faults[asked.name] = f"{name}: {error}"


# ---- one computation


def compute_asked(asked: AskedComputation, work: ComputationState) -> None:
    """Check a formula with its inputs, calculate it and keep its figure. Raises ExpressionError or InputError."""
    formula = read_expression(asked.formula)
    if asked.name in work.values or asked.name in work.faults:
        raise ExpressionError(f"the name “{asked.name}” is used twice")
    if Decimal(100) in formula.constants and kind_of_result(asked) in ("percent", "points"):
        raise ExpressionError("a percentage is made of its fraction; leave out the 100")
    for name in formula.names:
        if name in work.faults:
            raise InputError(work.faults[name])
        if name not in work.values:
            raise ExpressionError(f"“{name}” is no input and no earlier result")
    own = work.inputs_of(formula.names)
    if not own:
        raise ExpressionError("it has no input")
    check_constants(formula, work.question)
    check_signs(formula, work)
    check_years(own, work.question)
    is_scaled = require_one_scale(own)
    value = align_currencies(formula, own, work)
    work.figures[asked.name] = figure_of_result(Result(asked, formula, value, own, is_scaled), work)
    work.values[asked.name], work.behind[asked.name] = value, own


def check_constants(formula: WrittenFormula, question: str) -> None:
    """A number in a formula is the question's, or of no document: an amount in it would be cited nowhere."""
    asked = numbers_asked(question)
    compared = set(compared_numbers(formula)) - {Decimal(0), Decimal(1)}
    for constant in formula.constants:
        if constant not in asked and (constant in compared or constant not in USUAL_CONSTANTS):
            raise ExpressionError(f"the number {constant:f} is neither an input nor in the question")


def numbers_asked(question: str) -> set[Decimal]:
    """The numbers of a question; "20 %" is 0.2 and "500 million" is 500000000."""
    found: set[Decimal] = set()
    for number, unit in ASKED_NUMBER.findall(question):
        value, unit = Decimal(number_form(number)), unit.lower()
        found.add(value / 100 if unit in ("%", "percent", "per cent") else value * SCALE_NAMES.get(unit, 1))
    return found


def check_signs(formula: WrittenFormula, work: ComputationState) -> None:
    """Refuse a sign that was left out, and an outflow in brackets that is subtracted and would be added."""
    for name in sorted(names_beyond_abs(formula)):
        given = work.inputs.get(name)
        if given and given.is_turned:
            raise InputError(
                f"{given.shown.name}: {given.shown.printed} is negative; write abs({name}) to use its size"
            )
    for others, name in subtracted_names(formula):
        given = work.inputs.get(name)
        if given is None or given.quantity.value >= 0:
            continue
        before = [work.inputs[other].shown for other in others if other in work.inputs]
        if not any(is_same_row(each, given.shown) for each in before):
            raise InputError(
                f"{given.shown.name}: {given.shown.printed} is negative, and subtracting it adds it; write "
                f"abs({name}) to subtract its size"
            )


def is_same_row(one: FigureInput, other: FigureInput) -> bool:
    """Whether two amounts are of one row, or of one name: the loss of two years is compared as it is."""
    return one.place == other.place or match_form(one.name) == match_form(other.name)


def check_years(inputs: Sequence[CheckedInput], question: str) -> None:
    """Amounts are of the years that are asked for, or next to them: fiscal years end later, growth begins before."""
    asked = [int(year) for year in years_named(question)]
    for each in inputs if asked else ():
        if each.years and not any(min(asked) - 1 <= int(year) <= max(asked) + 1 for year in each.years):
            raise InputError(f"{each.shown.name} is of {', '.join(sorted(each.years))}, which is not asked for")


def align_currencies(formula: WrittenFormula, inputs: Sequence[CheckedInput], work: ComputationState) -> Calculated:
    """The result; an amount of which no currency is known has that of the others, if they have one."""
    named = {unit for each in inputs for unit, _ in each.quantity.units if unit not in ("", "share")}
    values = dict(work.values)
    if len(named) == 1:
        only = next(iter(named))
        for name in formula.names:
            if isinstance(value := values[name], Quantity):
                units = tuple(sorted((unit or only, power) for unit, power in value.units))
                values[name] = Quantity(value.value, units)
    return calculate(formula, values)


# ---- how its result is shown


class Result(NamedTuple):
    """A formula that was calculated, with the inputs behind it; `is_scaled` if they are of one scale."""

    asked: AskedComputation
    formula: WrittenFormula
    value: Calculated
    own: Sequence[CheckedInput]
    is_scaled: bool


def figure_of_result(result: Result, work: ComputationState) -> Figure:
    words = {name: f"{each.shown.name} {each.shown.period}".strip() for name, each in work.inputs.items()}
    words |= {name: each.name for name, each in work.figures.items()}
    listed = {id(each) for inputs in work.behind.values() for each in inputs}
    kind, shown = write_result(result, words, work.question)
    return Figure(
        name=label_of(result.asked),
        head=label_of(result.asked).rstrip("?:. "),
        type=kind,
        value=plain_value(result.value, words),
        shown=shown,
        formula=write_out(result.formula, words),
        inputs=tuple(each.shown for each in result.own),
        listing="formula" if all(id(each) in listed for each in result.own) else "full",
    )


def write_result(found: Result, words: Mapping[str, str], question: str) -> tuple[str, str]:
    """The type of a result and its words. Raises ExpressionError for one in units that were not asked for."""
    asked, value = found.asked, found.value
    if isinstance(value, bool):
        return "yes_no", "yes" if value else "no"
    if isinstance(value, Ranked):
        return "ranking" if value.is_whole else "which", ", ".join(words[name] for name in value.names)
    places = None if asked.decimals is None else min(max(asked.decimals, 0), DECIMALS_MAX)
    result = kind_of_result(asked)
    if value.units:
        if result in ("percent", "points"):
            raise ExpressionError("its units do not cancel out, so that it is no percentage")
        return "amount", write_amount_of(value, places, scale_for(found, question))
    if result in ("percent", "points"):
        return FULL_TYPES[result], write_value(
            value.value, "percent" if result == "percent" else "points", places, None
        )
    shown = write_value(value.value, "ratio", places if places is not None else places_of_number(value.value), None)
    return "number", f"{shown} days" if result == "days" else shown


def kind_of_result(asked: AskedComputation) -> str:
    """How a number is to be shown, whichever word the model has for it."""
    words = (asked.result or "").lower().replace("_", " ").strip()
    if words in ("points", "pp", "ppt") or words.startswith("percentage point"):
        return "points"
    return "percent" if words.startswith(("percent", "%")) else words


def places_of_number(value: Decimal) -> int:
    return 0 if value == value.to_integral_value() else 2


def scale_for(found: Result, question: str) -> int:
    """What an amount is written in: the scale of the question, else of its inputs; units where these have several."""
    asked = scale_asked(question.lower())
    return (asked or max(each.scale or 1 for each in found.own)) if found.is_scaled else 1


def write_amount_of(value: Quantity, places: int | None, scale: int) -> str:
    """An amount with its unit; what is per share is in no scale."""
    units = dict(value.units)
    currency = next((name for name, power in value.units if power == 1 and name != "share"), "")
    over = {1: " shares", -1: " per share"}.get(units.get("share", 0), "")
    if scale > 1 and units.get("share") != -1:
        shown = write_value(value.value, "amount", places, scale)
    else:
        rounded = round_half_up(value.value, places if places is not None else min(places_of_number(value.value), 2))
        shown = f"{rounded:,}"
    return " ".join(filter(None, [currency, f"{shown}{over}"]))


def plain_value(value: Calculated, words: Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(words[name] for name in value.names) if isinstance(value, Ranked) else f"{value.value:f}"


def label_of(asked: AskedComputation) -> str:
    return cut_words(asked.label or asked.formula)


# ---- the text around them


def show_results(
    reply: StreamedReply, request: FigureRequest, work: ComputationState, first_marker: int
) -> RequestedFigures:
    """The answer with the results in their places; a sentence that waits for one that failed is left out."""
    text = reply.text.strip()
    unknown = [
        number
        for number, sentence in enumerate(sentences_of(text), 1)
        if not all(name in work.figures for name in RESULT_PLACE.findall(sentence))
    ]
    text = without_sentences(text, unknown) if unknown else text
    missing = tuple(cut_words(each) for each in request.missing[:MISSING_MAX] if each.strip())
    told = RequestedFigures(text, None, (), tuple(work.findings), missing, bool(request.judgement))
    if not work.figures:
        return told
    figures = show_figures(list(work.figures.values()), first_marker=first_marker)
    cited = {name: marks_of(check["markers"]) for name, check in zip(work.figures, figures.checks, strict=True)}
    text = RESULT_PLACE.sub(lambda found: f"{work.figures[found[1]].shown} {cited[found[1]]}", text)
    excerpts = tuple(excerpt_of_row(each, figures) for each in figures.quoted)
    return replace(told, text=text, figures=figures, excerpts=excerpts)


def marks_of(markers: Sequence[int]) -> str:
    return "".join(f"[{marker}]" for marker in markers)


def excerpt_of_row(quoted: Quoted, figures: ComputedFigures) -> Excerpt:
    """A cited row for who checks a sentence with a result: the row, and what code computed from it."""
    candidate, page = quoted.candidate, quoted.place.page if quoted.place else quoted.candidate.anchor_first_page
    computed = f"{quoted.quote}\n\nComputed by code, and right:\n{figures.text}"
    section = candidate.breadcrumb or candidate.section_title
    return Excerpt(quoted.marker, candidate.document_title, section, str(page), computed, quoted.quote)


def check_of_finding(finding: FigureFinding) -> AnswerCheck:
    """A figure that is not shown, in the format of sentence checks."""
    return {
        "sentence": finding.name,
        "markers": [],
        "supported": 0.0,
        "numbers": [],
        "problems": ["not_computed"],
        "verdict": NOT_SHOWN,
        "finding": finding.words,
        "left_out": True,
    }
