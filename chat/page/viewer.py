"""The cited page beside the answer: the open citation highlighted, the turn's others outlined."""

from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from chat.answer_record import citation_of
from chat.drafts import Quoted
from chat.models import Citation, Turn
from chat.page.struck_quotes import strike_quote
from documents.models import Document, Page, Parse, Viewer
from documents.pages.page_view import read_page_lines, sheet_of_reading
from documents.pages.panels import Around
from documents.pages.sheet import Mark, Sheet
from retrieval.candidates.shown import LEFT_OUT
from retrieval.candidates.widening import SCOPES, Scope, Widened, read_widened
from retrieval.models import RunCandidate
from retrieval.types import LineRange

QUOTE_IN_ADDRESS = 600  # characters: far below what every proxy accepts
DELETED = gettext_lazy(
    "The document has been deleted, or may no longer be read by you, so its page cannot be shown. The quote is kept as "
    "it was read."
)
TRASHED = gettext_lazy(
    "The document is in the trash, so its page is not shown. Who may write in its base can put it back there. The "
    "quote is kept as it was read."
)
NOT_KEPT = gettext_lazy(
    "The reading of the document this quote comes from is no longer kept. The quote stays as it was read."
)

WIDTH_WORDS: dict[Scope, Promise] = {
    "line": pgettext_lazy("how much text", "Line"),
    "paragraph": pgettext_lazy("how much text", "Paragraph"),
    "section": pgettext_lazy("how much text", "Section"),
    "page": pgettext_lazy("how much text", "Page"),
}


@dataclass(frozen=True)
class PaneLink:
    """The address of a citation or refused passage: as a page of its own, and as the pane alone."""

    turn: Turn
    number: int  # the marker, or the position of a refused passage
    is_refused: bool = False
    wide: Scope | None = None  # how much of the text around it is shown
    page: int | None = None  # of its document, where that is not the page it stands on

    @property
    def url(self) -> str:
        query = {"turn": self.turn.pk, "near" if self.is_refused else "cite": self.number, **self._shown}
        return f"{reverse('chat:conversation', args=[self.turn.conversation_id])}?{urlencode(query)}#page"

    @property
    def pane_url(self) -> str:
        name = "chat:near" if self.is_refused else "chat:page"
        return reverse(name, args=[self.turn.pk, self.number], query=self._shown or None)

    @property
    def _shown(self) -> dict[str, str | int]:
        return {name: value for name, value in (("wide", self.wide), ("page", self.page)) if value}


class Width(NamedTuple):
    """One choice of how much text is shown around the anchor; the current one, chosen again, shows none."""

    scope: Scope
    words: str
    link: PaneLink
    is_current: bool


@dataclass(frozen=True)
class CitedPage:
    """The content of the pane. If the page is gone, `sheet` is None and `absence` says why."""

    turn: Turn
    citation: Citation
    tag: str
    sheet: Sheet | None
    absence: str
    previous: PaneLink | None = None
    following: PaneLink | None = None
    is_refused: bool = False
    widened: Widened | None = None

    @property
    def widths(self) -> list[Width]:
        """The choices of how much text is shown, where there is a page to show it beside."""
        if self.sheet is None:
            return []
        current = self.widened.scope if self.widened else None
        links = {scope: replace(self.link, wide=None if scope == current else scope) for scope in SCOPES}
        return [Width(scope, str(WIDTH_WORDS[scope]), link, scope == current) for scope, link in links.items()]

    @property
    def link(self) -> PaneLink:
        number = self.citation.candidate.position if self.is_refused else self.citation.marker
        return PaneLink(self.turn, number, self.is_refused, self.widened.scope if self.widened else None)

    @property
    def page_before(self) -> PaneLink | None:
        """The page before in the document; None at its beginning."""
        return self._turned_to(self.sheet.page_number - 1) if self.sheet else None

    @property
    def page_after(self) -> PaneLink | None:
        return self._turned_to(self.sheet.page_number + 1) if self.sheet else None

    def _turned_to(self, number: int) -> PaneLink | None:
        is_there = self.sheet is not None and 1 <= number <= self.sheet.page_count
        return replace(self.link, page=number) if is_there else None

    @property
    def around(self) -> Around:
        """The addresses of the panes whose sheets come before and after this one."""
        before, after = self.page_before, self.page_after
        return Around(before.pane_url if before else "", after.pane_url if after else "")

    @property
    def marker(self) -> int:
        """The open citation's marker; 0 for a refused passage."""
        return 0 if self.is_refused else self.citation.marker

    @property
    def document_title(self) -> str:
        return self.citation.candidate.document_title

    @property
    def shown_quote(self) -> str:
        return strike_quote(self.citation)

    @property
    def ask_url(self) -> str:
        """Where words selected on its pages are asked about: in this conversation, of this document."""
        address = reverse("chat:conversation", args=[self.turn.conversation_id])
        return f"{address}?{urlencode({'document': self.citation.candidate.document_id})}"

    @property
    def document_url(self) -> str:
        """The document's page in the parse that was asked, with the quote highlighted."""
        address = reverse("documents:document", args=[self.citation.candidate.document_id])
        query = {"page": str(self.citation.page)}
        if self.parse_number:
            query["parse"] = str(self.parse_number)
        return f"{address}?{urlencode(query | self._quote)}"

    @property
    def newer_url(self) -> str:
        """Where the words are looked for in the version that answers now; "" where the document answers itself."""
        document_id = self.citation.candidate.document_id
        if self.sheet is None or not Document.objects.filter(pk=document_id).exclude(replaced_at=None).exists():
            return ""
        return reverse("documents:newest", args=[document_id], query=self._quote or None)

    @property
    def _quote(self) -> dict[str, str]:
        own = self.citation.quote.split(LEFT_OUT)[-1]  # a lead-in that stands apart is not looked for with it
        return {"quote": " ".join(own.split())} if 0 < len(own) <= QUOTE_IN_ADDRESS else {}

    @property
    def parse_number(self) -> int | None:
        """The number of the parse the quote comes from, unless it is the current one or gone."""
        parse = Parse.objects.filter(pk=self.citation.candidate.parse_id).select_related("document").first()
        return parse.number if parse and parse.document.current_parse_id != parse.pk else None

    @property
    def lines(self) -> str:
        first, last = self.citation.first_line, self.citation.last_line
        if first == last:
            return gettext("line %(number)s") % {"number": first}
        return gettext("lines %(first)s\u2013%(last)s") % {"first": first, "last": last}


def cited_page(
    turn: Turn, marker: int, user: Viewer, wide: Scope | None = None, page: int | None = None
) -> CitedPage | None:
    """The page of a turn's citation, for a person who may read the turn; None if there is no such citation.

    `wide` is how much of the text around the quote is shown beside it, `page` another page of the same document.
    """
    citations = list(Citation.objects.filter(answer__turn=turn).select_related("candidate").order_by("marker"))
    links = [PaneLink(turn, citation.marker) for citation in citations]
    for index, citation in enumerate(citations):
        if citation.marker == marker:
            widened = widened_around(citation, user, wide)
            sheet, absence = sheet_of_citation(citation, citations, user, widened=widened, page=page)
            before, after = links[:index], links[index + 1 :]
            return CitedPage(
                turn,
                citation,
                str(marker),
                sheet,
                absence,
                before[-1] if before else None,
                after[0] if after else None,
                widened=widened,
            )
    return None


def refused_page(
    turn: Turn, position: int, user: Viewer, wide: Scope | None = None, page: int | None = None
) -> CitedPage | None:
    """The page of an uncited passage, by its position in the arbiter's order; None if there is none."""
    candidate = RunCandidate.objects.filter(run__turn=turn, position=position).first()
    if candidate is None:
        return None
    citation = citation_of(Quoted(position, candidate, candidate.content_anchor or candidate.anchor_text))
    widened = widened_around(citation, user, wide)
    sheet, absence = sheet_of_citation(citation, [citation], user, tag="?", widened=widened, page=page)
    return CitedPage(turn, citation, "?", sheet, absence, is_refused=True, widened=widened)


def living_document(citation: Citation, user: Viewer) -> Document | None:
    """The document of a citation, if the person may still see it and it is not in the trash."""
    documents = Document.objects.visible_to(user).filter(pk=citation.candidate.document_id)
    return documents.filter(trashed_at=None).first()


def widened_around(citation: Citation, user: Viewer, wide: Scope | None) -> Widened | None:
    """The text around the cited lines, out of the reading the answer was made from; None where none is asked for."""
    if wide is None or living_document(citation, user) is None:
        return None
    return read_widened(citation.candidate.parse_id, LineRange(citation.first_line, citation.last_line), wide)


def sheet_of_citation(
    opened: Citation,
    citations: list[Citation],
    user: Viewer,
    *,
    tag: str = "",
    widened: Widened | None = None,
    page: int | None = None,
) -> tuple[Sheet | None, str]:
    """The sheet, or the sentence that says why there is none. The record of the quote exists either way.

    A page that the reading does not have is taken for the page of the quote.
    """
    candidate = opened.candidate
    document = Document.objects.visible_to(user).filter(pk=candidate.document_id).first()
    if document is None or document.trashed_at:
        return None, str(TRASHED if document else DELETED)
    parse = Parse.objects.filter(pk=candidate.parse_id).first()
    pages = {found.number: found for found in Page.objects.filter(parse=parse, number__in=(opened.page, page or 0))}
    shown = pages.get(page or 0) or pages.get(opened.page)
    if parse is None or shown is None:
        return None, str(NOT_KEPT)
    same_document = [other for other in citations if other.candidate.document_id == candidate.document_id]
    marks = [Mark("context", list(widened.boxes))] if widened else []
    marks += [
        Mark("anchor" if other is opened else "other", other.boxes, tag or str(other.marker)) for other in same_document
    ]
    return sheet_of_reading(document, parse, shown, marks, read_page_lines(parse, shown.number)), ""
