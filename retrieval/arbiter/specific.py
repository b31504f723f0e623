"""What is specific in a question (names, codes, years, each part of a hyphenated term), and which of it a text says."""

import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from documents.storage.content import COVER_LINES, DocumentContent, kept_by_key, kept_with_content
from reading.matching import match_form
from reading.registry.references import references_in
from reading.rows import name_in_force
from reading.values.years import YEAR_WORD
from retrieval.question.parse import document_words, owners_named
from retrieval.question.values import UNFORMED
from retrieval.types import Candidate, Question
from retrieval.words.lexicon import Numbers, lexicon_of
from retrieval.words.terms import weigh_terms, year_forms
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words, split_words, stem, words_anywhere

NAME = re.compile(r"(?<=[a-z,;:(“\"'’] )[A-Z][a-z]{2,}\w*|(?<=[a-z] )[A-Z][\w&]*(?='s|’s)")  # inside a sentence
# Where every noun has a capital: what has several words with one, or is not written as a noun is.
NAME_AMONG_NOUNS = re.compile(
    r"(?<=[a-z,;:(“\"'’] )(?:[A-Z][\w&.-]*(?: [A-Z][\w&.-]*)+|[A-Z]{2,}[\w&]*|[A-Z][a-z]+[A-Z]\w*)"
)
NOUN = re.compile(r"(?<=[^\W\dA-Z_] |[,;:(“\"'’] )[A-ZÄÖÜ][^\W\dA-Z_]{2,}\w*")
NOUNS_WITH_CAPITALS = frozenset(["de"])
NOUN_FIRST = frozenset(["es", "fr"])  # before what is said of it
IN_CAPITALS = re.compile(r"\b(?![IVX]+\b)[A-Za-z]{0,12}[A-Z][a-z]{0,12}[A-Z][A-Za-z]{0,12}\b")  # "AES", "PhD"
BETWEEN = r"[a-zß-ÿ]\w{0,24}[ -](?:[a-z]{1,3}[ '’])?"  # the rest of a word abbreviated, and a little word: "of"
HYPHENATED = re.compile(r"(?<![\w-])[^\W\d_]{2,}(?:[-‐‑][^\W\d_]{2,})+(?![\w-])")
PART_MIN = 4  # letters: "non", "pre" and "sub" are written together elsewhere
# "-s", "--root", ".zip"; no dash of a sentence
FLAG = re.compile(r"(?<=\s)(?<!\d )(?:--[A-Za-z][\w-]{1,30}|-(?:[A-Za-z]|\d{1,2})(?![\w-])|\.\d?[A-Za-z]{1,6}\b)")
CODE = r"(?P<v>v?)(?P<code>\d{1,4}(?:\.\d{1,4}){1,3}?)(?:\.0)*+[a-z]?"  # 1.2.0 is 1.2
VERSION = re.compile(rf"(?<![\w.,/])(?<!\d-){CODE}(?![\w%]|[.,-]\d)")
# What stands above the changes of a version: "New in version 4.3", "* Version 1.0.18", "v1.5.4 (Feb 2023)".
HEAD = re.compile(
    rf"(?P<mark>\W{{0,6}})(?P<words>(?:[^\W_]\S{{0,24}} ){{0,5}}?)(?:(?P<before>[^\W\d_]{{1,24}}) )?{CODE}"
    r"(?: (?P<after>[a-z]{1,12}))?(?: ?[(\[].{0,60}| ?[,:-] ?\d.{0,60})?[^\w.]{0,6}"
)


def specific_words(question: Question, *, with_nouns: bool = False) -> set[str]:
    """The names inside the sentence, the codes and the years; names of concepts are words like others.

    Where every noun has a capital, nouns are names only `with_nouns`, but for those that frame a question ("Höhe").
    """
    codes = [each.text for each in question.keywords if each.source == "identifier"]
    names = NAME.findall(question.topic)
    if question.language in NOUNS_WITH_CAPITALS:
        nouns = NOUN.findall(question.topic) if with_nouns else []
        telling = [each for each in nouns if not is_generic(match_form(each), question.language)]
        names = [*NAME_AMONG_NOUNS.findall(question.topic), *telling]
    concepts = {word for each in question.keywords if each.source == "dictionary" for word in split_words(each.text)}
    return (set(normalise_words(" ".join([*names, *codes]))) - concepts) | set(question.years)


def hyphenated_parts(question: Question) -> list[str]:
    """The parts of hyphenated terms, as typed, that stand for themselves: "English" and "Japanese"."""
    parts = (part for term in HYPHENATED.findall(question.topic) for part in re.split(r"[-‐‑]", term))
    return [
        part
        for part in parts
        if len(part) >= PART_MIN and not any(is_empty(word, question.language) for word in normalise_words(part))
    ]


def is_empty(word: str, language: str) -> bool:
    """Whether a word says nothing of a topic: a little word, or one that only frames a question."""
    return is_stop_word(word, language) or is_generic(word, language)


def unsaid_words(question: Question, said: Iterable[str], content: DocumentContent) -> set[str]:
    """What is specific in a question and neither among the words of a text nor true of its whole document."""
    parts = set(normalise_words(" ".join(hyphenated_parts(question))))
    codes = {word for each in question.keywords if each.source == "identifier" for word in split_words(each.text)}
    stems = {stem(word, question.language) for word in said}
    elsewhere = {year for year in question.years if year not in question.topic}  # in another part of the question
    wanted = (specific_words(question) | parts) - codes - elsewhere
    forms = {word: year_forms(word) if word.isdigit() else (word,) for word in wanted}
    lacking = {word for word in wanted if stems.isdisjoint(stem(each, question.language) for each in forms[word])}
    return lacking - words_of_whole(lacking, content)


def words_of_whole(words: Collection[str], content: DocumentContent, more: str = "") -> set[str]:
    """Those of the words that are in the title, the file name, a heading given, or on the document's cover.

    Where the former have a year, another on the cover is not the document's: "5% more than in 2022" in that of 2023.
    """
    titles = set(normalise_words(f"{content.title} {content.file_name} {more}".replace("_", " ")))
    is_dated = any(YEAR_WORD.fullmatch(word) for word in titles)
    return {
        word for word in words if word in titles or (is_on_cover(word, content) and not (is_dated and word.isdigit()))
    }


@kept_by_key  # which of its words a document has is asked for every place that a question finds
def is_on_cover(word: str, content: DocumentContent) -> bool:
    return bool((lines_with_word(word, content) <= COVER_LINES).any())


@kept_by_key
def pages_with_word(word: str, content: DocumentContent) -> frozenset[int]:
    return frozenset(lexicon_of(content).line_pages[lines_with_word(word, content)].tolist())


def lines_with_word(word: str, content: DocumentContent) -> Numbers:
    """The numbers of the lines that have a word in any form of it, or a year as years are written.

    Of a word that the document has in two parts ("Wasserschaden") those with both, or with one below a title with the
    other.
    """
    lexicon = lexicon_of(content)
    if word.isdigit():
        return lexicon.lines_with_any(year_forms(word))
    if (parts := lexicon.parts_of(word)) and parts.is_known:
        forms = [lexicon.inflections(part) for part in parts.known]
        front, back = map(lexicon.lines_with_any, forms)
        near = np.intersect1d(back, np.concatenate([front - 1, front, front + 1]))
        titled = [lines_below_titles(front, forms[1], content), lines_below_titles(back, forms[0], content)]
        return np.unique(np.concatenate([near, *titled]))
    return lexicon.lines_with_any(lexicon.inflections(word) or (word,))


def lines_below_titles(numbers: Numbers, forms: Iterable[str], content: DocumentContent) -> Numbers:
    """Those of some lines that are in a section whose title has one of the forms."""
    indexes = {index for form in forms for index in lexicon_of(content).titles_with(form)}
    entries = [entry for entry in content.toc if entry.index in indexes]
    is_below = [(entry.first_line < numbers) & (numbers <= entry.last_line) for entry in entries]
    return numbers[np.any(is_below, axis=0)] if is_below else numbers[:0]


def words_around(candidate: Candidate, content: DocumentContent, words: set[str]) -> set[str]:
    """Those of the words that are on the candidate's first page, the document's cover, or in its title or file name."""
    found = words_of_whole(words, content, name_in_force(candidate.breadcrumb))
    return found | {word for word in words - found if candidate.anchor_pages[0] in pages_with_word(word, content)}


def words_nowhere(question: Question, contents: Sequence[DocumentContent]) -> list[str]:
    """The names, nouns with a capital, words in capitals, codes, versions, years, capitalised parts of hyphenated terms
    and the thing after "which" that no document says, its title included, nor in another word of the dictionary.

    Nothing for a question in parts, where others may be answered, nor where no document is in its language.
    """
    if question.parts or not any(content.language in (question.language, "und") for content in contents):
        return []
    codes = [each.text for each in question.keywords if each.source == "identifier"]
    capitalised = [part for part in hyphenated_parts(question) if part[0].isupper()]
    found = [] if question.topic.isupper() else IN_CAPITALS.findall(question.topic)
    in_capitals = [each for each in found if not is_empty(match_form(each), question.language)]
    wanted = specific_words(question, with_nouns=True) | set(normalise_words(" ".join([*capitalised, *in_capitals])))
    wanted.update(code for code in codes if names_thing(code, question) and code not in question.hints.section)
    terms = [term for content in contents for term in weigh_terms(question, lexicon_of(content))]
    said = {text for term in terms if len(term.lines) for text in term.texts}.union(normalise_words(" ".join(codes)))
    missing = {word for word in wanted - said if not any(is_named_in(each, word, question) for each in contents)}
    versions = versions_asked(question, contents)
    missing |= {code for code in versions if not any(has_version(code, each, question.topic) for each in contents)}
    missing |= {flag for flag in FLAG.findall(question.topic) if not any(prints(flag, each) for each in contents)}
    things = owners_named(question.topic, question.language, "which") if question.answer_type in UNFORMED else []
    named = [thing[:1] if question.language in NOUN_FIRST else thing for thing in things]
    # No class whose members are told without it: "which country" is answered by its name.
    unsaid = {each.text for each in question.keywords if not is_empty(each.text, question.language)} - said
    unsaid -= words_anywhere("class_nouns")
    missing |= {each[0] for each in named if unsaid.issuperset(each)}
    return sorted(missing)


def names_thing(code: str, question: Question) -> bool:
    """Whether a code is a name, by a letter or by the word before it: "OpenSSH 8.6", but not "it was 99.2"."""
    before = normalise_words(question.topic.partition(code)[0])[-1:]
    return not code[0].isdigit() or any(not is_stop_word(word, question.language) for word in before)


def is_named_in(content: DocumentContent, word: str, question: Question) -> bool:
    """Whether a document says a name in any form, the words that it abbreviates, or the long number of a code."""
    names = [word, *re.findall(r"\d{3,}", word)]  # "ISO 27001" is "ISO/IEC 27001"
    if any(len(lines_with_word(name, content)) for name in names) or words_of_whole(names, content):
        return True
    if not (word.isalpha() and word.upper() in question.topic):
        return False
    rest = BETWEEN.join(word[1:].upper())  # with capitals, or joined: "Chief Financial Officer", "multi-factor tokens"
    spelled = re.compile(rf"\b{word[0].upper()}{BETWEEN}{rest}|\b(?i:{word[0]}\w{{1,24}}-{rest})")
    return spelled.search(" ".join(line.text for line in content.lines)) is not None


def prints(flag: str, content: DocumentContent) -> bool:
    """Whether a document prints an option with its hyphens, or an ending of files with its point."""
    printed = re.compile(rf"{'' if flag[0] == '.' else '(?<![a-z0-9-])'}{re.escape(match_form(flag))}(?![a-z0-9-])")
    return any(printed.search(line.match) for line in content.lines)


# ---- versions, and what change logs say of each


def versions_asked(question: Question, contents: Sequence[DocumentContent]) -> set[str]:
    """The versions that a question names by a word for that ("release 3.4", "v3.4") or by a document ("chrony 4.4")."""
    topic, words, titles = question.topic_form, words_anywhere("version_words"), document_words(contents)
    return {
        found["code"]
        for found in VERSION.finditer(topic)
        if found["v"]
        or (words | titles).intersection(normalise_words(topic[: found.start()])[-1:])
        or words.intersection(normalise_words(topic[found.end() :])[:1])
    }


def has_version(code: str, content: DocumentContent, topic: str) -> bool:
    """Whether a document prints a version, and not only the number of a section, at its head or where it is meant."""
    form, own = code.replace(".", " "), {*document_words([content]), *normalise_words(topic)}
    lines = [content.lines[at - 1] for at in lexicon_of(content).lines_with_any((form, f"v{form}"))]
    return code in version_heads(content).values() or any(
        found["code"] == code
        and (found.start() or not line.text[found.end() :].lstrip(" .)")[:1].isupper())
        and not any(start <= found.start() < end for _, start, end in references_in(line.match))
        and not is_of_other_thing(line.text.split()[: len(line.match[: found.start()].split())], own)
        for line in lines
        for found in VERSION.finditer(line.match)
    )


def is_of_other_thing(before: Sequence[str], own: Collection[str]) -> bool:
    """Whether the words before a version end with another name than its `own`: "TLS version", not "New in version"."""
    beside, known = words_anywhere("version_words"), {*own, *words_anywhere("stop_words")}
    words = [word for word in before if not beside.issuperset(normalise_words(word))]
    name = words[-1] if words else ""
    is_name = name[:1].isupper() and name[-1].isalnum() and (len(words) > 1 or not name.istitle())
    return is_name and known.isdisjoint(normalise_words(name))


@kept_with_content
def version_heads(content: DocumentContent) -> dict[int, str]:
    """The lines under which a change log speaks of a version, by their numbers, with that version."""
    heads, words = dict[int, str](), words_anywhere("version_words")
    for line in content.lines:
        if found := HEAD.fullmatch(line.match):
            is_named = words & {found["before"], found["after"]} or (found["v"] and not found["before"])
            is_set_apart = not found["words"] or "(" in line.match or (not found["mark"] and line.text[0].isupper())
            is_title = line.kind == "heading" and not found["after"]
            heads |= {line.number: found["code"]} if (is_named and is_set_apart) or is_title else {}
    return heads


def other_version(candidate: Candidate, asked: set[str], content: DocumentContent) -> str:
    """The version of which a change log speaks at a place instead of those asked for, or ""."""
    heads, said = version_heads(content), f"{candidate.breadcrumb} {candidate.anchor_text} {candidate.own_text}"
    above = heads.get(max((at for at in heads if at <= candidate.anchor.first), default=0), "")
    is_asked = asked & {above, *(found["code"] for found in VERSION.finditer(match_form(said)))}
    return above if asked & {*heads.values()} and not is_asked else ""  # the head of that asked for may not be seen
