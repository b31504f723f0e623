"""bin/test inside the environment: checks, tests one by one, drills, and beside the last two types and all other tests.

Tests one by one and drills wait for much of their time; what runs beside them takes what they leave of the processors.
Each stage is printed with its time. What failed of the tests, and drills that were only late, run once more, alone.
What passes then was starved by the machine, what fails again is broken. The names of both are the last lines.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path

from launch.failures import MOST_STARVED, by_cause, late_drills, read_failures, tell_failures

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted(str(path) for path in (ROOT / "templates").rglob("*.html"))
PYTHON = [sys.executable, "-m"]
PYTEST = [*PYTHON, "pytest"]
TESTS_FAILED, NO_TESTS = 1, 5  # pytest.ExitCode; with any other than these and 0 pytest itself could not go on
AGAIN = 25  # causes that are looked at once more; where there are more, it is not the machine
TOLD = "survives.json"  # in the folder of reports
REPORTS = "TEST_REPORTS"  # in the environment: the folder where a test leaves what explains its failure
STARTED = "installations"  # in that folder: the home of each installation that was started, a line each time

CHECKS = {
    "ruff check": [*PYTHON, "ruff", "check", "."],
    "ruff format": [*PYTHON, "ruff", "format", "--check", "."],
    # A program beside Python, not a module.
    "djade": [str(Path(sys.executable).with_name("djade")), "--check", "--target-version", "5.2", *TEMPLATES],
    "check --deploy": [*PYTHON, "launch.check_deploy"],
}
TYPES = [*PYTHON, "mypy", "."]
ONE_BY_ONE, SIDE_BY_SIDE = "tests one by one", "tests side by side"
TESTS = {
    ONE_BY_ONE: ["-m", "whole or clock", "-n", "0"],
    # All tests of a file run in one worker: what a file makes once it makes once. The workers share one PostgreSQL,
    # which takes a hundred connections, and a container may see many more processors than it is given.
    SIDE_BY_SIDE: ["-m", "not whole and not clock", "-n", "auto", "--maxprocesses", "8", "--dist", "loadfile"],
}
DRILLS = [*PYTHON, "benchmarks", "survives", "--short"]
NICENESS = 5  # of what runs beside, above our own: a quarter of a processor where another process wants it
LEAST = 19  # the niceness of the lowest priority there is
GROUP = Path("/proc/self/autogroup")
BESIDE_S = 900  # how long a test beside may take; 300 s, which the others have, are few for one that is held up
GRACE_S = 60.0  # for what runs beside and is interrupted: its servers have to stop
Begin = Callable[[str, list[str]], "Future[int]"]


def main(arguments: list[str]) -> int:
    """Run every stage even after one fails, so that one run shows everything; exit 0 only if all passed.

    With arguments, which go to pytest, only what they name.
    """
    if arguments:
        return subprocess.run([*PYTEST, *arguments], check=False).returncode
    reports = Path(tempfile.mkdtemp(prefix="docintel-reports-"))
    os.environ[REPORTS] = str(reports)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each of some hundred processes would compile the product anew
    failed = [name for name, command in CHECKS.items() if run_stage(name, command)]
    with in_background() as begin:
        types = begin("mypy", TYPES)
        lines = run_tests(reports, failed, begin)
    if types.result():
        failed.append("mypy")
    print(tell_starts(reports / STARTED), flush=True)
    if failed:
        print(f"Reports of the tests: {reports}", *lines, f"Failed: {', '.join(failed)}.", sep="\n")
        return 1
    if lines:
        lines.insert(0, f"Reports of the tests: {reports}")
    else:
        shutil.rmtree(reports)
    print(*lines, "Everything passed.", sep="\n")
    return 0


def run_tests(reports: Path, failed: list[str], begin: Begin) -> list[str]:
    """Run tests and drills, and what failed once more; the lines about those. `failed` gets the names of broken stages.

    It is "pytest" for tests and "survives" for drills.
    """
    commands = {name: pytest_command(name, arguments, reports) for name, arguments in TESTS.items()}
    commands[ONE_BY_ONE] += files_one_by_one(ROOT / "tests" / "order.toml")
    beside = begin(SIDE_BY_SIDE, [*commands[SIDE_BY_SIDE], f"--timeout={BESIDE_S}"])
    status = {ONE_BY_ONE: run_stage(ONE_BY_ONE, commands[ONE_BY_ONE])}
    drills = run_stage("survives", [*DRILLS, "--out", str(reports / TOLD)])
    status[SIDE_BY_SIDE] = beside.result()
    found = {name: read_failures(reports / f"{name}.jsonl") for name in TESTS}
    first = found[SIDE_BY_SIDE] | found[ONE_BY_ONE]
    late = run_late_drills(reports, failed) if drills else {}
    # A stage that could not go on, or failed without a name.
    is_cut = any(
        code not in (0, TESTS_FAILED, NO_TESTS) or (code == TESTS_FAILED and not found[name])
        for name, code in status.items()
    )
    if is_cut or len(by_cause(first)) > AGAIN:
        failed.append("pytest")
        return list(tell_failures(first, {}))
    broken = run_again(first, reports)
    starved = {name: error for name, error in (first | late).items() if name not in broken}
    if broken or len(by_cause(starved)) > MOST_STARVED:
        failed.append("pytest")
    return list(tell_failures(broken, starved))


def run_again(first: dict[str, str], reports: Path) -> dict[str, str]:
    """Those of the failed tests that fail once more alone."""
    if not first:
        return {}
    name = "failed, alone"
    status = run_stage(name, pytest_command(name, ["-n", "0", *first], reports))
    second = read_failures(reports / f"{name}.jsonl")
    return second if second or not status else first


def run_late_drills(reports: Path, failed: list[str]) -> dict[str, str]:
    """Run the drills that were late once more; which of them were in time then, with what was measured first.

    A drill that lost or doubled anything has failed: no machine is an excuse for that.
    """
    late = late_drills(reports / TOLD)
    parts = sorted({name.partition(" ")[0] for name in late})
    if not late or run_stage("late drills, alone", [*DRILLS, "--part", *parts]):
        failed.append("survives")
        return {}
    return late


def files_one_by_one(order: Path) -> list[str]:
    """The files whose tests run one by one: to read all others takes long. A test holds that none is missing."""
    return list(tomllib.loads(order.read_text(encoding="utf-8"))["seconds"]) if order.exists() else []


def tell_starts(told: Path) -> str:
    """How often bin/run was started by tests and drills: each time some ten processes and two servers."""
    homes = told.read_text(encoding="utf-8").split() if told.exists() else []
    return f"Installations: {len({*homes})}, started {len(homes)} times."


def pytest_command(name: str, arguments: list[str], reports: Path) -> list[str]:
    """pytest with its reports, which are called as the stage is."""
    # With "=": pytest would take a path of its own for one to collect from, and find no pyproject.toml there.
    files = [f"--junitxml={reports / name}.xml", f"--report-log={reports / name}.jsonl"]
    return [*PYTEST, "--durations=25", *files, *arguments]


def run_stage(name: str, command: list[str]) -> int:
    """Run one command and print its time; its exit status."""
    print(f"== {name}", flush=True)
    began = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, env=os.environ, check=False).returncode
    print(f"== {name}: {'failed' if status else 'passed'} in {time.monotonic() - began:.0f} s", flush=True)
    return status


@contextmanager
def in_background() -> Iterator[Begin]:
    """What begins a command that runs beside the stages, after those begun before it, and gives its exit status.

    All have ended after the block; where it fails, they are interrupted, and killed if they do not end by that.
    """
    running: list[subprocess.Popen[str]] = []
    begun: list[Future[int]] = []

    def begin(name: str, command: list[str]) -> Future[int]:
        begun.append(beside.submit(run_silently, name, command, running))
        return begun[-1]

    with ThreadPoolExecutor(max_workers=1) as beside:
        try:
            yield begin
        except BaseException:
            beside.shutdown(wait=False, cancel_futures=True)
            for number in (signal.SIGINT, signal.SIGKILL):
                for process in running:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
                wait([each for each in begun if not each.cancelled()], timeout=GRACE_S)
            raise


def run_silently(name: str, command: list[str], running: list[subprocess.Popen[str]]) -> int:
    """Run one command at a low priority and print all it said with its time once it has ended; its exit status."""
    began = time.monotonic()
    with subprocess.Popen(
        lower_priority(command),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        running.append(process)
        said, _ = process.communicate()
        running.remove(process)
    told = f"{'failed' if process.returncode else 'passed'} in {time.monotonic() - began:.0f} s"
    print(f"\n== {name}\n{said}== {name}: {told}", flush=True)
    return process.returncode


def lower_priority(command: list[str]) -> list[str]:
    """The command for a session of its own, and all it starts, at a low priority.

    Linux shares out the processors between sessions first (sched(7), autogroup), where the kernel is made so.
    """
    script = f'(echo {min(LEAST, niceness_of(GROUP) + NICENESS)} >{GROUP}) 2>/dev/null; exec nice -n {NICENESS} "$@"'
    return ["sh", "-c", script, "sh", *command]


def niceness_of(group: Path) -> int:
    """The niceness of a session's processes together, from "/autogroup-7 nice 0"; 0 where nothing is told.

    The file is empty for processes that are in no such group: those of some containers.
    """
    words = group.read_text(encoding="ascii").split() if group.exists() else []
    return int(words[-1]) if words else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what runs beside ends too
    sys.exit(main(sys.argv[1:]))
