"""Text as a reader is shown it, without signs a PDF has only for its looks. What is kept and cited stays literal."""

import re

from reading.matching import goes_on_without_space

SIGNS = {
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    "\u037e": ";",  # the Greek question mark looks like one
    "\u00b4": "'",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
    "\u2010": "-",
    "\u2011": "-",
}
SIGN = re.compile(f"[{''.join(SIGNS)}]")
WIDE_BLANK = r"[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
BLANK = re.compile(rf"(?<!\d){WIDE_BLANK}+|{WIDE_BLANK}+(?!\d)| {{2,}}")  # between digits it parts thousands
BULLETS = "•▪▫◦‣●■➢➤❖·\uf0a7\uf0b7\uf0d8\uf0fc"  # none that may tell whether something is chosen
BULLET = re.compile(rf"^[^\S\n]*[{BULLETS}][^\S\n]*", re.MULTILINE)


def plain_text(text: str) -> str:
    """The same words with plain blanks, hyphens, semicolons and letters; a bullet is "- "."""
    if text.isascii() and "  " not in text and "\t" not in text:
        return text
    text = SIGN.sub(lambda found: SIGNS[found[0]], text)  # a fifth of the time of str.translate
    return BLANK.sub(" ", BULLET.sub("- ", text))


def one_line(text: str) -> str:
    """The text in one line with plain signs; no blank after a word that goes on in the next line."""
    joined = ""
    for line in plain_text(text).splitlines():
        part = " ".join(line.split())
        joined += part if goes_on_without_space(joined, part) else f" {part}"
    return joined.strip()
