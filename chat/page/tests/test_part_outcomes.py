"""Of a question one half is found and the other is not: said on top of the answer, in copies, exports and the API."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.conftest import House, MakeAnswer, MakeRun
from chat.conftest import Ask
from chat.models import Turn
from chat.page.export import json_of, markdown_of
from chat.page.part_outcomes import explain, item_rows, part_rows
from chat.page.thread import ShownTurn, turns_of
from chat.turns.conductor import answer_turn
from chat.turns.replies import read_turn
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)
HALF = "What is the rent, and the shoe size of the chairman?"
TOLD = "Not found: shoe size of the chairman – no page that was read mentions any of “shoe”, “size”, “chairman”."


@pytest.fixture
def turn(ask: Ask) -> Turn:
    turn = ask(HALF)
    answer_turn(turn.pk)
    return Turn.objects.get(pk=turn.pk)


def test_the_answer_says_on_top_which_half_is_missing(turn: Turn, client: Client) -> None:
    client.force_login(turn.conversation.user)
    page = on_one_line(client.get(reverse("chat:conversation", args=[turn.conversation_id])))
    assert turn.run and turn.run.status == "found"
    missing = page.index("shoe size of the chairman – no page that was read mentions any of “shoe”, “size”, “chairman”")
    assert missing < page.index("12,500 euros")


def test_copies_and_exports_say_so(turn: Turn) -> None:
    shown = [ShownTurn(each) for each in turns_of(turn.conversation)]
    assert f"Passages found: rent.\n{TOLD}" in shown[0].plain_text
    assert f"- Passages found: rent.\n\n- {TOLD}" in markdown_of(turn.conversation, shown)
    [told] = json.loads(json_of(turn.conversation, shown))["turns"]
    assert [part["outcome"] for part in told["parts"]] == ["found", "not_found"]


def test_a_program_is_told(turn: Turn) -> None:
    parts = read_turn(turn.pk)["parts"]
    assert [(part["subject"], part["kind"], part["outcome"]) for part in parts] == [
        ("rent", "independent", "found"),
        ("shoe size of the chairman", "independent", "not_found"),
    ]
    assert parts[0]["candidate_ids"] and parts[1]["missing"] == ["shoe", "size", "chairman"]


def test_nothing_is_said_where_all_is_found(ask: Ask) -> None:
    turn = ask("What is the rent, and who repairs the roof?")
    answer_turn(turn.pk)
    shown = ShownTurn(Turn.objects.get(pk=turn.pk))
    assert len(part_rows(shown.run)) == 2 and shown.told_parts == []  # type: ignore[arg-type]


def test_the_trail_tells_every_part(turn: Turn, client: Client) -> None:
    client.force_login(turn.conversation.user)
    page = on_one_line(client.get(reverse("audit:trail", args=[turn.run_id])))
    assert "What became of each part" in page and "asked by itself" in page
    assert TOLD in page  # in the story


@pytest.mark.parametrize(
    ("outcome", "missing", "why"),
    [
        ("found", ["beat"], ""),
        ("weak", [], "no passage clearly answers it"),
        ("not_found", [], "nothing that was read answers it"),
        ("cannot_tell", ["shoe"], "no page that was read mentions “shoe”, but not everything was looked at"),
    ],
)
def test_each_outcome_has_its_reason(outcome: str, missing: list[str], why: str) -> None:
    assert explain(outcome, missing) == why


def test_a_run_from_before_parts_were_recorded_tells_none(house: House, make_run: MakeRun) -> None:
    changes: dict[str, Any] = {"plan": {"flags": []}}
    assert part_rows(make_run(**changes)) == []


@pytest.mark.parametrize("missing", [["shoe"], ["shoe", "size"]])
def test_of_a_side_with_pages_of_its_own_nothing_is_said_of_others(missing: list[str]) -> None:
    assert explain("not_found", missing, is_of_document=True).startswith("no page of it that was read mentions ")


@pytest.mark.parametrize(("document_ids", "told"), [(["1"], "no page of it that"), ([], "no page that")])
def test_a_side_is_told_of_the_pages_that_were_read_for_it(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, document_ids: list[str], told: str
) -> None:
    sides = [{"name": name, "asked": name, "document_ids": document_ids} for name in ("Lease", "Licence")]
    lost = {"outcome": "not_found", "missing": ["dividend"], "subject": "Licence", "kind": "independent"}
    lost |= {"candidate_ids": [], "reason": "", "text": "dividend"}
    run = make_run(plan={"flags": [], "parts": [lost, lost]})
    run.parsed |= {"sides": sides}  # not saved: a run is not changed
    item = {"asked": "Licence", "type": "text", "code": "", "reason": "", **lost}
    answer = make_answer(run, items=[item, item])
    assert all(told in row.why for row in (*part_rows(run), *item_rows(answer)))
