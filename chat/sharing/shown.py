"""What a link shows: questions, answers with their quotes, and the pages cited. Nothing of it leads anywhere else."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from chat.models import Citation, Share
from chat.page.thread import ShownCitation, ShownTurn, attach_objections, with_rows
from chat.sharing.links import turns_shown
from chat.writing.phrases import cited_pages
from documents.models import Document, Page, Parse
from documents.pages.page_view import read_page_lines, sheet_of_reading
from documents.pages.sheet import Mark, Sheet
from documents.storage.uploads import PDF

ImageAddress = Callable[[UUID, int], str]


@dataclass(frozen=True)
class Below:
    """The address of a cited page further down."""

    url: str
    pane_url: str = ""


@dataclass(frozen=True)
class SharedPage:
    """A cited page as a picture with its quotes lit; without `sheet` the document or its reading is gone."""

    anchor: str
    title: str
    number: int
    sheet: Sheet | None


class SharedTurn(ShownTurn):
    """A turn whose citations lead to the pages below it."""

    def __init__(self, share: Share, turn: object, image: ImageAddress) -> None:
        super().__init__(turn)  # type: ignore[arg-type]
        self.share = share
        self.image = image

    @property
    def reader(self) -> None:
        """Nobody: a link shows that an answer was judged wrong, and not who said so or why."""
        return None

    @property
    def is_outside(self) -> bool:
        return self.share.is_outside

    def _shown(self, citation: Citation) -> ShownCitation:
        link = Below(f"#{self.anchor_of(citation.candidate.document_id, cited_pages(citation)[0])}")
        return replace(super()._shown(citation), link=link)  # type: ignore[arg-type]

    def anchor_of(self, document_id: UUID, number: int) -> str:
        return f"page-{self.turn.pk}-{document_id}-{number}"

    @property
    def pages(self) -> list[SharedPage]:
        """Each page that is cited, once, in the order of the citations."""
        citations = [shown.citation for shown in self.citations]
        places = dict.fromkeys(
            (each.candidate.document_id, each.candidate.parse_id, number)
            for each in citations
            for number in cited_pages(each)
        )
        living = living_documents(self.share, {document_id for document_id, _, _ in places})
        return [self._page(citations, living.get(place[0]), *place) for place in places]

    def _page(
        self, citations: list[Citation], document: Document | None, document_id: UUID, parse_id: UUID, number: int
    ) -> SharedPage:
        own = [each for each in citations if each.candidate.parse_id == parse_id]
        title = own[0].candidate.document_title
        sheet = sheet_of(document, parse_id, number, own, self.image) if document else None
        return SharedPage(self.anchor_of(document_id, number), title, number, sheet)


def shared_turns(share: Share, image: ImageAddress) -> list[SharedTurn]:
    """The turns of a link, ready for their template; `image` gives the address of a page's picture."""
    turns = [SharedTurn(share, turn, image) for turn in with_rows(turns_shown(share))]
    attach_objections(turns)
    return turns


def living_documents(share: Share, ids: Iterable[UUID]) -> dict[UUID, Document]:
    """Those documents that are still in the base of a link, and not in the trash."""
    found = Document.objects.filter(pk__in=ids, base_id=share.conversation.base_id, trashed_at=None)
    return {document.pk: document for document in found}


def sheet_of(
    document: Document, parse_id: UUID, number: int, citations: list[Citation], image: ImageAddress
) -> Sheet | None:
    parse = Parse.objects.filter(pk=parse_id, document=document).first()
    page = Page.objects.filter(parse=parse, number=number).first() if parse else None
    if parse is None or page is None:
        return None
    has_image = document.media_type == PDF
    marks = [Mark("anchor", each.boxes, str(each.marker)) for each in citations]
    lines = () if has_image else read_page_lines(parse, number)  # text that has no picture is drawn of its lines
    sheet = sheet_of_reading(document, parse, page, marks, lines)
    return replace(sheet, image_url=image(document.pk, number)) if has_image else sheet


def cited_document(share: Share, document_id: UUID, number: int) -> Document | None:
    citations = Citation.objects.filter(answer__turn__in=turns_shown(share), candidate__document_id=document_id)
    is_cited = any(number in cited_pages(each) for each in citations.only("boxes", "page"))
    return living_documents(share, [document_id]).get(document_id) if is_cited else None
