"""A PDF is opened in a limited process only; every way that process ends has its reason, and nothing stays behind."""

import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from reading.language import detect_language, regconfig_of
from reading.limits import MIB, Limits
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown, read_plain_text
from reading.processes import starting
from reading.processes.sandbox import FileKind, read_in_child, refused_exit, render_in_child
from reading.processes.starting import ROOT
from reading.reasons import ReadingError
from reading.rows import Reading
from reading.tests.pdfs import raw_pdf, slow_to_draw, with_absent_destinations, write_pdf

HOSTILE = ROOT.parent / "shared" / "data" / "hostile"
CLAUSE = b"BT /F1 12 Tf 72 700 Td (The termination clause requires thirty days of notice.) Tj ET"
TEXT = ["The termination clause requires thirty days of notice by either party."] * 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "notice.pdf", [TEXT] * 25, title="Notice")


def test_it_reads_the_same_as_without_a_child(path: Path) -> None:
    reading = read_in_child(path)
    direct = read_pdf(path, Limits())
    assert reading == replace(direct, language="en", timings_ms=reading.timings_ms)


@pytest.mark.parametrize(("kind", "read"), [("markdown", read_markdown), ("text", read_plain_text)])
def test_it_reads_text_the_same_as_without_a_child(
    tmp_path: Path, kind: FileKind, read: Callable[[str, Limits], Reading]
) -> None:
    text = "# Préavis\r\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## 1.1 漢字 \x00\x1b\u2028\n- one\n  - two\n"
    (tmp_path / "notice").write_bytes(b"\xef\xbb\xbf" + (text * 200).encode())
    reading = read_in_child(tmp_path / "notice", kind=kind)
    assert reading == replace(read(text * 200, Limits()), timings_ms=reading.timings_ms)
    assert len(reading.lines) > 1000 and bool(reading.report["toc_origin"] == "markdown") is (kind == "markdown")


@pytest.mark.parametrize("kind", ["markdown", "text"])
@pytest.mark.parametrize(
    ("content", "limits", "code"),
    [
        (b" \n", Limits(), "empty_file"),
        (b"word " * 1000, Limits(document_chars=900), "text_too_large"),
        (b"a\n" * 3_000_000, Limits(memory_bytes=256 * MIB), "parse_memory"),
        (b"a\n" * 3_000_000, Limits(cpu_s=1), "parse_timeout"),
    ],
)
def test_text_is_held_to_the_same_limits(
    tmp_path: Path, kind: FileKind, content: bytes, limits: Limits, code: str
) -> None:
    """U3."""
    (tmp_path / "notes").write_bytes(content)
    with pytest.raises(ReadingError) as caught:
        read_in_child(tmp_path / "notes", kind=kind, limits=limits)
    assert caught.value.code == code


def test_it_tells_progress_and_stops_when_it_is_told_to(path: Path) -> None:
    told: list[tuple[int, int]] = []
    read_in_child(path, on_progress=lambda page, of: told.append((page, of)))
    assert told[-1] == (25, 25)

    def cancel(page: int, of: int) -> None:
        raise KeyError("stop")

    with pytest.raises(KeyError):
        read_in_child(path, on_progress=cancel)
    assert not running_for(path)


def test_it_passes_on_why_a_file_was_refused(tmp_path: Path) -> None:
    (tmp_path / "page.pdf").write_bytes(b"<html>")
    with pytest.raises(ReadingError) as caught:
        read_in_child(tmp_path / "page.pdf")
    assert caught.value.code == "not_pdf"


def blanks(count: int) -> bytes:
    """So many MiB, deflated. Each block is packed alone, which takes two seconds less than all of it."""
    block = b"q Q " * (MIB // 4)
    packing = zlib.compressobj(9)
    first, following = (packing.compress(block) + packing.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    checksum = reduce(lambda value, _: zlib.adler32(block, value), range(count), 1)
    return first + following * (count - 1) + b"\x03\x00" + checksum.to_bytes(4, "big")


def endless(tmp_path: Path, count: int) -> Path:
    content = blanks(count)  # a fast machine reads 800 MiB of blanks in two seconds
    (tmp_path / "bomb.pdf").write_bytes(raw_pdf(content, content_extra=b"/Filter/FlateDecode"))
    return tmp_path / "bomb.pdf"


@pytest.mark.parametrize("limits", [Limits(cpu_s=1), Limits(wall_s=1)])
def test_it_stops_a_file_that_takes_too_long(tmp_path: Path, limits: Limits) -> None:
    bomb = endless(tmp_path, 800)
    with pytest.raises(ReadingError) as caught:
        read_in_child(bomb, limits=limits)
    assert caught.value.code == "parse_timeout" and "1 seconds" in caught.value.message
    assert not running_for(bomb)


def test_the_last_limit_of_processor_time_is_told_as_such(tmp_path: Path) -> None:
    bomb = endless(tmp_path, 800)
    starting.stop()
    # Inherited by a new server and by its copy, which is then killed like by anybody.
    before = signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    try:
        with pytest.raises(ReadingError) as caught:
            read_in_child(bomb, limits=Limits(cpu_s=1))
    finally:
        signal.signal(signal.SIGXCPU, before)
        starting.stop()
    assert (caught.value.code, caught.value.detail) == ("parse_timeout", "processor time")


def test_a_page_that_is_slow_to_draw_is_read_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "slow.pdf").write_bytes(slow_to_draw(8_000))  # half a minute
    reading = read_in_child(tmp_path / "slow.pdf", limits=Limits(cpu_s=8))
    assert reading.warnings == ("concealed_text(1-2)", "white_unchecked(3)")
    assert [line.page_number for line in reading.lines if "ninety days" in line.text] == [1, 2, 3]


def test_an_outline_that_is_slow_to_read_is_done_without(tmp_path: Path) -> None:
    path = tmp_path / "slow.pdf"
    path.write_bytes(with_absent_destinations(CLAUSE, entries=20_000))  # half a minute
    reading = read_in_child(path, limits=Limits(cpu_s=8))
    assert "outline_skipped" in reading.warnings and "thirty days" in reading.lines[0].text


def test_it_stops_a_file_that_takes_too_much_memory(tmp_path: Path) -> None:
    shown = zlib.compress(b"BT /F1 12 Tf 72 700 Td (AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA) Tj ET\n" * 200_000, 9)
    (tmp_path / "text.pdf").write_bytes(raw_pdf(shown, content_extra=b"/Filter/FlateDecode"))
    with pytest.raises(ReadingError) as caught:
        read_in_child(tmp_path / "text.pdf", limits=Limits(memory_bytes=512 * MIB))
    assert caught.value.code == "parse_memory" and "512 MB" in caught.value.message


@pytest.mark.parametrize(
    ("exit_code", "errors", "code"),
    [
        (-signal.SIGSEGV, "", "parse_crash"),
        (-signal.SIGABRT, "terminate called: std::bad_alloc", "parse_memory"),
        (-signal.SIGKILL, "", "parse_killed"),
        (-signal.SIGKILL, "MemoryError", "parse_memory"),
        (-signal.SIGTERM, "", "parse_killed"),
        (-signal.SIGXCPU, "", "parse_timeout"),
        (1, "ImportError: no module", "internal"),
        (3, "", "parse_crash"),
    ],
)
def test_it_has_a_reason_for_every_exit(exit_code: int, errors: str, code: str) -> None:
    assert refused_exit(exit_code, errors, Limits()).code == code


def test_its_child_dies_with_it(tmp_path: Path) -> None:
    bomb = endless(tmp_path, 1000)
    program = (
        f"from pathlib import Path; from reading.processes import sandbox; sandbox.read_in_child(Path({str(bomb)!r}))"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    try:
        assert comes_true(lambda: running_for(bomb))
    finally:
        parent.kill()
        parent.wait()
    assert comes_true(lambda: not running_for(bomb))


def comes_true(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + 120
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def running_for(path: Path) -> list[str]:
    """The live processes that have this file before them."""
    found = []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):
            if f" {path}\n" in maps.read_text():
                found.append(maps.parent.name)
    return found


def test_it_writes_a_page_image_whole_or_not_at_all(path: Path, tmp_path: Path) -> None:
    render_in_child(path, 2, 72, tmp_path / "images.webp")
    assert (tmp_path / "images.webp").read_bytes()[8:12] == b"WEBP"
    (tmp_path / "none.pdf").write_bytes(b"%PDF-1.7\n")
    with pytest.raises(ReadingError):
        render_in_child(tmp_path / "none.pdf", 1, 72, tmp_path / "none.webp")
    assert not (tmp_path / "none.webp").exists()
    assert not list(tmp_path.glob(".render-*"))


@pytest.mark.skipif(not HOSTILE.exists(), reason="needs ../shared/data")
@pytest.mark.parametrize("name", ["issue16263", "bug1978317", "test_2548", "password-is-test", "poppler-67295", "tiny"])
def test_it_ends_hostile_files_in_a_reading_or_a_reason(name: str) -> None:
    (path,) = HOSTILE.glob(f"*{name}*.pdf")
    try:
        read_in_child(path)
    except ReadingError as error:
        assert error.code in ("encrypted", "damaged", "not_pdf", "no_text", "blank_pages", "drawn_text")


@pytest.mark.parametrize(
    ("text", "detected"),
    [
        ("The termination clause requires thirty days of notice by either party.", ("en", "english")),
        ("Le contrat prend fin après un préavis de trois mois adressé par écrit.", ("fr", "french")),
        ("Der Vertrag endet mit einer Frist von drei Monaten zum Ende des Monats.", ("de", "german")),
        ("El contrato termina con un preaviso de tres meses por escrito a la otra parte.", ("es", "spanish")),
        ("12 34 — 56", ("und", "simple")),
        ("", ("und", "simple")),
    ],
)
def test_it_names_the_language_and_its_search_configuration(text: str, detected: tuple[str, str]) -> None:
    language = detect_language(text)
    assert (language, regconfig_of(language)) == detected
