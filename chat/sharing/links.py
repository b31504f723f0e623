"""Links to a conversation or one answer: made, opened and revoked, each on record.

One for the people of the base names its row and opens for members only. One for somebody outside has a token, of which
only the digest is stored; it opens while the base allows such links and for the days that were chosen.
"""

import secrets
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User, token_digest
from chat.models import Conversation, Share, Turn, TurnQuerySet
from documents.access import actor_of
from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase, Viewer
from ledger.events import record

DAYS = (1, 3, 7, 14)
OPEN_MAX = 20  # links of one conversation that open at the same time
SOMEBODY = "somebody with the link"  # recorded as who opened one from outside


class CannotShare(Exception):
    """No link was made; the message is for people."""


def allows_outside(base: KnowledgeBase) -> bool:
    """Whether the base lets answers be shown to people outside."""
    return BaseSettings.from_json(base.settings).outside_links == "on"


def share_inside(user: User, conversation: Conversation, turn: Turn | None = None) -> Share:
    """A link for the people of the base; the one there is, if it shows the same. Raises CannotShare."""
    with transaction.atomic():
        lock(conversation)
        shown = Share.objects.open().filter(conversation=conversation, turn=turn, whom=Share.For.MEMBERS).first()
        if shown and not has_newer_turns(shown):
            return shown
        return make_share(user, conversation, turn, Share.For.MEMBERS)


def share_outside(user: User, conversation: Conversation, turn: Turn | None, days: int) -> tuple[Share, str]:
    """A link for somebody outside and its token, which is stored nowhere. Raises CannotShare."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        lock(conversation)
        base = KnowledgeBase.objects.get(pk=conversation.base_id)
        if not allows_outside(base):
            raise CannotShare(gettext("The owners of this base do not allow links for people outside."))
        if days not in DAYS:
            raise CannotShare(gettext("Choose for how many days the link opens."))
        ends = timezone.now() + timedelta(days=days)
        share = make_share(user, conversation, turn, Share.For.OUTSIDE, digest=token_digest(token), expires_at=ends)
    return share, token


def make_share(user: User, conversation: Conversation, turn: Turn | None, whom: str, **fields: object) -> Share:
    if not shown_turns(Turn.objects.filter(conversation=conversation), turn).exists():
        raise CannotShare(gettext("There is no answer to show yet."))
    if Share.objects.open().filter(conversation=conversation).count() >= OPEN_MAX:
        raise CannotShare(
            gettext("This conversation has %(count)s open links. Revoke one first.") % {"count": OPEN_MAX}
        )
    share = Share.objects.create(conversation=conversation, turn=turn, whom=whom, **fields)
    expires = {"expires": share.expires_at.isoformat()} if share.expires_at else {}
    note("shared", actor_of(user), share, expires)
    return share


def revoke_link(share: Share, user: User) -> None:
    """Close a link for good; of one that is closed nothing is recorded again."""
    with transaction.atomic():
        if Share.objects.filter(pk=share.pk, revoked_at=None).update(revoked_at=timezone.now()):
            note("unshared", actor_of(user), share)


def open_inside(user: Viewer, share_id: UUID) -> Share | None:
    """The link for the people of a base, if it opens for this person."""
    found = Share.objects.open().select_related("conversation__base", "conversation__user", "turn")
    bases = KnowledgeBase.objects.visible_to(user)
    return found.filter(pk=share_id, whom=Share.For.MEMBERS, conversation__base__in=bases).first()


def open_outside(token: str) -> Share | None:
    """The link of a token, if it opens."""
    found = Share.objects.open().select_related("conversation__base", "conversation__user", "turn")
    share = found.filter(digest=token_digest(token), whom=Share.For.OUTSIDE).first()
    return share if share and allows_outside(share.conversation.base) else None


def note_opening(share: Share, who: str) -> None:
    """Count and record that somebody opened a link."""
    with transaction.atomic():
        Share.objects.filter(pk=share.pk).update(openings=F("openings") + 1, opened_at=timezone.now())
        note("share_opened", who, share)


def note(kind: str, actor: str, share: Share, more: dict[str, str] | None = None) -> None:
    told = {"link": str(share.pk), "conversation": str(share.conversation_id), "for": share.whom, **(more or {})}
    if share.turn:
        told["question"] = str(share.turn.number)
    record(kind, actor, f"base:{share.conversation.base_id}", told)


def lock(conversation: Conversation) -> None:
    Conversation.objects.select_for_update().get(pk=conversation.pk)


def turns_shown(share: Share) -> TurnQuerySet:
    """The answered turns a link shows: the one, or all that had been asked when it was made."""
    turns = Turn.objects.filter(conversation_id=share.conversation_id, created_at__lte=share.created_at)
    return shown_turns(turns, share.turn)


def shown_turns(turns: TurnQuerySet, turn: Turn | None) -> TurnQuerySet:
    answered = turns.filter(answer__isnull=False)
    return answered.filter(pk=turn.pk) if turn else answered


def has_newer_turns(share: Share) -> bool:
    later = Turn.objects.filter(conversation_id=share.conversation_id, created_at__gt=share.created_at)
    return share.turn is None and later.exists()
