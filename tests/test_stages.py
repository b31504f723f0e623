"""A test that starts or kills anything, or watches the clock, is marked for it: those run one by one."""

import ast
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import stages
from tests.running import ROOT, Running, manage, started
from tests.scripted_llm import ScriptedLLM


def calls_nothing() -> None:
    assert os.getpid()


def waits_for_a_program() -> None:
    subprocess.run(["true"], check=True)
    manage({}, "check")


def sleeps() -> None:
    time.sleep(1)


def calls_who_sleeps() -> None:
    sleeps()


def has_one_within() -> Callable[[], float]:
    return lambda: time.monotonic()


def starts_an_installation(tmp_path: Path) -> None:
    with started(tmp_path):
        pass


def asks_a_scripted_server() -> None:
    with ScriptedLLM("good"):
        pass


class Kills:
    def now(self) -> None:
        os.kill(os.getpid(), 9)


def has_a_class() -> None:
    Kills().now()


@pytest.mark.parametrize(
    ("used", "marks"),
    [
        (calls_nothing, set()),
        (waits_for_a_program, set()),
        (asks_a_scripted_server, set()),
        (sleeps, {"clock"}),
        (calls_who_sleeps, {"clock"}),
        (has_one_within, {"clock"}),
        (has_a_class, {"clock"}),
        (starts_an_installation, {"clock", "whole"}),
        (Running, {"clock", "whole"}),
    ],
)
def test_what_a_test_uses_says_its_stage(used: object, marks: set[str]) -> None:
    assert stages.marks_of_one(used) == marks


def test_a_file_that_starts_a_process_or_sleeps_has_a_mark(request: pytest.FixtureRequest) -> None:
    """Of all files that were collected: in a whole run that is every one."""
    marked = request.config.stash[stages.MARKED]
    words = frozenset.union(*stages.WORDS.values())
    assert [path for path in marked if path != Path(__file__) and said(path) & words and not marked[path]] == []


def said(path: Path) -> set[str]:
    """The names in a source; those within the texts of programs are not among them."""
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {getattr(node, "id", "") or getattr(node, "attr", "") for node in found}


def test_the_order_names_just_the_files_with_a_mark(request: pytest.FixtureRequest) -> None:
    """Of all files that were collected: in a whole run that is every one."""
    marked = {str(path.relative_to(ROOT)): has_one for path, has_one in request.config.stash[stages.MARKED].items()}
    named = stages.read_order()
    assert [name for name, has_one in marked.items() if has_one is not (name in named)] == []


def test_the_order_names_files_that_are_there() -> None:
    assert [name for name in stages.read_order() if not (ROOT / name).exists()] == []


def test_marked_tests_come_last_and_in_the_order_of_the_file() -> None:
    first, *_, last = stages.read_order()
    told = ["tests/test_unknown.py::test_marked", f"{last}::test_marked", f"{first}::test_marked", f"{last}::test_pure"]
    items: Any = [Item(each) for each in told]
    assert [item.nodeid for item in stages.in_order(items)] == told[::-1]


class Item(NamedTuple):
    """As much of one as decides on its place."""

    nodeid: str

    def get_closest_marker(self, name: str) -> bool:
        return name == "clock" and self.nodeid.endswith("marked")
