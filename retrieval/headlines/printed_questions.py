"""Whether a printed question, as in a FAQ, is the one that is asked, and what is asked that another does not ask (R54).

Names of one letter and endings of files count as words: a question about ".Z" is none about ".zip".
"""

import re
from collections.abc import Iterator
from os.path import commonprefix

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.values.sentences import SENTENCE
from reading.values.years import YEAR_WORD
from retrieval.arbiter.specific import is_empty, words_of_whole
from retrieval.candidates.sentences import LABEL, questions_over
from retrieval.detectors.vectors import nearness_of
from retrieval.types import Candidate, Question
from retrieval.words.tokens import stem, word_lists

TOKEN = re.compile(r"\.?(?:\d++-)?[^\W_]++(?:\+\+|#)?")  # "7-Zip" is no ".zip"
NAMES_OF_LETTER = frozenset("BCDEFGHJKLMNOPQRSTUVWXYZ")
SAME_MIN = 0.93  # nearness of two questions that say one thing in other words; measured in docs/benchmarks.md
SHARED_MIN = 0.5  # of what another question asks: with less only a name tells that it asks something else


def asks_the_same(printed: str, question: Question) -> bool:
    """Whether a printed question, or its last sentence, is the one asked, word for word but for "can" and the like."""
    free = word_lists("exchangeable_words").get(question.language, frozenset())
    texts = (printed, SENTENCE.split(printed)[-1], question.topic, question.original)
    stems = [[root for root, word, _ in words_in(each, question.language) if word not in free] for each in texts]
    return any(each in stems[2:] for each in stems[:2])


def asks_other(printed: str, text: str, question: Question) -> bool:
    """Whether a printed question asks much the same of something else, so that neither it nor a text under it has a
    word of the question; any other one does if they lack a name.
    """
    language, texts = question.language, (question.topic, printed, text)
    asked, other, said = (
        {root for root, word, typed in words_in(each, language) if is_name(typed) or not is_empty(word, language)}
        for each in texts
    )
    names = {root for root, _, typed in words_in(question.topic, language) if is_name(typed)}
    is_near = not other <= asked and len(other & asked) >= SHARED_MIN * len(other)
    return not (asked if is_near else names) <= other | said


def other_question(candidate: Candidate, question: Question, content: DocumentContent) -> str:
    """The printed question that a passage answers, or is, where it is about something else; else "".

    It is where neither it nor the passage has a name of the question, or the words that stand in its place in an
    otherwise equal question, unless the two mean the same or the whole document is about them.
    """
    over, last = questions_over(content), candidate.anchor.last
    printed = over.get(last) or over.get(last + 1)
    if printed is None or question.parts:
        return ""
    texts, language = (question.topic, printed.text, candidate.own_text), question.language
    asked, other, said = (list(words_in(each, language)) for each in texts)
    known = {root for root, _, _ in (*other, *said)}
    lacking = {word: typed for root, word, typed in asked if root not in known}
    numbers = {word for word in lacking if word.isdigit() and not YEAR_WORD.fullmatch(word)}  # on a cover they number
    unsaid = lacking.keys() - words_of_whole(lacking.keys() - numbers, content)
    text = LABEL.sub("", printed.text)
    if any(is_name(lacking[word]) for word in unsaid):
        return text
    roots = [[root for root, _, _ in each] for each in (asked, other)]
    shared = sum(len(commonprefix([each[::step] for each in roots])) for step in (1, -1))
    is_framed = shared >= SHARED_MIN * len(other)
    is_other = is_framed and not all(is_empty(word, language) for word in unsaid)
    return text if is_other and nearness_of([text], question.topic)[0] < SAME_MIN else ""


def words_in(text: str, language: str) -> Iterator[tuple[str, str, str]]:
    """Each word: its stem, its match form, and as it is typed; without the number or letter before a question."""
    for typed in TOKEN.findall(LABEL.sub("", text)):
        word = match_form(typed).lstrip(".")
        yield stem(word, language), word, typed


def is_name(typed: str) -> bool:
    """Whether a word is no plain one: ".Z", "C", "PTP", "Y2K"."""
    return not (typed.isalpha() and typed[1:] == typed[1:].lower()) or typed in NAMES_OF_LETTER
