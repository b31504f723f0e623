"""Does the claim check stop wrong sentences and let right ones pass? On sentences seeded for gold passages.

`questions/claims.jsonl` has two right sentences for a passage, and some that are wrong in one way each. Who wrote them
saw only the passage and the question. The check runs as in an answer; a model's replies are kept files.
"""

import json
import random
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.library import Library
from benchmarks.requests import digest_of, kept_replies
from benchmarks.shown import loose
from chat.writing.claims import Checked, check_claims
from chat.writing.excerpts import Excerpt
from documents.storage.content import DocumentContent
from retrieval.candidates.plain import plain_text

SEEDS = Path(__file__).parent / "questions" / "claims.jsonl"
RIGHT = "right"
REACH = {"text": (8, 14), "row": (40, 8)}  # lines above and below the gold line: a clause, the head of a statement
EXCERPT_CHARS = 2_600
FOUND_CHARS, SHORT_CHARS = 40, 12  # of a quote, enough to find its line; and too few to be a part of one
QUOTE_LINES = 30
PRINTED = ("passages", "sentences", "without_reply", "wrong_stopped", "right_stopped", "by_kind")


def run(data: Path, replies: Path | None, out: Path | None, seeds: Path = SEEDS) -> dict[str, Any]:
    """The share of wrong sentences stopped, by kind and half, and of right ones; unanswered requests go to `out`."""
    library = Library(data)
    told: dict[str, Counter[tuple[str, bool]]] = {"made on": Counter(), "held out": Counter()}
    passages = 0
    with kept_replies(replies) as server:
        for seed in map(json.loads, seeds.read_text("utf-8").splitlines()):
            passages += 1
            sentences = sentences_of(seed)
            asked = len(server.bodies)
            checked = check(seed, [text for _, text in sentences], library.content(seed["document"]))
            if checked.failure:
                write_request(seed["id"], server.bodies[asked:], out)
                continue
            refused = checked.refused()
            half = told[half_of(seed["id"])]
            half.update((kind, number in refused) for number, (kind, _) in enumerate(sentences, 1))
    return {
        "passages": passages,
        "sentences": sum(sum(half.values()) for half in told.values()),
        "without_reply": len(set(server.missing)),
        "wrong_stopped": {name: share(half, wrong_kinds(half)) for name, half in told.items()},
        "right_stopped": {name: share(half, [RIGHT]) for name, half in told.items()},
        "by_kind": {
            kind: {name: share(half, [kind]) for name, half in told.items()}
            for kind in sorted({kind for half in told.values() for kind in wrong_kinds(half)})
        },
    }


def check(seed: dict[str, Any], sentences: list[str], content: DocumentContent) -> Checked:
    excerpt = Excerpt(1, content.title, "", "1", excerpt_of(seed, content), seed["quote"])
    return check_claims([{"sentence": text, "markers": [1]} for text in sentences], [excerpt])


def sentences_of(seed: dict[str, Any]) -> list[tuple[str, str]]:
    """The sentences with their kinds, in an order that tells nothing and is the same every time."""
    kinds = [(RIGHT, text) for text in seed["right"]] + [(each["kind"], each["sentence"]) for each in seed["wrong"]]
    random.Random(seed["id"]).shuffle(kinds)
    return kinds


def excerpt_of(seed: dict[str, Any], content: DocumentContent) -> str:
    """The text around the gold line: of a row with the head of its statement. Raises ValueError if it is not there."""
    above, below = REACH[seed["form"]]
    number = line_of(seed["quote"], seed["page"], content)
    page = content.lines_on_page(content.lines[number - 1].page_number)
    text = content.text_between(max(page[0].number, number - above), number + below, searched_only=True)
    return plain_text(text)[:EXCERPT_CHARS]


def line_of(quote: str, page: int, content: DocumentContent) -> int:
    wanted = loose(quote)
    for line in content.lines_on_page(page):
        text = loose(line.text)
        if len(text) > SHORT_CHARS and (text[:FOUND_CHARS] in wanted or wanted[:FOUND_CHARS] in text):
            following = loose(content.text_between(line.number, line.number + QUOTE_LINES, searched_only=True))
            if wanted[:FOUND_CHARS] in following:
                return line.number
    raise ValueError(f"Page {page} of {content.title} has no line that begins with {quote[:FOUND_CHARS]!r}.")


def half_of(name: str) -> str:
    """The rules may be made on one half of the passages; all of one question are in the same half."""
    return "held out" if sha256(name.rpartition("-")[0].encode()).digest()[-1] & 1 else "made on"


def wrong_kinds(half: Counter[tuple[str, bool]]) -> list[str]:
    return sorted({kind for kind, _ in half} - {RIGHT})


def share(half: Counter[tuple[str, bool]], kinds: list[str]) -> float | None:
    """How many sentences of these kinds were stopped."""
    stopped = sum(half[kind, True] for kind in kinds)
    count = stopped + sum(half[kind, False] for kind in kinds)
    return round(stopped / count, 4) if count else None


def write_request(name: str, bodies: Sequence[dict[str, Any]], out: Path | None) -> None:
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    for body in bodies:
        digest = digest_of(body)
        kept = {"digest": digest, "passage": name, "request": body}
        (out / f"{digest}.json").write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
