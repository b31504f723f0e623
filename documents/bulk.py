"""One action on many documents of a base: the selected ones, or all that match the list's filter."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from accounts.models import User
from documents import tagging
from documents.ingestion import trash
from documents.ingestion.queueing import queue_again, stop_jobs
from documents.ingestion.tasks import start
from documents.models import Document, DocumentQuerySet, KnowledgeBase
from documents.pages.listing import is_busy

Done = str  # the outcome in words for people


@dataclass(frozen=True)
class Order:
    """Who wants what done, with the text of the tags if the action has any."""

    base: KnowledgeBase
    user: User
    documents: DocumentQuerySet
    tags: str = ""

    @property
    def count(self) -> int:
        return self.documents.count()


def tag(order: Order) -> Done:
    tags = tagging.tags_in(order.tags, order.base)
    tagging.put_tags(order.documents, tags)
    words = ngettext("%(count)s document has “%(tags)s” now.", "%(count)s documents have “%(tags)s” now.", order.count)
    return words % {"count": order.count, "tags": ", ".join(tags)} if tags else gettext("No tag was named.")


def untag(order: Order) -> Done:
    tags = tagging.tags_in(order.tags, order.base)
    tagging.take_tags(order.documents, tags)
    words = ngettext(
        "%(count)s document is without “%(tags)s” now.", "%(count)s documents are without “%(tags)s” now.", order.count
    )
    return words % {"count": order.count, "tags": ", ".join(tags)} if tags else gettext("No tag was named.")


def read_all_again(order: Order) -> Done:
    count = act_on_each(order.documents.exclude(is_busy()), lambda document: start(queue_again(document)))
    words = ngettext("%(count)s document will be read again.", "%(count)s documents will be read again.", count)
    return words % {"count": count}


def stop_reading(order: Order) -> Done:
    count = act_on_each(order.documents.filter(is_busy()), stop_jobs)
    words = ngettext("%(count)s document is being stopped.", "%(count)s documents are being stopped.", count)
    return words % {"count": count}


def move_all_to_trash(order: Order) -> Done:
    citing = trash.say_citing(order.documents)
    count = act_on_each(order.documents, lambda document: trash.move_to_trash(document, order.user))
    words = ngettext(
        "%(count)s document is in the trash. No question finds it any more; its trails stay.",
        "%(count)s documents are in the trash. No question finds them any more; their trails stay.",
        count,
    )
    return f"{words % {'count': count}} {citing}"


def put_all_back(order: Order) -> Done:
    """Restore trashed documents; one whose file was uploaded again meanwhile stays in the trash, and is named."""
    refused = []
    documents = list(order.documents)
    for document in documents:
        try:
            job = trash.restore_document(document, order.user)
        except trash.CopyExists:
            refused.append(document.title)
        else:
            if job:
                start(job)
    count = len(documents) - len(refused)
    words = ngettext("%(count)s document is in the base again.", "%(count)s documents are in the base again.", count)
    stayed = gettext("Not put back, because the same file is in the base already: %(titles)s.")
    told = [words % {"count": count}, *([stayed % {"titles": ", ".join(refused)}] if refused else [])]
    return " ".join(told)


ACTIONS: dict[str, Callable[[Order], Done]] = {
    "tag": tag,
    "untag": untag,
    "read_again": read_all_again,
    "stop": stop_reading,
    "trash": move_all_to_trash,
    "restore": put_all_back,
}


def act_on_each(documents: Iterable[Document], act: Callable[[Document], object]) -> int:
    """Act on one document after the other, so that a failure undoes no other; return how many there were."""
    wanted = list(documents)
    for document in wanted:
        act(document)
    return len(wanted)
