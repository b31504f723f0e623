"""Files that a PDF carries: embedded in it, as in a portfolio, or attached to a page."""

# mypy: disallow-untyped-calls=False
# The library annotates only part of its functions.

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pymupdf

from reading.characters import clean_text
from reading.limits import HEADER_WITHIN, PDF_HEADER, Limits
from reading.processes.forked import Patience, run_in_fork
from reading.processes.transfer import ATTACHED_NAMES

ATTACHED_MAX = 200  # files that are named
NAME_CHARS = 200
LOOK_S = 4.0  # of processor time, for the digests of them all; of nearly every file it is a hundredth of a second

Fetch = Callable[[], bytes]


class Attached(NamedTuple):
    """A file that is attached: its name, and the digest of its bytes, "" if they could not be read."""

    name: str
    sha256: str


def list_attached(document: pymupdf.Document, limits: Limits, patience: Patience) -> list[Attached]:
    """The attached files, each fetched apart from the reading: a file that is too large takes nothing with it."""
    found = list(fetches(document, limits))

    def digest(number: int) -> str:
        return hashlib.sha256(found[number][1]()).hexdigest()

    digests = run_in_fork(range(len(found)), digest, LOOK_S, patience, each_s=LOOK_S / 2) if found else {}
    return [Attached(name, digests.get(number, "")) for number, (name, _) in enumerate(found)]


def write_attached(document: pymupdf.Document, folder: Path, limits: Limits) -> None:
    """Write the attached PDFs to a folder, with a list of their names; none larger than a file may be."""
    names: dict[str, str] = {}
    written = 0
    for number, (name, fetch) in enumerate(fetches(document, limits)):
        try:
            content = fetch()
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            continue
        written += len(content)
        if PDF_HEADER in content[:HEADER_WITHIN] and written <= limits.file_bytes:
            (folder / f"{number}.pdf").write_bytes(content)
            names[f"{number}.pdf"] = name
    (folder / ATTACHED_NAMES).write_text(json.dumps(names), encoding="utf-8")


def fetches(document: pymupdf.Document, limits: Limits) -> Iterator[tuple[str, Fetch]]:
    """The name of each attached file, and what fetches its bytes; one that says it is too large is not fetched."""
    try:
        yield from list(embedded_in(document, limits))[:ATTACHED_MAX]
        for index in range(document.page_count):
            for xref, kind, _ in document.page_annot_xrefs(index):
                if kind == pymupdf.mupdf.PDF_ANNOT_FILE_ATTACHMENT:
                    page = document[index]  # held: without it its annotations are none
                    told = page.load_annot(xref).file_info
                    yield attached_name(told["filename"]), partial(bytes_at, document, index, xref)
    except (RuntimeError, ValueError, IndexError, KeyError, pymupdf.mupdf.FzErrorBase):
        return


def embedded_in(document: pymupdf.Document, limits: Limits) -> Iterator[tuple[str, Fetch]]:
    for number in range(document.embfile_count()):
        told = document.embfile_info(number)
        name = attached_name(told.get("ufilename") or told.get("filename") or told.get("name") or "")
        yield name, partial(embedded_bytes, document, number, limits)


def embedded_bytes(document: pymupdf.Document, number: int, limits: Limits) -> bytes:
    if document.embfile_info(number).get("length", 0) > limits.file_bytes:
        raise ValueError("too large")
    content: bytes = document.embfile_get(number)
    return content


def bytes_at(document: pymupdf.Document, index: int, xref: int) -> bytes:
    page = document[index]
    content: bytes = page.load_annot(xref).get_file()
    return content


def attached_name(name: str) -> str:
    return clean_text(name)[0].strip()[:NAME_CHARS] or "unnamed"
