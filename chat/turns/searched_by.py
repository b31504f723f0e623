"""What a base is searched by: its settings and words, how it reads questions, what it adds to the prompts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chat.prompts.guidance import guidance_of
from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase
from llm.prompts import Guidance
from retrieval.dictionary.load import ensure_dictionary
from retrieval.question.kinds import ReadingRules
from retrieval.reading_rules.editing import reading_rules_of
from retrieval.types import ConceptTerms


@dataclass(frozen=True)
class SearchedBy:
    settings: BaseSettings
    guidance: Mapping[str, Guidance]
    dictionary: tuple[ConceptTerms, ...]
    rules: ReadingRules

    @classmethod
    def of(cls, base: KnowledgeBase) -> "SearchedBy":
        """As it is now."""
        chosen = BaseSettings.from_json(base.settings)
        return cls(chosen, guidance_of(base), ensure_dictionary(base), reading_rules_of(base))

    @property
    def options(self) -> dict[str, Any]:
        """For `SearchOptions`."""
        return {**vars(self)}
