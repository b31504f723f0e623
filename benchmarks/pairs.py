"""The pairs of `benchmarks/reader` as cases: each document as Markdown, each question right, or a near miss to refuse.

Whoever makes rules on some of the documents judges on others.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.cases import FILE_NAME

PAIRS = Path(__file__).parent / "reader" / "pairs.jsonl.gz"
CELLS = " | "


def run(folder: Path, language: str, first: int, count: int) -> dict[str, Any]:
    """Write so many documents of a language from the first on, and their questions, for `benchmarks cases`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for name, passages in documents_in(language)[first : first + count]:
        (folder / f"{name}.md").write_text(markdown_of(passages), encoding="utf-8")
        rows += rows_of(name, passages)
    written = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / FILE_NAME).write_text(written, encoding="utf-8")
    absent = sum(row["absent"] for row in rows)
    return {"documents": len({row["file"] for row in rows}), "answered": len(rows) - absent, "near misses": absent}


def documents_in(language: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """The documents of a language by name, each with its passages in order."""
    with gzip.open(PAIRS, "rt", encoding="utf-8") as lines:
        passages = [passage for line in lines if (passage := json.loads(line))["lang"] == language]
    return [(name, list(own)) for name, own in groupby(passages, key=lambda passage: str(passage["doc"]))]


def markdown_of(passages: Sequence[dict[str, Any]]) -> str:
    """A heading for the document, one for each passage, and lines of cells as tables."""
    title = passages[0]["title"].rsplit(" - ", 1)[0]
    blocks = [f"# {title}"]
    for passage in passages:
        blocks.append(f"## {passage['title'].rsplit(' - ', 1)[-1]}")
        for is_table, group in groupby(passage["text"].split("\n"), key=lambda line: CELLS in line):
            lines = list(group)
            blocks += ["\n".join(table_of(lines))] if is_table else lines
    return "\n\n".join(blocks) + "\n"


def table_of(lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"| {line} |"
        if number == 0:
            yield "|" + "---|" * (line.count(CELLS) + 1)


def rows_of(name: str, passages: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A question is answered right where the first words of its span are quoted."""
    for number, passage in enumerate(passages, start=1):
        for place, asked in enumerate(passage["questions"], start=1):
            yield {
                "id": f"{name}/{number}.{place}",
                "file": f"{name}.md",
                "question": asked["q"],
                "expect": aid_of(asked.get("span", "")),
                "absent": asked["label"] == "near",
            }


def aid_of(span: str) -> str:
    """The first eight words of a span, whatever stands between them."""
    return r"\W+".join(map(re.escape, re.findall(r"\w+", span)[:8]))
