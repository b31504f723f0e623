"""What the arbiter reads: the table of contents and one fenced block per candidate. Document text is data (R46, R51)."""

import unicodedata
from collections.abc import Sequence

from documents.content import DocumentContent
from documents.rows import FRONT_INDEX, TocRow
from retrieval.types import Brief

TOC_LINES_MAX = 400  # R38: a longer one is shown level by level, from the top
TITLE_CHARS = 160
WORDS_MAX = 40  # matched words named in one brief
FENCE = str.maketrans({"<": "‹", ">": "›"})  # no text of a document can open or close a block
DOCUMENTS_TOC_MAX = 200  # lines for each of several documents together


def toc_block(contents: Sequence[DocumentContent]) -> str:
    """`<toc>` with one line an entry: [id] number title, pages. Cut from the deepest level up when very long."""
    budget = TOC_LINES_MAX if len(contents) == 1 else DOCUMENTS_TOC_MAX // max(len(contents), 1)
    lines: list[str] = []
    for content in contents:
        if len(contents) > 1:
            lines.append(f"document: {fenced(content.title)[:TITLE_CHARS]}")
        shown = shown_entries(content.toc, budget)
        lines += [toc_line(entry) for entry in shown] or ["(no table of contents)"]
        if hidden := sum(entry.index != FRONT_INDEX for entry in content.toc) - len(shown):
            lines.append(f"({hidden} more entries of deeper levels are not listed; each candidate names its section)")
    return "\n".join(["<toc>", *lines, "</toc>"])


def shown_entries(toc: Sequence[TocRow], budget: int) -> list[TocRow]:
    """The entries of as many levels as fit, at least the first `budget` of the top level."""
    entries = [entry for entry in toc if entry.index != FRONT_INDEX]
    for deepest in sorted({entry.level for entry in entries}, reverse=True):
        shown = [entry for entry in entries if entry.level <= deepest]
        if len(shown) <= budget:
            return shown
    return [entry for entry in entries if entry.level == 1][:budget] or entries[:budget]


def toc_line(entry: TocRow) -> str:
    pages = (
        f"p. {entry.first_page}" if entry.first_page == entry.last_page else f"pp. {entry.first_page}-{entry.last_page}"
    )
    return f"{'  ' * (entry.level - 1)}[{entry.index}] {fenced(named(entry))[:TITLE_CHARS]} ({pages})"


def named(entry: TocRow) -> str:
    has_number = entry.title.startswith(entry.number) if entry.number else True
    return entry.title if has_number else f"{entry.number} {entry.title}"


def candidate_block(brief: Brief) -> str:
    """One candidate as the arbiter reads it, and as the audit shows it."""
    flags = [
        name
        for name, is_set in (
            ("exact title", brief.exact_title),
            ("words together", brief.co_occurrence),
            ("value of the expected type", brief.type_match),
        )
        if is_set
    ]
    rows = (
        ("methods", ", ".join(brief.methods)),
        ("document", brief.document_title),
        ("section", brief.breadcrumb or "(none)"),
        ("pages", brief.pages),
        ("top of page", brief.page_heading),
        ("matched", ", ".join(brief.matched_keywords[:WORDS_MAX]) or "(no word)"),
        ("signals", ", ".join(flags) or "(none)"),
    )
    head = "\n".join(f"{name}: {fenced(' '.join(value.split()))}" for name, value in rows if value)
    return f'<candidate id="{brief.candidate_id}">\n{head}\ntext:\n{fenced(brief.snippet)}\n</candidate>'


def fenced(text: str) -> str:
    """Text that cannot leave its block: angle brackets become look-alikes, and nothing in it is invisible."""
    visible = text if text.isprintable() else "".join(filter(is_shown, text))
    return visible.translate(FENCE)


def is_shown(character: str) -> bool:
    """Neither a control nor a format character: hidden text (tags, direction marks) is no evidence a reader sees."""
    return character in "\n\t" or unicodedata.category(character)[0] != "C"
