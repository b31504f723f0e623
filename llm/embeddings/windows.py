"""Texts longer than their model reads: embedded in pieces whose vectors are averaged, so that no row goes unread."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Size = Callable[[str], int]
VERSION = 1  # raise it with every change of how a text is cut or its pieces are averaged: stored vectors depend on it
HEAD_SHARE = 4  # each piece begins with the first line, the section path, if that takes at most a quarter of it


def embed_whole(texts: Sequence[str], most: int, size: Size, embed: Callable[[list[str]], Vectors]) -> Vectors:
    """One normalised vector for each text, [texts, dimensions]: the mean of its pieces, weighed by their size."""
    pieces = [list(cut_windows(text, most, size)) for text in texts]
    if all(len(of_text) == 1 for of_text in pieces):
        return embed([of_text[0] for of_text in pieces])
    vectors = embed([piece for of_text in pieces for piece in of_text])
    whole = np.empty((len(texts), vectors.shape[1]), dtype=np.float32)
    start = 0
    for row, of_text in enumerate(pieces):
        weights = np.array([max(size(piece), 1) for piece in of_text], dtype=np.float32)
        mean = weights @ vectors[start : start + len(of_text)]
        whole[row] = mean / (np.linalg.norm(mean) or 1)
        start += len(of_text)
    return whole


def cut_windows(text: str, most: int, size: Size) -> Iterator[str]:
    """The text, or pieces of it of at most `most`, cut between lines if possible; each with the first line on top."""
    if size(text) <= most:
        yield text
        return
    head, _, rest = text.partition("\n")
    head = f"{head}\n" if rest and size(head) * HEAD_SHARE <= most else ""
    room = most - size(head) if head else most
    piece = ""
    for part in split_long_lines(rest if head else text, room, size):
        joined = f"{piece}\n{part}" if piece else part
        if piece and size(joined) > room:
            yield head + piece
            joined = part
        piece = joined
    if piece:
        yield head + piece


def split_long_lines(text: str, most: int, size: Size) -> Iterator[str]:
    """The lines of a text; one that is longer than `most` in halves of its words, and those in halves."""
    for line in text.split("\n"):
        waiting = [line]
        while waiting:
            part = waiting.pop()
            words = part.split(" ")
            if size(part) <= most or len(part) < 2:
                yield part
            elif len(words) > 1:
                middle = len(words) // 2
                waiting += [" ".join(words[middle:]), " ".join(words[:middle])]
            else:
                waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
