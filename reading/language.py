"""The language of a text, and its PostgreSQL text search configuration."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from reading.rows import LineRow, Reading

# The languages PostgreSQL has a stemmer for; others are searched without one.
REGCONFIGS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch",
    "en": "english", "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi",
    "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nb": "norwegian", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip
UNKNOWN, SIMPLE = "und", "simple"
PROBABILITY_MIN = 0.5
LETTERS_MIN = 40  # fewer letters are not enough to tell
SAMPLE_CHARS = 8_000


@lru_cache(maxsize=256)
def detect_language(text: str) -> tuple[str, str]:
    """(ISO 639-1 code, PostgreSQL regconfig); ("und", "simple") for too little text."""
    if sum(map(str.isalpha, text[:SAMPLE_CHARS])) < LETTERS_MIN:
        return UNKNOWN, SIMPLE
    code, probability = identifier().classify(text[:SAMPLE_CHARS])
    return (code, regconfig_of(code)) if probability >= PROBABILITY_MIN else (UNKNOWN, SIMPLE)


@lru_cache(maxsize=1)
def identifier() -> Any:
    """The library's identifier, set to return probabilities."""
    from py3langid import langid  # loads numpy and a model: 0.7 s, only where it is needed

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def regconfig_of(code: str) -> str:
    """The PostgreSQL text search configuration of a language code."""
    return REGCONFIGS.get(code, SIMPLE)


def sample_of(lines: Iterable[LineRow]) -> str:
    """Running text from the middle of a document, where its language is clearest."""
    texts = [line.text for line in lines if line.kind == "body" and len(line.text) > LETTERS_MIN]
    texts = texts or [line.text for line in lines]
    middle = len(texts) // 3
    return "\n".join(texts[middle : middle + 120] or texts[:120])[:SAMPLE_CHARS]


def name_language(reading: Reading) -> Reading:
    """The reading with the language of its lines."""
    return replace(reading, language=detect_language(sample_of(reading.lines))[0])
