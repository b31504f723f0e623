"""The weights of the evidence without a model, and what each limit on it costs: absent questions answered, others not.

Each half of the sets is judged with weights fitted on the other half; what the product uses is fitted on both. To the
questions of the sets come near misses: answerable ones with a year or a name that their document does not have.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.library import Library
from benchmarks.metrics import area_under_curve, mean
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit
from benchmarks.weights import HALVES, half_of
from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.arbiter.evidence import WEIGHTS, Signals, weigh_evidence
from retrieval.pipeline import retrieve
from retrieval.question.phrasing import split_parts
from retrieval.types import ConceptTerms
from retrieval.words.lexicon import lexicon_of

NAMES = ("coverage", "lead", "formed", "specific")
READ_NAMES = (*NAMES, "reads")
SWAPPED_BY = 9  # years: no report of these sets tells of one so long before
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")  # inside a sentence
RIDGE = 0.1  # on standardised signals: keeps a signal that is the same in all questions at nothing
STEPS = 50  # of Newton's method; ten are enough
LIMITS = tuple(round(0.05 * step, 2) for step in range(20))
KINDS = ("answerable", "absent", "near miss")
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "risk.svg"

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A question with its signals; without them when no passage was proposed, so that it was refused in any case."""

    id: str
    set: str
    half: str
    kind: str
    signals: Signals | None


def run(
    sets: Mapping[str, Sequence[GoldQuestion]],
    library: Library,
    dictionary: Sequence[ConceptTerms],
    unread: bool = False,
) -> dict[str, Any]:
    """The fitted weights, the curve and the figures of every set, by halves judged with the other's weights.

    Of the questions whose first passage is read for an answer, or, `unread`, of all as if none was.
    """
    asked = [
        ask(question, name, kind, library, dictionary, unread)
        for name, questions in sets.items()
        for question, kind in with_near_misses(questions, library)
    ]
    asked = [one for one in asked if unread or one.signals is None or one.signals.reads is not None]
    names = NAMES if unread else READ_NAMES
    unknown = {name: mean_known(name, asked) for name in ("lead", "reads") if name in names}
    judged: dict[tuple[str, str], float] = {}
    for half in HALVES:
        intercept, weights = fit([one for one in asked if one.half != half], names, unknown)
        judged |= {
            (one.set, one.id): probability(one, intercept, weights, names, unknown) for one in asked if one.half == half
        }
    intercept, weights = fit(asked, names, unknown)
    return {
        "intercept": round(intercept, 4),
        "weights": {name: round(weight, 4) for name, weight in zip(names, weights, strict=True)},
        "is_read": not unread,
        "unknown": unknown,
        "curve": [
            {"limit": limit, **costs(asked, judged, limit), "absent": count_absent(asked, judged, limit)}
            for limit in LIMITS
        ],
        "sets": {name: figures_of([one for one in asked if one.set == name], judged) for name in sets},
        "commit": commit(),
        "per_question": [asdict(one) | {"probability": judged[one.set, one.id]} for one in asked],
    }


def mean_known(name: str, asked: Sequence[Asked]) -> float:
    """The mean of a signal where it is known: what it counts for where it is not."""
    known = [getattr(one.signals, name) for one in asked if one.signals and getattr(one.signals, name) is not None]
    return round(float(np.mean(known)), 4) if known else 0.0


def with_near_misses(questions: Sequence[GoldQuestion], library: Library) -> Iterator[tuple[GoldQuestion, str]]:
    names = sorted({name for one in questions for name in NAME.findall(one.question)})
    for question in questions:
        yield question, "absent" if question.not_found else "answerable"
        # Of a question in parts only one half would miss, and the other is still answered.
        is_whole = not question.not_found and not split_parts(question.question)
        swapped = "" if not is_whole else swap(question.question, names, library.content(question.document))
        if swapped:
            yield replace(question, id=f"{question.id}-near", question=swapped, not_found=True), "near miss"


def swap(text: str, names: Sequence[str], content: DocumentContent) -> str:
    """The question with its years, else its first name, changed to what the document lacks; "" without either."""
    if YEAR.search(text):
        return YEAR.sub(lambda year: str(int(year[0]) - SWAPPED_BY), text)
    found = NAME.search(text)
    lexicon = lexicon_of(content)
    others = [name for name in names if not len(lexicon.lines_with(name.lower()))]
    return text.replace(found[0], others[len(text) % len(others)]) if found and others else ""


def ask(
    question: GoldQuestion,
    name: str,
    kind: str,
    library: Library,
    dictionary: Sequence[ConceptTerms],
    unread: bool,
) -> Asked:
    content = library.content(question.document)
    result = retrieve(
        question.question, [content], settings=BaseSettings(risk_max=100), arbiter="rules", dictionary=dictionary
    )
    signals = None
    if result.candidates:
        found = (result.question, result.candidates, [content], result.hits)
        signals = weigh_evidence(*found, 100, is_read=not unread).signals
    return Asked(question.id, name, half_of(question), kind, signals)


# ---- the fit: a logistic regression in which questions with and without an answer count the same


def fit(asked: Sequence[Asked], names: Sequence[str], unknown: Mapping[str, float]) -> tuple[float, list[float]]:
    """The intercept and the weights of the signals as they are; a near miss counts as absent."""
    known = [one for one in asked if one.signals]
    values, answered = matrix_of(known, names, unknown), np.array([one.kind == "answerable" for one in known])
    centre, spread = values.mean(0), values.std(0) + 1e-9
    design = np.c_[(values - centre) / spread, np.ones(len(known))]
    counts = np.where(answered, 0.5 / answered.mean(), 0.5 / (1 - answered.mean()))
    ridge = RIDGE * np.diag([1.0] * len(names) + [0.0])
    found = np.zeros(len(names) + 1)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (counts * (chance - answered)) + ridge @ found
        bend = (design.T * (counts * chance * (1 - chance))) @ design + ridge
        found = found - np.linalg.solve(bend, slope)
    weights = found[:-1] / spread
    return float(found[-1] - weights @ centre), [float(weight) for weight in weights]


def matrix_of(asked: Sequence[Asked], names: Sequence[str], unknown: Mapping[str, float]) -> Matrix:
    rows = [asdict(one.signals) for one in asked if one.signals]
    return np.array(
        [[unknown[name] if row[name] is None else row[name] for name in names] for row in rows], dtype=float
    )


def probability(
    one: Asked, intercept: float, weights: Sequence[float], names: Sequence[str], unknown: Mapping[str, float]
) -> float:
    if one.signals is None:
        return 0.0
    return float(1 / (1 + np.exp(-(intercept + matrix_of([one], names, unknown)[0] @ np.array(weights)))))


# ---- what it costs


def is_answered(one: Asked, judged: Mapping[tuple[str, str], float], limit: float) -> bool:
    """Whether the rules would answer at this limit; a missing form is decisive whatever the probability."""
    return one.signals is not None and one.signals.formed > 0 and judged[one.set, one.id] >= limit


def costs(asked: Sequence[Asked], judged: Mapping[tuple[str, str], float], limit: float) -> dict[str, float | None]:
    shares = {
        kind: mean([float(is_answered(one, judged, limit)) for one in asked if one.kind == kind]) for kind in KINDS
    }
    lost = None if shares["answerable"] is None else round(1 - shares["answerable"], 4)
    return {"absent_answered": shares["absent"], "near_miss_answered": shares["near miss"], "answerable_lost": lost}


def count_absent(asked: Sequence[Asked], judged: Mapping[tuple[str, str], float], limit: float) -> dict[str, list[int]]:
    """By set that has any, how many of its absent questions are answered at this limit, and how many there are."""
    absent = [one for one in asked if one.kind == "absent"]
    return {
        name: [sum(is_answered(one, judged, limit) for one in absent if one.set == name), count]
        for name, count in Counter(one.set for one in absent).items()
    }


def figures_of(asked: Sequence[Asked], judged: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    """Counts, the area under the curve against absent questions and near misses, and the costs of some limits."""
    chances = {kind: [judged[one.set, one.id] for one in asked if one.kind == kind] for kind in KINDS}
    return {
        "questions": {kind: len(found) for kind, found in chances.items()},
        "area": {kind: area_under_curve(chances["answerable"], chances[kind]) for kind in KINDS[1:]},
        "costs": {str(limit): costs(asked, judged, limit) for limit in LIMITS[4:16:2]},
    }


# ---- what the product reads, and the picture


def draw_curve(figures: Mapping[str, Any]) -> str:
    """The curve as SVG: absent questions answered against answerable ones answered, one dot for each limit."""
    dots = [(1 - row["answerable_lost"], row["absent_answered"], row["limit"]) for row in figures["curve"]]
    points = " ".join(f"{60 + 400 * right:.0f},{440 - 400 * wrong:.0f}" for right, wrong, _ in dots)
    marks = "".join(
        f'<circle cx="{60 + 400 * right:.0f}" cy="{440 - 400 * wrong:.0f}" r="3"><title>limit {limit}</title></circle>'
        for right, wrong, limit in dots
    )
    ticks = "".join(
        f'<text x="{60 + 400 * step / 5:.0f}" y="460" text-anchor="middle">{step / 5:.1f}</text>'
        f'<text x="52" y="{444 - 400 * step / 5:.0f}" text-anchor="end">{step / 5:.1f}</text>'
        for step in range(6)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 500" font-family="sans-serif" font-size="12">'
        '<rect width="500" height="500" fill="#fff"/><path d="M60 40V440H460" fill="none" stroke="#555"/>'
        f'{ticks}<polyline points="{points}" fill="none" stroke="#4f3ca8" stroke-width="2"/>{marks}'
        '<text x="260" y="485" text-anchor="middle">answerable questions answered</text>'
        '<text x="16" y="240" text-anchor="middle" transform="rotate(-90 16 240)">absent questions answered</text>'
        "</svg>\n"
    )


def write_fit(figures: Mapping[str, Any], path: Path | None = None) -> None:
    """Write the weights and the curve where the rules read them."""
    lines = [
        "# Written by `python -m benchmarks confidence --write`; how it is fitted: docs/benchmarks.md.",
        f"intercept = {figures['intercept']}",
        "",
        "[unknown]",
        *(f"{name} = {value}" for name, value in figures["unknown"].items()),
        "",
        "[weights]",
        *(f"{name} = {weight}" for name, weight in figures["weights"].items()),
    ]
    for row in figures["curve"]:
        lines += [
            "",
            "[[curve]]",
            *(f"{name} = {row[name]}" for name in ("limit", "absent_answered", "answerable_lost")),
            f"absent = {{ {', '.join(f'{name} = {counts}' for name, counts in row['absent'].items())} }}",
        ]
    (path or WEIGHTS[figures["is_read"]]).write_text("\n".join(lines) + "\n", encoding="utf-8")
