"""Fields of a base on its documents, the list narrowed by them, and kept filters: rules, pages and API."""

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents.access import create_base
from documents.metadata.fields import (
    FIELDS_MAX,
    MetadataError,
    add_field,
    count_values,
    read_number,
    set_values,
)
from documents.metadata.filters import FilterError, save_filter, visible_filters
from documents.models import Document, IngestJob, KnowledgeBase, MetadataField, SavedFilter
from documents.pages.listing import filter_documents
from documents.storage.replacement import replace
from documents.tests.files import make_pdf, upload_of
from ledger.models import Event

pytestmark = pytest.mark.django_db
Queued = Callable[..., IngestJob]


@pytest.fixture
def fields(base: KnowledgeBase, owner: User) -> dict[str, MetadataField]:
    for name, kind in (("Dossier", "text"), ("Value", "number"), ("Signed", "date")):
        add_field(base, name, kind, by=owner)
    add_field(base, "Desk", "choice", ["North", " South ", "North", ""], owner)
    return {field.name: field for field in base.metadata_fields.all()}


@pytest.fixture
def noted(queued: Queued, fields: dict[str, MetadataField]) -> dict[str, Document]:
    """Three documents with values."""
    values = {
        "a": {"Dossier": "Alpha <b>1</b>", "Value": "9.50", "Signed": "2024-05-01", "Desk": "North"},
        "b": {"Dossier": "beta", "Value": "1200", "Signed": "2025-01-31", "Desk": "South"},
        "c": {"Value": "-3"},
    }
    documents = {}
    for name, texts in values.items():
        documents[name] = queued(make_pdf(note=name), f"{name}.pdf").document
        set_values(documents[name], {fields[field].pk: text for field, text in texts.items()})
    return documents


def test_a_field_has_one_of_four_kinds_and_is_on_record(fields: dict[str, MetadataField]) -> None:
    assert fields["Desk"].choices == ["North", "South"] and fields["Value"].choices == []
    assert Event.objects.filter(kind="field_added").count() == 4


@pytest.mark.parametrize(
    ("name", "kind", "choices"),
    [
        ("", "text", ()),
        ("\u200b", "text", ()),
        ("x" * 61, "text", ()),
        ("Other", "colour", ()),
        ("Other", "choice", ("", " ")),
        ("Other", "choice", ("x" * 61,)),
        ("Other", "choice", tuple(map(str, range(51)))),
        ("DESK", "text", ()),  # a name in other capitals
    ],
)
def test_what_is_no_field_is_refused(
    base: KnowledgeBase, fields: dict[str, MetadataField], name: str, kind: str, choices: tuple[str, ...]
) -> None:
    with pytest.raises(MetadataError):
        add_field(base, name, kind, choices)
    assert base.metadata_fields.count() == len(fields)


def test_a_base_has_so_many_fields(base: KnowledgeBase) -> None:
    for number in range(FIELDS_MAX):
        add_field(base, f"Field {number}", "text")
    with pytest.raises(MetadataError, match=str(FIELDS_MAX)):
        add_field(base, "One more", "text")


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        *(("9.50", "9.5"), ("-0", "0"), ("1e3", "1000"), ("007", "7"), ("1,5", "")),
        *(("NaN", ""), ("Infinity", ""), ("1e99", ""), ("٣", ""), ("x", "")),
    ],
)
def test_numbers_are_stored_in_one_way(text: str, stored: str) -> None:
    assert read_number(text) == stored


@pytest.mark.parametrize(
    ("field", "text"),
    [("Value", "many"), ("Signed", "31.01.2025"), ("Signed", "2025-02-30"), ("Desk", "West"), ("Dossier", "x" * 201)],
)
def test_a_wrong_value_changes_nothing(
    noted: dict[str, Document], fields: dict[str, MetadataField], field: str, text: str
) -> None:
    before = Document.objects.get(pk=noted["b"].pk).metadata
    with pytest.raises(MetadataError):
        set_values(noted["b"], {fields["Dossier"].pk: "gamma"} | {fields[field].pk: text})
    assert Document.objects.get(pk=noted["b"].pk).metadata == before


@pytest.mark.parametrize(
    ("field", "value", "names"),
    [
        ("Dossier", "", "ab"),
        ("Dossier", "ALPHA", "a"),
        ("Dossier", "%", ""),
        ("Value", "9.5", "a"),
        ("Value", "..10", "ac"),
        ("Value", "9..2000", "ab"),
        ("Value", "10..", "b"),
        ("Value", "many", ""),
        ("Signed", "2024-05-01", "a"),
        ("Signed", "2024-06-01..", "b"),
        ("Desk", "South", "b"),
        ("Desk", "West", ""),
    ],
)
def test_the_list_is_narrowed_by_a_field(
    base: KnowledgeBase,
    noted: dict[str, Document],
    fields: dict[str, MetadataField],
    field: str,
    value: str,
    names: str,
) -> None:
    found = filter_documents(base.documents.living(), {"field": str(fields[field].pk), "value": value})
    assert {document.file_name[0] for document in found} == set(names)
    assert set(noted) == set("abc")


def test_the_page_of_the_list_and_of_a_document_know_the_fields(
    signed_in: Client, base: KnowledgeBase, noted: dict[str, Document], fields: dict[str, MetadataField]
) -> None:
    address = reverse("documents:base", args=[base.pk])
    page = signed_in.get(address, {"field": str(fields["Desk"].pk), "value": "South"}).content.decode()
    assert "b.pdf" in page and "a.pdf" not in page and "Keep this filter" in page
    assert "b.pdf" in signed_in.get(address, {"field": "999999", "value": "x"}).content.decode()  # unknown: no filter
    shown = signed_in.get(reverse("documents:document", args=[noted["a"].pk])).content.decode()
    assert "Alpha &lt;b&gt;1&lt;/b&gt;" in shown and 'type="date"' in shown and "<option selected>North" in shown
    describe = reverse("documents:describe", args=[noted["a"].pk])
    sent = {
        "title": "A",
        "tags": "",
        f"field-{fields['Value'].pk}": "7",
        f"field-{fields['Desk'].pk}": "",
        "field-x": "1",
    }
    signed_in.post(describe, sent)
    metadata = Document.objects.get(pk=noted["a"].pk).metadata
    assert metadata[str(fields["Value"].pk)] == "7" and str(fields["Desk"].pk) not in metadata
    signed_in.post(describe, sent | {"title": "B", f"field-{fields['Value'].pk}": "many"})
    assert Document.objects.get(pk=noted["a"].pk).title == "A"  # all or nothing


def test_the_type_of_the_card_narrows_the_list(base: KnowledgeBase, noted: dict[str, Document]) -> None:
    assert noted and not filter_documents(base.documents.living(), {"type": "invoice"}).exists()


def test_a_removed_field_takes_its_values_along(
    signed_in: Client, base: KnowledgeBase, noted: dict[str, Document], fields: dict[str, MetadataField]
) -> None:
    signed_in.post(reverse("documents:delete_field", args=[base.pk, fields["Value"].pk]))
    assert Document.objects.get(pk=noted["c"].pk).metadata == {}
    assert len(Document.objects.get(pk=noted["a"].pk).metadata) == 3
    assert Event.objects.get(kind="field_removed").details == {"name": "Value", "documents": 3}


def test_a_renamed_field_keeps_its_values(
    signed_in: Client, base: KnowledgeBase, noted: dict[str, Document], fields: dict[str, MetadataField]
) -> None:
    address = reverse("documents:name_field", args=[base.pk, fields["Value"].pk])
    before = Document.objects.get(pk=noted["c"].pk).metadata
    for name, said in ((" Worth ", "The field is called “Worth” now."), ("desk", "a field of this name already")):
        assert said in signed_in.post(address, {"name": name}, follow=True).content.decode()
    assert "needs a name" in signed_in.post(address, {"name": " "}, follow=True).content.decode()
    assert MetadataField.objects.get(pk=fields["Value"].pk).name == "Worth"
    assert Document.objects.get(pk=noted["c"].pk).metadata == before != {}
    assert Event.objects.get(kind="field_renamed").details == {"name": "Worth", "before": "Value"}


@pytest.mark.parametrize("action", ["delete_field", "name_field"])
def test_a_field_that_has_gone_in_the_meantime_is_said(signed_in: Client, base: KnowledgeBase, action: str) -> None:
    told = signed_in.post(reverse(f"documents:{action}", args=[base.pk, 987]), {"name": "Worth"}, follow=True)
    assert "This field is not there any more." in told.content.decode()


def test_the_page_says_how_many_values_go_with_a_field(
    signed_in: Client, base: KnowledgeBase, noted: dict[str, Document]
) -> None:
    counts = {field.name: count for field, count in count_values(base)}
    assert counts == {"Desk": 2, "Dossier": 2, "Signed": 2, "Value": 3}
    page = signed_in.get(f"/bases/{base.pk}/fields/").content.decode()
    assert page.count("2 documents have a value") == 3 and page.count("3 documents have a value") == 1
    assert page.count('class="btn sm danger"') == 4, "a click asks first"


@pytest.mark.parametrize(("name", "at"), [("Desk", "choices"), ("", "name")])
def test_a_refused_field_is_told_at_what_is_wrong(signed_in: Client, base: KnowledgeBase, name: str, at: str) -> None:
    told = signed_in.post(f"/bases/{base.pk}/fields/", {"name": name, "kind": "choice", "choices": " , "})
    page = told.content.decode()
    assert told.status_code == 400 and page.count('id="fault"') == 1
    assert 'aria-describedby="fault"' in page.split(f'id="{at}"')[1].split(">")[0]


def test_a_newer_version_keeps_what_is_noted(noted: dict[str, Document], owner: User) -> None:
    newer = replace(noted["a"], owner, upload_of(make_pdf(note="newer"), "a2.pdf"))
    assert newer.metadata == Document.objects.get(pk=noted["a"].pk).metadata != {}


def test_a_field_of_another_base_is_none_here(owner: User, base: KnowledgeBase, noted: dict[str, Document]) -> None:
    other = create_base(owner, "Other")
    add_field(other, "Dossier", "text")
    field = other.metadata_fields.get()
    set_values(noted["a"], {field.pk: "smuggled"})
    assert "smuggled" not in str(Document.objects.get(pk=noted["a"].pk).metadata)
    assert not filter_documents(base.documents.living(), {"field": str(field.pk)}).exists()


def test_a_filter_is_ones_own_or_shared(
    base: KnowledgeBase, owner: User, member: Callable[[str], User], client: Client
) -> None:
    viewer, editor = member("viewer"), member("editor")
    own = save_filter(base, viewer, "Mine", {"q": "keys", "nonsense": "x"})
    shared = save_filter(base, editor, "All", {"state": "needs"}, is_shared=True)
    assert own.query == {"q": "keys"}
    assert list(visible_filters(base, owner)) == [shared] and set(visible_filters(base, viewer)) == {own, shared}
    for name, query, is_shared in (
        ("", {"q": "a"}, False),
        ("x" * 61, {"q": "a"}, False),
        ("N", {}, False),
        ("N", {"q": "a"}, True),
    ):
        with pytest.raises(FilterError):
            save_filter(base, viewer, name, query, is_shared=is_shared)
    assert save_filter(base, viewer, "Mine", {"q": "locks"}).pk == own.pk  # the same name again
    client.force_login(viewer)
    page = client.get(reverse("documents:base", args=[base.pk]))
    assert f"?{urlencode({'q': 'locks'})}" in page.content.decode()
    client.post(reverse("documents:delete_filter", args=[base.pk, shared.pk]))
    client.post(reverse("documents:delete_filter", args=[base.pk, own.pk]))
    assert list(SavedFilter.objects.all()) == [shared]  # another's is not for a viewer to remove
    client.force_login(owner)
    client.post(reverse("documents:delete_filter", args=[base.pk, shared.pk]))
    assert not SavedFilter.objects.exists()


def test_the_page_keeps_the_filter_of_the_list(signed_in: Client, base: KnowledgeBase) -> None:
    address = reverse("documents:keep_filter", args=[base.pk])
    told = signed_in.post(address, {"name": "Locked", "state": "needs", "shared": "1"}, follow=True)
    assert told.redirect_chain[-1][0].endswith("?state=needs") and SavedFilter.objects.get().is_shared
    assert "Narrow the list first" in signed_in.post(address, {"name": "All"}, follow=True).content.decode()


def test_the_api_has_fields_values_and_filters(
    signed_in: Client, base: KnowledgeBase, queued: Queued, member: Callable[[str], User], client: Client
) -> None:
    root, kind = f"/api/v1/bases/{base.pk}", "application/json"
    document = queued().document
    made = signed_in.post(f"{root}/fields", {"name": "Desk", "kind": "choice", "choices": ["North"]}, content_type=kind)
    (field,) = made.json()
    assert (made.status_code, field["name"], field["choices"]) == (201, "Desk", ["North"])
    assert signed_in.post(f"{root}/fields", {"name": "desk", "kind": "text"}, content_type=kind).status_code == 400
    path, key = f"/api/v1/documents/{document.pk}", field["id"]
    for number, value, status in ((key, "West", 400), (10**9, "x", 400), (key, "North", 200)):
        noted = [{"field": number, "value": value}]
        assert signed_in.patch(path, {"metadata": noted}, content_type=kind).status_code == status
    assert signed_in.get(path).json()["metadata"] == [{"field": key, "value": "North"}]
    assert len(signed_in.get(f"{root}/documents", {"field": key, "value": "North"}).json()["results"]) == 1
    assert signed_in.get(f"{root}/documents", {"field": key, "value": "West"}).json()["results"] == []
    renamed = signed_in.patch(f"{root}/fields/{key}", {"name": "Table"}, content_type=kind)
    assert (renamed.status_code, renamed.json()["name"]) == (200, "Table")
    for name in ("", "x" * 61):
        assert signed_in.patch(f"{root}/fields/{key}", {"name": name}, content_type=kind).status_code == 400
    kept = signed_in.post(
        f"{root}/filters", {"name": "N", "query": {"field": str(key)}, "is_shared": True}, content_type=kind
    )
    assert kept.status_code == 201 and signed_in.get(f"{root}/filters").json() == [kept.json()]
    client.force_login(member("viewer"))
    assert client.post(f"{root}/fields", {"name": "X", "kind": "text"}, content_type=kind).status_code == 404
    assert client.delete(f"{root}/fields/{key}").status_code == 404
    assert client.patch(f"{root}/fields/{key}", {"name": "X"}, content_type=kind).status_code == 404
    assert client.delete(f"{root}/filters/{kept.json()['id']}").status_code == 404
    assert signed_in.delete(f"{root}/filters/{kept.json()['id']}").status_code == 204
    assert signed_in.delete(f"{root}/fields/{key}").status_code == 204
    assert signed_in.delete(f"{root}/fields/{key}").status_code == 404
    assert signed_in.get(path).json()["metadata"] == []
