"""The API's own parts: what it describes is what a result holds, and rows are checked one by one and told by place."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from accounts.models import User
from documents.models import KnowledgeBase, Membership
from documents.storage.content import DocumentContent
from retrieval.api import (
    METHOD_NAMES,
    ROLES,
    STATUSES,
    CandidateSerializer,
    ConceptSerializer,
    ResultSerializer,
    RowsSerializer,
    checked_rows,
)
from retrieval.dictionary import packs
from retrieval.dictionary.csv_format import ROWS_MAX, WordRow
from retrieval.models import Concept, Pack, Term
from retrieval.pipeline import retrieve
from retrieval.record.as_json import result_json
from retrieval.tests.builders import SETTINGS, content_of_lines


def described(serializer: type[serializers.BaseSerializer[Any]]) -> set[str]:
    return {*serializer().fields}  # type: ignore[attr-defined]


def row(**values: Any) -> dict[str, Any]:
    return {"concept": "deposit", "language": "", "term": "caution", "priority": "primary", "weight": 1.0} | values


# ---- what is described


@pytest.mark.parametrize("question", ["What is the notice period?", "Who holds the trademark?", "page 2?"])
def test_a_result_holds_what_is_described_and_nothing_else(question: str, policy: DocumentContent) -> None:
    """R62, R63."""
    result = result_json(retrieve(question, [policy], settings=SETTINGS, arbiter="rules"))
    assert described(ResultSerializer) - {"run_id"} == set(result)
    for candidate in (*result["candidates"], *result["discarded"], *result["unjudged"]):
        assert described(CandidateSerializer) == set(candidate)
        assert candidate["role"] in ROLES and set(candidate["methods"]) <= set(METHOD_NAMES)
    assert result["status"] in STATUSES and set(result["methods_used"]) <= set(METHOD_NAMES)


def test_the_parts_of_a_result_hold_what_is_described(policy: DocumentContent) -> None:
    result = result_json(retrieve("What is the notice period?", [policy], settings=SETTINGS, arbiter="rules"))
    first = result["candidates"][0]
    fields = CandidateSerializer().fields
    for name in ("anchor", "context", "anchor_repair"):
        assert set(first[name]) == set(fields[name].fields)  # type: ignore[attr-defined]
    described = set(fields["boxes"].child.fields)  # type: ignore[attr-defined]
    assert set(first["boxes"][0]) == described - {"picture"}  # of pictures alone
    assert set(result["searched"][0]) == set(ResultSerializer().fields["searched"].child.fields)  # type: ignore[attr-defined]


def test_a_document_is_named_only_when_one_alone_was_asked(policy: DocumentContent) -> None:
    other = content_of_lines(["Nothing."], number=2)
    one, two = (
        result_json(retrieve("notice", contents, settings=SETTINGS, arbiter="rules"))
        for contents in ([policy], [policy, other])
    )
    assert (one["doc_id"], two["doc_id"]) == (policy.document_id, None)
    assert [seen["document_id"] for seen in two["documents"]] == [policy.document_id, other.document_id]


# ---- rows


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ([row()], [WordRow("deposit", "", "caution")]),
        ([row(weight=0.25, priority="secondary")], [WordRow("deposit", "", "caution", "secondary", 0.25)]),
        ([row(concept=" a  b ", term="c\u0327")], [WordRow("a b", "", "ç")]),
        ([row(), row(language="fr")], [WordRow("deposit", "", "caution"), WordRow("deposit", "fr", "caution")]),
        ([row(), row(concept="rent")], [WordRow("deposit", "", "caution"), WordRow("rent", "", "caution")]),
        ([], []),
    ],
)
def test_rows_are_taken_in_their_order(sent: list[dict[str, Any]], taken: list[WordRow]) -> None:
    assert checked_rows(sent) == taken


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ([row(), row()], ["rows.1"]),
        ([row(), row(weight=2.0)], ["rows.1"]),
        ([row(), row(concept="DEPOSIT", term="CAUTION")], ["rows.1"]),
        ([row(term="Straße"), row(term="STRASSE")], ["rows.1"]),
        ([row(), row(), row()], ["rows.1", "rows.2"]),
        ([row(weight=0.0)], ["rows.0"]),
        ([row(weight=-1.0)], ["rows.0"]),
        ([row(weight=float("nan"))], ["rows.0"]),
        ([row(weight=float("inf"))], ["rows.0"]),
        ([row(weight=5.0001)], ["rows.0"]),
        ([row(term="…"), row(), row(concept="\u200b")], ["rows.0", "rows.2"]),
        ([row(term="a\nb")], ["rows.0"]),
        ([row(term="x" * 121)], ["rows.0"]),
    ],
)
def test_each_wrong_row_is_told_by_its_place(sent: list[dict[str, Any]], wrong: list[str]) -> None:
    with pytest.raises(ValidationError) as refused:
        checked_rows(sent)
    assert isinstance(refused.value.detail, dict) and list(refused.value.detail) == wrong


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rows": []},
        {"rows": None},
        {"rows": "deposit,caution"},
        {"rows": {"0": row()}},
        {"rows": [None]},
        {"rows": [["deposit", "caution"]]},
        {"rows": [row(weight="heavy")]},
        {"rows": [row(weight=None)]},
        {"rows": [row(term=None)]},
        {"rows": [row(term=["caution"])]},
        {"rows": [{"term": "caution"}]},
        {"rows": [row(pack="finance")]},
        {"rows": [row()] * (ROWS_MAX + 1)},
    ],
)
def test_a_body_of_another_form_is_refused(body: Any) -> None:
    assert not RowsSerializer(data=body).is_valid()


# ---- the views


@pytest.fixture
def base(db: None) -> KnowledgeBase:
    base = KnowledgeBase.objects.create(name="Suppliers")
    Pack.objects.bulk_create(Pack(base=base, name=pack, is_on=False) for pack in packs.PACKS)
    return base


@pytest.fixture
def signed_in(base: KnowledgeBase, client: Client) -> Callable[[str], Client]:
    def sign_in(role: str) -> Client:
        user = User.objects.create_user(f"{role}@example.org", None)
        if role != "stranger":
            Membership.objects.create(base=base, user=user, role=role)
        client.force_login(user)
        return client

    return sign_in


@pytest.mark.parametrize(("role", "status"), [("viewer", 200), ("auditor", 200), ("stranger", 404)])
def test_the_dictionary_is_read_by_members_alone(
    base: KnowledgeBase, signed_in: Callable[[str], Client], role: str, status: int
) -> None:
    concept = Concept.objects.create(base=base, name="deposit")
    Term.objects.create(concept=concept, text="caution", language="fr", priority="primary")
    response = signed_in(role).get(reverse("api:dictionary", args=[base.pk]))
    assert response.status_code == status
    assert ("caution" in response.content.decode()) is (status == 200)


def test_a_concept_is_described_as_it_is_shown(base: KnowledgeBase) -> None:
    concept = Concept.objects.create(base=base, name="deposit")
    Term.objects.create(concept=concept, text="caution", language="fr", priority="secondary", weight=0.5)
    assert ConceptSerializer(concept).data == {
        "id": concept.pk,
        "concept": "deposit",
        "terms": [{"language": "fr", "term": "caution", "priority": "secondary", "weight": 0.5}],
    }
