"""An answer before it is stored: its text, its quotes, and how it was made."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.checks import AnswerCheck, AskedItem
from chat.models import Answer
from chat.writing.writer import RefusedPart
from documents.storage.content import DocumentContent
from llm.exchange import Exchange
from reading.boxes import StoredBox
from reading.layout.amounts import has_unread_sign
from retrieval.models import RunCandidate


@dataclass(frozen=True)
class CitedLines:
    """The place of a quote outside the candidate's anchor: its lines and their boxes."""

    first_line: int
    last_line: int
    page: int
    page_label: str
    boxes: list[StoredBox]


def cite_lines(content: DocumentContent, first: int, last: int, pieces: Sequence[tuple[int, int, int]]) -> CitedLines:
    """The place of a quote of these lines, and of pieces of them: line number, start and end."""
    page = content.page(content.lines[first - 1].page_number)
    return CitedLines(first, last, page.number, page.called, [box.as_dict() for box in content.boxes_at(pieces)])


@dataclass(frozen=True)
class Quoted:
    """One marker of an answer and the literal text it cites; without a place, it is at the candidate's anchor."""

    marker: int
    candidate: RunCandidate
    quote: str
    place: CitedLines | None = None

    @property
    def has_unread_picture(self) -> bool:
        """Whether the quote stands in a picture or captions one (R85) in which nothing was read."""
        boxes = self.place.boxes if self.place else self.candidate.boxes
        return any(box.get("picture") == "not_read" for box in boxes)

    @property
    def has_unread_sign(self) -> bool:
        """Whether a sign before or behind a number of the quote could not be read."""
        return has_unread_sign(self.quote)


@dataclass(frozen=True)
class AnswerDraft:
    """An answer to show. `note` says in plain words why it is extractive, partial or without a model."""

    kind: Answer.Kind
    text: str
    note: str = ""
    ended: str = "complete"  # or stopped, failed
    quoted: tuple[Quoted, ...] = ()
    checks: list[AnswerCheck] = field(default_factory=list)
    exchange: Exchange | None = None
    others: tuple[Exchange, ...] = ()  # with the model: of a first draft, and of each check against the quotes
    items: list[AskedItem] = field(default_factory=list)  # what it gives for each thing that was asked
    refused: tuple[RefusedPart, ...] = ()  # what the model that wrote it did not find
