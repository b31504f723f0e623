"""Hostile files, the same ones for the same seed: the samples damaged in every way, and files made to hurt a reader."""

import random
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pymupdf

from reading.tests.pdfs import raw_pdf, whole_pdf

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
PDFS = ("outsourcing-agreement.pdf", "annual-report.pdf")
OBJECT = re.compile(rb"\d+ 0 obj\b.*?endobj", re.DOTALL)
PAGE_COUNT = re.compile(rb"/Count \d+")
PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
LONG = 60_000
BOMB = 300_000_000  # bytes, of a file of 300 kB


class Hostile(NamedTuple):
    """A file, and what may truly be said of it; `allowed` is empty where any reason but a fault of ours is true."""

    name: str
    content: bytes
    allowed: frozenset[str] = frozenset()


Damage = Callable[[bytes, random.Random], bytes]


def truncated(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(20, len(content))]


def flipped(content: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 10, 200, 3_000))):
        damaged[chance.randrange(8, len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def without_objects(content: bytes, chance: random.Random) -> bytes:
    found = list(OBJECT.finditer(content))
    for match in sorted(chance.sample(found, chance.choice((1, 3, len(found) // 4))), key=lambda one: -one.start()):
        content = content[: match.start()] + content[match.end() :]
    return content


def with_doubled_xref(content: bytes, chance: random.Random) -> bytes:
    """The table of places twice, the second time for a file that has become longer in between."""
    tail = content[content.rindex(b"startxref") :]
    start = int(tail.split()[1])
    return content[:start] + b"%" + b" " * chance.randrange(1, 500) + b"\n" + content[start:] + content[start:]


def with_wrong_count(content: bytes, chance: random.Random) -> bytes:
    wrong = chance.choice((-1, 1)) * chance.randrange(10 ** chance.randrange(1, 11))
    return PAGE_COUNT.sub(b"/Count %d" % wrong, content)


def with_garbage_before(content: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 2_000)) + content


DAMAGES: dict[str, Damage] = {
    "truncated": truncated,
    "flipped": flipped,
    "without-objects": without_objects,
    "doubled-xref": with_doubled_xref,
    "wrong-count": with_wrong_count,
    "garbage-before": with_garbage_before,
}


def one_page(text: bytes, *, page: bytes = PAGE, pages: bytes = b"<</Type/Pages/Kids[3 0 R]/Count 1>>") -> bytes:
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(text), text)
    return whole_pdf(b"<</Type/Catalog/Pages 2 0 R>>", pages, page, FONT, stream)


def many_pages(text: bytes) -> bytes:
    """Sixty thousand pages with the same words."""
    places = b" ".join(b"%d 0 R" % (5 + number) for number in range(LONG))
    pages = b"<</Type/Pages/Count %d/Kids[%s]>>" % (LONG, places)
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(text), text)
    page = PAGE.replace(b"/Contents 5 0 R", b"/Contents 4 0 R").replace(b"/F1 4 0 R", b"/F1 3 0 R")
    return whole_pdf(b"<</Type/Catalog/Pages 2 0 R>>", pages, FONT, stream, *[page] * LONG)


def printed(text: bytes) -> bytes:
    return b"BT /F1 10 Tf 50 700 Td (" + text + b") Tj ET"


def locked() -> bytes:
    """A file locked with a password that nobody has: its keys are noise."""
    handler = b"<</Filter/Standard/V 2/R 3/Length 128/P -4/O<%s>/U<%s>>>" % (b"5a" * 32, b"a5" * 32)
    text = printed(b"Nobody reads this.")
    content = b"<</Length %d>>stream\n%s\nendstream" % (len(text), text)
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    whole = whole_pdf(b"<</Type/Catalog/Pages 2 0 R>>", pages, PAGE, FONT, content, handler)
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R/Encrypt 6 0 R/ID[<%s><%s>]" % (b"00" * 16, b"00" * 16))


def bomb() -> bytes:
    """A page whose content is small and becomes huge."""
    return raw_pdf(zlib.compress(b" " * BOMB, 9), content_extra=b"/Filter/FlateDecode")


READ = "ready"


def handmade() -> list[Hostile]:
    """One file for each way of being hostile that is made on purpose, with what may be said of it."""
    pages = b"<</Type/Pages/Kids[%s]/Count %d>>"
    words = printed(b"A page like any other, with a few words.")
    headings = "".join(f"# Part {number}\n\nIts words.\n\n" for number in range(LONG))
    made: list[tuple[str, bytes, set[str]]] = [
        ("locked.pdf", locked(), {"encrypted"}),
        ("no-pages.pdf", one_page(words, pages=pages % (b"", 0)), {"no_pages"}),
        (
            "count-too-high.pdf",
            one_page(words, pages=pages % (b"3 0 R", 99_999_999)),
            {READ, "damaged", "too_many_pages"},
        ),
        ("many-pages.pdf", many_pages(words), {READ, "too_many_pages"}),
        ("own-parent.pdf", one_page(words, pages=pages % (b"2 0 R", 1)), {"damaged", "no_pages"}),
        ("huge-page.pdf", one_page(words, page=PAGE.replace(b"612 792", b"1e9 1e9")), set()),
        ("long-line.pdf", one_page(printed(b"1" * LONG)), set()),
        ("bomb.pdf", bomb(), set()),
        ("noise.pdf", random.Random(0).randbytes(LONG), {"not_pdf"}),
        ("empty.pdf", b"", {"empty_file"}),
        ("nul.md", b"# Title\n\nA word\x00 with a sign that no database keeps.\n", {READ, "not_text"}),
        ("not-utf-8.md", b"# Title\n\nCaf\xe9 \xff\xfe ouvert.\n", {READ, "not_text"}),
        ("one-line.txt", b"word " * 400_000, {READ}),
        ("empty.txt", b"", {"empty_file"}),
        ("spaces.txt", b" \n\t" * 1_000, set()),
        ("headings.md", headings.encode(), set()),
        ("formula.md", b"# =1+1\n\n@SUM(A1)\n\n=cmd|' /C calc'!A0\n", {READ}),
        ("signs.txt", "\u202eesrever\u200b \ufeff\ufdd0 words \x07 end.\n".encode(), {READ}),
        ("../../etc/passwd.txt", b"A name that leads elsewhere.\n", {READ}),
        (f"{'n' * 300}.txt", b"A name too long for any file system.\n", set()),
    ]
    return [Hostile(name, content, frozenset(allowed)) for name, content, allowed in made]


def damaged(count: int, seed: int) -> list[Hostile]:
    """The samples' PDFs, each damaged in one way, in turn."""
    chance, made = random.Random(seed), []
    for number in range(count):
        kind = list(DAMAGES)[number % len(DAMAGES)]
        sample = SAMPLES / PDFS[number // len(DAMAGES) % len(PDFS)]
        made.append(Hostile(f"{kind}-{number}.pdf", DAMAGES[kind](laid_open(sample), chance)))
    return made


def laid_open(path: Path) -> bytes:
    """The file with every object in the open, where damage can meet it, and the same bytes each time."""
    with pymupdf.open(path) as document:
        content: bytes = document.tobytes(use_objstms=0, no_new_id=True)
        return content
