"""The table of contents as the arbiter saw it, with the number of candidates in each section."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from retrieval.models import RetrievalRun, RunCandidate

ENTRY = re.compile(r"(?P<indent> *)\[(?P<index>\d+)\] (?P<text>.+)")
INDENT = 2  # spaces a level
LEVEL_MAX = 3  # deeper entries are indented like the third level
TITLE = "document: "  # begins the line of a document, if there are several
FENCE = ("<toc>", "</toc>")


@dataclass(frozen=True)
class ContentsLine:
    """One line of it; level 0 is no section. `candidates` excludes those of sub-sections."""

    text: str
    level: int
    candidates: int


@dataclass(frozen=True)
class Contents:
    entries: tuple[ContentsLine, ...]
    why_none: str = ""


def read_contents(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Contents:
    """Parse the stored text; with several documents each has its own numbering, after a line with its title."""
    if not run.toc_shown.strip():
        return Contents((), _("no table of contents was found, or the arbiter was not asked"))
    counts = Counter((str(candidate.document_id), candidate.toc_index) for candidate in candidates)
    documents = [seen["document_id"] for seen in run.scope]
    entries, number = [], 0 if len(documents) == 1 else -1
    for line in run.toc_shown.splitlines():
        if line.startswith(TITLE):
            number += 1
        if line.strip() and line not in FENCE:
            entries.append(read_entry(line, documents[number] if 0 <= number < len(documents) else "", counts))
    return Contents(tuple(entries))


def read_entry(line: str, document_id: str, counts: Counter[tuple[str, int]]) -> ContentsLine:
    """A section with its candidates; a line that is no section is shown as it is."""
    found = ENTRY.fullmatch(line)
    if found is None:
        return ContentsLine(line.removeprefix(TITLE), 0, 0)
    level = min(len(found["indent"]) // INDENT + 1, LEVEL_MAX)
    return ContentsLine(found["text"], level, counts[document_id, int(found["index"])])
