"""Whether a sentence may be the headline of an answer: its words, what is specific in the question, and its values."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.registry.references import references_in
from reading.rows import name_in_force
from reading.values.years import YEAR_WORD
from retrieval.arbiter.specific import NAME, lines_with_word, unsaid_words
from retrieval.candidates.disagreements import read_statement
from retrieval.candidates.sentences import ASKS
from retrieval.headlines.polarity import leaves_need_open
from retrieval.question.defined import own_date_given
from retrieval.question.kinds import answer_rules
from retrieval.question.linear import compile_linear
from retrieval.question.parse import owners_named
from retrieval.question.phrasing import TITLE_WORDS, asks_for_own_date, phrasing_rules
from retrieval.question.values import ALSO, NAMED_TYPES, UNFORMED, has_form, has_value
from retrieval.types import Question
from retrieval.words.counts import counted_pattern
from retrieval.words.lexicon import lexicon_of
from retrieval.words.periods import (
    counts_from_side,
    is_only_length,
    is_other_side,
    side_asked,
    side_called,
    tells_other_side,
    tells_own_day,
)
from retrieval.words.printed import Value, values_in
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words, stem

SAID_MIN = 0.4  # of the question's weight in the sentence and the name of its section
UNSAID_MAX = 1  # terms of the question
VALUE_SAID_MIN = 0.5  # beside a value: any sentence may have one
NUMBER_WEIGHT = 0.5  # as of a year
IN_UNITS = {"year": (12, "month"), "week": (168, "hour"), "day": (24, "hour")}
RARE_SHARE = 0.8  # of the greatest weight
FEW = 2  # words that a question asks for, so that an answer has both
COMPARED = ("amount", "duration", "percentage")  # of what is asked for without its kind: "the deposit"
WHOLE_SHARE = 0.99  # of the weight: all of it
# Of several words, at the beginning of a sentence, where any one word is capitalised. A word is bounded, or a search
# takes time with the square of a line.
FIRST_NAME = re.compile(r"[A-Z][\w&.’'-]{,40}\w(?: (?:(?:of|and|the|de|von|&) )?[A-Z][\w&.’'-]{,40}\w)+")
CODE = re.compile(  # no "MUST", as RFC 2119 prints it
    r"\b(?:[A-Za-z]\w*[_/\d][\w/.+-]*|(?!(?:MUST|SHALL|SHOULD|MAY|NOT|REQUIRED|RECOMMENDED|OPTIONAL)\b)[A-Z]{2,}\b)"
)
AT, NAMES = "(?:in|at|near)", r"[A-Z]\w++"
PLACED = re.compile(rf"\b(\w++) {AT} ({NAMES})")  # "the branch in Yate"
LABEL = r"(?:\d{1,3}(?:\.\d{1,2})*|[A-Z])\b(?![.,]?\d|['’]|-[^\W\d])"
JOINED = r"(?:, | (?:and|or|to|und|oder|bis|et|ou|à|y|o|a) |[–/-])"
LISTED = re.compile(rf"\A(?:(?: \([^()]{{0,80}}\))?{JOINED}{LABEL}(?= ?[,;.()]|{JOINED}|\Z))*+")  # "8.2 (Cap), 9"
TITLE_CASED = re.compile(rf"{TITLE_WORDS}+[.;]?")
NUMBERED = re.compile(r"^\W*\d+(?:\.\d+)*[.)]?\s")
UNREAD = re.compile(r"(?<![\d/.-])\d{1,2}([/.-])\d{1,2}\1\d{2,4}(?!\d)")  # a date that may be read in two ways
CALENDAR = re.compile(r"\b(?:date|datum|fecha)\b", re.IGNORECASE)  # a duration is none
OPEN_ENDED = re.compile(
    r"\b(?:(?:without|sans|sin)\s+limitation|not\s+limited\s+to|sans\s+s['’]y\s+limiter|ohne\s+einschränkung)\b",
    re.IGNORECASE,
)  # says nothing of a limit


def is_fitting(text: str, section: str, content: DocumentContent, question: Question, *, is_read: bool = False) -> bool:
    """Whether a sentence of a section may be said first: it is about what was asked, with all that is specific in the
    question, of no other year, and has a value of the kind asked for. What introduces a list says nothing without it,
    nor does a question. Of one that `is_read` for an answer any word of the question is enough, and any number.
    """
    is_title = question.answer_type == "boolean" and TITLE_CASED.fullmatch(text) and not text.isupper()
    if text.endswith(":") or is_title or ASKS.search(text) or not is_of_form(text, question):
        return False
    body = without_heading(text, question.language)
    own, said = (normalise_words(OPEN_ENDED.sub(" ", each)) for each in (body, text))
    said += normalise_words(name_in_force(section))
    return (
        (not question.years or set(YEAR_WORD.findall(text)) <= set(question.years))
        and says_enough(own if is_read else said, question, content, is_read=is_read)
        and has_one_thing(own, question)
        and has_codes(f" {' '.join(said)} ", question, content)
        and (is_read or not question.is_count or bool(counts_said(text, question)))
        and (question.answer_type != "date" or has_date_asked(text, question, content))
        and (question.answer_type != "text" or not asks_for_one(question) or names_another(body, question))
        and (question.answer_type not in NAMED_TYPES or gives_somebody(body, question))
        and not unsaid_words(leant_on(question), said, content)
        and not is_half_said(said, question, content)
        and has_parts(said, question, content)
        and not is_of_another(text, question)
        and not binds_other_side(text, question, content)
        and not is_elsewhere(text, question)
        and not (question.answer_type == "boolean" and leaves_need_open(text, question))
        and is_checkable(text, question, content)
    )


def without_heading(text: str, language: str) -> str:
    """A sentence without a heading that stands before it with no stop: "Governing Law This lease …"."""
    return text if text.isupper() else phrasing_rules().in_language("opening", language).sub("", text, count=1)


def says_enough(said: Sequence[str], question: Question, content: DocumentContent, *, is_read: bool) -> bool:
    """Whether words say enough of a question; where the sentence is read as well, something of it."""
    if is_read:
        return share_said(said, weigh_terms(question, lexicon_of(content))) > 0
    return is_about(said, question, content) and len(terms_unsaid(said, question, content)) <= UNSAID_MAX


def terms_unsaid(said: Sequence[str], question: Question, content: DocumentContent) -> list[WeighedTerm]:
    """The terms of a question of which words have no form: one may be said otherwise ("wiped" as "deleted"), of two a
    sentence mostly tells of something else: what holds for flood says nothing of "damage by avalanche at sea".
    """
    terms = weigh_terms(leant_on(question), lexicon_of(content))
    telling = (
        term
        for term in terms
        if term.is_primary and not term.is_learned and not is_generic(term.text, question.language)
    )
    return [term for term in telling if not term.is_in(said)]


def is_about(said: Sequence[str], question: Question, content: DocumentContent) -> bool:
    """Whether words have enough of what was asked; beside a value, or yes or no, also the rarest of it."""
    terms = weigh_terms(question, lexicon_of(content))
    if not is_of_value(question):
        is_rare = question.answer_type != "boolean" or has_rare(said, terms)
        return is_rare and share_said(said, terms) >= SAID_MIN
    # A value says by itself what "date" asks for.
    framing = (is_generic(term.text, question.language) or CALENDAR.search(term.text) for term in terms)
    telling = tuple(term for term, is_framing in zip(terms, framing, strict=True) if not is_framing)
    terms = telling or terms
    return share_said(said, terms) >= VALUE_SAID_MIN and has_rare(said, terms)


def is_of_value(question: Question) -> bool:
    """Whether a value of a form is asked for, and no name."""
    return has_form(question) and question.answer_type not in NAMED_TYPES


def has_rare(said: Sequence[str], terms: Sequence[WeighedTerm]) -> bool:
    """Whether the words of a text have the rarest of what was asked that the document has, or one nearly as rare: a
    value, or yes or no, of something else is none.
    """
    there = [term for term in terms if term.is_primary and len(term.lines)]
    least = RARE_SHARE * max((term.weight for term in there), default=0.0)
    return not there or share_said(said, [term for term in there if term.weight >= least]) > 0


def leant_on(question: Question) -> Question:
    """A part of a question that says "it" with the words of the whole, which say what "it" is."""
    is_leaning = phrasing_rules().in_language("leaning", question.language).search(question.topic) is not None
    return replace(question, topic=question.original) if is_leaning else question


def is_checkable(text: str, question: Question, content: DocumentContent) -> bool:
    """Whether a text can be held against what was asked for: a value, a name, a yes or no, a definition.

    What is asked for by its name alone ("the deposit", "the governing law") is said by a sentence with all of its words
    and a value or a name, a reason by one that gives one. How something is done, or what happens, no sentence can be
    seen to answer by its words.
    """
    if question.answer_type not in UNFORMED or asks_for_one(question):
        return True
    if answer_rules().in_language("reason", question.language).search(question.topic):
        reasoning = phrasing_rules().in_language("reasoning", question.language)
        terms = weigh_terms(question, lexicon_of(content))
        return reasoning.search(text) is not None and has_rare(normalise_words(text), terms)
    said = share_said(normalise_words(text), weigh_terms(question, lexicon_of(content)))
    denial = phrasing_rules()["excepting"]
    is_denied = denial.search(question.topic) is not None and denial.search(text) is None  # "What is not covered?"
    is_whole = said >= WHOLE_SHARE and not is_denied and question.shape == "single"
    is_whole &= question.answer_type != "explanation"
    return is_whole and (bool(values_given(text, question, content.language)) or names_another(text, question))


def asks_for_one(question: Question) -> bool:
    """Whether one thing is asked for by its name: under which licence."""
    return phrasing_rules().in_language("which_one", question.language).search(question.topic) is not None


def names_another(text: str, question: Question) -> bool:
    """Whether a text has a name or a code that the question has not; where it is told ("Annex B") is none."""
    named = without_references(text)
    asked = {stem(word, question.language) for word in normalise_words(question.original)}
    words = normalise_words(" ".join([*NAME.findall(named), *CODE.findall(named)]))
    return any(stem(word, question.language) not in asked for word in words)


def gives_somebody(text: str, question: Question) -> bool:
    """Whether a text has a name, a role or a party of which the question does not say every word: "the auditor's fee"
    does not tell who the auditor is.
    """
    forms = ((question.value_pattern, match_form(text)), (question.printed_pattern, text))
    values = [found[0] for pattern, form in forms if pattern for found in compile_linear(pattern).finditer(form)]
    asked = {stem(word, question.language) for word in normalise_words(question.original)}
    named = [*values, *NAME.findall(without_references(text)), *FIRST_NAME.findall(text)]
    words = [word for each in named for word in normalise_words(each) if not is_stop_word(word, question.language)]
    return any(stem(word, question.language) not in asked for word in words)


def is_of_another(text: str, question: Question) -> bool:
    """Whether a text says whose it is what a question asks for, with no word of the question: "chair of the audit
    committee" is no chair of the board.
    """
    if question.answer_type not in NAMED_TYPES:
        return False
    language = question.language
    words = (word for each in question.keywords for form in (each.text, *each.forms) for word in normalise_words(form))
    topic = [stem(word, language) for word in normalise_words(question.topic)]
    asked = {*topic, *(stem(word, language) for word in words)}
    firms = [
        normalise_words(each.value) for each, _ in read_statement(text, language, ("party",)).values.get("party", ())
    ]
    owners: list[tuple[str, ...]] = []
    starts = [found.start() for found in phrasing_rules()["owner"].finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        owned = {stem(word, language) for word in normalise_words(text[:start])[-1:]}
        if not owned.isdisjoint(topic[:-1]):  # of its last word the question does not say whose it is
            owners += owners_named(text[start:end], language)
    is_any = any(not asked.isdisjoint(stem(word, language) for word in owner) for owner in owners)
    is_firm = any(set(owner) <= set(firm) for owner in owners for firm in firms)  # asked for as "the company"
    return bool(owners) and not is_any and not is_firm


def binds_other_side(text: str, question: Question, content: DocumentContent) -> bool:
    """Whether a text says of one side of a contract what is asked of the other: on what notice the customer may end it,
    where the supplier's is asked for. Of a side that is joined ("the customer, or the supplier on a year's notice") it
    says something too, and for one that the document calls otherwise it may.
    """
    sentence, asked, language = match_form(text), match_form(question.topic), question.language
    obliging, undergoing = (phrasing_rules()[name] for name in ("obliging", "undergoing"))
    found, bound = obliging.search(asked), list(obliging.finditer(sentence))
    if not found or not bound or any(each.lastgroup == found.lastgroup for each in bound):
        return False
    party, rest = found[found.lastgroup or 0], asked[found.end() :]
    joined = re.search(rf"(?:[,;]|\b(?:and|or|but|while))\s(?:the\s)?{party}\b", sentence)
    is_joined = joined is not None or party in normalise_words(sentence[: bound[0].start()])
    if is_joined or undergoing.search(rest) or not len(lines_with_word(party, content)):
        return False
    for each in bound:
        told = normalise_words(sentence[each.end() :])
        does = next((word for word in told if not (is_stop_word(word, language) or is_generic(word, language))), "")
        before = rest.split(each[each.lastgroup or 0])[0]  # "may the supplier ask the customer to pay"
        if stem(does, language) in {stem(word, language) for word in normalise_words(before)}:
            return True
    return False


def is_elsewhere(text: str, question: Question) -> bool:
    """Whether a text tells by its place what a question tells by another: the branch in Yate is not the Thornbury
    branch, though a title or a cover has the name.
    """
    asked = {stem(word, question.language) for word in normalise_words(question.original)}
    for thing, place in PLACED.findall(text):
        if stem(match_form(place), question.language) not in asked:
            placed = rf"\bthe ({NAMES}) {thing}\b|\b{thing} {AT} ({NAMES})\b"
            names = {name for found in re.findall(placed, question.topic) for name in found if name}
            if names and names.isdisjoint(text.split()):
                return True
    return False


@lru_cache(maxsize=512)  # each sentence is compared with every other
def values_given(text: str, question: Question, language: str) -> frozenset[tuple[str, ...]]:
    """The values of the kind asked for in a text, each with its type first, alike however printed.

    The words of names but for those of the question, as one is named in full or not; empty where what was asked for has
    no values that can be compared.
    """
    if question.answer_type in NAMED_TYPES or (question.answer_type == "text" and asks_for_one(question)):
        names = {each.value for each, _ in read_statement(text, language, ("party",)).values.get("party", ())}
        names.update(each[0] for each in [FIRST_NAME.match(text.lstrip("- "))] if each)
        asked = {stem(word, question.language) for word in normalise_words(question.original)}
        words = {word for name in names for word in normalise_words(name)}
        return frozenset(("name", word) for word in words if stem(word, question.language) not in asked)
    values = read_statement(text, language, (question.answer_type,)).values
    kinds = COMPARED if question.answer_type == "text" else (question.answer_type, *ALSO.get(question.answer_type, ()))
    return frozenset(alike(value) for kind in kinds for value, _ in values.get(kind, ()))


def alike(value: Value) -> tuple[str, ...]:
    """A value as it compares: twelve months are a year, and two weeks fourteen days."""
    times, unit = IN_UNITS.get(value.unit, (1, value.unit)) if value.type == "duration" else (1, value.unit)
    number = str((Decimal(value.value) * times).normalize()) if times > 1 else value.value
    return (value.type, number, value.currency, unit)


def is_half_said(said: Sequence[str], question: Question, content: DocumentContent) -> bool:
    """Whether a text has a word of a term that question and document have, and not the term: the project's secretary
    is not the project leader. Only of what has a value, as a yes or no may be said otherwise.
    """
    if not is_of_value(question):
        return False
    stems = {stem(word, question.language) for word in said}
    terms = (phrase for phrase in question.phrases if len(lexicon_of(content).lines_with_any((phrase,))))
    shares = ([stem(word, question.language) in stems for word in phrase.split()] for phrase in terms)
    return any(any(share) and not all(share) for share in shares)


def has_parts(said: Sequence[str], question: Question, content: DocumentContent) -> bool:
    """Whether words have both parts of each word of a question that the document has in parts only: what is kept of
    the backups of a day says nothing of "Jahressicherungen".
    """
    lexicon, language = lexicon_of(content), question.language
    words = (word for word in normalise_words(question.topic) if not is_stop_word(word, language))
    parted = (lexicon.parts_of(word) for word in words)
    forms = (lexicon.inflections(part) for parts in parted if parts and parts.is_known for part in parts.known)
    return all(not set(said).isdisjoint(each) for each in forms)


def has_one_thing(own: Sequence[str], question: Question) -> bool:
    """Whether a sentence itself has every word of a question for one term, or a few words: "objective" is no recovery
    point objective. What happens at a date, and what a part of a question asks for, may be said otherwise.
    """
    words = {word for each in question.keywords if each.is_own for word in normalise_words(each.text)}
    words = {word for word in words if not phrasing_rules().in_language("allowing", question.language).match(word)}
    if has_form(question):  # a value says by itself what "amount" asks for
        words = {word for word in words if not is_generic(word, question.language)} or words
    is_term = len(words) <= FEW or any(words <= set(phrase.split()) for phrase in question.phrases)
    if question.answer_type in ("date", "") or not (is_term or question.answer_type == "definition"):
        return True
    stems = {stem(word, question.language) for word in own}
    forms: dict[str, set[str]] = {}
    for each in question.keywords:
        alike = {stem(form, question.language) for form in (each.text, *each.forms)}
        for name in (each.text, each.group):  # what the dictionary calls it counts as well
            forms.setdefault(name, set()).update(alike)
    return all(not stems.isdisjoint(forms.get(word) or {stem(word, question.language)}) for word in words)


def weight_said(text: str, terms: Sequence[WeighedTerm], question: Question) -> float:
    """The weight of the terms of a question that a text has; a number of the question weighs NUMBER_WEIGHT."""
    words = normalise_words(text)
    numbers = {word for word in normalise_words(question.topic) if word.isdigit()} & set(words)
    found = {term.text: term.weight for term in terms if term.is_in(words)}
    return sum(found.values()) + NUMBER_WEIGHT * len(numbers - set(found))


def share_said(words: Sequence[str], terms: Sequence[WeighedTerm]) -> float:
    """The share of the question's weight that is among the words of a text."""
    total = sum(term.weight for term in terms)
    found = sum(term.weight for term in terms if term.is_in(words))
    return found / total if total else 0.0


def has_date_asked(text: str, question: Question, content: DocumentContent) -> bool:
    """Whether a text has a date that may be meant, or one that is not read ("7/1/98"): no start where the end was asked
    for, nothing after it, and no mere duration; where the day of the agreement itself is asked for, that day.
    """
    asked = question.original
    dates = [value for value in values_in(text, "date") if value.type == "date"]
    if asks_for_own_date(question.topic_form) or phrasing_rules()["asks_when_made"].match(question.topic_form):
        given = own_date_given(content)
        is_given = given is not None and any(date.value == given.value.value for date in dates)
        return is_given or (given is None and tells_own_day(text))
    if not dates:
        is_placed = not is_only_length(text, question.language)
        is_other = counts_from_side(asked, text)
        if len(UNREAD.findall(text)) < 2:  # of two one may be the other side
            is_other = is_other or tells_other_side(asked, text)
        return is_placed and not CALENDAR.search(question.topic) and not is_other
    if tells_other_side(asked, text):  # a date may still be called what is asked for: "until 1 May"
        return any(side_called(text, date) == side_asked(asked) for date in dates)
    return any(not is_other_side(asked, text, date) for date in dates)


def has_codes(said: str, question: Question, content: DocumentContent) -> bool:
    """Whether a text has every code of the question that stands in the document; another code is another thing."""
    codes = (keyword.forms for keyword in question.keywords if keyword.source == "identifier")
    lines = lexicon_of(content)
    return all(any(f" {form} " in said for form in forms) for forms in codes if len(lines.lines_with_any(forms)))


def is_of_form(text: str, question: Question) -> bool:
    """Whether a text has a value of the form asked for; where none was asked for, any text has.

    The number of a section or an exhibit is none, nor the year of which a number is asked.
    """
    if question.answer_type in ("number", "amount"):
        text = without_references(text)
    if question.answer_type == "number":
        text = YEAR_WORD.sub(lambda year: "" if year[0] in question.years else year[0], text)
    return not has_form(question) or has_value(question, match_form(text), text)


def without_references(text: str) -> str:
    """A text without the numbers of sections, tables and the like, and without its own."""
    for _, start, end in reversed(list(references_in(text))):
        text = f"{text[:start]} {LISTED.sub('', text[end:])}"
    return NUMBERED.sub("", text)


def counts_said(text: str, question: Question) -> set[str]:
    """How many there are, by a text, of what was to be counted."""
    counted = counted_pattern(question)
    return {found["count"] for found in counted.finditer(match_form(text))} if counted else set()
