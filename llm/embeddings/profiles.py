"""Models known by name: how much they read, and the size of their vectors, as their makers publish it."""

from typing import NamedTuple


class EmbeddingProfile(NamedTuple):
    """`tokens` a text may have, `dimensions` asked for; 0 leaves the size to the model."""

    tokens: int
    dimensions: int


EMBEDDING_PROFILES = {
    "voyage-3-large": EmbeddingProfile(32_000, 1024),  # R93b
    "voyage-3.5": EmbeddingProfile(32_000, 1024),
    "voyage-3.5-lite": EmbeddingProfile(32_000, 1024),
    "text-embedding-3-small": EmbeddingProfile(8_191, 0),
    "text-embedding-3-large": EmbeddingProfile(8_191, 0),
}
UNKNOWN = EmbeddingProfile(512, 0)  # what the common small models of own servers read


def embedding_profile(model: str) -> EmbeddingProfile:
    """The profile of a model; a model nobody here knows is taken for a small one, unless the operator says more."""
    return EMBEDDING_PROFILES.get(model, UNKNOWN)
