"""The forms of the chat: what becomes of the typed text, whose documents are offered, one sentence per fault."""

import uuid
from typing import Any

import pytest

from accounts.models import User
from audit.conftest import House
from chat.asking import TITLE_CHARACTERS_MAX
from chat.models import Feedback
from chat.page.forms import COMMENT_CHARACTERS_MAX, FeedbackForm, FindForm, QuestionForm, TitleForm
from documents.models import Document, KnowledgeBase
from retrieval.filters import Filters
from retrieval.question.parse import QUESTION_MAX

NOBODY = "5d8f0a7e-0000-4000-8000-000000000000"
OVERRIDE, BELL = "\u202e", "\x07"


@pytest.fixture
def readable(house: House) -> House:
    """The document can be asked."""
    Document.objects.update(current_parse=house.parse)
    house.document.refresh_from_db()
    return house


def sent(house: House, user: User | None = None, **changes: Any) -> QuestionForm:
    given = {
        "question": "What is the rent?",
        "scope": f"document:{house.document.pk}",
        "mode": "balanced",
        "form_id": str(uuid.uuid4()),
    }
    return QuestionForm(user or house.asker, given | changes)


# ---- a question


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("What is the rent?", "What is the rent?"),
        ("  What?\n ", "What?"),
        ("Line one\nline two", "Line one\nline two"),
        (f"What{OVERRIDE} is{BELL} it?", "What is it?"),
        ("保証金はいくらですか", "保証金はいくらですか"),
        ("<b>What?</b>", "<b>What?</b>"),
        ("x" * QUESTION_MAX, "x" * QUESTION_MAX),
        (" " * 10_000 + "What?", "What?"),
    ],
)
def test_a_question_is_kept_as_one_can_see_it(readable: House, typed: str, kept: str) -> None:
    form = sent(readable, question=typed)
    assert form.is_valid(), form.first_error
    assert form.cleaned_data["question"] == kept and form.first_error == ""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"question": ""}, "The question is empty"),
        ({"question": f"{OVERRIDE}\u200b\u00a0"}, "The question is empty"),
        ({"question": "a\x00b"}, "NUL"),
        ({"question": "x" * (QUESTION_MAX + 1)}, "4,001 characters"),
        ({"question": "", "scope": ""}, "The question is empty"),  # the question's fault before the scope's
        ({"scope": ""}, "Choose a base or a document"),
        ({"scope": "nonsense"}, "cannot be asked"),
        ({"scope": f"document:{NOBODY}"}, "cannot be asked"),
        ({"scope": f"base:{NOBODY}"}, "cannot be asked"),
        ({"mode": "hasty"}, "hasty"),
        ({"mode": ""}, "required"),
        ({"form_id": "7"}, "UUID"),
        ({"edits": "not an id"}, "UUID"),
    ],
)
def test_one_sentence_says_what_is_wrong(readable: House, changes: dict[str, Any], told: str) -> None:
    form = sent(readable, **changes)
    assert not form.is_valid() and told in form.first_error


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["document", "base"])
def test_what_is_chosen_becomes_a_scope(readable: House, kind: str) -> None:
    pk = readable.document.pk if kind == "document" else readable.base.pk
    form = sent(readable, scope=f"{kind}:{pk}")
    assert form.is_valid() and form.chosen_scope is not None
    assert form.chosen_scope.base == readable.base
    assert form.chosen_scope.documents == ((readable.document,) if kind == "document" else ())


@pytest.mark.django_db
def test_a_stranger_is_offered_nothing_and_takes_nothing(readable: House) -> None:
    form = QuestionForm(readable.stranger)
    assert not form.has_choices
    typed = sent(readable, readable.stranger)
    assert not typed.is_valid() and "cannot be asked" in typed.first_error and typed.chosen_scope is None


@pytest.mark.django_db
def test_a_document_that_is_not_read_yet_is_not_offered(house: House) -> None:
    assert not QuestionForm(house.asker).has_choices
    assert not sent(house).is_valid()


@pytest.mark.django_db
def test_only_the_base_of_the_conversation_is_offered(readable: House) -> None:
    other = KnowledgeBase.objects.create(name="Other")
    assert not QuestionForm(readable.asker, base=other).has_choices
    offered = dict(dict(QuestionForm(readable.asker, base=readable.base).fields["scope"].choices)["Model governance"])  # type: ignore[attr-defined]
    assert set(offered) == {f"base:{readable.base.pk}", f"document:{readable.document.pk}"}


@pytest.mark.django_db
def test_each_form_that_is_shown_has_an_id_of_its_own(readable: House) -> None:
    chosen = f"document:{readable.document.pk}"
    first, second = (QuestionForm(readable.asker, chosen=chosen, mode="fast") for _ in range(2))
    assert first.initial["form_id"] != second.initial["form_id"]
    assert (first.initial["scope"], first.initial["mode"]) == (chosen, "fast")


# ---- what narrows it


@pytest.mark.django_db
def test_filters_are_read_from_what_is_typed(readable: House) -> None:
    form = sent(readable, readable.owner, pages="3-4, 12", section="  Rent ", top_k="5", threshold="0.25")
    assert form.is_valid(), form.errors
    assert form.filters == Filters((3, 4, 12), "Rent", 5, 0.25)
    assert sent(readable).is_valid() and not [chip for chip in sent(readable).chips]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "typed", "told"),
    [
        ("pages", "seven", "Write numbers such as 3-7, 12."),
        ("section", "x" * 301, "300"),
        ("top_k", "0", "greater than or equal to 1"),
        ("top_k", "many", "whole number"),
        ("threshold", "2", "less than or equal to 1"),
        ("documents", [NOBODY], "cannot be asked"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(readable: House, field: str, typed: Any, told: str) -> None:
    form = sent(readable, readable.owner, section="Rent") if field != "section" else sent(readable, readable.owner)
    form = QuestionForm(readable.owner, {**form.data, field: typed})
    assert not form.is_valid() and form.is_narrowing_wrong and form.first_error == ""
    assert list(form.errors) == [field] and told in str(form.errors[field])
    assert form[field].value() == typed, "nothing typed is lost"
    assert field not in [chip.field for chip in form.chips]


@pytest.mark.django_db
def test_how_much_is_judged_is_for_those_who_do_more_than_ask(readable: House) -> None:
    offered = {
        user: {"top_k", "threshold"} & set(QuestionForm(user).fields) for user in (readable.asker, readable.owner)
    }
    assert offered == {readable.asker: set(), readable.owner: {"top_k", "threshold"}}
    form = sent(readable, top_k="5", threshold="0.5")
    assert form.is_valid() and form.filters == Filters()


@pytest.mark.django_db
def test_ticked_documents_are_asked_and_not_the_choice_above(readable: House) -> None:
    other = Document.objects.create(
        base=readable.base, title="Other", file_name="o.pdf", sha256="0" * 64, size_bytes=1, state="ready",
        current_parse=readable.parse,
    )  # fmt: skip
    form = sent(readable, scope=f"base:{readable.base.pk}", documents=[str(readable.document.pk), str(other.pk)])
    assert form.is_valid() and form.chosen_scope is not None and form.has_several_documents
    assert {each.pk for each in form.chosen_scope.documents} == {readable.document.pk, other.pk}
    elsewhere = KnowledgeBase.objects.create(name="Elsewhere")
    elsewhere.membership_set.create(user=readable.asker, role="viewer")
    Document.objects.filter(pk=other.pk).update(base=elsewhere)
    apart = sent(readable, documents=[str(readable.document.pk), str(other.pk)])
    assert not apart.is_valid() and list(apart.errors) == ["documents"]


# ---- names, words, feedback


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Rent", "Rent"),
        ("  The   rent\tof it ", "The rent of it"),
        (f"Re{OVERRIDE}nt", "Re nt"),
        ("Re\x00nt", None),
        ("de\u0301po\u0302t", "dépôt"),
        ("x" * TITLE_CHARACTERS_MAX, "x" * TITLE_CHARACTERS_MAX),
        ("x" * (TITLE_CHARACTERS_MAX + 1), None),
        ("", None),
        ("   ", None),
        ("\u200b", None),
        (OVERRIDE, None),
    ],
)
def test_a_conversation_has_a_name_one_can_see(typed: str, kept: str | None) -> None:
    form = TitleForm({"title": typed})
    assert form.is_valid() is (kept is not None)
    assert form.cleaned_data.get("title") == kept


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("rent", "rent"),
        ("", ""),
        ("  rent ", "rent"),
        (f"re{OVERRIDE}nt", "rent"),
        ("100%_", "100%_"),
        ("x" * 201, None),
    ],
)
def test_words_to_find_a_conversation_by(typed: str, kept: str | None) -> None:
    form = FindForm({"find": typed})
    assert form.is_valid() is (kept is not None) and form.cleaned_data.get("find") == kept


@pytest.mark.parametrize(
    ("kind", "comment", "kept"),
    [
        *((kind, "", "") for kind in Feedback.Kind.values),
        (Feedback.Kind.values[0], f"It is{OVERRIDE} wrong.\nSee page 2.", "It is wrong.\nSee page 2."),
        (Feedback.Kind.values[0], "x" * COMMENT_CHARACTERS_MAX, "x" * COMMENT_CHARACTERS_MAX),
        (Feedback.Kind.values[0], "x" * (COMMENT_CHARACTERS_MAX + 1), None),
        (Feedback.Kind.values[0].upper() + "!", "", None),
        ("", "fine", None),
    ],
)
def test_a_word_on_an_answer(kind: str, comment: str, kept: str | None) -> None:
    form = FeedbackForm({"kind": kind, "comment": comment})
    assert form.is_valid() is (kept is not None)
    if kept is not None:
        assert form.cleaned_data == {"kind": kind, "comment": kept}
