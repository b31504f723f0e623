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
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import user_of
from chat.model_page.in_force import ModelInForce, choose_model, read_in_force
from chat.model_page.nearby import find_nearby
from chat.model_page.testing import PASSAGES, ask_for_test, find_last_test
from chat.models import ModelTest
from chat.turns import tasks
from documents import access
from documents.base_settings import SettingsError
from documents.views import describe_base, tell_refusal
from llm.client import is_configured
from llm.dialect import form_in
from llm.models import LLMCall
from llm.prices import Price
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
            **(describe_in_force(in_force) if in_force else {}),
            "default_model": settings.LLM_MODEL,
            "named": len(tier_rows(read_tiers(found))),
            "job": last,
            "passages": len(PASSAGES),
            "outcome": say_test_outcome(last) if last else "",
            "failure": gettext(last.error) if last and last.error else "",  # a model's words stay as recorded
            "nearby": find_nearby() if in_force is None and user_of(request).is_superuser else (),
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
    with tell_refusal(request, SettingsError):
        choose_model(found, request.POST.get("model", "").replace("\x00", ""), user_of(request))
        messages.success(request, gettext("The choice is saved. It holds for the next question and the next reading."))
    return redirect("chat_model:model", found.pk)


# ---- words


def describe_in_force(found: ModelInForce) -> dict[str, object]:
    """Tiers, models that may be chosen and limits in words; what is spent is "" where that is not for the reader."""
    currency = found.currency
    return {
        "tiers": [
            (str(TIER_WORDS[each.tier]), each.model, price_words(each.price, currency), each.is_usual)
            for each in found.tiers
        ],
        "offered": [(each.name, price_words(each.price, currency)) for each in found.offered],
        "limits": [
            (
                str(WHOSE_WORDS[each.whose]),
                money(each.limit, currency),
                "" if each.spent is None else money(each.spent, currency),
            )
            for each in found.limits
        ],
    }


def price_words(price: Price | None, currency: str) -> str:
    if price is None:
        return ""
    told = {"sent": number_format(price.sent), "received": number_format(price.received), "currency": currency}
    return gettext("%(sent)s sent, %(received)s received, %(currency)s") % told


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


def cost_words(call: LLMCall) -> str:
    charge = getattr(call, "charge", None)
    return money(charge.amount, charge.currency) if charge else gettext("not priced")
