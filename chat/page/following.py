"""What could be asked next, under the last answer: sections near those it cites, and what is typical of the document.

Only what was tried (`chat.page.trying`) and is answered, and nothing that was asked or cited in the conversation. What
the answer before was followed by comes again only where nothing else is left.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from accounts.models import User
from chat.models import Citation, Turn
from chat.page.suggestions import LEADING_NUMBER, SUGGESTED, first_sections, questions_on, tried_questions
from chat.page.thread import ShownTurn
from chat.scope import askable
from documents.models import Document
from retrieval.words.tokens import is_generic, is_stop_word, language_of, normalise_words, stem

NEAR_MAX = 2  # on sections, so that what is typical of the document has a place

Topic = frozenset[str]


class Cited(NamedTuple):
    """The section of a document that an answer cites."""

    number: int  # of the turn
    document_id: UUID
    parse_id: UUID
    toc_index: int
    section_title: str


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
    texts = {number: [text for text in said if text] for number, *said in asked}
    cited = {number: list(group) for number, group in groupby(citations_of(shown.turn), attrgetter("number"))}
    its_documents = dict.fromkeys(each.document_id for each in cited.get(shown.turn.number, ()))
    open_documents = askable(user, shown.turn.conversation.base).select_related("current_parse")
    documents = open_documents.in_bulk(its_documents)
    for document_id in its_documents:
        if document_id in documents and (questions := questions_after(documents[document_id], texts, cited)):
            is_named = shown.turn.document_ids != [str(document_id)]
            return FollowUps(documents[document_id], questions, is_named)
    return None


def citations_of(turn: Turn) -> list[Cited]:
    """What the answers of a conversation cite, up to one turn, in order."""
    found = Citation.objects.filter(
        answer__turn__conversation=turn.conversation_id, answer__turn__number__lte=turn.number
    ).order_by("answer__turn__number", "marker")
    names = ("document_id", "parse_id", "toc_index", "section_title")
    return [Cited(*row) for row in found.values_list("answer__turn__number", *(f"candidate__{name}" for name in names))]


def questions_after(document: Document, texts: dict[int, list[str]], cited: dict[int, list[Cited]]) -> list[str]:
    """A few questions of a document for the last of several turns, given what each turn asked and cites.

    The turns are gone through in order, since each offers first what the one before it did not.
    """
    tried = TriedQuestions(document)
    touched: list[Topic] = []
    offered: list[str] = []
    for number, asked in texts.items():
        places = cited.get(number, [])
        touched += tried.topics_of([*asked, *(each.section_title for each in places)])
        is_of_it = any(each.document_id == document.pk for each in places)
        offered = tried.offer(places, touched, offered) if is_of_it else []
    return offered


class TriedQuestions:
    """The questions of a document that were tried and are answered."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._kept = tried_questions(document) or []
        self._language = document.current_parse.language if document.current_parse else ""

    @cached_property
    def _on_sections(self) -> dict[str, int]:
        """The place in the contents of those that ask about a section."""
        return questions_on(self._sections, self._document)

    @cached_property
    def _sections(self) -> dict[int, str]:
        return first_sections(self._document) if self._kept else {}

    @cached_property
    def _topics(self) -> dict[str, Topic]:
        titles = {name: LEADING_NUMBER.sub("", self._sections[place]) for name, place in self._on_sections.items()}
        return {question: topic_of(titles.get(question, question), self._language) for question in self._kept}

    def topics_of(self, texts: Iterable[str]) -> list[Topic]:
        return [topic_of(text, self._language) for text in texts]

    def offer(self, cited: Iterable[Cited], touched: Sequence[Topic], before: Collection[str]) -> list[str]:
        """A few that no touched topic is about, and those of `before` only where nothing else is left.

        First those on the sections nearest to the cited ones, then those typical of the document.
        """
        places = [each.toc_index for each in cited if each.parse_id == self._document.current_parse_id]
        near = [question for question in self._kept if places and question in self._on_sections]
        near.sort(key=lambda question: min(abs(self._on_sections[question] - place) for place in places))
        typical = [question for question in self._kept if question not in self._on_sections]
        return self._choose(near, typical, touched, before) or self._choose(near, typical, touched, ())

    def _choose(
        self, near: Sequence[str], typical: Sequence[str], touched: Sequence[Topic], without: Collection[str]
    ) -> list[str]:
        near, typical = ([each for each in some if each not in without] for some in (near, typical))
        found = list(of_new_topics(near, self._topics, touched))[:NEAR_MAX]
        topics = [self._topics[question] for question in found]
        others = [each for each in typical if not any(topic <= self._topics[each] for topic in topics)]
        return [*found, *of_new_topics(others, self._topics, [*touched, *topics])][:SUGGESTED]


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
