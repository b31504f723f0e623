"""Calibration over real documents: quotes changed at random, and crops of the page at the boxes read back.

A word or character belongs to a crop if its middle lies in a box: words as people read, characters strictly.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pymupdf

from benchmarks.library import Library
from benchmarks.retrieval import commit
from documents.storage.content import DocumentContent
from reading.boxes import Box, boxes_of
from reading.matching import loose_map
from reading.rows import UNSEARCHED_KINDS
from retrieval.candidates.calibration import calibrate
from retrieval.candidates.tests.test_literal_quotes import letters_without_references, mutated, text_of
from retrieval.types import Calibrated, LineRange

SAMPLES = Path(__file__).parent.parent / "samples"
SEED = 20_261
LINES_MAX, QUOTE_MAX, AROUND = 4, 300, 5  # of a quote, and the lines around it searched for it
Sign = tuple[str, float, float, float, float]  # a character or word, and its box
PRINTED = (
    "documents",
    "mutations",
    "statuses",
    "violations",
    "crops",
    "crops_read_back",
    "to_the_character",
    "differing",
)


def run(folder: Path, mutations: int, crops: int) -> dict[str, Any]:
    """All checks, shared evenly among the PDFs of a folder and the samples."""
    paths = [(SAMPLES, path) for path in sorted(SAMPLES.glob("*.pdf"))]
    paths += [(folder, path) for name in ("papers", "financebench") for path in sorted((folder / name).glob("*.pdf"))]
    libraries = {SAMPLES: Library(SAMPLES), folder: Library(folder)}
    statuses, violations = Counter[str](), Counter[str]()
    cropped = read_back = words_back = 0
    differing: list[str] = []
    for place, (root, path) in enumerate(paths):
        content = libraries[root].content(str(path.relative_to(root)))
        chance = random.Random(SEED + place)
        for _ in range(share_of(mutations, place, len(paths))):
            raw, near, within = changed_quote(content, chance)
            found = calibrate(raw, content, near, within)
            statuses[found.repair.status] += 1
            again = calibrate(raw, content, near, within)
            violations.update(violations_of(found, again, raw, within, content))
        with pymupdf.open(path) as pdf:
            for text, read, words in crops_of(content, pdf, chance, share_of(crops, place, len(paths))):
                cropped += 1
                read_back += is_same(text, read)
                words_back += is_same(text, words)
                if not is_same(text, words):
                    differing.append(f"{path.name}: {text!r} read as {words!r}")
    return {
        "documents": len(paths),
        "mutations": sum(statuses.values()),
        "statuses": dict(statuses),
        "violations": dict(violations),
        "crops": cropped,
        "crops_read_back": words_back,
        "to_the_character": read_back,
        "differing": differing,
        "commit": commit(),
    }


def is_same(text: str, read: str) -> bool:
    return loose_map(text)[0] == loose_map(read)[0]


def share_of(count: int, place: int, parts: int) -> int:
    return count // parts + (place < count % parts)


def changed_quote(content: DocumentContent, chance: random.Random) -> tuple[str, LineRange, LineRange]:
    """A randomly changed stretch of a document, the lines it came from, and those it may be found in."""
    first = chance.randint(1, max(len(content.lines) - LINES_MAX, 1))
    near = LineRange(first, first + chance.randint(0, LINES_MAX - 1))
    text = content.text_between(*near, searched_only=True)
    start = chance.randint(0, max(len(text) - 1, 0))
    raw = mutated(text[start : start + chance.randint(0, QUOTE_MAX)], chance)
    return raw, near, LineRange(near.first - AROUND, near.last + AROUND)


def violations_of(
    found: Calibrated, again: Calibrated, raw: str, within: LineRange, content: DocumentContent
) -> Iterator[str]:
    """The guarantees of a calibrated quote that do not hold."""
    if found != again:
        yield "not the same twice"
    if found.text != text_of(found, content):
        yield "not literal"
    if len(letters_without_references(found.text)) > len(letters_without_references(raw)):
        yield "longer than the raw quote"
    numbers = [piece.line_number for piece in found.pieces]
    if numbers and not (within.first <= numbers[0] and numbers[-1] <= within.last and numbers == sorted(set(numbers))):
        yield "outside the lines that were read"
    if any(
        content.lines[number - 1].kind in UNSEARCHED_KINDS for number in set(numbers) - content.running_heads.keys()
    ):
        yield "furniture"


# ---- crops


def crops_of(
    content: DocumentContent, pdf: pymupdf.Document, chance: random.Random, count: int
) -> Iterator[tuple[str, str, str]]:
    """Quotes of whole words over one to three lines, and what a crop at their boxes reads: by character, by word."""
    lines = {line.number: line for line in content.lines}
    wordy = [line for line in content.searched_lines if len(line.text.split()) > 3 and line.method != "ocr"]
    for line in sorted(chance.sample(wordy, min(count, len(wordy))), key=lambda line: line.page_number):
        near = LineRange(line.number, line.number + chance.randint(0, 2))
        words = content.text_between(*near, searched_only=True).split()
        start = chance.randint(0, len(words) - 2)
        raw = " ".join(words[start : start + chance.randint(2, 20)])
        found = calibrate(raw, content, near, near)
        if not found.pieces:
            continue
        boxes = boxes_of([(piece.line_number, piece.start, piece.end) for piece in found.pieces], lines)
        pages = [pdf[box.page_number - 1] for box in boxes]
        by_character = [inside(characters_of(page), box, "") for page, box in zip(pages, boxes, strict=True)]
        by_word = [inside(words_of(page), box, " ") for page, box in zip(pages, boxes, strict=True)]
        yield found.text, "\n".join(by_character), "\n".join(by_word)


def inside(signs: Sequence[Sign], box: Box, between: str) -> str:
    """The characters or words whose middle lies in the box, from left to right."""
    _, x0, y0, x1, y1 = box
    found = [
        (left, text)
        for text, left, top, right, bottom in signs
        if x0 <= (left + right) / 2 <= x1 and y0 <= (top + bottom) / 2 <= y1
    ]
    return between.join(text for _, text in sorted(found, key=lambda each: each[0]))


def words_of(page: pymupdf.Page) -> list[Sign]:
    turned = page.rotation_matrix
    return [(word[4], *(pymupdf.Rect(word[:4]) * turned)) for word in page.get_text("words", sort=False)]


_read: dict[tuple[int, int], list[Sign]] = {}


def characters_of(page: pymupdf.Page) -> Sequence[Sign]:
    """The characters of a page with their boxes after rotation; the last page read is kept."""
    key = (id(page.parent), page.number)
    if key not in _read:
        _read.clear()
        turned = page.rotation_matrix
        _read[key] = [
            (character["c"], *(pymupdf.Rect(character["bbox"]) * turned))
            for block in page.get_text("rawdict", flags=pymupdf.TEXTFLAGS_TEXT)["blocks"]
            for line in block.get("lines", ())
            for span in line["spans"]
            for character in span["chars"]
        ]
    return _read[key]
