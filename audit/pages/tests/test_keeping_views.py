"""Changes and keeping by address: who may look, who may act, each refusal said and nothing done, and reads recorded."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.utils import timezone

from audit.conftest import House, MakeAnswer, MakeRun
from audit.keeping.erasure import Erasing, erase_run, hold_subjects
from audit.keeping.retention import FLOOR_DAYS, days_kept
from audit.models import AuditEvent
from audit.proof.erased import ERASED
from chat.models import Conversation, Extraction, Retrieval
from documents.access import delete_base, set_role
from ledger.holds import REASON_MIN, holds_on
from ledger.models import Event
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db
REASON = "Claim 2026-114 before the court"
ACTS = ("days", "hold", "release", "erase")


def send(client: Any, house: House, act: str, **values: Any) -> str:
    """Post a form of the base; what the next page says."""
    response = client.post(f"/audit/keeping/{house.base.pk}/{act}/", values)
    assert response.status_code == 302 and response["Location"] == f"/audit/keeping/{house.base.pk}/"
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


@pytest.mark.parametrize(
    ("person", "status"), [("owner", 200), ("auditor", 200), ("viewer", 404), ("asker", 404), ("stranger", 404)]
)
def test_those_who_audit_a_base_see_how_it_is_kept(house: House, browse: Any, person: str, status: int) -> None:
    response = browse(getattr(house, person), f"/audit/keeping/{house.base.pk}/")
    assert response.status_code == status
    if status == 200:
        assert response.context["may_own"] is (person == "owner") and response.context["floor"] == FLOOR_DAYS
        assert AuditEvent.objects.filter(action="keeping", person=getattr(house, person)).exists()
    assert browse(getattr(house, person), f"/audit/keeping/{uuid4()}/").status_code == 404


@pytest.mark.parametrize("person", ["auditor", "viewer", "asker", "stranger"])
@pytest.mark.parametrize("act", ACTS)
def test_only_an_owner_acts(house: House, make_run: MakeRun, signed_in: Any, person: str, act: str) -> None:
    make_run()
    before = Event.objects.count()
    values = {
        "days": "3650",
        "subject": f"base:{house.base.pk}",
        "reason": REASON,
        "person": house.asker.pk,
        "seen": "1-0-0-0-0-0",
    }
    response = signed_in(getattr(house, person)).post(f"/audit/keeping/{house.base.pk}/{act}/", values)
    assert response.status_code == 404 and Event.objects.count() == before
    assert RetrievalRun.objects.get().question == "How is attention computed?"


@pytest.mark.parametrize(("act", "status"), [("days", 302), ("hold", 405), ("release", 405), ("erase", 302)])
def test_nothing_is_done_by_looking(house: House, browse: Any, act: str, status: int) -> None:
    """What shows a page at the first press leads back when its address is loaded anew."""
    assert browse(house.owner, f"/audit/keeping/{house.base.pk}/{act}/").status_code == status
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("act", "values", "told"),
    [
        ("days", {}, "Name a number of days."),
        ("days", {"days": "ten"}, "Name a number of days."),
        ("days", {"days": str(FLOOR_DAYS - 1)}, str(FLOOR_DAYS)),
        ("days", {"days": "-5"}, str(FLOOR_DAYS)),
        ("hold", {}, "Choose what is held, and give a reason."),
        ("hold", {"subject": "base:elsewhere", "reason": REASON}, "Choose what is held"),
        ("hold", {"subject": "{base}", "reason": "  "}, "Choose what is held"),
        ("hold", {"subject": "{base}", "reason": "short"}, "reason"),
        ("release", {"subject": "{base}", "reason": REASON}, "hold"),
        ("release", {"subject": "nonsense", "reason": REASON}, "Choose a hold of this base"),
        ("erase", {}, "Nothing was erased."),
        ("erase", {"person": "{asker}", "reason": "short"}, "Nothing was erased."),
        ("erase", {"person": "{stranger}", "reason": REASON, "seen": "1-0-0-0-0-0"}, "Nothing was erased."),
    ],
)
def test_what_is_refused_is_said_and_not_done(
    house: House, make_run: MakeRun, signed_in: Any, act: str, values: dict[str, str], told: str
) -> None:
    make_run()
    before = Event.objects.count(), days_kept(house.base)
    names = {"base": f"base:{house.base.pk}", "asker": house.asker.pk, "stranger": house.stranger.pk}
    said = send(signed_in(house.owner), house, act, **{name: value.format(**names) for name, value in values.items()})
    assert told in said
    assert (Event.objects.count(), days_kept(house.base)) == before
    assert RetrievalRun.objects.get().question == "How is attention computed?"


def test_a_hold_stops_an_erasure_until_it_is_released(house: House, make_run: MakeRun, signed_in: Any) -> None:
    make_run()
    client = signed_in(house.owner)
    subject = f"base:{house.base.pk}:user:{house.asker.pk}"
    erasing = {"person": house.asker.pk, "reason": REASON, "seen": "1-0-0-0-0-0"}
    assert "Under legal hold: what Asker asked here." in send(client, house, "hold", subject=subject, reason=REASON)
    assert REASON in send(client, house, "erase", **erasing)
    assert RetrievalRun.objects.get().question
    assert "Released: what Asker asked here." in send(client, house, "release", subject=subject, reason=REASON)
    assert holds_on([subject]) == []
    assert "What Asker asked here is erased." in send(client, house, "erase", **erasing)
    assert RetrievalRun.objects.get().question == ""


@pytest.mark.parametrize("act", ["hold", "release"])
@pytest.mark.parametrize("subject", ["base:{base}", "base:{base}:user:{asker}", "document:{document}"])
def test_a_hold_is_a_change_of_its_base(
    house: House, make_run: MakeRun, signed_in: Any, subject: str, act: str
) -> None:
    make_run()
    held = subject.format(base=house.base.pk, asker=house.asker.pk, document=house.document.pk)
    for each in ("hold", "release")[: 1 + (act == "release")]:
        send(signed_in(house.owner), house, each, subject=held, reason=REASON)
    kind = {"hold": "hold_placed", "release": "hold_released"}[act]
    page = signed_in(house.auditor).get(f"/audit/changes/?kind={kind}&base={house.base.pk}")
    (row,) = page.context["page"].rows
    assert row.base == house.base.name and ("reason", REASON) in row.details
    assert (("title", house.document.title) in row.details) is held.startswith("document:")


def test_what_an_erasure_takes_is_shown_before_it_goes(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, signed_in: Any
) -> None:
    make_answer(make_run())
    client, address = signed_in(house.owner), f"/audit/keeping/{house.base.pk}/erase/"
    asked = {"person": house.asker.pk, "reason": REASON}
    page = client.post(address, asked).content.decode()
    for words in ("Erase what Asker asked in", "1 question with its answer", "1 conversation, in the list", REASON):
        assert words in page
    assert "comment on" not in page and "open link" not in page, "only what there is"
    assert 'name="seen" value="1-1-0-0-0-0"' in page and RetrievalRun.objects.get().question
    mine = {"user": house.asker, "base": house.base}
    Retrieval.objects.create(**mine, question="Which fees?")
    Extraction.objects.create(**mine, scope_name="all")
    page = client.post(address, asked).content.decode()
    assert "1 table of fields" in page and "1 request of a program for evidence" in page
    make_run()
    page = client.post(address, asked | {"seen": "1-1-0-0-1-1"}).content.decode()
    assert "changed since you looked. Nothing more was erased" in page and "2 questions with their answers" in page
    assert Conversation.objects.exists() and not Event.objects.filter(kind=ERASED).exists()
    assert "is erased" in send(client, house, "erase", **asked, seen="2-1-0-0-1-1")
    assert set(RetrievalRun.objects.values_list("question", flat=True)) == {""} and not Conversation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_second_press_on_erase_says_what_is_so(house: House, make_run: MakeRun, signed_in: Any) -> None:
    run = make_run()
    client, asked = signed_in(house.owner), {"person": house.asker.pk, "reason": REASON, "seen": "1-0-0-0-0-0"}
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            lock = f"erase base:{house.base.pk}"
            cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [lock])
            assert "An erasure in this base is under way." in send(client, house, "erase", **asked)
            assert RetrievalRun.objects.get().question, "the other press does it"
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [lock])
    finally:
        other.close()
    assert "What Asker asked here is erased." in send(client, house, "erase", **asked)
    assert send(client, house, "erase", **asked).endswith("This is erased already.")
    assert send(client, house, "erase", **asked | {"person": "\x00"}).count("Nothing was erased.") == 1
    erase_run(run, Erasing("console", "two at once"))
    assert Event.objects.filter(kind=ERASED, subject=f"run:{run.pk}").count() == 1


def test_only_what_the_form_takes_is_sent_again(house: House, make_run: MakeRun, signed_in: Any) -> None:
    make_run()
    sent = {"person": house.asker.pk, "reason": REASON, "items": "x", "other": "y"}
    page = signed_in(house.owner).post(f"/audit/keeping/{house.base.pk}/erase/", sent).content.decode()
    assert f'name="reason" value="{REASON}"' in page and 'name="items"' not in page and 'name="other"' not in page


def test_fewer_days_say_first_which_questions_would_go(house: House, make_run: MakeRun, signed_in: Any) -> None:
    make_run(created_at=timezone.now() - timedelta(days=FLOOR_DAYS + 10))
    client, address = signed_in(house.owner), f"/audit/keeping/{house.base.pk}/days/"
    before = days_kept(house.base)
    page = client.post(address, {"days": FLOOR_DAYS}).content.decode()
    assert (
        "1 question is older and will be erased from the next hour on" in page and f"Keep for {FLOOR_DAYS} days" in page
    )
    assert days_kept(house.base) == before
    assert f"Kept for {FLOOR_DAYS} days" in send(client, house, "days", days=FLOOR_DAYS, seen="1")
    assert f"Kept for {FLOOR_DAYS + 20} days" in send(client, house, "days", days=FLOOR_DAYS + 20), "nothing would go"


def test_days_are_kept_from_now_on(house: House, signed_in: Any) -> None:
    assert f"Kept for {FLOOR_DAYS} days" in send(signed_in(house.owner), house, "days", days=FLOOR_DAYS)
    house.base.refresh_from_db()
    assert days_kept(house.base) == FLOOR_DAYS


def test_what_can_be_held_is_the_bases_own(house: House, make_run: MakeRun) -> None:
    make_run()
    assert hold_subjects(house.base) == {
        f"base:{house.base.pk}": "everything in this base",
        f"base:{house.base.pk}:user:{house.asker.pk}": "what Asker asked here",
        f"document:{house.document.pk}": "document “Attention paper”",
    }


def test_a_browser_asks_for_the_least_of_a_reason(house: House, make_run: MakeRun, signed_in: Any) -> None:
    make_run()
    hold = {"subject": f"base:{house.base.pk}", "reason": REASON}
    page = signed_in(house.owner).post(f"/audit/keeping/{house.base.pk}/hold/", hold, follow=True).content.decode()
    assert page.count(f'minlength="{REASON_MIN}"') == 3, "to place a hold, to release one, to erase"


def test_a_deleted_base_is_read_and_not_changed(house: House, signed_in: Any) -> None:
    delete_base(house.base, house.owner)
    client = signed_in(house.owner)
    page = client.get(f"/audit/keeping/{house.base.pk}/")
    assert page.status_code == 200 and page.context["may_own"] is False
    assert client.post(f"/audit/keeping/{house.base.pk}/days/", {"days": 4000}).status_code == 404


@pytest.mark.parametrize("query", ["base=nonsense", "kind=moon_landing", "actor=" + "x" * 201])
def test_filters_that_cannot_be_are_left_out(house: House, browse: Any, query: str) -> None:
    set_role(house.base, house.viewer, "editor", house.owner)
    assert browse(house.auditor, f"/audit/changes/?{query}").status_code == 200


def test_a_base_of_others_cannot_be_asked_for(house: House, browse: Any) -> None:
    set_role(house.base, house.viewer, "editor", house.owner)
    own = browse(house.auditor, f"/audit/changes/?base={house.base.pk}")
    foreign = browse(house.stranger, f"/audit/changes/?base={house.base.pk}")
    assert b"Viewer \xe2\x86\x92 Editor" in own.content and b"Viewer \xe2\x86\x92 Editor" not in foreign.content
