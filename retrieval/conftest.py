"""Documents and a scripted model server for the tests of retrieval."""

import hashlib
from collections.abc import Callable, Sequence

import pytest

from documents.models import Document, KnowledgeBase, Packed, Page, Parse
from documents.storage.content import DocumentContent
from documents.storage.store import store_reading
from llm.conftest import serve
from reading.passages import cut_passages
from reading.plain_text import read_markdown
from retrieval.tests.builders import content_of_lines

__all__ = ["serve"]

Keep = Callable[..., Document]


@pytest.fixture(scope="session")
def policy() -> DocumentContent:
    """An insurance policy of two pages."""
    return content_of_lines(
        [
            "Home insurance policy of the Example Company",
            "# Summary of the contract",
            "The annual premium is $ 1,250.00 and is payable on 1 March 2024.",
            "The policy holder may pay the premium in four instalments.",
            "# Positional cover",
            "There are many choices of positional covers, learned and",
            "fixed [9]. We cover floods only.",
            "---",
            ("Example Company  page 2", "furniture"),
            "# Termination",
            "The notice period is thirty days before the end of a policy year.",
            "Notice must be given in writing.",
            "# Schedule of fees",
            ("Fee Amount", "table_row"),
            ("Reminder fee $ 12.50", "table_row"),
            ("Cancellation fee $ 40.00", "table_row"),
            "Deductible: a deductible of $ 500 applies. A deductible is the part of a loss you pay.",
        ]
    )


@pytest.fixture
def base() -> KnowledgeBase:
    return KnowledgeBase.objects.create(name="Library")


@pytest.fixture
def keep(base: KnowledgeBase) -> Keep:
    """A document in a base, read from Markdown; without text it has not been read."""

    def kept(
        title: str, text: str = "", into: KnowledgeBase = base, *, state: str = "ready", blind: Sequence[int] = ()
    ) -> Document:
        document = Document.objects.create(
            base=into,
            title=title,
            file_name=f"{title}.md",
            file="nowhere",
            sha256=hashlib.sha256(f"{title}{text}{into.pk}".encode()).hexdigest(),
            size_bytes=len(text),
            media_type="text/markdown",
            state=state,
        )
        if text:
            reading = read_markdown(text)
            parse = store_reading(document, reading, cut_passages(reading), {})
            if blind:
                Packed.objects.filter(parse=parse).delete()  # has the pages as they were
            for number in blind:
                Page.objects.update_or_create(
                    parse=parse,
                    number=number,
                    defaults={"label": str(number), "width": 612.0, "height": 792.0, "text_layer": "none"},
                )
            Parse.objects.filter(pk=parse.pk).update(page_count=parse.pages.count())
            document.current_parse = Parse.objects.get(pk=parse.pk)
            document.save()
        return document

    return kept


def fillers(keep: Keep, count: int) -> list[Document]:
    return [
        keep(f"Filler {number:02}", f"# Weather\n\nIt rained in region {number} all day.") for number in range(count)
    ]
