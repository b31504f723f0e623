"""The table of contents as the arbiter saw it, with the number of candidates in each section."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from retrieval.models import RetrievalRun, RunCandidate

ENTRY = re.compile(r"(?P<indent> *)\[(?:\d+\.)?(?P<index>\d+)\] (?P<text>.+)")  # [2.14] of the second of several
TITLE = re.compile(r"document(?: [0-9a-f]+)?: ")  # begins the line of a document
INDENT = 2  # spaces a level
LEVEL_MAX = 3  # deeper entries are indented like the third level
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
    """Parse the stored text; each document has its own numbering, after a line with its title."""
    if not run.toc_shown.strip():
        return Contents((), _("no table of contents was found, or the arbiter was not asked"))
    counts = Counter((str(candidate.document_id), candidate.toc_index) for candidate in candidates)
    documents = [seen["document_id"] for seen in run.scope]
    entries, titles = [], 0
    for line in run.toc_shown.splitlines():
        titles += bool(TITLE.match(line))
        if line.strip() and line not in FENCE:
            of = documents[max(titles - 1, 0) :][:1]  # records of one document from before 30 November have no title
            entries.append(read_entry(line, next(iter(of), ""), counts))
    return Contents(tuple(entries))


def read_entry(line: str, document_id: str, counts: Counter[tuple[str, int]]) -> ContentsLine:
    """A section with its candidates; a line that is no section is shown as it is."""
    found = ENTRY.fullmatch(line)
    if found is None:
        return ContentsLine(TITLE.sub("", line, count=1) if TITLE.match(line) else line, 0, 0)
    level = min(len(found["indent"]) // INDENT + 1, LEVEL_MAX)
    return ContentsLine(found["text"], level, counts[document_id, int(found["index"])])
