"""Reviewing by address: where one goes next, which typed text comes back, and whose queues and samples exist."""

from typing import Any
from uuid import uuid4

import pytest
from django.http import Http404

from audit.conftest import House, MakeRun
from audit.models import AuditEvent, Review, ReviewSample
from audit.pages.forms import REASON_MIN
from audit.pages.review_views import address_after, candidate_of
from audit.review.queue import SECOND
from audit.review.reviewing import Opinion, review
from audit.runs.risks import RISKS
from audit.trail.candidates import Choice
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db
REASON = "It states the rule itself."


@pytest.fixture
def run(make_run: MakeRun) -> RetrievalRun:
    return make_run("primary supporting tangential")


def send(client: Any, run: RetrievalRun, **values: str) -> Any:
    return client.post(f"/audit/runs/{run.pk}/reviews/", {"outcome": "agree"} | values)


def review_forms(response: Any) -> list[str]:
    """The forms of a trail that save a review."""
    parts = response.content.decode().split('<form\n  class="review')[1:]
    return [part.split("</form>")[0] for part in parts]


@pytest.mark.parametrize(
    ("reviewed", "candidate", "following"),
    [
        ([], "p1-l1-2", "p1-l2-3"),
        (["p1-l2-3"], "p1-l1-2", "p1-l3-4"),
        (["p1-l1-2"], "p1-l3-4", ""),  # behind the last one comes the answer
        (["p1-l1-2", "p1-l2-3"], "p1-l3-4", ""),
    ],
)
def test_after_a_candidate_comes_the_next_without_a_review(
    house: House, run: RetrievalRun, reviewed: list[str], candidate: str, following: str
) -> None:
    done = [*reviewed, candidate]
    for candidate_id in done:
        review(run, run.candidates.get(candidate_id=candidate_id), house.auditor, Opinion("agree"))
    address = address_after(run, run.candidates.get(candidate_id=candidate), Choice(), house.auditor)
    assert (f"candidate={following}" in address) if following else address.endswith("#checks")


def test_after_the_answer_one_stays_without_a_queue_and_keeps_it_otherwise(house: House, run: RetrievalRun) -> None:
    assert address_after(run, None, Choice(), house.auditor) == f"/audit/runs/{run.pk}/?#checks"
    assert "queue=nonsense" in address_after(run, None, Choice(queue="nonsense"), house.auditor)


def test_a_blind_reviewer_is_sent_where_others_have_been(house: House, run: RetrievalRun) -> None:
    first, second = run.candidates.order_by("position")[:2]
    for candidate in (first, second):
        review(run, candidate, house.owner, Opinion("agree"))
    assert "candidate=p1-l2-3" in address_after(run, first, Choice(blind=True), house.auditor)
    assert "candidate=p1-l3-4" in address_after(run, first, Choice(), house.auditor)
    review(run, second, house.auditor, Opinion("agree", is_blind=True))
    assert "candidate=p1-l3-4" in address_after(run, first, Choice(blind=True), house.auditor), "not to their own again"


@pytest.mark.parametrize("candidate_id", ["nonsense", "p1-l9-10", "\u202e", "x" * 500])
def test_a_candidate_of_another_run_is_not_there(run: RetrievalRun, candidate_id: str) -> None:
    with pytest.raises(Http404):
        candidate_of(run, candidate_id)
    assert candidate_of(run, "") is None


@pytest.mark.parametrize(
    ("person", "status", "kept"),
    [("auditor", 302, 1), ("owner", 302, 1), ("asker", 403, 0), ("viewer", 404, 0), ("stranger", 404, 0)],
)
def test_who_may_review(house: House, run: RetrievalRun, signed_in: Any, person: str, status: int, kept: int) -> None:
    response = send(signed_in(getattr(house, person)), run, candidate="p1-l1-2")
    assert (response.status_code, Review.objects.count()) == (status, kept)


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"candidate": "p1-l1-2", "outcome": "overrule", "reason": "short <b>"}, 400),
        ({"outcome": "wrong", "reason": "short <b>"}, 400),
        ({"outcome": "nonsense", "reason": "short <b>"}, 400),
        ({"outcome": "wrong", "reason": REASON, "previous": "7"}, 400),
        ({"candidate": "p9-l1-2"}, 404),
    ],
)
def test_what_is_wrong_comes_back_with_what_was_typed(
    house: House, run: RetrievalRun, signed_in: Any, values: dict[str, str], status: int
) -> None:
    response = send(signed_in(house.auditor), run, **values)
    assert response.status_code == status and not Review.objects.exists()
    if "short <b>" in values.values() and values["outcome"] != "nonsense":
        assert b"short &lt;b&gt;" in response.content
    if response.status_code == 400:
        focused = [form for form in review_forms(response) if "autofocus" in form]
        assert len(focused) == 1 and 'role="alert"' in focused[0], "the field is in sight with what is wrong"


def test_the_links_of_a_page_that_came_back_lead_to_the_trail(house: House, run: RetrievalRun, browse: Any) -> None:
    address = f"/audit/runs/{run.pk}/reviews/?candidate=p1-l2-3&queue=risk"
    response = browse(house.auditor, address)
    assert response.status_code == 302
    assert response["Location"] == f"/audit/runs/{run.pk}/?candidate=p1-l2-3&queue=risk"
    assert browse(house.stranger, address).status_code == 404 and not Review.objects.exists()


def test_what_a_reason_needs_is_said_before_it_is_sent(house: House, run: RetrievalRun, browse: Any) -> None:
    forms = review_forms(browse(house.auditor, f"/audit/runs/{run.pk}/"))
    assert len(forms) == 2 and not any("autofocus" in form for form in forms)
    assert all(f"Unless you agree: a reason of at least {REASON_MIN} characters." in form for form in forms)


def test_of_two_who_saw_the_same_the_second_is_told(house: House, run: RetrievalRun, signed_in: Any) -> None:
    assert send(signed_in(house.auditor), run).status_code == 302
    response = send(signed_in(house.owner), run, outcome="wrong", reason=REASON)
    assert response.status_code == 409 and REASON in response.content.decode()
    assert Review.objects.get().reviewer == house.auditor


# ---- queues and samples


@pytest.mark.parametrize("risk", ["", "nonsense", SECOND, *RISKS])
def test_every_queue_opens_and_one_that_is_none_is_all(house: House, run: RetrievalRun, browse: Any, risk: str) -> None:
    page = browse(house.auditor, f"/audit/queue/?risk={risk}")
    assert page.status_code == 200 and page.context["risk"] == ("" if risk == "nonsense" else risk)
    assert bool(page.context["meaning"]) is (risk not in ("", "nonsense"))
    assert AuditEvent.objects.filter(action="queue", person=house.auditor).count() == 1


@pytest.mark.parametrize(("person", "status"), [("owner", 200), ("auditor", 200), ("asker", 404), ("viewer", 404)])
def test_the_queue_is_for_those_who_audit(house: House, browse: Any, person: str, status: int) -> None:
    assert browse(getattr(house, person), "/audit/queue/").status_code == status


@pytest.mark.parametrize(
    ("person", "values", "status"),
    [
        ("auditor", {"size": "2", "seed": "a word"}, 302),
        ("auditor", {"size": "0"}, 400),
        ("auditor", {"size": "2", "seed": "x" * 65}, 400),
        ("asker", {"size": "2"}, 400),
        ("stranger", {"size": "2"}, 400),
    ],
)
def test_a_sample_is_drawn_by_those_who_audit_the_base(
    house: House, run: RetrievalRun, signed_in: Any, person: str, values: dict[str, str], status: int
) -> None:
    response = signed_in(getattr(house, person)).post("/audit/queue/draw/", values | {"base": str(house.base.pk)})
    assert response.status_code == status and ReviewSample.objects.count() == (status == 302)


def test_a_sample_says_how_far_it_is_and_whether_it_would_be_drawn_again(
    house: House, run: RetrievalRun, signed_in: Any, browse: Any
) -> None:
    address = signed_in(house.auditor).post("/audit/queue/draw/", {"base": house.base.pk, "size": 5})["Location"]
    review(run, None, house.auditor, Opinion("wrong", reason=REASON))
    review(run, run.candidates.all()[0], house.auditor, Opinion("overrule", "discarded", REASON))
    shown = browse(house.auditor, address).context
    quality = shown["quality"][0]
    assert (quality.reviewed, shown["overruled"], shown["is_same"], len(shown["rows"])) == (1, 1, True, 1)
    assert browse(house.stranger, address).status_code == 404
    assert browse(house.auditor, f"/audit/queue/{uuid4()}/").status_code == 404
