"""Long generated filings as one base of any size: words by Zipf's law, vectors in clusters, and planted facts."""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, islice

import numpy as np
from django.db import connection, transaction
from django.utils import timezone
from numpy.typing import NDArray

from benchmarks.generated import CLAUSES, DUTIES, EQUIPMENT, HEADINGS, SEED, Fact, make_facts
from documents.models import Document, KnowledgeBase, Parse
from documents.storage.store import copy_vectors, store_reading
from llm.embeddings.bundled import MODEL_KEY, embed_texts
from reading.rows import LineRow, LineSpan, PageRow, PassageRow, Reading, ReadingReport, TocRow

PASSAGES_EACH = (500, 1100)
LINES, WORDS = 6, 11  # of a passage, of a line
PASSAGES_A_PAGE, PASSAGES_A_SECTION = 7, 20
VOCABULARY = 30_000
OWN_WORDS, OWN_SHARE = 400, 0.2  # words that are frequent in one document only
ZIPF_EXPONENT, ZIPF_SHIFT = 1.05, 2.7
TOPICS = 240
FACTS_A_STEP = 30
COMMON_TEXT = "the of and to in a for is on that by this with be as or are from at which an not it any such its"
SYLLABLE_TEXT = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bra cle dri flo gru pla ste tri"
COMMON, SYLLABLES = COMMON_TEXT.split(), SYLLABLE_TEXT.split()
WHAT_FOLLOWS = " The date, the result and any fault found are put down in the log of the site."

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Material:
    """What filings are made of: words by falling frequency with the running sum of their shares, and topics."""

    words: NDArray[np.str_]
    shares: NDArray[np.float64]
    topics: Floats

    def draw(self, chance: np.random.Generator, count: int) -> NDArray[np.str_]:
        """Words by their frequency, some of them out of the few that this document uses often."""
        places = np.searchsorted(self.shares, chance.random(count))
        own = chance.integers(len(COMMON), len(self.words), OWN_WORDS)
        is_own = chance.random(count) < OWN_SHARE
        places[is_own] = own[chance.integers(0, OWN_WORDS, int(is_own.sum()))]
        drawn: NDArray[np.str_] = self.words[np.minimum(places, len(self.words) - 1)]
        return drawn

    def mix(self, chance: np.random.Generator, count: int) -> Floats:
        """Vectors that lie in clusters: a section has its topic, a document a turn of its own, and each passage too."""
        own = self.topics[chance.integers(0, TOPICS, 8)]
        sections = own[chance.integers(0, len(own), count // PASSAGES_A_SECTION + 1)]
        main = np.repeat(sections, PASSAGES_A_SECTION, axis=0)[:count]
        others = self.topics[chance.integers(0, TOPICS, (count, 2))].mean(axis=1)
        noise = chance.standard_normal((count, self.topics.shape[1])) / np.sqrt(self.topics.shape[1])
        return normalised(0.6 * main + 0.5 * others + 0.2 * own[0] + 0.35 * noise)


def normalised(vectors: NDArray[np.floating]) -> Floats:
    scaled: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled


@lru_cache(maxsize=1)
def material() -> Material:
    """The same words and topics in every run; the topics are sentences as the encoder sees them."""
    chance = random.Random(SEED)
    named = [*EQUIPMENT, *DUTIES, *(word.strip(".,").lower() for clause in CLAUSES for word in clause.split())]
    known = [word for word in dict.fromkeys(named) if word.isalpha() and word not in COMMON]
    made: dict[str, None] = dict.fromkeys(known)
    while len(made) < VOCABULARY:
        made["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))] = None
    rest = list(made)[len(known) :]
    words = np.array([*COMMON, *rest[: len(known)], *known, *rest[len(known) :]])
    shares = 1 / (np.arange(len(words)) + ZIPF_SHIFT) ** ZIPF_EXPONENT
    sentences = [
        f"{heading}: "
        + clause.format(a=number, b=number + 2, c=number + 5, equipment=EQUIPMENT[number], duty=DUTIES[number % 8])
        for number, heading in enumerate(HEADINGS)
        for clause in CLAUSES
    ]
    facts = [fact.question for fact in make_facts(1000)[100:]]
    return Material(words, np.cumsum(shares / shares.sum()), embed_texts([*sentences, *facts][:TOPICS]))


def steps_of_facts(documents: Sequence[int]) -> Iterator[list[Fact]]:
    """The facts planted in each step of a base that grows to these numbers of documents, spread over the new ones."""
    facts = iter(make_facts(1000))
    for first, last in zip((0, *documents), documents, strict=False):
        chance = random.Random(SEED + last)
        step = islice(facts, FACTS_A_STEP)
        yield [replace(fact, document=chance.randrange(first, last)) for fact in step]


def sizes_of_documents() -> Iterator[int]:
    """The passages of one filing after the other, the same in every run."""
    chance = random.Random(SEED)
    while True:
        yield chance.randint(*PASSAGES_EACH)


def documents_for(passages: int) -> int:
    """How many filings have at least so many passages together."""
    return next(number for number, total in enumerate(accumulate(sizes_of_documents()), 1) if total >= passages)


def grow(base: KnowledgeBase, documents: int, facts: Sequence[Fact]) -> int:
    """Store filings until the base has so many, with the facts planted; how many rows were written."""
    known, rows = base.documents.count(), 0
    planted: dict[int, list[Fact]] = {}
    for fact in facts:
        if fact.document is not None:
            planted.setdefault(fact.document, []).append(fact)
    for number, size in enumerate(islice(sizes_of_documents(), documents)):
        if number >= known:
            rows += store_filing(base, number, size, planted.get(number, ()))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return rows


def store_filing(base: KnowledgeBase, number: int, size: int, facts: Sequence[Fact]) -> int:
    """Write one filing as ingestion writes what it read, with its vectors; how many rows that were."""
    chance = np.random.default_rng(SEED * 1_000_003 + number)
    places = chance.choice(np.arange(1, size), len(facts), replace=False).tolist()
    planted = {place: fact.sentence + WHAT_FOLLOWS for place, fact in zip(places, facts, strict=True)}
    reading, passages = make_filing(number, size, planted, chance)
    vectors, titles = material().mix(chance, size), material().mix(chance, len(reading.toc))
    if facts:
        vectors[places] = embed_texts([planted[place] for place in places])
    with transaction.atomic():
        document = Document.objects.create(
            base=base,
            title=reading.title,
            file_name=f"filing-{number:06}.pdf",
            file=f"filing-{number:06}.pdf",
            sha256=hashlib.sha256(str(number).encode()).hexdigest(),
            size_bytes=1,
            media_type="application/pdf",
            state=Document.State.READY,
        )
        parse = store_reading(document, reading, passages, {})
        copy_vectors(parse, MODEL_KEY, list(parse.passages.defer("search").order_by("index")), vectors)
        copy_vectors(parse, MODEL_KEY, list(parse.toc_entries.order_by("index")), titles)
        Parse.objects.filter(pk=parse.pk).update(embedding_model=MODEL_KEY, embedded_at=timezone.now())
        Document.objects.filter(pk=document.pk).update(current_parse=parse)
    return len(reading.pages) + len(reading.lines) + 2 * (len(reading.toc) + len(passages))


def make_filing(
    number: int, size: int, planted: dict[int, str], chance: np.random.Generator
) -> tuple[Reading, list[PassageRow]]:
    """The rows of a filing: lines of even length, a section every few passages, the facts in the places given."""
    words = material().draw(chance, size * LINES * WORDS).reshape(size, LINES, WORDS).tolist()
    ends = iter(chance.random(size * LINES).tolist())
    lines: list[LineRow] = []
    passages: list[PassageRow] = []
    start = 0
    for index in range(size):
        texts = [line_text(line, next(ends)) for line in words[index]]
        if index in planted:
            texts[1:2] = cut_in_lines(planted[index])
        page = index // PASSAGES_A_PAGE + 1
        section = index // PASSAGES_A_SECTION + 1
        first = len(lines) + 1
        lines += (line_row(first + place, page, section, text) for place, text in enumerate(texts))
        text = "\n".join(texts)
        span = (first, len(lines), page, page)
        context = title_of(words, section)
        whole = (start, start + len(text), first, len(lines))
        passages.append(PassageRow(index, *span, section, "text", text, context, "", *whole))
        start += len(text) + 1
    pages = tuple(
        PageRow(page, str(page), 612.0, 792.0, 0, "text", 1, ()) for page in range(1, passages[-1].last_page + 1)
    )
    toc = tuple(toc_rows(passages, lambda section: title_of(words, section)))
    report = ReadingReport(toc_origin="headings", toc_strength="strong")
    return Reading(f"Filing {number:06}", "en", pages, tuple(lines), toc, report=report), passages


def line_text(words: Sequence[str], end: float) -> str:
    """One line of text: about every third begins a sentence."""
    text = " ".join(words)
    return f"{text[:1].upper()}{text[1:]}." if end < 0.3 else text


def cut_in_lines(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[first : first + WORDS]) for first in range(0, len(words), WORDS)]


def line_row(number: int, page: int, section: int, text: str) -> LineRow:
    on_page = number % (LINES * PASSAGES_A_PAGE) + 1
    top, middle = 50.0 + 16 * on_page, len(text) // 2
    spans = (LineSpan(0, middle, 50.0, 300.0), LineSpan(middle, len(text), 300.0, 550.0))
    box = (50.0, top, 550.0, top + 12)
    return LineRow(number, on_page, page, section, text, text.lower(), *box, 0, "body", "text", spans)


def title_of(words: list[list[list[str]]], section: int) -> str:
    """The title of a section: three of the words in it that are not the commonest."""
    told = [word for line in words[(section - 1) * PASSAGES_A_SECTION] for word in line if word not in COMMON]
    return " ".join(told[:3]).capitalize() or "Section"


def toc_rows(passages: Sequence[PassageRow], title: Callable[[int], str]) -> Iterator[TocRow]:
    for first in range(0, len(passages), PASSAGES_A_SECTION):
        own = passages[first : first + PASSAGES_A_SECTION]
        section = own[0].toc_index
        span = (own[0].first_line, own[-1].last_line, own[0].first_page, own[-1].last_page)
        named = title(section)
        yield TocRow(section, 1, None, str(section), named, named, *span, "headings", 1.0)
