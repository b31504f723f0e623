"""The parts of `manage.py ask`: who asks, of what, each mistake in one sentence, and what a terminal is shown."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from audit.conftest import PASSAGE, House, MakeAnswer, MakeRun
from chat.handing_over import FILES_NAME, SHELL_EMAIL
from chat.management.commands.ask import (
    SHELL_NAME,
    Command,
    as_text,
    command_base,
    find_document,
    find_user,
    open_scope,
    without_surrogates,
)
from chat.models import Conversation, Turn
from chat.scope import ScopeError
from chat.turns.replies import answer_json
from documents.access import create_base, delete_base, find_base
from documents.models import Document, KnowledgeBase, Membership, Role
from ledger.models import Event

pytestmark = pytest.mark.django_db
NOBODY = "5d8f0a7e-0000-4000-8000-000000000000"
NO_TEXT = "\udcff\udcfe"  # what a shell passes for bytes that are not UTF-8


@pytest.fixture
def readable(house: House) -> House:
    """The document can be asked."""
    Document.objects.update(current_parse=house.parse)
    return house


# ---- who asks


def test_without_a_name_the_command_line_asks_and_nobody_can_sign_in_as_it() -> None:
    user = find_user(None)
    assert find_user(None) == user and (user.email, user.name) == (SHELL_EMAIL, SHELL_NAME)
    assert not user.is_active and not user.has_usable_password() and User.objects.count() == 1


@pytest.mark.parametrize("email", ["asker@example.org", "ASKER@Example.ORG"])
def test_a_person_is_found_by_address_in_capitals_or_not(house: House, email: str) -> None:
    assert find_user(email) == house.asker


@pytest.mark.parametrize("email", ["", "nobody@example.org", "asker", "%", "asker@example.org ", NO_TEXT])
def test_an_address_nobody_has_is_told_and_nobody_is_made(house: House, email: str) -> None:
    before = User.objects.count()
    with pytest.raises(CommandError, match="There is no user"):
        find_user(email)
    assert User.objects.count() == before


# ---- of what


def test_files_of_the_command_line_lie_in_one_base_that_administrators_see() -> None:
    owner = User.objects.create_user("owner@example.org", None, is_superuser=True)
    gone = User.objects.create_user("gone@example.org", None, is_superuser=True, is_active=False)
    base = command_base(find_user(None))
    assert command_base(find_user(None)) == base and base.name == FILES_NAME
    members = {membership.user for membership in Membership.objects.filter(base=base, role=Role.OWNER)}
    assert members == {find_user(None), owner} and gone not in members
    given = Event.objects.get(kind="role_changed")
    assert (given.actor, given.details["member"], given.details["after"]) == ("console", owner.pk, "owner")


def test_a_person_has_a_base_for_files_of_their_own() -> None:
    """Nobody becomes an owner of files that others asked."""
    User.objects.create_user("owner@example.org", None, is_superuser=True)
    one, other = (User.objects.create_user(f"{name}@example.org", None) for name in ("one", "other"))
    bases = [command_base(person) for person in (find_user(None), one, other)]
    assert len(set(bases)) == 3 and [base.name for base in bases] == [FILES_NAME] * 3
    assert command_base(one) == bases[1]
    assert [membership.user for membership in Membership.objects.filter(base=bases[1])] == [one]


def test_a_role_somebody_has_in_it_is_left(house: House) -> None:
    base = command_base(find_user(None))
    User.objects.filter(pk=house.viewer.pk).update(is_superuser=True)
    Membership.objects.create(base=base, user=house.viewer, role=Role.VIEWER)
    assert command_base(find_user(None)) == base
    assert Membership.objects.get(base=base, user=house.viewer).role == Role.VIEWER


def test_a_base_of_that_name_that_somebody_else_made_is_not_taken(house: House) -> None:
    theirs = create_base(house.owner, FILES_NAME)
    base = command_base(find_user(None))
    assert base != theirs and not Membership.objects.filter(base=theirs, user__email=SHELL_EMAIL).exists()
    delete_base(base, house.owner)
    assert command_base(find_user(None)) not in (base, theirs)


def test_a_base_is_named_or_given_by_its_id(house: House) -> None:
    assert find_base("Model governance") == find_base(str(house.base.pk)) == house.base


@pytest.mark.parametrize("name", ["", "model governance", "Model", "%", NOBODY, "x" * 300, NO_TEXT])
def test_a_name_no_base_has_is_told(house: House, name: str) -> None:
    with pytest.raises(CommandError, match="There is no base named"):
        find_base(without_surrogates(name))


def test_a_name_two_bases_have_is_told(house: House) -> None:
    KnowledgeBase.objects.create(name="Elsewhere")
    with pytest.raises(CommandError, match="several bases named Elsewhere; give the id"):
        find_base("Elsewhere")


@pytest.mark.parametrize("given", ["", "paper.pdf", NOBODY, "/no/such/file", "x" * 300, NO_TEXT])
def test_what_is_no_document_is_told(house: House, given: str) -> None:
    with pytest.raises(CommandError, match="neither a file nor the id of a document"):
        find_document(given)


def test_the_shell_may_ask_any_base_and_the_members_list_shows_it(readable: House) -> None:
    user = find_user(None)
    assert open_scope(user, readable.base, None).base == readable.base
    open_scope(user, readable.base, None)
    assert Membership.objects.get(user=user, base=readable.base).role == Role.VIEWER
    given = Event.objects.get(kind="role_changed", subject=f"base:{readable.base.pk}", details__member=user.pk)
    assert (given.actor, given.details["after"]) == ("console", "viewer"), "on record, once"


def test_who_asks_as_a_person_sees_what_the_person_sees(readable: House) -> None:
    assert open_scope(readable.asker, readable.base, readable.asker.email).base == readable.base
    with pytest.raises(ScopeError):
        open_scope(readable.stranger, readable.base, readable.stranger.email)
    assert not Membership.objects.filter(user=readable.stranger, base=readable.base).exists()


@pytest.mark.parametrize("given", ["document", "base"])
def test_the_scope_is_what_was_given(readable: House, given: str) -> None:
    options: dict[str, Any] = {"base": None, "document": None, "user": None}
    options[given] = str(getattr(readable, given).pk)
    scope = Command().find_scope(find_user(None), options)
    assert scope.base == readable.base and scope.documents == ((readable.document,) if given == "document" else ())


@pytest.mark.parametrize("given", ["x" * 5_000, "a/" * 3_000, "."], ids=["long name", "long path", "folder"])
def test_a_path_no_file_can_have_is_told(house: House, given: str) -> None:
    with pytest.raises(CommandError, match="neither a file nor the id"):
        Command().find_scope(find_user(None), {"base": None, "document": given, "user": None})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "one of the arguments --document --base is required"),
        (["--base", "a", "--document", "b"], "not allowed with argument"),
        (["--base", "a", "--mode", "hasty"], "invalid choice: 'hasty'"),
        (["--base", "a", "--arbiter", "dice"], "invalid choice: 'dice'"),
    ],
)
def test_options_that_do_not_fit_are_told(options: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("ask", "What?", *options)
    assert not User.objects.exists()


def test_a_document_in_the_trash_is_not_asked(readable: House) -> None:
    Document.objects.update(trashed_at=timezone.now())
    with pytest.raises(CommandError, match="cannot be asked"):
        call_command("ask", "What?", document=str(readable.document.pk))
    assert not Turn.objects.exists()


# ---- what is shown


@pytest.fixture
def turn(make_run: MakeRun, make_answer: MakeAnswer) -> Turn:
    return make_answer(make_run()).turn


def test_a_terminal_is_shown_answer_and_citations(turn: Turn) -> None:
    text = as_text(turn)
    assert text.startswith("It is computed from dot products. [1]")
    assert text.endswith(f"[1] p. 1 (printed p1) · Section 1 · Attention paper\n    {PASSAGE}")


def test_a_note_comes_before_the_answer(make_run: MakeRun, make_answer: MakeAnswer) -> None:
    text = as_text(make_answer(make_run(), note="This answer is quoted.").turn)
    assert text.split("\n\n")[:2] == ["This answer is quoted.", "It is computed from dot products. [1]"]


@pytest.mark.parametrize(("kind", "outcome"), [("not_found", "Not found"), ("cannot_tell", "Cannot tell")])
def test_an_absence_names_the_words_that_were_searched(
    make_run: MakeRun, make_answer: MakeAnswer, kind: str, outcome: str
) -> None:
    text = as_text(make_answer(make_run(), kind=kind, text="Nothing speaks of it.", note="Never shown.").turn)
    assert text.startswith(f"{outcome}.\n\nNothing speaks of it.\n\nWords searched: attention 91")
    assert "Never shown." not in text


def test_a_turn_without_an_answer_says_so(house: House) -> None:
    conversation = Conversation.objects.create(base=house.base, user=house.asker, title="x")
    assert as_text(Turn(conversation=conversation, number=1, question="?")) == "No answer was written."


def test_the_answer_for_programs_holds_every_citation(turn: Turn, house: House) -> None:
    read = json.loads(json.dumps(answer_json(turn.answer)))
    [citation] = read["citations"]
    assert (citation["marker"], citation["quote"], citation["document_id"]) == (1, PASSAGE, str(house.document.pk))
    assert (citation["page"], citation["lines"], read["kind"], read["ended"]) == (1, [1, 2], "generated", "complete")
