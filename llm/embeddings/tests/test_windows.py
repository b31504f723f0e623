"""Texts longer than a model reads: nothing of them is lost, each piece fits, and one vector stands for all."""

import numpy as np
import pytest

from llm.embeddings.windows import Vectors, cut_windows, embed_whole


def words(text: str) -> int:
    return len(text.split())


ROWS = "Report > Balance sheet\n" + "\n".join(f"row {n} {n},000" for n in range(30))


@pytest.mark.parametrize(
    "text",
    [ROWS, "one two three " * 40, "line\n" * 90, "", "\n\n", "a" * 300, "head\n" + "w " * 100, "x y\nz"],
)
@pytest.mark.parametrize("most", [12, 25, 1000])
def test_every_word_is_in_a_piece_and_every_piece_fits(text: str, most: int) -> None:
    pieces = list(cut_windows(text, most, words))
    assert all(words(piece) <= most for piece in pieces) and pieces
    assert set(" ".join(pieces).split()) == set(text.split())
    if words(text) <= most:
        assert pieces == [text]


def test_each_piece_of_a_table_begins_with_its_section() -> None:
    pieces = list(cut_windows(ROWS, 20, words))
    assert len(pieces) > 3 and all(piece.startswith("Report > Balance sheet\nrow ") for piece in pieces)


def test_a_word_longer_than_the_model_reads_is_divided() -> None:
    pieces = list(cut_windows("a" * 100, 30, len))
    assert "".join(pieces) == "a" * 100 or all(len(piece) <= 30 for piece in pieces)
    assert sum(len(piece.replace("\n", "")) for piece in pieces) == 100


def test_the_vector_of_a_long_text_is_the_mean_of_its_pieces_by_their_size() -> None:
    asked: list[str] = []

    def embed(pieces: list[str]) -> Vectors:
        asked.extend(pieces)
        vectors = np.array([[1.0, 0.0] if "left" in piece else [0.0, 1.0] for piece in pieces], dtype=np.float32)
        return vectors

    vectors = embed_whole(["left", "left left left\nright"], 3, words, embed)
    assert asked == ["left", "left left left", "right"]
    assert vectors.shape == (2, 2) and vectors.dtype == np.float32
    assert np.allclose(vectors[0], [1, 0]) and np.allclose(vectors[1], np.array([3, 1]) / np.sqrt(10))
