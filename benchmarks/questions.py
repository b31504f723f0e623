"""Questions with gold evidence, one JSON object a line (the form of the shared data folder and of `samples/`)."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class GoldQuestion:
    """`pages` are 1-based physical pages of minimal evidence; `sections` titles, or heading paths joined by " > "."""

    id: str
    question: str
    document: str
    type: str
    answer: str
    not_found: bool
    pages: tuple[int, ...]
    alt_pages: tuple[int, ...]
    sections: tuple[str, ...]
    quotes: tuple[str, ...]


class QuestionFileError(ValueError):
    """The question file cannot be read; the message says which line and why."""


def load_questions(path: Path) -> list[GoldQuestion]:
    """Every question of a JSON Lines file, in order."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            questions.append(
                GoldQuestion(
                    id=str(row["id"]),
                    question=row["question"],
                    document=row["document"],
                    type=row.get("type", ""),
                    answer=str(row.get("answer", "")),
                    not_found=bool(row.get("not_found", False)),
                    pages=tuple(row.get("pages", ())),
                    alt_pages=tuple(row.get("alt_pages", ())),
                    sections=tuple(row.get("sections", ())),
                    quotes=tuple(row.get("quotes", ())),
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise QuestionFileError(f"{path}, line {number}: {error!r}") from error
    return questions
