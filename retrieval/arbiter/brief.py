"""What the arbiter reads: the table of contents and one fenced block per candidate. Document text is data (R46, R51).

A long table of contents is cut level by level; how long the text of a candidate is, `retrieval.briefs` decides.
"""

from collections.abc import Collection, Sequence

from documents.storage.content import DocumentContent
from llm.fence import fence_text
from reading.rows import FRONT_INDEX, STRUCK_TOLD, TocRow
from retrieval.search import WHOLE
from retrieval.types import FINGERPRINT, HEADED, Brief

TOC_LINES_MAX = 400  # R38: a longer one is shown from the top, as many levels as fit, and below what a model opens
TITLE_CHARS = 160
WORDS_MAX = 40  # matched words named in one brief
DOCUMENTS_TOC_MAX = 200  # lines for each of several documents together


def toc_block(
    contents: Sequence[DocumentContent], chars_max: int = WHOLE.toc_chars, opened: Collection[str] = ()
) -> str:
    """`<toc>` with one line per entry (R35): [id] number title, pages. Cut from the deepest level up if too long.

    Among several documents the id begins with the document's number: [2.14]; the document's name, with the beginning
    of its candidates' ids. Sections that are `opened`, by their ids, keep all that is below them (R38).
    """
    budget = TOC_LINES_MAX if len(contents) == 1 else DOCUMENTS_TOC_MAX // max(len(contents), 1)
    lines: list[str] = []
    for position, content in enumerate(contents, 1):
        prefix = id_prefix(position, contents)
        named = f"document {content.sha256[:FINGERPRINT]}" if prefix else "document"
        lines.append(f"{named}: {fence_text(content.title)[:TITLE_CHARS]}")
        shown = shown_lines(content.toc, budget, chars_max // max(len(contents), 1), prefix, opened)
        lines += shown or ["(no table of contents)"]
        if hidden := sum(entry.index != FRONT_INDEX for entry in content.toc) - len(shown):
            lines.append(f"({hidden} more entries of deeper levels are not listed; each candidate names its section)")
    return "\n".join(["<toc>", *lines, "</toc>"])


def id_prefix(position: int, contents: Sequence[DocumentContent]) -> str:
    return f"{position}." if len(contents) > 1 else ""


def sections_by_id(contents: Sequence[DocumentContent]) -> dict[str, tuple[DocumentContent, TocRow]]:
    """The sections by the ids of `toc_block`."""
    return {
        f"{id_prefix(position, contents)}{entry.index}": (content, entry)
        for position, content in enumerate(contents, 1)
        for entry in content.toc
        if entry.index != FRONT_INDEX
    }


def shown_lines(
    toc: Sequence[TocRow], lines_max: int, chars_max: int, prefix: str = "", opened: Collection[str] = ()
) -> list[str]:
    """The lines of as many levels as fit, with what is below the opened sections unless that is too much.

    Of the top level at least the first lines there is room for.
    """
    entries = [entry for entry in toc if entry.index != FRONT_INDEX]
    written = {entry.index: toc_line(entry, prefix) for entry in entries}
    below = indexes_below(entries, {entry.index for entry in entries if f"{prefix}{entry.index}" in opened})
    shown: list[str] = []
    for kept in (below, frozenset[int]()) if below else (below,):
        for deepest in sorted({entry.level for entry in entries}, reverse=True):
            shown = [written[entry.index] for entry in entries if entry.level <= deepest or entry.index in kept]
            if len(shown) <= lines_max and sum(map(len, shown)) + len(shown) <= chars_max:
                return shown
    return cut_lines(shown, lines_max, chars_max)


def indexes_below(entries: Sequence[TocRow], opened: Collection[int]) -> frozenset[int]:
    """The entries that are below some others, at any depth."""
    below: set[int] = set()
    for entry in entries:
        if entry.parent_index in opened or entry.parent_index in below:
            below.add(entry.index)
    return frozenset(below)


def cut_lines(lines: Sequence[str], lines_max: int, chars_max: int) -> list[str]:
    """As many of the first lines as fit."""
    kept: list[str] = []
    for line in lines[:lines_max]:
        chars_max -= len(line) + 1
        if chars_max < 0:
            break
        kept.append(line)
    return kept


def toc_line(entry: TocRow, prefix: str = "") -> str:
    pages = (
        f"p. {entry.first_page}" if entry.first_page == entry.last_page else f"pp. {entry.first_page}-{entry.last_page}"
    )
    return f"{'  ' * (entry.level - 1)}[{prefix}{entry.index}] {fence_text(name_entry(entry))[:TITLE_CHARS]} ({pages})"


def name_entry(entry: TocRow) -> str:
    has_number = entry.title.startswith(entry.number) if entry.number else True
    return entry.title if has_number else f"{entry.number} {entry.title}"


def candidate_block(brief: Brief) -> str:
    """One candidate as the arbiter reads it, and as the audit shows it."""
    found, (first, last) = brief.candidate, brief.candidate.anchor_pages
    flags = [
        name
        for name, is_set in (
            ("exact title", found.exact_title),
            ("words together", found.co_occurrence),
            ("value of the expected type", found.type_match),
        )
        if is_set
    ]
    printed = {" ".join(line.split()) for line in brief.snippet.splitlines()}
    heading = HEADED.join(each for each in brief.page_heading.split(HEADED) if " ".join(each.split()) not in printed)
    rows = (
        ("methods", ", ".join(found.methods)),
        ("document", brief.document_title if brief.is_of_several and not brief.is_sentence else ""),
        ("section", (found.section_title if brief.is_sentence else found.breadcrumb) or "(none)"),
        ("pages", str(first) if first == last else f"{first}-{last}"),
        ("top of page", "" if brief.is_sentence else heading),
        ("matched", ", ".join(found.matched_keywords[:WORDS_MAX]) or "(no word)"),
        ("signals", ", ".join(flags) or ("" if brief.is_sentence else "(none)")),
        ("note", STRUCK_TOLD if brief.is_struck else ""),
    )
    head = "\n".join(f"{name}: {fence_text(' '.join(value.split()))}" for name, value in rows if value)
    shown = "one sentence" if brief.is_sentence else "text"
    return f'<candidate id="{found.candidate_id}">\n{head}\n{shown}:\n{fence_text(brief.snippet)}\n</candidate>'
