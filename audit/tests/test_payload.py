"""What a ledger entry vouches for is fixed by its format: one more column would change the bytes of every old run."""

import json

import pytest

from audit.tests.conftest import MakeAnswer, MakeRun
from audit.verification import PAYLOADS

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
ANSWER = "checks citations created_at ended id kind llm_call note run text timings_ms turn"


@pytest.mark.django_db
def test_it_vouches_for_these_columns_in_this_format(
    make_run: MakeRun, make_answer: MakeAnswer, make_call: object
) -> None:
    run = make_run(arbiter="model", llm_call=make_call())  # type: ignore[operator]
    answer = make_answer(run, llm_call=make_call(purpose="answer"))  # type: ignore[operator]
    payload = json.loads(PAYLOADS["run"](str(run.pk)) or b"")
    reminder = "the bytes of old runs change with this: give the payload a new format, and keep reading the old one"
    assert payload["format"] == "docintel-run-1"
    assert " ".join(sorted(payload["run"])) == RUN, reminder
    assert " ".join(sorted(payload["candidates"][0])) == CANDIDATE, reminder
    assert " ".join(sorted(payload["llm_call"])) == CALL, reminder
    of_answer = json.loads(PAYLOADS["answer"](str(answer.pk)) or b"")
    assert " ".join(sorted(of_answer)) == ANSWER, reminder
    assert " ".join(sorted(of_answer["llm_call"])) == CALL, reminder
