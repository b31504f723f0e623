"""No pattern of the product takes long on any line: a page of digits must not stop everybody's questions.

`re` holds the interpreter's lock while it searches, so one slow search in one thread stops all of them. Each compiled
pattern is run, with the methods it is used with, over lines that are made to be slow: units of signs and words that
patterns look for, and pieces of what the pattern itself matches, repeated.
"""

import ast
import dataclasses
import inspect
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.product import ROOT, modules, sources

LINE_CHARS = 60_000  # a page may hold 200,000, which reading divides into lines of 1,000
SEARCH_S = 0.2
REFERENCE_S = 0.018  # of REFERENCE, on the machine on which SEARCH_S was set
TRIES = 5
FIRST_CHARS = 60  # short lines first: what is exponential is seen before it hangs
SURE_CHARS = 600  # from here on a time says how it grows
STEP = 2.5  # times longer than the line before
METHODS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "split"}
WORDING = {"WordingError", "read_once"}  # a module that keeps its expressions in data files imports one of them
ALL_OVER = {"finditer", "findall", "sub", "split"}

LAST_SIGN = "!"  # so that what must end with the line has gone to its end in vain
SIGNS = [*"1a_A-–.,:;()[]{}<>*`#|=+/\\%€$@&'\"§•…^~!? \t\n\xa0\u200bé中", *"0123"]
WORDS = (  # joined by spaces, as the units below are
    "a and between by cash consolidated days director each en end every excluding fiscal for from fy fy2024 how if in "
    "is jan january least list may million more net no not note of on once or page pages per please revenue round say "
    "section see shall state statement table than the this to total two usd what when where which who within year"
)
MIXED = (
    "1, 1. 1/ 1- 1) (1 (1) [1] $1 1% 1\xa0€ 000, 1,000, 0. 1.1. a. a- a@ a@a. a_ x.y aB Aa A1 1a iv. (a) (i) -- -a .. "
    "... , ."
    " a,b a;b a:b 's a's “a” <a> &amp; =1+1; // http:// www. [a]( ![ ** __ ``` --- |- | # ## \r\n -\n a\n 2024- q1 "
    "de12 12/31/"
)
PAIRS = [
    "no later than ",
    "statements of ",
    "income (loss) ",
    "if not ",
    "in units of a ",
    "by using a ",
    "as a % of ",
    "2024 + ",
]


class Found(NamedTuple):
    """A pattern with where it is, and the methods it is used with."""

    name: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


REFERENCE = Found("reference", re.compile(rf"\b(?i:{WORDS.replace(' ', '|')})\b!!"), frozenset({"search"}))
REFERENCE_LINE = ("".join(PAIRS) * LINE_CHARS)[:LINE_CHARS]


def patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """The patterns a value holds, however it holds them."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 6 and isinstance(value, Mapping):
        for each in value.values():
            yield from patterns_in(each, depth + 1)
    elif depth < 6 and isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from patterns_in(each, depth + 1)
    elif depth < 6 and dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from patterns_in(getattr(value, field.name), depth + 1)


@cache
def nodes_of_methods() -> list[tuple[Path, ast.Attribute | ast.Call]]:
    """Where the product names or calls one of the methods, whatever has it."""
    found: list[tuple[Path, ast.Attribute | ast.Call]] = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = node.func if isinstance(node, ast.Call) else node
            if (
                isinstance(node, ast.Attribute | ast.Call)
                and isinstance(named, ast.Attribute)
                and named.attr in METHODS
            ):
                found.append((path, node))
    return found


def used_methods() -> dict[str, set[str]]:
    """The methods called on each name anywhere in the product."""
    used: dict[str, set[str]] = {}
    for _, node in nodes_of_methods():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used.setdefault(node.value.id, set()).add(node.attr)
    return used


def literal_patterns() -> Iterator[Found]:
    """The patterns written where they are used, such as re.sub(r"\\D", "", text)."""
    for path, node in nodes_of_methods():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            first = node.args[0]
            is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
            if is_text and ast.unparse(node.func.value) == "re":
                pattern = re.compile(ast.literal_eval(first))
                yield Found(f"{path.relative_to(ROOT)}:{node.lineno}", pattern, frozenset({node.func.attr}))


def patterns_of_data(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns a module reads from its data files, by the function that keeps them."""
    for name, function in list(vars(module).items()):
        is_own = hasattr(function, "cache_info") and function.__module__ == module.__name__
        if is_own and WORDING & vars(module).keys() and not inspect.signature(function).parameters:
            yield from ((name, pattern) for pattern in patterns_in(function()))


def compiled_patterns() -> Iterator[Found]:
    used = used_methods()
    seen: set[int] = set()
    for module in modules():
        for name, value in vars(module).items():
            for number, pattern in enumerate(patterns_in(value)):
                if id(pattern) not in seen and isinstance(pattern.pattern, str):
                    seen.add(id(pattern))
                    # What is kept in a table is used under another name there; searching is the hardest of its uses.
                    is_own = isinstance(value, re.Pattern)
                    methods = used.get(name, set()) if is_own else {"search"}
                    yield Found(f"{module.__name__}.{name}[{number}]", pattern, frozenset(methods or {"search"}))
        for number, (name, pattern) in enumerate(patterns_of_data(module)):
            yield Found(f"{module.__name__}.{name}[{number}]", pattern, frozenset({"finditer"}))


def pieces_of(pattern: re.Pattern[str]) -> list[str]:
    """Words and signs the pattern itself names, alone and one after the other."""
    literals = re.findall(r"[^\W_]{2,}", re.sub(r"\\.|\(\?[^)]*?>", " ", pattern.pattern))
    words = list(dict.fromkeys(literals))[:12]
    return [f"{word} " for word in words] + [
        " ".join(words[:count]) + " " for count in (2, 3, 5) if len(words) >= count
    ]


def units_of(pattern: re.Pattern[str]) -> Iterable[str]:
    yield from SIGNS
    yield from (f"{word} " for word in WORDS.split(" "))
    yield from MIXED.split(" ")
    yield from (f"{unit} " for unit in MIXED.split(" "))
    yield from PAIRS
    yield from pieces_of(pattern)


def seconds_of(found: Found, line: str) -> float:
    """Of processor time, for each use the pattern has."""
    began = time.thread_time()
    if found.methods & ALL_OVER:
        for _ in found.pattern.finditer(line):
            pass
    for method in found.methods - ALL_OVER:
        getattr(found.pattern, method)(line)
    return time.thread_time() - began


def seconds_at_pace(found: Found, line: str) -> float:
    """What a line would take on a quiet machine: beside others every expression is slower, REFERENCE as well."""
    pace = seconds_of(REFERENCE, REFERENCE_LINE) / REFERENCE_S
    return seconds_of(found, line) / max(1.0, pace)


def slow_lines(found: Found) -> Iterator[str]:
    for unit in units_of(found.pattern):
        first = 0.0
        for size in line_sizes():
            line = (unit * (size // len(unit) + 1))[:size] + LAST_SIGN
            seconds = seconds_of(found, line)
            if seconds > SEARCH_S and all(seconds_at_pace(found, line) > SEARCH_S for _ in range(TRIES)):
                yield f"{found.name} on {size} characters of {unit!r}: {seconds:.2f} s"
                return
            # Even if it grows with its square it is within bounds on the whole line.
            if size >= SURE_CHARS and seconds < SEARCH_S * (size / LINE_CHARS) ** 2:
                break
            if size == SURE_CHARS:
                # What the machine does besides only adds to a time: the least is the surest, and hides no growth.
                first = min(seconds, seconds_of(found, line))
            elif size > SURE_CHARS and seconds_of_whole(first, seconds, size) < SEARCH_S:
                break


def line_sizes() -> Iterator[int]:
    """In characters."""
    yield FIRST_CHARS
    size = SURE_CHARS
    while size < LINE_CHARS:
        yield size
        size = int(size * STEP)
    yield LINE_CHARS


def seconds_of_whole(first: float, seconds: float, size: int) -> float:
    """Of a whole line, by those of SURE_CHARS and of a longer one: one part grows with it, one with its square."""
    square = max(0.0, (seconds / size - first / SURE_CHARS) / (size - SURE_CHARS))
    return (seconds / size + square * (LINE_CHARS - size)) * LINE_CHARS


QUADRATIC = [r"\s+of", r"\d[\d.,]*%", r"\w+?@", r".*x.*y"]
PATTERNS = [*compiled_patterns(), *literal_patterns()]


def test_the_expressions_of_data_files_are_among_them() -> None:
    names = {found.name.partition("[")[0].rpartition(".")[2] for found in PATTERNS}
    assert names >= {"phrasing_rules", "answer_rules", "known_metrics", "statement_lines", "statement_patterns"}
    assert names >= {"card_signs", "field_signs"}


def test_there_are_two_hundred_lines_for_each_pattern() -> None:
    assert len(PATTERNS) > 200
    assert len(list(units_of(re.compile("")))) >= 200


@pytest.mark.parametrize("found", PATTERNS, ids=lambda found: found.name)
def test_no_pattern_is_slow_on_any_line(found: Found) -> None:
    assert list(slow_lines(found)) == []


@pytest.mark.parametrize("expression", QUADRATIC)
def test_a_slow_pattern_is_found(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a tenth of the line length, in a hundredth of the time: all of these are quadratic in the length."""
    monkeypatch.setattr("tests.test_patterns.LINE_CHARS", LINE_CHARS // 10)
    monkeypatch.setattr("tests.test_patterns.SEARCH_S", SEARCH_S / 100)
    assert list(slow_lines(Found(expression, re.compile(expression), frozenset({"search"}))))


def test_a_machine_that_is_slow_makes_no_pattern_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.test_patterns.seconds_of", lambda found, line, measure=seconds_of: 1000 * measure(found, line)
    )
    assert list(slow_lines(Found("of", re.compile("of"), frozenset({"search"})))) == []


@pytest.mark.parametrize("expression", ["(?!)", *QUADRATIC])
def test_a_slow_pattern_is_found_behind_words_that_take_long(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On half of the line length, in a quarter of the time."""
    monkeypatch.setattr("tests.test_patterns.LINE_CHARS", LINE_CHARS // 2)
    monkeypatch.setattr("tests.test_patterns.SEARCH_S", SEARCH_S / 4)
    pattern = re.compile(rf"\b(?i:{WORDS.replace(' ', '|')})\b!!|{expression}")
    slow = next(slow_lines(Found(expression, pattern, frozenset({"search"}))), None)
    assert bool(slow) == (expression in QUADRATIC)
