"""A measure that leaves its range opens one alert, told on the page, by mail and on record, until it is back."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from django.utils.translation import override
from pytest_django import Settings

from accounts.models import User
from audit.alerts import tasks
from audit.alerts.measures import MEASURES, read_measure, say_value
from audit.alerts.watching import AlarmLimit, limits_of, open_alerts, people_told, set_limits, settle, watch_measures
from audit.conftest import House, MakeRun
from audit.models import Alert
from audit.proof.verification import verify
from audit.review.reviewing import Opinion, review
from ledger.models import Event
from llm.models import Charge
from retrieval.models import RetrievalRun

Browse = Callable[..., Any]
SignedIn = Callable[[User], Client]


def wants(house: House, name: str, limit: str | None, least: int) -> None:
    wanted = AlarmLimit(Decimal(limit) if limit else None, least)
    set_limits(house.base, limits_of(house.base) | {name: wanted}, house.owner)


def opened(house: House) -> list[str]:
    tasks.watch()
    return [alert.measure for alert in Alert.objects.filter(base=house.base, closed_at=None)]


@pytest.fixture
def mails(settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True


def test_three_questions_alarm_nobody(house: House, make_run: MakeRun) -> None:
    for changes in ({"status": "failed"}, {"status": "not_found"}, {"status": "failed"}):
        review(make_run("primary", **changes), None, house.auditor, Opinion("wrong", reason="The page says otherwise."))
    assert opened(house) == []


@pytest.mark.parametrize(
    ("name", "changes", "value"),
    [
        ("not_found", {"status": "not_found"}, "66.67"),
        ("not_found", {"status": "cannot_tell"}, "66.67"),
        ("failures", {"status": "failed"}, "66.67"),
    ],
)
def test_a_rate_counts_the_runs_of_its_days(
    house: House, make_run: MakeRun, name: str, changes: dict[str, Any], value: str
) -> None:
    for each in (changes, changes, {}):
        make_run("primary", **each)
    make_run("primary", created_at=timezone.now() - timedelta(days=8), **changes)
    found = read_measure(house.base, name)
    assert (round(found.value, 2), found.of) == (Decimal(value), 3)


def test_wrong_answers_repairs_and_cost_are_read_from_the_record(
    house: House, make_run: MakeRun, make_call: Any
) -> None:
    runs = [make_run("primary supporting") for _ in range(2)]
    review(runs[0], None, house.auditor, Opinion("wrong", reason="The page says otherwise."))
    review(runs[1], None, house.auditor, Opinion("agree"))
    assert read_measure(house.base, "wrong") == (Decimal(50), 2, "")
    assert read_measure(house.base, "repairs") == (Decimal(100), 4, "")
    call = make_call()
    Charge.objects.create(call=call, amount=Decimal("1.25"), currency="USD", price={})
    make_run("primary", llm_call=call)
    assert read_measure(house.base, "cost") == (Decimal("1.25"), 1, "USD")


def test_an_alert_opens_once_and_closes_when_the_value_is_back(
    house: House, make_run: MakeRun, browse: Browse, mails: None
) -> None:
    wants(house, "failures", "30", 2)
    make_run("primary", status="failed")
    assert opened(house) == [], "one is fewer than two"
    make_run("primary", status="failed")
    assert opened(house) == opened(house) == ["failures"]
    event = Event.objects.get(kind="alert_opened")
    assert event.details == {"what": "failures", "value": "100.0 %", "limit": "30.0 %"}
    assert sorted(each.to[0] for each in mail.outbox) == ["auditor@example.org", "owner@example.org"]
    assert "Out of its range: Model governance, Stopped by an error: 100.0 % of 2" in mail.outbox[0].body
    for address in ("/audit/", "/audit/figures/", f"/audit/figures/?base={house.base.pk}"):
        shown = browse(house.auditor, address).content.decode()
        assert "Stopped by an error: when it opened 100.0 % of 2" in shown and "the limit was 30.0 %." in shown
        assert "100.0 %" not in browse(house.asker, address).content.decode(), "a member sees no alert"
    assert open_alerts(house.stranger) == []
    for _ in range(5):
        make_run("primary")
    assert opened(house) == ["failures"], "2 of 7 is below the limit, but not by enough"
    make_run("primary")
    assert opened(house) == []
    assert Event.objects.filter(kind="alert_closed").count() == 1 and len(mail.outbox) == 4
    assert "The alert is closed: Model governance, Stopped by an error: 25.0 % of 8" in mail.outbox[-1].body
    assert "Stopped by an error: when it opened" not in browse(house.auditor, "/audit/figures/").content.decode()
    assert verify().ok


def test_no_tick_stands_beside_a_value_beyond_its_limit_or_without_one(
    house: House, make_run: MakeRun, browse: Browse
) -> None:
    def shown() -> str:
        page: str = browse(house.owner, f"/audit/alerts/{house.base.pk}/").content.decode()
        return next(row for row in page.split("<tr") if "Stopped by an error" in row)

    wants(house, "failures", "60", 1)
    make_run("primary")
    assert "s-ok" in shown()
    make_run("primary", status="failed")
    assert "s-ok" in shown(), "50 % is within 60"
    wants(house, "failures", "30", 1)
    assert "s-warn" in shown() and "s-ok" not in shown(), "the hour that opens the alert is still to come"
    opened(house)
    assert "s-fail" in shown()
    wants(house, "failures", None, 1)
    opened(house)
    assert '<span class="state' not in shown() and "50.0 %" in shown()


@pytest.mark.parametrize(
    ("language", "limit", "value"), [("de", "12,5", "12,50"), ("fr", "0", "0,00"), ("fr", "0,25", "0,25")]
)
def test_limits_are_shown_and_typed_as_in_the_readers_language(
    house: House, signed_in: SignedIn, settings: Settings, language: str, limit: str, value: str
) -> None:
    page, client = f"/audit/alerts/{house.base.pk}/", signed_in(house.owner)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    sent = {f"{name}_limit": "" for name in MEASURES} | {f"{name}_least": "5" for name in MEASURES}
    assert client.post(f"{page}limits/", sent | {"wrong_limit": limit}).status_code == 302
    assert limits_of(house.base)["wrong"].limit == Decimal(limit.replace(",", "."))
    [field] = re.findall(r'<input[^>]*name="wrong_limit"[^>]*>', client.get(page).content.decode())
    assert f'value="{value}"' in field


@pytest.mark.parametrize(("language", "told"), [("en", "66.7 %"), ("de", "66,7\u00a0%"), ("fr", "66,7\u00a0%")])
def test_a_rate_is_said_in_the_readers_language(language: str, told: str) -> None:
    with override(language):
        assert say_value(Decimal(200) / 3) == told


def test_a_raised_limit_closes_it_by_the_limit_there_is(house: House, make_run: MakeRun, mails: None) -> None:
    wants(house, "failures", "30", 1)
    make_run("primary", status="failed")
    make_run("primary")
    assert opened(house) == ["failures"]
    wants(house, "failures", "60", 1)
    assert opened(house) == [] and "50.0 % of 2 questions in 7 days; the limit is 60.0 %." in mail.outbox[-1].body
    assert Alert.objects.get().limit == 30, "what opened it stays"


def test_a_limit_that_was_removed_is_not_named(house: House, make_run: MakeRun, mails: None) -> None:
    wants(house, "failures", "30", 1)
    make_run("primary", status="failed")
    assert opened(house) == ["failures"] and "the limit is 30.0 %." in mail.outbox[-1].body
    wants(house, "failures", None, 1)
    assert opened(house) == [] and "in 7 days; it is not watched any more." in mail.outbox[-1].body
    assert "the limit is" not in mail.outbox[-1].body


def test_of_two_workers_one_opens_it_and_one_closes_it(house: House, make_run: MakeRun) -> None:
    wants(house, "failures", "30", 1)
    make_run("primary", status="failed")
    seen = next(each for each in watch_measures(house.base) if each.name == "failures")
    assert settle(house.base, seen) is not None and settle(house.base, seen) is None
    wants(house, "failures", None, 1)
    seen = next(each for each in watch_measures(house.base) if each.name == "failures")
    assert settle(house.base, seen) is not None and settle(house.base, seen) is None
    kinds = Event.objects.filter(kind__startswith="alert_").values_list("kind", flat=True)
    assert sorted(kinds) == ["alert_closed", "alert_limits_changed", "alert_limits_changed", "alert_opened"]


def test_a_mail_server_that_refuses_leaves_the_alert(house: House, make_run: MakeRun, settings: Settings) -> None:
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    wants(house, "failures", "30", 1)
    make_run("primary", status="failed")
    assert opened(house) == ["failures"]


def test_mail_goes_to_living_owners_and_auditors_alone(house: House) -> None:
    assert [person.name for person in people_told(house.base)] == ["Owner", "Auditor"]
    User.objects.filter(pk=house.auditor.pk).update(is_active=False)
    assert [person.name for person in people_told(house.base)] == ["Owner"]


def test_owners_change_the_limits_on_record(house: House, signed_in: SignedIn, browse: Browse) -> None:
    page, address = f"/audit/alerts/{house.base.pk}/", f"/audit/alerts/{house.base.pk}/limits/"
    sent = {f"{name}_limit": "" for name in MEASURES} | {f"{name}_least": "5" for name in MEASURES}
    assert "Change the limits" in browse(house.owner, page).content.decode()
    assert "Change the limits" not in browse(house.auditor, page).content.decode()
    for person in (house.auditor, house.viewer, house.stranger):
        assert signed_in(person).post(address, sent).status_code == 404
    client = signed_in(house.owner)
    for wrong in ({"wrong_limit": "101"}, {"wrong_limit": "NaN"}, {"cost_least": "0"}, {"cost_limit": "1e99"}):
        assert client.post(address, sent | wrong).status_code == 400
    assert limits_of(house.base)["wrong"] == (Decimal(10), 10)
    for _ in range(2):
        assert client.post(address, sent | {"wrong_limit": "12.5"}).status_code == 302
    assert limits_of(house.base)["wrong"] == (Decimal("12.5"), 5)
    assert limits_of(house.base)["cost"].limit is None
    event = Event.objects.get(kind="alert_limits_changed")
    assert event.details["wrong"] == ["10 of 10", "12.5 of 5"] and event.details["cost"][1] == "never"
    assert browse(house.owner, "/audit/changes/").status_code == 200
    assert not RetrievalRun.objects.exists()


def test_the_page_says_one_question_and_whether_anything_is_mailed(
    house: House, make_run: MakeRun, client: Client, settings: Settings
) -> None:
    make_run()
    client.force_login(house.owner)
    page = client.get(f"/audit/alerts/{house.base.pk}/").content.decode()
    assert "1 question<" in page and "1 questions" not in page
    assert "mail is not set up here" in page
    assert "0.00 in the currency of the prices, too few to tell" in " ".join(page.split()), "no percentage"
    for label in ("Now", "Alarms beyond", "if there are at least"):
        assert page.count(f'data-label="{label}"') == len(MEASURES), "which narrow screens show before the value"
    settings.MAIL_CONFIGURED = True
    assert "It is mailed to the owners" in client.get(f"/audit/alerts/{house.base.pk}/").content.decode()
