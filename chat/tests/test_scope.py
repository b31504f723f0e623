"""What a question may be asked of: several chosen documents, and the newest version of one that was replaced."""

from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.core.files import File
from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.models import Answer, Turn
from chat.page.thread import ShownTurn
from chat.scope import ScopeError, choices, choose, current_value, resolve, write_picker_value
from documents.access import create_base
from documents.ingestion import conductor
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from documents.storage import replacement


@pytest.fixture
def second(document: Document, base: KnowledgeBase, tenant: User, tmp_path: Path) -> Document:
    path = tmp_path / "annex.md"
    path.write_text("# Annex\n\n## Parking\n\nThe tenant may use four parking spaces.\n")
    return ingest_path(path, base, tenant)


def test_several_documents_are_one_scope(tenant: User, document: Document, second: Document) -> None:
    value = write_picker_value([document.pk, second.pk])
    chosen = choose(tenant, value)
    assert set(chosen.document_ids) == {str(document.pk), str(second.pk)}
    [(_, offered)] = choices(tenant, chosen=value)
    assert dict(offered)[value].startswith("2 chosen: ")


def test_a_list_leads_to_a_question_of_several(tenant: User, document: Document, second: Document) -> None:
    client = Client()
    client.force_login(tenant)
    query = urlencode([("document", document.pk), ("document", second.pk)])
    page = client.get(f"{reverse('chat:home')}?{query}")
    assert f'value="documents:{document.pk},{second.pk}" selected' in page.content.decode()


def test_the_picker_stays_short_however_much_there_is(tenant: User, document: Document) -> None:
    parse = document.current_parse_id
    for number in range(40):
        base = create_base(tenant, f"Base {number:02}")
        copies = [
            Document(base=base, title=f"Lease {place:02}", file_name="x", sha256=f"{place:064}", current_parse_id=parse)
            for place in range(30)
        ]
        for each in copies:
            each.size_bytes, each.file = 1, "x"
        Document.objects.bulk_create(copies)
    last = copies[-1]
    groups = choices(tenant, chosen=f"document:{last.pk}")
    assert len(groups) == 41 and sum(len(offered) for _, offered in groups) <= 500 + 2 * 41
    assert groups[39][1][0] == (f"base:{base.pk}", "Whole base: Base 39 (30)")
    assert groups[39][1][-1] == (f"document:{last.pk}", "Lease 29")


@pytest.mark.parametrize("kind", ["documents:{0},{1}", "documents:{0},nonsense", "document:{0},{0}", "documents:", "x"])
def test_it_refuses_what_is_not_open_to_the_person(tenant: User, stranger: User, document: Document, kind: str) -> None:
    with pytest.raises(ScopeError):
        choose(stranger, kind.format(document.pk, uuid4()))
    with pytest.raises(ScopeError):
        choose(tenant, kind.format(document.pk, uuid4()))


def test_a_replaced_document_is_asked_in_its_newest_version(
    tenant: User, base: KnowledgeBase, document: Document, tmp_path: Path
) -> None:
    path = tmp_path / "lease-2.md"
    path.write_text("# Lease of the warehouse\n\n## Rent\n\nThe rent is 13,000 euros a month.\n")
    with path.open("rb") as file:
        newer = replacement.replace(document, tenant, File(file, name="lease-2.md"))
    conductor.finish(newer.jobs.get())
    assert current_value(f"document:{document.pk}") == f"document:{newer.pk}"
    assert choose(tenant, f"document:{document.pk}").documents[0].pk == newer.pk
    assert [each.pk for each in resolve(tenant, base, [str(document.pk)])] == [newer.pk]


def test_a_quoted_answer_shows_the_figure_computed_for_it() -> None:
    text = (
        "Gross margin, 2023: 38.0 %, computed as gross profit / revenue\n\n- revenue 2023: 100 [2]\n\n“Revenue 100” [1]"
    )
    shown = ShownTurn(Turn())
    shown.__dict__["answer"] = Answer(kind=Answer.Kind.EXTRACTIVE, text=text, checks=[{"computed": {"value": "38.0"}}])
    shown.__dict__["citations"] = []
    words = [part.text for block in shown.headline_blocks for line in block.lines for part, _ in line]
    assert words == ["Gross margin, 2023: 38.0 %, computed as gross profit / revenue", "revenue 2023: 100 [2]"]
    shown = ShownTurn(Turn())
    shown.__dict__["answer"] = Answer(kind=Answer.Kind.EXTRACTIVE, text=text, checks=[])
    shown.__dict__["citations"] = []
    assert shown.headline_blocks == []
