"""Compile requirements*.in to requirements*.txt: with what ours bring, and the hashes of every file of each release.

Needs `uv` on the PATH (`pip install uv` in an environment of its own). A pin stays until it is changed in the `.in`,
or by an argument, as in `python -m launch.pin --upgrade-package kombu`.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = "requirements.txt"
# What is compiled, with what is particular about it.
FILES = {
    RUNTIME: [],
    "requirements-ocr.txt": [],
    "requirements-dev.txt": [],
    "requirements-bench.txt": [],
    "requirements-train.txt": [],
    "requirements-model.txt": ["--no-deps"],
}
UV = ["uv", "pip", "compile", "--quiet", "--generate-hashes", "--no-header", "--annotation-style", "line"]
# The oldest machine of bin/run; a release's hashes are those of its files for every other as well.
PLATFORM = ["--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28"]
PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==", re.MULTILINE)
INCLUDED = re.compile(r"^-r (requirements[\w-]*)\.(?:in|txt)$", re.MULTILINE)
# A pin for some machines only; `uv` compiles for one and leaves the condition out.
CONDITIONED = re.compile(r"^([\w.-]+==\S+)( ; .*?)\s*(?:#.*)?$", re.MULTILINE)


def pin(arguments: list[str]) -> int:
    """Compile each file; what a file has that another includes is taken from there. The exit code of `uv`."""
    if not shutil.which(UV[0]):
        print(f"{UV[0]} is missing: `pip install {UV[0]}` in an environment of its own puts it there.", file=sys.stderr)
        return 1
    for name, options in FILES.items():
        source, compiled = name.replace(".txt", ".in"), ROOT / name
        included = [f"{each}.txt" for each in INCLUDED.findall((ROOT / source).read_text())]
        without = [f"--no-emit-package={package}" for each in included for package in packages_of(each)]
        without += [f"--constraint={each}" for each in included]
        done = subprocess.run(
            [*UV, *PLATFORM, *options, *arguments, *without, source, "--output-file", name], cwd=ROOT, check=False
        )
        if done.returncode:
            return done.returncode
        includes = "".join(f"-r {each}\n" for each in included)
        made = keep_conditions((ROOT / source).read_text(), compiled.read_text())
        compiled.write_text(f"# Made from {source} by `python -m launch.pin`.\n{includes}{made}")
    return 0


def packages_of(name: str) -> list[str]:
    """The packages of a file of pins, and of those it includes."""
    text = (ROOT / name).read_text()
    included = [package for each in INCLUDED.findall(text) for package in packages_of(f"{each}.txt")]
    return [*PINNED.findall(text), *included]


def keep_conditions(source: str, compiled: str) -> str:
    for pinned, condition in CONDITIONED.findall(source):
        compiled = compiled.replace(f"{pinned} \\\n", f"{pinned}{condition} \\\n")
    return compiled


if __name__ == "__main__":
    sys.exit(pin(sys.argv[1:]))
