"""Values of the expected type near a question word, and identifiers as typed (R20, R30, R31)."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from documents.storage.content import DocumentContent
from retrieval.deadline import check_time
from retrieval.types import Hit, LineRange, Question
from retrieval.words.counts import counted_pattern
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, matched_terms, presence, weigh_terms

HITS_MAX = 100
VALUE_REACH = 1  # a value on the next line still belongs to its label (a wrapped row, a definition)
MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|janv|fevr|mars|avr|mai|juin|juil|aout|sept|okt|dez|ene|abr|ago|dic"
)
FIGURE = r"(?<![\d.,])[.,]*\d[\d.,]*+"  # from its first sign only: begun anew at each digit, a long one takes forever
MONEY = (
    r"(?:[$€£¥]\s?\d|\b(?:usd|eur|gbp|chf|jpy)\s?\d"
    rf"|{FIGURE}\s?(?:[€£$]|usd|eur|dollars?|euros?|million|billion|mio|mrd))"
)
COUNTED = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen"
    r"|twenty|thirty|forty|fifty|sixty|ninety|une?|deux|trois|dix|douze|quatorze|trente)"
)
SPAN = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?"
    r"|secondes?|heures?|jours?|semaines?|mois|an(?:nee)?s?)"
)
EXTENT = (  # "how long" may be asked of a text or a thing, too
    rf"\b{COUNTED}(?:\s?\(\d+\))?[\s-](?:characters?|letters|digits|symbols|words|lines|pages|paragraphs"
    r"|(?:kilo|centi|milli)?met(?:er|re)s?|inch(?:es)?|feet|yards|miles|caracteres|lettres|chiffres|mots|lignes|zeichen)\b"
)
DURATION = (
    rf"\b{COUNTED}(?:\s?\(\d+\))?[\s-](?:(?:business|working|calendar|full)[\s-])?{SPAN}\b"
    r"|\b(?:immediate(?:ly)?|prompt(?:ly)?|(?:without|undue) delay|as soon as|indefinite(?:ly)?|sans delai"
    r"|immediat\w*)\b"
)
PATTERNS: dict[str, re.Pattern[str]] = {
    "amount": re.compile(
        rf"{MONEY}|(?<![\d,])\d{{1,3}}(?:,\d{{3}})+(?![\d,])|\(\d[\d,.]*\)|(?<![\d.,])\d+\.\d+(?![\d.])"
    ),
    "percentage": re.compile(rf"{FIGURE}\s?(?:%|percent|per cent|pour cent|prozent|por ciento)|(?<![\d.])0?\.\d+"),
    "number": re.compile(
        r"(?<![\[\w.,-])\d+(?:[.,]\d+)*(?![\]\w])|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b"
    ),
    "date": re.compile(
        rf"\b(?:{MONTHS})\w*\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\b\d{{1,2}}\.?\s+(?:{MONTHS})\w*\.?\s+\d{{4}}"
        r"|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b(?:19|20)\d{2}\b"
        rf"|{DURATION}"  # "when" is also answered by "within thirty days"
    ),
    "frequency": re.compile(
        rf"\b(?:(?:semi-?|bi-?)?(?:hourly|daily|weekly|monthly|quarterly|annual(?:ly)?|yearly)|periodic(?:ally)?|regular(?:ly)?"
        rf"|continuous(?:ly)?|once|twice|(?:every|each|per|an?|par|chaque)\s(?:{COUNTED}\s)?{SPAN}|tou(?:te)?s les"
        r"|quotidien\w*|hebdomadaire\w*|mensuel\w*|trimestriel\w*|annuel\w*|regulier\w*)\b"
    ),
    "duration": re.compile(f"{DURATION}|{EXTENT}"),
    "rate": re.compile(
        r"\A\D*+\d.*(?:\b(?:per|an?|each|every|par|pro)\s|/\s?)(?:second|minute|hour|day|heure|jour|s\b|h\b)|\b(?:hourly|daily)\b"
    ),
    "definition": re.compile(
        r"\b(?:is an?|is the|are the|means|refers to|is defined as|are defined as|stands for)\b|:\s"
    ),
    "explanation": re.compile(
        r"\b(?:because|since|therefore|by means of|in order to|so that|consists? of|computed|calculated|we (?:compute"
        r"|use|apply))\b"
    ),
    "person": re.compile(r"\b(?:mr|ms|mrs|dr|director|officer|secretary|president|chair\w*|chief|team|manager|lead)\b"),
    "email": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]++\.[\w.]"),
    "phone": re.compile(r"\+?\d[\d ()/-]{6,}\d"),
    "url": re.compile(r"https?://|www\."),
    "iban": re.compile(r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,}"),
}


def detect_patterns(question: Question, content: DocumentContent) -> list[Hit]:
    """Lines with a primary word and a value of the expected type, and lines with an identifier; best first."""
    lexicon = lexicon_of(content)
    terms = [term for term in weigh_terms(question, lexicon) if term.points]
    identifiers = {keyword.text for keyword in question.keywords if keyword.source == "identifier"}
    pattern = pattern_for(question, content, terms)
    stands = presence(terms, lexicon)
    hits: list[Hit] = []
    for number, share in lines_by_share(terms, stands):
        check_time()
        is_typed = pattern is not None and has_value(number, pattern, content)
        matched = matched_terms(terms, stands, number) if is_typed or identifiers else []
        if is_typed or any(term.text in identifiers for term in matched):
            hits.append(pattern_hit(number, matched, share, is_typed, content))
        if len(hits) == HITS_MAX:
            break
    return hits


def pattern_for(question: Question, content: DocumentContent, terms: Sequence[WeighedTerm]) -> re.Pattern[str] | None:
    """What a value of the type asked for looks like.

    Of what is to be counted the number right before its name, "some 83,700 full-time employees", where the document has
    one; else any number.
    """
    counted = counted_pattern(question) if question.answer_type == "number" else None
    if counted:
        lines = (line for term in terms if question.listed in term.texts for line in term.lines.tolist())
        if any(counted.search(content.lines[number - 1].match) for number in lines):
            return counted
    return PATTERNS.get(question.answer_type)


def lines_by_share(terms: Sequence[WeighedTerm], stands: NDArray[np.bool_]) -> list[tuple[int, float]]:
    """The lines with a primary word and the share of the question on each, largest first, then in reading order."""
    if not terms:
        return []
    weights = np.array([term.weight for term in terms])
    shares = weights @ stands / weights.sum()
    lines = np.flatnonzero(stands[[row for row, term in enumerate(terms) if term.is_primary]].any(axis=0))
    order = lines[np.lexsort((lines, -shares[lines]))]
    return list(zip(order.tolist(), shares[order].tolist(), strict=True))


def pattern_hit(number: int, matched: list[WeighedTerm], share: float, is_typed: bool, content: DocumentContent) -> Hit:
    return Hit(
        method="patterns",
        document_id=content.document_id,
        lines=LineRange(number, number),
        score=round(share, 6),
        matched_keywords=tuple(term.text for term in matched),
        toc_index=content.lines[number - 1].toc_index,
        type_match=is_typed,
        line_score=float(sum(term.points for term in matched)),
    )


def has_value(number: int, pattern: re.Pattern[str], content: DocumentContent) -> bool:
    """Whether the line has a value, or the next one does and running text continues there."""
    line = content.lines[number - 1]
    if pattern.search(line.match):
        return True
    following = content.lines_between(number + 1, number + VALUE_REACH)
    return any(
        other.kind == line.kind == "body"
        and other.page_number == line.page_number
        and bool(pattern.search(other.match))
        for other in following
    )
