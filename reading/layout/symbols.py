"""Signs of symbol fonts as the characters they are: a tick of ZapfDingbats is stored as the digit 3."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pymupdf

from reading.characters import UNKNOWN
from reading.layout.extracted import SpanBlock

SYMBOL_FONT = re.compile(r"(?:[a-z]{6}\+)?(?:itc)?(zapfdingbats|wingdings ?2?|webdings|symbol)(?:mt|std|-?regular)?")
PRIVATE = 0xF000  # where such fonts' codes are put by files that map them to no character
DINGBATS, BY_GLYPH, GREEK = "zapfdingbats", "zapfdingbats_glyphs", "symbol"

Signs = Mapping[int, str]


@cache
def signs_by_font() -> Mapping[str, Signs]:
    """For each symbol font what each character of a text in it is to become; one for one, so that places stay."""
    stored = tomllib.loads(Path(__file__).with_name("symbols.toml").read_text("utf-8"))
    return MappingProxyType({name: signs_table_of(name, runs) for name, runs in stored.items()})


def signs_table_of(name: str, runs: Mapping[str, str]) -> Signs:
    signs = {int(start, 16) + at: sign for start, run in runs.items() for at, sign in enumerate(run)}
    if name == BY_GLYPH:
        return MappingProxyType(signs)
    mapped = {PRIVATE + code: signs.get(code, UNKNOWN) for code in range(0x21, 0x100)}
    if name != GREEK:  # its letters have names, so they come as they are
        mapped |= {code: signs.get(code, UNKNOWN) for code in (*range(0x21, 0x7F), *range(0xA1, 0x100))}
    return MappingProxyType(mapped)


def name_symbols(page: pymupdf.Page, blocks: Sequence[SpanBlock]) -> None:
    """Give the text of every span in a symbol font its own characters, in place.

    Such spans are then `is_named`, but for those of letters that have names, whose other glyphs nobody can tell.
    """
    fonts: dict[str, Signs | None] = {}
    for block in blocks:
        for line in block["lines"]:
            for span in line["spans"]:
                font = span["font"]
                if font not in fonts:
                    fonts[font] = signs_of_font(font, page)
                if signs := fonts[font]:
                    span["text"] = span["text"].translate(signs)
                    span["is_named"] = signs is not signs_by_font()[GREEK]


def signs_of_font(font: str, page: pymupdf.Page) -> Signs | None:
    """The signs of a font by its name in the file; None if it is no symbol font."""
    found = SYMBOL_FONT.fullmatch(font.lower())
    if found is None:
        return None
    name = found[1].replace(" ", "")
    return signs_by_font()[BY_GLYPH if name == DINGBATS and is_by_glyph(page) else name]


def is_by_glyph(page: pymupdf.Page) -> bool:
    """Whether the page's dingbats are of the standard font that is not in the file and declares no encoding."""
    fonts = [font for font in page.get_fonts(full=True) if DINGBATS in font[3].lower()]
    return bool(fonts) and all(font[1] == "n/a" and not font[5] for font in fonts)
