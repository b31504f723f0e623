"""The words of one document and their lines: built once per document, used by every step."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from documents.storage.collecting import collection_paused
from documents.storage.content import DocumentContent, kept_with_content, stored_with_reading
from reading.language import UNKNOWN
from reading.rows import ASIDE_KINDS, LineRow
from retrieval.deadline import check_time
from retrieval.words.compounds import Parts, compounds_with, joins_words, split_word
from retrieval.words.forms import prefixed_forms, verb_forms
from retrieval.words.tokens import base_form, is_run, normalise_words, pattern_of, split_words, stem, word_lists

Numbers = NDArray[np.int32]  # document-wide line numbers, ascending and unique
NO_LINES: Numbers = np.zeros(0, dtype=np.int32)
NO_LINES.flags.writeable = False  # shared by all callers
PACKED = "<i4"
HEADING_LINES = 3  # the top of a page: a statement's name, its subtitle and its unit
HEADING_CHARS = 90  # longer lines at the top of a page are running text
JOINED_MIN = 6  # letters of a part that stands only in words written as one
FORMS_MAX = 40  # a stem with more forms than this is not a real word


@dataclass(frozen=True, eq=False)
class Lexicon:
    """`lines[word]` are the searched lines that contain a word; `stems[stem]` the words of the text with that stem.

    `found`, `related` and `parted` keep what was looked up.
    """

    language: str
    line_count: int
    searched_count: int
    lines: dict[str, Numbers]
    stems: dict[str, tuple[str, ...]]
    titles: dict[str, tuple[int, ...]]  # word -> indexes of the contents entries whose title contains it
    rows: Sequence[LineRow]
    heads: Numbers  # those of the searched lines that stand outside the text
    found: dict[str, Numbers] = field(default_factory=dict)
    related: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parted: dict[str, Parts | None] = field(default_factory=dict)

    def lines_with(self, form: str) -> Numbers:
        """The lines that contain a form: a word, a phrase (possibly across a line end), or an identifier."""
        if form in self.lines:
            return self.lines[form]
        if form not in self.found:
            words = split_words(form)
            self.found[form] = self._lines_with_words(words) if len(words) > 1 else NO_LINES
        return self.found[form]

    def lines_with_any(self, forms: Iterable[str]) -> Numbers:
        numbers = [found for form in forms if len(found := self.lines_with(form))]
        if not numbers:
            return NO_LINES
        return numbers[0] if len(numbers) == 1 else np.unique(np.concatenate(numbers))

    def titles_with(self, form: str) -> set[int]:
        """The contents entries whose title has a form: a word, or the pairs of one run."""
        words = form.split()
        if len(words) > 1 and all(map(is_run, words)):
            return set.intersection(*(set(self.titles.get(word, ())) for word in words))
        return set(self.titles.get(form, ()))

    def rarity(self, count: int) -> float:
        """From 1 (at most one line) towards 0 (every line): the usual inverse document frequency, over lines."""
        total = max(self.searched_count, 2)
        return max(0.0, log(total / max(count, 1)) / log(total))

    def inflections(self, word: str) -> tuple[str, ...]:
        """The words of this document with the stem of `word`."""
        if self.language in word_lists("prefixes"):
            return tuple(form for form in prefixed_forms(word, self.language) if form in self.lines)
        if not joins_words(self.language):
            return self.stems.get(stem(word, self.language), ())
        if word not in self.related:
            compounds = compounds_with(word, self.language, self._listed)
            self.related[word] = tuple(dict.fromkeys((*self._alone(word), *compounds)))
        return self.related[word]

    def parts_of(self, word: str) -> Parts | None:
        """A word that this document has not, in two parts of which it has at least one; None if there are none."""
        if not joins_words(self.language) or self.inflections(word):
            return None
        if word not in self.parted:
            self.parted[word] = split_word(word, self.language, self._has_part)
        return self.parted[word]

    def _has_part(self, part: str) -> bool:
        """Whether a part is a word here; a short one that only ends others is none: "dung" of "Meldung"."""
        return bool(self._alone(part)) or (len(part) >= JOINED_MIN and bool(self.inflections(part)))

    def _alone(self, word: str) -> tuple[str, ...]:
        """The words with the stem of `word`, and the forms of a verb."""
        verb = base_form(word, self.language)
        conjugated = (form for form in verb_forms(verb, self.language) if form in self.lines)
        return (*self.stems.get(stem(word, self.language), ()), *conjugated)

    @cached_property
    def _listed(self) -> str:
        """Its words, one a line."""
        return "\n".join(["", *(form for forms in self.stems.values() for form in forms), ""])

    def _lines_with_words(self, words: list[str]) -> Numbers:
        rarest = min(words, key=lambda word: len(self.lines.get(word, NO_LINES)))
        literal = tuple(word for word in words if word.isascii())  # the pairs of a run may be parted by a blank
        return self.lines_matching(re.compile(pattern_of(words)), self.lines.get(rarest, NO_LINES), literal)

    def lines_matching(self, pattern: re.Pattern[str], near: Numbers, literal: Sequence[str] = ()) -> Numbers:
        """The lines, among those given and the ones before them, where a match of the pattern begins.

        The words that are `literal` in it are looked for first: most lines have one of them only.
        """
        found: set[int] = set()
        for number in near.tolist():
            check_time()
            both = (first for first in (number - 1, number) if first > 0)
            found.update(first for first in both if self.begins_on(first, pattern, literal))
        return np.array(sorted(found), dtype=np.int32)

    def begins_on(self, number: int, pattern: re.Pattern[str], literal: Sequence[str] = ()) -> bool:
        """Whether the first match in a line and the next one begins on the line."""
        text = self.rows[number - 1].match
        both = f"{text} {self.rows[number].match}" if number < self.line_count else f"{text} "
        match = pattern.search(both) if all(word in both for word in literal) else None
        return match is not None and match.start() < len(text)

    @cached_property
    def line_pages(self) -> Numbers:
        return np.array([0, *(row.page_number for row in self.rows)], dtype=np.int32)

    @cached_property
    def page_headings(self) -> dict[int, tuple[int, ...]]:
        """For each page, the line numbers at its top, without page furniture."""
        headings: dict[int, list[int]] = {}
        full: set[int] = set()
        for row in self.rows:
            page = row.page_number
            if row.kind in ASIDE_KINDS or page in full:
                continue
            tops = headings.setdefault(page, [])
            if len(row.text) <= HEADING_CHARS:
                tops.append(row.number)
            if len(tops) == HEADING_LINES or len(row.text) > HEADING_CHARS:
                full.add(page)
        return {page: tuple(numbers) for page, numbers in headings.items()}

    @cached_property
    def is_page_top(self) -> NDArray[np.bool_]:
        """For each line number, whether it is at the top of its page; [0] is unused."""
        tops = np.zeros(self.line_count + 1, dtype=bool)
        for numbers in self.page_headings.values():
            tops[list(numbers)] = True
        return tops


def plain_lexicon(lexicon: Lexicon) -> tuple[Any, ...]:
    found = lexicon.lines.values()
    counts, numbers = np.array([*map(len, found)]), np.concatenate([NO_LINES, *found])
    lines = list(lexicon.lines), counts.astype(PACKED).tobytes(), numbers.astype(PACKED).tobytes()
    return lines, lexicon.stems, lexicon.titles, lexicon.searched_count, lexicon.heads.tolist()


@collection_paused()
def lexicon_from(plain: tuple[Any, ...], content: DocumentContent) -> Lexicon:
    (words, counts, numbers), stems, titles, searched_count, heads = plain
    return Lexicon(
        language=content.language,
        line_count=len(content.lines),
        searched_count=searched_count,
        lines=lines_of_words(words, np.frombuffer(counts, dtype=PACKED), np.frombuffer(numbers, dtype=PACKED)),
        stems=stems,
        titles=titles,
        rows=content.lines,
        heads=np.array(heads, dtype=np.int32),
    )


def lines_of_words(words: Iterable[str], counts: Sequence[int] | Numbers, numbers: Numbers) -> dict[str, Numbers]:
    """The lines of each word out of all in one row, in which so many are one word's and the next the next one's."""
    ends = np.cumsum(counts, dtype=np.int64).tolist()
    return {word: numbers[first:end] for word, first, end in zip(words, [0, *ends], ends, strict=False)}


@stored_with_reading("words", plain_lexicon, lexicon_from)
@collection_paused()
def lexicon_of(content: DocumentContent) -> Lexicon:
    """Split the searched lines into words; a word broken over a line end counts on the line where it begins."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    broken: set[str] = set()
    searched = content.searched_lines
    for row in searched:
        number = row.number
        for word in dict.fromkeys(split_words(row.match)):
            places[word].append(number)
    text = [row for row in searched if row.number not in content.running_heads]
    for row, following in pairwise(text):
        if is_run(row.match[-1:]) and is_run(following.match[:1]):
            pair = row.match[-1] + following.match[0]
            broken.add(pair)
            places[pair].append(row.number)
        if row.match.endswith("-") and following.match[:1].isalpha():
            head, tail = split_words(row.match), split_words(following.match)
            if head and tail:
                broken.add(head[-1] + tail[0])
                places[head[-1] + tail[0]].append(row.number)
    places.update({word: sorted({*places[word]}) for word in broken})  # only these are named twice or out of order
    numbers = np.fromiter(chain.from_iterable(places.values()), dtype=np.int32)
    lines = lines_of_words(places, [*map(len, places.values())], numbers)
    titles: dict[str, list[int]] = {}
    for entry in content.toc:
        for word in dict.fromkeys(split_words(content.title_forms[entry.index])):
            titles.setdefault(word, []).append(entry.index)
    return Lexicon(
        language=content.language,
        line_count=len(content.lines),
        searched_count=len(searched),
        lines=lines,
        stems=group_by_stem([*lines, *(word for word in titles if word not in lines)], content.language),
        titles={word: tuple(indexes) for word, indexes in titles.items()},
        rows=content.lines,
        heads=np.array(list(content.running_heads), dtype=np.int32),
    )


@kept_with_content
def struck_stems(content: DocumentContent) -> frozenset[str]:
    """The stems of the words that are struck through: they are not searched, and stand on the page all the same."""
    struck = (line.struck for line in content.lines if line.spans)
    return frozenset(stem(word, content.language) for text in struck for word in normalise_words(text))


def group_by_stem(words: Iterable[str], language: str) -> dict[str, tuple[str, ...]]:
    grouped: dict[str, list[str]] = {}
    for word in words:
        grouped.setdefault(stem(word, language), []).append(word)
    return {root: tuple(forms) for root, forms in grouped.items()}


def is_foreign_to(lexicons: Sequence[Lexicon], language: str) -> bool:
    """Whether no document is in the language of the question, nor in one that is not known."""
    return bool(lexicons) and all(lexicon.language not in (language, UNKNOWN) for lexicon in lexicons)


def inflect_word(word: str, lexicons: Sequence[Lexicon]) -> tuple[str, ...]:
    """The word and its inflections; no cognates, since the dictionary has the other language's own word."""
    return tuple(dict.fromkeys((word, *(form for one in lexicons for form in one.inflections(word)[:FORMS_MAX]))))
