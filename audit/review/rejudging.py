"""Judging again for the pages: what an auditor asks for is a stored job, carried out by a worker."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.translation import get_language, gettext, override

from accounts.models import User
from audit.access_log import is_auditor, record_event
from audit.models import Rejudgement
from audit.review.golden import check_golden, record_check, reviewed_runs
from audit.review.proposed import QUESTIONS_MAX, check_proposal, count_golden, record_proposal_check
from audit.review.replay import REPEATS_ON_PAGE_MAX, CannotReplay, Judge, Rejudged, rejudge, summary
from documents.access import actor_of
from documents.base_settings import asking_for
from documents.guarding.guard import ProposalRefused
from documents.models import KnowledgeBase, ProposedChange
from jobs.lease import Lease, LeaseLost, TookTooLong, claim, end_in_vain, give_up, write_outcome
from jobs.models import LeasedJob
from llm.models import LLMCall
from retrieval.models import RetrievalRun

logger = logging.getLogger(__name__)

CHECKED_ON_PAGE = {"rules": 25, "model": 5}  # runs, so that a click costs little; the command checks all of them
SPARE_S = 300 * settings.PATIENCE  # loading and storing take seconds
JUDGE_LIMIT_S = int(REPEATS_ON_PAGE_MAX * settings.ARBITER_DEADLINE_S + SPARE_S)
CHECK_LIMIT_S = int(4 * QUESTIONS_MAX * settings.ARBITER_DEADLINE_S + SPARE_S)  # two searches of two looks each
PENDING = (LeasedJob.QUEUED, LeasedJob.RUNNING)

Kind, State = Rejudgement.Kind, Rejudgement.State


# ---- in the web process


def ask_for_replay(user: User, run: RetrievalRun, judge: Judge, repeats: int) -> Rejudgement:
    """Store that a run's brief is to be judged again; while the same is being done for the person, that job."""
    parameters = asdict(judge) | {"repeats": repeats}
    return keep_job(user, run.base_id, Kind.REPLAY, parameters, total=repeats, run=run)


def ask_for_check(user: User, base: KnowledgeBase, judge: Judge) -> Rejudgement:
    """Store that the newest golden runs of a base are to be checked; while they are being checked so, that job."""
    return keep_job(user, base.pk, Kind.CHECK, asdict(judge))


def ask_for_proposal_check(user: User, proposal: ProposedChange) -> Rejudgement:
    """Store that the golden set is to be searched with a proposed change; while that is being done, that job."""
    return keep_job(user, proposal.base_id, Kind.CHANGE, {"proposal": str(proposal.pk)})


def keep_job(
    user: User, base_id: UUID, kind: Rejudgement.Kind, parameters: Mapping[str, object], **of: Any
) -> Rejudgement:
    wanted = {"by": user, "base_id": base_id, "kind": kind, "parameters": parameters, **of}
    pending = Rejudgement.objects.filter(**wanted, state__in=PENDING).first()
    return pending or Rejudgement.objects.create(**wanted, language=get_language() or settings.LANGUAGE_CODE)


def find_last_check(base: KnowledgeBase) -> Rejudgement | None:
    return Rejudgement.objects.filter(base=base, kind=Kind.CHECK).order_by("created_at").last()


# ---- in a worker


def judge_stored(rejudgement_id: UUID | str) -> None:
    """Carry out one stored job. Safe to run twice and in parallel; each judgement is recorded as an event."""
    job = claim(Rejudgement.objects.select_related("base", "by", "run__llm_call"), rejudgement_id, done=0)
    if job is None:
        return
    limit_s = CHECK_LIMIT_S if job.kind == Kind.CHANGE else JUDGE_LIMIT_S
    with Lease(job, limit_s, end_broken_job) as lease, asking_for(job.base, job.by_id), override(job.language):
        try:
            if not is_auditor(job.by, job.base_id):
                raise CannotReplay(gettext("This base is no longer open to you."))
            if job.run:
                judge_run(job.run, lease)
            elif job.kind == Kind.CHANGE:
                check_change(lease)
            else:
                check_base(lease)
        except LeaseLost as error:
            logger.warning("%s", error)
        except (CannotReplay, ProposalRefused) as error:
            end_in_vain(lease, partial(end_failed_job, sentence=str(error)))
        except Exception:  # the outermost handler: told to the person, the details are in the log
            logger.exception("Judging again failed: %s", job.pk)
            end_broken_job(lease)


def end_broken_job(lease: Lease[Rejudgement], error: TookTooLong | None = None) -> None:
    with override(lease.job.language):
        broken = gettext("Something failed on our side. It is recorded; please try again.")
    end_in_vain(lease, partial(end_failed_job, sentence=broken))


def judge_run(run: RetrievalRun, lease: Lease[Rejudgement]) -> None:
    job = lease.job
    found = rejudge(run, judge_of(job), repeats=job.parameters["repeats"], on_judged=counting(lease))
    with transaction.atomic():
        row = lease.hold()
        calls = [str(LLMCall.objects.record(exchange).pk) for exchange in found.exchanges]
        record_event(job.by, "replay", run.pk, calls=calls, **summary(found))
        write_outcome(row, State.DONE, result=result_of(found))


def check_base(lease: Lease[Rejudgement]) -> None:
    job, actor = lease.job, actor_of(lease.job.by)
    with override("en"):  # what is recorded is in English
        runs = list(reviewed_runs(job.base)[: CHECKED_ON_PAGE[job.parameters["arbiter"]]])
        lease.rows().update(total=len(runs))
        found = check_golden(runs, judge_of(job), actor, on_checked=counting(lease))
    with transaction.atomic():
        row = lease.hold()
        record_check(job.base, found, actor)
        write_outcome(row, State.DONE)


def check_change(lease: Lease[Rejudgement]) -> None:
    proposal = ProposedChange.objects.get(pk=lease.job.parameters["proposal"])
    if not ProposedChange.objects.open().filter(pk=proposal.pk).exists():
        raise ProposalRefused(gettext("This proposed change has ended already."))
    lease.rows().update(total=count_golden(lease.job.base))
    with override("en"):  # what is recorded is in English
        found = check_proposal(proposal, lease.job, on_checked=counting(lease))
    with transaction.atomic():
        row = lease.hold()
        record_proposal_check(proposal, row, found)
        write_outcome(row, State.DONE, result=found)


def judge_of(job: Rejudgement) -> Judge:
    return Judge(**{field.name: job.parameters[field.name] for field in fields(Judge)})


def counting(lease: Lease[Rejudgement]) -> Callable[[int], None]:
    """A step that stores how many judgements are done, and raises LeaseLost before another worker's job is paid for."""

    def count(done: int) -> None:
        if not lease.rows().update(done=done):
            raise LeaseLost(f"Job {lease.job.pk} was taken over by another worker or is gone.")

    return count


def result_of(found: Rejudged) -> dict[str, object]:
    """A replay's findings as JSON, without the exchanges, which are recorded."""
    told = {field.name: getattr(found, field.name) for field in fields(found) if field.name != "exchanges"}
    return told | {"flips": [asdict(flip) for flip in found.flips]}


# ---- outcomes


def end_failed_job(row: Rejudgement, sentence: str) -> None:
    if row.run_id:
        record_event(row.by, "replay", row.run_id, arbiter=row.parameters["arbiter"], error=sentence)
    write_outcome(row, State.FAILED, error=sentence)


def give_up_rejudgements() -> None:
    def end(row: Rejudgement) -> None:
        with override(row.language):
            words = gettext("The worker stopped %(count)s times while it was at it. Please try again.")
            end_failed_job(row, words % {"count": row.attempts})

    give_up(Rejudgement, end)
