"""The first sentences of a document that say what it is, word for word, as a summary by rules (R15)."""

import re
from collections.abc import Iterator, Sequence

from documents.cards.signs import has_sign, signs_of
from documents.cards.types import SUMMARY_CHARS, SUMMARY_SENTENCES
from reading.rows import LineRow, TocRow
from reading.titles import cut_between_words, is_upper
from reading.values.sentences import OPENING_ABBREVIATION, OPENING_SENTENCE

OPENING_LINES = 80  # of a section: what follows is no opening
BEGINNING_PAGES, BEGINNING_LINES = 5, 400
EARLY_SHARE = 0.2  # of the document: a section further on does not open it
TITLE_CHARS = 60
PREAMBLE_MIN = 60
SENTENCE_CHARS = range(30, 401)
WORDS_MIN = 7
CAPITALS_MAX = 0.55  # of the words: more is a heading, a list of names or an address
LETTERS_MIN = 0.7  # of the characters: less is a row of a table
SAID_KINDS = ("body", "list_item")
RECITAL = re.compile(r"(?<=;)(?: and)? (?=WHEREAS|NOW,? THEREFORE)")
BULLET = re.compile(r"[•▪◦●■–*·-] ?|\(?(?:[A-Z]|[a-z]|[ivx]{1,4}|\d{1,2}(?:\.\d{1,2}){0,3})[.)] ")
WORD = re.compile(r"[^\W\d_]{2,}")
BEGINS = re.compile(r"[“\"(]?[^\Wa-z_]")


def first_sentences(lines: Sequence[LineRow], toc: Sequence[TocRow], *, is_agreement: bool = False) -> str:
    """At most three sentences of the opening section, else of the beginning; "" where there is no whole sentence.

    Those of an agreement begin with the one that names its parties.
    """
    beginning = [line for line in lines[:BEGINNING_LINES] if line.page_number <= BEGINNING_PAGES]
    parts = [beginning] if is_agreement else [*openings_of(lines, toc), beginning]
    for part in parts:
        chosen: list[str] = []
        for sentence in preamble_first(part) if is_agreement else filter(is_telling, whole_sentences(part)):
            if sum(map(len, chosen)) + len(sentence) > SUMMARY_CHARS or len(chosen) == SUMMARY_SENTENCES:
                break
            chosen.append(sentence)
        if chosen:
            return " ".join(chosen)
    return ""


def openings_of(lines: Sequence[LineRow], toc: Sequence[TocRow]) -> Iterator[Sequence[LineRow]]:
    """The lines of the sections that open a document, the best first; also after a line that is such a title."""
    ranked: list[tuple[int, int, int]] = []  # rank, first line after the title, last line
    early = max(EARLY_SHARE * len(lines), BEGINNING_LINES)
    for entry in toc:
        if entry.origin != "front" and entry.first_line <= early and (rank := rank_of(entry.title)):
            ranked.append((rank, entry.first_line, entry.last_line))
    for line in lines[:BEGINNING_LINES]:
        if line.page_number <= BEGINNING_PAGES and len(line.text) <= TITLE_CHARS and rank_of(line.text_in_force) == 1:
            ranked.append((1, line.number, len(lines)))
    for _, first, last in sorted(ranked):
        yield lines[first : min(last, first + OPENING_LINES)]


def rank_of(title: str) -> int:
    """The rank of a section title among openings, from 1; 0 if it is none."""
    return min((sign.rank for sign in signs_of("opening") if sign.pattern.search(title)), default=0)


def preamble_first(lines: Sequence[LineRow]) -> Iterator[str]:
    """The sentence that names the parties, cut where it is long, then the recitals and sentences after it."""
    sentences = [part for sentence in whole_sentences(lines) for part in RECITAL.split(sentence)]
    is_named = [has_sign("preamble", each) for each in sentences]
    place = next((place for place, said in enumerate(is_named) if said and len(sentences[place]) >= PREAMBLE_MIN), None)
    if place is not None:
        yield cut_between_words(sentences[place], SENTENCE_CHARS.stop)
    for sentence in sentences[0 if place is None else place + 1 :]:
        if is_telling(sentence):
            yield sentence


def whole_sentences(lines: Sequence[LineRow]) -> Iterator[str]:
    """The sentences of running text, in their order; a heading, a bullet or a line in capitals ends one."""
    text = ""
    for line in lines:
        said = " ".join(line.text_in_force.split())
        is_text = line.kind in SAID_KINDS and not (is_upper(said) and len(said) <= TITLE_CHARS)
        if not is_text or BULLET.match(said):
            yield from split_sentences(text)
            text = BULLET.sub("", said, count=1) if is_text else ""
        else:
            text = text[:-1] + said if re.search(r"\w-$", text) and said[:1].islower() else f"{text} {said}".strip()
    yield from split_sentences(text)


def split_sentences(text: str) -> Iterator[str]:
    begin = 0
    for end in [*(found.end() for found in OPENING_SENTENCE.finditer(text)), len(text)]:
        sentence = text[begin:end].strip()
        if end < len(text) and OPENING_ABBREVIATION.search(sentence):
            continue
        begin = end
        if sentence:
            yield sentence


def is_telling(sentence: str) -> bool:
    """Whether it is a whole sentence of running text."""
    words = WORD.findall(sentence)
    letters = sum(sign.isalpha() for sign in sentence)
    return (
        len(sentence) in SENTENCE_CHARS
        and sentence.rstrip('"”’)')[-1:] in (".", "!", "?", ";")
        and bool(BEGINS.match(sentence))
        and len(words) >= WORDS_MIN
        and sum(word[0].isupper() for word in words) <= CAPITALS_MAX * len(words)
        and letters >= LETTERS_MIN * len(sentence)
        and not has_sign("notice", sentence)
    )
