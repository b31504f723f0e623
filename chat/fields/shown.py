"""A field as a row of the page: its outcome in words, its value, and where the quote opens."""

from functools import cached_property
from urllib.parse import urlencode

from django.urls import reverse

from chat.fields.values import field_json
from chat.models import ExtractionField
from documents.pages.search import WORDS_MAX
from reading.matching import join_without_space
from retrieval.told.outcomes import as_judged


class ShownField:
    """One row; `told` is what programs get of it."""

    def __init__(self, row: ExtractionField) -> None:
        self.row = row
        self.told = field_json(row)

    @cached_property
    def outcome(self) -> str:
        asked = self.told["outcome"] or self.row.extraction.state  # one of those that only wait is not at work yet
        return as_judged(asked, self.row.run.judge if self.row.run else "")

    @property
    def address(self) -> str:
        """The page of the document with the quote lit; "" without a quote."""
        if not self.told["quote"]:
            return ""
        quote = join_without_space(self.told["quote"])[:WORDS_MAX]
        query = urlencode({"page": self.told["page"], "quote": quote})
        return f"{reverse('documents:document', args=[self.told['document_id']])}?{query}"

    @property
    def quote(self) -> str:
        """The quote, where it says more than the value."""
        quote = join_without_space(self.told["quote"] or "")
        return "" if quote == self.told["value"] else quote
