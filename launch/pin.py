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
    "requirements-s3.txt": [],
    "requirements-dev.txt": [],
    "requirements-model.txt": ["--no-deps"],
}
UV = ["uv", "pip", "compile", "--quiet", "--generate-hashes", "--no-header", "--annotation-style", "line"]
# The oldest machine of bin/run; a release's hashes are those of its files for every other as well.
PLATFORM = ["--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28"]
PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==", re.MULTILINE)
# A pin for some machines only; `uv` compiles for one and leaves the condition out.
CONDITIONED = re.compile(r"^([\w.-]+==\S+)( ; .*?)\s*(?:#.*)?$", re.MULTILINE)


def pin(arguments: list[str]) -> int:
    """Compile each file; what the runtime's file has is included from it. The exit code of `uv`."""
    if not shutil.which(UV[0]):
        print(f"{UV[0]} is missing: `pip install {UV[0]}` in an environment of its own puts it there.", file=sys.stderr)
        return 1
    for name, options in FILES.items():
        source, compiled = name.replace(".txt", ".in"), ROOT / name
        of_runtime = source != "requirements.in" and "\n-r requirements.in\n" in (ROOT / source).read_text()
        left_out = PINNED.findall((ROOT / RUNTIME).read_text()) if of_runtime else []
        without = [f"--no-emit-package={package}" for package in left_out]
        done = subprocess.run(
            [*UV, *PLATFORM, *options, *arguments, *without, source, "--output-file", name], cwd=ROOT, check=False
        )
        if done.returncode:
            return done.returncode
        included = f"-r {RUNTIME}\n" if of_runtime else ""
        made = keep_conditions((ROOT / source).read_text(), compiled.read_text())
        compiled.write_text(f"# Made from {source} by `python -m launch.pin`.\n{included}{made}")
    return 0


def keep_conditions(source: str, compiled: str) -> str:
    for pinned, condition in CONDITIONED.findall(source):
        compiled = compiled.replace(f"{pinned} \\\n", f"{pinned}{condition} \\\n")
    return compiled


if __name__ == "__main__":
    sys.exit(pin(sys.argv[1:]))
