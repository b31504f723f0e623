"""Which pages a question names, and which of a document these are: as printed first, else by their place (R36)."""

import re
from collections.abc import Collection, Iterator, Sequence

from documents.storage.content import DocumentContent
from reading.layout.page_numbers import roman_of, value_of_roman
from retrieval.question.phrasing import PAGE, phrasing_rules
from retrieval.question.vague import say
from retrieval.types import Hints, PageTaken

PDF = "application/pdf"
PAGES_MAX = 50  # "pages 1 to 9999" must not pin a whole book
PAGE_NAME = re.compile(rf"(?<![\w-]){PAGE}|(?<!\w)[A-Z]{{1,2}}\d{{1,4}}(?!\w)", re.IGNORECASE)
LETTERED = re.compile(r"(?P<letters>[A-Za-z]{1,2})[-–.](?P<number>\d+)")
SEPARATOR = re.compile(r"(?<=[a-z])[-–.\s]+(?=\d)|\s+")


def pages_named(text: str, labels: Collection[str] = (), *, of_file: bool = False) -> tuple[int | str, ...]:
    """Every page a question names, with ranges expanded: "pages 5 to 7" is 5, 6, 7, "page ii" is "ii".

    A span that is one of the `labels` of the documents is that page: "page 3-12". Pages that are expressly the file's,
    as "page 12 of the file", are told alone, with `of_file`.
    """
    pages: list[int | str] = []
    span = phrasing_rules()["page_span"]
    for found in phrasing_rules()["page"].finditer(text):
        if bool(found["file"]) != of_file:
            continue
        said = found["pages"]
        if said in labels:
            pages.append(said)
            continue
        for between in span.finditer(said):
            pages += pages_between(between["first"], between["last"])
        pages += [page_of(each) for each in PAGE_NAME.findall(span.sub(" ", said))]
    return tuple(dict.fromkeys(page for page in pages if page))


def pages_between(first: str, last: str) -> list[int | str]:
    """The pages from one to another; those two where they are not counted alike."""
    if first.isdigit() and last.isdigit():
        return list(range(int(first), min(int(last), int(first) + PAGES_MAX - 1) + 1))
    if first.isalpha() and last.isalpha():
        return [roman_of(value) for value in range(value_of_roman(first), value_of_roman(last) + 1)]
    start, end = LETTERED.fullmatch(first), LETTERED.fullmatch(last)
    if start and end and start["letters"] == end["letters"]:
        return [f"{start['letters']}-{page}" for page in pages_between(start["number"], end["number"])]
    return [page_of(first), page_of(last)]


def page_of(said: str) -> int | str:
    return int(said) if said.isdigit() else said


def without_pages(text: str) -> str:
    return " ".join(phrasing_rules()["page"].sub(" ", text).split())


def labels_of(contents: Sequence[DocumentContent]) -> frozenset[str]:
    return frozenset(page.label for content in contents for page in content.pages)


# ---- the pages of a document


def take_pages(hints: Hints, content: DocumentContent) -> Iterator[PageTaken]:
    """What each page that is named is in a document: the one that prints it, else the one at that place in the file."""
    pages = content.pages if hints.names_page and has_pages(content) else ()
    count = len(pages)
    printed: dict[str, list[int]] = {}
    for page in pages:
        printed.setdefault(label_form(page.label), []).append(page.number)
    for named in hints.pages:
        if numbers := printed.get(label_form(str(named))):
            yield PageTaken(str(named), "printed", tuple(numbers))
        elif isinstance(named, int) and 1 <= named <= count:
            yield PageTaken(str(named), "file", (named,))
        else:
            yield PageTaken(str(named), "none")
    for number in hints.file_pages:
        is_there = 1 <= number <= count
        yield PageTaken(str(number), "asked" if is_there else "none", (number,) if is_there else ())


def label_form(label: str) -> str:
    """A label as it is compared: "A-3", "a 3" and "A3" are one."""
    return SEPARATOR.sub("", label.casefold())


def find_named_pages(hints: Hints, content: DocumentContent) -> set[int]:
    """The pages of a document that a question names, by their numbers in the file."""
    return {number for taken in take_pages(hints, content) for number in taken.pages}


def has_pages(content: DocumentContent) -> bool:
    """Whether a document has pages of its own: a text is stored as one."""
    return content.media_type == PDF


def pages_taken(hints: Hints, contents: Sequence[DocumentContent]) -> tuple[PageTaken, ...]:
    """How the pages named were taken, as far as there was a choice or a page is nowhere; with titles, if of several."""
    read = [(content, list(take_pages(hints, content))) for content in contents if has_pages(content)]
    if not hints.names_page or not read:
        return ()
    if not any(each.pages for _, taken in read for each in taken):
        return tuple(taken for _, every in read[:1] for taken in every)
    return tuple(
        each._replace(title=content.title if len(contents) > 1 else "")
        for content, taken in read
        if any(page.label != str(page.number) for page in content.pages)
        for each in taken
        if each.taken_as in ("file", "none") or (each.taken_as == "printed" and each.pages != (as_number(each.named),))
    )


def as_number(named: str) -> int:
    return int(named) if named.isdigit() else 0


def describe_pages(taken: Sequence[PageTaken], language: str) -> str:
    """What an answer says of the pages its question names: "Page 6 was taken as printed: page 12 of the file."."""
    said = []
    for each in taken:
        pages = ", ".join(map(str, each.pages))
        text = say(f"page_{each.taken_as}", language, named=each.named, pages=pages)
        said.append(f"{each.title}: {text}" if each.title else text)
    return " ".join(said)
