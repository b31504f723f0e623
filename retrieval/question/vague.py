"""Questions that are too vague to search (R23): what their word can mean here, and what is said back to the asker.

A word means as many things as the documents have of it: "liability cap" and "annual cap" are two, one "cap" alone is
one. What is said stands in `questions_back.*.toml`, in the language of the question.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import UNSEARCHED_KINDS
from reading.wording import LANGUAGES, WordingError, check_fields, files_of, read_entries
from retrieval.question.kinds import Default, ReadingRules
from retrieval.types import Meaning, VagueWord
from retrieval.words.counts import read_count
from retrieval.words.lexicon import lexicon_of
from retrieval.words.tokens import is_stop_word, normalise_words, stem

MEANINGS_MAX = 5  # shown to choose from; more would not be read
QUALIFIER_MIN = 3  # letters: shorter words that are no stop words are units and initials
LINES_MAX = 2_000  # of one document that are looked at
ASK_BELOW, APPLY_ABOVE = 0.60, 0.85  # R23: below, always asked; above, applied and said; between, asked now and then
PIECE = re.compile(r"[^\W\d_][\w'’]*|\d[\w.,]*|[^\w\s]")
SAID = (
    *("greeted", "subject", "which", "which_of", "choice", "proposed", "assumed"),
    *("page_printed", "page_file", "page_none"),
)
FIELDS = {"text": str}
GRAMMAR = {"qualifier": str, "joining": list, "begins": str, "keeps_capitals": bool}


class Speech(NamedTuple):
    """What is said back in one language, and how that language says what a thing belongs to."""

    said: Mapping[str, str]
    is_before: bool  # the qualifying word stands before the word: "liability cap", not "plafond annuel"
    joining: frozenset[str]  # between the word and what it belongs to: "cap on liability"
    begins: str  # how what qualifies begins, where that tells it from a verb: the article of "الحد الأقصى"
    keeps_capitals: bool  # a word in lower case is misspelt: "Obergrenze der Haftung"


@cache
def speeches() -> dict[str, Speech]:
    """By language. Raises WordingError if a file is malformed."""
    return {language: read_speech(path) for language, path in files_of(Path(__file__).parent, "questions_back", "toml")}


def read_speech(path: Path) -> Speech:
    said: dict[str, str] = {}
    grammar: dict[str, Any] = {}
    for section, entry in read_entries(path):
        place = f"{path.name}, [[{section}]]"
        if section == "grammar":
            check_fields(place, entry, GRAMMAR, ("qualifier", "joining"))
            grammar = entry
        else:
            check_fields(place, entry, FIELDS, ("text",))
            said[section] = entry["text"]
    if set(said) != set(SAID) or grammar.get("qualifier") not in ("before", "after"):
        raise WordingError(f"{path.name}: it needs {', '.join(SAID)}, and [[grammar]] with qualifier and joining")
    return Speech(
        said,
        is_before=grammar["qualifier"] == "before",
        joining=frozenset(grammar["joining"]),
        begins=grammar.get("begins", ""),
        keeps_capitals=grammar.get("keeps_capitals", False),
    )


def say(name: str, language: str, **told: str) -> str:
    """A sentence in a language, in English where there is none."""
    speech = speeches().get(language) or speeches()[LANGUAGES[0]]
    return speech.said[name].format(**told)


# ---- what a word means in the documents


def meanings_of(word: str, forms: Sequence[str], contents: Sequence[DocumentContent]) -> tuple[Meaning, ...]:
    """What a word is qualified by in the documents, the most frequent first; () if it always stands alone.

    `key` is the same for "liability cap" and "cap on liability"; `text` is how the documents mostly print it.
    """
    counts: Counter[str] = Counter()
    texts: dict[str, Counter[str]] = {}
    for content in contents:
        for number in lexicon_of(content).lines_with_any(forms).tolist()[:LINES_MAX]:
            row = content.lines[number - 1]
            if row.kind in UNSEARCHED_KINDS:
                continue
            for key, text in find_qualified(row.text, word, frozenset(forms), content.language):
                counts[key] += 1
                texts.setdefault(key, Counter())[text] += 1
    order = sorted(counts, key=lambda key: (-counts[key], key))
    return tuple(Meaning(key, texts[key].most_common(1)[0][0], counts[key]) for key in order)


def find_qualified(text: str, word: str, forms: frozenset[str], language: str) -> list[tuple[str, str]]:
    """Each place of a word in a line with what qualifies it: its key, and the phrase, without capitals where it may."""
    speech = speeches().get(language) or speeches()[LANGUAGES[0]]
    pieces = PIECE.findall(text)
    found: list[tuple[str, str]] = []
    for at, piece in enumerate(pieces):
        if match_form(piece) not in forms:
            continue
        beside = at - 1 if speech.is_before else at + 1
        if 0 <= beside < len(pieces) and is_qualifier(pieces[beside], forms, language):
            first, last = min(at, beside), max(at, beside)
        elif (last := joined_to(pieces, at, speech, forms, language)) > at:
            first = at
        else:
            continue
        said = pieces[first : last + 1]
        said[at - first] = word if said[at - first].islower() else said[at - first]
        phrase = " ".join(said).replace("’ ", "’").replace("' ", "'")
        found.append((key_of(said, forms, language), phrase if speech.keeps_capitals else phrase.lower()))
    return found


def joined_to(pieces: Sequence[str], at: int, speech: Speech, forms: frozenset[str], language: str) -> int:
    """The place of what a word belongs to, as in "cap on the liability"; the word's own if it says nothing."""
    if at + 1 >= len(pieces) or match_form(pieces[at + 1].rstrip("'’")) not in speech.joining:
        return at
    for place in range(at + 2, min(at + 4, len(pieces))):
        if is_qualifier(pieces[place], forms, language):
            return place
        if not is_stop_word(match_form(pieces[place]), language):
            break
    return at


def is_qualifier(piece: str, forms: frozenset[str], language: str) -> bool:
    """Whether a piece says which one is meant: a word with a meaning of its own, no number, no sign, not the word."""
    said = match_form(piece)
    begins = (speeches().get(language) or speeches()[LANGUAGES[0]]).begins
    is_word = said.isalpha() and len(said) >= QUALIFIER_MIN and said not in forms and said.startswith(begins)
    return is_word and not is_stop_word(said, language) and not read_count(said)


def key_of(said: Sequence[str], forms: frozenset[str], language: str) -> str:
    """What tells one meaning from another: the stems of its telling words but for the vague one."""
    words = [word for piece in said for word in normalise_words(piece)]
    telling = {stem(word, language) for word in words if word not in forms and not is_stop_word(word, language)}
    return " ".join(sorted(telling))


# ---- what is done about it


def consider(
    word: str, forms: Sequence[str], asked: str, contents: Sequence[DocumentContent], language: str, rules: ReadingRules
) -> tuple[VagueWord, str]:
    """What a vague word can mean, what is assumed of it, and what is asked back; "" where nothing needs to be asked.

    `asked` is the question as it was typed.
    """
    place = find_typed(asked, forms)
    typed = place.group() if place else word
    meanings = meanings_of(word, forms, contents)
    is_said = any(len(lexicon_of(content).lines_with_any(forms)) for content in contents)
    if is_said and len(meanings) <= 1:
        return VagueWord(word, meanings, why="it means one thing here, so nothing is asked", typed=typed), ""
    kinds = [content.document_type for content in contents]
    default = rules.default_for(word, kinds, [content.document_id for content in contents])
    known = next((each for each in meanings if default and each.key == default.meaning), None)
    kind = kinds[0] if len(set(kinds)) == 1 else ""
    read = VagueWord(word, meanings[:MEANINGS_MAX], document_type=kind, typed=typed)
    if known and known not in read.meanings:
        read = replace(read, meanings=(known, *read.meanings[:-1]))
    if default is None or known is None:
        read = replace(read, why="nobody has said yet what it means here")
        return read, ask_which(read, language)
    read = replace(read, confidence=default.confidence, why=reason_of(default, known.text))
    if default.confidence > APPLY_ABOVE or (default.confidence >= ASK_BELOW and not default.is_due):
        return replace(read, assumed=known.text), ""
    if default.confidence < ASK_BELOW:
        return read, ask_which(read, language)
    others = [each.text for each in read.meanings if each != known]
    return replace(read, proposed=known.text), say(
        "proposed", language, word=read.shown, meaning=known.text, choices=list_meanings(others, language)
    )


def ask_which(read: VagueWord, language: str) -> str:
    if not read.meanings:
        return say("which", language, word=read.shown)
    choices = list_meanings([each.text for each in read.meanings], language)
    return say("which_of", language, word=read.shown, choices=choices)


def describe_assumption(read: VagueWord, language: str) -> str:
    """What an answer says of the meaning that was assumed, with the others to choose from."""
    others = [each.text for each in read.meanings if each.text != read.assumed]
    return say("assumed", language, word=read.shown, meaning=read.assumed, choices=list_meanings(others, language))


def list_meanings(texts: Sequence[str], language: str) -> str:
    return ", ".join(say("choice", language, meaning=text) for text in texts)


def reason_of(default: Default, text: str) -> str:
    """Why a default is applied or asked about, for the record."""
    said = f"{round(100 * default.confidence)} % of what was chosen here speaks for “{text}”"
    if default.confidence > APPLY_ABOVE:
        return f"{said}: above {APPLY_ABOVE:.0%} it is applied and said"
    if default.confidence < ASK_BELOW:
        return f"{said}: below {ASK_BELOW:.0%} it is always asked"
    if default.is_due:
        return f"{said}: between the bands it is asked again after two that were silently accepted"
    return f"{said}: between the bands it is applied until two were silently accepted"


def with_meaning(asked: str, forms: Sequence[str], meaning: str) -> str:
    """The question with its vague word replaced by what is meant: "What is the cap?" asks for the liability cap."""
    if piece := find_typed(asked, forms):
        return f"{asked[: piece.start()]}{meaning}{asked[piece.end() :]}"
    return f"{asked.rstrip(' ?')}: {meaning}?"


def find_typed(asked: str, forms: Sequence[str]) -> re.Match[str] | None:
    """The first word of a question that is one of these forms."""
    return next((piece for piece in PIECE.finditer(asked) if match_form(piece.group()) in forms), None)
