"""The files of an upload, taken one by one: what became of each, for pages and programs alike."""

from collections.abc import Collection, Iterable
from http import HTTPStatus
from typing import Any, NamedTuple

from django.core.files import File
from django.utils.translation import gettext

from accounts.models import User
from documents.base_settings import ChosenCutting
from documents.ingestion.tasks import start
from documents.models import Document, KnowledgeBase
from documents.storage import uploads
from documents.storage.whole import RETRY_AFTER_S


class UploadOutcome(NamedTuple):
    """What became of one file; a duplicate has the document of the same bytes."""

    file_name: str
    code: str  # "accepted", or why it was refused
    words: str  # of the code, for people
    document: Document | None = None


def take_files(
    base: KnowledgeBase,
    user: User,
    files: "Iterable[File[Any]]",
    too_long: Iterable[str] = (),
    cutting: ChosenCutting = uploads.AS_BASE,
) -> list[UploadOutcome]:
    """Accept each file by itself and have it read; of those that were too long only the name is left."""
    outcomes = []
    for file in files:
        try:
            document = uploads.accept_upload(base, user, file, cutting=cutting)
        except uploads.UploadRefused as refusal:
            outcomes.append(describe_refusal(file.name or "", refusal))
        else:
            start(document.jobs.get())
            words = gettext("Taken; it is being read.")
            outcomes.append(UploadOutcome(document.file_name, "accepted", words, document))
    return outcomes + [describe_refusal(name, uploads.refusal_of_size()) for name in too_long]


def describe_refusal(name: str, refusal: uploads.UploadRefused) -> UploadOutcome:
    known = refusal.document if isinstance(refusal, uploads.DuplicateDocument) else None
    return UploadOutcome(uploads.clean_file_name(name), refusal.code, refusal.message, known)


def status_of_refusals(codes: Collection[str]) -> tuple[HTTPStatus, int | None]:
    """How an upload is answered of which nothing was taken, and after how many seconds it may be sent again."""
    if uploads.StorageFull.CODE in codes:
        return HTTPStatus.INSUFFICIENT_STORAGE, RETRY_AFTER_S
    if uploads.QuotaReached.CODE in codes:
        return HTTPStatus.TOO_MANY_REQUESTS, uploads.quota_renewed_in_s()
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if set(codes) == {"too_large"} else HTTPStatus.BAD_REQUEST, None
