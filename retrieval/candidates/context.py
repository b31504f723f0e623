"""The context around an anchor, by kind of question (R43, R71-R74, R19): enough to answer, never a whole book."""

from collections.abc import Mapping, Sequence

from documents.storage.content import DocumentContent
from reading.blocks import item_of, next_item
from reading.boxes import Box
from reading.rows import FRONT_INDEX, UNSEARCHED_KINDS, LineRow
from reading.values.sentences import LINE_ENDS_ITEM
from retrieval.candidates.units import even, units_of
from retrieval.types import Briefed, Candidate, Context, LineRange, Question, ReadAround

CHARS_MAX = 8000  # about 2,048 tokens: the parent unit of R90
ANSWERING_CHARS_MAX = 32_000  # of a primary place: half of what a writer reads in one call, so that it is never alone
LINES_AROUND = 5  # R71: a paragraph, on the same page
LISTING_LINES, SECTION_LINES, LOOKUP_LINES = 2000, 1500, 200  # R72, the upper ends
TABLE_LINES = 60
TABLE_HEAD = 6  # the caption, unit and years are above the first row
PEEKED_LINES = 40  # of the next page, to see whether a list continues there
WIDE_INTENTS = {"listing": LISTING_LINES, "section_retrieval": SECTION_LINES, "open_scoped": SECTION_LINES}


def widen(candidate: Briefed, question: Question, content: DocumentContent, chars_max: int = CHARS_MAX) -> Context:
    """The context of a candidate: the page for a named page, the table for a row, section or paragraph else.

    It has all that a model was given of the place to judge, and at most `chars_max` characters.
    """
    lines = lines_around(candidate, question, content)
    if question.hints.says_around:  # no more than was asked for, also where the arbiter saw more
        return context_at(cut_to_size(lines, candidate.anchor, content, chars_max), content)
    if candidate.shown and set(candidate.methods) <= {"whole", "vectors"}:  # no word says where in it to look
        lines = lines.union(candidate.shown)
    if candidate.brief_lines:
        lines = lines.union(candidate.brief_lines)
    return context_at(cut_to_size(lines, candidate.anchor, content, chars_max), content)


def whole_sections(kept: Sequence[Briefed], contents: Mapping[str, DocumentContent]) -> dict[str, Context]:
    """For several kept candidates of one parent, give the first the whole parent as context (R74)."""
    first: dict[tuple[str, LineRange], Briefed] = {}
    shared: set[tuple[str, LineRange]] = set()
    for candidate in kept:
        parent = parent_of(candidate, contents[candidate.document_id])
        if parent is None:
            continue
        key = (candidate.document_id, parent)
        if key in first:
            shared.add(key)
        first.setdefault(key, candidate)
    found = {}
    for key in shared:
        content, lines = contents[key[0]], key[1]
        if seen := first[key].brief_lines:
            lines = lines.union(seen)
        if len(content.text_between(*lines, searched_only=True)) <= CHARS_MAX:
            found[first[key].candidate_id] = context_at(lines, content)
    return found


def parent_of(candidate: Candidate, content: DocumentContent) -> LineRange | None:
    """The parent of the passage a candidate is in; of readings without parents, its own section."""
    passage = content.passage_at(candidate.anchor.first)
    if passage is None or passage.parent_first_line is None or passage.parent_last_line is None:
        return section_of(candidate, content)
    return LineRange(passage.parent_first_line, passage.parent_last_line)


def lines_around(candidate: Candidate, question: Question, content: DocumentContent) -> LineRange:
    if candidate.running:
        return LineRange(*content.heads_around(candidate.anchor.first))
    hints = question.hints
    if hints.lines_before or hints.lines_after:
        return lines_beside(candidate.anchor, hints.lines_before, hints.lines_after, content)
    if hints.around:
        return lines_asked(hints.around, candidate, content)
    if "pinned" in candidate.methods:
        return find_page_range(candidate.anchor.first, content)
    kind = content.lines[candidate.best_line - 1].kind
    if kind == "table_row":
        return table_around(candidate.anchor, content)
    if kind == "caption" and (row := row_below(candidate.anchor.last, content)):
        return table_around(LineRange(candidate.anchor.first, row), content)
    section = section_of(candidate, content)
    if question.intent in WIDE_INTENTS and section and question.shape != "nested":
        return range_around(candidate.anchor, WIDE_INTENTS[question.intent], section)
    if question.intent == "conditional_lookup" and section:
        return range_around(candidate.anchor, LOOKUP_LINES, section)
    return finish_sentences(paragraph_around(candidate.anchor, content), content)


def lines_asked(around: ReadAround, candidate: Candidate, content: DocumentContent) -> LineRange:
    """The lines of what was asked for by name (R21, R71): the page where there is no section."""
    if around == "line":
        return finish_sentences(candidate.anchor, content)
    if around == "paragraph":
        return finish_sentences(paragraph_around(candidate.anchor, content), content)
    if around == "document":
        return LineRange(1, len(content.lines))
    section = section_of(candidate, content) if around == "section" else None
    if around == "chapter":
        section = chapter_of(candidate, content)
    first, last = find_page_range(candidate.anchor.first, content), find_page_range(candidate.anchor.last, content)
    return (section or first.union(last)).union(candidate.anchor)


def section_of(candidate: Candidate, content: DocumentContent) -> LineRange | None:
    """The lines of the candidate's own section, None without a table of contents."""
    entry = content.toc_by_index.get(candidate.toc_index)
    if entry is None or entry.index == FRONT_INDEX:
        return None
    return LineRange(entry.first_line, entry.last_line)


def chapter_of(candidate: Candidate, content: DocumentContent) -> LineRange | None:
    """The lines of the widest section around the candidate that is not the document, None without contents."""
    entry = content.toc_by_index.get(candidate.toc_index)
    if entry is None or entry.index == FRONT_INDEX:
        return None
    path = [entry]
    while path[-1].parent_index is not None and (parent := content.toc_by_index.get(path[-1].parent_index)):
        path.append(parent)
    is_document = sum(each.level == 1 and each.index != FRONT_INDEX for each in content.toc) == 1
    chapter = path[-2] if is_document and len(path) > 1 else path[-1]
    return LineRange(chapter.first_line, chapter.last_line)


def lines_beside(anchor: LineRange, before: int, after: int, content: DocumentContent) -> LineRange:
    """The anchor with as many lines of text before and after it as are wanted, over pages (R21)."""
    first, last = anchor
    while before and first > 1:
        first -= 1
        before -= content.lines[first - 1].kind not in UNSEARCHED_KINDS
    while after and last < len(content.lines):
        last += 1
        after -= content.lines[last - 1].kind not in UNSEARCHED_KINDS
    return LineRange(first, last)


def range_around(anchor: LineRange, count: int, inside: LineRange) -> LineRange:
    """About `count` lines centred on the anchor, inside a range; the whole range if it is shorter."""
    if inside.last - inside.first < count:
        return inside.union(anchor)
    spare = max(0, count - (anchor.last - anchor.first + 1)) // 2
    return LineRange(
        max(min(inside.first, anchor.first), anchor.first - spare),
        min(max(inside.last, anchor.last), anchor.last + spare),
    )


def paragraph_around(anchor: LineRange, content: DocumentContent) -> LineRange:
    top, bottom = find_page_range(anchor.first, content).first, find_page_range(anchor.last, content).last
    while bottom > anchor.last and content.lines[bottom - 1].kind in UNSEARCHED_KINDS:
        bottom -= 1
    first, last = max(top, anchor.first - LINES_AROUND), min(bottom, anchor.last + LINES_AROUND)
    # A running header above, or a heading whose text is not included, belongs to something else.
    while first < anchor.first and content.lines[first - 1].kind in UNSEARCHED_KINDS:
        first += 1
    while last > anchor.last and content.lines[last - 1].kind in (*UNSEARCHED_KINDS, "heading"):
        last -= 1
    return LineRange(first, last if last < bottom else end_of_list(last, content))


def finish_sentences(lines: LineRange, content: DocumentContent) -> LineRange:
    """The lines, and as many before and after as their sentences go on over lines, columns and pages (R73)."""
    units = units_of(content)
    above, below = units.around(lines.first), units.around(lines.last)
    before = [line for line in content.lines_between(above.first, lines.first - 1) if is_prose(line)]
    after = [line for line in content.lines_between(lines.last + 1, below.last) if is_prose(line)]
    first, last = lines
    while before and not ends_sentence(before[-1]):
        first = before.pop().number
    is_open = is_prose(content.lines[last - 1]) and not ends_sentence(content.lines[last - 1])
    while after and is_open:
        line = after.pop(0)
        last, is_open = line.number, not ends_sentence(line)
    return LineRange(first, last)


def ends_sentence(line: LineRow) -> bool:
    return LINE_ENDS_ITEM.search(even(line.text).rstrip()) is not None


def is_prose(line: LineRow) -> bool:
    return line.kind not in (*UNSEARCHED_KINDS, "heading", "caption", "table_row")


def end_of_list(last: int, content: DocumentContent) -> int:
    """Where the list on the last line of a page ends: there, or on the next page, which is only peeked at (R73).

    It continues if the next page's first text line is the next item: "(f)" after "(e)", "4." after "3.", a bullet.
    """
    item = item_of(content.lines[last - 1].text)
    for line in content.lines_between(last + 1, last + PEEKED_LINES) if item else ():
        if line.kind in UNSEARCHED_KINDS:
            continue
        following = item_of(line.text)
        is_rest = not following and line.text[:1].islower()  # an item continued on another line
        if line.kind == "heading" or (following != next_item(item) and not is_rest):
            break
        last, item = line.number, following or item
    return last


def find_page_range(number: int, content: DocumentContent) -> LineRange:
    lines = content.lines_on_page(content.lines[number - 1].page_number)
    return LineRange(lines[0].number, lines[-1].number)


def table_around(anchor: LineRange, content: DocumentContent) -> LineRange:
    """The rows of the anchor's table, and the lines above that give its name, unit and columns."""
    page = find_page_range(anchor.first, content)
    first, last = anchor
    while first > page.first and is_table(first - 1, content) and anchor.first - first < TABLE_LINES:
        first -= 1
    while last < page.last and is_table(last + 1, content) and last - anchor.last < TABLE_LINES:
        last += 1
    return LineRange(max(page.first, first - TABLE_HEAD), last)


def row_below(number: int, content: DocumentContent) -> int | None:
    """The first row of the table below a caption, None if no row follows soon."""
    rows = content.lines_between(number, number + TABLE_HEAD)
    return next((row.number for row in rows if row.kind == "table_row"), None)


def is_table(number: int, content: DocumentContent) -> bool:
    """Whether the line is a row, or a single line between rows (a group's name)."""
    kinds = [line.kind for line in content.lines_between(number - 1, number + 1)]
    return content.lines[number - 1].kind == "table_row" or kinds.count("table_row") == len(kinds) - 1 == 2


def cut_to_size(lines: LineRange, anchor: LineRange, content: DocumentContent, chars_max: int) -> LineRange:
    """Drop lines from the end farther from the anchor until the text fits."""
    first, last = lines
    sizes = {
        line.number: 0 if line.kind in UNSEARCHED_KINDS else len(line.text) + 1
        for line in content.lines_between(first, last)
    }
    total = sum(sizes.values())
    while total > chars_max and (first < anchor.first or last > anchor.last):
        if anchor.first - first >= last - anchor.last and first < anchor.first:
            total -= sizes[first]
            first += 1
        else:
            total -= sizes[last]
            last -= 1
    return LineRange(first, last)


def context_at(lines: LineRange, content: DocumentContent) -> Context:
    rows, legible = content.lines_between(*lines), content.legible_lines(*lines)
    return Context(
        lines=lines,
        pages=(rows[0].page_number, rows[-1].page_number),
        text="\n".join(line.text for line in legible),
        boxes=boxes_by_page(legible),
    )


def boxes_by_page(lines: Sequence[LineRow]) -> tuple[Box, ...]:
    groups: dict[tuple[int, int], list[LineRow]] = {}
    for line in lines:
        groups.setdefault((line.page_number, line.column), []).append(line)
    return tuple(
        Box(
            page,
            min(line.x0 for line in group),
            min(line.y0 for line in group),
            max(line.x1 for line in group),
            max(line.y1 for line in group),
        )
        for (page, _), group in groups.items()
    )
