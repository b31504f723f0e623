"""Expressions that people may write: run by RE2, whose time grows with the text and not with the expression (R103).

`re` takes longer than the age of the universe for some expressions of ten signs, and holds the interpreter's lock while
it does. RE2 has no look-around and no back-references; in return no expression is slow, and the lock is free meanwhile.
"""

from functools import lru_cache
from typing import Any, Protocol, cast

import re2
from django.utils.translation import gettext as _

from documents.pages.phrasing import group_thousands

PATTERN_MAX = 500  # characters: the longest that ships has 458
SIZE_MAX = 2_000  # instructions: in the worst case each is looked at for each character of a line
MEMORY_BYTES_MAX = 1_000_000


class PatternRefused(ValueError):
    """An expression that may not be used; the message is for people."""


class LinearPattern(Protocol):
    """What is used of a compiled expression."""

    pattern: str

    def search(self, text: str) -> Any: ...

    def finditer(self, text: str) -> Any: ...


@lru_cache(maxsize=1_000)
def compile_linear(text: str) -> LinearPattern:
    """The compiled expression, in RE2's syntax. Raises PatternRefused if it is none, or needs what RE2 leaves out."""
    options = re2.Options()
    options.max_mem = MEMORY_BYTES_MAX
    options.log_errors = False
    try:
        return cast(LinearPattern, re2.compile(text, options=options))
    except re2.error as error:
        told = error.args[0] if error.args else ""
        said = told.decode(errors="replace") if isinstance(told, bytes) else str(told)
        words = _("The pattern cannot be used: %(error)s. Look-around and back-references are not possible.")
        raise PatternRefused(words % {"error": said}) from error


def check_pattern(text: str) -> str:
    """A pattern as somebody wrote it, if it may be used. Raises PatternRefused with the reason."""
    text = text.strip()
    if not text:
        raise PatternRefused(_("The pattern is empty."))
    if len(text) > PATTERN_MAX:
        told = {"count": str(len(text)), "most": str(PATTERN_MAX)}
        raise PatternRefused(_("The pattern has %(count)s characters; at most %(most)s are possible.") % told)
    compiled = cast(Any, compile_linear(text))
    if compiled.programsize > SIZE_MAX:
        told = {"size": group_thousands(compiled.programsize), "most": group_thousands(SIZE_MAX)}
        words = _("The pattern is too large: it stands for %(size)s steps, and at most %(most)s are possible.")
        cause = _("Mostly a repetition such as {1,500} is the cause.")
        raise PatternRefused(f"{words % told} {cause}")
    if compiled.search("") is not None:
        raise PatternRefused(_("The pattern is found in an empty text, and so in every line."))
    return text
