"""The yes or no of a written answer (R77): said by its first sentence, which cites a quote and passed the claim check.

Without a model there is none: a quote with the words of a question does not tell whether it grants or denies it.
"""

from collections.abc import Sequence

from chat.checks import AnswerCheck
from chat.writing.claims import SUPPORTED
from reading.wording import read_once

BOOLEAN = "boolean"
FRAMES = {section: rf"^\W*(?:{{{section}}})\s?[,;:.\u2013\u2014]\s" for section in ("yes", "no")}
WORDS_MIN = 4  # a bare "Yes." says nothing that could have been checked
yes_no_words = read_once(__name__, "yes_no", FRAMES)


def yes_or_no(answer_type: str, checks: Sequence[AnswerCheck]) -> str:
    """ "yes" or "no", as the first sentence of an answer says; "" where none was asked for, or it was not upheld."""
    shown = [check for check in checks if not check.get("left_out")]
    if answer_type != BOOLEAN or not shown:
        return ""
    first = shown[0]
    is_upheld = first.get("verdict") == SUPPORTED and first["markers"] and not first["problems"]
    if not is_upheld or len(first["sentence"].split()) < WORDS_MIN:
        return ""
    return next((side for side in ("yes", "no") if yes_no_words()[side].search(first["sentence"])), "")
