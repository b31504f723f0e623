"""The page of a base's model tiers (R25): everybody in the base reads it, owners change it."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.requests import user_of
from documents import access
from documents.base_settings import EVERY_KEY, BaseSettings
from documents.views import describe_base
from llm.tiers import TIERS, asking, model_for
from retrieval.dictionary.csv_format import TEXT_MAX
from retrieval.dictionary.tiers import (
    CONCEPT,
    TierError,
    TierRow,
    answer_types_of,
    put_tier,
    read_tiers,
    tier_rows,
)
from retrieval.told.planned import TYPE_WORDS

TIER_WORDS = {
    "small": gettext_lazy("small"),
    "normal": gettext_lazy("normal"),
    "hard": gettext_lazy("for hard questions"),
}


@require_http_methods(["GET", "HEAD", "POST"])
def tiers(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The tiers a base names, in the order in which they count, with a form to name one more or take one away."""
    found = access.get_base(request.user, pk, *(access.OWN if request.method == "POST" else ()))
    failure = ""
    if request.method == "POST":
        concept = " ".join(request.POST.get("concept", "").replace("\x00", "").split())
        row = TierRow(request.POST.get("what", ""), concept[:TEXT_MAX], request.POST.get("tier", ""))
        try:
            put_tier(found, row, user_of(request))
        except TierError as error:
            failure = str(error)
        else:
            return redirect("retrieval:tiers", found.pk)
    with asking(BaseSettings.from_json(found.settings).model):
        models = [(tier, TIER_WORDS[tier], model_for(tier)) for tier in TIERS]
    shown = {
        **describe_base(request, found),
        "rows": [
            (row, TYPE_WORDS.get(row.what, row.what), TIER_WORDS[row.tier]) for row in tier_rows(read_tiers(found))
        ],
        "types": [(name, TYPE_WORDS.get(name, name)) for name in answer_types_of(found)],
        "tiers": models,
        "every": EVERY_KEY,
        "concept": CONCEPT,
        "failure": failure,
    }
    return render(request, "retrieval/tiers.html", shown, status=400 if failure else 200)
