"""Everyday words of contracts, filings, policies, manuals and papers in four languages, an idea a line.

They carry a question to documents of another language, and add nothing to one in theirs: whose own words are there
needs no others. A word with several senses stands in each line that is one of them.
"""

import csv
from functools import cache
from pathlib import Path

from retrieval.types import ConceptTerm, ConceptTerms

BETWEEN = ";"


@cache
def everyday_ideas() -> tuple[ConceptTerms, ...]:
    """Each idea with its words, the usual one of a language first."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    return tuple(
        ConceptTerms(
            row["en"],
            tuple(
                ConceptTerm(word.strip(), language) for language, words in row.items() for word in words.split(BETWEEN)
            ),
        )
        for row in rows
    )
