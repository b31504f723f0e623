"""Files that a PDF carries are named in a warning of their own, and told from scripts."""

import hashlib
import json
from pathlib import Path

import pymupdf
import pytest

from reading.limits import Limits
from reading.pages.attachments import write_attached
from reading.pdf import open_pdf
from reading.pdf_reader import read_pdf
from reading.processes.transfer import ATTACHED_NAMES
from reading.tests.pdfs import carrying

NOTE = b"%PDF-1.7\nnot a whole one"
SHEET = b"name;amount\n"


def read(content: bytes, tmp_path: Path) -> tuple[tuple[str, ...], list[list[str]]]:
    path = tmp_path / "carrier.pdf"
    path.write_bytes(content)
    reading = read_pdf(path, Limits())
    return reading.warnings, reading.report["attached"]


def test_embedded_files_are_named_with_their_digests(tmp_path: Path) -> None:
    warnings, attached = read(carrying({"terms.pdf": NOTE, "prices.csv": SHEET}), tmp_path)
    assert warnings == ("attached_files(2: terms.pdf, prices.csv)",)
    assert attached == [
        [name, hashlib.sha256(content).hexdigest()] for name, content in (("terms.pdf", NOTE), ("prices.csv", SHEET))
    ]


def test_a_file_attached_to_a_page_is_one_too(tmp_path: Path) -> None:
    document = pymupdf.open(stream=carrying({}))
    document[0].add_file_annot((300, 300), SHEET, "prices.csv")
    warnings, attached = read(document.tobytes(), tmp_path)
    assert warnings == ("attached_files(1: prices.csv)",)
    assert attached == [["prices.csv", hashlib.sha256(SHEET).hexdigest()]]


@pytest.mark.parametrize(("names", "told"), [(10, "file 9.txt)"), (12, "file 9.txt, … 2 more)")])
def test_no_more_than_ten_are_named(names: int, told: str, tmp_path: Path) -> None:
    (warning,), attached = read(carrying({f"file {number}.txt": SHEET for number in range(names)}), tmp_path)
    assert warning.startswith(f"attached_files({names}: file 0.txt") and warning.endswith(told)
    assert len(attached) == names


def test_a_file_without_any_says_nothing(tmp_path: Path) -> None:
    assert read(carrying({}), tmp_path) == ((), [])


def test_only_pdfs_are_taken_out_and_none_larger_than_allowed(tmp_path: Path) -> None:
    path = tmp_path / "carrier.pdf"
    path.write_bytes(carrying({"terms.pdf": NOTE, "prices.csv": SHEET, "../../evil.pdf": NOTE}))
    for limits, names in ((Limits(), {"terms.pdf", "../../evil.pdf"}), (Limits(file_bytes=path.stat().st_size), None)):
        out = tmp_path / str(limits.file_bytes)
        out.mkdir()
        with open_pdf(path, Limits()) as document:
            write_attached(document, out, limits)
        written = json.loads((out / ATTACHED_NAMES).read_bytes())
        assert {file.name for file in out.iterdir()} == {*written, ATTACHED_NAMES}
        assert names is None or set(written.values()) == names
