"""Rewrite questions that depend on the one before, by rules: "and in 2014?", "what about X?", pronouns.

With exactly one reading the question is rewritten; with two, or none, it stays as typed and the reader is told.
"""

import re
from typing import Literal, NamedTuple

from chat.followup.gaps import (
    AND,
    ASKS_ABOUT,
    QUESTION_WORD,
    asks_in_a_word,
    gaps,
    is_speaker,
    noun_asked,
    subject_said,
    what_insists,
    with_asked,
    with_subject,
)
from reading.values.years import YEAR_DIGITS
from retrieval.words.counts import counting_words, read_count
from retrieval.words.tokens import is_generic, is_stop_word, language_of, normalise_words, stem

Outcome = Literal["alone", "rewritten", "unclear"]

YEAR = r"(?:(?:FY|fiscal(?:\s+year)?|Q[1-4]|H[12])\s?)?" + YEAR_DIGITS
YEARS = re.compile(rf"(?<![\w/.-]){YEAR}(?![\w/-])", re.IGNORECASE)
PREPOSITION = (
    r"(?:in|for|of|on|at|by|from|with|to|under|after|before|during|en|pour|de|au|dans|f\u00fcr|im|bei|von"
    r"|para|por|con|del)"
)
# "and in 2014?", "what about fiscal 2014?", "2014?"
YEAR_ONLY = re.compile(
    rf"^(?:{ASKS_ABOUT}\s+|{AND}\s+)?(?:(?P<preposition>{PREPOSITION})\s+)?(?:the\s+year\s+)?(?P<year>{YEAR})\s*\?*$",
    re.IGNORECASE,
)
# "what about the tenant?", "and for the doors?"
OTHER = re.compile(rf"^(?:{ASKS_ABOUT}|{AND})\s+(?P<what>[^?]+?)\s*\?*$", re.IGNORECASE)
# "and if the tenant dies?"
CONDITION = re.compile(r"\b(?:if|unless|wenn|falls|sofern|si)\b", re.IGNORECASE)
ASKING = re.compile(
    rf"""^(?:{QUESTION_WORD}|(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would
    |should|may|must|list|name|give|show|explain|describe|compare|tell|que|pourquoi|est-ce|ist|sind|hat|kann)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
BARE = re.compile(
    r"^(?:and\s+|but\s+)?(?:since\s+)?(?:why|when|where|who|how|how\s+(?:much|many|long|so))\s*\?*$", re.IGNORECASE
)
OTHER_WORDS_MAX = 8  # a longer "and ..." is a full question

DETERMINER = r"(?:the|its|their|his|her|our|le|la|les|l'|der|die|das|den|dem|el|los|las)"
# Where a noun phrase ends: at a preposition, a verb of the question, or punctuation.
PHRASE_END = r"""(?=\s+(?:of|for|in|on|at|by|to|from|with|under|after|before|during|and|or|is|are|was|were|be|been
    |does|do|did|has|have|had|can|may|must|shall|will|a|an|the|that|which|who|when|if|due|paid|mean|means|apply|applies|cover
    |covers|say|says|pay|pays|state|states|include|includes|change|changed|last|lasts|end|ends|begin|begins|start|starts
    |de|du|des|au|en|est|sont|f\u00fcr|von|im|ist|sind|es|del|para|por|con)\b|\s+\w{2,}ed\s*(?:[?.!]|$)|\s*[?.,;:!]|\s*$)"""
PHRASE_WORD = rf"(?!{DETERMINER}\b)[\w'\u2019&/-]++"
PHRASE = re.compile(
    rf"\b(?P<determiner>{DETERMINER})\s+(?P<noun>(?:{PHRASE_WORD}\s++){{0,4}}?{PHRASE_WORD}){PHRASE_END}",
    re.IGNORECASE | re.VERBOSE,
)
OF_PHRASE = re.compile(
    rf"\s+of\s+(?:{DETERMINER}\s+)?(?:[\w'\u2019&/-]+\s+){{0,3}}?[\w'\u2019&/-]+?{PHRASE_END}",
    re.IGNORECASE | re.VERBOSE,
)
NAME = re.compile(r"(?<=[\w,;:)] )(?:[A-Z][\w&.'\u2019-]*\w|[A-Z])(?: (?:(?:of|and|&|de) )?[A-Z][\w&.'\u2019-]*)*")
PREPOSED = re.compile(rf"^(?P<preposition>{PREPOSITION})\s+(?P<rest>.+)$", re.IGNORECASE)
# A clause whose verb no list has: "jusqu'\u00e0 quand court le bail", "d'apr\u00e8s quel indice varie-t-il".
SUBJECT_BEHIND = re.compile(
    rf"""\s(?:(?!(?:{PREPOSITION}|{AND})\s)[\w'\u2019]+(?:\s+(?:{DETERMINER}\s|l['\u2019])|-(?:t-)?(?:ils?|elles?|on|vous)\b)
    |(?:se|sich)\s)""",
    re.IGNORECASE | re.VERBOSE,
)
WORDS = r"[\w'\u2019&/-]+(?:\s+[\w'\u2019&/-]+){0,4}?"

SUBJECT_PRONOUN = re.compile(r"\b(?:it|they|them|this|these|those|he|she|him)\b", re.IGNORECASE)
POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
# "is it possible", "how long does it take": "it" has no referent. "this lease", "these terms": the noun is there.
EMPTY_IT = re.compile(
    r"""\bit\s+(?:possible|necessary|true|likely|allowed|permitted|required|clear|safe|legal|ok|okay|takes?|is\s+\w+\s+that
    |mean\s+(?:to|that)\b|rains?)\b|\b(?:does|did|will)\s+it\s+take\b|\bwho\s+is\s+it\b""",
    re.IGNORECASE | re.VERBOSE,
)
POINTING = re.compile(
    r"\b(?:this|these|those)\b(?=\s+(?!(?:mean|include|apply|cover|is|are|was|were|do|does|change|work)\b)[a-z])",
    re.IGNORECASE,
)
PERSON = re.compile(r"\b(?:he|she|him|his|her)\b", re.IGNORECASE)
PERSON_ASKED = re.compile(r"^(?:who|qui|wer)\s+(?:is|was|are|were)\b", re.IGNORECASE)


class FollowUp(NamedTuple):
    """The rules' reading of a follow-up; `question` is what to ask."""

    outcome: Outcome
    question: str


def read_follow_up(typed: str, last: str) -> FollowUp:
    """The question in full, given the question before it (as rewritten)."""
    text, before = (" ".join(each.split()).lstrip("\u00bf\u00a1") for each in (typed, last))
    if found := YEAR_ONLY.match(text):
        return follow_up_of(typed, in_year(before, found["year"], found["preposition"] or "in"))
    if asks_in_a_word(text):
        return follow_up_of(typed, with_asked(text, before))
    if BARE.match(text):
        return FollowUp("unclear", typed)
    claimed, language = what_insists(text), language_of(normalise_words(before), default="en")
    asked = claim_words(before, language)
    if claimed is not None and not (asks_alone(claimed) and claim_words(claimed, language) - asked):
        return follow_up_of(typed, asked_anew(claimed, before))
    if with_subject(text, "…"):
        subject = subject_of(before)
        return follow_up_of(typed, with_subject(text, subject) if subject else "")
    if (
        (other := OTHER.match(text))
        and len(other["what"].split()) <= OTHER_WORDS_MAX
        and not asks_alone(other["what"])
        and not is_speaker(other["what"])
    ):
        what = other["what"]
        if CONDITION.match(what):
            return follow_up_of(typed, on_condition(before, what))
        anew = asked_anew(what, before) if subject_said(what) else replace_subject(before, what)
        return follow_up_of(typed, "" if anew == before and not claim_words(what, language) & asked else anew)
    if leans_on_pronoun(text):
        return follow_up_of(typed, without_pronoun(text, before))
    return FollowUp("alone", typed)


def follow_up_of(typed: str, rewritten: str) -> FollowUp:
    return FollowUp("rewritten", rewritten) if rewritten else FollowUp("unclear", typed)


def asks_alone(what: str) -> bool:
    """Whether a text asks by itself; with a preposition ahead ("to whom"), only where a clause stands behind."""
    ahead = gaps()["ahead"].match(what)
    if ahead is None:
        return ASKING.match(what) is not None
    return bool(gaps()["clause"].search(ahead["behind"]) or SUBJECT_BEHIND.search(ahead["behind"]))


def end_with_question_mark(question: str) -> str:
    return question.rstrip(" ?.!") + "?"


# ---- another year


def in_year(before: str, year: str, preposition: str) -> str:
    """The previous question for another year; "" if it mentions several."""
    years = list(YEARS.finditer(before))
    if len(years) > 1:
        return ""
    if years:
        return before[: years[0].start()] + year + before[years[0].end() :]
    return f"{before.rstrip(' ?.!')} {preposition.lower()} {year}?"


# ---- what is held against an answer


def asked_anew(claimed: str, before: str) -> str:
    """What to search where somebody insists: the claim, if it is of something else than the question before it."""
    language = language_of(normalise_words(before), default="en")
    is_of_before = claim_words(claimed, language) <= claim_words(before, language)
    is_subject = bool(claim_words(subject_said(claimed), language))
    if is_of_before or not is_subject or is_speaker(claimed):
        return before
    return end_with_question_mark(claimed[:1].upper() + claimed[1:])


def claim_words(text: str, language: str) -> set[str]:
    return {stem(word, language) for word in normalise_words(text) if is_claim_word(word, language)}


def is_claim_word(word: str, language: str) -> bool:
    """Whether a word says what a claim is about: no number, no unit, none that only frames it."""
    is_number = word.isdigit() or bool(read_count(word)) or word in counting_words().measures
    return not (is_number or is_stop_word(word, language) or is_generic(word, language))


# ---- another thing


def replace_subject(before: str, what: str) -> str:
    """The previous question about another subject; "" if it is unclear what to replace."""
    if preposed := PREPOSED.match(what) or gaps()["ahead"].match(what):
        return with_preposition(before, preposed["preposition"], preposed["rest"])
    names = find_names(before)
    if what[:1].isupper() and names:
        return swap_match(before, names[0], what) if len(names) == 1 else ""
    if what[:1].isupper() and not names:
        return f"{before.rstrip(' ?.!')} for {what}?" if len(what.split()) <= 4 else ""
    phrases = own_phrases(before)
    if len(phrases) != 1:
        return ""
    old = phrases[0]
    has_determiner = re.match(rf"{DETERMINER}\b|an?\b", what, re.IGNORECASE)
    return end_with_question_mark(swap_match(before, old, what if has_determiner else f"{old['determiner']} {what}"))


def on_condition(before: str, what: str) -> str:
    """The previous question in another case; "" if it names a case already."""
    return "" if CONDITION.search(before) else end_with_question_mark(f"{before.rstrip(' ?.!')} {what}")


def with_preposition(before: str, preposition: str, what: str) -> str:
    """ "And for the doors?" replaces "for the roof"; a question without a "for" gets it appended."""
    pattern = rf"\b{preposition}\s+(?:{DETERMINER}\s+)?{WORDS}{PHRASE_END}"
    found = list(re.finditer(pattern, before, re.IGNORECASE | re.VERBOSE))
    if len(found) > 1:
        return ""
    if found:
        return end_with_question_mark(swap_match(before, found[0], f"{preposition.lower()} {what}"))
    return f"{before.rstrip(' ?.!')} {preposition.lower()} {what}?"


def own_phrases(question: str) -> list[re.Match[str]]:
    """The noun phrases a question is about; those after "of", "for", "in" only qualify another one."""
    found = list(PHRASE.finditer(question))
    return [
        each for each in found if not re.search(rf"\b{PREPOSITION}\s*$", question[: each.start()], re.IGNORECASE)
    ] or found


def swap_match(text: str, old: re.Match[str], new: str) -> str:
    return text[: old.start()] + new + text[old.end() :]


# ---- pronouns


def leans_on_pronoun(text: str) -> bool:
    """Whether the question contains a pronoun that nothing before it in the question can explain."""
    plain = POINTING.sub("\u2026", EMPTY_IT.sub("\u2026", text))
    found = min(
        filter(None, (SUBJECT_PRONOUN.search(plain), POSSESSIVE.search(plain))), key=re.Match.start, default=None
    )
    if found is None:
        return False
    ahead = plain[: found.start()]
    return not (PHRASE.search(f"{ahead.rstrip()}?") or find_names(ahead) or re.search(r"\ban?\s+\w", ahead))


def without_pronoun(text: str, before: str) -> str:
    """Replace the pronouns by the subject of the previous question; "" if that is uncertain."""
    subject = subject_of(before)
    if not subject or (PERSON.search(text) and not is_person(before, subject)):
        return ""
    owner = f"{subject}'" if subject.endswith("s") else f"{subject}'s"
    masked, kept = mask(text)
    replaced = POSSESSIVE.sub(owner, masked, count=1)
    if replaced == masked:
        replaced = SUBJECT_PRONOUN.sub(subject, masked, count=1)
    for number, words in enumerate(kept):
        replaced = replaced.replace(f"\u2026{number}\u2026", words)
    return replaced[:1].upper() + replaced[1:]


def mask(text: str) -> tuple[str, list[str]]:
    """The text with its pronouns without referent masked, and the masked words."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\u2026{len(kept) - 1}\u2026"

    return POINTING.sub(keep, EMPTY_IT.sub(keep, text)), kept


def subject_of(question: str) -> str:
    """The topic of a question: its only noun phrase with its "of" part, else its only name; "" if there are several."""
    phrases = own_phrases(question)
    if len(phrases) == 1:
        of = OF_PHRASE.match(question, phrases[0].end())
        return question[phrases[0].start() : of.end() if of else phrases[0].end()].strip()
    if not phrases and (noun := noun_asked(question)):
        return noun
    names = {found[0] for found in find_names(question)}
    return names.pop() if not phrases and len(names) == 1 else ""


def find_names(question: str) -> list[re.Match[str]]:
    """The names in a question; a pronoun with a capital is none: "I", "I'm", "Sie"."""
    return [each for each in NAME.finditer(question) if not is_pronoun(each[0])]


def is_pronoun(name: str) -> bool:
    """ "IT" and "I Robot Ltd" are names."""
    return is_speaker(name) and " " not in name and (len(name) == 1 or not name.isupper())


def is_person(before: str, subject: str) -> bool:
    return bool(PERSON_ASKED.match(before)) or not re.match(rf"{DETERMINER}\b", subject, re.IGNORECASE)
