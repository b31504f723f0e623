"""The heatmap of a page: how near each line is to the question in meaning (R34).

It is computed on demand, from the lines of the parse the run saw; it is no part of the record and decided nothing. A
parse never changes, so each page is computed once.
"""

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from documents.models import Line
from documents.pages.sheet import SheetBox
from llm.embeddings import bundled
from llm.embeddings.encoder import EncoderMissing
from reading.rows import ASIDE_KINDS
from retrieval.models import RetrievalRun

STEPS = 6  # shades, the classes heat-0 to heat-5 of the stylesheet
COLDEST, HOTTEST = 0.1, 0.7  # cosines: at most the first, two texts share nothing; from the second, they mean the same
PAGES_KEPT = 128
NEAREST_SHOWN = 5


@dataclass(frozen=True)
class HotLine:
    number: int
    text: str
    cosine: float


@dataclass(frozen=True)
class Heat:
    """Shaded boxes for the sheet, and the nearest lines as text; `note` says why there are none."""

    boxes: tuple[SheetBox, ...] = ()
    nearest: tuple[HotLine, ...] = ()
    model: str = bundled.MODEL_KEY
    note: str = ""


def heat_of(run: RetrievalRun, parse_id: UUID, page_number: int) -> Heat:
    """The lines of one page by their similarity to the run's question."""
    lines = list(Line.objects.filter(parse=parse_id, page_number=page_number).exclude(kind__in=ASIDE_KINDS))
    lines = [line for line in lines if line.text.strip()]
    if not lines:
        return Heat(note="gone")
    try:
        cosines = cosines_of(find_searched_text(run), parse_id, page_number, tuple(line.text for line in lines))
    except EncoderMissing:
        return Heat(note="no_encoder")
    pairs = sorted(zip(lines, cosines, strict=True), key=lambda pair: -pair[1])
    return Heat(
        boxes=tuple(shade_line(line, cosine) for line, cosine in pairs),
        nearest=tuple(HotLine(line.number, line.text, round(cosine, 2)) for line, cosine in pairs[:NEAREST_SHOWN]),
    )


def find_searched_text(run: RetrievalRun) -> str:
    return str(run.parsed.get("topic") or run.parsed.get("corrected") or run.question)


@lru_cache(maxsize=PAGES_KEPT)
def cosines_of(question: str, parse_id: UUID, page_number: int, texts: tuple[str, ...]) -> tuple[float, ...]:
    vectors = bundled.embed_texts(texts)
    return tuple(float(value) for value in vectors @ bundled.embed_query(question))


def shade_line(line: Line, cosine: float) -> SheetBox:
    share = (cosine - COLDEST) / (HOTTEST - COLDEST)
    step = min(max(int(share * STEPS), 0), STEPS - 1)
    return SheetBox(
        round(line.x0, 1),
        round(line.y0, 1),
        round(line.x1 - line.x0, 1),
        round(line.y1 - line.y0, 1),
        f"heat heat-{step}",
    )
