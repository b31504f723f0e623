"""Pairs to train a reader on: a question, a sentence with its title, and whether it answers or only speaks of it.

Ours (`benchmarks/reader`) and texts of others whose licences allow it (`training/DATA.md` of the shared data); none of
them share-alike. What does not answer is what shares most words with the question in the same document.
"""

import gzip
import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from benchmarks.pairs import PAIRS

WORDINGS = Path(__file__).parent / "reader" / "wordings.toml"
SENTENCE_END = re.compile(r"(?<=[.;:!?])\s+(?=[\"“(]?[A-Z0-9(])|\n+")
CHARS_MIN, CHARS_MAX = 25, 520  # of a sentence: shorter ones go with the next
KINDS_A_CONTRACT = 22  # of 41: so that contracts do not outweigh all else
KEPT_EVERY = 12  # the documents of each source that are kept out of training, one of so many
COMMON = re.compile(
    r"(?:an?|the|of|to|in|on|for|and|or|is|are|be|by|with|from|at|as|that|this|its?|which|what|who|when|where|how|does"
    r"|do|may|can|must|shall|will|any|not?|under|if|between|made|there)"
)
ENDING = re.compile(r"(?:ing|ed|es|s|ly|tion|ment)$")

SPEAKS = {"primary": 1.0, "supporting": 1.0, "tangential": 0.3, "discarded": 0.0}  # of what is asked, by a model's role

Span = tuple[int, int]


class Pair(NamedTuple):
    """`speaks` is 1 where the sentence is about what is asked, also without answering it."""

    source: str
    is_kept: bool  # out of training, to judge by
    question: str
    title: str
    text: str
    answers: float
    speaks: float


class Sentences:
    """The sentences of one document, and those nearest to a question by their shared words, the rare ones first."""

    def __init__(self, texts: Sequence[str], titles: Sequence[str] = ()) -> None:
        self.texts = [" ".join(text.split())[:CHARS_MAX] for text in texts]
        self.titles = list(titles) or [""] * len(texts)
        self._words = [
            words_in(f"{text} {title.split(' - ')[-1]}") for text, title in zip(texts, self.titles, strict=True)
        ]
        self._spread = Counter(word for words in self._words for word in words)

    def nearest(self, question: str, count: int, but: set[int], rng: random.Random) -> list[int]:
        asked = words_in(question)
        worth = [
            (sum((1 + self._spread[word]) ** -0.5 for word in asked & words) + rng.random() / 20, at)
            for at, words in enumerate(self._words)
            if at not in but
        ]
        return [at for _, at in sorted(worth, reverse=True)[:count]]


def words_in(text: str) -> set[str]:
    found = re.findall(r"[a-z0-9]+", text.lower())
    return {ENDING.sub("", word) if len(word) > 4 else word for word in found if not COMMON.fullmatch(word)}


def spans_of(text: str) -> list[Span]:
    spans, start = [], 0
    for found in SENTENCE_END.finditer(text):
        if found.start() - start >= CHARS_MIN:
            spans.append((start, found.start()))
            start = found.end()
    return [*spans, (start, len(text))]


def make_pairs(training: Path, seed: int, judged: Path | None = None) -> list[Pair]:
    """All pairs, the same for a seed; `training` is the folder of the texts of others, `judged` what an owner exported.

    Raises OSError without these.
    """
    rng = random.Random(seed)
    sources = (own_pairs, cuad_pairs, contractnli_pairs, tatqa_pairs, covid_pairs)
    pairs = [pair for source in sources for pair in source(training, rng)]
    pairs += judged_pairs(judged) if judged else ()
    rng.shuffle(pairs)
    return pairs


@cache
def wordings() -> dict[str, Any]:
    return tomllib.loads(WORDINGS.read_text("utf-8"))


def rows_in(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def own_pairs(training: Path, rng: random.Random) -> Iterator[Pair]:
    """English passages of invented documents; a near miss speaks of what is asked, and nothing of it answers."""
    documents: dict[str, list[dict[str, Any]]] = {}
    for passage in rows_in(PAIRS):
        if passage["lang"] == "en":
            documents.setdefault(passage["doc"], []).append(passage)
    for number, passages in enumerate(documents.values()):
        owned = [
            (at, passage["text"][a:b]) for at, passage in enumerate(passages) for a, b in spans_of(passage["text"])
        ]
        said = Sentences([text for _, text in owned], [passages[at]["title"] for at, _ in owned])
        for at, passage in enumerate(passages):
            own = {place for place, (owner, _) in enumerate(owned) if owner == at}
            for asked in passage["questions"]:
                yield from pairs_of_own(asked, passage["title"], own, said, number % KEPT_EVERY == 0, rng)


def pairs_of_own(
    asked: dict[str, Any], title: str, own: set[int], said: Sentences, is_kept: bool, rng: random.Random
) -> Iterator[Pair]:
    question, span = asked["q"], " ".join(asked.get("span", "").split())
    if span:
        yield Pair("own", is_kept, question, title, span[:CHARS_MAX], 1, 1)
    hit = {place for place in own if span and (said.texts[place] in span or span in said.texts[place])}
    for place in said.nearest(question, 3, hit, rng):
        speaks = (0.3 if span else 1.0) if place in own else (0.0 if span else 0.3)
        yield Pair("own", is_kept, question, said.titles[place], said.texts[place], 0, speaks)


def cuad_pairs(training: Path, rng: random.Random) -> Iterator[Pair]:
    for number, contract in enumerate(rows_in(training / "cuad.jsonl.gz")):
        spans = spans_of(contract["text"])
        said = Sentences([contract["text"][a:b] for a, b in spans])
        kinds = rng.sample(list(contract["clauses"].items()), KINDS_A_CONTRACT)
        name = contract["clauses"]["Document Name"]["answer"]
        for kind, clause in kinds:
            marked = {at for at, span in enumerate(spans) for other in clause["spans"] if overlap(span, other)}
            if clause["marked"] and not marked:
                continue
            is_kept = kind in wordings()["held"] or number % KEPT_EVERY == 0
            question, title = rng.choice(wordings()["cuad"][kind]), rng.choice((name, ""))
            for at in rng.sample(sorted(marked), min(2, len(marked))):
                yield Pair("cuad", is_kept, question, title, said.texts[at], 1, 1)
            for at in said.nearest(question, 2, marked, rng):
                yield Pair("cuad", is_kept, question, title, said.texts[at], 0, 0)


def contractnli_pairs(training: Path, rng: random.Random) -> Iterator[Pair]:
    _, *agreements = rows_in(training / "contractnli_train_piece.jsonl.gz")
    for number, agreement in enumerate(agreements):
        said = Sentences([agreement["text"][a:b] for a, b in agreement["spans"]])
        for kind, found in agreement["annotation_sets"][0]["annotations"].items():
            for question in wordings()["contractnli"][kind]:
                for answers, places in (
                    (1, found["spans"][:3]),
                    (0, said.nearest(question, 3, set(found["spans"]), rng)),
                ):
                    for at in places:
                        is_kept = number % KEPT_EVERY == 0
                        yield Pair("contractnli", is_kept, question, "", said.texts[at], answers, answers)


def tatqa_pairs(training: Path, rng: random.Random) -> Iterator[Pair]:
    """Rows of tables under their headings, and sentences around them: answers that are printed, none calculated."""
    for name in ("tatqa_dev", "tatqa_test_gold"):
        for number, page in enumerate(rows_in(training / f"{name}.jsonl.gz")):
            table = page["table"]["table"]
            heading = " | ".join(cell for row in table[:2] for cell in row if cell)[:120]
            rows = [" | ".join(filter(None, row)) for row in table[1:] if len(list(filter(None, row))) > 1]
            prose = [each["text"][a:b] for each in page["paragraphs"] for a, b in spans_of(each["text"])]
            said = Sentences([*rows, *prose], [heading] * len(rows) + [""] * len(prose))
            for asked in page["questions"]:
                if asked["answer_type"] in ("span", "multi-span"):
                    values = asked["answer"] if isinstance(asked["answer"], list) else [asked["answer"]]
                    hit = {at for at, text in enumerate(said.texts) if any(str(value) in text for value in values)}
                    yield from best_and_others("tatqa", number, asked["question"], hit, said, rng)


def covid_pairs(training: Path, rng: random.Random) -> Iterator[Pair]:
    for number, article in enumerate(rows_in(training / "covidqa.jsonl.gz")):
        for paragraph in article["paragraphs"]:
            spans = spans_of(paragraph["context"])
            said = Sentences([paragraph["context"][a:b] for a, b in spans])
            for asked in paragraph["qas"]:
                answers = [
                    (each["answer_start"], each["answer_start"] + len(each["text"])) for each in asked["answers"]
                ]
                hit = {at for at, span in enumerate(spans) if any(overlap(span, answer) for answer in answers)}
                yield from best_and_others("covidqa", number, asked["question"], hit, said, rng)


def judged_pairs(exported: Path) -> Iterator[Pair]:
    """What a model judged in an installation: its quotes of what answers, and the passages that it did not choose."""
    for row in map(json.loads, exported.read_text("utf-8").splitlines()):
        is_kept = crc32(row["document"].encode()) % KEPT_EVERY == 0
        text = " ".join((row["content_anchor"] or row["anchor_text"]).split())[:CHARS_MAX]
        answers = float(row["role"] == "primary")
        yield Pair("judged", is_kept, row["question"], row["section_title"], text, answers, SPEAKS[row["role"]])


def best_and_others(
    source: str, number: int, question: str, hit: set[int], said: Sentences, rng: random.Random
) -> Iterator[Pair]:
    """Of several sentences with the answer the one nearest to the question, and two without."""
    others = set(range(len(said.texts))) - hit
    for answers, places in ((1, said.nearest(question, 1, others, rng)), (0, said.nearest(question, 2, hit, rng))):
        for at in places if hit else ():
            yield Pair(source, number % KEPT_EVERY == 0, question, said.titles[at], said.texts[at], answers, answers)


def overlap(one: Sequence[int], other: Sequence[int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
