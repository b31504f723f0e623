"""Questions to begin with, made of the section titles of a document that can be asked."""

import re

from accounts.models import User
from chat.scope import askable
from documents.models import Document, TocEntry

SUGGESTED = 3
TITLE_WORDS = range(1, 8)
# Sections every document has and nobody asks about.
COMMON_TITLES = frozenset(
    ["abstract", "acknowledgements", "acknowledgments", "appendix", "background", "bibliography", "conclusion"]
    + ["conclusions", "contents", "introduction", "index", "overview", "preface", "references", "summary"]
)
LEADING_NUMBER = re.compile(r"^[\W\d]+(?:\.\d+)*\W*")


def suggest(user: User, chosen: str) -> list[tuple[str, str]]:
    """A few (scope value, question) pairs for the chosen base or document, else for what was read last."""
    documents = askable(user).exclude(current_parse__toc_entries=None).order_by("-current_parse__created_at")
    kind, _, key = chosen.partition(":")
    if kind in ("base", "document"):
        documents = documents.filter(**{"pk" if kind == "document" else "base": key})
    document = documents.first()
    return [(f"document:{document.pk}", question) for question in questions_of(document)] if document else []


def questions_of(document: Document) -> list[str]:
    titles = TocEntry.objects.filter(parse=document.current_parse_id).exclude(origin="front").order_by("level", "index")
    plain = (LEADING_NUMBER.sub("", title).strip() for title in titles.values_list("title", flat=True)[:60])
    worth = (title for title in plain if is_worth_asking(title) and title != document.title)
    return [f"What does the document say about {title}?" for title in list(dict.fromkeys(worth))[:SUGGESTED]]


def is_worth_asking(title: str) -> bool:
    words = title.split()
    return len(words) in TITLE_WORDS and title.lower() not in COMMON_TITLES and any(sign.islower() for sign in title)
