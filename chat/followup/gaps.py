"""What a question leaves out that the one before said ("For how long?", "Who pays them?"): the words for it are data.

Each question that is completed here has one reading; where there is none the result is "".
"""

import re

from reading.wording import read_once

AND = r"(?:and|but|or|et|und|y|e)"
ASKS_ABOUT = (
    r"(?:(?:and\s+)?(?:what|how)\s+about|and\s+what\s+of|(?:et\s+)?qu'en\s+est-il\s+de|(?:und\s+)?was\s+ist\s+mit"
    r"|(?:y\s+)?qu\u00e9\s+(?:pasa|hay)\s+(?:con|de))"
)
QUESTION_WORD = (
    r"(?:what|which|whom?|whose|where|when|why|how|qui|quoi|quel(?:le)?s?|combien|comment|o\u00f9|quand"
    r"|we[rmn]|wessen|was|wie|wo|wann|warum|wo(?:r?(?:an|auf|aus|in|\u00fcber)|f\u00fcr|mit|durch|gegen|nach|von|zu)"
    r"|welche[rsnm]?|qui\u00e9n(?:es)?|qu\u00e9|cu\u00e1l(?:es)?|cu\u00e1ndo|cu\u00e1nt[oa]s?|d\u00f3nde|c\u00f3mo)\b"
)
WORD = r"[\w'\u2019&/-]++"
END = r"\s*[?.!]*$"
FRAMES = {
    "bare": rf"^(?:(?:{AND}|mais|aber|pero)\s+)?(?P<asked>{{bare}}){END}",
    "reason": rf"^(?:(?:{AND}|mais|aber|pero)\s+)?(?P<asked>{{reason}}){END}",
    "verb": r"^(?:{verb})\b(?!-)",
    "inverted": r"^(?:{inverted})[^?]{2,60}?-(?:ils?|elles?)\b",
    "lone": r"^(?:{lone})\s+(?P<rest>(?:{verb})\s.+)$",
    "which": rf"""^(?P<which>{{which}})\s+(?!(?:{{verb}})\b)(?P<noun>(?:{WORD}\s){{0,2}}?{WORD})
        \s+(?:{{verb}}|{{said}})\b""",
    "ahead": rf"^(?P<preposition>{{ahead}})\s+(?P<rest>{QUESTION_WORD}(?P<behind>.*))$",
    "said": r"\b(?:{said})\b",
    "them": rf"^(?P<about>(?:{ASKS_ABOUT}|{AND})\s+)(?:{{them}}){END}",
    "clitic": rf"^(?P<who>{{clitic}})\s(?:(?:l[eoa]s?)\s|l['\u2019])(?P<does>{WORD}){END}",
    "insists": r"^(?:{insists})[\s,:]*(?=\W|$|\s|\b)",
    "tag": r",\s*\u00bf?(?:{tag})\s*[?.!]*$",
    "joined": rf"^(?:{AND}|mais|aber|pero)\s+",
    "speaker": r"^(?:{speaker})\b",
    "clause": r"\b(?:{verb})\b(?!-)",
    "last": rf"^(?P<ahead>(?:{WORD}\s+){{1,6}})(?:{{last}}){END}",
}
# The determiner of a noun that was asked for by "which".
THE = {"which": "the", "what": "the", "quel": "ce", "quelle": "cette", "quels": "ces", "quelles": "ces"}
gaps = read_once(__name__, "gaps", FRAMES)


def asks_in_a_word(text: str) -> re.Match[str] | None:
    """ "For how long?", "Why?": nothing but how something is asked."""
    return gaps()["bare"].match(text) or gaps()["reason"].match(text)


def with_asked(text: str, before: str) -> str:
    """The question before, asked in this way: "For how long?" after "What is the notice period?"."""
    asked = asks_in_a_word(text)
    if asked is None:
        return ""
    if lone := gaps()["lone"].match(before):
        # "Why?" after "What is the rent?" is about what was answered, not about the question.
        rest = lone["rest"] if gaps()["bare"].match(text) else ""
    else:
        rest = before if gaps()["verb"].match(before) or gaps()["inverted"].match(before) else ""
    said = asked["asked"]
    return f"{said[:1].upper()}{said[1:]} {rest[:1].lower()}{rest[1:]}" if rest else ""


def what_insists(text: str) -> str | None:
    """What somebody holds against an answer ("the fee is 30 euros" of "But you said the fee is 30 euros, right?"), ""
    where it is nothing more ("Are you sure?"); None for a text that holds nothing against it.
    """
    rest, frame = gaps()["tag"].sub("", text), gaps()["insists"]
    is_tagged = rest != text
    while found := frame.match(rest):
        if not found.end():
            break
        rest, is_tagged = rest[found.end() :], True
    return gaps()["joined"].sub("", rest.strip(" ,.?!")) if is_tagged else None


def subject_said(text: str) -> str:
    """What stands before the first verb of a clause ("the fee" of "the fee is due"), "" without one."""
    found = gaps()["clause"].search(text)
    return text[: found.start()] if found else ""


def is_speaker(text: str) -> bool:
    """Whether a text begins with a pronoun, which a capital makes no name: "I was told"."""
    return gaps()["speaker"].match(text) is not None


def noun_asked(question: str) -> str:
    """ "the fees" of "Which fees apply?"; "" if no noun was asked for."""
    found = gaps()["which"].match(question)
    if found is None:
        return ""
    which = found["which"].lower()
    return f"{THE.get(which) or which.replace('welch', 'dies')} {found['noun']}"


def with_subject(text: str, subject: str) -> str:
    """The question with the subject for "them", where the pronoun stands as other languages than English place it."""
    if found := gaps()["them"].match(text):
        return f"{found['about']}{subject}?"
    if found := gaps()["clitic"].match(text):
        end = " ?" if text.endswith(" ?") else "?"
        return f"{found['who']} {found['does']} {subject}{end}"
    found = gaps()["last"].match(text)
    return f"{found['ahead']}{subject}?" if found else ""
