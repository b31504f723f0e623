"""Every document of a scope searched on its own, and the ones that say most judged together (R57).

An ordinary question reads at most ten documents line by line and counts words in the others, which may leave a doubt.
Here each document gets a finding of its own, by rules and without a model, so that no document is left to doubt.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from documents.base_settings import BaseSettings
from documents.models import Document
from documents.storage.content import DocumentContent, read_content
from reading.processes.clock import Clock
from retrieval import accounting
from retrieval.corpus import (
    DOCUMENTS_MAX,
    Shortlist,
    content_for,
    last_jobs,
    promising,
    retrieve_among,
    unread_document,
)
from retrieval.deadline import DetectionTimeout
from retrieval.filters import UNFILTERED, Filters
from retrieval.pipeline import retrieve
from retrieval.types import ABSENT, ConceptTerms, Finding, Mode, RetrievalResult, ScopeAccount, ScopeDocument

OnDocument = Callable[[int, int], None]  # how many documents have been searched, and of how many


@dataclass
class Gathered:
    """What was found so far, by document, and what that says of the words and pages of the whole scope."""

    documents: dict[UUID, ScopeDocument] = field(default_factory=dict)
    counts: dict[UUID, Counter[str]] = field(default_factory=dict)  # lines with each word
    unreadable: dict[UUID, list[str]] = field(default_factory=dict)  # pages by name
    sections: Counter[UUID] = field(default_factory=Counter)

    def best(self) -> list[UUID]:
        """The documents whose finding is an answer, then those with a weak one, the surest first."""
        found = [(key, each.finding) for key, each in self.documents.items() if each.finding]
        told = [(key, finding) for key, finding in found if finding.status in ("found", "weak")]
        return [key for key, _ in sorted(told, key=lambda one: (one[1].status != "found", -one[1].confidence))]

    def account(self, documents: Sequence[Document], together: set[UUID]) -> ScopeAccount:
        """Every document of the scope; words and pages of those not judged `together`, which are counted there."""
        jobs = last_jobs(document for document in documents if not document.current_parse)
        others = [key for key in self.documents if key not in together]
        return ScopeAccount(
            documents=tuple(self._row(document, jobs.get(document.pk), together) for document in documents),
            counts=sum((self.counts[key] for key in others), Counter()),
            unreadable=tuple(name for key in others for name in self.unreadable[key]),
            sections=sum(self.sections[key] for key in others),
        )

    def _row(self, document: Document, job: Any, together: set[UUID]) -> ScopeDocument:
        row = self.documents.get(document.pk)
        if row is None:
            return unread_document(document, job)
        return replace(row, reason=accounting.TOGETHER) if document.pk in together and row.finding else row


def search_each(
    question_text: str,
    documents: Sequence[Document],
    *,
    settings: BaseSettings,
    dictionary: Sequence[ConceptTerms] = (),
    mode: Mode = "balanced",
    filters: Filters = UNFILTERED,
    on_document: OnDocument = lambda done, of: None,
    **options: Any,
) -> RetrievalResult:
    """Search every document on its own, then judge the ten that say most together, as an ordinary question would.

    1. each document that can be read: the whole pipeline by rules, which leaves a finding
    2. choose the documents with an answer, then those with a weak one; if there are none, the most promising
    3. retrieve from these together, with the arbiter of the base; the account has the finding of every document
    `options` are those of `pipeline.retrieve`. A question that is asked back is not searched any further.
    """
    clock = Clock()
    asked: dict[str, Any] = {"mode": mode, "filters": filters, **options}
    readable = [document for document in documents if document.current_parse]
    gathered = Gathered()
    for done, document in enumerate(readable):
        on_document(done, len(readable))
        result = search_alone(question_text, document, gathered, settings, dictionary, mode, filters)
        if result and result.status == "clarify":
            return retrieve_among(question_text, documents, settings=settings, dictionary=dictionary, **asked)
    on_document(len(readable), len(readable))
    clock.stop("each_document")
    chosen = choose_together(question_text, readable, gathered, settings, dictionary)
    together = {document.pk for document in chosen.chosen}
    account = gathered.account(documents, together)
    result = retrieve(
        question_text,
        content_for(chosen.chosen),
        settings=settings,
        dictionary=dictionary,
        account_for=lambda question: account,
        **asked,
    )
    result = replace(result, timings_ms=clock.timings_ms | result.timings_ms)
    return doubt_absence(result, together)


def search_alone(
    question_text: str,
    document: Document,
    gathered: Gathered,
    settings: BaseSettings,
    dictionary: Sequence[ConceptTerms],
    mode: Mode,
    filters: Filters,
) -> RetrievalResult | None:
    """Search one document by rules and write its finding down; None if it took too long or is no longer there.

    Its content is not kept in the cache, where it would displace what people are asking.
    """
    assert document.current_parse is not None
    document.current_parse.document = document  # known already: saves a query each
    content = read_content(document.current_parse)
    row = accounting.read_document(content, accounting.ALONE)
    gathered.documents[document.pk] = row
    gathered.counts[document.pk] = Counter()
    gathered.unreadable[document.pk] = [
        accounting.name_page(content.title, number) for number in accounting.blind_pages_of(content)
    ]
    gathered.sections[document.pk] = count_sections(content)
    if not content.pages:
        gathered.documents[document.pk] = accounting.mark_missed(row, "changed")
        return None
    try:
        result = retrieve(
            question_text,
            [content],
            settings=settings,
            mode=mode,
            arbiter="rules",
            dictionary=dictionary,
            filters=filters,
        )
    except DetectionTimeout:
        gathered.documents[document.pk] = accounting.mark_missed(row, "too_slow")
        return None
    if row.state == "read":
        gathered.documents[document.pk] = replace(row, finding=finding_of(result))
    gathered.counts[document.pk].update({word.text: word.count for word in result.searched})
    return result


def count_sections(content: DocumentContent) -> int:
    return sum(1 for entry in content.toc if entry.origin != "front")


def finding_of(result: RetrievalResult) -> Finding:
    """What one document says, with its best passage."""
    best = next(iter(result.candidates), None)
    return Finding(
        status=result.status,
        reason=result.not_found_reason,
        confidence=round(result.confidence, 4),
        candidates=len(result.candidates),
        quote=best.quote.text or best.anchor_text if best and result.status in ("found", "weak") else "",
        page=best.anchor_pages[0] if best else None,
        page_label=best.page_label if best else "",
    )


def choose_together(
    question_text: str,
    readable: Sequence[Document],
    gathered: Gathered,
    settings: BaseSettings,
    dictionary: Sequence[ConceptTerms],
) -> Shortlist:
    """The documents to judge together, at most DOCUMENTS_MAX: the best findings, else the most promising."""
    readable = [document for document in readable if gathered.documents[document.pk].state != "unsearched"]
    best = set(gathered.best()[:DOCUMENTS_MAX])
    if best:
        return Shortlist(tuple(document for document in readable if document.pk in best), {})
    return promising(question_text, readable, settings, dictionary)


def doubt_absence(result: RetrievalResult, together: set[UUID]) -> RetrievalResult:
    """Nothing found together, although a document answers on its own, is at most a weak answer.

    A model's judgement of the documents it read together outweighs the rules; it did not read the others.
    """
    is_model = result.ranking.exchange is not None
    answering = [
        each
        for each in result.documents
        if each.finding and each.finding.status == "found" and not (is_model and UUID(each.document_id) in together)
    ]
    if result.status not in ABSENT or not answering:
        return result
    named = accounting.name_some(f"“{each.title}”" for each in answering)
    may_answer = f"searched on its own, {named} may answer it"
    parts = tuple(
        replace(part, outcome="cannot_tell", reason=f"{part.reason}; but {may_answer}")
        if part.outcome == "not_found"
        else part
        for part in result.parts
    )
    return replace(result, status="weak", not_found_reason=f"{may_answer}; {result.not_found_reason}", parts=parts)
