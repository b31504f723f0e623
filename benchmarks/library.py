"""The documents of a data folder, read with the project's reader and cached for the next run."""

import hashlib
import pickle
from collections.abc import Sequence
from pathlib import Path

from benchmarks.vectors import CACHE, embed_kept
from documents.storage.content import DocumentContent, Vectors
from documents.storage.store import PARSER_VERSION
from llm.embeddings import bundled
from reading.passages import cut_passages
from reading.plain_text import read_markdown
from reading.processes.sandbox import read_in_child
from reading.rows import PassageRow, Reading, unreadable_pages

MEDIA_TYPES = {".pdf": "application/pdf", ".md": "text/markdown", ".txt": "text/plain"}


class Library:
    """Contents by path relative to the data folder; vectors included where the encoder is there."""

    def __init__(self, folder: Path, cache: Path = CACHE) -> None:
        self.folder = folder
        self.cache = cache
        self._contents: dict[str, DocumentContent] = {}

    def content(self, path: str) -> DocumentContent:
        if path not in self._contents:
            self._contents[path] = self._load(self.folder / path)
        return self._contents[path]

    def _load(self, path: Path) -> DocumentContent:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        encoder = bundled.MODEL_KEY if bundled.is_available() else "none"
        kept = self.cache / f"{digest[:24]}-{code_digest()}-{encoder}.pickle"
        if kept.exists():  # our own file, written below
            content: DocumentContent = pickle.loads(kept.read_bytes())
            return content
        content = read_content_of(path, digest)
        self.cache.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".partial")
        partial.write_bytes(pickle.dumps(content))
        partial.replace(kept)
        return content


def code_digest() -> str:
    """A digest of the reader's source files, so that a changed reader does not use old readings."""
    root = Path(__file__).parent.parent
    readers = sorted(path for path in (root / "reading").rglob("*.py") if "tests" not in path.parts)
    texts = [path.read_bytes() for path in (*readers, root / "documents" / "storage" / "content.py")]
    return hashlib.sha256(PARSER_VERSION.encode() + b"".join(texts)).hexdigest()[:12]


def read_content_of(path: Path, digest: str) -> DocumentContent:
    media_type = MEDIA_TYPES[path.suffix.lower()]
    reading = read_in_child(path) if media_type == "application/pdf" else read_markdown(path.read_text("utf-8"))
    passages = cut_passages(reading)
    return content_of(
        reading,
        passages,
        file_name=path.name,
        media_type=media_type,
        sha256=digest,
        vectors=vectors_of(reading, passages, digest) if bundled.is_available() else None,
    )


def content_of(
    reading: Reading,
    passages: Sequence[PassageRow],
    *,
    file_name: str,
    media_type: str,
    sha256: str,
    vectors: Vectors | None = None,
) -> DocumentContent:
    """The content of a reading that is not stored."""
    return DocumentContent(
        document_id=sha256[:32],
        parse_id=f"{sha256[:32]}-{reading.language}",
        parse_number=1,
        parser_version=str(reading.report.get("parser_version", "")),
        title=reading.title or file_name,
        file_name=file_name,
        media_type=media_type,
        sha256=sha256,
        language=reading.language,
        search_config=str(reading.report.get("search_config", "simple")),
        toc_origin=str(reading.report.get("toc_origin", "")),
        toc_strength=str(reading.report.get("toc_strength", "")),
        unreadable_pages=tuple(unreadable_pages(reading.pages)),
        pages=reading.pages,
        lines=reading.lines,
        toc=reading.toc,
        passages=tuple(passages),
        vectors=vectors,
        images=reading.images,
    )


def vectors_of(reading: Reading, passages: list[PassageRow], digest: str) -> Vectors:
    """The vectors ingestion would store: passages with their context, TOC entries with their path."""
    texts = [f"{passage.context}\n{passage.text}" for passage in passages]
    titles = [entry.breadcrumb or entry.title for entry in reading.toc]
    name = digest[:24]
    return Vectors(bundled.MODEL_KEY, embed_kept(texts, name), embed_kept(titles, f"{name}-toc"))
