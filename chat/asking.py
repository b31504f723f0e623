"""Store a question: conversation and turn come before anything else, once per form or request."""

import unicodedata
import uuid

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from chat.models import Conversation, Turn
from chat.scope import QuestionScope
from chat.turns.choosing import accept_in_silence, vague_of
from documents.idempotency import Keyed, made_before, remember
from documents.pages.phrasing import group_thousands
from jobs.lease import Job
from reading.characters import clean_name, clean_words
from retrieval.question.parse import QUESTION_MAX, asked_with
from retrieval.reading_rules.rows import RuleError
from retrieval.reading_rules.votes import vote_for_choice
from retrieval.record.reading_back import question_from

TITLE_CHARACTERS_MAX = 200
WAITING = (Turn.State.QUEUED, Turn.State.RUNNING)
# Separators, control and format characters (zero-width, direction marks): a question of these alone is empty.
INVISIBLE_CATEGORIES = ("Z", "C")


class QuestionError(ValueError):
    """The question cannot be asked; the message for people says why."""


def check_question(text: str) -> str:
    """The question without outer space, control characters and direction overrides. Raises QuestionError."""
    if "\x00" in text:
        raise QuestionError(
            gettext("The question holds a NUL character, which cannot be stored. Please type it again.")
        )
    question = clean_words(text).strip()
    if not any(unicodedata.category(character)[0] not in INVISIBLE_CATEGORIES for character in question):
        raise QuestionError(gettext("The question is empty. Please write what you want to know."))
    if len(question) > QUESTION_MAX:
        words = gettext("The question is %(length)s characters long; at most %(most)s are possible.")
        raise QuestionError(words % {"length": group_thousands(len(question)), "most": group_thousands(QUESTION_MAX)})
    return question


def keep_question(
    user: User,
    scope: QuestionScope,
    question: str,
    mode: str,
    *,
    form_id: uuid.UUID,
    conversation: Conversation | None = None,
    edits: Turn | None = None,
    request: Keyed | None = None,
    is_full_search: bool = False,
    is_fresh: bool = False,
) -> Turn:
    """Store a question as the next turn of a conversation, or of a new one; the same form sent twice is one turn.

    The turn's id comes from the form and what it asks, so the database itself refuses the second copy. A question that
    `edits` an earlier one is asked exactly as typed, and anew: no answer and no reply of the record is used again. A
    program's `request` makes one turn, however often it is sent. Raises KeyReused.
    """
    if first := asked_before(Turn, request):
        return first
    asked = [user.pk, conversation.pk if conversation else "", scope.base.pk, *scope.document_ids, mode, question]
    asked += [scope.filters.words] if scope.filters.words else []
    asked += ["full search"] if is_full_search else []
    turn_id = uuid.uuid5(form_id, "\n".join(map(str, asked)))
    try:
        with transaction.atomic():
            if conversation and edits is None:
                accept_in_silence(conversation)
            kept = lock_conversation(conversation) if conversation else begin_conversation(user, scope, question)
            turn = Turn.objects.create(
                id=turn_id,
                conversation=kept,
                number=next_number(kept),
                question=question,
                document_ids=scope.document_ids,
                scope_name=scope.name,
                mode=mode,
                filters=scope.filters.to_json(),
                is_full_search=is_full_search,
                is_fresh=is_fresh,
                as_typed=edits is not None,
                again_of=edits,
            )
            remember(request, turn=str(turn.pk))
            return turn
    except IntegrityError:
        return asked_before(Turn, request) or Turn.objects.get(pk=turn_id, conversation__user=user)


def asked_before(kind: type[Job], request: Keyed | None) -> Job | None:
    """The turn, retrieval or extraction made by an earlier request with the same key. Raises KeyReused."""
    made = made_before(request)
    return kind._default_manager.get(pk=made[str(kind._meta.model_name)]) if made else None


def choose_meaning(turn: Turn, meaning: str, form_id: uuid.UUID | None = None) -> Turn:
    """Ask a question again with its vague word replaced by the meaning that was chosen, which counts as a vote (R23).

    The earlier turn stays. Raises RuleError if the text is none of the meanings that were given.
    """
    run = turn.run
    if run is None or not run.parsed:
        raise RuleError(gettext("This is none of the meanings that were given."))
    with transaction.atomic():
        vote_for_choice(run, vague_of(run), meaning)
        return ask_again(turn, form_id, question=asked_with(question_from(run.parsed), meaning))


def ask_again(
    turn: Turn, form_id: uuid.UUID | None = None, *, is_full_search: bool = False, question: str = ""
) -> Turn:
    """Ask a question again as a new turn of its conversation; the earlier turn and its record stay, and are linked.

    While the new turn is still running, or for the same form, that turn is returned: a second click asks nothing.
    A full search searches every document of the same scope on its own, and so does each later asking of it. With
    `question` it is asked in these words, as typed.
    """
    asked = question or turn.question
    is_full_search = is_full_search or turn.is_full_search
    form_name = "full search" if is_full_search else "again"
    turn_id = uuid.uuid5(form_id, f"{form_name}\n{turn.pk}\n{question}".rstrip()) if form_id else uuid.uuid4()
    with transaction.atomic():
        conversation = lock_conversation(turn.conversation)
        running = Q(again_of=turn, question=asked, is_full_search=is_full_search, state__in=WAITING)
        made = conversation.turns.filter(running | Q(pk=turn_id)).first()
        return made or Turn.objects.create(
            id=turn_id,
            conversation=conversation,
            number=next_number(conversation),
            question=asked,
            document_ids=turn.document_ids,
            scope_name=turn.scope_name,
            mode=turn.mode,
            filters=turn.filters,
            is_full_search=is_full_search,
            as_typed=turn.as_typed or bool(question),
            again_of=turn,
        )


def begin_conversation(user: User, scope: QuestionScope, question: str) -> Conversation:
    title = clean_name(question)[:TITLE_CHARACTERS_MAX]
    return Conversation.objects.create(base=scope.base, user=user, title=title)


def lock_conversation(conversation: Conversation) -> Conversation:
    """Lock the conversation's row, so that two tabs cannot take the same number, and move it to the top of the list."""
    row = Conversation.objects.select_for_update().get(pk=conversation.pk)
    row.active_at = timezone.now()
    row.save(update_fields=["active_at"])
    return row


def next_number(conversation: Conversation) -> int:
    last: int | None = conversation.turns.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1
