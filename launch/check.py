"""bin/test inside the environment: lint, format, types, drills, tests, each with its time.

What failed of the tests runs once more, alone. A test that passes then was starved by the machine, one that fails again
is broken. The names of both are the last lines.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from launch.failures import MOST_STARVED, read_failures, tell_failures

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted(str(path) for path in (ROOT / "templates").rglob("*.html"))
PYTHON = [sys.executable, "-m"]
PYTEST = [*PYTHON, "pytest"]
TESTS_FAILED = 1  # pytest.ExitCode; with any other pytest itself could not go on
AGAIN = 25  # tests that are looked at once more; where more fail, it is not the machine

CHECKS = {
    "ruff check": [*PYTHON, "ruff", "check", "."],
    "ruff format": [*PYTHON, "ruff", "format", "--check", "."],
    # A program beside Python, not a module.
    "djade": [str(Path(sys.executable).with_name("djade")), "--check", "--target-version", "5.2", *TEMPLATES],
    "check --deploy": [*PYTHON, "launch.check_deploy"],
    "mypy": [*PYTHON, "mypy", "."],
    # By itself: it kills processes and measures how soon their work comes back.
    "survives": [*PYTHON, "benchmarks", "survives", "--short"],
}
# All tests of a file run in one worker: some files start bin/run once for all their tests.
IN_PARALLEL = ["-n", "auto", "--dist", "loadfile"]


def main(arguments: list[str]) -> int:
    """Run every check even after one fails, so that one run shows everything; exit 0 only if all passed.

    With arguments, which go to pytest, only what they name.
    """
    if arguments:
        return subprocess.run([*PYTEST, *arguments], check=False).returncode
    failed = [name for name, command in CHECKS.items() if run_stage(name, command)]
    reports = Path(tempfile.mkdtemp(prefix="docintel-reports-"))
    lines = run_tests(reports, failed)
    if failed:
        print(f"Reports of the tests: {reports}", *lines, f"Failed: {', '.join(failed)}.", sep="\n")
        return 1
    shutil.rmtree(reports)
    print(*lines, "Everything passed.", sep="\n")
    return 0


def run_tests(reports: Path, failed: list[str]) -> list[str]:
    """Run all tests, and what failed once more; the lines about those, and `failed` gets "pytest" if any is broken."""
    status = run_pytest("pytest", IN_PARALLEL, reports)
    first = read_failures(reports / "pytest.jsonl")
    if not status:
        return []
    if status != TESTS_FAILED or not first or len(first) > AGAIN:
        failed.append("pytest")
        return list(tell_failures(first, {}))
    again = run_pytest("failed, alone", [*first], reports)
    second = read_failures(reports / "failed, alone.jsonl")
    broken = second if second or not again else first
    starved = {name: error for name, error in first.items() if name not in broken}
    if broken or len(starved) > MOST_STARVED:
        failed.append("pytest")
    return list(tell_failures(broken, starved))


def run_pytest(name: str, arguments: list[str], reports: Path) -> int:
    """pytest's exit status; its reports are called as the stage is."""
    files = ["--junitxml", str(reports / f"{name}.xml"), "--report-log", str(reports / f"{name}.jsonl")]
    return run_stage(name, [*PYTEST, "--durations=25", *files, *arguments])


def run_stage(name: str, command: list[str]) -> int:
    """Run one command and print its time; its exit status."""
    print(f"== {name}", flush=True)
    began = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, env=os.environ, check=False).returncode
    print(f"== {name}: {'failed' if status else 'passed'} in {time.monotonic() - began:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
