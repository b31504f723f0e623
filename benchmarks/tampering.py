"""Random tampering by an all-powerful administrator, verified and rolled back."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from audit.proof.verification import PAYLOADS, VOUCHED, Report, find_unrecorded, payload_of, verify
from chat.models import Feedback
from ledger import chain
from ledger.chain import Head
from ledger.models import Entry

HEAD_EVERY = 25  # entries between two exported heads
# The table with each kind's content, and the column that leads to the subject of its entry.
TABLES = {
    "retrieval_retrievalrun": "id",
    "retrieval_runcandidate": "run_id",
    "retrieval_rundocument": "run_id",
    "chat_answer": "id",
    "chat_citation": "answer_id",
    "audit_auditevent": "id",
    "audit_review": "id",
    "ledger_event": "id",
}
CHANGES = {
    "boolean": "NOT {c}",
    "jsonb": "jsonb_build_array({c})",
    "uuid": "gen_random_uuid()",
    "timestamp with time zone": "{c} + interval '1 microsecond'",
    "integer": "{c} + 1",
    "smallint": "{c} + 1",
    "bigint": "{c} + 1",
    "double precision": "{c} + 0.125",
    "text": "substr({c}, 2) || CASE WHEN left({c}, 1) = 'a' THEN 'b' ELSE 'a' END",
}
CHANGES["character varying"] = CHANGES["text"]


class NotPossible(Exception):
    """The random choice is impossible, such as changing a column that is null."""


@dataclass(frozen=True)
class Expected:
    """Where a tampering must be detected: at a sequence, a subject's entry, or the first head from a sequence on."""

    sequence: int = 0
    subject: str = ""

    def is_met(self, report: Report) -> bool:
        fault = report.verification.first_bad
        if self.subject:
            named = fault.subject_id if fault else report.unrecorded.subject_id if report.unrecorded else ""
            return named == self.subject
        return fault is not None and fault.sequence == self.sequence


def run(count: int, seed: int = 1) -> dict[str, Any]:
    """Tamper `count` times; return how many were detected, how many at the right place, and their kinds."""
    heads = [Head(*row) for row in Entry.objects.order_by("sequence").values_list("sequence", "hash")]
    kept = [head for head in heads if head.sequence % HEAD_EVERY == 0 or head == heads[-1]]
    chance, made = random.Random(seed), Counter[str]()
    found = located = false_alarms = 0
    missed: list[str] = []
    while made.total() < count:
        name, attack = chance.choice(list(ATTACKS.items()))
        with transaction.atomic():
            try:
                expected = tampered(attack, chance, kept)
            except (NotPossible, IntegrityError):
                transaction.set_rollback(True)
                continue
            report = verify(expected=kept)
            transaction.set_rollback(True)
        made[name] += 1
        found += not report.ok
        located += expected.is_met(report)
        if report.ok or not expected.is_met(report):
            missed.append(f"{name}: expected {expected}, said {report.sentence!r}")
    false_alarms = sum(not verify(expected=kept).ok for _ in range(3))
    return {
        "entries": len(heads),
        "tamperings": made.total(),
        "found": found,
        "located": located,
        "false_alarms": false_alarms,
        "kinds": dict(made),
        "missed": missed,
    }


def tampered(attack: "Attack", chance: random.Random, heads: list[Head]) -> Expected:
    """Tamper like a superuser who has disabled the triggers."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        expected = attack(cursor, chance, heads)
        cursor.execute("SET LOCAL session_replication_role = origin")
    return expected


Attack = Callable[[Any, random.Random, list[Head]], Expected]


# ---- the rows


def one(cursor: Any, statement: str, values: Any = None) -> Any:
    cursor.execute(statement, values)
    row = cursor.fetchone()
    if row is None or row[0] is None:
        raise NotPossible
    return row[0]


def alter_row(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Change one column of one row a little."""
    table = chance.choice(list(TABLES))
    return altered(cursor, chance, table, TABLES[table])


def altered(cursor: Any, chance: random.Random, table: str, leads: str) -> Expected:
    column, kind = chance.choice(columns_of(cursor, table, leads))
    row = one(cursor, f"SELECT id FROM {table} WHERE {column} IS NOT NULL ORDER BY random() LIMIT 1")
    subject = one(cursor, f"SELECT {leads} FROM {table} WHERE id = %s", [row])
    before = entry_of(subject)
    cursor.execute(f"UPDATE {table} SET {column} = {CHANGES[kind].format(c=column)} WHERE id = %s", [row])
    return Expected(subject=before.subject_id)


def columns_of(cursor: Any, table: str, leads: str) -> list[tuple[str, str]]:
    """The columns of a table that can be changed, except keys, which other attacks change."""
    cursor.execute(
        "SELECT column_name, data_type FROM information_schema.columns "
        "WHERE table_name = %s AND column_name != ALL(%s)",
        [table, ["id", leads]],
    )
    return [(name, kind) for name, kind in cursor.fetchall() if kind in CHANGES]


def entry_of(subject: UUID) -> Entry:
    entry = Entry.objects.filter(subject_id=str(subject)).first()
    if entry is None:
        raise NotPossible
    return entry


def alter_exchange(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Change what was sent to the model or came back."""
    column, kind = chance.choice(columns_of(cursor, "llm_llmcall", "id"))
    cursor.execute(
        "SELECT id, llm_call_id FROM (SELECT id, llm_call_id FROM retrieval_retrievalrun UNION ALL "
        "SELECT id, llm_call_id FROM chat_answer) told WHERE llm_call_id IS NOT NULL ORDER BY random() LIMIT 1"
    )
    row = cursor.fetchone()
    if row is None:
        raise NotPossible
    one(cursor, f"SELECT {column} FROM llm_llmcall WHERE id = %s", [row[1]])
    cursor.execute(f"UPDATE llm_llmcall SET {column} = {CHANGES[kind].format(c=column)} WHERE id = %s", [row[1]])
    return Expected(subject=str(row[0]))


def drop_candidate(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    run = one(cursor, "SELECT run_id FROM retrieval_runcandidate ORDER BY random() LIMIT 1")
    cursor.execute(
        "DELETE FROM retrieval_runcandidate WHERE id = "
        "(SELECT id FROM retrieval_runcandidate WHERE run_id = %s ORDER BY random() LIMIT 1)",
        [run],
    )
    return Expected(subject=str(run))


def drop_row(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Remove a record and leave its entry."""
    entry = any_entry(chance)
    cursor.execute(f"DELETE FROM {PAYLOADS[entry.kind].table} WHERE id = %s", [entry.subject_id])
    return Expected(entry.sequence)


def forge_row(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Add a record that nobody recorded."""
    cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_name = 'audit_auditevent'")
    names = [name for (name,) in cursor.fetchall()]
    chosen = ["gen_random_uuid()" if name == "id" else name for name in names]
    cursor.execute(
        f"INSERT INTO audit_auditevent ({', '.join(names)}) SELECT {', '.join(chosen)} FROM audit_auditevent "
        "ORDER BY random() LIMIT 1 RETURNING id"
    )
    row = cursor.fetchone()
    if row is None:
        raise NotPossible
    return Expected(subject=str(row[0]))


# ---- salts and erasures


def change_salt(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    entry = any_entry(chance)
    cursor.execute("UPDATE ledger_salt SET salt = repeat('0', 32) WHERE subject = %s", [entry.subject])
    return Expected(entry.sequence)


def drop_salt(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    entry = any_entry(chance)
    cursor.execute("DELETE FROM ledger_salt WHERE subject = %s", [entry.subject])
    return Expected(entry.sequence)


def pretend_erasure(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Change a question, delete its salt and add an event that claims erasure, with the digest of the forgery."""
    entry = any_entry(chance, kind="run")
    cursor.execute("UPDATE retrieval_retrievalrun SET question = 'forged' WHERE id = %s", [entry.subject_id])
    cursor.execute("DELETE FROM ledger_salt WHERE subject = %s", [entry.subject])
    left = chain.digest_of(payload_of(entry) or b"")
    cursor.execute(
        "INSERT INTO ledger_event (id, kind, actor, subject, details, created_at) VALUES "
        "(gen_random_uuid(), 'erased', 'console', %s, jsonb_build_object('left', %s), now())",
        [entry.subject, left],
    )
    return Expected(entry.sequence)


# ---- the chain


def any_entry(chance: random.Random, kind: str = "") -> Entry:
    entries = Entry.objects.filter(kind=kind) if kind else Entry.objects.all()
    return entries.order_by("sequence")[chance.randrange(entries.count())]


def alter_entry(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Change one column of one entry: kind, subject, digest, hashes or time."""
    entry = any_entry(chance)
    column, kind = chance.choice(columns_of(cursor, "ledger_entry", "sequence"))
    change = CHANGES[kind].format(c=column)
    cursor.execute(f"UPDATE ledger_entry SET {column} = {change} WHERE sequence = %s", [entry.sequence])
    return Expected(entry.sequence)


def drop_entry(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    entry = any_entry(chance)
    cursor.execute("DELETE FROM ledger_entry WHERE sequence = %s", [entry.sequence])
    return Expected(entry.sequence)


def swap(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Swap two entries."""
    first, second = sorted(chance.sample(range(1, heads[-1].sequence + 1), 2))
    for old, new in ((first, 0), (second, first), (0, second)):
        cursor.execute("UPDATE ledger_entry SET sequence = %s WHERE sequence = %s", [new, old])
    return Expected(first)


def insert_forged(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Insert an entry in between, and shift all later ones by one."""
    at = any_entry(chance).sequence
    for move in ("-sequence - 1", "-sequence"):
        cursor.execute(
            f"UPDATE ledger_entry SET sequence = {move} WHERE sequence {'>=' if move != '-sequence' else '<'} "
            f"{at if move != '-sequence' else 0}"
        )
    cursor.execute(
        "INSERT INTO ledger_entry SELECT %s, kind, gen_random_uuid()::text, payload_digest, hash, "
        "encode(sha256(hash::bytea), 'hex'), created_at FROM ledger_entry WHERE sequence = %s",
        [at, at + 1],
    )
    return Expected(at)


def cut_tail(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Remove the end, records and entries, as restoring an older backup would."""
    first = chance.randrange(heads[-1].sequence // 2, heads[-1].sequence + 1)
    for kind, subject in Entry.objects.filter(sequence__gte=first).values_list("kind", "subject_id"):
        cursor.execute(f"DELETE FROM {PAYLOADS[kind].table} WHERE id = %s", [subject])
    cursor.execute("DELETE FROM ledger_entry WHERE sequence >= %s", [first])
    return Expected(first)


def rewrite(cursor: Any, chance: random.Random, heads: list[Head]) -> Expected:
    """Change a run and recompute all later digests and hashes: only heads kept elsewhere can tell."""
    changed = any_entry(chance, kind="run")
    cursor.execute("UPDATE retrieval_retrievalrun SET question = 'forged' WHERE id = %s", [changed.subject_id])
    previous = ""
    for entry in Entry.objects.filter(sequence__gte=changed.sequence).order_by("sequence"):
        if entry.sequence == changed.sequence:
            entry.payload_digest = chain.digest_of(payload_of(entry) or b"")
        entry.previous_hash = previous or entry.previous_hash
        previous = entry.hash = chain.hash_of(entry)
        cursor.execute(
            "UPDATE ledger_entry SET payload_digest = %s, previous_hash = %s, hash = %s WHERE sequence = %s",
            [entry.payload_digest, entry.previous_hash, entry.hash, entry.sequence],
        )
    return Expected(next(head.sequence for head in heads if head.sequence >= changed.sequence))


def cover_up(known: set[tuple[str, str]]) -> None:
    """Make the chain fit what an attack left, as somebody with every right could, so that nothing inside tells.

    `known` are the subjects that had an entry before. Entries whose record is gone go too, records without one get one.
    """
    entries = [entry for entry in Entry.objects.order_by("sequence") if is_to_stay(entry, known)]
    for missing in find_unrecorded():
        model = VOUCHED[missing.kind]
        row = model._default_manager.get(pk=missing.subject_id)
        at = row.created if isinstance(row, Feedback) else row.created_at  # type: ignore[attr-defined]
        place = next((place for place, entry in enumerate(entries) if entry.created_at > at), len(entries))
        entries.insert(place, Entry(kind=missing.kind, subject_id=missing.subject_id, created_at=at))
    previous = chain.NO_HASH
    for sequence, entry in enumerate(entries, 1):
        payload = find_payload(entry)
        entry.payload_digest = entry.payload_digest if payload is None else chain.digest_of(payload)
        entry.sequence, entry.previous_hash = sequence, previous
        previous = entry.hash = chain.hash_of(entry)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("DELETE FROM ledger_entry")
        Entry.objects.bulk_create(entries)
        cursor.execute("SET LOCAL session_replication_role = origin")


def is_to_stay(entry: Entry, known: set[tuple[str, str]]) -> bool:
    """Whether its record is still there; what the attacker put in between has none and stays."""
    return find_payload(entry) is not None or (entry.kind, entry.subject_id) not in known


def find_payload(entry: Entry) -> bytes | None:
    try:
        return payload_of(entry)
    except (KeyError, ValueError):  # no kind of ours any more, or no id
        return None


ATTACKS: dict[str, Attack] = {
    "a column of a record": alter_row,
    "another column of a record": alter_row,
    "a column of an exchange": alter_exchange,
    "a candidate removed": drop_candidate,
    "a record removed": drop_row,
    "a record forged": forge_row,
    "a salt changed": change_salt,
    "a salt removed": drop_salt,
    "an erasure pretended": pretend_erasure,
    "a column of an entry": alter_entry,
    "an entry removed": drop_entry,
    "two entries swapped": swap,
    "an entry put in between": insert_forged,
    "the end cut off": cut_tail,
    "the chain rewritten": rewrite,
}
