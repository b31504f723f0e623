"""The learned words of a base on the page of its dictionary, for its owners: they tell of other people's questions."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from accounts.requests import user_of
from documents import access
from documents.models import KnowledgeBase, Role
from retrieval.dictionary.csv_format import WordlistError
from retrieval.dictionary.learned import standings_of_words
from retrieval.dictionary.learned_editing import switch_word, take_word
from retrieval.models import Concept

WORDS_SHOWN = 200  # the latest first
CONCEPTS_OFFERED = 500


def show_learned(request: HttpRequest, found: KnowledgeBase) -> dict[str, Any]:
    """What the page shows of the learned words; nothing to others than owners."""
    if access.role_in(user_of(request), found) != Role.OWNER:
        return {}
    standings = standings_of_words(found)
    return {
        "rows": [(each, each.row) for each in standings[:WORDS_SHOWN]],
        "more": max(0, len(standings) - WORDS_SHOWN),
        "concepts": Concept.objects.filter(base=found).values_list("name", flat=True)[:CONCEPTS_OFFERED]
        if any(not each.row.concept for each in standings)
        else (),
    }


@require_POST
def learned_word(request: HttpRequest, pk: UUID, word_pk: int) -> HttpResponse:
    """Switch a learned word off or on, or take it into the dictionary."""
    found = access.get_base(request.user, pk, *access.OWN)
    standing = next((each for each in standings_of_words(found) if each.row.pk == word_pk), None)
    action = request.POST.get("action")
    if standing is None or action not in ("off", "on", "take"):
        raise Http404("There is nothing here for you.")
    told = {"word": standing.row.word}
    try:
        if action == "take":
            name = request.POST.get("concept_name", "") or standing.row.concept
            concept = take_word(found, word_pk, name, user_of(request))
            words = gettext("“%(word)s” is a term of “%(concept)s” now.")
            messages.success(request, words % {**told, "concept": concept.name})
        else:
            switch_word(found, word_pk, user_of(request), on=action == "on")
            words = gettext("“%(word)s” is switched on.") if action == "on" else gettext("“%(word)s” is switched off.")
            messages.success(request, words % told)
    except WordlistError as error:
        messages.error(request, str(error))
    return redirect(reverse("retrieval:dictionary", args=[found.pk]) + "#learned")
