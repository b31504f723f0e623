"""Several named fields of the same documents (R87): a stored request becomes one recorded run and answer for each.

`extract` is all of it for whoever has a scope and fields; the rows around it are for requests that wait in a queue.
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from chat.answer_record import store_answer
from chat.asking import asked_before
from chat.drafts import AnswerDraft
from chat.fields.values import NOT_ASKED, NOT_READ, compare_fields, compose_field, extraction_json
from chat.models import Extraction, ExtractionField
from chat.scope import QuestionScope, UnreadError, resolve
from chat.stream import publish_event
from chat.turns.conductor import (
    Stopped,
    describe_failure,
    end_late,
    failure_recorded,
    give_up_dead,
    raise_if_stopped,
)
from chat.turns.repeats import replies_for
from chat.turns.searched_by import searched_by
from chat.turns.stopping import StoppableLease
from documents.base_settings import BaseSettings, asking_for
from documents.idempotency import Keyed, forget_keys, remember
from documents.models import Document, KnowledgeBase
from jobs.lease import claim, write_outcome
from ledger.events import record
from llm.call import wanted_until
from llm.exchange import Exchange, collecting
from llm.models import LLMCall
from llm.reuse import reusing
from retrieval.dictionary.learned import store_lessons
from retrieval.dictionary.load import ensure_dictionary
from retrieval.filters import UNFILTERED, Filters
from retrieval.forms.fields import Field, Found, retrieve_fields
from retrieval.models import RetrievalRun
from retrieval.record.storing import record_shared, record_unstored, store_failed_run, store_run
from retrieval.search import OnStage
from retrieval.types import Expected, RetrievalResult

State = Extraction.State


@dataclass(frozen=True)
class Asker:
    user: User
    base: KnowledgeBase
    mode: str
    filters: Filters = UNFILTERED


# ---- the engine: documents and fields to records


def find_fields(
    asker: Asker,
    documents: Sequence[Document],
    fields: Sequence[Field],
    on_found: Callable[[int, Found], object] = lambda place, found: None,
    on_stage: OnStage | None = None,
) -> list[Found]:
    """What each field found, with nothing recorded yet; `on_found` is told of each as soon as it is known."""
    options = replace(searched_by(asker.base, asker.mode, asker.filters), on_stage=on_stage)
    with reusing(replies_for(asker.base, is_anew=False)):
        return retrieve_fields(fields, documents, options, on_found)


def record_fields(
    asker: Asker, fields: Sequence[Field], found: Sequence[Found | None], beside: Mapping[str, Any] | None = None
) -> list[RetrievalRun]:
    """Store a run and an answer for each field, all or nothing. An exchange that served several is stored once.

    A field that found None was not asked, and its run says so. `beside` goes into the plan of each with the field's
    name, type and instruction.
    """
    with transaction.atomic():
        shared: dict[int, LLMCall] = {}
        # Those without a result come last: the exchanges that are not stored by then are theirs.
        of_fields = enumerate(zip(fields, found, strict=True))
        late_last = sorted(of_fields, key=lambda each: not isinstance(each[1][1], RetrievalResult))
        by_place = {
            place: answer_field(asker, field, each, shared, field_plan(field) | dict(beside or {}))
            for place, (field, each) in late_last
        }
        made = [by_place[place] for place in range(len(fields))]
        drafts = compare_fields([(field, draft) for field, (_, draft, _) in zip(fields, made, strict=True)])
        for (run, _, timings), compared in zip(made, drafts, strict=True):
            if compared:
                store_answer(None, run, compared, timings)
        return [run for run, _, _ in made]


def field_plan(field: Field) -> dict[str, Any]:
    return {"name": field.name, "type": field.expected.answer_type, "instruction": field.expected.instruction}


def answer_field(
    asker: Asker, field: Field, found: Found | None, shared: dict[int, LLMCall], told: dict[str, Any]
) -> tuple[RetrievalRun, AnswerDraft | None, dict[str, float]]:
    """The stored run of a field, the answer to it, which is not stored yet, and how long that took."""
    if not isinstance(found, RetrievalResult):
        failure = f"{type(found).__name__}: {describe_failure(found)}" if found else NOT_ASKED
        failed = store_failed_run(field.question, failure, base=asker.base, user=asker.user, mode=asker.mode)
        return failed, None, {}
    run = store_run(
        found,
        base=asker.base,
        user=asker.user,
        mode=asker.mode,
        field=told,
        shared=shared_call(found.shared, shared) if found.shared else None,
    )
    store_lessons(run, found, ensure_dictionary(asker.base))
    started = time.monotonic()
    draft = compose_field(run, asker.mode, BaseSettings.from_json(asker.base.settings))
    return run, draft, {"compose": round(1000 * (time.monotonic() - started), 1)}


def shared_call(exchange: Exchange, stored: dict[int, LLMCall]) -> LLMCall:
    """The row of an exchange that served several fields, stored with the first of them."""
    if id(exchange) not in stored:
        stored[id(exchange)] = record_shared(exchange)
    return stored[id(exchange)]


# ---- in the web process


def id_of_asking(
    form_id: uuid.UUID | None, user: User, scope: QuestionScope, fields: Sequence[Field], mode: str
) -> uuid.UUID:
    """The same for a form that is sent twice, another where anything in it was changed; without a form a new one."""
    said = [user.pk, scope.base.pk, *scope.document_ids, mode, scope.filters.words, *map(repr, fields)]
    return uuid.uuid5(form_id, "\n".join(map(str, said))) if form_id else uuid.uuid4()


def keep_extraction(
    user: User,
    scope: QuestionScope,
    fields: Sequence[Field],
    mode: str,
    *,
    request: Keyed | None = None,
    form_id: uuid.UUID | None = None,
    grid: uuid.UUID | None = None,
) -> Extraction:
    """Store fields that are to be asked. A program's `request`, or a form sent twice, makes one. Raises KeyReused."""
    if first := asked_before(Extraction, request):
        return first
    made_id = id_of_asking(form_id, user, scope, fields, mode)
    try:
        with transaction.atomic():
            extraction = Extraction.objects.create(
                id=made_id,
                base=scope.base,
                user=user,
                grid=grid,
                document_ids=scope.document_ids,
                scope_name=scope.name,
                mode=mode,
                filters=scope.filters.to_json(),
            )
            ExtractionField.objects.bulk_create(
                ExtractionField(
                    extraction=extraction,
                    position=position,
                    name=field.name,
                    question=field.question,
                    answer_type=field.expected.answer_type,
                    instruction=field.expected.instruction,
                )
                for position, field in enumerate(fields, start=1)
            )
            remember(request, extraction=str(extraction.pk))
            return extraction
    except IntegrityError:
        return asked_before(Extraction, request) or Extraction.objects.get(pk=made_id, user=user)


def read_extraction(extraction_id: uuid.UUID) -> dict[str, Any]:
    return extraction_json(Extraction.objects.get(pk=extraction_id))


# ---- in a worker


def carry_out_extraction(extraction_id: uuid.UUID | str) -> None:
    """Ask the fields of one stored request. Safe to run twice and in parallel; each leaves exactly one run (AT1)."""
    extraction = claim(Extraction.objects.select_related("base", "user"), extraction_id)
    if extraction is None:
        return
    asker = Asker(extraction.user, extraction.base, extraction.mode, Filters.from_json(extraction.filters))
    fields = fields_of(extraction)
    found: dict[int, Found] = {}
    end = partial(end_extraction, asker, fields, found)
    with (
        collecting(),
        StoppableLease(extraction, partial(end_late, end_with_failed_runs, end)) as lease,
        asking_for(extraction.base, extraction.user_id),
        failure_recorded(lease, end_with_failed_runs),
    ):
        with suppress(Stopped), wanted_until(lease.stop_requested):
            raise_if_stopped(lease)
            try:
                documents = resolve(extraction.user, extraction.base, extraction.document_ids)
            except UnreadError:
                if extraction.grid is None:
                    raise
                end_unread(lease)
                return
            find_fields(asker, documents, fields, found.__setitem__, lambda *_: raise_if_stopped(lease))
        lease.allow_storing()
        end(lease)


def fields_of(extraction: Extraction) -> list[Field]:
    return [
        Field(row.name, row.question, Expected(row.answer_type, row.instruction))
        for row in extraction.fields.order_by("position")
    ]


def link_runs(extraction: Extraction, runs: Sequence[RetrievalRun]) -> None:
    rows = list(extraction.fields.order_by("position"))
    for row, run in zip(rows, runs, strict=True):
        row.run = run
    ExtractionField.objects.bulk_update(rows, ["run"])


def end_extraction(
    asker: Asker, fields: Sequence[Field], found: Mapping[int, Found], lease: StoppableLease[Extraction]
) -> None:
    """Store what was found by place, and end the extraction: as stopped if a field was not asked, with an event."""
    known = [found.get(place) for place in range(len(fields))]
    left = sum(each is None for each in known)
    state = State.STOPPED if left else State.DONE
    with transaction.atomic():
        row = lease.hold()
        link_runs(row, record_fields(asker, fields, known, {"extraction": str(row.pk)}))
        write_outcome(row, state)
        if left:
            counted = {"extraction": str(row.pk), "asked": len(fields) - left, "not_asked": left}
            record("fields_stopped", str(asker.user), f"base:{asker.base.pk}", counted)
    publish_event(row.pk, "done", state=state)


def end_unread(lease: StoppableLease[Extraction]) -> None:
    """End the row of a grid whose document was not read: nothing was asked of it, so that it has no runs."""
    with transaction.atomic():
        write_outcome(lease.hold(), State.FAILED, error_for_people=NOT_READ)
    publish_event(lease.job.pk, "error", message=NOT_READ)


def end_with_failed_runs(row: Extraction, failure: str, for_people: str, for_admins: str) -> None:
    """End a locked extraction with a run for each field that records the failure; its key may be sent again."""
    calls = record_unstored()
    runs = [
        store_failed_run(field.question, failure, base=row.base, user=row.user, mode=row.mode, calls=calls)
        for field in row.fields.order_by("position")
    ]
    link_runs(row, runs)
    write_outcome(row, State.FAILED, error_for_people=for_people, error_for_admins=for_admins)
    forget_keys("extraction", [row.pk])


def give_up_extractions() -> None:
    give_up_dead(Extraction, "these fields", end_with_failed_runs)
