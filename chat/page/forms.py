"""Forms of the chat: a question and what narrows it, a conversation's name, feedback on an answer."""

import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts.models import User
from chat import scope
from chat.asking import TITLE_CHARACTERS_MAX, QuestionError, check_question
from chat.models import Feedback
from chat.page.narrowing import Chip, PagesError, chips_of, read_pages
from chat.scope import QuestionScope, ScopeError
from documents.forms import invalid_where
from documents.models import KnowledgeBase
from reading.characters import clean_name, clean_words
from retrieval.filters import PAGES_MAX, SECTION_CHARACTERS_MAX, TOP_K_MAX, Filters

COMMENT_CHARACTERS_MAX = 2000
NARROWING = ("documents", "pages", "section", "top_k", "threshold")
TUNING = ("top_k", "threshold")  # for those who do more in the base than ask
MODES = [("fast", gettext_lazy("Fast")), ("balanced", gettext_lazy("Balanced")), ("thorough", gettext_lazy("Thorough"))]


class QuestionField(forms.CharField):
    """Text as typed; only `check_question` decides what is wrong with it."""

    default_validators = []

    def __init__(self) -> None:
        super().__init__(required=False, strip=False, widget=forms.Textarea(attrs={"rows": 2, "class": "field"}))
        self.validators = []

    def clean(self, value: Any) -> str:
        with invalid_where(QuestionError):
            return check_question(str(value or ""))


class PagesField(forms.CharField):
    """Page numbers and spans as text; the value is the numbers."""

    def clean(self, value: Any) -> Any:
        with invalid_where(PagesError):
            return read_pages(super().clean(value))


class QuestionForm(forms.Form):
    """A question, its scope and its mode, and what narrows it. `form_id` makes one turn of a form that is sent twice.

    `typed` is what is in the fields at first: the filters of the turn before, or a form that is shown again unsent.
    """

    question = QuestionField()
    scope = forms.ChoiceField(error_messages={"required": gettext_lazy("Choose a base or a document to ask.")})
    mode = forms.ChoiceField(choices=MODES)
    form_id = forms.UUIDField(widget=forms.HiddenInput)
    edits = forms.UUIDField(required=False, widget=forms.HiddenInput)  # the turn whose question was edited
    documents = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Several documents"),
        help_text=gettext_lazy("Where some are ticked, they are asked and not the choice above."),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": gettext_lazy("One of these documents cannot be asked.")},
    )
    pages = PagesField(
        required=False,
        max_length=8 * PAGES_MAX,
        label=gettext_lazy("Pages"),
        help_text=gettext_lazy("Numbers in the file, such as 3-7, 12"),
        widget=forms.TextInput(attrs={"class": "field", "autocomplete": "off"}),
    )
    section = forms.CharField(
        required=False,
        max_length=SECTION_CHARACTERS_MAX,
        label=gettext_lazy("Section"),
        help_text=gettext_lazy("Its number or title"),
        widget=forms.TextInput(attrs={"class": "field", "autocomplete": "off"}),
    )
    top_k = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=TOP_K_MAX,
        label=gettext_lazy("Places judged at most"),
        help_text=gettext_lazy("From 1 to 100"),
        widget=forms.NumberInput(attrs={"class": "field"}),
    )
    threshold = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        label=gettext_lazy("Nearness in meaning"),
        help_text=gettext_lazy("At least so much, from 0 to 1"),
        widget=forms.NumberInput(attrs={"class": "field", "step": "0.05"}),
    )

    def __init__(
        self,
        user: User,
        data: Any = None,
        *,
        base: KnowledgeBase | None = None,
        chosen: str = "",
        mode: str = "balanced",
        typed: Mapping[str, Any] | None = None,
    ) -> None:
        chosen = scope.current_value((typed or {}).get("scope", chosen))
        first = {"scope": chosen, "mode": mode, **(typed or {}), "form_id": uuid.uuid4()}
        super().__init__(data, initial=first, auto_id="%s")
        if not scope.may_tune(user, base):
            for name in TUNING:
                self.fields.pop(name, None)
        self._user = user
        self.chosen_scope: QuestionScope | None = None
        field = self.fields["scope"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = scope.choices(user, base, data.get("scope", "") if data is not None else chosen)
        field.error_messages["invalid_choice"] = gettext_lazy("This base or document cannot be asked.")
        self.has_choices = bool(field.choices)
        documents = self.fields["documents"]
        assert isinstance(documents, forms.MultipleChoiceField)
        documents.choices = self.documents_offered = scope.single_documents(field.choices)

    def clean_scope(self) -> str:
        value: str = self.cleaned_data["scope"]
        self.chosen_scope = self._choose(value)
        return value

    def clean_documents(self) -> list[str]:
        """The ids ticked, which are asked instead of the scope."""
        ticked: list[str] = self.cleaned_data["documents"]
        if len(ticked) > scope.CHOSEN_MAX:
            words = gettext_lazy("At most %(most)s documents can be asked at once; for more, ask the base.")
            raise forms.ValidationError(words, params={"most": scope.CHOSEN_MAX})
        if ticked:
            self.chosen_scope = self._choose(scope.write_picker_value(ticked))
        return ticked

    def clean_section(self) -> str:
        return clean_words(self.cleaned_data["section"]).strip()

    def _choose(self, value: str) -> QuestionScope:
        with invalid_where(ScopeError):
            return scope.choose(self._user, value)

    @property
    def filters(self) -> Filters:
        """What narrows the question; of a valid form."""
        cleaned = self.cleaned_data
        return Filters(cleaned["pages"], cleaned["section"], cleaned.get("top_k"), cleaned.get("threshold"))

    @property
    def first_error(self) -> str:
        """The one error to show below the question: the question's before the scope's."""
        names = [name for name in self.fields if name not in NARROWING]
        messages = [str(message) for name in names for message in self.errors.get(name, [])]
        return messages[0] if messages else ""

    @property
    def narrowing(self) -> list[forms.BoundField]:
        """The fields that narrow, each with its errors beside it; the documents only where there are several."""
        names = [name for name in NARROWING if name in self.fields]
        return [self[name] for name in names if name != "documents" or self.has_several_documents]

    @property
    def has_several_documents(self) -> bool:
        return sum(len(members) for _, members in self.documents_offered) > 1

    @property
    def is_narrowing_wrong(self) -> bool:
        return any(name in self.errors for name in NARROWING)

    @property
    def chips(self) -> list[Chip]:
        """The filters that are set, to be seen and taken off."""
        right = [name for name in NARROWING if name in self.fields and name not in self.errors]
        return chips_of({name: str(self[name].value() or "") for name in right if name != "documents"})


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
