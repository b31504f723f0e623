"""Days of a month as texts print them, with or without the year: "23 June", "June 23rd", "23.06.", "23/06/2025"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from reading.values.months import MONTH, MONTHS
from reading.values.years import YEAR_DIGITS

NAMED_YEAR = rf"(?:,?\s(?:del?\s)?(?P<year>{YEAR_DIGITS})\b)?"
SLASHED = re.compile(rf"(?<![\w.,/])(?P<day>\d{{1,2}})/(?P<month>\d{{1,2}})(?:/(?P<year>{YEAR_DIGITS}))?(?![\d/])")
PATTERNS = (
    re.compile(
        rf"(?<![\w.,])(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s?(?:of\s|de\s)?(?P<name>{MONTH})\b\.?{NAMED_YEAR}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<name>{MONTH})\.?\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w]|[.,]\d){NAMED_YEAR}", re.IGNORECASE
    ),
    re.compile(rf"(?<![\w.,])(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.(?:\s?(?P<year>{YEAR_DIGITS}))?(?![\d.])"),
    re.compile(rf"\b(?P<year>{YEAR_DIGITS})-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])"),
    SLASHED,
)


class NamedDay(NamedTuple):
    """A day of a month, `year` "" where none is named, and the text that names it."""

    day: int
    month: int
    year: str
    text: str

    def may_be_day(self, other: "NamedDay") -> bool:
        """Whether two may be one day: a year that is not named may be any."""
        return self[:2] == other[:2] and ("" in (self.year, other.year) or self.year == other.year)


def days_in(text: str) -> Iterator[NamedDay]:
    """The days that a text names; none where the month may be the day: "05/06"."""
    for pattern in PATTERNS:
        for found in pattern.finditer(text):
            named = found.groupdict()
            day = int(named["day"])
            month = MONTHS[named["name"].lower()] if named.get("name") else int(named["month"])
            if pattern is SLASHED and day != month:
                if max(day, month) <= 12:
                    continue
                day, month = max(day, month), min(day, month)
            if 0 < day <= 31 and 0 < month <= 12:
                yield NamedDay(day, month, named["year"] or "", found[0])
