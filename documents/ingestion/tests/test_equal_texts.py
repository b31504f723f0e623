"""Vectors of equal texts are computed once per installation (R108): copied, free, and gone with their document."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from accounts.models import User
from documents.access import create_base
from documents.ingestion import embedding
from documents.ingestion.conductor import finish
from documents.ingestion.indexing import estimate
from documents.ingestion.reembedding import begin_reembedding
from documents.ingestion.trash import move_to_trash, purge_document
from documents.models import Document, Embedding, IngestJob, KnowledgeBase, Parse
from documents.storage.replacement import replace
from documents.storage.store import find_vectors
from documents.storage.uploads import accept_upload
from documents.tests.files import upload_of
from llm import call
from llm.embeddings import bundled
from llm.models import LLMCall, Spent
from llm.prices import parse_prices
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Queued = Callable[..., IngestJob]
SENTENCE = "Clause {0} says that party {0} keeps every record of site {0} for the whole of the term."
CLAUSES = [f"# Clause {number}\n\n{SENTENCE.format(number)}" for number in range(5)]
TEXT = "\n\n".join(CLAUSES).encode()
CHANGED = "\n\n".join([*CLAUSES[:4], "# Clause 4\n\nThe last clause is another one now."]).encode()


@pytest.fixture
def server(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedLLM]:
    monkeypatch.setattr(call, "BACKOFF_S", 0.01)
    with ScriptedLLM() as server:
        settings.EMBEDDING_BASE_URL, settings.EMBEDDING_CONFIGURED = server.base_url, True
        settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS, settings.EMBEDDING_TOKENS = "small", 32, 0
        yield server


@pytest.fixture
def first(server: ScriptedLLM, base: KnowledgeBase, queued: Queued) -> Document:
    """A document with vectors."""
    choose(base, "openai")
    return finish(queued(TEXT, "lease.md"))


@pytest.fixture
def elsewhere(owner: User) -> KnowledgeBase:
    """Another base of the installation, with the same provider."""
    found = create_base(owner, "Elsewhere")
    choose(found, "openai")
    return found


def choose(base: KnowledgeBase, provider: str) -> None:
    base.settings = {"embeddings": provider}
    base.save()


def take_in(base: KnowledgeBase, content: bytes = TEXT, name: str = "lease.md") -> Parse:
    found = finish(accept_upload(base, None, upload_of(content, name)).jobs.get()).current_parse
    assert found is not None
    return found


def texts_sent(server: ScriptedLLM) -> list[str]:
    return [text for request in server.requests for text in request.body["input"]]


def texts_of(parse: Parse) -> list[str]:
    return [*map(embedding.text_to_embed, parse.passages.all()), *map(embedding.text_to_embed, parse.toc_entries.all())]


def vectors_of(parse: Parse) -> dict[str, bytes]:
    """The bytes of the vectors by what they are of."""
    found = dict[str, bytes]()
    for row in parse.embeddings.select_related("passage", "toc_entry"):
        owner = row.passage or row.toc_entry
        assert owner is not None
        found[embedding.text_to_embed(owner)] = np.asarray(row.vector).tobytes()
    return found


def test_the_same_document_in_a_second_base_costs_nothing(
    first: Document, elsewhere: KnowledgeBase, server: ScriptedLLM, settings: Settings
) -> None:
    settings.LLM_PRICES = parse_prices('{"small": {"in": 1000, "out": 0}}')
    settings.SPENDING_LIMITS = {"day": Decimal(5)}
    asked, calls = len(server.requests), LLMCall.objects.count()
    parse = take_in(elsewhere)
    assert first.current_parse and vectors_of(parse) == vectors_of(first.current_parse)
    assert len(server.requests) == asked and LLMCall.objects.count() == calls and not Spent.objects.exists()
    assert parse.embedding_model == "openai/small/32" and parse.embedded_at
    assert set(parse.embeddings.values_list("base", "document")) == {(elsewhere.pk, parse.document_id)}
    total = len(texts_of(parse))
    assert parse.report["vectors"] == {"model": "openai/small/32", "computed": 0, "copied": total}
    made = first.current_parse.report["vectors"]
    assert made["computed"] == len(set(texts_of(first.current_parse))) and made["computed"] + made["copied"] == total
    job = parse.document.jobs.get()
    assert job.done_count == job.total_count == total
    take_in(elsewhere, CHANGED, "other.md")
    assert Spent.objects.exists(), "what is computed is counted"


def test_a_new_version_costs_what_changed(first: Document, server: ScriptedLLM, owner: User) -> None:
    before = set(texts_sent(server))
    asked = len(server.requests)
    newer = finish(replace(first, owner, upload_of(CHANGED, "lease.md")).jobs.get())
    assert newer.current_parse is not None
    new = set(texts_of(newer.current_parse)) - before
    assert len(new) == 1 and "another one now" in new.pop()
    [request] = server.requests[asked:]
    assert len(request.body["input"]) == 1


def test_a_text_that_a_document_repeats_is_sent_once(
    elsewhere: KnowledgeBase, server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    monkeypatch.setattr(embedding, "AT_HAND", 3)
    parse = take_in(elsewhere, "\n\n".join([*CLAUSES, *CLAUSES, *CLAUSES]).encode())
    sent, wanted = texts_sent(server), texts_of(parse)
    assert sorted(sent) == sorted(set(wanted)) and len(wanted) > 2 * len(sent)
    assert parse.embeddings.count() == len(wanted) and set(vectors_of(parse)) == set(wanted)
    assert parse.report["vectors"]["copied"] == len(wanted) - len(sent)


@pytest.mark.parametrize(
    ("name", "value"),
    [("EMBEDDING_MODEL", "other"), ("EMBEDDING_DIMENSIONS", 16), ("EMBEDDING_TOKENS", 900), ("EMBEDDING_BASE_URL", "")],
)
def test_another_model_size_or_address_is_asked_for_its_own(
    first: Document, elsewhere: KnowledgeBase, settings: Settings, name: str, value: str | int
) -> None:
    with ScriptedLLM() as other:
        settings.EMBEDDING_BASE_URL = other.base_url if name == "EMBEDDING_BASE_URL" else settings.EMBEDDING_BASE_URL
        if name != "EMBEDDING_BASE_URL":
            setattr(settings, name, value)
        parse = take_in(elsewhere)
        computed = parse.report["vectors"]["computed"]
        assert computed == len(set(texts_of(parse)))
        assert bool(other.requests) is (name == "EMBEDDING_BASE_URL")


def test_erasing_a_document_leaves_no_vector_and_no_digest_behind(
    first: Document, elsewhere: KnowledgeBase, server: ScriptedLLM, owner: User
) -> None:
    second = take_in(elsewhere)
    kept = vectors_of(second)
    digests = set(Embedding.objects.values_list("digest", flat=True))
    for document in (first, second.document):
        assert len(find_vectors(digests)) == len(digests) and vectors_of(second) == kept
        move_to_trash(document, owner)
        purge_document(document, owner)
    assert not Embedding.objects.exists() and not find_vectors(digests)
    asked = len(server.requests)
    take_in(elsewhere, name="again.md")
    assert len(server.requests) > asked


def test_rows_from_before_digests_match_nothing(first: Document, elsewhere: KnowledgeBase, server: ScriptedLLM) -> None:
    Embedding.objects.update(digest="")
    assert find_vectors([""]) == {}
    asked = len(server.requests)
    assert take_in(elsewhere).report["vectors"]["computed"] and len(server.requests) > asked


def test_a_change_of_model_and_back_takes_what_another_base_kept(
    first: Document, elsewhere: KnowledgeBase, server: ScriptedLLM, settings: Settings
) -> None:
    take_in(elsewhere)
    settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY = server.base_url, "pa-voyage"
    for provider, is_asked in (("voyage", True), ("openai", False)):
        choose(first.base, provider)
        asked = len(server.requests)
        for job in begin_reembedding(first.base):
            finish(job)
        assert (len(server.requests) > asked) is is_asked
        serving = Parse.objects.get(document=first)
        assert serving.embedding_model.startswith(provider) and serving.report["vectors"]["model"].startswith(provider)


def test_the_cost_is_said_without_what_is_copied(
    first: Document, elsewhere: KnowledgeBase, server: ScriptedLLM, settings: Settings
) -> None:
    settings.LLM_PRICES = parse_prices('{"small": {"in": 1000, "out": 0}}')
    choose(elsewhere, "none")
    parse = take_in(elsewhere, CHANGED)
    choose(elsewhere, "openai")
    told = estimate(elsewhere)
    assert (told.passages, told.copied) == (parse.passages.count(), parse.passages.count() - 1)
    (bill,) = told.bills
    asked, out = len(server.requests), StringIO()
    call_command("build_index", str(elsewhere.pk), "--yes", stdout=out)
    [request] = server.requests[asked:]
    assert bill.sent <= len("".join(request.body["input"])) / 2
    said = out.getvalue()
    assert f"{told.copied} of them get the vector that an equal text has here, at no cost" in said
    assert f"{len(texts_of(parse)) - 1} of {len(texts_of(parse))} vectors from equal texts" in said


def test_equal_texts_are_found_by_the_index(first: Document) -> None:
    digest = Embedding.objects.values_list("digest", flat=True)[0]
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        try:
            told = Embedding.objects.filter(digest__in=[digest] * 200).exclude(digest="").explain()
        finally:
            cursor.execute("RESET enable_seqscan")
    assert "documents_vector_digest" in told


@pytest.mark.skipif(not bundled.is_available(), reason="the bundled encoder is not installed")
def test_the_bundled_encoder_is_not_run_for_what_it_has_embedded(
    base: KnowledgeBase, elsewhere: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed, encoded = bundled.embed_pieces, list[str]()

    def counted(texts: Sequence[str], on_progress: Callable[[int, int], None]) -> Any:
        encoded.extend(texts)
        return embed(texts, on_progress)

    monkeypatch.setattr(bundled, "embed_pieces", counted)
    for each in (base, elsewhere):
        choose(each, "bundled")
    here = take_in(base)
    made = len(encoded)
    there = take_in(elsewhere)
    assert made == len(set(texts_of(here))) and len(encoded) == made
    assert vectors_of(there) == vectors_of(here), "a copy is equal to the last bit"
