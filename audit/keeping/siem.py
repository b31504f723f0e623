"""The entries of the ledger as events of OCSF, for a system that watches many programs (a SIEM).

All are of the class Entity Management: a person, or the program, made, read, changed or deleted something. API Activity
would fit as well, but needs the address of the client, which no record holds. Questions, answers, quotes, the words
of a document's card and what an auditor searched for are not in an event; who, when, what thing, the other details of a
recorded change, and the entry's place in the chain are.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from audit.keeping.changes import WORDS
from audit.models import AuditEvent
from audit.proof.witnessing import CONTRADICTED
from ledger.chain import batches_after
from ledger.models import Entry, Event
from retrieval.models import RetrievalRun
from retrieval.version import program_version

OCSF_VERSION = "1.3.0"
PROFILES = ["host"]  # which the class has an actor with
CATEGORY = (3, "Identity & Access Management")
CLASS = (3004, "Entity Management")
INFORMATIONAL, HIGH = 1, 4


class Activity(IntEnum):
    """The activities of the class, of which the ledger has these."""

    CREATE = 1
    READ = 2
    UPDATE = 3
    DELETE = 4
    ENABLE = 8
    DISABLE = 9
    OTHER = 99


class Status(IntEnum):
    SUCCESS = 1
    FAILURE = 2


# What a recorded change is, where it does not change what was there before and stays.
ACTIVITIES = {
    Activity.CREATE: (
        *("alert_opened", "backup_made", "base_imported", "change_proposed", "embedding_begun", "field_added"),
        *("first_owner_made", "hold_placed", "password_link_made", "person_invited", "recovery_codes_generated"),
        *("shared", "token_made"),
    ),
    Activity.READ: ("base_exported", "share_opened", "unlocked"),
    Activity.DELETE: (
        *("base_deleted", "carried_removed", "erased", "field_removed", "hold_released", "person_erased", "purged"),
        *("second_factor_removed", "sessions_ended", "token_revoked", "unshared"),
    ),
    Activity.ENABLE: ("account_connected", "administrator_made", "person_enabled", "totp_activated"),
    Activity.DISABLE: ("account_disconnected", "administrator_removed", "person_disabled", "totp_deactivated"),
}
ACTIVITY_OF = {kind: activity for activity, kinds in ACTIVITIES.items() for kind in kinds}
OF_HIGH_SEVERITY = {CONTRADICTED}
WORDS_OF_RECORDS = frozenset({"text", "summary", "parties", "dates", "period", "fields"})
REFUSED = "_refused"  # ends the action of an attempt that was turned away


class EntryFacts(NamedTuple):
    """What a vouched row says of an entry beyond the entry itself."""

    activity: Activity
    name: str
    thing: str  # "<kind>:<id>"
    actor: dict[str, str] | None = None
    details: Mapping[str, object] | None = None
    status: Status = Status.SUCCESS


def convert_entries(after: int) -> Iterator[dict[str, object]]:
    """An event for each entry after a sequence, in order; a batch of them is held at a time."""
    for batch in batches_after(after):
        told = {**told_of_changes(batch), **told_of_reads(batch), **told_of_runs(batch)}
        for entry in batch:
            yield convert_entry(
                entry, told.get(entry.subject) or EntryFacts(Activity.CREATE, entry.kind, entry.subject)
            )


def convert_entry(entry: Entry, told: EntryFacts) -> dict[str, object]:
    """One event; `time` is in milliseconds, as the class wants it."""
    kind, _, uid = told.thing.partition(":")
    event: dict[str, object] = {
        "category_uid": CATEGORY[0],
        "category_name": CATEGORY[1],
        "class_uid": CLASS[0],
        "class_name": CLASS[1],
        "activity_id": told.activity.value,
        "activity_name": told.name if told.activity is Activity.OTHER else told.activity.name.capitalize(),
        "type_uid": 100 * CLASS[0] + told.activity.value,
        "severity_id": HIGH if told.name in OF_HIGH_SEVERITY else INFORMATIONAL,
        "status_id": told.status.value,
        "time": int(entry.created_at.timestamp() * 1000),
        "message": f"{told.name} {told.thing}",
        "entity": {"type": kind, "uid": uid or kind},
        "metadata": {
            "version": OCSF_VERSION,
            "profiles": PROFILES,
            "product": {"name": "DocIntel", "vendor_name": "DocIntel", "version": program_version()},
            "sequence": entry.sequence,
            "uid": entry.hash,
            "log_name": "ledger",
        },
        "unmapped": {
            "kind": entry.kind,
            "subject": entry.subject_id,
            "payload_digest": entry.payload_digest,
            "previous_hash": entry.previous_hash,
            "details": dict(told.details or {}),
        },
    }
    return event | ({"actor": {"user": told.actor}} if told.actor else {})


# ---- what the rows say, by the subject of their entry


def told_of_changes(batch: Sequence[Entry]) -> dict[str, EntryFacts]:
    rows = Event.objects.in_bulk(subjects_of(batch, "event"))
    return {f"event:{row.pk}": told_of_change(row) for row in rows.values()}


def told_of_change(row: Event) -> EntryFacts:
    usual = Activity.UPDATE if row.kind in WORDS else Activity.OTHER
    return EntryFacts(
        ACTIVITY_OF.get(row.kind, usual), row.kind, row.subject, {"name": row.actor}, without_words(row.details)
    )


def told_of_reads(batch: Sequence[Entry]) -> dict[str, EntryFacts]:
    rows = AuditEvent.objects.in_bulk(subjects_of(batch, "audit_event"))
    return {f"audit_event:{row.pk}": told_of_read(row) for row in rows.values()}


def told_of_read(row: AuditEvent) -> EntryFacts:
    thing, is_refused = f"run:{row.run_id}" if row.run_id else "audit:list", row.action.endswith(REFUSED)
    activity = Activity.CREATE if is_refused else Activity.UPDATE if row.action == "assign" else Activity.READ
    status = Status.FAILURE if is_refused else Status.SUCCESS
    return EntryFacts(
        activity, row.action, thing, actor_of(row.person_id, row.person_name), without_words(row.detail), status
    )


def told_of_runs(batch: Sequence[Entry]) -> dict[str, EntryFacts]:
    runs = RetrievalRun.objects.filter(pk__in=subjects_of(batch, "run"))
    return {
        f"run:{pk}": EntryFacts(Activity.CREATE, "run", f"run:{pk}", actor_of(asker, name))
        for pk, asker, name in runs.values_list("pk", "asked_by_id", "asked_by_name")
    }


def without_words(details: Mapping[str, object] | None) -> dict[str, object]:
    """Details without the words of a document's card, and without what an auditor searched for."""
    return {name: value for name, value in (details or {}).items() if name not in WORDS_OF_RECORDS}


def subjects_of(batch: Sequence[Entry], kind: str) -> list[str]:
    return [entry.subject_id for entry in batch if entry.kind == kind]


def actor_of(pk: int | None, name: str) -> dict[str, str]:
    return {"name": name} | ({"uid": str(pk)} if pk else {})
