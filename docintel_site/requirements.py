"""The rules of docs/requirements.md, and the files of the project that cite each by its number.

The page of the site and tests/test_requirements.py read both here, so that they cannot disagree.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docintel_site.settings import BASE_DIR

PAGE = BASE_DIR / "docs" / "requirements.md"
STATES = ("holds", "partly", "struck")
ROW = re.compile(
    r"^\| (?P<number>[A-Z]{1,2}\d+[a-z]?) \| (?P<rule>[^|]+) \| (?P<places>[^|]*) \| (?P<state>[^|]+) \|$", re.MULTILINE
)
NUMBER = re.compile(r"(?<![\w.+-])([A-Z]{1,2})(\d{1,3})([a-z]?)(?:[-–]\1(\d{1,3}))?(?![\w-])")
NO_RULES = {"BM25", "CC0", "RE2"}  # names that look like the number of a rule
CODES = re.compile(r"noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*")  # of the linter
# What is made, fetched or read, and not written by us.
NOT_OURS = {"var", "vendor", "staticfiles", "cache", "samples"}
# The first lists every number, and the second has made-up ones.
NO_CITATIONS = {"docs/requirements.md", "tests/test_requirements.py"}


class Requirement(NamedTuple):
    """A row of the page: its number, what is required, the files and tests it names, how far it holds."""

    number: str
    text: str  # Markdown in a line, as is the note
    places: tuple[str, ...]
    state: str  # the first word of its last cell: one of STATES, or what somebody wrote instead
    note: str  # what limits or explains the state

    @property
    def files(self) -> list[str]:
        return [place.partition("::")[0] for place in self.places]

    @property
    def family(self) -> str:
        return re.match("[A-Z]+", self.number)[0]  # type: ignore[index]  # as the pattern of a row has it


def read_rules(path: Path) -> list[Requirement]:
    """Every row of the page in its order. Raises FileNotFoundError."""
    return [
        Requirement(
            row["number"],
            row["rule"],
            tuple(re.findall(r"`([^`]+)`", row["places"])),
            *re.fullmatch(r"([^:]*)(?:: )?(.*)", row["state"]).groups(),  # type: ignore[union-attr]  # matches any text
        )
        for row in ROW.finditer(path.read_text(encoding="utf-8"))
    ]


def numbers_in(text: str) -> Iterator[str]:
    """The numbers a text cites, those inside a range spelled out: "R5-R7" is R5, R6 and R7."""
    for family, first, suffix, last in NUMBER.findall(CODES.sub("", text)):
        for number in range(int(first), int(last or first) + 1):
            cited = f"{family}{number:0{len(first)}}{suffix}"
            if cited not in NO_RULES:
                yield cited


def said_in_code(text: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Each comment, docstring and name of a test case, with its line."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if said := ast.get_docstring(node, clean=False):
                yield node.body[0].lineno, said
        elif isinstance(node, ast.keyword) and node.arg == "id" and isinstance(node.value, ast.Constant):
            yield node.value.lineno, str(node.value.value)


def find_files() -> Iterator[tuple[str, Path]]:
    """The files of the project that may cite a rule, with their path below its folder."""
    tops = [top for top in sorted(BASE_DIR.iterdir()) if not top.name.startswith(".") and top.name not in NOT_OURS]
    for path in (path for top in tops for path in (top, *sorted(top.rglob("*")))):
        name = path.relative_to(BASE_DIR)
        if path.is_file() and not NOT_OURS & set(name.parts) and str(name) not in NO_CITATIONS:
            yield str(name), path


def is_test(name: str) -> bool:
    return Path(name).name.startswith("test_")


@cache
def find_test_citations() -> dict[str, list[str]]:
    """The tests that cite each number, as `file::test`; a file that only cites it as a whole by its name alone.

    Read once, as the code of a running program.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for name, path in find_files():
        text = path.read_text(encoding="utf-8") if is_test(name) and path.suffix == ".py" else ""
        for number, test in cited_in_tests(text) if any(numbers_in(text)) else ():
            found.setdefault(number, {}).setdefault(name, []).append(test)
    return {
        number: [
            f"{name}::{test}" if test else name
            for name, tests in named.items()
            for test in dict.fromkeys(filter(None, tests) if any(tests) else tests)
        ]
        for number, named in found.items()
    }


def cited_in_tests(text: str) -> Iterator[tuple[str, str]]:
    """Each number a module of tests cites, with each test that does or takes its cases; "" outside all tests."""
    tree = ast.parse(text)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and is_test(node.name)]
    used = {test.name: {each.id for each in ast.walk(test) if isinstance(each, ast.Name)} for test in tests}
    told = [(*statement_lines_of(test), [test.name]) for test in tests]
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            named = {
                each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
            told.append((*statement_lines_of(node), [test for test, names in used.items() if named & names]))
    for line, said in said_in_code(text, tree):
        by = next((names for first, last, names in told if first <= line <= last), [])
        yield from ((number, test) for number in numbers_in(said) for test in by or [""])


def statement_lines_of(node: ast.stmt) -> tuple[int, int]:
    decorated = getattr(node, "decorator_list", ())
    return min(each.lineno for each in (node, *decorated)), node.end_lineno or node.lineno
