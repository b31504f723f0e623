"""Places that hold no answer although the words of a question occur there, unless they are what is asked for.

Signatures, lists of exhibits, bibliographies and definitions of the parties; they are recorded as left out.
"""

import re
from collections.abc import Collection

from documents.storage.content import DocumentContent, kept_by_key, kept_with_content
from reading.rows import name_in_force
from reading.values.years import YEAR_DIGITS
from reading.wording import read_once
from retrieval.candidates.units import units_of
from retrieval.question.phrasing import asks_of_preamble
from retrieval.types import LineRange

SIGNED_AROUND = 5  # lines before and after on the page, in which a block of signatures shows
SIGNED_MIN = 3
LISTED_AROUND = 12  # the same for a list of exhibits, whose entries have up to four lines
EXHIBITS_MIN = 3  # lines that begin with the number of an exhibit, and that name where one was filed
WORKS_MIN = 3  # lines with a year, and lines with an initial, in a list of works
WORK_LINES = 5  # that a work has at most: a section named so with fewer years is text, and so is what is behind more

SIGNED = r"^\W*(?:(?:{signature_label})\s?:|{signature_sign})"
PARTY_DEFINED = r"""["“”](?:{party})["“”],?\s(?:{party_means})
    |\b(?:{introduced})\b(?s:.{0,80})["“”](?:{party})["“”]"""
# Which slots the entries of each section fill; the last one takes those of another.
FRAMES = {
    "signature_label": SIGNED,
    "signature_sign": SIGNED,
    "exhibit": r"^\W*(?:(?:{exhibit})[ -]?)?\d{1,3}\.\d{1,3}[a-z]?\b",
    "filed": r"\b(?:{filed})",
    "works": r"^\W*(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z]|[IVX]{1,5})[.)]?\s+)?(?:{works})\W*$",
    "party": PARTY_DEFINED,
    "party_means": PARTY_DEFINED,
    "introduced": PARTY_DEFINED,
    "asks_signatures": r"\b(?:{asks_signatures})\b",
    "asks_exhibits": r"\b(?:{asks_exhibits})\b",
    "asks_works": r"\b(?:{asks_works})\b",
    "asks_parties": r"\b(?:{asks_parties})\b",
    "party_word": r"^(?:{party})$",
    "minor": r"^\W*(?:\d+[.)]?\s+)?(?:{minor})\b",
    "title": r"^\W*(?:{title})\W*$",
}
SIGNATURES = "a block of signatures"
ASKED = {
    SIGNATURES: "asks_signatures",
    "a list of exhibits": "asks_exhibits",
    "a bibliography": "asks_works",
    "the definition of the parties": "asks_parties",
}
noise_signs = read_once(__name__, "noise", FRAMES)
DATED = re.compile(rf"(?:\(\s?|[.,]\s){YEAR_DIGITS}[a-z]?\s?(?:[).,;:]|$)")
# Of an author: "Harlow, D.", "D. H. Harlow"; that of a firm or a state is none, "Acme S.A.".
FIRM = r"(?!(?:S\.[AL]|B\.V|N\.V|L\.[LP]|U\.[SK]|E\.U)\.)"
INITIAL = re.compile(
    rf"(?<![\w.]){FIRM}(?:[A-ZÀ-Þ][\w’'-]{{1,40}},\s{FIRM}[A-ZÀ-Þ]\.|(?:[A-ZÀ-Þ]\.[\s-]?){{1,3}}[A-ZÀ-Þ]\w)"
)


def is_noise_title(title: str) -> bool:
    """Whether a part is named as one that says nothing of what a document is about: its contents, its signatures."""
    return bool(noise_signs()["title"].search(title))


def is_minor(title: str) -> bool:
    """Whether a part is named as one that comes after the others in weight: annexes, definitions."""
    return bool(noise_signs()["minor"].search(title))


def name_noise(line: int, words: Collection[str], asked: str, content: DocumentContent) -> str:
    """What a place is, if it holds no answer to the question: "a block of signatures", …; else "".

    `words` are those of the question on it, `asked` is the question in match form.
    """
    signs = noise_signs()
    found = name_part(line, content)
    if not found and words and all(signs["party_word"].search(word) for word in words):
        units = units_of(content)
        unit = units.at(units.position(line))
        is_definition = signs["party"].search(content.text_between(*unit, searched_only=True))
        found = "the definition of the parties" if is_definition else ""
    return "" if not found or signs[ASKED[found]].search(asked) or asks_of_preamble(asked) else found


@kept_by_key
def name_part(line: int, content: DocumentContent) -> str:
    """What the part of the page around a line is, "" if it is text like any other."""
    page = content.lines[line - 1].page_number
    if any(works.first <= line <= works.last for works in bibliographies_of(content)):
        return "a bibliography"

    def is_within(middle: int, sign: str, around: int, least: int) -> bool:
        """Whether at least so many lines of the page with the sign are near, the first of them not behind."""
        near = [number for number in lines_signed((sign, page), content) if abs(number - middle) <= around]
        return len(near) >= least and near[0] <= middle

    if is_within(line, "signature_label", SIGNED_AROUND, SIGNED_MIN):
        return SIGNATURES
    is_list = is_within(line, "exhibit", LISTED_AROUND, EXHIBITS_MIN) and is_within(
        line + LISTED_AROUND, "filed", 2 * LISTED_AROUND, EXHIBITS_MIN
    )
    return "a list of exhibits" if is_list else ""


@kept_with_content
def bibliographies_of(content: DocumentContent) -> tuple[LineRange, ...]:
    """The lists of works, with authors and years, in parts that are named so: one of standards and laws has none.

    A list ends where more lines than a work has are without a year: an annex without a title may follow.
    """
    found = []
    for entry in content.toc:
        if not noise_signs()["works"].search(name_in_force(entry.title)):
            continue
        lines = content.legible_lines(entry.first_line, entry.last_line)
        own = [line for line in lines if line.toc_index == entry.index]
        last = 0
        for at, line in enumerate(own):
            last = at if at - last <= WORK_LINES and DATED.search(line.text) else last
        works = own[: last + 1]
        least = max(WORKS_MIN, len(works) / WORK_LINES)
        if all(sum(sign.search(line.text) is not None for line in works) >= least for sign in (DATED, INITIAL)):
            found.append(LineRange(entry.first_line, works[-1].number))
    return tuple(found)


@kept_by_key
def lines_signed(sought: tuple[str, int], content: DocumentContent) -> list[int]:
    """The numbers of the lines with a sign on a page: every place on the page asks for them."""
    sign, page = sought
    has_sign = noise_signs()[sign].search
    return [line.number for line in content.lines_on_page(page) if has_sign(line.text)]
