"""The recorded entries of a base: which there are, of each run and of the base itself, with the bytes vouched for."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from audit.keeping.changes import in_bases
from audit.models import AuditEvent, Comment, ReviewSample, SignOff
from audit.proof.erased import ERASED
from audit.proof.verification import PAYLOADS, digests_of, fault_sentence, payload_of
from chat.answer_record import exchanges_apart
from chat.models import Answer, Feedback, PageNotice, PromptGuidance, Rewriting, Turn
from documents.models import KnowledgeBase
from ledger.chain import check_entry, digest_of
from ledger.models import Entry, Event
from retrieval.models import ReadingRuleSet, RetrievalRun
from retrieval.record.storing import calls_apart

AT_ONCE = 200
Subject = tuple[str, UUID]  # kind and id of what an entry vouches for


class Altered(Exception):
    """A record is not what its entry vouches for, so an archive with it would be refused; the message is for people."""


def subjects_of_run(run: RetrievalRun) -> Iterator[Subject]:
    """All that was recorded of a run: its exchanges, its answer, what was said of it, who read it."""
    yield "run", run.pk
    yield from ((kind, call.pk) for kind, call in calls_apart(run))
    answer = Answer.objects.filter(run=run).first()
    if answer:
        yield "answer", answer.pk
        yield from (("exchange", pk) for pk in exchanges_apart(answer))
        yield from ids("page_notice", PageNotice.objects.filter(answer=answer))
    turn = Turn.objects.filter(run=run).first()
    if turn:
        yield from ids("rewriting", Rewriting.objects.filter(turn=turn))
        yield from ids("feedback", Feedback.objects.filter(turn=turn))
    yield from ids("review", run.reviews.all())
    yield from ids("audit_event", AuditEvent.objects.filter(run_id=run.pk))


def subjects_of_base(base: KnowledgeBase) -> Iterator[Subject]:
    """What was recorded of a base beside its runs."""
    own = KnowledgeBase.objects.filter(pk=base.pk)
    yield from ids("guidance", PromptGuidance.objects.filter(base=base))
    yield from ids("rule_set", ReadingRuleSet.objects.filter(base=base))
    yield from ids("review_sample", ReviewSample.objects.filter(base=base))
    yield from ids("sign_off", SignOff.objects.filter(base=base))
    yield from ids("comment", Comment.objects.filter(base=base))
    yield from ids("event", Event.objects.filter(in_bases(own)).exclude(kind=ERASED))
    yield from ids("audit_event", AuditEvent.objects.filter(run_id=None, detail__base=str(base.pk)))


def ids(kind: str, rows: "QuerySet[Any]") -> Iterator[Subject]:
    return ((kind, pk) for pk in rows.order_by("pk").values_list("pk", flat=True).iterator())


def read_entries(subjects: Iterable[Subject]) -> tuple[list[Entry], list[Subject]]:
    """The ledger entries of subjects and of their erasures, in order, and the subjects without any."""
    wanted = list(dict.fromkeys(subjects))
    found: list[Entry] = []
    for start in range(0, len(wanted), AT_ONCE):
        batch = wanted[start : start + AT_ONCE]
        found += entries_among(batch)
        names = [f"{kind}:{pk}" for kind, pk in batch]
        erasures = Event.objects.filter(kind=ERASED, subject__in=names).values_list("pk", flat=True)
        found += entries_among([("event", pk) for pk in erasures])
    known = {(entry.kind, entry.subject_id) for entry in found}
    missing = [(kind, pk) for kind, pk in wanted if (kind, str(pk)) not in known]
    return sorted(found, key=lambda entry: entry.sequence), missing


def entries_among(subjects: list[Subject]) -> list[Entry]:
    chosen = Q(pk__in=[])
    for kind in {kind for kind, _ in subjects}:
        chosen |= Q(kind=kind, subject_id__in=[str(pk) for each, pk in subjects if each == kind])
    return list(Entry.objects.filter(chosen))


def record_line(entry: Entry) -> bytes:
    """A record as one line of JSON whose `content` is, byte for byte, what the entry vouches for. Raises Altered."""
    content = payload_of(entry)
    if content is None or digest_of(content) != entry.payload_digest:
        fault = check_entry(entry, digests_of([entry]).get(entry.sequence))
        if fault:
            raise Altered(fault_sentence(fault))
        subject_id = UUID(entry.subject_id)
        content = PAYLOADS[entry.kind].read([subject_id])[subject_id]  # what an erasure left
    told = {"kind": entry.kind, "id": entry.subject_id, "sequence": entry.sequence, "content": content.decode()}
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"
