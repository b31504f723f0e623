"""The rules of reading of a base in the browser: everybody in the base reads them, its owners change them (R103)."""

from itertools import groupby
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import user_of
from documents import access
from documents.downloads import attachment
from documents.models import KnowledgeBase
from documents.views import describe_base
from retrieval.dictionary.csv_format import WordlistError
from retrieval.models import MeaningVote
from retrieval.question.kinds import ANSWER_TYPES, SHAPES, RuleRow, shipped_rows
from retrieval.reading_rules.editing import RulesChanged, change_rules, history_of, newest_of, stored_rows
from retrieval.reading_rules.forms import ChangeForm, RowForm, UsedRowForm
from retrieval.reading_rules.rows import COLUMNS, KIND_WORDS, PATTERNED, RuleError, read_rows, write_rows
from retrieval.reading_rules.votes import reset_word, standings_of

VOTES_SHOWN = 50  # and resets, the newest first
BAND_WORDS = {
    "asked": gettext_lazy("always asked"),
    "sometimes": gettext_lazy("asked now and then"),
    "applied": gettext_lazy("applied and said"),
}


@require_http_methods(["GET", "HEAD", "POST"])
def reading_rules(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What ships and what the base changed; POST adds a row."""
    found = access.get_base(request.user, pk, *(access.OWN if request.method == "POST" else ()))
    if request.method != "POST":
        return show_rules(request, found)
    form = RowForm(request.POST)
    if not form.is_valid():
        return show_rules(request, found, form, form.fault)
    why = form.cleaned_data["why"] or gettext("Added “%(text)s”") % {"text": form.row.text}
    return store(request, found, [*stored_rows(newest_of(found)), form.row], why, form)


def store(
    request: HttpRequest,
    found: KnowledgeBase,
    rows: list[RuleRow],
    why: str,
    form: ChangeForm,
) -> HttpResponse:
    """Store a set of rows; what is refused is shown with what was typed."""
    try:
        again_of = form.cleaned_data["again_of"]
        stored = change_rules(
            found, rows, why[:300], user_of(request), seen=form.cleaned_data["seen"], again_of=again_of
        )
    except RuleError as error:
        is_typed = isinstance(form, RowForm)
        status = 409 if isinstance(error, RulesChanged) else 400
        return show_rules(request, found, form if is_typed else None, str(error), status)
    words = gettext("The rules are stored. They hold from the next question on.")
    messages.success(request, words if stored else gettext("Nothing was stored: these rules hold already."))
    for name in sorted({row.name for row in rows if row.kind == "asks"} - known_types(rows)):
        told = gettext("No pattern says yet what values of the type “%(name)s” look like. Add one.")
        messages.warning(request, told % {"name": name})
    return redirect("reading_rules:rules", found.pk)


def known_types(rows: list[RuleRow]) -> set[str]:
    """The types whose values some pattern knows, of the base or of what ships."""
    return {row.name for row in rows if row.kind in PATTERNED} | set(ANSWER_TYPES)


def show_rules(
    request: HttpRequest, found: KnowledgeBase, form: Any = None, failure: str = "", status: int = 400
) -> HttpResponse:
    history = history_of(found)
    newest = history[0] if history else None
    rows, number = stored_rows(newest), newest.number if newest else 0
    off = {row.key for row in rows if not row.is_on}
    shipped = sorted(shipped_rows(), key=lambda each: (each.row.kind, each.row.name, each.row.language))
    groups = [
        (KIND_WORDS[kind], name, [(each, each.row.key in off) for each in own])
        for (kind, name), own in groupby(shipped, key=lambda each: (each.row.kind, each.row.name))
    ]
    shown = {
        **describe_base(request, found),
        "own": [(row, KIND_WORDS[row.kind]) for row in rows if row.is_on],
        "groups": groups,
        "off_count": len(off),
        "history": history,
        "seen": number,
        "form": form or RowForm(initial={"seen": number}),
        "failure": failure,
        "names": [*ANSWER_TYPES, *SHAPES],
        "columns": COLUMNS,
        "standings": [(each, BAND_WORDS[each.band]) for each in standings_of(found)],
        "votes": MeaningVote.objects.filter(base=found).order_by("-pk")[:VOTES_SHOWN],
    }
    return render(request, "retrieval/reading_rules.html", shown, status=status if failure else 200)


@require_POST
def switch_row(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take a row of the base out; switch one that ships off, or on again."""
    found = access.get_base(request.user, pk, *access.OWN)
    form = UsedRowForm(request.POST)
    if not form.is_valid():
        return show_rules(request, found, failure=gettext("This row is not there any more."))
    typed = form.cleaned_data
    key = (typed["kind"], typed["name"], typed["language"], typed["text"])
    rows = list(stored_rows(newest_of(found)))
    known = next((row for row in rows if row.key == key), None)
    told = {"text": typed["text"][:100]}
    if known:
        words = gettext("Took out “%(text)s”") if known.is_on else gettext("Switched “%(text)s” on again")
        return store(request, found, [row for row in rows if row != known], typed["why"] or words % told, form)
    shipped = next((each.row for each in shipped_rows() if each.row.key == key), None)
    if shipped is None:
        return show_rules(request, found, failure=gettext("This row is not there any more."))
    why = typed["why"] or gettext("Switched “%(text)s” off") % told
    return store(request, found, [*rows, shipped._replace(is_on=False)], why, form)


@require_POST
def take_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = access.get_base(request.user, pk, *access.OWN)
    form = ChangeForm(request.POST)
    if not form.is_valid() or form.cleaned_data["again_of"] is None:
        return show_rules(request, found, failure=gettext("Choose the rules to take again."))
    return store(request, found, [], form.cleaned_data["why"], form)


@require_POST
def take_rules(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Replace the base's rows by those of a CSV file, all or nothing."""
    found = access.get_base(request.user, pk, *access.OWN)
    form = ChangeForm(request.POST)
    file = request.FILES.get("file")
    if not form.is_valid() or file is None:
        return show_rules(request, found, failure=gettext("Choose a file first."))
    try:
        rows = read_rows(file.read())
    except WordlistError as error:
        return show_rules(request, found, failure=str(error))
    why = form.cleaned_data["why"] or gettext("Read from the file “%(name)s”") % {"name": str(file.name)[:100]}
    return store(request, found, list(rows), why, form)


@require_safe
def give_rules(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Download the base's own rows and what it switched off as CSV."""
    found = access.get_base(request.user, pk)
    as_csv = write_rows(stored_rows(newest_of(found)))
    return attachment(f"\ufeff{as_csv}", "reading-rules.csv", "text/csv; charset=utf-8")


@require_POST
def reset(request: HttpRequest, pk: UUID) -> HttpResponse:
    """End what was learned of a vague word."""
    found = access.get_base(request.user, pk, *access.OWN)
    word = request.POST.get("word", "")
    try:
        reset_word(found, word, request.POST.get("document_type", ""), user_of(request))
    except RuleError as error:
        return show_rules(request, found, failure=str(error))
    messages.success(request, gettext("“%(word)s” is asked back again from the next question on.") % {"word": word})
    return redirect("reading_rules:rules", found.pk)
