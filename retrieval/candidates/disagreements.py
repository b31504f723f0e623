"""Kept passages of one document that give another value in the same words, found by rules (R50).

Two sentences disagree if they have the same words of meaning and the same figures, but for one value of the type that
is asked for. This is looked at whoever judged; what is worded otherwise only a model can find.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from documents.storage.content import DocumentContent
from retrieval.candidates.sentences import PROSE, run_around
from retrieval.candidates.units import SENTENCE, prose_of, split_at
from retrieval.types import KEPT_ROLES, Contradiction, LineRange, Question, Settled
from retrieval.words.printed import Value, amounts_in, dates_in, durations_in, percentages_in
from retrieval.words.tokens import is_stop_word, normalise_words, stem

READERS = {"amount": amounts_in, "percentage": percentages_in, "date": dates_in, "duration": durations_in}
# Compared where the question asks for no value; with another date a sentence more often tells of another day.
USUAL = ("amount", "percentage", "duration")
WORDS_MIN = 2  # of meaning; with fewer it is a label
FOUND_MAX = 5  # of one question; more are entries of a list
DIGIT = re.compile(r"\d")


class Statement(NamedTuple):
    """A sentence: its words of meaning, the figures that are no value, and its values by type, in reading order."""

    words: frozenset[str]
    figures: frozenset[str]
    values: dict[str, list[tuple[Value, str]]]


def find_disagreements(
    question: Question, candidates: Sequence[Settled], contents: Sequence[DocumentContent]
) -> tuple[Contradiction, ...]:
    """The pairs of kept candidates of one document that give different values, in the order of the candidates."""
    content_of = {content.document_id: content for content in contents}
    kept = [each for each in candidates if each.verdict.role in KEPT_ROLES]
    said = {each.candidate_id: list(read_statements(each, content_of[each.document_id])) for each in kept}
    compared = (question.answer_type,) if question.answer_type in READERS else USUAL
    found: list[Contradiction] = []
    for one, other in combinations(kept, 2):
        if one.document_id != other.document_id:
            continue
        ids = (one.candidate_id, other.candidate_id)
        if values := differing_values(said[ids[0]], said[ids[1]], compared):
            found.append(Contradiction(ids, f"the same words with another value: {' / '.join(values)}", values))
    return tuple(found) if len(found) <= FOUND_MAX else ()


def read_statements(candidate: Settled, content: DocumentContent) -> Iterator[Statement]:
    """The sentences of prose that a candidate quotes, else those of its anchor, that have a value."""
    quoted = [piece.line_number for piece in candidate.quote.pieces] or [*candidate.anchor]
    lines = LineRange(min(quoted), max(quoted))
    first = next((line.number for line in content.legible_lines(*lines) if line.kind in PROSE), None)
    if first is None:
        return
    prose = prose_of(run_around(first, content), content)
    begin, end = prose.stretch(lines)
    for at, until in split_at(prose.text, SENTENCE):
        if at < end and begin < until:
            statement = read_statement(prose.text[at:until], content.language)
            if statement.values and len(statement.words) >= WORDS_MIN:
                yield statement


def read_statement(sentence: str, language: str) -> Statement:
    """The parts of a sentence; a value inside another, as the days of a date, is none."""
    read = [(value, name) for name, values_in in READERS.items() for value in values_in(sentence)]
    values: dict[str, list[tuple[Value, str]]] = {}
    rest, done = "", 0
    for value, name in sorted(read, key=lambda each: (each[0].start, -each[0].end)):
        if value.start >= done:
            values.setdefault(name, []).append((value, sentence[value.start : value.end]))
            rest += sentence[done : value.start] + " "
            done = value.end
    words = normalise_words(rest + sentence[done:])
    figures = frozenset(word for word in words if DIGIT.search(word))
    meant = frozenset(stem(word, language) for word in words if not is_stop_word(word, language))
    return Statement(meant - figures, figures, values)


def differing_values(
    some: Sequence[Statement], others: Sequence[Statement], compared: Sequence[str]
) -> tuple[str, str] | None:
    """The two values as printed, of the first two sentences that say the same but for these; else None."""
    found = (differing_value(one, other, compared) for one in some for other in others)
    return next(filter(None, found), None)


def differing_value(one: Statement, other: Statement, compared: Sequence[str]) -> tuple[str, str] | None:
    if one[:2] != other[:2] or any(
        len(one.values.get(name, ())) != len(other.values.get(name, ())) for name in READERS
    ):
        return None
    pairs = [
        (name, said, against)
        for name, values in one.values.items()
        for (value, said), (counter, against) in zip(values, other.values[name], strict=True)
        if (*value.key, value.unit) != (*counter.key, counter.unit)
    ]
    return pairs[0][1:] if len(pairs) == 1 and pairs[0][0] in compared else None
