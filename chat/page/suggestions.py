"""Suggested first questions, made from section titles of a document that can be asked."""

import re

from django.utils.translation import gettext

from accounts.models import User
from chat.scope import askable, current_value, parse_picker_value
from documents.models import Document, TocEntry

SUGGESTED = 3
TRIED = 5  # documents, until one has sections worth asking about
TITLE_WORDS = range(1, 8)
# Sections every document has and nobody asks about.
COMMON_TITLES = frozenset(
    ["abstract", "acknowledgements", "acknowledgments", "appendix", "background", "bibliography", "conclusion"]
    + ["conclusions", "contents", "introduction", "index", "overview", "preface", "references", "summary"]
)
LEADING_NUMBER = re.compile(
    r"^(?:(?:item|part|section|chapter|article|annex|schedule|appendix)\s+[\dIVX]+[A-Z]?\b|[\W\d]+(?:\.\d+)*)\W*",
    re.IGNORECASE,
)


def suggest(user: User, chosen: str) -> tuple[Document | None, list[tuple[str, str]]]:
    """A document and a few (scope value, question) pairs for it: from the chosen base or documents, else read last."""
    documents = askable(user).exclude(current_parse__toc_entries=None).order_by("-current_parse__created_at")
    kind, ids = parse_picker_value(current_value(chosen))
    if ids:
        documents = documents.filter(**{"base__in" if kind == "base" else "pk__in": ids})
    for document in documents[:TRIED]:
        if questions := questions_of(document):
            return document, [(f"document:{document.pk}", question) for question in questions]
    return None, []


def questions_of(document: Document) -> list[str]:
    question = gettext("What does the document say about %(section)s?")
    titles = TocEntry.objects.filter(parse=document.current_parse_id).exclude(origin="front").order_by("level", "index")
    plain = (LEADING_NUMBER.sub("", title).strip() for title in titles.values_list("title", flat=True)[:60])
    worth = (title for title in plain if is_worth_asking(title) and title != document.title)
    return [question % {"section": title} for title in list(dict.fromkeys(worth))[:SUGGESTED]]


def is_worth_asking(title: str) -> bool:
    words = title.split()
    return len(words) in TITLE_WORDS and title.lower() not in COMMON_TITLES and any(sign.islower() for sign in title)
