"""No test asserts that something was fast, or waits briefly: a machine that stands still for a while fails none."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.product import APPS, ROOT

FOLDERS = (*APPS, "benchmarks", "samples")
WALL_CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns", "now", "utcnow"}
WAITS = {"communicate", "join", "result", "wait"}
# Shorter than LONG_S a machine may stand still; below MOMENT_S one waits for what must not come.
MOMENT_S, LONG_S = 2, 60
RISING = (ast.Lt, ast.LtE)
FALLING = (ast.Gt, ast.GtE)


class Durations(ast.NodeVisitor):
    """The names in a file that hold, or return, a measured duration."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def are_in(self, node: ast.AST) -> bool:
        return any(self.is_one(part) for part in ast.walk(node))

    def is_one(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name | ast.Attribute):
            return name_of(node) in self.names
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and reads_clock(node.left)

    def visit_Assign(self, node: ast.Assign) -> None:
        if self.are_in(node.value):
            self.names |= {name_of(part) for target in node.targets for part in ast.walk(target)} - {""}
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        is_kept = isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        if is_kept and isinstance(node.func, ast.Attribute) and any(map(self.are_in, node.args)):
            self.names.add(name_of(node.func.value))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        returned = (part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value)
        if any(map(self.are_in, returned)):
            self.names.add(node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef


def name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def reads_clock(node: ast.AST) -> bool:
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(name_of(call) in WALL_CLOCKS for call in calls)


def upper_bounds(source: str) -> Iterator[str]:
    """The comparisons of a test's source that hold only if a measured duration is below something."""
    tree = ast.parse(source)
    durations, known = Durations(), -1
    while known != len(durations.names):  # a function may be called before it is defined
        known = len(durations.names)
        durations.visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, how, right in zip(sides, node.ops, sides[1:], strict=False):
                is_bound = isinstance(how, RISING) and durations.are_in(left)
                if is_bound or (isinstance(how, FALLING) and durations.are_in(right)):
                    yield ast.unparse(node)


def short_waits(source: str) -> Iterator[str]:
    """The calls in a test's source that give up while the machine may still stand."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            given = [keyword.value for keyword in node.keywords if keyword.arg == "timeout"]
            given += node.args[:1] if name_of(node.func) in WAITS else []
            seconds = [each.value for each in given if isinstance(each, ast.Constant)]
            if any(isinstance(each, int | float) and MOMENT_S <= each < LONG_S for each in seconds):
                yield ast.unparse(node)


def endless_meetings(source: str) -> Iterator[str]:
    """The barriers in a test's source at which threads wait for ever when one of them has failed."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and name_of(node.func) == "Barrier":
            given = {keyword.arg for keyword in node.keywords}
            yield from [] if "timeout" in given else [ast.unparse(node)]


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("began = time.monotonic()\nwork()\nassert time.monotonic() - began < 5", True),
        ("assert 5 >= perf_counter() - began", True),
        ("took = time.monotonic() - began\nassert 1 < took < 5", True),
        ("def fail():\n    return error, time.time() - began\nerror, seconds = fail()\nassert seconds < 5", True),
        ("took = []\ntook.append(time.monotonic() - began)\nassert took[0] < 4.5", True),
        ("outcome.told_s = time.monotonic() - began\nassert outcome.told_s < 2", True),
        ("assert abs(timezone.now() - at) < timedelta(minutes=5)", True),
        ("assert time.monotonic() - began >= 1.0", False),
        ("until = time.monotonic() + 60\nassert time.monotonic() < until", False),
        ("assert time.process_time() - began < 5", False),
        ("assert exchange.latency_ms > 550", False),
    ],
)
def test_the_search_finds_bounds_of_measured_time_only(source: str, is_found: bool) -> None:
    assert bool(list(upper_bounds(source))) is is_found


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("other.join(20)", True),
        ("assert server.wait(timeout=10) == 0", True),
        ("requests.get(address, timeout=2.5)", True),
        ("future.result(60)", False),
        ("other.join(1)\nassert said == []", False),
        ("', '.join(names)", False),
    ],
)
def test_the_search_finds_short_waits_only(source: str, is_found: bool) -> None:
    assert bool(list(short_waits(source))) is is_found


@pytest.mark.parametrize(("source", "is_found"), [("Barrier(2)", True), ("threading.Barrier(4, timeout=60)", False)])
def test_the_search_finds_barriers_without_an_end_only(source: str, is_found: bool) -> None:
    assert bool(list(endless_meetings(source))) is is_found


def sources() -> dict[Path, str]:
    files = [ROOT / "conftest.py", *(ROOT / "tests").glob("*.py")]
    for folder in FOLDERS:
        files += [*(ROOT / folder).rglob("tests/*.py"), *(ROOT / folder).rglob("conftest.py")]
    return {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in files}


def test_no_test_asserts_that_something_was_fast() -> None:
    found = [f"{path}: {bound}" for path, source in sources().items() for bound in upper_bounds(source)]
    assert found == [], "assert the outcome, or give the time (test_breaker.py, test_body_limit.py)"


def test_no_test_gives_up_while_the_machine_may_stand_still() -> None:
    found = [f"{path}: {wait}" for path, source in sources().items() for wait in short_waits(source)]
    assert found == [], f"wait {LONG_S} s for what comes; pytest-timeout ends what hangs"


def test_no_thread_of_a_test_waits_for_others_without_an_end() -> None:
    found = [f"{path}: {barrier}" for path, source in sources().items() for barrier in endless_meetings(source)]
    assert found == []
