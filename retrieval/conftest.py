"""Documents and a scripted model server for the tests of retrieval."""

import pytest

from documents.storage.content import DocumentContent
from llm.conftest import serve
from retrieval.tests.builders import content_of_lines

__all__ = ["serve"]


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
