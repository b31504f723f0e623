"""Healthy documents and questions, as many as are wanted, each different: the same bytes twice are one document."""

import json
from pathlib import Path
from typing import NamedTuple

import pymupdf

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"
KINDS = ("outsourcing-agreement.pdf", "information-security-policy.md", "annual-report.pdf")


class Source(NamedTuple):
    """A file to upload. Those of one kind differ in a number only, so they are read into as many rows."""

    kind: str
    name: str
    content: bytes


def healthy(count: int, first: int = 0, *, is_new_throughout: bool = False) -> list[Source]:
    """The samples in turn, each with a number of its own."""
    numbers = range(first, first + count)
    return [numbered(KINDS[number % len(KINDS)], number, is_new_throughout) for number in numbers]


def numbered(kind: str, number: int, is_new_throughout: bool) -> Source:
    """One of the samples with a number at its end, or in every part: vectors of a text known already are copied."""
    path, words = SAMPLES / kind, f"Copy number {number:06d} of this document."
    name = f"{path.stem}-{number:06d}{path.suffix}"
    if path.suffix == ".md":
        text = path.read_text(encoding="utf-8")
        parts = text.split("\n\n") if is_new_throughout else [text]
        return Source(kind, name, "".join(f"{part}\n\n{words}\n\n" for part in parts).encode())
    with pymupdf.open(path) as document:
        document.new_page()
        for page in list(document) if is_new_throughout else [document[-1]]:
            page.insert_text((72, 90), words)
        return Source(kind, name, document.tobytes())


def questions(count: int) -> list[str]:
    """The questions of the samples, over and over."""
    asked = [json.loads(line)["question"] for line in (SAMPLES / "questions.jsonl").read_text().splitlines()]
    return [asked[number % len(asked)] for number in range(count)]
