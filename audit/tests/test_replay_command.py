"""`manage.py replay` and `golden_set`: which runs are meant, one sentence per mistake, findings as words and JSON."""

import json
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from audit.conftest import House, MakeRun
from audit.management.commands.golden_set import copy_document, describe_check
from audit.management.commands.replay import REPEATS_MAX, choose_runs, findings
from audit.review.golden import Broken, GoldenCheck, golden_of
from audit.review.replay import Rebuilt
from audit.review.reviewing import Opinion, review
from documents.access import find_base
from documents.models import Document
from ledger.models import Event
from retrieval.models import RetrievalRun

SENT = "a" * 64


def said(command: str, *arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out, stderr=out, **options)
    return out.getvalue()


# ---- which runs


@pytest.mark.django_db
def test_runs_are_the_ones_named_in_their_order(make_run: MakeRun) -> None:
    first, second = make_run(), make_run()
    assert [run.pk for run in choose_runs([second.pk, first.pk], None)] == [second.pk, first.pk]
    assert list(choose_runs([], 5)) == [], "neither was judged by a model"


@pytest.mark.django_db
def test_the_last_runs_are_those_a_model_judged(make_run: MakeRun, make_call: Any) -> None:
    judged = [make_run(arbiter="model", llm_call=make_call()).pk for _ in range(3)]
    make_run()
    assert [run.pk for run in choose_runs([], 2)] == list(reversed(judged))[:2]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Name runs, or --last N."),
        (["--last", "0"], "Name runs, or --last N."),
        (["5d8f0a7e-0000-4000-8000-000000000000"], "There is no run 5d8f0a7e"),
        (["nonsense"], "invalid UUID value"),
        (["--last", "1", "--repeat", "0"], f"between 1 and {REPEATS_MAX}"),
        (["--last", "1", "--repeat", str(REPEATS_MAX + 1)], f"between 1 and {REPEATS_MAX}"),
        (["--last", "1", "--arbiter", "dice"], "invalid choice: 'dice'"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(arguments: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        said("replay", *arguments)


@pytest.mark.django_db
def test_runs_no_model_judged_are_counted_apart(make_run: MakeRun) -> None:
    run = make_run()
    assert "0 of 0 requests rebuilt byte for byte; 1 runs asked no model." in said("replay", str(run.pk))
    read = json.loads(said("replay", str(run.pk), "--json"))
    assert read == {"runs": 1, "rebuilt": 0, "equal": 0, "differing": [], "judged": []}


@pytest.mark.django_db
def test_a_request_this_program_cannot_have_sent_differs(make_run: MakeRun, make_call: Any) -> None:
    run = make_run(arbiter="model", llm_call=make_call())
    with pytest.raises(CommandError, match=f"1 of 1 replays differ, the first is run {run.pk}"):
        said("replay", str(run.pk))


@pytest.mark.parametrize(
    ("rebuilt", "equal"),
    [
        ([], 0),
        ([Rebuilt(uuid4(), SENT, SENT)], 1),
        ([Rebuilt(uuid4(), SENT, "b" * 64)], 0),
        ([Rebuilt(uuid4(), SENT, SENT, ("c1",))], 0),
        ([Rebuilt(uuid4(), SENT, SENT, (), "a note"), Rebuilt(uuid4(), SENT, "")], 1),
    ],
)
def test_findings_name_every_run_that_differs(rebuilt: list[Rebuilt], equal: int) -> None:
    found = json.loads(json.dumps(findings([RetrievalRun()] * 3, rebuilt, [])))
    assert (found["runs"], found["rebuilt"], found["equal"]) == (3, len(rebuilt), equal)
    assert [row["run_id"] for row in found["differing"]] == [str(each.run_id) for each in rebuilt if not each.ok]


# ---- the golden set


def check(*broken: Broken, **changes: Any) -> GoldenCheck:
    fields: dict[str, Any] = {
        "arbiter": "rules",
        "model": "",
        "prompt_version": "",
        "runs": 2,
        "verdicts": 5,
        "kept": 3,
    }
    fields |= {"mended": 1, "still_wrong": 1, "broken": broken, "not_judged": ()}
    return GoldenCheck(**(fields | changes))


BROKEN = Broken("r", "What?", "c1", "Rent", "primary", "discarded")
JUDGED_AGAIN = "5 reviewed verdicts of 2 runs, judged again by"
OUTCOME = "3 stand, 0 break, 1 wrong ones are mended, 1 stay wrong."


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (check(), [f"{JUDGED_AGAIN} rules: {OUTCOME}"]),
        (check(BROKEN), ["", "  primary → discarded: Rent (c1), “What?”"]),
        (check(BROKEN, BROKEN, not_judged=("r2: gone",)), ["", "", "", "  not judged: r2: gone"]),
        (check(model="large", prompt_version="14"), [f"{JUDGED_AGAIN} large, prompt 14: {OUTCOME}"]),
    ],
)  # fmt: skip
def test_a_check_in_words(found: GoldenCheck, lines: list[str]) -> None:
    told = describe_check(found).splitlines()
    assert len(told) == len(lines) and all(line in ("", shown) for line, shown in zip(lines, told, strict=True))


@pytest.mark.django_db
def test_a_document_that_is_not_here_any_more_is_told_and_left_out(
    house: House, make_run: MakeRun, tmp_path: Path
) -> None:
    run = make_run()
    review(run, run.candidates.order_by("position")[0], house.auditor, Opinion("agree"))
    golden = golden_of(run)
    assert golden is not None and not copy_document("elsewhere.pdf", [golden], tmp_path)
    told = said("golden_set", "--base", house.base.name, "--out", str(tmp_path / "new" / "folder"))
    assert "is not here any more; its questions are left out." in told and "0 questions over 0 documents" in told
    assert (tmp_path / "new" / "folder" / "questions.jsonl").read_text() == ""
    Document.objects.all().delete()
    assert not copy_document("paper.pdf", [golden], tmp_path)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--base", "Nowhere", "--check", "rules"], "There is no base named Nowhere"),
        (["--check", "rules"], "--base"),
        (["--base", "Model governance"], "one of the arguments --out --check is required"),
        (["--base", "Model governance", "--check", "dice"], "invalid choice: 'dice'"),
        (["--base", "Model governance", "--check", "rules", "--out", "x"], "not allowed with argument"),
    ],
)
def test_the_golden_set_tells_a_mistake(house: House, options: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        said("golden_set", *options)
    assert not Event.objects.filter(kind="golden_check").exists()


@pytest.mark.django_db
def test_a_base_without_a_review_is_checked_and_that_is_kept(house: House, make_run: MakeRun) -> None:
    make_run()
    read = json.loads(said("golden_set", "--base", str(house.base.pk), "--check", "rules", "--json"))
    assert (read["runs"], read["verdicts"], read["broken"]) == (0, 0, [])
    assert Event.objects.get(kind="golden_check").actor == "console" and find_base("Model governance") == house.base
