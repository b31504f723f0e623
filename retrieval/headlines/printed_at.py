"""Whether the sentence that prints a value is about another thing than the one asked for (R54, R87).

A passage may answer a question and print, in another sentence, a value of the kind asked for.
"""

from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.candidates.units import Piece, units_of
from retrieval.headlines.choosing import SAID_KINDS, SentenceText, Spoken, mismatch_of, sentences_of_unit
from retrieval.question.called import without_called
from retrieval.types import LineRange, Question


def mismatch_at(lines: LineRange, printed: str, content: DocumentContent, question: Question) -> str:
    """Why the running text that prints a value on these lines is about another thing, or leaves it open; else ""."""
    if content.lines[lines.first - 1].kind not in SAID_KINDS:
        return ""
    unit, value = units_of(content).around(lines.first), match_form(printed)
    found = (each for each in sentences_of_unit(unit, content) if value in match_form(each.text))
    written = next(found, None) or whole_text(LineRange(unit.first, max(unit.last, lines.last)), content)
    return mismatch_of(Spoken(0, "", content, written.pieces, written.text), without_called(question))


def whole_text(lines: LineRange, content: DocumentContent) -> SentenceText:
    """The lines as one text: of a sentence too long to be said first."""
    legible = content.legible_lines(*lines)
    pieces = tuple(Piece(line.number, 0, len(line.text)) for line in legible)
    return SentenceText(pieces, " ".join(line.text for line in legible))
