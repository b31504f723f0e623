"""The answer without a writer: the calibrated quotes of a run, in order of weight, with no words of our own."""

from collections import Counter
from collections.abc import Iterable, Sequence

from chat.drafts import Quoted
from documents.base_settings import BaseSettings
from retrieval.candidates.plain import one_line
from retrieval.models import RunCandidate

CITATIONS_MAX = {"fast": 3, "balanced": 8, "thorough": 12}  # R98
SHARE_OF_MODE = {"fast": 1.0, "balanced": 1.0, "thorough": 1.5}  # a base's own number applies to balanced
ROLE_WEIGHT = {"primary": 0, "supporting": 1}


def choose_quotes(
    candidates: Iterable[RunCandidate], mode: str, settings: BaseSettings, *, with_lines: bool = False
) -> list[Quoted]:
    """The quotes to show: primary before supporting, as many as mode and base settings allow (R95).

    What one document may give is limited where several have something to give: one alone may give them all.
    Only text that survived calibration is quoted. With `with_lines` a candidate without such a quote gives the lines
    where the search matched, which are literal by construction.
    """
    limit = citations_max(mode, settings)
    able = [
        (each, quote)
        for each in by_weight(candidates)
        if (quote := each.content_anchor or (each.anchor_text if with_lines else ""))
    ]
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


def citations_max(mode: str, settings: BaseSettings) -> int:
    return min(CITATIONS_MAX[mode], round(settings.passages_max * SHARE_OF_MODE[mode]))


def by_weight(candidates: Iterable[RunCandidate]) -> list[RunCandidate]:
    """Primary before supporting, then in the order of the run."""
    return sorted(candidates, key=lambda candidate: (ROLE_WEIGHT.get(candidate.role, 2), candidate.position))


def quoted_text(quoted: Sequence[Quoted]) -> str:
    """The quotes as the text of an answer, each with its marker, as the card shows them.

    They are shown with plain signs; the citations beside them keep the literal ones.
    """
    return "\n\n".join(f"\u201c{one_line(each.quote)}\u201d [{each.marker}]" for each in quoted)
