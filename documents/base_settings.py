"""The settings of a base: the choices, and defaults that suit most people (R102)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from django.utils.translation import gettext

from llm.spending import paid_by
from llm.tiers import TIERS, asking

if TYPE_CHECKING:
    from documents.models import KnowledgeBase

TYPE_KEY, CONCEPT_KEY, EVERY_KEY = "type:", "concept:", "default"
# What only a further reading of a document shows the effect of.
OF_READING = {
    *("chunking", "chunk_size", "chunk_overlap", "contextualisation", "contents_check", "recognition", "cards"),
}
FIXED = ["chunk_size", "chunk_overlap"]  # of `fixed` chunking, in characters

# Three plain choices, and what each option sets. What an option does not name stays as it is.
PLAIN: dict[str, dict[str, dict[str, str | int]]] = {
    "care": {
        "high": {"risk_max": 20, "second_look": "on", "claim_check": "on"},
        "usual": {"risk_max": 35, "second_look": "on", "claim_check": "on"},
        "low": {"risk_max": 60, "second_look": "off", "claim_check": "off"},
    },
    "sent": {
        "little": {
            "ranking": "rules",
            "skip_model": "on",
            "cards": "rules",
            "contextualisation": "breadcrumb",
            "contents_check": "none",
            "embeddings": "bundled",
        },
        "usual": {
            "ranking": "arbiter",
            "skip_model": "off",
            "cards": "rules",
            "contextualisation": "breadcrumb",
            "contents_check": "auto",
            "embeddings": "bundled",
        },
        "much": {
            "ranking": "arbiter",
            "skip_model": "off",
            "cards": "by_model",
            "contextualisation": "llm",
            "contents_check": "composite",
        },
    },
    "quotes": {
        "few": {"passages_max": 4, "per_document_max": 3},
        "usual": {"passages_max": 8, "per_document_max": 5},
        "many": {"passages_max": 12, "per_document_max": 8},
    },
}
MODEL_MAX = 200  # characters of a name
OWN_MIXTURE = "own"  # what fits no option


class SettingsError(ValueError):
    """A setting has an invalid value; the message names the setting and its valid values."""


class OverlapTooLong(SettingsError):
    """Two passages of fixed length would share more than one of them has."""

    def __init__(self) -> None:
        super().__init__(gettext("chunk_overlap must be smaller than chunk_size."))


@dataclass(frozen=True)
class BaseSettings:
    ranking: str = "arbiter"
    reranking: str = "model"  # what orders the pool where `ranking` is `rerank` (R95)
    chunking: str = "section"
    chunk_size: int = 1000  # characters, for `fixed` (R96)
    chunk_overlap: int = 100
    contextualisation: str = "breadcrumb"
    embeddings: str = "bundled"
    recognition: str = "automatic"
    cards: str = "rules"  # who makes the card of a document (R15)
    contents_check: str = "auto"  # by a model where there is one, see documents.ingestion.contents
    passages_max: int = 8  # passages the writer reads (R95)
    per_document_max: int = 5  # where several documents give some
    pool_max: int = 40  # briefs (R44)
    second_look: str = "on"
    claim_check: str = "on"
    repeats: str = "on"
    examples: str = "off"  # validated answers shown to the writer, see chat.writing.examples
    skip_model: str = "off"  # where a hit is clear, see retrieval.arbiter.clear_hits
    outside_links: str = "off"  # whether answers may be shown to people outside, see chat.sharing
    golden_check: str = "off"  # whether changes wait for a golden check, see documents.guarding
    nearness_min: int = 15  # per cent of a cosine (R102): below it two texts share nothing but the language
    risk_max: int = 35  # per cent of questions without an answer that the rules may answer; see docs/benchmarks.md

    # Which model judges and writes (R25): by TYPE_KEY and an answer type, CONCEPT_KEY and a concept, or EVERY_KEY.
    # retrieval.dictionary.tiers changes it.
    tiers: dict[str, str] = field(default_factory=dict, hash=False)
    model: str = ""  # one of DOCINTEL_MODELS in place of DOCINTEL_MODEL; chat.model_page changes it

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {
        "ranking": ("arbiter", "hybrid", "rules", "none", "rerank"),
        "reranking": ("model", "heuristic", "none"),
        "chunking": ("section", "fixed", "page"),
        "contextualisation": ("breadcrumb", "llm", "none"),
        "embeddings": ("bundled", "openai", "voyage", "none"),
        "recognition": ("automatic", "on_request"),
        "cards": ("rules", "by_model"),
        "contents_check": ("auto", "extend", "composite", "none"),
        "second_look": ("on", "off"),
        "claim_check": ("on", "off"),
        "repeats": ("on", "off"),
        "examples": ("on", "off"),
        "skip_model": ("on", "off"),
        "outside_links": ("on", "off"),
        "golden_check": ("on", "off"),
    }
    RANGES: ClassVar[dict[str, tuple[int, int]]] = {
        "chunk_size": (200, 8000),
        "chunk_overlap": (0, 1000),
        "passages_max": (1, 12),
        "per_document_max": (1, 12),
        "pool_max": (5, 60),
        "nearness_min": (15, 95),
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
        if not isinstance(self.model, str) or len(self.model) > MODEL_MAX:
            raise SettingsError(gettext("The name of a model has at most %(most)s characters.") % {"most": MODEL_MAX})
        if unknown := [tier for tier in self.tiers.values() if tier not in TIERS]:
            told = {"tier": str(unknown[0])[:80], "tiers": ", ".join(TIERS)}
            raise SettingsError(gettext("There is no model tier “%(tier)s”; there are: %(tiers)s.") % told)
        if self.chunk_overlap >= self.chunk_size:
            raise OverlapTooLong

    def reading(self) -> dict[str, Any]:
        """The settings a reading depends on; a change takes effect when a document is read again.

        Embeddings are not among them: changing the model needs no new reading, see documents.ingestion.reembedding.
        """
        names = ["chunking", "contextualisation", "contents_check"]
        names += FIXED if self.chunking == "fixed" else []
        return {name: getattr(self, name) for name in names}

    def cutting(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """What an upload chose of how its text is cut, to be kept with it; {} is as its base says (R96).

        `chosen` may have `chunking`, and with "fixed" a size and an overlap, which else are the base's. Raises
        SettingsError.
        """
        told = {name: value for name, value in chosen.items() if value not in ("", None)}
        if any(name in told for name in FIXED) and told.get("chunking") != "fixed":
            raise SettingsError(gettext("chunk_size and chunk_overlap are for passages of fixed length only."))
        if not told:
            return {}
        wanted = BaseSettings(**self.to_json() | told)
        names = ["chunking", *FIXED] if wanted.chunking == "fixed" else ["chunking"]
        return {name: getattr(wanted, name) for name in names}

    def plain(self) -> dict[str, str]:
        """The option of each plain choice that these settings fit, or OWN_MIXTURE."""
        stored = self.to_json()
        return {
            choice: next((name for name, sets in options.items() if sets.items() <= stored.items()), OWN_MIXTURE)
            for choice, options in PLAIN.items()
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "BaseSettings":
        """The stored settings over the defaults; unknown names of older versions are ignored."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def deciding(self) -> dict[str, Any]:
        """The settings an answer can depend on."""
        left_out = ("outside_links", "golden_check")
        return {name: value for name, value in self.to_json().items() if name not in left_out}

    def guarded(self) -> dict[str, Any]:
        """The settings whose change waits for a golden check, where the base requires one."""
        return {name: value for name, value in self.deciding().items() if name not in OF_READING}


@contextmanager
def asked_for(base: "KnowledgeBase", user: object = "") -> Iterator[None]:
    """Ask the model the base chose in the block, and charge the calls to it and this person (their key)."""
    with paid_by(user, base.pk), asking(BaseSettings.from_json(base.settings).model):
        yield
