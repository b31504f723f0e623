"""The queue holds every run with a sign of risk, and a sample draws the same runs again, by hand as well."""

import random
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import User
from audit.conftest import House, MakeAnswer, MakeRun
from audit.models import ReviewSample
from audit.proof.verification import verify
from audit.review.queue import SECOND_MEANING, find_position, first_in_queue, risky
from audit.review.reviewing import Opinion, RunReviews, review
from audit.review.sampling import redraw_sample, take_sample
from audit.runs.listing import list_runs
from audit.runs.risks import RISKS
from audit.runs.signs import sign_runs
from audit.statistics.period import rates_of
from audit.trail.story import story_of
from documents.access import create_base
from documents.models import Line
from retrieval.models import RetrievalRun, RunCandidate

SignIn = Callable[[User], Client]
Browse = Callable[..., HttpResponse]
PLAIN = "tangential"  # one candidate


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates whose quote needed no repair."""
    save = RunCandidate.save

    def save_exact(self: RunCandidate, *arguments: object, **named: object) -> None:
        if self.anchor_repair["status"] == "truncated":
            self.anchor_repair = {"status": "exact", "original_length": 1, "final_length": 1, "reason": ""}
        save(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(RunCandidate, "save", save_exact)


@pytest.mark.parametrize(
    ("risk", "changes"),
    [
        ("degraded", {"arbiter_status": "not_run", "arbiter": "model"}),
        ("failed", {"status": "failed", "arbiter_status": "not_run"}),
        ("contradiction", {"contradictions": [{"candidate_ids": ["a", "b"], "point": "the date"}]}),
        ("violation", {"violations": ["missing: p1-l1-2"]}),
        ("not_found", {"status": "not_found"}),
        ("not_found", {"status": "cannot_tell"}),
        ("doubtful", {"status": "weak"}),
    ],
)
def test_it_queues_a_run_by_its_sign(
    house: House, make_run: MakeRun, exact: None, risk: str, changes: dict[str, object]
) -> None:
    plain, run = make_run(PLAIN), make_run(PLAIN, **changes)
    assert plain not in risky(house.auditor)
    assert list(risky(house.auditor)) == [run]
    assert [name for name in RISKS if risky(house.auditor, name).exists()] == [risk]


def test_a_refusal_on_reading_is_queued_and_told_as_not_found(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, exact: None
) -> None:
    plain, run = make_run(PLAIN), make_run(PLAIN)
    make_answer(plain)
    make_answer(run, kind="not_found", text="The passages speak of something else.")
    assert list(risky(house.auditor)) == list(risky(house.auditor, "not_found")) == [run]
    assert {each.run.pk: each.outcome for each in list_runs([plain, run])} == {
        plain.pk: "passages",
        run.pk: "not_found",
    }
    assert "do not hold the answer" in " ".join(story_of(run, [], run.answer, 0, RunReviews()))
    assert [rate.part for rate in rates_of(RetrievalRun.objects.all(), 30)] == [1]


def test_it_queues_shortened_quotes_and_leaves_out_ones_own_and_reviewed_runs(house: House, make_run: MakeRun) -> None:
    run, own = make_run(PLAIN), make_run(PLAIN, asked_by=house.auditor)
    assert list(risky(house.auditor, "shortened")) == [run]
    assert set(risky(house.owner)) == {run, own}
    assert not risky(house.stranger).exists()
    review(run, None, house.auditor, Opinion("agree"))
    assert not risky(house.auditor).exists()


# What the record of an answer says against it: of so many wrong ones and of so many sound ones.
NO_VALUE = {"asked": "", "type": "date", "outcome": "weak", "values": [], "markers": [], "code": "no_value"}
SEEDED: list[tuple[int, int, dict[str, object], dict[str, object]]] = [
    (3, 2, {"searched": [{"text": "attention", "forms": [], "count": 0}]}, {}),
    (2, 1, {}, {"items": [NO_VALUE | {"missing": []}]}),
    (4, 3, {"confidence": 0.4}, {}),
    (2, 2, {"status": "weak", "confidence": 0.3}, {"kind": "weak"}),
    (0, 8, {"status": "not_found", "confidence": 0.0}, {"kind": "not_found"}),
    (1, 32, {}, {}),
]


def test_a_reviewer_meets_the_wrong_answers_first(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, exact: None
) -> None:
    """AT11: of 60 answers out of a scan, all with a weak source, 10 of the 12 wrong ones are among the first 20."""
    Line.objects.update(method="ocr")
    seeds = [(each, is_wrong) for each in SEEDED for is_wrong in (True,) * each[0] + (False,) * each[1]]
    random.Random(34).shuffle(seeds)
    wrong = set()
    for number, ((_, _, of_run, of_answer), is_wrong) in enumerate(seeds):
        run = make_run(PLAIN, created_at=timezone.now() - timedelta(minutes=number), **of_run)
        make_answer(run, **({"checks": []} | of_answer))
        wrong |= {run.pk} if is_wrong else set()
    sign_runs()
    assert (len(seeds), len(wrong)) == (60, 12)
    assert risky(house.auditor, "weak_source").count() == 48
    queue = [run.pk for run in first_in_queue(house.auditor)]
    assert len(wrong & set(queue[:20])) >= 10
    second, third = RetrievalRun.objects.get(pk=queue[1]), queue[2]
    place = find_position(second, "risk", house.auditor)
    assert place is not None and (place.previous, place.following) == (queue[0], third)


def test_the_neighbours_of_a_run_are_found_without_a_query_for_every_sign(
    house: House, make_run: MakeRun, exact: None, django_assert_num_queries: Any
) -> None:
    """Its own signs, and one query on each side; only at an end of those with its sign, other signs are looked at."""
    ages = [timezone.now() - timedelta(minutes=minutes) for minutes in range(4)]
    failed = make_run("", status="failed", arbiter_status="not_run")
    runs = [make_run(PLAIN, status="weak", created_at=moment) for moment in ages]
    confirmed = make_run("", status="not_found")
    with django_assert_num_queries(3):
        place = find_position(runs[1], "risk", house.auditor)
    assert place is not None and (place.previous, place.following) == (runs[0].pk, runs[2].pk)
    first, last = (find_position(run, "risk", house.auditor) for run in (runs[0], runs[-1]))
    assert first is not None and (first.previous, first.following) == (failed.pk, runs[1].pk)
    assert last is not None and (last.previous, last.following) == (runs[2].pk, confirmed.pk)
    plain = find_position(make_run(PLAIN), "risk", house.auditor)
    assert plain is not None and (plain.previous, plain.following) == (None, failed.pk)


def test_it_draws_the_same_sample_again(house: House, make_run: MakeRun) -> None:
    """AT11."""
    start = timezone.now() - timedelta(days=1)
    runs = [make_run(PLAIN, created_at=start + timedelta(minutes=number)) for number in range(12)]
    sample = take_sample(house.base, 5, house.auditor, "november")
    make_run(PLAIN, created_at=sample.until + timedelta(minutes=1))  # asked later: not among those drawn from
    by_hand = sorted((str(run.pk) for run in runs), key=lambda pk: sha256(f"november:{pk}".encode()).digest())[:5]
    assert sample.run_ids == by_hand
    assert all(redraw_sample(ReviewSample.objects.get()) == by_hand for _ in range(10))
    assert sample.population == 12
    assert take_sample(house.base, 5, house.auditor).run_ids != take_sample(house.base, 5, house.auditor).run_ids
    assert verify().ok


def test_it_walks_a_sample(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    runs = {str(run.pk): run for run in (make_run(PLAIN) for _ in range(3))}
    client = signed_in(house.auditor)
    response = client.post("/audit/queue/draw/", {"base": house.base.pk, "size": 3, "seed": "x"})
    sample = ReviewSample.objects.get()
    assert response["Location"] == f"/audit/queue/{sample.pk}/"
    assert "the seed draws these questions" in client.get(response["Location"]).content.decode()
    place = find_position(runs[sample.run_ids[1]], str(sample.pk), house.auditor)
    assert place is not None
    assert (str(place.previous), str(place.following)) == (sample.run_ids[0], sample.run_ids[2])
    page = client.get(f"/audit/runs/{sample.run_ids[1]}/?queue={sample.pk}").content.decode()
    assert "2 of 3" in page
    assert f"/audit/runs/{sample.run_ids[2]}/?queue={sample.pk}" in page


@pytest.mark.parametrize(("who", "status"), [("auditor", 200), ("owner", 200), ("stranger", 200), ("viewer", 404)])
def test_it_shows_the_queue_to_auditors(
    house: House, make_run: MakeRun, signed_in: SignIn, who: str, status: int
) -> None:
    run = make_run()
    response = signed_in(getattr(house, who)).get("/audit/queue/")
    assert response.status_code == status
    assert (str(run.pk) in response.content.decode()) is (who in ("auditor", "owner"))


def test_an_empty_queue_leads_to_a_sample_and_to_a_signature(
    house: House, make_run: MakeRun, signed_in: SignIn
) -> None:
    client = signed_in(house.auditor)
    lead = f'href="/audit/signoffs/?base={house.base.pk}"'
    empty = client.get(f"/audit/queue/?base={house.base.pk}").content.decode()
    assert lead in empty and 'href="#h-samples"' in empty
    make_run("", status="not_found")
    assert lead not in client.get(f"/audit/queue/?base={house.base.pk}").content.decode()


def test_it_keeps_to_one_base_and_so_do_its_links(house: House, make_run: MakeRun, signed_in: SignIn) -> None:
    run = make_run("", status="not_found")
    other = create_base(house.auditor, "Other")
    client = signed_in(house.auditor)
    own = client.get(f"/audit/queue/?base={house.base.pk}").content.decode()
    assert str(run.pk) in own and f'href="?base={house.base.pk}&amp;risk=not_found"' in own
    assert f'value="{house.base.pk}" selected' in own
    assert str(run.pk) not in client.get(f"/audit/queue/?base={other.pk}").content.decode()
    for nobodys in ("x", "", uuid4(), create_base(house.owner, "Closed").pk):
        assert str(run.pk) in client.get(f"/audit/queue/?base={nobodys}").content.decode()


@pytest.mark.parametrize("address", ["/audit/", "/audit/figures/"])
@pytest.mark.parametrize(("who", "has_tabs"), [("auditor", True), ("viewer", False)])
def test_list_and_figures_lead_to_the_other_pages_of_the_audit(
    house: House, signed_in: SignIn, address: str, who: str, has_tabs: bool
) -> None:
    page = signed_in(getattr(house, who)).get(address).content.decode()
    for name in ("queue", "signoffs", "golden", "changes", "verify"):
        assert (f'href="/audit/{name}/"' in page) is has_tabs
    assert ('href="/ask/links/"' in page) is has_tabs


def test_it_says_what_each_sign_means(house: House, make_run: MakeRun, browse: Browse) -> None:
    make_run("", status="not_found")
    page = text_of(browse(house.auditor, "/audit/queue/"))
    found = {name: page.count(str(risk.meaning)) for name, risk in RISKS.items()}
    assert found == dict.fromkeys(RISKS, 1) | {"not_found": 2}  # at the foot, and at the filter of what is there
    assert page.count(str(SECOND_MEANING)) == 2
    assert "no candidates" in page
    assert 'value="59"' in page
    assert text_of(browse(house.auditor, "/audit/queue/?risk=not_found")).count(str(RISKS["not_found"].meaning)) == 3
    assert text_of(browse(house.auditor, "/audit/queue/?risk=second")).count(str(SECOND_MEANING)) == 3


def test_each_sign_says_how_many_questions_it_leads_to(
    house: House, make_run: MakeRun, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for status in ("not_found", "not_found", "weak"):
        make_run("", status=status)
    make_run("", status="not_found", asked_by=house.auditor)  # one's own is somebody else's to review

    client = signed_in(house.auditor)

    def counts(query: str) -> dict[str, int | None]:
        page = client.get(f"/audit/queue/?{query}")
        shown = {name: count for name, _risk, count in page.context["signs"]}
        assert all(f'<span class="meta">{count}</span>' in page.content.decode() for count in shown.values() if count)
        return shown

    assert counts("") == counts("risk=weak") == counts("risk=doubtful") == {"doubtful": 1, "not_found": 2}
    assert counts("risk=failed") == {"doubtful": 1, "not_found": 2, "failed": 0}
    assert len(client.get("/audit/queue/?risk=not_found").context["rows"]) == 2
    monkeypatch.setattr("audit.review.queue.QUEUE_SHOWN", 2)
    assert counts("risk=failed") == dict.fromkeys(RISKS), "a longer queue is not counted"


def text_of(response: HttpResponse) -> str:
    return unescape(response.content.decode())


@pytest.mark.parametrize("size", ["0", "1001", "many", ""])
def test_it_refuses_a_sample_of_no_size(house: House, signed_in: SignIn, size: str) -> None:
    response = signed_in(house.auditor).post("/audit/queue/draw/", {"base": house.base.pk, "size": size})
    assert response.status_code == 400
    assert not ReviewSample.objects.exists()
