"""The list and the trail by address: nobody learns of a run that is not his, and nonsense in an address is left out."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import BadRequest
from django.test import RequestFactory

from audit.conftest import House, MakeRun
from audit.models import AuditEvent
from audit.pages.forms import RunFilters
from audit.pages.views import attachment, read_choice, turn_to
from audit.runs.listing import RunKey
from audit.trail.candidates import Choice
from llm.models import LLMCall

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "choice"),
    [
        ("", Choice()),
        ("role=primary&method=titles&repair=exact", Choice(role="primary", method="titles", repair="exact")),
        ("role=PRIMARY&method=oracle&repair=%00", Choice()),
        ("heat=1&blind=1&against_rrf=1", Choice(heat=True, blind=True, against_rrf=True)),
        ("heat=yes&blind=true&against_detectors=on", Choice()),
        ("page=2", Choice(page=2)),
        ("wide=section", Choice(wide="section")),
        ("wide=book", Choice()),
        ("page=-1", Choice()),
        ("page=two", Choice()),
        ("page=1.5", Choice()),
        ("page=", Choice()),
        ("candidate=p1-l1-2&queue=low", Choice(candidate_id="p1-l1-2", queue="low")),
        ("role=primary&role=discarded", Choice(role="discarded")),
    ],
)
def test_what_an_address_asks_for(query: str, choice: Choice) -> None:
    assert read_choice(RequestFactory().get(f"/?{query}")) == choice


@pytest.mark.parametrize(
    "page", ["9" * 5_000, "²", "٣", "1_0", " 2"], ids=["huge", "square", "arabic", "score", "space"]
)
def test_a_strange_page_breaks_nothing(house: House, make_run: MakeRun, browse: Any, page: str) -> None:
    assert browse(house.auditor, f"/audit/runs/{make_run().pk}/?page={page}").status_code == 200


def test_a_neighbouring_page_keeps_the_filters(house: House) -> None:
    key = RunKey.read(f"2026-01-01T00:00:00Z_{uuid4()}")
    form = RunFilters({"text": "a&b", "status": "found", "csrf": "x", "role": ""}, user=house.auditor)
    address = turn_to(form, before=key)
    assert "text=a%26b" in address and "status=found" in address and "before=2026" in address
    assert "csrf" not in address and "role" not in address
    assert turn_to(form, before=None) == ""
    with pytest.raises(BadRequest):
        RunKey.read("nonsense")


@pytest.mark.parametrize("person", ["viewer", "stranger", None])
@pytest.mark.parametrize("rest", ["", "calls/{call}/request/", "calls/{call}/reply/", "evidence/"])
def test_a_run_of_others_is_not_there(
    house: House, make_run: MakeRun, make_call: Any, browse: Any, person: str | None, rest: str
) -> None:
    call = make_call()
    run = make_run(arbiter="model", llm_call=call)
    response = browse(getattr(house, person) if person else None, f"/audit/runs/{run.pk}/{rest.format(call=call.pk)}")
    assert response.status_code == (404 if person else 302)
    assert b"How is attention computed?" not in response.content


@pytest.mark.parametrize("what", ["request", "reply"])
def test_a_call_of_another_run_is_not_given(
    house: House, make_run: MakeRun, make_call: Any, browse: Any, what: str
) -> None:
    own, foreign = make_call(), make_call()
    run = make_run(arbiter="model", llm_call=own)
    make_run(arbiter="model", llm_call=foreign)
    addresses = [f"/audit/runs/{run.pk}/calls/{pk}/{what}/" for pk in (own.pk, foreign.pk, uuid4())]
    assert [browse(house.auditor, address).status_code for address in addresses] == [200, 404, 404]
    assert AuditEvent.objects.filter(action="exchange").count() == 3, "asking for one that is none is recorded too"


def test_what_is_taken_away_is_named_and_not_shown_in_the_page(
    house: House, make_run: MakeRun, make_call: Any, browse: Any
) -> None:
    call = make_call(raw_reply="<script>alert(1)</script>")
    run = make_run(arbiter="model", llm_call=call)
    reply = browse(house.auditor, f"/audit/runs/{run.pk}/calls/{call.pk}/reply/")
    assert reply.content == LLMCall.objects.get().raw_reply.encode()
    assert reply["Content-Disposition"] == f'attachment; filename="reply-{call.pk}.txt"'
    assert reply["Content-Type"] == "text/plain; charset=utf-8" and reply["X-Content-Type-Options"] == "nosniff"
    assert attachment(b"x", "a.json", "application/json").content == b"x"


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_pages_are_only_read(house: House, make_run: MakeRun, signed_in: Any, method: str) -> None:
    run = make_run()
    for address in ("/audit/", f"/audit/runs/{run.pk}/", "/audit/changes/", "/audit/figures/", "/audit/golden/"):
        assert getattr(signed_in(house.auditor), method)(address).status_code == 405


def test_a_list_that_cannot_be_is_told_and_shows_nothing(house: House, make_run: MakeRun, browse: Any) -> None:
    make_run()
    response = browse(house.auditor, "/audit/?status=exploded")
    assert response.status_code == 400 and b"How is attention computed?" not in response.content
    assert browse(house.auditor, "/audit/?status=found").status_code == 200


def test_a_run_that_a_model_made_hard_to_show_is_shown(
    house: House, make_run: MakeRun, make_call: Any, browse: Any
) -> None:
    """A reply that no parser gets to the end of: the trail shows it as it came."""
    run = make_run(arbiter="model", llm_call=make_call(raw_reply="[" * 100_000))
    assert browse(house.auditor, f"/audit/runs/{run.pk}/").status_code == 200
