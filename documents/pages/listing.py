"""The list of a base's documents: which are shown, and for each its state in words, the reason, and what to do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.postgres.search import SearchQuery
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.base_settings import BaseSettings
from documents.cards.showing import type_words
from documents.metadata.fields import MetadataError, narrow
from documents.metadata.filters import PARTS
from documents.models import Document, DocumentQuerySet, IngestJob, KnowledgeBase, MetadataField, Passage
from documents.pages.sentences import explain_warning, translate_sentence
from documents.storage.passwords import awaits_password
from reading.matching import full_text_form

STRENGTHS = {"strong": 4, "medium": 2, "weak": 1}
STRENGTH_BARS = 4
STRENGTH_WORDS = {"strong": _("strong"), "medium": _("medium"), "weak": _("weak"), "none": _("none")}
ORIGINS = {
    "outline": _("outline"),
    "linked_contents": _("linked contents"),
    "printed_contents": _("printed contents"),
    "headings": _("headings"),
    "markdown": _("headings"),
    "model": _("headings a model found"),
}
LOUD = frozenset(
    ["hidden_text", "concealed_text", "garbled_text", "garbled_pages", "signs_unread", "boxes_unread", "xfa_form"]
)  # warnings
WAITING = {
    IngestJob.Stage.RECOGNISE.value: _("Waiting for text recognition"),
    IngestJob.Stage.CARD.value: _("Waiting for its card"),
    IngestJob.Stage.CONTENTS.value: _("Waiting for its contents to be checked"),
    IngestJob.Stage.ANNOTATE.value: _("Waiting for descriptions"),
    IngestJob.Stage.EMBED.value: _("Waiting for search by meaning"),
}
LATER_STAGES = {
    IngestJob.Stage.RECOGNISE.value: _("Text recognition"),
    IngestJob.Stage.CARD.value: _("Describing the document"),
    IngestJob.Stage.CONTENTS.value: _("Checking its contents"),
    IngestJob.Stage.ANNOTATE.value: _("Describing its passages"),
    IngestJob.Stage.EMBED.value: _("Search by meaning"),
}
PROGRESS = {
    IngestJob.Stage.PAGES.value: _("Reading page %(done)s of %(of)s"),
    IngestJob.Stage.RECOGNISE.value: _("Recognising page %(done)s of %(of)s"),
    IngestJob.Stage.CONTENTS.value: _("Checking the contents, part %(done)s of %(of)s"),
    IngestJob.Stage.ANNOTATE.value: _("Describing passage %(done)s of %(of)s"),
    IngestJob.Stage.EMBED.value: _("Search by meaning: passage %(done)s of %(of)s"),
}
DEFAULT_SORT = "-added"
# The sort orders. By state: first what needs a person, then what is being read, then what is ready.
SORTS: dict[str, F | Case | Lower] = {
    "title": Lower("title"),
    "state": Case(
        When(state=Document.State.FAILED, then=Value(0)),
        When(state__in=(Document.State.WAITING, Document.State.READING), then=Value(1)),
        default=Value(2),
    ),
    "pages": F("current_parse__page_count"),
    "contents": Case(
        *(When(current_parse__toc_strength=name, then=Value(bars)) for name, bars in STRENGTHS.items()),
        When(current_parse__toc_strength="none", then=Value(0)),
    ),
    "added": F("created_at"),
}
ID = re.compile(r"[0-9]{1,9}")  # of a field
MINUTE_S = 60
FRESH_FOR = timedelta(minutes=10)
POLL_RUNNING_S, POLL_WAITING_S = 2, 8  # few run at once, many may wait


@dataclass(frozen=True)
class Situation:
    """A document's state: `kind` is ok, busy, warn or fail; `percent` is None if unknown."""

    kind: str
    words: str
    note: str = ""
    percent: int | None = None
    poll_s: int = 0
    can_retry: bool = False
    asks_password: bool = False


@dataclass(frozen=True)
class DocumentRow:
    document: Document
    job: IngestJob | None
    situation: Situation
    toc_entries: int
    toc_bars: tuple[bool, ...]
    toc_words: str
    pages: int | None
    text: str
    type: str  # by its card, in words; "" where nothing told it
    is_fresh: bool  # read so lately that its questions may still be tried


@dataclass(frozen=True)
class Summary:
    documents: int
    pages: int
    askable: int
    ready: int
    busy: int
    needs: int


def list_documents(base: KnowledgeBase) -> DocumentQuerySet:
    return base.documents.living().select_related("base", "current_parse", "card")


def find_outdated(base: KnowledgeBase) -> DocumentQuerySet:
    """The read documents of a base whose current parse was made with other settings than theirs.

    A cutting that was chosen for a document holds for it instead of the base's.
    """
    chosen = BaseSettings.from_json(base.settings).reading()
    as_uploaded = Q(current_parse__settings__contains=F("cutting"))
    as_base = made_with(chosen)
    same = made_with({"contextualisation": chosen["contextualisation"]}) & as_uploaded & (as_base | ~Q(cutting={}))
    return list_documents(base).exclude(current_parse=None).exclude(is_busy()).exclude(same)


def made_with(chosen: Mapping[str, Any]) -> Q:
    """Documents whose current parse was made with these settings."""
    same = Q()
    for name, value in chosen.items():
        is_named = Q(current_parse__settings__has_key=name)
        as_chosen = is_named & Q(**{f"current_parse__settings__{name}": value})
        if value == BaseSettings().to_json()[name]:  # a parse older than the setting has the default
            as_chosen |= ~is_named
        same &= as_chosen
    return same


def is_busy() -> Exists:
    return Exists(IngestJob.objects.filter(document=OuterRef("pk"), state__in=IngestJob.OPEN))


def filter_documents(documents: DocumentQuerySet, chosen: Mapping[str, str]) -> DocumentQuerySet:
    """The documents whose title, file name or text contains the words, filtered by state, kind of content and tag.

    By the type of their card, and by what is noted in one of the base's fields: none where the value cannot be read.
    `chosen` has those of PARTS that narrow.
    """
    q, state, toc, tag, type, field, value = (chosen.get(part, "") for part in PARTS)
    if type:
        documents = documents.filter(card__content__type=type)
    if field:
        documents = filter_by_field(documents, field, value)
    if tag:
        documents = documents.filter(tags__contains=[tag])
    if q:
        documents = documents.filter(Q(title__icontains=q) | Q(file_name__icontains=q) | Exists(passages_with(q)))
    if state == "ready":
        documents = documents.exclude(current_parse=None).exclude(is_busy())
    elif state == "busy":
        documents = documents.filter(is_busy())
    elif state == "needs":
        documents = documents.filter(state=Document.State.FAILED)
    if toc == "strong":
        documents = documents.filter(current_parse__toc_strength="strong")
    elif toc == "weak":
        documents = documents.filter(current_parse__toc_strength__in=("weak", "none"))
    return documents


def filter_by_field(documents: DocumentQuerySet, field: str, value: str) -> DocumentQuerySet:
    found = MetadataField.objects.filter(pk=int(field)).first() if ID.fullmatch(field) else None
    if found is None:
        return documents.none()
    try:
        return narrow(documents, found, value)
    except MetadataError:
        return documents.none()


def sort_documents(documents: DocumentQuerySet, sort: str) -> DocumentQuerySet:
    """The documents by one of SORTS, descending with "-"; newest first for anything else."""
    name = sort.removeprefix("-")
    if name not in SORTS:
        sort, name = DEFAULT_SORT, DEFAULT_SORT.removeprefix("-")
    key = SORTS[name]
    place = key.desc(nulls_last=True) if sort.startswith("-") else key.asc(nulls_last=True)
    return documents.order_by(place, "-created_at", "pk")


def passages_with(q: str) -> "QuerySet[Passage]":
    query = SearchQuery(full_text_form(q), config=F("parse__search_config"), search_type="websearch")
    return Passage.objects.filter(parse=OuterRef("current_parse"), search=query)


def build_rows(documents: Sequence[Document]) -> list[DocumentRow]:
    """The rows of documents in their order, in three queries however many there are."""
    newest: dict[object, IngestJob] = {}
    for job in IngestJob.objects.filter(document__in=documents).order_by("created_at"):
        newest[job.document_id] = job
    counts = dict(
        Document.objects.filter(pk__in=[document.pk for document in documents])
        .annotate(entries=Count("current_parse__toc_entries", filter=~Q(current_parse__toc_entries__origin="front")))
        .values_list("pk", "entries")
    )
    return [row_of_document(document, newest.get(document.pk), counts.get(document.pk, 0)) for document in documents]


def row_of_document(document: Document, job: IngestJob | None, toc_entries: int) -> DocumentRow:
    parse = document.current_parse
    bars = STRENGTHS.get(parse.toc_strength, 0) if parse else 0
    return DocumentRow(
        document=document,
        job=job,
        situation=situation_of(document, job),
        toc_entries=toc_entries,
        toc_bars=tuple(place < bars for place in range(STRENGTH_BARS)),
        toc_words=toc_words(document),
        pages=parse.page_count if parse else None,
        text=text_words(document),
        type=type_words(document),
        is_fresh=parse is not None and parse.created_at > timezone.now() - FRESH_FOR,
    )


def toc_words(document: Document) -> str:
    parse = document.current_parse
    if parse is None:
        return "" if document.state == Document.State.FAILED else gettext("after reading")
    if parse.toc_strength == "none":
        return gettext("none found")
    return f"{ORIGINS.get(parse.toc_origin, parse.toc_origin)}, {STRENGTH_WORDS[parse.toc_strength]}"


def text_words(document: Document) -> str:
    parse = document.current_parse
    if parse is None:
        return "–"
    missing = len(parse.unreadable_pages)
    if not missing:
        return gettext("all pages")
    return gettext("%(part)s of %(all)s") % {"part": parse.page_count - missing, "all": parse.page_count}


# ---- the state in words


def situation_of(document: Document, job: IngestJob | None) -> Situation:
    if job and job.state in IngestJob.OPEN:
        return busy(document, job)
    if document.current_parse is None:
        return describe_failed_job(job)
    return ready(document, job)


def busy(document: Document, job: IngestJob) -> Situation:
    note = "" if document.current_parse_id is None else gettext("It can be asked already.")
    if job.cancel_requested:
        return Situation("busy", gettext("Stopping"), note, poll_s=POLL_RUNNING_S)
    percent = job.percent
    if job.state == IngestJob.State.QUEUED:
        words = WAITING.get(job.stage) or gettext("Waiting to be read")
        between_turns = None if job.attempts else percent
        said = f"{attempt_words(job)} {note}".strip()
        return Situation("busy", str(words), said, between_turns, poll_s=POLL_WAITING_S)
    return Situation("busy", progress_words(job), f"{since_words(job)} {note}".strip(), percent, poll_s=POLL_RUNNING_S)


def since_words(job: IngestJob) -> str:
    """How long the work on a document has taken so far."""
    if job.started_at is None:
        return ""
    seconds = max(int((timezone.now() - job.started_at).total_seconds()), 0)
    if seconds < 2 * MINUTE_S:
        return gettext("Begun %(seconds)s s ago.") % {"seconds": seconds}
    return gettext("Begun %(minutes)s min ago.") % {"minutes": seconds // MINUTE_S}


def attempt_words(job: IngestJob) -> str:
    told = {"number": job.attempts + 1, "of": settings.ATTEMPTS_MAX}
    return gettext("Attempt %(number)s of %(of)s.") % told if job.attempts else ""


def progress_words(job: IngestJob) -> str:
    if job.stage in PROGRESS and job.total_count:
        return str(PROGRESS[job.stage]) % {"done": job.done_count, "of": job.total_count}
    is_embedding = job.stage == IngestJob.Stage.EMBED
    return str(LATER_STAGES[job.stage]) if is_embedding else job.get_stage_display()


def describe_failed_job(job: IngestJob | None) -> Situation:
    if job is None or job.state == IngestJob.State.CANCELLED:
        return Situation("fail", gettext("Stopped"), gettext("It was stopped before it was read."), can_retry=True)
    asks = awaits_password(job)
    words = gettext("Locked") if asks else gettext("Failed")
    return Situation("fail", words, translate_sentence(job.error_for_people), can_retry=not asks, asks_password=asks)


def ready(document: Document, job: IngestJob | None) -> Situation:
    """Ready, with what an asker must know first: unsearchable pages, then a later stage that failed."""
    parse = document.current_parse
    assert parse is not None
    if parse.unreadable_pages:
        count = len(parse.unreadable_pages)
        note = ngettext(
            "%(count)s of %(of)s pages has no text; questions find nothing there.",
            "%(count)s of %(of)s pages have no text; questions find nothing there.",
            count,
        )
        return Situation("warn", gettext("Ready in part"), note % {"count": count, "of": parse.page_count})
    if job and job.state == IngestJob.State.FAILED:
        what = LATER_STAGES.get(job.stage) or gettext("Reading it again")
        told = {"what": what, "why": translate_sentence(job.error_for_people)}
        return Situation("warn", gettext("Ready"), gettext("%(what)s failed: %(why)s") % told, can_retry=True)
    loud = [warning for warning in parse.warnings if warning.partition("(")[0] in LOUD]
    if loud:
        return Situation("warn", gettext("Ready"), explain_warning(loud[0]))
    return Situation("ok", gettext("Ready"))


def summary_of(base: KnowledgeBase) -> Summary:
    documents = base.documents.living()
    figures = documents.aggregate(
        documents=Count("pk"),
        pages=Sum("current_parse__page_count"),
        askable=Count("current_parse"),
        failed=Count("pk", filter=Q(state=Document.State.FAILED)),
    )
    return Summary(
        documents=figures["documents"],
        pages=figures["pages"] or 0,
        askable=figures["askable"],
        ready=documents.exclude(current_parse=None).exclude(is_busy()).count(),
        busy=documents.filter(is_busy()).count(),
        needs=figures["failed"],
    )
