"""An exact repeat: the same question of the same readings, set as before, gets the same answer at no cost (R39, R108).

The repeat is a turn, a run and an answer of its own, copied row by row, so that its record shows what its reader saw.
"""

import hashlib
import json
import time
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.timezone import localdate

from chat.answer_record import copy_answer, other_calls_of
from chat.models import Answer, Feedback, Turn
from chat.objections import DOUBTS, same_answers, standing_reviews
from chat.prompts.guidance import digests_of
from chat.turns.searched_by import searched_by
from documents.base_settings import BaseSettings
from documents.models import Document, KnowledgeBase
from llm.recordings.recorded import current_recording
from llm.reuse import Replies
from llm.tiers import is_allowed
from retrieval.corpus import documents_beside
from retrieval.dispatch import NOT_EMBEDDED
from retrieval.filters import Filters
from retrieval.models import RetrievalRun
from retrieval.record.storing import calls_beside, copy_run
from retrieval.search import SearchOptions
from retrieval.types import ConceptTerms
from retrieval.version import program_version

State = Turn.State
# Whatever decides on an answer beside the question and the base, by its name in the settings of the program.
DECIDING = (
    *("LLM_CONFIGURED", "LLM_BASE_URL", "LLM_MODEL", "LLM_MODEL_SMALL", "LLM_MODEL_HARD", "LLM_CONTEXT_TOKENS"),
    *("EMBEDDING_BASE_URL", "EMBEDDING_MODEL", "RERANK_BASE_URL", "RERANK_MODEL", "RERANK_INSTRUCTIONS"),
)


@dataclass(frozen=True)
class Asking:
    """A question with all that decides on its answer, as it is now; `key` is a digest of it."""

    question: str
    documents: list[Document]
    by: SearchOptions
    key: str


def read_asking(turn: Turn, question: str, documents: list[Document]) -> Asking:
    """A turn's question of these documents, with the settings of its base."""
    base = turn.conversation.base
    beside = documents_beside(documents)
    by = replace(searched_by(base, turn.mode, Filters.from_json(turn.filters)), beside=beside)
    decides = [
        " ".join(question.split()).casefold(),
        str(base.pk),
        [reading_of(document) for document in documents],
        *filter(None, [sorted(str(each.current_parse_id) for each in beside)]),
        [turn.mode, turn.filters, turn.is_full_search],
        [by.settings.deciding(), digests_of(by.guidance)],
        digest_of_dictionary(tuple(by.dictionary)),
        [by.rules.digest, *map(list, by.rules.defaults), *sorted(map(list, by.rules.learned))],
        [getattr(settings, name) for name in DECIDING],
        is_allowed(by.settings.model),
        *(["recorded"] if current_recording() else []),
        program_version(),  # it names the prompts, the rules and their figures as well
    ]
    digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
    return Asking(question, documents, by, digest)


@lru_cache(maxsize=64)
def digest_of_dictionary(dictionary: tuple[ConceptTerms, ...]) -> str:
    return hashlib.sha256(repr(dictionary).encode()).hexdigest()


def reading_of(document: Document) -> list[Any]:
    """What a run sees of a document: its title, its reading, whether the reading has vectors, and its card."""
    parse = document.current_parse
    seen = [str(parse.pk), parse.embedding_model, str(parse.embedded_at)] if parse else [document.state]
    return [str(document.pk), document.title, *seen, str(document.card_id)]


def find_first(turn: Turn, asking: Asking) -> Answer | None:
    """The answer that a turn repeats; None if it has to be asked.

    Only the newest answer that was not itself a repeat counts: when that one may not be given again, nobody knows
    better of an older one. A turn that asks again asks anew.
    """
    if asking.by.settings.repeats == "off" or turn.again_of_id or turn.is_fresh:
        return None
    same = Turn.objects.filter(conversation__base=turn.conversation.base_id, asked_key=asking.key, answer__isnull=False)
    askings = same.exclude(pk=turn.pk).exclude(run__plan__has_key="repeat")
    first = askings.select_related("run__llm_call", "answer__llm_call").order_by("-answer__created_at").first()
    if first is None or not is_whole(first) or is_doubted(first):
        return None
    return None if may_have_changed(first) else first.answer


def may_have_changed(turn: Turn) -> bool:
    """Whether another version of a clause may be in force today than on the day of the answer."""
    is_amended = turn.run is not None and any(each.get("in_force") for each in turn.run.contradictions or ())
    return is_amended and localdate(turn.answer.created_at) != localdate()


def is_whole(turn: Turn) -> bool:
    """Whether a turn was answered without anything failing or being stopped on the way."""
    run, answer = turn.run, turn.answer
    if run is None or turn.state != State.DONE or answer.ended != "complete" or run.arbiter_status == "not_run":
        return False
    calls = [run.llm_call, answer.llm_call, *calls_beside(run).values(), *other_calls_of(answer)]
    is_embedded = not any(flag["reason"].startswith(NOT_EMBEDDED) for flag in run.plan["flags"])
    return is_embedded and all(call.outcome == "ok" for call in calls if call)


def is_doubted(turn: Turn) -> bool:
    """Whether a reader complained of an answer, or a reviewer disagreed with it, there or where it was given again."""
    origin, _ = same_answers([turn.pk])
    complaints = Feedback.objects.filter(turn__run__in=origin).exclude(kind=Feedback.Kind.HELPFUL)
    said = [each for reviews in standing_reviews(origin).values() for each in reviews]
    return complaints.exists() or any(each.outcome in DOUBTS for each in said)


def replies_for(base: KnowledgeBase, *, is_anew: bool) -> Replies:
    """Whose replies of a model answer equal requests of a base: none when a question is asked anew.

    What was replied before anybody last doubted an answer of the base is not used again: who asks after that expects
    the model to be asked, and a reply may be behind answers to questions in other words.
    """
    if is_anew or BaseSettings.from_json(base.settings).repeats == "off":
        return Replies(str(base.pk), may_reuse=False)
    return Replies(str(base.pk), may_reuse=True, since=find_last_doubt(base))


def find_last_doubt(base: KnowledgeBase) -> datetime | None:
    """When a reader last complained of an answer of a base, or a reviewer disagreed with one."""
    complaints = Feedback.objects.filter(turn__conversation__base=base).exclude(kind=Feedback.Kind.HELPFUL)
    overruled = RetrievalRun.objects.filter(base=base, reviews__outcome__in=DOUBTS)
    moments = (
        complaints.aggregate(last=Max("created"))["last"],
        overruled.order_by().aggregate(last=Max("reviews__created_at"))["last"],
    )
    return max(filter(None, moments), default=None)


def store_repeat(turn: Turn, asking: Asking, first: Answer, started: float) -> Answer:
    """Record a turn that is answered from the record, in the caller's transaction; `started` is of time.monotonic."""
    repeat = {"run": str(first.run_id), "answer": str(first.pk), "on": f"{first.created_at:%Y-%m-%d}"}
    with transaction.atomic():
        run = copy_run(
            first.run,
            question=asking.question,
            typed=turn.question,
            user=turn.conversation.user,
            repeat=repeat,
            timings_ms={"repeat": round(1000 * (time.monotonic() - started), 1)},
        )
        turn.run, turn.asked_key = run, asking.key
        turn.documents_done, turn.documents_total = first.turn.documents_done, first.turn.documents_total
        turn.save(update_fields=["run", "asked_key", "documents_done", "documents_total"])
        return copy_answer(turn, run, first, {})


def describe_repeat(turn: Turn) -> dict[str, str | None] | None:
    """When the answer of a turn was first given, and by which run if the asker may read it; None if it is new."""
    if turn.run is None or not turn.run.repeat:
        return None
    repeat = turn.run.repeat
    is_open = RetrievalRun.objects.visible_to(turn.conversation.user).filter(pk=repeat["run"]).exists()
    return {"on": repeat["on"], "run_id": repeat["run"] if is_open else None}
