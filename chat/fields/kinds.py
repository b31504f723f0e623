"""Whether what a field shows is of the kind that was asked for: a date, an amount, a period, a person (R77, R87).

A question for a date may be answered by "within thirty days", one for who by a role: as an answer that is read, not as
the value of a field, which stands in a column of its kind. Such a value is doubtful, and its reason names both kinds.
For a yes or no the sentence is what is read: a quote does not tell whether it grants or denies.

So is "either party" where a party is to be named, and a value in a sentence about another thing: "one hour" of a notice
by e-mail, where the period of notice was asked for (R54).
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext_noop

from chat.checks import AskedItem
from chat.figures.names import ANSWERED_BY, NAMES, matches, read_values
from chat.figures.parties import is_party_word, names_somebody
from chat.turns.items import NUMBERED
from reading.values.years import YEAR_WORD
from retrieval.candidates.plain import plain_text
from retrieval.headlines.fitting import without_references
from retrieval.told.clauses import recorded_facts
from retrieval.words.printed import READERS

OTHER_KIND, OTHER_THING = "other_kind", "other_thing"
UNNAMED = gettext_noop("A word for a party without a name was found instead.")
NOT_SAID = gettext_noop("Words of what was asked are not said where the value stands.")
LEFT_OPEN = gettext_noop("The sentence with the value leaves open what was asked.")
ONE_PARTY = gettext_noop("The name of one party alone was found.")
OTHER_VALUE = gettext_noop("Another sentence says as much of what was asked, with another value.")
ASKED = {
    "amount": gettext_noop("An amount of money was asked for."),
    "percentage": gettext_noop("A percentage was asked for."),
    "date": gettext_noop("A date was asked for."),
    "duration": gettext_noop("A period was asked for."),
    "number": gettext_noop("A number was asked for."),
    "frequency": gettext_noop("A frequency was asked for."),
    "rate": gettext_noop("A rate was asked for."),
    "person": gettext_noop("A person was asked for."),
    "party": gettext_noop("A party was asked for."),
    "role": gettext_noop("A role was asked for."),
    "address": gettext_noop("A postal address was asked for."),
    "postcode": gettext_noop("A postcode was asked for."),
    "email": gettext_noop("An e-mail address was asked for."),
    "phone": gettext_noop("A phone number was asked for."),
    "url": gettext_noop("A web address was asked for."),
    "iban": gettext_noop("An IBAN was asked for."),
}
SENTENCE = "sentence"
FOUND = {
    "amount": gettext_noop("An amount of money was found instead."),
    "percentage": gettext_noop("A percentage was found instead."),
    "date": gettext_noop("A date was found instead."),
    "duration": gettext_noop("A period was found instead."),
    "person": gettext_noop("A person was found instead."),
    "party": gettext_noop("A party was found instead."),
    "role": gettext_noop("A role was found instead."),
    "address": gettext_noop("A postal address was found instead."),
    "postcode": gettext_noop("A postcode was found instead."),
    "list": gettext_noop("A list was found instead."),
    SENTENCE: gettext_noop("A sentence without one was found instead."),
}
# Kinds that every language prints alike, so that what none is found in has none.
ALIKE = ("email", "phone", "url", "iban")
COUNTED = ("amount", "percentage", "rate", "number")  # a cell of a table prints a bare number of these
PLACE = re.compile(r"\b\d{1,2}(?:\.\d{1,2}){2,}\b")  # 18.1.1


def kinds_allowed(asked: str, *, is_declared: bool) -> tuple[str, ...]:
    """The types of values of a kind; where only the question asks for it, who is also a role or a firm."""
    if asked == "party" or not is_declared:
        return ANSWERED_BY.get(asked, (asked,))
    return (asked,)


def of_kind(values: Iterable[Any], asked: str, *, is_declared: bool) -> list[Any]:
    allowed = kinds_allowed(asked, is_declared=is_declared)
    return [value for value in values if value["type"] in allowed]


def doubt_kind(item: AskedItem, shown: str, *, is_declared: bool) -> AskedItem:
    """The item, doubted where neither its values nor, without them, the words that are shown are of its kind."""
    asked, values = item["type"], item["values"]
    is_list = any(value["type"] == "list" for value in values)
    if asked not in ASKED or item["outcome"] != "found" or (is_list and asked != "number"):
        return item
    typed = [value["type"] for value in values if value["type"] in FOUND]
    if of_kind(values, asked, is_declared=is_declared):
        return item
    found = typed[0] if typed else other_kind_in(shown, asked, values, is_declared=is_declared)
    return item | {"outcome": "weak", "code": OTHER_KIND, "reason": f"{ASKED[asked]} {FOUND[found]}"} if found else item


def doubt_unnamed(item: AskedItem, shown: str, least: int = 1) -> AskedItem:
    """The item, doubted where so many parties were to be named and its values name fewer, or without any what is shown
    names nobody.
    """
    texts = [str(value.get("value", "")) for value in item["values"]]
    named = sum(bool(text) and not is_party_word(text) for text in texts)
    if item["outcome"] != "found" or named >= least or (not texts and names_somebody(shown)):
        return item
    reason = f"{ASKED['party']} {ONE_PARTY if named else UNNAMED}"
    return item | {"outcome": "weak", "code": OTHER_KIND, "reason": reason}


def doubt_thing(item: AskedItem, mismatch: str) -> AskedItem:
    """The item, doubted where what prints its value is about another thing than the one asked for."""
    if not mismatch or item["outcome"] != "found":
        return item
    words = [str(word) for word in recorded_facts(mismatch).get("words", ())]
    reason = f"{NOT_SAID} {', '.join(f'“{word}”' for word in words)}" if words else LEFT_OPEN
    return item | {"outcome": "weak", "code": OTHER_THING, "reason": reason, "missing": words}


def doubt_other_value(item: AskedItem, other: str) -> AskedItem:
    """The item, doubted where another sentence says as much of what was asked, with another value."""
    if not other or item["outcome"] != "found":
        return item
    return item | {"outcome": "weak", "code": OTHER_THING, "reason": f"{OTHER_VALUE} “{other}”"}


def other_kind_in(shown: str, asked: str, values: Sequence[Any], *, is_declared: bool) -> str:
    """The kind that words print in place of the one asked for; "" where they print it, or it is not sure that not.

    Of what is written in many ways, a name or a number, a miss tells nothing unless the kind was declared.
    """
    plain = without_places(shown, asked)
    is_number = NUMBERED.search(plain) is not None
    is_count = is_number and (asked == "number" or (asked in COUNTED and bool(values)))
    if is_count or prints_kind(plain if asked == "number" else shown, asked, is_declared=is_declared):
        return ""
    other = next((kind for kind in READERS if any(value.type == kind for value in read_values(shown, kind))), "")
    is_sure = is_declared or asked in ALIKE
    if asked in READERS:  # without a currency 12,500 may be an amount; 12 characters are no period
        is_sure = not is_number or (is_declared and asked not in COUNTED)
    return other or (SENTENCE if is_sure else "")


def without_places(text: str, asked: str) -> str:
    """A text without numbers that are no value: those of sections and, where no date is asked for, of years."""
    text = without_references(plain_text(text))
    return text if asked == "date" else YEAR_WORD.sub(" ", PLACE.sub(" ", text))


def prints_kind(text: str, asked: str, *, is_declared: bool) -> bool:
    """Whether a text prints something of a kind, also in a form whose value is not clear: 4/3/2024.

    "How long?" is answered by twelve characters, too, which are no period; a rate is printed as a percentage. Where a
    name is a field of its own, a word for one is none: "any officer" is nobody.
    """
    also = {"duration": "" if is_declared else "extent", "rate": "percentage"}.get(asked)
    if any(value.type == asked for value in read_values(text, asked)):
        return True
    named = filter(None, ("" if is_declared and asked in NAMES else asked, also))
    places = (text[slice(*place)] for name in named for place in matches(text, name))
    return any(not (is_declared and YEAR_WORD.fullmatch(place)) for place in places)  # "the [ ] day of [ ] 2019"
