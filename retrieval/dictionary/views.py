"""The dictionary of a base in the browser: everybody in the base reads it, editors and owners change it."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Prefetch, Q
from django.db.models.functions import Lower
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import user_of
from documents import access
from documents.downloads import attachment
from documents.models import KnowledgeBase
from documents.views import describe_base
from retrieval.dictionary import csv_format, editing
from retrieval.dictionary.forms import ConceptForm, TermForm
from retrieval.dictionary.learned_views import show_learned
from retrieval.dictionary.load import phrase_of, read_word_rows
from retrieval.dictionary.packs import PACKS, load_missing, packs_on
from retrieval.models import Concept, Term

CONCEPTS_A_PAGE = 50
SEARCH_MAX = 120
FIELD_WORDS = {
    "language": gettext_lazy("Language of %(term)s"),
    "term": gettext_lazy("Term %(term)s"),
    "priority": gettext_lazy("Priority of %(term)s"),
    "weight": gettext_lazy("Weight of %(term)s"),
}
CHANGES_SHOWN = 500


@require_http_methods(["GET", "HEAD", "POST"])
def dictionary(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The concepts of a base with their terms, with search and a form to add one."""
    found = get_base(request, pk)
    form = ConceptForm(request.POST or None, initial={"language": "en"})
    if request.method == "POST" and form.is_valid():
        try:
            concept = editing.add_concept(found, form.row, by=user_of(request))
        except csv_format.WordlistError as error:
            form.add_error(None, str(error))
        else:
            words = gettext("“%(name)s” is added. Give it its other names here.")
            messages.success(request, words % {"name": concept.name})
            return redirect("retrieval:concept", found.pk, concept.pk)
    load_missing(found)
    asked = request.GET.get("q", "").replace("\x00", "").strip()[:SEARCH_MAX]
    page = Paginator(concepts_with(found, asked), CONCEPTS_A_PAGE).get_page(request.GET.get("page"))
    shown = {
        **describe_base(request, found),
        "page": page,
        "q": asked,
        "form": form,
        "pack_rows": [(name, words, name in packs_on(found)) for name, words in PACKS.items()],
        "counts": Concept.objects.filter(base=found).aggregate(
            concepts=Count("pk", distinct=True), terms=Count("terms")
        ),
        "learned": show_learned(request, found),
    }
    return render(request, "retrieval/dictionary.html", shown, status=400 if form.errors else 200)


def get_base(request: HttpRequest, pk: UUID) -> KnowledgeBase:
    """The base, for reading or, if the request writes, for writing."""
    return access.get_base(request.user, pk, *(access.WRITE if request.method == "POST" else ()))


def concepts_with(found: KnowledgeBase, asked: str) -> Any:
    """The concepts whose name or terms contain the searched text."""
    terms = Prefetch("terms", Term.objects.order_by("language", "pk"))
    concepts = Concept.objects.filter(base=found).order_by(Lower("name")).prefetch_related(terms)
    if asked:
        named = Term.objects.filter(concept__base=found, text__icontains=asked)
        concepts = concepts.filter(Q(name__icontains=asked) | Q(pk__in=named.values("concept")))
    return concepts


@require_http_methods(["GET", "HEAD", "POST"])
def concept(request: HttpRequest, pk: UUID, concept_pk: int) -> HttpResponse:
    """One concept and its terms; POST renames it."""
    row = get_concept(request, pk, concept_pk)
    if request.method == "POST":
        try:
            editing.rename_concept(row, request.POST.get("name", ""), by=user_of(request))
        except csv_format.WordlistError as error:
            row.refresh_from_db()
            return show_concept(request, row, failure=str(error))
        messages.success(request, gettext("The concept is called “%(name)s” now.") % {"name": row.name})
        return redirect("retrieval:concept", row.base_id, row.pk)
    return show_concept(request, row)


def get_concept(request: HttpRequest, pk: UUID, concept_pk: int) -> Concept:
    """A concept of a base, for reading or writing as `get_base` says."""
    found = get_base(request, pk)
    row = Concept.objects.select_related("base").filter(base=found, pk=concept_pk).first()
    if row is None:
        raise Http404("There is nothing here for you.")
    return row


def show_concept(request: HttpRequest, row: Concept, form: TermForm | None = None, failure: str = "") -> HttpResponse:
    found = row.base
    names = {phrase_of(other.name): other for other in Concept.objects.filter(base=found).exclude(pk=row.pk)}
    terms = row.terms.order_by("language", "pk")
    pulled = {phrase_of(text) for text in Term.objects.filter(concept=row).values_list("text", flat=True)}
    phrase = phrase_of(row.name)
    pulled_by = [
        term.concept
        for term in Term.objects.filter(concept__base=found, text__icontains=row.name).select_related("concept")
        if term.concept_id != row.pk and phrase_of(term.text) == phrase
    ]
    failure = failure or (form.fault if form else "")
    shown = {
        **describe_base(request, found),
        "concept": row,
        "rows": [(term, bound_form(term), names.get(phrase_of(term.text))) for term in terms],
        "is_computed": bool(pulled & names.keys()),
        "pulled_by": pulled_by,
        "pack": PACKS.get(row.pack, ""),
        "form": form or TermForm(initial={"language": "en"}),
        "failure": failure,
    }
    return render(request, "retrieval/concept.html", shown, status=400 if failure else 200)


def bound_form(term: Term) -> TermForm:
    """The form of a table row; its fields refer to the form element of that row."""
    values = {"language": term.language, "term": term.text, "priority": term.priority, "weight": f"{term.weight:g}"}
    form = TermForm(initial=values, auto_id=f"{term.pk}-%s")
    for name, field in form.fields.items():
        field.widget.attrs |= {"form": f"term-{term.pk}", "aria-label": FIELD_WORDS[name] % {"term": term.text}}
    return form


@require_POST
def delete_concept(request: HttpRequest, pk: UUID, concept_pk: int) -> HttpResponse:
    row = get_concept(request, pk, concept_pk)
    editing.remove_concept(row, by=user_of(request))
    words = gettext("“%(name)s” is deleted. Answers given so far keep what they were found with.")
    messages.success(request, words % {"name": row.name})
    return redirect("retrieval:dictionary", row.base_id)


@require_POST
def terms(request: HttpRequest, pk: UUID, concept_pk: int) -> HttpResponse:
    """Add a term to a concept."""
    return save_term(request, get_concept(request, pk, concept_pk), None)


@require_POST
def term(request: HttpRequest, pk: UUID, concept_pk: int, term_pk: int) -> HttpResponse:
    """Change a term, or delete it."""
    row = get_concept(request, pk, concept_pk)
    known = row.terms.filter(pk=term_pk).first()
    if known is None:
        raise Http404("There is nothing here for you.")
    if request.POST.get("action") == "delete":
        editing.delete_term(known, by=user_of(request))
        messages.success(request, gettext("“%(name)s” is deleted.") % {"name": known.text})
        return redirect("retrieval:concept", row.base_id, row.pk)
    return save_term(request, row, known)


def save_term(request: HttpRequest, row: Concept, known: Term | None) -> HttpResponse:
    form = TermForm(request.POST, concept=row.name)
    if form.is_valid():
        try:
            saved = editing.put_term(row, form.row, known, by=user_of(request))
        except csv_format.WordlistError as error:
            form.add_error(None, str(error))
        else:
            words = gettext("“%(name)s” is saved. The next question is asked with it.") % {"name": saved.text}
            messages.success(request, words)
            return redirect(reverse("retrieval:concept", args=[row.base_id, row.pk]) + "#new-term")
    if known is None:
        return show_concept(request, row, form)
    left = gettext("“%(name)s” is left as it was.") % {"name": known.text}
    return show_concept(request, row, failure=f"{left} {form.fault}")


@require_POST
def packs(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Choose the packs a base uses."""
    found = get_base(request, pk)
    editing.use_packs(found, request.POST.getlist("pack"), by=user_of(request))
    messages.success(request, gettext("The packs are set. What you changed or added yourself is left as it was."))
    return redirect("retrieval:dictionary", found.pk)


# ---- files


@require_safe
def give_file(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Download the dictionary as CSV."""
    found = get_base(request, pk)
    load_missing(found)
    return attachment(
        "\ufeff" + csv_format.write_words(read_word_rows(found)), "dictionary.csv", "text/csv; charset=utf-8"
    )


@require_http_methods(["GET", "HEAD", "POST"])
def take_file(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show what a CSV file would change, with its errors by line; apply it once confirmed."""
    found = access.get_base(request.user, pk, *access.WRITE)
    shown: dict[str, Any] = {
        **describe_base(request, found),
        "columns": csv_format.COLUMNS,
        "rows_max": csv_format.ROWS_MAX,
    }
    if request.method != "POST":
        return render(request, "retrieval/import.html", shown)
    try:
        text = sent_text(request)
        rows, errors = csv_format.read_bytes(text.encode())
        if "confirmed" in request.POST and not errors:
            counts = editing.take_in(found, rows, by=user_of(request))
            told = {"new": counts["new"], "changed": counts["changed"]}
            messages.success(request, gettext("Taken in: %(new)s new terms, %(changed)s changed.") % told)
            return redirect("retrieval:dictionary", found.pk)
        shown |= preview(found, rows, errors, text)
    except csv_format.WordlistError as error:
        shown["failure"] = str(error)
    is_wrong = bool(shown.get("failure") or shown.get("errors"))
    return render(request, "retrieval/import.html", shown, status=400 if is_wrong else 200)


def sent_text(request: HttpRequest) -> str:
    """The text of the uploaded file, or of the one already shown. Raises WordlistError."""
    if "confirmed" in request.POST:
        return request.POST.get("csv", "")
    file = request.FILES.get("file")
    if file is None:
        raise csv_format.WordlistError(
            gettext("Choose a file first.") if "file" not in request.POST else gettext("The file is empty.")
        )
    return csv_format.decode_file(file.read(csv_format.BYTES_MAX + 1))


def preview(found: KnowledgeBase, rows: list[Any], errors: list[csv_format.LineError], text: str) -> dict[str, Any]:
    changes = editing.changes_of(found, rows)
    news = [change for change in changes if change.kind != "same"]
    return {
        "errors": errors,
        "csv": text,
        "changes": news[:CHANGES_SHOWN],
        "hidden_count": max(0, len(news) - CHANGES_SHOWN),
        "new_count": sum(change.kind == "new" for change in changes),
        "changed_count": sum(change.kind == "changed" for change in changes),
        "same_count": sum(change.kind == "same" for change in changes),
    }
