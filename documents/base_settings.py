"""The settings of a base: the choices, and defaults that suit most people (R102)."""

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from django.utils.translation import gettext


class SettingsError(ValueError):
    """A setting has an invalid value; the message names the setting and its valid values."""


@dataclass(frozen=True)
class BaseSettings:
    ranking: str = "arbiter"
    chunking: str = "section"
    chunk_size: int = 1000  # characters, for `fixed` (R96)
    chunk_overlap: int = 100
    contextualisation: str = "breadcrumb"
    embeddings: str = "bundled"
    recognition: str = "automatic"
    passages_max: int = 8  # passages the writer reads (R95)
    per_document_max: int = 5  # where several documents give some
    pool_max: int = 40  # briefs (R44)
    second_look: str = "on"
    claim_check: str = "on"
    repeats: str = "on"
    examples: str = "off"  # validated answers shown to the writer, see chat.writing.examples
    skip_model: str = "off"  # where a hit is clear, see retrieval.arbiter.clear_hits
    risk_max: int = 35  # per cent of questions without an answer that the rules may answer; see docs/benchmarks.md

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {
        "ranking": ("arbiter", "hybrid", "rules", "none", "rerank"),
        "chunking": ("section", "fixed", "page"),
        "contextualisation": ("breadcrumb", "llm", "none"),
        "embeddings": ("bundled", "openai", "voyage", "none"),
        "recognition": ("automatic", "on_request"),
        "second_look": ("on", "off"),
        "claim_check": ("on", "off"),
        "repeats": ("on", "off"),
        "examples": ("on", "off"),
        "skip_model": ("on", "off"),
    }
    RANGES: ClassVar[dict[str, tuple[int, int]]] = {
        "chunk_size": (200, 8000),
        "chunk_overlap": (0, 1000),
        "passages_max": (1, 12),
        "per_document_max": (1, 12),
        "pool_max": (5, 60),
        "risk_max": (5, 100),
    }

    def __post_init__(self) -> None:
        for name, allowed in self.CHOICES.items():
            if getattr(self, name) not in allowed:
                told = {"name": name, "allowed": ", ".join(allowed)}
                raise SettingsError(gettext("%(name)s must be one of %(allowed)s.") % told)
        for name, (low, high) in self.RANGES.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                told = {"name": name, "low": str(low), "high": str(high)}
                raise SettingsError(gettext("%(name)s must be a whole number from %(low)s to %(high)s.") % told)
        if self.chunk_overlap >= self.chunk_size:
            raise SettingsError(gettext("chunk_overlap must be smaller than chunk_size."))

    def reading(self) -> dict[str, Any]:
        """The settings a reading depends on; a change takes effect when a document is read again.

        Embeddings are not among them: changing the model needs no new reading, see documents.ingestion.reembedding.
        """
        names = ["chunking", "contextualisation"]
        names += ["chunk_size", "chunk_overlap"] if self.chunking == "fixed" else []
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "BaseSettings":
        """The stored settings over the defaults; unknown names of older versions are ignored."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
