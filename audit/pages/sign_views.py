"""The page of sign-offs: a period or a sample, with the first and second signature."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.requests import user_of
from audit.access_log import is_auditor, record_list
from audit.models import ReviewSample, SignOff
from audit.pages.forms import REASON_MAX, BasePeriodForm
from audit.pages.review_views import sample_page
from audit.review import signing
from documents.access import get_or_404
from reading.characters import clean_words

SHOWN = 100
FILE_ID = "file_%s"  # the ids of the fields of a technical file, beside those of a sign-off


@require_http_methods(["GET", "HEAD", "POST"])
def sign_offs(request: HttpRequest) -> HttpResponse:
    """The sign-offs of the bases a person audits, and the form for a period, which comes back here if refused."""
    if not is_auditor(request.user):
        raise Http404("There is nothing here for you.")
    if request.method == "POST":
        return sign_period(request)
    record_list(request.user, "sign_offs")
    return signed_page(request, BasePeriodForm(user=request.user, chosen=request.GET.get("base", "")))


def signed_page(
    request: HttpRequest,
    form: BasePeriodForm,
    refusal: str = "",
    status: int = 200,
    waiting_in: UUID | None = None,
    file_form: BasePeriodForm | None = None,
) -> HttpResponse:
    signed = SignOff.objects.visible_to(request.user).filter(first=None)
    rows = signed.select_related("second", "sample", "base")[:SHOWN]
    shown = {
        "form": form,
        "file_form": file_form
        or BasePeriodForm(user=request.user, auto_id=FILE_ID, chosen=request.GET.get("base", "")),
        "refusal": refusal,
        "waiting_in": waiting_in,  # the base whose questions wait for a verdict
        "rows": [
            (row, signing.describe_sign_off(row), signing.second_of(row), questions_of(signing.of_first(row)))
            for row in rows
        ],
    }
    return render(request, "audit/signoffs.html", shown, status=status)


def questions_of(subject: signing.Subject) -> str:
    """The address of the questions that are signed, or "" where the pages have them no more."""
    if not subject.has_pages:
        return ""
    if subject.sample:
        return reverse("audit:sample", args=[subject.sample.pk])
    last = subject.until - timedelta(microseconds=1)  # it ends before `until`, which may be a midnight
    days = {"since": subject.since.date(), "until": last.date()}
    return f"{reverse('audit:list')}?{urlencode({'base': subject.base_id} | days)}"


def sign_period(request: HttpRequest) -> HttpResponse:
    form = BasePeriodForm(request.POST, user=request.user)
    if not form.is_valid():
        return signed_page(request, form, status=400)
    given = form.cleaned_data
    subject = signing.of_period(given["base"], given["since"], given["until"], read_moment(request))
    try:
        return sign_what_was_seen(request, subject, form=form)
    except signing.SignOffRefused as refusal:
        waiting_in = subject.base_id if refusal.waits else None
        return signed_page(request, form, str(refusal), status=409, waiting_in=waiting_in)


@require_http_methods(["GET", "HEAD", "POST"])
def sign_sample(request: HttpRequest, sample_id: UUID) -> HttpResponse:
    """Sign a sample off; loaded anew, its address leads back to the sample."""
    sample = get_or_404(ReviewSample.objects.visible_to(request.user), sample_id)
    if request.method != "POST":
        return redirect("audit:sample", sample.pk)
    try:
        return sign_what_was_seen(request, signing.of_sample(sample))
    except signing.SignOffRefused as refusal:
        return sample_page(request, sample, str(refusal))


@require_http_methods(["GET", "HEAD", "POST"])
def sign_second(request: HttpRequest, sign_off_id: UUID) -> HttpResponse:
    """Give the second signature; loaded anew, its address leads back to the signatures."""
    first = get_or_404(SignOff.objects.visible_to(request.user), sign_off_id)
    if request.method != "POST":
        return redirect("audit:sign_offs")
    try:
        return sign_what_was_seen(request, signing.of_first(first), first)
    except signing.SignOffRefused as refusal:
        waiting_in = first.base_id if refusal.waits and not first.sample_id else None
        return signed_page(request, BasePeriodForm(user=request.user), str(refusal), status=409, waiting_in=waiting_in)


def read_moment(request: HttpRequest) -> datetime | None:
    """Where the period ended that a page has shown, sent back with the signature."""
    try:
        moment = datetime.fromisoformat(request.POST.get("moment", ""))
    except ValueError:
        return None
    return moment if moment.tzinfo == UTC else None


def sign_what_was_seen(
    request: HttpRequest, subject: signing.Subject, first: SignOff | None = None, form: BasePeriodForm | None = None
) -> HttpResponse:
    """Sign, or show what would be signed and ask once more: a signature is for good.

    Raises SignOffRefused at the first press; at the second the page comes back with it, and with the note. A button
    that is pressed twice signs once, and both presses succeed.
    """
    note, seen = (clean_words(request.POST.get(name, "")) for name in ("note", "seen"))
    note = note.replace("\r\n", "\n")[:REASON_MAX]  # as the page's limit counts line ends
    shown: dict[str, object] = {
        "first": first,
        "said_first": signing.describe_sign_off(first) if first else "",
        "note": note,
        "form": form,  # the period, sent again
    }
    try:
        if first:
            signing.countersign(first, user_of(request), note, seen)
        else:
            signing.sign(subject, user_of(request), note, seen)
    except signing.NotSeen as unseen:
        return statement_page(request, subject, unseen.statement, shown | {"was_seen": bool(seen)})
    except signing.SignOffRefused as refusal:
        if not seen:
            raise
        statement = signing.make_statement(subject, signing.count_figures(subject))
        return statement_page(request, subject, statement, shown | {"refusal": refusal}, status=409)
    return redirect("audit:sign_offs")


def statement_page(
    request: HttpRequest,
    subject: signing.Subject,
    statement: signing.StatementToSign,
    shown: dict[str, object],
    status: int = 200,
) -> HttpResponse:
    record_list(request.user, "sign_off", base=str(subject.base_id), until=subject.until.isoformat())
    first = shown["first"]
    added = signing.tell_added(first, statement.digest) if isinstance(first, SignOff) else ""
    shown = shown | {"subject": subject, "statement": statement, "added": added, "questions": questions_of(subject)}
    return render(request, "audit/sign.html", shown, status=status)
