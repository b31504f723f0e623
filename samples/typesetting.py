"""Mark-up in, A4 pages out: outline, contents with links, running lines, tables with columns.

One block per paragraph: `# heading` to three levels, `(a) item`, `- item`, `| table |`, `@directive`, else prose.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import pymupdf

Colour = tuple[float, float, float]
Word = list[tuple[str, str]]  # fragments (text, font) without a space between them
Line = list[Word]
Column = tuple[float, float, bool]  # first x, width, is right-aligned

PAGE_WIDTH, PAGE_HEIGHT = 595.0, 842.0
BLACK: Colour = (0.0, 0.0, 0.0)
GREY: Colour = (0.38, 0.38, 0.38)
PALE: Colour = (0.78, 0.78, 0.78)
KEPT_ROWS = 10  # a table no longer than this stays on one page
CREATED = "D:20240115090000Z"  # fixed, so that the same source gives the same file

BOLD_OR_ITALIC = re.compile(r"(\*\*.+?\*\*|\*[^* ][^*]*\*)")
LIST_ITEM = re.compile(r"^(\([a-z]\)|-) +")
HEADING = re.compile(r"^(#{1,3}) +")
HEADING_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)?)\s+")
FONTS = {name: pymupdf.Font(name) for name in ("tiro", "tibo", "tiit", "helv", "hebo", "heit")}


@dataclass(frozen=True)
class Style:
    """How one document looks; lengths in points."""

    title: str
    body: str = "tiro"
    bold: str = "tibo"
    italic: str = "tiit"
    size: float = 10.8
    leading: float = 14.6
    accent: Colour = BLACK
    margin: float = 80.0
    top: float = 96.0
    bottom: float = 764.0
    header: tuple[str, str] = ("", "")
    footer: tuple[str, str] = ("", "")
    front_pages: int = 0  # labelled i, ii …; the next page is 1
    contents_levels: int = 1
    has_outline: bool = True
    row_rules: bool = True

    @property
    def width(self) -> float:
        """The measure of the text."""
        return PAGE_WIDTH - 2 * self.margin


@dataclass(frozen=True)
class Block:
    """One paragraph of the source."""

    kind: str
    text: str = ""
    label: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Text:
    """A run in one font, its baseline at y."""

    x: float
    y: float
    text: str
    font: str
    size: float
    colour: Colour = BLACK


@dataclass(frozen=True)
class Rule:
    """A horizontal rule."""

    first_x: float
    last_x: float
    y: float
    weight: float = 0.5
    colour: Colour = PALE


@dataclass
class Sheet:
    """What is drawn on one page."""

    chapter: str = ""
    is_cover: bool = False
    texts: list[Text] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)


@dataclass(frozen=True)
class Heading:
    """A heading where it was set."""

    level: int
    title: str
    sheet_index: int
    y: float


def parse(source: str) -> list[Block]:
    """The blocks of a source text, in order."""
    return [block for paragraph in re.split(r"\n\s*\n", source.strip()) for block in _parse_paragraph(paragraph)]


def _parse_paragraph(paragraph: str) -> Iterator[Block]:
    lines = paragraph.strip().splitlines()
    if lines[0].startswith("|"):
        yield Block("table", rows=tuple(tuple(cell.strip() for cell in line.strip("| ").split("|")) for line in lines))
        return
    pending: list[str] = []
    for line in lines:
        starts_block = line.startswith(("@", "#")) or LIST_ITEM.match(line)
        if starts_block and pending:
            yield _block(" ".join(pending))
            pending = []
        pending.append(line.strip())
    yield _block(" ".join(pending))


def _block(text: str) -> Block:
    if text.startswith("@"):
        kind, _, argument = text[1:].partition(" ")
        return Block(kind, argument)
    if heading := HEADING.match(text):
        return Block(f"heading{len(heading[1])}", text[heading.end() :])
    if item := LIST_ITEM.match(text):
        return Block("item", text[item.end() :], "•" if item[1] == "-" else item[1])
    return Block("prose", text)


def page_label(page_index: int, front_pages: int) -> str:
    """The label printed on a page: roman in front, then from 1."""
    if page_index >= front_pages:
        return str(page_index - front_pages + 1)
    return ("i", "ii", "iii", "iv", "v", "vi")[page_index]


@cache
def text_width(text: str, font: str, size: float) -> float:
    """Width of a run in points."""
    return float(FONTS[font].text_length(text, fontsize=size))


class Typesetter:
    """Fills sheets from top to bottom, then paints them."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.sheets = [Sheet()]
        self.headings: list[Heading] = []
        self.contents_index: int | None = None
        self.y = style.top

    # -- the flow ------------------------------------------------------------------------------

    def set(self, source: str) -> None:
        """Lay the whole source out."""
        blocks = parse(source)
        for block, following in zip(blocks, [*blocks[1:], Block("end")], strict=True):
            getattr(self, f"_set_{block.kind.rstrip('123')}")(block, following)

    @property
    def sheet(self) -> Sheet:
        """The sheet being filled."""
        return self.sheets[-1]

    def new_sheet(self) -> None:
        """Go on at the top of a new page."""
        self.sheets.append(Sheet(chapter=self.sheet.chapter))
        self.y = self.style.top

    def _need(self, height: float) -> None:
        if self.y + height > self.style.bottom:
            self.new_sheet()

    def _set_page(self, block: Block, following: Block) -> None:
        self.new_sheet()

    def _set_space(self, block: Block, following: Block) -> None:
        self.y += float(block.text)

    def _set_cover(self, block: Block, following: Block) -> None:
        self.sheet.is_cover = True

    def _set_contents(self, block: Block, following: Block) -> None:
        self.contents_index = len(self.sheets) - 1
        self.sheet.chapter = "Contents"
        self.new_sheet()

    def _set_title(self, block: Block, following: Block) -> None:
        style = replace(self.style, body="hebo", size=27, leading=33)
        self._lines(block.text, self.style.margin, style, self.style.accent)

    def _set_subtitle(self, block: Block, following: Block) -> None:
        style = replace(self.style, body="helv", bold="hebo", size=12.5, leading=18)
        self._lines(block.text, self.style.margin, style, GREY)

    def _set_rule(self, block: Block, following: Block) -> None:
        self.sheet.rules.append(Rule(self.style.margin, PAGE_WIDTH - self.style.margin, self.y, 1.2, self.style.accent))
        self.y += self.style.leading

    def _set_band(self, block: Block, following: Block) -> None:
        depth = float(block.text)
        self.sheet.rules.append(Rule(0, PAGE_WIDTH, depth / 2, depth, self.style.accent))

    def _set_caption(self, block: Block, following: Block) -> None:
        self._need(6 * self.style.leading)
        self._lines(block.text, self.style.margin, replace(self.style, body="heit", size=8.6, leading=12), GREY)
        self.y += 2

    def _set_heading(self, block: Block, following: Block) -> None:
        level = int(block.kind[-1])
        size, before = ((16, 24), (12, 13), (10.6, 8))[level - 1]
        stacked = 40 if following.kind.startswith(("heading", "caption")) else 0  # no heading alone at the foot
        self._need(before + size + stacked + 4 * self.style.leading)
        if self.y > self.style.top:
            self.y += before
        if level == 1:
            self.sheet.chapter = block.text
        self.headings.append(Heading(level, block.text, len(self.sheets) - 1, self.y - size))
        style = replace(self.style, body="heit" if level == 3 else "hebo", size=size, leading=size * 1.25)
        self._lines(block.text, self.style.margin, style, self.style.accent)
        self.y += (7, 4, 2)[level - 1]

    def _set_prose(self, block: Block, following: Block) -> None:
        self._paragraph(block.text, self.style.margin, introduces=following.kind in ("item", "table"))
        self.y += self.style.leading * 0.5

    def _set_item(self, block: Block, following: Block) -> None:
        indent = self.style.margin + 28
        baseline = self._paragraph(block.text, indent)
        self.sheets[baseline[0]].texts.insert(
            baseline[2],
            Text(indent - 20, baseline[1], block.label, self.style.body, self.style.size),
        )
        self.y += self.style.leading * (0.22 if following.kind == "item" else 0.55)

    def _set_signatures(self, block: Block, following: Block) -> None:
        self._need(90)
        top = self.y
        for column, lines in enumerate(block.text.split("||")):
            x, self.y = self.style.margin + column * (self.style.width / 2 + 10), top
            self._lines(lines.split(";")[0], x, self.style, BLACK)
            self.y += 44
            self.sheet.rules.append(Rule(x, x + self.style.width / 2 - 20, self.y - 12, 0.6, GREY))
            for line in lines.split(";")[1:]:
                self._lines(line, x, replace(self.style, size=9.4, leading=12.6), BLACK)

    # -- paragraphs ----------------------------------------------------------------------------

    def _paragraph(self, text: str, x: float, *, introduces: bool = False) -> tuple[int, float, int]:
        """Set prose; say where its first line stands: sheet index, baseline, position among the texts."""
        style = self.style
        lines = wrap(text, style, PAGE_WIDTH - style.margin - x)
        room = int((style.bottom - self.y) / style.leading)
        if room < min(len(lines), 2) or (introduces and len(lines) <= 3 and room <= len(lines)):
            self.new_sheet()
            room = int((style.bottom - self.y) / style.leading)
        if len(lines) - room == 1:  # no line alone on the next page
            room -= 1
        start = (len(self.sheets) - 1, self.y, len(self.sheet.texts))
        for line_index, line in enumerate(lines):
            if line_index == room:
                self.new_sheet()
            self._line(line, x, style, BLACK)
        return start

    def _lines(self, text: str, x: float, style: Style, colour: Colour) -> None:
        for line in wrap(text, style, PAGE_WIDTH - style.margin - x):
            self._line(line, x, style, colour)

    def _line(self, line: Line, x: float, style: Style, colour: Colour) -> None:
        self.sheet.texts.extend(runs(line, x, self.y, style.size, colour))
        self.y += style.leading

    # -- tables --------------------------------------------------------------------------------

    def _set_table(self, block: Block, following: Block) -> None:
        header, marks, *rows = block.rows
        columns = self._columns(marks)
        style = replace(self.style, body="helv", bold="hebo", italic="heit", size=8.8, leading=11.6)
        kept_rows = rows if len(rows) <= KEPT_ROWS else rows[:2]
        self._need(sum(_row_height(row, columns, style) + 5.5 for row in (header, *kept_rows)))
        self._header_row(header, columns, style)
        for row in rows:
            if self.y + _row_height(row, columns, style) > self.style.bottom + style.leading:
                self.new_sheet()
                self._header_row(header, columns, style)
            self._row(row, columns, style)
        self._close_table()

    def _columns(self, marks: tuple[str, ...]) -> list[Column]:
        """The columns of a table; widths follow the dashes of the second source row."""
        dashes = sum(len(mark) for mark in marks)
        columns, x = [], self.style.margin
        for mark in marks:
            width = self.style.width * len(mark) / dashes
            columns.append((x, width, mark.endswith(":")))
            x += width
        return columns

    def _header_row(self, header: tuple[str, ...], columns: list[Column], style: Style) -> None:
        self._full_rule(self.y - 9, 0.9, self.style.accent)
        self.y += 3
        self._cells(tuple(f"**{cell}**" if cell else "" for cell in header), columns, style)
        self._full_rule(self.y - 9, 0.6, self.style.accent)
        self.y += 4

    def _row(self, row: tuple[str, ...], columns: list[Column], style: Style) -> None:
        is_total = row[0].startswith("**") and any(row[1:])
        if is_total:
            for (x, width, is_right), cell in zip(columns, row, strict=True):
                if is_right and cell:
                    self.sheet.rules.append(Rule(x + 14, x + width - 2, self.y - 9.5, 0.5, GREY))
        self._cells(row, columns, style)
        if self.style.row_rules:
            self._full_rule(self.y - 8.5)
            self.y += 3.5
        elif is_total:
            self.y += 4.5

    def _cells(self, row: tuple[str, ...], columns: list[Column], style: Style) -> None:
        """Set one row; every cell's first line shares a baseline."""
        lowest = self.y + style.leading + 2
        for (x, width, is_right), cell in zip(columns, row, strict=True):
            for line_index, line in enumerate(wrap(cell, style, width - 8)):
                left = _right_aligned(line, x + width, style) if is_right else x + 3
                baseline = self.y + line_index * style.leading
                self.sheet.texts.extend(runs(line, left, baseline, style.size, BLACK))
                lowest = max(lowest, baseline + style.leading + 2)
        self.y = lowest

    def _close_table(self) -> None:
        if not self.style.row_rules:
            self._full_rule(self.y - 8.5, 0.9, self.style.accent)
        self.y += self.style.leading * 0.9

    def _full_rule(self, y: float, weight: float = 0.4, colour: Colour = PALE) -> None:
        self.sheet.rules.append(Rule(self.style.margin, PAGE_WIDTH - self.style.margin, y, weight, colour))

    # -- painting ------------------------------------------------------------------------------

    def document(self) -> pymupdf.Document:
        """The pages painted, with outline or linked contents, page labels and running lines."""
        links = self._set_contents_entries()
        document = pymupdf.open()
        for sheet_index, sheet in enumerate(self.sheets):
            self._set_running_lines(sheet_index)
            paint(document.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT), sheet)
        for link in links:
            document[self.contents_index or 0].insert_link(link)
        self._label(document)
        document.subset_fonts()
        return document

    def _label(self, document: pymupdf.Document) -> None:
        style = self.style
        if style.has_outline:
            document.set_toc([_outline_entry(heading) for heading in self.headings])
        if style.front_pages:
            front = {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1}
            document.set_page_labels([front, {**front, "startpage": style.front_pages, "style": "D"}])
        stamp = {"creationDate": CREATED, "modDate": CREATED}
        document.set_metadata({"title": style.title, "author": "DocIntel samples, CC0", **stamp})

    def _set_running_lines(self, sheet_index: int) -> None:
        sheet, style = self.sheets[sheet_index], self.style
        if sheet.is_cover:
            return
        names = {
            "page": page_label(sheet_index, style.front_pages),
            "pages": len(self.sheets),
            "chapter": sheet.chapter,
        }
        for (left, right), y in ((style.header, 54.0), (style.footer, 804.0)):
            right_text = right.format(**names)
            right_x = PAGE_WIDTH - style.margin - text_width(right_text, "helv", 8)
            sheet.texts.append(Text(style.margin, y, left.format(**names), "helv", 8, GREY))
            sheet.texts.append(Text(right_x, y, right_text, "helv", 8, GREY))
        sheet.rules.append(Rule(style.margin, PAGE_WIDTH - style.margin, 61.0))

    def _set_contents_entries(self) -> list[dict[str, object]]:
        """Print the contents on its page; give back the links to insert."""
        if self.contents_index is None:
            return []
        style, sheet, y = self.style, self.sheets[self.contents_index], self.style.top
        sheet.texts.append(Text(style.margin, y, "Contents", "hebo", 16, style.accent))
        y += 27
        links = []
        for heading in self.headings:
            if heading.level <= style.contents_levels:
                y += 5 if heading.level == 1 else 0
                sheet.texts.extend(contents_line(heading, y, style))
                links.append(_link(heading, y, style))
                y += 13.4
        return links


def _row_height(row: tuple[str, ...], columns: list[Column], style: Style) -> float:
    lines = max(len(wrap(cell, style, width - 8)) for (_, width, _), cell in zip(columns, row, strict=True))
    return lines * style.leading


def _right_aligned(line: Line, right: float, style: Style) -> float:
    """Left edge of a right-aligned line; a closing bracket hangs out so that digits stand below digits."""
    text = " ".join("".join(fragment for fragment, _ in word) for word in line)
    hang = 0.0 if text.endswith((")", "%")) else text_width(")", style.body, style.size)
    width = sum(text_width(run.text, run.font, run.size) for run in runs(line, 0, 0, style.size, BLACK))
    return right - 3 - hang - width


def wrap(text: str, style: Style, width: float) -> list[Line]:
    """Break text into lines no wider than `width` points."""
    lines: list[Line] = [[]]
    used, space = 0.0, text_width(" ", style.body, style.size)
    for word in words(text, style):
        word_width = sum(text_width(fragment, font, style.size) for fragment, font in word)
        if lines[-1] and used + space + word_width > width:
            lines.append([])
            used = 0.0
        used += word_width + (space if lines[-1] else 0.0)
        lines[-1].append(word)
    return lines


def words(text: str, style: Style) -> list[Word]:
    """Words with the font of each fragment, from **bold** and *italic* marks."""
    result: list[Word] = [[]]
    for part in BOLD_OR_ITALIC.split(text):
        font = style.bold if part.startswith("**") else style.italic if BOLD_OR_ITALIC.fullmatch(part) else style.body
        stripped = part.strip("*") if font != style.body else part
        for piece_index, piece in enumerate(stripped.split(" ")):
            if piece_index:
                result.append([])
            if piece:
                result[-1].append((piece, font))
    return [word for word in result if word]


def runs(line: Line, x: float, y: float, size: float, colour: Colour) -> list[Text]:
    """One Text per stretch of a single font."""
    stretches: list[tuple[str, str]] = []
    for word_index, word in enumerate(line):
        for fragment_index, (fragment, font) in enumerate(word):
            lead = " " if word_index and not fragment_index else ""
            if stretches and stretches[-1][1] == font:
                stretches[-1] = (stretches[-1][0] + lead + fragment, font)
            else:
                stretches.append((lead + fragment, font))
    texts = []
    for text, font in stretches:
        texts.append(Text(x, y, text, font, size, colour))
        x += text_width(text, font, size)
    return texts


def contents_line(heading: Heading, y: float, style: Style) -> list[Text]:
    """One printed contents entry: title, dot leaders, page label."""
    font, size = ("hebo", 9.6) if heading.level == 1 else ("helv", 9.2)
    x = style.margin + 16 * (heading.level - 1)
    label = page_label(heading.sheet_index, style.front_pages)
    dots_x = x + text_width(heading.title, font, size) + 6
    dots = int((PAGE_WIDTH - style.margin - 24 - dots_x) / text_width(" .", "helv", 9.2))
    label_x = PAGE_WIDTH - style.margin - text_width(label, font, size)
    leader_x = PAGE_WIDTH - style.margin - 24 - dots * text_width(" .", "helv", 9.2)
    return [
        Text(x, y, heading.title, font, size),
        Text(leader_x, y, (" ." * dots).strip(), "helv", 9.2, GREY),
        Text(label_x, y, label, font, size),
    ]


def _link(heading: Heading, y: float, style: Style) -> dict[str, object]:
    return {
        "kind": pymupdf.LINK_GOTO,
        "from": pymupdf.Rect(style.margin, y - 10, PAGE_WIDTH - style.margin, y + 3),
        "page": heading.sheet_index,
        "to": pymupdf.Point(style.margin, heading.y),
    }


def _outline_entry(heading: Heading) -> list[object]:
    """An outline row; below the first level the title loses its number, as many programs write it."""
    title = heading.title if heading.level == 1 else HEADING_NUMBER.sub("", heading.title)
    target = {"kind": pymupdf.LINK_GOTO, "page": heading.sheet_index, "to": pymupdf.Point(72, heading.y)}
    return [heading.level, title, heading.sheet_index + 1, target]


def paint(page: pymupdf.Page, sheet: Sheet) -> None:
    """Draw a sheet on a page, neighbouring runs of one colour together."""
    for rule in sheet.rules:
        page.draw_line((rule.first_x, rule.y), (rule.last_x, rule.y), color=rule.colour, width=rule.weight)
    writer, colour = pymupdf.TextWriter(page.rect), BLACK
    for text in sheet.texts:
        if text.colour != colour:
            writer.write_text(page, color=colour)
            writer, colour = pymupdf.TextWriter(page.rect), text.colour
        writer.append((text.x, text.y), text.text, font=FONTS[text.font], fontsize=text.size)
    writer.write_text(page, color=colour)
