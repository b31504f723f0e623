"""Why nothing was found: detectors with their reasons, what was searched, the nearest places, and deleted parses."""

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from audit.conftest import PASSAGE, House, MakeRun
from audit.trail.candidates import Choice
from audit.trail.dossier import (
    NEAR_HITS_MAX,
    NEAR_MISSES_MAX,
    SectionsOf,
    detectors_of,
    dossier_of,
    near_hits_of,
    sections_of,
)
from documents.models import Document, Line, TocEntry
from retrieval.models import RetrievalRun


def flag(name: str, on: bool = True) -> dict[str, Any]:
    return {"name": name, "on": on, "reason": f"why {name}"}


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ([], []),
        ([flag("vectors"), flag("titles")], ["Titles", "Vectors"]),  # in the order they run
        ([flag("oracle"), flag("parts"), flag("keywords")], ["Keywords"]),
    ],
)
def test_each_detector_of_the_plan_is_told(flags: list[dict[str, Any]], names: list[str]) -> None:
    run = RetrievalRun(plan={"flags": flags}, hit_counts={"titles": 3})
    assert [detector.name for detector in detectors_of(run)] == names


def test_a_detector_says_whether_it_ran_and_what_it_found() -> None:
    run = RetrievalRun(plan={"flags": [flag("titles"), flag("vectors", on=False)]}, hit_counts={"titles": 3})
    titles, vectors = detectors_of(run)
    assert (titles.on, titles.hits, titles.reason, titles.is_near) == (True, 3, "why titles", False)
    assert (vectors.on, vectors.hits, vectors.is_near) == (False, 0, True)
    assert detectors_of(RetrievalRun(plan={}, hit_counts={})) == []


@pytest.mark.django_db
def test_only_what_was_refused_came_near_and_not_too_much_of_it(make_run: MakeRun) -> None:
    run = make_run("primary supporting " + "tangential " * 4 + "discarded " * 4)
    found = dossier_of(run, list(run.candidates.all()), Choice(role="primary"))
    assert len(found.near) == NEAR_MISSES_MAX
    assert {row.candidate.role for row in found.near} <= {"tangential", "discarded"}
    assert found.near_hits == () and found.hits == 1 and not found.has_added


@pytest.mark.django_db
def test_a_run_without_candidates_shows_its_best_hits(house: House, make_run: MakeRun) -> None:
    hit = {"method": "vectors", "document_id": str(house.document.pk), "lines": [1, 2], "score": 0.1}
    run = make_run("", hits=[hit | {"score": score} for score in (0.2, 0.9, 0.4, 0.3)])
    found = dossier_of(run, [], Choice())
    assert [near.score for near in found.near_hits] == [0.9, 0.4, 0.3] and len(found.near_hits) == NEAR_HITS_MAX
    best = found.near_hits[0]
    assert (best.document, best.pages, best.lines, best.text) == (
        house.document.title,
        "1",
        "1–2",
        f"{PASSAGE} {PASSAGE}",
    )
    assert best.address.endswith("?parse=3&line=1") and found.near == ()


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["trashed", "lines", "scope"])
def test_a_place_that_cannot_be_opened_has_no_address(house: House, make_run: MakeRun, what: str) -> None:
    changes: dict[str, Any] = {"scope": []} if what == "scope" else {}
    run = make_run("", **changes)
    if what == "trashed":
        Document.objects.update(trashed_at=timezone.now())
    elif what == "lines":
        Line.objects.all().delete()
    [near] = near_hits_of(run)
    assert near.address == "" and bool(near.text) is (what == "trashed") and bool(near.pages) is (what == "trashed")


@pytest.mark.django_db
def test_the_sections_are_those_of_the_reading_the_run_saw(house: House, make_run: MakeRun) -> None:
    places = {"level": 1, "first_line": 1, "last_line": 2, "first_page": 1, "last_page": 1, "confidence": 1.0}
    for index, (title, origin) in enumerate((("Front", "front"), ("Methods", "outline"), ("Results", "outline"))):
        TocEntry.objects.create(parse=house.parse, index=index, title=title, breadcrumb=title, origin=origin, **places)
    seen = make_run().scope[0]
    gone = seen | {"parse_id": str(uuid4()), "title": "Gone"}
    assert sections_of(RetrievalRun(scope=[gone, seen])) == (SectionsOf(house.document.title, ("Methods", "Results")),)
    assert sections_of(RetrievalRun(scope=[])) == ()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("source", "is_added"), [("direct", False), ("identifier", False), ("dictionary", True), ("llm_rewrite", True)]
)
def test_words_that_were_added_are_told(make_run: MakeRun, source: str, is_added: bool) -> None:
    run = make_run("", parsed={"keywords": [{"text": "rent", "source": source}]}, not_found_reason="no word occurs")
    found = dossier_of(run, [], Choice())
    assert found.has_added is is_added and found.reason == "no word occurs" and found.searched == run.searched
