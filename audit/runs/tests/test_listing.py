"""The list of runs: who sees which, filters in the address, pages by key."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone, translation

from audit.conftest import House, MakeAnswer, MakeRun
from audit.runs.listing import RUNS_A_PAGE, list_runs
from chat.fields.values import NOT_ASKED
from chat.turns.conductor import STOPPED_BY_ASKER

LIST = "/audit/"
QUERIES_MAX = 22  # six of them record that the list was read, five count what was reviewed, one reads open alerts


def questions(response: Any) -> list[str]:
    return [listed.run.question for listed in response.context["page"].rows]


@pytest.mark.parametrize(
    ("name", "seen"),
    [("owner", 2), ("auditor", 2), ("asker", 1), ("viewer", 0), ("stranger", 0)],
)
def test_it_shows_auditors_everything_and_others_their_own(
    house: House, make_run: MakeRun, browse: Any, name: str, seen: int
) -> None:
    make_run(question="Mine")
    make_run(question="The owner’s", asked_by=house.owner)
    response = browse(getattr(house, name), LIST)
    assert response.status_code == 200
    assert len(response.context["page"].rows) == seen


def test_a_completed_question_is_listed_as_it_was_typed(house: House, make_run: MakeRun, browse: Any) -> None:
    plain = make_run()
    run = make_run(question="How long does the notice run?", parsed=plain.parsed | {"typed": "And how long?"})
    page = browse(house.auditor, LIST).content.decode()
    assert "And how long?" in page and "searched as “How long does the notice run?”" in page
    assert page.count("searched as") == 1, "what was asked in full says nothing of it"
    trail = browse(house.auditor, f"/audit/runs/{run.pk}/").content.decode()
    assert "<h1>And how long?</h1>" in trail and "Searched as “How long does the notice run?”" in trail


def test_it_sends_nobody_to_sign_in(browse: Any, db: None) -> None:
    assert browse(None, LIST).status_code == 302


def test_it_says_what_is_here_when_nothing_was_asked(house: House, browse: Any) -> None:
    assert "Nothing has been asked yet" in browse(house.asker, LIST).content.decode()
    assert "No question fits these filters" in browse(house.asker, f"{LIST}?status=failed").content.decode()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["c", "b", "a"]),
        ("?status=not_found", ["b"]),
        ("?arbiter=model", ["c"]),
        ("?text=REASON+4", ["a"]),
        ("?text=c&arbiter=model", ["c"]),
        ("?text=%25", []),
        ("?status=found", ["c"]),
        ("?status=partly&arbiter=rules", ["a"]),
        ("?arbiter=not_needed", ["b"]),
    ],
)
def test_it_filters_by_the_address(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any, query: str, expected: list[str]
) -> None:
    now = timezone.now()
    lacking = {"outcome": "not_found", "missing": []}
    make_answer(make_run(question="a", created_at=now - timedelta(hours=2)), items=[lacking])
    nothing = {"status": "not_found", "arbiter_status": "not_needed"}
    make_run("discarded", question="b", created_at=now - timedelta(hours=1), **nothing)
    make_run("primary", question="c", arbiter="model", created_at=now)
    assert questions(browse(house.auditor, LIST + query)) == expected


@pytest.mark.parametrize(
    "judged",
    [
        {"arbiter": "model", "arbiter_status": "ran"},
        {"arbiter": "rules", "arbiter_status": "ran"},
        {"arbiter": "rerank", "arbiter_status": "ran"},
        {"arbiter": "model", "arbiter_status": "not_run"},
        {"arbiter": "none", "arbiter_status": "ran"},
        {"arbiter": "rules", "arbiter_status": "ran", "answerable": False},
        {"arbiter": "rules", "arbiter_status": "ran", "status": "weak"},
    ],
)
def test_each_outcome_lists_what_the_list_calls_so(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any, judged: dict[str, Any]
) -> None:
    make_answer(make_run(**judged))
    (row,) = browse(house.auditor, LIST).context["page"].rows
    for outcome in ("found", "passages", "partly", "unjudged", "weak", "stopped"):
        assert len(questions(browse(house.auditor, f"{LIST}?status={outcome}"))) == (outcome == row.outcome), outcome


def test_what_people_stopped_is_listed_as_stopped_and_as_nothing_else(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any
) -> None:
    make_run(question="while it was searched", status="failed", failure=STOPPED_BY_ASKER)
    make_answer(make_run(question="while it was written"), ended="stopped")
    make_run(question="before it was asked", status="failed", failure=NOT_ASKED)
    make_run(question="by an error", status="failed", failure="ValueError: it broke")
    listed = {row.run.question: row.outcome for row in browse(house.auditor, LIST).context["page"].rows}
    assert sorted(listed.values()) == ["failed", "stopped", "stopped", "stopped"]
    for outcome in ("stopped", "failed", "passages"):
        found = questions(browse(house.auditor, f"{LIST}?status={outcome}"))
        assert sorted(found) == sorted(each for each, named in listed.items() if named == outcome), outcome
    german = browse(house.auditor, f"{LIST}?status=stopped", **{"Accept-Language": "de"}).content.decode()
    assert "Nicht gefragt: Es wurde angehalten, bevor dieses Feld beantwortet war." in german


def test_why_a_question_failed_is_said_without_the_name_of_an_error_in_the_language_of_the_reader(
    house: House, make_run: MakeRun, browse: Any
) -> None:
    words = "A document this question was asked of is no longer in this base."
    make_run(status="failed", failure=f"ScopeError: {words}")
    page = browse(house.auditor, LIST).content.decode()
    assert words in page and "ScopeError" not in page
    german = browse(house.auditor, LIST, **{"Accept-Language": "de"}).content.decode()
    assert words not in german and "Ein Dokument, an das diese Frage gestellt wurde" in german


def test_it_offers_only_bases_one_is_in(house: House, make_run: MakeRun, browse: Any) -> None:
    make_run()
    assert len(questions(browse(house.auditor, f"{LIST}?base={house.base.pk}"))) == 1
    response = browse(house.stranger, f"{LIST}?base={house.base.pk}")
    assert response.status_code == 400
    assert house.base.name not in response.content.decode()


@pytest.mark.parametrize(
    "query",
    ["?status=gone", "?arbiter=%00", "?text=a%00b", "?base=1", "?base=%00", "?text=" + "x" * 201],
)
def test_it_refuses_filters_that_cannot_be(house: House, browse: Any, query: str) -> None:
    assert browse(house.auditor, LIST + query).status_code == 400


@pytest.mark.parametrize(
    "key",
    ["1", "2026-11-20T14:02:11.000000Z", "2026-11-20T14:02:11_5b0d", "_", "2026-11-20T14:02:11_" + "0" * 32, "%00_%00"],
)
def test_it_refuses_page_keys_that_are_none(house: House, browse: Any, key: str) -> None:
    assert browse(house.auditor, f"{LIST}?before={key}").status_code == 400
    assert browse(house.auditor, f"{LIST}?after={key}").status_code == 400


def test_it_turns_pages_without_losing_or_repeating_a_run(house: House, make_run: MakeRun, browse: Any) -> None:
    now, total = timezone.now(), 2 * RUNS_A_PAGE + 3
    for number in range(total):
        # Pairs share a moment, so that the id must decide.
        make_run("primary", question=str(number), created_at=now - timedelta(minutes=number // 2))
    forward, address = [], LIST
    while address:
        response = browse(house.auditor, address)
        forward.append(questions(response))
        address = LIST + response.context["older"] if response.context["older"] else ""
    assert sorted(int(question) for page in forward for question in page) == list(range(total))
    assert [len(page) for page in forward] == [RUNS_A_PAGE, RUNS_A_PAGE, 3]
    back = browse(house.auditor, LIST + response.context["newer"])
    assert questions(back) == forward[1]
    first = browse(house.auditor, LIST + back.context["newer"])
    assert questions(first) == forward[0]
    assert first.context["newer"] == ""


def test_it_keeps_the_filters_when_turning_pages(house: House, make_run: MakeRun, browse: Any) -> None:
    for number in range(RUNS_A_PAGE + 1):
        make_run("primary", question=f"capital {number}")
    response = browse(house.auditor, f"{LIST}?text=capital")
    assert "text=capital&amp;before=" in response.content.decode()
    assert len(questions(browse(house.auditor, LIST + response.context["older"]))) == 1


def test_it_asks_the_database_as_often_for_many_as_for_one(
    house: House,
    make_run: MakeRun,
    make_answer: MakeAnswer,
    signed_in: Any,
    django_assert_max_num_queries: Any,
) -> None:
    for number in range(RUNS_A_PAGE):
        make_run(question=str(number))
    make_answer(make_run())
    client = signed_in(house.auditor)
    client.get("/bases/")  # the first request of a session notes when it began
    with django_assert_max_num_queries(QUERIES_MAX):
        assert len(questions(client.get(LIST))) == RUNS_A_PAGE


def test_a_run_that_is_erased_while_it_is_listed_has_its_line(make_run: MakeRun) -> None:
    run = make_run()
    run.pk = uuid4()  # no row has it any more
    [listed] = list_runs([run])
    assert (listed.run, listed.typed, listed.is_wrong) == (run, "", False)


def test_what_a_model_judged_is_offered_to_owners_only(house: House, make_run: MakeRun, browse: Any) -> None:
    make_run()
    pages = [browse(person, LIST).content.decode() for person in (house.owner, house.auditor)]
    assert ["judged-passages" in page for page in pages] == [True, False]


def test_it_escapes_what_was_asked(house: House, make_run: MakeRun, browse: Any) -> None:
    make_run(question="<script>alert(1)</script>", base_name="<b>base</b>", asked_by_name='"><img src=x>')
    page = browse(house.auditor, LIST).content.decode()
    assert "<script>alert" not in page
    assert "<b>base" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_why_nothing_was_found_is_told_in_the_readers_language(house: House, make_run: MakeRun) -> None:
    """A run from before facts were recorded shows what was recorded."""
    told = {"reason": {"code": "zero hits", "words": ["rent"]}}
    new = make_run(status="not_found", not_found_reason="zero keyword hits", plan={"flags": [], "told": told})
    old = make_run(status="not_found", not_found_reason="no candidate")
    with translation.override("fr"):
        said = [each.why for each in list_runs([new, old])]
    assert said[0].startswith("«\u00a0rent\u00a0» n’apparaît nulle part") and said[1] == "no candidate"
