"""What tells who somebody is in a text that a model is to be sent, for its stand-ins (llm.pseudonyms).

Persons, addresses, e-mail addresses and telephone numbers are what the values of answers are found by
(`retrieval/question/values.*.toml`, cut whole by chat.figures.names); the parties of a preamble are those of cards.
Accounts, cards and ids are numbers whose check digits are right. Firms are nobody.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from chat.figures.names import INITIAL, LANGUAGES, UPPER, WORD, is_joining, places_named, spans_of
from llm.pseudonyms.stand_ins import Personal
from reading.titles import BETWEEN, parties_in
from retrieval.words.tokens import is_stop_word

PAIRS_KEPT = 20_000  # lines of documents are sent to the arbiter, the writer and the check
TITLE = r"(?:Mr|Ms|Mrs|Miss|Dr|Prof|Herrn?|Frau|MM?|Me|Mme|Mlle|Sr|Sra|Dra|[Dd]on|[Dd]oña|D)\b\.?ª?"
TITLED = re.compile(TITLE)
NAMED = rf"{WORD}(?![\w’'-]|[^\S\n]?:)"  # and no label of what comes next
FULL_NAME = rf"(?:{TITLE}[^\S\n])?{NAMED}(?:[^\S\n]{{1,3}}(?:[{UPPER}]\.|{NAMED})){{1,3}}"
JOINT = r"(?:[^\S\n]?[&/\\][^\S\n]?|[^\S\n](?:and|und|et|y)[^\S\n])"
# What follows such a label is somebody's name, though no title stands before it; there may be several.
LABELLED = re.compile(
    r"(?:/s/|\b(?:Name|Nom|Nombre|Signed by|Contact|Ansprechpartner(?:in)?|Kontakt|Contacto|Attention|Attn|Att|z\. ?Hd"
    rf"|[Àà] l[’']attention de|A la atención de)\.?\s?:)\s*({FULL_NAME}(?:{JOINT}{FULL_NAME}){{0,4}})"
)
JOINED = re.compile(JOINT)
OF_SEVERAL = re.compile(r"\b(?:Department|Dept|Division|Office|Desk|Group|Team|Committee|Board|Abteilung|Service)\b")
NAME_WORD = re.compile(r"[^\W\d_]{2,}")  # no initial
PART = re.compile(rf"[{UPPER}][\w’'-]{{2,}}")
AMERICAN = re.compile(r"(?:1[ -])?\(?\d{3}\)?[ -]\d{3}-\d{4}|\d{3}-\d{2}-\d{4}")  # the last is of social security
EMAIL = re.compile(r"[\w.+'-]{1,64}@[\w-]+(?:\.[\w-]+)+")  # RFC 5321: 64 before the "@"
PHONE = re.compile(rf"{AMERICAN.pattern}|\(?\+?\d(?:(?! / )[\d ()/-]){{6,}}\d")  # of a run of digits each one
SPOKEN = re.compile(r"(?:t[ée]l|phone|fax|facs|mob|cell|handy|ruf|m[óo]vil|portable|call)\w*\W{1,4}\Z", re.IGNORECASE)
BEFORE_CHARS = 24
DOTTED = re.compile(r"(?<![\d.])(?:0\d(?:\.\d\d){4}|\d{3}\.\d{3}\.\d{4})(?!\d|\.\d)")
# What a postcode stands behind in America, and what is one in Canada.
REGIONAL = re.compile(
    rf"{WORD}(?: {WORD}){{0,2}}, {WORD}(?: {WORD})? \d{{5}}(?:-\d{{4}})?(?!\w)|(?<!\w)[A-Z]\d[A-Z] \d[A-Z]\d(?!\w)"
)
# Digits in groups, or an id with letters at its ends; what they are, the check digits say.
NUMBER = re.compile(r"(?<![\w.,-])[A-Z]{0,2}\d(?:[ .-]?[\dA-Z]){6,32}(?![\w-])")
LETTERS_OF_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"


def find_personal(text: str, known: Sequence[str] = ()) -> list[Personal]:
    """What is found in a text, in reading order, each once; then the `known` names, but those of firms.

    A name may go on in the next line. Who is found somewhere is found everywhere with the names before the surname.
    """
    lines = [*text.split("\n"), ""]
    found = [each for pair in pairwise(lines) for each in personal_in(*pair)]
    found += [each for name in known for each in person_named(name)]
    return list(dict.fromkeys([*found, *persons_with_surname(text, found)]))


@lru_cache(maxsize=PAIRS_KEPT)
def personal_in(line: str, following: str) -> tuple[Personal, ...]:
    """What is found in a line and the one after it."""
    if not line.strip():
        return ()
    text = f"{line}\n{following}"
    # Of what overlaps the first is taken: a card number may look like a telephone number.
    return (*find_identifiers(text), *emails_in(text), *phones_in(text), *addresses_in(text), *persons_in(text))


# ---- persons and addresses


def persons_in(text: str) -> Iterator[Personal]:
    """Names with a title, initials or a label, and those of a preamble; behind a role only what has two words."""
    joined = text.replace("\n", " ")
    for start, end in dict.fromkeys([*spans_of(joined, "person"), *spans_of(text, "person")]):
        is_sure = bool(TITLED.match(text, start) or INITIAL.search(joined, start, end))
        cut = text.find("\n", start, end)
        parts, rest = name_parts(text, start, cut if cut >= 0 else end), name_parts(text, cut, end) if cut >= 0 else ()
        if rest and len(parts) < 2:  # a first name ends a line; after a whole one the next line is of something else
            yield from (Personal("person", (each,), is_sure=False) for each in rest)
        if parts and (is_sure or len(parts) > 1):
            yield Personal("person", (" ".join(text[start : cut if cut >= 0 else end].split()), *parts), is_sure)
    labelled = [name for found in LABELLED.finditer(text) for name in JOINED.split(found[1])]
    parties = parties_in(text)[0] if BETWEEN.search(text) else ()
    for name in [*labelled, *(text[start:end] for start, end in parties)]:
        yield from person_named(name)


def persons_with_surname(text: str, found: Sequence[Personal]) -> Iterator[Personal]:
    """Names that end, in one line, with the surname of a person who is sure to be one: "Jo Stone" beside "Mr Stone"."""
    surnames = {each.names[-1] for each in found if each.kind == "person" and each.is_sure and len(each.names) > 1}
    if not surnames:
        return
    alternatives = "|".join(map(re.escape, sorted(surnames, key=lambda name: (-len(name), name))))
    given = rf"(?<!\w)((?:(?:{WORD}|[{UPPER}]\.)[^\S\n]{{1,3}}){{1,3}}(?:{alternatives}))(?!\w)"
    for name in dict.fromkeys(match[1] for match in re.finditer(given, text)):
        words = name.split()
        while words[1:] and any(is_stop_word(words[0].lower(), language) for language in LANGUAGES):
            del words[0]
        yield from person_named(" ".join(words))


@lru_cache(maxsize=PAIRS_KEPT)
def person_named(name: str) -> tuple[Personal, ...]:
    """The person of a name without a title: two words at least, each with a capital, and no firm."""
    parts = name_parts(name, 0, len(name))
    is_whole = len(parts) > 1 and len(parts) == len([*NAME_WORD.finditer(TITLED.sub("", name))])
    is_person = is_whole and not places_named(name, "party") and not OF_SEVERAL.search(name)
    return (Personal("person", (" ".join(name.split()), *parts)),) if is_person else ()


def name_parts(text: str, start: int, end: int) -> tuple[str, ...]:
    """The words of a name that tell it alone: no titles, no roles, no word that joins others."""
    roles = list(spans_of(text, "role"))
    return tuple(
        found[0]
        for found in PART.finditer(text, start, end)
        if not TITLED.fullmatch(found[0])
        and not any(first < found.end() and found.start() < last for first, last in roles)
        and not is_joining(found[0])
    )


def addresses_in(text: str) -> Iterator[Personal]:
    """Streets with their numbers and what follows, and towns with their postcodes, each line by itself."""
    for name in ("address", "postcode"):
        for start, end in spans_of(text, name):
            lines = (line.strip(" ,;.(") for line in text[start:end].split("\n"))
            yield Personal("address", tuple(filter(None, lines)))
    yield from (Personal("address", (found[0],)) for found in REGIONAL.finditer(text))


# ---- what is written to, called and paid


def emails_in(text: str) -> Iterator[Personal]:
    for start, _ in places_named(text, "email"):
        if found := EMAIL.search(text, start):
            yield Personal("email", (found[0].rstrip("'-"),))


def phones_in(text: str) -> Iterator[Personal]:
    yield from (Personal("phone", (found[0],)) for found in DOTTED.finditer(text))
    for start, end in places_named(text, "phone"):
        for found in PHONE.finditer(text, start - text[:start].endswith("("), end):
            if is_phone(text, found):
                yield Personal("phone", (found[0],))


def is_phone(text: str, found: re.Match[str]) -> bool:
    """Whether digits are to be called: an amount, a date and a range of years are printed like one."""
    digits = re.sub(r"\D", "", found[0])
    is_dialled = found[0].lstrip("(").startswith(("+", "0"))
    is_named = SPOKEN.search(text, max(found.start() - BEFORE_CHARS, 0), found.start())
    return 7 <= len(digits) <= 15 and bool(is_dialled or is_named or AMERICAN.fullmatch(found[0]))


def find_identifiers(text: str) -> Iterator[Personal]:
    """Numbers of accounts, cards and persons; of a longer run the longest beginning whose check digits are right."""
    for found in NUMBER.finditer(text):
        for end in range(len(found[0]), 7, -1):
            said = found[0][:end]
            sign = re.sub(r"[ .-]", "", said)
            if said[-1].isalnum() and (kind := next((kind for kind, is_right in CHECKS if is_right(sign)), "")):
                yield Personal(kind, (said,))
                break


def is_iban(sign: str) -> bool:
    """ISO 13616: the remainder of 97 is 1."""
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z\d]{11,30}", sign):
        return False
    return int("".join(str(int(each, 36)) for each in sign[4:] + sign[:4])) % 97 == 1


def is_card(sign: str) -> bool:
    """ISO/IEC 7812: 13 to 19 digits with Luhn's check."""
    if not re.fullmatch(r"[3-6]\d{12,18}", sign):
        return False
    doubled = [int(each) * (1 + place % 2) for place, each in enumerate(reversed(sign))]
    return sum(each // 10 + each % 10 for each in doubled) % 10 == 0


def is_german_tax_id(sign: str) -> bool:
    """Steuerliche Identifikationsnummer: eleven digits, ISO 7064 MOD 11,10; one digit stands two or three times."""
    if not re.fullmatch(r"[1-9]\d{10}", sign) or not 8 <= len(set(sign[:10])) <= 9:
        return False
    product = 10
    for each in sign[:10]:
        product = (((int(each) + product) % 10 or 10) * 2) % 11
    return (11 - product) % 10 == int(sign[10])


def is_french_nir(sign: str) -> bool:
    """Numéro d'inscription au répertoire: thirteen digits and the key 97 - their remainder of 97; Corsica as 19, 18."""
    if not re.fullmatch(r"[12]\d{4}(?:\d{2}|2[AB])\d{8}", sign):
        return False
    return 97 - int(sign[:13].replace("2A", "19").replace("2B", "18")) % 97 == int(sign[13:])


def is_spanish_dni(sign: str) -> bool:
    """DNI and NIE: the letter is the remainder of 23."""
    if not re.fullmatch(r"[XYZ\d]\d{7}[A-Z]", sign):
        return False
    return LETTERS_OF_DNI[int(sign[:-1].translate(str.maketrans("XYZ", "012"))) % 23] == sign[-1]


def is_swiss_ahv(sign: str) -> bool:
    """AHV: 756 and ten digits with the check digit of an EAN-13."""
    if not re.fullmatch(r"756\d{10}", sign):
        return False
    return sum(int(each) * (1 + 2 * (place % 2)) for place, each in enumerate(sign)) % 10 == 0


CHECKS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("account", is_iban),
    ("card", is_card),
    ("id", is_swiss_ahv),
    ("id", is_french_nir),
    ("id", is_german_tax_id),
    ("id", is_spanish_dni),
)
