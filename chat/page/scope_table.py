"""The documents of a run's scope as pages show them: one line of figures, and the list behind it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, QuerySet, When
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from chat.scope import chosen_names
from chat.writing.phrases import count_in_words
from documents.models import Document
from documents.storage.content import DocumentSnapshot
from retrieval.models import RetrievalRun, RunDocument
from retrieval.told.columns import StoredCoverage
from retrieval.told.outcomes import as_judged

ROWS_MAX = 200  # of a trail; the file has them all
CARD_ROWS_MAX = 20  # of an answer, beside which there are others
STATE_WORDS = {
    "read": gettext_lazy("read line by line"),
    "counted": gettext_lazy("searched for words"),
    "unreadable": gettext_lazy("not read"),  # it failed, or is still being read: the reason is told beside it
    "unsearched": gettext_lazy("not searched"),
}
STATE_KINDS = {"read": "ok", "counted": "info", "unreadable": "warn", "unsearched": "info"}
SCORE_NAMES = {
    "words_score": gettext_lazy("words"),
    "meaning_score": gettext_lazy("meaning"),
    "name_score": gettext_lazy("name"),
    "fused_score": gettext_lazy("together"),
}
FINDINGS = ("found", "weak", "not_found", "cannot_tell")  # what a document that was searched on its own may say
# First what answers on its own, then what nobody could look at, then what was read, each by its rank.
ORDER = Case(
    When(finding__status="found", then=0),
    When(state="unreadable", then=1),
    When(finding__status="weak", then=2),
    When(state="read", then=3),
    default=4,
)


@dataclass(frozen=True)
class ScopeRow:
    """A document of the scope: as it was, what was done with it, and what has become of it."""

    document_id: str
    title: str
    sha256: str
    parse_number: int | None
    pages: str  # with text, of all
    kind: str
    state: str
    fate: str  # "" while it lives
    is_replaced: bool = False  # by a newer version, since
    reason: str = ""
    rank: str = ""
    scores: str = ""
    words: str = ""
    finding: str = ""  # the outcome of a search of it alone; "" where there was none
    quote: str = ""
    page: int | None = None


@dataclass(frozen=True)
class ScopeTable:
    """What pages show of a scope; `more` documents are on none."""

    summary: str
    rows: tuple[ScopeRow, ...]
    more: int
    chosen: str = ""  # the documents a question was asked of whose run got nowhere, and so lists none

    @property
    def total(self) -> int:
        return len(self.rows) + self.more


def describe_scope(coverage: StoredCoverage) -> str:
    """How many documents the scope has, and how many of them were read, searched for words, or neither."""
    if "read" not in coverage:
        return ""
    read, counted, unreadable = coverage["read"], coverage["counted"], coverage["unreadable_documents"]
    unsearched = coverage["documents"] - read - counted - unreadable
    parts = []
    if coverage.get("alone"):
        words = ngettext("%(count)s searched one by one", "%(count)s searched one by one", read)
        parts.append(words % {"count": read})
    elif read or not unsearched:
        parts.append(ngettext("%(count)s read", "%(count)s read", read) % {"count": read})
    if counted:
        parts.append(
            ngettext("%(count)s searched for words", "%(count)s searched for words", counted) % {"count": counted}
        )
    if unreadable:
        words = ngettext("%(count)s not read", "%(count)s not read", unreadable)
        parts.append(words % {"count": unreadable})
    if unsearched:
        parts.append(ngettext("%(count)s not searched", "%(count)s not searched", unsearched) % {"count": unsearched})
    return gettext("%(documents)s: %(parts)s") % {
        "documents": count_in_words(coverage["documents"], "document"),
        "parts": ", ".join(parts),
    }


def rows_in_order(documents: "QuerySet[RunDocument]") -> "QuerySet[RunDocument]":
    """As a page lists them, with what has become of each document: `is_there`, `is_trashed`, `is_replaced`."""
    now = Document.objects.filter(pk=OuterRef("document_id"))
    fates = {
        "is_there": Exists(now),
        "is_trashed": Exists(now.exclude(trashed_at=None)),
        "is_replaced": Exists(now.filter(trashed_at=None).exclude(replaced_at=None)),
    }
    surest = F("finding__confidence").desc(nulls_last=True)
    return documents.annotate(**fates).order_by(ORDER, surest, F("rank").asc(nulls_last=True), "position")


def scope_table(run: RetrievalRun) -> ScopeTable:
    """The documents of a run, at most ROWS_MAX of them; of an older run those it read, for it lists no others."""
    if "read" in run.coverage:
        return scope_table_of(run.coverage, rows_in_order(run.documents.all())[:ROWS_MAX])
    now = {
        str(document.pk): document
        for document in Document.objects.filter(pk__in=[seen["document_id"] for seen in run.scope])
    }
    rows = tuple(row_of_snapshot(seen, now.get(seen["document_id"])) for seen in run.scope)
    chosen = "" if rows else chosen_names([run.pk]).get(run.pk, "")
    return ScopeTable(count_in_words(len(rows), "document"), rows, 0, chosen)


def scope_table_of(coverage: StoredCoverage, documents: Iterable[RunDocument]) -> ScopeTable:
    """These documents of a run; how many more it has, its coverage knows."""
    rows = tuple(map(row_of, documents))
    return ScopeTable(describe_scope(coverage), rows, max(coverage["documents"] - len(rows), 0))


def row_of(document: Any) -> ScopeRow:
    """A row of `rows_in_order`."""
    finding = document.finding or {}
    scores = [(words, getattr(document, name)) for name, words in SCORE_NAMES.items()]
    pages = {"part": document.pages_with_text, "all": document.pages}
    return ScopeRow(
        document_id=str(document.document_id),
        title=document.title,
        sha256=document.sha256,
        parse_number=document.parse_number,
        pages="" if document.pages is None else gettext("%(part)s of %(all)s") % pages,
        kind=STATE_KINDS[document.state],
        state=str(STATE_WORDS[document.state]),
        reason=gettext(document.reason) if document.reason else "",
        rank=gettext("%(rank)s of %(of)s") % {"rank": document.rank, "of": document.ranked} if document.rank else "",
        scores=" · ".join(f"{words} {number_format(round(score, 4))}" for words, score in scores if score is not None),
        words=", ".join(document.words),
        fate=fate_words(is_there=document.is_there, is_trashed=document.is_trashed),
        is_replaced=document.is_replaced,
        finding=as_judged(finding.get("status", ""), "rules"),  # each document alone is searched by rules
        quote=finding.get("quote", ""),
        page=finding.get("page"),
    )


def row_of_snapshot(seen: DocumentSnapshot, now: Document | None) -> ScopeRow:
    """A document that an older run read, as it was and as it is now."""
    return ScopeRow(
        document_id=seen["document_id"],
        title=seen["title"],
        sha256=seen["sha256"],
        parse_number=seen["parse_number"],
        pages=str(seen["pages"]),
        kind=STATE_KINDS["read"],
        state=str(STATE_WORDS["read"]),
        fate=fate_words(is_there=now is not None, is_trashed=now is not None and now.trashed_at is not None),
        is_replaced=now is not None and now.trashed_at is None and now.replaced_at is not None,
    )


def fate_words(*, is_there: bool, is_trashed: bool) -> str:
    """What has become of a document since; "" while it lives."""
    if not is_there:
        return gettext("document deleted")
    return gettext("in the trash") if is_trashed else ""
