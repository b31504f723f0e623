"""Question words on lines (R27, R29): weighed by rarity, and more when they stand together. Always on."""

import re

import numpy as np
from numpy.typing import NDArray

from documents.storage.content import DocumentContent
from reading.rows import LineRow
from retrieval.types import Hit, LineRange, Question
from retrieval.words.lexicon import Lexicon, Numbers, lexicon_of
from retrieval.words.terms import WeighedTerm, presence, terms_on, weigh_searched

HITS_MAX = 300  # per document; absence is counted in the lexicon, not from hits
REACH = 4  # lines: a sentence of this length, or a row and its header
DECAY = 0.8  # what a word keeps of its weight for each line of distance
AKIN_CREDIT = 0.8  # on its own line only: another word of the family, as "deducted" for "deductible"
SECTION_CREDIT = 0.5  # a word in the section's title, but not near the line
HEADING_CREDIT = 0.9  # … at the top of the page, where a statement's name is
PAGE_CREDIT = 0.3  # … anywhere else on the page
PHRASE_BONUS = 0.25  # of the share of a phrase's words, if they occur as the phrase

Scores = NDArray[np.float32]


def detect_keywords(question: Question, content: DocumentContent, inside: LineRange | None = None) -> list[Hit]:
    """A hit for each of the best lines with a question word; the score is the share of the question it covers.

    A word counts fully on the line itself, and less on nearby lines, in the section's title or on the page; a learned
    word adds to the score, and its absence takes nothing. Only lines `inside` are hits.
    """
    lexicon = lexicon_of(content)
    terms = weigh_searched(question, lexicon)
    total = sum(term.weight for term in terms if not term.is_learned)
    scores = np.zeros(lexicon.line_count + 1, dtype=np.float32)
    points = np.zeros(lexicon.line_count + 1, dtype=np.float32)
    for term in terms:
        scores += np.float32(term.weight) * nearness(term, lexicon, content)
        points[term.lines] += term.points
    if not points.any() or not total:
        return []
    scores /= np.float32(total)
    for phrase in question.phrases:
        words = [term for term in terms if term.text in phrase.split()]
        share = sum(term.weight for term in words) / total
        scores[phrase_lines(words, lexicon)] += np.float32(PHRASE_BONUS * share)
    stands = presence(terms, lexicon)
    heads, ends = content.running_heads, {entry.first_line - 1 for entry in content.toc}
    lines = np.flatnonzero(points)
    if inside:
        lines = lines[(lines >= inside.first) & (lines <= inside.last)]
    best = lines[np.lexsort((lines, -scores[lines]))][:HITS_MAX]
    return [
        line_hit(
            content.lines[number - 1],
            content.document_id,
            matched,
            following if (number in heads) is (number + 1 in heads) and number not in ends else [],
            float(scores[number]),
        )
        for number, matched, following in zip(
            best.tolist(), terms_on(terms, stands, best), terms_on(terms, stands, best + 1), strict=True
        )
    ]


def line_hit(
    line: LineRow, document_id: str, matched: list[WeighedTerm], following: list[WeighedTerm], score: float
) -> Hit:
    """The hit on one line; words continued on the next line count as adjacent (a sentence, a wrapped row)."""
    own = [term for term in matched if not term.is_learned]
    near = [term for term in (*matched, *following) if not term.is_learned]
    together = {term.text for term in near if term.points}
    return Hit(
        method="keywords",
        document_id=document_id,
        lines=LineRange(line.number, line.number),
        score=round(score, 6),
        matched_keywords=tuple(term.text for term in matched),
        toc_index=line.toc_index,
        co_occurrence=len(together) > 1 and any(term.is_primary for term in near),
        line_score=float(sum(term.points for term in own)),
    )


def nearness(term: WeighedTerm, lexicon: Lexicon, content: DocumentContent) -> Scores:
    """For each line, how near the term is: 1 on the line itself."""
    near = np.zeros(lexicon.line_count + 1, dtype=np.float32)
    on_page = np.zeros(len(content.pages) + 1, dtype=np.float32)
    in_text = np.setdiff1d(term.lines, lexicon.heads) if len(lexicon.heads) else term.lines
    on_page[lexicon.line_pages[in_text]] = PAGE_CREDIT
    on_page[lexicon.line_pages[term.lines[lexicon.is_page_top[term.lines]]]] = HEADING_CREDIT
    near[:] = on_page[lexicon.line_pages]
    for index in {index for form in term.forms for index in lexicon.titles_with(form)}:
        entry = content.toc_by_index[index]
        section = near[entry.first_line : entry.last_line + 1]
        np.maximum(section, SECTION_CREDIT, out=section)
    close = np.setdiff1d(in_text, term.akin) if len(term.akin) else in_text
    for distance in range(REACH, -1, -1):
        credit = np.float32(DECAY**distance)
        for lines in (close - distance, close + distance):
            inside = lines[(lines > 0) & (lines <= lexicon.line_count)]
            near[inside] = np.maximum(near[inside], credit)
    if len(lexicon.heads):
        credit_heads(near, np.setdiff1d(term.lines, term.akin), lexicon, content)
    near[term.akin] = np.maximum(near[term.akin], np.float32(AKIN_CREDIT))
    return near


def credit_heads(near: Scores, lines: Numbers, lexicon: Lexicon, content: DocumentContent) -> None:
    """Running heads score by their own words and those of heads beside them; the text below is about other things."""
    near[lexicon.heads] = 0.0
    for number in np.intersect1d(lines, lexicon.heads).tolist():
        first, last = content.heads_around(number)
        for other in range(max(first, number - REACH), min(last, number + REACH) + 1):
            near[other] = max(near[other], DECAY ** abs(other - number))


def phrase_lines(words: list[WeighedTerm], lexicon: Lexicon) -> Numbers:
    """The lines where the words of a phrase, inflected or not, follow one another, also across a line end."""
    if len(words) < 2 or any(not len(term.lines) for term in words):
        return np.zeros(0, dtype=np.int32)
    rarest = min(words, key=lambda term: len(term.lines))
    pattern = re.compile(r"[\W_]+".join("(?:" + "|".join(map(re.escape, term.forms)) + ")" for term in words))
    return lexicon.lines_matching(pattern, rarest.lines)
