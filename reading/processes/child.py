"""The process that opens a file: shuts itself in, reads, recognises or renders, and writes the result to a file.

Its arguments are JOB FILE OUT LIMITS_JSON [MORE...]. Jobs:

    read       a PDF to OUT as JSON; MORE: the folder of what was recognised, the source of its contents
    markdown, text                         the same of such a file
    recognise  pages into the folder OUT
    again      pages into the folder OUT; MORE: which, as JSON
    attached   the PDFs attached to a PDF into the folder OUT
    unlock     a PDF to OUT; the password comes on standard input
    render     a page to OUT as WebP; MORE: its number, the dots per inch
    isolation  no FILE: what shuts the process in, to OUT as JSON
"""

import errno
import gc
import json
import os
import resource
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, cast

from reading.limits import Limits
from reading.processes.forked import kill_with_parent
from reading.processes.jail import PARTS, shut_in
from reading.processes.transfer import ChildMessage, encode_reading
from reading.reasons import ReadingError, refusal
from reading.rows import ContentsSource

EXIT_OF_ERROR, EXIT_OF_MEMORY = 3, 4


def main(arguments: Sequence[str], parent_pid: int) -> NoReturn:
    """Confine the process, do the one job, print errors as JSON on standard output."""
    job, path, out_path, limits_json, *rest = arguments
    limits = Limits(**json.loads(limits_json))
    kill_with_parent(parent_pid)
    set_limits(limits)
    in_force = isolate(job, Path(path), Path(out_path), rest)
    if job == "isolation":
        Path(out_path).write_text(json.dumps(in_force), encoding="utf-8")
    elif limits.isolation_required:
        check_isolation(in_force)
    gc.disable()  # one short job without cycles, and garbage collection took a tenth of it
    try:
        do(job, Path(path), Path(out_path), limits, rest)
    except MemoryError:
        os._exit(EXIT_OF_MEMORY)  # nothing that allocates would work any more
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        os._exit(EXIT_OF_MEMORY)  # a result half as large as the memory
    sys.stdout.flush()
    os._exit(0)  # the result is in a file; freeing a million objects one by one is wasted time


def do(job: str, path: Path, out_path: Path, limits: Limits, rest: Sequence[str]) -> None:
    """The one job. Only here is the file opened."""
    try:
        if job == "read":
            read_to_file(path, out_path, limits, Path(rest[0]), cast("ContentsSource", rest[1]))
        elif job in ("markdown", "text"):
            read_text_to_file(job, path, out_path, limits)
        elif job == "recognise":
            recognise_to_folder(path, out_path, limits)
        elif job == "again":
            read_again_to_folder(path, out_path, limits, rest[0])
        elif job == "attached":
            take_attached(path, out_path, limits)
        elif job == "unlock":
            unlock(path, out_path, limits)
        elif job == "render":
            render(path, out_path, limits, int(rest[0]), int(rest[1]))
    except ReadingError as error:
        exit_with_error(error)


# What a job needs is imported in it: the server that this process is a copy of has most of it loaded.


def read_to_file(
    pdf_path: Path, out_path: Path, limits: Limits, recognised: Path, contents_source: ContentsSource
) -> None:
    from reading.pdf_reader import read_pdf

    kept, added, tried = {}, {}, set()
    if next(recognised.glob("*.json"), None):
        from reading.heavier import kept_additions
        from reading.recognition import kept_pages, pages_tried

        kept, added, tried = kept_pages(recognised), kept_additions(recognised), pages_tried(recognised)
    reading = read_pdf(pdf_path, limits, tell_progress, kept, added, tried, contents_source)
    out_path.write_text(encode_reading(reading), encoding="utf-8")


def read_text_to_file(job: str, path: Path, out_path: Path, limits: Limits) -> None:
    from reading.plain_text import read_markdown, read_plain_text

    read = read_markdown if job == "markdown" else read_plain_text
    reading = read(path.read_text(encoding="utf-8-sig"), limits, with_language=False)
    out_path.write_text(encode_reading(reading), encoding="utf-8")


def recognise_to_folder(pdf_path: Path, folder: Path, limits: Limits) -> None:
    from reading import recognition

    recognition.recognise_pages(pdf_path, folder, limits, tell_progress)


def read_again_to_folder(pdf_path: Path, folder: Path, limits: Limits, wanted_json: str) -> None:
    from reading.heavier import PageToRead, read_again

    wanted = [PageToRead(number, method, tuple(map(tuple, boxes))) for number, method, boxes in json.loads(wanted_json)]
    read_again(pdf_path, folder, wanted, limits, tell_progress)


def take_attached(pdf_path: Path, folder: Path, limits: Limits) -> None:
    from reading.pages.attachments import write_attached
    from reading.pdf import open_pdf

    with open_pdf(pdf_path, limits) as document:
        write_attached(document, folder, limits)


def unlock(pdf_path: Path, out_path: Path, limits: Limits) -> None:
    from reading.pdf import write_unlocked

    write_unlocked(pdf_path, out_path, sys.stdin.buffer.read().decode(), limits)


def render(pdf_path: Path, out_path: Path, limits: Limits, page_number: int, dpi: int) -> None:
    from reading.pdf import render_page

    render_page(pdf_path, page_number, dpi, out_path, limits)


def exit_with_error(error: ReadingError) -> None:
    send_message({"error": {"code": error.code, "message": error.message, "detail": error.detail[:2000]}})
    sys.exit(EXIT_OF_ERROR)


def tell_progress(page: int, of: int) -> None:
    send_message({"page": page, "of": of})


def send_message(message: ChildMessage) -> None:
    print(json.dumps(message), flush=True)


# ---- confinement


def set_limits(limits: Limits) -> None:
    """Set what the process may use. A file half as large as its memory is no result."""
    limit(resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 2)
    if sys.platform == "linux":  # macOS refuses to set it
        limit(resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)
    limit(resource.RLIMIT_FSIZE, limits.memory_bytes // 2, limits.memory_bytes // 2)
    limit(resource.RLIMIT_NOFILE, limits.open_files, limits.open_files)
    limit(resource.RLIMIT_CORE, 0, 0)


def isolate(job: str, path: Path, out_path: Path, rest: Sequence[str]) -> list[str]:
    """Leave the process its file and the folder of its result; return the parts of its isolation that are in force."""
    reads = [path, Path(rest[0])] if job == "read" else [path]
    folder = out_path if job in ("recognise", "again", "attached") else out_path.parent
    tempfile.tempdir = str(folder)  # for a library that keeps something for a moment
    return shut_in(reads, [folder])


def check_isolation(in_force: Sequence[str]) -> None:
    """End the process before it opens its file if a part of the isolation is missing."""
    if missing := [part for part in PARTS if part not in in_force]:
        exit_with_error(refusal("not_isolated", f"not to be had here: {', '.join(missing)}"))


def limit(what: int, soft: int, hard: int) -> None:
    """Set a limit, never above the process's hard limit."""
    _, ceiling = resource.getrlimit(what)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(what, (soft, hard))
