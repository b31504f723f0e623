"""Check the ledger against the current rows: what each kind of entry vouches for, and rows without an entry."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import CharField, Exists, Model, OuterRef
from django.db.models.functions import Cast

from audit.auditor_record import PAYLOADS as AUDITED
from audit.auditor_record import row_payload
from audit.proof.erased import erased_digests, is_blank
from chat.answer_record import ANSWER, FEEDBACK, PAGE_NOTICE, REWRITING, answer_payload
from chat.models import Answer, Feedback, PageNotice, PromptGuidance, Rewriting
from chat.prompts.guidance import GUIDANCE
from ledger import chain
from ledger.chain import Fault, Head, Verification
from ledger.events import EVENT
from ledger.models import Entry, Event, Salt
from ledger.payload import Payload
from retrieval.models import ReadingRuleSet, RetrievalRun
from retrieval.reading_rules.editing import RULE_SET
from retrieval.record.ledger_forms import EXCHANGE, LOOK, READING, RUN, SHARED, run_payload

ASKED = (RUN, READING, LOOK, SHARED, EXCHANGE, ANSWER, REWRITING, PAGE_NOTICE, FEEDBACK)
PAYLOADS: dict[str, Payload] = {each.kind: each for each in (*ASKED, GUIDANCE, RULE_SET, EVENT, *AUDITED.values())}
VOUCHED: dict[str, type[Model]] = {
    "run": RetrievalRun,
    "answer": Answer,
    "rewriting": Rewriting,
    "page_notice": PageNotice,
    "feedback": Feedback,
    "guidance": PromptGuidance,
    "rule_set": ReadingRuleSet,
    "event": Event,
    **{payload.kind: model for model, payload in AUDITED.items()},
}
# Entries without a salt predate salts and vouch for these bytes.
FIRST_FORM: dict[str, Callable[[Any], bytes]] = {
    "run": run_payload,
    "answer": answer_payload,
    **{payload.kind: row_payload for payload in AUDITED.values()},
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
    """The result of verifying the chain, and the first row missing from it."""

    verification: Verification
    unrecorded: Unrecorded | None

    @property
    def ok(self) -> bool:
        return self.verification.ok and self.unrecorded is None

    @property
    def sentence(self) -> str:
        """The first fault of the chain in one sentence."""
        if self.verification.first_bad is not None:
            return fault_sentence(self.verification.first_bad)
        return self.unrecorded.sentence if self.unrecorded else ""


def verify(*, since: Head | None = None, expected: Sequence[Head] = ()) -> Report:
    """Compare every entry of the chain with its row, then look for rows without an entry."""
    verification = chain.verify(digests_of, since=since, expected=expected)
    return Report(verification, next(find_unrecorded(), None))


def digests_of(entries: Sequence[Entry]) -> dict[int, str | None]:
    """The digest of what each entry vouches for, from the current rows; None if the row is gone."""
    salts = salts_of(entries)
    left = erased_digests([entry for entry in entries if entry.sequence not in salts])
    found: dict[int, str | None] = {}
    for kind, group in by_kind(entries).items():
        written = PAYLOADS[kind].read(list(group)) if kind in PAYLOADS else {}
        for subject_id, entry in group.items():
            payload, salt = written.get(subject_id), salts.get(entry.sequence, "")
            if payload is not None and salt:
                found[entry.sequence] = chain.digest_of(chain.add_salt(payload, salt))
            elif payload is not None and entry.sequence in left:
                is_as_left = chain.digest_of(payload) == left[entry.sequence] and is_blank(kind, payload)
                found[entry.sequence] = entry.payload_digest if is_as_left else chain.digest_of(payload)
            elif payload is not None:
                found[entry.sequence] = chain.digest_of(first_form(kind, subject_id) or payload)
    return found


def payload_of(entry: Entry) -> bytes | None:
    """The bytes an entry vouches for, from the current row; None if the row is gone."""
    payload = PAYLOADS[entry.kind].read([UUID(entry.subject_id)]).get(UUID(entry.subject_id))
    salt = salts_of([entry]).get(entry.sequence, "")
    if payload is None or salt:
        return payload and chain.add_salt(payload, salt)
    return first_form(entry.kind, UUID(entry.subject_id)) or payload


def salts_of(entries: Sequence[Entry]) -> dict[int, str]:
    sequences = {entry.subject: entry.sequence for entry in entries}
    salts = Salt.objects.filter(subject__in=sequences).values_list("subject", "salt")
    return {sequences[subject]: salt for subject, salt in salts}


def by_kind(entries: Sequence[Entry]) -> dict[str, dict[UUID, Entry]]:
    """The entries by kind and subject; those whose subject is not a valid id vouch for nothing."""
    groups: dict[str, dict[UUID, Entry]] = defaultdict(dict)
    for entry in entries:
        try:
            groups[entry.kind][UUID(entry.subject_id)] = entry
        except ValueError:
            continue
    return groups


def first_form(kind: str, subject_id: UUID) -> bytes | None:
    if kind not in FIRST_FORM:
        return None
    row = VOUCHED[kind]._default_manager.filter(pk=subject_id).first()
    return FIRST_FORM[kind](row) if row is not None else None


def find_unrecorded() -> Iterator[Unrecorded]:
    """Runs, answers with their side records, changes, and auditors' records without an entry."""
    for kind, model in VOUCHED.items():
        rows = model._default_manager.all()
        entries = Entry.objects.filter(kind=kind, subject_id=Cast(OuterRef("pk"), CharField()))
        moment = "created" if model is Feedback else "created_at"
        missing = rows.filter(~Exists(entries)).order_by(moment, "pk").values_list("pk", flat=True)
        for subject_id in missing.iterator():
            yield Unrecorded(kind, str(subject_id))


def fault_sentence(fault: Fault) -> str:
    subject = f" ({fault.kind} {fault.subject_id})" if fault.kind else ""
    return f"Ledger entry {fault.sequence}{subject} is bad: {fault.detail}."


@dataclass(frozen=True)
class Standing:
    """The ledger status of one run or answer: its entry, and whether both still match."""

    sequence: int | None
    hash: str
    ok: bool
    sentence: str


def standing_of(kind: str, subject_id: UUID) -> Standing:
    """Check one entry and its row; `verify` checks the whole chain."""
    entry = Entry.objects.filter(kind=kind, subject_id=str(subject_id)).first()
    if entry is None:
        return Standing(None, "", False, Unrecorded(kind, str(subject_id)).sentence)
    fault = chain.check_entry(entry, digests_of([entry]).get(entry.sequence))
    return Standing(entry.sequence, entry.hash, fault is None, fault_sentence(fault) if fault else "")
