"""The page and the API of a base's rules of reading: everybody in it reads them, its owners change them (R103)."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents import access
from documents.models import KnowledgeBase, Role
from retrieval.models import MeaningVote
from retrieval.question.kinds import RuleRow, shipped_rows
from retrieval.reading_rules.editing import change_rules, history_of, reading_rules_of
from retrieval.reading_rules.votes import standings_of, vote_for_choice
from retrieval.record.storing import store_failed_run
from retrieval.types import Meaning, VagueWord

pytestmark = pytest.mark.django_db(transaction=True)
WIDGET = RuleRow("vague", "", "en", "widget")
NUMBER = {"kind": "printed", "name": "policy_number", "language": "", "text": r"\b[A-Z]{2}-\d{6}\b"}
NUMBER_ROW = RuleRow("printed", NUMBER["name"], "", NUMBER["text"])


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner@example.org", "a long pass phrase", name="Owner")


@pytest.fixture
def shared(owner: User) -> KnowledgeBase:
    return access.create_base(owner, "Policies")


@pytest.fixture
def site(client: Client, owner: User, shared: KnowledgeBase) -> Client:
    client.force_login(owner)
    return client


def address(name: str, base: KnowledgeBase) -> str:
    return reverse(f"reading_rules:{name}", args=[base.pk])


def test_an_owner_adds_a_row_and_takes_it_out(site: Client, shared: KnowledgeBase) -> None:
    site.post(address("rules", shared), {**NUMBER, "seen": 0})
    assert reading_rules_of(shared).rows == (NUMBER_ROW,)
    page = site.get(address("rules", shared)).content.decode()
    assert "policy_number" in page and "Take “\\b[A-Z]{2}-\\d{6}\\b” out" in page
    site.post(address("switch", shared), {**NUMBER, "seen": 1})
    assert [(each.number, each.why) for each in history_of(shared)] == [
        (2, r"Took out “\b[A-Z]{2}-\d{6}\b”"),
        (1, r"Added “\b[A-Z]{2}-\d{6}\b”"),
    ]
    site.post(address("again", shared), {"seen": 2, "again_of": 1})
    assert reading_rules_of(shared).rows == (NUMBER_ROW,)


def test_a_type_whose_values_nothing_describes_is_told(site: Client, shared: KnowledgeBase) -> None:
    words = {**NUMBER, "kind": "asks", "text": "policy number"}
    told = site.post(address("rules", shared), {**words, "seen": 0}, follow=True).content.decode()
    assert "No pattern says yet what values of the type “policy_number” look like" in told
    told = site.post(address("rules", shared), {**NUMBER, "seen": 1}, follow=True).content.decode()
    assert "The rules are stored" in told and "No pattern says yet" not in told


def test_what_is_refused_is_told_and_keeps_what_was_typed(site: Client, shared: KnowledgeBase) -> None:
    answer = site.post(address("rules", shared), {**NUMBER, "text": "(?<=No)x", "seen": 0})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "cannot be used" in page and 'value="policy_number"' in page
    assert history_of(shared) == []


def test_of_two_changes_the_second_is_told(site: Client, shared: KnowledgeBase, owner: User) -> None:
    change_rules(shared, [WIDGET], "why", owner, seen=0)
    assert site.post(address("rules", shared), {**NUMBER, "seen": 0}).status_code == 409
    assert len(history_of(shared)) == 1


def test_a_row_that_ships_is_switched_off_and_on(site: Client, shared: KnowledgeBase) -> None:
    row = shipped_rows()[0].row
    sent = {"kind": row.kind, "name": row.name, "language": row.language, "text": row.text}
    site.post(address("switch", shared), {**sent, "seen": 0})
    assert reading_rules_of(shared).off == {row.key}
    site.post(address("switch", shared), {**sent, "seen": 1})
    assert reading_rules_of(shared).off == set()
    assert site.post(address("switch", shared), {**sent, "text": "giraffe", "seen": 2}).status_code == 400


def test_the_file_goes_out_and_in_again(site: Client, shared: KnowledgeBase, owner: User) -> None:
    change_rules(shared, [WIDGET], "why", owner, seen=0)
    given = site.get(address("export", shared)).content
    change_rules(shared, [], "none", owner, seen=1)
    file = SimpleUploadedFile("rules.csv", given, "text/csv")
    site.post(address("import", shared), {"seen": 2, "file": file})
    assert reading_rules_of(shared).rows == (WIDGET,)
    wrong = SimpleUploadedFile("rules.csv", b"kind,text\nvalue,(a", "text/csv")
    assert site.post(address("import", shared), {"seen": 3, "file": wrong}).status_code == 400
    assert reading_rules_of(shared).number == 3


def test_what_was_learned_is_shown_and_reset(site: Client, shared: KnowledgeBase, owner: User) -> None:
    """(R23)"""
    cap = VagueWord("cap", (Meaning("liabil", "liability cap", 3), Meaning("annual", "annual cap", 1)))
    vote_for_choice(store_failed_run("q", "f", base=shared, user=owner, mode="fast"), cap, "liability cap")
    page = site.get(address("rules", shared)).content.decode()
    assert "liability cap" in page and "0.50" in page and "always asked" in page
    site.post(address("reset", shared), {"word": "cap", "document_type": ""})
    assert standings_of(shared) == [] and MeaningVote.objects.count() == 2
    assert site.post(address("reset", shared), {"word": "cap", "document_type": ""}).status_code == 400


def test_an_editor_reads_and_changes_nothing(client: Client, shared: KnowledgeBase) -> None:
    editor = User.objects.create_user("editor@example.org", "a long pass phrase")
    access.set_role(shared, editor, Role.EDITOR)
    client.force_login(editor)
    page = client.get(address("rules", shared))
    assert page.status_code == 200 and "new-rule" not in page.content.decode()
    assert client.get(address("export", shared)).status_code == 200
    for name in ("rules", "switch", "again", "import", "reset"):
        assert client.post(address(name, shared), {**NUMBER, "seen": 0}).status_code in (403, 404)
    assert history_of(shared) == []


# ---- API


def test_a_program_reads_and_replaces_the_rules(site: Client, shared: KnowledgeBase) -> None:
    there = reverse("api:reading_rules", args=[shared.pk])
    told = site.get(there).json()
    assert (told["number"], told["rows"], len(told["shipped"])) == (0, [], len(shipped_rows()))
    sent = {"rows": [NUMBER, {"kind": "vague", "language": "en", "text": "cap", "on": False}], "why": "x", "seen": 0}
    told = site.put(there, sent, "application/json").json()
    assert (told["number"], [row["on"] for row in told["rows"]]) == (1, [True, False])
    assert told["history"][0]["rows"] == told["rows"] and told["digest"] == reading_rules_of(shared).digest
    told = site.put(there, {"again_of": 0, "why": "back", "seen": 1}, "application/json").json()
    assert told["rows"] == []


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"rows": [{**NUMBER, "text": "(a"}], "why": "x", "seen": 0}, 400),
        ({"rows": [], "why": "x", "seen": 4}, 409),
        ({"rows": [], "again_of": 1, "why": "x", "seen": 0}, 400),
        ({"why": "x", "seen": 0}, 400),
        ({"rows": [{**NUMBER, "priority": 1}], "why": "x", "seen": 0}, 400),
    ],
)
def test_a_wrong_request_changes_nothing(
    site: Client, shared: KnowledgeBase, sent: dict[str, object], status: int
) -> None:
    there = reverse("api:reading_rules", args=[shared.pk])
    assert site.put(there, sent, "application/json").status_code == status
    assert history_of(shared) == []
