"""Requests with a form of their own: an outline of a document, a comparison of several things.

Words are data in `forms.<language>.toml`; the frames around them are here. Matching ignores case.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from documents.cards.asking import types_called
from documents.storage.content import DocumentContent
from reading.values.years import years_in
from reading.wording import Wordings, read_once
from retrieval.question.documents_named import Name, called_of, stands_in, years_of_document
from retrieval.question.phrasing import phrasing_rules, section_named
from retrieval.types import Form, Side
from retrieval.words.tokens import is_stop_word, normalise_words, stem

SIDES_MAX = 4  # things that a request lists; a longer list is a question about many
KIND_MAX = 8  # documents of a kind, a column each
SIDE_WORDS_MAX = 12  # of the name of a thing; more is a sentence
ASPECT_WORDS_MAX = 40
JOINED_MIN = 5  # letters of a name found inside a name written without spaces
ACRONYM_MAX = 5
VERSION = re.compile(r"\bv(?:ersion)?[\s.]?(\d+(?:\.\d+)*)\b", re.IGNORECASE)

POLITELY = r"^\W*+(?:(?:{polite})[\s,]+)*"
ABOUT = r"^\W*+(?:{about_before})\s+(?P<what>[^?]+?)\s+(?:{about_after})\W*$"
SAYING = r"^(?:{saying_before})\s+(?P<sides>.+?)\s+(?:{saying})\s+(?P<aspect>.+)$"
HOW = r"^\W*+(?:{how_before})\s+(?P<sides>.+?)\s+(?:{how_after})(?:\s+(?P<tail>.+?))?[\s?.!]*$"
DIFFERENCE_IN = r"^\W*+(?:{difference_in})\s+(?P<aspect>.+?)\s+(?:{between})\s+(?P<sides>.+)$"
GROUP = r"^(?:(?:{every})\s+)*+(?P<kind>{plural})$"
FRAMES = {
    "polite": r"(?:^|[\s,])(?:{polite})(?=[\s,.?!]|$)",
    "summary": rf"{POLITELY}(?:{{summary}})(?P<what>(?:\s.*)?)$",
    "about_before": ABOUT,
    "about_after": ABOUT,
    "document": r"\b(?:{document})\b",
    "compare": rf"{POLITELY}(?:{{compare}})\s+(?P<rest>.+)$",
    "difference": rf"{POLITELY}(?:{{difference}})\s+(?P<rest>.+)$",
    "difference_in": DIFFERENCE_IN,
    "between": DIFFERENCE_IN,
    "saying_before": SAYING,
    "saying": SAYING,
    "how_before": HOW,
    "how_after": HOW,
    "regarding": r"\s(?:{regarding})\s+",
    "inside": r"\s(?:{inside})\s+",
    "tail_between": r"(?:{between})\s+(?P<sides>.+)$",
    "tail_versus": r"(?:{versus})\s+(?P<other>.+)$",
    "versus": r"(?<!\s)\s*,\s*(?:(?:{versus})\s+)?|(?<!\s)\s+(?:{versus})\s+",
    "determiner": r"^(?:(?:(?:{stand_in})\s+)?(?:{inside})\s+(?:{determiner})?|(?:{determiner}))",
    "stand_in": r"^(?:{stand_in})\b",
    "every": GROUP,
    "plural": GROUP,
    "any_document": r"^(?:{any_document})$",
}
form_rules = read_once(__name__, "forms", FRAMES)


class Comparison(NamedTuple):
    """One way to read a comparison: what is compared, and in what respect ("" for as a whole).

    One side alone may name several documents: "the NDAs".
    """

    sides: tuple[str, ...]
    aspect: str = ""
    is_of_documents: bool = False  # only documents can have things in them: "the notice period in A and B"


class ReadForm(NamedTuple):
    """The form a request asks for; the documents an outline is limited to, or the sides of a comparison."""

    form: Form = ""
    document_ids: tuple[str, ...] = ()
    sides: tuple[Side, ...] = ()


def read_form(asked: str, contents: Sequence[DocumentContent], language: str, *, is_told: bool = True) -> ReadForm:
    """The form that is asked for, none of most questions. A page or a section named is a question like any other.

    `is_told` is whether the words of the question tell its language, which is else only assumed.
    """
    if not contents or phrasing_rules()["page"].search(asked) or section_named(asked):
        return ReadForm()
    rules = form_rules().of_language(language if is_told else "")
    outlined = documents_outlined(asked, contents, language, rules)
    if outlined is not None:
        return ReadForm("outline", document_ids=outlined)
    sides = sides_of(asked, contents, language, rules)
    return ReadForm("compare", sides=sides) if sides else ReadForm()


# ---- an outline


def documents_outlined(
    asked: str, contents: Sequence[DocumentContent], language: str, rules: Wordings
) -> tuple[str, ...] | None:
    """The documents whose outline is asked for, () for all of the scope; None if something else is asked.

    "Summarise this lease" and "What is the Excite agreement about?" ask for one; "Summarise the duties" does not.
    """
    text = asked.strip(" ?.!")
    found = rules["summary"].match(text) or rules["about_before"].match(text)
    if not found:
        return None
    what = rules["polite"].sub(" ", found["what"])
    if not name_words(what, language, rules):
        return documents_called(what, contents, language, rules)
    return documents_called(what, contents, language, rules) or None


def name_words(said: str, language: str, rules: Wordings) -> list[str]:
    """The words of a name, without articles and without "the document", "agreement" and the like."""
    return [word for word in normalise_words(rules["document"].sub(" ", said)) if not is_stop_word(word, language)]


def is_called(words: Collection[str], name: Name) -> bool:
    """Whether all the words are in the title or the file name of a document, or short for words of them."""
    years = (str(year) for year in years_of_document(name))
    return names_all(words, name, {*called_of(name).label, *years})


def names_all(words: Collection[str], name: Name, label: Collection[str]) -> bool:
    called = called_of(name)
    return bool(words) and all(
        word in label or (len(word) >= JOINED_MIN and word in called.joined) or is_acronym(word, called.label)
        for word in words
    )


def is_acronym(word: str, label: Sequence[str]) -> bool:
    """Whether the letters of a word begin consecutive words: "nda" of "Non-Disclosure Agreement"."""
    initials = "".join(each[0] for each in label)
    return 1 < len(word) <= ACRONYM_MAX and word.isalpha() and word in initials


def full_name_of(content: DocumentContent) -> Name:
    cover = " ".join(line.text for line in content.cover)
    return Name(f"{content.title} {content.file_name}", cover)


# ---- a comparison


def sides_of(asked: str, contents: Sequence[DocumentContent], language: str, rules: Wordings) -> tuple[Side, ...]:
    """What is compared, each with the question to ask for it; () if nothing is compared.

    A name of several documents comes first, then the reading in which every side is a document, then one in which some
    are. Two years are compared where each has a document of its own: in one document they stand in one row.
    """
    read = list(comparisons_in(asked, rules))
    # "all of the NDAs" before "all", asked of the NDAs
    alone = sorted((each for each in read if len(each.sides) == 1), key=lambda each: each.is_of_documents)
    groups = [documents_of_kind(each, contents, language, rules) for each in alone]
    if group := next(filter(None, groups), ()):
        return group
    readings = [each for each in read if len(each.sides) > 1]
    found = [tuple(documents_called(side, contents, language, rules) for side in reading.sides) for reading in readings]
    for is_enough in (all, any):
        for reading, documents in zip(readings, found, strict=True):
            pairs = list(zip(reading.sides, documents, strict=True))
            if (
                is_enough(documents)
                and is_apart(documents)
                and all(ids or is_thing(side, language, rules) for side, ids in pairs)
            ):
                return tuple(build_side(side, reading.aspect, ids) for side, ids in pairs)
    for reading in readings:
        if not reading.is_of_documents and all(is_thing(side, language, rules) for side in reading.sides):
            return tuple(build_side(side, reading.aspect, ()) for side in reading.sides)
    return ()


def documents_of_kind(
    reading: Comparison, contents: Sequence[DocumentContent], language: str, rules: Wordings
) -> tuple[Side, ...]:
    """The documents that one name is of, "the NDAs", as a side each by that name; () unless they fit side by side."""
    found = rules["plural"].match(reading.sides[0])
    if not found:
        return ()
    types, stems = types_called(found["kind"]), {stem(word, language) for word in normalise_words(found["kind"])}
    stems = {word for word in stems if not is_stop_word(word, language)}
    called = [
        each
        for each in contents
        if rules["any_document"].match(found["kind"])
        or each.document_type in types
        or is_of_kind(stems, full_name_of(each), language)
    ]
    if not 2 <= len(called) <= KIND_MAX:
        return ()
    return tuple(Side(reading.sides[0], reading.aspect, (each.document_id,)) for each in called)


def are_of_one_name(sides: Sequence[Side]) -> bool:
    """Whether the sides are what one name is of among the documents that were read."""
    return len(sides) > 1 and len({side.name for side in sides}) == 1


def is_of_kind(stems: Collection[str], name: Name, language: str) -> bool:
    """Whether each of the stems is that of a word in the name of a document, or ends one, or is short for some."""
    return names_all(stems, name, {stem(word, language) for word in called_of(name).label})


def places_compared(asked: str, names: Sequence[Name], language: str) -> list[int]:
    """The places of the documents that a comparison may be of, by their names; [] if nothing is compared."""
    rules = form_rules()
    sides = {side for reading in comparisons_in(asked, rules) if len(reading.sides) > 1 for side in reading.sides}
    words = [found for side in sides if (found := name_words(side, language, rules))]
    return [place for place, name in enumerate(names) if any(is_called(each, name) for each in words)]


def comparisons_in(asked: str, rules: Wordings) -> Iterator[Comparison]:
    """The ways to read a comparison, the most telling first; none of another question."""
    text = asked.strip(" ?.!")
    if found := rules["difference_in"].match(text):
        yield from readings_of(found["sides"], found["aspect"], rules)
    elif found := rules["compare"].match(text) or rules["difference"].match(text):
        yield from readings_in(found["rest"], rules)
    elif found := rules["how_before"].match(text):
        yield from readings_of_how(found["sides"], found["tail"] or "", rules)


def readings_in(rest: str, rules: Wordings) -> Iterator[Comparison]:
    """ "how A and B treat X"; "A and B with regard to X"; "the X of A and B"; "A and B"."""
    if found := rules["saying_before"].match(rest):
        yield from readings_of(found["sides"], found["aspect"], rules)
        return
    for found in rules["regarding"].finditer(rest):
        yield from readings_of(rest[: found.start()], rest[found.end() :], rules)
    for found in rules["inside"].finditer(rest):
        yield from (
            each._replace(is_of_documents=True)
            for each in readings_of(rest[found.end() :], rest[: found.start()], rules)
        )
    yield from readings_of(rest, "", rules)


def readings_of_how(sides: str, tail: str, rules: Wordings) -> Iterator[Comparison]:
    """ "how do A and B differ (on X)"; "how does A differ from B (on X)"; "how does X differ between A and B"."""
    if found := rules["tail_between"].match(tail):
        yield from readings_of(found["sides"], sides, rules)
    elif found := rules["tail_versus"].match(tail):
        yield from readings_of_pair(sides, found["other"], rules)
    elif not tail:  # "how did sales change" is no outline of all that is called so
        yield from (each for each in readings_in(sides, rules) if len(each.sides) > 1 or each.aspect)
    elif rules["regarding"].match(f" {tail}"):
        yield from readings_in(f"{sides} {tail}", rules)


def readings_of_pair(one: str, other: str, rules: Wordings) -> Iterator[Comparison]:
    """The readings of one thing against another, of which the second may name the respect, or the first a part."""
    for found in rules["regarding"].finditer(other):
        yield from reading_of_two(one, other[: found.start()], other[found.end() :], rules)
    for found in rules["inside"].finditer(one):
        pairs = reading_of_two(one[found.end() :], other, one[: found.start()], rules)
        yield from (each._replace(is_of_documents=True) for each in pairs)
    yield from reading_of_two(one, other, "", rules)


def readings_of(sides: str, aspect: str, rules: Wordings) -> Iterator[Comparison]:
    """The reading with these sides, if there are no more than four of them and none is a whole sentence."""
    yield from reading_of(rules["versus"].split(sides), aspect, rules)


def reading_of_two(one: str, other: str, aspect: str, rules: Wordings) -> Iterator[Comparison]:
    yield from reading_of([one, other], aspect, rules)


def reading_of(said: Sequence[str], aspect: str, rules: Wordings) -> Iterator[Comparison]:
    names = [name_side(each, rules) for each in said]
    if len(names) > SIDES_MAX or not all(names) or len(aspect.split()) > ASPECT_WORDS_MAX:
        return
    if all(len(name.split()) <= SIDE_WORDS_MAX for name in names) and len({*map(str.casefold, names)}) == len(names):
        yield Comparison(tuple(names), name_side(aspect, rules))


def name_side(said: str, rules: Wordings) -> str:
    """A name without what leads to it: "those in the lease" is "lease"."""
    return rules["determiner"].sub("", said.strip(" ,;:")).strip()


def documents_called(side: str, contents: Sequence[DocumentContent], language: str, rules: Wordings) -> tuple[str, ...]:
    """The documents that a side names and nothing else, () for a thing: by name, by year, by number of version.

    Where its very words are in the name of some, "agreement" and the like among them, only those are meant.
    """
    if version := VERSION.fullmatch(side):
        return tuple(each.document_id for each in contents if version[1] in VERSION.findall(full_name_of(each).label))
    words = name_words(side, language, rules) or [
        each for each in normalise_words(side) if not is_stop_word(each, language)
    ]
    called = [each for each in contents if is_called(words, full_name_of(each))]
    typed = tuple(normalise_words(side))
    exactly = [each for each in called if stands_in(typed, called_of(full_name_of(each)).label)]
    return tuple(each.document_id for each in exactly or called)


def is_thing(side: str, language: str, rules: Wordings) -> bool:
    """Whether a side names something by itself: no year, no version, no "it" or "those used elsewhere"."""
    is_period = bool(years_in(side) or VERSION.search(side) or side.isdigit())
    words = [word for word in normalise_words(side) if not is_stop_word(word, language)]
    return bool(words) and not is_period and not rules["stand_in"].match(side)


def is_apart(documents: Sequence[Collection[str]]) -> bool:
    """Whether no document is on two sides."""
    sets = [set(each) for each in documents]
    return not any(first & second for first, second in pairwise(sorted(sets, key=len))) and len(sets) > 1


def build_side(name: str, aspect: str, document_ids: tuple[str, ...]) -> Side:
    """A side: in documents of its own the respect is asked for, elsewhere the thing with it."""
    asked = aspect if document_ids else " ".join(filter(None, [name, aspect]))
    return Side(name, asked, document_ids)
