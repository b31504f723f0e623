"""How much one request to the arbiter may hold, by the window of the model that reads it (R111).

A window below 16,000 tokens holds at most twelve places, a shorter contents and a simpler form. In any other the first
look for one answer shows ten places at length and the others in a sentence.
"""

from typing import NamedTuple

from llm.prompts import Guidance, fits_window
from llm.tiers import Tier
from llm.window import Window

FIXED_CHARS = 6_000  # of a small request: instructions, schema and question
WHOLE_FIXED_CHARS = 9_000  # the same of the usual request
CHARS_MIN = 2_000  # a window too small for it is told by the server
AT_LENGTH = 10  # of the usual first look: what answers is rarely farther down, see docs/benchmarks.md
PLACES_MAX = 12  # of a small request: as many verdicts as such a model writes without losing its thread


class Room(NamedTuple):
    """Characters of contents and candidates together, of the contents alone, and the number of candidates.

    Of these, so many of the best are shown at length and the others in one sentence each.
    """

    chars: int = 56_000  # with all else 16,000 tokens, even of rows of figures
    toc_chars: int = 20_000  # about 5,000 tokens
    places: int = 1_000  # no limit: the pool has its own
    at_length: int = 1_000
    is_small: bool = False


class ModelUse(NamedTuple):
    """Which model judges and why, what a request to it may hold, and what the base adds to its prompt."""

    tier: Tier = "normal"
    room: Room = Room()
    guidance: Guidance | None = None
    why: str = ""  # it has this tier
    is_named: bool = False  # the base names the tier, so nothing else changes it
    opened: tuple[str, ...] = ()  # ids of sections whose contents are shown whole, see `brief.toc_block`


WHOLE, USUAL = Room(), ModelUse()


def room_in(window: Window) -> Room:
    """The room of a request in a window; the whole one where the window is wide or unknown."""
    if window.is_small:
        chars = max(window.room_for(WHOLE.chars, FIXED_CHARS), CHARS_MIN)
        return Room(chars, chars // 5, PLACES_MAX, is_small=True)
    chars = window.room_for(WHOLE.chars, WHOLE_FIXED_CHARS)
    return WHOLE._replace(chars=chars, toc_chars=WHOLE.toc_chars * chars // WHOLE.chars)


def room_minus_guidance(guidance: Guidance | None, room: Room) -> Room:
    """The room that the guidance of a base leaves."""
    if guidance is None or not fits_window(guidance, is_small=room.is_small):
        return room
    return room._replace(chars=max(room.chars - len(guidance.text), CHARS_MIN))
