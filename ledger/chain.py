"""The hash chain: append an entry, return the head, and find the first entry that was altered.

The hash of an entry is the SHA-256 of seven lines of ASCII, each ended by one line feed:

    docintel-ledger-1
    <sequence, decimal, from 1 without holes>
    <kind>
    <subject id>
    <payload digest, SHA-256 in lower-case hex>
    <previous hash in lower-case hex; 64 zeros for the first entry>
    <time in UTC, as 2026-11-20T14:02:11.000000Z>

The chain covers the digest, never the payload. With a salt the digest is that of one line "salt <32 hex digits>" and
the payload after it. The salt has its own row: once it and the content are erased, the chain is still complete, and a
short question can no longer be guessed from its digest.
"""

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from django.db import connection, transaction

from ledger.models import Entry

FORMAT = "docintel-ledger-1"
NO_HASH = "0" * 64  # the previous hash of the first entry
LOCK = int.from_bytes(b"docintel")  # one advisory lock for every append; our own name, not a table's
ENTRIES_A_BATCH = 200  # 30 MB of payload for runs with 40 candidates, read and hashed at a time
READERS = 4  # parallel connections for reading payloads; hashing releases the interpreter's lock
PLAIN = re.compile(r"[\x21-\x7e]+")  # no line feed can enter the hashed lines

What = Literal["hole", "previous_hash", "hash", "payload_changed", "payload_missing", "tail_cut", "rewritten"]
# The current digests of what entries vouch for, by sequence; None for what is gone.
DigestsOf = Callable[[Sequence[Entry]], dict[int, str | None]]

# Statements of one round trip: the last takes its snapshot once we hold the lock, which lasts until commit. The commit
# therefore does not wait for the disk, or every other writer would wait too; `flush` waits later, for many at once.
APPEND = """
SET LOCAL synchronous_commit = off;
SELECT pg_advisory_xact_lock(%(lock)s);
WITH last AS (SELECT sequence, hash FROM ledger_entry ORDER BY sequence DESC LIMIT 1),
now AS (
    SELECT coalesce((SELECT sequence FROM last), 0) + 1 AS sequence, clock_timestamp() AS created_at,
        coalesce((SELECT hash FROM last), %(no_hash)s) AS previous_hash
),
written AS (
    INSERT INTO ledger_entry (sequence, kind, subject_id, payload_digest, previous_hash, created_at, hash)
    SELECT sequence, %(kind)s, %(subject_id)s, %(digest)s, previous_hash, created_at,
        encode(sha256(convert_to(concat_ws(chr(10), %(format)s, sequence, %(kind)s, %(subject_id)s, %(digest)s,
            previous_hash, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ''), 'UTF8'
        )), 'hex')
    FROM now
    RETURNING sequence, previous_hash, hash, created_at
),
salted AS (
    INSERT INTO ledger_salt (subject, salt) SELECT %(kind)s || ':' || %(subject_id)s, %(salt)s WHERE %(salt)s <> ''
)
SELECT sequence, previous_hash, hash, created_at FROM written
"""
FLUSH = "SELECT pg_logical_emit_message(true, 'docintel-ledger', '')"  # nobody reads it: its commit waits for the disk


class OutsideTransaction(RuntimeError):
    """An entry must be committed together with what it vouches for."""


class Head(NamedTuple):
    """The end of the chain. Kept elsewhere, it proves later that nothing before it was removed or rewritten."""

    sequence: int
    hash: str


@dataclass(frozen=True)
class Fault:
    """One altered entry. `kind` and `subject_id` are empty if the entry itself is gone."""

    sequence: int
    kind: str
    subject_id: str
    what: What
    detail: str


@dataclass(frozen=True)
class Verification:
    """The result of a verification: entries `checked` before the first bad one, and `head`, the last of them."""

    checked: int
    head: Head
    first_bad: Fault | None = None

    @property
    def ok(self) -> bool:
        return self.first_bad is None


def digest_of(payload: bytes) -> str:
    return hashlib.sha256(payload).hexdigest()


def time_text(moment: datetime) -> str:
    """The only format of a time that is hashed: UTC, microseconds, Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def hash_of(entry: Entry) -> str:
    """The hash of an entry's canonical bytes, see this module's docstring."""
    fields = (entry.sequence, entry.kind, entry.subject_id, entry.payload_digest, entry.previous_hash)
    hashed = "".join(f"{field}\n" for field in (FORMAT, *fields, time_text(entry.created_at)))
    return hashlib.sha256(hashed.encode()).hexdigest()


def append(kind: str, subject_id: str, payload: bytes, *, salt: str = "") -> Entry:
    """Chain one payload, as the last step of the caller's transaction: other appends wait until it ends."""
    if not connection.in_atomic_block:
        raise OutsideTransaction("A ledger entry must be appended in the transaction that stores its subject.")
    if not (PLAIN.fullmatch(kind) and PLAIN.fullmatch(subject_id)):
        raise ValueError(f"A ledger entry needs a kind and a subject id without spaces, not {kind!r}, {subject_id!r}.")
    payload_digest = digest_of(add_salt(payload, salt))
    values: dict[str, int | str] = {"lock": LOCK, "format": FORMAT, "no_hash": NO_HASH, "salt": salt}
    values |= {"kind": kind, "subject_id": subject_id, "digest": payload_digest}
    with connection.cursor() as cursor:
        cursor.execute(APPEND, values)
        while cursor.nextset():
            pass
        sequence, previous_hash, own_hash, created_at = cursor.fetchone()
    transaction.on_commit(flush)
    return Entry(sequence, kind, subject_id, payload_digest, previous_hash, own_hash, created_at)


def flush() -> None:
    """Wait until all that was committed before is on disk, as far as the server's own setting guarantees it."""
    with connection.cursor() as cursor:
        cursor.execute(FLUSH)


def add_salt(payload: bytes, salt: str) -> bytes:
    """The bytes to digest: the payload after its salt line, or the bare payload without a salt."""
    return f"salt {salt}\n".encode() + payload if salt else payload


def head() -> Head:
    """The last entry's sequence and hash; 0 and 64 zeros for an empty chain."""
    last = Entry.objects.order_by("-sequence").values_list("sequence", "hash").first()
    return Head(*last) if last else Head(0, NO_HASH)


def check_entry(entry: Entry, now: str | None) -> Fault | None:
    """What is wrong with one entry: its link to the previous one, its hash, or the digest of its payload `now`."""
    before = Entry.objects.filter(sequence=entry.sequence - 1).values_list("hash", flat=True).first()
    previous = NO_HASH if entry.sequence == 1 else before
    if previous is None:
        return hole(entry.sequence - 1, entry.sequence)
    return link_fault(entry, previous) or payload_fault(entry, now)


def verify(digests_of: DigestsOf, *, since: Head | None = None, expected: Sequence[Head] = ()) -> Verification:
    """Verify the chain up to its first bad entry.

    `digests_of` returns the current digests of what entries vouch for. With `since`, only entries after that trusted
    head are checked; the chain must still contain every exported head in `expected`.
    """
    trusted = dict([*expected, *([since] if since else [])])
    checked, previous = 0, since or Head(0, NO_HASH)
    fault = early_fault(since) if since else None
    for entry, now in read_ahead(previous.sequence, digests_of) if fault is None else ():
        fault = entry_fault(entry, previous, trusted) or payload_fault(entry, now)
        if fault:
            break
        checked, previous = checked + 1, Head(entry.sequence, entry.hash)
    return Verification(checked, previous, fault or cut_fault(previous, trusted))


def read_ahead(sequence: int, digests_of: DigestsOf) -> Iterator[tuple[Entry, str | None]]:
    """Each entry after a sequence with the digest of its payload; several connections read ahead meanwhile."""

    def read(batch: list[Entry]) -> list[tuple[Entry, str | None]]:
        digests = digests_of(batch)
        return [(entry, digests.get(entry.sequence)) for entry in batch]

    def read_apart(batch: list[Entry]) -> list[tuple[Entry, str | None]]:
        try:
            return read(batch)
        finally:
            connection.close()  # this thread's own

    if connection.in_atomic_block:  # only its own connection sees a transaction's writes
        for batch in batches_after(sequence):
            yield from read(batch)
        return
    waiting: deque[Future[list[tuple[Entry, str | None]]]] = deque()
    with ThreadPoolExecutor(READERS) as pool:
        try:
            for batch in batches_after(sequence):
                waiting.append(pool.submit(read_apart, batch))
                if len(waiting) > 2 * READERS:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def batches_after(sequence: int) -> Iterator[list[Entry]]:
    while batch := list(Entry.objects.filter(sequence__gt=sequence).order_by("sequence")[:ENTRIES_A_BATCH]):
        yield batch
        sequence = batch[-1].sequence


def entries_after(sequence: int) -> Iterator[Entry]:
    return (entry for batch in batches_after(sequence) for entry in batch)


def early_fault(since: Head) -> Fault | None:
    """Why a verification cannot begin after `since`: its entry is gone or was rewritten."""
    entry = Entry.objects.filter(sequence=since.sequence).first()
    if entry is not None:
        return rewritten(entry, since.hash) if entry.hash != since.hash else None
    later = next(entries_after(since.sequence), None)
    return hole(since.sequence, later.sequence) if later and since.sequence else cut_fault(head(), dict([since]))


def entry_fault(entry: Entry, previous: Head, trusted: dict[int, str]) -> Fault | None:
    if entry.sequence != previous.sequence + 1:
        return hole(previous.sequence + 1, entry.sequence)
    exported = trusted.get(entry.sequence, entry.hash)
    return link_fault(entry, previous.hash) or (rewritten(entry, exported) if exported != entry.hash else None)


def link_fault(entry: Entry, previous_hash: str) -> Fault | None:
    if entry.hash != hash_of(entry):
        return fault_of(entry, "hash", "its kind, subject, digest, time, previous hash or hash was altered")
    if entry.previous_hash != previous_hash:
        return fault_of(entry, "previous_hash", f"it does not continue entry {entry.sequence - 1} as that stands now")
    return None


def payload_fault(entry: Entry, now: str | None) -> Fault | None:
    if now is None:
        return fault_of(entry, "payload_missing", "the row it vouches for is gone")
    if now != entry.payload_digest:
        return fault_of(
            entry,
            "payload_changed",
            f"the row it vouches for was changed: its digest was {entry.payload_digest} and is now {now}",
        )
    return None


def cut_fault(last: Head, trusted: dict[int, str]) -> Fault | None:
    """The end of the chain is missing, although a trusted head is beyond it."""
    missing = max(trusted, default=0)
    if missing <= last.sequence:
        return None
    detail = (
        f"the chain ends at entry {last.sequence} but reached {missing} when the head was exported: "
        "its end was cut off, or an older backup was restored"
    )
    return Fault(last.sequence + 1, "", "", "tail_cut", detail)


def hole(missing: int, found: int) -> Fault:
    return Fault(missing, "", "", "hole", f"it is missing: the next entry stored is {found}")


def rewritten(entry: Entry, exported: str) -> Fault:
    detail = f"its hash is {entry.hash} but was {exported} when the head was exported: the chain was rewritten"
    return fault_of(entry, "rewritten", detail)


def fault_of(entry: Entry, what: What, detail: str) -> Fault:
    return Fault(entry.sequence, entry.kind, entry.subject_id, what, detail)
