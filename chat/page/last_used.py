"""Where a person works: what Ask opens on when its address names nothing."""

from dataclasses import dataclass

from accounts.models import User
from chat.models import Turn
from chat.scope import askable, current_value, parse_picker_value, write_picker_value
from chat.turns.demo import BASE_NAME, FORM_IDS
from documents.models import Document, KnowledgeBase


@dataclass(frozen=True)
class OpenedOn:
    """The documents that Ask opened on by itself, of a base that has more."""

    documents: list[Document]
    base: KnowledgeBase
    others: int  # documents of the base that will not be asked


def opened_on(user: User, value: str) -> OpenedOn | None:
    """What to tell of a scope that nobody chose; None where it leaves nothing of its base out."""
    kind, ids = parse_picker_value(value)
    documents = list(askable(user).select_related("base").filter(pk__in=ids)) if kind.startswith("document") else []
    if not documents:
        return None
    base = documents[0].base
    others = askable(user, base).count() - len(documents)
    return OpenedOn(documents, base, others) if others > 0 else None


def last_scope(user: User) -> str:
    """The picker's value of what was asked last, or of what the person uploaded since; "" without either.

    The questions of the demonstration were asked by nobody. Of several that were uploaded since nobody can say which
    one is meant: their base. Documents that can no longer be asked give way to their base, and so does a base to the
    next best.
    """
    open_to_them = askable(user)
    asked = Turn.objects.filter(
        conversation__user=user, conversation__base__in=open_to_them.order_by().values("base")
    ).exclude(conversation__base__name=BASE_NAME, question__in=FORM_IDS)
    last = asked.select_related("conversation").order_by("-created_at").first()
    since = {"created_at__gt": last.created_at} if last else {}
    uploaded = open_to_them.filter(created_by=user, **since).order_by("-created_at")
    if newest := uploaded.first():
        is_alone = uploaded.filter(base=newest.base).count() == 1
        return write_picker_value([newest.pk]) if is_alone else f"base:{newest.base_id}"
    if last is None:
        return ""
    value = current_value(write_picker_value(last.document_ids))
    ids = value.partition(":")[2].split(",")
    is_whole = bool(last.document_ids) and open_to_them.filter(pk__in=ids).count() == len(ids)
    return value if is_whole else f"base:{last.conversation.base_id}"
