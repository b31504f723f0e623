"""The only place where a file's text is made storable and showable: controls, NUL, lone surrogates, overrides."""

import re
import unicodedata

UNKNOWN = "\ufffd"  # a glyph with ink and without a character: beside a number it may be a minus
RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"  # the letters of scripts written so, in an expression
SPACE_LIKE = dict.fromkeys(map(ord, "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"), " ")
# U+FFFE/U+FFFF and U+FDD0..FDEF are no characters; private use stays: fonts draw real glyphs there
# (what stands beside a number is doubted where a page is read, `layout/private_use.py`).
UNSTORABLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff\ufdd0-\ufdef]")
# Overrides make text display otherwise than it is stored; a visible mark replaces them.
OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Fonts that have no letters with accents: TeX prints an accent and, at the same place, its letter. Not those of code
# and of formulas; before a word a grave is a quotation mark, but for words that are one letter.
ACCENT_FONT = re.compile(r"CM(?![A-Z]*(?:TT|SY|MI|EX))[A-Z]+\d+\b")
ACCENTS = dict(zip("`´ˆ˜¨˚ˇ˝˘¸", "\u0300\u0301\u0302\u0303\u0308\u030a\u030c\u030b\u0306\u0327", strict=True))
PARTED = re.compile(
    rf"(?P<capital>[CST])¸(?![cst])|(?:(?!`)|(?<=\w)|(?=`[AaEe]\b(?![’'`])))(?P<accent>[{''.join(ACCENTS)}])(?P<letter>[^\W\d_])"
)


def join_accents(text: str) -> str:
    """The text of such a font with each accent on its letter: "´e" is "é"."""
    return PARTED.sub(join_accent, text)


def join_accent(found: re.Match[str]) -> str:
    letter = found["capital"] or {"ı": "i", "ȷ": "j"}.get(found["letter"], found["letter"])
    joined = unicodedata.normalize("NFC", letter + ACCENTS[found["accent"] or "¸"])
    return joined if len(joined) == 1 else found[0]


def clean_name(text: str) -> str:
    """A typed name made safe to store and show: NFC, no control or override characters, single spaces."""
    printable = "".join(sign if unicodedata.category(sign)[0] != "C" else " " for sign in text)
    return " ".join(unicodedata.normalize("NFC", printable).split())


def clean_words(text: str) -> str:
    """Typed text without control and override characters; line ends and all visible characters stay."""
    return OVERRIDES.sub("", UNSTORABLE.sub("", text))


def clean_text(text: str) -> tuple[str, int]:
    """The text without what cannot be stored or shown, and how many characters were removed or replaced."""
    if text.isprintable():
        return text, 0
    text = text.translate(SPACE_LIKE)
    text, removed = UNSTORABLE.subn("", text)
    text, marked = OVERRIDES.subn(UNKNOWN, text)
    return text, removed + marked
