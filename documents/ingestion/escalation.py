"""Which flagged pages a heavier reader is still to read (R12), and having them read in the confined child."""

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from documents.ingestion import page_images
from documents.models import Document, Parse
from documents.storage.uploads import PDF
from reading import heavier
from reading.heavier import PageToRead
from reading.pages.quality import is_opaque
from reading.processes.sandbox import read_again_in_child
from reading.recognition import PAGES_A_CHILD, OnProgress
from reading.rows import ImageRow, LineRow, stored_line

FLAGS = {"opaque_figure", "flattened_table"}  # what a page with text may have


def pages_to_read_again(document: Document, parse: Parse | None, only: Collection[int] = ()) -> Iterator[PageToRead]:
    """The flagged pages of a parse with text, by method: those installed here and not tried before.

    Of `only` some pages also those without text; of a whole document these are read by `reading.recognition`.
    """
    if parse is None or document.media_type != PDF:
        return
    folder = page_images.folder_of(document.read_sha256)
    flagged = parse.pages.exclude(flags=[]).order_by("number")
    flagged, asked = (flagged.filter(number__in=only), heavier.METHOD_OF.keys()) if only else (flagged, FLAGS)
    for stored in flagged.values_list("number", "flags"):
        number, flags = stored
        for method in sorted({heavier.METHOD_OF[flag] for flag in flags if flag in asked}):
            if heavier.library_of(method) and not heavier.found_path(folder, number, method).exists():
                yield PageToRead(number, method, pictures_of(parse, number) if method == "ocr_picture" else ())


def pictures_of(parse: Parse, page_number: int) -> tuple[tuple[float, float, float, float], ...]:
    """The boxes of the pictures of a page that have no text."""
    width, height = parse.pages.values_list("width", "height").get(number=page_number)
    lines = [stored_line(row) for row in parse.lines.filter(page_number=page_number).values_list(*LineRow._fields)]
    images = (ImageRow(*row) for row in parse.images.filter(page_number=page_number).values_list(*ImageRow._fields))
    opaque = (image for image in images if is_opaque(image, lines, width, height))
    return tuple((image.x0, image.y0, image.x1, image.y1) for image in opaque)


def read_next(
    document: Document, path: Path, parse: Parse | None, on_progress: OnProgress, only: Collection[int] = ()
) -> bool:
    """Have the next pages read; return whether more are left. Raises ReadingError."""
    wanted = list(islice(pages_to_read_again(document, parse, only), PAGES_A_CHILD + 1))
    if wanted:
        folder = page_images.folder_of(document.read_sha256)
        read_again_in_child(path, folder, wanted[:PAGES_A_CHILD], page_images.limits(), on_progress)
    return len(wanted) > PAGES_A_CHILD
