"""Documents for tests: built from lines of text, or read from the shared PDFs, without a database."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent, Vectors
from llm.embeddings.bundled import MODEL_KEY, embed_texts, is_available
from reading.limits import Limits
from reading.matching import match_form
from reading.passages import cut_passages
from reading.pdf_reader import read_pdf
from reading.processes.clock import Clock
from reading.rows import LineKind, LineRow, LineSpan, PageRow, PassageRow, Reading, TocRow
from retrieval.search import Search, SearchOptions
from retrieval.types import Mode, Question

SETTINGS = BaseSettings()
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LINE_HEIGHT = 12.0

# A line of a made-up document: its text, or (text, kind); "# Title" begins a section, "---" a page.
Written = str | tuple[str, LineKind]


def search_of(question: Question, contents: Sequence[DocumentContent], mode: Mode = "balanced", **known: Any) -> Search:
    """A search in which so much is known; nothing else was looked for."""
    known.setdefault("arbiter", "rules")
    known.setdefault("clock", Clock())
    return Search(contents, SearchOptions(SETTINGS, mode), question, question, **known)


def content_of_lines(
    written: Sequence[Written], *, title: str = "Policy", language: str = "en", number: int = 1, blind_pages: int = 0
) -> DocumentContent:
    """A small document. Sections have one level; lines before the first belong to the front matter."""
    lines: list[LineRow] = []
    starts: list[tuple[str, int]] = []
    page = on_page = 1
    for each in written:
        text, kind = each if isinstance(each, tuple) else (each, "body")
        if text == "---":
            page, on_page = page + 1, 1
            continue
        if text.startswith("# "):
            text, kind = text[2:], "heading"
            starts.append((text, len(lines) + 1))
        y = 72 + LINE_HEIGHT * on_page
        spans = (LineSpan(0, len(text), 72.0, 72.0 + 5 * len(text)),)
        place = (72.0, y, 72.0 + 5 * len(text), y + LINE_HEIGHT - 2)
        row = (len(lines) + 1, on_page, page, len(starts), text, match_form(text), *place, 0, kind, "test", spans)
        lines.append(LineRow(*row))
        on_page += 1
    pages = tuple(
        PageRow(n, str(n), 612.0, 792.0, 0, "text" if n <= page else "none", 1, ())
        for n in range(1, page + blind_pages + 1)
    )
    toc = toc_of(starts, lines)
    passages = tuple(passage_of(index, entry, lines) for index, entry in enumerate(toc))
    return DocumentContent(
        document_id=f"00000000-0000-0000-0000-{number:012d}",
        parse_id=f"00000000-0000-0000-0001-{number:012d}",
        parse_number=1,
        parser_version="test",
        title=title,
        file_name=f"{title.lower().replace(' ', '-')}.pdf",
        media_type="application/pdf",
        sha256=sha256(repr((number, written)).encode()).hexdigest(),
        language=language,
        search_config="english",
        toc_origin="outline",
        toc_strength="strong",
        unreadable_pages=(),
        pages=pages,
        lines=tuple(lines),
        toc=toc,
        passages=passages,
    )


def toc_of(starts: Sequence[tuple[str, int]], lines: Sequence[LineRow]) -> tuple[TocRow, ...]:
    toc: list[TocRow] = []
    if not lines:
        return ()
    if not starts or starts[0][1] > 1:
        starts = [("Front", 1), *starts]
    ends = [first - 1 for _, first in starts[1:]] + [len(lines)]
    for (title, first), last in zip(starts, ends, strict=True):
        index = lines[first - 1].toc_index
        origin = "front" if index == 0 else "outline"
        pages = lines[first - 1].page_number, lines[last - 1].page_number
        toc.append(TocRow(index, 1, None, "", title, title, first, last, *pages, origin, 1.0))  # type: ignore[arg-type]
    return tuple(toc)


def passage_of(index: int, entry: TocRow, lines: Sequence[LineRow]) -> PassageRow:
    text = "\n".join(line.text for line in lines[entry.first_line - 1 : entry.last_line])
    place = (entry.first_line, entry.last_line, entry.first_page, entry.last_page)
    return PassageRow(index, *place, entry.index, "text", text, "")


def with_vectors(content: DocumentContent) -> DocumentContent:
    """The same document with the bundled encoder's vectors; skips the test without its weights."""
    if not is_available():
        pytest.skip("the encoder's weights are not installed")
    titles = [entry.breadcrumb or entry.title for entry in content.toc]
    vectors = Vectors(
        MODEL_KEY,
        embed_texts([f"{passage.context}\n{passage.text}".strip() for passage in content.passages]),
        embed_texts(titles) if titles else np.zeros((0, 0), dtype=np.float32),
    )
    return replace(content, vectors=vectors)


def content_of_reading(reading: Reading, path: Path) -> DocumentContent:
    return DocumentContent(
        document_id=str(path),
        parse_id=str(path),
        parse_number=1,
        parser_version="test",
        title=reading.title or path.stem,
        file_name=path.name,
        media_type="application/pdf",
        sha256=sha256(path.read_bytes()).hexdigest(),
        language=reading.language or "en",
        search_config="english",
        toc_origin=str(reading.report.get("toc_origin", "")),
        toc_strength=str(reading.report.get("toc_strength", "")),
        unreadable_pages=(),
        pages=reading.pages,
        lines=reading.lines,
        toc=reading.toc,
        passages=tuple(cut_passages(reading)),
    )


@lru_cache(maxsize=4)
def shared_content(name: str) -> DocumentContent:
    """A shared PDF read by this process, with vectors when the encoder is here; skips when the file is absent."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    content = content_of_reading(read_pdf(path, Limits()), path)
    # A filing's thousand passages take a minute to embed: such a document is asked by its words alone.
    return with_vectors(content) if is_available() and len(content.passages) < EMBEDDED_PASSAGES_MAX else content


EMBEDDED_PASSAGES_MAX = 200
