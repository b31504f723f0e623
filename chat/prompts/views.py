"""The prompts of the program in a base, for its owners: what each is for, its text, and what the base adds."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.requests import user_of
from chat.models import PromptGuidance
from chat.prompts.catalogue import BY_NAME, CATALOGUE, GUIDED
from chat.prompts.guidance import WHY_MAX, GuidanceChanged, GuidanceRefused, change_guidance, history_of, newest_of
from documents import access
from documents.models import KnowledgeBase
from documents.views import describe_base
from llm.prompts import GUIDANCE_MAX, GUIDANCE_TOLD, SMALL_GUIDANCE_MAX, Prompt


class GuidanceForm(forms.Form):
    """Length and content of the text are checked where it is stored, so that nothing typed is lost."""

    text = forms.CharField(
        required=False,
        strip=False,
        label=_("Guidance of this base"),
        widget=forms.Textarea(attrs={"class": "field", "rows": 10}),
    )
    why = forms.CharField(
        required=False,
        label=_("Why"),
        widget=forms.TextInput(attrs={"class": "field", "maxlength": WHY_MAX, "required": True}),
    )
    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    again_of = forms.IntegerField(min_value=1, required=False)


@require_safe
def prompts(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = access.get_base(request.user, pk, *access.OWN)
    newest = {row.prompt: row for row in newest_of(found)}
    rows = [(prompt, prompt.name in GUIDED, newest.get(prompt.name)) for prompt in CATALOGUE]
    shown = {**describe_base(request, found), "rows": rows, "most_small": SMALL_GUIDANCE_MAX}
    return render(request, "chat/prompts.html", shown)


@require_http_methods(["GET", "HEAD", "POST"])
def prompt(request: HttpRequest, pk: UUID, name: str) -> HttpResponse:
    """One prompt that takes guidance, with a form and its history; POST stores a text, or an earlier one again."""
    found = access.get_base(request.user, pk, *access.OWN)
    if name not in GUIDED:
        raise Http404("There is nothing here for you.")
    if request.method != "POST":
        return show_prompt(request, found, BY_NAME[name])
    form = GuidanceForm(request.POST)
    if not form.is_valid():
        return show_prompt(request, found, BY_NAME[name], form)
    typed = form.cleaned_data
    again_of = typed["again_of"]
    why = typed["why"] or (gettext("Number %(number)s again") % {"number": again_of} if again_of else "")
    try:
        row = change_guidance(found, name, typed["text"], why, user_of(request), seen=typed["seen"], again_of=again_of)
    except GuidanceRefused as error:
        return show_prompt(request, found, BY_NAME[name], form, error)
    words = gettext("The guidance is stored. It holds from the next question on.")
    messages.success(request, words if row else gettext("Nothing was stored: it is the text that holds already."))
    return redirect("chat_prompts:prompt", found.pk, name)


def show_prompt(
    request: HttpRequest,
    found: KnowledgeBase,
    shown: Prompt,
    form: GuidanceForm | None = None,
    failure: GuidanceRefused | None = None,
) -> HttpResponse:
    history = history_of(found, shown.name)
    standing: PromptGuidance | None = history[0] if history else None
    number = standing.number if standing else 0
    first: dict[str, object] = {"text": standing.text if standing else "", "seen": number}
    context = {
        **describe_base(request, found),
        "prompt": shown,
        "told": GUIDANCE_TOLD.format(topics=shown.topics),
        "form": form or GuidanceForm(initial=first),
        "failure": str(failure) if failure else gettext("Fill in the form again.") if form else "",
        "standing": standing,
        "seen": number,
        "is_conflict": isinstance(failure, GuidanceChanged),
        "history": history,
        "most": GUIDANCE_MAX,
        "most_small": SMALL_GUIDANCE_MAX,
    }
    status = 409 if context["is_conflict"] else 400 if form else 200
    return render(request, "chat/prompt.html", context, status=status)
