"""The words that were searched, lit where they stand in a text."""

from collections.abc import Iterable
from typing import NamedTuple

from reading.matching import match_map
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.words.tokens import WORD, normalise_words


class LitPiece(NamedTuple):
    text: str
    is_lit: bool


def forms_matched(run: RetrievalRun, candidate: RunCandidate) -> list[str]:
    """Every recorded form of the keywords that a candidate has."""
    matched = set(candidate.matched_keywords)
    keywords = (run.parsed or {}).get("keywords", ())
    return [form for each in keywords if each["text"] in matched for form in (each["text"], *each["forms"])]


def light(text: str, forms: Iterable[str]) -> tuple[LitPiece, ...]:
    """The text in pieces; lit are the words, and the words in a row, that are one of the forms."""
    return tuple(cut_at(text, spans_of_forms(text, forms)))


def spans_of_forms(text: str, forms: Iterable[str]) -> list[tuple[int, int]]:
    """Where the words of the forms begin and end in a text, in order; two may overlap."""
    wanted: dict[str, list[list[str]]] = {}
    for form in forms:
        if words := normalise_words(form):
            wanted.setdefault(words[0], []).append(words)
    folded, offsets = match_map(text)
    found = list(WORD.finditer(folded))
    standing = [match.group() for match in found]
    spans: list[tuple[int, int]] = []
    for index, word in enumerate(standing):
        lengths = (len(each) for each in wanted.get(word, ()) if standing[index : index + len(each)] == each)
        if length := max(lengths, default=0):
            spans.append((offsets[found[index].start()], offsets[found[index + length - 1].end() - 1] + 1))
    return spans


def cut_at(text: str, spans: Iterable[tuple[int, int]]) -> Iterable[LitPiece]:
    """The text at these spans, which begin in order and may overlap."""
    at = 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        if start > at:
            yield LitPiece(text[at:start], False)
        yield LitPiece(text[start:end], True)
        at = end
    if at < len(text):
        yield LitPiece(text[at:], False)
