"""The conductor, with real documents, a real database and Redis, and a scripted model over HTTP."""

import asyncio
import json
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from audit.keeping.erasure import Erasing, erase_run
from audit.proof import verifier
from audit.proof.evidence import write_evidence
from audit.proof.verification import verify
from audit.statistics.period import calls_for
from audit.trail.gather import exchanges_of
from chat import stream
from chat.answer_record import store_answer
from chat.conftest import ABSENT_QUESTION, Ask, Serve
from chat.models import Answer, Citation, Turn
from chat.page.thread import ShownTurn
from chat.turns import conductor, tasks
from chat.turns.compose import compose
from chat.turns.conductor import STOPPED_BY_ASKER, AnsweringFailed, answer_turn, stop_question
from chat.turns.stopping import StoppableLease
from documents import access
from documents.models import Document, Embedding, KnowledgeBase, Line, Passage, TocEntry
from jobs import waking
from jobs.lease import claim
from llm.exchange import made_exchanges
from llm.models import LLMCall
from retrieval.corpus import retrieve_among
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.record.storing import store_failed_run, store_run, unfinished_calls

PATIENCE_S = 60.0  # with what may take a moment on a busy machine
pytestmark = pytest.mark.django_db(transaction=True)


def answered(turn: Turn) -> tuple[Turn, Answer]:
    answer_turn(turn.pk)
    turn = Turn.objects.select_related("run", "answer").get(pk=turn.pk)
    return turn, turn.answer


def told(turn: Turn) -> list[str]:
    """The types of the events of a turn, tokens counted as one."""
    entries: Any = stream.shared_client().xrange(stream.stream_key(turn.pk))
    types = [fields["type"] for _, fields in entries]
    return [each for index, each in enumerate(types) if each != "token" or types[index - 1] != "token"]


def is_literal(citation: Citation) -> bool:
    """Whether the words of a quote stand in the document in this order."""
    lines = citation.candidate.parse.lines.order_by("number")
    words = " ".join(lines.values_list("text", flat=True)).split()
    return " ".join(citation.quote.split()) in " ".join(words)


def test_it_quotes_the_document_without_a_model(ask: Ask) -> None:
    turn, answer = answered(ask())
    assert (turn.state, answer.kind, answer.ended) == ("done", "extractive", "complete")
    assert "12,500 euros a month" in answer.text and answer.text.index("[1]")
    assert answer.note == "No model is configured: this answer is quoted from the document, chosen by rules."
    citations = list(answer.citations.all())
    assert citations and all(is_literal(citation) for citation in citations)
    assert all(citation.boxes for citation in citations)
    assert LLMCall.objects.count() == 0


def test_it_tells_every_step(ask: Ask) -> None:
    turn, answer = answered(ask())
    citations = ["citation"] * answer.citations.count()
    assert told(turn) == [*["stage"] * 6, "candidates", "stage", *citations, "done"]


def test_it_writes_and_cites_with_a_model(ask: Ask, serve: Serve) -> None:
    server = serve()
    turn, answer = answered(ask())
    assert (turn.state, answer.kind, answer.ended, answer.note) == ("done", "generated", "complete", "")
    assert "12,500" in answer.text and [citation.marker for citation in answer.citations.all()]
    assert all(is_literal(citation) for citation in answer.citations.all())
    assert [check["problems"] for check in answer.checks if 1 in check["markers"]] == [[]]
    assert [request.body["stream"] for request in server.requests if request.body.get("stream")] == [True]
    assert {call.purpose for call in LLMCall.objects.all()} == {"arbiter", "answer", "claims"}
    assert answer.llm_call is not None and answer.llm_call.raw_reply
    assert "token" in told(turn)


def test_it_puts_the_run_before_the_first_byte_of_the_answer(ask: Ask, serve: Serve, monkeypatch: Any) -> None:
    """AT1."""
    serve()
    turn = ask()
    seen: list[tuple[str, bool]] = []
    tell = stream.publish_event

    def watch(turn_id: uuid.UUID, event: stream.EventType, **data: Any) -> None:
        seen.append((event, is_run_committed(turn)))
        tell(turn_id, event, **data)

    monkeypatch.setattr(conductor, "publish_event", watch)
    answer_turn(turn.pk)
    assert all(committed for event, committed in seen if event in ("token", "citation", "done"))
    assert any(event == "token" for event, _ in seen)


def is_run_committed(turn: Turn) -> bool:
    """Seen from another connection, which sees only what is committed."""
    found: list[bool] = []

    def look() -> None:
        found.append(Turn.objects.exclude(run=None).filter(pk=turn.pk).exists())
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return found[0]


def test_it_shows_no_answer_when_the_run_cannot_be_recorded(ask: Ask, monkeypatch: Any) -> None:
    """AT1."""

    def refuse(*args: Any, **fields: Any) -> None:
        raise DatabaseError("disk full")

    turn = ask()
    monkeypatch.setattr(conductor, "store_run", refuse)
    with pytest.raises(AnsweringFailed, match="could not be written, so no answer is shown"):
        answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.state == "failed" and turn.run is not None and turn.run.status == "failed"
    assert Answer.objects.count() == 0 and "disk full" in turn.error_for_admins
    assert told(turn)[-1] == "error" and "token" not in told(turn)


def test_it_says_that_searching_took_too_long(ask: Ask, settings: Settings) -> None:
    settings.DETECTION_DEADLINE_S = 0.0
    turn = ask()
    with pytest.raises(AnsweringFailed, match="longer than 0 seconds"):
        answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.state == "failed" and turn.run is not None
    assert turn.run.status == "failed" and turn.run.failure.startswith("DetectionTimeout")
    assert told(turn)[-1] == "error"


def test_it_says_what_was_searched_when_nothing_is_found(ask: Ask, serve: Serve) -> None:
    server = serve()
    turn, answer = answered(ask(ABSENT_QUESTION))
    assert (turn.state, answer.kind) == ("done", "not_found")
    assert turn.run is not None and turn.run.searched and answer.citations.count() == 0
    assert not any(request.body.get("stream") for request in server.requests)  # the writer is not called


@pytest.mark.parametrize("fault", ["error-500", "malformed", "refusing", "empty", "prose"])
def test_it_lists_unjudged_passages_when_the_arbiter_fails(ask: Ask, serve: Serve, fault: str) -> None:
    server = serve(fault)
    turn, answer = answered(ask())
    assert turn.run is not None and turn.run.arbiter_status == "not_run"
    assert answer.kind == "extractive" and answer.note.startswith("Nobody judged these passages")
    assert answer.citations.count() and all(is_literal(citation) for citation in answer.citations.all())
    assert not any(request.body.get("stream") for request in server.requests)


def test_it_judges_nothing_when_a_base_wants_no_arbiter(ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk, arbiter="none")
    answer = Answer.objects.get(turn=turn)
    assert answer.kind == "extractive" and "nobody judged" in answer.note and answer.citations.exists()


def test_it_shows_no_quote_that_is_not_in_the_document(ask: Ask, serve: Serve) -> None:
    serve("invented-quote", "good")
    _, answer = answered(ask())
    assert answer.citations.exists() and all(is_literal(citation) for citation in answer.citations.all())


@pytest.mark.parametrize("behaviour", ["unknown-ids", "missing-ids", "duplicate-ids", "wrong-quote", "obeys-document"])
def test_it_survives_an_arbiter_that_errs(ask: Ask, serve: Serve, behaviour: str) -> None:
    serve(behaviour, "good")
    turn, answer = answered(ask())
    assert turn.state == "done" and all(is_literal(citation) for citation in answer.citations.all())


@pytest.mark.parametrize(
    ("behaviour", "note"),
    [
        ("refusing", "wrote no answer"),
        ("error-500", "wrote no answer"),
        ("unauthorized", "wrote no answer"),
        ("html", "wrote no answer"),
        ("bad-markers", "cites no passage"),
        ("no-markers", "cites no passage"),
        ("empty", "is quoted instead"),
    ],
)
def test_it_quotes_when_the_writer_gives_nothing_to_show(ask: Ask, serve: Serve, behaviour: str, note: str) -> None:
    serve("good", behaviour)
    turn, answer = answered(ask())
    assert (turn.state, answer.kind) == ("done", "extractive")
    assert note in answer.note and "12,500" in answer.text
    assert answer.llm_call is not None  # what the model did is kept


@pytest.mark.parametrize("behaviour", ["stream-cut", "cut", "stream-error"])
def test_it_marks_an_answer_that_broke_off(ask: Ask, serve: Serve, behaviour: str) -> None:
    serve("good", behaviour)
    turn, answer = answered(ask())
    assert turn.state == "done"
    assert answer.ended == "failed" or answer.kind == "extractive"
    assert answer.note


def test_it_loads_nothing_a_document_talked_the_model_into(ask: Ask, serve: Serve) -> None:
    serve("obeys-document")
    _, answer = answered(ask())
    assert all(is_literal(citation) for citation in answer.citations.all())


def test_it_stops_while_it_writes(ask: Ask, serve: Serve) -> None:
    server = serve("good", "good")
    server.hold = threading.Event()  # the reply stands still after its first words
    turn = ask()
    worker = threading.Thread(target=run_and_close, args=(turn,))
    worker.start()
    wait_for(lambda: "token" in told(turn))
    Turn.objects.filter(pk=turn.pk).update(stop_requested=True)
    worker.join(PATIENCE_S)
    server.hold.set()
    turn = Turn.objects.select_related("run", "answer").get(pk=turn.pk)
    assert turn.state == "stopped" and turn.run is not None and told(turn)[-1] == "done"
    assert turn.answer.ended == "stopped" and turn.answer.llm_call is not None
    assert turn.answer.llm_call.outcome == "stopped"
    assert not any("no_citation" in str(doubt) or "cites no passage" in doubt for doubt in ShownTurn(turn).doubts)


@pytest.mark.parametrize("replies", [[], ["good"]], ids=["the arbiter's whole reply", "the answer's stream"])
def test_stop_ends_the_wait_for_a_model_that_keeps_silent(
    ask: Ask, serve: Serve, settings: Settings, replies: list[str]
) -> None:
    settings.LLM_CONTEXT_TOKENS = 200_000  # which a silent server is not asked for first, with a patience of its own
    server = serve(*replies, "hang")
    turn = ask()
    worker = threading.Thread(target=run_and_close, args=(turn,))
    worker.start()
    wait_for(lambda: len(server.requests) > len(replies))
    Turn.objects.filter(pk=turn.pk).update(stop_requested=True)
    worker.join(PATIENCE_S)
    assert not worker.is_alive() and server.was_left.wait(PATIENCE_S), "the reply is still withheld"
    turn.refresh_from_db()
    assert turn.state == "stopped" and turn.run is not None and told(turn)[-1] == "done"
    assert len(server.requests) == len(replies) + 1
    outcomes = LLMCall.objects.order_by("started_at").values_list("outcome", flat=True)
    assert list(outcomes) == [*["ok"] * len(replies), "stopped"]


@pytest.mark.parametrize("way", ["stopped", "too slow", "not recorded"])
def test_what_a_model_was_sent_is_kept_when_a_question_ends_without_a_result(
    ask: Ask, serve: Serve, settings: Settings, monkeypatch: Any, way: str
) -> None:
    server = serve("good")
    turn = ask(mode="thorough")
    if way == "stopped":
        monkeypatch.setattr(StoppableLease, "stop_requested", lambda lease: bool(made_exchanges()))
    elif way == "too slow":
        settings.DETECTION_DEADLINE_S = 0.0
    else:
        monkeypatch.setattr(conductor, "store_run", store_and_fail)
    with nullcontext() if way == "stopped" else pytest.raises(AnsweringFailed):
        answer_turn(turn.pk)
    turn.refresh_from_db()
    run = turn.run
    assert run is not None and run.status == "failed" and Answer.objects.count() == 0
    sent = [request.body["input"] for request in server.requests]
    kept = unfinished_calls(run)
    assert sent and [call.request["input"] for call in kept] == sent == [call.request["input"] for call in stored()]
    assert kept[0].purpose == "question" and all(call.raw_reply for call in kept)
    assert [exchange.call for exchange in exchanges_of(run, None)] == kept and verify().ok
    assert set(calls_for(RetrievalRun.objects.all())) == set(kept)
    erase_run(run, Erasing("Owner", "asked for"))
    assert all(call.request == {} and not call.raw_reply for call in stored()) and verify().ok


def test_what_a_model_wrote_is_kept_when_its_answer_cannot_be_stored(ask: Ask, serve: Serve, monkeypatch: Any) -> None:
    """R105: the run is a record by then; an event names the exchanges, and erasing the run reaches them."""
    server = serve("good")
    turn = ask()
    monkeypatch.setattr(conductor, "store_answer", answer_and_fail)
    with pytest.raises(AnsweringFailed):
        answer_turn(turn.pk)
    turn.refresh_from_db()
    run = turn.run
    assert run is not None and (turn.state, run.status, Answer.objects.count()) == ("failed", "found", 0)
    kept = unfinished_calls(run)
    assert "answer" in {call.purpose for call in kept} and all(call.raw_reply for call in kept)
    assert len(stored()) == len(server.requests)
    assert {exchange.call for exchange in exchanges_of(run, None)} == set(stored())
    assert set(calls_for(RetrievalRun.objects.all())) == set(stored())
    assert not calls_for(RetrievalRun.objects.none())
    out = BytesIO()
    write_evidence(run, out, None)
    with ZipFile(out) as pack:
        files = {name: pack.read(name) for name in pack.namelist()}
    assert f"exchanges/{kept[-1].pk}.json" in files and "unstored.json" in files
    code, lines = verifier.judge_pack(verifier.PackReader(files, [], None), {})
    assert code == verifier.CONSISTENT, lines
    erase_run(run, Erasing("Owner", "asked for"))
    assert all(call.request == {} and not call.raw_reply for call in stored()) and verify().ok


def answer_and_fail(*args: Any) -> None:
    store_answer(*args)
    raise DatabaseError("disk full")


def store_and_fail(*args: Any, **fields: Any) -> None:
    store_run(*args, **fields)
    raise DatabaseError("disk full")


def stored() -> list[LLMCall]:
    return list(LLMCall.objects.order_by("started_at"))


@pytest.mark.parametrize("behaviour", ["", "good"])
def test_a_stop_wins_that_comes_with_the_last_word(ask: Ask, serve: Serve, monkeypatch: Any, behaviour: str) -> None:
    if behaviour:
        serve(behaviour)

    def compose_and_stop(run: RetrievalRun, writing: Any) -> Any:
        draft = compose(run, writing)
        Turn.objects.filter(run=run).update(stop_requested=True)
        return draft

    monkeypatch.setattr(conductor, "compose", compose_and_stop)
    turn = ask()
    answer_turn(turn.pk)
    turn = Turn.objects.select_related("answer").get(pk=turn.pk)
    assert turn.state == "stopped" and turn.answer.ended == "stopped" and turn.answer.text
    assert "You stopped" in turn.answer.note


def test_a_question_that_only_waits_ends_at_stop_and_its_task_does_nothing(ask: Ask) -> None:
    turn = ask()
    stop_question(turn)
    turn.refresh_from_db()
    assert turn.state == "stopped" and told(turn) == ["done"] and turn.attempts == 0
    assert turn.run is not None and (turn.run.status, turn.run.failure) == ("failed", STOPPED_BY_ASKER)
    ended_at = turn.ended_at
    assert answer_turn(turn.pk) is None
    stop_question(turn)
    turn.refresh_from_db()
    assert turn.ended_at == ended_at and RetrievalRun.objects.count() == 1 and told(turn) == ["done"]
    assert verify().ok


def test_a_question_that_a_worker_has_is_ended_by_it(ask: Ask) -> None:
    turn = ask()
    claim(Turn.objects.all(), turn.pk)
    stop_question(turn)
    turn.refresh_from_db()
    assert turn.state == "running" and turn.stop_requested and turn.run is None and told(turn) == []


def test_stop_and_a_worker_at_once_leave_one_run(ask: Ask) -> None:
    for _ in range(8):
        turn = ask()
        both = [threading.Thread(target=in_thread, args=(act, turn)) for act in (answer_by_id, stop_question)]
        for each in both:
            each.start()
        for each in both:
            each.join(PATIENCE_S)
        turn.refresh_from_db()
        assert turn.state in ("stopped", "done") and turn.run is not None
    assert RetrievalRun.objects.count() == 8 and verify().ok


def answer_by_id(turn: Turn) -> None:
    answer_turn(turn.pk)


def in_thread(act: Callable[[Turn], object], turn: Turn) -> None:
    try:
        act(turn)
    finally:
        connection.close()


def test_it_stops_before_it_has_begun(ask: Ask) -> None:
    turn = ask()
    Turn.objects.filter(pk=turn.pk).update(stop_requested=True)
    answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.run is not None
    assert turn.state == "stopped" and turn.run.status == "failed"
    assert not Answer.objects.filter(turn=turn).exists()


def run_and_close(turn: Turn) -> None:
    answer_turn(turn.pk)
    connection.close()


def wait_for(is_so: Any, timeout_s: float = PATIENCE_S) -> None:
    until = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def test_it_leaves_one_run_however_often_it_is_called(ask: Ask) -> None:
    turn = ask()
    answer_turn(turn.pk)
    answer_turn(turn.pk)
    assert RetrievalRun.objects.count() == Answer.objects.count() == 1


def test_it_leaves_one_run_when_two_workers_begin_at_once(ask: Ask) -> None:
    """AT1."""
    turn = ask()
    workers = [threading.Thread(target=run_and_close, args=(turn,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert RetrievalRun.objects.count() == Answer.objects.count() == 1


def test_it_goes_on_after_a_worker_died_between_run_and_answer(ask: Ask, monkeypatch: Any) -> None:
    class Killed(BaseException):
        pass

    def die(*args: Any) -> None:
        raise Killed

    turn = ask()
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(conductor, "compose", die)
        answer_turn(turn.pk)
    turn.refresh_from_db()
    run = turn.run
    assert run is not None and turn.state == "running" and not Answer.objects.exists()

    answer_turn(turn.pk)
    assert not Answer.objects.exists()  # the lease of the dead worker still holds
    let_lease_expire(turn)
    answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.run == run and turn.state == "done" and RetrievalRun.objects.count() == 1
    assert turn.asked_key == "", "the settings may be others since: this answer is not given again"


def let_lease_expire(turn: Turn) -> None:
    long_ago = timezone.now() - timedelta(seconds=settings.LEASE_S + 1)
    Turn.objects.filter(pk=turn.pk).update(heartbeat_at=long_ago)


def test_it_stores_nothing_for_a_turn_that_was_taken_over(ask: Ask, monkeypatch: Any) -> None:
    turn = ask()

    def lose(*args: Any, **fields: Any) -> Any:
        Turn.objects.filter(pk=turn.pk).update(lease_owner="another")
        return retrieve_among(*args, **fields)

    monkeypatch.setattr("chat.turns.conductor.retrieve_among", lose)
    answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.run is None and turn.lease_owner == "another" and not RetrievalRun.objects.exists()


def test_it_refuses_a_base_that_was_closed_to_the_asker_meanwhile(ask: Ask, viewer: User, base: KnowledgeBase) -> None:
    turn = ask(user=viewer)
    access.remove_member(base, viewer)
    with pytest.raises(AnsweringFailed, match="no longer open to you"):
        answer_turn(turn.pk)
    turn.refresh_from_db()
    assert turn.state == "failed" and turn.run is not None and turn.run.scope == []


def test_it_refuses_a_document_that_was_deleted_meanwhile(ask: Ask, document: Document) -> None:
    turn = ask()
    Document.objects.filter(pk=document.pk).update(trashed_at=timezone.now())
    with pytest.raises(AnsweringFailed, match="no longer in this base"):
        answer_turn(turn.pk)


def test_it_keeps_a_ledger_that_verifies(ask: Ask, serve: Serve) -> None:
    answered(ask())
    serve()
    answered(ask())
    report = verify()
    assert report.ok, report.sentence
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE chat_citation SET quote = 'The rent is 1 euro.'")
        cursor.execute("RESET session_replication_role")
    assert not verify().ok


# ---- the tasks


def test_the_task_answers(ask: Ask) -> None:
    turn = ask()
    tasks.answer_turn(str(turn.pk), something_new=1)
    turn.refresh_from_db()
    assert turn.state == "done"


def test_the_task_leaves_an_unknown_turn_alone() -> None:
    tasks.answer_turn(str(uuid.uuid4()))
    assert not RetrievalRun.objects.exists()


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    woken: list[Any] = []
    monkeypatch.setattr(waking, "send", lambda task, turn: woken.append(turn.pk))
    return woken


def test_the_sweeper_wakes_a_turn_whose_worker_died(ask: Ask, woken: list[Any]) -> None:
    turn = ask()
    Turn.objects.filter(pk=turn.pk).update(state="running", attempts=1, lease_owner="dead")
    let_lease_expire(turn)
    tasks.sweep()
    assert woken == [turn.pk]


def test_the_sweeper_leaves_a_living_worker_alone(ask: Ask, woken: list[Any]) -> None:
    turn = ask()
    Turn.objects.filter(pk=turn.pk).update(
        state="running", attempts=1, lease_owner="alive", heartbeat_at=timezone.now()
    )
    tasks.sweep()
    assert woken == []


def test_the_sweeper_wakes_a_forgotten_question_once_in_a_while(ask: Ask, woken: list[Any]) -> None:
    turn = ask()
    tasks.sweep()
    assert woken == []
    Turn.objects.filter(pk=turn.pk).update(created_at=timezone.now() - timedelta(seconds=settings.SWEEP_EVERY_S + 1))
    tasks.sweep()
    tasks.sweep()
    assert woken == [turn.pk]


@pytest.mark.parametrize("has_run", [False, True])
def test_the_sweeper_ends_a_question_that_killed_its_workers(ask: Ask, woken: list[Any], has_run: bool) -> None:
    turn = ask()
    run = store_failed_run("?", "x", base=turn.conversation.base, user=turn.conversation.user, mode="fast")
    Turn.objects.filter(pk=turn.pk).update(
        state="running", attempts=settings.ATTEMPTS_MAX, lease_owner="dead", run=run if has_run else None
    )
    let_lease_expire(turn)
    tasks.sweep()
    turn.refresh_from_db()
    assert woken == [] and turn.state == "failed" and "stopped 3 times" in turn.error_for_people
    assert turn.run is not None and (turn.run == run) is has_run
    assert told(turn) == ["error"]


def test_a_reader_who_leaves_in_the_middle_changes_nothing(ask: Ask, serve: Serve) -> None:
    """Disconnected while words arrive: the worker goes on, and whoever comes back reads the whole answer."""
    server = serve("good", "good")
    server.hold = threading.Event()
    turn = ask()
    worker = threading.Thread(target=run_and_close, args=(turn,))
    worker.start()
    seen = asyncio.run(read_until_token_and_leave(turn))
    server.hold.set()
    worker.join(PATIENCE_S)
    turn = Turn.objects.select_related("answer", "run").get(pk=turn.pk)
    assert (turn.state, turn.answer.ended, turn.answer.kind) == ("done", "complete", "generated")
    assert RetrievalRun.objects.count() == 1 and turn.answer.llm_call is not None
    rest = asyncio.run(frames_after(turn, seen))
    tokens = [json.loads(data)["text"] for kind, data in rest if kind == "token"]
    assert tokens and turn.answer.text.endswith("".join(tokens).strip()) and rest[-1][0] == "done"


async def always() -> bool:
    return True


async def read_until_token_and_leave(turn: Turn) -> str:
    """The id of the first word's event; the connection is closed after it."""
    frames = stream.follow(turn.pk, stream.BEGINNING, is_ended=False, may_go_on=always)
    try:
        async for frame in frames:
            if b"event: token" in frame:
                return frame.decode().split("\n")[0].removeprefix("id: ")
    finally:
        await frames.aclose()  # as the server does when the connection is gone
        await stream.reader_client().aclose()
    raise AssertionError("no word came")


async def frames_after(turn: Turn, last_id: str) -> list[tuple[str, str]]:
    found = []
    try:
        async for frame in stream.follow(turn.pk, last_id, is_ended=True, may_go_on=always):
            fields = dict(line.split(": ", 1) for line in frame.decode().splitlines() if ": " in line)
            if "event" in fields:
                found.append((fields["event"], fields["data"]))
    finally:
        await stream.reader_client().aclose()
    return found


def test_one_database_holds_all_of_it(ask: Ask, serve: Serve) -> None:
    """R112: documents, what was read of them, the question, its run, the answer and the calls."""
    serve()
    answered(ask())
    stored = (Document, Line, TocEntry, Passage, Turn, RetrievalRun, RunCandidate, Answer, Citation, LLMCall)
    assert [model.__name__ for model in stored if not model.objects.using("default").exists()] == []
    assert Embedding._meta.db_table in connection.introspection.table_names()
    assert list(settings.DATABASES) == ["default"]
