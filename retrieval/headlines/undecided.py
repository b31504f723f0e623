"""Whether a sentence leaves open what a question asks, though it has its words (R54).

That a fee is to be paid does not tell whether it has been, that a body has a chair does not tell who that is, and a
sentence without a value says nothing of "within 72 hours". When a notice counts as received does not tell how long the
notice is, nor a case without an answer "within six days" by when one comes. The words are data (`undecided.*.toml`).
"""

import re

from reading.matching import match_form
from reading.values.units import unit_names
from reading.wording import read_once
from retrieval.candidates.disagreements import read_statement
from retrieval.headlines.fitting import is_of_form
from retrieval.headlines.polarity import asks_yes_or_no, polar_words
from retrieval.question.bands import quantities_in
from retrieval.question.phrasing import phrasing_rules
from retrieval.question.values import has_form
from retrieval.told.clauses import Clause
from retrieval.types import Question
from retrieval.words.printed import values_in
from retrieval.words.tokens import normalise_words, stem, telling_stems

VALUES = ("duration", "amount", "percentage", "date", "number")
TIMES = ("duration", "date")
OFFICE_WORDS_MAX = 4
BEFORE_MAX = 160  # characters before the name of an office that say who holds it
BEGINS = r"^\W*+"
WHETHER = rf"{BEGINS}(?:(?:{{whether}})\b|(?:{{perfect}})\s[^?]{{0,150}}?\b(?:{{participle}})\b)"
TOLD = r"\b(?:(?:{past})|(?:{having})\s(?:{participle}))\b"
OF_WHAT = rf"{BEGINS}(?:{{office}})\s*(?P<office>[^?]{{2,80}}?)\s(?:{{of_what}})\b"
SAID_OF = r"(?:\s(?:{of_what})(?:\s[\w’'-]{1,30}){1,6}?)"
FRAMES = {
    "participle": rf"{WHETHER} | {TOLD}",
    "whether": WHETHER,  # whether something has happened
    "perfect": WHETHER,
    "happened": rf"{BEGINS}(?:{{happened}})\b",  # when it did, or by whom
    "past": TOLD,
    "having": TOLD,
    "simple_past": r"\b(?:{simple_past})\b",
    "pending": r"\b(?:{pending})\b",
    "present": r"\b(?:{pending}|{present})\b",
    "supposed": r"\b(?:{supposed})\s[^,;.]{0,200}",
    "unfulfilled": r"\b(?:{unfulfilled})\b",
    "ahead": r"\b(?:{ahead})\b",
    "office": rf"{BEGINS}(?:{{office}})",
    "of_what": OF_WHAT,
    "office_asked": rf"{OF_WHAT} | {BEGINS}(?:{{office}})\s*(?P<last>[^?]{{2,80}})",
    "being": r"\b(?:{being})\b",
    "before_office": r"""(?:\b(?:{being})\b|[,:(–—“"])\s?
        (?:(?:[\w’'-]{1,30}\s){0,2}|(?:\w{2,3}\s)?(?:[\w’'-]{4,30}\s){0,3})\Z""",  # "is the chief executive officer"
    "after_office": rf"""\A[”")]?(?:(?:{SAID_OF}?,)?\s(?-i:(?P<name>[A-ZÀ-ÖØ-Þ]\w{{0,40}}))
        |{SAID_OF}??(?:\s(?:{{being}})\b|\s?[:(–—]))""",
    "received": r"\b(?:{received})",
    "receipt": r"\b(?:{receipt})\b",
}
undecided_words = read_once(__name__, "undecided", FRAMES)


def left_open(text: str, question: Question) -> str:
    """Why a text leaves open what is asked, or ""."""
    ways = (is_yet_to_be, lacks_holder, tells_only_receipt, lacks_any_value, supposes_contrary)
    is_open = any(is_left_open(text, question) for is_left_open in ways)
    return clause_left_open() if is_open else ""


def clause_left_open() -> Clause:
    return Clause("the sentence that comes nearest leaves open what is asked", "left open")


def without_supposed(text: str, question: Question) -> str:
    return undecided_words().in_language("supposed", question.language).sub(" ", text)


def supposes_contrary(text: str, question: Question) -> bool:
    """Whether the value asked for stands only in a case in which what is asked does not happen ("if no answer comes
    within six days"), unless that is asked about, or something must happen so long before ("if not told a day before").
    """
    words, language = undecided_words().of_language(question.language), question.language
    denying = (polar_words().in_language("denying", language), words["unfulfilled"])
    supposed = (found[0] for found in words["supposed"].finditer(text) if not words["ahead"].search(found[0]))
    cases = [case for case in supposed if any(each.search(case) for each in denying)] if has_form(question) else []
    if not cases or any(each.search(question.topic) for each in denying):
        return False
    rest = words["supposed"].sub(lambda found: " " if found[0] in cases else found[0], text)
    asked, told, left = (telling_stems(each, language) for each in (question.topic, " ".join(cases), rest))
    return len(asked & told) > len(asked & left) and is_of_form(text, question) and not is_of_form(rest, question)


def is_yet_to_be(text: str, question: Question) -> bool:
    """Whether a text tells what is, or is to be, where it is asked what has happened; a case that is supposed ("if it
    was paid") tells nothing of that.
    """
    words = undecided_words().of_language(question.language)
    rest = without_supposed(text, question)
    if words["past"].search(rest):
        return False
    if words["whether"].search(question.topic):
        found = words["present"].search(rest)
        return words["simple_past"].search(rest[: found.start()] if found else rest) is None
    return words["happened"].search(question.topic) is not None and words["pending"].search(rest) is not None


def lacks_holder(text: str, question: Question) -> bool:
    """Whether it is asked who the chair of something is, and a text says of nobody that he or she is; what the question
    names itself is nobody.
    """
    words = undecided_words().of_language(question.language)
    found = words["office_asked"].search(question.topic)
    if question.answer_type != "person" or found is None:
        return False
    office = normalise_words(found["office"] or found["last"])
    if not 0 < len(office) <= OFFICE_WORDS_MAX or words["participle"].fullmatch(office[-1]):
        return False
    asked, of_question = stem(office[-1], question.language), set(normalise_words(question.topic))
    for word in re.finditer(r"[^\W\d_]{2,40}", text):
        if asked in {stem(each, question.language) for each in normalise_words(word[0])}:
            before, after = text[max(0, word.start() - BEFORE_MAX) : word.start()], text[word.end() :]
            held = words["after_office"].search(after)
            is_held = held is not None and match_form(held["name"] or "") not in of_question
            if words["before_office"].search(before) or is_held:
                return False
    return True


def tells_only_receipt(text: str, question: Question) -> bool:
    """Whether the period or date in a text is only that at which something sent counts as received, where a period or a
    date of something else is asked for.
    """
    if question.answer_type not in TIMES:
        return False
    words = undecided_words().of_language(question.language)
    found = words["received"].search(text)
    if found is None or words["receipt"].search(question.topic):
        return False
    before = text[: found.start()]
    return not any(True for kind in TIMES for _ in values_in(before, kind, question.language))


def lacks_any_value(text: str, question: Question) -> bool:
    """Whether it is asked if something is so by a quantity ("within 72 hours"), and a text has no value at all."""
    units = set(unit_names().values())
    asked = [each for each in quantities_in(question.topic, question.language) if each.unit in units]
    if not asked or not asks_yes_or_no(question):
        return False
    is_denied = phrasing_rules().in_language("denial", question.language).search(without_supposed(text, question))
    return not is_denied and not read_statement(text, question.language, VALUES).values
