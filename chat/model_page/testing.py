"""The test of the model: it judges three fixed passages as an arbiter would, in a worker, on record and paid for."""

import logging
from datetime import timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.models import User
from chat.model_page.in_force import usual_tier
from chat.models import ModelTest
from chat.turns.stopping import answer_limit_s
from documents import access
from documents.base_settings import asking_for
from documents.models import KnowledgeBase
from jobs.lease import Lease, LeaseLost, claim, end_in_vain, give_up, write_outcome
from llm.errors import LLMError
from llm.exchange import Exchange
from llm.models import LLMCall
from llm.window import read_window
from retrieval.arbiter.model import ask_model, prompt_for, read_reply
from retrieval.arbiter.room import room_in
from retrieval.search import ModelUse
from retrieval.types import Brief, Briefed, Candidate, LineRange, Question

logger = logging.getLogger(__name__)

PURPOSE = "test"
PAUSE_S = 10  # between two tests of a base: a second click shows the first one's outcome
CLOSED = gettext_noop("This base is no longer yours.")
BROKEN = gettext_noop("Something failed on our side. It is recorded; please try again.")
DIED = gettext_noop("The worker stopped several times while it was at it. Please try again.")

ASKED = "How long are invoices kept?"
QUESTION = Question(ASKED, ASKED, "en", "field_extraction", "single", "duration", ())
PASSAGES = (  # section, words of the question, text
    ("Retention", ("invoices", "kept"), "Invoices are kept for ten years after the end of the financial year."),
    ("Payment", ("invoices",), "Invoices are paid within thirty days of their receipt."),
    ("Storage", ("kept",), "The keys of the store room are kept at the front desk."),
)
RIGHT = "c1"  # the one of them that answers

State = ModelTest.State


class TestedModel(NamedTuple):
    """What came of one test: its exchange, how many passages have a valid verdict, and why it failed if it did."""

    exchange: Exchange
    judged: int = 0
    is_right: bool = False
    error: str = ""


# ---- in the web process


def ask_for_test(user: User, base: KnowledgeBase) -> ModelTest:
    """Store that the model of a base is to be tested; while that is done, or just was, that test."""
    with transaction.atomic():
        access.lock(base)
        last = find_last_test(base)
        if last and (last.is_pending or last.created_at > timezone.now() - timedelta(seconds=PAUSE_S)):
            return last
        return ModelTest.objects.create(base=base, by=user)


def find_last_test(base: KnowledgeBase) -> ModelTest | None:
    tests = ModelTest.objects.filter(base=base).select_related("call__charge", "base")
    return tests.order_by("created_at").last()


# ---- in a worker


def carry_out_test(test_id: UUID | str) -> None:
    """Carry out one stored test. Safe to run twice and in parallel."""
    job = claim(ModelTest.objects.select_related("base", "by"), test_id)
    if job is None:
        return
    with (
        Lease(job, answer_limit_s(), lambda late, _: end_in_vain(late, end_failed_test)) as lease,
        asking_for(job.base, job.by_id),
    ):
        try:
            if not KnowledgeBase.objects.with_role(job.by, *access.OWN).filter(pk=job.base_id).exists():
                end_in_vain(lease, partial(end_failed_test, sentence=CLOSED))
                return
            chosen = usual_tier(job.base)
            found = judge_passages(ModelUse(chosen.tier, room_in(read_window()), why=chosen.why))
            with transaction.atomic():
                row = lease.hold()
                call = LLMCall.objects.record(found.exchange)
                state = State.FAILED if found.error else State.DONE
                write_outcome(row, state, call=call, judged=found.judged, is_right=found.is_right, error=found.error)
        except LeaseLost as error:
            logger.warning("%s", error)
        except Exception:  # the outermost handler: told to the person, the details are in the log
            logger.exception("The test of the model failed: %s", job.pk)
            end_in_vain(lease, end_failed_test)


def judge_passages(use: ModelUse) -> TestedModel:
    """Have the model judge the fixed passages, read by the rules that every judgement is read by."""
    candidates = [fixed_candidate(number, *passage) for number, passage in enumerate(PASSAGES, 1)]
    try:
        reply, exchange = ask_model(prompt_for(QUESTION, candidates, (), use.room), use, PURPOSE)
    except LLMError as error:
        return TestedModel(error.exchange, error=str(error))
    ranking = read_reply(reply, candidates, exchange)
    roles = {verdict.candidate_id: verdict.role for verdict in ranking.verdicts if verdict.role != "unjudged"}
    primary = [candidate_id for candidate_id, role in roles.items() if role == "primary"]
    return TestedModel(exchange, len(roles), primary == [RIGHT], ranking.failure)


def fixed_candidate(number: int, title: str, words: tuple[str, ...], text: str) -> Briefed:
    name = f"c{number}"
    found = Candidate(
        candidate_id=name,
        document_id="",
        parse_id="",
        methods=("keywords",),
        matched_keywords=words,
        toc_index=number,
        section_title=title,
        breadcrumb=title,
        anchor=LineRange(number, number),
        anchor_pages=(1, 1),
        anchor_text=text,
        snippet=text,
        rrf_rank=number,
    )
    return Briefed(**vars(found), brief=Brief(found, "Office rules", "", text))


# ---- outcomes


def end_failed_test(row: ModelTest, sentence: str = BROKEN) -> None:
    write_outcome(row, State.FAILED, error=sentence)


def give_up_tests() -> None:
    give_up(ModelTest, partial(end_failed_test, sentence=DIED))
