"""Which documents of a large base are read, by SQL inside the scope."""

import hashlib
from collections.abc import Callable

import numpy as np
import pytest

from documents.base_settings import BaseSettings
from documents.models import Document, KnowledgeBase, Parse
from documents.passages import cut_passages
from documents.store import copy_vectors, store_reading
from documents.texts import read_markdown
from llm.embedding import MODEL_KEY, embed_texts, is_available
from retrieval.corpus import DOCUMENTS_MAX, contents_for, elsewhere, shortlist
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS

pytestmark = pytest.mark.django_db
WITHOUT = BaseSettings(embeddings="none")

Keep = Callable[..., Document]


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase.objects.create(name="Library")


@pytest.fixture
def keep(base: KnowledgeBase) -> Keep:
    """Read a Markdown text into a base, as ingestion does."""

    def kept(title: str, text: str, into: KnowledgeBase = base) -> Document:
        document = Document.objects.create(
            base=into,
            title=title,
            file_name=f"{title}.md",
            file="nowhere",
            sha256=hashlib.sha256(f"{title}{text}{into.pk}".encode()).hexdigest(),
            size_bytes=len(text),
            media_type="text/markdown",
            state=Document.State.READY,
        )
        reading = read_markdown(text)
        document.current_parse = store_reading(document, reading, cut_passages(reading), {})
        document.save()
        return document

    return kept


def many(keep: Keep, count: int = DOCUMENTS_MAX + 5) -> list[Document]:
    return [
        keep(f"Filler {number}", f"# Weather\n\nIt rained in region {number} on that long and quiet day.")
        for number in range(count)
    ]


def embed(document: Document) -> None:
    parse = document.current_parse
    assert isinstance(parse, Parse)
    passages = list(parse.passages.order_by("index"))
    copy_vectors(parse, MODEL_KEY, passages, np.asarray(embed_texts([passage.text for passage in passages])))


def test_a_few_documents_are_all_read(keep: Keep) -> None:
    documents = [keep("One", "# A\n\nThe premium is due."), keep("Two", "# B\n\nNothing.")]
    assert [content.title for content in contents_for("premium", documents)] == ["One", "Two"]


def test_of_many_the_ones_with_the_words_are_read(keep: Keep) -> None:
    documents = many(keep)
    wanted = keep("Terms", "# Fees\n\nThe cancellation fees are forty dollars.")
    chosen = shortlist("What is the cancellation fee?", [*documents, wanted], WITHOUT)
    assert len(chosen) == DOCUMENTS_MAX
    assert wanted in chosen


def test_of_many_the_one_that_is_named_is_read(keep: Keep) -> None:
    documents = many(keep)
    wanted = keep("Zanzibar treaty", "# A\n\nIt rained.")
    assert wanted in shortlist("What does the Zanzibar treaty say?", [*documents, wanted], WITHOUT)


def test_of_many_the_nearest_in_meaning_is_read(keep: Keep) -> None:
    if not is_available():
        pytest.skip("the encoder's weights are not installed")
    documents = many(keep)
    wanted = keep("Deed", "# A\n\nEither party may terminate this contract by giving written notice.")
    for document in [*documents, wanted]:
        embed(document)
    assert wanted in shortlist("How do I quit the agreement early?", [*documents, wanted], SETTINGS)


def test_the_order_of_the_documents_is_kept(keep: Keep) -> None:
    documents = many(keep)
    chosen = shortlist("region rain", documents, WITHOUT)
    assert chosen == [document for document in documents if document in chosen]


def test_no_row_outside_the_scope_is_looked_at(keep: Keep) -> None:
    other = KnowledgeBase.objects.create(name="Other")
    secret = keep("Secret", "# Fees\n\nThe cancellation fees are a secret.", other)
    documents = many(keep)
    assert secret not in shortlist("What is the cancellation fee?", documents, WITHOUT)
    assert elsewhere("What is the cancellation fee?", documents, []).counts == {"cancellation": 0, "fee": 0}


def test_absence_is_shown_over_documents_that_were_not_read(keep: Keep) -> None:
    documents = many(keep)
    hidden = keep("Hidden", "# A\n\nEarthquakes are covered.")
    contents = contents_for("rain", documents[:1])
    found = elsewhere("Are earthquakes covered?", [*documents, hidden], contents)
    assert (found.documents, found.counts["earthquakes"]) == (len(documents), 1)
    result = retrieve("What about earthquakes?", contents, settings=SETTINGS, arbiter="rules", elsewhere=found.counts)
    assert result.searched[0].count == 1


def test_a_question_without_words_chooses_something(keep: Keep) -> None:
    assert len(shortlist("???", many(keep), WITHOUT)) == DOCUMENTS_MAX


def test_a_document_that_was_not_read_is_left_out(keep: Keep) -> None:
    document = keep("One", "# A\n\nx")
    document.current_parse = None
    assert contents_for("x", [document]) == []
