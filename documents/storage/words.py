"""The words of each parse and their places, derived from the full text of its passages: counted without reading it.

Everything here is as PostgreSQL's own search has it: the same words, phrases by the same positions, no approximation.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from documents.models import Word

# A place is passage << 14 | position, as PostgreSQL keeps positions up to 16,383 and limits keep passages far below
# 131,072.
POSITION_BITS = 14
PACKED = ">i4"

Numbers = NDArray[np.int64]
Phrase = tuple[tuple[str, int], ...]  # words and where they stand from the first one on

INDEX_WORDS = f"""
INSERT INTO documents_word (parse_id, word, passages, places)
SELECT %(parse)s, word, count(DISTINCT index),
    string_agg(int4send(index << {POSITION_BITS} | position), ''::bytea ORDER BY index, position)
FROM documents_passage, unnest(search) AS found(word, positions, weights), unnest(positions) AS position
WHERE parse_id = %(parse)s GROUP BY word
"""

READ_PHRASES = """
SELECT number, word, position
FROM unnest(%s::text[]) WITH ORDINALITY AS asked(phrase, number),
    unnest(to_tsvector(%s::regconfig, phrase)) AS found(word, positions, weights), unnest(positions) AS position
ORDER BY number, position, word
"""


def index_words(parse_id: UUID) -> None:
    """Write the words of a parse anew, after its passages or their search text."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM documents_word WHERE parse_id = %s", [parse_id])
        cursor.execute(INDEX_WORDS, {"parse": parse_id})


def read_phrases(phrases: Iterable[str], config: str) -> dict[str, Phrase]:
    """The phrases as the full text of a configuration has them; those of stop words alone are left out."""
    asked = list(dict.fromkeys(phrases))
    with connection.cursor() as cursor:
        cursor.execute(READ_PHRASES, [asked, config])
        rows = cursor.fetchall()
    read = {number: list(found) for number, found in groupby(rows, lambda row: int(row[0]))}
    return {
        asked[number - 1]: tuple((word, position - found[0][2]) for _, word, position in found)
        for number, found in read.items()
    }


def count_passages(words: Iterable[str], parse_ids: Sequence[UUID]) -> dict[str, dict[UUID, int]]:
    """On how many passages of each parse a word stands; parses without it are left out."""
    counts: dict[str, dict[UUID, int]] = {word: {} for word in words}
    rows = Word.objects.filter(word__in=counts, parse__in=parse_ids)
    for word, parse_id, passages in rows.values_list("word", "parse_id", "passages"):
        counts[word][parse_id] = passages
    return counts


class WordPlaces:
    """The places of some words in some parses, as numbers that ascend over all of them.

    The passages of the parses that have any are numbered one parse after the other: `starts[i]` is the first of
    `parse_ids[i]`.
    """

    def __init__(self, words: Iterable[str], parse_ids: Sequence[UUID]) -> None:
        rows = Word.objects.filter(word__in=list(words), parse__in=parse_ids).order_by("parse_id")
        found = list(rows.values_list("word", "parse_id", "places"))
        self.parse_ids = tuple(dict.fromkeys(parse_id for _, parse_id, _ in found))
        number_of = {parse_id: number for number, parse_id in enumerate(self.parse_ids)}
        sizes = np.zeros(len(self.parse_ids) + 1, dtype=np.int64)
        for _, parse_id, places in found:
            last = int.from_bytes(places[-4:], "big") >> POSITION_BITS
            sizes[number_of[parse_id] + 1] = max(sizes[number_of[parse_id] + 1], last + 1)
        sums = np.cumsum(sizes)
        self.starts, self.size = sums[:-1], int(sums[-1])
        by_word: dict[str, list[tuple[int, bytes]]] = {}
        for word, parse_id, places in found:
            by_word.setdefault(word, []).append((number_of[parse_id], bytes(places)))
        self._places = {word: self._unpack(places) for word, places in by_word.items()}

    def _unpack(self, packed: Sequence[tuple[int, bytes]]) -> Numbers:
        places = np.frombuffer(b"".join(each for _, each in packed), dtype=PACKED).astype(np.int64)
        counts = [len(each) // 4 for _, each in packed]
        firsts = self.starts[[number for number, _ in packed]] << POSITION_BITS
        return places + np.repeat(firsts, counts)

    def of(self, word: str) -> Numbers:
        return self._places.get(word, np.zeros(0, dtype=np.int64))

    def passages_with(self, word: str) -> tuple[Numbers, Numbers]:
        """The passages a word stands on, ascending, and how often it stands on each."""
        passages = self.of(word) >> POSITION_BITS
        firsts = np.flatnonzero(np.diff(passages, prepend=-1))
        return passages[firsts], np.diff(firsts, append=len(passages))

    def passages_of(self, phrase: Phrase) -> Numbers:
        """The passages on which the words of a phrase stand in its order and distance; some may be named twice."""
        rarest, *others = sorted(phrase, key=lambda each: len(self.of(each[0])))
        places = self.of(rarest[0])
        for word, offset in others:
            wanted = places + (offset - rarest[1])
            is_here = wanted >> POSITION_BITS == places >> POSITION_BITS  # and not carried over into the next passage
            places = places[is_here & is_among(wanted, self.of(word))]
        return places >> POSITION_BITS

    def sum_by_parse(self, of_passages: NDArray[np.bool_]) -> dict[UUID, int]:
        """How many passages of each parse are marked; those without one are left out."""
        if not self.parse_ids:
            return {}
        sums = np.add.reduceat(of_passages.astype(np.int64), self.starts).tolist()
        return {parse_id: count for parse_id, count in zip(self.parse_ids, sums, strict=True) if count}

    def mark(self, phrases: Iterable[Phrase]) -> NDArray[np.bool_]:
        """For each passage, whether one of the phrases stands on it."""
        marks = np.zeros(self.size, dtype=bool)
        for phrase in phrases:
            marks[self.passages_of(phrase)] = True
        return marks


def is_among(wanted: Numbers, ascending: Numbers) -> NDArray[np.bool_]:
    """Which of the numbers are among others that ascend."""
    if not len(ascending):
        return np.zeros(len(wanted), dtype=bool)
    near = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    same: NDArray[np.bool_] = ascending[near] == wanted
    return same
