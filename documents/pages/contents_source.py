"""From which source the contents of a document are taken, where people choose it (R13); the next reading follows."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db import transaction
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from documents.access import actor_of
from documents.ingestion.queueing import queue_again
from documents.models import Document, IngestJob, Parse
from documents.pages.listing import ORIGINS
from documents.storage.uploads import PDF
from ledger.events import record
from reading.rows import ContentsSource


class SourceError(ValueError):
    """The source cannot be changed now; the message is for people."""


def choose_source(document: Document, source: ContentsSource, by: User | None = None) -> IngestJob | None:
    """Have the contents taken from a source from now on, record it, and queue a reading; None if it is chosen already.

    Where a reading finds the source not usable, it says so and takes the contents as without a choice. What refers to
    earlier readings keeps them. Raises SourceError.
    """
    with transaction.atomic():
        current = Document.objects.select_for_update().get(pk=document.pk)
        before = current.contents_source
        if source == before:
            return None
        if current.media_type != PDF:
            raise SourceError(gettext("Only of a PDF can the source of its contents be chosen."))
        if current.trashed_at or current.replaced_at:
            raise SourceError(gettext("This document is in the trash or was replaced; it is not read again."))
        if current.jobs.filter(state__in=IngestJob.OPEN).exists():
            raise SourceError(gettext("This document is being worked on. Choose when that has ended."))
        Document.objects.filter(pk=current.pk).update(contents_source=source)
        details = {"base": str(current.base_id), "source": [before, source]}
        record("contents_source_changed", actor_of(by), f"document:{current.pk}", details)
        job = queue_again(current)
    document.contents_source = source
    return job


class SourceForm(forms.Form):
    """What a document's current reading offers: the automatic choice, and each source it found usable."""

    source = forms.ChoiceField(label=_("Contents from"), widget=forms.Select(attrs={"class": "field"}))

    def __init__(self, document: Document, sent: Mapping[str, Any] | None = None) -> None:
        super().__init__(sent, initial={"source": document.contents_source})
        self.usable = usable_sources(document.current_parse)
        self.is_needed = len(self.usable) > 1 or document.contents_source != "automatic"
        first = ORIGINS[self.usable[0][0]] if self.usable else gettext("none found")
        self.fields["source"].choices = [  # type: ignore[attr-defined]
            ("automatic", gettext("Automatic (%(source)s)") % {"source": first}),
            *((name, source_words(name, entries)) for name, entries in self.usable),
        ]


def usable_sources(parse: Parse | None) -> list[tuple[str, int]]:
    """The usable sources of a reading with their entries, the automatic one first; none of an older reading."""
    return [(name, entries) for name, entries in parse.profile.get("contents_sources", [])] if parse else []


def source_words(name: str, entries: int) -> str:
    counted = ngettext("%(count)s entry", "%(count)s entries", entries) % {"count": entries}
    return f"{capfirst(ORIGINS[name])}, {counted}"
