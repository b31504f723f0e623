"""The parent's side of reading files and rendering pages in a limited child (U3). Every end has a reason code."""

import json
import os
import selectors
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal, cast

from reading.heavier import PageToRead
from reading.language import name_language
from reading.limits import MIB, Limits
from reading.processes.child import EXIT_OF_ERROR, EXIT_OF_MEMORY
from reading.processes.forked import OUTSIDE_SIGNALS
from reading.processes.starting import NoServer, NotEnded, start_reader
from reading.processes.transfer import ATTACHED_NAMES, ChildMessage, decode_reading
from reading.reasons import REASONS, ReadingError, refusal
from reading.recognition import limits_of_recognition
from reading.rows import ContentsSource, Reading

FileKind = Literal["pdf", "markdown", "text"]
OnProgress = Callable[[int, int], None]
TICK_S = 0.25
STDERR_TAIL = 2_000
# How a person, a service manager or an out-of-memory kernel ends a process. Other signals are the file's doing.


def read_in_child(
    path: Path,
    *,
    kind: FileKind = "pdf",
    limits: Limits | None = None,
    on_progress: OnProgress | None = None,
    recognised: Path | None = None,
    within: Path | None = None,
    contents_source: ContentsSource = "automatic",
) -> Reading:
    """Read a file in a child process and name its language. Raises ReadingError.

    The folder `recognised` has the text of pages of a PDF without their own, see `recognition`; the result is written
    `within` a folder of the caller's, or in a temporary one. `contents_source` is where the contents of a PDF are to be
    taken from.

    Exceptions of `on_progress(page, of)` stop the child and are passed on. It is also called about every second
    while no page ends, with the last known page (0 of 0 at first), so that a lease can be renewed.
    """
    limits = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="docintel-read-", dir=within) as folder:
        out_path = Path(folder) / "reading.json"
        job, more = ("read", [str(recognised or folder), contents_source]) if kind == "pdf" else (kind, [])
        run_child(job, path, out_path, limits, on_progress, more=more)
        try:
            reading = decode_reading(json.loads(out_path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise refusal("parse_crash", f"no usable result: {error!r}") from error
    return name_language(reading)


def unlock_in_child(path: Path, out_path: Path, password: str, limits: Limits, on_progress: OnProgress) -> None:
    """Write a locked PDF without its password to `out_path`; the child is told it by a pipe. Raises ReadingError."""
    run_child("unlock", path, out_path, limits, on_progress, said=password.encode())
    if not out_path.exists():
        raise refusal("parse_crash", "no unlocked file")


def take_attached_in_child(path: Path, folder: Path, limits: Limits) -> list[tuple[str, Path]]:
    """Write the PDFs attached to a PDF into a folder; return the name and path of each. Raises ReadingError."""
    run_child("attached", path, folder, limits)
    try:
        names = json.loads((folder / ATTACHED_NAMES).read_bytes())
        return [(str(name), folder / Path(file).name) for file, name in names.items() if (folder / file).is_file()]
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise refusal("parse_crash", f"no usable list: {error!r}") from error


def recognise_in_child(path: Path, folder: Path, limits: Limits, on_progress: OnProgress) -> int:
    """Recognise the next pages without text into `folder`; return how many are left. Raises ReadingError."""
    limits = limits_of_recognition(limits)
    folder.mkdir(parents=True, exist_ok=True)
    done = total = 0

    def follow(page: int, of: int) -> None:
        nonlocal done, total
        done, total = page, of
        on_progress(page, of)

    run_child("recognise", path, folder, limits, follow)
    return total - done


def read_again_in_child(
    path: Path, folder: Path, wanted: Sequence[PageToRead], limits: Limits, on_progress: OnProgress
) -> None:
    """Read pages by heavier methods into `folder`, see `heavier`. Raises ReadingError."""
    limits = limits_of_recognition(limits)
    folder.mkdir(parents=True, exist_ok=True)
    run_child("again", path, folder, limits, on_progress, more=[json.dumps(wanted)])


def render_in_child(path: Path, page_number: int, dpi: int, out_path: Path, limits: Limits | None = None) -> None:
    """Write one page as WebP to `out_path`, whole or not at all. Raises ReadingError."""
    limits = limits or Limits()
    with tempfile.TemporaryDirectory(prefix=".render-", dir=out_path.parent) as folder:
        image_path = Path(folder) / "page.webp"
        run_child("render", path, image_path, limits.for_render(), more=[str(page_number), str(dpi)])
        try:
            image_path.replace(out_path)
        except OSError as error:
            raise refusal("parse_crash", f"no image: {error!r}") from error


def isolation_in_force() -> list[str]:
    """What shuts a child of this process in, as it found by trying; see `jail.PARTS`. Raises ReadingError."""
    with tempfile.TemporaryDirectory(prefix="docintel-read-") as folder:
        out_path = Path(folder) / "isolation.json"
        run_child("isolation", Path(os.devnull), out_path, Limits().for_render())
        in_force: list[str] = json.loads(out_path.read_bytes())
    return in_force


def run_child(
    job: str,
    path: Path,
    out_path: Path,
    limits: Limits,
    on_progress: OnProgress | None = None,
    *,
    more: Sequence[str] = (),
    said: bytes = b"",
) -> None:
    """Run one job to its end or to a limit; the child reads `said` on its standard input. Raises ReadingError."""
    arguments = [job, str(path), str(out_path), json.dumps(asdict(limits)), *more]
    deadline = time.monotonic() + limits.wall_s
    oom_kills_before = oom_kills()
    try:
        with tempfile.TemporaryFile() as errors, start_reader(arguments, errors, said, limits.wall_s) as child:
            answer = listen(child.output, deadline, on_progress)
            if answer == "timeout":
                raise refusal("parse_timeout", "wall clock", seconds=limits.wall_s)
            if isinstance(answer, dict):
                raise ReadingError(answer["code"], answer["message"], answer["detail"])
            exit_code, cpu_used_s = child.wait(deadline)
            if exit_code:
                errors.seek(max(0, errors.seek(0, os.SEEK_END) - STDERR_TAIL))
                told = errors.read().decode(errors="replace")
                if killed := oom_kills() - oom_kills_before:
                    told += f" (meanwhile the kernel killed {killed} processes of this machine for lack of memory)"
                raise refused_exit(exit_code, told, limits, cpu_used_s)
    except NotEnded as error:
        raise refusal("parse_timeout", "it closed its output and went on", seconds=limits.wall_s) from error
    except NoServer as error:
        raise refusal("parse_killed", str(error)) from error


def listen(output: int, deadline: float, on_progress: OnProgress | None) -> dict[str, str] | str | None:
    """Pass progress on until the child closes its output; return None, its error, or "timeout"."""
    page = of = 0
    told_at = time.monotonic()
    buffer = b""
    error: dict[str, str] | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            if time.monotonic() > deadline:
                return "timeout"
            has_news = False
            if selector.select(TICK_S):
                read = os.read(output, 65_536)
                if not read:
                    return error
                *messages, buffer = (buffer + read).split(b"\n")
                for message in map(parse_message, messages):
                    error = message.get("error", error)
                    has_news |= "page" in message
                    page, of = message.get("page", page), message.get("of", of)
            if on_progress and (has_news or time.monotonic() - told_at > 1.0):
                on_progress(page, of)
                told_at = time.monotonic()


def parse_message(message: bytes) -> ChildMessage:
    """One line of the child's output; {} if it is not a valid message."""
    try:
        values = json.loads(message)
    except ValueError:
        return {}
    if not isinstance(values, dict):
        return {}
    error = values.get("error")
    if error is not None and not (isinstance(error, dict) and error.get("code") in REASONS):
        return {}
    return cast("ChildMessage", values)


def oom_kills() -> int:
    """How many processes the kernel has killed for lack of memory since boot; 0 where it does not say."""
    try:
        counts = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    except OSError:
        return 0
    return int(counts.get("oom_kill", 0))


def refused_exit(exit_code: int, errors: str, limits: Limits, cpu_used_s: float = 0) -> ReadingError:
    """The reason for an exit code: a limit, the file, an outside signal, or a failure of ours."""
    is_outside = -exit_code in OUTSIDE_SIGNALS
    # The hard CPU limit kills with the same signal as anybody else, if the soft limit's was ignored.
    if exit_code == -signal.SIGXCPU or (is_outside and cpu_used_s >= limits.cpu_s):
        return refusal("parse_timeout", "processor time", seconds=limits.cpu_s)
    if exit_code == EXIT_OF_MEMORY or "MemoryError" in errors or "bad_alloc" in errors:
        return refusal("parse_memory", errors, memory_mb=limits.memory_bytes // MIB)
    if is_outside:
        return refusal("parse_killed", f"{signal.Signals(-exit_code).name}: {errors}")
    if exit_code < 0:
        return refusal("parse_crash", f"{signal.Signals(-exit_code).name}: {errors}")
    if exit_code == EXIT_OF_ERROR:
        return refusal("parse_crash", f"no reason given: {errors}")
    return refusal("internal", f"exit {exit_code}: {errors}")
