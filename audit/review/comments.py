"""Comments on lines of a document, in threads: what the people of its base say to each other about a place."""

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from audit.access_log import NAME_MAX
from audit.auditor_record import store
from audit.models import Comment
from documents.models import Document, Line, Parse
from retrieval.types import LineRange

TEXT_MAX = 4_000
LINES_MAX = 200  # one comment is about a place, not about a chapter
THREADS_SHOWN = 50
REPLIES_MAX = 200
PLACE = ("base_id", "document_id", "parse_id", "page_number", "first_line", "last_line")  # a reply has its thread's


class CommentRefused(Exception):
    """Nothing was stored; the message is for people."""


@dataclass(frozen=True)
class Thread:
    """A comment with the words it is about and its replies, oldest first."""

    first: Comment
    words: str
    replies: tuple[Comment, ...]


def begin_thread(document: Document, parse: Parse, place: LineRange | None, by: User, text: str) -> Comment:
    """Begin a thread about lines of a parse. Raises CommentRefused."""
    lines = lines_at(parse.pk, place) if place else []
    if not lines:
        raise CommentRefused(_("The document has no such lines any more. Choose the place again."))
    return store_comment(
        Comment(
            base_id=document.base_id,
            document_id=document.pk,
            parse_id=parse.pk,
            page_number=lines[0].page_number,
            first_line=lines[0].number,
            last_line=lines[-1].number,
        ),
        by,
        text,
    )


def reply_to_comment(first: Comment, by: User, text: str) -> Comment:
    """Add to a thread, named by any of its comments. Raises CommentRefused."""
    first = first.reply_to or first
    if first.replies.count() >= REPLIES_MAX:
        raise CommentRefused(_("This thread is full. Begin another one about the same lines."))
    return store_comment(Comment(reply_to=first, **{name: getattr(first, name) for name in PLACE}), by, text)


def store_comment(row: Comment, by: User, text: str) -> Comment:
    row.author, row.author_name, row.text, row.created_at = by, str(by)[:NAME_MAX], text, timezone.now()
    store(row)
    return row


def threads_on_page(parse: Parse, page: int) -> list[Thread]:
    """The threads that begin on a page of a parse, in the order of its lines."""
    return arrange_threads(parse.pk, page_number=page)


def threads_on_lines(parse_id: UUID, place: LineRange) -> list[Thread]:
    return arrange_threads(parse_id, first_line__lte=place.last, last_line__gte=place.first)


def arrange_threads(parse_id: UUID, **about: int) -> list[Thread]:
    begun = Comment.objects.filter(parse_id=parse_id, reply_to=None, **about).order_by("first_line", "created_at")
    first = list(begun[:THREADS_SHOWN])
    replies: dict[UUID | None, list[Comment]] = defaultdict(list)
    for each in Comment.objects.filter(reply_to__in=first).order_by("created_at", "id"):
        replies[each.reply_to_id].append(each)
    return [Thread(each, commented_words(each), tuple(replies[each.pk])) for each in first]


def commented_words(about: Comment) -> str:
    """The words a comment is about, as the parse has them; "" if they went with the document."""
    return " ".join(line.text for line in lines_at(about.parse_id, LineRange(about.first_line, about.last_line)))


def lines_at(parse_id: UUID, place: LineRange) -> list[Line]:
    last = min(place.last, place.first + LINES_MAX - 1)
    return list(Line.objects.filter(parse_id=parse_id, number__range=(place.first, last)).order_by("number"))
