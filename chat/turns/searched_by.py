"""What a base is searched by: its settings and words, how it reads questions, what it adds to the prompts."""

from typing import cast

from chat.prompts.guidance import guidance_of
from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase
from retrieval.dictionary.load import ensure_dictionary
from retrieval.filters import UNFILTERED, Filters
from retrieval.reading_rules.editing import reading_rules_of
from retrieval.search import SearchOptions
from retrieval.types import Mode


def searched_by(base: KnowledgeBase, mode: str = "balanced", filters: Filters = UNFILTERED) -> SearchOptions:
    """As it is now."""
    return SearchOptions(
        BaseSettings.from_json(base.settings),
        cast(Mode, mode),
        dictionary=ensure_dictionary(base),
        filters=filters,
        guidance=guidance_of(base),
        rules=reading_rules_of(base),
    )
