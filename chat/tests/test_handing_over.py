"""What the shell read and asked before the first owner came belongs to that owner; nothing of anybody else's does."""

import uuid

import pytest
from django.test import Client

from accounts.models import User
from chat.asking import keep_question
from chat.handing_over import FILES_NAME, hand_over_all
from chat.management.commands.ask import command_base, find_user
from chat.models import Conversation
from chat.scope import QuestionScope
from chat.turns import demo
from documents import access
from documents.access import create_base, role_in
from documents.models import Role
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db


def test_the_first_owner_sees_what_the_shell_read_and_asked(client: Client) -> None:
    shell = find_user(None)
    asked_of, made_by_ingest = command_base(shell), create_base(shell, "Made by ingest")
    sample = demo.demo_base(demo.demo_user())
    turn = keep_question(shell, QuestionScope(asked_of), "What?", "fast", form_id=uuid.uuid4())
    owner = User.objects.create_user("owner@example.org", is_superuser=True)
    hand_over_all(owner)
    hand_over_all(owner)
    assert {role_in(owner, base) for base in (asked_of, made_by_ingest, sample)} == {Role.OWNER}
    assert Conversation.objects.get(pk=turn.conversation_id).user == owner
    assert command_base(shell) == asked_of, "the shell goes on in its base"
    client.force_login(owner)
    assert "console" not in on_one_line(client.get("/audit/changes/")), "the link made it theirs"
    assert FILES_NAME in on_one_line(client.get("/bases/")) and "What?" in on_one_line(client.get("/ask/"))


def test_what_has_an_owner_who_can_sign_in_stays_theirs() -> None:
    person, owner = (User.objects.create_user(f"{name}@example.org") for name in ("person", "owner"))
    theirs = create_base(person, "Theirs")
    keep_question(person, QuestionScope(theirs), "What?", "fast", form_id=uuid.uuid4())
    access.set_role(theirs, find_user(None), Role.EDITOR)
    hand_over_all(owner)
    assert role_in(owner, theirs) == "" and Conversation.objects.get().user == person
