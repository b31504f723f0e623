"""Access control: a base or document if the person may see it, else a 404 that reveals nothing."""

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.core.management.base import CommandError
from django.db import models, transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from documents.base_settings import BaseSettings, SettingsError
from documents.guarding.guard import Guarded, golden_counters
from documents.models import Document, KnowledgeBase, Membership, Role, Viewer
from documents.pages.plain_choices import OWN_MIXTURE, fit_options
from ledger.events import record
from ledger.holds import held_within, refuse_when_held
from llm.tiers import is_allowed
from reading.characters import clean_name

READ = (Role.VIEWER, Role.EDITOR, Role.AUDITOR, Role.OWNER)
WRITE = (Role.EDITOR, Role.OWNER)
AUDIT = (Role.AUDITOR, Role.OWNER)
OWN = (Role.OWNER,)
SETTINGS_SHOWN = (Role.EDITOR, Role.AUDITOR, Role.OWNER)

MAY = {
    Role.VIEWER: _("ask, read own trails"),
    Role.EDITOR: _("ask, upload, read own trails"),
    Role.AUDITOR: _("ask, read every trail, review"),
    Role.OWNER: _("everything, and manage members and settings"),
}

AnyRow = TypeVar("AnyRow", bound=models.Model)


class LastOwner(Exception):
    """A base must keep an owner; the message is for people."""

    def __init__(self) -> None:
        super().__init__(gettext("A base needs an owner. Make somebody else owner first."))


class BaseNotFound(CommandError):
    """No base matches; the message is for people."""


class SeveralBases(BaseNotFound):
    """Several bases have the name."""


def find_base(given: str) -> KnowledgeBase:
    """The base of that name or id, for users of the server's shell. Raises BaseNotFound, SeveralBases."""
    living = KnowledgeBase.objects.living()
    bases = list(living.filter(name=given)[:2]) or list(living.filter(pk__in=ids_in(given)))
    if len(bases) > 1:
        raise SeveralBases(f"There are several bases named {given}; give the id instead.")
    if not bases:
        raise BaseNotFound(f"There is no base named {given}.")
    return bases[0]


def ids_in(text: str) -> list[UUID]:
    """The text as an id, in a list; [] if it is none."""
    try:
        return [UUID(text)]
    except ValueError:
        return []


def get_base(user: Viewer, pk: UUID | str, *roles: str) -> KnowledgeBase:
    """The base if the person has one of the roles in it (any if none is named); else Http404, as for an absent base."""
    return get_or_404(KnowledgeBase.objects.with_role(user, *(roles or READ)), pk)


def get_document(user: Viewer, pk: UUID | str, *roles: str) -> Document:
    """The document if the person has one of the roles in its base (any if none is named); else Http404."""
    bases = KnowledgeBase.objects.with_role(user, *(roles or READ))
    return get_or_404(Document.objects.select_related("base", "current_parse", "card").filter(base__in=bases), pk)


def get_or_404(rows: "models.QuerySet[AnyRow]", pk: UUID | str) -> AnyRow:
    try:
        return rows.get(pk=UUID(str(pk)))
    except (ObjectDoesNotExist, ValueError):
        raise Http404("There is nothing here for you.") from None


def role_in(user: Viewer, base: KnowledgeBase) -> str:
    """The person's role in a base, or ""."""
    if not user.is_authenticated:
        return ""
    membership = Membership.objects.filter(base=base, user_id=user.pk).first()
    return membership.role if membership else ""


def is_auditor_of(user: Viewer, base_id: UUID) -> bool:
    """Whether a person may read the trails of others in a base: its auditors and owners."""
    return KnowledgeBase.objects.audited_by(user).filter(pk=base_id).exists()


def create_base(user: User, name: str) -> KnowledgeBase:
    with transaction.atomic():
        base = KnowledgeBase.objects.create(name=clean_base_name(name), created_by=user)
        Membership.objects.create(base=base, user=user, role=Role.OWNER)
    return base


def clean_base_name(name: str) -> str:
    """A base's name as stored; "" for one of invisible characters only."""
    return clean_name(name) or gettext("Unnamed")


def delete_base(base: KnowledgeBase, by: User | None = None) -> None:
    """Close a base for good: its documents are trashed, then purged; auditors keep its trails. Raises Held."""
    now = timezone.now()
    with transaction.atomic():
        lock(base)
        whole, documents = f"base:{base.pk}", base.documents.values_list("pk", flat=True)
        refuse_when_held(whole, *held_within(whole), *(f"document:{pk}" for pk in documents))
        KnowledgeBase.objects.filter(pk=base.pk).update(deleted_at=now)
        trashed = base.documents.filter(trashed_at=None).update(trashed_at=now)
        record("base_deleted", actor_of(by), whole, {"name": base.name, "documents": trashed})


SETTINGS = Guarded("settings", _("settings and model"), lambda base: BaseSettings.from_json(base.settings).guarded())


def change_settings(base: KnowledgeBase, name: str, chosen: BaseSettings, by: User | None) -> None:
    """Rename a base and change how it is read and searched; the differences are recorded, plain choices by name too.

    Raises SettingsError for a model that may not be chosen; one that was allowed once may stay. Raises ChangeProposed
    where the base requires a check.
    """
    base.refresh_from_db(fields=["name", "settings"])
    stored = BaseSettings.from_json(base.settings).to_json()
    put_settings(base, name, {key: value for key, value in chosen.to_json().items() if stored[key] != value}, by=by)


@SETTINGS.change
def put_settings(base: KnowledgeBase, name: str, changes: Mapping[str, Any], by: User | None) -> None:
    """Store these settings and leave the others as they are. Raises SettingsError."""
    with transaction.atomic():
        lock(base)
        base.refresh_from_db(fields=["name", "settings"])
        stored = BaseSettings.from_json(base.settings)
        chosen = BaseSettings.from_json({**stored.to_json(), **changes})
        if chosen.model != stored.model and not is_allowed(chosen.model):
            told = {"model": chosen.model[:80], "models": ", ".join(settings.LLM_MODELS) or gettext("none")}
            raise SettingsError(gettext("The model “%(model)s” may not be chosen here; allowed: %(models)s.") % told)
        if chosen.golden_check == "on" != stored.golden_check and not any(count(base) for count in golden_counters):
            raise SettingsError(
                gettext(
                    "A golden check cannot be required yet: it needs test questions, and no review of this base asks "
                    "anything. Review some answers first."
                )
            )
        before = {"name": base.name} | stored.to_json() | fit_options(stored)
        fitting = {choice: option for choice, option in fit_options(chosen).items() if option != OWN_MIXTURE}
        after = {"name": clean_base_name(name)} | chosen.to_json() | fitting
        base.name, base.settings = clean_base_name(name), chosen.to_json()
        base.save(update_fields=["name", "settings"])
        changed = {key: [before.get(key), value] for key, value in after.items() if before.get(key) != value}
        if changed:
            record("settings_changed", actor_of(by), f"base:{base.pk}", changed)


def set_role(base: KnowledgeBase, user: User, role: str, by: User | None = None) -> None:
    """Add a member, or change a member's role. Raises LastOwner."""
    with transaction.atomic():
        lock(base)
        before = role_in(user, base)
        Membership.objects.update_or_create(base=base, user=user, defaults={"role": role})
        keep_an_owner(base, before)
        if role != before:
            record_role(base, user, before, role, by)


def take_ownership(base: KnowledgeBase, administrator: User, reason: str) -> None:
    """Make an administrator of the site an owner of a base that is not theirs; on record, with the reason."""
    with transaction.atomic():
        set_role(base, administrator, Role.OWNER, by=administrator)
        details = {"name": base.name, "reason": reason}
        record("base_taken_over", actor_of(administrator), f"base:{base.pk}", details)


def remove_member(base: KnowledgeBase, user: User, by: User | None = None) -> None:
    """Remove a person from a base. Raises LastOwner."""
    with transaction.atomic():
        lock(base)
        before = role_in(user, base)
        Membership.objects.filter(base=base, user=user).delete()
        keep_an_owner(base, before)
        if before:
            record_role(base, user, before, "", by)


def record_role(base: KnowledgeBase, user: User, before: str, after: str, by: User | None) -> None:
    details = {"member": user.pk, "name": str(user), "before": before, "after": after}
    record("role_changed", actor_of(by), f"base:{base.pk}", details)


def actor_of(person: User | None) -> str:
    """The name recorded for a change; without a person, the server made it (schedule or console)."""
    return str(person) if person else "console"


def lock(base: KnowledgeBase) -> None:
    # Two owners must not both succeed in removing each other.
    KnowledgeBase.objects.select_for_update().get(pk=base.pk)


def keep_an_owner(base: KnowledgeBase, before: str) -> None:
    """Raises LastOwner where an owner was the last one. A base that the shell made has none until somebody takes it."""
    if before == Role.OWNER and not Membership.objects.filter(base=base, role=Role.OWNER).exists():
        raise LastOwner
