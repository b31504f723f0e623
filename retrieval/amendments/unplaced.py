"""Changes that an amendment makes in words that name no clause: "The monthly rent is increased to 1,395".

What they change cannot be placed, so that nothing is marked as replaced. Where one speaks of what was asked and found,
nobody can say which holds.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from documents.storage.content import DocumentContent, kept_with_content
from reading.matching import match_form
from retrieval.amendments.sentences import UNQUOTED, Sentence, find_change, is_possible, read_changes, sentences_said
from retrieval.amendments.versions import Versions
from retrieval.candidates.units import prose_of, units_of
from retrieval.question.phrasing import phrasing_rules
from retrieval.told.clauses import Clause, join_clauses
from retrieval.told.reasons import give_clause
from retrieval.types import LineRange, Question, Settled
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words, stem


class Amending(NamedTuple):
    """What amends which document by its id, the versions that it makes, and what was read."""

    by_document: Mapping[str, Collection[str]]
    versions: Sequence[Versions]
    content_of: Mapping[str, DocumentContent]


def changed_elsewhere(question: Question, settled: Sequence[Settled], amending: Amending, *, is_read: bool) -> Clause:
    """Which documents change what a primary passage says without naming a clause; empty where none does.

    `is_read` is whether a model judged, which has read the changes that were put before it.
    """
    reasons: dict[str, Clause] = {}
    for each in settled:
        keys = amending.by_document.get(each.document_id, ()) if each.verdict.role == "primary" else ()
        for other in filter(None, map(amending.content_of.get, keys)):
            seen = [one.anchor for one in settled if is_read and one.document_id == other.document_id]
            if is_changed_elsewhere(question, each, other, amending.versions, seen):
                title = each.brief.document_title
                reasons[other.document_id] = give_clause("amends too", amending=other.title, title=title)
    return join_clauses(reasons.values(), "; ")


def is_changed_elsewhere(
    question: Question,
    found: Settled,
    amending: DocumentContent,
    versions: Sequence[Versions],
    read: Sequence[LineRange],
) -> bool:
    """Whether an amendment changes what was asked and found in words that name no clause, other than those `read`."""
    language = amending.language
    asked = {
        stem(word, language)
        for word in normalise_words(question.topic)
        if not is_stop_word(word, language) and not is_generic(word, language)
    }
    text = match_form(found.quote.text or found.own_text)
    wanted = asked & stem_set(text, language)
    placed = [
        each.lines for of_clause in versions for each in of_clause.each if each.document_id == amending.document_id
    ]
    return any(
        (wanted and wanted <= stems) or any(old in text for old in replaced)
        for lines, stems, is_beside, replaced in changes_told(amending)
        if not any(lines.overlaps(other) for other in (*(() if is_beside else placed), *read))
    )


@kept_with_content
def changes_told(content: DocumentContent) -> tuple[tuple[LineRange, frozenset[str], bool, Sequence[str]], ...]:
    """The sentences of a document that say that something is changed, the stems of their words (of one that says it of
    "it" those of the sentence before as well), whether it names no clause beside a sentence that does, and the words of
    a clause that it changes.
    """
    units = units_of(content)
    told = []
    for unit in map(units.at, range(len(units.starts))):
        prose = prose_of(unit, content, in_force=True)
        sentences = [*sentences_said(prose.text, content.language)]
        changes = {at: read_changes(said.text, content.language) for at, (_, said) in enumerate(sentences)}
        placing = [at for at, read in changes.items() if read]
        is_new_text = any(UNQUOTED.search(sentences[at][1].masked) for at in placing)
        for at, (start, said) in enumerate(sentences):
            if is_change(said):
                end = start + len(said.text)
                pieces = prose.pieces(start, end)
                begin = sentences[max(at - 1, 0)][0] if leans_on_before(said, content.language) else start
                stems = stem_set(prose.text[begin:end], content.language)
                lines = LineRange(pieces[0].number, pieces[-1].number)
                replaced = [match_form(change.old) for change in changes[at] if change.old]
                told.append((lines, stems, bool(placing) and not is_new_text and at not in placing, replaced))
    return tuple(told)


def leans_on_before(said: Sentence, language: str) -> bool:
    """Whether what a sentence changes is "it": right before the verb, or right behind its first word."""
    altered = said.words["altered"].search(said.masked)
    near = [*said.masked[: altered.start()].split()[-1:], *altered[0].split()[:2]] if altered else []
    return phrasing_rules().in_language("leaning", language).search(match_form(" ".join(near))) is not None


def is_change(said: Sentence) -> bool:
    """Whether a sentence says that something is changed, not that it may be or is not."""
    altered = said.words["altered"].search(said.masked)
    return (altered is not None and not is_possible(said, altered.end())) or find_change(said) is not None


def stem_set(text: str, language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in normalise_words(text))
