"""Where a sentence ends, at the end of a line and inside a text, and what a full stop ends that is no sentence.

What counts as an end differs with what a mistake costs: a cut inside an item of a list, or two sentences taken for one.
"""

import re
import tomllib
from pathlib import Path

CLOSING = r"\"')\]”’"  # what may follow the sign that ends a sentence
GUILLEMET = r"[ \u00a0\u202f]?»"  # in French a blank stands before it
MARK = r"[*_`]|</?[A-Za-z]{1,10}[ /]{0,2}>"  # of Markdown and HTML: "**End.**", "</sup><br>"
LINE_ENDS_SENTENCE = re.compile(rf"[.!?](?:[{CLOSING}]|{MARK})*$")
LINE_ENDS_CLAUSE = re.compile(rf"[.!?:;](?:[{CLOSING}\d]|{GUILLEMET}|{MARK})*$")
LINE_ENDS_ITEM = re.compile(rf"[.!?:;。！？](?:[{CLOSING}\d]|{MARK})*$|[;,]\s+(?:and|or)$")
LINE_ENDS_BEFORE_CLAUSE = re.compile(r"""[.;:,!?)\]"”’'](?:\s(?:and|or))?$""")  # a clause may begin behind it
LINE_ENDS_BLOCK = re.compile(rf"[.!?;。！？；][{CLOSING}»]*$")
# What is between two sentences: of a document, of its opening, of an answer with its markers, of a question.
SENTENCE = re.compile(
    rf"[.!?](?:[{CLOSING}]|{GUILLEMET}|{MARK})*\s+"
    rf"(?=(?:[\"'“‘(\[]|«\s?|{MARK}){{0,5}}(?:[^\Wa-z_]|\d+\.\d|\d+[.)]\s)|`)"
    r"|[。！？][」』）\"”’]*\s*(?=\S)"
)
OPENING_SENTENCE = re.compile(r"(?<=[.!?])[\"”’)]{0,2} (?=[“\"(\[]?[^\Wa-z_])")
ANSWER_SENTENCE = re.compile(
    r"(?<=[.!?\u3002])[\"'\u201d\u2019)]*(?:\s*\[\d{1,3}\])*\s+(?=[\"'\u201c\u2018(\[]?[^\Wa-z_])"
)
QUESTION_SENTENCE = re.compile(r"(?<=[.?!:])\s+(?=[A-Z\d\"'(¿¡])")
RECORDED_SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-Z])")  # of the program's own words
# What is between two things that are said: of periods, of counts, and what counts stand behind; items of a list.
PERIOD_CLAUSE = re.compile(r"[.;!?](?=\s)")
COUNT_CLAUSE = re.compile(r"[.;:](?:\s|$)")
COUNT_AHEAD = re.compile(r"[.;:]\s|\n")
ITEM_CLAUSE = re.compile(
    r"[;:]\s+(?:(?:and|or)\s+)?|,\s+(?=\((?:[a-z]|[ivx]{1,5})\)\s)|(?<=\S)\s+(?=\((?:[a-z]|[ivx]{1,5})\)\s)"
)

ABBREVIATIONS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
WORDS, OPENINGS, ENDING, ORDINALS = (
    "|".join(each for listed in ABBREVIATIONS.values() for each in listed.get(kind, "").split())
    for kind in ("words", "openings", "ending", "ordinals")
)
ABBREVIATION = re.compile(rf"(?:\b(?:{WORDS}|[a-z])|\b(?:{ORDINALS})\s\d{{1,2}})\.$", re.IGNORECASE)
OPENING_ABBREVIATION = re.compile(rf"{ABBREVIATION.pattern}|\b(?:{OPENINGS})\.$", re.IGNORECASE)
ENDS_OFTEN = re.compile(rf"\b(?:{ENDING})\.$", re.IGNORECASE)
ABBREVIATION_CHARS = 12  # more than the longest has
FIRM_ABBREVIATED = re.compile(r"(?:Inc|Ltd|Corp|L\.L\.C|L\.?P|S\.A(?:\.S)?|B\.V|N\.V|S\.p\.A)$")  # without its stop
PARTY_ABBREVIATED = re.compile(r"(?:\b[A-Z]|\b(?:Inc|Ltd|Corp|Co|Cie))\.$", re.IGNORECASE)
NOT_ABBREVIATED = r"(?<!\bInc)(?<!\bNo)(?<!\bCo)(?<!\bCorp)(?<!\bLtd)"  # before the stop behind a heading


def split_at(text: str, ends: re.Pattern[str]) -> list[tuple[int, int]]:
    """The text in parts [start, end), cut after each end; an abbreviation ends no sentence."""
    parts: list[tuple[int, int]] = []
    start = 0
    for found in ends.finditer(text):
        if ends is SENTENCE and ABBREVIATION.search(
            text[max(start, found.start() - ABBREVIATION_CHARS) : found.start() + 1]
        ):
            continue
        if found.end() > start:
            parts.append((start, found.end()))
            start = found.end()
    return [*parts, (start, len(text))] if start < len(text) or not parts else parts
