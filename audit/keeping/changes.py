"""The recorded changes (ledger.Event) in words: newest first, paged, each with its ledger entry."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from audit.runs.listing import NEWEST_FIRST, RunKey
from documents.keyset import rows_after
from documents.models import KnowledgeBase, Role, Viewer
from documents.pages import plain_choices
from ledger.models import Entry, Event

CHANGES_A_PAGE = 50
VALUE_MAX = 200
LISTS = ("scopes", "from")  # two of these stand side by side; any other pair is what was and what is
LEFT_OUT = ("base", "left")  # the base stands in a column, the digest of what an erasure left in the row itself
WORDS = {
    "base_deleted": _("Base deleted"),
    "settings_changed": _("Settings changed"),
    "role_changed": _("Role changed"),
    "base_taken_over": _("Base taken over"),
    "base_exported": _("Base exported"),
    "base_imported": _("Base imported"),
    "carried_removed": _("Records brought along removed"),
    "guidance_changed": _("Guidance for the model changed"),
    "change_proposed": _("Change proposed"),
    "proposal_check": _("Proposed change checked"),
    "proposal_effect": _("Proposed change put into effect"),
    "proposal_withdrawn": _("Proposed change withdrawn"),
    "reading_rules_changed": _("Rules of reading changed"),
    "learned_word_changed": _("Learned word changed"),
    "meaning_reset": _("Learned meaning of a word reset"),
    "fields_stopped": _("Fields stopped by whoever asked them"),
    "answer_unstored": _("Answer that could not be stored"),
    "shared": _("Link to an answer made"),
    "unshared": _("Link to an answer revoked"),
    "share_opened": _("Link to an answer opened"),
    "trashed": _("Document moved to the trash"),
    "restored": _("Document put back"),
    "purged": _("Document deleted for good"),
    "replaced": _("Document replaced by a newer version"),
    "unlocked": _("Locked PDF opened with its password"),
    "renamed": _("Document renamed"),
    "field_added": _("Field of documents added"),
    "field_renamed": _("Field of documents renamed"),
    "field_removed": _("Field of documents removed"),
    "card_changed": _("Document card changed"),
    "contents_source_changed": _("Source of the contents changed"),
    "embedding_begun": _("Other embedding begun"),
    "embedding_switched": _("Other embedding in use"),
    "token_made": _("Access token made"),
    "token_revoked": _("Access token revoked"),
    "first_owner_made": _("First owner made"),
    "person_invited": _("Person invited"),
    "invitation_accepted": _("Invitation accepted"),
    "password_link_made": _("Link for a new password made"),
    "person_disabled": _("Account disabled"),
    "person_enabled": _("Account enabled"),
    "administrator_made": _("Made administrator"),
    "administrator_removed": _("No longer administrator"),
    "password_changed": _("Password changed"),
    "password_reset": _("Password reset"),
    "password_set": _("Password set"),
    "totp_activated": _("Second factor set up"),
    "totp_deactivated": _("Second factor switched off by its owner"),
    "second_factor_removed": _("Second factor removed"),
    "recovery_codes_generated": _("Recovery codes made"),
    "account_connected": _("Sign-on connected"),
    "account_disconnected": _("Sign-on disconnected"),
    "sessions_ended": _("Sessions ended"),
    "alert_opened": _("Alert opened"),
    "alert_closed": _("Alert closed"),
    "alert_limits_changed": _("Limits of alerts changed"),
    "witness_contradicted": _("Contradicted by a witness"),
    "retention_set": _("Retention changed"),
    "hold_placed": _("Legal hold placed"),
    "hold_released": _("Legal hold released"),
    "person_erased": _("A person’s content erased"),
    "erased": _("Words of a record erased"),
    "backup_made": _("Backup made"),
}
DETAIL_NAMES = {
    "name": _("name"),
    "email": _("e-mail"),
    "member": _("member"),
    "changed": _("changed"),
    "documents": _("documents"),
    "archive": _("archive"),
    "manifest": _("manifest"),
    "head": _("head"),
    "questions": _("questions"),
    "extraction": _("request"),
    "asked": _("asked"),
    "not_asked": _("not asked"),
    "calls": _("exchanges with a model"),
    "title": _("title"),
    "reason": _("reason"),
    "why": _("reason"),
    "runs": _("runs"),
    "sessions": _("sessions"),
    "from": _("from"),
    "to": _("to"),
    "role": _("role"),
    "file": _("file"),
    "days": _("days"),
    "scopes": _("may"),
    "expires": _("expires"),
    "what": _("what"),
    "prompt": _("prompt"),
    "number": pgettext_lazy("of a version", "number"),
    "word": _("word"),
    "document_type": _("type of document"),
    "rows": _("rows"),
    "value": _("value"),
    "limit": _("limit"),
    "least": _("at least"),
    "link": _("link"),
    "conversation": _("conversation"),
    "question": _("question"),
    "for": _("for"),
}


@dataclass(frozen=True)
class RecordedChange:
    """One event in words. `about` is what it names beside its base; `details` name and value, or before and after."""

    event: Event
    words: str
    base: str
    about: str
    details: tuple[tuple[str, str], ...]
    sequence: int | None


@dataclass(frozen=True)
class ChangePage:
    rows: tuple[RecordedChange, ...]
    older: RunKey | None


def visible_to(user: Viewer) -> "QuerySet[Event]":
    """Changes in the bases a person audits; superusers see all."""
    events = Event.objects.order_by("-created_at", "-id")
    if isinstance(user, User) and user.is_superuser:
        return events
    return events.filter(in_bases(KnowledgeBase.objects.audited_by(user)))


def in_bases(bases: "QuerySet[KnowledgeBase]") -> Q:
    """Changes of these bases, and those whose details name one of them, such as changes of documents."""
    found = Q(pk__in=[])
    for pk in bases.values_list("pk", flat=True):
        found |= Q(subject=f"base:{pk}") | Q(subject__startswith=f"base:{pk}:") | Q(details__base=str(pk))
    return found


def deletions_of(documents: Iterable[str]) -> "QuerySet[Event]":
    """That documents were deleted for good, newest first."""
    subjects = [f"document:{pk}" for pk in documents]
    return Event.objects.filter(kind="purged", subject__in=subjects).order_by("-created_at", "-id")


def filter_changes(events: "QuerySet[Event]", wanted: dict[str, Any]) -> "QuerySet[Event]":
    if wanted.get("base"):
        events = events.filter(in_bases(KnowledgeBase.objects.filter(pk=wanted["base"].pk)))
    if wanted.get("kind"):
        events = events.filter(kind=wanted["kind"])
    if wanted.get("actor"):
        events = events.filter(actor__icontains=wanted["actor"])
    return events


def read_change_page(events: "QuerySet[Event]", before: str = "") -> ChangePage:
    """One page of the newest changes, or of those just before a key. Raises BadRequest for an invalid key."""
    if before:
        events = rows_after(events, NEWEST_FIRST, RunKey.read(before))
    found = list(events[: CHANGES_A_PAGE + 1])
    shown = found[:CHANGES_A_PAGE]
    has_more = len(found) > CHANGES_A_PAGE
    return ChangePage(tuple(describe_events(shown)), RunKey(shown[-1].created_at, shown[-1].pk) if has_more else None)


def describe_events(events: Sequence[Event]) -> list[RecordedChange]:
    ids = {event.pk: base_id_of(event) for event in events}
    names: dict[UUID | None, str] = dict(
        KnowledgeBase.objects.filter(pk__in=[pk for pk in ids.values() if pk]).values_list("pk", "name")
    )
    entries = Entry.objects.filter(kind="event", subject_id__in=[str(event.pk) for event in events])
    sequences = dict(entries.values_list("subject_id", "sequence"))
    return [
        RecordedChange(
            event=event,
            words=str(WORDS.get(event.kind, event.kind.replace("_", " ").capitalize())),
            base=names.get(ids[event.pk], ""),
            about=event.subject if event.subject != f"base:{ids[event.pk]}" or ids[event.pk] not in names else "",
            details=tuple(describe_details(event.details)),
            sequence=sequences.get(str(event.pk)),
        )
        for event in events
    ]


def base_id_of(event: Event) -> UUID | None:
    """The base a change belongs to, by its subject or its details."""
    subject = event.subject.split(":")
    text = subject[1] if subject[0] == "base" and len(subject) > 1 else str(event.details.get("base", ""))
    try:
        return UUID(text)
    except ValueError:
        return None


def describe_details(details: Mapping[str, object]) -> list[tuple[str, str]]:
    """Names and values; before and after are one pair."""
    told = {name: value for name, value in details.items() if name not in LEFT_OUT}
    if "before" in told and "after" in told:
        if "member" in told:
            names = dict(Role.choices)
            told |= {each: str(names.get(str(told[each]), told[each])) for each in ("before", "after")}
        told["changed"] = [told.pop("before"), told.pop("after")]
    return [
        (str(DETAIL_NAMES.get(name) or name.replace("_", " ")), (write_list if name in LISTS else write_value)(value))
        for name, value in map(say_plainly, told, told.values())
    ]


def say_plainly(name: str, value: Any) -> tuple[str, Any]:
    """A plain choice of a base's settings by the names its page gives it; anything else as it is."""
    if name not in plain_choices.LABELS or not isinstance(value, list):
        return name, value
    return str(plain_choices.LABELS[name]), [plain_choices.option_words(name, str(option)) for option in value]


def write_value(value: Any) -> str:
    """A value as text; for a pair, the old and the new one."""
    if isinstance(value, list) and len(value) == 2:
        return f"{write_value(value[0])} → {write_value(value[1])}"
    return write_list(value)


def write_list(value: Any) -> str:
    if isinstance(value, list) and value:
        return ", ".join(map(write_value, value))
    return "–" if value in ("", None, []) else str(value)[:VALUE_MAX]
