"""The settings of a base: the choices, and defaults that suit most people (R102)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, cast

from django.utils.translation import gettext

from llm.pseudonyms.stand_ins import hiding
from llm.spending import paid_by
from llm.tiers import TIERS, asking

if TYPE_CHECKING:
    from documents.models import KnowledgeBase

TYPE_KEY, CONCEPT_KEY, EVERY_KEY = "type:", "concept:", "default"
FIXED = ["chunk_size", "chunk_overlap"]  # of `fixed` chunking, in characters
MODEL_MAX = 200  # characters of a name


class SettingsError(ValueError):
    """A setting has an invalid value; the message names the setting and its valid values."""


class OverlapTooLong(SettingsError):
    """Two passages of fixed length would share more than one of them has."""

    def __init__(self) -> None:
        super().__init__(gettext("chunk_overlap must be smaller than chunk_size."))


def allow_choice(*allowed: str, default: str = "", of_reading: bool = False) -> Any:
    """A setting that has one of these values, the first unless another is its default."""
    return field(default=default or allowed[0], metadata={"choices": allowed, "of_reading": of_reading})


def allow_on_off(default: str) -> Any:
    return allow_choice("on", "off", default=default)


def allow_number(default: int, low: int, high: int, *, of_reading: bool = False) -> Any:
    return field(default=default, metadata={"range": (low, high), "of_reading": of_reading})


class ChosenCutting(TypedDict, total=False):
    """How the text of a document is cut, where its upload chose otherwise than the base; stored with it (R96)."""

    chunking: str
    chunk_size: int  # as the overlap, of `fixed` only
    chunk_overlap: int


@dataclass(frozen=True)
class BaseSettings:
    """What is `of_reading` shows its effect only in a further reading; `reading()` has those that make one due."""

    ranking: str = allow_choice("arbiter", "hybrid", "rules", "none", "rerank")
    reranking: str = allow_choice("model", "heuristic", "none")  # orders the pool where `ranking` is `rerank` (R95)
    chunking: str = allow_choice("section", "fixed", "page", of_reading=True)
    chunk_size: int = allow_number(1000, 200, 8000, of_reading=True)  # characters, for `fixed` (R96)
    chunk_overlap: int = allow_number(100, 0, 1000, of_reading=True)
    contextualisation: str = allow_choice("breadcrumb", "llm", "none", of_reading=True)
    embeddings: str = allow_choice("bundled", "openai", "voyage", "none")
    recognition: str = allow_choice("automatic", "on_request", of_reading=True)
    cards: str = allow_choice("rules", "by_model", of_reading=True)  # who makes the card of a document (R15)
    # By a model where there is one, see documents.ingestion.contents.
    contents_check: str = allow_choice("auto", "extend", "composite", "none", of_reading=True)
    passages_max: int = allow_number(8, 1, 12)  # passages the writer reads (R95)
    per_document_max: int = allow_number(5, 1, 12)  # where several documents give some
    pool_max: int = allow_number(40, 5, 60)  # briefs (R44)
    second_look: str = allow_on_off("on")
    claim_check: str = allow_on_off("on")
    repeats: str = allow_on_off("on")
    skip_model: str = allow_on_off("off")  # where a hit is clear, see retrieval.arbiter.clear_hits
    outside_links: str = allow_on_off("off")  # whether answers may be shown to people outside, see chat.sharing
    pseudonyms: str = allow_on_off("off")  # whether a model gets stand-ins for persons, see llm.pseudonyms
    golden_check: str = allow_on_off("off")  # whether changes wait for a golden check, see documents.guarding
    cross_encoder: str = allow_on_off("on")  # whether the rules weigh how far passages read as an answer
    # Per cent of a cosine (R102): below the least two texts share nothing but the language.
    nearness_min: int = allow_number(15, 15, 95)
    # Per cent of questions without an answer that the rules may answer; see docs/benchmarks.md.
    risk_max: int = allow_number(35, 5, 100)

    # Which model judges and writes (R25): by TYPE_KEY and an answer type, CONCEPT_KEY and a concept, or EVERY_KEY.
    # retrieval.dictionary.tiers changes it.
    tiers: dict[str, str] = field(default_factory=dict, hash=False)
    model: str = ""  # one of DOCINTEL_MODELS in place of DOCINTEL_MODEL; chat.model_page changes it

    CHOICES: ClassVar[dict[str, tuple[str, ...]]]
    RANGES: ClassVar[dict[str, tuple[int, int]]]
    OF_READING: ClassVar[set[str]]

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

    def reading(self) -> dict[str, str | int]:
        """The settings that outdate a reading when they change: it is offered to be made again. Recognition and cards
        are offered as what improves a document, see documents.ingestion.improving.

        Embeddings are not among them: changing the model needs no new reading, see documents.ingestion.reembedding.
        """
        names = ["chunking", "contextualisation", "contents_check"]
        names += FIXED if self.chunking == "fixed" else []
        return {name: getattr(self, name) for name in names}

    def cutting(self, chosen: Mapping[str, Any]) -> ChosenCutting:
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
        return cast("ChosenCutting", {name: getattr(wanted, name) for name in names})

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "BaseSettings":
        """The stored settings over the defaults; unknown names of older versions are ignored."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def deciding(self) -> dict[str, object]:
        """The settings an answer can depend on."""
        left_out = ("outside_links", "golden_check")
        return {name: value for name, value in self.to_json().items() if name not in left_out}

    def guarded(self) -> dict[str, object]:
        """The settings whose change waits for a golden check, where the base requires one."""
        at_once = {"pseudonyms", *self.OF_READING}
        return {name: value for name, value in self.deciding().items() if name not in at_once}


BaseSettings.CHOICES = {
    each.name: each.metadata["choices"] for each in fields(BaseSettings) if "choices" in each.metadata
}
BaseSettings.RANGES = {each.name: each.metadata["range"] for each in fields(BaseSettings) if "range" in each.metadata}
BaseSettings.OF_READING = {each.name for each in fields(BaseSettings) if each.metadata.get("of_reading")}


@contextmanager
def asking_for(base: "KnowledgeBase", user: object = "") -> Iterator[None]:
    """Ask the model as the base chose in the block, and charge the calls to it and this person (their key)."""
    with paid_by(user, base.pk), asking_as(BaseSettings.from_json(base.settings), base):
        yield


@contextmanager
def asking_as(chosen: BaseSettings, base: "KnowledgeBase") -> Iterator[None]:
    """Ask the model that settings choose in the block, with stand-ins for persons where they say so.

    The parties on the cards of the base, of every version of them, are known wherever they are named.
    """
    cards = base.documents.values_list("cards__content__parties", flat=True)
    known = sorted({name for parties in cards for name in parties or ()}) if chosen.pseudonyms == "on" else None
    with asking(chosen.model), hiding(known):
        yield
