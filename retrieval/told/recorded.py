"""Sentences that are recorded without facts, in the reader's language: their fixed words are known, the rest is quoted.

What a hit was found by, notes on how a question was read, what a vague word was read as, and how a model broke its
contract. Anything else is shown as it was recorded.
"""

import re

from django.utils.translation import gettext_lazy as _

from retrieval.told.planned import name_thing
from retrieval.types import IN_QUESTION, VALUE_LEFT

SHARE = r"(?P<percent>\d+) % of what was chosen here speaks for “(?P<meaning>.+)”"
NAMED = r"(?P<kind>\w+)(?P<thing>.*)"
SENTENCES = {
    # ---- what a hit was found by
    r"passage": _("passage"),
    r"title: (?P<title>.+)": _("title: %(title)s"),
    r"page (?P<page>\d+)": _("page %(page)s"),
    r"clause (?P<clause>.+), which is amended": _("clause %(clause)s, which is amended"),
    rf"{NAMED}, named on p\. (?P<page>.+)": _("%(thing)s, named on p. %(page)s"),
    rf"{NAMED}, where p\. (?P<page>.+) {VALUE_LEFT}": _("%(thing)s, where p. %(page)s says that the value stands"),
    rf"{NAMED}, {IN_QUESTION}": _("%(thing)s, named in the question"),
    r"further pass: how many (?P<listed>.+) there are, or all of them": _(
        "further pass: how many %(listed)s there are, or all of them"
    ),
    r"the model asked for the section “(?P<name>.+)”": _("the model asked for the section “%(name)s”"),
    r"the model asked for the words “(?P<name>.+)”": _("the model asked for the words “%(name)s”"),
    # ---- how a question was read
    r"Read “(?P<typed>.+)” as “(?P<word>.+)”\.": _("Read “%(typed)s” as “%(word)s”."),
    r"Read as “(?P<text>.+)”\.": _("Read as “%(text)s”."),
    r"Searched too: (?P<words>.+)\.": _("Searched too: %(words)s."),
    r"The model's correction was refused: it (?P<fault>.+)\.": _("The model’s correction was refused: it %(fault)s."),
    r"The model could not read the question \((?P<error>.+)\); it was read by the rules alone\.": _(
        "The model could not read the question (%(error)s); it was read by the rules alone."
    ),
    r"it means one thing here, so nothing is asked": _("it means one thing here, so nothing is asked"),
    r"it is asked of the document as a whole": _("it is asked of the document as a whole"),
    r"nobody has said yet what it means here": _("nobody has said yet what it means here"),
    rf"{SHARE}: above (?P<limit>\d+)% it is applied and said": _(
        "%(percent)s %% of what was chosen here speaks for “%(meaning)s”: above %(limit)s %% it is applied and said"
    ),
    rf"{SHARE}: below (?P<limit>\d+)% it is always asked": _(
        "%(percent)s %% of what was chosen here speaks for “%(meaning)s”: below %(limit)s %% it is always asked"
    ),
    rf"{SHARE}: between the bands it is asked again after two that were silently accepted": _(
        "%(percent)s %% of what was chosen here speaks for “%(meaning)s”: it is asked again after it was read so twice"
        " without an objection"
    ),
    rf"{SHARE}: between the bands it is applied until two were silently accepted": _(
        "%(percent)s %% of what was chosen here speaks for “%(meaning)s”: it is read so until that passed twice without"
        " an objection"
    ),
    # ---- how a model broke its contract
    r"answerable without a primary": _("called answerable without a primary passage"),
    r"unknown id in a contradiction": _("unknown id in a contradiction"),
    r"missing: (?P<id>.+)": _("left out: %(id)s"),
    r"unknown id: (?P<id>.+)": _("unknown id: %(id)s"),
    r"twice: (?P<id>.+)": _("twice: %(id)s"),
    r"twice with two roles, the first kept: (?P<id>.+)": _("twice with two roles, the first kept: %(id)s"),
    r"unknown role (?P<role>'.*'): (?P<id>.+)": _("unknown role %(role)s: %(id)s"),
    r"no reason: (?P<id>.+)": _("no reason: %(id)s"),
    r"no quote: (?P<id>.+)": _("no quote: %(id)s"),
    r"R49, primary by its meaning alone, lowered to supporting beside (?P<other>.+): (?P<id>.+)": _(
        "R49, primary by its meaning alone, lowered to supporting beside %(other)s: %(id)s"
    ),
    r"R49, primary by its meaning alone, kept, although (?P<other>.+) has the words: (?P<id>.+)": _(
        "R49, primary by its meaning alone, kept, although %(other)s has the words: %(id)s"
    ),
}


def say_recorded(stored: str) -> str:
    """A recorded sentence in the reader's language; quotes, names and whatever is none of ours as they are."""
    for pattern, words in SENTENCES.items():
        if found := re.fullmatch(pattern, stored):
            told = found.groupdict()
            if "kind" in told:
                told["thing"] = name_thing({"kind": told["kind"].lower()}) + told["thing"]
            return str(words) % told
    return stored
