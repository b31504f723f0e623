"""Stand-ins for persons, before a model outside: what leaves, what comes back, what the record says of it.

The test of leaks reads each request that the scripted server received, of every kind that reading and answering make.
"""

import json
import re
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from audit.keeping.erasure import Erasing, erase_run
from audit.proof.verification import verify
from audit.review.rejudging import ask_for_replay, judge_stored
from audit.review.replay import Judge, rebuild, rejudge
from chat.asking import keep_question
from chat.conftest import Serve
from chat.fields.extracting import carry_out_extraction, keep_extraction
from chat.model_page.testing import ask_for_test, carry_out_test
from chat.models import Answer, Turn
from chat.prompts.guidance import change_guidance
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.evidence import keep_retrieval, retrieve_evidence
from documents.access import change_settings
from documents.base_settings import BaseSettings, asking_as
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from ledger.models import Event
from llm.models import LLMCall
from retrieval.arbiter.model import PROMPT
from retrieval.forms.fields import Field
from retrieval.record.ledger_forms import RUN
from retrieval.types import Expected
from tests.product import ROOT, sources
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

PERSONAL_TEXT = """\
# Lease with Mr. John Harrow

## Parties

This lease is made between Jane Quillfeather (the “Landlord”) and Mr. John Harrow, 10 Downing Street, London SW1A 2AA.
Harrow may be reached at john.harrow@example.org and +44 20 7946 0958. His IBAN is GB82 WEST 1234 5698 7654 32.

## Rent

Mr. John Harrow pays a rent of 12,500 euros a month to Jane Quillfeather by card 4111 1111 1111 1111. Harrow pays.

## Kaution

Frau Zwetschkenbaum, wohnhaft Hauptstraße 12a, 10115 Berlin, zahlt eine Kaution von 3.000 Euro, Steuer-ID 86095742719.

## Assurance

Mme Claire Tourterelle, 01.23.45.67.89, NIR 2 55 08 14 168 025 38, paie la prime d’assurance de 40 euros.

## Fianza

La Sra. Berenjenal, Calle de Alcalá 45, DNI 12345678Z, paga la fianza. [Person 1] is printed here.
"""
ORIGINALS = (
    *("Harrow", "Quillfeather", "Downing", "SW1A", "john.harrow@example.org", "7946 0958", "GB82 WEST", "4111 1111"),
    *("Zwetschkenbaum", "Hauptstraße", "86095742719", "Tourterelle", "01.23.45", "14 168 025", "Berenjenal"),
    *("Calle de Alcalá", "12345678Z"),
)
HIDING = {"pseudonyms": "on", "embeddings": "none"}
EVERYWHERE = {
    "cards": "by_model",
    "contextualisation": "llm",
    "contents_check": "composite",
    "embeddings": "openai",
}
RENT = "What rent does Mr. John Harrow pay a month?"

Open = Callable[..., Document]


@pytest.fixture
def read(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Open:
    """Read the document with these settings of the base, all stages."""
    settings.MEDIA_ROOT = tmp_path / "files"

    def read(**chosen: str) -> Document:
        KnowledgeBase.objects.filter(pk=base.pk).update(settings=chosen)
        base.refresh_from_db()
        path = tmp_path / "lease.md"
        path.write_text(PERSONAL_TEXT)
        return ingest_path(path, base, tenant)

    return read


def ask_about(document: Document, question: str = RENT, *, mode: str = "balanced", after: Turn | None = None) -> Turn:
    assert document.created_by
    scope = QuestionScope(document.base, (document,))
    talk = after.conversation if after else None
    turn = keep_question(document.created_by, scope, question, mode, form_id=uuid.uuid4(), conversation=talk)
    answer_turn(turn.pk)
    turn.refresh_from_db()
    return turn


def leaks_in(server: ScriptedLLM) -> set[str]:
    """The originals that any request holds, in whatever case."""
    bodies = [json.dumps(request.body, ensure_ascii=False).casefold() for request in server.requests]
    return {original for original in ORIGINALS for body in bodies if original.casefold() in body}


def ask_everything(document: Document, server: ScriptedLLM, by: User) -> list[Turn]:
    """Have every kind of request made that answering, fields, tests and replays make."""
    base = document.base
    why = "said by the owner"
    change_guidance(base, PROMPT.name, "Mr. John Harrow is the tenant.", why, by, seen=0)
    change_guidance(base, "answer", "Call Mr. John Harrow the tenant.", why, by, seen=0)
    server.written = ["Mr. Nobody pays 987 euros [1].", "The rent of the tenant is 12,500 euros a month [1]."]
    first = ask_about(document)
    server.written = []
    turns = [
        first,
        ask_about(document, "And what deposit does she pay?", after=first),
        ask_about(document, "Who may be reached at john.harrow@example.org?", mode="thorough"),
        ask_about(document, "What is the rent of Mr. John Harrow in per cent of the Kaution?", mode="thorough"),
        ask_about(document, "List everything that Mr. John Harrow and Frau Zwetschkenbaum pay.", mode="thorough"),
    ]
    fields = [Field("Rent", RENT, Expected("amount")), Field("Tenant", "Who is Mr. John Harrow?", Expected("person"))]
    carry_out_extraction(keep_extraction(by, QuestionScope(base, (document,)), fields, "balanced").pk)
    carry_out_test(ask_for_test(by, base).pk)
    KnowledgeBase.objects.filter(pk=base.pk).update(settings=base.settings | {"ranking": "rerank"})
    base.refresh_from_db()
    ask_about(document, "Where does Frau Zwetschkenbaum live?")
    assert first.run
    judge_stored(ask_for_replay(by, first.run, Judge("model"), 1).pk)
    return turns


def have_servers(settings: Settings, server: ScriptedLLM) -> None:
    """Embeddings and reranking by servers too."""
    settings.EMBEDDING_CONFIGURED, settings.EMBEDDING_BASE_URL = True, server.base_url
    settings.RERANK_BASE_URL, settings.RERANK_MODEL = server.base_url, "scripted-reranker"


PURPOSES = {
    *("annotation", "answer", "arbiter", "card", "claims", "contents", "embedding", "follow_up", "question", "replay"),
    *("rerank", "test"),
}


def test_no_original_is_in_any_request_and_answers_hold_the_originals(
    read: Open, serve: Serve, tenant: User, settings: Settings
) -> None:
    server = serve()
    have_servers(settings, server)
    document = read(**EVERYWHERE, pseudonyms="on")
    turns = ask_everything(document, server, tenant)
    assert leaks_in(server) == set()
    assert {request.path for request in server.requests} == {"/v1/responses", "/v1/embeddings", "/v1/rerank"}
    assert purposes() == PURPOSES
    run = turns[0].run
    assert run and "Harrow" in run.question
    anchors = [each.content_anchor for each in run.candidates.exclude(content_anchor="")]
    assert any("Harrow" in anchor for anchor in anchors) and not any("[Person" in anchor for anchor in anchors)
    texts = " ".join(answer.text for answer in Answer.objects.all())
    assert "Harrow" in texts and not any(each in texts for each in ("[Phone", "[E-mail", "[Account", "[Address"))


def test_with_the_setting_off_each_of_them_leaves(read: Open, serve: Serve, tenant: User, settings: Settings) -> None:
    server = serve()
    have_servers(settings, server)
    ask_everything(read(**EVERYWHERE), server, tenant)
    assert leaks_in(server) == set(ORIGINALS) and purposes() == PURPOSES
    assert not LLMCall.objects.filter(parameters__has_key="pseudonyms").exists()
    assert not LLMCall.objects.exclude(stand_ins={}).exists()


def purposes() -> set[str]:
    """What models were asked for, replays included, whose exchanges their reader stores."""
    return {*LLMCall.objects.values_list("purpose", flat=True)}


def test_reasons_anchors_and_the_streamed_answer_hold_the_originals(read: Open, serve: Serve) -> None:
    server = serve()
    document = read(**HIDING)
    server.written = ["[Person 1] and [Person 77]: [Person 2] pays a rent of 12,500 euros a month [1]."]
    turn = ask_about(document)
    assert turn.run and turn.run.llm_call and leaks_in(server) == set()
    call = turn.run.llm_call
    primary = turn.run.candidates.get(role="primary")
    lines = PERSONAL_TEXT.splitlines()
    assert "Mr. John Harrow pays a rent" in primary.content_anchor
    assert any(primary.content_anchor in line for line in lines), "an anchor is literal text of the document"
    assert "[Person" in call.raw_reply and "Harrow" not in call.raw_reply, "what came back is kept as it came"
    answer = Answer.objects.get(turn=turn)
    assert answer.llm_call
    stand_ins = answer.llm_call.stand_ins
    assert "[Person 77]" not in stand_ins
    named = stand_ins.get("[Person 1]", "[Person 1]"), stand_ins["[Person 2]"]
    assert f"{named[0]} and [Person 77]: {named[1]} pays a rent" in answer.text


def test_a_quote_is_our_own_text_with_whatever_is_printed_in_it(read: Open, serve: Serve) -> None:
    server = serve()
    document = read(**HIDING)
    server.favours = "[Person 1] is printed here"
    turn = ask_about(document, "What does La Sra. Berenjenal pay as fianza?")
    assert turn.run
    quotes = [each.quote for each in Answer.objects.get(turn=turn).citations.all()]
    assert any("[Person 1] is printed here" in quote for quote in quotes), quotes


# ---- the record


def test_a_run_is_rebuilt_byte_for_byte_and_judged_again_with_stand_ins(
    read: Open, serve: Serve, settings: Settings
) -> None:
    server = serve()
    run = ask_about(read(**HIDING)).run
    assert run
    settings.PERSONAL_DATA_FINDER = "whatever.finds.them.now"
    rebuilt = rebuild(run)
    assert rebuilt and rebuilt.ok and rebuilt.note == ""
    settings.PERSONAL_DATA_FINDER = "chat.figures.personal.find_personal"
    with asking_as(BaseSettings.from_json(run.base.settings), run.base):
        again = rejudge(run, Judge("model"))
    assert again.flips == () and leaks_in(server) == set()
    assert again.exchanges[-1].request_sha256 == rebuilt.sent


def test_an_equal_request_has_its_reply_again_with_its_own_stand_ins(read: Open, serve: Serve, tenant: User) -> None:
    server = serve()
    document = read(**HIDING, repeats="on")
    first = ask_about(document)
    sent = len(server.requests)
    kept = keep_retrieval(tenant, QuestionScope(document.base, (document,)), RENT, "balanced")
    retrieve_evidence(kept.pk)
    kept.refresh_from_db()
    assert first.run and first.run.llm_call and kept.run and kept.run.llm_call
    assert kept.run.llm_call.reused and len(server.requests) == sent
    assert kept.run.llm_call.stand_ins == first.run.llm_call.stand_ins != {}
    anchors = [[each.content_anchor for each in run.candidates.order_by("position")] for run in (first.run, kept.run)]
    assert anchors[0] == anchors[1]


def test_the_trail_says_how_many_of_each_kind_and_whom_they_stand_for(
    read: Open, serve: Serve, client: Client, tenant: User
) -> None:
    serve()
    run = ask_about(read(**HIDING)).run
    assert run and run.llm_call
    counts = run.llm_call.parameters["pseudonyms"]
    assert counts["person"] >= 2 and sum(counts.values()) > counts["person"]
    client.force_login(tenant)
    page = client.get(reverse("audit:trail", args=[run.pk])).content.decode()
    assert f"persons {counts['person']}" in page
    stand_in, original = next(iter(run.llm_call.stand_ins.items()))
    assert f'<dt class="mono">{stand_in}</dt>' in page and f"<dd>{original}</dd>" in page


def test_the_ledger_vouches_for_whom_they_stand_for_and_an_erasure_leaves_nobody(
    read: Open, serve: Serve, tenant: User
) -> None:
    serve()
    run = ask_about(read(**HIDING)).run
    assert run and run.llm_call
    written = RUN.read([run.pk])[run.pk].decode()
    assert json.loads(written)["llm_call"]["stand_ins"] == run.llm_call.stand_ins
    assert verify().ok
    erase_run(run, Erasing("Tenant", "asked for it"))
    kept = LLMCall.objects.get(pk=run.llm_call.pk)
    assert kept.stand_ins == {} and kept.pseudonyms and verify().ok
    assert "stand_ins" not in json.loads(RUN.read([run.pk])[run.pk])["llm_call"]


def test_a_change_of_the_setting_is_on_record_and_holds_at_once(base: KnowledgeBase, tenant: User) -> None:
    change_settings(base, base.name, BaseSettings.from_json(base.settings | {"pseudonyms": "on"}), tenant)
    details = Event.objects.filter(kind="settings_changed").latest("created_at").details
    assert details == {"pseudonyms": ["off", "on"], "persons": ["usual", "hidden"]}
    chosen = BaseSettings(pseudonyms="on")
    assert "pseudonyms" in chosen.deciding() and "pseudonyms" not in chosen.guarded()


def test_who_asks_a_model_does_it_as_the_base_chose() -> None:
    """A module that charges calls or names a model by itself would leave out the stand-ins."""
    alone = {
        str(path.relative_to(ROOT))
        for path in sources()
        if "llm" not in path.relative_to(ROOT).parts and re.search(r"\b(?:paid_by|asking)\(", path.read_text("utf-8"))
    }
    # The last two only show which model would be asked.
    shown = {"retrieval/dictionary/tier_views.py", "chat/model_page/in_force.py"}
    assert alone == {"documents/base_settings.py"} | shown
