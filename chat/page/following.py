"""What could be asked next, under the last answer: sections near those it cites, and what is typical of the document.

Only what was tried (`chat.page.trying`) and is answered, and nothing that was asked or cited in the conversation.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from accounts.models import User
from chat.models import Turn
from chat.page.suggestions import LEADING_NUMBER, SUGGESTED, first_sections, questions_on, tried_questions
from chat.page.thread import ShownTurn
from chat.scope import askable
from documents.models import Document
from retrieval.models import RunCandidate
from retrieval.words.tokens import is_generic, is_stop_word, language_of, normalise_words, stem

NEAR_MAX = 2  # on sections, so that what is typical of the document has a place

Topic = frozenset[str]


@dataclass(frozen=True)
class FollowUps:
    """Questions that a cited document answers; `is_named` if the scope of the answer has others."""

    document: Document
    questions: list[str]
    is_named: bool

    @property
    def scope(self) -> str:
        """The scope picker's value: what was tried was tried of this document."""
        return f"document:{self.document.pk}"


def attach_follow_ups(turns: Sequence[ShownTurn], user: User) -> None:
    """Give each turn that is the last of its conversation, and was answered, what could be asked next."""
    for shown in turns:
        if shown.answer is not None and not shown.is_running and not shown.is_absent:
            shown.follow_ups = follow_ups_of(shown, user)


def follow_ups_of(shown: ShownTurn, user: User) -> FollowUps | None:
    """Of the first cited document that is still open to the person and answers something untouched; else None."""
    asked = list(
        Turn.objects.filter(conversation=shown.turn.conversation_id)
        .order_by("number")
        .values_list("number", "question", "rewriting__rewritten")
    )
    if asked[-1][0] != shown.turn.number:
        return None
    cited = [each.citation.candidate for each in shown.citations]
    open_documents = askable(user, shown.turn.conversation.base).select_related("current_parse")
    documents = open_documents.in_bulk({candidate.document_id for candidate in cited})
    touched = [text for _, *texts in asked for text in texts if text] + [each.section_title for each in cited]
    for document_id in dict.fromkeys(candidate.document_id for candidate in cited):
        document = documents.get(document_id)
        if document and (questions := questions_after(document, cited, touched)):
            is_named = shown.turn.document_ids != [str(document.pk)]
            return FollowUps(document, questions, is_named)
    return None


def questions_after(document: Document, cited: Iterable[RunCandidate], touched: Iterable[str]) -> list[str]:
    """A few questions that were tried and are answered, of what no touched text is about.

    First those on the sections nearest to the cited ones, then those typical of the document.
    """
    kept = tried_questions(document) or []
    language = document.current_parse.language if document.current_parse else ""
    sections = first_sections(document) if kept else {}
    on_sections = questions_on(sections, document)
    places = [each.toc_index for each in cited if each.parse_id == document.current_parse_id]
    near = [question for question in kept if places and question in on_sections]
    near.sort(key=lambda question: min(abs(on_sections[question] - place) for place in places))
    typical = [question for question in kept if question not in on_sections]
    topics = {question: topic_of(question, language) for question in typical}
    for question in near:
        topics[question] = topic_of(LEADING_NUMBER.sub("", sections[on_sections[question]]), language)
    seen = [topic_of(text, language) for text in touched]
    found = list(of_new_topics(near, topics, seen))[:NEAR_MAX]
    new = of_new_topics(typical, topics, [*seen, *(topics[question] for question in found)])
    return [*found, *new][:SUGGESTED]


def of_new_topics(questions: Iterable[str], topics: dict[str, Topic], touched: Iterable[Topic]) -> Iterator[str]:
    """The questions whose topic is not within one that was touched, or that a question before them has."""
    seen = list(touched)
    for question in questions:
        topic = topics[question]
        if topic and not any(topic <= other for other in seen):
            seen.append(topic)
            yield question


def topic_of(text: str, default: str) -> Topic:
    """What a question or a title is about: the stems of its words, without those that only frame a question."""
    words = normalise_words(text)
    language = language_of(words, default)
    telling = [word for word in words if not is_stop_word(word, language)]
    return frozenset(stem(word, language) for word in telling if not is_generic(word, language)) or frozenset(telling)
