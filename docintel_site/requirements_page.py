"""The rules as the page of the site shows them: by family, in HTML, with the tests that carry each number."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from markdown_it import MarkdownIt

from docintel_site.requirements import STATES, Requirement, find_test_citations

STATE_WORDS = {"holds": _("Holds"), "partly": _("Partly"), "struck": _("Struck")}
STATE_KINDS = {"holds": "ok", "partly": "warn"}
FAMILIES = {
    "R": _("Retrieval and answers"),
    "A": _("Questions about a paper that must be answered as stated"),
    "N": _("Questions about a framework that must be answered as stated"),
    "C": _("Questions about a contract that must be answered as stated"),
    "G": _("Gates that prove absence"),
    "B": _("Wrong replies of a model"),
    "I": _("Faults of a model’s server"),
    "AT": _("The audit trail"),
    "L": _("A model kept in bounds"),
    "T": _("Background work"),
    "U": _("Uploads"),
    "W": _("The web"),
    "H": _("What a reader has begun"),
}


class ShownRule(NamedTuple):
    """A row of the page; text and note are HTML."""

    number: str
    family: str
    text: SafeString
    state: str
    kind: str  # of the state, as the tag of that name takes it
    words: str
    note: SafeString
    places: tuple[str, ...]
    tests: Sequence[str]
    searched: str


class RuleFamily(NamedTuple):
    code: str
    title: str
    rules: list[ShownRule]


class CountedState(NamedTuple):
    state: str
    words: str
    total: int


def show_rules(rules: Sequence[Requirement]) -> list[ShownRule]:
    # Nothing but code and emphasis is read, and what else looks like HTML is escaped.
    markdown = MarkdownIt("zero", {"html": False}).enable(["backticks", "emphasis"])
    cited = find_test_citations()
    return [
        ShownRule(
            rule.number,
            rule.family,
            SafeString(markdown.renderInline(rule.text)),
            rule.state,
            STATE_KINDS.get(rule.state, ""),
            str(STATE_WORDS.get(rule.state, rule.state)),
            SafeString(markdown.renderInline(rule.note)),
            rule.places,
            tests := cited.get(rule.number, []),
            " ".join([rule.number, rule.text, rule.note, *rule.places, *tests]).casefold(),
        )
        for rule in rules
    ]


def narrow(rules: Sequence[ShownRule], words: str) -> list[ShownRule]:
    """The rules that have every one of these words, anywhere and inside others, in capitals or not."""
    return [rule for rule in rules if all(word in rule.searched for word in words.casefold().split())]


def count_states(rules: Sequence[ShownRule]) -> list[CountedState]:
    counts = Counter(rule.state for rule in rules)
    return [CountedState(state, str(STATE_WORDS[state]), counts[state]) for state in STATES]


def group_by_family(rules: Sequence[ShownRule]) -> list[RuleFamily]:
    """The families in the order of FAMILIES, others behind them; within one by number."""
    codes = [*FAMILIES, *dict.fromkeys(rule.family for rule in rules if rule.family not in FAMILIES)]
    members = {code: [rule for rule in rules if rule.family == code] for code in codes}
    return [
        RuleFamily(code, str(FAMILIES.get(code, "")), sorted(found, key=place_in_family))
        for code, found in members.items()
        if found
    ]


def place_in_family(rule: ShownRule) -> tuple[int, str]:
    digits = rule.number.removeprefix(rule.family)
    number = digits.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(number), digits
