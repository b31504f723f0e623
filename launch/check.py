"""bin/test inside the environment: lint, format, types, drills, tests; pytest's summary comes last."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted(str(path) for path in (ROOT / "templates").rglob("*.html"))
PYTHON = [sys.executable, "-m"]

CHECKS = {
    "ruff check": [*PYTHON, "ruff", "check", "."],
    "ruff format": [*PYTHON, "ruff", "format", "--check", "."],
    # A program beside Python, not a module.
    "djade": [str(Path(sys.executable).with_name("djade")), "--check", "--target-version", "5.2", *TEMPLATES],
    "check --deploy": [*PYTHON, "launch.check_deploy"],
    "mypy": [*PYTHON, "mypy", "."],
    # By itself: it kills processes and measures how soon their work comes back.
    "survives": [*PYTHON, "benchmarks", "survives", "--short"],
    # All tests of a file run in one worker: some files start bin/run once for all their tests.
    "pytest": [*PYTHON, "pytest", "-n", "auto", "--dist", "loadfile"],
}


def main(arguments: list[str]) -> int:
    """Run every check even after one fails, so that one run shows everything; exit 0 only if all passed."""
    failed = []
    for name, command in CHECKS.items():
        print(f"== {name}", flush=True)
        more = arguments if name == "pytest" else []
        if subprocess.run([*command, *more], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"Failed: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
