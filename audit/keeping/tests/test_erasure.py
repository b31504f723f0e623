"""Erasing a person's content: no word is left in any table, and the ledger still verifies and detects forgeries."""

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from audit.access_log import record_event
from audit.conftest import House, MakeAnswer, MakeRun, Tamper
from audit.keeping.erasure import (
    CannotErase,
    Erasing,
    count_loss,
    erase_person,
    erase_run,
    erasure_of,
    explain_denial,
)
from audit.models import Rejudgement
from audit.proof.erased import ERASED
from audit.proof.evidence import VERIFIER, write_evidence
from audit.proof.verification import verify
from audit.review.replay import CannotReplay, Judge, rebuild, rejudge
from audit.review.reviewing import Opinion, review
from benchmarks.forging import CONSISTENT, check
from chat.answer_record import give_feedback
from chat.followup.rewriting import store_rewriting
from chat.models import Answer, Conversation, Retrieval, Rewriting, Turn
from documents.idempotency import make_keyed, remember
from documents.models import IdempotencyKey, KnowledgeBase
from ledger.events import record
from ledger.holds import Held, place, release
from ledger.models import Event, Salt
from ledger.roles import restrict
from llm.exchange import request_digest
from llm.models import LLMCall
from retrieval.models import RetrievalRun
from retrieval.record.ledger_forms import EXCHANGE, LOOK, READING
from tests.pages import on_one_line

CANARY = "zanzibarische"
ERASING = Erasing("Olga Owner", "Request of 3 March, article 17")


@pytest.fixture
def told(house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any) -> RetrievalRun:
    """A run that says the canary wherever a person's words can stand, and everything that hangs on it."""

    def call(purpose: str) -> LLMCall:
        made: LLMCall = make_call(purpose=purpose, request={"input": CANARY}, raw_reply=CANARY, error=CANARY)
        return made

    reading, look = call("question"), call("arbiter")
    READING.vouch(reading.pk)
    LOOK.vouch(look.pk)
    texts = ("question", "not_found_reason", "arbiter_failure", "answerable_reason", "toc_shown", "failure")
    lists = ("gates", "searched", "hits", "contradictions", "violations")
    run = make_run(
        states="read counted unreadable",
        arbiter="model",
        llm_call=call("arbiter"),
        parsed={"corrected": CANARY, "reading_call": str(reading.pk)},
        plan={"flags": [{"name": "titles", "on": True, "reason": CANARY}], "look_call": str(look.pk)},
        **dict.fromkeys(texts, CANARY),
        **{name: [{"text": CANARY}] for name in lists},
    )
    claims = call("claims")
    EXCHANGE.vouch(claims.pk)
    written = {"text": CANARY, "note": CANARY, "checks": [{"sentence": CANARY}], "llm_call": call("answer")}
    answer = make_answer(run, **written, other_calls=[str(claims.pk)])
    store_rewriting(answer.turn, "model", Rewriting.Outcome.REWRITTEN, CANARY, CANARY)
    give_feedback(answer.turn, house.asker, "wrong_answer", CANARY)
    review(run, None, house.auditor, Opinion("wrong", reason=f"It says {CANARY} where none is."))
    record_event(house.asker, "list", None, text=CANARY)
    record_event(house.auditor, "replay", run.pk, calls=[str(call("replay").pk)])
    asked = {"base": house.base, "user": house.asker, "question": CANARY}
    IdempotencyKey.objects.create(
        user=house.asker,
        base=house.base,
        key=uuid4(),
        digest="",
        made={"retrieval": str(Retrieval.objects.create(**asked, run=run, state="done").pk)},
    )
    Retrieval.objects.create(**asked)
    judged = {"kind": "replay", "base": house.base, "run": run, "by": house.auditor, "parameters": {}}
    Rejudgement.objects.create(**judged, state="done", result={"flips": [{"reason": CANARY}]})
    return run


def places_of(words: str) -> list[str]:
    """Every table with a row in which the words stand."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        found = []
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT EXISTS (SELECT FROM "{table}" row WHERE row::text ILIKE %s)', [f"%{words}%"])
            found += [table] if (cursor.fetchone() or [False])[0] else []
    return found


def test_not_one_word_is_left_and_the_ledger_verifies(house: House, told: RetrievalRun, make_run: MakeRun) -> None:
    other = make_run(question="Somebody else's", asked_by=house.viewer)
    assert len(places_of(CANARY)) >= 7
    assert erase_person(house.asker, ERASING) == 1
    assert places_of(CANARY) == []
    assert verify().ok, verify().sentence
    told.refresh_from_db()
    assert (told.question, told.asked_by_name, told.candidates.count()) == ("", "", 4)
    listed = told.documents.values_list("state", "reason", "words")
    assert list(listed) == [("read", "", []), ("counted", "", []), ("unreadable", "", [])]
    assert not Conversation.objects.filter(user=house.asker).exists()
    assert not Retrieval.objects.exists() and not IdempotencyKey.objects.exists()
    other.refresh_from_db()
    assert (other.question, Salt.objects.filter(subject=f"run:{other.pk}").exists()) == ("Somebody else's", True)
    kinds = {event.subject.partition(":")[0] for event in Event.objects.filter(kind=ERASED)}
    assert kinds == {"run", "reading", "look", "exchange", "answer", "rewriting", "feedback", "review", "audit_event"}
    event = erasure_of(told)
    assert event is not None and (event.actor, event.details["why"]) == (ERASING.by, ERASING.why)
    assert Event.objects.get(kind="person_erased").details["runs"] == 1


def test_it_is_done_once(house: House, told: RetrievalRun) -> None:
    erase_person(house.asker, ERASING)
    before = Event.objects.filter(kind=ERASED).count()
    assert erase_person(house.asker, ERASING) == 0
    assert Event.objects.filter(kind=ERASED).count() == before


def test_an_erased_short_question_cannot_be_guessed(house: House, told: RetrievalRun) -> None:
    erase_person(house.asker, ERASING)
    assert not Salt.objects.filter(subject__in=[f"run:{told.pk}", f"answer:{told.answer.pk}"]).exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE retrieval_retrievalrun SET question = 'Forged?'",
        "UPDATE retrieval_retrievalrun SET confidence = 0.1",
        "UPDATE retrieval_runcandidate SET role = 'primary' WHERE position = 4",
        "UPDATE retrieval_runcandidate SET reason = 'Forged' WHERE position = 4",
        "UPDATE chat_answer SET text = 'Forged'",
        "DELETE FROM ledger_event WHERE subject LIKE 'run:%'",
    ],
)
def test_a_forgery_behind_an_erasure_is_found(house: House, told: RetrievalRun, tamper: Tamper, statement: str) -> None:
    erase_person(house.asker, ERASING)
    tamper(statement)
    assert not verify().ok


def test_only_one_base_is_erased_when_one_is_named(house: House, told: RetrievalRun, make_run: MakeRun) -> None:
    elsewhere = KnowledgeBase.objects.get(name="Elsewhere")
    there = make_run(base=elsewhere, question="Kept there")
    assert erase_person(house.asker, ERASING, house.base) == 1
    there.refresh_from_db()
    assert there.question == "Kept there"
    assert verify().ok


def test_a_hold_on_the_person_or_the_base_forbids_it_with_its_reason(house: House, told: RetrievalRun) -> None:
    for subject in (f"user:{house.asker.pk}", f"base:{house.base.pk}"):
        place(subject, "Olga", "Claim 2026-114 before the court")
        with pytest.raises(Held, match="Claim 2026-114"):
            erase_person(house.asker, ERASING)
        release(subject, "Olga", "The claim was settled")
    assert "retrieval_retrievalrun" in places_of(CANARY)
    assert erase_person(house.asker, ERASING) == 1


def test_a_single_run_takes_its_turn_and_its_name_along(house: House, told: RetrievalRun, make_run: MakeRun) -> None:
    conversation = Conversation.objects.get(turns__run=told)
    later = make_run(question="And the second?")
    Turn.objects.create(conversation=conversation, number=2, question=later.question, scope_name="all", run=later)
    erase_run(told, ERASING)
    conversation.refresh_from_db()
    assert (conversation.title, conversation.turns.count()) == ("Erased", 1)
    erase_run(later, ERASING)
    assert not Conversation.objects.filter(pk=conversation.pk).exists()
    assert verify().ok


def test_the_keys_of_requests_go_with_what_they_made(house: House, told: RetrievalRun) -> None:
    turn = Turn.objects.get(run=told)
    for made in ({"turn": str(turn.pk)}, {"turn": str(uuid4())}):
        remember(make_keyed(house.asker, turn.conversation.base, uuid4(), chat=CANARY), **made)
    erase_run(told, ERASING)
    assert IdempotencyKey.objects.count() == 1


def test_erased_pages_open_and_say_so(house: House, told: RetrievalRun, browse: Callable[..., Any]) -> None:
    erase_person(house.asker, ERASING)
    assert ">Erased</a>" in on_one_line(browse(house.auditor, "/audit/"))
    trail = browse(house.auditor, f"/audit/runs/{told.pk}/").content.decode()
    assert "erased on" in trail
    assert ERASING.why in trail
    assert CANARY not in trail
    pack = browse(house.auditor, f"/audit/runs/{told.pk}/evidence/")
    assert (pack.status_code, b"were erased on" in pack.content) == (409, True)


def test_an_erased_brief_cannot_be_judged_again(house: House, told: RetrievalRun) -> None:
    erase_person(house.asker, ERASING)
    told.refresh_from_db()
    assert rebuild(told) is None
    with pytest.raises(CannotReplay, match="were erased"):
        rejudge(told, Judge("rules"))


def test_the_command_erases_and_refuses_in_one_sentence(house: House, told: RetrievalRun, capsys: Any) -> None:
    call_command("erase_person", "asker@example.org", why="Article 17", base=house.base.name)
    assert "1 runs of Asker are erased" in capsys.readouterr().out
    place(f"user:{house.asker.pk}", "Olga", "Claim 2026-114 before the court")
    for arguments, message in (
        (["asker@example.org"], "legal hold"),
        (["nobody@example.org"], "no user"),
        (["asker@example.org", "--base", "Nowhere"], "no base"),
    ):
        with pytest.raises(CommandError, match=message):
            call_command("erase_person", *arguments, "--why", "Article 17")


def test_a_role_that_may_not_erase_is_told_who_may_and_nothing_goes(house: House, told: RetrievalRun) -> None:
    role = f"docintel_test_eraser_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
    restrict(role)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")
        with pytest.raises(CannotErase, match="manage.py erase_person"):
            count_loss(house.asker, house.base)
        with pytest.raises(CannotErase, match="manage.py erase_person"):
            erase_person(house.asker, ERASING)
        with pytest.raises(CannotErase), explain_denial(), transaction.atomic():
            erase_run(told, ERASING)
        cursor.execute("RESET ROLE")
    assert Conversation.objects.exists() and Retrieval.objects.exists()


def test_what_was_recorded_before_salts_is_erased_too(house: House, told: RetrievalRun, tamper: Tamper) -> None:
    """An entry of the first form vouches by the event alone once its content is gone."""
    from audit.proof.verification import FIRST_FORM
    from ledger import chain

    tamper("DELETE FROM ledger_entry; DELETE FROM ledger_salt; DELETE FROM audit_auditevent; DELETE FROM audit_review")
    tamper("DELETE FROM chat_rewriting; DELETE FROM chat_feedback; DELETE FROM ledger_event")
    chain.append("run", str(told.pk), FIRST_FORM["run"](RetrievalRun.objects.get(pk=told.pk)))
    chain.append("answer", str(told.answer.pk), FIRST_FORM["answer"](Answer.objects.get(run=told)))
    assert verify().ok
    erase_run(told, ERASING)
    assert verify().ok, verify().sentence


def test_two_events_of_one_run_do_not_hide_a_change(house: House, told: RetrievalRun, tamper: Tamper) -> None:
    """A later, made-up event that vouches for a forged rest is refused: only what is blank passes."""
    from audit.proof.verification import PAYLOADS
    from ledger.chain import digest_of

    erase_person(house.asker, ERASING)
    tamper(f"UPDATE retrieval_retrievalrun SET question = 'Forged?' WHERE id = '{told.pk}'")
    left = digest_of(PAYLOADS["run"].read([told.pk])[told.pk])
    record(ERASED, "Mallory", f"run:{told.pk}", {"left": left, "at": timezone.now().isoformat()})
    assert not verify().ok


@pytest.fixture
def shown(house: House, told: RetrievalRun, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any) -> Answer:
    """Somebody else's answer, whose writer was shown the one that says the canary, as older versions did (R86)."""
    with transaction.atomic():
        sent = {"input": CANARY}
        call = make_call(purpose="answer", request=sent, request_sha256=request_digest(sent), raw_reply=CANARY)
        EXCHANGE.vouch(call.pk)
    example = {"answer": str(told.answer.pk), "run": str(told.pk), "near": 0.7, "by": "words"}
    return make_answer(make_run(question="Another's", asked_by=house.viewer), llm_call=call, examples=[example])


def test_words_shown_to_an_older_writer_go_too_and_its_record_verifies(
    house: House, told: RetrievalRun, shown: Answer, browse: Callable[..., Any], tmp_path: Path
) -> None:
    assert verify().ok and pack_is_consistent(shown.run, tmp_path)
    erase_run(told, ERASING)
    shown.refresh_from_db()
    assert shown.llm_call is not None and shown.llm_call.request == {} and "dot products" in shown.text
    assert verify().ok and pack_is_consistent(shown.run, tmp_path)
    page = on_one_line(browse(house.auditor, reverse("audit:trail", args=[shown.run_id])))
    assert "Request and reply were erased: they held words of another answer" in page
    with ZipFile(tmp_path / "pack.zip") as pack:
        report = pack.read("report.html").decode()
    assert all("Written with earlier answers as examples: 1." in shown for shown in (page, report))
    assert f'href="{reverse("audit:trail", args=[told.pk])}"' in page and f"the runs {told.pk}" in " ".join(
        report.split()
    )
    erase_run(shown.run, ERASING)
    assert verify().ok


def test_a_hold_on_another_keeps_what_their_older_writer_was_shown(
    house: House, told: RetrievalRun, shown: Answer
) -> None:
    place(f"user:{house.viewer.pk}", "Counsel", "Matter 2026-17, keep everything")
    erase_run(told, ERASING)
    shown.refresh_from_db()
    assert shown.llm_call is not None and shown.llm_call.request != {} and verify().ok


def pack_is_consistent(run: RetrievalRun, tmp_path: Path) -> bool:
    """Whether the verifier finds nothing wrong; without a head it can say no more than that."""
    out = BytesIO()
    write_evidence(run, out, None)
    (tmp_path / "pack.zip").write_bytes(out.getvalue())
    return check(VERIFIER, tmp_path / "pack.zip")[0] == CONSISTENT
