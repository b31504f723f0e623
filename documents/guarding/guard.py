"""Changes that wait for a golden check, in bases whose owners require one.

A function that changes what is found or judged is marked with `@KIND.change`. Where the base requires a check, a call
changes nothing: what was to be done is stored as a ProposedChange, and ChangeProposed is raised. All that is told of a
change (what it changes, whether it may be made at all) comes from doing it in a transaction that is rolled back.
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.apps import apps
from django.core.exceptions import ObjectDoesNotExist
from django.db import models, transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext

from accounts.models import User
from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase, ProposedChange
from jobs.block import with_value
from ledger.events import record

P = ParamSpec("P")
R = TypeVar("R")


class ChangeProposed(Exception):
    """The base requires a golden check, so the change is kept as a proposal and nothing has changed yet."""

    def __init__(self, proposal: ProposedChange) -> None:
        super().__init__(
            gettext(
                "Nothing has changed yet: this base requires a golden check first. Your change waits among the "
                "proposed changes."
            )
        )
        self.proposal, self.base = proposal, proposal.base


class ProposalRefused(ValueError):
    """A proposal that cannot be kept or put into effect; the message is for people."""


class AlreadyProposed(ProposalRefused):
    """Another change of the kind waits; nothing was stored."""

    def __init__(self, base: KnowledgeBase, kind: Promise) -> None:
        words = gettext(
            "A change of the same kind (%(kind)s) is proposed already. It must be put into effect or withdrawn first; "
            "nothing was stored."
        )
        super().__init__(words % {"kind": kind})
        self.base = base


class Guarded:
    """One kind of change that waits for a check. Everything that changes its `state` is marked with `change`.

    `state` reads what is in force of a base, by name, and `values` are the named tuples that its functions take.
    """

    def __init__(
        self,
        name: str,
        words: Promise,
        state: Callable[[KnowledgeBase], Mapping[str, object]],
        values: Collection[type] = (),
    ) -> None:
        self.name, self.words, self.state = name, words, state
        self.values = {each.__name__: each for each in values}
        self.functions: dict[str, Callable[..., Any]] = {}
        KINDS[name] = self

    def change(self, function: Callable[P, R]) -> Callable[P, R]:
        """Mark a function whose first argument is a base, or a row of one, and that may be given `by`."""
        self.functions[function.__name__] = function
        signature = inspect.signature(function)

        @wraps(function)
        def guarded(*arguments: P.args, **named: P.kwargs) -> R:
            bound = signature.bind(*arguments, **named)
            given = {name: value for name, value in bound.arguments.items() if name != "by"}
            base = base_of(next(iter(given.values())))
            if _is_let_through.get() or not requires_check(base):
                return function(*arguments, **named)
            call = {"function": function.__name__, "arguments": self.encode_each(given)}
            changed = self.find_changes(base, call, bound.arguments.get("by"))
            if changed:
                raise ChangeProposed(self.keep(base, call, changed, bound.arguments.get("by")))
            with let_through():
                return function(*arguments, **named)

        return guarded

    # ---- a call as JSON

    def encode_each(self, given: Mapping[str, object]) -> dict[str, object]:
        return {name: self.encode(value) for name, value in given.items()}

    def encode(self, value: Any) -> Any:
        if isinstance(value, models.Model):
            return {"row": value._meta.label_lower, "pk": str(value.pk)}
        if type(value).__name__ in self.values:
            return {"value": type(value).__name__, "fields": [self.encode(each) for each in value]}
        if isinstance(value, Mapping):
            return {"by_name": self.encode_each(value)}
        if isinstance(value, str | int | float | bool | None):
            return value
        return [self.encode(each) for each in value]

    def decode(self, told: Any) -> Any:
        """Raises ProposalRefused where a row is gone."""
        if isinstance(told, list):
            return [self.decode(each) for each in told]
        if not isinstance(told, dict):
            return told
        if "by_name" in told:
            return {name: self.decode(each) for name, each in told["by_name"].items()}
        if "value" in told:
            return self.values[told["value"]](*map(self.decode, told["fields"]))
        try:
            return apps.get_model(told["row"])._default_manager.get(pk=told["pk"])
        except ObjectDoesNotExist:
            raise ProposalRefused(gettext("What this changes is not there any more.")) from None

    def carry_out(self, call: Mapping[str, Any], by: User | None) -> None:
        """Do what a call says, in a block of `let_through`."""
        function = self.functions[call["function"]]
        arguments = {name: self.decode(value) for name, value in call["arguments"].items()}
        is_named = "by" in inspect.signature(function).parameters
        function(**arguments, **({"by": by} if is_named else {}))

    # ---- what a call would change

    def find_changes(self, base: KnowledgeBase, call: Mapping[str, Any], by: User | None) -> dict[str, list[Any]]:
        """What of the state a call would change, by name: what is and what would be."""
        with undo_at_end():
            before = self.state(KnowledgeBase.objects.get(pk=base.pk))
            with let_through():
                self.carry_out(call, by)
            after = self.state(KnowledgeBase.objects.get(pk=base.pk))
        names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        return {name: [before.get(name), after.get(name)] for name in names}

    def keep(
        self, base: KnowledgeBase, call: Mapping[str, Any], changed: Mapping[str, Any], by: User | None
    ) -> ProposedChange:
        """Store a proposal. Raises AlreadyProposed."""
        with transaction.atomic():
            KnowledgeBase.objects.select_for_update().get(pk=base.pk)
            if ProposedChange.objects.open().filter(base=base, kind=self.name).exists():
                raise AlreadyProposed(base, self.words)
            by_name = str(by) if by else "console"
            proposal = ProposedChange.objects.create(
                base=base,
                kind=self.name,
                call=call,
                changed=changed,
                by=by,
                by_name=by_name[:254],
                created_at=timezone.now(),
            )
            digest = hashlib.sha256(json.dumps(call, sort_keys=True).encode()).hexdigest()
            details = {"proposal": str(proposal.pk), "kind": self.name, "sha256": digest, "values": len(changed)}
            record("change_proposed", by_name, f"base:{base.pk}", details)
        return proposal


KINDS: dict[str, Guarded] = {}
_is_let_through: ContextVar[bool] = ContextVar("is_let_through", default=False)
# Whether a base has a question to check by; the app that keeps golden questions sets it.
golden_counters: list[Callable[[KnowledgeBase], int]] = []


def requires_check(base: KnowledgeBase) -> bool:
    """Whether a change of this base waits for a golden check, as stored now."""
    stored = KnowledgeBase.objects.filter(pk=base.pk).values_list("settings", flat=True).first()
    return BaseSettings.from_json(stored or {}).golden_check == "on"


def base_of(changed: Any) -> KnowledgeBase:
    """The base of a function's first argument."""
    while not isinstance(changed, KnowledgeBase):
        changed = changed.concept if hasattr(changed, "concept") else changed.base
    return changed


def let_through() -> AbstractContextManager[None]:
    """Carry changes out in the block, whatever the base requires."""
    return with_value(_is_let_through, True)


@contextmanager
def undo_at_end() -> Iterator[None]:
    """What is written in the block is rolled back and is never seen by others."""
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)


@contextmanager
def trial_of(proposal: ProposedChange) -> Iterator[KnowledgeBase]:
    """The base as it would be with a proposed change, for reading in the block. Raises ProposalRefused."""
    with undo_at_end():
        with let_through():
            KINDS[proposal.kind].carry_out(proposal.call, proposal.by)
        yield KnowledgeBase.objects.get(pk=proposal.base_id)
