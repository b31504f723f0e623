"""The hash chain: append an entry, name the head, and find the first entry that is no longer what it was.

The hash of an entry is the SHA-256 of seven lines of ASCII, each ended by one line feed:

    docintel-ledger-1
    <sequence, decimal, from 1 without holes>
    <kind>
    <subject id>
    <payload digest, SHA-256 in lower-case hex>
    <previous hash in lower-case hex; of the first entry 64 zeros>
    <time in UTC, as 2026-11-20T14:02:11.000000Z>

The chain covers the digest and never the payload. A salted commitment therefore needs nothing new here: the payload
handed to `append` begins with a random salt that is kept in a row of its own; erasing that row and the content leaves
the chain whole, and a short question can no longer be guessed from its digest.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from django.db import connection
from django.utils import timezone

from ledger.models import Entry

FORMAT = "docintel-ledger-1"
NO_HASH = "0" * 64  # what the first entry holds as the previous hash
LOCK = int.from_bytes(b"docintel")  # one advisory lock for every append; a name of our own, not of a table
ROWS_A_FETCH = 2000
PLAIN = re.compile(r"[\x21-\x7e]+")  # no line feed can enter the hashed lines

What = Literal["hole", "previous_hash", "hash", "payload_changed", "payload_missing", "tail_cut", "rewritten"]
PayloadOf = Callable[[Entry], bytes | None]


class OutsideTransaction(RuntimeError):
    """An entry must be committed together with what it vouches for."""


class Head(NamedTuple):
    """The end of the chain. Kept elsewhere, it proves later that nothing before it was cut off or rewritten."""

    sequence: int
    hash: str


@dataclass(frozen=True)
class Fault:
    """One entry that is not what it was. `kind` and `subject_id` are empty when the entry itself is gone."""

    sequence: int
    kind: str
    subject_id: str
    what: What
    detail: str


@dataclass(frozen=True)
class Verification:
    """What a walk found. `checked` counts the entries before the first bad one, `head` is the last of them."""

    checked: int
    head: Head
    first_bad: Fault | None = None

    @property
    def ok(self) -> bool:
        return self.first_bad is None


def digest(payload: bytes) -> str:
    return hashlib.sha256(payload).hexdigest()


def time_text(moment: datetime) -> str:
    """The only spelling of a time that is hashed: UTC, microseconds, Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def hashed_bytes(entry: Entry) -> bytes:
    """The canonical bytes of an entry, as in this module's docstring."""
    fields = (entry.sequence, entry.kind, entry.subject_id, entry.payload_digest, entry.previous_hash)
    return "".join(f"{field}\n" for field in (FORMAT, *fields, time_text(entry.created_at))).encode()


def hash_of(entry: Entry) -> str:
    return hashlib.sha256(hashed_bytes(entry)).hexdigest()


def append(kind: str, subject_id: str, payload: bytes) -> Entry:
    """Chain one payload, inside the caller's transaction and as its last step: other appends wait until it ends."""
    if not connection.in_atomic_block:
        raise OutsideTransaction("A ledger entry must be appended in the transaction that stores its subject.")
    if not (PLAIN.fullmatch(kind) and PLAIN.fullmatch(subject_id)):
        raise ValueError(f"A ledger entry needs a kind and a subject id without spaces, not {kind!r}, {subject_id!r}.")
    lock()
    previous = head()
    entry = Entry(
        sequence=previous.sequence + 1,
        kind=kind,
        subject_id=subject_id,
        payload_digest=digest(payload),
        previous_hash=previous.hash,
        created_at=timezone.now(),
    )
    entry.hash = hash_of(entry)
    entry.save(force_insert=True)
    return entry


def lock() -> None:
    """Wait for our turn to append. The database gives the lock back when the transaction ends, however it ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def head() -> Head:
    """The last entry's sequence and hash; of an empty chain, 0 and 64 zeros."""
    last = Entry.objects.order_by("-sequence").values_list("sequence", "hash").first()
    return Head(*last) if last else Head(0, NO_HASH)


def check(entry: Entry, payload: bytes | None) -> Fault | None:
    """What is wrong with one entry: its link to the one before it, its own hash, its payload."""
    before = Entry.objects.filter(sequence=entry.sequence - 1).values_list("hash", flat=True).first()
    previous = NO_HASH if entry.sequence == 1 else before
    if previous is None:
        return hole(entry.sequence - 1, entry.sequence)
    return link_fault(entry, previous) or payload_fault(entry, payload)


def verify(payload_of: PayloadOf, *, since: Head | None = None, expected_head: Head | None = None) -> Verification:
    """Walk the chain up to its first bad entry.

    `payload_of` gives the bytes an entry vouches for, as they are now, or None when they are gone. With `since` only
    the entries after that trusted head are walked; with `expected_head` the chain must still hold that exported head.
    """
    trusted = [head for head in (since, expected_head) if head is not None]
    checked, previous = 0, since or Head(0, NO_HASH)
    fault = early_fault(since) if since else None
    for entry in entries_after(previous.sequence) if fault is None else ():
        fault = entry_fault(entry, previous, trusted) or payload_fault(entry, payload_of(entry))
        if fault:
            break
        checked, previous = checked + 1, Head(entry.sequence, entry.hash)
    return Verification(checked, previous, fault or cut_fault(previous, trusted))


def entries_after(sequence: int) -> Iterator[Entry]:
    rows = Entry.objects.filter(sequence__gt=sequence).order_by("sequence")
    return rows.iterator(chunk_size=ROWS_A_FETCH)


def early_fault(since: Head) -> Fault | None:
    """Why a walk cannot begin after `since`: its entry is gone or was rewritten."""
    entry = Entry.objects.filter(sequence=since.sequence).first()
    if entry is not None:
        return rewritten(entry, since) if entry.hash != since.hash else None
    later = next(entries_after(since.sequence), None)
    return hole(since.sequence, later.sequence) if later and since.sequence else cut_fault(head(), [since])


def entry_fault(entry: Entry, previous: Head, trusted: list[Head]) -> Fault | None:
    if entry.sequence != previous.sequence + 1:
        return hole(previous.sequence + 1, entry.sequence)
    for head in trusted:
        if entry.sequence == head.sequence and entry.hash != head.hash:
            return link_fault(entry, previous.hash) or rewritten(entry, head)
    return link_fault(entry, previous.hash)


def link_fault(entry: Entry, previous_hash: str) -> Fault | None:
    if entry.hash != hash_of(entry):
        return fault_of(entry, "hash", "its kind, subject, digest, time, previous hash or hash was altered")
    if entry.previous_hash != previous_hash:
        return fault_of(entry, "previous_hash", f"it does not continue entry {entry.sequence - 1} as that stands now")
    return None


def payload_fault(entry: Entry, payload: bytes | None) -> Fault | None:
    if payload is None:
        return fault_of(entry, "payload_missing", "the row it vouches for is gone")
    if (now := digest(payload)) != entry.payload_digest:
        return fault_of(
            entry,
            "payload_changed",
            f"the row it vouches for was changed: its digest was {entry.payload_digest} and is now {now}",
        )
    return None


def cut_fault(last: Head, trusted: list[Head]) -> Fault | None:
    """The end of the chain is missing although a head we trust lies beyond it."""
    missing = max((head.sequence for head in trusted), default=0)
    if missing <= last.sequence:
        return None
    detail = (
        f"the chain ends at entry {last.sequence} but reached {missing} when the head was exported: "
        "its end was cut off, or an older backup was restored"
    )
    return Fault(last.sequence + 1, "", "", "tail_cut", detail)


def hole(missing: int, found: int) -> Fault:
    return Fault(missing, "", "", "hole", f"it is missing: the next entry stored is {found}")


def rewritten(entry: Entry, head: Head) -> Fault:
    detail = f"its hash is {entry.hash} but was {head.hash} when the head was exported: the chain was rewritten"
    return fault_of(entry, "rewritten", detail)


def fault_of(entry: Entry, what: What, detail: str) -> Fault:
    return Fault(entry.sequence, entry.kind, entry.subject_id, what, detail)
