"""Document text in a prompt is data: it can neither open nor close a block of the prompt."""

import unicodedata
from functools import lru_cache

LOOK_ALIKES = {"<": "‹", ">": "›"}
FENCE = str.maketrans(LOOK_ALIKES)
UNFENCE = str.maketrans({shown: meant for meant, shown in LOOK_ALIKES.items()})
SIGNS_KEPT = 10_000


def fence_text(text: str) -> str:
    """Text that cannot leave its block: angle brackets become look-alikes, invisible characters are removed."""
    is_plain = text.replace("\n", " ").isprintable()
    return (text if is_plain else "".join(filter(is_shown, text))).translate(FENCE)


def unfence(text: str) -> str:
    """A model's words with the look-alikes it copied turned back: "‹5 %" is "<5 %" again."""
    return text.translate(UNFENCE)


@lru_cache(maxsize=SIGNS_KEPT)
def is_shown(character: str) -> bool:
    """Whether it is neither control nor format character: a reader cannot see hidden text (tags, direction marks)."""
    return character in "\n\t" or unicodedata.category(character)[0] != "C"
