"""Fit the ranking weights on one half of the question sets, and judge them on the other.

A question's half is decided by the SHA-256 of its id, so it never changes. The search is by coordinates: each weight in
turn is tried at a few multiples, the best value is kept if it raises the measure of the first half, and this repeats
until a round changes nothing. The second half is only measured before and after.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from types import ModuleType
from typing import Any
from unittest import mock

from benchmarks.library import Library
from benchmarks.metrics import is_hit, reciprocal_rank
from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit, ranked_pages
from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from retrieval.arbiter import evidence, order, rules
from retrieval.candidates import aggregation, fusion
from retrieval.detectors import keywords
from retrieval.detectors.run import detect
from retrieval.pipeline import retrieve
from retrieval.question.kinds import SHIPPED, ReadingRules
from retrieval.types import ConceptTerms, Plan, Question, RetrievalResult

MULTIPLES = (0.7, 0.85, 1.15, 1.4)
GAIN_MIN = 0.001  # of the measure: less is one question moving by a rank or two
ROUNDS_MAX = 3
DIGITS = 3
CUTOFF = 5  # pages a reader looks at
HALVES = ("fitted", "held out")


@dataclass(frozen=True)
class Weight:
    """A constant of the product. An early one changes what the detectors find, a late one only how it is ranked."""

    module: ModuleType
    name: str
    is_early: bool = False

    @property
    def label(self) -> str:
        return f"{self.module.__name__}.{self.name}"

    @property
    def value(self) -> float:
        return float(getattr(self.module, self.name))


STRENGTH = tuple(
    Weight(aggregation, name) for name in ("KEYWORD_WEIGHT", "VECTOR_WEIGHT", "TITLE_WEIGHT", "TYPE_WEIGHT")
)  # parts of one sum, which stays 1 because the arbiter's thresholds are shares of it
WEIGHTS = (
    *STRENGTH,
    Weight(fusion, "RRF_K"),
    Weight(aggregation, "HEADING_SHARE"),
    Weight(aggregation, "INHERITED_SHARE"),
    Weight(rules, "PRIMARY_SHARE"),
    Weight(order, "STRENGTH_MIN"),
    Weight(evidence, "FORMED_SHARE"),
    *(
        Weight(keywords, name, is_early=True)
        for name in ("DECAY", "SECTION_CREDIT", "HEADING_CREDIT", "PAGE_CREDIT", "PHRASE_BONUS")
    ),
)
SHARES = {weight.label for weight in WEIGHTS if weight.name.endswith(("SHARE", "CREDIT", "DECAY", "_MIN"))}

Values = dict[str, float]  # by the label of a weight
Sets = Mapping[str, Sequence[GoldQuestion]]


def half_of(question: GoldQuestion) -> str:
    """The half a question is permanently in: by the last bit of the SHA-256 of its id."""
    return HALVES[sha256(question.id.encode()).digest()[-1] % 2]


def run(
    sets: Sets,
    library: Library,
    dictionary: Sequence[ConceptTerms] = (),
    *,
    names: Sequence[str] = (),
    rounds: int = ROUNDS_MAX,
) -> dict[str, Any]:
    """Both halves' figures with today's weights and with fitted ones, and each step between.

    `names` are the weights that may move, all when there are none.
    """
    moving = [weight for weight in WEIGHTS if weight.name in names or not names]
    halves = {
        half: {name: [each for each in asked if half_of(each) == half] for name, asked in sets.items()}
        for half in HALVES
    }
    asking = Asking(library, dictionary)
    today = {weight.label: weight.value for weight in WEIGHTS}
    before = {half: asking.figures(halves[half], today) for half in HALVES}
    fitted, steps = fit(halves["fitted"], asking, today, moving, rounds)
    after = {half: asking.figures(halves[half], fitted) for half in HALVES}
    return {
        "questions": {half: {name: len(asked) for name, asked in halves[half].items()} for half in HALVES},
        "before": before,
        "after": after,
        "moving": [weight.label for weight in moving],
        "today": today,
        "fitted": fitted,
        "changed": {label: value for label, value in fitted.items() if value != today[label]},
        "held_out_is_no_worse": after["held out"]["measure"] >= before["held out"]["measure"],
        "steps": steps,
        "commit": commit(),
    }


def fit(
    sets: Sets, asking: "Asking", values: Values, moving: Sequence[Weight], rounds: int
) -> tuple[Values, list[dict[str, Any]]]:
    """The result of a search by coordinates, and its steps."""
    best, measure = values, float(asking.figures(sets, values)["measure"])
    steps: list[dict[str, Any]] = []
    for _ in range(rounds):
        began = best
        for weight in moving:
            tried = [(float(asking.figures(sets, moved)["measure"]), moved) for moved in moves_of(weight, best)]
            found, moved = max(tried, key=lambda each: each[0])  # the first of equals
            if found >= measure + GAIN_MIN:
                best, measure = moved, found
                steps.append({"weight": weight.label, "value": moved[weight.label], "measure": round(found, 4)})
        if best == began:
            break
    return best, steps


def moves_of(weight: Weight, values: Values) -> Iterator[Values]:
    """The values with one weight at each of its multiples; the weights of the sum are scaled to it again."""
    for multiple in MULTIPLES:
        value = round(values[weight.label] * multiple, DIGITS)
        moved = {**values, weight.label: min(1.0, value) if weight.label in SHARES else value}
        if weight in STRENGTH:
            total = sum(moved[each.label] for each in STRENGTH)
            moved |= {each.label: round(moved[each.label] / total, DIGITS) for each in STRENGTH}
        yield moved


class Asking:
    """Asks questions with given weights. Detector results are cached until one of their weights changes."""

    def __init__(self, library: Library, dictionary: Sequence[ConceptTerms]) -> None:
        self.library = library
        self.dictionary = dictionary
        self._early: Values = {}
        self._found: dict[tuple[str, str], tuple[Any, Plan]] = {}

    def figures(self, sets: Sets, values: Values) -> dict[str, Any]:
        """The measure of each set, its parts, and the mean over the sets."""
        early = {weight.label: values[weight.label] for weight in WEIGHTS if weight.is_early}
        if early != self._early:
            self._early, self._found = early, {}
        with weighing(values), mock.patch("retrieval.steps.detect", self.detect_once(detect)):
            by_set = {
                name: measure_of([(each, self.ask(each)) for each in asked]) for name, asked in sets.items() if asked
            }
        return {"measure": round(sum(each["measure"] for each in by_set.values()) / len(by_set), 5), "sets": by_set}

    def ask(self, question: GoldQuestion) -> RetrievalResult:
        content = self.library.content(question.document)
        return retrieve(
            question.question, [content], settings=BaseSettings(), arbiter="rules", dictionary=self.dictionary
        )

    def detect_once(self, found_by: Any) -> Any:
        def kept(
            question: Question,
            plan: Plan,
            contents: Sequence[DocumentContent],
            dictionary: Sequence[ConceptTerms] = (),
            rules: ReadingRules = SHIPPED,
        ) -> tuple[Any, Plan]:
            key = (question.original, contents[0].sha256)
            if key not in self._found:
                self._found[key] = found_by(question, plan, contents, dictionary, rules)
            hits, ran = self._found[key]
            return list(hits), ran

        return kept


@contextmanager
def weighing(values: Values) -> Iterator[None]:
    """The product with these weights, inside the block."""
    before = {weight: getattr(weight.module, weight.name) for weight in WEIGHTS}
    try:
        for weight in WEIGHTS:
            setattr(weight.module, weight.name, values[weight.label])
        yield
    finally:
        for weight, value in before.items():
            setattr(weight.module, weight.name, value)


def measure_of(answered: Sequence[tuple[GoldQuestion, RetrievalResult]]) -> dict[str, float]:
    """The mean of three: reciprocal rank of the gold page, gold page among the first five, right about absence.

    Right about absence is the mean of absent questions refused and answerable ones not refused, so refusing all gains
    nothing.
    """
    located = [
        (ranked_pages(result.candidates), each.pages) for each, result in answered if each.pages and not each.not_found
    ]
    refused = {
        kind: [is_refused(result) for each, result in answered if each.not_found is kind] for kind in (True, False)
    }
    rank = average([reciprocal_rank(pages, gold) for pages, gold in located])
    hit = average([float(is_hit(pages, gold, CUTOFF)) for pages, gold in located])
    shares = [
        average([float(is_right is kind) for is_right in refused[kind]]) for kind in (True, False) if refused[kind]
    ]
    figures = {"page_mrr": rank, "page_hit_5": hit, "right_about_absence": average(shares)}
    return {name: round(value, 4) for name, value in {**figures, "measure": average(list(figures.values()))}.items()}


def is_refused(result: RetrievalResult) -> bool:
    return result.status != "found" or all(candidate.verdict.role != "primary" for candidate in result.candidates)


def average(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
