"""The process that opens a PDF: sets its own limits, reads, recognises or renders, and writes the result to a file.

usage: python -m reading.processes.child read PDF OUT_JSON LIMITS_JSON PARENT_PID RECOGNISED_FOLDER
       python -m reading.processes.child recognise PDF FOLDER LIMITS_JSON PARENT_PID
       python -m reading.processes.child render PDF OUT_WEBP LIMITS_JSON PARENT_PID PAGE DPI
"""

import ctypes
import gc
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any, NoReturn

from reading.processes.forked import die_with

PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWNET, CLONE_NEWUSER = 0x40000000, 0x10000000
EXIT_OF_ERROR, EXIT_OF_MEMORY = 3, 4


def main(arguments: list[str]) -> NoReturn:
    """Confine the process, do the one job, print errors as JSON on standard output."""
    job, pdf_path, out_path, limits_json, parent_pid, *rest = arguments
    limits = json.loads(limits_json)
    confine(limits, int(parent_pid), is_render=job == "render")
    gc.disable()  # one short job without cycles, and garbage collection took a tenth of it
    try:
        if job == "read":
            read_to_file(Path(pdf_path), Path(out_path), limits, Path(rest[0]))
        elif job == "recognise":
            recognise_to_folder(Path(pdf_path), Path(out_path), limits)
        else:
            render(Path(pdf_path), Path(out_path), limits, int(rest[0]), int(rest[1]))
    except MemoryError:
        os._exit(EXIT_OF_MEMORY)  # nothing that allocates would work any more
    sys.stdout.flush()
    os._exit(0)  # the result is in a file; freeing a million objects one by one is wasted time


def read_to_file(pdf_path: Path, out_path: Path, limits: dict[str, Any], recognised: Path) -> None:
    # Imported after the limits are set, so that they apply to the library too.
    from reading.limits import Limits
    from reading.pdf_reader import read_pdf
    from reading.processes.transfer import encode_reading
    from reading.reasons import ReadingError

    kept = {}
    if next(recognised.glob("*.ocr.json"), None):
        from reading.recognition import kept_pages

        kept = kept_pages(recognised)
    try:
        reading = read_pdf(pdf_path, Limits(**limits), lambda page, of: send_message({"page": page, "of": of}), kept)
    except ReadingError as error:
        exit_with_error(error.code, error.message, error.detail)
    out_path.write_text(encode_reading(reading), encoding="utf-8")


def recognise_to_folder(pdf_path: Path, folder: Path, limits: dict[str, Any]) -> None:
    from reading import recognition
    from reading.limits import Limits
    from reading.reasons import ReadingError

    try:
        recognition.recognise_pages(
            pdf_path, folder, Limits(**limits), lambda page, of: send_message({"page": page, "of": of})
        )
    except ReadingError as error:
        exit_with_error(error.code, error.message, error.detail)


def render(pdf_path: Path, out_path: Path, limits: dict[str, Any], page_number: int, dpi: int) -> None:
    from reading.limits import Limits
    from reading.pdf import render_page
    from reading.reasons import ReadingError

    try:
        render_page(pdf_path, page_number, dpi, out_path, Limits(**limits))
    except ReadingError as error:
        exit_with_error(error.code, error.message, error.detail)


def exit_with_error(code: str, message: str, detail: str) -> None:
    send_message({"error": {"code": code, "message": message, "detail": detail[:2000]}})
    sys.exit(EXIT_OF_ERROR)


def send_message(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


# ---- confinement


def confine(limits: dict[str, Any], parent_pid: int, *, is_render: bool) -> None:
    """Die with the parent, drop the network where possible, and set the limits."""
    libc = ctypes.CDLL(None, use_errno=True)
    die_with(parent_pid)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.unshare(CLONE_NEWNET) != 0:
        libc.unshare(CLONE_NEWUSER | CLONE_NEWNET)  # may be forbidden; the reader never uses the network anyway
    cpu_s = limits["render_cpu_s"] if is_render else limits["cpu_s"]
    limit(resource.RLIMIT_CPU, cpu_s, cpu_s + 2)
    limit(resource.RLIMIT_AS, limits["memory_bytes"], limits["memory_bytes"])
    limit(resource.RLIMIT_NOFILE, limits["open_files"], limits["open_files"])
    limit(resource.RLIMIT_CORE, 0, 0)


def limit(what: int, soft: int, hard: int) -> None:
    """Set a limit, never above the process's hard limit."""
    _, ceiling = resource.getrlimit(what)
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(what, (soft, hard))


if __name__ == "__main__":
    main(sys.argv[1:])
