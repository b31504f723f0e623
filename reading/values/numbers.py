"""Numbers in words, from 1 to 999, in the languages that are read: "one hundred and twenty", "quatre-vingt-dix"."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from reading.matching import match_form
from reading.values.currencies import CURRENCY_SIGNS
from reading.values.minus import LONG_DASH, MINUS

DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
NAMES = {
    language: {kind: words.split() for kind, words in DATA[language].items()} for language in ("en", "fr", "de", "es")
}
# Right before a number that only numbers: "Section 5", "No. 5", "§ 3", "March 31", "COVID-19", "USD 500".
LABEL = re.compile(rf"(?:\b(?i:{'|'.join(DATA['labels'].split())})s?\.?|[§°º#])\s?[\d.(]*\Z|\b[A-ZÀ-Þ][\w’'-]*[\s-]\Z")
BEGINNING = re.compile(rf"\b(?:{'|'.join(DATA['beginnings'].split())})\s\Z", re.IGNORECASE)
LABEL_CHARS = 25

# In match form: what tells that a number is the rest of a greater one, the end of a range, or one of two or more.
GREATER = {"thousand", "million", "billion", "mille", "tausend", "eintausend", "mil"}
RANGING = {"to", "through", "or", "bis", "oder", "à", "ou", "o", "u", "al", "hasta"}
ADDING = {"and", "und", "et", "y"}
PRONOUNS = {"the", "les", "l", "die", "los", "las"}  # of "the two"
SPANISH_TO, SPANISH_FROM = "a", {"de", "entre", "desde"}  # "de 3 a 6 meses"; "a" alone is another word
PER_CENT = {"pour", "per"}
JOINTS = RANGING | ADDING | {SPANISH_TO}
WORD_CHARS, GAP_CHARS, WORDS_MAX = 40, 6, 14  # of the longest number in words, with what it may be the second of
LAST_WORD = re.compile(rf"(?<![^\W_])[^\W_]{{1,{WORD_CHARS}}}\Z")
LAST_GAP = re.compile(r"(?:[)-]?[ \u00a0\u202f]{1,2}|[-\u2010\u2011]|\n|[-\u2010\u2011 ]\n)\Z")
# What stands right before a number that is a part of something: "2.5", "sub-three", "10-30", "3 – 6", "1/2", "2:30".
TOUCHING = re.compile(rf"(?:[.,\-\u2010\u2011]|\d(?:[:/'\u2019{LONG_DASH}]|\s?[{MINUS}]\s?))\Z")
FIGURES_MAX = 3  # more are a year, or an amount

Named = tuple[str, int]


def names_below_hundred(language: str) -> tuple[list[Named], list[Named]]:
    """The names from one to nineteen, and those of the tens."""
    units, tens = NAMES[language]["units"], NAMES[language]["tens"]
    return [*zip(units, range(1, 20), strict=True)], [*zip(tens, range(20, 100, 10), strict=True)]


def name_english() -> Iterator[Named]:
    units, tens = names_below_hundred("en")
    below = [*units, *tens, *((f"{ten} {unit}", count + one) for ten, count in tens for unit, one in units[:9])]
    hundreds = [(f"{unit} hundred", 100 * one) for unit, one in [("a", 1), *units[:9]]]
    yield from (*below, *hundreds, *join(hundreds, (" ", " and "), below))


def name_french() -> Iterator[Named]:
    units, tens = names_below_hundred("fr")
    units += [("une", 1)]
    below = [*units, *tens, ("soixante et onze", 71), ("quatre-vingts", 80)]
    below += [
        (f"{ten} {'et ' * (one == 1)}{unit}", count + one) for ten, count in tens for unit, one in units if one < 10
    ]
    below += [(f"soixante {unit}", 60 + one) for unit, one in units if one >= 10 and one != 11]
    below += [(f"quatre-vingt {unit}", 80 + one) for unit, one in units]
    hundreds = [("cent", 100), *((f"{unit} cent", 100 * one) for unit, one in units[1:9])]
    yield from (*below, hundreds[0], *((f"{name}s", count) for name, count in hundreds[1:]))
    yield from join(hundreds, (" ",), below)


def name_german() -> Iterator[Named]:
    units, tens = names_below_hundred("de")
    ones = [(one, 1) for one in ("eins", "eine", "einem", "einen", "einer", "eines")]
    below = [*units, *tens, *((f"{unit}und{ten}", count + one) for ten, count in tens for unit, one in units[:9])]
    hundreds = [("hundert", 100), *((f"{unit}hundert", 100 * one) for unit, one in units[:9])]
    yield from (*below, *ones, *hundreds, *join(hundreds, ("", "und"), [*below, ones[0]]))


def name_spanish() -> Iterator[Named]:
    units, tens = names_below_hundred("es")
    units += [("uno", 1), ("una", 1)]
    below = [*units, *tens, *((f"veinti{unit}", 20 + one) for unit, one in units if one < 10)]
    below += [(f"{ten} y {unit}", count + one) for ten, count in tens[1:] for unit, one in units if one < 10]
    stems = ("doscient", "trescient", "cuatrocient", "quinient", "seiscient", "setecient", "ochocient", "novecient")
    hundreds = [(f"{stem}{ending}", 200 + 100 * place) for place, stem in enumerate(stems) for ending in ("os", "as")]
    yield from (*below, ("cien", 100), *hundreds, *join([("ciento", 100), *hundreds], (" ",), below))


def join(hundreds: Iterable[Named], joints: Iterable[str], below: Iterable[Named]) -> Iterator[Named]:
    """Each hundred followed by each number below a hundred, in each way they are joined."""
    below, joints = list(below), list(joints)
    for hundred, count in hundreds:
        yield from ((f"{hundred}{joint}{name}", count + rest) for joint in joints for name, rest in below)


# "once" is more often English than the Spanish eleven, and a hundred may be several, or five behind a blank.
STANDING_ALONE = {"once", "hundert", "cent", "cien"}
# In match form, words parted by single spaces.
NUMBERS = {
    match_form(name).replace("-", " "): count
    for named in (name_english(), name_french(), name_german(), name_spanish())
    for name, count in named
    if name not in STANDING_ALONE
}


def endings_of(language: str, others: str, before: str = "") -> str:
    """What a number in words ends with, as an expression in match form: what is before it need not be read."""
    names = NAMES[language]
    units = [unit for unit in names["units"] if "-" not in unit and unit != "once"]
    return match_form(f"{others}|{before}(?:{'|'.join((*units, *names['tens']))})")


ENDINGS = {
    "en": endings_of("en", "hundred"),
    "fr": endings_of("fr", "une|vingts"),
    "de": endings_of("de", r"ein(?:e[mnrs]?|s)|\w+hundert|\w*hundert(?:und)?eins", r"(?:\w*hundert)?(?:\w*und)?"),
    "es": endings_of("es", r"un[ao]|veinti\w+|cien|(?:dosc|tresc|cuatroc|seisc|setec|ochoc|novec|quin)ient[ao]s"),
}
COUNTING_WORDS = frozenset(word for name in NUMBERS for word in name.split()) - ADDING - {"a", "once"} | GREATER


def number_before(text: str, end: int) -> tuple[int, int] | None:
    """The whole number, in figures or words, that ends at a place of a text, and where it starts.

    None where there is none, and where it is only a part of what is said: a rest, a decimal, a range, a choice.
    """
    words = words_before(text, end)
    forms = [form for form, _ in words]
    sizes = (size for size in range(len(words), 0, -1) if " ".join(forms[-size:]) in NUMBERS)
    size = next((size for size in sizes if forms[-size] != "cent" or not PER_CENT.intersection(forms[:-size][-1:])), 0)
    if not size and not (forms and forms[-1].isdecimal()):
        return None
    number = NUMBERS[" ".join(forms[-size:])] if size else int(forms[-1])
    start, before = words[-(size or 1)][1], words[: -(size or 1)]
    previous = before[-1][0] if before else ""
    is_rest = previous in GREATER if size else is_grouped(previous, forms[-1], text[start - 1])
    is_two = size > 1 and text[end : end + 1] == "-" and " " in text[start:end]  # "twenty five-year notes"
    is_touched = TOUCHING.search(text, max(start - 4, 0), start) is not None
    return None if is_rest or is_two or is_touched or is_second(text, before) else (number, start)


def ends_range(text: str, start: int) -> bool:
    """Whether the figures from a place on end a range or a choice in words: "3 to 5", "between 3 and 5", "3 or 5"."""
    return text[start - 1 : start].isspace() and is_second(text, words_before(text, start - 1))


def words_before(text: str, end: int) -> list[tuple[str, int]]:
    """The words that end at a place, in match form and with their starts, as far back as numbers are made of them."""
    found: list[tuple[str, int]] = []
    while len(found) < WORDS_MAX and (word := LAST_WORD.search(text, max(end - WORD_CHARS, 0), end)):
        start = word.start()
        form = word[0] if word[0] == "à" else match_form(word[0])
        found.insert(0, (form, start))
        gap = LAST_GAP.search(text, max(start - GAP_CHARS, 0), start)
        is_part = form in COUNTING_WORDS or form in JOINTS or form.isdecimal()
        if not is_part or gap is None or ("\n" in gap[0] and not text[start].islower()):
            break
        end = gap.start()
    return found


def is_grouped(before: str, last: str, gap: str) -> bool:
    """Whether figures before others are their thousands: "10 000"."""
    return before.isdecimal() and len(before) <= FIGURES_MAX and len(last) == FIGURES_MAX and gap != "\n"


def is_second(text: str, before: list[tuple[str, int]]) -> bool:
    """Whether the words before a number say another one, of which it is the range, the choice or a further one."""
    if len(before) < 2:
        return False
    joint, (other, start) = before[-1][0], before[-2]
    first = before[-3][0] if len(before) > 2 else ""
    if joint not in JOINTS or (joint == SPANISH_TO and first not in SPANISH_FROM):
        return False
    if other in COUNTING_WORDS:
        return first not in PRONOUNS and not is_labelled(text, start)
    is_amount = start > 0 and text[start - 1] in f"{CURRENCY_SIGNS}/"
    return other.isdecimal() and len(other) <= FIGURES_MAX and not is_amount and not is_labelled(text, start)


def is_labelled(text: str, start: int) -> bool:
    """Whether what stands before a number says that it only numbers something: a clause, a day of a month, a sum."""
    before = text[max(start - LABEL_CHARS, 0) : start]
    return LABEL.search(before) is not None and BEGINNING.search(before) is None
