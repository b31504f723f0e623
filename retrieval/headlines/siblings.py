"""What a document sets beside a word of a question: business customers beside private ones, lorries beside cars (R54).

No list knows them. Two names are siblings where they stand in the same place, at the beginning or behind one
preposition, of like sentences of a section, of headings beside each other or of one sentence; and where both say what
kind of one thing is meant, again and again: "domestic parcels", "international parcels".
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from os.path import commonprefix
from typing import NamedTuple

from documents.storage.content import DocumentContent, kept_by_key
from reading.matching import match_form
from reading.values.sentences import SENTENCE
from retrieval.candidates.units import ITEM, units_of
from retrieval.question.phrasing import phrasing_rules
from retrieval.words.compounds import FIRST_MIN, joins_words, may_be_back, may_be_front
from retrieval.words.counts import counting_words
from retrieval.words.lexicon import Numbers, lexicon_of
from retrieval.words.terms import WeighedTerm
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words, split_words, stem

Name = tuple[str, ...]  # one or two words, in match form; the stems of them where they are compared

WORDS_MAX = 2
ALIKE_MIN, ALIKE_SHARE = 2, 0.5  # words that two sentences share beside the names in them, and of the shorter one's
OPENING_SHARE = 0.2  # of the lines with a word: those on which it begins a sentence
TIMES_MIN = 2  # of "domestic parcel": more than an adjective that happens to stand there
SECTIONS_MAX = 40  # with a word, that are looked through
LINES_MAX = 400  # of a section, or with a word
TOKEN = re.compile(r"[^\W_]+|[.,;:)](?=\s|$)|\(")
CLAUSE_END = re.compile(r"(?<=;)\s+")


class PlacedName(NamedTuple):
    """A name in a sentence: the preposition before it, "" at the beginning of a clause, else None, and its clause."""

    slot: str | None
    clause: int
    name: Name


class ComparedSentence(NamedTuple):
    """A sentence as it is compared: what it names where, and the stems of its telling words."""

    placed: tuple[PlacedName, ...]
    stems: frozenset[str]

    @property
    def is_begun(self) -> bool:
        """Whether it begins with a name."""
        return bool(self.placed) and self.placed[0][:2] == ("", 0)


def siblings_of(term: WeighedTerm, content: DocumentContent) -> frozenset[Name]:
    """The names that a document sets beside a term of a question, more than once or in more than one way."""
    return find_siblings(term.forms, content)


@kept_by_key
def find_siblings(forms: tuple[str, ...], content: DocumentContent) -> frozenset[Name]:
    """Found once: each value on a page asks for the same."""
    own, lines = {stem(form, content.language) for form in forms}, lexicon_of(content).lines_with_any(forms)
    indexes = dict.fromkeys(content.lines[number - 1].toc_index for number in lines[:LINES_MAX].tolist())
    sections = [said_in_section(index, content) for index in list(indexes)[:SECTIONS_MAX]]
    found: Counter[Name] = Counter()
    for section in (headings_beside(forms, content), *sections):
        found.update(set_beside(own, section, content))
    found.update(openings_beside(own, lines, sections, content))
    often = {name for name, times in found.items() if times >= TIMES_MIN and not is_generic(name[0], content.language)}
    return frozenset(often | other_kinds(own, lines, content))


def openings_beside(
    own: set[str], lines: Numbers, sections: Sequence[Sequence[ComparedSentence]], content: DocumentContent
) -> dict[Name, int]:
    """In how many sections sentences begin with a name and others with a term, where it is the way of both to begin
    one: they are what the rules are for.
    """
    lexicon = lexicon_of(content)
    begun = [[short_name(one.placed[0].name, content) for one in said if one.is_begun] for said in sections]
    times = Counter(name for names in begun for name in names)
    if sum(count for name, count in times.items() if not own.isdisjoint(name)) < OPENING_SHARE * len(lines):
        return {}
    beside = (names for names in begun if any(not own.isdisjoint(name) for name in names))
    return {
        name: count
        for name, count in Counter(name for names in beside for name in set(names) if own.isdisjoint(name)).items()
        if times[name] >= OPENING_SHARE * len(lexicon.lines_with_any(lexicon.stems.get(name[0], ())))
    }


def short_name(name: Name, content: DocumentContent) -> Name:
    """The stems of a name, of its second word only where the two go together elsewhere: not of "interns work"."""
    is_whole = len(lexicon_of(content).lines_with(" ".join(name))) >= TIMES_MIN
    return stems_of_name(name if is_whole else name[:1], content)


def set_beside(own: set[str], said: Sequence[ComparedSentence], content: DocumentContent) -> Iterator[Name]:
    """The names in the place of one with a stem of `own`, of sentences that are alike or of the same one."""
    places = ((one, placed) for one in said for placed in one.placed if placed.slot is not None)
    mine = [each for each in places if not own.isdisjoint(stems_of_name(each[1].name, content))]
    for one, (slot, clause, name) in mine:
        for other in said:
            for placed in other.placed:
                beside = stems_of_name(placed.name, content)
                if slot != placed.slot or not own.isdisjoint(beside):
                    continue
                is_joined = other is one and bool(slot) and clause != placed.clause
                named = {*beside, *stems_of_name(name, content)}
                if is_joined or (other is not one and are_alike(one.stems - named, other.stems - named)):
                    yield short_name(placed.name[: len(name)], content)


def stems_of_name(name: Name, content: DocumentContent) -> Name:
    return tuple(stem(word, content.language) for word in name)


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the words of two sentences beside the names in them are mostly the same."""
    shared = len(one & other)
    return shared >= ALIKE_MIN and shared >= ALIKE_SHARE * min(len(one), len(other))


@kept_by_key
def said_in_section(index: int, content: DocumentContent) -> list[ComparedSentence]:
    return [
        read_said(sentence, content.language)
        for text in texts_of_section(index, content)
        for sentence in SENTENCE.split(without_marker(text))
        for sentence in CLAUSE_END.split(sentence)
    ]


def without_marker(text: str) -> str:
    item = ITEM.match(text)
    return text[item.end() :] if item else text


def texts_of_section(index: int, content: DocumentContent) -> Iterator[str]:
    """The units of a section, each in one line."""
    entry = content.toc_by_index.get(index)
    first, last = (entry.first_line, entry.last_line) if entry else (1, len(content.lines))
    units, number = units_of(content), first
    while number <= min(last, first + LINES_MAX):
        unit = units.around(number)
        lines = [line for line in content.legible_lines(*unit) if line.toc_index == index and line.kind != "table_row"]
        yield " ".join(line.text for line in lines)
        number = unit.last + 1


def headings_beside(forms: Sequence[str], content: DocumentContent) -> list[ComparedSentence]:
    """The headings with a term, and those of the same level."""
    lexicon = lexicon_of(content)
    own = {index for form in forms for index in lexicon.titles_with(form)}
    levels = {content.toc_by_index[index].level for index in own}
    titles = [entry.title for entry in content.toc if entry.level in levels]
    return [read_said(title, content.language) for title in titles[:LINES_MAX]]


def read_said(text: str, language: str) -> ComparedSentence:
    """What a sentence names at the beginning of its clauses and behind prepositions; an article changes nothing."""
    placed: list[PlacedName] = []
    stems: set[str] = set()
    slot: str | None = ""
    clause, run = 0, list[str]()

    def close() -> None:
        nonlocal slot
        if run:
            placed.append(PlacedName(slot, clause, tuple(run[:WORDS_MAX])))
        if run:
            slot = None
        run.clear()

    for token in TOKEN.findall(match_form(text)):
        if not token[0].isalnum() or token in counting_words().joining:
            close()
            clause += 1
            slot = "" if not token[0].isalnum() or not placed or placed[-1].slot == "" else None
        elif is_preposition(token, language):
            close()
            slot = token
        elif is_stop_word(token, language) or not token.isalpha():
            close()
        else:
            run.append(token)
            stems.add(stem(token, language))
    close()
    return ComparedSentence(tuple(placed), frozenset(stems))


@lru_cache(maxsize=4096)
def is_preposition(word: str, language: str) -> bool:
    rules = phrasing_rules().of_language(language)
    is_circumstance = rules["circumstance"].fullmatch(f" {word} ") is not None
    return is_circumstance or any(rules["owner"].match(f"{word}{end}x") for end in (" ", "'"))


def other_kinds(own: set[str], lines: Numbers, content: DocumentContent) -> set[Name]:
    """The names of other kinds of what a term says the kind of: of the noun after it, or of the end of a compound."""
    lexicon, language = lexicon_of(content), content.language
    heads = Counter(
        stem(after, language) for before, after in pairs_on(lines, content) if stem(before, language) in own
    )
    found: set[Name] = set()
    for head in (head for head, times in heads.items() if times >= TIMES_MIN):
        pairs = pairs_on(lexicon.lines_with_any(lexicon.stems.get(head, ())), content)
        kinds = Counter(stem(kind, language) for kind, after in pairs if stem(after, language) == head)
        found |= {(kind, head) for kind, times in kinds.items() if kind not in own and times >= TIMES_MIN}
    if joins_words(language):
        others = (other for other in lexicon.stems if other not in own)
        found |= {(other,) for other in others if any(is_other_kind(one, other, language) for one in own)}
    return found


def pairs_on(numbers: Numbers, content: DocumentContent) -> Iterator[tuple[str, str]]:
    """The pairs of telling words next to each other on some lines."""
    for number in numbers[:LINES_MAX].tolist():
        for run in re.findall(r"(?<![^\W\d_])[^\W\d_]++(?:[ -][^\W\d_]++)+", content.lines[number - 1].match):
            for one, two in pairwise(split_words(run)):
                if not any(is_stop_word(word, content.language) for word in (one, two)):
                    yield one, two


def is_other_kind(one: str, other: str, language: str) -> bool:
    """Whether two stems of words written as one end in the same word: "Gewerbekunden", "Haushaltskunden"."""
    back = commonprefix([one[::-1], other[::-1]])[::-1]
    fronts = (word.removesuffix(back) for word in (one, other))
    return may_be_back(back, language) and all(may_be_front(front, language) for front in fronts)


def find_named(name: Name, text: str, language: str) -> str:
    """What a text calls something by the stems of its name, where that begins a run of telling words, or "" if it does
    not; where words are written as one, as the first of them.
    """
    is_joined = joins_words(language) and len(name) == 1 and len(name[0]) >= FIRST_MIN
    for placed in read_said(text, language).placed:
        stems = tuple(stem(word, language) for word in placed.name)
        if stems[: len(name)] == name or (is_joined and stems[0].startswith(name[0])):
            return " ".join(placed.name[: len(name)])
    return ""


def stems_named(text: str, content: DocumentContent) -> set[str]:
    """The stems of the first word of each run of telling words, and of the second where the two go together."""
    language = content.language
    named: set[str] = set()
    before = ""
    for word in normalise_words(text):
        is_framing = is_stop_word(word, language) or is_generic(word, language)
        if not is_framing and (not before or len(short_name((before, word), content)) > 1):
            named.add(stem(word, language))
        before = "" if is_framing else word
    return named
