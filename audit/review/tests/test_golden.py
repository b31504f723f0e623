"""Reviews become questions with gold evidence, which the benchmark reads, and a test that a change has to pass."""

import json
import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, cast

import pytest
from django.core.management import CommandError, call_command
from django.http import StreamingHttpResponse
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from audit.conftest import PASSAGE, House, MakeAnswer, MakeRun
from audit.models import AuditEvent, Rejudgement
from audit.proof.verification import verify
from audit.review.golden import (
    ANY_KEPT,
    GoldenCheck,
    check_golden,
    compare_verdicts,
    golden_of,
    question_rows,
    record_check,
    say_check,
)
from audit.review.rejudging import judge_stored
from audit.review.replay import Flip, Judge, Rejudged
from audit.review.reviewing import Opinion, review
from audit.review.tests.test_replay import ask, lease  # noqa: F401  (fixtures)
from benchmarks.library import Library
from benchmarks.questions import load_questions
from benchmarks.retrieval import run as run_benchmark
from ledger.models import Event
from retrieval.models import RetrievalRun
from retrieval.types import ABSENT, Status

WHY = "It states the rule itself."
Ask = Callable[..., RetrievalRun]


def test_it_asks_what_reviewers_said_and_nothing_they_dispute(
    house: House, make_run: MakeRun, make_answer: MakeAnswer
) -> None:
    run = make_run("primary supporting tangential discarded")
    cited, kept, overruled, disputed = run.candidates.order_by("position")
    make_answer(run)
    assert golden_of(run) is None
    review(run, kept, house.auditor, Opinion("agree"))
    review(run, overruled, house.auditor, Opinion("overrule", "primary", WHY))
    review(run, disputed, house.auditor, Opinion("agree"))
    review(run, disputed, house.owner, Opinion("overrule", "primary", WHY, is_blind=True))
    review(run, None, house.auditor, Opinion("agree"))
    golden = golden_of(run)
    assert golden is not None
    assert [(each.candidate_id, each.role, each.was) for each in golden.wanted] == [
        (kept.candidate_id, "supporting", "supporting"),
        (overruled.candidate_id, "primary", "tangential"),
        (cited.candidate_id, ANY_KEPT, "primary"),
    ]
    assert (golden.absent, golden.disputed) == ((), 1)
    (row,) = question_rows([golden])
    assert row["id"] == str(run.pk)
    assert (row["pages"], row["alt_pages"], row["not_found"]) == ([1], [], False)
    assert row["sections"] == ["Section 1", "Section 3"]
    assert row["quotes"] == [PASSAGE, PASSAGE]


def test_a_confirmed_refusal_asks_that_nothing_be_found(house: House, make_run: MakeRun) -> None:
    run = make_run("tangential", status="not_found")
    review(run, None, house.auditor, Opinion("agree"))
    golden = golden_of(run)
    assert golden is not None and golden.absent
    (row,) = question_rows([golden])
    assert row["not_found"] is True and row["pages"] == []


def test_an_answer_that_should_be_not_found_asks_for_the_outcome(house: House, ask: Ask) -> None:  # noqa: F811
    run = ask("What is the rent a month?", arbiter="rules")
    assert run.status == "found"
    review(run, None, house.auditor, Opinion("absent", reason="Nothing of it is in there."))
    golden = golden_of(run)
    assert golden is not None and golden.wanted == ()
    assert (golden.absent, golden.absent_by) == (ABSENT, house.auditor.name)
    (row,) = question_rows([golden])
    assert row["not_found"] is True and row["quotes"] == []
    checked = check_golden([run], Judge("rules"), "Tester")
    assert (checked.verdicts, checked.still_wrong, checked.mended) == (1, 1, 0)


@pytest.mark.parametrize(
    ("status", "outcome", "after", "fate"),
    [
        ("found", "found", "discarded", "still_wrong"),
        ("found", "weak", "tangential", "still_wrong"),
        ("found", "not_found", "tangential", "mended"),
        ("not_found", "not_found", "discarded", "kept"),
        ("not_found", "found", "primary", "broken"),
    ],
)
def test_an_expected_outcome_is_right_or_wrong_by_how_the_run_would_end(
    house: House, make_run: MakeRun, status: str, outcome: str, after: str, fate: str
) -> None:
    run = make_run("tangential", status=status)
    review(run, None, house.auditor, Opinion("absent", reason="Nothing of it is in there."))
    golden = golden_of(run)
    assert golden is not None
    flip = Flip("p1-l1-2", "Section 1", "tangential", after, "")
    found = Rejudged("rules", "", "", 1, (flip,), 1, 1.0, 1, (), cast(Status, outcome))
    assert [name for name, _ in compare_verdicts(golden, found)] == [fate]


def test_a_reviewed_answer_is_read_by_the_benchmark(
    house: House,
    ask: Ask,  # noqa: F811
    tmp_path: Path,
) -> None:
    run = ask("What is the rent a month?", arbiter="rules")
    top = run.candidates.order_by("position")[0]
    assert top.role == "primary"
    review(run, top, house.auditor, Opinion("agree"))
    absent = ask("Is there anything about submarines?", arbiter="rules")
    review(absent, None, house.auditor, Opinion("agree"))
    folder = tmp_path / "golden"
    out = StringIO()
    call_command("golden_set", "--base", house.base.name, "--out", str(folder), stdout=out)
    assert "2 questions over 1 documents" in out.getvalue()
    questions = load_questions(folder / "questions.jsonl")
    assert {question.not_found for question in questions} == {True, False}
    found = run_benchmark(questions, Library(folder, tmp_path / "cache"), arbiter="rules", baselines=False)
    assert found["questions"] == 2
    assert found["page_hit"]["1"] == 1.0
    assert found["absent_refused"] == 1.0


def test_a_change_shows_which_reviewed_verdicts_it_breaks(house: House, ask: Ask) -> None:  # noqa: F811
    run = ask("What is the rent a month?", arbiter="rules")
    rows = list(run.candidates.order_by("position"))
    review(run, rows[0], house.auditor, Opinion("agree"))
    same = check_golden([run], Judge("rules"), "Tester")
    assert (same.runs, same.verdicts, same.kept, same.broken) == (1, 1, 1, ())
    # An auditor wants another role than these rules give: wrong in the record, and still wrong.
    wanted = "discarded" if rows[1].role != "discarded" else "primary"
    review(run, rows[1], house.auditor, Opinion("overrule", wanted, WHY))
    assert check_golden([run], Judge("rules"), "Tester").still_wrong == 1
    assert AuditEvent.objects.filter(action="replay").count() == 2


def test_the_command_fails_when_a_verdict_breaks(
    house: House,
    ask: Ask,  # noqa: F811
    serve: Any,
) -> None:
    serve("good")
    run = ask("What is the rent a month?", arbiter="model")
    for candidate in run.candidates.all():
        review(run, candidate, house.auditor, Opinion("agree"))
    out = StringIO()
    call_command("golden_set", "--base", house.base.name, "--check", "model", stdout=out)
    assert "0 break" in out.getvalue() and out.getvalue().startswith("0 of ")
    assert ", nothing breaks.\n" in out.getvalue()
    serve("missing-ids")
    with pytest.raises(CommandError, match="would break"):
        call_command("golden_set", "--base", house.base.name, "--check", "model", "--json", stdout=out)
    broken = Event.objects.filter(kind="golden_check").latest("created_at").details
    assert broken["broken_count"] >= 1
    assert verify().ok


@pytest.mark.parametrize(
    ("wrong", "verdicts", "not_judged", "kind", "words"),
    [
        (0, 8, 0, "ok", "0 of 8 differ from the auditors’ verdicts, nothing breaks"),
        (1, 8, 0, "fail", "1 of 8 differs from the auditors’ verdicts"),
        (8, 8, 3, "fail", "8 of 8 differ from the auditors’ verdicts"),
        (0, 8, 1, "warn", "0 of 8 differ from the auditors’ verdicts, 1 question not judged"),
        (0, 8, 2, "warn", "0 of 8 differ from the auditors’ verdicts, 2 questions not judged"),
        (0, 0, 0, "warn", "no verdict was checked"),
        (0, 0, 4, "warn", "no verdict was checked"),
    ],
)
def test_nothing_breaks_is_said_only_beside_none_wrong(
    wrong: int, verdicts: int, not_judged: int, kind: str, words: str
) -> None:
    assert say_check(wrong, verdicts, not_judged) == (kind, words)


def test_what_stays_wrong_is_red_on_the_page_and_in_the_console(
    house: House,
    ask: Ask,  # noqa: F811
    signed_in: Callable[[User], Client],
) -> None:
    """Nothing breaks that was right, and one verdict is still not what the auditor said."""
    run = ask("What is the rent a month?", arbiter="rules")
    first, second = run.candidates.order_by("position")[:2]
    review(run, first, house.auditor, Opinion("agree"))
    review(
        run, second, house.auditor, Opinion("overrule", "discarded" if second.role != "discarded" else "primary", WHY)
    )
    out = StringIO()
    call_command("golden_set", "--base", house.base.name, "--check", "rules", stdout=out, force_color=True)
    assert (
        out.getvalue().startswith("\x1b[31;1m1 of 2 differs from the auditors’ verdicts.")
        and "nothing breaks" not in out.getvalue()
    )
    page = signed_in(house.auditor).get("/audit/golden/").content.decode()
    assert re.search(r'class="state s-fail">(<svg.*?</svg>)1 of 2 differs from the auditors’ verdicts<', page)
    assert "nothing breaks" not in page and "wrong now as before: 1" in " ".join(page.split())


def test_both_pages_say_that_program_or_model_changed_since_the_check(
    house: House,
    ask: Ask,  # noqa: F811
    signed_in: Callable[[User], Client],
    settings: Settings,
) -> None:
    review(ask("What is the rent a month?", arbiter="rules"), None, house.auditor, Opinion("agree"))
    client = signed_in(house.auditor)

    def say() -> list[bool]:
        pages = ("/audit/golden/", f"/audit/proposals/{house.base.pk}/")
        return ["have changed since the last check" in client.get(page).content.decode() for page in pages]

    assert say() == [False, False], "there was no check"
    call_command("golden_set", "--base", house.base.name, "--check", "rules", stdout=StringIO())
    assert say() == [False, False]
    settings.LLM_CONFIGURED = True
    record_check(house.base, GoldenCheck("model", "one", "9", 1, 1, 1, 0, 0, (), ()), "somebody")
    assert say() == [False, False]
    settings.LLM_MODEL = "another"
    assert say() == [True, True]
    call_command("golden_set", "--base", house.base.name, "--check", "rules", stdout=StringIO())
    assert say() == [True, True], "the rules have not tried the other model"


def test_the_command_names_a_base_that_is_not_there(db: None) -> None:
    with pytest.raises(CommandError, match="no base named"):
        call_command("golden_set", "--base", "Nowhere", "--check", "rules")


def test_the_page_shows_checks_and_gives_the_file(
    house: House,
    ask: Ask,  # noqa: F811
    signed_in: Callable[[User], Client],
) -> None:
    run = ask("What is the rent a month?", arbiter="rules")
    review(run, run.candidates.order_by("position")[0], house.auditor, Opinion("agree"))
    client = signed_in(house.auditor)
    assert client.post("/audit/golden/check/", {"base": house.base.pk, "arbiter": "rules"}).status_code == 302
    assert "Waiting for a worker" in client.get("/audit/golden/").content.decode()
    judge_stored(Rejudgement.objects.get().pk)
    page = client.get("/audit/golden/").content.decode()
    assert "nothing breaks" in page and "What is the rent a month?" in page
    file = client.get(f"/audit/golden/questions.jsonl?base={house.base.pk}")
    rows = [
        json.loads(line)
        for line in b"".join(cast(Iterator[bytes], cast(StreamingHttpResponse, file).streaming_content))
        .decode()
        .splitlines()
    ]
    assert [row["question"] for row in rows] == ["What is the rent a month?"]
    assert client.post("/audit/golden/check/", {"base": house.base.pk, "arbiter": "dice"}).status_code == 400
    assert signed_in(house.stranger).get(f"/audit/golden/?base={house.base.pk}").status_code == 404
    assert signed_in(house.asker).get("/audit/golden/").status_code == 404
