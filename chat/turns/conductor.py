"""The conductor of a turn: a stored question becomes one recorded run and a cited answer, or a reason for none."""

import logging
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from django.db import DatabaseError, transaction
from psycopg.errors import IdleInTransactionSessionTimeout, LockNotAvailable, QueryCanceled

from chat.answer_record import store_answer
from chat.followup.rewriting import complete_question, question_of
from chat.models import Turn
from chat.prompts.guidance import guidance_of
from chat.scope import ScopeError, resolve
from chat.stream import publish_event
from chat.turns.compose import STOPPED, WriterContext, compose
from chat.turns.page_notices import store_page_notice
from chat.turns.progress import SearchProgress
from chat.turns.repeats import Asking, find_first, read_asking, replies_for, store_repeat
from chat.turns.stopping import Stoppable, StoppableLease, request_stop
from documents.base_settings import BaseSettings, asking_for
from jobs.ids import note_ids
from jobs.lease import Job, Lease, LeaseLost, TookTooLong, claim, give_up, write_outcome
from llm import client
from llm.call import wanted_until
from llm.exchange import collecting
from llm.reuse import reusing
from retrieval.corpus import retrieve_among
from retrieval.deadline import DetectionTimeout
from retrieval.dictionary.learned import store_lessons
from retrieval.full_search import search_each
from retrieval.models import RetrievalRun
from retrieval.record.storing import keep_unstored, store_failed_run, store_run
from retrieval.types import ArbiterName, RetrievalResult

logger = logging.getLogger(__name__)

State = Turn.State
# Ends a locked job that failed: how, as the run records it, in words for people, and in detail for administrators.
EndFailed: TypeAlias = Callable[[Job, str, str, str], None]

TOO_SLOW = (
    "Searching took longer than {seconds} seconds and was stopped; the question is recorded without an answer. Ask "
    "fewer documents at once. If one of them alone is too slow, tell an administrator: its text may be made to be slow."
)
TOO_LATE = (
    "This question was not answered within {minutes} minutes, which is longer than any may take, and was ended. It is "
    "recorded; please ask again."
)
STOPPED_BY_ASKER = "The person who asked stopped the question."
CUT = (
    "The database took too long over one step, which was ended. The question is recorded without an answer; please ask "
    "again."
)
DIED = "The question could not be answered: the worker stopped {count} times while it was at it. Please ask again."


class Stopped(Exception):
    """The person who asked wants no answer any more."""


class AnsweringFailed(Exception):
    """A question was not answered; the message is for people, details are in the turn and its run."""


def answer_turn(turn_id: uuid.UUID | str, *, arbiter: ArbiterName | None = None) -> RetrievalResult | None:
    """Answer one stored question. Safe to run twice and in parallel: it leaves exactly one run (AT1), or none where the
    lease is lost or the database away, and then `tasks.sweep` has it run again.

    1. claim the turn; leave it if another worker has it or it has ended
    2. resolve the scope once: documents the asker may see now that are not in the trash; rewrite a follow-up from the
       conversation. If exactly this was answered before, store that answer for this turn as well, and end it
    3. retrieve, reporting each stage
    4. store run, candidates and ledger entry in one transaction: committed before the first byte of an answer
    5. compose: not found, quoted from the document, or written by the model and checked
    6. store answer, citations and ledger entry in one transaction, and end the turn
    A turn that already has its run, because a worker died after step 4, continues at step 5. Returns the result of this
    call's retrieval, if any. Raises AnsweringFailed if there is no answer.
    """
    turn = claim(Turn.objects.select_related("conversation__base", "conversation__user", "run"), turn_id)
    if turn is None:
        return None
    result = None
    base, is_anew = turn.conversation.base, bool(arbiter or turn.again_of_id or turn.is_fresh)
    ending = partial(end_late, end_without_answer, end_stopped)
    with collecting(), StoppableLease(turn, ending) as lease, asking_for(base, turn.conversation.user_id):
        try:
            with reusing(replies_for(base, is_anew=is_anew)), wanted_until(lease.stop_requested):
                run, asking = turn.run, None
                if run is None:
                    asking = prepare_asking(turn, lease)
                    if arbiter is None and answer_from_record(turn, asking, lease):
                        return None
                    run, result = search(turn, asking, lease, arbiter)
                note_ids(run=run.pk)
                conclude(turn, run, asking, lease)
        except Stopped:
            end_stopped(lease)
        except LeaseLost as error:
            logger.warning("%s", error)
        except Exception as error:  # the outermost handler: recorded for the person, the audit and the log
            raise AnsweringFailed(record_failure(lease, error, end_without_answer)) from error
    return result


def stop_question(turn: Turn) -> None:
    """Stop a question. One that only waits ends here and now, and the task that comes for it finds nothing to do."""
    request_stop(turn)
    with transaction.atomic():
        rows = Turn.objects.select_for_update(of=("self",), skip_locked=True)  # who locks it is a worker that takes it
        waiting = rows.filter(pk=turn.pk, state=State.QUEUED, stop_requested=True).first()
        if waiting is None:
            return
        end_without_answer(waiting, STOPPED_BY_ASKER, state=State.STOPPED)
    publish_event(turn.pk, "done", state=State.STOPPED)


# ---- steps


def prepare_asking(turn: Turn, lease: StoppableLease[Turn]) -> Asking:
    """The question as it is asked of the documents, and what it is asked of. Raises ScopeError."""
    documents = resolve(turn.conversation.user, turn.conversation.base, turn.document_ids)
    rewriting = complete_question(turn)
    if rewriting:
        publish_event(turn.pk, "question", text=rewriting.rewritten, outcome=rewriting.outcome, note=rewriting.note)
    raise_if_stopped(lease)
    return read_asking(turn, rewriting.rewritten if rewriting else turn.question, documents)


def answer_from_record(turn: Turn, asking: Asking, lease: StoppableLease[Turn]) -> bool:
    """Answer the turn from the record, with the answer the same question had; False if it has to be asked."""
    started = time.monotonic()
    first = find_first(turn, asking)
    if first is None:
        return False
    with transaction.atomic():
        row = lease.hold()
        answer = store_repeat(row, asking, first, started)
        store_page_notice(answer)
        write_outcome(row, State.DONE)
    for citation in answer.citations.all():
        publish_event(turn.pk, "citation", marker=citation.marker, quote=citation.quote)
    publish_event(turn.pk, "done", state=row.state)
    return True


def search(
    turn: Turn, asking: Asking, lease: StoppableLease[Turn], arbiter: ArbiterName | None
) -> tuple[RetrievalRun, RetrievalResult]:
    """Retrieve and record; the run is committed when this returns."""
    base = turn.conversation.base
    retrieve = retrieve_among
    if turn.is_full_search:
        retrieve = partial(search_each, on_document=SearchProgress(lease, partial(raise_if_stopped, lease)))
    options = replace(asking.by, arbiter=arbiter, on_stage=partial(on_stage, turn, lease))
    result = retrieve(asking.question, asking.documents, **vars(options))
    with transaction.atomic():
        row = lease.hold()
        row.run = store_run(result, base=base, user=turn.conversation.user, mode=turn.mode, typed=turn.question)
        store_lessons(row.run, result, asking.by.dictionary)
        row.asked_key = "" if arbiter else asking.key
        row.save(update_fields=["run", "asked_key"])
    publish_event(turn.pk, "candidates", kept=len(result.kept()), of=len(result.candidates))
    return row.run, result


def on_stage(turn: Turn, lease: StoppableLease[Turn], name: str, figures: dict[str, object]) -> None:
    """Between two stages: tell the browser, and end if Stop was pressed or another worker took over."""
    publish_event(turn.pk, "stage", name=name, **figures)
    lease.check()
    # Once all is judged, which `kept` tells, the run is worth keeping; only the answer is then left out.
    if lease.stop_requested() and "kept" not in figures:
        raise Stopped


def raise_if_stopped(lease: StoppableLease[Any]) -> None:
    lease.check()
    if lease.stop_requested():
        raise Stopped


def conclude(turn: Turn, run: RetrievalRun, asking: Asking | None, lease: StoppableLease[Turn]) -> None:
    """Compose the answer, store it and end the turn.

    Without the asking, which died with an earlier worker, settings and guidance are those of now: such an answer is not
    given again, as its key may stand for others.
    """
    started = time.monotonic()
    raise_if_stopped(lease)
    base = turn.conversation.base
    settings = asking.by.settings if asking else BaseSettings.from_json(base.settings)
    guidance = asking.by.guidance if asking else guidance_of(base)
    is_checked = client.is_configured() and settings.claim_check == "on" and run.status == "found"
    publish_event(turn.pk, "stage", name="written", started=True, is_checked=is_checked)

    def on_text(text: str) -> None:
        lease.check()
        if text:
            publish_event(turn.pk, "token", text=text)

    draft = compose(run, WriterContext(turn.mode, settings, on_text, lease.stop_requested, guidance))
    lease.allow_storing()
    timings_ms = {"compose": round(1000 * (time.monotonic() - started), 1)}
    with transaction.atomic():
        row = lease.hold()
        if row.stop_requested and draft.ended == "complete":
            # Stop may have been pressed since the last check; an answer must not appear after it.
            draft = replace(draft, ended="stopped", note=f"{draft.note} {STOPPED}".strip())
        answer = store_answer(row, run, draft, timings_ms)
        store_page_notice(answer)
        key = row.asked_key if asking else ""
        write_outcome(row, State.STOPPED if answer.ended == "stopped" else State.DONE, asked_key=key)
    for each in draft.quoted:
        publish_event(turn.pk, "citation", marker=each.marker, quote=each.quote)
    publish_event(turn.pk, "done", state=row.state)


# ---- outcomes


def end_without_answer(
    row: Turn, failure: str, for_people: str = "", for_admins: str = "", state: Turn.State = State.FAILED
) -> None:
    """End a turn without an answer; if it has no run yet, store a run that records the failure (AT1).

    What a model wrote for an answer that could not be stored is kept beside the run.
    """
    if row.run:
        keep_unstored(row.run)
    else:
        conversation = row.conversation
        asked = question_of(row)
        row.run = store_failed_run(asked, failure, base=conversation.base, user=conversation.user, mode=row.mode)
    write_outcome(row, state, run=row.run, error_for_people=for_people, error_for_admins=for_admins)


def end_stopped(lease: StoppableLease[Turn]) -> None:
    with transaction.atomic():
        end_without_answer(lease.hold(), STOPPED_BY_ASKER, state=State.STOPPED)
    publish_event(lease.job.pk, "done", state=State.STOPPED)


def end_late(
    end: EndFailed[Stoppable],
    end_stopped: Callable[[StoppableLease[Stoppable]], object],
    lease: StoppableLease[Stoppable],
    error: TookTooLong,
) -> None:
    """End a job that hangs, from another thread than its own: as failed, or as stopped if that was asked for."""
    if not lease.stop_requested():
        record_failure(lease, error, end)
        return
    try:
        end_stopped(lease)
    except LeaseLost:  # it was stored meanwhile
        logger.info("%s %s ended by itself", lease.job._meta.verbose_name, lease.job.pk)


def record_failure(lease: Lease[Job], error: Exception, end: EndFailed[Job]) -> str:
    """Record a failure and return its sentence for people. If the database is down, leave the job to the sweeper."""
    sentence = describe_failure(error)
    detail = "".join(traceback.format_exception(error))
    try:
        with transaction.atomic():
            end(lease.hold(), f"{type(error).__name__}: {error}", sentence, detail)
    except (DatabaseError, LeaseLost) as second:
        kind = lease.job._meta.model_name
        logger.error("The failure of %s %s could not be recorded: %s", kind, lease.job.pk, second)
    else:
        publish_event(lease.job.pk, "error", message=sentence)
    return sentence


@contextmanager
def failure_recorded(lease: Lease[Job], end: EndFailed[Job]) -> Iterator[None]:
    """Record what goes wrong in the block, and end the job. If the database is down, leave the job to the sweeper."""
    try:
        yield
    except LeaseLost as error:
        logger.warning("%s", error)
    except Exception as error:  # the outermost handler: recorded for the person, the audit and the log
        logger.exception("%s %s failed", lease.job._meta.verbose_name, lease.job.pk)
        record_failure(lease, error, end)


def describe_failure(error: Exception) -> str:
    """What happened, in words for people: no internal names, no paths, no SQL."""
    if isinstance(error, ScopeError):
        return str(error)
    if isinstance(error, DetectionTimeout):
        return TOO_SLOW.format(seconds=round(error.seconds))
    if isinstance(error, TookTooLong):
        return TOO_LATE.format(minutes=max(1, round(error.seconds / 60)))
    if isinstance(error.__cause__, QueryCanceled | LockNotAvailable | IdleInTransactionSessionTimeout):
        return CUT
    if isinstance(error, DatabaseError):
        return "The record of this question could not be written, so no answer is shown. Please ask again in a moment."
    return "Something failed on our side while this question was being answered. It is recorded; please ask again."


def give_up_exhausted() -> None:
    give_up_dead(Turn, "this question", end_without_answer)


def give_up_dead(jobs: type[Job], what: str, end: EndFailed[Job]) -> None:
    """End jobs of a kind whose last attempt died with its worker, and tell who follows them."""

    def end_dead(row: Job) -> None:
        failure = f"{row.attempts} workers died on {what}; the last was {row.lease_owner or 'unknown'}."
        end(row, failure, DIED.format(count=row.attempts), failure)

    give_up(jobs, end_dead, lambda row: publish_event(row.pk, "error", message=DIED.format(count=row.attempts)))
