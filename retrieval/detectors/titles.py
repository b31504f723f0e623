"""Question words in section titles (R28). A title fully named in the question is the strongest evidence (R48)."""

import re

import numpy as np

from documents.storage.content import DocumentContent
from reading.rows import FRONT_INDEX, TocRow
from retrieval.deadline import check_time
from retrieval.types import HEAD_LINES, Hit, LineRange, Question
from retrieval.words.lexicon import Lexicon, Numbers, lexicon_of
from retrieval.words.statements import StatementPage, statement_names, statement_pages
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import is_stop_word, split_words

SECTION_NAMED_SCORE = 1.0  # the question names the section itself
FIGURE_TYPES = ("amount", "percentage", "number", "boolean")  # what a statement can answer without being named
UNNAMED_SHARE = 0.5  # of a figure's rows: an unnamed statement must contain most of them
PROPOSED_SHARE = 0.2  # … to be proposed at all
LABEL_SHARE = 0.5  # a line without figures of its own only introduces the rows below it
CAUSE = re.compile(
    r"\b(?:why|drove|driv\w+|cause[sd]?|reasons?|explain|due to|pourquoi|raisons?|causes?)\b", re.IGNORECASE
)
EXACT_SHARE = 0.75  # a title is the one asked for if it covers this share of the question's own words


def detect_titles(question: Question, content: DocumentContent) -> list[Hit]:
    """A hit for every section with a question word in its title, best covered first."""
    lexicon = lexicon_of(content)
    terms = [term for term in weigh_terms(question, lexicon) if term.points]
    total = sum(term.weight for term in terms)
    entries = [entries_with(term, lexicon) for term in terms]
    hits = []
    for entry in content.toc:
        check_time()
        matched = [term for term, indexes in zip(terms, entries, strict=True) if entry.index in indexes]
        is_named = is_section_named(question.section_form, entry, content)
        if entry.index != FRONT_INDEX and (is_named or any(term.is_primary for term in matched)):
            share = sum(term.weight for term in matched) / total if total else 0.0
            hits.append(title_hit(entry, matched, terms, share, is_named, content))
    hits += statement_hits(question, terms, content)
    return sorted(hits, key=lambda hit: (-hit.score, hit.lines))


def statement_hits(question: Question, terms: list[WeighedTerm], content: DocumentContent) -> list[Hit]:
    """A hit for each statement page with rows the question is about.

    It counts as an exact title if the question names the statement, or asks for a figure and the page has most of its
    rows, or those that other pages lack. The dictionary's terms are the row names; without any, every word counts on a
    named statement.
    """
    named = question.hints.statements
    terms = [term for term in terms if term.weight and not statement_names(term.text)]
    rows = [term for term in terms if term.is_concept] or (terms if named else [])
    found = {page: rows_on(page, rows) for page in statement_pages(content)} if rows else {}
    standing = {term for matched in found.values() for term, _ in matched}
    rows = [term for term in rows if term in standing or not term.is_computed]
    total = sum(term.weight for term in rows)
    shares = {page: sum(term.weight for term, _ in matched) / total for page, matched in found.items() if matched}
    if named:
        asked = {page for page in shares if page.kind in named}
    elif wants_figure(question):
        asked = {page for page, share in shares.items() if share >= UNNAMED_SHARE} | covering(found, rows)
    else:
        asked = set()
    return [
        statement_hit(page, found[page], share, page in asked, content)
        for page, share in shares.items()
        if page in asked or share >= PROPOSED_SHARE
    ]


def wants_figure(question: Question) -> bool:
    """Whether a statement has answers of this type; also if there is no type but a year: "accounts payable in 2019"."""
    is_plain = question.answer_type == "text" and question.intent == "field_extraction" and bool(question.years)
    return (question.answer_type in FIGURE_TYPES or is_plain) and not CAUSE.search(question.topic)


Rows = list[tuple[WeighedTerm, Numbers]]


def rows_on(page: StatementPage, terms: list[WeighedTerm]) -> Rows:
    """The terms on a statement's page, each with its lines there."""
    return [(term, lines) for term in terms if len(lines := numbers_within(term.lines, page.lines))]


def covering(found: dict[StatementPage, Rows], rows: list[WeighedTerm]) -> set[StatementPage]:
    """The fewest pages that together have most of the rows, [] if there are none; earlier pages win ties."""
    total = sum(term.weight for term in rows)
    missing = set(rows)
    chosen: set[StatementPage] = set()
    while missing and found:
        gains = {page: sum(term.weight for term, _ in on if term in missing) for page, on in found.items()}
        best = max(gains, key=lambda page: (gains[page], -page.page_number))
        if gains[best] < PROPOSED_SHARE * total:
            break
        chosen.add(best)
        missing -= {term for term, _ in found[best]}
    lacking = sum(term.weight for term in missing)
    return chosen if total and lacking <= (1 - UNNAMED_SHARE) * total else set()


def statement_hit(page: StatementPage, matched: Rows, share: float, is_asked: bool, content: DocumentContent) -> Hit:
    """The hit of a statement's page, on the first row that covers most of the question."""
    carried: dict[int, float] = {}
    for term, lines in matched:
        for number in lines.tolist():
            is_row = content.lines[number - 1].kind == "table_row"
            carried[number] = carried.get(number, 0.0) + term.weight * (1.0 if is_row else LABEL_SHARE)
    best = min(carried, key=lambda number: (-carried[number], number))
    return Hit.on_line(
        "titles",
        best,
        content,
        round(share, 6) if is_asked else 0.0,  # otherwise the page is only proposed, and scores by its words
        matched_keywords=tuple(term.text for term, _ in matched),
        exact_title=is_asked,
        detail=f"{page.kind}, p. {page.page_number}",
        statement=page.kind,
    )


def numbers_within(lines: Numbers, span: LineRange) -> Numbers:
    first, end = np.searchsorted(lines, (span.first, span.last + 1))
    return lines[first:end]


def title_hit(
    entry: TocRow,
    matched: list[WeighedTerm],
    terms: list[WeighedTerm],
    share: float,
    is_named: bool,
    content: DocumentContent,
) -> Hit:
    words = [word for word in split_words(content.title_forms[entry.index]) if not is_stop_word(word, content.language)]
    covered = sum(any(word in term.forms for term in matched) for word in words) / len(words) if words else 0.0
    # A single word may match by chance: "how is attention computed" does not ask for a section "Attention".
    needed = [term for term in terms if term.is_primary or len(words) == 1]
    asked = sum(term.weight for term in matched if term in needed)
    is_exact = is_named or (covered == 1.0 and asked >= EXACT_SHARE * sum(term.weight for term in needed))
    return Hit(
        method="titles",
        document_id=content.document_id,
        lines=LineRange(entry.first_line, min(entry.first_line + HEAD_LINES - 1, entry.last_line)),
        score=SECTION_NAMED_SCORE if is_named else share * covered,
        matched_keywords=tuple(term.text for term in matched),
        toc_index=entry.index,
        exact_title=is_exact,
        detail=entry.title,
    )


def entries_with(term: WeighedTerm, lexicon: Lexicon) -> set[int]:
    """The contents entries whose title contains a term."""
    return {index for form in term.forms for index in lexicon.titles_with(form)}


def is_section_named(wanted: str, entry: TocRow, content: DocumentContent) -> bool:
    if not wanted:
        return False
    title = content.title_forms[entry.index]
    return entry.number.rstrip(".").casefold() == wanted or title == wanted or f"appendix {wanted}" in title
