"""A page of a document as shown: the sheet, the contents, the parse's report, and the selected line."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F, Sum
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.ingestion.page_images import has_image
from documents.models import Document, Page, Parse
from documents.pages.address import PageTarget
from documents.pages.contents_tree import Tree, tree_of
from documents.pages.listing import ORIGINS, STRENGTH_WORDS
from documents.pages.profile import (
    ReportLine,
    contents_check_findings,
    page_findings,
    profile_findings,
    quality_findings,
)
from documents.pages.search import Match, Matches
from documents.pages.section_names import name_entries, name_path
from documents.pages.sentences import explain_warning
from documents.pages.sheet import Mark, Sheet, boxes_around, build_sheet, line_marks
from documents.storage.uploads import PDF
from reading.boxes import box_of_line, boxes_of
from reading.passages import RUNNING
from reading.reasons import number_ranges
from reading.rows import (
    ASIDE_KINDS,
    FRONT_INDEX,
    UNSEARCHED_KINDS,
    LineRow,
    PageRow,
    PassageRow,
    TocRow,
    page_row,
    stored_line,
)

TAG_LETTERS_MAX = 36
UNDETERMINED = "und"  # ISO 639's code for an undetermined language
STEPS = {
    "lines": "text and lines",
    "furniture": "running heads",
    "kinds": "kinds of lines",
    "toc": "contents",
    "white": "look for white text",
    "rows": "rows",
}
MILLISECONDS = 1000
FOUND = 0.7  # from this confidence on, the title is on the entry's first line
CUTS = {"section": _("by section"), "page": _("by page"), "fixed": _("of fixed length")}


@dataclass(frozen=True)
class PageInspection:
    parse: Parse
    page: PageRow
    sheet: Sheet
    lines: tuple[LineRow, ...]
    tree: Tree
    current: TocRow | None
    line: LineRow | None
    line_section: TocRow | None
    findings: tuple[ReportLine, ...]
    page_findings: tuple[ReportLine, ...]
    passages: tuple[tuple[PassageRow, str], ...]  # each with its annotation
    timings: tuple[tuple[str, float], ...]
    seconds: float

    @property
    def previous(self) -> int | None:
        return self.page.number - 1 if self.page.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.page.number + 1 if self.page.number < self.parse.page_count else None

    unsearched_kinds = UNSEARCHED_KINDS

    @property
    def searched_heads(self) -> set[int]:
        """The running heads of the page that are searched: the first copy of each."""
        heads = [passage for passage, _ in self.passages if passage.kind == RUNNING]
        return {number for head in heads for number in range(head.first_line, head.last_line + 1)}

    @property
    def current_path(self) -> str:
        return self.path_of(self.current)

    @property
    def line_path(self) -> str:
        return self.path_of(self.line_section)

    def path_of(self, entry: TocRow | None) -> str:
        """The titles from the top to a section, for people."""
        return name_path(entry.title, entry.breadcrumb, self.parse.pk, entry.index) if entry else ""

    @property
    def known_from(self) -> str:
        """What the section was known by, in words; "" for what stands before the first one."""
        return str(ORIGINS.get(self.current.origin, "")) if self.current else ""


def inspect_page(document: Document, parse: Parse, place: PageTarget) -> PageInspection | None:
    """One page of a parse, with the selected line and search hits highlighted; None if there is no such page."""
    page = read_page(parse, place.page_number)
    if page is None:
        return None
    lines, toc = read_page_lines(parse, place.page_number), toc_of(parse)
    line = next((line for line in lines if line.number == place.line_number), None)
    current = section_at(toc, line.toc_index if line else section_lit(place, lines) or first_section(lines))
    return PageInspection(
        parse=parse,
        page=page,
        sheet=sheet_of_page(document, parse, page, lines, line, current, found_marks(place, lines)),
        lines=lines,
        tree=name_entries(parse.pk, tree_of(toc, current)),
        current=current,
        line=line,
        line_section=section_at(toc, line.toc_index) if line else None,
        findings=tuple(report_lines(parse, toc)),
        page_findings=tuple(page_findings(page, lines)),
        passages=passages_of(parse, place.page_number),
        timings=tuple(
            (name, parse.timings_ms[step] / MILLISECONDS) for step, name in STEPS.items() if step in parse.timings_ms
        ),
        seconds=sum(parse.timings_ms.values()) / MILLISECONDS,
    )


def draw_page(document: Document, parse: Parse, place: PageTarget, number: int) -> Sheet | None:
    """A page near a place, with the same words lit; line and section are marked on the page of the place itself."""
    if number == place.page_number:
        inspection = inspect_page(document, parse, place)
        return inspection.sheet if inspection else None
    page = read_page(parse, number)
    if page is None:
        return None
    lines = read_page_lines(parse, number)
    found = found_marks(replace(place, page_number=number), lines)
    return sheet_of_page(document, parse, page, lines, None, None, found)


def read_page(parse: Parse, number: int) -> PageRow | None:
    stored = parse.pages.filter(number=number).values_list(*PageRow._fields).first()
    return page_row(stored) if stored else None


def section_lit(place: PageTarget, lines: Sequence[LineRow]) -> int | None:
    """The section of the current hit or of the quote in the address."""
    found, hit = (place.finding, place.hit) if place.hit else (place.quote, place.quoted)
    numbers = found.line_numbers([hit]) if found and hit else set()
    return next((line.toc_index for line in lines if line.number in numbers), None)


def found_marks(place: PageTarget, lines: Sequence[LineRow]) -> list[Mark]:
    """The highlights of a page: every hit, the current one as an anchor, and the quote in the address."""
    marks = []
    if place.finding:
        numbers = {line.number for line in lines}
        near = [hit for hit in place.finding.hits if place.page_number - 1 <= hit.page_number <= place.page_number]
        here = [hit for hit in near if numbers & place.finding.line_numbers([hit])]
        marks += [mark_of(place.finding, hit, lines, is_current=hit == place.hit) for hit in here]
    if place.quote and place.quoted:
        marks.append(mark_of(place.quote, place.quoted, lines, is_current=True))
    return marks


def mark_of(found: Matches, hit: Match, lines: Sequence[LineRow], *, is_current: bool) -> Mark:
    pieces = found.pieces(hit, {line.number: line.text_in_force for line in lines})
    boxes = boxes_of(pieces, {line.number: line for line in lines})
    return Mark("anchor" if is_current else "found", [box.as_dict() for box in boxes])


def read_page_lines(parse: Parse, page_number: int) -> tuple[LineRow, ...]:
    stored = parse.lines.filter(page_number=page_number).order_by("number").values_list(*LineRow._fields)
    return tuple(stored_line(row) for row in stored)


def passages_of(parse: Parse, page_number: int) -> tuple[tuple[PassageRow, str], ...]:
    """The passages that touch a page, each with its annotation."""
    here = parse.passages.filter(first_page__lte=page_number, last_page__gte=page_number).order_by("index")
    stored = here.values_list(*PassageRow._fields, "annotation")
    return tuple((PassageRow(*row[:-1]), row[-1]) for row in stored)


def toc_of(parse: Parse) -> tuple[TocRow, ...]:
    return tuple(TocRow(*row) for row in parse.toc_entries.order_by("index").values_list(*TocRow._fields))


def section_at(toc: Sequence[TocRow], index: int | None) -> TocRow | None:
    return next((entry for entry in toc if entry.index == index), None)


def first_section(lines: Sequence[LineRow]) -> int | None:
    """The main section of a page: that of its first heading, else of its first searched line."""
    for kinds in (("heading",), ("body", "list_item", "table_row", "caption")):
        for line in lines:
            if line.kind in kinds:
                return line.toc_index
    return lines[0].toc_index if lines else None


def sheet_of_page(
    document: Document,
    parse: Parse,
    page: PageRow,
    lines: Sequence[LineRow],
    line: LineRow | None,
    current: TocRow | None,
    found: Sequence[Mark],
) -> Sheet:
    marks = [*line_marks(lines), *found]
    if current and current.index != FRONT_INDEX:
        inside = [other for other in lines if other.toc_index == current.index and other.kind not in ASIDE_KINDS]
        name = f"section {current.number}" if current.number else current.title[:TAG_LETTERS_MAX]
        marks.append(Mark("context", boxes_around(inside), name))
    if line:
        marks.append(Mark("anchor", [box_of_line(line).as_dict()], f"line {line.number}"))
    return sheet_of_reading(
        document, parse, page, marks, lines, has_image(document, page.number) and "huge_page" not in page.flags
    )


def sheet_of_reading(
    document: Document,
    parse: Parse,
    page: Page | PageRow,
    marks: Sequence[Mark],
    lines: Sequence[LineRow],
    image: bool | None = None,
) -> Sheet:
    """The sheet of a page of a reading; of a PDF with its picture, where nothing else is said."""
    return build_sheet(
        document_id=document.pk,
        page_number=page.number,
        page_label=page.called,
        width=page.width,
        height=page.height,
        marks=marks,
        lines=lines,
        image=document.media_type == PDF if image is None else image,
        page_count=parse.page_count,
    )


# ---- the report of a parse


def report_lines(parse: Parse, toc: Sequence[TocRow]) -> list[ReportLine]:
    """What was found and what is doubtful, in words."""
    return [
        *locked_findings(parse),
        *profile_findings(parse),
        text_finding(parse),
        *quality_findings(parse),
        *recognition_findings(parse),
        columns_finding(parse),
        contents_finding(parse, toc),
        *contents_check_findings(parse),
        *line_findings(parse, count_searched_heads(parse)),
        *label_findings(parse),
        characters_finding(parse),
        language_finding(parse),
        passages_finding(parse),
        vector_finding(parse),
        *(ReportLine("warn", gettext("Note"), explain_warning(warning)) for warning in parse.warnings),
    ]


def locked_findings(parse: Parse) -> Iterator[ReportLine]:
    if parse.document.unlocked:
        words = gettext(
            "locked with a password, which was used once and not kept; a copy without it is kept for reading and for "
            "pictures of the pages, the download is the locked file"
        )
        yield ReportLine("ok", gettext("File"), words)


def text_finding(parse: Parse) -> ReportLine:
    missing = len(parse.unreadable_pages)
    words = gettext("%(part)s of %(all)s pages") % {"part": parse.page_count - missing, "all": parse.page_count}
    if missing:
        without = gettext("without text: %(pages)s") % {"pages": number_ranges(parse.unreadable_pages)}
        return ReportLine("warn", gettext("Text"), f"{words}; {without}")
    return ReportLine("ok", gettext("Text"), words)


def recognition_findings(parse: Parse) -> Iterator[ReportLine]:
    """Pages whose text was recognised from images, here or before the upload, and any failure."""
    flags = parse.pages.filter(text_layer="ocr").values_list("flags", flat=True)
    if ours := sum("recognised" in page_flags for page_flags in flags):
        words = gettext("%(count)s read from page images, perhaps with misread letters") % {"count": ours}
        yield ReportLine("warn", gettext("Recognised"), words)
    if theirs := sum("hidden_text" in page_flags for page_flags in flags):
        words = ngettext(
            "%(count)s page brings text that another program recognised",
            "%(count)s pages bring text that another program recognised",
            theirs,
        )
        yield ReportLine("warn", gettext("Recognised"), words % {"count": theirs})
    if failure := parse.report.get("recognition"):
        yield ReportLine("warn", gettext("Recognition"), gettext(failure))


def columns_finding(parse: Parse) -> ReportLine:
    several = parse.pages.filter(column_count__gt=1).count()
    told = {"count": several, "of": parse.page_count}
    return ReportLine(
        "ok", gettext("Columns"), gettext("several on %(count)s of %(of)s pages") % told if several else "1"
    )


def contents_finding(parse: Parse, toc: Sequence[TocRow]) -> ReportLine:
    entries = [entry for entry in toc if entry.origin != "front"]
    if not entries:
        return ReportLine("warn", gettext("Contents"), gettext("none found; passages are cut by page"))
    found = sum(entry.confidence >= FOUND for entry in entries)
    origin = ORIGINS.get(parse.toc_origin, parse.toc_origin)
    kind = "ok" if parse.toc_strength in ("strong", "medium") else "warn"
    told = {"origin": origin, "strength": STRENGTH_WORDS[parse.toc_strength], "found": found, "of": len(entries)}
    words = gettext("%(origin)s, %(strength)s; %(found)s of %(of)s titles found on their page") % told
    return ReportLine(kind, gettext("Contents"), words)


def count_searched_heads(parse: Parse) -> int:
    heads = parse.passages.filter(kind=RUNNING).aggregate(lines=Sum(F("last_line") - F("first_line") + 1))
    return heads["lines"] or 0


def line_findings(parse: Parse, searched_heads: int = 0) -> Iterator[ReportLine]:
    kinds = parse.report.get("line_kinds", {})
    named = {"heading": gettext("headings"), "table_row": gettext("table rows"), "list_item": gettext("list items")}
    shown = ", ".join(f"{kinds[kind]} {words}" for kind, words in named.items() if kinds.get(kind))
    of_them = ", " + gettext("of them %(shown)s") % {"shown": shown} if shown else ""
    yield ReportLine("ok", gettext("Lines"), f"{parse.line_count}{of_them}")
    set_aside = sum(kinds.get(kind, 0) for kind in UNSEARCHED_KINDS) - searched_heads
    words = ngettext(
        "%(count)s line of running heads, page numbers, file headers, markup and contents pages",
        "%(count)s lines of running heads, page numbers, file headers, markup and contents pages",
        set_aside,
    )
    yield ReportLine("ok", gettext("Not searched"), words % {"count": set_aside})


def label_findings(parse: Parse) -> Iterator[ReportLine]:
    """How printed page numbers relate to page positions, if they differ."""
    labels = parse.pages.values_list("number", "label")
    offsets = Counter(number - int(label) for number, label in labels if label.isdecimal())
    differing = sum(label not in ("", str(number)) for number, label in labels)
    if differing and offsets:
        offset, count = offsets.most_common(1)[0]
        words = gettext("page 1 is page %(page)s of the file; %(count)s pages are so far apart")
        yield ReportLine("ok", gettext("Page numbers"), words % {"page": 1 + offset, "count": count})
    elif differing:
        words = ngettext(
            "%(count)s page is not named by its place in the file",
            "%(count)s pages are not named by their place in the file",
            differing,
        )
        yield ReportLine("ok", gettext("Page numbers"), words % {"count": differing})


def characters_finding(parse: Parse) -> ReportLine:
    removed, hidden = parse.report.get("removed_chars", 0), parse.report.get("hidden_chars", 0)
    concealed = parse.report.get("concealed_chars", 0)
    counts = (
        (removed, gettext("removed")),
        (hidden, gettext("invisible")),
        (concealed, gettext("white, transparent or tiny")),
        (parse.report.get("off_page_chars", 0), gettext("outside the page, not searched")),
    )
    odd = ", ".join(f"{count} {words}" for count, words in counts if count)
    total = parse.report.get("chars", 0)
    words = f"{total}, " + (gettext("of them %(shown)s") % {"shown": odd} if odd else gettext("all visible"))
    return ReportLine("warn" if odd else "ok", gettext("Characters"), words)


def passages_finding(parse: Parse) -> ReportLine:
    kinds = Counter(parse.passages.values_list("kind", flat=True))
    told = {"count": kinds.total(), "tables": kinds["table"], "cut": CUTS[parse.settings.get("chunking", "section")]}
    words = gettext("%(count)s, %(cut)s, %(tables)s of them tables") % told
    annotation = parse.report.get("annotation")
    if isinstance(annotation, dict):
        described = gettext("%(done)s of %(of)s described by a model (%(sent)s tokens in, %(got)s out, %(cost)s)")
        words += "; " + described % {
            "done": annotation["done"],
            "of": annotation["of"],
            "sent": annotation["tokens_in"] or 0,
            "got": annotation["tokens_out"] or 0,
            "cost": cost_words(annotation),
        }
        words += f". {annotation['failure']}" if annotation["failure"] else ""
        return ReportLine("warn" if annotation["failure"] else "ok", gettext("Passages"), words)
    if annotation:
        return ReportLine("warn", gettext("Passages"), f"{words}. {annotation}")
    return ReportLine("ok", gettext("Passages"), words)


def cost_words(annotation: Mapping[str, Any]) -> str:
    """The cost of a parse's annotation, as far as its calls had a price."""
    if not annotation.get("cost"):
        return gettext("not priced")
    missing = ngettext("%(count)s call not priced", "%(count)s calls not priced", annotation["unpriced"])
    missing %= {"count": annotation["unpriced"]}
    unpriced = f", {missing}" if annotation["unpriced"] else ""
    return f"{number_format(round(float(annotation['cost']), 4), 4)} {annotation['currency']}{unpriced}"


def language_finding(parse: Parse) -> ReportLine:
    language = gettext("unknown") if parse.language in ("", UNDETERMINED) else parse.language
    words = gettext("%(language)s, searched as %(searched)s") % {"language": language, "searched": parse.search_config}
    return ReportLine("ok", gettext("Language"), words)


def vector_finding(parse: Parse) -> ReportLine:
    if parse.embedding_model:
        words = gettext("ready, by %(model)s") % {"model": parse.embedding_model}
        return ReportLine("ok", gettext("Search by meaning"), words)
    return ReportLine(
        "warn",
        gettext("Search by meaning"),
        parse.report.get("embeddings") or gettext("not complete yet; keyword search works"),
    )
