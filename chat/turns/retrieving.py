"""Evidence without an answer: retrieve, record the run, return what was found."""

import logging
from typing import Any, cast

from django.db import transaction

from accounts.models import User
from chat.prompts.guidance import guidance_of
from chat.scope import QuestionScope, resolve
from chat.turns.conductor import AnsweringFailed, describe_failure
from documents.base_settings import BaseSettings
from documents.idempotency import Keyed, made_before, one_at_a_time, remember
from llm.spending import paid_by
from retrieval import corpus
from retrieval.dictionary.load import ensure_dictionary
from retrieval.filters import UNFILTERED, Filters
from retrieval.models import RetrievalRun
from retrieval.run_record import result_json, store_failed_run, store_run, stored_result_json
from retrieval.types import Mode

logger = logging.getLogger(__name__)


def retrieve_and_record(
    user: User,
    scope: QuestionScope,
    question: str,
    mode: str,
    request: Keyed | None = None,
    filters: Filters = UNFILTERED,
) -> dict[str, Any]:
    """The RetrievalResult of a question with its run id, produced as in the chat, but without an answer.

    A program's `request` makes one run however often it is sent, unless retrieval failed. Raises ScopeError, KeyReused,
    or AnsweringFailed once the failure is recorded (AT1).
    """
    with one_at_a_time(request):
        if made := made_before(request):
            run = RetrievalRun.objects.get(pk=made["run"])
            return {"run_id": str(run.pk)} | stored_result_json(run)
        return retrieve(user, scope, question, mode, request, filters)


def retrieve(
    user: User, scope: QuestionScope, question: str, mode: str, request: Keyed | None, filters: Filters
) -> dict[str, Any]:
    base = scope.base
    documents = resolve(user, base, scope.document_ids)
    try:
        with paid_by(user.pk, base.pk):
            result = corpus.retrieve_among(
                question,
                documents,
                settings=BaseSettings.from_json(base.settings),
                mode=cast(Mode, mode),
                dictionary=ensure_dictionary(base),
                filters=filters,
                guidance=guidance_of(base),
            )
        with transaction.atomic():
            run = store_run(result, base=base, user=user, mode=mode)
            remember(request, run=str(run.pk))
    except Exception as error:  # the outermost handler: recorded for the audit and the log
        logger.exception("Retrieval failed")
        store_failed_run(question, f"{type(error).__name__}: {error}", base=base, user=user, mode=mode)
        raise AnsweringFailed(describe_failure(error)) from error
    return {"run_id": str(run.pk)} | result_json(result)
