"""The language of a text, and its PostgreSQL text search configuration."""

import re
import unicodedata
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
# Scripts whose letters tell the language, or a few of them: the first is meant where the document does not say.
SCRIPTS = (
    (re.compile("[\u3041-\u30ff]"), ("ja",)),
    (re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"), ("zh", "ja")),
    (re.compile("[\uac00-\ud7af\u1100-\u11ff]"), ("ko",)),
    (re.compile("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]"), ("ar", "fa", "ur")),
    (re.compile("[\u0590-\u05ff\ufb1d-\ufb4f]"), ("he", "yi")),
    (re.compile("[\u0e01-\u0e5b]"), ("th",)),
    (re.compile("[\u0e81-\u0edf]"), ("lo",)),
    (re.compile("[\u1780-\u17ff]"), ("km",)),
    (re.compile("[\u1000-\u109f]"), ("my",)),
    (re.compile("[\u0f00-\u0fda]"), ("bo",)),
)
SCRIPT_SHARE = 0.4  # of the letters: names and units in Latin letters stand in any text
UNKNOWN, SIMPLE = "und", "simple"
PROBABILITY_MIN = 0.5
LETTERS_MIN = 40  # fewer letters are not enough to tell
SAMPLE_CHARS = 8_000


@lru_cache(maxsize=256)
def detect_language(text: str) -> str:
    """The language of a text as its ISO 639-1 code; "und" for too little text."""
    if sum(map(str.isalpha, text[:SAMPLE_CHARS])) < LETTERS_MIN:
        return UNKNOWN
    # Joined forms of Arabic letters are letters of their own to the identifier.
    sample = unicodedata.normalize("NFKC", text[:SAMPLE_CHARS])
    code, probability = identifier().classify(sample)
    likely = code if probability >= PROBABILITY_MIN else UNKNOWN
    return language_by_script(sample, likely) or likely


def language_by_script(text: str, default: str = UNKNOWN) -> str:
    """The language that a text's script tells, "" of a script of many; the default where it is one of several."""
    letters = sum(map(str.isalpha, text))
    for script, languages in SCRIPTS:
        if (found := len(script.findall(text))) and found >= SCRIPT_SHARE * letters:
            return default if default in languages else languages[0]
        if found and languages == ("ja",):
            letters_of_both = found + len(SCRIPTS[1][0].findall(text))
            if letters_of_both >= SCRIPT_SHARE * letters:
                return "ja"
    return ""


@lru_cache(maxsize=1)
def identifier() -> Any:
    """The library's identifier, set to return probabilities."""
    from py3langid import langid  # loads numpy and a model: 0.7 s, only where it is needed

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def regconfig_of(code: str) -> str:
    """The PostgreSQL text search configuration of a language code."""
    return REGCONFIGS.get(code, SIMPLE)


def sample_of(lines: Iterable[LineRow]) -> str:
    """Running text from the middle of a document, where its language is clearest; without any, the words of its tables.

    Figures, codes and capitals mislead the identifier where little else stands.
    """
    lines = list(lines)
    texts = [line.text for line in lines if line.kind == "body" and len(line.text) > LETTERS_MIN]
    if sum(map(str.isalpha, "".join(texts))) < LETTERS_MIN:
        words = (word for line in lines for word in line.text.split() if any(map(str.isalpha, word)))
        return " ".join(words)[:SAMPLE_CHARS].lower()
    middle = len(texts) // 3
    return "\n".join(texts[middle : middle + 120] or texts[:120])[:SAMPLE_CHARS]


def name_language(reading: Reading) -> Reading:
    """The reading with the language of its lines; those of a page with other letters than it draws tell none."""
    garbled = {page.number for page in reading.pages if "garbled" in page.flags}
    legible = [line for line in reading.lines if line.page_number not in garbled]
    told = detect_language(sample_of(legible))
    if told == UNKNOWN and garbled:
        told = detect_language(sample_of(reading.lines))
    return replace(reading, language=told)
