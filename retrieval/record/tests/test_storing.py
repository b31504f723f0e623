"""What a stored run holds, and that the bytes the ledger vouches for are the same whenever they are made again."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import NamedTuple

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import User
from documents.models import KnowledgeBase
from documents.storage.content import DocumentContent
from ledger.chain import add_salt, digest_of
from ledger.models import Entry, Salt
from llm.models import LLMCall
from retrieval.models import RetrievalRun
from retrieval.pipeline import retrieve
from retrieval.record.as_json import drop_scores, result_json, stored_result_json
from retrieval.record.ledger_forms import LOOK, READING, RUN
from retrieval.record.reading_back import headlines_from, question_from
from retrieval.record.storing import calls_beside, store_failed_run, store_run
from retrieval.tests.builders import SETTINGS
from retrieval.types import ChosenSentence, RetrievalResult
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db
QUESTION = "What is the notice period?"


class Asked(NamedTuple):
    base: KnowledgeBase
    user: User
    result: RetrievalResult


@pytest.fixture
def asked(policy: DocumentContent) -> Asked:
    user = User.objects.create_user("asker@example.org", name="Asker")
    result = retrieve(QUESTION, [policy], settings=SETTINGS, arbiter="rules")
    return Asked(KnowledgeBase.objects.create(name="Policies"), user, result)


def stored(asked: Asked) -> RetrievalRun:
    run = store_run(asked.result, base=asked.base, user=asked.user, mode="balanced")
    return RetrievalRun.objects.get(pk=run.pk)


def test_a_run_keeps_what_it_saw(asked: Asked) -> None:
    """R105."""
    run = stored(asked)
    assert (run.question, run.status, run.arbiter, run.mode) == (QUESTION, "found", "rules", "balanced")
    assert (run.asked_by_name, run.base_name) == ("Asker", "Policies")
    assert run.parsed["keywords"][0]["text"] == "notice"
    assert [flag["name"] for flag in run.plan["flags"]][:2] == ["titles", "keywords"]
    assert sum(run.hit_counts.values()) == len(run.hits) == len(asked.result.hits)
    assert run.hits[0]["lines"] == list(asked.result.hits[0].lines)
    assert run.code_version and run.scope[0]["sha256"]


@pytest.mark.parametrize(
    "question", [QUESTION, "Compare the notice period and the rent", "On page 2, who pays in 2023?"]
)
def test_a_question_is_read_back_as_it_was_understood(asked: Asked, policy: DocumentContent, question: str) -> None:
    result = retrieve(question, [policy], settings=SETTINGS, arbiter="rules")
    read = question_from(stored(asked._replace(result=result)).parsed)
    assert read == result.question and hash(read) == hash(result.question)


def test_every_candidate_is_kept_with_its_text_and_place(asked: Asked) -> None:
    """R105, R69: the quote as it was given, and what was done to it, too."""
    candidates = list(stored(asked).candidates.all())
    assert [candidate.position for candidate in candidates] == list(range(1, len(asked.result.candidates) + 1))
    first, seen = candidates[0], asked.result.candidates[0]
    assert (first.role, first.reason, first.content_anchor) == ("primary", seen.verdict.reason, seen.quote.text)
    assert first.raw_content_anchor == seen.verdict.raw_content_anchor != ""
    assert first.anchor_repair == asdict(seen.quote.repair) and first.anchor_repair["status"] == "exact"
    assert first.anchor_pieces == [{"line_number": 10, "start": 0, "end": len(seen.quote.text)}]
    assert first.boxes[0]["page"] == 2 and first.context_boxes
    assert first.brief.startswith('<candidate id="p2-l10-10">')
    assert first.context_text == seen.context.text


def test_the_ledger_vouches_for_the_run_as_it_is_read_again(asked: Asked) -> None:
    run = stored(asked)
    entry = Entry.objects.get(kind="run", subject_id=str(run.pk))
    written = RUN.read([run.pk])[run.pk]
    assert entry.payload_digest == digest_of(add_salt(written, Salt.objects.get(subject=entry.subject).salt))
    content = json.loads(written)
    assert content["run"]["question"] == run.question
    assert len(content["candidates"]) == len(asked.result.candidates)


def test_a_changed_row_changes_the_bytes(asked: Asked) -> None:
    run = stored(asked)
    before = RUN.read([run.pk])
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # past the triggers, as an intruder would
        cursor.execute("UPDATE retrieval_runcandidate SET reason = 'other' WHERE run_id = %s", [run.pk])
        cursor.execute("RESET session_replication_role")
    assert RUN.read([run.pk]) != before


def test_no_row_can_be_changed_or_deleted(asked: Asked) -> None:
    """R107."""
    run = stored(asked)
    changes: list[Callable[[], object]] = [
        lambda: RetrievalRun.objects.update(status="other"),
        lambda: run.candidates.update(role="primary"),
        lambda: run.candidates.all().delete(),
        lambda: RetrievalRun.objects.all()._raw_delete("default"),
    ]
    for change in changes:
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_the_exchange_with_a_model_is_kept(
    asked: Asked, policy: DocumentContent, serve: Callable[..., ScriptedLLM]
) -> None:
    """R106."""
    serve("good")
    result = retrieve(QUESTION, [policy], settings=SETTINGS, arbiter="model")
    run = store_run(result, base=asked.base, user=asked.user, mode="balanced")
    call = LLMCall.objects.get()
    assert run.llm_call == call
    assert (call.purpose, call.outcome) == ("arbiter", "ok")
    assert json.loads(RUN.read([run.pk])[run.pk])["llm_call"]["request_sha256"] == call.request_sha256


def test_the_reading_of_a_question_is_kept_and_vouched_for(
    asked: Asked, policy: DocumentContent, serve: Callable[..., ScriptedLLM]
) -> None:
    serve("good")
    result = retrieve(QUESTION, [policy], settings=SETTINGS, mode="thorough")
    run = store_run(result, base=asked.base, user=asked.user, mode="thorough")
    reading = calls_beside(run)["reading"]
    assert (reading.purpose, reading.outcome) == ("question", "ok")
    entry = Entry.objects.get(kind="reading", subject_id=str(reading.pk))
    salt = Salt.objects.get(subject=entry.subject).salt
    assert entry.payload_digest == digest_of(add_salt(READING.read([reading.pk])[reading.pk], salt))


def test_both_looks_of_the_arbiter_are_kept_and_vouched_for(
    asked: Asked, policy: DocumentContent, serve: Callable[..., ScriptedLLM]
) -> None:
    serve().wanted = {"wanted_sections": ["1"], "wanted_words": []}
    run = store_run(
        retrieve(QUESTION, [policy], settings=SETTINGS, arbiter="model"),
        base=asked.base,
        user=asked.user,
        mode="balanced",
    )
    first = calls_beside(run)["look"]
    assert run.llm_call is not None and first.started_at < run.llm_call.started_at
    assert "were added because you asked" in run.llm_call.request["input"] and run.hit_counts["requested"] == 1
    entry = Entry.objects.get(kind="look", subject_id=str(first.pk))
    salt = Salt.objects.get(subject=entry.subject).salt
    assert entry.payload_digest == digest_of(add_salt(LOOK.read([first.pk])[first.pk], salt))


def test_what_is_missing_is_told(asked: Asked, policy: DocumentContent, serve: Callable[..., ScriptedLLM]) -> None:
    serve().missing = "The notice of the company."
    result = retrieve(QUESTION, [policy], settings=SETTINGS, arbiter="model")
    run = store_run(result, base=asked.base, user=asked.user, mode="balanced")
    for told in (result_json(result), stored_result_json(run)):
        assert (told["status"], told["partly_answered"], told["missing"]) == (
            "found",
            True,
            "The notice of the company.",
        )


def test_a_failed_exchange_is_kept_too(
    asked: Asked, policy: DocumentContent, serve: Callable[..., ScriptedLLM]
) -> None:
    serve("prose")
    result = retrieve(QUESTION, [policy], settings=SETTINGS, arbiter="model")
    run = store_run(result, base=asked.base, user=asked.user, mode="balanced")
    assert run.arbiter_status == "not_run" and run.arbiter_failure
    assert run.llm_call is not None and run.llm_call.raw_reply


def test_a_failed_retrieval_leaves_a_run(asked: Asked) -> None:
    run = store_failed_run(QUESTION, "The database went away.", base=asked.base, user=asked.user, mode="fast")
    assert (run.status, run.failure) == ("failed", "The database went away.")
    assert Entry.objects.filter(subject_id=str(run.pk)).exists()


def test_nothing_is_stored_when_the_ledger_refuses(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("full")

    monkeypatch.setattr("ledger.chain.append", refuse)
    with pytest.raises(RuntimeError):
        store_run(asked.result, base=asked.base, user=asked.user, mode="balanced")
    assert not RetrievalRun.objects.exists()


def test_the_json_has_the_public_names(asked: Asked) -> None:
    """R61, R62."""
    shown = result_json(asked.result)
    json.dumps(shown)
    assert {
        "doc_id",
        "question",
        "candidates",
        "methods_used",
        "not_found",
        "not_found_reason",
        "confidence",
        "status",
        "coverage",
        "contradictions",
        "searched",
        "gates",
        "arbiter",
        "arbiter_status",
    } <= set(shown)
    candidate = shown["candidates"][0]
    assert {
        "candidate_id",
        "anchor",
        "context",
        "snippet",
        "text",
        "methods",
        "matched_keywords",
        "section_title",
        "role",
        "reason",
        "content_anchor",
        "raw_content_anchor",
        "anchor_repair",
    } <= set(candidate)
    assert candidate["anchor_repair"]["status"] == "exact"
    assert candidate["anchor"] == {"first_line": 10, "last_line": 10, "first_page": 2, "last_page": 2}


@pytest.mark.parametrize(("rule", "told"), [("relevance 1.964", "relevance"), ("rule 2", "rule 2"), (None, None)])
def test_the_score_of_a_reranker_is_among_those_only_auditors_are_told(rule: str | None, told: str | None) -> None:
    """(L11) It is kept in the record, where the rule of a verdict is."""
    assert drop_scores({"rule": rule, "line_score": 2.0}) == {"rule": told}


def test_a_headline_is_read_back_whatever_else_is_stored_of_it() -> None:
    kept = {"candidate_id": "p1-l1-1", "text": "It is so.", "pieces": [[1, 0, 9]], "new": 0.9}
    run = RetrievalRun(plan={"headlines": [kept]})
    assert headlines_from(run) == [ChosenSentence("p1-l1-1", "It is so.", ((1, 0, 9),))]
