"""Which stage of bin/test a test belongs to, read from what it uses: its own code, its fixtures, the helpers of both.

`whole` starts a server, a worker, an installation or a browser; `clock` sleeps, watches time or kills. Both run one by
one, in the order of order.toml; all others run side by side. A program that a test waits for is neither.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

# What a test says that starts something which runs beside it, or that depends on time.
WORDS = {
    "whole": frozenset({"Popen", "ensure", "fork", "sync_playwright"}),
    "clock": frozenset(
        {"sleep", "wait_for_timeout", "monotonic", "perf_counter", "process_time", "Timer"}
        | {"kill", "killpg", "raise_signal", "send_signal", "terminate"}
    ),
}
# Servers that tests script within their own process: what these do in their threads, no test waits for by the clock.
SCRIPTED = ("scripted_llm.py", "stamp_authority.py", "rerank_server.py")
ROOT = Path(__file__).resolve().parent.parent
MARKED = pytest.StashKey[dict[Path, bool]]()  # of each file that was collected, whether any of its tests is marked
ORDER = Path(__file__).with_name("order.toml")


def marks_of(item: pytest.Item) -> set[str]:
    """The names of the marks of a test."""
    fixtures = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009 - pytest tells it nowhere else
    used = [getattr(item, "function", None), *(found[-1].func for found in fixtures.values())]
    return {mark for each in used for mark in marks_of_one(unwrap(each) if callable(each) else each)}


@cache
def marks_of_one(used: Any) -> frozenset[str]:
    """The marks of what uses this function, fixture or class."""
    said = {word for each in _reached(used, set()) for word in _names(each.__code__)}
    return frozenset(mark for mark, words in WORDS.items() if words & said)


def _reached(used: Any, seen: set[Any]) -> Iterator[FunctionType]:
    """The functions of tests that this one calls, or that a class has, itself included."""
    if isinstance(used, type):
        for each in vars(used).values():
            yield from _reached(getattr(each, "__func__", each), seen)
        return
    used = unwrap(used) if callable(used) else used
    if not isinstance(used, FunctionType) or used in seen or not _is_of_tests(used.__code__.co_filename):
        return
    seen.add(used)
    yield used
    for name in _names(used.__code__):
        found = used.__globals__.get(name)
        if isinstance(found, type | FunctionType) and found not in seen:
            yield from _reached(found, seen)


def _names(code: CodeType) -> Iterator[str]:
    """The names and attributes in a function and in those within it."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


@cache
def _is_of_tests(file: str) -> bool:
    path = Path(file)
    if path.name in SCRIPTED:
        return False
    return ROOT in path.parents and ("tests" in path.parts or path.name == "conftest.py")


def mark(items: list[pytest.Item]) -> None:
    """Put the marks on all tests, before pytest leaves any out."""
    for item in items:
        found = marks_of(item)
        for name in found:
            item.add_marker(name)
        marked = item.config.stash.setdefault(MARKED, {})
        marked[item.path] = bool(found) or marked.get(item.path, False)


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """Marked tests after all others, their files as order.toml has them; what it does not name comes last.

    pytest-django sorts once more, and keeps this order within: what uses the database goes first.
    """
    order = read_order()
    return sorted(items, key=lambda item: place_of(item, order))


def read_order() -> dict[str, int]:
    """The place of each file that is named."""
    return {name: place for place, name in enumerate(tomllib.loads(ORDER.read_text(encoding="utf-8"))["seconds"])}


def place_of(item: pytest.Item, order: dict[str, int]) -> int:
    """-1 for a test without a mark."""
    is_marked = any(item.get_closest_marker(mark) for mark in WORDS)
    return order.get(item.nodeid.partition("::")[0], len(order)) if is_marked else -1
