"""Every row of the list of wrong replies, and every promise about the model, has a test that names it."""

import ast
import re
from pathlib import Path

import pytest

from chat.writing.tests.test_hostile_replies import CASES as ANSWER_CASES
from retrieval.arbiter.tests.test_replies import CASES as REPLY_CASES

ROOT = Path(__file__).parent.parent
REPLY_ROWS = [f"R{number:02}" for number in range(1, 29)]
PROMISES = {
    "L1 only known ids act": "retrieval/arbiter/tests/test_model.py::test_a_broken_contract_is_dropped_and_counted",
    "L2 a shown quote exists": "retrieval/candidates/tests/test_literal_quotes.py::test_ten_thousand_mutations_give_only_literal_text",
    "L3 injected text cannot act": "chat/writing/tests/test_hostile_replies.py::test_a_model_that_obeys_a_document_has_no_effect",
    "L4 hidden text is shown": "reading/layout/tests/test_lines.py::test_it_counts_hidden_unknown_and_removed_characters",
    "L5 output loads nothing": "chat/writing/tests/test_hostile_replies.py::test_a_wrong_answer_ends_as_stated",
    "L6 failure is bounded": "chat/writing/tests/test_hostile_replies.py::test_every_fault_of_a_provider_is_clear_and_bounded",
    "L7 degraded is labelled": "chat/writing/tests/test_hostile_replies.py::test_every_fault_of_a_provider_is_clear_and_bounded",
    "L8 an outage is not amplified": "llm/tests/test_client.py::test_it_leaves_a_failing_server_alone",
    "L9 cost has a ceiling": "llm/tests/test_spending.py::test_fifty_calls_at_once_pass_the_limit_by_one_call_at_most",
    "L10 drift is visible": (
        "chat/writing/tests/test_hostile_replies.py::test_the_model_that_answered_is_kept_beside_the_one_that_was_asked"
    ),
    "L11 scores do not leak": "chat/writing/tests/test_hostile_replies.py::test_no_score_reaches_the_page_of_the_chat",
}


def test_every_wrong_reply_has_a_test() -> None:
    named = {row for case in (*REPLY_CASES, *ANSWER_CASES) for row in re.findall(r"R\d\d", str(case.id))}
    assert named == set(REPLY_ROWS), f"without a test: {sorted(set(REPLY_ROWS) - named)}"


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_has_a_test(promise: str) -> None:
    path, name = PROMISES[promise].split("::")
    functions = {node.name for node in ast.parse((ROOT / path).read_text()).body if isinstance(node, ast.FunctionDef)}
    assert name in functions


def test_no_promise_is_left_out() -> None:
    assert [promise.split()[0] for promise in PROMISES] == [f"L{number}" for number in range(1, 12)]
