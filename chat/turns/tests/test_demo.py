"""Who holds the demonstration: nobody who can sign in, whoever administers, and then the first owner alone."""

import uuid

import pytest
from django.contrib.auth import authenticate

from accounts.models import User
from chat.asking import keep_question
from chat.models import Conversation, Turn
from chat.scope import QuestionScope
from chat.turns import demo
from documents import access
from documents.access import create_base, role_in
from documents.models import KnowledgeBase, Membership, Role

pytestmark = pytest.mark.django_db


def superuser(name: str, *, is_active: bool = True) -> User:
    return User.objects.create_user(f"{name}@example.org", "quiet-harbour-91", is_superuser=True, is_active=is_active)


def ask_something(holder: User, base: KnowledgeBase) -> Turn:
    return keep_question(holder, QuestionScope(base), demo.QUESTION, "balanced", form_id=demo.FORM_IDS[demo.QUESTION])


# ---- the person


def test_the_demonstrations_own_person_is_one_and_cannot_sign_in() -> None:
    person = demo.demo_user()
    assert demo.demo_user() == person and User.objects.count() == 1
    assert not person.is_active and not person.has_usable_password()
    for password in ("", "demo", person.password):
        assert authenticate(username=demo.DEMO_EMAIL, password=password) is None


# ---- the base


def test_there_is_one_base_for_one_holder() -> None:
    holder = demo.demo_user()
    base = demo.demo_base(holder)
    assert demo.demo_base(holder) == base and role_in(holder, base) == Role.OWNER


def test_an_owner_finds_the_base_of_the_demonstrations_person() -> None:
    base = demo.demo_base(demo.demo_user())
    owner = superuser("owner")
    assert demo.demo_base(owner) == base and role_in(owner, base) == Role.OWNER


def test_a_base_of_somebody_else_with_that_name_is_left_alone() -> None:
    person = User.objects.create_user("person@example.org", None)
    theirs = create_base(person, demo.BASE_NAME)
    holder = demo.demo_user()
    assert demo.demo_base(holder) != theirs
    assert role_in(holder, theirs) != Role.OWNER and Membership.objects.filter(base=theirs).count() == 1
    demo.hand_over(superuser("owner"))
    assert theirs == KnowledgeBase.objects.get(created_by=person)


def test_a_base_that_was_deleted_is_not_filled_again() -> None:
    holder = demo.demo_user()
    first = demo.demo_base(holder)
    access.delete_base(first, holder)
    assert demo.demo_base(holder) != first


def test_everybody_who_administers_and_is_active_owns_it_too() -> None:
    owner, gone = superuser("owner"), superuser("gone", is_active=False)
    person = User.objects.create_user("person@example.org", None)
    base = demo.demo_base(demo.demo_user())
    demo.share_demo_base(base)
    demo.share_demo_base(base)
    roles = dict(Membership.objects.filter(base=base).values_list("user__email", "role"))
    assert roles == {demo.DEMO_EMAIL: "owner", owner.email: "owner"}
    assert gone.email not in roles and person.email not in roles


# ---- handing over


def test_the_first_owner_takes_base_and_conversations_and_nobody_else_stays() -> None:
    holder = demo.demo_user()
    base = demo.demo_base(holder)
    ask_something(holder, base)
    owner = superuser("owner")
    demo.hand_over(owner)
    base.refresh_from_db()
    assert (base.created_by, Conversation.objects.get().user) == (owner, owner)
    assert list(Membership.objects.filter(base=base).values_list("user", "role")) == [(owner.pk, "owner")]
    assert demo.demo_base(owner) == base, "which loading again finds"


def test_conversations_of_others_stay_theirs() -> None:
    holder = demo.demo_user()
    base = demo.demo_base(holder)
    guest = User.objects.create_user("guest@example.org", None)
    access.set_role(base, guest, Role.VIEWER)
    keep_question(guest, QuestionScope(base), "What?", "fast", form_id=uuid.uuid4())
    demo.hand_over(superuser("owner"))
    assert Conversation.objects.get().user == guest and role_in(guest, base) == Role.VIEWER


def test_a_second_owner_takes_nothing() -> None:
    base = demo.demo_base(demo.demo_user())
    first, second = superuser("first"), superuser("second")
    demo.hand_over(first)
    demo.hand_over(second)
    base.refresh_from_db()
    assert base.created_by == first and role_in(second, base) != Role.OWNER


def test_what_was_not_loaded_is_not_handed_over() -> None:
    demo.hand_over(superuser("owner"))
    assert not KnowledgeBase.objects.exists() and not User.objects.filter(email=demo.DEMO_EMAIL).exists()


# ---- the questions


def test_each_question_has_a_form_of_its_own() -> None:
    asked = {demo.QUESTION, demo.ABSENT_QUESTION, *demo.RECORDED_QUESTIONS}
    assert set(demo.FORM_IDS) == asked and len(set(demo.FORM_IDS.values())) == 5
    assert demo.ASKED_OF in demo.SAMPLES


def test_a_question_asked_twice_is_one_turn() -> None:
    holder = demo.demo_user()
    base = demo.demo_base(holder)
    assert ask_something(holder, base) == ask_something(holder, base)
    assert Turn.objects.count() == 1
