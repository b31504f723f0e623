"""The golden set and the figures by address: whose they are, what falls back, and that looking is recorded."""

import json
from typing import Any
from uuid import uuid4

import pytest

from audit.conftest import House, MakeRun
from audit.models import AuditEvent, Rejudgement
from audit.pages.golden_views import JUDGES, dump_questions
from audit.review.golden import Broken, GoldenCheck, golden_of, record_check
from audit.review.rejudging import judge_stored
from audit.review.reviewing import Opinion, review
from documents.models import Document
from ledger.models import Event
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db
PEOPLE = ("owner", "auditor", "asker", "viewer", "stranger")


@pytest.fixture
def reviewed(house: House, make_run: MakeRun) -> RetrievalRun:
    run = make_run(question="Wie hoch ist die “Kaution” – <b>genau</b>?")
    review(run, run.candidates.order_by("position")[0], house.auditor, Opinion("agree"))
    return run


@pytest.mark.parametrize("address", ["/audit/golden/", "/audit/golden/questions.jsonl"])
@pytest.mark.parametrize("person", PEOPLE)
def test_a_golden_set_is_its_auditors(
    house: House, reviewed: RetrievalRun, browse: Any, address: str, person: str
) -> None:
    response = browse(getattr(house, person), f"{address}?base={house.base.pk}")
    assert response.status_code == (200 if person in ("owner", "auditor") else 404)


@pytest.mark.parametrize("base", ["nonsense", str(uuid4()), "\x00"], ids=["text", "absent", "nul"])
def test_a_base_that_is_not_there_is_not_found(house: House, browse: Any, base: str) -> None:
    for address in ("/audit/golden/", "/audit/golden/questions.jsonl"):
        assert browse(house.auditor, f"{address}?base={base}").status_code == 404


def test_without_a_base_the_first_one_is_shown(house: House, reviewed: RetrievalRun, browse: Any) -> None:
    page = browse(house.auditor, "/audit/golden/")
    assert page.context["base"] == house.base and page.context["reviewed"] == 1
    assert b"&lt;b&gt;genau&lt;/b&gt;" in page.content and b"<b>genau</b>" not in page.content
    assert AuditEvent.objects.filter(action="golden", person=house.auditor).count() == 1


def test_the_file_is_one_question_a_line_in_its_own_letters(house: House, reviewed: RetrievalRun, browse: Any) -> None:
    response = browse(house.auditor, f"/audit/golden/questions.jsonl?base={house.base.pk}")
    content = b"".join(response.streaming_content).decode()
    [line] = content.splitlines()
    assert json.loads(line)["question"] == reviewed.question and "“Kaution” –" in line and content.endswith("\n")
    assert response["Content-Disposition"] == 'attachment; filename="questions.jsonl"'
    golden = golden_of(reviewed)
    assert golden is not None and "".join(dump_questions(iter([golden]))) == content
    assert "".join(dump_questions(iter([]))) == ""


@pytest.mark.parametrize(
    ("person", "arbiter", "status"),
    [("auditor", "dice", 400), ("auditor", "", 400), ("viewer", "rules", 404), ("stranger", "rules", 404)],
)
def test_a_check_that_may_not_be_is_not_kept(
    house: House, reviewed: RetrievalRun, signed_in: Any, person: str, arbiter: str, status: int
) -> None:
    client = signed_in(getattr(house, person))
    response = client.post("/audit/golden/check/", {"base": house.base.pk, "arbiter": arbiter})
    assert response.status_code == status and not Event.objects.filter(kind="golden_check").exists()


def test_a_check_is_kept_with_who_did_it(house: House, reviewed: RetrievalRun, signed_in: Any) -> None:
    response = signed_in(house.auditor).post("/audit/golden/check/", {"base": house.base.pk, "arbiter": "rules"})
    assert response["Location"] == f"/audit/golden/?base={house.base.pk}#checks"
    assert not Event.objects.filter(kind="golden_check").exists(), "a worker checks"
    judge_stored(Rejudgement.objects.get().pk)
    assert Event.objects.get(kind="golden_check").actor == str(house.auditor)
    assert {name: judge.arbiter for name, judge in JUDGES.items()} == {"rules": "rules", "model": "model"}


def test_what_a_change_breaks_is_said_in_words(house: House, reviewed: RetrievalRun, browse: Any) -> None:
    wanted = {"kept": "discarded", "none primary": "primary", "supporting": "tangential"}
    broken = [Broken(str(reviewed.pk), "", "", "", *roles) for roles in wanted.items()]
    check = GoldenCheck("rules", "", "", 1, 3, 0, 0, 0, tuple(broken), ())
    record_check(house.base, check, "Auditor")
    page = " ".join(browse(house.auditor, "/audit/golden/").content.decode().split())
    for words in ("<td> cited, so kept </td>", "<td> not found </td>", "</svg>Supporting</span> </td>", "the rules:"):
        assert words in page
    assert "none primary" not in page


def test_a_model_that_could_judge_nothing_has_no_name(house: House, reviewed: RetrievalRun, browse: Any) -> None:
    record_check(house.base, GoldenCheck("model", "", "", 0, 0, 0, 0, 0, (), ("The reply was no JSON.",)), "Auditor")
    page = " ".join(browse(house.auditor, "/audit/golden/").content.decode().split())
    assert "UTC, the model:" in page and "prompt :" not in page


# ---- figures


@pytest.mark.parametrize("person", PEOPLE)
def test_figures_count_only_what_a_person_may_read(house: House, make_run: MakeRun, browse: Any, person: str) -> None:
    make_run()
    make_run(asked_by=house.auditor, asked_by_name="Auditor")
    page = browse(getattr(house, person), "/audit/figures/")
    assert page.status_code == 200
    assert page.context["figures"].runs == {"owner": 2, "auditor": 2, "asker": 1}.get(person, 0)
    assert page.context["is_auditor"] is (person in ("owner", "auditor", "stranger"))


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("", 200, "30 days"),
        ("days=7", 200, "7 days"),
        ("days=365", 200, "a year"),
        ("days=", 200, "30 days"),
        ("days=8", 400, "30 days"),
        ("days=-7", 400, "30 days"),
        ("days=seven", 400, "30 days"),
        ("base=nonsense&days=7", 400, "7 days"),
    ],
)
def test_a_period_that_is_none_falls_back(house: House, browse: Any, query: str, status: int, words: str) -> None:
    page = browse(house.auditor, f"/audit/figures/?{query}")
    assert page.status_code == status and str(page.context["days"]) == words


def test_documents_in_the_trash_or_unread_have_no_coverage_in_the_list(house: House, browse: Any) -> None:
    assert list(browse(house.auditor, "/audit/figures/").context["documents"]) == []
    Document.objects.update(current_parse=house.parse)
    assert list(browse(house.auditor, "/audit/figures/").context["documents"]) == [house.document]


@pytest.mark.parametrize("person", PEOPLE)
def test_coverage_is_shown_to_those_who_may_open_the_document(house: House, browse: Any, person: str) -> None:
    Document.objects.update(current_parse=house.parse)
    response = browse(getattr(house, person), f"/audit/coverage/{house.document.pk}/")
    assert response.status_code == (404 if person == "stranger" else 200)
    if response.status_code == 200:
        assert sum(response.context["counts"].values()) == len(response.context["pages"]) == 2
    assert browse(house.owner, f"/audit/coverage/{uuid4()}/").status_code == 404


def test_a_reviewed_question_that_asks_nothing_is_named(
    house: House, make_run: MakeRun, reviewed: RetrievalRun, browse: Any
) -> None:
    """A verdict “wrong” alone says of no candidate what is right, and is not dropped in silence."""
    silent = make_run(question="Who leads it?")
    review(silent, None, house.auditor, Opinion("wrong", reason="That is another company."))
    page = " ".join(browse(house.auditor, "/audit/golden/").content.decode().split())
    assert "1 reviewed question asks nothing yet" in page and f"/audit/runs/{silent.pk}/" in page
    assert "manage.py" not in page
