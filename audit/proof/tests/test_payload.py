"""What a ledger entry vouches for is fixed by its format: one more column would change the bytes of every old run."""

import json

import pytest

from audit.conftest import MakeAnswer, MakeRun, Tamper
from audit.proof.verification import FIRST_FORM, PAYLOADS, VOUCHED, verify
from chat.models import Answer
from ledger.chain import append
from ledger.models import Salt
from retrieval.models import RetrievalRun

RUN = (
    "answerable answerable_reason arbiter arbiter_failure arbiter_status asked_by_id asked_by_name base_id base_name "
    "code_version confidence contradictions coverage created_at failure gates hit_counts hits id llm_call_id "
    "methods_used mode not_found_reason parsed plan question scope searched settings status timings_ms toc_shown "
    "violations"
)
CANDIDATE = (
    "anchor_first_line anchor_first_page anchor_last_line anchor_last_page anchor_page_label anchor_pieces "
    "anchor_repair anchor_text boxes breadcrumb brief candidate_id co_occurrence content_anchor context_boxes "
    "context_first_line context_first_page context_last_line context_last_page context_text document_id "
    "document_title exact_title id line_score matched_keywords methods page_height page_width parse_id position "
    "raw_content_anchor reason role rrf_rank rule run_id section_title snippet toc_index type_match"
)
CALL = (
    "api attempts error finish_reason host id latency_ms model model_returned outcome parameters prompt_name "
    "prompt_version purpose raw_reply request request_sha256 response_id started_at tokens_cached tokens_in tokens_out"
)
DOCUMENT = (
    "cause document_id fused_score id meaning_score name_score pages pages_with_text parse_id parse_number position "
    "rank ranked reason run_id sha256 state title words words_score"
)
ANSWER = "checks citations created_at ended id kind llm_call note run text timings_ms turn"


@pytest.mark.django_db
def test_it_vouches_for_these_columns_in_this_format(
    make_run: MakeRun, make_answer: MakeAnswer, make_call: object
) -> None:
    run = make_run(arbiter="model", llm_call=make_call())  # type: ignore[operator]
    answer = make_answer(run, llm_call=make_call(purpose="answer"))  # type: ignore[operator]
    payload = json.loads(PAYLOADS["run"].read([run.pk])[run.pk])
    reminder = "the bytes of old runs change with this: give the payload a new format, and keep reading the old one"
    assert payload["format"] == "docintel-run-2"
    assert " ".join(sorted(payload["run"])) == RUN, reminder
    assert " ".join(sorted(payload["candidates"][0])) == CANDIDATE, reminder
    assert " ".join(sorted(payload["llm_call"])) == CALL, reminder
    listed = make_run(states="read counted unreadable")
    payload = json.loads(PAYLOADS["run"].read([listed.pk])[listed.pk])
    assert (payload.pop("format"), " ".join(sorted(payload["run"]))) == ("docintel-run-3", RUN)
    assert sorted(payload) == ["candidates", "documents", "llm_call", "run"]
    assert [each["state"] for each in payload["documents"]] == ["read", "counted", "unreadable"]
    assert " ".join(sorted(payload["documents"][0])) == DOCUMENT, reminder
    of_answer = json.loads(PAYLOADS["answer"].read([answer.pk])[answer.pk])
    assert of_answer.pop("format") == "docintel-answer-2"
    assert " ".join(sorted(of_answer)) == ANSWER, reminder
    assert " ".join(sorted(of_answer["llm_call"])) == CALL, reminder


@pytest.mark.parametrize("kind", ["review", "review_sample", "sign_off", "audit_event", "event"])
@pytest.mark.django_db
def test_it_leaves_no_column_of_what_auditors_do_unvouched(kind: str) -> None:
    columns = {field.column for field in VOUCHED[kind]._meta.concrete_fields}
    assert {column for column in columns if f"'{column}'" in PAYLOADS[kind].text} == columns


@pytest.mark.django_db
def test_entries_of_the_first_format_still_verify(make_run: MakeRun, make_answer: MakeAnswer, tamper: Tamper) -> None:
    run = make_run()
    answer = make_answer(run)
    tamper("DELETE FROM ledger_entry; DELETE FROM ledger_salt")
    append("run", str(run.pk), FIRST_FORM["run"](RetrievalRun.objects.get(pk=run.pk)))
    append("answer", str(answer.pk), FIRST_FORM["answer"](Answer.objects.get(pk=answer.pk)))
    assert not Salt.objects.exists()
    assert verify().ok
    tamper("UPDATE retrieval_runcandidate SET reason = 'Kinder' WHERE position = 4")
    first_bad = verify().verification.first_bad
    assert first_bad is not None and (first_bad.sequence, first_bad.what) == (1, "payload_changed")
