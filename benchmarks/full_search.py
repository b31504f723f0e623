"""A base of 1,000 generated agreements: is every document accounted for, and how fast is each searched on its own."""

import resource
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any
from uuid import UUID

from benchmarks.generated import PAGES, Fact, make_facts, shelve_agreements
from benchmarks.metrics import percentile
from benchmarks.retrieval import commit
from documents.base_settings import BaseSettings
from documents.models import Document
from documents.storage.content import read_content
from retrieval.corpus import retrieve_among
from retrieval.full_search import search_each
from retrieval.types import RetrievalResult, SearchedWord
from retrieval.words.tokens import normalise_words

SETTINGS = BaseSettings(embeddings="none")


def run(documents: int, searches: int) -> dict[str, Any]:
    """Ask for 100 facts that one agreement says and for 100 that none does; search every document for a few of each.

    `false_not_found`: planted facts called absent. `lists_all`: the share of runs that list every document once.
    `wrong_counts`: runs whose figures do not add up, or that count a word otherwise than the texts have it.
    """
    facts = make_facts(documents)
    base = shelve_agreements(documents, facts)
    words = {document.pk: line_words(document) for document in base}
    asked, full = Tally(base, words), Tally(base, words)
    for fact in facts:
        asked.add(fact, lambda text: retrieve_among(text, base, settings=SETTINGS, arbiter="rules"))
    for fact in pick(facts, searches):
        full.add(fact, lambda text: search_each(text, base, settings=SETTINGS, arbiter="rules"))
    return {
        "documents": len(base),
        "pages": PAGES * len(base),
        "question": asked.figures(),
        "full_search": full.figures(),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "commit": commit(),
    }


def pick(facts: Sequence[Fact], count: int) -> list[Fact]:
    """As many planted as absent ones, near misses among them."""
    planted = [fact for fact in facts if fact.document is not None]
    missing = [fact for fact in facts if fact.document is None and not fact.is_near]
    near = [fact for fact in facts if fact.is_near]
    return [*planted[: count // 2], *missing[: count // 4], *near[: count - count // 2 - count // 4]]


def line_words(document: Document) -> list[set[str]]:
    """The words of each line, read from the stored text and not from any index."""
    assert document.current_parse is not None
    return [set(normalise_words(line.text)) for line in read_content(document.current_parse).lines]


class Tally:
    """What was found for the facts that were asked, and what was wrong with the runs."""

    def __init__(self, base: Sequence[Document], words: Mapping[UUID, Sequence[set[str]]]) -> None:
        self.base, self.words = base, words
        self.outcomes: dict[str, Counter[str]] = {"planted": Counter(), "missing": Counter(), "near": Counter()}
        self.right = self.not_listed = self.wrong_counts = 0
        self.seconds: list[float] = []

    def add(self, fact: Fact, ask: Callable[[str], RetrievalResult]) -> None:
        started = perf_counter()
        result = ask(fact.question)
        self.seconds.append(perf_counter() - started)
        kind = "near" if fact.is_near else "missing" if fact.document is None else "planted"
        self.outcomes[kind][result.status] += 1
        kept = " ".join(candidate.quote.text for candidate in result.kept())
        self.right += bool(fact.answer) and result.status == "found" and fact.answer in kept
        listed = [each.document_id for each in result.documents]
        self.not_listed += listed != [str(document.pk) for document in self.base]
        self.wrong_counts += not self.adds_up(result)

    def adds_up(self, result: RetrievalResult) -> bool:
        """Whether every document has one state, and a word is counted as absent only where no line has it.

        Of documents that are read the lines with a word are counted exactly.
        """
        coverage = result.coverage
        states = Counter(each.state for each in result.documents)
        by_state = (states["read"], states["counted"], states["unreadable"])
        is_sum = by_state == (coverage.read, coverage.counted, coverage.unreadable_documents)
        is_whole = sum(by_state) == coverage.documents == len(self.base) and coverage.pages == PAGES * len(self.base)
        return is_sum and is_whole and all(self.is_counted(each, coverage.counted) for each in result.searched)

    def is_counted(self, word: SearchedWord, counted: int) -> bool:
        forms = {part for form in word.forms for part in normalise_words(form)}
        lines = sum(bool(forms & line) for lines in self.words.values() for line in lines)
        return word.count == lines if not counted else bool(word.count) == bool(lines)

    def figures(self) -> dict[str, Any]:
        planted = self.outcomes["planted"]
        return {
            "outcomes": {kind: dict(outcomes) for kind, outcomes in self.outcomes.items()},
            "false_not_found": planted["not_found"],
            "planted_answered_right": self.right,
            "lists_all": 1 - self.not_listed / len(self.seconds) if self.seconds else None,
            "wrong_counts": self.wrong_counts,
            "seconds": {"p50": percentile(self.seconds, 50), "max": round(max(self.seconds), 2)},
        }
