"""Kept passages that give another value in the same words, found by rules (R50).

Two sentences disagree if they have the same words of meaning and the same figures, but for one value of the type that
is asked for: an amount, share, date, period, number or party. Of what a passage quotes only the sentences with most of
the question count: the limits of two covers say nothing of a deductible. Those of two documents count as well, unless
the question names one of them. Two rows do if title or introduction, heading and all other cells are the same, and one
value of the column asked for, or of all, is not. This is looked at whoever judged; what is worded otherwise only a
model can find.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.registry.references import references_in
from reading.values.sentences import SENTENCE, split_at
from reading.values.years import YEAR
from retrieval.candidates.rows_asked import table_at_line
from retrieval.candidates.sentences import PROSE, run_around
from retrieval.candidates.units import ITEM, Prose, prose_of
from retrieval.question.documents_named import Name, documents_named
from retrieval.question.values import ALSO
from retrieval.types import KEPT_ROLES, Contradiction, LineRange, Question, QuotePiece, Settled
from retrieval.words.printed import Value, amounts_in, dates_in, durations_in, percentages_in
from retrieval.words.tokens import is_stop_word, normalise_words, stem

READERS: dict[str, Callable[[str, str], Iterator[Value]]] = {
    "amount": amounts_in,
    "percentage": percentages_in,
    "date": lambda text, _: dates_in(text),
    "duration": lambda text, _: durations_in(text),
}
# Compared where the question asks for no value; with another date a sentence more often tells of another day.
USUAL = ("amount", "percentage", "duration")
NUMBER, NAMES = "number", ("party", "person")
ASKED = frozenset([*READERS, NUMBER, *NAMES])
# What an answer of a type may be given as, where a sentence has none of that type: "how many days" as 30 days.
GIVEN_AS = {**ALSO, NUMBER: USUAL}
WORDS_MIN = 2  # of meaning; with fewer it is a label, unless it is what was asked for: "The deposit is 500 EUR."
FOUND_MAX = 5  # of one question; of more, those are told that name a passage for the first time
LINES_ABOVE = 3  # a table, in which its introduction is looked for
DIGIT = re.compile(r"\d")
BARE = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-]|[.,]\d)")
# A name inside a sentence; what begins one may be any word.
NAME = re.compile(r"(?<=[a-z,;:(] )[A-Z][\w&.’'-]*\w(?: (?:(?:of|and|the|de|von|&) )?[A-Z][\w&.’'-]*\w)*")


class Statement(NamedTuple):
    """A sentence: its words of meaning, the figures that are no value, and its values by type, in reading order."""

    words: frozenset[str]
    figures: frozenset[str]
    values: dict[str, list[tuple[Value, str]]]


def find_disagreements(
    question: Question,
    candidates: Sequence[Settled],
    contents: Sequence[DocumentContent],
    told: Collection[frozenset[str]] = (),
) -> tuple[Contradiction, ...]:
    """The pairs of kept candidates that give different values, in the order of the candidates.

    `told` are pairs of ids that need no telling: of two versions of a clause one is known to be replaced.
    """
    content_of = {content.document_id: content for content in contents}
    kept = [each for each in candidates if each.verdict.role in KEPT_ROLES]
    compared = types_compared(question)
    asked = {stem(word, question.language) for word in normalise_words(question.topic)}
    said = {
        each.candidate_id: statements_on(
            asked,
            [
                *read_statements(each, content_of[each.document_id], compared),
                *read_row(each, content_of[each.document_id], compared, asked),
            ],
        )
        for each in kept
    }
    names = [Name(f"{each.title} {each.file_name}", "") for each in contents]
    is_named = len(contents) > 1 and bool(documents_named(question.topic, names)[0])
    found: list[Contradiction] = []
    for one, other in combinations(kept, 2):
        ids = (one.candidate_id, other.candidate_id)
        if frozenset(ids) in told or (is_named and one.document_id != other.document_id):
            continue
        pairs = product(said[ids[0]], said[ids[1]])
        if values := next(filter(None, (differing_value(*pair, compared) for pair in pairs)), None):
            found.append(Contradiction(ids, f"the same words with another value: {' / '.join(values)}", values))
    return tuple(found if len(found) <= FOUND_MAX else first_of_each(found))


def first_of_each(found: Sequence[Contradiction]) -> Iterator[Contradiction]:
    """Of many pairs those that name a passage for the first time: six versions of a clause differ in fifteen ways."""
    named: set[str] = set()
    for each in found:
        if not named.issuperset(each.candidate_ids):
            yield each
            named.update(each.candidate_ids)


def types_compared(question: Question) -> tuple[str, ...]:
    """The types of value in which a difference matters: what is asked for, else the usual ones."""
    if question.is_count:
        return (NUMBER,)
    return (question.answer_type,) if question.answer_type in ASKED else USUAL


def statements_on(asked: set[str], statements: Sequence[Statement]) -> list[Statement]:
    """The statements of a passage with values and as many of the words asked as any other sentence it quotes."""
    said = [len(each.words.intersection(asked)) for each in statements]
    best = max(said, default=0)
    return [
        each
        for each, count in zip(statements, said, strict=True)
        if count == best and each.values and (len(each.words) >= WORDS_MIN or each.words & asked)
    ]


def read_statements(candidate: Settled, content: DocumentContent, compared: Sequence[str]) -> Iterator[Statement]:
    """The sentences of prose that a candidate quotes; without a quote those of its anchor."""
    quoted = [piece.line_number for piece in candidate.quote.pieces] or [*candidate.anchor]
    lines = LineRange(min(quoted), max(quoted))
    first = next((line.number for line in content.legible_lines(*lines) if line.kind in PROSE), None)
    if first is None:
        return
    prose = prose_of(run_around(first, content), content)
    begin, end = quoted_stretch(candidate.quote.pieces, prose) or prose.stretch(lines)
    for at, until in split_at(prose.text, SENTENCE):
        if at < end and begin < until:
            yield read_statement(prose.text[at:until], content.language, compared)


def read_row(
    candidate: Settled, content: DocumentContent, compared: Sequence[str], asked: Collection[str]
) -> Iterator[Statement]:
    """The one row that a candidate quotes of a table with headings, in the columns whose headings are asked for.

    Not without a label. Without a title the section and the line above the table say what its values are of.
    """
    quoted = [piece.line_number for piece in candidate.quote.pieces] or [*candidate.anchor]
    table = next(filter(None, (table_at_line(number, content) for number in quoted)), None)
    rows = dict.fromkeys(row for number in quoted if table and (row := table.row_at(number)))
    if table is None or len(rows) != 1 or not any(column.heading for column in table.columns):
        return
    (row,) = rows
    if not row.label.strip():
        return
    above = content.legible_lines(table.first_line - LINES_ABOVE, table.first_line - 1)[-1:]
    title = table.title or " ".join((candidate.section_title, *(line.text for line in above)))
    language = content.language
    headings = [{stem(word, language) for word in normalise_words(each.heading)} for each in table.columns]
    chosen = [at for at, words in enumerate(headings) if words.intersection(asked)] or range(len(headings))
    bare = "amount" if "amount" in compared else NUMBER
    values: dict[str, list[tuple[Value, str]]] = {}
    rest = {line.number: line.text for line in content.lines_between(row.first_line, row.last_line)}
    for cell in filter(None, (row.cells[at] for at in chosen)):
        read = [(name, value) for name, values_in in READERS.items() for value in values_in(cell.text, language)]
        if not read and cell.amount is not None:
            read = [(bare, Value(NUMBER, str(cell.amount), 0, len(cell.text)))]
        for name, value in read[:1]:
            values.setdefault(name, []).append((value, cell.text))
            line = rest.get(cell.line, "")
            rest[cell.line] = f"{line[: cell.start]}{' ' * (cell.end - cell.start)}{line[cell.end :]}"
    told = " ".join((title, row.group, *rest.values(), *(table.columns[at].heading for at in chosen)))
    yield statement_of(told, language, values)


def quoted_stretch(pieces: Sequence[QuotePiece], prose: Prose) -> tuple[int, int] | None:
    """The characters of the text from the first to the last piece of a quote; None if no piece is in it."""
    begins = {line.number: begin for line, begin in zip(prose.lines, prose.begins, strict=True)}
    inside = [piece for piece in pieces if piece.line_number in begins]
    if not inside:
        return None
    starts = [begins[piece.line_number] + piece.start for piece in inside]
    return min(starts), max(begins[piece.line_number] + piece.end for piece in inside)


def read_statement(sentence: str, language: str, compared: Sequence[str] = USUAL) -> Statement:
    """The parts of a sentence; a value inside another, as the days of a date, is none, nor is the number of an item."""
    if item := ITEM.match(sentence):
        sentence = sentence[item.end() :]
    read = [(value, name) for name, values_in in READERS.items() for value in values_in(sentence, language)]
    read += [(value, name) for name, values_in in MORE.items() if name in compared for value in values_in(sentence)]
    values: dict[str, list[tuple[Value, str]]] = {}
    rest, done = "", 0
    for value, name in sorted(read, key=lambda each: (each[0].start, -each[0].end)):
        if value.start >= done:
            values.setdefault(name, []).append((value, sentence[value.start : value.end]))
            rest += sentence[done : value.start] + " "
            done = value.end
    return statement_of(rest + sentence[done:], language, values)


def statement_of(text: str, language: str, values: dict[str, list[tuple[Value, str]]]) -> Statement:
    words = normalise_words(text)
    figures = frozenset(word for word in words if DIGIT.search(word))
    meant = frozenset(stem(word, language) for word in words if not is_stop_word(word, language))
    return Statement(meant - figures, figures, values)


def bare_numbers_in(sentence: str) -> Iterator[Value]:
    """Numbers of something: no years, and none that names a section or a table."""
    names = [(start, end) for _, start, end in references_in(sentence)]
    for found in BARE.finditer(sentence):
        is_name = any(start <= found.start() < end for start, end in names)
        if not is_name and not YEAR.fullmatch(found[0]):
            yield Value(NUMBER, found[0], *found.span())


def parties_named(sentence: str) -> Iterator[Value]:
    """Names of persons or firms, as far as capital letters tell."""
    for found in NAME.finditer(sentence):
        yield Value("party", found[0], *found.span())


MORE = {NUMBER: bare_numbers_in, "party": parties_named, "person": parties_named}


def differing_value(one: Statement, other: Statement, compared: Sequence[str]) -> tuple[str, str] | None:
    """The two values as printed, of two sentences that say the same but for these; else None."""
    if not any(name in one.values for name in compared):
        compared = [kind for name in compared for kind in GIVEN_AS.get(name, ())]
    if one[:2] != other[:2] or any(
        len(one.values.get(name, ())) != len(other.values.get(name, ())) for name in {*one.values, *other.values}
    ):
        return None
    pairs = [
        (name, said, against)
        for name, values in one.values.items()
        for (value, said), (counter, against) in zip(values, other.values[name], strict=True)
        if (*value.key, value.unit) != (*counter.key, counter.unit)
    ]
    return pairs[0][1:] if len(pairs) == 1 and pairs[0][0] in compared else None
