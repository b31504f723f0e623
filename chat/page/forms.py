"""Forms of the chat: a question, a conversation's name, feedback on an answer."""

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.models import User
from chat import scope
from chat.asking import TITLE_CHARACTERS_MAX, QuestionError, check_question
from chat.models import Feedback
from chat.scope import QuestionScope, ScopeError
from documents.models import KnowledgeBase
from reading.characters import clean_name, clean_words

COMMENT_CHARACTERS_MAX = 2000
MODES = [("fast", gettext_lazy("Fast")), ("balanced", gettext_lazy("Balanced")), ("thorough", gettext_lazy("Thorough"))]


class QuestionField(forms.CharField):
    """Text as typed; only `check_question` decides what is wrong with it."""

    default_validators = []

    def __init__(self) -> None:
        super().__init__(required=False, strip=False, widget=forms.Textarea(attrs={"rows": 2, "class": "field"}))
        self.validators = []

    def clean(self, value: Any) -> str:
        try:
            return check_question(str(value or ""))
        except QuestionError as error:
            raise forms.ValidationError(str(error)) from error


class QuestionForm(forms.Form):
    """A question, its scope and its mode. `form_id` makes one turn of a form that is sent twice."""

    question = QuestionField()
    scope = forms.ChoiceField(error_messages={"required": gettext_lazy("Choose a base or a document to ask.")})
    mode = forms.ChoiceField(choices=MODES)
    form_id = forms.UUIDField(widget=forms.HiddenInput)
    edits = forms.UUIDField(required=False, widget=forms.HiddenInput)  # the turn whose question was edited

    def __init__(
        self,
        user: User,
        data: Any = None,
        *,
        base: KnowledgeBase | None = None,
        chosen: str = "",
        mode: str = "balanced",
    ) -> None:
        chosen = scope.current_value(chosen)
        first = {"scope": chosen, "mode": mode, "form_id": uuid.uuid4()}
        super().__init__(data, initial=first, auto_id="%s")
        self._user = user
        self.chosen_scope: QuestionScope | None = None
        field = self.fields["scope"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = scope.choices(user, base, data.get("scope", "") if data is not None else chosen)
        field.error_messages["invalid_choice"] = gettext_lazy("This base or document cannot be asked.")
        self.has_choices = bool(field.choices)

    def clean_scope(self) -> str:
        value: str = self.cleaned_data["scope"]
        try:
            self.chosen_scope = scope.choose(self._user, value)
        except ScopeError as error:
            raise forms.ValidationError(str(error)) from error
        return value

    @property
    def first_error(self) -> str:
        """The one error to show: the question's before the scope's."""
        messages = [str(message) for name in self.fields for message in self.errors.get(name, [])]
        return messages[0] if messages else ""


class FindForm(forms.Form):
    """Words to find conversations by."""

    find = forms.CharField(required=False, max_length=200)

    def clean_find(self) -> str:
        return clean_words(self.cleaned_data["find"]).strip()


class TitleForm(forms.Form):
    title = forms.CharField(max_length=TITLE_CHARACTERS_MAX)

    def clean_title(self) -> str:
        if title := clean_name(self.cleaned_data["title"]):
            return title
        raise forms.ValidationError(gettext_lazy("A conversation needs a name one can see."))


class FeedbackForm(forms.Form):
    """Feedback on an answer; the comment is for its reviewer."""

    kind = forms.ChoiceField(choices=Feedback.Kind.choices)
    comment = forms.CharField(required=False, max_length=COMMENT_CHARACTERS_MAX)

    def clean_comment(self) -> str:
        return clean_words(self.cleaned_data["comment"])
