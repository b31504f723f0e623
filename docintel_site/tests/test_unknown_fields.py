"""A field no address knows is refused by name, wherever it is in a body: left out, it would change what is asked."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from chat.models import Turn
from docintel_site.tests.test_access import API, Site, browser, site
from documents.models import Document
from retrieval.models import RetrievalRun

__all__ = ["site"]  # the fixture

UNKNOWN = "topk"


@lru_cache(maxsize=1)
def description() -> dict[str, Any]:
    generator: Any = SchemaGenerator
    made: dict[str, Any] = generator().get_schema(request=None, public=True)
    return made


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        found: dict[str, Any] = description()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return found
    return schema


def bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation that takes JSON, as `POST /api/v1/…`, and what it takes."""
    for path, operations in description()["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {})
            if "application/json" in content:
                yield f"{method.upper()} {path}", resolved(content["application/json"]["schema"])


def with_unknown(schema: dict[str, Any], at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Bodies with a field nobody knows in each object there may be, with the path of that field."""
    yield f"{at}{UNKNOWN}", {UNKNOWN: 5}
    for name, described in schema["properties"].items():
        inner = resolved(described.get("items", described))
        if inner.get("type") == "object":
            is_list = "items" in described
            for path, body in with_unknown(inner, f"{at}{name}.0." if is_list else f"{at}{name}."):
                yield path, {name: [body] if is_list else body}


def address(site: Site, operation: str) -> tuple[str, str]:
    """The method and the address of an operation, filled with what is on the site."""
    method = operation.partition(" ")[0]
    row = next(row for row in API if row.startswith(f"{method} api/") and shape(row) == shape(operation))
    return method, f"/{site.address(row)}"


def shape(operation: str) -> str:
    """An operation without the names of its parameters, whichever way they are written."""
    parts = operation.partition(" ")[2].strip("/").split("/")
    return "/".join("{}" if part[0] in "<{" else part for part in parts)


def test_every_body_refuses_what_it_does_not_know(site: Site) -> None:
    tried = []
    for operation, schema in bodies():
        for field, body in with_unknown(schema):
            method, path = address(site, operation)
            client = browser(site.people["owner" if "turns" not in path else "viewer"])
            refused = client.generic(method, path, json.dumps(body), "application/json")
            assert refused.status_code == 400, (operation, field, refused.content)
            problem = refused.json()
            [fault] = [fault for fault in problem["errors"] if fault["field"] == field]
            assert fault["code"] == "unknown" and UNKNOWN in problem["detail"]
            tried.append((operation, field))
    assert {
        ("POST /api/v1/bases", "topk"),
        ("PATCH /api/v1/bases/{base_id}", "settings.topk"),
        ("POST /api/v1/bases/{base_id}/dictionary", "rows.0.topk"),
        ("POST /api/v1/retrieve", "topk"),
        ("POST /api/v1/chat", "topk"),
    } <= set(tried)
    assert len(tried) >= 9


def test_the_description_says_that_bodies_are_closed() -> None:
    for operation, schema in bodies():
        assert schema["additionalProperties"] is False, operation
        for described in schema["properties"].values():
            inner = resolved(described.get("items", described))
            assert inner.get("type") != "object" or inner["additionalProperties"] is False
    upload = description()["paths"]["/api/v1/bases/{base_id}/documents"]["post"]["requestBody"]["content"]
    assert resolved(upload["multipart/form-data"]["schema"])["additionalProperties"] is False


@pytest.mark.parametrize("path", ["/api/v1/retrieve", "/api/v1/chat", "/api/chat"])
def test_a_misspelt_document_does_not_ask_the_whole_base(site: Site, path: str) -> None:
    runs, turns = RetrievalRun.objects.count(), Turn.objects.count()
    asked = {"message": "records", "knowledge_base_id": str(site.base.pk), "documents": [str(site.document.pk)]}
    refused = browser(site.people["owner"]).post(path, asked, content_type="application/json")
    assert refused.status_code == 400
    assert refused.json()["detail"] == (
        "documents: There is no field “documents” here; the fields are: message, knowledge_base_id, document_id, "
        "document_ids, mode, pages, section, top_k, threshold, context"
        + ("." if path.endswith("retrieve") else ", every_document, fresh, stream, conversation_id.")
    )
    assert (RetrievalRun.objects.count(), Turn.objects.count()) == (runs, turns)


def test_a_setting_nobody_has_changes_nothing(site: Site) -> None:
    wanted = {"settings": {"passages_max": 5, "threshold": 0.7}, "name": "Renamed"}
    path = f"/api/v1/bases/{site.base.pk}"
    refused = browser(site.people["owner"]).patch(path, wanted, content_type="application/json")
    assert refused.status_code == 400 and refused.json()["errors"][0]["field"] == "settings.threshold"
    before = site.base.settings
    site.base.refresh_from_db()
    assert (site.base.name, site.base.settings) == ("Suppliers", before)


def test_it_says_everything_that_is_wrong_at_once(site: Site) -> None:
    wanted = {"knowledge_base_id": "x", "document_ids": [], "": 1}
    refused = browser(site.people["owner"]).post("/api/v1/retrieve", wanted, content_type="application/json")
    assert {fault["field"] for fault in refused.json()["errors"]} == {
        "message",
        "knowledge_base_id",
        "document_ids",
        "",
    }


def test_the_answer_does_not_grow_with_what_was_sent(site: Site) -> None:
    wanted = {f"{number}{'x' * 1000}": 1 for number in range(1000)}
    refused = browser(site.people["owner"]).post("/api/v1/bases", wanted, content_type="application/json")
    assert refused.status_code == 400 and len(refused.content) < 20_000


@pytest.mark.parametrize(
    "more",
    [{"title": "x"}, {"file": SimpleUploadedFile("y.txt", b"y")}, {"document_id": ""}],
    ids=lambda more: next(iter(more)),
)
def test_an_upload_refuses_other_parts_and_stores_nothing(site: Site, more: dict[str, Any]) -> None:
    count, path = Document.objects.count(), f"/api/v1/bases/{site.base.pk}/documents"
    sent = {"files": SimpleUploadedFile("x.txt", b"The records are kept."), **more}
    refused = browser(site.people["owner"]).post(path, sent)
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == next(iter(more))
    assert Document.objects.count() == count


def test_an_upload_from_a_page_may_carry_the_token_of_its_form(site: Site) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(site.people["owner"], backend="allauth.account.auth_backends.AuthenticationBackend")
    client.get("/accounts/sessions/")
    sent = {
        "files": SimpleUploadedFile("x.txt", b"The records are kept."),
        "csrfmiddlewaretoken": client.cookies["csrftoken"].value,
    }
    assert client.post(f"/api/v1/bases/{site.base.pk}/documents", sent).status_code == 201
