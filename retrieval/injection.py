"""Document text that addresses a model instead of a reader. It is marked by an index, so it needs no column.

This is a hint for people, not the defence: that is fenced text, checked ids and literal quotes (R51, L3).
"""

import re

# One expression that PostgreSQL and Python both understand: no word boundaries, whose syntax differs.
FORGETTING = (
    r"(ignore|disregard|forget|override|bypass)[ \n]+((all|any|the|of|your|these|those|every)[ \n]+)*"
    r"(previous|prior|above|earlier|preceding|former|system|existing)[ \n]+([a-z]+[ \n]+)?"
    r"(instruction|prompt|rule|guideline|direction|command)"
)
FORGETTING_FR_DE = (
    r"ignore[zr]?[ \n]+(toutes[ \n]+)?(les|vos|ces)[ \n]+(instructions|consignes|règles)"
    r"|oublie[zr]?[ \n]+(toutes[ \n]+)?(les|vos|ces)[ \n]+(instructions|consignes)"
    r"|ignorier[a-z]*[ \n]+(sie[ \n]+)?(alle[ \n]+)?(bisherigen|vorherigen|vorigen|obigen)[ \n]+(anweisung|regel)"
)
BEGINS = r"(^|[\n.!?*>\"(\[][ ]?)"  # a line or a sentence
PATTERN = (
    FORGETTING + r"|you[ \n]+are[ \n]+(now[ \n]+)?(an?[ \n]+)?(ai|language model|chatbot|assistant|dan)([ \n.,;:]|$)"
    r"|(reveal|print|repeat|output|show)[ \n]+(me[ \n]+)?(your([ \n]+system)?|the[ \n]+system)[ \n]+(prompt"
    r"|instructions)|(new|updated)[ \n]+(system[ \n]+)?(instructions|prompt)[ \n]*:"
    r"|(note|message|instruction|attention)s?[ \n]+(to|for)[ \n]+(the[ \n]+)?"
    r"(ai|model|language model|llm|assistant|arbiter|chatbot)([ \n.,;:]|$)"
    r"|(mark|rank|rate|judge|classify|treat)[ \n]+(this|it|every|all)[a-z \n]{0,40}as[ \n]+(primary|relevant)"
    r"|do[ \n]+not[ \n]+(tell|inform|mention[a-z ]*to)[ \n]+the[ \n]+(user|reader|auditor)"
    r"|<[|]?/?[ ]?(im_start|im_end|system|candidates|candidate|question|toc|excerpt|instructions)[ >|]"
    r"|\[/?(inst|system)\]"
    r"|" + BEGINS + r"(system|developer)[ \n]+(prompt|override)[ ]*:"
    r"|" + FORGETTING_FR_DE
)
# Who speaks, as transcripts of a model print it. In capitals alone: "System: Linux" is a row of any specification.
SPEAKERS = BEGINS + r"SYSTEM[ ]*:|###[ ]*(System|Instruction|Human|Assistant)[ ]*:"
FOUND = re.compile(f"(?i:{PATTERN})|{SPEAKERS}")
LIFTING = re.compile(f"{FORGETTING}|{FORGETTING_FR_DE}", re.IGNORECASE)  # words that would lift what was told before


def instructing_words(text: str) -> str:
    """The first words of a text that instruct a model, or ""."""
    found = FOUND.search(text)
    return found.group().lstrip(' \n.!?*>"(').rstrip(" \n") if found else ""
