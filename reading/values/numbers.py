"""Numbers in words, from 1 to 999, in the languages that are read: "one hundred and twenty", "quatre-vingt-dix"."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from reading.matching import match_form

NAMES = {
    language: {kind: words.split() for kind, words in names.items()}
    for language, names in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
# In match form: what tells that a number is the rest of a greater one, the end of a range, or one of two.
GREATER = {"thousand", "million", "billion", "mille", "tausend", "eintausend", "mil"}
RANGING = {"to", "or", "bis", "oder", "a", "ou", "o"}
ADDING = {"and", "und", "et", "y"}
BETWEEN = {"between", "zwischen", "entre"}
WORD = re.compile(r"[^\W_]+")
GAPS = {" ", "-", "\u2010", "\u2011", "\n", "\u00a0", "\u202f"}
TOUCHING = set(".,/-\u2010\u2011\u2012\u2013\u2014\u2212")  # "2.5", "1/2", "10-30"
REACH_CHARS = 80  # the longest number in words has some forty

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


# In match form, words parted by single spaces; "once" is more often English than the Spanish eleven.
NUMBERS = {
    match_form(name).replace("-", " "): count
    for named in (name_english(), name_french(), name_german(), name_spanish())
    for name, count in named
    if name != "once"
}


def endings_of(language: str, others: str, before: str = "") -> str:
    """What a number in words ends with, as an expression in match form: what is before it need not be read."""
    names = NAMES[language]
    units = [unit for unit in names["units"] if "-" not in unit and unit != "once"]
    return match_form(f"{others}|{before}(?:{'|'.join((*units, *names['tens']))})")


ENDINGS = {
    "en": endings_of("en", "hundred"),
    "fr": endings_of("fr", "une|vingts|cents?"),
    "de": endings_of("de", r"ein(?:e[mnrs]?|s)|\w*hundert(?:(?:und)?eins)?", r"(?:\w*hundert)?(?:\w*und)?"),
    "es": endings_of("es", r"un[ao]|veinti\w+|cien|\w+ient[ao]s"),
}
COUNTING_WORDS = frozenset(word for name in NUMBERS for word in name.split()) - ADDING - RANGING | GREATER


def number_before(text: str, end: int) -> tuple[int, int] | None:
    """The whole number, in figures or words, that ends at a place of a text, and where it starts.

    None where there is none, and where it is only a part of what is said: a rest, a decimal, a range, a choice.
    """
    words = words_before(text, end)
    forms = [match_form(word[0]) for word in words]
    size = next((size for size in range(len(words), 0, -1) if " ".join(forms[-size:]) in NUMBERS), 0)
    if not size and not (forms and forms[-1].isdecimal()):
        return None
    number = NUMBERS[" ".join(forms[-size:])] if size else int(forms[-1])
    start, before = words[-(size or 1)].start(), forms[: -(size or 1)]
    is_rest = before[-1:] != [] and (before[-1] in COUNTING_WORDS if size else is_grouped(before[-1], forms[-1]))
    if text[start - 1 : start] in TOUCHING or is_rest or is_second(before, in_words=bool(size)):
        return None
    return number, start


def ends_range(text: str, start: int) -> bool:
    """Whether the figures from a place on end a range or a choice in words: "3 to 5", "between 3 and 5", "3 or 5"."""
    return text[start - 1 : start] in GAPS and is_second(
        [match_form(word[0]) for word in words_before(text, start - 1)]
    )


def words_before(text: str, end: int) -> list[re.Match[str]]:
    """The words that end at a place, parted by one blank or hyphen each."""
    begin = max(end - REACH_CHARS, 0)
    found: list[re.Match[str]] = []
    for word in reversed([*WORD.finditer(text, begin, end)]):
        gap = text[word.end() : found[0].start() if found else end]
        if gap not in GAPS if found else gap:
            break
        found.insert(0, word)
    is_cut = begin and found and found[0].start() == begin
    return found[1:] if is_cut else found


def is_grouped(before: str, last: str) -> bool:
    """Whether figures before others are their thousands: "10 000"."""
    return before.isdecimal() and len(before) <= 3 and len(last) == 3


def is_second(before: list[str], in_words: bool = False) -> bool:
    """Whether the words before a number say another one, of which it is the range or the choice."""
    joint, other = before[-1:], before[-2:-1]
    is_counted = bool(other) and (other[0] in COUNTING_WORDS or other[0].isdecimal())
    if not is_counted or joint[0] in RANGING:
        return is_counted
    return joint[0] in ADDING and (not BETWEEN.isdisjoint(before) or (in_words and not other[0].isdecimal()))
