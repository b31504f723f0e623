"""The parties of an agreement as its preamble names them (R87): all, or the one that it calls as a question does.

In "between Acme Ltd (the “Supplier”) and Globex GmbH" stand both parties, and in the first of them the supplier. A word
for a party is no name: "either party", "the tenant".
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from chat.checks import TypedValue
from chat.drafts import Quoted, cite_lines
from chat.figures.names import patterns_of, read_values
from documents.cards.rules import NamedParty, read_parties
from documents.storage.content import DocumentContent
from reading.matching import match_form
from retrieval.candidates.noise import noise_signs
from retrieval.models import RunCandidate
from retrieval.question.linear import compile_linear
from retrieval.question.phrasing import asks_for_parties, name_subject
from retrieval.types import Question
from retrieval.words.tokens import is_stop_word, normalise_words

LEAST = 2  # parties of an agreement: of one alone the preamble was not read whole


class PartiesAnswer(NamedTuple):
    """The names, the lines that name them as citation [1], and each name as a typed value."""

    text: str
    quoted: Quoted
    typed: list[TypedValue]


def find_parties_asked(
    question: Question, kept: Sequence[RunCandidate], contents: Mapping[Any, DocumentContent]
) -> PartiesAnswer | None:
    """The parties that are asked for, at the best place that was kept and reads their preamble; None without one.

    Of several documents each has its own, and none is said for all.
    """
    if question.parts or len({each.parse_id for each in kept}) != 1:
        return None
    for candidate in kept:
        content = contents.get(candidate.parse_id)
        if content is None:
            continue
        parties = read_parties(content.lines)
        numbers = [stretch.number for party in parties for stretch in party.name.stretches]
        is_read = numbers and candidate.context_first_line <= min(numbers) <= candidate.context_last_line
        if is_read and (asked := parties_asked(question, parties)):
            return answer_of_parties(asked, candidate, content)
    return None


def parties_asked(question: Question, parties: Sequence[NamedParty]) -> list[NamedParty]:
    """All parties, or the one that is called as the question says; [] where neither is asked."""
    if len(parties) < LEAST:
        return []
    if asks_for_parties(question.topic_form):
        return [*parties]
    if question.answer_type not in ("party", "person"):
        return []
    subject = naming_words(name_subject(question.topic), question.language)
    called = [party for party in parties if subject and subject == naming_words(party.term, question.language)]
    return called if len(called) == 1 else []


def naming_words(text: str, language: str) -> set[str]:
    return {word for word in normalise_words(text) if not is_stop_word(word, language)}


def answer_of_parties(
    parties: Sequence[NamedParty], candidate: RunCandidate, content: DocumentContent
) -> PartiesAnswer:
    numbers = [stretch.number for party in parties for stretch in party.name.stretches]
    lines = content.legible_lines(min(numbers), max(numbers))
    place = cite_lines(content, min(numbers), max(numbers), [(line.number, 0, len(line.text)) for line in lines])
    typed = [typed_party(party) for party in parties]
    text = "; ".join(party.name.value for party in parties)
    return PartiesAnswer(text, Quoted(1, candidate, "\n".join(line.text for line in lines), place), typed)


def typed_party(party: NamedParty) -> TypedValue:
    stretches = party.name.stretches
    printed = " ".join(" ".join(stretch.text.split()) for stretch in stretches)
    return TypedValue(
        type="party", value=party.name.value, printed=printed, lines=[stretches[0].number, stretches[-1].number]
    )


def names_somebody(text: str) -> bool:
    """Whether a text has the name of a person or a firm, and not only words for parties: "either party"."""
    return any(value.type != "role" and not is_party_word(value.value) for value in read_values(text, "person"))


def is_party_word(text: str) -> bool:
    """Whether a value is a word for a party and no name: "Tenant", "other Party"."""
    form, (words, _) = match_form(text), patterns_of("party")
    found = compile_linear(words).search(form)
    return bool(noise_signs()["party_word"].match(form)) or (found is not None and found.span() == (0, len(form)))
