"""The detectors, in the order of the record: what authors named, then words, then meaning (R27, R28, R33)."""

from collections.abc import Callable

from documents.storage.content import DocumentContent
from retrieval.detectors.keywords import detect_keywords
from retrieval.detectors.patterns import detect_patterns
from retrieval.detectors.titles import detect_titles
from retrieval.detectors.vectors import detect_vectors
from retrieval.types import Hit, Method, Question

Detector = Callable[[Question, DocumentContent], list[Hit]]

DETECTORS: dict[Method, Detector] = {
    "titles": detect_titles,
    "keywords": detect_keywords,
    "patterns": detect_patterns,
    "vectors": detect_vectors,
}
