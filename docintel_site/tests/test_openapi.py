"""The description of the API: each hook by itself on small descriptions, and what the whole promises to programs."""

import copy
import json
import re
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from accounts.models import User
from docintel_site.http.problems import MEDIA_TYPE, problem
from docintel_site.openapi import (
    PROBLEM,
    PROBLEMS,
    BearerScheme,
    of_version_1,
    with_closed_bodies,
    with_problems,
    with_summaries,
)

Described = Any  # as the hooks take it, and more of it


@lru_cache(maxsize=1)
def whole() -> Described:
    generator: Any = SchemaGenerator
    made: Described = generator().get_schema(request=None, public=True)
    return made


def operations() -> dict[str, Described]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in whole()["paths"].items()
        for method, operation in methods.items()
    }


def described(**operation: Any) -> Described:
    return {"paths": {"/api/v1/a": {"get": {"description": "Of a.", "responses": {}, **operation}}}}


@pytest.mark.parametrize(
    ("path", "is_kept"),
    [
        ("/api/v1/bases", True),
        ("/api/v1/", True),
        ("/api/v1", False),
        ("/api/v10/bases", False),
        ("/api/chat", False),
        ("/API/V1/bases", False),
        ("/other/api/v1/bases", False),
        ("", False),
    ],
)
def test_only_addresses_of_this_version_are_described(path: str, is_kept: bool) -> None:
    row = (path, "^x", "GET", object())
    other = ("/api/v1/other", "^y", "POST", object())
    assert of_version_1([row, other], anything=1) == ([row, other] if is_kept else [other])


@pytest.mark.parametrize(
    ("description", "summary"),
    [
        ("The bases you may read.", "The bases you may read"),
        ("The bases you may read. Newest first.", "The bases you may read"),
        ("Ask: a question.", "Ask"),
        ("Take files; each by itself.", "Take files"),
        ("Version 1.2 of a file.", "Version 1.2 of a file"),
        ("See docs/api.md for more", "See docs/api.md for more"),
        ("At 10:30 it ends.", "At 10:30 it ends"),
        ("One line.\n\nAnother.", "One line"),
        ("No end", "No end"),
        ("", ""),
    ],
)
def test_a_summary_is_the_first_sentence(description: str, summary: str) -> None:
    made = with_summaries(described(description=description), generator=None)
    assert made["paths"]["/api/v1/a"]["get"]["summary"] == summary


@pytest.mark.parametrize(
    ("name", "schema", "is_closed"),
    [
        ("BaseRequest", {"type": "object"}, True),
        ("PatchedBaseRequest", {"type": "object", "properties": {}}, True),
        ("Base", {"type": "object"}, False),
        ("RequestList", {"type": "object"}, False),
        ("ModeRequest", {"type": "string", "enum": ["a"]}, False),
        ("AnyRequest", {}, False),
        ("OneRequest", {"oneOf": []}, False),
    ],
)
def test_only_bodies_that_are_objects_are_closed(name: str, schema: Described, is_closed: bool) -> None:
    given: Described = {"components": {"schemas": {name: copy.deepcopy(schema)}}}
    made = with_closed_bodies(given, public=True)
    assert made["components"]["schemas"][name] == schema | ({"additionalProperties": False} if is_closed else {})


@pytest.mark.parametrize("components", [{"schemas": {}}, {"schemas": {"Base": {"type": "object"}}}])
def test_every_operation_may_answer_with_a_problem(components: Described) -> None:
    given = described(responses={"200": {"description": "Here"}}) | {"components": copy.deepcopy(components)}
    made = with_problems(given)
    responses = made["paths"]["/api/v1/a"]["get"]["responses"]
    assert responses["200"] == {"description": "Here"} and set(responses) == {"200", *PROBLEMS}
    assert made["components"]["schemas"]["Problem"] == PROBLEM
    kept = components["schemas"]
    assert {name: made["components"]["schemas"][name] for name in kept} == kept


def test_every_status_of_a_problem_is_one_and_is_explained() -> None:
    for status, words in PROBLEMS.items():
        assert HTTPStatus(int(status)) >= 400 and words.endswith(".") and len(words) < 100


def test_a_problem_is_described_as_it_is_answered() -> None:
    faults = [{"field": "a.b", "message": "Wrong.", "code": "invalid"}]
    for extra in ({}, {"errors": faults}):
        answered = json.loads(problem(HTTPStatus.CONFLICT, "conflict", "It is there already.", **extra).content)
        assert set(PROBLEM["required"]) <= set(answered) <= set(PROBLEM["properties"])
        types: dict[str, type] = {"string": str, "integer": int, "array": list}
        described_as: Any = PROBLEM["properties"]
        assert all(isinstance(value, types[described_as[name]["type"]]) for name, value in answered.items())


def test_a_token_is_described_as_a_bearer_token() -> None:
    scheme: Any = BearerScheme
    assert scheme(None).get_security_definition(None)["scheme"] == "bearer"
    assert whole()["components"]["securitySchemes"]["bearer"]["type"] == "http"
    assert all({"bearer": []} in operation["security"] for operation in operations().values())


# ---- the whole


def test_the_whole_is_a_valid_description() -> None:
    validate: Any = validate_schema
    validate(whole())
    assert whole()["openapi"].startswith("3.") and whole()["info"]["title"] == "DocIntel"


def test_every_operation_says_in_one_line_what_it_does() -> None:
    summaries = {name: operation["summary"] for name, operation in operations().items()}
    assert len(summaries) > 20
    assert {name: words for name, words in summaries.items() if not 3 <= len(words) < 120 or "\n" in words} == {}
    assert len({operation["operationId"] for operation in operations().values()}) == len(summaries)


def test_every_operation_has_a_good_answer_and_every_problem() -> None:
    for name, operation in operations().items():
        answers = operation["responses"]
        assert [status for status in answers if status.startswith("2")], name
        assert set(PROBLEMS) <= set(answers), name
        assert list(answers["404"]["content"]) == [MEDIA_TYPE], name


def test_every_reference_leads_somewhere() -> None:
    schemas = whole()["components"]["schemas"]

    def references(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [found for inner in value.values() for found in references(inner)]
        return [found for inner in value for found in references(inner)] if isinstance(value, list) else []

    assert {name for name in references(whole()) if name.rpartition("/")[2] not in schemas} == set()


def test_every_json_body_is_closed_and_answers_are_open() -> None:
    schemas = whole()["components"]["schemas"]
    bodies = {name for name, schema in schemas.items() if name.endswith("Request") and schema.get("type") == "object"}
    assert bodies and all(schemas[name]["additionalProperties"] is False for name in bodies)
    answers = [schema for name, schema in schemas.items() if name not in bodies]
    assert not any(schema.get("additionalProperties") is False for schema in answers)


# ---- the page that shows it


@pytest.mark.django_db
def test_the_page_loads_our_own_files_and_no_inline_code() -> None:
    client = Client()
    client.force_login(User.objects.create_user("ada@example.org", None))
    answer = client.get("/api/v1/docs/")
    page = re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r'\1""', answer.content.decode())  # any letters: "cdn"
    assert answer.status_code == 200 and 'id="swagger-ui"' in page
    assert "http://" not in page.partition("<main")[0].replace("http://testserver", "") and "cdn" not in page.lower()
    policy = answer.headers["Content-Security-Policy"]
    assert "data:" in policy and "unsafe-inline" not in policy and "unsafe-eval" not in policy
    assert "data:" not in client.get("/bases/").headers["Content-Security-Policy"]
