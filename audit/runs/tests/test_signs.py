"""Signs that no condition on rows can see are derived for settled runs, old ones included, and no record changes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit.conftest import House, MakeAnswer, MakeRun
from audit.models import RunSign
from audit.proof.verification import verify
from audit.review import tasks
from audit.review.queue import risky, signs_of
from audit.runs.listing import filter_runs
from audit.runs.signs import LOOKED, sign_runs
from audit.runs.tests.test_disagreement import hit
from chat.models import Turn
from documents.models import Document, Line, Page, Parse
from retrieval.models import RetrievalRun

Browse = Callable[..., Any]
# Its signs alone count here, not those of the fixture's shortened quote.
DERIVED = {"against_detectors", "missing_words", "typed_values", "weak_source", "low_confidence", "superseded"}

HAPPENS = [{"text": "happens", "forms": ["happens"], "count": 0}]
FRAMING = {"text": "happens", "forms": ["happens"], "source": "direct", "priority": "secondary", "language": "en"}

ADDED = {"source": "dictionary"}  # nobody asked for it


def derived(run: RetrievalRun) -> set[str]:
    sign_runs()
    return set(signs_of([run])[run.pk]) & DERIVED


def an_item(code: str) -> dict[str, Any]:
    return {"asked": "", "type": "date", "outcome": "weak", "values": [], "markers": [], "code": code, "missing": []}


def a_check(*problems: str, **more: Any) -> dict[str, Any]:
    return {"sentence": "It is 5.", "markers": [1], "supported": 1.0, "numbers": [], "problems": [*problems]} | more


@pytest.mark.parametrize(
    ("of_run", "of_answer", "signs"),
    [
        ({}, {"checks": []}, set()),
        ({"searched": [{"text": "attention", "forms": [], "count": 0}]}, {}, {"missing_words"}),
        ({"searched": HAPPENS, "parsed": {"keywords": [FRAMING]}}, {}, set()),
        ({"searched": HAPPENS, "parsed": {"keywords": [FRAMING | {"priority": "primary"}]}}, {}, {"missing_words"}),
        ({"searched": HAPPENS, "parsed": {"keywords": [FRAMING | {"priority": "primary"} | ADDED]}}, {}, set()),
        ({"plan": {"flags": [], "parts": [{"outcome": "found", "missing": ["basis"]}]}}, {}, {"missing_words"}),
        ({"confidence": 0.49}, {}, {"low_confidence"}),
        ({"confidence": 0.5, "arbiter": "model:test"}, {}, set()),
        ({"confidence": 0.84}, {}, {"low_confidence"}),  # fixed rules judged: the reader was told that it is doubtful
        ({"confidence": 0.85}, {}, set()),
        ({}, {"items": [an_item("no_value")]}, {"typed_values"}),
        ({}, {"items": [an_item("refused")]}, set()),
        ({}, {"checks": [a_check("total_differs")]}, {"typed_values"}),
        ({}, {"checks": [a_check("number_not_cited", left_out=True)]}, set()),
        ({}, {"checks": [a_check("weak_support")]}, set()),
    ],
)
def test_a_sign_is_derived_from_what_is_recorded(
    make_run: MakeRun,
    make_answer: MakeAnswer,
    of_run: dict[str, Any],
    of_answer: dict[str, Any],
    signs: set[str],
) -> None:
    run = make_run("primary", **of_run)
    make_answer(run, **of_answer)
    assert derived(run) == signs
    assert verify().ok


@pytest.mark.parametrize(
    ("table", "changes", "said"),
    [
        (Line, {"method": "ocr_picture"}, "read by OCR"),
        (Parse, {"toc_origin": "model", "toc_strength": "weak"}, "contents rebuilt"),
        (Page, {"flags": ["garbled"]}, "letters partly"),
        (Page, {"flags": ["hidden_text"]}, "invisible text"),
        (Page, {"flags": ["concealed"]}, "nobody sees"),
    ],
)
def test_a_quote_out_of_a_weak_source_is_a_sign_in_the_queue_and_said_in_the_trail(
    house: House,
    make_run: MakeRun,
    make_answer: MakeAnswer,
    browse: Browse,
    table: Any,
    changes: dict[str, Any],
    said: str,
) -> None:
    strong = make_run("primary")
    make_answer(strong)
    assert derived(strong) == set()
    table.objects.update(**changes)
    weak, kept = make_run("primary"), make_run("primary", created_at=timezone.now() - timedelta(hours=2))
    make_answer(weak)
    assert derived(weak) == derived(kept) == {"weak_source"}
    assert set(risky(house.auditor, "weak_source")) == {weak, kept}
    page = browse(house.auditor, f"/audit/runs/{weak.pk}/?candidate=p1-l1-2").content.decode()
    known = ("read by OCR", "contents rebuilt", "letters partly", "invisible text", "nobody sees")
    in_sign = "read by OCR"  # what the sign itself says, whatever the source
    assert {words for words in known if words in page} == {said, in_sign}


@pytest.mark.parametrize(
    ("origin", "strength", "methods"),
    [
        ("headings", "medium", ["titles", "keywords"]),
        ("headings", "weak", ["keywords", "vectors"]),
        ("outline", "weak", ["titles"]),
    ],
    ids=["rebuilt and good", "not found by a title", "of the file itself"],
)
def test_contents_out_of_headings_alone_make_no_source_weak(
    make_run: MakeRun, make_answer: MakeAnswer, origin: str, strength: str, methods: list[str]
) -> None:
    Parse.objects.update(toc_origin=origin, toc_strength=strength)
    run, kept = (
        make_run("primary", methods),
        make_run("primary", methods, created_at=timezone.now() - timedelta(hours=2)),
    )
    make_answer(run)
    assert derived(run) == derived(kept) == set()


def test_lines_elsewhere_in_the_document_make_no_source_weak(
    house: House, make_run: MakeRun, make_answer: MakeAnswer
) -> None:
    Line.objects.filter(number=4).update(method="ocr")
    Page.objects.filter(number=2).update(flags=["hidden_text"])
    run = make_run("primary")
    make_answer(run)
    assert derived(run) == set()


def test_a_document_that_is_replaced_later_shows_at_once(
    house: House, make_run: MakeRun, make_answer: MakeAnswer
) -> None:
    run = make_run("primary")
    make_answer(run)
    assert not risky(house.auditor, "superseded").exists()
    Document.objects.update(replaced_at=timezone.now())
    assert risky(house.auditor, "superseded").get() == run


def test_runs_decided_against_all_detectors_are_a_filter_that_opens_the_candidates(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Browse
) -> None:
    plain = make_run("primary", hits=[hit(house, "keywords", 1, 9.0)])
    # The second anchor has no hit of its own, and is kept; both detectors would have had the first.
    against = make_run("discarded primary", hits=[hit(house, name, 1, 9.0) for name in ("keywords", "vectors")])
    for run in (plain, against):
        make_answer(run)
    sign_runs()
    assert filter_runs(RetrievalRun.objects.all(), {"sign": "against_detectors"}).get() == against
    page = browse(house.auditor, "/audit/?sign=against_detectors").content.decode()
    assert f"/audit/runs/{against.pk}/?against_detectors=1" in page and str(plain.pk) not in page
    queue = browse(house.auditor, "/audit/queue/?risk=against_detectors").content.decode()
    assert f"/audit/runs/{against.pk}/?against_detectors=1&amp;queue=against_detectors" in queue
    assert browse(house.auditor, "/audit/?sign=nonsense").status_code == 400
    assert str(against.pk) not in browse(house.viewer, "/audit/?sign=against_detectors").content.decode()


def test_only_settled_runs_are_looked_at_each_once_and_old_ones_too(make_run: MakeRun, make_answer: MakeAnswer) -> None:
    young, old = make_run("primary"), make_run("primary", created_at=timezone.now() - timedelta(days=700))
    stuck = make_run("primary", created_at=timezone.now() - timedelta(days=1))
    make_answer(young)
    waiting = make_run("primary")
    Turn.objects.create(
        conversation=young.turn.conversation, number=2, question="?", scope_name="all", run=stuck, state="running"
    )
    tasks.sweep()
    looked = RunSign.objects.filter(name=LOOKED)
    assert set(looked.values_list("run", flat=True)) == {young.pk, old.pk}
    assert sign_runs() == 0
    make_answer(waiting)
    assert sign_runs() == 1
    RunSign.objects.all().delete()  # derived: deleting it has it derived again
    assert sign_runs() == 3
    assert verify().ok
