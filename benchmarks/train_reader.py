"""Train a reader: the bundled encoder's weights, reading a question and a sentence together, two scores for each pair.

The first says how much the sentence answers, the second how much it speaks of what is asked. It needs an environment
with `requirements-train.txt`. A run is repeatable for a seed but for the threads, and goes on where it was stopped. CI
never trains.
"""

import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.metrics import area_under_curve
from benchmarks.reader_pairs import Pair, make_pairs

BATCH = 32
BATCHES_SORTED = 40  # so many batches are put in order of length together, which saves padding
TOKENS_MAX = 160
RATE, HEAD_RATE = 8e-5, 4e-4  # of learning: the head begins at random
WARM_UP = 200  # steps
ANSWERS_WEIGH = 3.0  # one pair in five answers
OWN_TIMES = 2  # our own pairs are seen twice an epoch: what they bring was measured, see docs/benchmarks.md
EVERY = 500  # steps between two looks at the kept pairs
KEPT_MAX = 1500  # of a source

Encoded = tuple[list[int], list[int]]


def run(training: Path, folder: Path, layers: int, epochs: float, seed: int, judged: Path | None) -> dict[str, Any]:
    """Train into `folder` (`cross_encoder.onnx`, which the product reads, its weights as they were trained, and
    `state.pt` to go on from); the curve of the area on kept pairs.
    """
    import torch
    from tokenizers import Tokenizer

    from benchmarks.reader_graph import write_graph
    from llm.embeddings.cross_encoder import WEIGHTS
    from llm.embeddings.encoder import verified_weights

    weights = verified_weights()
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    pairs = make_pairs(training, seed, judged)
    learned = [pair for pair in pairs if not pair.is_kept]
    learned += [pair for pair in learned if pair.source == "own"] * (OWN_TIMES - 1)
    torch.manual_seed(seed)
    model = make_model(weights, layers)
    groups = [{"params": model.bert.parameters(), "peak": RATE}, {"params": model.head.parameters(), "peak": HEAD_RATE}]
    optimiser = torch.optim.AdamW(groups, lr=RATE, weight_decay=0.01)
    folder.mkdir(parents=True, exist_ok=True)
    state, step, curve = folder / "state.pt", 0, list[dict[str, Any]]()
    if state.is_file():
        kept = torch.load(state)
        model.load_state_dict(kept["model"])
        optimiser.load_state_dict(kept["optimiser"])
        step, curve = kept["step"], kept["curve"]
    steps, began = math.ceil(epochs * len(learned) / BATCH), time.monotonic()
    for chosen in batches_of(learned, seed, step, steps):
        learn(model, optimiser, [encode(tokenizer, pair) for pair in chosen], chosen, step / steps, step)
        step += 1
        if step % EVERY == 0 or step == steps:
            curve.append({"step": step, "of": steps, "hours": hours_since(began)} | areas(model, tokenizer, pairs))
            print(curve[-1], flush=True)
            torch.save(
                {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "curve": curve}, state
            )
    torch.save(model.state_dict(), folder / "reader.pt")
    config = json.loads((weights / "config.json").read_text()) | {"num_hidden_layers": layers}
    write_graph({name: array.numpy() for name, array in model.state_dict().items()}, config, folder / WEIGHTS.name)
    return {"pairs": len(learned), "layers": layers, "seed": seed, "curve": curve}


def make_model(weights: Path, layers: int) -> Any:
    import torch
    from transformers import BertModel

    class Reader(torch.nn.Module):  # type: ignore[misc]  # torch is not installed where this is checked
        def __init__(self) -> None:
            super().__init__()
            self.bert = BertModel.from_pretrained(weights, add_pooling_layer=False)
            self.bert.encoder.layer = self.bert.encoder.layer[:layers]
            width = self.bert.config.hidden_size
            self.head = torch.nn.Sequential(
                torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Dropout(0.1), torch.nn.Linear(width, 2)
            )

        def forward(self, ids: Any, mask: Any, segments: Any) -> Any:
            read = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=segments)
            return self.head(read.last_hidden_state[:, 0])

    return Reader()


def encode(tokenizer: Any, pair: Pair) -> Encoded:
    """The token ids and segments of question and sentence, the title before it."""
    read = tokenizer.encode(pair.question, f"{pair.title}: {pair.text}" if pair.title else pair.text)
    return read.ids, read.type_ids


def padded(encoded: Sequence[Encoded]) -> tuple[Any, Any, Any]:
    import torch

    longest = max(len(ids) for ids, _ in encoded)
    ids, mask, segments = (torch.zeros(len(encoded), longest, dtype=torch.long) for _ in range(3))
    for row, (own, own_segments) in enumerate(encoded):
        ids[row, : len(own)], segments[row, : len(own)] = torch.tensor(own), torch.tensor(own_segments)
        mask[row, : len(own)] = 1
    return ids, mask, segments


def batches_of(pairs: Sequence[Pair], seed: int, first: int, steps: int) -> Iterator[list[Pair]]:
    """The batches from step `first` on: each epoch in an order of its own, pairs of like length together."""
    each = len(pairs) // BATCH
    for epoch in range(first // each, math.ceil(steps / each)):
        rng = random.Random(f"{seed} {epoch}")
        order = rng.sample(range(len(pairs)), len(pairs))
        batches: list[list[Pair]] = []
        for start in range(0, each * BATCH, BATCH * BATCHES_SORTED):
            near = sorted(
                order[start : min(start + BATCH * BATCHES_SORTED, each * BATCH)], key=lambda at: len(pairs[at].text)
            )
            cut = [[pairs[at] for at in near[at : at + BATCH]] for at in range(0, len(near), BATCH)]
            batches += rng.sample(cut, len(cut))
        done = epoch * each
        yield from batches[max(0, first - done) : steps - done]


def learn(
    model: Any, optimiser: Any, encoded: Sequence[Encoded], pairs: Sequence[Pair], share: float, step: int
) -> None:
    """One step; the rate rises while it warms up and falls to nothing at the end."""
    import torch

    wanted = torch.tensor([[pair.answers, pair.speaks] for pair in pairs])
    weigh = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor([ANSWERS_WEIGH, 1.0]))
    for group in optimiser.param_groups:
        group["lr"] = group["peak"] * min(1, step / WARM_UP) * max(0.02, 1 - share)
    model.train()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = model(*padded(encoded))
    optimiser.zero_grad()
    weigh(scores.float(), wanted).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()


def areas(model: Any, tokenizer: Any, pairs: Sequence[Pair]) -> dict[str, float | None]:
    """The area under the curve of the first score on the kept pairs of each source."""
    import torch

    found: dict[str, float | None] = {}
    model.eval()
    for source in sorted({pair.source for pair in pairs}):
        kept = [pair for pair in pairs if pair.is_kept and pair.source == source][:KEPT_MAX]
        scored: dict[bool, list[float]] = {True: [], False: []}
        for start in range(0, len(kept), BATCH):
            part = kept[start : start + BATCH]
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                scores = model(*padded([encode(tokenizer, pair) for pair in part]))[:, 0].float().tolist()
            for pair, score in zip(part, scores, strict=True):
                scored[bool(pair.answers)].append(score)
        found[source] = area_under_curve(scored[True], scored[False])
    return found


def hours_since(began: float) -> float:
    return round((time.monotonic() - began) / 3600, 2)
