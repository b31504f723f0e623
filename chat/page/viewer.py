"""The cited page beside the answer: the open citation highlighted, the turn's others outlined."""

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from chat.answer_record import citation_of
from chat.drafts import Quoted
from chat.models import Citation, Turn
from documents.models import Document, Page, Parse, Viewer
from documents.pages.page_view import read_page_lines
from documents.pages.sheet import Mark, Sheet, build_sheet
from documents.storage.uploads import PDF
from retrieval.candidates.widening import SCOPES, Scope, Widened, read_widened
from retrieval.models import RunCandidate
from retrieval.types import LineRange

QUOTE_IN_ADDRESS = 600  # characters: far below what every proxy accepts
DELETED = gettext_lazy(
    "The document has been deleted, so its page can no longer be shown. The quote is kept as it was read."
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

    @property
    def url(self) -> str:
        query = {"turn": self.turn.pk, "near" if self.is_refused else "cite": self.number, **self._wide}
        return f"{reverse('chat:conversation', args=[self.turn.conversation_id])}?{urlencode(query)}#page"

    @property
    def pane_url(self) -> str:
        name = "chat:near" if self.is_refused else "chat:page"
        return reverse(name, args=[self.turn.pk, self.number], query=self._wide or None)

    @property
    def _wide(self) -> dict[str, str]:
        return {"wide": self.wide} if self.wide else {}


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
        number = self.citation.candidate.position if self.is_refused else self.citation.marker
        links = {
            scope: PaneLink(self.turn, number, self.is_refused, None if scope == current else scope) for scope in SCOPES
        }
        return [Width(scope, str(WIDTH_WORDS[scope]), link, scope == current) for scope, link in links.items()]

    @property
    def marker(self) -> int:
        """The open citation's marker; 0 for a refused passage."""
        return 0 if self.is_refused else self.citation.marker

    @property
    def document_title(self) -> str:
        return self.citation.candidate.document_title

    @property
    def document_url(self) -> str:
        """The document's page in the parse that was asked, with the quote highlighted."""
        address = reverse("documents:document", args=[self.citation.candidate.document_id])
        query = {"page": str(self.citation.page)}
        if self.parse_number:
            query["parse"] = str(self.parse_number)
        if self.citation.quote and len(self.citation.quote) <= QUOTE_IN_ADDRESS:
            query["quote"] = " ".join(self.citation.quote.split())
        return f"{address}?{urlencode(query)}"

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


def cited_page(turn: Turn, marker: int, user: Viewer, wide: Scope | None = None) -> CitedPage | None:
    """The page of a turn's citation, for a person who may read the turn; None if there is no such citation.

    `wide` is how much of the text around the quote is shown beside it.
    """
    citations = list(Citation.objects.filter(answer__turn=turn).select_related("candidate").order_by("marker"))
    links = [PaneLink(turn, citation.marker) for citation in citations]
    for index, citation in enumerate(citations):
        if citation.marker == marker:
            widened = widened_around(citation, user, wide)
            sheet, absence = sheet_of_citation(citation, citations, user, widened=widened)
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


def refused_page(turn: Turn, position: int, user: Viewer, wide: Scope | None = None) -> CitedPage | None:
    """The page of an uncited passage, by its position in the arbiter's order; None if there is none."""
    candidate = RunCandidate.objects.filter(run__turn=turn, position=position).first()
    if candidate is None:
        return None
    citation = citation_of(Quoted(position, candidate, candidate.content_anchor or candidate.anchor_text))
    widened = widened_around(citation, user, wide)
    sheet, absence = sheet_of_citation(citation, [citation], user, tag="?", widened=widened)
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
    opened: Citation, citations: list[Citation], user: Viewer, *, tag: str = "", widened: Widened | None = None
) -> tuple[Sheet | None, str]:
    """The sheet, or the sentence that says why there is none. The record of the quote exists either way."""
    candidate = opened.candidate
    document = living_document(opened, user)
    if document is None:
        return None, str(DELETED)
    parse = Parse.objects.filter(pk=candidate.parse_id).first()
    page = Page.objects.filter(parse=parse, number=opened.page).first()
    if parse is None or page is None:
        return None, str(NOT_KEPT)
    same_document = [other for other in citations if other.candidate.document_id == candidate.document_id]
    sheet = build_sheet(
        document_id=document.pk,
        page_number=page.number,
        page_label=page.label,
        width=page.width,
        height=page.height,
        marks=[
            *([Mark("context", list(widened.boxes))] if widened else []),
            *(
                Mark("anchor" if other is opened else "other", other.boxes, tag or str(other.marker))
                for other in same_document
            ),
        ],
        lines=read_page_lines(parse, page.number),
        image=document.media_type == PDF,
        page_count=parse.page_count,
    )
    return sheet, ""
