"""Words over many documents, out of the places that are stored with each parse: best passages, and exact counts.

With each reading every word of its full text is stored with the passages and positions it stands at, so that phrases
and ranks are exactly those of a search over every passage, without reading one.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np

from documents.models import Document
from documents.storage.words import Phrase, WordPlaces, count_passages, read_phrases

DOCUMENTS_MAX = 150  # ranked by words, as the nearest passages are in meaning (R93)
PLACES_MAX = 2_000_000  # read for one ranking: beyond it the commonest words, which tell least, are left out
# PostgreSQL's `ts_rank` of words without weights: each adds 0.1 (1 + 1/4 + 1/9 + ...), a term for each time it stands.
WORD_WEIGHT = 0.1 / 1.64493406685
TIMES_MAX = 256  # PostgreSQL keeps as many positions of a word
TIMES_WEIGHT = np.cumsum(1 / np.arange(1, TIMES_MAX + 1) ** 2)
TIMES_WEIGHT.flags.writeable = False
DIGITS = 6  # of its single precision


def rank_by_words(phrases: Sequence[str], documents: Sequence[Document]) -> dict[UUID, float]:
    """The documents by their best passage in words, best first, each with its full-text rank."""
    ranked: list[tuple[float, UUID]] = []
    for config, of_parse in by_config(documents).items():
        ranks = rank_parses(read_phrases(phrases, config), list(of_parse))
        best = sorted((-rank, of_parse[parse_id]) for parse_id, rank in ranks.items())
        ranked += best[:DOCUMENTS_MAX]
    return {key: -rank for rank, key in sorted(ranked)}


def rank_parses(phrases: Mapping[str, Phrase], parse_ids: Sequence[UUID]) -> dict[UUID, float]:
    """The rank of the best passage of each parse among those on which one of the phrases stands."""
    words = dict.fromkeys(word for phrase in phrases.values() for word, _ in phrase)
    kept = rare_words(count_passages(words, parse_ids))
    places = WordPlaces(kept, parse_ids)
    scores = np.zeros(places.size)
    for word in kept:
        passages, times = places.passages_with(word)
        scores[passages] += TIMES_WEIGHT[np.minimum(times, TIMES_MAX) - 1]
    marked = places.mark(phrase for phrase in phrases.values() if kept.issuperset(word for word, _ in phrase))
    if not places.size:
        return {}
    best = np.maximum.reduceat(np.where(marked, scores, 0.0), places.starts) * WORD_WEIGHT / len(words)
    ranks = zip(places.parse_ids, best.round(DIGITS).tolist(), strict=True)
    return {parse_id: rank for parse_id, rank in ranks if rank}


def rare_words(counts: Mapping[str, Mapping[UUID, int]]) -> set[str]:
    """The words that occur, rarest first, as long as their places are few enough to read."""
    totals = {word: sum(by_parse.values()) for word, by_parse in counts.items() if by_parse}
    order = sorted(totals, key=lambda word: (totals[word], word))
    sums = np.cumsum([totals[word] for word in order])
    return {word for word, total in zip(order, sums, strict=True) if total <= PLACES_MAX} | set(order[:1])


def count_groups(groups: Mapping[str, Sequence[str]], documents: Sequence[Document]) -> dict[str, dict[UUID, int]]:
    """On how many passages one of the phrases of each group stands, by parse; exact, and nothing where it is none."""
    found: dict[str, dict[UUID, int]] = {name: {} for name in groups}
    for config, of_parse in by_config(documents).items():
        parse_ids = list(of_parse)
        read = read_phrases((phrase for phrases in groups.values() for phrase in phrases), config)
        counts = count_passages((word for phrase in read.values() for word, _ in phrase), parse_ids)
        possible = {
            name: {
                read[phrase] for phrase in phrases if phrase in read and all(counts[word] for word, _ in read[phrase])
            }
            for name, phrases in groups.items()
        }
        unions = {name: phrases for name, phrases in possible.items() if not is_single_word(phrases)}
        words = {word for phrases in unions.values() for phrase in phrases for word, _ in phrase}
        places = WordPlaces(words, parse_ids)
        for name, phrases in possible.items():
            if name in unions:
                found[name] |= places.sum_by_parse(places.mark(phrases))
            else:
                ((word, _),) = next(iter(phrases))
                found[name] |= counts[word]
    return found


def is_single_word(phrases: set[Phrase]) -> bool:
    """Whether the stored number of passages with a word says it all."""
    return len(phrases) == 1 and len(next(iter(phrases))) == 1


def by_config(documents: Sequence[Document]) -> dict[str, dict[UUID, UUID]]:
    """The parses of the documents by their full-text configuration, each with its document."""
    parses: dict[str, dict[UUID, UUID]] = {}
    for document in documents:
        if document.current_parse:
            parses.setdefault(document.current_parse.search_config, {})[document.current_parse.pk] = document.pk
    return dict(sorted(parses.items()))
