"""On how many questions of each shared set every word and alternative of the rules fires; one alone is no rule."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.questions import GoldQuestion
from chat.figures.computing import statement_lines
from chat.figures.formulas import asked_text, known_metrics
from reading.values.sentences import QUESTION_SENTENCE
from reading.wording import Wording, Wordings
from retrieval.question.forms import form_rules
from retrieval.question.kinds import answer_rules
from retrieval.question.phrasing import phrasing_rules
from retrieval.words.tokens import generic_words, normalise_words, stem

LEAVES_MAX = 400  # of one alternative; each further group in it would multiply them


@dataclass(frozen=True)
class Fires:
    """A word or alternative, with the number of questions of each set it fires on."""

    file: str
    section: str
    text: str
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def run(sets: Mapping[str, Sequence[GoldQuestion]]) -> list[Fires]:
    """Every word and alternative with its counts, in the order of the files."""
    asked = {name: [question.question for question in questions] for name, questions in sets.items()}
    found = [*count_words(asked), *count_metrics(asked), *count_lines(asked)]
    for rules in (phrasing_rules(), answer_rules(), form_rules()):
        for wording in rules.alternatives:
            found += count_leaves(rules, wording, asked)
    return found


def count_words(asked: Mapping[str, Sequence[str]]) -> Iterator[Fires]:
    for language, words in generic_words().items():
        said = {
            name: [{stem(word, language) for word in normalise_words(text)} for text in texts]
            for name, texts in asked.items()
        }
        for word in sorted(words):
            counts = {name: sum(stem(word, language) in stems for stems in texts) for name, texts in said.items()}
            yield Fires(f"generic_words.{language}.txt", "", word, counts)


def count_metrics(asked: Mapping[str, Sequence[str]]) -> Iterator[Fires]:
    for metric in known_metrics():
        counts = {
            name: sum(bool(metric.named.search(asked_text(text))) for text in texts) for name, texts in asked.items()
        }
        yield Fires("metrics.en.toml", "metric", metric.name, counts)


def count_lines(asked: Mapping[str, Sequence[str]]) -> Iterator[Fires]:
    for line in statement_lines():
        for leaf in leaves_of(line.asked.pattern):
            pattern = re.compile(rf"\b(?:{leaf})\b")
            counts = {
                name: sum(bool(pattern.search(asked_text(text))) for text in texts) for name, texts in asked.items()
            }
            yield Fires("lines.en.toml", "line", leaf, counts)


def count_leaves(rules: Wordings, wording: Wording, asked: Mapping[str, Sequence[str]]) -> Iterator[Fires]:
    """Count each leaf of an alternative, on whole questions and on their sentences: instructions are sentences."""
    for leaf in leaves_of(wording.pattern):
        pattern = rules.alone(Wording(wording.file, wording.language, wording.section, leaf, wording.examples))
        counts = {
            name: sum(any(pattern.search(said) for said in (text, *QUESTION_SENTENCE.split(text))) for text in texts)
            for name, texts in asked.items()
        }
        yield Fires(wording.file, wording.section, leaf, counts)


def leaves_of(pattern: str) -> list[str]:
    """Expand an expression into its alternatives: "a(?:b|c)" becomes ab, ac."""
    pattern = re.sub(r"\s*\n\s*", "", pattern)
    leaves: list[str] = []
    waiting = split_at_bars(pattern)
    while waiting and len(leaves) + len(waiting) < LEAVES_MAX:
        part = waiting.pop(0)
        parts = opened(part)
        if len(parts) > 1:
            waiting = parts + waiting
        else:
            leaves.append(part)
    return [leaf.strip() for leaf in leaves + waiting if leaf.strip()]


def opened(pattern: str) -> list[str]:
    """A pattern with its first group of alternatives expanded, itself if there is none. Optional groups stay."""
    for start in (found.start() for found in re.finditer(r"(?<!\\)\(\?:", pattern)):
        end = end_of_group(pattern, start)
        choices = split_at_bars(pattern[start + 3 : end])
        is_optional = pattern[end + 1 : end + 2] in ("?", "*", "+", "{")
        is_outermost = pattern[:start].count("(") == len(re.findall(r"\\\(", pattern[:start]))
        if len(choices) > 1 and not is_optional and is_outermost:
            return [f"{pattern[:start]}(?:{choice.strip()}){pattern[end + 1 :]}" for choice in choices]
        inner = opened(pattern[start + 3 : end]) if is_outermost and not is_optional else []
        if len(inner) > 1:
            return [f"{pattern[:start]}(?:{choice}){pattern[end + 1 :]}" for choice in inner]
    return [pattern]


def split_at_bars(pattern: str) -> list[str]:
    """The alternatives of a pattern's outermost level."""
    parts, began = [], 0
    for position, sign, depth in signs_of(pattern):
        if sign == "|" and not depth:
            parts.append(pattern[began:position])
            began = position + 1
    return [*parts, pattern[began:]]


def end_of_group(pattern: str, start: int) -> int:
    """The position where the group that begins at `start` ends."""
    ends = (position for position, sign, depth in signs_of(pattern, start) if sign == ")" and not depth)
    return next(ends, len(pattern))


def signs_of(pattern: str, start: int = 0) -> Iterator[tuple[int, str, int]]:
    """The signs that are neither escaped nor in a class, from a position on: where, which, and the depth behind it."""
    depth, is_class, position = 0, False, start
    while position < len(pattern):
        sign = pattern[position]
        if sign == "\\":
            position += 1
        elif is_class:
            is_class = sign != "]"
        elif sign == "[":
            is_class = True
        else:
            depth += {"(": 1, ")": -1}.get(sign, 0)
            yield position, sign, depth
        position += 1
