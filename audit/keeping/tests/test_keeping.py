"""The pages of changes and retention: who sees which change, and how an owner sets retention, holds and erasure."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from audit.conftest import House, MakeAnswer, MakeRun
from audit.keeping.changes import CHANGES_A_PAGE
from audit.keeping.retention import FLOOR_DAYS, days_kept
from audit.proof.verification import verify
from documents.access import set_role
from ledger.events import record
from ledger.holds import holds_on
from ledger.models import Event
from retrieval.models import RetrievalRun

pytestmark = pytest.mark.django_db
SignIn = Callable[[User], Client]
REASON = "Claim 2026-114 before the court"


def text_of(response: Any) -> str:
    words: str = response.content.decode()
    return words


def test_a_change_is_seen_by_those_who_audit_its_base_and_no_other(house: House, browse: Callable[..., Any]) -> None:
    set_role(house.base, house.viewer, "editor", house.owner)
    record("purged", "Olga", "document:7", {"base": str(house.base.pk), "title": "Old lease"})
    record("token_made", "Egon", "token:3", {"name": "for <b>nobody</b>"})
    for person in (house.owner, house.auditor):
        page = text_of(browse(person, "/audit/changes/"))
        assert "Viewer → Editor" in page
        assert "Old lease" in page
        assert "nobody" not in page
    assert "viewer → editor" not in text_of(browse(house.stranger, "/audit/changes/"))
    assert browse(house.viewer, "/audit/changes/").status_code == 404
    house.viewer.is_superuser = True
    house.viewer.save()
    page = text_of(browse(house.viewer, "/audit/changes/"))
    assert "for &lt;b&gt;nobody&lt;/b&gt;" in page


def test_changes_are_filtered_and_turned_by_page(house: House, browse: Callable[..., Any]) -> None:
    for number in range(CHANGES_A_PAGE + 3):
        record("trashed", "Olga" if number % 2 else "Egon", f"document:{number}", {"base": str(house.base.pk)})
    first = text_of(browse(house.owner, "/audit/changes/"))
    address = first.partition('href="?before=')[2].partition('"')[0]
    second = text_of(browse(house.owner, f"/audit/changes/?before={address}"))
    shown = [page.count("Document moved to the trash</td>") + page.count("document:") for page in (first, second)]
    assert shown == [CHANGES_A_PAGE, 3]
    assert text_of(browse(house.owner, "/audit/changes/?actor=egon")).count("document:") == 27
    assert text_of(browse(house.owner, "/audit/changes/?kind=purged")).count("document:") == 0
    assert browse(house.owner, "/audit/changes/?before=nonsense").status_code == 400


def test_an_auditor_reads_and_only_an_owner_changes(
    house: House, make_run: MakeRun, signed_in: SignIn, browse: Callable[..., Any]
) -> None:
    make_run()
    address = f"/audit/keeping/{house.base.pk}/"
    page = text_of(browse(house.auditor, address))
    assert '<form class="row draw"' not in page and "will be erased from the next hour on" not in page
    for person in (house.viewer, house.asker, house.stranger):
        assert browse(person, address).status_code == 404
    for action in ("days", "hold", "release", "erase"):
        for person in (house.auditor, house.viewer, house.stranger):
            assert signed_in(person).post(f"{address}{action}/").status_code == 404
    assert Event.objects.count() == 0


def test_an_owner_changes_the_rule_but_not_below_the_floor(house: House, signed_in: SignIn) -> None:
    client, address = signed_in(house.owner), f"/audit/keeping/{house.base.pk}/days/"
    assert "Kept for 400 days" in text_of(client.post(address, {"days": 400}, follow=True))
    assert "at least" in text_of(client.post(address, {"days": FLOOR_DAYS - 1}, follow=True))
    assert "Name a number" in text_of(client.post(address, {"days": "all"}, follow=True))
    assert days_kept(house.base) == 400


@pytest.mark.parametrize("what", ["base:{base}", "document:{document}", "base:{base}:user:{asker}"])
def test_an_owner_holds_and_releases_what_is_the_bases_own(
    house: House, make_run: MakeRun, signed_in: SignIn, what: str
) -> None:
    make_run()
    client, address = signed_in(house.owner), f"/audit/keeping/{house.base.pk}/"
    subject = what.format(base=house.base.pk, document=house.document.pk, asker=house.asker.pk)
    page = text_of(client.post(f"{address}hold/", {"subject": subject, "reason": REASON}, follow=True))
    assert REASON in page
    assert "Under legal hold" in page
    for data in ({"subject": subject, "reason": "done"}, {"subject": "user:1", "reason": REASON}, {}):
        client.post(f"{address}release/", data)
    assert [hold.by for hold in holds_on([subject])] == ["Owner"]
    assert "Released" in text_of(
        client.post(f"{address}release/", {"subject": subject, "reason": "The claim was settled"}, follow=True)
    )
    assert holds_on([subject]) == []


def test_a_hold_on_something_else_is_refused(house: House, signed_in: SignIn) -> None:
    client, address = signed_in(house.owner), f"/audit/keeping/{house.base.pk}/hold/"
    for subject in ("user:1", "base:00000000-0000-0000-0000-000000000000", "document:7", ""):
        page = client.post(address, {"subject": subject, "reason": REASON}, follow=True)
        assert "Choose what is held" in text_of(page)
    assert not Event.objects.exists()


def test_an_owner_erases_what_a_person_asked(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, signed_in: SignIn
) -> None:
    run = make_run()
    make_answer(run)
    client, address = signed_in(house.owner), f"/audit/keeping/{house.base.pk}/"
    asked = {"person": house.asker.pk, "reason": "Request of 3 March, article 17", "seen": "1-1-0-0-0-0"}
    for missing in ({"reason": "ok"}, {"person": house.stranger.pk}):
        assert "Nothing was erased" in text_of(client.post(f"{address}erase/", asked | missing, follow=True))
    client.post(f"{address}hold/", {"subject": f"base:{house.base.pk}:user:{house.asker.pk}", "reason": REASON})
    assert "legal hold" in text_of(client.post(f"{address}erase/", asked, follow=True))
    client.post(
        f"{address}release/", {"subject": f"base:{house.base.pk}:user:{house.asker.pk}", "reason": "It was settled."}
    )
    assert RetrievalRun.objects.get(pk=run.pk).question
    page = text_of(client.post(f"{address}erase/", asked, follow=True))
    assert "What Asker asked here is erased" in page
    assert "Nobody has asked anything here" in page
    assert RetrievalRun.objects.get(pk=run.pk).question == ""
    assert verify().ok
