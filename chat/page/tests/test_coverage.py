"""What a turn says was looked at, also where its run is older than the record of it."""

from typing import Any

import pytest

from chat.models import Turn
from chat.page.thread import ShownTurn
from retrieval.models import RetrievalRun

SEARCHED: dict[str, Any] = {"documents": 12, "read": 10, "counted": 2, "unreadable_documents": 0}


@pytest.mark.parametrize(
    ("status", "coverage", "counted"),
    [
        ("cannot_tell", SEARCHED, 2),
        ("clarify", SEARCHED, 0),
        ("clarify", {**SEARCHED, "read": 0, "counted": 0, "alone": 0}, 0),
    ],
    ids=["searched", "asked back, of an older program", "asked back"],
)
def test_a_question_that_was_asked_back_searched_nothing(status: str, coverage: dict[str, Any], counted: int) -> None:
    shown = ShownTurn(Turn(state="done", run=RetrievalRun(status=status, coverage=coverage)))
    assert shown.documents_counted == counted
    said = shown.scope_table.summary if shown.scope_table else ""
    assert ("10 read" in said) == (status == "cannot_tell")
