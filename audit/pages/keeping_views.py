"""Pages of the record's upkeep: recorded changes, and a base's retention, legal holds and erasures."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.requests import user_of
from audit.access_log import is_auditor, record_list
from audit.keeping import changes, erasure, retention
from audit.keeping.retention import RetentionRefused, days_kept, set_days
from audit.models import CarriedArchive
from audit.pages.forms import ChangeFilters, EraseForm, HoldForm, RetentionForm
from documents.access import OWN, get_base, get_or_404, role_in
from documents.ingestion.trash import identify_document
from documents.models import Document, KnowledgeBase
from documents.views import tell_refusal
from ledger import holds
from ledger.holds import Held, HoldRefused
from reading.characters import clean_words

Refused = (RetentionRefused, HoldRefused, Held, erasure.CannotErase)


@require_safe
def change_list(request: HttpRequest) -> HttpResponse:
    """The recorded changes in the bases a person audits."""
    if not is_auditor(request.user) and not getattr(request.user, "is_superuser", False):
        raise Http404("There is nothing here for you.")
    form = ChangeFilters(request.GET, user=request.user)
    wanted = form.cleaned_data if form.is_valid() else {}
    page = changes.read_change_page(
        changes.filter_changes(changes.visible_to(request.user), wanted), request.GET.get("before", "")
    )
    record_list(request.user, "changes", **{name: str(value) for name, value in wanted.items() if value})
    kept = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    older = f"?{urlencode(kept | {'before': str(page.older)})}" if page.older else ""
    bases = KnowledgeBase.objects.audited_by(request.user).order_by("name")
    shown = {"form": form, "page": page, "older": older, "is_filtered": bool(kept), "bases": bases}
    return render(request, "audit/changes.html", shown)


@require_safe
def keeping(request: HttpRequest, base_id: UUID) -> HttpResponse:
    """A base's retention, its legal holds, and whose content can be erased."""
    base = get_or_404(KnowledgeBase.objects.audited_by(request.user), base_id)
    people = erasure.askers_of(base)
    subjects = erasure.hold_subjects(base)
    shown = {
        "base": base,
        "may_own": role_in(request.user, base) == "owner" and base.deleted_at is None,
        "days": days_kept(base),
        "floor": retention.FLOOR_DAYS,
        "due": retention.due(base).count(),
        "holds": [(hold, subjects.get(hold.subject, hold.subject)) for hold in holds.holds_on(subjects)],
        "retention_form": RetentionForm(initial={"days": days_kept(base)}),
        "hold_form": HoldForm(subjects=subjects),
        "erase_form": EraseForm(people=people),
        "people": people,
        "reason_min": holds.REASON_MIN,
        "brought": CarriedArchive.objects.filter(base=base).count(),
    }
    record_list(request.user, "keeping", base=str(base.pk))
    return render(request, "audit/keeping.html", shown)


def told_of(base: KnowledgeBase, subject: str) -> dict[str, str]:
    """What a change of a hold says beside its subject; a document's does not name its base."""
    kind, _separator, pk = subject.partition(":")
    document = Document.objects.filter(base=base, pk=pk).first() if kind == "document" else None
    return identify_document(document) if document else {}


@require_http_methods(["GET", "HEAD", "POST"])
def keep_for(request: HttpRequest, base_id: UUID) -> HttpResponse:
    """Change how long the runs of a base keep their words; what would lose them is shown first."""
    base, user = get_owned_base(request, base_id)
    if request.method != "POST":
        return redirect("audit:keeping", base.pk)
    form = RetentionForm(request.POST)
    if not form.is_valid():
        return redirect_with_error(request, base, _("Name a number of days."))
    days = form.cleaned_data["days"]
    going = retention.due(base, days).count() if retention.FLOOR_DAYS <= days < days_kept(base) else 0
    if going and request.POST.get("seen") != str(going):
        title = _("Keep the words of “%(base)s” for %(days)s days only") % {"base": base.name, "days": days}
        words = ngettext(
            "%(count)s question is older and will be erased from the next hour on.",
            "%(count)s questions are older and will be erased from the next hour on.",
            going,
        )
        press = _("Keep for %(days)s days") % {"days": days}
        return show_loss(request, base, title, [words % {"count": going}], form, str(going), press)
    return attempt(
        request, base, lambda: set_days(base, days, str(user)), _("Kept for %(days)s days from now on."), days=days
    )


@require_POST
def place_hold(request: HttpRequest, base_id: UUID) -> HttpResponse:
    why_not = _("Choose what is held, and give a reason.")
    return change_hold(request, base_id, holds.place, _("Under legal hold: %(what)s."), why_not)


@require_POST
def release_hold(request: HttpRequest, base_id: UUID) -> HttpResponse:
    why_not = _("Choose a hold of this base, and give a reason.")
    return change_hold(request, base_id, holds.release, _("Released: %(what)s."), why_not)


def change_hold(
    request: HttpRequest, base_id: UUID, change: Callable[..., object], said: str, why_not: str
) -> HttpResponse:
    base, user = get_owned_base(request, base_id)
    subjects = erasure.hold_subjects(base)
    form = HoldForm(request.POST, subjects=subjects)
    if not form.is_valid():
        return redirect_with_error(request, base, why_not)
    subject, reason = form.cleaned_data["subject"], form.cleaned_data["reason"]
    act = partial(change, subject, str(user), reason, **told_of(base, subject))
    return attempt(request, base, act, said, what=subjects[subject])


@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, base_id: UUID) -> HttpResponse:
    """Show what goes of what a person asked in a base; erase it once just that was seen."""
    base, user = get_owned_base(request, base_id)
    if request.method != "POST":
        return redirect("audit:keeping", base.pk)
    with tell_refusal(request, *Refused), erasure.erase_alone(base):
        form = EraseForm(request.POST, people=erasure.askers_of(base))
        if not form.is_valid():
            asked_by = clean_words(request.POST.get("person", ""))
            if request.POST.get("seen") and "person" in form.errors and erasure.is_erased_from(asked_by, base):
                messages.success(request, _("This is erased already."))
                return redirect("audit:keeping", base.pk)
            return redirect_with_error(request, base, form.why_not())
        person = User.objects.get(pk=form.cleaned_data["person"])
        names = {"person": str(person), "base": base.name}
        loss = erasure.count_loss(person, base)
        if request.POST.get("seen") != loss.seen:
            title = _("Erase what %(person)s asked in “%(base)s”") % names
            return show_loss(request, base, title, tell_loss(loss), form, loss.seen, _("Erase for good"))
        erasure.erase_person(person, erasure.Erasing(str(user), form.cleaned_data["reason"]), base)
        said = _("What %(person)s asked here is erased. Backups made before today still hold it.")
        messages.success(request, said % names)
    return redirect("audit:keeping", base.pk)


def tell_loss(loss: erasure.Loss) -> list[str]:
    """What an erasure takes, a line for each kind there is."""
    kinds = [
        ngettext(
            "%(count)s question with its answer, its reviews and what a model was sent for it",
            "%(count)s questions with their answers, their reviews and what a model was sent for them",
            loss.questions,
        ),
        ngettext(
            "%(count)s conversation, in the list or in the trash",
            "%(count)s conversations, in the list or in the trash",
            loss.conversations,
        ),
        ngettext("%(count)s open link to them", "%(count)s open links to them", loss.links),
        ngettext("%(count)s comment on a document", "%(count)s comments on documents", loss.comments),
        ngettext("%(count)s table of fields", "%(count)s tables of fields", loss.extractions),
        ngettext(
            "%(count)s request of a program for evidence",
            "%(count)s requests of programs for evidence",
            loss.retrievals,
        ),
    ]
    return [words % {"count": count} for words, count in zip(kinds, loss, strict=True) if count]


def show_loss(
    request: HttpRequest, base: KnowledgeBase, title: str, goes: list[str], form: Form, seen: str, press: str
) -> HttpResponse:
    """What cannot be brought back, before it goes. What the form took is sent again with the confirmation."""
    sent = [(name, str(value)) for name, value in form.cleaned_data.items()] + [("seen", seen)]
    shown = {"base": base, "title": title, "goes": goes, "press": press, "sent": sent}
    shown |= {"reason": form.cleaned_data.get("reason"), "was_seen": bool(request.POST.get("seen"))}
    return render(request, "audit/loss.html", shown)


def get_owned_base(request: HttpRequest, base_id: UUID) -> tuple[KnowledgeBase, User]:
    return get_base(request.user, base_id, *OWN), user_of(request)


def attempt(
    request: HttpRequest, base: KnowledgeBase, act: Callable[[], object], said: str, **words: object
) -> HttpResponse:
    """Act and report success, or the reason it was refused."""
    with tell_refusal(request, *Refused):
        act()
        messages.success(request, said % words)
    return redirect("audit:keeping", base.pk)


def redirect_with_error(request: HttpRequest, base: KnowledgeBase, why: str) -> HttpResponse:
    messages.error(request, why)
    return redirect("audit:keeping", base.pk)
