"""The pages of the chat. Other people's conversations get the same 404 as absent ones."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from accounts.requests import user_of
from chat import stream
from chat.access import get_ended_turn, get_visible_turn
from chat.answer_record import give_feedback
from chat.asking import ask_again, choose_meaning, keep_question
from chat.followers import answer_with, follow_as, follower_of, take_place
from chat.models import Conversation, Turn
from chat.page.export import file_name, json_of, markdown_of
from chat.page.following import attach_follow_ups
from chat.page.forms import FeedbackForm, FindForm, QuestionForm, TitleForm
from chat.page.kept import SentFields, sent_fields, take_late_question
from chat.page.last_used import last_scope, opened_on
from chat.page.rereading import attach_notices
from chat.page.suggestions import SUGGESTED, suggest, tried_questions
from chat.page.thread import (
    CONVERSATIONS_SHOWN,
    ShownTurn,
    attach_objections,
    conversation_groups,
    turns_of,
    with_rows,
)
from chat.page.viewer import CitedPage, cited_page, refused_page
from chat.scope import write_picker_value
from chat.turns import tasks
from chat.turns.conductor import stop_question
from chat.turns.page_notices import order_reading
from chat.turns.waiting import ENDED
from documents import access
from documents.downloads import attachment
from documents.ingestion.tasks import start
from documents.pages.address import number_of
from retrieval.candidates.widening import Scope, read_scope
from retrieval.models import RetrievalRun
from retrieval.reading_rules.rows import RuleError

FEEDBACK_FAULT = gettext_lazy("Say what is wrong with the answer, in a comment of at most 2,000 characters.")
LOOKS_FIRST, LOOKS_MAX = 1, 60  # for questions that are being tried: five minutes
EXPORTS = {"md": (markdown_of, "text/markdown"), "json": (json_of, "application/json")}
ADDRESSED = ("question", "pages")  # fields that an address can fill


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """A new question, which starts a conversation."""
    user = user_of(request)
    named = read_preselection(request)
    chosen = named or last_scope(user)
    form = QuestionForm(user, sent_data(request), chosen=chosen, typed=typed_data(request))
    if form.is_bound and form.is_valid():
        return ask_question(user, form)
    find = found_words(request)
    groups = conversation_groups(user, find=find)
    suggested, suggestions = suggest(user, chosen)
    context = {
        "form": form,
        "groups": groups,
        "find": find,
        "suggested": suggested,
        "suggestions": suggestions,
        "opened_on": None if named or form.is_bound else opened_on(user, chosen),
        "named": request.GET.urlencode() if named else "",
        "deleted": Conversation.objects.trashed_by(user).filter(pk=request.session.pop("deleted", None)).first(),
    }
    return render(request, "chat/home.html", context, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """The turns of a conversation, the cited page beside them, and a follow-up question."""
    user = user_of(request)
    current = get_object_or_404(Conversation.objects.visible_to(user).select_related("base"), pk=conversation_id)
    turns = turns_of(current)
    last = turns[-1] if turns else None
    form = QuestionForm(
        user,
        sent_data(request),
        base=current.base,
        chosen=read_preselection(request) or (ShownTurn(last).scope_value if last else f"base:{current.base_id}"),
        mode=last.mode if last else "balanced",
        typed=typed_data(request, ShownTurn(last).typed_filters if last and "pages" not in request.GET else None),
    )
    if form.is_bound and form.is_valid():
        return ask_question(user, form, current)
    groups = conversation_groups(user, current, found_words(request))
    opened = opened_page(request, turns, user)
    shown = [ShownTurn(turn, opened.citation.marker if opened and opened.turn == turn else 0) for turn in turns]
    attach_objections(shown)
    attach_notices(shown, user)
    attach_follow_ups(shown[-1:], user)
    context = {
        "conversation": current,
        "named": f"base={current.base_id}",
        "groups": groups,
        "find": found_words(request),
        "turns": shown,
        "is_running": any(each.is_running for each in shown),
        "opened": opened,
        "form": form,
        "auditable": auditable(user, turns),
    }
    return render(request, "chat/conversation.html", context, status=400 if form.errors else 200)


def sent_data(request: HttpRequest) -> QueryDict | None:
    """The data of a question that is asked; None of a form that only takes a filter off, which asks nothing."""
    return request.POST if request.method == "POST" and "drop" not in request.POST else None


def typed_data(request: HttpRequest, filters: Mapping[str, str] | None = None) -> SentFields:
    """What is in the fields of a form that is not sent: the filters of the turn before, the question and the pages of
    an address, a question kept while its asker signed in again; or all but the filter taken off.
    """
    if request.method != "POST":
        named = {name: text for name in ADDRESSED if (text := request.GET.get(name, ""))}
        return {"question": "", **(filters or {}), **named, **take_late_question(request)}
    return sent_fields(request.POST) | {request.POST.get("drop", ""): ""}


def read_preselection(request: HttpRequest) -> str:
    """The picker's value for ?base= or one or more ?document= of an address; "" if an id is malformed."""
    try:
        if documents := write_picker_value(UUID(text) for text in request.GET.getlist("document")):
            return documents
        return f"base:{UUID(request.GET['base'])}"
    except (KeyError, ValueError):
        return ""


def found_words(request: HttpRequest) -> str:
    """The search text for the list of conversations, or ""."""
    form = FindForm(request.GET)
    return form.cleaned_data["find"] if form.is_valid() else ""


def ask_question(user: User, form: QuestionForm, current: Conversation | None = None) -> HttpResponse:
    assert form.chosen_scope is not None
    asked = form.cleaned_data
    edited = current.turns.filter(pk=asked["edits"]).first() if current and asked["edits"] else None
    turn = keep_question(
        user,
        replace(form.chosen_scope, filters=form.filters),
        asked["question"],
        asked["mode"],
        form_id=asked["form_id"],
        conversation=current,
        edits=edited,
    )
    return begin_turn(turn)


def begin_turn(turn: Turn) -> HttpResponse:
    """Have a question answered, and show it."""
    tasks.start(turn)
    return redirect(turn_address(turn))


def turn_address(turn: Turn) -> str:
    return f"{reverse('chat:conversation', args=[turn.conversation_id])}#turn-{turn.pk}"


def opened_page(request: HttpRequest, turns: list[Turn], user: User) -> CitedPage | None:
    """The citation named by ?turn= and ?cite=; without them, the first of the latest turn that has ended.

    There is none beside an answer that cites nothing: the page of another one would pass for its evidence.
    """
    chosen = next((turn for turn in turns if str(turn.pk) == request.GET.get("turn")), None)
    if chosen and "near" in request.GET:
        return refused_page(chosen, small_number(request.GET["near"]), user, *pane_of(request))
    if chosen:
        return cited_page(chosen, small_number(request.GET.get("cite", "")), user, *pane_of(request))
    last = next((turn for turn in reversed(turns) if turn.state in ENDED), None)
    answer = getattr(last, "answer", None)
    first = next(iter(answer.citations.all()), None) if answer else None
    return cited_page(last, first.marker, user) if last and first else None


def pane_of(request: HttpRequest) -> tuple[Scope | None, int | None]:
    """How much text around the quote a pane shows, and the page that it is turned to; None for that of the quote."""
    return read_scope(request.GET.get("wide", "")), number_of(request.GET, "page")


def small_number(text: str) -> int:
    """A marker, position or count from an address or form; 0, which none of them is, if it is not a small number."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0


def auditable(user: User, turns: list[Turn]) -> set[UUID]:
    """The runs of these turns, and those they repeat, whose trail the person may read."""
    runs = [turn.run_id for turn in turns if turn.run_id]
    runs += [UUID(turn.run.repeat["run"]) for turn in turns if turn.run and turn.run.repeat]
    return set(RetrievalRun.objects.visible_to(user).filter(pk__in=runs).values_list("pk", flat=True))


@require_GET
def turn(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """The current state of one turn, for the page that polls it; opened directly, it redirects to its conversation."""
    user = user_of(request)
    row = get_visible_turn(request, turn_id)
    if "HX-Request" not in request.headers:
        return redirect("chat:conversation", row.conversation_id)
    row = with_rows(Turn.objects.filter(pk=row.pk)).get()
    shown = ShownTurn(row, 1)
    attach_notices([shown], user)
    attach_follow_ups([shown], user)
    return render(request, "chat/_turn.html", {"shown": shown, "auditable": auditable(user, [row])})


@require_GET
def page(request: HttpRequest, turn_id: UUID, marker: int) -> HttpResponse:
    row = get_visible_turn(request, turn_id)
    opened = cited_page(row, marker, user_of(request), *pane_of(request))
    if opened is None:
        raise Http404("There is no such citation.")
    return render(request, "chat/_page.html", {"opened": opened})


@require_GET
def refused_passage(request: HttpRequest, turn_id: UUID, position: int) -> HttpResponse:
    row = get_visible_turn(request, turn_id)
    opened = refused_page(row, position, user_of(request), *pane_of(request))
    if opened is None:
        raise Http404("There is no such passage.")
    return render(request, "chat/_page.html", {"opened": opened})


@require_GET
def offer_questions(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """The questions a document was tried with and answers, as a part of its row; it asks again until they are tried."""
    document = access.get_document(user_of(request), document_id)
    questions, looked = tried_questions(document), number_of(request.GET, "looked") or LOOKS_FIRST
    again = looked + 1 if questions is None and looked < LOOKS_MAX else None
    if again == LOOKS_FIRST + 1:
        tasks.start_trying(get_language() or "en")
    shown = {"document": document, "questions": (questions or [])[:SUGGESTED], "again": again}
    return render(request, "chat/_suggested.html", shown)


@require_GET
async def events(request: HttpRequest, turn_id: UUID) -> StreamingHttpResponse:
    """Stream the events of a turn for as long as the reader may read it."""
    user = cast("User", await request.auser())
    state = await Turn.objects.visible_to(user).filter(pk=turn_id).values_list("state", flat=True).afirst()
    if state is None:
        raise Http404("There is no such turn.")
    last_id = stream.last_event_id(request.headers.get("Last-Event-ID", ""))
    place = await sync_to_async(take_place, thread_sensitive=False)(user.pk)
    frames = follow_as(follower_of(request, user), turn_id, last_id, is_ended=state in ENDED, place=place)
    return answer_with(frames)


@require_POST
def stop_turn(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """Stop a question; what a worker has found so far is kept."""
    row = get_visible_turn(request, turn_id)
    stop_question(row)
    return redirect("chat:conversation", row.conversation_id)


@require_POST
def retry(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """Ask an ended question again, whatever its outcome; the earlier answer stays."""
    return begin_turn(ask_again(get_ended_turn(request, turn_id), form_id_of(request)))


@require_POST
def search_rest(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """Search every document of an ended question on its own, as a new turn; the earlier answer stays."""
    return begin_turn(ask_again(get_ended_turn(request, turn_id), form_id_of(request), is_full_search=True))


@require_http_methods(["GET", "HEAD", "POST"])
def noticed_pages(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """The notice of an answer's badly read pages, for the page that polls it; POST has them read again."""
    user = user_of(request)
    row = get_visible_turn(request, turn_id)
    if request.method == "POST":
        start(*order_reading(user, row))
    if request.method == "POST" or "HX-Request" not in request.headers:
        return redirect(turn_address(row))
    shown = ShownTurn(with_rows(Turn.objects.filter(pk=row.pk)).get())
    attach_notices([shown], user)
    return render(request, "chat/_reread.html", {"shown": shown})


@require_POST
def meaning(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """Ask an ended question again with its vague word as it is meant; the base learns from it."""
    row = get_ended_turn(request, turn_id)
    try:
        turn = choose_meaning(row, request.POST.get("meaning", ""), form_id_of(request))
    except RuleError as error:
        messages.error(request, str(error))
        return redirect(turn_address(row))
    return begin_turn(turn)


def form_id_of(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.POST.get("form_id", ""))
    except ValueError:
        return None


@require_POST
def feedback(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """Store the feedback of the person who asked."""
    user = user_of(request)
    row = get_object_or_404(Turn.objects.visible_to(user).exclude(run=None), pk=turn_id, state__in=ENDED)
    form = FeedbackForm(request.POST)
    if form.is_valid():
        give_feedback(row, user, form.cleaned_data["kind"], form.cleaned_data["comment"])
    elif "HX-Request" not in request.headers:
        messages.error(request, FEEDBACK_FAULT)
    if "HX-Request" in request.headers:
        context = {"shown": ShownTurn(row), "fault": "" if form.is_valid() else FEEDBACK_FAULT}
        return render(request, "chat/_feedback.html", context)
    return redirect(turn_address(row))


@require_POST
def rename(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    row = get_object_or_404(Conversation.objects.visible_to(user_of(request)), pk=conversation_id)
    form = TitleForm(request.POST)
    if form.is_valid():
        Conversation.objects.filter(pk=row.pk).update(title=form.cleaned_data["title"])
    else:
        messages.error(request, gettext("A conversation needs a name of at most 200 characters."))
    return redirect("chat:conversation", row.pk)


@require_POST
def delete(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Remove a conversation from the list; its runs stay for the audit."""
    row = get_object_or_404(Conversation.objects.visible_to(user_of(request)), pk=conversation_id)
    Conversation.objects.filter(pk=row.pk).update(deleted_at=timezone.now())
    request.session["deleted"] = str(row.pk)
    return redirect("chat:home")


@require_GET
def trash(request: HttpRequest) -> HttpResponse:
    """The conversations a person has deleted, for restoring."""
    user = user_of(request)
    context = {
        "trashed": Conversation.objects.trashed_by(user)[:CONVERSATIONS_SHOWN],
        "groups": conversation_groups(user),
    }
    return render(request, "chat/trash.html", context)


@require_POST
def restore_conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Put a conversation back into the list."""
    row = get_object_or_404(Conversation.objects.trashed_by(user_of(request)), pk=conversation_id)
    Conversation.objects.filter(pk=row.pk).update(deleted_at=None)
    return redirect("chat:conversation", row.pk)


@require_GET
def export(request: HttpRequest, conversation_id: UUID, form: str) -> HttpResponse:
    """Export a conversation: Markdown to read, JSON for programs."""
    if form not in EXPORTS:
        raise Http404("A conversation is exported as md or json.")
    row = get_object_or_404(
        Conversation.objects.visible_to(user_of(request)).select_related("base"), pk=conversation_id
    )
    turns = [ShownTurn(turn) for turn in turns_of(row)]
    attach_objections(turns)
    attach_notices(turns, user_of(request))
    write, content_type = EXPORTS[form]
    return attachment(write(row, turns), f"{file_name(row)}.{form}", f"{content_type}; charset=utf-8")
