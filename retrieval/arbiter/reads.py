"""How far a passage reads as an answer: a cross-encoder reads the question with each of its sentences (R54).

It was trained on English, and reads nothing else. What it says is one signal among others: it makes no quote and turns
no gate. What is not read is weighed by a fit of its own.
"""

import logging
import re
from collections.abc import Iterator, Sequence

from llm.embeddings import bundled
from llm.embeddings.cross_encoder import cross_encoder
from llm.embeddings.encoder import EncoderMissing
from reading.values.sentences import SENTENCE, split_at
from retrieval.types import Candidate, Question

logger = logging.getLogger(__name__)

SENTENCES_MAX = 24  # of a passage
SENTENCE_CHARS, ROW_CHARS = 25, 12  # what is shorter is read with what follows it, as in training
LANGUAGES = (("en", "en"), ("en", "und"))  # of the question and of the document
LINE_HYPHEN = re.compile(r"(?<=\w)-\n(?=[a-z])")


def read_for_answer(question: Question, candidate: Candidate, language: str) -> float | None:
    """How far the best sentence of a passage reads as an answer; None where it is not read."""
    return max(read_sentences(question, list(sentences_to_read(candidate)), language), default=None)


def read_sentences(question: Question, sentences: Sequence[str], language: str) -> list[float]:
    """How far each sentence reads as an answer, 0.001 to 0.999; nothing where they are not read.

    Nothing is read of a question in parts, which no sentence answers, of a document in another `language`, nor where
    encoder and weights are not installed, which is logged.
    """
    if question.parts or (question.language, language) not in LANGUAGES or not bundled.is_available() or not sentences:
        return []
    try:
        chances = cross_encoder().read(question.corrected, sentences)[:, 0]
    except (EncoderMissing, OSError) as error:
        logger.warning("Nothing was read for an answer: %s", error)
        return []
    return [min(max(round(float(chance), 3), 0.001), 0.999) for chance in chances]


def sentences_to_read(candidate: Candidate) -> Iterator[str]:
    """The sentences of a passage, or its rows, each behind the title of its section."""
    is_prose = bool(candidate.sentences and candidate.sentences.text)
    if is_prose:
        prose = " ".join(LINE_HYPHEN.sub("", candidate.own_text).split())
        parts = [prose[start:end] for start, end in split_at(prose, SENTENCE)]
    else:
        parts = candidate.own_text.split("\n")
    for text in join_short(parts, SENTENCE_CHARS if is_prose else ROW_CHARS)[:SENTENCES_MAX]:
        yield with_title(text, candidate.section_title)


def with_title(text: str, title: str) -> str:
    """A text as it is read, and was in training."""
    return f"{title}: {text}" if title else text


def join_short(parts: Sequence[str], chars_min: int) -> list[str]:
    """The parts, each of at least so many characters but for the last."""
    joined, waiting = list[str](), ""
    for part in parts:
        waiting = " ".join([*waiting.split(), *part.split()])
        if len(waiting) >= chars_min:
            joined.append(waiting)
            waiting = ""
    return [*joined, waiting] if waiting else joined
