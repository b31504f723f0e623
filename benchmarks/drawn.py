"""Do the words of a quote stand in that order on the page as it is drawn?

Questions are drawn at random, answered by the rules, and each quote they keep is looked for in the picture of its page:
only what lies in the quote's boxes is left of it, and Tesseract, which knows nothing of the file's text, reads it. It
reads no text that lies sideways.
"""

import random
import re
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf

from benchmarks.library import Library
from benchmarks.parsing import has_pages
from benchmarks.retrieval import commit
from documents.base_settings import BaseSettings
from reading.boxes import Box
from retrieval.pipeline import retrieve
from retrieval.types import Settled

SEED = 20_261
DOTS = 250  # an inch
AROUND = 1.2  # points around a box: a letter may stick out of it by as much
SAME, APART_MAX = 0.9, 6  # of the letters, and of them in a run: recognition itself mistakes about one in a hundred
PRINTED = ("questions", "quotes", "in_order", "differing")


class Asked(NamedTuple):
    """A question and the documents it is asked of."""

    id: str
    question: str
    paths: tuple[Path, ...]


def run(asked: Sequence[Asked], quotes: int) -> dict[str, Any]:
    """So many quotes of answers to questions in random order; those read otherwise are listed, to be looked at."""
    readable = [each for each in asked if all(map(has_pages, each.paths))]
    drawn = random.Random(SEED).sample(readable, len(readable))
    found = list(islice(((each, *quote) for each in drawn for quote in quotes_of(each)), quotes))
    differing = [row for row in found if not is_same(*row[2:])]
    return {
        "questions": len({each.id for each, *_ in found}),
        "quotes": len(found),
        "in_order": len(found) - len(differing),
        "differing": [f"{each.id}, {place}: {text!r} is read {read!r}" for each, place, text, read in differing],
        "commit": commit(),
    }


def quotes_of(asked: Asked) -> Iterator[tuple[str, str, str]]:
    """The place of each quote that the rules keep, its text and what is read at its boxes."""
    library = Library(Path())
    contents = {content.document_id: content for content in (library.content(str(path)) for path in asked.paths)}
    paths = dict(zip(contents, asked.paths, strict=True))
    result = retrieve(asked.question, list(contents.values()), settings=BaseSettings(), arbiter="rules")
    for each in result.candidates:
        if each.verdict.role != "discarded" and each.quote.text:
            path = paths[each.document_id]
            with pymupdf.open(path) as pdf:
                yield f"{path.name} p. {each.anchor_pages[0]}", each.quote.text, read_drawn(each, pdf)


def read_drawn(candidate: Settled, pdf: pymupdf.Document) -> str:
    boxes = [box for box in candidate.boxes if isinstance(box, Box)]
    return "\n".join(recognise(pdf[run[0].page_number - 1], run) for run in columns_of(boxes))


def columns_of(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """The boxes in the quote's order, cut where one stands on another page or further up than the one before it."""
    starts = [0, *(at for at, pair in enumerate(pairwise(boxes), start=1) if is_break(*pair)), len(boxes)]
    return (list(boxes[start:end]) for start, end in pairwise(starts) if start < end)


def is_break(above: Box, below: Box) -> bool:
    is_beside = below.x0 > above.x1 - 1  # the top of the next column, else it would be read before
    return below.page_number != above.page_number or (below.y1 < above.y0 + 1 and is_beside)


def recognise(page: pymupdf.Page, boxes: Sequence[Box]) -> str:
    """What Tesseract reads of the page's picture, all white but for the boxes."""
    whole = page.get_pixmap(dpi=DOTS, colorspace=pymupdf.csGRAY)
    scale = DOTS / 72
    left, top = min(box.x0 for box in boxes), min(box.y0 for box in boxes)
    right, bottom = max(box.x1 for box in boxes), max(box.y1 for box in boxes)
    frame = pymupdf.Rect(left - 9, top - 9, right + 9, bottom + 9) * scale
    picture = pymupdf.Pixmap(pymupdf.csGRAY, frame.irect)
    picture.clear_with(255)
    for box in boxes:
        edge = pymupdf.Rect(box.x0 - AROUND, box.y0, box.x1 + AROUND, box.y1) * scale
        picture.copy(whole, edge.irect & whole.irect)
    told = subprocess.run(
        ["tesseract", "stdin", "stdout", "--psm", "7" if len(boxes) == 1 else "6"],
        input=picture.tobytes("png"),
        capture_output=True,
        check=True,
    )
    return str(told.stdout, "utf-8")


def is_same(text: str, read: str) -> bool:
    """Whether letters and digits are the same in the same order: most of them, and no word or more apart."""
    matcher = SequenceMatcher(None, letters_of(text), letters_of(read), autojunk=False)
    apart = (
        max(change[2] - change[1], change[4] - change[3]) for change in matcher.get_opcodes() if change[0] != "equal"
    )
    return matcher.ratio() >= SAME and max(apart, default=0) <= APART_MAX


def letters_of(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())
