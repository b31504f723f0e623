"""Several named fields of the same documents (R87): a stored request becomes one recorded run and answer for each.

`extract` is all of it for whoever has a scope and fields; the rows around it are for requests that wait in a queue.
"""

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.db import IntegrityError, transaction

from accounts.models import User
from chat.answer_record import store_answer
from chat.asking import asked_before
from chat.drafts import AnswerDraft
from chat.fields.values import compare_fields, compose_field, extraction_json
from chat.models import Extraction, ExtractionField
from chat.prompts.guidance import guidance_of
from chat.scope import QuestionScope, resolve
from chat.stream import publish_event
from chat.turns.conductor import describe_failure, failure_recorded, give_up_dead, record_failure
from chat.turns.repeats import replies_for
from chat.turns.stopping import extraction_limit_s
from documents.base_settings import BaseSettings, asked_for
from documents.idempotency import Keyed, forget_keys, remember
from documents.models import Document, KnowledgeBase
from jobs.lease import Lease, TookTooLong, claim, write_outcome
from llm.exchange import Exchange, collecting
from llm.models import LLMCall
from llm.reuse import reusing
from retrieval.deadline import DetectionTimeout
from retrieval.dictionary.learned import store_lessons
from retrieval.dictionary.load import ensure_dictionary
from retrieval.filters import UNFILTERED, Filters
from retrieval.forms.fields import Field, retrieve_fields
from retrieval.models import RetrievalRun
from retrieval.reading_rules.editing import reading_rules_of
from retrieval.record.storing import record_shared, record_unstored, store_failed_run, store_run
from retrieval.types import Expected, Mode, RetrievalResult

State = Extraction.State
Found = RetrievalResult | DetectionTimeout


@dataclass(frozen=True)
class Asker:
    """Who asks fields of a base, and how."""

    user: User
    base: KnowledgeBase
    mode: str
    filters: Filters = UNFILTERED

    @property
    def settings(self) -> BaseSettings:
        return BaseSettings.from_json(self.base.settings)


# ---- the engine: documents and fields to records


def find_fields(asker: Asker, documents: Sequence[Document], fields: Sequence[Field]) -> list[Found]:
    """What each field found, with nothing recorded yet."""
    with reusing(replies_for(asker.base, is_anew=False)):
        return retrieve_fields(
            fields,
            documents,
            settings=asker.settings,
            mode=cast(Mode, asker.mode),
            dictionary=ensure_dictionary(asker.base),
            filters=asker.filters,
            guidance=guidance_of(asker.base),
            rules=reading_rules_of(asker.base),
        )


def record_fields(
    asker: Asker, fields: Sequence[Field], found: Sequence[Found], beside: Mapping[str, Any] | None = None
) -> list[RetrievalRun]:
    """Store a run and an answer for each field, all or nothing. An exchange that served several is stored once.

    `beside` goes into the plan of each with the field's name, type and instruction.
    """
    with transaction.atomic():
        shared: dict[int, LLMCall] = {}
        # Those without a result come last: the exchanges that are not stored by then are theirs.
        late_last = sorted(enumerate(zip(fields, found, strict=True)), key=lambda each: is_late(each[1][1]))
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


def is_late(found: Found) -> bool:
    return isinstance(found, DetectionTimeout)


def field_plan(field: Field) -> dict[str, Any]:
    return {"name": field.name, "type": field.expected.answer_type, "instruction": field.expected.instruction}


def answer_field(
    asker: Asker, field: Field, found: Found, shared: dict[int, LLMCall], told: dict[str, Any]
) -> tuple[RetrievalRun, AnswerDraft | None, dict[str, float]]:
    """The stored run of a field, the answer to it, which is not stored yet, and how long that took."""
    if isinstance(found, DetectionTimeout):
        failure = f"{type(found).__name__}: {describe_failure(found)}"
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
    draft = compose_field(run, asker.mode, asker.settings)
    return run, draft, {"compose": round(1000 * (time.monotonic() - started), 1)}


def shared_call(exchange: Exchange, stored: dict[int, LLMCall]) -> LLMCall:
    """The row of an exchange that served several fields, stored with the first of them."""
    if id(exchange) not in stored:
        stored[id(exchange)] = record_shared(exchange)
    return stored[id(exchange)]


# ---- in the web process


def keep_extraction(
    user: User,
    scope: QuestionScope,
    fields: Sequence[Field],
    mode: str,
    *,
    filters: Filters = UNFILTERED,
    request: Keyed | None = None,
    form_id: uuid.UUID | None = None,
) -> Extraction:
    """Store fields that are to be asked. A program's `request`, or a form sent twice, makes one. Raises KeyReused."""
    if first := asked_before(Extraction, request):
        return first
    said = [user.pk, scope.base.pk, *scope.document_ids, mode, filters.words, *map(repr, fields)]
    made_id = uuid.uuid5(form_id, "\n".join(map(str, said))) if form_id else uuid.uuid4()
    try:
        with transaction.atomic():
            extraction = Extraction.objects.create(
                id=made_id,
                base=scope.base,
                user=user,
                document_ids=scope.document_ids,
                scope_name=scope.name,
                mode=mode,
                filters=filters.to_json(),
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
    """The current JSON of an extraction."""
    return extraction_json(Extraction.objects.get(pk=extraction_id))


# ---- in a worker


def carry_out_extraction(extraction_id: uuid.UUID | str) -> None:
    """Ask the fields of one stored request. Safe to run twice and in parallel; each leaves exactly one run (AT1)."""
    extraction = claim(Extraction.objects.select_related("base", "user"), extraction_id)
    if extraction is None:
        return
    asker = Asker(extraction.user, extraction.base, extraction.mode, Filters.from_json(extraction.filters))
    fields = fields_of(extraction)
    with (
        collecting(),
        Lease(extraction, extraction_limit_s(), end_late_extraction) as lease,
        asked_for(extraction.base, extraction.user_id),
        failure_recorded(lease, end_with_failed_runs),
    ):
        documents = resolve(extraction.user, extraction.base, extraction.document_ids)
        found = find_fields(asker, documents, fields)
        with transaction.atomic():
            row = lease.hold()
            link_runs(row, record_fields(asker, fields, found, {"extraction": str(row.pk)}))
            write_outcome(row, State.DONE)
        publish_event(extraction.pk, "done", state=State.DONE)


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


def end_late_extraction(lease: Lease[Extraction], error: TookTooLong) -> None:
    """End an extraction that hangs, from another thread than its own: it is not tried, and paid, again."""
    record_failure(lease, error, end_with_failed_runs)


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
    """End extractions whose last attempt died with its worker."""
    give_up_dead(Extraction, "these fields", end_with_failed_runs)
