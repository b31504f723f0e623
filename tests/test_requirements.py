"""Every rule cited by its number is a row of docs/requirements.md, and what a row says of the code is found there."""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "requirements.md"
# What is made, fetched or read, and not written by us.
NOT_OURS = {"var", "vendor", "staticfiles", "cache", "samples"}
HASH_COMMENTS = {".toml", ".yml", ".txt", ".sh"}
ROW = re.compile(
    r"^\| (?P<number>[A-Z]{1,2}\d+[a-z]?) \| (?P<rule>[^|]+) \| (?P<places>[^|]*) \| (?P<state>[^|]+) \|$", re.MULTILINE
)
NUMBER = re.compile(r"(?<![\w.+-])([A-Z]{1,2})(\d{1,3})([a-z]?)(?:[-–]\1(\d{1,3}))?(?![\w-])")
NO_RULES = {"BM25", "CC0"}  # names that look like the number of a rule
CODES = re.compile(r"noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*")  # of the linter
COMMENTS = {
    ".html": re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|<!--.*?-->", re.DOTALL),
    ".css": re.compile(r"/\*.*?\*/", re.DOTALL),
    ".js": re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL),
}
# Texts that lie behind the rules and are not part of the project.
OUTSIDE = re.compile(r"\b(?:SPEC|DESIGN|RELIABILITY|STACK|PEERS|STYLE)\b")
# Lists that are complete: the last number of each.
COMPLETE = {"R": 112, "A": 15, "N": 6, "C": 12, "G": 4, "L": 11, "B": 28}
# What somebody may try: each of these is proven by a test, not only by code.
TESTED = ("A", "N", "C", "L", "B")


class Rule(NamedTuple):
    """A row of the page: its number, the files and tests it names, and how far it is done."""

    number: str
    places: tuple[str, ...]
    state: str

    @property
    def files(self) -> list[str]:
        return [place.partition("::")[0] for place in self.places]

    @property
    def family(self) -> str:
        return self.number.rstrip("0123456789b")


RULES = [
    Rule(row["number"], tuple(re.findall(r"`([^`]+)`", row["places"])), row["state"])
    for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))
]


def numbers_in(text: str) -> Iterator[str]:
    """The numbers a text cites, those inside a range spelled out: "R5-R7" is R5, R6 and R7."""
    for family, first, suffix, last in NUMBER.findall(CODES.sub("", text)):
        for number in range(int(first), int(last or first) + 1):
            cited = f"{family}{number:0{len(first)}}{suffix}"
            if cited not in NO_RULES:
                yield cited


def words_of(path: Path) -> str:
    """What a file says to its readers: the text of a page; of code its comments, docstrings and names of test cases."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return "\n".join(words_of_code(text))
    if path.suffix in COMMENTS:
        return "\n".join(COMMENTS[path.suffix].findall(text))
    if path.suffix == ".md":
        return text
    return "\n".join(re.findall(r"(?:^|\s)#.*", text))


def words_of_code(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node, clean=False) or ""
        elif isinstance(node, ast.keyword) and node.arg == "id" and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


@cache
def said() -> dict[str, str]:
    """What each file of the project says, by its path."""
    found = {}
    tops = [top for top in sorted(ROOT.iterdir()) if not top.name.startswith(".") and top.name not in NOT_OURS]
    for path in (path for top in tops for path in (top, *sorted(top.rglob("*")))):
        name = path.relative_to(ROOT)
        is_read = path.suffix in {".py", ".md", *COMMENTS, *HASH_COMMENTS} or name.parts[0] in ("bin", "Dockerfile")
        if is_read and path.is_file() and not NOT_OURS & set(name.parts) and path not in (PAGE, Path(__file__)):
            found[str(name)] = words_of(path)
    return found


@cache
def cited() -> dict[str, set[str]]:
    """The files that cite each number."""
    found: dict[str, set[str]] = {}
    for name, text in said().items():
        for number in numbers_in(text):
            found.setdefault(number, set()).add(name)
    return found


def test_every_number_that_is_cited_is_a_rule() -> None:
    known = {rule.number for rule in RULES}
    unknown = {number: sorted(files) for number, files in cited().items() if number not in known}
    assert unknown == {}, "cite a rule of docs/requirements.md, or name in NO_RULES what only looks like one"


def test_no_text_outside_the_project_is_cited() -> None:
    assert [name for name, text in said().items() if OUTSIDE.search(text)] == []


def test_every_rule_is_stated_once_with_its_state() -> None:
    numbers = [rule.number for rule in RULES]
    assert [number for number, count in Counter(numbers).items() if count > 1] == []
    assert [rule.number for rule in RULES if not re.match(r"done$|done: \w|partly: \w|left out: \w", rule.state)] == []
    starts = re.findall(r"^\| ([A-Z]+\d\S*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert starts == numbers, "a row that has not four cells is not read"


@pytest.mark.parametrize("family", COMPLETE)
def test_no_rule_of_a_complete_list_is_missing(family: str) -> None:
    wide = 2 if family == "B" else 1
    expected = {f"{family}{number:0{wide}}" for number in range(0 if family == "G" else 1, COMPLETE[family] + 1)}
    assert expected - {rule.number for rule in RULES} == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.number)
def test_a_rule_is_cited_where_it_is_done(rule: Rule) -> None:
    missing = [place for place in rule.places if not is_there(place)]
    assert missing == []
    if rule.state.startswith("left out"):
        return
    assert rule.files, "name the modules that do it"
    is_of_the_docs = all(name.startswith("docs/") for name in rule.files)
    assert is_of_the_docs or cited().get(rule.number, set()) & set(rule.files), f"none of {rule.files} cites it"


def is_there(place: str) -> bool:
    name, _, function = place.partition("::")
    if not (ROOT / name).is_file():
        return False
    return not function or any(
        isinstance(node, ast.FunctionDef) and node.name == function
        for node in ast.parse((ROOT / name).read_text(encoding="utf-8")).body
    )


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.family in TESTED], ids=lambda rule: rule.number)
def test_what_somebody_may_try_has_a_test(rule: Rule) -> None:
    assert [name for name in cited().get(rule.number, ()) if Path(name).name.startswith("test_")]
    assert rule.family != "L" or any("::test_" in place for place in rule.places), "a promise names its test"


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
