"""Evidence without an answer (R100): a stored question of a program becomes one recorded run, in a worker.

No web request asks a model: like this one, what is judged again (`audit.review.rejudging`) and the test of a model
(`chat.model_page.testing`) are rows that workers of the queue `ask` carry out, while an API call waits for the row and
a page shows how far it is.
"""

import uuid
from functools import partial

from django.db import IntegrityError, transaction

from accounts.models import User
from chat.asking import asked_before
from chat.models import Retrieval
from chat.scope import QuestionScope, resolve
from chat.stream import publish_event
from chat.turns.conductor import AnsweringFailed, failure_recorded, give_up_dead, record_failure
from chat.turns.repeats import replies_for
from chat.turns.searched_by import searched_by
from chat.turns.stopping import answer_limit_s
from documents.access import is_auditor_of
from documents.base_settings import asking_for
from documents.idempotency import Keyed, forget_keys, remember
from jobs.lease import Lease, claim, write_outcome
from llm.exchange import collecting
from llm.reuse import reusing
from retrieval import corpus
from retrieval.dictionary.learned import store_lessons
from retrieval.dictionary.load import ensure_dictionary
from retrieval.filters import Filters
from retrieval.record.as_json import stored_result_json, without_scores
from retrieval.record.storing import store_failed_run, store_run
from retrieval.types import RetrievalResult

State = Retrieval.State


# ---- in the web process


def keep_retrieval(
    user: User, scope: QuestionScope, question: str, mode: str, request: Keyed | None = None
) -> Retrieval:
    """Store a question whose evidence is wanted. A program's `request` makes one, however often it is sent, unless it
    failed. Raises KeyReused.
    """
    if first := asked_before(Retrieval, request):
        return first
    try:
        with transaction.atomic():
            retrieval = Retrieval.objects.create(
                base=scope.base,
                user=user,
                question=question,
                document_ids=scope.document_ids,
                mode=mode,
                filters=scope.filters.to_json(),
            )
            remember(request, retrieval=str(retrieval.pk))
            return retrieval
    except IntegrityError:
        if first := asked_before(Retrieval, request):
            return first
        raise


def read_evidence(retrieval_id: uuid.UUID) -> dict[str, object]:
    """The RetrievalResult of an ended retrieval with its run id. Raises AnsweringFailed if it failed."""
    retrieval = Retrieval.objects.select_related("run", "user").get(pk=retrieval_id)
    if retrieval.state == State.FAILED:
        raise AnsweringFailed(retrieval.error_for_people)
    return evidence_json(retrieval)


def read_retrieval(retrieval_id: uuid.UUID) -> dict[str, object]:
    """The current JSON of a retrieval; `result` is null until there is one."""
    retrieval = Retrieval.objects.select_related("run", "user").get(pk=retrieval_id)
    return {
        "retrieval_id": str(retrieval.pk),
        "knowledge_base_id": str(retrieval.base_id),
        "message": retrieval.question,
        "mode": retrieval.mode,
        "state": retrieval.state,
        "error": retrieval.error_for_people or None,
        "run_id": str(retrieval.run_id) if retrieval.run_id else None,
        "result": evidence_json(retrieval) if retrieval.state == State.DONE else None,
    }


def evidence_json(retrieval: Retrieval) -> dict[str, object]:
    """The result with its run id, for who asked: with raw scores for those who audit the base (L11)."""
    assert retrieval.run is not None, "an ended retrieval has its run"
    told = stored_result_json(retrieval.run)
    shown = told if is_auditor_of(retrieval.user, retrieval.base_id) else without_scores(told)
    return {"run_id": str(retrieval.run_id)} | shown


# ---- in a worker


def retrieve_evidence(retrieval_id: uuid.UUID | str) -> None:
    """Carry out one stored retrieval. Safe to run twice and in parallel; it always leaves exactly one run (AT1)."""
    retrieval = claim(Retrieval.objects.select_related("base", "user"), retrieval_id)
    if retrieval is None:
        return
    with (
        collecting(),
        Lease(retrieval, answer_limit_s(), partial(record_failure, end=end_with_failed_run)) as lease,
        asking_for(retrieval.base, retrieval.user_id),
        failure_recorded(lease, end_with_failed_run),
    ):
        with reusing(replies_for(retrieval.base, is_anew=False)):
            result = search_as_asked(retrieval)
        with transaction.atomic():
            row = lease.hold()
            run = store_run(result, base=retrieval.base, user=retrieval.user, mode=retrieval.mode)
            store_lessons(run, result, ensure_dictionary(retrieval.base))
            write_outcome(row, State.DONE, run=run)
        publish_event(retrieval.pk, "done", state=State.DONE)


def search_as_asked(retrieval: Retrieval) -> RetrievalResult:
    """Raises ScopeError if the documents are no longer open to who asked."""
    base = retrieval.base
    return corpus.retrieve_among(
        retrieval.question,
        resolve(retrieval.user, base, retrieval.document_ids),
        **vars(searched_by(base, retrieval.mode, Filters.from_json(retrieval.filters))),
    )


def end_with_failed_run(row: Retrieval, failure: str, for_people: str, for_admins: str) -> None:
    """End a locked retrieval with a run that records the failure; its key may be sent again."""
    run = store_failed_run(row.question, failure, base=row.base, user=row.user, mode=row.mode)
    write_outcome(row, State.FAILED, run=run, error_for_people=for_people, error_for_admins=for_admins)
    forget_keys("retrieval", [row.pk])


def give_up_retrievals() -> None:
    give_up_dead(Retrieval, "this question", end_with_failed_run)
