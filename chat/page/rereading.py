"""What an answer says of pages that were read badly, and the way to have them read again (R83), in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import ngettext, ngettext_lazy

from chat.models import PageNotice
from chat.page.thread import ShownTurn
from chat.turns.page_notices import NoticedPage, NoticedState, NoticeStanding, noticed_page, standings_of_notices
from documents.access import WRITE, role_in
from documents.models import Viewer
from documents.pages.sentences import translate_sentence
from reading.reasons import PAGE_FLAGS

# What is said of so many pages that nothing can be done for now, by their state.
VAIN_WORDS: dict[NoticedState, Any] = {
    "tried": ngettext_lazy(
        "%(count)s page went through the heavier reading already, which found nothing more.",
        "%(count)s pages went through the heavier reading already, which found nothing more.",
        "count",
    ),
    "not_installed": ngettext_lazy(
        "What would read %(count)s page better is not installed here. Whoever runs this server finds under “Status” "
        "how to install it.",
        "What would read %(count)s pages better is not installed here. Whoever runs this server finds under “Status” "
        "how to install it.",
        "count",
    ),
    "busy": ngettext_lazy(
        "The document of %(count)s page is being worked on; the page can be read again when that has ended.",
        "The documents of %(count)s pages are being worked on; the pages can be read again when that has ended.",
        "count",
    ),
    "gone": ngettext_lazy(
        "%(count)s page is of a document that is not in the base any more.",
        "%(count)s pages are of documents that are not in the base any more.",
        "count",
    ),
}


@dataclass(frozen=True)
class ShownNotice:
    """A notice for its template: how its pages stand, and whether the reader may have them read again."""

    turn: ShownTurn
    standing: NoticeStanding
    may_write: bool

    @property
    def lead(self) -> str:
        return lead_words(self.standing.why, self.standing.pages)

    @property
    def places(self) -> list[str]:
        return list(place_words(self.standing.pages))

    @property
    def open_count(self) -> int:
        return len(self.standing.of("open"))

    @property
    def outcomes(self) -> list[str]:
        """What cannot be done for pages, or was done in vain."""
        told = [(words, len(self.standing.of(state))) for state, words in VAIN_WORDS.items()]
        return [words % {"count": count} for words, count in told if count]

    @property
    def failure(self) -> str:
        return translate_sentence(self.standing.failure)

    @property
    def ready_words(self) -> str:
        count = len(self.standing.of("read"))
        return ngettext(
            "%(count)s page has been read again since this answer. Ask again, and the new reading is searched.",
            "%(count)s pages have been read again since this answer. Ask again, and the new reading is searched.",
            count,
        ) % {"count": count}

    @property
    def reading_words(self) -> str:
        count = len(self.standing.of("reading"))
        return ngettext("%(count)s page is being read again.", "%(count)s pages are being read again.", count) % {
            "count": count
        }


def attach_notices(turns: Sequence[ShownTurn], user: Viewer) -> None:
    """Give each turn whose answer has a notice what its page shows of it; the rows are read together."""
    noticed = [(each, notice) for each in turns if (notice := getattr(each.answer, "page_notice", None))]
    if not noticed:
        return
    standings = standings_of_notices([notice for _, notice in noticed])
    may_write = role_in(user, noticed[0][0].turn.conversation.base) in WRITE
    for each, notice in noticed:
        each.notice = ShownNotice(each, standings[notice.pk], may_write)


# ---- words


def recorded_words(notice: PageNotice) -> list[str]:
    """What the record says of the pages, as they were with the answer."""
    pages = [noticed_page(page, page["state"]) for page in notice.pages]
    return [lead_words(notice.why, pages), *place_words(pages)]


def lead_words(why: str, pages: Sequence[NoticedPage]) -> str:
    if why == PageNotice.Why.RESTS:
        return ngettext(
            "This answer rests on a page that was probably not read well.",
            "This answer rests on %(count)s pages that were probably not read well.",
            len(pages),
        ) % {"count": len(pages)}
    return ngettext(
        "A page of what was searched was probably not read well. What is missing may stand there.",
        "%(count)s pages of what was searched were probably not read well. What is missing may stand there.",
        len(pages),
    ) % {"count": len(pages)}


def place_words(pages: Iterable[NoticedPage]) -> Iterable[str]:
    """A line for each document and reason: "Report, pages 3, 7: a picture has no text …"."""
    for (title, flags), group in groupby(
        sorted(pages, key=lambda each: (each.document, each.flags, each.page)),
        key=lambda each: (each.document, each.flags),
    ):
        labels = [each.page_label for each in group]
        told = {"title": title, "pages": ", ".join(labels)}
        where = ngettext("%(title)s, page %(pages)s", "%(title)s, pages %(pages)s", len(labels)) % told
        yield f"{where}: " + " ".join(translate_sentence(PAGE_FLAGS[flag]) for flag in flags if flag in PAGE_FLAGS)
