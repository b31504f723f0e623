"""Years as texts print them: four digits of the last or this century."""

import re

YEAR_DIGITS = r"(?:19|20)\d\d"
YEAR = re.compile(YEAR_DIGITS)
YEAR_WORD = re.compile(rf"\b{YEAR_DIGITS}\b")
# A year in a question: "2019", "FY2019", "fiscal year 2019", in match form with single spaces.
NAMED_YEAR = rf"(?:fy\s?|fiscal\ (?:year\ )?|year\ )?({YEAR_DIGITS})"
# "2024", "FY2024", "FY 24", "FY'24": the first group has four digits, the second two.
FISCAL_YEAR = re.compile(rf"(?<!\d)(?:FY\s?'?)?({YEAR_DIGITS})(?!\d)|\bFY\s?'?(\d\d)\b", re.IGNORECASE)


def years_in(text: str) -> list[str]:
    """The years a text names, calendar or fiscal, with four digits each and in its order."""
    return [long or f"20{short}" for long, short in FISCAL_YEAR.findall(text)]
