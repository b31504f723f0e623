"""Every document of a scope searched on its own, and the ones that say most judged together (R57).

An ordinary question reads at most ten documents line by line and counts words in the others, which may leave a doubt.
Here each document gets a finding of its own, by rules and without a model, so that no document is left to doubt.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from documents.models import Document
from documents.storage.content import read_content
from reading.processes.clock import Clock
from retrieval import accounting
from retrieval.corpus import (
    DOCUMENTS_MAX,
    Shortlist,
    content_for,
    languages_read,
    last_jobs,
    rank_documents,
    search_among,
    unread_document,
    with_amendments,
)
from retrieval.deadline import DetectionTimeout
from retrieval.pipeline import carry_out, search_in_steps
from retrieval.search import SearchOptions
from retrieval.types import ABSENT, DocumentResult, RetrievalResult, ScopeAccount, ScopeDocument

OnDocument = Callable[[int, int], None]  # how many documents have been searched, and of how many


def search_each(
    question_text: str,
    documents: Sequence[Document],
    *,
    on_document: OnDocument = lambda done, of: None,
    **options: Any,
) -> RetrievalResult:
    """Search every document on its own, then judge the ten that say most together, as an ordinary question would.

    1. each document that can be read: the whole pipeline by rules, which leaves a finding
    2. choose the documents with an answer, then those with a weak one; if there are none, the most promising
    3. retrieve from these together, with the arbiter of the base; the account has the finding of every document
    `options` are those of `SearchOptions`. A question that is asked back is not searched any further.
    """
    clock = Clock()
    asked = SearchOptions(**options)
    readable = [document for document in documents if document.current_parse]
    alone: dict[UUID, ScopeAccount] = {}
    for done, document in enumerate(readable):
        on_document(done, len(readable))
        found = search_alone(question_text, document, asked)
        if found is None:
            return carry_out(search_among(question_text, documents, asked))
        alone[document.pk] = found
    on_document(len(readable), len(readable))
    clock.stop("each_document")
    searched = [each for each in documents if each.pk not in alone or alone[each.pk].documents[0].state != "unsearched"]
    chosen = with_amendments(choose_together(question_text, readable, alone, asked), searched)
    together = {document.pk for document in chosen.chosen}
    account = account_of_all(documents, alone, chosen)
    contents = content_for(chosen.chosen)
    asked = replace(asked, account_for=lambda question: account, is_whole_scope=len(contents) == len(documents))
    result = carry_out(search_in_steps(question_text, contents, asked))
    result = replace(result, timings_ms=clock.timings_ms | result.timings_ms)
    return doubt_absence(result, together)


def search_alone(question_text: str, document: Document, asked: SearchOptions) -> ScopeAccount | None:
    """The account of one document, searched by rules; what took too long, or is no longer there, is marked as not
    searched. None where the question is asked back.

    Its content is not kept in the cache, where it would displace what people are asking.
    """
    assert document.current_parse is not None
    document.current_parse.document = document  # known already: saves a query each
    content = read_content(document.current_parse)
    row = accounting.read_document(content, accounting.ALONE)
    alone = ScopeAccount(
        (row,),
        unreadable=tuple(accounting.name_page(content.title, each) for each in accounting.blind_pages_of(content)),
        sections=accounting.count_sections(content),
        attached=content.attached,
    )
    if not content.pages:
        return replace(alone, documents=(accounting.mark_missed(row, "changed"),))
    try:
        result = carry_out(search_in_steps(question_text, [content], asked.by_rules()))
    except DetectionTimeout:
        return replace(alone, documents=(accounting.mark_missed(row, "too_slow"),))
    if result.status == "clarify":
        return None
    told = replace(row, finding=finding_of(result)) if row.state == "read" else row
    return replace(alone, documents=(told,), counts={word.text: word.count for word in result.searched})


def finding_of(result: RetrievalResult) -> DocumentResult:
    best = next(iter(result.candidates), None)
    return DocumentResult(
        status=result.status,
        reason=result.not_found_reason,
        confidence=round(result.confidence, 4),
        candidates=len(result.candidates),
        quote=best.quote.text or best.anchor_text if best and result.status in ("found", "weak") else "",
        page=best.anchor_pages[0] if best else None,
        page_label=best.page_label if best else "",
    )


def choose_together(
    question_text: str, readable: Sequence[Document], alone: Mapping[UUID, ScopeAccount], asked: SearchOptions
) -> Shortlist:
    """The documents to judge together, at most DOCUMENTS_MAX: the best findings, else the most promising.

    None of those that could not be searched on their own: in company they cannot be either.
    """
    best = set(best_findings(alone)[:DOCUMENTS_MAX])
    if best:
        return Shortlist(tuple(document for document in readable if document.pk in best), {})
    searched = [document for document in readable if alone[document.pk].documents[0].state != "unsearched"]
    return rank_documents(question_text, searched, asked)


def best_findings(alone: Mapping[UUID, ScopeAccount]) -> list[UUID]:
    """The documents whose finding is an answer, then those with a weak one, the surest first."""
    told = [
        (finding.status != "found", -finding.confidence, key)
        for key, each in alone.items()
        if (finding := each.documents[0].finding) and finding.status in ("found", "weak")
    ]
    return [key for _, _, key in sorted(told, key=lambda one: one[:2])]


def account_of_all(
    documents: Sequence[Document], alone: Mapping[UUID, ScopeAccount], chosen: Shortlist
) -> ScopeAccount:
    """Every document of the scope; words and pages of those not judged together, which are counted there."""
    together = {document.pk for document in chosen.chosen}
    jobs = last_jobs(document for document in documents if not document.current_parse)
    others = [each for key, each in alone.items() if key not in together]
    counts: Counter[str] = Counter()
    for each in others:
        counts.update(each.counts)

    def row_of(document: Document) -> ScopeDocument:
        if document.pk not in alone:
            return unread_document(document, jobs.get(document.pk))
        row = alone[document.pk].documents[0]
        return replace(row, reason=accounting.TOGETHER) if document.pk in together and row.finding else row

    return ScopeAccount(
        documents=tuple(map(row_of, documents)),
        counts=counts,
        unreadable=tuple(name for each in others for name in each.unreadable),
        sections=sum(each.sections for each in others),
        languages=languages_read(documents),
        attached=tuple(carried for each in others for carried in each.attached),
        amended=chosen.amended_titles,
        amending=chosen.amending_ids,
    )


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
        replace(part, outcome="weak", missing=(), reason=may_answer) if part.outcome == "not_found" else part
        for part in result.parts
    )
    return replace(result, status="weak", not_found_reason=f"{may_answer}; {result.not_found_reason}", parts=parts)
