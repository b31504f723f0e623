"""Word lists and expressions stored as data: read once from files beside a module, and validated.

`<name>.<language>.txt` lists words, or words with their forms, `<name>.<language>.toml` has entries in sections. A
malformed file raises WordingError with the file and entry: a half-read list would change answers without anybody
noticing.

What the rules know of languages is data and not code: stop words and generic words, numbers in words, instructions and
lead-ins, signs of the kind of answer, forms, metrics and lines of statements. The modules hold the grammar these are
put into.
"""

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from reading.matching import match_form
from reading.values.currencies import CURRENCY_SIGNS
from reading.values.months import MATCHED_STEMS
from reading.values.numbers import ENDINGS
from reading.values.years import NAMED_YEAR, YEAR_DIGITS

LANGUAGES = ("en", "fr", "de", "es", "ja", "zh", "ar", "he")
VALUES = {  # that every pattern may name
    "year": YEAR_DIGITS,
    "named_year": NAMED_YEAR,
    "months": MATCHED_STEMS,
    "currencies": CURRENCY_SIGNS,
} | {f"{language}_counts": rf"\d+|{endings}" for language, endings in ENDINGS.items()}
VALUE = re.compile(rf"\{{({'|'.join(VALUES)})\}}")
SLOT = re.compile(r"\{([a-z_]+)\}")
COMMENT = "#"


class WordingError(ValueError):
    """A file of words or expressions is malformed; the message names the file, the entry and the reason."""


@dataclass(frozen=True)
class Wording:
    """One alternative of a section, with examples it must match and counter-examples it must not match."""

    file: str
    language: str
    section: str
    pattern: str
    examples: tuple[str, ...]
    counter_examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wordings:
    """The alternatives of all languages, and the compiled expression of each section.

    A frame is an expression with slots: `{section}` becomes the alternatives of that section, joined by "|".
    """

    frames: Mapping[str, str]
    alternatives: tuple[Wording, ...]
    patterns: Mapping[str, re.Pattern[str]]

    def __getitem__(self, section: str) -> re.Pattern[str]:
        return self.patterns[section]

    def first_words(self, text: str, sections: Iterable[str]) -> dict[str, str]:
        """The sections a text has words of, each with the first."""
        found = {section: self[section].search(text) for section in sections}
        return {section: words[0] for section, words in found.items() if words}

    def in_language(self, section: str, language: str) -> re.Pattern[str]:
        """The expression of a section with what one language says, and English in a slot it has nothing for.

        What every language says for one that nothing is known of here, as for none.
        """
        return self.of_language(language)[section]

    def of_language(self, language: str) -> "Wordings":
        """The same expressions, each as it is `in_language`."""
        if not any(each.language == language for each in self.alternatives):
            return self
        if language not in self._by_language:
            own = {each.section for each in self.alternatives if each.language == language}
            said = tuple(
                each
                for each in self.alternatives
                if each.language == (language if each.section in own else LANGUAGES[0])
            )
            patterns = {section: expression(frame, said) for section, frame in self.frames.items()}
            self._by_language[language] = Wordings(self.frames, said, patterns)
        return self._by_language[language]

    @cached_property
    def _by_language(self) -> dict[str, "Wordings"]:
        return {}

    def alone(self, wording: Wording) -> re.Pattern[str]:
        """The expression of a section with this alternative only."""
        if wording not in self._alone:
            others = tuple(each for each in self.alternatives if each.section != wording.section)
            self._alone[wording] = expression(self.frames[wording.section], (*others, wording))
        return self._alone[wording]

    @cached_property
    def _alone(self) -> dict[Wording, re.Pattern[str]]:
        return {}

    def without(self, left_out: Iterable[Wording]) -> "Wordings":
        """The same expressions without some of their alternatives."""
        out = set(left_out)
        kept = tuple(each for each in self.alternatives if each not in out)
        return Wordings(self.frames, kept, {section: expression(frame, kept) for section, frame in self.frames.items()})


def read_words(path: Path) -> frozenset[str]:
    """The words of a list, one per line, in match form, sorted and unique. Raises WordingError."""
    words = [" ".join(row) for row in read_listed_words(path)]
    check_words(path, words)
    return frozenset(words)


def read_listed_words(path: Path) -> list[list[str]]:
    """What stands on each line of a list, without comments. Raises WordingError for an empty one."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith(COMMENT)]
    if not rows:
        raise WordingError(f"{path.name}: no words")
    return rows


def check_words(path: Path, words: Sequence[str]) -> None:
    """Raises WordingError for what is no word in match form, and for words that are not sorted and unique."""
    if strange := [word for word in words if not is_word(word)]:
        raise WordingError(f"{path.name}: {strange[0]!r} is not one word in match form")
    if misplaced := [after for before, after in pairwise(words) if after <= before]:
        raise WordingError(f"{path.name}: {misplaced[0]!r} is twice there or not in alphabetical order")


def is_word(text: str) -> bool:
    return text.isalnum() and match_form(text) == text


def read_word_lists(folder: Path, name: str) -> dict[str, frozenset[str]]:
    """The word list of every language that has one. Raises WordingError."""
    return {language: read_words(path) for language, path in files_of(folder, name, "txt")}


def read_form_lists(folder: Path, name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """By language that has such a list, the forms of each word: its line names the word, then them. WordingError."""
    return {language: read_forms(path) for language, path in files_of(folder, name, "txt")}


def read_forms(path: Path) -> dict[str, tuple[str, ...]]:
    """The forms of each word of a list, by the word; every form belongs to one word only. Raises WordingError."""
    rows = read_listed_words(path)
    names, forms = [row[0] for row in rows], [form for row in rows for form in row[1:]]
    check_words(path, names)
    check_words(path, sorted([*names, *forms]))
    return {row[0]: tuple(row[1:]) for row in rows}


def read_wordings(folder: Path, name: str, frames: Mapping[str, str]) -> Wordings:
    """The entries of every language as expressions, ignoring case and blanks. Raises WordingError."""
    alternatives = tuple(
        wording_of(path.name, language, section, entry)
        for language, path in files_of(folder, name, "toml")
        for section, entry in read_entries(path)
    )
    if unknown := [each for each in alternatives if each.section not in frames]:
        raise WordingError(f"{unknown[0].file}: there is no section {unknown[0].section!r}")
    patterns = {section: expression(frame, alternatives) for section, frame in frames.items()}
    return Wordings(frames, alternatives, patterns)


def read_once(module: str, name: str, frames: Mapping[str, str]) -> Callable[[], Wordings]:
    """What gives the entries beside a module and reads them when it is first asked. Raises WordingError then."""

    @cache
    def give() -> Wordings:
        return read_wordings(Path(str(sys.modules[module].__file__)).parent, name, frames)

    give.__module__ = module
    return give


def read_entries(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each entry of a TOML file with its section, and VALUES in its pattern. Raises WordingError."""
    try:
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WordingError(f"{path.name}: {error}") from error
    for section, entries in sections.items():
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise WordingError(f"{path.name}: write [[{section}]] above each entry")
        for entry in entries:
            if isinstance(entry.get("pattern"), str):
                entry["pattern"] = VALUE.sub(lambda slot: VALUES[slot[1]], entry["pattern"])
            yield section, entry


def check_fields(place: str, entry: Mapping[str, Any], fields: Mapping[str, type], required: Sequence[str]) -> None:
    """Raise WordingError if an entry lacks a field, or has an unknown one or one of another type."""
    if missing := [name for name in required if not entry.get(name)]:
        raise WordingError(f"{place}: {missing[0]!r} is missing in {dict(entry)!r}")
    for name, value in entry.items():
        is_list_of_others = isinstance(value, list) and not all(isinstance(each, str) for each in value)
        if name not in fields or not isinstance(value, fields[name]) or is_list_of_others:
            raise WordingError(f"{place}: {name} = {value!r} is not understood")


def compile_checked(place: str, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """The compiled expression. Raises WordingError if it is invalid."""
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise WordingError(f"{place}: {pattern!r} is no expression: {error}") from error


def files_of(folder: Path, name: str, kind: str) -> list[tuple[str, Path]]:
    """The files of a name with their languages. Raises WordingError if there are none."""
    found = [(language, folder / f"{name}.{language}.{kind}") for language in LANGUAGES]
    if not (there := [(language, path) for language, path in found if path.is_file()]):
        raise WordingError(f"{folder / name}.<language>.{kind}: no such file")
    return there


def wording_of(file: str, language: str, section: str, entry: Mapping[str, Any]) -> Wording:
    place = f"{file}, [[{section}]]"
    check_fields(place, entry, {"pattern": str, "examples": list, "counter_examples": list}, ("pattern", "examples"))
    compile_checked(place, entry["pattern"], re.VERBOSE)
    examples, counter_examples = tuple(entry["examples"]), tuple(entry.get("counter_examples", ()))
    return Wording(file, language, section, entry["pattern"].strip(), examples, counter_examples)


def expression(frame: str, alternatives: Sequence[Wording]) -> re.Pattern[str]:
    """A frame with its slots filled. A slot without alternatives matches nothing."""

    def filled(slot: re.Match[str]) -> str:
        return "|".join(each.pattern for each in alternatives if each.section == slot[1]) or "(?!)"

    return compile_checked(frame, SLOT.sub(filled, frame), re.IGNORECASE | re.VERBOSE)
