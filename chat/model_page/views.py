"""The page of a base's model: everybody in the base reads what is in force, owners have it tested."""

from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.requests import user_of
from chat.model_page.in_force import ModelInForce, choose_model, read_in_force
from chat.model_page.nearby import NearbyServer, find_nearby
from chat.model_page.testing import PASSAGES, ask_for_test, find_last_test
from chat.models import ModelTest
from chat.turns import tasks
from documents import access
from documents.base_settings import SettingsError
from documents.views import describe_base
from llm.client import is_configured
from llm.dialect import form_in
from llm.models import LLMCall
from retrieval.dictionary.tier_views import TIER_WORDS
from retrieval.dictionary.tiers import read_tiers, tier_rows

WHOSE_WORDS = {
    "all": gettext_lazy("all bases together"),
    "base": gettext_lazy("this base"),
    "user": gettext_lazy("you, in all bases"),
}
FORM_WORDS = {
    "json_schema": gettext_lazy("strict schema"),
    "json_object": gettext_lazy("JSON without a strict schema"),
    "text": gettext_lazy("plain text, no schema"),
}


@require_safe
@never_cache
def model(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What is in force and the last test; the part that follows a test in work alone where the page asks for it."""
    found = access.get_base(request.user, pk)
    last = find_last_test(found)
    if request.headers.get("HX-Request"):
        is_pending = last is not None and last.is_pending
        response = (
            render(request, "chat/_model_testing.html", {"base": found, "job": last})
            if is_pending
            else HttpResponse(headers={"HX-Refresh": "true"})
        )
    else:
        in_force = read_in_force(found, user_of(request), access.role_in(request.user, found))
        shown = {
            **describe_base(request, found),
            "in_force": in_force,
            "tiers": tiers_shown(in_force),
            "offered": offered_shown(in_force),
            "default_model": settings.LLM_MODEL,
            "limits": limits_shown(in_force),
            "named": len(tier_rows(read_tiers(found))),
            "job": last,
            "passages": len(PASSAGES),
            "outcome": say_test_outcome(last) if last else "",
            "failure": say_test_failure(last) if last else "",
            "nearby": nearby_for(user_of(request)) if in_force is None else (),
        }
        response = render(request, "chat/model.html", shown)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_POST
def start_test(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Have the model tested by a worker."""
    found = access.get_base(request.user, pk, *access.OWN)
    if is_configured():
        tasks.start(ask_for_test(user_of(request), found))
    else:
        messages.error(request, gettext("Nothing was tested: no model is set up."))
    return redirect("chat_model:model", found.pk)


@require_POST
def change_model(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Choose the model of a base among those that are allowed."""
    found = access.get_base(request.user, pk, *access.OWN)
    try:
        choose_model(found, request.POST.get("model", "").replace("\x00", ""), user_of(request))
    except SettingsError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, gettext("The choice is saved. It holds for the next question and the next reading."))
    return redirect("chat_model:model", found.pk)


def nearby_for(user: User) -> tuple[NearbyServer, ...]:
    """Model servers on this machine, for those who can set one up."""
    return find_nearby() if user.is_superuser else ()


# ---- words


def tiers_shown(in_force: ModelInForce | None) -> list[tuple[str, str, str, bool]]:
    """Each tier in words, with its model and price, and whether it is the usual one."""
    if in_force is None:
        return []
    return [
        (
            str(TIER_WORDS[each.tier]),
            each.model,
            price_words(each.price.sent, each.price.received, in_force.currency) if each.price else "",
            each.is_usual,
        )
        for each in in_force.tiers
    ]


def offered_shown(in_force: ModelInForce | None) -> list[tuple[str, str]]:
    """Each model that may be chosen, with its price."""
    if in_force is None:
        return []
    return [
        (each.name, price_words(each.price.sent, each.price.received, in_force.currency) if each.price else "")
        for each in in_force.offered
    ]


def price_words(sent: Decimal, received: Decimal, currency: str) -> str:
    told = {"sent": number_format(sent), "received": number_format(received), "currency": currency}
    return gettext("%(sent)s sent, %(received)s received, %(currency)s") % told


def limits_shown(in_force: ModelInForce | None) -> list[tuple[str, str, str]]:
    """Whose limit, how much, and how much of it is spent; "" where that is not for the reader."""
    if in_force is None:
        return []
    return [
        (str(WHOSE_WORDS[each.whose]), money(each.limit, in_force.currency), spent_words(each.spent, in_force.currency))
        for each in in_force.limits
    ]


def spent_words(spent: Decimal | None, currency: str) -> str:
    return "" if spent is None else money(spent, currency)


def money(amount: Decimal, currency: str) -> str:
    """An amount with as many decimals as it needs, four at most unless it is smaller: calls cost parts of a cent."""
    shown = (amount.quantize(Decimal("0.0001")) or amount).normalize()
    return f"{number_format(shown, max(2, -int(shown.as_tuple().exponent)))} {currency}"


def say_test_outcome(job: ModelTest) -> str:
    """A test that the model answered: passages, time, form of the reply and price, as one line."""
    call = job.call
    if call is None or job.state != ModelTest.State.DONE:
        return ""
    told = {
        "judged": job.judged,
        "seconds": number_format(round(call.latency_ms / 1000, 1), 1),
        "form": FORM_WORDS[form_in(call.request)],
        "cost": cost_words(call),
    }
    return gettext("judged %(judged)s passages in %(seconds)s s, %(form)s, %(cost)s") % told


def say_test_failure(job: ModelTest) -> str:
    """Why nothing was judged; what a model or its server said is as it was recorded, in English."""
    return gettext(job.error) if job.error else ""


def cost_words(call: LLMCall) -> str:
    charge = getattr(call, "charge", None)
    return money(charge.amount, charge.currency) if charge else gettext("not priced")
