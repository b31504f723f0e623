"""Links to answers: who makes, opens and revokes them, what they show, and what stays closed."""

import re
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User, token_digest
from audit.keeping.erasure import Erasing, erase_person
from chat.asking import keep_question
from chat.conftest import ABSENT_QUESTION, RENT_QUESTION, Ask
from chat.models import Conversation, Share, Turn
from chat.scope import QuestionScope
from chat.sharing import links
from chat.turns.conductor import answer_turn
from documents import access
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from documents.tests.files import make_pdf
from ledger.models import Event

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = ("shared", "unshared", "share_opened")


@pytest.fixture
def answered(ask: Ask) -> Turn:
    turn = ask()
    answer_turn(turn.pk)
    turn.refresh_from_db()
    return turn


@pytest.fixture
def allowed(base: KnowledgeBase) -> KnowledgeBase:
    return set_links(base, "on")


def set_links(base: KnowledgeBase, value: str) -> KnowledgeBase:
    KnowledgeBase.objects.filter(pk=base.pk).update(settings=base.settings | {"outside_links": value})
    base.refresh_from_db()
    return base


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def form_address(turn: Turn) -> str:
    return reverse("chat:share", args=[turn.conversation_id])


def make_outside(turn: Turn, user: User, **fields: Any) -> str:
    """The path of a new link for somebody outside, made on the page."""
    sent = {"whom": "outside", "days": 3, "turn": turn.pk} | fields
    response = signed_in(user).post(form_address(turn), sent)
    assert response.status_code == 200, response.content.decode()
    return "/" + str(response.context["link"]).split("/", 3)[3]


def recorded() -> list[tuple[str, str]]:
    return list(Event.objects.filter(kind__in=KINDS).order_by("created_at").values_list("kind", "actor"))


# ---- for the people of the base


def test_a_member_reads_what_a_colleague_shared_until_they_leave(answered: Turn, tenant: User, viewer: User) -> None:
    made = signed_in(tenant).post(form_address(answered), {"whom": "members", "turn": answered.pk})
    path = "/" + made.context["link"].split("/", 3)[3]
    page = signed_in(viewer).get(path)
    html = page.content.decode()
    assert page.status_code == 200 and "12,500 euros" in html and RENT_QUESTION in html
    assert "<form" not in html.partition("<main")[2].partition("</main>")[0]
    access.remove_member(access.find_base("Leases"), viewer)
    assert signed_in(viewer).get(path).status_code == 404
    assert recorded() == [("shared", "Tenant"), ("share_opened", "Viewer")]
    assert Share.objects.get().openings == 1


def test_the_same_is_shared_once_and_a_conversation_that_went_on_anew(answered: Turn, tenant: User, ask: Ask) -> None:
    whole = links.share_inside(tenant, answered.conversation)
    assert links.share_inside(tenant, answered.conversation) == whole
    document = Document.objects.get()
    keep_question(
        tenant,
        QuestionScope(document.base, (document,)),
        ABSENT_QUESTION,
        "balanced",
        form_id=uuid.uuid4(),
        conversation=answered.conversation,
    )
    later = links.share_inside(tenant, answered.conversation)
    assert later != whole
    answer_turn(answered.conversation.turns.get(number=2).pk)
    assert [links.turns_shown(share).count() for share in (whole, later)] == [1, 2]


def test_nobody_shares_what_is_not_theirs_or_not_there(answered: Turn, viewer: User, tenant: User, ask: Ask) -> None:
    for address in (form_address(answered), reverse("chat:share", args=[uuid.uuid4()])):
        assert signed_in(viewer).get(address).status_code == 404
        assert signed_in(viewer).post(address, {"whom": "members"}).status_code == 404
    other = ask("Who repairs the roof?")
    for turn in (other.pk, uuid.uuid4(), "x", "\x00"):
        assert signed_in(tenant).post(form_address(answered), {"whom": "members", "turn": turn}).status_code == 404
    waiting = signed_in(tenant).post(form_address(other), {"whom": "members"})
    assert waiting.status_code == 400 and "no answer to show yet" in waiting.content.decode()
    assert not Share.objects.exists()


def test_a_conversation_has_so_many_open_links(
    answered: Turn, tenant: User, allowed: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "OPEN_MAX", 1)
    make_outside(answered, tenant)
    refused = signed_in(tenant).post(form_address(answered), {"whom": "outside", "days": 3})
    assert refused.status_code == 400 and Share.objects.count() == 1


# ---- for somebody outside


def test_a_base_allows_no_link_for_outside_unless_its_owner_says_so(answered: Turn, tenant: User) -> None:
    page = signed_in(tenant).get(form_address(answered))
    assert "switched off in this base" in page.content.decode() and 'name="days"' not in page.content.decode()
    address = f"/bases/{answered.conversation.base_id}/settings/"
    assert f'href="{address}?more=1#id_outside_links"' in page.content.decode()
    assert '<details class="wide" open>' in (shown := signed_in(tenant).get(f"{address}?more=1").content.decode())
    assert 'id="id_outside_links"' in shown and f'href="/audit/keeping/{answered.conversation.base_id}/"' in shown
    assert '<details class="wide" open>' not in signed_in(tenant).get(address).content.decode()
    refused = signed_in(tenant).post(form_address(answered), {"whom": "outside", "days": 3})
    assert refused.status_code == 400 and not Share.objects.exists() and recorded() == []


@pytest.mark.parametrize("days", ["", "0", "2", "365", "-1", "1e9", "\u0663", "9" * 400])
def test_only_a_few_days_can_be_chosen(answered: Turn, tenant: User, allowed: KnowledgeBase, days: str) -> None:
    refused = signed_in(tenant).post(form_address(answered), {"whom": "outside", "days": days})
    assert refused.status_code == 400 and not Share.objects.exists()


def test_a_stranger_reads_the_answer_and_gets_nowhere_else(
    answered: Turn, tenant: User, allowed: KnowledgeBase, client: Client
) -> None:
    path = make_outside(answered, tenant)
    token = path.strip("/").split("/")[1]
    share = Share.objects.get()
    assert share.digest == token_digest(token) and token not in str(vars(share))
    page = client.get(path)
    html = page.content.decode()
    assert page.status_code == 200 and "12,500 euros" in html and "Either party may end" not in page_text_alone(html)
    addresses = re.findall(r'(?:href|src|action|hx-get|data-before|data-after)="([^"]*)"', html)
    assert {each.split("#")[0] for each in addresses if not each.startswith("/static/")} <= {""}
    assert "as far as rules can tell" in html, "how sure the rules are is said to a stranger too"
    assert "<form" not in html and "<script" not in html
    assert "noindex" in page["X-Robots-Tag"] and page["Referrer-Policy"] == "no-referrer"
    assert "no-store" in page["Cache-Control"] and "script-src" not in page["Content-Security-Policy"]
    assert not page.cookies
    assert recorded() == [("shared", "Tenant"), ("share_opened", links.SOMEBODY)]
    assert all(token not in str(event.details) for event in Event.objects.all())


def page_text_alone(html: str) -> str:
    """What the answer itself says, without the pages it is cited from."""
    return html.partition('class="shared-page"')[0]


def test_wrong_expired_revoked_erased_deleted_and_forbidden_look_the_same(
    answered: Turn, tenant: User, allowed: KnowledgeBase, client: Client
) -> None:
    paths = [make_outside(answered, tenant) for _ in range(3)]
    wrong = client.get("/shared/" + "x" * 43 + "/")
    assert wrong.status_code == 404 and "This link no longer opens" in wrong.content.decode()
    assert wrong.headers["X-Robots-Tag"].startswith("noindex")

    def is_closed(path: str) -> bool:
        gone = client.get(path)
        return gone.status_code == 404 and said(gone, path) == said(wrong, "/shared/" + "x" * 43 + "/")

    assert not is_closed(paths[0])
    set_links(allowed, "off")
    assert is_closed(paths[0])
    set_links(allowed, "on")
    Conversation.objects.update(deleted_at=timezone.now())
    assert is_closed(paths[0])
    Conversation.objects.update(deleted_at=None)
    assert not is_closed(paths[0])
    newest, middle, _ = Share.objects.all()
    Share.objects.filter(pk=newest.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    links.revoke_link(middle, tenant)
    links.revoke_link(middle, tenant)
    assert is_closed(paths[2]) and is_closed(paths[1])
    listed = signed_in(tenant).get("/ask/links/").content.decode()
    states = [listed.count(f"</svg>{words}</span>") for words in ("Expired", "Revoked", "Can be opened")]
    assert states == [1, 1, 1] and listed.count("/revoke/") == 1
    erase_person(tenant, Erasing("Owner", "asked for"))
    assert is_closed(paths[0]) and not Share.objects.exists()
    assert [kind for kind, _ in recorded()].count("unshared") == 1


def said(response: Any, path: str) -> str:
    text = re.sub(r'(csrfmiddlewaretoken" value=")[^"]+', r"\1", response.content.decode())
    return text.replace(path, "")


def test_who_leaves_the_base_or_is_disabled_shows_nothing_any_more(
    answered: Turn, viewer: User, tenant: User, allowed: KnowledgeBase, ask: Ask, client: Client
) -> None:
    own = ask(user=viewer)
    answer_turn(own.pk)
    path = make_outside(own, viewer)
    User.objects.filter(pk=viewer.pk).update(is_active=False)
    assert client.get(path).status_code == 404
    User.objects.filter(pk=viewer.pk).update(is_active=True)
    assert client.get(path).status_code == 200
    access.remove_member(allowed, viewer)
    assert client.get(path).status_code == 404


def test_an_owner_sees_and_revokes_the_links_of_others(
    viewer: User, tenant: User, allowed: KnowledgeBase, ask: Ask, client: Client, stranger: User
) -> None:
    own = ask(user=viewer)
    answer_turn(own.pk)
    path, share = make_outside(own, viewer), Share.objects.get()
    listed = signed_in(tenant).get("/ask/links/").content.decode()
    assert "Something Viewer asked" in listed and RENT_QUESTION not in listed
    assert f'href="/audit/runs/{share.turn.run_id}/"' in listed, "an owner goes on to the record"  # type: ignore[union-attr]
    of_asker = signed_in(viewer).get(f"/ask/links/?base={allowed.pk}").content.decode()
    assert f'href="/ask/{share.conversation_id}/#turn-{share.turn_id}"' in of_asker and "Those of the base" in of_asker
    other = access.create_base(tenant, "Other")
    assert "Something Viewer asked" not in signed_in(tenant).get(f"/ask/links/?base={other.pk}").content.decode()
    for nobodys in ("x", uuid.uuid4()):
        assert "Something Viewer asked" in signed_in(tenant).get(f"/ask/links/?base={nobodys}").content.decode()
    revoke = reverse("chat:revoke", args=[share.pk])
    assert signed_in(stranger).post(revoke).status_code == 404
    assert str(share.pk) not in signed_in(stranger).get("/ask/links/").content.decode()
    assert signed_in(tenant).post(revoke).status_code == 302
    assert client.get(path).status_code == 404
    assert recorded() == [("shared", "Viewer"), ("unshared", "Tenant")]


def test_too_many_openings_are_refused(
    answered: Turn, tenant: User, allowed: KnowledgeBase, client: Client, settings: Settings
) -> None:
    path = make_outside(answered, tenant)
    settings.LINK_RATE = 2
    told = [client.get(path, REMOTE_ADDR="203.0.113.9") for _ in range(3)]
    assert [response.status_code for response in told] == [200, 200, 429] and int(told[2]["Retry-After"]) > 0
    assert Share.objects.get().openings == 2
    assert client.get(path, REMOTE_ADDR="203.0.113.10").status_code == 429  # the link is what is opened too often
    assert client.get("/shared/unknown/", REMOTE_ADDR="203.0.113.9").status_code == 429  # guesses count as well


# ---- pictures of pages


@pytest.fixture
def on_paper(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Turn:
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "images"
    path = tmp_path / "policy.pdf"
    path.write_bytes(make_pdf())
    document = ingest_path(path, base, tenant)
    asked = "How long are records of a supplier kept?"
    turn = keep_question(tenant, QuestionScope(base, (document,)), asked, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    turn.refresh_from_db()
    return turn


def test_only_cited_pages_have_a_picture(on_paper: Turn, tenant: User, base: KnowledgeBase, client: Client) -> None:
    set_links(base, "on")
    path = make_outside(on_paper, tenant)
    html = client.get(path).content.decode()
    pictures = set(re.findall(r'src="(/shared/[^"]+)"', html))
    cited = {citation.page for citation in on_paper.answer.citations.all()}
    assert len(pictures) == len(cited) > 0 and "hl-anchor" in html
    shown = client.get(pictures.pop())
    assert shown.status_code == 200 and shown["Content-Type"] == "image/webp" and "no-store" in shown["Cache-Control"]
    document = Document.objects.get()
    others = [number for number in range(1, 9) if number not in cited]
    for pk, number in [(document.pk, each) for each in others] + [(uuid.uuid4(), 1)]:
        assert client.get(f"{path}{pk}/{number}/").status_code == 404
    Document.objects.update(trashed_at=timezone.now())
    assert client.get(f"{path}{document.pk}/{cited.pop()}/").status_code == 404
    gone = client.get(path).content.decode()
    assert "can no longer be shown" in gone and "<img" not in gone and "<q" in gone
