"""Pages that were read badly and that an answer rests on, or that may hold what it lacks: another reading (R83).

What is known of them is stored with the answer; what can be done is told from how they stand now.

An answer that rests on flagged pages without the heavier reading, or that lacks something where such pages are in its
scope, says so. Who may write in the base has exactly these pages read by a job of their document
(`documents.ingestion.rereading`), and the question is asked again; what the reading found before, in vain, or cannot do
for want of a library is said instead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, islice
from typing import Any, Literal, TypedDict
from uuid import UUID

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from accounts.models import User
from chat.answer_record import PAGE_NOTICE
from chat.models import Answer, PageNotice, Turn
from documents.access import WRITE, get_base
from documents.ingestion.queueing import queue_again
from documents.ingestion.rereading import PageState, flagged_pages
from documents.models import Document, IngestJob, Parse
from retrieval.filters import Filters
from retrieval.types import KEPT_ROLES, UNANSWERED

PAGES_MAX = 40  # of one answer: with text recognition about eight minutes
DOCUMENTS_MAX = 20  # that are looked at: a full search may have read thousands
WAITING = (IngestJob.State.QUEUED, IngestJob.State.RUNNING)
Why = PageNotice.Why
# As documents.ingestion.rereading.PageState, with what became of a page since: being read, or read again.
NoticedState = Literal["open", "not_installed", "tried", "reading", "read", "busy", "gone"]


class StoredPage(TypedDict):
    """A flagged page as it is stored with the notice."""

    document: str
    title: str
    parse: str
    number: int
    label: str
    flags: list[str]
    state: PageState


# ---- with the answer


def store_page_notice(answer: Answer) -> PageNotice | None:
    """Store which flagged pages an answer rests on or failed with, in the caller's transaction; None without any."""
    why = Why.LACKS if answer.kind in UNANSWERED or answer.is_partial else Why.RESTS
    if answer.kind == Answer.Kind.CLARIFICATION:
        return None
    with transaction.atomic():
        pages = list(islice(find_pages(answer, why), PAGES_MAX))
        if not pages:
            return None
        notice = PageNotice.objects.create(answer=answer, why=why, pages=pages, created_at=timezone.now())
        PAGE_NOTICE.vouch(notice.pk)
    return notice


def find_pages(answer: Answer, why: str) -> Iterator[StoredPage]:
    """The pages as they are stored: those of kept passages, and of an answer that lacks something all of its scope.

    Pages with passages come first; what a heavier reading has added to already is read as well as it can be.
    """
    shown = pages_of_candidates(answer, in_full=why == Why.LACKS)
    narrowed = set(Filters.from_json(answer.run.settings.get("filters", {})).pages)
    for document, parse in documents_read(answer, shown):
        own = shown.get(document.pk, [])
        if why == Why.RESTS and not own:
            continue
        pages = flagged_pages(document, parse, own if why == Why.RESTS else narrowed)
        open_first = sorted(pages, key=lambda page: (page.number not in own, page.number))
        for page in open_first:
            if page.state != "added":
                yield {
                    "document": str(document.pk),
                    "title": document.title,
                    "parse": str(parse.pk),
                    "number": page.number,
                    "label": page.label or str(page.number),
                    "flags": list(page.flags),
                    "state": page.state,
                }


def pages_of_candidates(answer: Answer, *, in_full: bool) -> dict[UUID, list[int]]:
    """By document, the pages of the passages that were kept; in full also of those that were refused."""
    found: dict[UUID, list[int]] = {}
    for row in answer.run.candidates.order_by("position").defer("context_text", "brief"):
        if in_full or row.role in KEPT_ROLES:
            numbers = range(row.anchor_first_page, row.anchor_last_page + 1)
            found.setdefault(row.document_id, []).extend(numbers)
    return found


def documents_read(answer: Answer, shown: Mapping[UUID, Any]) -> list[tuple[Document, Parse]]:
    """The documents that were read line by line, in the reading the run saw, those with passages first."""
    rows = list(answer.run.documents.filter(state="read").order_by("position").values_list("document_id", "parse_id"))
    first = sorted(rows, key=lambda row: row[0] not in shown)[:DOCUMENTS_MAX]
    documents = Document.objects.in_bulk([document_id for document_id, _ in first])
    parses = Parse.objects.in_bulk([parse_id for _, parse_id in first])
    return [(documents[one], parses[two]) for one, two in first if one in documents and two in parses]


# ---- as it stands now


@dataclass(frozen=True)
class NoticedPage:
    """A noticed page as it stands now, in the names that programs are told."""

    document_id: str
    document: str
    page: int
    page_label: str
    flags: tuple[str, ...]
    state: NoticedState


@dataclass(frozen=True)
class NoticeStanding:
    why: str
    pages: tuple[NoticedPage, ...]
    failure: str = ""  # of the last attempt, for people

    def of(self, *states: NoticedState) -> list[NoticedPage]:
        return [page for page in self.pages if page.state in states]

    @property
    def is_reading(self) -> bool:
        return bool(self.of("reading"))

    @property
    def is_ready(self) -> bool:
        """Whether asking again would see another reading, and nothing is under way any more."""
        return bool(self.of("read")) and not self.is_reading


def standings_of_notices(notices: Sequence[PageNotice]) -> dict[UUID, NoticeStanding]:
    """How the pages of notices stand, by the id of each, in a few queries for each document."""
    numbers: dict[UUID, set[int]] = {}
    for page in (page for notice in notices for page in notice.pages):
        numbers.setdefault(UUID(page["document"]), set()).add(page["number"])
    documents = Document.objects.living().select_related("current_parse").in_bulk(numbers)
    jobs: dict[UUID, IngestJob] = {}
    for job in IngestJob.objects.filter(document__in=documents).order_by("created_at"):
        jobs[job.document_id] = job
    now = {
        document.pk: {page.number: page.state for page in flagged_pages(document, document.current_parse, numbers[pk])}
        for pk, document in documents.items()
        if document.current_parse
    }
    return {notice.pk: stand(notice, documents, now, jobs) for notice in notices}


def noticed_page(page: StoredPage, state: NoticedState) -> NoticedPage:
    label = page["label"] or str(page["number"])  # stored without it by earlier versions
    return NoticedPage(page["document"], page["title"], page["number"], label, tuple(page["flags"]), state)


def stand(
    notice: PageNotice,
    documents: Mapping[UUID, Document],
    now: Mapping[UUID, Mapping[int, PageState]],
    jobs: Mapping[UUID, IngestJob],
) -> NoticeStanding:
    """How one notice stands; `now` has the state of each page that is flagged in the current readings."""
    pages: list[NoticedPage] = []
    failures: list[str] = []
    for document_id, group in by_document(notice.pages):
        stored = list(group)
        document, job = documents.get(document_id), jobs.get(document_id)
        working = job if job and job.state in WAITING else None
        states = [state_now(page, document, now.get(document_id, {}), working) for page in stored]
        pages += [noticed_page(page, state) for page, state in zip(stored, states, strict=True)]
        if job and job.pages and job.state == IngestJob.State.FAILED and "open" in states:
            failures.append(job.error_for_people)
    return NoticeStanding(notice.why, tuple(pages), next(iter(failures), ""))


def by_document(pages: Iterable[StoredPage]) -> Iterator[tuple[UUID, Iterable[StoredPage]]]:
    return groupby(pages, key=lambda page: UUID(page["document"]))


def state_now(
    page: StoredPage, document: Document | None, now: Mapping[int, PageState], job: IngestJob | None
) -> NoticedState:
    """The state of a stored page; `job` is the open one of its document. A page that is flagged no more was read."""
    if document is None or document.current_parse is None:
        return "gone"
    state = now.get(page["number"], "added")
    if state == "added":
        return "read" if str(document.current_parse_id) != page["parse"] else "tried"
    if job and state == "open":
        return "reading" if page["number"] in job.pages else "busy"
    return state


# ---- on demand


def order_reading(user: User, turn: Turn) -> list[IngestJob]:
    """The jobs that read the noticed pages of an answer again, and no others: one for each document.

    None for a document that is being worked on, nor where nothing more can be done. Raises Http404 if the person may
    not change the documents of the base, or the answer has no notice.
    """
    get_base(user, turn.conversation.base_id, *WRITE)
    notice = PageNotice.objects.filter(answer__turn=turn).first()
    if notice is None:
        raise Http404("There is nothing to read again.")
    standing = standings_of_notices([notice])[notice.pk]
    numbers: dict[UUID, list[int]] = {}
    for page in standing.of("open"):
        numbers.setdefault(UUID(page.document_id), []).append(page.page)
    documents = Document.objects.living().in_bulk(numbers)
    return [queue_again(document, IngestJob.Stage.RECOGNISE, numbers[pk]) for pk, document in documents.items()]


def notice_json(answer: Answer | None) -> dict[str, object] | None:
    """The badly read pages of an answer as they stand now, for programs; None without any."""
    notice: PageNotice | None = getattr(answer, "page_notice", None)
    if notice is None:
        return None
    standing = standings_of_notices([notice])[notice.pk]
    return {
        "why": standing.why,
        "is_reading": standing.is_reading,
        "is_ready": standing.is_ready,
        "failure": standing.failure or None,
        "pages": [asdict(page) | {"flags": list(page.flags)} for page in standing.pages],
    }
