"""The pictures that cited lines belong to (R85): those the lines stand in, and those whose caption they are."""

from collections.abc import Iterable, Sequence

from reading.boxes import PictureBox, box_of_line
from reading.pages.kinds import SCAN_SHARE
from reading.pages.quality import FIGURE_SIDE_PT, is_in_picture
from reading.registry.objects import picture_box
from reading.rows import ImageRow, LineRow, ObjectRow, PageRow

RECOGNISED = frozenset({"ocr", "ocr_picture"})  # how a line was read whose letters are in a picture
ROW_SHARE = 0.5  # of the lower panel's height: less in common is another row of pictures
CAPTION_LINES_MAX = 12  # a longer caption is text with a wrong start
CAPTION_GAP = 0.6  # of a line's height: a paragraph after the caption is set off by more


def pictures_at(
    cited: Iterable[LineRow],
    lines: Sequence[LineRow],
    page: PageRow,
    images: Sequence[ImageRow],
    objects: Iterable[ObjectRow],
) -> list[PictureBox]:
    """The boxes of the pictures of a page that its cited lines stand in or caption, each once, in the page's order.

    `lines`, `images` and `objects` are all of that page. A picture as large as the page is its scan or background, and
    a small one without a caption is a logo or a sign: neither is given.
    """
    numbers = {line.number for line in cited}
    images = [image for image in images if not is_page(image, page)]
    inside = {
        image
        for image in images
        if is_figure(image) and any(line.number in numbers and is_in_picture(line, image) for line in lines)
    }
    captions = [(each, caption_of(each, lines)) for each in objects if each.kind in ("figure", "table")]
    captioned = {
        image
        for named, caption in captions
        if numbers.intersection(line.number for line in caption)
        for image in captioned_by(caption[0], named, images)
    }
    return [box_of_picture(image, lines) for image in images if image in inside | captioned]


def is_page(image: ImageRow, page: PageRow) -> bool:
    return (image.x1 - image.x0) * (image.y1 - image.y0) >= SCAN_SHARE * page.width * page.height


def is_figure(image: ImageRow) -> bool:
    return min(image.x1 - image.x0, image.y1 - image.y0) >= FIGURE_SIDE_PT


def caption_of(named: ObjectRow, lines: Sequence[LineRow]) -> list[LineRow]:
    """The lines of the caption of a thing on its page, as far as it is wrapped."""
    first = named.line_number - lines[0].number
    caption = [lines[first]]
    for line in lines[first + 1 : first + CAPTION_LINES_MAX]:
        above = caption[-1]
        is_below = line.y1 >= above.y1 and line.y0 - above.y1 <= CAPTION_GAP * (above.y1 - above.y0)
        if line.kind in ("heading", "caption") or line.column != above.column or not is_below:
            break
        caption.append(line)
    return caption


def captioned_by(caption: LineRow, named: ObjectRow, images: Sequence[ImageRow]) -> list[ImageRow]:
    """The picture nearest to a caption with the panels beside it; none for a table whose text was read."""
    own = box_of_line(caption)
    if named.kind == "table" and (named.x0, named.y0, named.x1, named.y1) != tuple(own[1:5]):
        return []
    nearest = picture_box(caption, images)
    if nearest is None:
        return []
    _, top, _, bottom = nearest
    return [
        image
        for image in images
        if image.x0 < caption.x1
        and caption.x0 < image.x1
        and min(image.y1, bottom) - max(image.y0, top) >= ROW_SHARE * min(image.y1 - image.y0, bottom - top)
    ]


def box_of_picture(image: ImageRow, lines: Sequence[LineRow]) -> PictureBox:
    """The box of a picture, which says whether text recognition read anything in it."""
    is_read = any(line.method in RECOGNISED and is_in_picture(line, image) for line in lines)
    return PictureBox(image.page_number, image.x0, image.y0, image.x1, image.y1, is_read)
