"""What an amount is: its sign, that may stand behind it or be unread, and whether it is one for a share or a ratio."""

import re
from functools import cache

from reading.characters import UNKNOWN
from reading.values.currencies import CURRENCY_SIGNS
from reading.values.minus import LONG_DASH, MINUS
from reading.wording import Wordings, read_once

UNREAD_SIGN = re.compile(rf"{UNKNOWN}[\s{CURRENCY_SIGNS}(]{{0,3}}\d|\d[\s%{CURRENCY_SIGNS})]{{0,3}}{UNKNOWN}")
# A letter alone stands behind hundredths or thousands: "12.50 H", not "5 S corporations".
SIDE = r"""(?:(?<=\d)|(?<=\d\)))\s?(?:{side})(?![^\W_])
    |(?:(?<=[.,]\d\d)|(?<=[.,]\d\d\d)|(?<=[.,]\d\d\)))\s?(?-i:{letter})(?![^\W_])"""
WHOLE = r"(?<![^\W_])(?:{%s})(?![^\W_])"
FRAMES = {"side": SIDE, "letter": SIDE} | {
    section: WHOLE % section for section in ("per_share", "share_count", "proportion", "counted")
}
RATE = re.compile(r"\d\s?(?:%|per\s?cent\b|prozent\b|pour\s?cent\b|por\s?ciento\b)", re.IGNORECASE)
# A hyphen behind a word or number joins it to the next one: "ISO-27001", "2020-2021".
SIGNS_BEFORE = re.compile(
    rf"(?:(?<![\w.,)%])[{MINUS}+]|(?<!\S)[{LONG_DASH}])?"
    rf"(?:(?:[({UNKNOWN}{CURRENCY_SIGNS}]\s?){{1,3}}[{MINUS}{LONG_DASH}+]?)?\Z"
)
SIGNS_AFTER = re.compile(
    rf"(?:\s?%)?(?:\s?[{CURRENCY_SIGNS}](?!\s?[\d(]))?(?P<close>\s?\))?"
    rf"(?:[{MINUS}{LONG_DASH}](?![\w{CURRENCY_SIGNS}])|\s[{MINUS}](?=\s*\Z))?{UNKNOWN}?"
)
NUMBER_BEGINS, NUMBER_ENDS = re.compile(rf"[\d({CURRENCY_SIGNS}.]"), re.compile(rf"[\d)%{CURRENCY_SIGNS}]")
amount_words = read_once(__name__, "amounts", FRAMES)


@cache
def words_in(language: str) -> Wordings:
    """The words of a language and of English.

    Of a text whose language is not known, of every language: a value is rather left out than read wrongly.
    """
    words = amount_words()
    spoken = (language, "en") if language and language != "und" else {each.language for each in words.alternatives}
    return words.without(each for each in words.alternatives if each.language not in spoken)


def is_per_share(label: str, language: str = "") -> bool:
    """Whether a row or column is of amounts for one share, which no scale of a table is for."""
    words = words_in(language)
    return words["per_share"].search(label) is not None and words["share_count"].search(label) is None


def is_proportion(label: str, language: str) -> bool:
    """Whether a row or column is of percentages or ratios, which have no unit; a rate only names one ("4.5% notes")."""
    label = RATE.sub(" ", label)
    return "%" in label or words_in(language)["proportion"].search(label) is not None


def is_counted(label: str, language: str) -> bool:
    """Whether a row or column counts people or things."""
    return words_in(language)["counted"].search(label) is not None


def account_sides(language: str) -> re.Pattern[str]:
    """What says on which side of an account an amount is."""
    return words_in(language)["side"]


def has_unread_sign(text: str) -> bool:
    """Whether a sign beside a number could not be read, so that the number may be a loss."""
    return UNKNOWN in text and UNREAD_SIGN.search(text) is not None


def without_side(text: str, language: str = "") -> str:
    """An amount without the words behind it that say on which side of an account it is ("1,234.50 CR")."""
    found = account_sides(language).search(text)
    return text[: found.start()] if found and found.end() == len(text) else text


def is_side(text: str, amount: str, language: str = "") -> bool:
    """Whether a text behind an amount says the side of an account, and no more."""
    return without_side(f"{amount} {text}", language) == amount


def widen_to_signs(text: str, start: int, end: int, language: str = "") -> tuple[int, int]:
    """The stretch [start, end) of a text with the signs that belong to the numbers at its ends."""
    if start < end and NUMBER_BEGINS.match(text, start) and (before := SIGNS_BEFORE.search(text, 0, start)):
        start = before.start()
    if start < end and NUMBER_ENDS.match(text, end - 1) and (after := SIGNS_AFTER.match(text, end)):
        is_open = text.count("(", start, end) > text.count(")", start, end)
        end = after.end() if is_open or not after["close"] else after.start("close")
        if side := account_sides(language).match(text, end):
            end = side.end()
    return start, end
