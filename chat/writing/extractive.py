"""The answer without a writer: the calibrated quotes of a run, in order of weight, with no words of our own."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from chat.drafts import Quoted
from documents.base_settings import BaseSettings
from retrieval.candidates.plain import plain_text
from retrieval.models import RunCandidate

CITATIONS_MAX = {"fast": 3, "balanced": 8, "thorough": 12}  # R98
SHARE_OF_MODE = {"fast": 1.0, "balanced": 1.0, "thorough": 1.5}  # a base's own number applies to balanced
ROLE_WEIGHT = {"primary": 0, "supporting": 1}
VALUE_TYPES = frozenset({"amount", "date", "percentage", "number"})
HOLDS_VALUE = re.compile(r"\d")
# Only after a word of three letters or more, a number or a bracket, so that "No. 5" and "Mr. Osei" stay whole.
SENTENCE_BREAK = re.compile(r"(?<=[\w%)”\"’]{3}[.!?;])\s+(?=[“\"(\[]?[A-ZÀ-Ý0-9])")
SENTENCE_END = (".", "!", "?", ";")


def choose_quotes(
    candidates: Iterable[RunCandidate], mode: str, settings: BaseSettings, *, with_lines: bool = False
) -> list[Quoted]:
    """The quotes to show: primary before supporting, as many as mode and base settings allow (R95).

    What one document may give is limited where several have something to give: one alone may give them all.
    Only text that survived calibration is quoted. With `with_lines` a candidate without such a quote gives the lines
    where the search matched, which are literal by construction.
    """
    limit = min(CITATIONS_MAX[mode], round(settings.passages_max * SHARE_OF_MODE[mode]))
    weighed = sorted(candidates, key=lambda candidate: (ROLE_WEIGHT.get(candidate.role, 2), candidate.position))
    able = [(each, quote) for each in weighed if (quote := quote_of(each, with_lines=with_lines))]
    is_shared = len({each.document_id for each, _ in able}) > 1
    of_document: Counter[str] = Counter()
    quoted: list[Quoted] = []
    shown: set[tuple[str, str]] = set()
    for candidate, quote in able:
        document, key = str(candidate.document_id), (str(candidate.document_id), quote)
        if key in shown or (is_shared and of_document[document] >= settings.per_document_max):
            continue
        shown.add(key)
        of_document[document] += 1
        quoted.append(Quoted(len(quoted) + 1, candidate, quote))
        if len(quoted) == limit:
            break
    return quoted


def quote_of(candidate: RunCandidate, *, with_lines: bool) -> str:
    return candidate.content_anchor or (candidate.anchor_text if with_lines else "")


def quoted_text(quoted: Sequence[Quoted], answer_type: str) -> str:
    """The quotes as the text of an answer, each with its marker; for a value, the sentence or row that contains it.

    They are shown with plain signs; the citations beside them keep the literal ones.
    """
    is_value = answer_type in VALUE_TYPES
    return "\n\n".join(f"\u201c{plain_text(spoken(each, is_value))}\u201d [{each.marker}]" for each in quoted)


def spoken(quoted: Quoted, is_value: bool) -> str:
    text = quoted.quote
    if is_value and "\n" in text:
        text = value_part(text, quoted.candidate.matched_keywords)
    return " ".join(text.split())


def value_part(text: str, keywords: Iterable[str]) -> str:
    """The sentence with a figure that has most of the asked words, or the line in a table; the whole text if none has
    both."""
    words = [keyword.lower() for keyword in keywords]
    sentence = best_of(SENTENCE_BREAK.split(text), words)
    return sentence if sentence.endswith(SENTENCE_END) else best_of(text.splitlines(), words) or text


def best_of(parts: Iterable[str], words: Sequence[str]) -> str:
    """The part with a figure and most of the words, "" if no part has both."""
    named = [(sum(word in part.lower() for word in words), part) for part in parts if HOLDS_VALUE.search(part)]
    best = max(named, key=lambda pair: pair[0], default=(0, ""))
    return best[1] if best[0] else ""
