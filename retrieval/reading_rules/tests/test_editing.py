"""A change of the rules is a new set, vouched for; an earlier one can be taken again (R103)."""

import pytest
from django.db import DatabaseError, transaction

from accounts.models import User
from audit.proof.verification import verify
from documents.models import KnowledgeBase
from ledger.models import Event
from retrieval.models import ReadingRuleSet
from retrieval.question.kinds import SHIPPED, RuleRow
from retrieval.reading_rules.editing import RulesChanged, change_rules, history_of, reading_rules_of
from retrieval.reading_rules.rows import RuleError

pytestmark = pytest.mark.django_db(transaction=True)
WIDGET = RuleRow("vague", "", "en", "widget")
GADGET = RuleRow("vague", "", "en", "gadget")


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner@example.org", "a long pass phrase", name="Owner")


def test_a_base_that_changed_nothing_reads_by_what_ships(base: KnowledgeBase) -> None:
    assert reading_rules_of(base) == SHIPPED


def test_a_change_is_kept_with_who_and_why_and_can_be_undone(base: KnowledgeBase, owner: User) -> None:
    change_rules(base, [WIDGET], "widgets are many", owner, seen=0)
    change_rules(base, [WIDGET, GADGET], "gadgets too", owner, seen=1)
    assert reading_rules_of(base).number == 2
    change_rules(base, [], "", owner, seen=2, again_of=1)
    assert reading_rules_of(base).rows == (WIDGET,)
    assert [(each.number, each.why, each.by_name, each.again_of) for each in history_of(base)] == [
        (3, "Number 1 again", str(owner), 1),
        (2, "gadgets too", str(owner), None),
        (1, "widgets are many", str(owner), None),
    ]
    change_rules(base, [], "", owner, seen=3, again_of=0)
    assert reading_rules_of(base).rows == ()
    assert Event.objects.filter(kind="reading_rules_changed").count() == 4
    assert verify().ok


def test_nothing_is_stored_without_a_change_a_reason_or_the_latest_number(base: KnowledgeBase, owner: User) -> None:
    change_rules(base, [WIDGET], "why", owner, seen=0)
    assert change_rules(base, [WIDGET], "again", owner, seen=1) is None
    with pytest.raises(RulesChanged):
        change_rules(base, [GADGET], "why", owner, seen=0)
    with pytest.raises(RuleError, match="Say why"):
        change_rules(base, [GADGET], " ", owner, seen=1)
    with pytest.raises(RuleError, match="no earlier rules"):
        change_rules(base, [], "", owner, seen=1, again_of=7)
    assert [each.number for each in history_of(base)] == [1]


def test_a_set_is_never_changed(base: KnowledgeBase, owner: User) -> None:
    change_rules(base, [WIDGET], "why", owner, seen=0)
    rows = ReadingRuleSet.objects.filter(base=base)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(rows=[])
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.delete()
