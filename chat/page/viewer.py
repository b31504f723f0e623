"""The cited page beside the answer: the open citation highlighted, the turn's others outlined."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from chat.answer_record import citation_of
from chat.drafts import Quoted
from chat.models import Citation, Turn
from documents.models import Document, Page, Parse, Viewer
from documents.pages.page_view import read_page_lines
from documents.pages.sheet import Mark, Sheet, build_sheet
from documents.storage.uploads import PDF
from retrieval.models import RunCandidate

QUOTE_IN_ADDRESS = 600  # characters: far below what every proxy accepts
DELETED = gettext_lazy(
    "The document has been deleted, so its page can no longer be shown. The quote is kept as it was read."
)
NOT_KEPT = gettext_lazy(
    "The reading of the document this quote comes from is no longer kept. The quote stays as it was read."
)


@dataclass(frozen=True)
class PaneLink:
    """The address of a citation or refused passage: as a page of its own, and as the pane alone."""

    turn: Turn
    number: int  # the marker, or the position of a refused passage
    is_refused: bool = False

    @property
    def url(self) -> str:
        query = urlencode({"turn": self.turn.pk, "near" if self.is_refused else "cite": self.number})
        return f"{reverse('chat:conversation', args=[self.turn.conversation_id])}?{query}#page"

    @property
    def pane_url(self) -> str:
        name = "chat:near" if self.is_refused else "chat:page"
        return reverse(name, args=[self.turn.pk, self.number])


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


def cited_page(turn: Turn, marker: int, user: Viewer) -> CitedPage | None:
    """The page of a turn's citation, for a person who may read the turn; None if there is no such citation."""
    citations = list(Citation.objects.filter(answer__turn=turn).select_related("candidate").order_by("marker"))
    links = [PaneLink(turn, citation.marker) for citation in citations]
    for index, citation in enumerate(citations):
        if citation.marker == marker:
            sheet, absence = sheet_of_citation(citation, citations, user)
            before, after = links[:index], links[index + 1 :]
            return CitedPage(
                turn, citation, str(marker), sheet, absence, before[-1] if before else None, after[0] if after else None
            )
    return None


def refused_page(turn: Turn, position: int, user: Viewer) -> CitedPage | None:
    """The page of an uncited passage, by its position in the arbiter's order; None if there is none."""
    candidate = RunCandidate.objects.filter(run__turn=turn, position=position).first()
    if candidate is None:
        return None
    citation = citation_of(Quoted(position, candidate, candidate.content_anchor or candidate.anchor_text))
    sheet, absence = sheet_of_citation(citation, [citation], user, tag="?")
    return CitedPage(turn, citation, "?", sheet, absence, is_refused=True)


def sheet_of_citation(
    opened: Citation, citations: list[Citation], user: Viewer, *, tag: str = ""
) -> tuple[Sheet | None, str]:
    """The sheet, or the sentence that says why there is none. The record of the quote exists either way."""
    candidate = opened.candidate
    document = Document.objects.visible_to(user).filter(pk=candidate.document_id).first()
    if document is None or document.trashed_at:
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
            Mark("anchor" if other is opened else "other", other.boxes, tag or str(other.marker))
            for other in same_document
        ],
        lines=read_page_lines(parse, page.number),
        image=document.media_type == PDF,
        page_count=parse.page_count,
    )
    return sheet, ""
