"""bin/test inside the environment: checks, tests side by side, tests one by one, drills; each stage with its time.

What failed of the tests, and drills that were only late, run once more, alone. What passes then was starved by the
machine, what fails again is broken. The names of both are the last lines.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from launch.failures import MOST_STARVED, late_drills, read_failures, tell_failures

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted(str(path) for path in (ROOT / "templates").rglob("*.html"))
PYTHON = [sys.executable, "-m"]
PYTEST = [*PYTHON, "pytest"]
TESTS_FAILED, NO_TESTS = 1, 5  # pytest.ExitCode; with any other than these and 0 pytest itself could not go on
AGAIN = 25  # tests that are looked at once more; where more fail, it is not the machine
REPORTS = "TEST_REPORTS"  # in the environment: the folder where a test leaves what explains its failure

CHECKS = {
    "ruff check": [*PYTHON, "ruff", "check", "."],
    "ruff format": [*PYTHON, "ruff", "format", "--check", "."],
    # A program beside Python, not a module.
    "djade": [str(Path(sys.executable).with_name("djade")), "--check", "--target-version", "5.2", *TEMPLATES],
    "check --deploy": [*PYTHON, "launch.check_deploy"],
}
TYPES = [*PYTHON, "mypy", "."]  # a minute on one core: beside the first tests, or the others would idle
TESTS = {
    # All tests of a file run in one worker: what a file makes once it makes once.
    "tests side by side": ["-m", "not whole and not clock", "-n", "auto", "--dist", "loadfile"],
    "tests one by one": ["-m", "whole or clock", "-n", "0"],
}
DRILLS = [*PYTHON, "benchmarks", "survives", "--short"]


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
    with ThreadPoolExecutor() as beside:
        types = beside.submit(run_silently, "mypy", TYPES)
        lines = run_tests(reports, failed)
    if types.result():
        failed.append("mypy")
    if failed:
        print(f"Reports of the tests: {reports}", *lines, f"Failed: {', '.join(failed)}.", sep="\n")
        return 1
    shutil.rmtree(reports)
    print(*lines, "Everything passed.", sep="\n")
    return 0


def run_tests(reports: Path, failed: list[str]) -> list[str]:
    """Run tests and drills, and what failed once more; the lines about those. `failed` gets the names of broken stages.

    It is "pytest" for tests and "survives" for drills.
    """
    first: dict[str, str] = {}
    is_cut = False  # a stage could not go on, or failed without a name
    for name, arguments in TESTS.items():
        status, found = run_pytest(name, arguments, reports)
        is_cut |= status not in (0, TESTS_FAILED, NO_TESTS) or (status == TESTS_FAILED and not found)
        first |= found
    late = run_drills(reports, failed)
    if is_cut or len(first) > AGAIN:
        failed.append("pytest")
        return list(tell_failures(first, {}))
    broken = run_again(first, reports)
    starved = {name: error for name, error in (first | late).items() if name not in broken}
    if broken or len(starved) > MOST_STARVED:
        failed.append("pytest")
    return list(tell_failures(broken, starved))


def run_again(first: dict[str, str], reports: Path) -> dict[str, str]:
    """Those of the failed tests that fail once more alone."""
    if not first:
        return {}
    status, second = run_pytest("failed, alone", ["-n", "0", *first], reports)
    return second if second or not status else first


def run_drills(reports: Path, failed: list[str]) -> dict[str, str]:
    """Run the drills, and those that were late once more; which of them were in time then, with what was measured.

    A drill that lost or doubled anything has failed: no machine is an excuse for that.
    """
    told = reports / "survives.json"
    if not run_stage("survives", [*DRILLS, "--out", str(told)]):
        return {}
    late = late_drills(told)
    parts = sorted({name.partition(" ")[0] for name in late})
    if not late or run_stage("late drills, alone", [*DRILLS, "--part", *parts]):
        failed.append("survives")
        return {}
    return late


def run_pytest(name: str, arguments: list[str], reports: Path) -> tuple[int, dict[str, str]]:
    """pytest's exit status, and what failed with the first line of its error; reports are called as the stage is."""
    report = reports / f"{name}.jsonl"
    # With "=": pytest would take a path of its own for one to collect from, and find no pyproject.toml there.
    files = [f"--junitxml={reports / name}.xml", f"--report-log={report}"]
    status = run_stage(name, [*PYTEST, "--durations=25", *files, *arguments])
    return status, read_failures(report)


def run_stage(name: str, command: list[str]) -> int:
    """Run one command and print its time; its exit status."""
    print(f"== {name}", flush=True)
    began = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, env=os.environ, check=False).returncode
    print(f"== {name}: {'failed' if status else 'passed'} in {time.monotonic() - began:.0f} s", flush=True)
    return status


def run_silently(name: str, command: list[str]) -> int:
    """Run one command beside another and print all it said with its time once it has ended; its exit status."""
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    told = f"{'failed' if done.returncode else 'passed'} in {time.monotonic() - began:.0f} s"
    print(f"\n== {name}\n{done.stdout}== {name}: {told}", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
