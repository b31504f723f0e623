"""Suggested first questions: those typical of the type of a document that it can answer, else its section titles.

Those that were tried (`chat.page.trying`) and are answered go first; a document that was just read has untried ones.

Up to eight of a reading and language are kept, of which three begin a conversation.
"""

import re
from collections.abc import Mapping

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import get_language, gettext

from accounts.models import User
from chat.models import SuggestedQuestions
from chat.scope import askable, current_value, parse_picker_value
from documents.cards.asking import typical_questions
from documents.cards.versions import card_of
from documents.models import Document, TocEntry
from reading.rows import name_in_force
from reading.values.months import MONTHS
from reading.values.years import YEAR

SUGGESTED = 3
TITLES_READ = 60
TRIED = 5  # documents, until one has sections worth asking about
TITLE_WORDS = range(1, 8)
END_MARKS = " .,:;?!"  # the question has its own
# Sections every document has and nobody asks about.
COMMON_TITLES = frozenset(
    ["abstract", "acknowledgements", "acknowledgments", "appendix", "background", "bibliography", "conclusion"]
    + ["conclusions", "contents", "definitions", "introduction", "index", "overview", "preface", "references"]
    + ["summary"]
)
LEADING_NUMBER = re.compile(
    r"^(?:(?:item|part|section|chapter|article|annex|schedule|appendix)\s+[\dIVX]+[A-Z]?\b(?:\.\d+)*|[\W\d]+(?:\.\d+)*)\W*",
    re.IGNORECASE,
)


def suggest(user: User, chosen: str) -> tuple[Document | None, list[tuple[str, str]]]:
    """A document and a few (scope value, question) pairs for it: from the chosen base or documents, else read last."""
    has_titles = Exists(TocEntry.objects.filter(parse=OuterRef("current_parse")))
    telling = askable(user).select_related("card").filter(Q(card__isnull=False) | has_titles)
    documents = telling.order_by("-current_parse__created_at")
    kind, ids = parse_picker_value(current_value(chosen))
    if ids:
        documents = documents.filter(**{"base__in" if kind == "base" else "pk__in": ids})
    for document in documents[:TRIED]:
        tried = tried_questions(document)
        if questions := questions_of(document) if tried is None else tried:
            return document, [(f"document:{document.pk}", question) for question in questions[:SUGGESTED]]
    return None, []


def tried_questions(document: Document) -> list[str] | None:
    """The questions of the document that were tried and are answered, in the reader's language; None before that."""
    tried = SuggestedQuestions.objects.filter(parse=document.current_parse_id, language=get_language() or "en")
    questions: list[str] | None = tried.values_list("questions", flat=True).first()
    return questions


def questions_of(document: Document) -> list[str]:
    """What the document may be asked, first what is typical of its type (R15)."""
    sections = first_sections(document)
    return [*typical_questions(card_of(document), sections.values()), *questions_on(sections, document)]


def first_sections(document: Document) -> dict[int, str]:
    """The titles of the first sections of a document by their number in its contents, the widest sections first."""
    entries = (
        TocEntry.objects.filter(parse=document.current_parse_id).exclude(origin="front").order_by("level", "index")
    )
    return dict(entries.values_list("index", "title")[:TITLES_READ])


def questions_on(sections: Mapping[int, str], document: Document) -> dict[str, int]:
    """A question on each section that is worth one, with the number of the section."""
    asked = gettext("What does the document say about %(section)s?")
    questions: dict[str, int] = {}
    for index, said in sections.items():
        title = name_as_asked(name_in_force(said))
        if is_worth_asking(title) and title != document.title:
            questions.setdefault(asked % {"section": title}, index)
    return questions


def name_as_asked(said: str) -> str:
    """A section's name without its number; one with a number is in small letters where it is printed in capitals."""
    number = LEADING_NUMBER.match(said)
    name = said[number.end() if number else 0 :].strip().rstrip(END_MARKS)
    is_of_section = number is not None and re.search(r"[^\W_]", number[0]) and not YEAR.search(number[0])
    return name.capitalize() if name.isupper() and is_of_section else name


def is_worth_asking(title: str) -> bool:
    """Whether somebody would ask about it: words in capitals are headings of a cover, or the names of the parties, a
    small first letter is the middle of a sentence, and a date is no section.
    """
    words = title.split()
    is_said = any(sign.islower() for sign in title) and sum(word.isupper() for word in words) * 2 <= len(words)
    return (
        is_said
        and not title[0].islower()
        and not is_date(title)
        and len(words) in TITLE_WORDS
        and title.lower() not in COMMON_TITLES
    )


def is_date(title: str) -> bool:
    """Whether nothing but months and numbers stand in it."""
    words = [word.strip(END_MARKS).lower() for word in title.split()]
    return all(word in MONTHS or word.isdigit() for word in words)
