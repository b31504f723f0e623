"""A clause that was amended is shown with its versions, those in force first, and never without saying so."""

import uuid
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.asking import keep_question
from chat.models import Answer, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase

CELLAR = """\
# Cellar lease

Made on 3 May 2018 between Harbour Sheds Limited and Northern Tools Limited.

## 2. Rent

2.1 The Tenant shall pay a yearly rent of 9,000 euros.

## 3. Keys

3.1 The Tenant keeps two keys.
"""
CONDITION = "If the Landlord sells the cellar before 1 January 2027"
SALE = f"""\
# Deed of variation

Made on 2 June 2020 to the Cellar lease of 3 May 2018.

## 1. Changes

{CONDITION}, clause 2.1 is deleted.
"""
TAX = """\
# Deed of change

Made on 2 June 2019 to the Cellar lease of 3 May 2018.

## 1. Changes

Clause 2.1 is amended by inserting “plus VAT” after “9,000 euros”.
"""
VARIATION = """\
# Deed of variation

Made on 2 June 2020 to the Cellar lease of 3 May 2018.

## 1. Changes

In clause 2.1 the words “9,000 euros” are replaced by “9,900 euros” with effect from 1 July 2020.
"""


@pytest.fixture
def turn(request: pytest.FixtureRequest, document: Document, base: KnowledgeBase, tenant: User, tmp_path: Path) -> Turn:
    documents = []
    for number, text in enumerate((CELLAR, *getattr(request, "param", [VARIATION]))):
        path = tmp_path / f"{number}.md"
        path.write_text(text)
        documents.append(ingest_path(path, base, tenant))
    scope = QuestionScope(base, tuple(documents))
    kept = keep_question(tenant, scope, "What is the yearly rent of the cellar?", "balanced", form_id=uuid.uuid4())
    answer_turn(kept.pk)
    kept.refresh_from_db()
    return kept


def test_what_replaced_a_passage_is_quoted_before_it(turn: Turn, tenant: User) -> None:
    answer = turn.answer
    newest, *others = (each.quote for each in answer.citations.order_by("marker"))
    assert answer.kind == Answer.Kind.EXTRACTIVE and "9,900 euros" in newest
    assert any("2.1 The Tenant" in quote for quote in others)
    assert answer.text.startswith("“In clause 2.1") and "was amended" in answer.note  # and no headline
    client = Client()
    client.force_login(tenant)
    page = " ".join(client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode().split())
    assert "Clause 2.1 was amended." in page and page.count("in force from 1 Jul 2020") > 1
    assert page.count("replaced from 1 Jul 2020") > 1


def test_a_replaced_passage_gives_no_value(turn: Turn) -> None:
    values = [value for item in turn.answer.items for value in item["values"]]
    assert not any("9,000" in str(value) for value in values)


@pytest.mark.parametrize("turn", [[TAX, SALE]], indirect=True)
def test_a_condition_of_a_later_change_is_not_that_of_the_first(turn: Turn, tenant: User) -> None:
    client = Client()
    client.force_login(tenant)
    page = " ".join(client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode().split())
    assert "Clause 2.1 was amended" in page and "may be changed" not in page and CONDITION in page


@pytest.mark.parametrize("turn", [[SALE]], indirect=True)
def test_what_is_changed_on_a_condition_is_not_said_to_be_amended(turn: Turn, tenant: User) -> None:
    client = Client()
    client.force_login(tenant)
    page = " ".join(client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode().split())
    assert "Clause 2.1 may be changed: whether, or how far," in page and "Clause 2.1 was amended" not in page
    assert f"may be amended: “{CONDITION}”" in page
