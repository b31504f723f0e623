"""Pairs for training a reader: what answers and what does not, and batches that go on where they were stopped."""

import json
import random
from pathlib import Path

from benchmarks.reader_pairs import Pair, Sentences, judged_pairs, own_pairs, spans_of, wordings
from benchmarks.train_reader import BATCH, batches_of


def test_our_own_pairs_answer_by_their_words_and_not_by_what_lies_near() -> None:
    pairs = list(own_pairs(Path(), random.Random(1)))
    answered = {(pair.question, pair.title) for pair in pairs if pair.answers}
    speaking = [pair for pair in pairs if not pair.answers and pair.speaks == 1]
    assert len(answered) > 5000 and any((pair.question, pair.title) not in answered for pair in speaking)
    said = {(pair.question, pair.text) for pair in pairs if pair.answers}
    assert not [pair for pair in pairs if not pair.answers and (pair.question, pair.text) in said]
    assert 0.05 < sum(pair.is_kept for pair in pairs) / len(pairs) < 0.15
    assert pairs == list(own_pairs(Path(), random.Random(1)))


def test_the_nearest_sentence_shares_the_rare_words() -> None:
    said = Sentences(["The rent is due monthly.", "The deposit is due at once.", "The rent and the rent."])
    rng = random.Random(1)
    assert said.nearest("When is the deposit due?", 1, set(), rng) == [1]
    assert said.nearest("When is the deposit due?", 1, {1}, rng) == [0]


def test_a_text_is_cut_at_the_ends_of_its_sentences() -> None:
    text = "The rent is due on the first day. No. 4 applies. It is paid by the tenant alone."
    assert [text[a:b] for a, b in spans_of(text)] == [
        "The rent is due on the first day.",
        "No. 4 applies. It is paid by the tenant alone.",
    ]


def test_each_kind_that_is_kept_apart_has_its_words() -> None:
    assert set(wordings()["held"]) <= set(wordings()["cuad"]) and len(wordings()["cuad"]) == 41


def test_what_an_owner_exported_is_read_by_its_roles(tmp_path: Path) -> None:
    asked = {"question": "When is rent due?", "document": "a", "section_title": "2 Rent"}
    asked |= {"anchor_text": "It is due\nmonthly. So much."}
    rows = [{"role": "primary", "content_anchor": "It is due\nmonthly."}, {"role": "tangential", "content_anchor": ""}]
    exported = tmp_path / "judged-passages.jsonl"
    exported.write_text("".join(json.dumps(asked | row) + "\n" for row in rows), "utf-8")
    first, second = judged_pairs(exported)
    assert first[2:] == ("When is rent due?", "2 Rent", "It is due monthly.", 1, 1)
    assert second[2:] == ("When is rent due?", "2 Rent", "It is due monthly. So much.", 0, 0.3)
    assert first.is_kept == second.is_kept, "both are of one document"


def test_a_stopped_run_goes_on_with_the_same_batches() -> None:
    pairs = [Pair("own", False, f"{at}?", "", "x" * (at % 90), at % 2, 0) for at in range(BATCH * 50 + 7)]
    whole = list(batches_of(pairs, 1, 0, 120))
    assert len(whole) == 120 and whole[:50] != whole[50:100]
    assert list(batches_of(pairs, 1, 70, 120)) == whole[70:]
    assert len({pair.question for batch in whole[:50] for pair in batch}) == BATCH * 50
