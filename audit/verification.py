"""The ledger against the rows as they are now: what each kind of entry vouches for, and rows that have no entry."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from django.db.models import CharField, Exists, Model, OuterRef, QuerySet
from django.db.models.functions import Cast

from audit.record import KINDS, row_payload
from chat.models import Answer
from chat.record import answer_payload
from ledger import chain
from ledger.chain import Fault, Head, Verification
from ledger.events import ENTRY_KIND, event_payload
from ledger.models import Entry, Event
from retrieval.models import RetrievalRun
from retrieval.record import run_payload

Row = TypeVar("Row", bound=Model)


def run_bytes(subject_id: str) -> bytes | None:
    run = stored(RetrievalRun.objects.select_related("llm_call"), subject_id)
    return None if run is None else run_payload(run)


def answer_bytes(subject_id: str) -> bytes | None:
    answer = stored(Answer.objects.select_related("llm_call"), subject_id)
    return None if answer is None else answer_payload(answer)


def event_bytes(subject_id: str) -> bytes | None:
    event = stored(Event.objects.all(), subject_id)
    return None if event is None else event_payload(event)


def row_bytes(model: type[Model], subject_id: str) -> bytes | None:
    row = stored(model._default_manager.all(), subject_id)
    return None if row is None else row_payload(row)


# What an entry of each kind vouches for, read again from the database. A kind that is not here vouches for nothing.
PAYLOADS: dict[str, Callable[[str], bytes | None]] = {
    "run": run_bytes,
    "answer": answer_bytes,
    ENTRY_KIND: event_bytes,
    **{kind: partial(row_bytes, model) for model, kind in KINDS.items()},
}
VOUCHED: dict[str, type[Model]] = {"run": RetrievalRun, "answer": Answer, ENTRY_KIND: Event} | {
    kind: model for model, kind in KINDS.items()
}


@dataclass(frozen=True)
class Unrecorded:
    """A row that must have a ledger entry and has none."""

    kind: str
    subject_id: str

    @property
    def sentence(self) -> str:
        return f"The {self.kind} {self.subject_id} has no ledger entry."


@dataclass(frozen=True)
class Report:
    """A walk over the chain, and the first row that is missing from it."""

    verification: Verification
    unrecorded: Unrecorded | None

    @property
    def ok(self) -> bool:
        return self.verification.ok and self.unrecorded is None

    @property
    def sentence(self) -> str:
        """What is wrong, in one sentence; of several faults the first in the chain."""
        if self.verification.first_bad is not None:
            return fault_sentence(self.verification.first_bad)
        return self.unrecorded.sentence if self.unrecorded else ""


def verify(*, since: Head | None = None, expected_head: Head | None = None) -> Report:
    """Walk the chain and compare every entry with the row it vouches for, then look for rows without an entry."""
    verification = chain.verify(payload_of, since=since, expected_head=expected_head)
    return Report(verification, next(unrecorded(), None))


def payload_of(entry: Entry) -> bytes | None:
    read = PAYLOADS.get(entry.kind)
    return read(entry.subject_id) if read else None


def unrecorded() -> Iterator[Unrecorded]:
    """Runs, then answers, then what auditors did, that no entry vouches for."""
    for kind, model in VOUCHED.items():
        rows = model._default_manager.all()
        entries = Entry.objects.filter(kind=kind, subject_id=Cast(OuterRef("pk"), CharField()))
        missing = rows.filter(~Exists(entries)).order_by("created_at", "pk").values_list("pk", flat=True)
        for subject_id in missing.iterator():
            yield Unrecorded(kind, str(subject_id))


def stored(rows: QuerySet[Row], subject_id: str) -> Row | None:
    try:
        return rows.filter(pk=uuid.UUID(subject_id)).first()
    except ValueError:
        return None


def fault_sentence(fault: Fault) -> str:
    subject = f" ({fault.kind} {fault.subject_id})" if fault.kind else ""
    return f"Ledger entry {fault.sequence}{subject} is bad: {fault.detail}."


@dataclass(frozen=True)
class Standing:
    """How one run or answer stands in the ledger at this moment: its entry, and whether both still fit."""

    sequence: int | None
    hash: str
    ok: bool
    sentence: str


def standing_of(kind: str, subject_id: uuid.UUID) -> Standing:
    """Check one entry and what it vouches for; the whole chain is `verify`'s matter."""
    entry = Entry.objects.filter(kind=kind, subject_id=str(subject_id)).first()
    if entry is None:
        return Standing(None, "", False, Unrecorded(kind, str(subject_id)).sentence)
    fault = chain.check(entry, payload_of(entry))
    return Standing(entry.sequence, entry.hash, fault is None, fault_sentence(fault) if fault else "")
