"""Read printed values: amounts of money, percentages, dates, durations (R77). Ambiguous ones are skipped."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from reading.layout.amounts import account_sides, has_unread_sign
from reading.values.currencies import CURRENCIES, CURRENCY_SIGNS
from reading.values.months import MONTH, MONTHS
from reading.values.scales import POWERS, WIDE_SCALES

# Signs of full width, each of which stands for one: places in a text stay what they are.
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFFE5: ord("¥"), 0x3000: ord(" ")}
COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
TENS = {name: count for name, count in COUNTS.items() if count >= 20}  # "seventy-two"
SPANS = "second|minute|hour|day|week|month|quarter|year"
# Counts and spans of durations in the other languages; "an" and "once" are English words of another meaning.
COUNTS_ELSEWHERE = {
    "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
    "douze": 12, "quinze": 15, "dix-huit": 18, "vingt": 20, "vingt-quatre": 24,
    "trente": 30, "quarante-cinq": 45, "soixante": 60, "quatre-vingt-dix": 90,
    "ein": 1, "eine": 1, "einem": 1, "einen": 1, "einer": 1, "eines": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
    "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12, "vierzehn": 14, "zwanzig": 20,
    "vierundzwanzig": 24, "dreißig": 30, "sechzig": 60, "neunzig": 90,
    "uno": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "diez": 10, "doce": 12,
    "quince": 15, "veinte": 20, "treinta": 30, "sesenta": 60, "noventa": 90,
}  # fmt: skip
SPANS_ELSEWHERE = {
    name: unit
    for unit, names in {
        "minute": "minuten minutos",
        "hour": "heure heures stunde stunden hora horas",
        "day": "jour jours tag tage tagen día días",
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
AFTER = rf"[{CURRENCY_SIGNS}円]|(?:USD|EUR|GBP|CHF|JPY|dollars?|euros?)\b"
SCALE = "|".join(sorted(POWERS, key=len, reverse=True))
WIDE = rf"[万億](?=円|(?(before)(?![\d{NUMERALS}])|(?!)))"  # "5万円", "¥5万"; "¥1億5000万" is in two parts
AMOUNT = re.compile(
    rf"(?P<minus>(?<![\w.,)%])[-\u2212\u2013]\s?)?(?P<before>{BEFORE})?\s?(?P<open>\()?(?<![.,])(?<!{JOINED})(?<!\d )"
    rf"(?P<number>{DIGITS})(?!(?!{WIDE})[^\W円]|[.,]\d)(?P<late>[-\u2212\u2013](?![\w{CURRENCY_SIGNS}(]))?"
    rf"(?(open)\))(?:[\s-](?P<scale>{SCALE})\b|(?P<wide>{WIDE}))?(?:\s?(?:of\s)?(?P<after>{AFTER}))?"
    rf"(?:\s(?:an?|per|each|every)\s(?P<unit>{SPANS})\b)?",
    re.IGNORECASE,
)
IN_BRACKETS = re.compile(r"\(\s?[$\u20ac\u00a3\u00a5][^()]*\)")  # a loss in a table, an aside in a sentence
PERCENTAGE = re.compile(
    rf"(?P<minus>(?<![\w.,)%])[-\u2212\u2013])?(?<![\w.,])(?P<number>{DIGITS})(?P<late>)\s?(?:%|(?:percent|per\scent|pour\scent|Prozent)\b)",
    re.IGNORECASE,
)
RANGE_BEFORE, RANGE_AFTER = re.compile(r"\d\s?[-\u2212\u2013]\s?\Z"), re.compile(r"\s?[-\u2212\u2013]\s?\d")
DATES = (
    re.compile(r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\d-])"),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s(?:(?:day\s)?of\s)?(?P<name>{MONTH})\b\.?,?\s(?P<year>\d{{4}})\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<name>{MONTH})\b\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?![\d.])"),
    re.compile(r"(?<![\d/])(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})(?![\d/])"),
)
TWO_WAYS = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")  # 4.375 is four and three eighths to some and thousands to others
SLASHED = DATES[-1]  # 4/3/2024 is the third of April to some and the fourth of March to others
DURATION = re.compile(
    rf"(?<![\w.,-])(?:(?P<tens>{'|'.join(TENS)})-)?(?P<count>\d+|{'|'.join([*COUNTS, *COUNTS_ELSEWHERE])})"
    r"(?:\s?\((?P<digits>\d+)\))?[\s-](?:(?:business|working|calendar|full)[\s-])?"
    rf"(?:(?P<span>{SPANS})s?|(?P<elsewhere>{'|'.join(SPANS_ELSEWHERE)}))\b",
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
        if found["scale"] and is_unclear(found["number"], "."):  # $1.125 billion
            continue
        amount = number.scaleb(POWERS.get((found["scale"] or "").lower(), 0) + WIDE_SCALES.get(found["wide"], 0))
        printed = f"{-amount if sign < 0 or found['open'] else amount:f}"
        yield Value("amount", printed, start, found.end(), CURRENCIES[named], (found["unit"] or "").lower())


def percentages_in(text: str, language: str = "") -> Iterator[Value]:
    text = text.translate(FULL_WIDTH)
    for found in PERCENTAGE.finditer(text):
        number, sign = decimal_of(found["number"]), sign_of(found, text, language)
        if number is not None and sign and not is_unclear(found["number"], ".,"):
            yield Value("percentage", f"{sign * number:f}", *found.span())


def sign_of(found: re.Match[str], text: str, language: str) -> int:
    """-1 of an amount with a minus, else 1; 0 where it is unclear.

    That is: a sign could not be read, the amount is on a side of an account, it is an end of a range, or a dash with a
    blank after it may part it from the words before.
    """
    start, end = found.span("number")
    around = text[max(found.start() - 2, 0) : found.end() + 2]
    is_ranged = RANGE_BEFORE.search(text, 0, start) or RANGE_AFTER.match(text, end)
    if has_unread_sign(around) or is_ranged or account_sides(language).match(text, end):
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
            if pattern is SLASHED and month > 12:
                day, month = month, day
            try:
                yield Value("date", date(int(named["year"]), month, day).isoformat(), *found.span())
            except ValueError:
                continue


def durations_in(text: str) -> Iterator[Value]:
    for found in DURATION.finditer(text):
        count = found["digits"] or found["count"].lower()
        if counted := COUNTS.get(count) or COUNTS_ELSEWHERE.get(count):
            count = str(counted + TENS.get((found["tens"] or "").lower(), 0))
        unit = found["span"].lower() if found["span"] else SPANS_ELSEWHERE[found["elsewhere"].lower()]
        yield Value("duration", count, *found.span(), unit=unit)


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
