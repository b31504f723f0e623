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


def tag(order: Order) -> Done:
    tags = tagging.tags_in(order.tags, order.base)
    tagging.put_tags(order.documents, tags)
    return (
        describe_order(order, gettext("tagged “%(tags)s”") % {"tags": ", ".join(tags)})
        if tags
        else gettext("No tag was named.")
    )


def untag(order: Order) -> Done:
    tags = tagging.tags_in(order.tags, order.base)
    tagging.take_tags(order.documents, tags)
    return (
        describe_order(order, gettext("without “%(tags)s”") % {"tags": ", ".join(tags)})
        if tags
        else gettext("No tag was named.")
    )


def read_all_again(order: Order) -> Done:
    count = act_on_each(order.documents.exclude(is_busy()), lambda document: start(queue_again(document)))
    return describe_done(count, gettext("will be read again"))


def stop_reading(order: Order) -> Done:
    return describe_done(act_on_each(order.documents.filter(is_busy()), stop_jobs), gettext("are being stopped"))


def move_all_to_trash(order: Order) -> Done:
    count = act_on_each(order.documents, lambda document: trash.move_to_trash(document, order.user))
    return describe_done(count, gettext("are in the trash; no question finds them any more"))


ACTIONS: dict[str, Callable[[Order], Done]] = {
    "tag": tag,
    "untag": untag,
    "read_again": read_all_again,
    "stop": stop_reading,
    "trash": move_all_to_trash,
}


def act_on_each(documents: Iterable[Document], act: Callable[[Document], object]) -> int:
    """Act on one document after the other, so that a failure undoes no other; return how many there were."""
    count = 0
    for document in list(documents):
        act(document)
        count += 1
    return count


def describe_order(order: Order, words: str) -> Done:
    return describe_done(order.documents.count(), words)


def describe_done(count: int, words: str) -> Done:
    return ngettext("%(count)s document: %(words)s.", "%(count)s documents: %(words)s.", count) % {
        "count": count,
        "words": words,
    }
