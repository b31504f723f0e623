"""Flagged pages read again on demand (R83): what a heavier reading may still do for them, and reading only these."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from documents.ingestion import page_images
from documents.ingestion.escalation import read_next
from documents.models import Document, IngestJob, Page, Parse, Stage
from documents.storage.uploads import PDF
from reading import heavier
from reading.recognition import OnProgress

# open: a method that is installed has not been tried; not_installed: only such have not; tried: none found anything;
# added: what they found is in the text.
PageState = Literal["open", "not_installed", "tried", "added"]


class FlaggedPage(NamedTuple):
    """A page that was probably not read well, why, and what a heavier reading may do for it."""

    number: int
    label: str
    flags: tuple[str, ...]
    state: PageState


def flagged_pages(document: Document, parse: Parse, only: Collection[int] = ()) -> Iterator[FlaggedPage]:
    """The pages of a parse that a heavier reading is made for, in order; of `only` these, if any are named."""
    if document.media_type != PDF:
        return
    rows = Page.objects.filter(parse=parse, flags__has_any_keys=list(heavier.METHOD_OF)).order_by("number")
    rows = rows.filter(number__in=only) if only else rows
    found = list(rows.values_list("number", "label", "flags"))
    added = set(
        parse.lines.filter(page_number__in=[number for number, *_ in found], method__in=heavier.PACKAGES)
        .order_by()
        .values_list("page_number", "method")
        .distinct()
    )
    for number, label, flags in found:
        asking = tuple(flag for flag in flags if flag in heavier.METHOD_OF)
        methods = sorted({heavier.METHOD_OF[flag] for flag in asking})
        known = {method for method in methods if (number, method) in added}
        yield FlaggedPage(number, label, asking, state_of_page(document, number, methods, known))


def state_of_page(document: Document, number: int, methods: Sequence[str], added: Collection[str]) -> PageState:
    """`added` are the methods whose lines are in the parse."""
    folder = page_images.folder_of(document.read_sha256)
    untried = [method for method in methods if not heavier.found_path(folder, number, method).exists()]
    # Found, but a reading that failed did not come to take it in.
    is_pending = any(heavier.has_found(folder, number, method) for method in methods if method not in added)
    if is_pending or any(map(heavier.library_of, untried)):
        return "open"
    if untried:
        return "not_installed"
    return "added" if added else "tried"


def read_chosen_pages(document: Document, path: Path, job: IngestJob, on_progress: OnProgress) -> Stage:
    """Read the next pages of a job that names them; return its next stage. Raises ReadingError.

    Once all were read, the document is read with what was found; where nothing was, its reading stays as it is.
    """
    if read_next(document, path, job.parse, on_progress, job.pages):
        return Stage.RECOGNISE
    after = flagged_pages(document, job.parse, job.pages) if job.parse else ()
    return Stage.CHECK if any(page.state == "open" for page in after) else Stage.DONE
