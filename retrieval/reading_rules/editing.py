"""The rules of reading of a base: read for a question, and changed by its owners with history and undo (R103).

A change is a new set of rows that the ledger vouches for, with who made it, when and why; the sets before it stay.
"""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from documents.access import actor_of
from documents.guarding.guard import Guarded
from documents.models import KnowledgeBase
from ledger.events import record
from ledger.payload import Payload
from reading.characters import clean_name
from retrieval.dictionary.learned import learned_of
from retrieval.models import ReadingRuleSet
from retrieval.question.kinds import ReadingRules, RuleRow, digest_of_rows
from retrieval.reading_rules.rows import RuleError, check_rows
from retrieval.reading_rules.votes import defaults_of

RULE_SET = Payload.of_columns(
    "rule_set", "retrieval_readingruleset", "id base_id number rows digest why again_of by_id by_name created_at"
)
WHY_MAX = 300


class RulesChanged(RuleError):
    """Somebody changed them after the page was opened; nothing was stored."""

    def __init__(self) -> None:
        super().__init__(_("Somebody has changed the rules since you opened them. Nothing was stored; look again."))


def reading_rules_of(base: KnowledgeBase) -> ReadingRules:
    """How questions are read in a base now: what ships, what it changed, and what it learned of words."""
    newest = newest_of(base)
    return ReadingRules(stored_rows(newest), newest.number if newest else 0, defaults_of(base), learned_of(base))


def newest_of(base: KnowledgeBase) -> ReadingRuleSet | None:
    return ReadingRuleSet.objects.filter(base=base).order_by("-number").first()


def history_of(base: KnowledgeBase) -> list[ReadingRuleSet]:
    """Every set a base ever had, the newest first."""
    return list(ReadingRuleSet.objects.filter(base=base).order_by("-number"))


def stored_rows(stored: ReadingRuleSet | None) -> tuple[RuleRow, ...]:
    """The rows of a set; a base that has changed nothing has none."""
    return tuple(RuleRow(*row) for row in stored.rows) if stored else ()


def rules_state(base: KnowledgeBase) -> dict[str, object]:
    return {": ".join(filter(None, row.key)): "on" if row.is_on else "off" for row in stored_rows(newest_of(base))}


RULES = Guarded("rules", gettext_lazy("rules of reading"), rules_state, (RuleRow,))


@RULES.change
def change_rules(
    base: KnowledgeBase, rows: Iterable[RuleRow], why: str, by: User | None, *, seen: int, again_of: int | None = None
) -> ReadingRuleSet | None:
    """Store a new set of rows; None if it is the one that counts already. `seen` is the number its author saw.

    With `again_of` an earlier set is taken again. Raises RuleError, RulesChanged.
    """
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        history = history_of(base)
        last = history[0] if history else None
        if (last.number if last else 0) != seen:
            raise RulesChanged
        told = rows_numbered(history, again_of) if again_of is not None else check_rows(rows)
        why = clean_name(why) or (_("Number %(number)s again") % {"number": again_of} if again_of is not None else "")
        if not why or len(why) > WHY_MAX:
            raise RuleError(
                _("Say why, in at most %(most)s characters: it is kept with the change.") % {"most": WHY_MAX}
            )
        if told == stored_rows(last):
            return None
        stored = ReadingRuleSet.objects.create(
            base=base,
            number=seen + 1,
            rows=[list(row) for row in told],
            digest=digest_of_rows(told),
            why=why,
            again_of=again_of,
            by=by,
            by_name=actor_of(by)[:254],
            created_at=timezone.now(),
        )
        RULE_SET.vouch(stored.pk)
        details = {"number": [seen or "", stored.number], "rows": len(told), "sha256": stored.digest, "why": why}
        record("reading_rules_changed", actor_of(by), f"base:{base.pk}", details)
    return stored


def rows_numbered(history: Sequence[ReadingRuleSet], number: int) -> tuple[RuleRow, ...]:
    """The rows of an earlier set; 0 is that of a base that has changed nothing."""
    if number == 0:
        return ()
    for each in history:
        if each.number == number:
            return stored_rows(each)
    raise RuleError(_("There are no earlier rules with the number %(number)s.") % {"number": number})
