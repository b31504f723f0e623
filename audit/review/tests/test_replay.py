"""A replay rebuilds the bytes that were sent, whatever the server could do or replied, and changes no record."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.html import escape
from pytest_django import Settings

from accounts.models import User
from audit.conftest import House, MakeRun, Tamper
from audit.models import AuditEvent
from audit.proof.verification import verify
from audit.review.rejudging import judge_stored
from audit.review.replay import CannotReplay, Judge, judge_by_rules_anew, rebuild, rejudge
from chat.conftest import LEASE_TEXT
from documents.base_settings import BaseSettings
from documents.ingestion.conductor import finish, ingest_path
from documents.ingestion.queueing import queue_again
from documents.ingestion.trash import move_to_trash, purge_document
from documents.models import Document, Parse
from llm.conftest import Serve
from llm.models import LLMCall
from retrieval.arbiter.model import FORMS
from retrieval.corpus import content_for
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.pipeline import retrieve
from retrieval.record.ledger_forms import run_payload
from retrieval.record.reading_back import question_from
from retrieval.record.storing import store_run
from retrieval.types import ANYTHING, Expected

Ask = Callable[..., RetrievalRun]
QUESTIONS = (
    "What is the rent a month?",
    "Who repairs the roof & the <walls>?",
    "What is the deposit, and when is it returned?",
    "How may the lease be ended?",
)
BEHAVIOURS = (
    ["good"],
    ["no-responses-api"],
    ["missing-ids"],
    ["chat-json-mode-only"],
    ["text-only"],
    ["fenced"],
    ["reasoning"],
    ["unknown-ids"],
    ["duplicate-ids"],
    ["malformed"],
    ["empty-ranking"],
    ["wrong-quote"],
)


@pytest.fixture
def lease(house: House, tmp_path: Path, settings: Settings) -> Document:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "lease.md"
    path.write_text(LEASE_TEXT)
    return ingest_path(path, house.base, house.owner)


@pytest.fixture
def ask(house: House, lease: Document) -> Ask:
    """Ask the lease and record the run, as the chat does."""

    def answer(question: str = QUESTIONS[0], arbiter: str = "model", expected: Expected = ANYTHING) -> RetrievalRun:
        chosen = BaseSettings.from_json({"embeddings": "none"})
        result = retrieve(question, content_for([lease]), settings=chosen, arbiter=arbiter, expected=expected)
        stored = store_run(result, base=house.base, user=house.asker, mode="balanced")
        return RetrievalRun.objects.get(pk=stored.pk)

    return answer


def forget_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a later version of the program asked in other words."""
    text = "Quite other instructions."
    other = [form._replace(told=form.told._replace(version="99", text=text)) for form in FORMS]
    monkeypatch.setattr("audit.review.replay.FORMS", other)
    monkeypatch.setattr("audit.review.replay.form_in", lambda room, guidance: other[room.is_small])


def test_it_rebuilds_every_request_byte_for_byte(ask: Ask, serve: Serve) -> None:
    for behaviours in BEHAVIOURS:
        serve(*behaviours)
        for question in QUESTIONS:
            ask(question)
    found = [rebuild(run) for run in RetrievalRun.objects.select_related("llm_call")]
    assert len(found) == len(BEHAVIOURS) * len(QUESTIONS)
    assert [each for each in found if each is None or not each.ok] == []
    out = StringIO()
    call_command("replay", last=len(found), stdout=out)
    assert f"{len(found)} of {len(found)} requests rebuilt" in out.getvalue()


def test_it_rebuilds_the_request_to_a_small_window_and_asks_it_anew(ask: Ask, serve: Serve) -> None:
    server = serve("good")
    server.told = {"max_model_len": 8192}
    runs = [ask(question) for question in QUESTIONS]
    assert {run.llm_call.prompt_name for run in runs if run.llm_call} == {"arbiter-small"}
    found = [rebuild(run) for run in runs]
    assert [each for each in found if each is None or not each.ok or each.note] == []
    assert rejudge(runs[0], Judge("model")).exchanges[0].prompt_name == "arbiter-small"


def test_it_rebuilds_the_request_of_a_second_look(ask: Ask, serve: Serve) -> None:
    serve("good").wanted = {"wanted_sections": [], "wanted_words": ["rent", "notice", "insurance"]}
    runs = [ask(question) for question in QUESTIONS]
    looked = [run for run in runs if "look_call" in run.plan]
    assert looked and all(run.hit_counts["requested"] for run in looked)
    assert [each for each in map(rebuild, looked) if each is None or not each.ok] == []


def test_it_rebuilds_how_a_field_was_to_be_read(ask: Ask, serve: Serve) -> None:
    server = serve("good")
    run = ask(expected=Expected("amount", "net of tax"))
    assert "How the asker wants it read: net of tax" in server.requests[-1].body["input"]
    found = rebuild(run)
    assert found and found.ok


def test_it_tells_which_run_differs(ask: Ask, serve: Serve, tamper: Tamper) -> None:
    serve("good")
    good, bad, other = ask(QUESTIONS[0]), ask(QUESTIONS[1]), ask(QUESTIONS[2])
    tamper(f"UPDATE retrieval_runcandidate SET brief = brief || ' ' WHERE run_id = '{bad.pk}' AND position = 1")
    tamper(f"UPDATE retrieval_runcandidate SET role = 'tangential' WHERE run_id = '{other.pk}' AND position = 1")
    ends = {run.pk: rebuild(RetrievalRun.objects.get(pk=run.pk)) for run in (good, bad, other)}
    assert [each.ok for each in ends.values() if each] == [True, False, False]
    assert ends[other.pk].roles_differ  # type: ignore[union-attr]
    with pytest.raises(CommandError, match="2 of 3 replays differ"):
        call_command("replay", last=3, stdout=StringIO())


@pytest.mark.parametrize("behaviour", ["good", "no-responses-api", "chat-json-mode-only", "text-only"])
def test_it_rebuilds_with_a_prompt_this_program_no_longer_has(
    ask: Ask, serve: Serve, monkeypatch: pytest.MonkeyPatch, behaviour: str
) -> None:
    serve(behaviour)
    run = ask()
    forget_prompts(monkeypatch)
    found = rebuild(run)
    assert found and found.ok
    assert "no longer in this program" in found.note


def test_the_rules_judge_their_own_brief_the_same_again(ask: Ask) -> None:
    for question in QUESTIONS:
        run = ask(question, "rules")
        before = run_payload(run)
        found = rejudge(run, Judge("rules"), repeats=3)
        assert (found.flips, found.stability) == ((), 1.0)
        rows = list(run.candidates.all())
        quoted = {
            verdict.candidate_id: verdict.raw_content_anchor for verdict in judge_by_rules_anew(run, rows).verdicts
        }
        assert quoted == {row.candidate_id: row.raw_content_anchor for row in rows}
        assert run_payload(RetrievalRun.objects.get(pk=run.pk)) == before
        assert rebuild(run) is None


def test_a_replay_weighs_the_evidence_as_the_run_did(ask: Ask) -> None:
    run = ask("How high is the rent of Berlin in 1987?", "rules")
    assert run.status == "weak"
    assert rejudge(run, Judge("rules")).flips == ()


def test_what_is_kept_beside_a_question_does_not_hinder_the_rules(ask: Ask) -> None:
    run = ask(arbiter="rules")
    parsed = run.parsed
    assert run.settings["asked_as"] == "viewer"
    more = {"typed": "And the rent?", "reading_call": "0b9f8d2e-0000-4000-8000-000000000000"}
    assert question_from(parsed | more) == question_from(parsed)


def test_it_says_what_is_missing_when_the_parse_is_gone(ask: Ask, serve: Serve, lease: Document) -> None:
    run = ask(arbiter="rules")
    Document.objects.filter(pk=lease.pk).update(current_parse=None)
    Parse.objects.filter(document=lease).delete()
    with pytest.raises(CannotReplay, match="strength of each candidate, which the record does not hold"):
        rejudge(run, Judge("rules"))
    serve("good")
    assert rejudge(run, Judge("model")).candidates == run.candidates.count()


def test_it_measures_how_stable_a_model_is(ask: Ask, serve: Serve) -> None:
    serve("good")
    run = ask()
    assert rejudge(run, Judge("model"), repeats=3).stability == 1.0
    serve("good", "empty-ranking", "good", "empty-ranking")
    wavering = rejudge(run, Judge("model"), repeats=4)
    assert wavering.stability == 0.5
    assert {flip.after for flip in wavering.flips} == {"unjudged"}
    assert wavering.kept_flips == sum(row.role in ("primary", "supporting") for row in run.candidates.all())


def judged_page(client: Client, run: RetrievalRun, chosen: dict[str, Any]) -> str:
    """The page of a replay once a worker has judged."""
    address = client.post(f"/audit/runs/{run.pk}/replay/", chosen)["Location"]
    judge_stored(address.split("/")[-2])
    return client.get(address).content.decode()


def test_the_button_shows_flips_and_records_them(
    ask: Ask, serve: Serve, house: House, signed_in: Callable[[User], Client]
) -> None:
    serve("good")
    run = ask()
    calls = LLMCall.objects.count()
    client = signed_in(house.auditor)
    page = judged_page(client, run, {"arbiter": "model"})
    assert "request rebuilt byte for byte" in page and "keep their role" in page
    assert "request rebuilt byte for byte" in judged_page(client, run, {"arbiter": "rules"})
    assert client.post(f"/audit/runs/{run.pk}/replay/", {"arbiter": "oracle"}).status_code == 400
    assert signed_in(house.asker).post(f"/audit/runs/{run.pk}/replay/", {"arbiter": "rules"}).status_code == 404
    assert LLMCall.objects.count() == calls + 1
    assert [event.detail["arbiter"] for event in AuditEvent.objects.filter(action="replay")] == ["rules", "model"]
    assert verify().ok


def test_another_model_or_the_prompt_then_sent_judges_on_the_page_and_by_command(
    ask: Ask, serve: Serve, house: House, signed_in: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve("good")
    run = ask()
    before = run_payload(run)
    forget_prompts(monkeypatch)
    chosen = {"arbiter": "model", "model": "another-model", "prompt": "stored", "repeats": 3}
    page = judged_page(signed_in(house.auditor), run, chosen)
    assert "Stability over 3 judgements: 1.00" in page
    call_command("replay", str(run.pk), arbiter="model", model="a-third", repeat=2, stdout=StringIO())
    sent = [request.body for request in server.requests[-5:]]
    assert [body["model"] for body in sent] == ["another-model"] * 3 + ["a-third"] * 2
    assert ["Quite other" in str(body) for body in sent] == [False] * 3 + [True] * 2
    calls = AuditEvent.objects.filter(action="replay").order_by("created_at").values_list("detail__calls", flat=True)
    assert [len(each) for each in calls] == [3, 2]
    assert run_payload(RetrievalRun.objects.get(pk=run.pk)) == before
    for wrong in ({"repeats": 11}, {"repeats": 0}, {"prompt": "no"}):
        assert signed_in(house.auditor).post(f"/audit/runs/{run.pk}/replay/", chosen | wrong).status_code == 400


def test_a_model_that_fails_is_told(ask: Ask, make_run: MakeRun, house: House, signed_in: Any) -> None:
    run = ask(arbiter="rules")
    assert "No model is configured" in judged_page(signed_in(house.auditor), run, {"arbiter": "model"})
    assert "No model is configured" in AuditEvent.objects.get(action="replay").detail["error"]
    with pytest.raises(CannotReplay, match="no candidate"):
        rejudge(make_run(""), Judge("rules"))


class Aged(NamedTuple):
    """Stored runs years later, with what of them is shown: the first candidate of each and its most refused one."""

    client: Client
    runs: list[RetrievalRun]
    shown: list[RunCandidate]

    def is_whole(self, gone: str = "") -> bool:
        """Whether every request is rebuilt byte for byte, and every page still shows everything."""
        replays = [found for found in map(rebuild, self.runs) if found]
        is_rebuilt = len(replays) == len(self.runs) and all(found.ok for found in replays)
        return is_rebuilt and all(self.is_readable(candidate, gone) for candidate in self.shown)

    def is_readable(self, candidate: RunCandidate, gone: str) -> bool:
        """Whether the page has question, text, reason, page, boxes and digest, and says that the document is gone."""
        at = {"candidate": candidate.candidate_id}
        page = self.client.get(f"/audit/runs/{candidate.run_id}/", at).content.decode()
        digests = [seen["sha256"] for seen in candidate.run.scope]
        words = [candidate.run.question, candidate.reason, *candidate.context_text.splitlines(), *digests, gone]
        marks = ["hl-anchor", "hl-context", f"<strong>Page {candidate.anchor_first_page}</strong>"]
        return all(escape(text) in page for text in words) and all(mark in page for mark in marks)


def test_it_lasts_whatever_becomes_of_documents_and_prompt(
    ask: Ask, serve: Serve, house: House, signed_in: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """AT14: documents are read again, the prompt changes, the documents are deleted for good."""
    serve("good")
    for question in QUESTIONS:
        ask(question)
    runs = list(RetrievalRun.objects.exclude(llm_call=None).select_related("llm_call"))
    first = list(RunCandidate.objects.filter(position=1).exclude(anchor_text=""))
    last = [RunCandidate.objects.filter(run=each.run_id).order_by("-position")[0] for each in first]
    aged = Aged(signed_in(house.auditor), runs, first + last)
    assert (len(runs), len(first)) == (len(QUESTIONS), len(QUESTIONS)) and aged.is_whole()
    for document in Document.objects.all():
        finish(queue_again(document))
    assert aged.is_whole()
    told = {"version": "99", "text": "Quite other instructions."}
    other = [form._replace(told=form.told._replace(**told)) for form in FORMS]
    with monkeypatch.context() as changed:
        changed.setattr("audit.review.replay.FORMS", other)
        assert aged.is_whole()
    for document in Document.objects.all():
        move_to_trash(document)
        purge_document(document)
    assert aged.is_whole(gone="document deleted") and not Document.objects.exists()


def test_an_outline_is_not_judged_again(house: House, make_run: MakeRun) -> None:
    with pytest.raises(CannotReplay, match="nothing was judged"):
        rejudge(make_run(parsed={"form": "outline"}), Judge("rules"))
    with pytest.raises(CannotReplay, match="each side of a comparison by itself"):
        rejudge(make_run(parsed={"form": "compare"}), Judge("rules"))
