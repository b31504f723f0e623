"""Several questions judged in one request, each with candidates of its own (R87): the reply names the question of
each verdict, and what it misses of one is unjudged.
"""

from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import gettext_noop
from pydantic import BaseModel

from documents.storage.content import DocumentContent
from llm.client import complete
from llm.exchange import Exchange
from llm.prompts import Prompt, instruct
from retrieval.arbiter import model
from retrieval.arbiter.brief import candidate_block, toc_block
from retrieval.arbiter.model import ArbiterReply, asked_block, check_meaning_only, not_run, read_reply
from retrieval.search import ModelUse, Room
from retrieval.types import Briefed, Question, Ranking

FIELDS_MAX = 5  # with PLACES_EACH, sixty verdicts: about as many as the longest request for one question
PLACES_EACH = 12  # candidates of one question
FORGOTTEN = "The model left this question out of its reply to several."
INSTRUCTIONS = f"""{model.INSTRUCTIONS}

Several questions are asked at once. Each stands in a <field> block, after candidates of its own; the table of contents
is for all of them. Judge each field by itself, as if it were the only one: give every candidate of a field one verdict
for the question of that field. A passage that is a candidate of two fields is judged twice.
Return one entry for each field in fields, with the id of the field exactly as given, and in it the verdicts of that
field alone. answerable, answerable_reason, contradictions and what is wanted are of that field too."""
PROMPT = Prompt(
    "arbiter-fields",
    "3",
    gettext_noop("The same for several fields at once, each with passages of its own."),
    INSTRUCTIONS,
    model.TOPICS,
    guided_as=model.PROMPT.name,
)


class FieldReply(ArbiterReply):
    """The verdicts on one question."""

    field: str


class FieldsReply(BaseModel):
    """What is asked of the model: an entry for each question."""

    fields: list[FieldReply]


class Posed(NamedTuple):
    """One of several questions, with the candidates a shared request has room for."""

    question: Question
    candidates: tuple[Briefed, ...]


def room_each(room: Room, toc: str, count: int) -> Room:
    """What each of so many questions has of the room of one request, with the contents counted in as `fit_request`
    does; the contents are sent once.
    """
    chars = (room.chars - len(toc)) // count + len(toc)
    return room._replace(chars=chars, places=min(room.places, PLACES_EACH), at_length=PLACES_EACH)


def judge_together(posed: Sequence[Posed], contents: Sequence[DocumentContent], use: ModelUse) -> list[Ranking]:
    """A ranking for each question, in their order, all with one exchange. Raises LLMError if there is no reply."""
    reply, exchange = ask_together(build_shared_prompt(posed, contents, use.room), use)
    told: dict[str, FieldReply] = {}
    for entry in reply.fields:
        told.setdefault(entry.field.strip("[] "), entry)
    return [rank_posed(each, told.get(name_field(number)), exchange) for number, each in enumerate(posed, start=1)]


def rank_posed(posed: Posed, reply: FieldReply | None, exchange: Exchange) -> Ranking:
    """The checked verdicts on one question. One that the reply leaves out is unjudged, nothing is guessed for it."""
    if reply is None:
        return not_run(posed.candidates, FORGOTTEN, exchange)
    return check_meaning_only(read_reply(reply, posed.candidates, exchange), posed.question, posed.candidates)


def ask_together(prompt: str, use: ModelUse) -> tuple[FieldsReply, Exchange]:
    """The reply of the model. Raises LLMError."""
    completion = complete(
        instructions=instruct(PROMPT, use.guidance),
        prompt=prompt,
        reply_schema=FieldsReply,
        purpose="arbiter",
        deadline_s=settings.ARBITER_DEADLINE_S,
        tier=use.tier,
        why=use.why,
    )
    return completion.reply, completion.exchange


def build_shared_prompt(posed: Sequence[Posed], contents: Sequence[DocumentContent], room: Room) -> str:
    """The table of contents once, then a block for each question: its candidates, and the question last (R89)."""
    blocks = [toc_block(contents, room.toc_chars)]
    for number, each in enumerate(posed, start=1):
        inside = [*(candidate_block(one.brief) for one in each.candidates), *asked_block(each.question)]
        blocks.append("\n\n".join([f'<field id="{name_field(number)}">', *inside, "</field>"]))
    return "\n\n".join(blocks)


def name_field(number: int) -> str:
    """The id of a question in a request, which the reply repeats; numbers from 1."""
    return f"F{number}"
