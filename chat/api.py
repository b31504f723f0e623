"""Asking by API: evidence alone (R100), or a cited answer as JSON or server-sent events (R97)."""

import json
import logging
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, nullcontext
from dataclasses import fields, replace
from http import HTTPStatus
from typing import Any, ClassVar, cast, get_args

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError
from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.requests import user_of
from chat import scope, stream
from chat.access import get_ended_turn, get_visible_turn
from chat.answer_record import give_feedback
from chat.asking import ask_again, check_question, choose_meaning, keep_question
from chat.followers import Follower, answer_with, follow_as, follower_of, take_place, taken_place
from chat.models import Conversation, Extraction, Feedback, PageNotice, Retrieval, Turn
from chat.objections import SAID
from chat.page.forms import COMMENT_CHARACTERS_MAX, MODES
from chat.turns import tasks
from chat.turns.conductor import stop_question
from chat.turns.evidence import keep_retrieval, read_evidence, read_retrieval
from chat.turns.page_notices import NoticedState, order_reading
from chat.turns.replies import read_turn
from chat.turns.waiting import ENDED, wait_for_end
from documents.api import IDEMPOTENCY_KEY, Body, TextField, read_idempotency_key, read_sent
from documents.idempotency import make_keyed
from documents.ingestion.tasks import start
from retrieval.api import STATUSES, BoxSerializer, FoundSerializer, ResultSerializer
from retrieval.filters import PAGES_MAX, READ_AROUND, SECTION_CHARACTERS_MAX, TOP_K_MAX, Filters
from retrieval.question.parse import QUESTION_MAX
from retrieval.reading_rules.rows import RuleError

logger = logging.getLogger(__name__)

AskedJob = Turn | Retrieval | Extraction

KINDS = ["generated", "extractive", "weak", "not_found", "cannot_tell", "clarification"]
FILTERS = [field.name for field in fields(Filters)]
RUN_STATUSES = [*STATUSES, "failed"]
VERDICTS = [code.removeprefix("judged_") for code in SAID]


# ---- request and response


class ScopedSerializer(Body):
    """What is asked: a whole base, one document of it or several, and what narrows the search."""

    knowledge_base_id = serializers.UUIDField()
    document_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    document_ids = serializers.ListField(
        child=serializers.UUIDField(), required=False, min_length=1, max_length=scope.CHOSEN_MAX
    )
    mode = serializers.ChoiceField(MODES, required=False, default="balanced")
    pages = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        required=False,
        min_length=1,
        max_length=PAGES_MAX,
        help_text="Numbers in the file, from 1. Nothing outside these pages is searched.",
    )
    section = TextField(
        required=False,
        max_length=SECTION_CHARACTERS_MAX,
        help_text="Number or title of a section. Nothing outside it is searched.",
    )
    top_k = serializers.IntegerField(
        required=False, min_value=1, max_value=TOP_K_MAX, help_text="How many places are judged at most."
    )
    threshold = serializers.FloatField(
        required=False, min_value=0, max_value=1, help_text="What is found by meaning alone is at least this near."
    )
    context = serializers.ChoiceField(  # type: ignore[assignment]  # a field, not what a serializer is given
        READ_AROUND,
        required=False,
        help_text="How much is read around each place; without it as the question says, auto as its kind asks.",
    )

    def validate(self, attrs: Mapping[str, object]) -> Mapping[str, object]:
        if attrs["document_id"] and "document_ids" in attrs:
            raise serializers.ValidationError({"document_ids": "Name documents here or in document_id, not in both."})
        return attrs


class QuestionSerializer(ScopedSerializer):
    """A question and its scope: a whole base, or one or several documents of it."""

    message = TextField(trim_whitespace=False, max_length=QUESTION_MAX)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The question first, as people write it."""
        fields = super().get_fields()
        return {"message": fields.pop("message")} | fields


class ChatSerializer(QuestionSerializer):
    """`stream` answers with server-sent events; `conversation_id` makes the question a follow-up.

    With `every_document` each document of the scope is searched on its own, which takes minutes in a large base.
    """

    every_document = serializers.BooleanField(required=False, default=False)
    fresh = serializers.BooleanField(
        required=False, default=False, help_text="Ask even if the same question was answered before."
    )
    stream = serializers.BooleanField(required=False, default=False)
    conversation_id = serializers.UUIDField(required=False, allow_null=True, default=None)


class CitationSerializer(serializers.Serializer[Any]):
    """A marker of the answer, its literal quote, and the quote's place in the document."""

    marker = serializers.IntegerField()
    candidate_id = serializers.CharField()
    document_id = serializers.UUIDField()
    document = serializers.CharField()
    quote = serializers.CharField()
    page = serializers.IntegerField()
    page_label = serializers.CharField()
    section = serializers.CharField()
    lines = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)
    boxes = BoxSerializer(many=True)


class ItemSerializer(serializers.Serializer[Any]):
    """One thing that was asked: its type, what became of it, and its values. None of them: `reason` says why."""

    asked = serializers.CharField(help_text="In the asker's words; empty where the model that wrote names it itself.")
    type = serializers.CharField(help_text="What kind of value is asked for: text, amount, date, duration, …")
    outcome = serializers.ChoiceField(["found", "weak", "not_found", "cannot_tell"])
    values = serializers.ListField(child=serializers.DictField(), help_text="As printed, each with its marker.")
    markers = serializers.ListField(child=serializers.IntegerField())
    reason = serializers.CharField()
    code = serializers.ChoiceField(["", "no_value", "no_column", "refused"])
    missing = serializers.ListField(child=serializers.CharField(), help_text="Its words that occur nowhere.")


class AnswerSerializer(serializers.Serializer[Any]):
    """`note` says how the answer was made; `checks` compare each sentence with what it cites."""

    kind = serializers.ChoiceField(KINDS)
    text = serializers.CharField()
    note = serializers.CharField()
    ended = serializers.ChoiceField(["complete", "stopped", "failed"])
    citations = CitationSerializer(many=True)
    items = ItemSerializer(many=True, help_text="What the answer gives for each thing that was asked.")
    checks = serializers.ListField(child=serializers.DictField())


class RepeatSerializer(serializers.Serializer[Any]):
    """The first time of an answer that was given again from the record."""

    on = serializers.DateField()
    run_id = serializers.UUIDField(allow_null=True, help_text="Null where it is not open to you.")


class VagueReadingSerializer(serializers.Serializer[Any]):
    """A word of the question that means several things in the documents: `assumed` is what it was read as."""

    word = serializers.CharField()
    meanings = serializers.ListField(child=serializers.CharField(), help_text="Choose one with POST …/meaning.")
    proposed = serializers.CharField(allow_null=True, help_text="What was asked about, as it was mostly meant.")
    assumed = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField(help_text="Of what was learned, from 0 to 1.")
    why = serializers.CharField()


class NoticedPageSerializer(serializers.Serializer[Any]):
    """A page that was probably not read well, why, and how it stands now."""

    document_id = serializers.UUIDField()
    document = serializers.CharField()
    page = serializers.IntegerField()
    page_label = serializers.CharField()
    flags = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(get_args(NoticedState), help_text="Those that are open can be read again.")


class PageNoticeSerializer(serializers.Serializer[Any]):
    """Pages that an answer rests on, or that may hold what it lacks. Ready: asking again sees another reading."""

    why = serializers.ChoiceField(PageNotice.Why.choices)
    is_reading = serializers.BooleanField()
    is_ready = serializers.BooleanField()
    failure = serializers.CharField(allow_null=True, help_text="Of the last attempt.")
    pages = NoticedPageSerializer(many=True)


class ObjectionSerializer(serializers.Serializer[Any]):
    """A reviewer's verdict that does not agree, there or where the same answer was given again."""

    verdict = serializers.ChoiceField(VERDICTS)
    says = serializers.CharField(help_text="The verdict in plain words.")
    reviewer = serializers.CharField(allow_null=True, help_text="Null for whoever may not read the reviewed run.")
    reason = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()


class TurnSerializer(FoundSerializer):
    """A question and its outcome; `answer` is null until there is one."""

    turn_id = serializers.UUIDField()
    conversation_id = serializers.UUIDField()
    knowledge_base_id = serializers.UUIDField()
    message = serializers.CharField()
    mode = serializers.CharField()
    every_document = serializers.BooleanField(help_text="Each document is searched on its own.")
    documents_done = serializers.IntegerField(allow_null=True, help_text="How far such a search is.")
    documents_total = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(Turn.State.choices)
    error = serializers.CharField(allow_null=True)
    run_id = serializers.UUIDField(allow_null=True)
    status = serializers.ChoiceField(RUN_STATUSES, allow_null=True)
    not_found_reason = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    answered_before = RepeatSerializer(
        allow_null=True, help_text="Set where the same question was answered before and nothing was asked anew."
    )
    objection = ObjectionSerializer(
        allow_null=True, help_text="What a reviewer holds against the answer; `status` stays what the program said."
    )
    reading = VagueReadingSerializer(allow_null=True, help_text="Of a vague word that means several things.")
    badly_read = PageNoticeSerializer(allow_null=True, help_text="Have these pages read with POST …/read-again.")
    answer = AnswerSerializer(allow_null=True)


class MeaningSerializer(Body):
    """The meaning of a vague word, as one of `reading.meanings` of the turn."""

    meaning = TextField(max_length=300)


class RetrievalSerializer(serializers.Serializer[Any]):
    """A question whose evidence is wanted, and its outcome; `result` is null until there is one."""

    retrieval_id = serializers.UUIDField()
    knowledge_base_id = serializers.UUIDField()
    message = serializers.CharField()
    mode = serializers.CharField()
    state = serializers.ChoiceField(Retrieval.State.choices)
    error = serializers.CharField(allow_null=True)
    run_id = serializers.UUIDField(allow_null=True)
    result = ResultSerializer(allow_null=True)


class FeedbackSerializer(Body):
    """Feedback of the person who asked on an answer."""

    kind = serializers.ChoiceField(Feedback.Kind.choices)
    comment = TextField(required=False, default="", allow_blank=True, max_length=COMMENT_CHARACTERS_MAX)


class EventSerializer(serializers.Serializer[Any]):
    """One server-sent event; `data` is JSON. `answer` holds the turn, as returned to a program that waits."""

    id = serializers.CharField(required=False, help_text="What Last-Event-ID takes to go on after it.")
    event = serializers.ChoiceField([*get_args(stream.EventType), "answer"])
    data = serializers.CharField()  # type: ignore[assignment]  # a field, not what a serializer holds


class EventRenderer(BaseRenderer):
    """Only for content negotiation: events are streamed without a renderer."""

    media_type = "text/event-stream"
    format = "events"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return json.dumps(data).encode()


# ---- asking


def chosen_scope(user: User, asked: dict[str, Any]) -> scope.QuestionScope:
    """What a question names, and what narrows it. Raises the same ScopeError for absent, closed and unread ones."""
    base = asked["knowledge_base_id"]
    documents = asked.get("document_ids") or [each for each in [asked["document_id"]] if each]
    found = scope.choose(user, scope.write_picker_value(dict.fromkeys(documents)) or f"base:{base}")
    if found.base.pk != base:
        raise scope.ScopeError("This document is not in this base.")
    return replace(found, filters=Filters.from_json({name: asked[name] for name in FILTERS if name in asked}))


def said_of(asked: Mapping[str, object]) -> dict[str, object]:
    """The scope, mode and filters of a request as sent, for telling it from others with its key."""
    return {name: asked[name] for name in ("document_id", "mode", "document_ids", *FILTERS) if name in asked}


class RetrieveView(GenericAPIView[Any]):
    scopes: ClassVar = {"POST": "ask"}
    is_costly = True

    @extend_schema(
        operation_id="retrieve",
        request=QuestionSerializer,
        parameters=[IDEMPOTENCY_KEY],
        responses={
            200: ResultSerializer,
            202: OpenApiResponse(
                RetrievalSerializer, "Not found out in time; the work goes on. Ask the address in Location."
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Retrieve the evidence for a question: candidates with role, reason and literal quote, recorded as a run."""
        values = read_sent(QuestionSerializer, request.data)
        question = check_question(values["message"])
        chosen = chosen_scope(user_of(request), values)
        key = read_idempotency_key(request)
        sent = make_keyed(user_of(request), chosen.base, key, retrieve=question, **said_of(values))
        retrieval = keep_retrieval(user_of(request), chosen, question, values["mode"], sent)
        kept_by(request, retrieval)
        tasks.start(retrieval)
        return answer_in_time(request, retrieval, read_retrieval, read_evidence)


class RetrievalView(GenericAPIView[Retrieval]):
    scopes: ClassVar = {"GET": "ask"}
    serializer_class = RetrievalSerializer

    @extend_schema(operation_id="read_retrieval")
    def get(self, request: Request, retrieval_id: uuid.UUID) -> Response:
        """Read how far a retrieval is, and its result once there is one."""
        own = Retrieval.objects.visible_to(user_of(request))
        return Response(read_retrieval(get_object_or_404(own, pk=retrieval_id).pk))


class ChatView(GenericAPIView[Any]):
    scopes: ClassVar = {"POST": "ask"}
    is_costly = True
    renderer_classes = [JSONRenderer, EventRenderer]

    @extend_schema(
        operation_id="chat",
        request=ChatSerializer,
        parameters=[IDEMPOTENCY_KEY],
        responses={
            (200, "application/json"): OpenApiResponse(TurnSerializer, "The answer, or why there is none."),
            (200, "text/event-stream"): EventSerializer,
            (202, "application/json"): OpenApiResponse(
                TurnSerializer, "Not answered in time; the work goes on. Ask the address in Location."
            ),
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Ask a question. With `"stream": true` the stages, the text and then the whole answer are sent as events."""
        values = read_sent(ChatSerializer, request.data)
        question = check_question(values["message"])
        chosen = chosen_scope(user_of(request), values)
        is_streamed = values["stream"] or request.accepted_renderer.format == EventRenderer.format
        said = said_of(values) | {"conversation_id": values["conversation_id"]}
        said |= {name: True for name in ("every_document", "fresh") if values[name]}
        # A place is taken before anything is kept.
        with taken_place(user_of(request).pk) if is_streamed else nullcontext("") as place:
            turn = keep_question(
                user_of(request),
                chosen,
                question,
                values["mode"],
                form_id=uuid.uuid4(),
                conversation=conversation_of(request, values),
                is_full_search=values["every_document"],
                is_fresh=values["fresh"],
                request=make_keyed(user_of(request), chosen.base, read_idempotency_key(request), chat=question, **said),
            )
            kept_by(request, turn)
            tasks.start(turn)
        if is_streamed:
            return events_of(turn, follower_of(request), place, stream.BEGINNING, location_of(turn))
        return answer_in_time(request, turn, read_turn, read_turn)


def kept_by(request: Request, job: AskedJob) -> None:
    """Add the id of what was stored to any later error, so that the client does not ask again."""
    cast("Any", request._request).kept_id = {f"{job._meta.model_name}_id": str(job.pk)}


def location_of(job: AskedJob) -> dict[str, str]:
    """The header that says where a program asks for what was stored."""
    return {"Location": reverse(f"api:{job._meta.model_name}", args=[job.pk])}


def answer_in_time(
    request: Request, job: AskedJob, read: Callable[[uuid.UUID], Any], read_ended: Callable[[uuid.UUID], Any]
) -> Response:
    """What came of a job that was begun, or how far it is: the work goes on in a worker."""
    is_ended = wait_for_end(job, settings.API_ANSWER_WAIT_S, follower_of(request))
    told = (read_ended if is_ended else read)(job.pk)
    return Response(told, status=HTTPStatus.OK if is_ended else HTTPStatus.ACCEPTED, headers=location_of(job))


def answer_later(request: Request, turn: Turn) -> Response:
    """Have a question answered in the background."""
    kept_by(request, turn)
    tasks.start(turn)
    return Response(read_turn(turn.pk), status=HTTPStatus.ACCEPTED, headers=location_of(turn))


def conversation_of(request: Request, asked: dict[str, Any]) -> Conversation | None:
    if asked["conversation_id"] is None:
        return None
    own = Conversation.objects.visible_to(user_of(request)).filter(base=asked["knowledge_base_id"])
    return get_object_or_404(own, pk=asked["conversation_id"])


# ---- a turn


class TurnView(GenericAPIView[Turn]):
    """One question and its answer."""

    scopes: ClassVar = {"GET": "ask"}
    serializer_class = TurnSerializer

    @extend_schema(operation_id="read_turn")
    def get(self, request: Request, turn_id: uuid.UUID) -> Response:
        return Response(read_turn(get_visible_turn(request, turn_id).pk))


class TurnEventsView(GenericAPIView[Turn]):
    scopes: ClassVar = {"GET": "ask"}
    renderer_classes = [EventRenderer]

    @extend_schema(
        operation_id="follow_turn",
        parameters=[OpenApiParameter("Last-Event-ID", str, OpenApiParameter.HEADER, description="Id of an event.")],
        responses={(200, "text/event-stream"): EventSerializer},
    )
    def get(self, request: Request, turn_id: uuid.UUID) -> HttpResponseBase:
        """Follow a question that is being answered, or get its outcome."""
        turn = get_visible_turn(request, turn_id)
        place = take_place(user_of(request).pk)
        return events_of(turn, follower_of(request), place, request.headers.get("Last-Event-ID", ""))


def events_of(
    turn: Turn, follower: Follower, place: str, last_id: str, headers: Mapping[str, str] | None = None
) -> StreamingHttpResponse:
    frames = follow_as(follower, turn.pk, stream.last_event_id(last_id), is_ended=turn.state in ENDED, place=place)
    return answer_with(with_answer(turn.pk, follower, frames), headers)


async def with_answer(turn_id: uuid.UUID, follower: Follower, frames: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """The frames of the chat, and before the last one an `answer` frame with the JSON a waiting program would get."""

    def read_told() -> str | None:
        return json.dumps(read_turn(turn_id), ensure_ascii=False) if follower.may_read(Turn, turn_id) else None

    endings = tuple(f"event: {ending}\n".encode() for ending in stream.ENDINGS)
    async with aclosing(frames):
        async for frame in frames:
            if frame != stream.REFUSED and any(ending in frame for ending in endings):
                try:
                    told = await sync_to_async(read_told)()
                except DatabaseError as error:
                    # A stream without its last frame counts as broken, and the client resumes it.
                    logger.warning("The answer of turn %s cannot be read: %s", turn_id, error)
                    return
                if told is None:
                    yield stream.REFUSED
                    return
                yield stream.frame(stream.StreamEvent("", "answer", told))
            yield frame


class SearchRestView(GenericAPIView[Turn]):
    scopes: ClassVar = {"POST": "ask"}
    is_costly = True

    @extend_schema(operation_id="search_rest", request=None, responses={202: TurnSerializer})
    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """Search every document of an ended question on its own, in the background, as a new turn; see Location."""
        return answer_later(request, ask_again(get_ended_turn(request, turn_id), is_full_search=True))


class ReadAgainView(GenericAPIView[Turn]):
    scopes: ClassVar = {"POST": "write"}
    is_costly = True

    @extend_schema(operation_id="read_pages_again", request=None, responses={202: TurnSerializer})
    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """Have the pages of `badly_read` that are open read by heavier methods, in the background; for editors, owners.

        Pages that are being read, or that nothing more can be done for, are left alone: see their states.
        """
        turn = get_visible_turn(request, turn_id)
        start(*order_reading(user_of(request), turn))
        return Response(read_turn(turn.pk), status=HTTPStatus.ACCEPTED, headers=location_of(turn))


class MeaningView(GenericAPIView[Turn]):
    scopes: ClassVar = {"POST": "ask"}
    is_costly = True

    @extend_schema(operation_id="choose_meaning", request=MeaningSerializer, responses={202: TurnSerializer})
    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """Ask an ended question again with its vague word as it is meant; the base learns from it. See Location."""
        asked = read_sent(MeaningSerializer, request.data)
        row = get_ended_turn(request, turn_id)
        try:
            turn = choose_meaning(row, asked["meaning"])
        except RuleError as error:
            raise serializers.ValidationError({"meaning": str(error)}) from error
        return answer_later(request, turn)


class StopView(GenericAPIView[Turn]):
    scopes: ClassVar = {"POST": "ask"}
    ends_work = True

    @extend_schema(operation_id="stop_turn", request=None, responses={202: TurnSerializer})
    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """Ask the worker to stop; what it has found so far is kept."""
        turn = get_visible_turn(request, turn_id)
        stop_question(turn)
        return Response(read_turn(turn.pk), status=HTTPStatus.ACCEPTED)


class FeedbackView(GenericAPIView[Turn]):
    scopes: ClassVar = {"POST": "ask"}
    serializer_class = FeedbackSerializer

    @extend_schema(operation_id="give_feedback", responses={201: FeedbackSerializer})
    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """State whether an answer helped, or what is wrong with it or its evidence."""
        answered = Turn.objects.visible_to(user_of(request)).exclude(run=None).filter(state__in=ENDED)
        turn = get_object_or_404(answered, pk=turn_id)
        asked = read_sent(FeedbackSerializer, request.data)
        kept = give_feedback(turn, user_of(request), **asked)
        return Response({"kind": kept.kind, "comment": kept.comment}, status=HTTPStatus.CREATED)
