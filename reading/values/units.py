"""The names of units (`units.toml`), and whether a text is nothing but a number of them: "4 weeks", "30-50 kg"."""

import re
import tomllib
from functools import cache
from pathlib import Path

from reading.matching import match_form
from reading.wording import WordingError

MEASURE = re.compile(r"\d[\d.,'’]*(?:\s?[-–]\s?\d[\d.,'’]*)?\s?([^\W\d_][^\d]*)")


@cache
def unit_names() -> dict[str, str]:
    """The one name of each unit, by every name it has in match form. Raises WordingError."""
    path = Path(__file__).with_suffix(".toml")
    names: dict[str, str] = {}
    for unit, others in tomllib.loads(path.read_text("utf-8")).items():
        for name in (unit, *others):
            if match_form(name) != name or names.setdefault(name, unit) != unit:
                raise WordingError(f"{path.name}: {name!r} is not in match form, or twice there")
    return names


def is_measure(text: str) -> bool:
    """Whether a text is a number, or a range of numbers, with the name of a unit, and no more."""
    found = MEASURE.fullmatch(text.strip())
    return found is not None and match_form(found[1]) in unit_names()
