"""Places that hold no answer although the words of a question occur there, unless they are what is asked for."""

import re
from collections.abc import Collection

from documents.storage.content import DocumentContent
from retrieval.candidates.units import units_of

SIGNED_AROUND = 5  # lines before and after on the page, in which a block of signatures shows
SIGNED_MIN = 3
LISTED_AROUND = 12  # the same for a list of exhibits, whose entries have up to four lines
EXHIBITS_MIN = 3  # lines that begin with the number of an exhibit, and that name where one was filed
PARTY_WORDS = frozenset({"party", "parties", "partie"})

SIGNED = re.compile(
    r"^\W*(?:(?:by|name|title|its|signature|signed|per|nom|titre|fonction)\s?:|/s/|in witness where?of\b)",
    re.IGNORECASE,
)
EXHIBIT = re.compile(
    r"\b(?:incorporated (?:herein )?by reference|(?:filed|furnished) herewith|previously filed"
    r"|exhibit \d{1,3}(?:\.\d{1,3})? (?:to|of) )",
    re.IGNORECASE,
)
EXHIBIT_NUMBER = re.compile(r"^\W*(?:ex(?:hibit|\.)?[ -]?)?\d{1,3}\.\d{1,3}[a-z]?\b", re.IGNORECASE)
PARTY_DEFINED = re.compile(
    r"[\"“”](?:part(?:y|ies))[\"“”],? (?:means|shall mean|refers|has the meaning)"
    r"|\b(?:each|individually|collectively|hereinafter|referred to)\b.{0,80}[\"“”]part(?:y|ies)[\"“”]",
    re.IGNORECASE | re.DOTALL,
)
ASKED = {
    "a block of signatures": re.compile(r"\b(?:sign\w*|execut\w+|witness\w*|who|whom|title|name)\b"),
    "a list of exhibits": re.compile(r"\b(?:exhibits?|filed|furnished|incorporated|annex\w*|appendi\w+)\b"),
    "the definition of the parties": re.compile(r"\b(?:who|whom|which|names?|named|defin\w+|mean\w*)\b"),
}


def name_noise(line: int, words: Collection[str], asked: str, content: DocumentContent) -> str:
    """What a place is, if it holds no answer to the question: "a block of signatures", …; else "".

    `words` are those of the question on it, `asked` is the question in match form.
    """
    found = name_part(line, content)
    if not found and set(words) <= PARTY_WORDS and words:
        units = units_of(content)
        unit = units.at(units.position(line))
        is_definition = PARTY_DEFINED.search(content.text_between(*unit, searched_only=True))
        found = "the definition of the parties" if is_definition else ""
    return "" if not found or ASKED[found].search(asked) else found


def name_part(line: int, content: DocumentContent) -> str:
    """What the part of the page around a line is, "" if it is text like any other."""
    page = content.lines[line - 1].page_number

    def is_within(middle: int, sign: re.Pattern[str], around: int, least: int) -> bool:
        """Whether at least so many lines of the page with the sign are near, the first of them not behind."""
        lines = content.lines_between(middle - around, middle + around)
        near = [each.number for each in lines if each.page_number == page and sign.search(each.text)]
        return len(near) >= least and near[0] <= middle

    if is_within(line, SIGNED, SIGNED_AROUND, SIGNED_MIN):
        return "a block of signatures"
    is_list = is_within(line, EXHIBIT_NUMBER, LISTED_AROUND, EXHIBITS_MIN) and is_within(
        line + LISTED_AROUND, EXHIBIT, 2 * LISTED_AROUND, EXHIBITS_MIN
    )
    return "a list of exhibits" if is_list else ""
