"""The main navigation at the top of each page: its links, and which one is current."""

from collections.abc import Callable
from typing import NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

ENTRIES = {
    "documents:bases": _("Documents"),
    "chat:home": _("Ask"),
    "audit:list": _("Audit"),
    "audit:figures": _("Figures"),
    "status": pgettext_lazy("page", "Status"),
}
# A page belongs to the entry of its view, or else of its app.
ENTRY_OF_VIEW = {
    "audit:figures": "audit:figures",
    "audit:coverage": "audit:figures",
    "status": "status",
    "requirements": "status",
}
ENTRY_OF_APP = {
    "documents": "documents:bases",
    "retrieval": "documents:bases",
    "reading_rules": "documents:bases",
    "chat_model": "documents:bases",
    "chat_prompts": "documents:bases",
    "chat": "chat:home",
    "audit": "audit:list",
}


class NavigationLink(NamedTuple):
    url: str
    words: str
    is_current: bool


def navigation(request: HttpRequest) -> dict[str, Callable[[], list[NavigationLink]]]:
    """A context processor; links are built only if a page shows them."""
    return {"navigation": lambda: entries_for(request)}


def entries_for(request: HttpRequest) -> list[NavigationLink]:
    """All links in order; none is current on a page without a view."""
    match = request.resolver_match
    current = match and (ENTRY_OF_VIEW.get(match.view_name) or ENTRY_OF_APP.get(match.app_name))
    return [NavigationLink(reverse(view), str(words), view == current) for view, words in ENTRIES.items()]
