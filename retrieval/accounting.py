"""Every document of a question's scope accounted for: what was done with each, why, what nobody looked at (R57, G0).

“Not found” is said only where nothing is left that nobody looked at: no document or page that cannot be read, and no
counted document with a word of the question, unless none of its words occurs anywhere. Otherwise it is “cannot tell”,
and the reason names what was not looked at.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from django.utils.translation import gettext_noop

from documents.storage.content import DocumentContent
from retrieval.told.reasons import give_clause
from retrieval.types import Coverage, Question, ScopeAccount, ScopeDocument, ShortlistRank
from retrieval.words.options import unread_choices
from retrieval.words.tokens import ALGORITHMS

# Why a document was read, or was not; the test of these holds their figure against corpus.DOCUMENTS_MAX.
ALL_READ = gettext_noop("so few documents are all read line by line")
RANKED = gettext_noop("the 10 best are read line by line")
RANKED_BY_CARD = gettext_noop("the 10 best are read line by line; the question names what its card says")
UNRANKED = gettext_noop("nothing in it comes near the question; 10 others are read line by line")
FILLED = gettext_noop("nothing in it comes near the question; it is read because 10 documents are")
NAMED = gettext_noop("the question names it")
OTHERS_NAMED = gettext_noop("the question names other documents")
AMENDS = gettext_noop("it amends a document that is read")
GAVE_WAY = gettext_noop("what amends those that rank before it took its place; 10 documents are read")
WIDENED = gettext_noop("the documents the question names do not answer it; with the best of the others 10 are read")
ASKED_BACK = gettext_noop("the question was asked back before anything was searched")
ALONE = gettext_noop("every document is searched on its own")
TOGETHER = gettext_noop("every document is searched on its own; the 10 that say most are read again together")

# Why a document could not be read, by its cause; a reading that failed gave a reason of its own.
CAUSES = {
    "waiting": gettext_noop("it still waits to be read"),
    "reading": gettext_noop("it is still being read"),
    "cancelled": gettext_noop("its reading was stopped"),
    "failed": gettext_noop("it could not be read"),
    "no_text": gettext_noop("no page of it has text"),
    "too_slow": gettext_noop("searching it took too long and was stopped"),
    "changed": gettext_noop("it was read again or deleted while it was searched"),
}
# Languages written without spaces whose words nothing here tells.
UNTOLD = frozenset({"bo", "km", "lo", "my", "th"})
# Languages whose words are found in all their forms, or have one only; of others they are found as they are written,
# or as far as a stem goes.
TOLD_FORMS = frozenset({*ALGORITHMS, "ar", "he", "ja", "vi", "zh", "und"})
NAMED_MAX = 10  # documents or pages told by name in a sentence; the record lists every one


def account_of(contents: Iterable[DocumentContent]) -> ScopeAccount:
    """The account of documents that are all read."""
    read = tuple(contents)
    languages = tuple(sorted({content.language for content in read}))
    return ScopeAccount(tuple(read_document(content, ALL_READ) for content in read), languages=languages)


def leave_unsearched(account: ScopeAccount) -> ScopeAccount:
    """The account of a question that was asked back before anything was searched."""
    documents = tuple(
        each if each.state == "unreadable" else replace(each, state="unsearched", reason=ASKED_BACK, place=None)
        for each in account.documents
    )
    return ScopeAccount(documents)


def mark_missed(document: ScopeDocument, cause: str) -> ScopeDocument:
    """A document that could not be searched, although it can be read."""
    return replace(document, state="unsearched", cause=cause, reason=CAUSES[cause])


def read_document(content: DocumentContent, reason: str, place: ShortlistRank | None = None) -> ScopeDocument:
    """A document whose lines were read; one without text was looked at in vain."""
    pages = len(content.pages)
    with_text = pages - len(blind_pages_of(content))
    read = ScopeDocument(
        document_id=content.document_id,
        title=content.title,
        sha256=content.sha256,
        state="read",
        reason=reason,
        parse_id=content.parse_id,
        parse_number=content.parse_number,
        pages=pages,
        pages_with_text=with_text,
        place=place,
    )
    return read if with_text else replace(read, state="unreadable", cause="no_text", reason=CAUSES["no_text"])


def blind_pages_of(content: DocumentContent) -> list[int]:
    """The pages nobody could read."""
    unreadable = set(content.unreadable_pages)
    return [
        page.number
        for page in content.pages
        if page.text_layer == "none" or page.number in unreadable or "garbled" in page.flags
    ]


def count_sections(content: DocumentContent) -> int:
    return sum(entry.origin != "front" for entry in content.toc)


def name_page(title: str, number: int) -> str:
    return f"{title}, p. {number}"


def reason_in_full(reason: str, rank: int | None, of: int | None) -> str:
    """Why a document was read or not, with its rank in the shortlist."""
    return f"rank {rank} of {of}; {reason}" if rank else reason


# ---- what was looked at, and what was not


def coverage_of(
    question: Question, contents: Sequence[DocumentContent], account: ScopeAccount, asked: Collection[int] = ()
) -> Coverage:
    """What could be searched of a scope, of which `contents` were read; of a question for some pages, those alone."""
    documents = account.documents
    is_named = len(documents) > 1
    unreadable = [
        name_page(content.title, number) if is_named else f"p. {number}"
        for content in contents
        for number in blind_pages_of(content)
        if not asked or number in asked
    ]
    pages = sum(each.pages or 0 for each in documents)
    with_text = sum(each.pages_with_text or 0 for each in documents)
    if asked:
        pages = sum(page.number in asked for content in contents for page in content.pages)
        with_text = pages - len(unreadable)
    known = {each.sha256 for each in documents if each.state in ("read", "counted")}
    carried = [*(each for content in contents for each in content.attached), *account.attached]
    attached = [name for name, sha256 in carried if sha256 not in known]
    languages = {*account.languages, *(content.language for content in contents)}
    coverage = Coverage(
        documents=len(documents),
        pages=pages,
        pages_with_text=with_text,
        sections=account.sections + sum(map(count_sections, contents)),
        unreadable=(*unreadable, *account.unreadable),
        read=sum(each.state == "read" for each in documents),
        counted=sum(each.state == "counted" for each in documents),
        unreadable_documents=sum(each.state == "unreadable" for each in documents),
        alone=sum(each.finding is not None for each in documents),
    )
    gaps = find_gaps(question, coverage, documents)
    return replace(
        coverage,
        gaps=(*gaps, *find_untold(question, languages), *gap_of_attached(attached), *gap_of_boxes(question, contents)),
    )


def find_gaps(question: Question, coverage: Coverage, documents: Sequence[ScopeDocument]) -> Iterable[str]:
    """What could hold the answer and was not looked at, one clause each.

    A document in which words were only counted is no gap where none of them occurs: their absence is shown there.
    """
    lost = [each for each in documents if each.state == "unreadable"]
    if lost and len(documents) > 1:
        names = [f"{each.title} ({each.reason.rstrip('.')})" for each in lost]
        yield give_clause("unread documents", **named_facts(names), lost=len(lost), count=len(documents))
    missed = [each for each in documents if each.state == "unsearched" and each.cause]
    if missed:
        names = [f"{each.title} ({each.reason})" for each in missed]
        yield give_clause("unsearched", **named_facts(names), count=len(missed))
    if coverage.pages_with_text < coverage.pages:
        named = named_facts(coverage.unreadable) if coverage.unreadable else {}
        yield give_clause("pages", some=coverage.pages_with_text, all=coverage.pages, **named)
    if gap := gap_of_counted(question, [each for each in documents if each.state == "counted"]):
        yield gap


def find_untold(question: Question, languages: Collection[str]) -> Iterable[str]:
    """The languages of the question and the documents in which no words are told, or only as they are written.

    Nothing is shown absent there. Of the latter only the question's: words of another language prove nothing anyway.
    """
    if untold := sorted({question.language, *languages} & UNTOLD):
        yield give_clause("untold", languages=untold)
    elif question.language in languages and question.language not in TOLD_FORMS:
        yield give_clause("as written", language=question.language)


def gap_of_counted(question: Question, counted: Sequence[ScopeDocument]) -> str:
    """That documents nobody read hold words of the question; "" where there are none."""
    if not counted:
        return ""
    # The words whose absence is proof, each under the first of its group; all of them where none is primary.
    wanted = set(question.topic_words) or {group[0].text for group in question.groups}
    if not wanted:
        return give_clause("counted", count=len(counted), words=[], holding=0)
    holding = [each for each in counted if wanted & {*each.words}]
    found = [text for text in dict.fromkeys(word for each in holding for word in each.words) if text in wanted]
    if not holding:
        return ""
    return give_clause("counted", count=len(counted), words=found[:NAMED_MAX], holding=len(holding))


def gap_of_attached(names: Sequence[str]) -> Iterable[str]:
    """That files attached to the documents were not read; nothing where there are none."""
    if names:
        yield give_clause("attached", **named_facts(names), count=len(names))


def gap_of_boxes(question: Question, contents: Sequence[DocumentContent]) -> Iterable[str]:
    """That boxes of the choice asked for could not be read; nothing where there are none."""
    pages = [
        name_page(content.title, number) if len(contents) > 1 else f"p. {number}"
        for content in contents
        for number in sorted({group.options[0].line.page_number for group in unread_choices(question, content)})
    ]
    if pages:
        yield give_clause("unread boxes", **named_facts(pages))


def summarise(documents: int, read: int, counted: int, unreadable: int) -> str:
    """What was done with the documents of a scope, as the record and programs are told."""
    states = {"read": read, "counted": counted, "unreadable": unreadable}
    return give_clause("scope", documents=documents, **states, unsearched=documents - read - counted - unreadable)


def named_facts(names: Sequence[str]) -> dict[str, object]:
    """The first of them by name, and how many more there are, for pages."""
    return {"names": list(names[:NAMED_MAX]), "more": max(len(names) - NAMED_MAX, 0)}


def name_some(names: Iterable[str]) -> str:
    """The first of them by name, and how many more there are."""
    every = list(names)
    more = len(every) - NAMED_MAX
    return ", ".join(every[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")
