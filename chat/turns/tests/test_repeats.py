"""An exact repeat is answered from the record: the same words at no cost, and only while nothing speaks against it."""

import json
import uuid
import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from audit.keeping.erasure import Erasing, erase_run
from audit.proof.evidence import write_evidence
from audit.proof.verification import verify
from audit.review.reviewing import Opinion, review
from chat.answer_record import give_feedback
from chat.asking import ask_again, keep_question
from chat.conftest import ABSENT_QUESTION, LEASE_TEXT, RENT_QUESTION, Ask, Serve
from chat.models import Answer, Turn
from chat.prompts.guidance import change_guidance
from chat.scope import QuestionScope
from chat.turns import conductor
from chat.turns.conductor import AnsweringFailed, answer_turn
from chat.turns.replies import read_turn
from documents import access
from documents.ingestion.conductor import ingest, ingest_path
from documents.ingestion.queueing import queue_again
from documents.models import Document, KnowledgeBase, Membership, Role
from ledger.models import Entry
from llm.models import LLMCall
from retrieval.filters import Filters
from retrieval.models import Concept, Term
from retrieval.record import storing

pytestmark = pytest.mark.django_db(transaction=True)

Change = Callable[[Any], None]
COLUMNS = ("position", "candidate_id", "role", "reason", "content_anchor", "context_text", "brief", "boxes")
PLACES = ("marker", "quote", "page", "page_label", "first_line", "last_line", "boxes")


def answered(turn: Turn) -> Any:  # a turn with its run and answer
    answer_turn(turn.pk)
    return Turn.objects.select_related("run", "answer", "conversation__user").get(pk=turn.pk)


def is_repeat(turn: Turn) -> bool:
    return bool(answered(turn).run.repeat)


# ---- what a repeat is


def test_a_repeat_gives_the_answer_it_had_and_asks_no_model(ask: Ask, serve: Serve) -> None:
    """R39, R108."""
    server = serve()
    first = answered(ask())
    asked = len(server.requests)
    second = answered(ask(f"  {RENT_QUESTION.upper()} "))
    assert len(server.requests) == asked and LLMCall.objects.count() == 3
    assert (second.state, second.answer.kind, second.answer.text) == ("done", "generated", first.answer.text)
    assert second.answer.checks == first.answer.checks and second.answer.pk != first.answer.pk
    assert second.answer.llm_call is None and second.answer.other_calls == [] and second.run.llm_call is None
    today = f"{timezone.now():%Y-%m-%d}"
    assert second.run.repeat == {"run": str(first.run_id), "answer": str(first.answer.pk), "on": today}
    assert not first.run.repeat


def test_a_repeat_has_a_whole_record_of_its_own(ask: Ask, serve: Serve) -> None:
    serve()
    first, second = answered(ask()), answered(ask())
    for rows in ("candidates", "documents"):
        assert getattr(first.run, rows).count() == getattr(second.run, rows).count() > 0
    kept = [list(turn.run.candidates.order_by("position").values(*COLUMNS)) for turn in (first, second)]
    assert kept[0] == kept[1]
    cited = [list(turn.answer.citations.order_by("marker").values(*PLACES)) for turn in (first, second)]
    assert cited[0] == cited[1] != []
    assert {citation.candidate.run_id for citation in second.answer.citations.all()} == {second.run_id}
    subjects = [f"run:{second.run_id}", f"answer:{second.answer.pk}"]
    kinds = [subject.split(":") for subject in subjects]
    assert all(Entry.objects.filter(kind=kind, subject_id=pk).count() == 1 for kind, pk in kinds)
    assert verify().ok


def test_the_pack_of_a_repeat_verifies_and_says_what_it_is(ask: Ask, serve: Serve) -> None:
    serve()
    first, second = answered(ask()), answered(ask())
    out = BytesIO()
    write_evidence(second.run, out, None)
    with zipfile.ZipFile(out) as pack:
        names = {name: pack.read(name).decode(errors="replace") for name in pack.namelist()}
    assert f"by run {first.run_id}" in names["report.html"]
    assert not any(name.startswith("calls/") for name in names)
    assert json.loads(names["run.json"].partition("\n")[2])["run"]["plan"]["repeat"]["run"] == str(first.run_id)


def test_not_found_is_given_again_too(ask: Ask) -> None:
    first, second = answered(ask(ABSENT_QUESTION)), answered(ask(ABSENT_QUESTION))
    assert first.answer.kind == second.answer.kind == "not_found" and second.run.repeat["run"] == str(first.run_id)


def test_nothing_is_said_to_be_searched_for_a_repeat(ask: Ask, client: Client) -> None:
    works = []
    for turn in (answered(ask()), answered(ask())):
        client.force_login(turn.conversation.user)
        page = client.get(f"/ask/{turn.conversation_id}/").content.decode()
        works.append(("Searched 1 document, cited" in page, "Nothing was searched" in page))
    assert works == [(True, False), (False, True)]


def test_a_repeat_of_a_repeat_names_the_first(ask: Ask) -> None:
    first = answered(ask())
    assert [answered(ask()).run.repeat["run"] for _ in range(2)] == [str(first.run_id)] * 2


def test_another_person_gets_it_and_learns_nothing_of_the_first(
    ask: Ask, viewer: User, tenant: User, client: Client
) -> None:
    first = answered(ask())
    second = answered(ask(user=viewer))
    assert second.run.repeat and (second.run.asked_by, second.run.asked_by_name) == (viewer, "Viewer")
    assert second.run.settings["asked_as"] == "viewer" and first.run.settings["asked_as"] == "owner"
    told = read_turn(second.pk)
    assert told["answered_before"] == {"on": second.run.repeat["on"], "run_id": None}
    assert "Tenant" not in json.dumps(told) and "tenant@" not in json.dumps(told)
    client.force_login(viewer)
    page = client.get(reverse("chat:conversation", args=[second.conversation_id])).content.decode()
    assert "Answered before on" in page and str(first.run_id) not in page and "tenant@" not in page
    assert client.get(reverse("audit:trail", args=[first.run_id])).status_code == 404


# ---- when it is asked anew


def test_ask_again_asks_anew_and_its_answer_is_given_from_then_on(ask: Ask, serve: Serve) -> None:
    server = serve()
    first = answered(ask())
    asked = len(server.requests)
    again = answered(ask_again(first))
    assert len(server.requests) == 2 * asked and not again.run.repeat
    assert answered(ask()).run.repeat["run"] == str(again.run_id)


def test_a_program_may_want_it_asked(ask: Ask) -> None:
    answered(ask())
    turn = ask()
    Turn.objects.filter(pk=turn.pk).update(is_fresh=True)
    assert not is_repeat(turn)


def test_asking_a_repeat_again_asks_anew(ask: Ask) -> None:
    answered(ask())
    assert not is_repeat(ask_again(answered(ask())))


def rename(turn: Any) -> None:
    Document.objects.update(title="Another title")


def read_again(turn: Any) -> None:
    before = Document.objects.get().current_parse_id
    ingest(queue_again(Document.objects.get()))
    assert Document.objects.get().current_parse_id != before


def add_term(turn: Any) -> None:
    concept = Concept.objects.create(base=turn.conversation.base, name="rent")
    Term.objects.create(concept=concept, text="lease payment", priority="primary")


def change_settings(turn: Any) -> None:
    KnowledgeBase.objects.update(settings={"embeddings": "none", "pool_max": 12})


def switch_off(turn: Any) -> None:
    KnowledgeBase.objects.update(settings={"embeddings": "none", "repeats": "off"})


def complain(turn: Any) -> None:
    give_feedback(turn, turn.conversation.user, "wrong_answer")
    give_feedback(turn, turn.conversation.user, "helpful")


def add_auditor(turn: Any) -> User:
    user = User.objects.create_user("auditor@example.org", "a long pass phrase", name="Auditor")
    access.set_role(turn.conversation.base, user, Role.AUDITOR)
    return user


def overrule(turn: Any) -> None:
    keeper = add_auditor(turn)
    agreed = review(turn.run, None, keeper, Opinion("agree"))
    review(turn.run, None, keeper, Opinion("wrong", reason="It is another rent.", previous_id=agreed.pk))


def overrule_candidate(turn: Any) -> None:
    review(turn.run, turn.run.candidates.all()[0], add_auditor(turn), Opinion("overrule", "discarded", "No."))


def complain_of_a_repeat(turn: Any) -> None:
    same = keep_question(
        turn.conversation.user,
        QuestionScope(turn.conversation.base, tuple(Document.objects.all())),
        turn.question,
        turn.mode,
        form_id=uuid.uuid4(),
    )
    same = answered(same)
    assert same.run.repeat
    give_feedback(same, turn.conversation.user, "incomplete")


def erase(turn: Any) -> None:
    erase_run(turn.run, Erasing("Tenant", "asked for"))


CHANGES: list[Change] = [
    *(rename, read_again, add_term, change_settings, switch_off),
    *(complain, overrule, overrule_candidate, complain_of_a_repeat, erase),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_it_is_asked_anew_after_a_change(ask: Ask, change: Change) -> None:
    """R108."""
    first = answered(ask())
    assert is_repeat(ask())
    first.refresh_from_db()
    change(first)
    assert not is_repeat(ask())


def test_an_answer_is_written_by_what_its_key_says(ask: Ask, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guidance that is changed while the documents are searched counts from the next question on."""
    server, turn, store = serve(), ask(), storing.store_run

    def store_and_change(*arguments: Any, **named: Any) -> Any:
        change_guidance(turn.conversation.base, "answer", "Write in verse.", "A trial", None, seen=0)
        return store(*arguments, **named)

    monkeypatch.setattr(conductor, "store_run", store_and_change)
    first = answered(turn)
    monkeypatch.undo()
    assert first.answer.kind == "generated" and "in verse" not in json.dumps([each.body for each in server.requests])
    change_guidance(turn.conversation.base, "answer", "", "The trial is over", None, seen=1)
    assert is_repeat(ask())


@pytest.mark.parametrize("name", ["LLM_MODEL", "LLM_BASE_URL"])
def test_it_is_asked_anew_of_another_model(ask: Ask, settings: Settings, name: str) -> None:
    answered(ask())
    setattr(settings, name, "another")
    assert not is_repeat(ask())


def test_another_mode_or_filter_or_question_is_asked(ask: Ask, tenant: User, document: Document) -> None:
    answered(ask())
    assert not is_repeat(ask(mode="fast")) and not is_repeat(ask(f"{RENT_QUESTION} Why?"))
    scope = QuestionScope(document.base, (document,))
    narrowed = keep_question(
        tenant, replace(scope, filters=Filters(section="Rent")), RENT_QUESTION, "balanced", form_id=uuid.uuid4()
    )
    assert not is_repeat(narrowed)


def test_other_documents_are_asked(ask: Ask, tenant: User, document: Document, tmp_path: Path) -> None:
    """The whole base has one document more; another base has the same file."""
    answered(ask())
    other = tmp_path / "other.md"
    other.write_text(LEASE_TEXT.replace("12,500", "9,000"))
    ingest_path(other, document.base, tenant)
    whole = keep_question(tenant, QuestionScope(document.base), RENT_QUESTION, "balanced", form_id=uuid.uuid4())
    assert not is_repeat(whole)
    elsewhere = access.create_base(tenant, "Elsewhere")
    KnowledgeBase.objects.filter(pk=elsewhere.pk).update(settings={"embeddings": "none"})
    copy = ingest_path(tmp_path / "lease.md", KnowledgeBase.objects.get(pk=elsewhere.pk), tenant)
    there = keep_question(tenant, QuestionScope(copy.base, (copy,)), RENT_QUESTION, "balanced", form_id=uuid.uuid4())
    assert not is_repeat(there)


def test_it_is_asked_anew_when_an_amendment_comes_to_stand_beside_the_document(
    ask: Ask, tenant: User, document: Document, tmp_path: Path
) -> None:
    """Another document that speaks of none changes nothing."""
    answered(ask())
    amended = (
        "# Amendment\n\nMade on 3 May 2024 to the Lease of the warehouse.\n\n1. Schedule 1 is replaced by: “None.”"
    )
    for name, text in (("weather.md", "# Weather\n\nIt rained all day."), ("amendment.md", amended)):
        path = tmp_path / name
        path.write_text(text)
        ingest_path(path, document.base, tenant)
        last = answered(ask())
        assert bool(last.run.repeat) == (name == "weather.md")
    assert last.answer.kind == "weak" and "“Amendment" in last.answer.text


def test_who_has_lost_the_documents_gets_nothing(ask: Ask, base: KnowledgeBase, viewer: User) -> None:
    answered(ask())
    turn = ask(user=viewer)
    Membership.objects.filter(base=base, user=viewer).delete()
    with pytest.raises(AnsweringFailed, match="no longer open"):
        answer_turn(turn.pk)
    assert not Answer.objects.filter(turn=turn).exists()


FAILED_STEPS = {"arbiter": 0, "writer": 1, "claim check": 2}


@pytest.mark.parametrize("step", FAILED_STEPS)
def test_what_failed_on_the_way_is_not_given_again(ask: Ask, serve: Serve, step: str) -> None:
    serve(*["good"] * FAILED_STEPS[step], "unauthorized", "good")
    answered(ask())
    assert LLMCall.objects.exclude(outcome="ok").count() == 1
    assert not is_repeat(ask()) and is_repeat(ask())


# ---- what is shown of it


def test_the_card_the_trail_the_export_and_the_api_say_it(ask: Ask, tenant: User, client: Client) -> None:
    first, second = answered(ask()), answered(ask())
    day = second.run.repeat["on"]
    client.force_login(tenant)
    page = client.get(reverse("chat:conversation", args=[second.conversation_id])).content.decode()
    assert "Answered before on" in page and reverse("audit:trail", args=[first.run_id]) in page
    assert (
        "Answered before" not in client.get(reverse("chat:conversation", args=[first.conversation_id])).content.decode()
    )
    trail = client.get(reverse("audit:trail", args=[second.run_id])).content.decode()
    assert f"answered before, on {day}" in trail and reverse("audit:trail", args=[first.run_id]) in trail
    assert read_turn(second.pk)["answered_before"] == {"on": day, "run_id": str(first.run_id)}
    assert read_turn(first.pk)["answered_before"] is None
    for form, told in (("md", "Answered before on"), ("json", f'"run_id": "{first.run_id}"')):
        response = client.get(reverse("chat:export", args=[second.conversation_id, form]))
        assert told in response.content.decode()
