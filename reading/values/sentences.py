"""Where a sentence ends, at the end of a line and inside a text, and what a full stop ends that is no sentence.

What counts as an end differs with what a mistake costs: a cut inside an item of a list, or two sentences taken for one.
"""

import re

CLOSING = r"\"')\]”’"  # what may follow the sign that ends a sentence
GUILLEMET = r"[ \u00a0\u202f]?»"  # in French a blank stands before it
MARK = r"[*_`]|</?[A-Za-z]{1,10}[ /]{0,2}>"  # of Markdown and HTML: "**End.**", "</sup><br>"
LINE_ENDS_SENTENCE = re.compile(rf"[.!?](?:[{CLOSING}]|{MARK})*$")
LINE_ENDS_CLAUSE = re.compile(rf"[.!?:;](?:[{CLOSING}\d]|{GUILLEMET}|{MARK})*$")
LINE_ENDS_ITEM = re.compile(rf"[.!?:;。！？](?:[{CLOSING}\d]|{MARK})*$|[;,]\s+(?:and|or)$")
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

ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|v|no|nos|fig|figs|eq|sec|secs|art|inc|ltd|co|corp|mr|mrs|ms|dr|st|approx|[a-z]"
    r"|abs|bzw|ca|einschl|evtl|ggf|inkl|mio|mrd|nr|sog|tel|vgl|ziff|zzgl"
    r"|env|mme|aprox|apdo|avda|núm|pág|sra?|dra)|\b[A-Z]"
    # "am 30. Juni", "das 18. Lebensjahr": a number of order, where a full stop marks one
    r"|\b(?:am|ab|beim|bis|das|dem|den|der|des|die|im|vom|zum|zur)\s\d{1,2})\.$",
    re.IGNORECASE,
)
ENDS_OFTEN = re.compile(r"\b(?:secs|st)\.$", re.IGNORECASE)  # "in 30 secs.", "to Elm St."
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
