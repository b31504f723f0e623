"""The verdict that stands on an answer is one word in every list and file, and never a tick for having been given."""

import csv
import io
import json
import re
from typing import Any

import pytest
from django.utils import translation

from audit.conftest import House, MakeRun
from audit.keeping.tests.test_exports import taken
from audit.pages.forms import OF_ANSWER
from audit.review.reviewing import Opinion, review, reviews_of
from audit.review.sampling import take_sample
from audit.runs.listing import list_runs
from audit.runs.verdicts import VERDICTS, verdict_named
from retrieval.models import RetrievalRun

WHY = "The page says otherwise."
Given = list[tuple[str, str, bool]]  # who, what, blind


def give(house: House, run: RetrievalRun, given: Given) -> None:
    for who, outcome, is_blind in given:
        standing = reviews_of(run).of(None).standing
        previous = None if is_blind or standing is None else standing.pk
        opinion = Opinion(outcome, reason=WHY, previous_id=previous, is_blind=is_blind)
        review(run, None, getattr(house, who), opinion)


@pytest.mark.parametrize(
    ("given", "verdict", "word", "kind"),
    [
        ([], "", "not yet", ""),
        ([("auditor", "agree", False)], "agree", "agreed", "ok"),
        ([("auditor", "wrong", False)], "wrong", "wrong", "fail"),
        ([("auditor", "incomplete", False)], "incomplete", "incomplete", "warn"),
        ([("auditor", "unsupported", False)], "unsupported", "not supported", "warn"),
        ([("auditor", "absent", False)], "absent", "should be not found", "fail"),
        ([("auditor", "agree", False), ("owner", "wrong", False)], "wrong", "wrong", "fail"),
        ([("auditor", "wrong", False), ("owner", "agree", False)], "agree", "agreed", "ok"),
        ([("auditor", "agree", False), ("owner", "wrong", True)], "agree", "agreed", "ok"),
        ([("owner", "wrong", True)], "wrong", "wrong", "fail"),
    ],
)
def test_the_last_open_verdict_on_the_answer_stands(
    house: House, make_run: MakeRun, given: Given, verdict: str, word: str, kind: str
) -> None:
    run, other = make_run(), make_run()
    give(house, run, given)
    review(run, run.candidates.order_by("position")[0], house.auditor, Opinion("overrule", "discarded", WHY))
    listed, beside = list_runs([run, other])
    assert (listed.verdict, str(listed.reviewed_as.words), listed.reviewed_as.kind) == (verdict, word, kind)
    assert listed.is_wrong is (verdict in ("wrong", "absent")) and beside.verdict == ""


@pytest.mark.parametrize(
    ("given", "is_disputed"),
    [
        ([("auditor", "agree", False), ("owner", "wrong", True)], True),
        ([("auditor", "agree", False), ("owner", "agree", True)], False),
        ([("owner", "wrong", True), ("auditor", "agree", False)], False),
        ([("auditor", "wrong", False), ("owner", "incomplete", True)], False),
        ([("owner", "wrong", True), ("auditor", "agree", True)], True),
    ],
    ids=["objected since", "agreed since", "decided since", "both object", "agreed blind"],
)
def test_no_list_is_silent_of_who_objects_to_a_verdict_that_stands(
    house: House, make_run: MakeRun, browse: Any, given: Given, is_disputed: bool
) -> None:
    give(house, make_run(), given)
    cell = cell_of(browse(house.auditor, "/audit/").content.decode(), "c-verdict")
    read = re.sub(r"<[^>]+>", "", cell)
    assert ("disputed" in read and "s-warn" in cell and "had not seen this verdict" in read) is is_disputed


def test_every_verdict_on_an_answer_has_its_own_word() -> None:
    assert set(VERDICTS) == {*OF_ANSWER, ""}
    for language in ("en", "fr"):
        with translation.override(language):
            assert len({str(shown.words) for shown in VERDICTS.values()}) == len(VERDICTS)
    assert verdict_named("from-tomorrow") == ("warn", "from-tomorrow")


def cell_of(page: str, name: str) -> str:
    """The one cell of a kind on a page."""
    (cell,) = re.findall(rf'<td role="cell" class="{name} nowrap".*?</td>', page, re.DOTALL)
    return str(cell)


@pytest.mark.parametrize(
    ("outcome", "shown", "tick"),
    [("", "not yet", True), ("agree", "s-ok", True), ("wrong", "s-fail", False), ("incomplete", "s-warn", True)],
)
@pytest.mark.parametrize("place", ["list", "sample"])
def test_lists_show_the_word_and_a_wrong_answer_is_no_longer_green(
    house: House, make_run: MakeRun, browse: Any, place: str, outcome: str, shown: str, tick: bool
) -> None:
    run = make_run(arbiter="model")
    give(house, run, [("owner", outcome, False)] if outcome else [])
    address = "/audit/" if place == "list" else f"/audit/queue/{take_sample(house.base, 5, house.auditor).pk}/"
    page = browse(house.auditor, address).content.decode()
    cell = cell_of(page, "c-verdict")
    assert shown in cell and str(verdict_named(outcome).words) in cell
    assert ("s-ok" in cell_of(page, "c-status")) is tick
    assert ("s-none" in cell_of(page, "c-status")) is not tick
    assert "Found" in cell_of(page, "c-status")


@pytest.mark.parametrize(("risk", "is_shown"), [("", True), ("not_found", True), ("second", False)])
def test_the_queue_hides_the_verdict_from_a_second_reviewer(
    house: House, make_run: MakeRun, browse: Any, risk: str, is_shown: bool
) -> None:
    run = make_run(status="not_found")
    if risk == "second":
        give(house, run, [("owner", "wrong", False)])
    page = browse(house.auditor, f"/audit/queue/?risk={risk}").content.decode()
    assert str(run.pk) in page
    assert ('class="c-verdict' in page) is is_shown
    assert "s-none" not in cell_of(page, "c-status"), "grey would tell it"


def test_files_and_programs_get_the_word(house: House, make_run: MakeRun, browse: Any) -> None:
    open_run, wrong = make_run(), make_run()
    give(house, wrong, [("owner", "wrong", False)])
    expected = {str(open_run.pk): "not yet", str(wrong.pk): "wrong"}
    with translation.override("fr"):
        rows = list(csv.DictReader(io.StringIO(taken(house.auditor, "/audit/export.csv")[1])))
        lines = taken(house.auditor, "/audit/export.jsonl")[1].splitlines()
    assert {row["run"]: row["verdict"] for row in rows} == expected
    assert {row["run"]: row["verdict"] for row in map(json.loads, lines)} == expected
    assert "<dt>verdict</dt><dd>wrong</dd>" in taken(house.auditor, "/audit/export.html")[1]
    told = browse(house.auditor, f"/api/v1/runs/{wrong.pk}").json()
    assert told["verdict"] == "wrong"
    assert browse(house.auditor, f"/api/v1/runs/{open_run.pk}").json()["verdict"] is None
