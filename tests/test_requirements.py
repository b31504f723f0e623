"""Every rule cited by its number is a row of docs/requirements.md, and what a row says of the code is found there."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from docintel_site.requirements import (
    PAGE,
    STATES,
    Requirement,
    find_test_citations,
    is_test,
    numbers_in,
    read_rules,
)
from tests.citations import find_citations, find_sources, words_for_readers, words_of_code

ROOT = Path(__file__).resolve().parent.parent
RULES = read_rules(PAGE)
# Texts that lie behind the rules and are not part of the project.
OUTSIDE = re.compile("SPEC|DESIGN|RELIABILITY|STACK|PEERS|STYLE")
# Lists that are complete: the last number of each.
COMPLETE = {"R": 112, "A": 15, "N": 6, "C": 12, "G": 4, "L": 11, "B": 28}
STRUCK_MAX = 10  # of the rules of retrieval and answers
OPTIONAL = {"R86"}  # what a rule says may be, taken out for what it cost to hold
# What somebody may try: each of these is proven by a test, not only by code.
TESTED = ("A", "N", "C", "L", "B")


@cache
def cited() -> dict[str, list[str]]:
    """The files that cite each number."""
    return find_citations(find_sources())


def test_every_number_that_is_cited_is_a_rule() -> None:
    known = {rule.number for rule in RULES}
    unknown = {number: sorted(files) for number, files in cited().items() if number not in known}
    assert unknown == {}, "cite a rule of docs/requirements.md, or name in NO_RULES what only looks like one"


def test_no_text_outside_the_project_is_cited() -> None:
    # Taking code apart is slow, and what its text nowhere has it does not say.
    named = {name: path for name, path in find_sources().items() if OUTSIDE.search(path.read_text(encoding="utf-8"))}
    whole = re.compile(rf"\b(?:{OUTSIDE.pattern})\b")
    assert [name for name, path in named.items() if whole.search(words_for_readers(path))] == []


def test_every_rule_is_stated_once_with_its_state() -> None:
    numbers = [rule.number for rule in RULES]
    assert [number for number, count in Counter(numbers).items() if count > 1] == []
    assert [rule.number for rule in RULES if rule.state not in STATES] == []
    assert [rule.number for rule in RULES if not rule.note and rule.state != "holds"] == [], (
        "say what is missing or why"
    )
    starts = re.findall(r"^\| ([A-Z]+\d\S*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert starts == numbers, "a row that has not four cells is not read"


def test_a_rule_of_retrieval_holds_or_is_struck_with_what_was_measured() -> None:
    rules = [rule for rule in RULES if rule.family == "R"]
    assert [rule.number for rule in rules if rule.state == "partly"] == []
    struck = [rule for rule in rules if rule.state == "struck"]
    assert len(struck) <= STRUCK_MAX
    unmeasured = {rule.number for rule in struck if "[measured](benchmarks.md#" not in rule.note}
    assert unmeasured - OPTIONAL == set()


@pytest.mark.parametrize("family", COMPLETE)
def test_no_rule_of_a_complete_list_is_missing(family: str) -> None:
    wide = 2 if family == "B" else 1
    expected = {f"{family}{number:0{wide}}" for number in range(0 if family == "G" else 1, COMPLETE[family] + 1)}
    assert expected - {rule.number for rule in RULES} == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.number)
def test_a_rule_is_cited_where_it_is_held(rule: Requirement) -> None:
    missing = [place for place in rule.places if not is_there(place)]
    assert missing == []
    if rule.state == "struck":
        return
    assert rule.files, "name the modules that do it"
    of_code = {name for name in rule.files if not name.startswith("docs/")}
    assert of_code - set(cited().get(rule.number, ())) == set(), "cite the rule there, or do not name the file"


def is_there(place: str) -> bool:
    name, _, function = place.partition("::")
    if not (ROOT / name).is_file():
        return False
    return not function or any(
        isinstance(node, ast.FunctionDef) and node.name == function
        for node in ast.parse((ROOT / name).read_text(encoding="utf-8")).body
    )


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.family in TESTED], ids=lambda rule: rule.number)
def test_what_somebody_may_try_has_a_test(rule: Requirement) -> None:
    assert any(map(is_test, cited().get(rule.number, ())))
    assert rule.family != "L" or any("::test_" in place for place in rule.places), "a promise names its test"


def test_a_rule_that_holds_is_named_by_a_test() -> None:
    holding = [rule.number for rule in RULES if rule.state == "holds"]
    unnamed = [number for number in holding if not any("::" in test for test in find_test_citations().get(number, ()))]
    assert unnamed == [], "cite the number in the test that proves the rule, not only in its file"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("kept whole (R90-R92), as R8 says", ["R90", "R91", "R92", "R8"]),
        ("B01, B02 and R93b", ["B01", "B02", "R93b"]),
        ("B08–B11", ["B08", "B09", "B10", "B11"]),
        ("all-MiniLM-L6-v2, F-12, U+FDD0, FY2023, BM25, PR.AA05", []),
        ("x  # noqa: B039, an immutable default", []),
        ("a made-up one: R999, X7", ["R999", "X7"]),
    ],
)
def test_it_reads_citations_as_they_are_written(text: str, numbers: list[str]) -> None:
    assert list(numbers_in(text)) == numbers


def test_it_reads_what_code_says_and_not_what_it_computes() -> None:
    code = 'def work(cell="A1"):\n    """By R5."""\n    return cell  # R6\n\n\nCASE = param("A2", id="R7 named")\n'
    assert sorted(numbers_in("\n".join(words_of_code(code)))) == ["R5", "R6", "R7"]
