"""Files attached to a PDF: which there are, and those that are PDFs taken in as documents of the base.

They are named with their digests and count as not looked at until they are documents of the scope. What is taken in
comes by the way of every upload and keeps its `carrier`.
"""

from typing import NamedTuple

from django.core.files import File

from accounts.models import User
from documents.ingestion import page_images
from documents.ingestion.parsing import check_file
from documents.models import Document, Parse
from documents.storage.temporary import temporary_folder
from documents.storage.uploads import PDF, DuplicateDocument, StorageFull, UploadRefused, accept_upload
from reading.processes.sandbox import take_attached_in_child


class AttachedFile(NamedTuple):
    """A file that a document carries, and the document of the base that has the same bytes, if there is one."""

    name: str
    document: Document | None

    @property
    def may_be_taken(self) -> bool:
        """Whether it has the name of a PDF and is no document yet."""
        return self.document is None and self.name.lower().endswith(".pdf")


class TakenIn(NamedTuple):
    """The documents that were made of attached files, and why others were refused, a sentence for each."""

    documents: tuple[Document, ...]
    refusals: tuple[str, ...]


def attached_to(document: Document, parse: Parse | None) -> list[AttachedFile]:
    found = [(name, sha256) for name, sha256 in (parse.report if parse else {}).get("attached", [])]
    same = Document.objects.living().filter(base=document.base_id, sha256__in=[sha256 for _, sha256 in found if sha256])
    by_digest = {each.sha256: each for each in same}
    return [AttachedFile(name, by_digest.get(sha256)) for name, sha256 in found]


def take_in(document: Document, user: User | None) -> TakenIn:
    """Make documents of the PDFs attached to a document, by the way every upload goes; each has it as its carrier.

    One that the base has already is left as it is. Raises ReadingError, StorageFull.
    """
    made: list[Document] = []
    refusals: list[str] = []
    if document.media_type != PDF:
        return TakenIn((), ())
    with temporary_folder("attached") as folder:
        for name, path in take_attached_in_child(check_file(document), folder, page_images.limits()):
            try:
                with path.open("rb") as file:
                    made.append(
                        accept_upload(
                            document.base, user, File(file, name=name), carrier=document, cutting=document.cutting
                        )
                    )
            except DuplicateDocument:
                continue
            except StorageFull:
                raise
            except UploadRefused as refusal:
                refusals.append(f"{name}: {refusal.message}")
    return TakenIn(tuple(made), tuple(refusals))


def carrier_of(document: Document) -> Document | None:
    """The document that one was attached to, unless that is in the trash."""
    carrier = document.carrier
    return carrier if carrier and carrier.trashed_at is None else None
