"""How much one request to the arbiter may hold, by the window of the model that reads it (R111).

A window below 16,000 tokens holds at most twelve places, a shorter contents and a simpler form. In any other the first
look for one answer shows ten places at length and the others in a sentence.
"""

from llm.prompts import Guidance, fits_window
from llm.window import Window
from retrieval.search import WHOLE, Room

FIXED_CHARS = 6_000  # of a small request: instructions, schema and question
WHOLE_FIXED_CHARS = 9_000  # the same of the usual request
CHARS_MIN = 2_000  # a window too small for it is told by the server
AT_LENGTH = 10  # of the usual first look: what answers is rarely farther down, see docs/benchmarks.md
PLACES_MAX = 12  # of a small request: as many verdicts as such a model writes without losing its thread


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
