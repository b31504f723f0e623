"""AT9: whoever asked is told when a reviewer judged the answer wrong, wherever the answer is shown."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.models import Review
from audit.review.reviewing import Opinion, review
from audit.runs.listing import list_runs
from chat.asking import keep_question
from chat.conftest import ABSENT_QUESTION, Ask
from chat.models import Turn
from chat.objections import find_objections
from chat.page.thread import conversation_groups
from chat.scope import QuestionScope
from chat.sharing import links
from chat.turns.conductor import answer_turn
from chat.turns.replies import read_turn
from documents import access
from documents.models import Document, Role

pytestmark = pytest.mark.django_db(transaction=True)
REASON = "That is the rent of <another> contract."
FOUND = 's-info"><svg class="i" aria-hidden="true"><use href="#i-info"/></svg><button type="button" class="term"'


@pytest.fixture
def turn(ask: Ask) -> Turn:
    turn = ask()
    answer_turn(turn.pk)
    return Turn.objects.select_related("run", "answer", "conversation__user", "conversation__base").get(pk=turn.pk)


@pytest.fixture
def auditor(turn: Turn) -> User:
    return add_member(turn, "auditor", Role.AUDITOR)


def add_member(turn: Turn, name: str, role: Role) -> User:
    user = User.objects.create_user(f"{name}@example.org", "a long pass phrase", name=name.capitalize())
    access.set_role(turn.conversation.base, user, role)
    return user


def judge(turn: Turn, by: User, outcome: str = "wrong", **opinion: Any) -> Review:
    assert turn.run is not None
    return review(turn.run, None, by, Opinion(outcome, reason=REASON, **opinion))


def page_of(user: User, path: str) -> str:
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client.get(path).content.decode()


def test_a_wrong_answer_says_so_on_its_card_with_the_reason(turn: Turn, auditor: User, tenant: User) -> None:
    path = reverse("chat:conversation", args=[turn.conversation_id])
    before = page_of(tenant, path)
    assert (
        FOUND in before and "Judged wrong" not in before.partition("<main")[2].partition('popover class="termbox"')[0]
    )
    judge(turn, auditor)
    page = page_of(tenant, path)
    assert FOUND not in page and 'data-outcome="Judged wrong"' in page
    assert "A reviewer judged this answer wrong." in page and "&lt;another&gt; contract" in page and "Auditor" in page


def test_the_list_the_copy_and_the_exports_say_so(turn: Turn, auditor: User, tenant: User) -> None:
    judge(turn, auditor, "unsupported")
    [(_, [listed])] = conversation_groups(tenant)
    assert listed.words == "1 question · Judged unsupported"
    exports = {
        form: page_of(tenant, reverse("chat:export", args=[turn.conversation_id, form])) for form in ("md", "json")
    }
    assert (
        "**A reviewer judged that the pages do not support this answer. Do not rely on it. Auditor: " in exports["md"]
    )
    [told] = json.loads(exports["json"])["turns"]
    assert told["objection"]["verdict"] == "unsupported" and told["objection"]["reason"] == REASON


def test_a_program_is_told(turn: Turn, auditor: User) -> None:
    assert read_turn(turn.pk)["objection"] is None
    judge(turn, auditor)
    told = read_turn(turn.pk)
    assert (told["status"], told["objection"]["verdict"], told["objection"]["reason"]) == ("found", "wrong", REASON)


def test_a_link_says_so_without_the_reason(turn: Turn, auditor: User, tenant: User, viewer: User) -> None:
    share = links.share_inside(tenant, turn.conversation, None)
    assert "Judged wrong" not in page_of(tenant, reverse("chat:links"))
    judge(turn, auditor)
    page = page_of(viewer, reverse("chat:shared", args=[share.pk]))
    assert "A reviewer judged this answer wrong." in page and "Judged wrong" in page
    assert "another" not in page and "Auditor" not in page
    assert "Judged wrong" in page_of(tenant, reverse("chat:links"))


@pytest.mark.parametrize("who", ["auditor", "nobody"])
def test_an_answer_given_again_says_so_and_the_reason_stays_with_who_may_read_it(
    turn: Turn, auditor: User, who: str
) -> None:
    """R39: a repeat is the same answer, so the verdict on the first is one on it; the first run may be another's."""
    other = auditor if who == "auditor" else add_member(turn, "colleague", Role.VIEWER)
    scope = QuestionScope(turn.conversation.base, tuple(Document.objects.all()))
    again = keep_question(other, scope, turn.question, turn.mode, form_id=uuid.uuid4())
    answer_turn(again.pk)
    again.refresh_from_db()
    assert again.run is not None and again.run.repeat
    judge(turn, add_member(turn, "second", Role.AUDITOR))  # nobody judges an answer they asked for
    found = find_objections([again.pk, turn.pk], other)
    assert {each.code for each in found.values()} == {"judged_wrong"} and len(found) == 2
    assert found[again.pk].reason == (REASON if who == "auditor" else "")


def test_a_verdict_that_was_taken_back_is_none(turn: Turn, auditor: User, tenant: User) -> None:
    first = judge(turn, auditor)
    judge(turn, auditor, "agree", previous_id=first.pk)
    assert find_objections([turn.pk], tenant) == {}


def test_a_blind_verdict_counts_where_there_is_no_other(turn: Turn, auditor: User, tenant: User) -> None:
    judge(turn, auditor, is_blind=True)
    assert find_objections([turn.pk], tenant)[turn.pk].code == "judged_wrong"
    judge(turn, add_member(turn, "second", Role.AUDITOR), "agree")
    assert find_objections([turn.pk], tenant) == {}


def test_an_answer_falls_with_the_last_primary_passage_it_cites(turn: Turn, auditor: User, tenant: User) -> None:
    assert turn.run is not None
    cited = list(turn.run.candidates.filter(citations__answer=turn.answer, role="primary").distinct())
    refused = turn.run.candidates.exclude(role__in=["primary", "supporting"]).first()
    if refused:
        review(turn.run, refused, auditor, Opinion("overrule", "supporting", "It helps."))
    assert cited and find_objections([turn.pk], tenant) == {}
    assert not list_runs([turn.run])[0].is_wrong
    for candidate in cited:
        review(turn.run, candidate, auditor, Opinion("overrule", "discarded", REASON))
    found = find_objections([turn.pk], tenant)[turn.pk]
    assert (found.code, found.reason) == ("judged_overruled", REASON)
    listed = list_runs([turn.run])[0]
    assert listed.is_wrong and listed.reviewed_as.words == "Overruled", "no list has a green tick for it"
    for path, is_told in (("/audit/", True), ("/audit/queue/?risk=second", False)):
        page = page_of(add_member(turn, f"second{len(path)}", Role.AUDITOR), path)
        line = page[page.index(f"/audit/runs/{turn.run_id}/") :]
        cell, verdict = (line.partition(name)[2].partition("</td>")[0] for name in ("c-status", "c-verdict"))
        assert cell and ("s-none" in cell) is is_told, "a second reviewer must not know what the first one said"
        assert ("Overruled" in verdict) is is_told
    judge(turn, auditor, "agree")
    assert find_objections([turn.pk], tenant) == {}, "the answer was found right after that"


def test_a_question_without_an_answer_says_so_too(ask: Ask, tenant: User) -> None:
    turn = ask(ABSENT_QUESTION)
    answer_turn(turn.pk)
    turn.refresh_from_db()
    judge(turn, add_member(turn, "auditor", Role.AUDITOR))
    page = page_of(tenant, reverse("chat:conversation", args=[turn.conversation_id]))
    assert "A reviewer judged this answer wrong." in page and 'data-outcome="Judged wrong"' in page


def test_a_question_that_still_waits_has_none(ask: Ask, tenant: User) -> None:
    assert find_objections([ask().pk, uuid.uuid4()], tenant) == {} == find_objections([], None)
