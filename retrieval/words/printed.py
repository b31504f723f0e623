"""Read printed values: amounts of money, percentages, dates, durations (R77). Ambiguous ones are skipped."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from reading.layout.amounts import account_sides, has_unread_sign
from reading.matching import match_form
from reading.values.currencies import CURRENCIES, CURRENCY_SIGNS, CURRENCY_WORDS
from reading.values.minus import LONG_DASH, MINUS
from reading.values.months import MONTH, MONTHS
from reading.values.numbers import NUMBERS, ends_range, is_labelled, number_before
from reading.values.pounds import POUNDS, are_money
from reading.values.scales import POWERS, WIDE_SCALES

# Signs of full width, each of which stands for one: places in a text stay what they are.
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFFE5: ord("¥"), 0x3000: ord(" ")}
SPANS = "second|minute|hour|day|week|month|quarter|year"
# Spans in the other languages; "un segundo" and "deux secondes" are more often the second of something.
DAYS = ("tage", "tagen")
WORKING = ("werk", "arbeits", "kalender", "bank", "bankarbeits", "geschäfts")
SPANS_ELSEWHERE = {
    name: unit
    for unit, names in {
        "second": "sekunde sekunden segundos",
        "minute": "minuten minuto minutos",
        "hour": "heure heures stunde stunden hora horas",
        "day": " ".join(["jour jours tag tage tagen día días", *(f"{kind}{day}" for kind in WORKING for day in DAYS)]),
        "week": "semaine semaines woche wochen semana semanas",
        "month": "mois monat monate monaten mes meses",
        "quarter": "trimestre trimestres quartal quartale quartalen",
        "year": "ans année années jahr jahre jahren año años",
    }.items()
    for name in names.split()
}

# No number begins behind these; behind what is written without spaces one does, but for numerals of its own.
NUMERALS = "〇一二三四五六七八九十百千万億兆"
JOINED = rf"[^\W\u3041-\u30ff\u3400-\u9fff]|[{NUMERALS}]"
DIGITS = r"\d{1,3}(?:[.,\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
BEFORE = rf"US\$|[{CURRENCY_SIGNS}]|\b(?:USD|EUR|GBP|CHF|JPY)"
AFTER = rf"[{CURRENCY_SIGNS}円]|(?:{CURRENCY_WORDS})\b|(?P<pounds>{POUNDS})"
SCALE = "|".join(sorted(POWERS, key=len, reverse=True))
WIDE = rf"[万億](?=円|(?(before)(?![\d{NUMERALS}])|(?!)))"  # "5万円", "¥5万"; "¥1億5000万" is in two parts
SIGN_BEFORE = rf"(?<![\w.,)%])[{MINUS}]\s?|(?<!\S)[{LONG_DASH}]"
AMOUNT = re.compile(
    rf"(?P<minus>{SIGN_BEFORE})?(?P<before>{BEFORE})?\s?(?P<open>\()?(?<![.,])(?<!{JOINED})(?<!\d )"
    rf"(?P<number>{DIGITS})(?!(?!{WIDE})[^\W円]|[.,]\d)(?P<late>[{MINUS}{LONG_DASH}](?![\w{CURRENCY_SIGNS}(]))?"
    rf"(?(open)\))(?:[\s-](?P<scale>{SCALE})\b|(?P<wide>{WIDE}))?(?:\s?(?:of\s)?(?P<after>{AFTER}))?"
    rf"(?:\s(?:an?|per|each|every)\s(?P<unit>{SPANS})\b)?",
    re.IGNORECASE,
)
IN_BRACKETS = re.compile(r"\(\s?[$\u20ac\u00a3\u00a5][^()]*\)")  # a loss in a table, an aside in a sentence
PERCENTAGE = re.compile(
    rf"(?P<minus>(?<![\w.,)%])[{MINUS}]|(?<!\S)[{LONG_DASH}])?(?<![\w.,])(?P<number>{DIGITS})"
    rf"\s?(?:%|(?:percent|per\scent|pour\scent|Prozent)\b)(?P<late>[{MINUS}{LONG_DASH}](?![\w{CURRENCY_SIGNS}(]))?",
    re.IGNORECASE,
)
SHARE_ENDS = re.compile(
    r"\s*\Z|[)\],;.:|\t]|\s{2}"
)  # behind a minus of a share; else it joins words: "5%- or 10%-share"
# Of a range, or of a fraction: "8 1/2 %".
RANGE_BEFORE, RANGE_AFTER = (
    re.compile(rf"\d(?:\s?[{MINUS}/]\s?|[{LONG_DASH}])\Z"),
    re.compile(rf"(?:\s?[{MINUS}]\s?|[{LONG_DASH}])\d|/(?:[2348]|16|32)(?![\d.,])"),
)
DATES = (
    re.compile(r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\d-])"),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s(?:(?:day\s)?of\s|de\s)?(?P<name>{MONTH})\b"
        r"\.?,?(?:\sdel?)?\s(?P<year>\d{4})\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<name>{MONTH})\b\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?![\d.])"),
    re.compile(r"(?<![\d/])(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})(?![\d/])"),
)
SHARED_CHARS = 30
SHARED_YEAR = re.compile(  # before a date: "1 to 5 March 2024", "1 March and 1 September 2024", "1. und 15. März 2024"
    rf"(?:\b{MONTH}\b\.?(?:\s\d{{1,2}}(?:st|nd|rd|th)?)?|(?<![\w.:/-])(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?)"
    r"\s(?:to|through|or|and|bis|bis zum|oder|und|à|au|ou|et|et le|al?|hasta|o|y)\s\Z",
    re.IGNORECASE,
)
TWO_WAYS = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")  # 4.375 is four and three eighths to some and thousands to others
SLASHED = DATES[-1]  # 4/3/2024 is the third of April to some and the fourth of March to others
SPAN = re.compile(  # behind the number, which a contract repeats in figures: "thirty (30) business days"
    r"(?:\s?\((?:(?P<figures>\d{1,6})|(?P<words>[^\W\d_][\w -]{1,40}))\))?[\s-]"
    r"(?:(?:business|working|calendar|full)[\s-])?"
    rf"(?:(?P<span>{SPANS})s?|(?P<elsewhere>{'|'.join(SPANS_ELSEWHERE)}))\b",
    re.IGNORECASE,
)
CLOCK = re.compile(r"\b(?:à|las|um)\s\Z", re.IGNORECASE)  # "à neuf heures"
NO_DURATION = re.compile(  # "two years and a half", "three quarters of the members", "a second lien"
    r"(?<=quarter|uarters)\sof\s|(?<=second)\s"
    r"|\s(?:et\sdemie?|y\smedi[oa]|and\s(?:a|one)[\s-]half|und\sein(?:e|en)?\shalbe?[sn]?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Value:
    """A value and its place: characters [start, end) of the text it was read from."""

    type: str  # amount, percentage, date, duration, or one of names.py
    value: str  # a decimal number in single units, an ISO date, or a name
    start: int
    end: int
    currency: str = ""  # ISO 4217
    unit: str = ""  # for an amount: per what; for a duration: what is counted

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same of a value wherever it is printed: "the Tenant" is the tenant."""
        return self.type, self.value.casefold(), self.currency


def values_in(text: str, answer_type: str, language: str = "") -> list[Value]:
    """The values of one type of answer in a text, in reading order. A duration may answer a question for a date.

    The language of the text, if it is known, tells what the side of an account is and what a word.
    """
    readers = READERS.get(answer_type, ())
    found = sorted(
        (value for reader in readers for value in reader(text, language)), key=lambda value: (value.start, -value.end)
    )
    kept: list[Value] = []
    for value in found:
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return kept


def amounts_in(text: str, language: str = "") -> Iterator[Value]:
    """Amounts with a currency; a bare number may be anything, and a bracketed one a loss or an aside."""
    text = text.translate(FULL_WIDTH)
    unclear = [found.span() for found in IN_BRACKETS.finditer(text)]
    for found in AMOUNT.finditer(text):
        named = (found["before"] or found["after"] or "").lower()
        number = decimal_of(found["number"])
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        sign = sign_of(found, text, language)
        if not named or number is None or not sign or any(first <= start < last for first, last in unclear):
            continue
        is_pounds = bool(found["pounds"]) and not found["before"]
        if is_pounds and not are_money(text, start, found.end("pounds")):
            continue
        if found["scale"] and is_unclear(found["number"], "."):  # $1.125 billion
            continue
        amount = number.scaleb(POWERS.get((found["scale"] or "").lower(), 0) + WIDE_SCALES.get(found["wide"], 0))
        currency = CURRENCIES["£" if is_pounds else named]
        printed = f"{-amount if sign < 0 or found['open'] else amount:f}"
        yield Value("amount", printed, start, found.end(), currency, (found["unit"] or "").lower())


def percentages_in(text: str, language: str = "") -> Iterator[Value]:
    text = text.translate(FULL_WIDTH)
    for found in PERCENTAGE.finditer(text):
        number, sign = decimal_of(found["number"]), sign_of(found, text, language)
        if number is not None and sign and not is_unclear(found["number"], ".,"):
            yield Value("percentage", f"{sign * number:f}", *found.span())


def sign_of(found: re.Match[str], text: str, language: str) -> int:
    """-1 of an amount with a minus, else 1; 0 where it is unclear.

    That is: a sign could not be read, the amount is on a side of an account, it is an end of a range or a fraction, a
    dash with a blank after it may part it from the words before, or an em dash beside it open or close an aside.
    """
    start, end = found.span("number")
    around = text[max(found.start() - 2, 0) : found.end() + 2]
    is_ranged = (
        RANGE_BEFORE.search(text, max(start - 3, 0), start) or RANGE_AFTER.match(text, end) or ends_range(text, start)
    )
    if has_unread_sign(around) or is_ranged or account_sides(language).match(text, end):
        return 0
    if {found["minus"], found["late"]} & {*LONG_DASH}:
        return 0
    if found["late"] and found.re is PERCENTAGE and not SHARE_ENDS.match(text, found.end("late")):
        return 0
    if found["late"]:
        return -1 if text[found.end("late") : found.end("late") + 1] != "\n" else 0
    minus = found["minus"] or ""
    if minus == minus.rstrip():
        return -1 if minus else 1
    before = text[: found.start("minus")].rstrip()[-1:]
    if not before:
        return -1 if minus[0] == "\u2212" else 0
    return 1 if before in f"{CURRENCY_SIGNS}%" or before.isdigit() else 0


def dates_in(text: str) -> Iterator[Value]:
    """Calendar dates; ambiguous ones are left out."""
    for pattern in DATES:
        for found in pattern.finditer(text):
            named = found.groupdict()
            month = MONTHS[named["name"].lower()] if named.get("name") else int(named["month"])
            day = int(named["day"])
            if pattern is SLASHED and day <= 12 and month <= 12 and day != month:
                continue
            if shares_year(text, found.start()):
                continue
            if pattern is SLASHED and month > 12:
                day, month = month, day
            try:
                yield Value("date", date(int(named["year"]), month, day).isoformat(), *found.span())
            except ValueError:
                continue


def shares_year(text: str, start: int) -> bool:
    """Whether another date stands before one, without a year of its own."""
    begin = max(start - SHARED_CHARS, 0)
    other = SHARED_YEAR.search(text[begin:start])
    return other is not None and not (other["day"] and is_labelled(text, begin + other.start()))


def durations_in(text: str) -> Iterator[Value]:
    """Durations in one unit; where words and figures of a number differ, it is unclear which holds."""
    for found in SPAN.finditer(text):
        counted = number_before(text, found.start())
        if counted is None or NO_DURATION.match(text, found.end()):
            continue
        count, start = counted
        again = int(found["figures"]) if found["figures"] else NUMBERS.get(match_form(found["words"] or ""), count)
        unit = found["span"].lower() if found["span"] else SPANS_ELSEWHERE[found["elsewhere"].lower()]
        is_of_calendar = unit in ("quarter", "year") and text[start : start + 4].isdecimal()  # "the 2024 year"
        is_clock = found["elsewhere"] is not None and unit == "hour" and CLOCK.search(text, max(start - 4, 0), start)
        if count == again and not is_of_calendar and not is_clock:
            yield Value("duration", str(count), start, found.end(), unit=unit)


def is_in_numerals(text: str, number: re.Match[str]) -> bool:
    """Whether a number is only part of one that goes on in the numerals of Chinese and Japanese: the 5 of "5万"."""
    beside = text[max(number.start() - 1, 0) : number.start()] + text[number.end() : number.end() + 1]
    return any(sign in NUMERALS for sign in beside)


def is_unclear(number: str, signs: str) -> bool:
    """Whether one of these signs may part thousands from hundreds in a number, or decimals."""
    found = TWO_WAYS.fullmatch(number)
    return found is not None and found[1] in signs


def decimal_of(number: str) -> Decimal | None:
    """Parse a printed number, whichever separator marks the thousands."""
    try:
        return Decimal(number_form(number))
    except InvalidOperation:
        return None


def number_form(number: str) -> str:
    """A number in canonical spelling: 1,234.50 and 1.234,5 are equal. Three digits after a separator are thousands."""
    whole, *parts = re.split(r"\D", number)
    is_decimal = bool(parts) and (len(parts[-1]) != 3 or whole == "0")
    decimals = parts.pop().rstrip("0") if is_decimal else ""
    return (whole + "".join(parts)).lstrip("0") + (f".{decimals}" if decimals else "") or "0"


READERS: dict[str, tuple[Callable[[str, str], Iterator[Value]], ...]] = {
    "amount": (amounts_in,),
    "percentage": (percentages_in,),
    "date": (lambda text, _: dates_in(text), lambda text, _: durations_in(text)),
    "duration": (lambda text, _: durations_in(text),),
}
