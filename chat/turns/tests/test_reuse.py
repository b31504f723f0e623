"""R108: an equal request of a base gets the reply it had: recorded as a call of its own, free, and never in doubt."""

import json
import zipfile
from collections.abc import Callable
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from audit.keeping.erasure import Erasing, erase_run
from audit.proof.evidence import write_evidence
from audit.proof.verification import verify
from audit.review.replay import Judge, rebuild, rejudge
from audit.review.reviewing import Opinion, review
from chat import stream
from chat.answer_record import give_feedback
from chat.asking import ask_again
from chat.conftest import LEASE_TEXT, RENT_QUESTION, Ask, Serve
from chat.models import Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.evidence import keep_retrieval, retrieve_evidence
from chat.turns.stopping import StoppableLease
from documents import access
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase, Role
from llm.models import LLMCall, Spent
from llm.prices import parse_prices
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db(transaction=True)

Retrieve = Callable[[], RetrievalRun]


@pytest.fixture
def retrieve(document: Document, tenant: User) -> Retrieve:
    """Evidence for the question, as a program asks for it: no answer, so there is nothing to give again."""

    def retrieve() -> RetrievalRun:
        kept = keep_retrieval(tenant, QuestionScope(document.base, (document,)), RENT_QUESTION, "balanced")
        retrieve_evidence(kept.pk)
        kept.refresh_from_db()
        assert kept.run is not None
        return kept.run

    return retrieve


def call_of(run: RetrievalRun) -> LLMCall:
    assert run.llm_call is not None
    return run.llm_call


def test_a_reply_is_used_again_and_recorded_as_a_call_of_its_own(
    retrieve: Retrieve, ask: Ask, serve: Serve, settings: Settings
) -> None:
    server = serve()
    settings.LLM_PRICES = parse_prices('{"scripted-model": {"in": 100, "out": 100}}')
    settings.SPENDING_LIMITS = {"day": Decimal(5)}
    first = call_of(retrieve())
    spent = Spent.objects.get().amount
    second = call_of(retrieve())
    assert len(server.requests) == 1 and Spent.objects.get().amount == spent > 0
    assert second.reused == {"call": str(first.pk), "on": f"{first.started_at:%Y-%m-%d}"} and not first.reused
    same = ("request", "request_sha256", "raw_reply", "model_returned", "purpose", "prompt_version", "outcome")
    assert all(getattr(first, name) == getattr(second, name) for name in same)
    assert (second.attempts, second.tokens_in, second.tokens_out, second.charge.amount) == (0, 0, 0, Decimal(0))
    turn = ask()
    answer_turn(turn.pk)
    turn = Turn.objects.select_related("run__llm_call", "answer__llm_call").get(pk=turn.pk)
    assert turn.run is not None and turn.answer.llm_call is not None
    assert call_of(turn.run).reused["call"] == str(first.pk), "of the call that was sent"
    assert not turn.answer.llm_call.reused, "nothing was written before"
    rebuilt = rebuild(turn.run)
    assert rebuilt is not None and rebuilt.ok and verify().ok


def test_trail_figures_and_pack_say_that_it_was_free(
    retrieve: Retrieve, serve: Serve, tenant: User, client: Client
) -> None:
    serve()
    first, second = retrieve(), retrieve()
    client.force_login(tenant)
    trail = client.get(reverse("audit:trail", args=[second.pk])).content.decode()
    assert "Reply of an earlier equal call" in trail and str(first.llm_call_id) in trail
    assert '<td class="num">free</td>' in "".join(line.strip() for line in trail.splitlines())
    assert "Reply of an earlier" not in client.get(reverse("audit:trail", args=[first.pk])).content.decode()
    page = client.get("/audit/figures/")
    [row] = [row for row in page.context["figures"].calls if row["purpose"] == "arbiter"]
    assert (row["number"], row["free"], row["unpriced"]) == (2, 1, 1)
    assert "1 of them free" in " ".join(page.content.decode().split())
    out = BytesIO()
    write_evidence(second, out, None)
    with zipfile.ZipFile(out) as pack:
        assert f"equal call {first.llm_call_id}" in " ".join(pack.read("report.html").decode().split())
        assert pack.read("calls/arbiter-reply.txt").decode() == call_of(first).raw_reply


def test_erasing_the_first_leaves_the_second_whole_and_is_not_used_again(retrieve: Retrieve, serve: Serve) -> None:
    server = serve()
    first, second = retrieve(), retrieve()
    erase_run(first, Erasing("Tenant", "asked for"))
    kept = LLMCall.objects.get(pk=call_of(second).pk)
    assert kept.raw_reply and kept.request and kept.reuse_key
    assert not LLMCall.objects.get(pk=call_of(first).pk).reuse_key
    out = BytesIO()
    write_evidence(second, out, None)
    assert verify().ok and rebuild(RetrievalRun.objects.get(pk=second.pk)).ok  # type: ignore[union-attr]
    assert not call_of(retrieve()).reused and len(server.requests) == 2


def test_a_reply_of_another_base_is_not_used(retrieve: Retrieve, serve: Serve, tenant: User, tmp_path: Path) -> None:
    server = serve()
    elsewhere = access.create_base(tenant, "Elsewhere")
    KnowledgeBase.objects.filter(pk=elsewhere.pk).update(settings={"embeddings": "none"})
    (tmp_path / "lease.md").write_text(LEASE_TEXT)
    ingest_path(tmp_path / "lease.md", elsewhere, tenant)
    elsewhere.refresh_from_db()
    mine = call_of(retrieve())
    kept = keep_retrieval(tenant, QuestionScope(elsewhere), RENT_QUESTION, "balanced")
    retrieve_evidence(kept.pk)
    kept.refresh_from_db()
    assert kept.run is not None and call_of(kept.run).request_sha256 == mine.request_sha256
    assert not call_of(kept.run).reused and len(server.requests) == 2


def complain(run: RetrievalRun, ask: Ask) -> None:
    turn = ask("What is the deposit?")
    answer_turn(turn.pk)
    give_feedback(turn, turn.conversation.user, "wrong_answer")


def overrule(run: RetrievalRun, ask: Ask) -> None:
    auditor = User.objects.create_user("auditor@example.org", "a long pass phrase", name="Auditor")
    access.set_role(KnowledgeBase.objects.get(pk=run.base_id), auditor, Role.AUDITOR)
    review(run, None, auditor, Opinion("wrong", reason="It is another rent."))


def switch_off(run: RetrievalRun, ask: Ask) -> None:
    KnowledgeBase.objects.update(settings={"embeddings": "none", "repeats": "off"})


@pytest.mark.parametrize("change", [complain, overrule, switch_off])
def test_it_is_not_used_once_somebody_doubts_or_an_owner_wants_none(
    retrieve: Retrieve, ask: Ask, serve: Serve, change: Callable[[RetrievalRun, Ask], None]
) -> None:
    serve()
    run = retrieve()
    assert call_of(retrieve()).reused
    change(run, ask)
    anew = retrieve()
    assert not call_of(anew).reused
    assert bool(call_of(retrieve()).reused) is (change is not switch_off), "what was replied after the doubt is used"


def test_what_asks_anew_or_measures_asks_the_model(retrieve: Retrieve, ask: Ask, serve: Serve) -> None:
    server = serve()
    run = retrieve()
    rejudge(run, Judge("model"), repeats=2)
    assert len(server.requests) == 3, "a replay measures how stable the model is"
    turn, fresh = ask(), ask()
    answer_turn(turn.pk)
    Turn.objects.filter(pk=fresh.pk).update(is_fresh=True)
    again = ask_again(turn)
    answer_turn(fresh.pk)
    answer_turn(again.pk)
    found = {each.pk: each for each in Turn.objects.select_related("run__llm_call")}
    reused: list[Any] = [bool(call_of(found[each.pk].run).reused) for each in (turn, fresh, again)]  # type: ignore[arg-type]
    assert reused == [True, False, False]


# ---- what the writer streams


@pytest.fixture
def write(ask: Ask) -> Callable[[], Turn]:
    """The question asked and answered, each time of other settings, which do not change what the writer is sent."""
    numbers = iter(range(10, 30))

    def write() -> Turn:
        KnowledgeBase.objects.update(settings={"embeddings": "none", "risk_max": next(numbers)})
        turn = ask()
        answer_turn(turn.pk)
        found = Turn.objects.select_related("run__llm_call", "answer__llm_call").get(pk=turn.pk)
        assert found.run is not None and not found.run.repeat
        return found

    return write


def words_shown(turn: Turn) -> str:
    """What readers of the events saw being written."""
    entries: Any = stream.shared_client().xrange(stream.stream_key(turn.pk))
    return "".join(json.loads(fields["data"])["text"] for _, fields in entries if fields["type"] == "token")


def writer_call(turn: Turn) -> LLMCall:
    assert turn.answer.llm_call is not None
    return turn.answer.llm_call


def test_a_written_answer_is_streamed_again_from_the_record(
    write: Callable[[], Turn], serve: Serve, settings: Settings, client: Client, tenant: User
) -> None:
    server = serve()
    settings.LLM_PRICES = parse_prices('{"scripted-model": {"in": 100, "out": 100}}')
    settings.SPENDING_LIMITS = {"day": Decimal(5)}
    first = write()
    asked, spent = len(server.requests), Spent.objects.get().amount
    second = write()
    assert len(server.requests) == asked and Spent.objects.get().amount == spent > 0
    call, before = writer_call(second), writer_call(first)
    assert call.reused == {"call": str(before.pk), "on": f"{before.started_at:%Y-%m-%d}"} and not before.reused
    assert (call.outcome, call.request, call.raw_reply) == ("ok", before.request, before.raw_reply)
    assert (call.attempts, call.tokens_in, call.tokens_out, call.charge.amount) == (0, 0, 0, Decimal(0))
    assert before.parameters["stream"] is True and before.parameters["temperature"] == 0
    assert (second.answer.text, second.answer.checks) == (first.answer.text, first.answer.checks)
    assert words_shown(second) == words_shown(first) != ""
    client.force_login(tenant)
    trail = client.get(reverse("audit:trail", args=[second.run_id])).content.decode()
    assert "Reply of an earlier equal call" in trail and str(before.pk) in trail and verify().ok


def test_a_written_answer_is_not_used_once_somebody_doubts_it(write: Callable[[], Turn], serve: Serve) -> None:
    serve()
    first = write()
    give_feedback(first, first.conversation.user, "wrong_answer")
    second, third = write(), write()
    assert not writer_call(second).reused and writer_call(third).reused["call"] == str(writer_call(second).pk)


def test_a_question_asked_again_is_written_anew(write: Callable[[], Turn], serve: Serve) -> None:
    serve()
    again = ask_again(write())
    answer_turn(again.pk)
    again = Turn.objects.select_related("answer__llm_call").get(pk=again.pk)
    assert not writer_call(again).reused


def test_a_written_answer_that_broke_off_is_not_used(write: Callable[[], Turn], serve: Serve) -> None:
    serve("good", "stream-cut", "good")
    assert writer_call(write()).outcome == "truncated"
    second = writer_call(write())
    assert second.outcome == "ok" and not second.reused


def test_a_written_answer_that_was_stopped_is_not_used(
    write: Callable[[], Turn], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(pace_s=0.1)
    with monkeypatch.context() as patch:
        patch.setattr(StoppableLease, "stop_requested", lambda lease: bool(words_shown(lease.job)))
        assert writer_call(write()).outcome == "stopped"
    second = writer_call(write())
    assert second.outcome == "ok" and not second.reused


def test_a_model_that_takes_no_temperature_is_always_asked(retrieve: Retrieve, serve: Serve) -> None:
    serve("no-temperature")
    assert "temperature" not in call_of(retrieve()).parameters
    assert not call_of(retrieve()).reused


def test_a_reply_that_failed_is_not_used(retrieve: Retrieve, serve: Serve) -> None:
    serve("refusing", "good")
    assert call_of(retrieve()).outcome != "ok"
    answered, second = call_of(retrieve()), call_of(retrieve())
    assert answered.outcome == "ok" and not answered.reused
    assert second.reused["call"] == str(answered.pk)
