"""Answers of the base that auditors found right, shown to the writer as examples of form (R86), if its owner allows it.

They are of the asker's own scope, of other questions, and under a heading that says what they are for. Which ones were
shown is stored with the answer, so that its record depends on nothing else.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db.models import Exists, OuterRef, Q
from numpy.typing import NDArray

from chat.checks import ShownExample
from chat.models import Answer, Feedback
from chat.objections import DOUBTS, Said, same_answers, standing_reviews
from documents.base_settings import BaseSettings
from documents.models import Document, Viewer
from llm.embeddings import bundled
from llm.fence import fence_text
from llm.window import Window
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.types import KEPT_ROLES
from retrieval.words.tokens import is_stop_word, language_of, normalise_words, stem

EXAMPLES_MAX = 3
POOL_MAX = 60  # the newest; embedding as many questions takes a second, once in the life of a process
# Of 157 questions on four collections one pair in a hundred is nearer; those are on one subject, or of one form.
NEAR_MEANING = 0.6
NEAR_WORDS = 0.3  # share of the words of both: three of ten
# Together less than one excerpt may have (writer.EXCERPT_CHARACTERS_MAX), and one of them a third of that.
CHARACTERS_MAX, EACH_MAX = 3_000, 1_500
TOLD = """\
Answers to other questions on these documents that a reviewer found right. They show form only: how long an answer \
is, how it is worded, where its numbers in brackets go. The numbers are those of other excerpts. Take no fact, figure, \
name or date from them: what they say may not hold here."""


@dataclass(frozen=True)
class Example:
    """A validated answer as it is shown. `near` is the cosine of the two questions, or the share of their words."""

    answer_id: UUID
    run_id: UUID
    question: str
    text: str
    near: float
    by: str  # meaning or words

    def to_json(self) -> ShownExample:
        return {"answer": str(self.answer_id), "run": str(self.run_id), "near": round(self.near, 3), "by": self.by}


class Nearness(NamedTuple):
    by: str
    least: float
    values: Sequence[float]


def choose_examples(run: RetrievalRun, settings: BaseSettings, window: Window) -> tuple[Example, ...]:
    """The nearest validated answers, the nearest first. A small window has no room for any."""
    if settings.examples != "on" or window.is_small:
        return ()
    pool = within_scope(run, validated_answers(run))
    near = measure(run.question, [typed_question(answer) for answer in pool], settings)
    found = [
        Example(answer.pk, answer.run_id, typed_question(answer), answer.text, value, near.by)
        for value, answer in zip(near.values, pool, strict=True)
        if value >= near.least
    ]
    chosen: list[Example] = []
    for each in sorted(found, key=lambda each: -each.near):
        used = sum(map(length_of, chosen))
        taken = [meaning_stems(run.question), *(meaning_stems(other.question) for other in chosen)]
        fits = length_of(each) <= min(EACH_MAX, CHARACTERS_MAX - used)
        if len(chosen) < EXAMPLES_MAX and fits and meaning_stems(each.question) not in taken:
            chosen.append(each)
    return tuple(chosen)


def length_of(example: Example) -> int:
    return len(example.question) + len(example.text)


def examples_block(examples: Sequence[Example]) -> str:
    """The examples as they stand before the excerpts; "" without any. Nothing in them can close its own fence."""
    if not examples:
        return ""
    blocks = [
        f"<example>\n<asked>{fence_text(each.question)}</asked>\n<answered>{fence_text(each.text)}</answered>\n</example>"
        for each in examples
    ]
    return "\n".join([TOLD, *blocks]) + "\n\n"


def all_stand(examples: Sequence[ShownExample]) -> bool:
    """Whether every example an answer was written with is still one: not overruled since, not erased."""
    wanted = {UUID(each["answer"]) for each in examples}
    found = Answer.objects.filter(pk__in=wanted).exclude(text="").select_related("turn")
    return wanted == {each.pk for each in keep_right(found)}


# ---- which answers are right


def validated_answers(run: RetrievalRun) -> list[Answer]:
    """The newest written answers of the base, in the form of this one, that were found right."""
    agreed = RetrievalRun.objects.filter(
        pk=OuterRef("run"), reviews__outcome="agree", reviews__candidate=None, reviews__is_blind=False
    )
    found = (
        Answer.objects.filter(Exists(agreed), run__base=run.base_id, kind=Answer.Kind.GENERATED, ended="complete")
        .filter(turn__conversation__base=run.base_id, turn__conversation__deleted_at=None)
        .exclude(Q(text="") | Q(run=run.pk) | Q(run__plan__has_key="repeat"))
    )
    form = run.parsed.get("form", "")
    newest = found.select_related("run", "turn").order_by("-created_at")
    right = keep_right(newest[: 2 * POOL_MAX])
    return [each for each in right if each.run.parsed.get("form", "") == form and not is_computed(each)][:POOL_MAX]


def is_computed(answer: Answer) -> bool:
    """Whether it holds figures that code added: the writer may not write such a sentence."""
    return any("computed" in check for check in answer.checks)


def keep_right(answers: Iterable[Answer]) -> list[Answer]:
    """Those that an auditor found right, and nobody doubted after; where they were given again counts as well."""
    kept = list(answers)
    origin, _ = same_answers({each.turn_id for each in kept if each.turn_id})
    standing: dict[UUID, list[Said]] = defaultdict(list)
    for run_id, said in standing_reviews(origin).items():
        standing[origin[run_id]] += said
    complained: dict[UUID, tuple[str, Any]] = {}
    feedback = Feedback.objects.filter(turn__run__in=origin).order_by("created", "id")
    for run_id, kind, at in feedback.values_list("turn__run", "kind", "created"):
        complained[origin[run_id]] = (kind, at)
    return [each for each in kept if is_right(each.run_id, standing[each.run_id], complained.get(each.run_id))]


def is_right(run_id: UUID, standing: Sequence[Said], feedback: tuple[str, Any] | None) -> bool:
    own = [each for each in standing if (each.run_id, each.candidate_id, each.is_blind) == (run_id, None, False)]
    if not own or any(each.outcome in DOUBTS for each in standing):
        return False
    return feedback is None or feedback[0] == Feedback.Kind.HELPFUL or feedback[1] < own[0].at


# ---- whose documents the asker may see


def within_scope(run: RetrievalRun, answers: Sequence[Answer]) -> list[Answer]:
    """Those written from documents that are all in the scope of this question and open to the person who asks it."""
    asker: Viewer | None = run.asked_by
    if asker is None:
        return []
    scope = run.documents.values_list("document_id", flat=True)
    open_ids = set(Document.objects.visible_to(asker).living().filter(pk__in=scope).values_list("pk", flat=True))
    of_run: dict[UUID, set[UUID]] = defaultdict(set)
    kept = RunCandidate.objects.filter(run__in=[each.run_id for each in answers], role__in=KEPT_ROLES)
    for run_id, document_id in kept.values_list("run_id", "document_id"):
        of_run[run_id].add(document_id)
    return [each for each in answers if of_run[each.run_id] and of_run[each.run_id] <= open_ids]


# ---- how near two questions are


def typed_question(answer: Answer) -> str:
    return " ".join(answer.run.question.split())


def measure(question: str, others: Sequence[str], settings: BaseSettings) -> Nearness:
    """By meaning where the base's vectors are made on this machine: nothing is sent anywhere for examples."""
    if settings.embeddings == "bundled" and bundled.is_available():
        vector = vector_of(question)
        return Nearness("meaning", NEAR_MEANING, [float(vector @ vector_of(each)) for each in others])
    words = meaning_stems(question)
    shares = [len(words & theirs) / max(len(words | theirs), 1) for theirs in map(meaning_stems, others)]
    return Nearness("words", NEAR_WORDS, shares)


@lru_cache(maxsize=1024)
def vector_of(question: str) -> NDArray[np.float32]:
    """The vector of a question; read-only, as threads share it."""
    vector = bundled.embed_query(question)
    vector.setflags(write=False)
    return vector


def meaning_stems(question: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    words = normalise_words(question)
    language = language_of(words, "en")
    return frozenset(stem(word, language) for word in words if not is_stop_word(word, language))
