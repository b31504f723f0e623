"""The one sentence that an answer without a writer says first: the best whole one of the passages that were kept.

None is better than a doubtful one. It has the kind of value asked for and all that is specific in the question, is no
lead-in without its list, says it in 40 words, which are bold (`bold`), and no other sentence with as much gives another
value.
Where the best one is about another thing than the one asked for, that is told as a reason for doubt (R54).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.layout.ticks import has_box
from reading.matching import LINE_HYPHENS, match_form
from reading.rows import FRONT_INDEX, name_in_force
from reading.values.nothing import says_nothing
from reading.values.sentences import SENTENCE, split_at
from retrieval.arbiter.numbers_told import is_led_to, is_of_sentences, text_above
from retrieval.candidates.plain import plain_text
from retrieval.candidates.sentences import ASKS, PrintedQuestion, questions_over
from retrieval.candidates.shown import LEFT_OUT, is_gap
from retrieval.candidates.units import Piece, Prose, lead_in_of, prose_of, units_of
from retrieval.detectors.vectors import nearness_of
from retrieval.headlines.bold import find_bold, is_short_enough
from retrieval.headlines.fitting import (
    counts_said,
    is_fitting,
    is_of_form,
    share_said,
    values_given,
    weight_said,
    without_references,
)
from retrieval.headlines.mismatches import (
    clause_of,
    other_kind,
    words_lacking,
    words_of_another,
)
from retrieval.headlines.polarity import asks_yes_or_no, denial_unsaid, denies_thing, opposed_word
from retrieval.headlines.printed_questions import asks_other, asks_the_same
from retrieval.headlines.undecided import left_open, supposes_contrary
from retrieval.question.bands import of_other_quantity
from retrieval.question.kinds import SHIPPED
from retrieval.question.linear import compile_linear
from retrieval.question.phrasing import phrasing_rules
from retrieval.question.values import has_form
from retrieval.types import Candidate, ChosenSentence, LineRange, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.options import is_doubtful
from retrieval.words.printed import values_in
from retrieval.words.terms import weigh_terms
from retrieval.words.tokens import normalise_words

PLACES_MAX = 8  # of the kept passages, the best
UNITS_AROUND = 12  # of the text before and after a place, within its context
SENTENCES_MAX, READ_AT_ONCE = 48, 4  # that are compared in meaning
CHARS_MIN, CHARS_MAX = 15, 700  # a shorter one is a heading or a number, a longer one several sentences run together
TITLE_WORDS_MAX = 5
SAID_KINDS = ("body", "list_item")
WORDS_FULL = 25  # from this length on a sentence gains nothing by being longer

# Fitted on half of the questions of three shared sets and judged on the other (benchmarks answers), each way; these are
# the means. A sum of them is the logarithm of odds among the sentences of one answer.
MEANING, WORDS, WORDS_OR_SECTION = 6.3, 1.6, 2.7
RANK, VALUE, LENGTH = -0.42, 1.5, 1.3
INTRODUCES, EXEMPLIFIES, DOUBLE = -1.7, -2.6, -1.0
SURE = 0.33  # the least share of all odds: of those from 0.25 to it, 10 of 16 were wrong on agreements that no set has
NEAR = 0.3  # the least nearness in meaning: the right ones of half the sets begin at 0.34, wrong ones at 0.06
BOLD_SAID_MIN = 0.6  # of what a long sentence says of the question, in what is bold of it

# Languages that have such words and are read here; a noun may follow: "these obligations".
REFERRING = re.compile(
    r"(?:this|these|those|it|they|such|he|she|c'est|ce|cette|ces|cela|il|elle|ils|elles|dies\w*|es|sie|er|esto|est[ae]s?)\b",
    re.IGNORECASE,
)
ENDS, CLOSING = frozenset(".!?;:"), "\"')]”’*"
GOES_ON = tuple(f"{sign} {word}" for sign in ";," for word in ("and", "or", "et", "ou", "und", "oder"))  # of an item
RULE = re.compile(r"[-_=]{4,}+")  # that underlines a word, or is to be filled in
LAST_WORD, FIRST_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++\Z"), re.compile(r"[^\W\d_]++")
SYNOPSIS = re.compile(r"\W*(?:usage|synopsis|utilisation|aufruf|verwendung|uso)\s*:", re.IGNORECASE)
EXAMPLE = re.compile(
    r"\W*(?:for example|example|e\.g\.|such as|par exemple|exemple|zum beispiel|z\. ?b\.)\b", re.IGNORECASE
)


class KeptPlace(NamedTuple):
    """A passage that was kept: its candidate, where it matched, and how far it is read."""

    candidate_id: str
    content: DocumentContent
    anchor: LineRange
    context: LineRange


@dataclass(frozen=True)
class Spoken:
    """A sentence of a kept passage, and the passage's rank, from 0."""

    rank: int
    candidate_id: str
    content: DocumentContent
    pieces: tuple[Piece, ...]
    text: str
    is_double: bool = False  # with the sentence before, which it refers to
    reads: float | None = None  # how far it reads as an answer, where that is why it may be said first
    bold: tuple[int, int] | None = None  # the characters of a long one that are bold, see `with_bold`

    @property
    def lines(self) -> LineRange:
        return LineRange(self.pieces[0].number, self.pieces[-1].number)

    @property
    def section(self) -> str:
        """The title of the section it stands in itself, which may be another than that of its place."""
        entry = self.content.toc_by_index.get(self.content.lines[self.lines.last - 1].toc_index)
        return entry.title if entry and entry.index != FRONT_INDEX else ""

    @property
    def asked(self) -> PrintedQuestion | None:
        """The printed question that it stands under, as in a FAQ."""
        return questions_over(self.content).get(self.pieces[0].number)

    @property
    def begins_answer(self) -> bool:
        """Whether it is the first sentence under a printed question."""
        return self.asked is not None and self.pieces[0][:2] == (self.asked.answer, 0) and not self.is_double

    @property
    def bold_alone(self) -> "Spoken":
        """It with no more text than is bold, which is what it is compared by."""
        return replace(self, text=self.text[slice(*self.bold)], bold=None) if self.bold else self

    def as_chosen(self) -> ChosenSentence:
        return ChosenSentence(self.candidate_id, self.text, self.pieces, self.bold)

    @property
    def literal(self) -> str:
        """The text of its lines; what stands between an item and its lead-in is left out, and marked so."""
        said: list[str] = []
        for above, piece in pairwise((self.pieces[0], *self.pieces)):
            said += [LEFT_OUT] if is_gap(above, piece, self.content) else []
            said.append(self.content.lines[piece.number - 1].text[piece.start : piece.end])
        return "\n".join(said)

    @property
    def said_itself(self) -> tuple[Piece, ...]:
        """Its pieces but for a lead-in that stands apart."""
        gaps = (at for at, (above, piece) in enumerate(pairwise(self.pieces), 1) if is_gap(above, piece, self.content))
        return self.pieces[max(gaps, default=0) :]


class FoundHeadlines(NamedTuple):
    """What is said first, and why the best sentence is not where it is about another thing, or ""."""

    spoken: tuple[Spoken, ...] = ()
    doubt: str = ""


def find_headlines(question: Question, kept: Sequence[KeptPlace]) -> FoundHeadlines:
    """The best sentence, of a question in parts that of each part; none where no one is clearly better than others.

    Only in the language of the question: across languages neither words nor meaning are compared well enough.
    """
    found: list[Spoken] = []
    doubts: list[str] = []
    for asked in each_part_of(question):
        spoken = spoken_in(kept, asked)
        if answer := first_answer(asked, spoken):
            found.append(answer)
            continue
        able = agreeing_with(asked, spoken)
        best = best_sentence(asked, able) or (best_sentence(asked, spoken) if len(able) < len(spoken) else None)
        if best is None or is_doubtful(best.lines, asked, best.content):
            continue
        if mismatch_of(best, asked):
            doubts += [] if is_told_elsewhere(spoken, asked) else [doubt_in_mismatch(best, asked)]
        elif (shown := with_bold(best, asked)) and not is_contested(shown.bold_alone, able, asked):
            found.append(shown)
    return FoundHeadlines(tuple(distinct(found)), next(filter(None, doubts), ""))


def spoken_in(kept: Sequence[KeptPlace], question: Question) -> list[Spoken]:
    """The sentences of the best places, in the language of the question; where one of the places stands under the
    printed question that is the one asked only those under it, none where that is printed twice. None of another
    quantity than the one asked for.
    """
    places, languages = kept[:PLACES_MAX], (question.language, "und")
    spoken = [each for each in distinct(sentences_of_places(places)) if each.content.language in languages]
    others = of_other_quantity((each.text for each in spoken), question)
    spoken = [each for each in spoken if each.text not in others]
    under = {(each.content.document_id, each.asked) for each in spoken}
    under |= {(each.content.document_id, questions_over(each.content).get(each.anchor.last)) for each in places}
    own = [(document, printed) for document, printed in under if printed and asks_the_same(printed.text, question)]
    if not own:
        return spoken
    return [each for each in spoken if [(each.content.document_id, each.asked)] == own]


def first_answer(question: Question, spoken: Sequence[Spoken]) -> Spoken | None:
    """The first sentence under the printed question that is the one asked; None where it says nothing by itself."""
    own = (each for each in spoken if each.begins_answer and each.asked and asks_the_same(each.asked.text, question))
    first = next(own, None)
    if not first or first.text.endswith(":") or is_doubtful(first.lines, question, first.content):
        return None
    return with_bold(first, question) if is_of_form(first.text, question) else None


def agreeing_with(question: Question, spoken: Sequence[Spoken]) -> Sequence[Spoken]:
    """The sentences that do not say the opposite of what is asked; where yes or no is asked, all."""
    return spoken if asks_yes_or_no(question) else [each for each in spoken if not says_opposite(each, question)]


def is_running_text(candidate: Candidate) -> bool:
    """Whether only the words of running text led to a place: no table, form, statement or page that was named."""
    return is_of_sentences(candidate) and not is_led_to(candidate) and not has_box(candidate.anchor_text)


def is_told_elsewhere(spoken: Sequence[Spoken], question: Question) -> bool:
    """Whether a sentence that is not clearly the best may be said first and is about what was asked."""
    return any(is_fitting_sentence(each, question) and not mismatch_of(each, question) for each in spoken)


def each_part_of(question: Question) -> list[Question]:
    """The parts of a question as questions of their own, each of its own type; else the question itself."""
    if not question.parts:
        return [question]
    types = dict(zip(question.parts, question.part_types, strict=False))  # sides of a comparison have none
    return [part_of(question, part, types.get(part, "")) for part in question.parts]


def part_of(question: Question, part: str, answer_type: str) -> Question:
    said = f" {' '.join(normalise_words(part))} "
    value_pattern, printed_pattern = SHIPPED.patterns_of(answer_type, part)
    return replace(
        question,
        topic=part,
        parts=(),
        answer_type=answer_type,
        value_pattern=value_pattern,
        printed_pattern=printed_pattern,
        phrases=tuple(phrase for phrase in question.phrases if f" {phrase} " in said),
        keywords=tuple(
            word for word in question.keywords if any(f" {form} " in said for form in (word.text, *word.forms))
        ),
    )


def best_sentence(question: Question, spoken: Sequence[Spoken]) -> Spoken | None:
    """The sentence that is clearly the best and has what was asked for, whatever it is about.

    Reading sentences for their meaning takes longer than all else: those that have what was asked for come first, then
    the others by their words, until none of the rest could change the outcome, however near it is.
    """
    worded = best_by_words(question, spoken)
    fitting = [each for _, each in worded if is_begun(each) and is_fitting_sentence(each, question)]
    if not fitting or (question.is_count and is_told_apart([each for _, each in worded], question)):
        return None
    words = {each.text: worth for worth, each in worded}
    near: dict[str, float] = {}
    reading = [each.text for each in fitting]
    waiting = [text for text in words if text not in set(reading)]
    while True:
        near.update(zip(reading, nearness_of(reading, question.topic), strict=True))
        worth = {text: words[text] + MEANING * nearness for text, nearness in near.items()}
        best = max(fitting, key=lambda each: worth[each.text]).text
        odds = sum(exp(other - worth[best]) for other in worth.values())
        if near[best] < NEAR or odds * SURE > 1 or worth[best] < max(worth.values()):
            return None
        most = [words[text] + MEANING - worth[best] for text in waiting]
        if not waiting or (max(most) <= 0 and (odds + sum(map(exp, most))) * SURE <= 1):
            return next(each for each in fitting if each.text == best)
        reading, waiting = waiting[:READ_AT_ONCE], waiting[READ_AT_ONCE:]


def best_by_words(question: Question, spoken: Sequence[Spoken]) -> list[tuple[float, Spoken]]:
    """The sentences for which most speaks, but for their meaning, each with how much."""
    worded = sorted(((worth_in_words(each, question), each) for each in spoken), key=lambda pair: -pair[0])
    return worded[:SENTENCES_MAX]


def says_opposite(spoken: Spoken, question: Question) -> bool:
    """Whether a sentence says by a little word the opposite of what is asked, or supposes it; its title may deny it."""
    denied = denial_unsaid(f"{titles_over(spoken)} {spoken.text}", question)
    return bool(denied or opposed_word(spoken.text, question)) or supposes_contrary(spoken.text, question)


def is_fitting_sentence(spoken: Spoken, question: Question, *, is_read: bool = False) -> bool:
    """Whether a sentence may be said first by itself: of those under a printed question none that is about something
    else, and only the first one says yes or no.
    """
    if spoken.asked and asks_other(spoken.asked.text, spoken.text, question):
        return False
    is_after = spoken.asked is not None and not spoken.begins_answer and asks_yes_or_no(question)
    return not is_after and is_fitting(spoken.text, spoken.section, spoken.content, question, is_read=is_read)


def mismatch_of(spoken: Spoken, question: Question, *, is_strict: bool = False, is_read: bool = False) -> str:
    """Why a sentence is about another thing than the one asked for, by its own words and those it goes on from, or
    leaves open what is asked; else "". `is_strict` is for a value that is shown by itself, and of one that `is_read`
    for an answer a word may be missing, but not where yes or no is asked.
    """
    content, first = spoken.content, spoken.pieces[0].number
    unit, toc_index = units_of(content).around(first), content.lines[first - 1].toc_index
    above = text_above(unit.first, toc_index, content)
    around = " ".join(line.text for line in content.legible_lines(unit.first, unit.last))
    near = "" if asks_yes_or_no(question) else f"{above} {around}"  # what is allowed of another thing is said beside it
    said = normalise_words(f"{name_in_force(spoken.section)} {near} {spoken.text}")
    words = words_of_another(spoken.text, titles_over(spoken), question)
    if not is_read or asks_yes_or_no(question):
        words += words_lacking(said, question, content, is_strict=is_strict)
    other = other_kind(spoken.text, titles_over(spoken), first, question, content)
    return other or clause_of(words) or left_open(spoken.text, question)


def doubt_in_mismatch(spoken: Spoken, question: Question) -> str:
    """Why what was found is doubtful, of a mismatched sentence: where yes or no is asked, a word that is missing may be
    said otherwise ("retained" for "keep") and only withholds the bold words.
    """
    if not asks_yes_or_no(question):
        return mismatch_of(spoken, question)
    words = words_of_another(spoken.text, titles_over(spoken), question)
    return clause_of(words) or left_open(spoken.text, question)


def titles_over(spoken: Spoken) -> str:
    """The names of the section a sentence begins in, and of those that it is part of."""
    entry = spoken.content.toc_by_index.get(spoken.content.lines[spoken.pieces[0].number - 1].toc_index)
    return name_in_force(entry.breadcrumb) if entry else ""


def is_contested(best: Spoken, spoken: Sequence[Spoken], question: Question) -> bool:
    """Whether another sentence that may be said first has as much of the question, and other values of the kind.

    As much by itself and with the name of its section; what a value says by itself, the "period" of a notice period,
    need not be said.
    """
    spanning = {word for phrase in question.phrases for word in phrase.split()[-1:]}
    spanning = {word for word in spanning if phrasing_rules().in_language("spanning", question.language).match(word)}
    if question.answer_type == "duration" and spanning:
        question = replace(question, keywords=tuple(word for word in question.keywords if word.text not in spanning))
    has_values = values_given(best.text, question, best.content.language) or says_nothing(best.text)
    if not has_values and not asks_yes_or_no(question):
        return False
    least = shares_of_sentence(best, question)
    others = (each for each in spoken if differ_in_value(best, each, question) and is_fitting_sentence(each, question))
    shares = (shares_of_sentence(each, question) for each in others)
    return any(all(share >= enough for share, enough in zip(each, least, strict=True)) for each in shares)


def differ_in_value(one: Spoken, other: Spoken, question: Question) -> bool:
    """Whether two sentences give other values of one kind, or one of them none; of yes or no, if the other denies."""
    if asks_yes_or_no(question):
        return denies_thing(other.text, question) and not denies_thing(one.text, question)
    values, others = (values_given(each.text, question, each.content.language) for each in (one, other))
    if says_nothing(one.text) or says_nothing(other.text):
        return says_nothing(one.text) != says_nothing(other.text) and bool(values or others)
    return others.isdisjoint(values) and not {kind for kind, *_ in others}.isdisjoint(kind for kind, *_ in values)


def shares_of_sentence(spoken: Spoken, question: Question) -> tuple[float, float]:
    """The share of the question's weight in a sentence, and in it with the name of its section."""
    terms, said = weigh_terms(question, lexicon_of(spoken.content)), normalise_words(spoken.text)
    section = normalise_words(name_in_force(spoken.section))
    return share_said(said, terms), share_said([*said, *section], terms)


def is_begun(spoken: Spoken) -> bool:
    """Whether running text begins a sentence, which is no synopsis, and does not go on with one of another place."""
    if SYNOPSIS.match(spoken.text):
        return False
    return spoken.content.lines[spoken.pieces[0].number - 1].kind != "body" or not spoken.text[:1].islower()


def with_bold(spoken: Spoken, question: Question) -> Spoken | None:
    """The sentence; of a long one with the clauses that are bold, which have the value asked for, what is specific and
    most of what it says of the question. None where no short ones have that.

    No denial, condition or exception stands outside them, without which they say something else, and no other value of
    the type asked for.
    """
    if is_short_enough(spoken.text):
        return spoken
    terms, language = weigh_terms(question, lexicon_of(spoken.content)), spoken.content.language
    binding, excepting = (phrasing_rules().in_language(name, language) for name in ("binding", "excepting"))
    is_binding = question.answer_type == "boolean" and binding.search(spoken.text) is not None
    whole = weight_said(spoken.text, terms, question)
    exceptions, values = len(excepting.findall(spoken.text)), values_told(spoken.text, question, language)

    def worth(text: str) -> float:
        share = weight_said(text, terms, question) / whole if whole else 0.0
        return share if share >= BOLD_SAID_MIN else 0.0

    def is_able(text: str) -> bool:
        said = text.rpartition(" ")[0] if text.endswith(",") else text  # "however," tells what follows
        is_whole = len(excepting.findall(said)) == exceptions and values <= values_told(text, question, language)
        is_whole = is_whole and not (is_binding and binding.search(text) is None)
        return is_whole and is_fitting_sentence(replace(spoken, text=text), question, is_read=True)

    bold = find_bold(spoken.text, worth, is_able, is_of_value=has_form(question))
    return replace(spoken, bold=bold) if bold else None


def values_told(text: str, question: Question, language: str) -> frozenset[tuple[str, ...]]:
    """The values of the kind asked for in a text; a number as it is printed, for words ("ten") are not compared."""
    told, printed = values_given(text, question, language), question.value_pattern
    if question.answer_type == "number" and printed:
        told |= {(found[0],) for found in compile_linear(printed).finditer(match_form(without_references(text)))}
    return told


def is_told_apart(spoken: Sequence[Spoken], question: Question) -> bool:
    """Whether the sentences say different numbers of what was to be counted: of a site, of the whole firm."""
    return len({found for each in spoken for found in counts_said(each.text, question)}) > 1


def sentences_of_places(kept: Sequence[KeptPlace]) -> Iterator[Spoken]:
    """The sentences in and around each place, as far as its context goes."""
    for rank, (candidate_id, content, *around) in enumerate(kept):
        units = units_of(content)
        anchor, context = ((units.position(lines.first), units.position(lines.last)) for lines in around)
        first = max(min(context[0], anchor[0]), anchor[0] - UNITS_AROUND)
        last = min(max(context[1], anchor[1]), anchor[1] + UNITS_AROUND)
        for position in range(first, last + 1):
            for written in sentences_of_unit(units.at(position), content):
                yield Spoken(rank, candidate_id, content, *written)


def sentences_of_unit(lines: LineRange, content: DocumentContent) -> Iterator["SentenceText"]:
    """The sentences of a unit of running text, each with what it cannot be understood without.

    An item has the end of what introduces it, and a sentence that begins with "This" the one before. Signs are plain,
    and the ends of lines are gone.
    """
    kind = content.lines[lines.first - 1].kind
    if kind not in SAID_KINDS:
        return
    before = last_sentence(lead_in_of(lines, content), content)
    is_led = True  # by what introduces the unit, or by its heading
    written, asked = list(written_sentences(lines, content)), questions_over(content).get(lines.last)
    short = written[-1:] if asked and asked.answer >= lines.first else []  # an answer may be: "No."
    for own in written:
        was_led, is_needed = is_led, is_led or REFERRING.match(own.text)
        is_led = is_led and is_title(own) and own not in short
        whole = before.joined_with(own, content) if before and is_needed else own
        is_whole = kind == "list_item" or is_ended(whole.text)  # an item need not end in a full stop
        is_struck = any(content.lines[piece.number - 1].struck for piece in whole.pieces)
        chars_min = 1 if own in short else CHARS_MIN
        if chars_min <= len(whole.text) <= CHARS_MAX and is_whole and not is_led and not is_struck:
            yield whole._replace(is_double=whole is not own and not was_led)
        before, is_led = (None, True) if ASKS.search(own.text) else (whole if is_led else own, is_led)


class SentenceText(NamedTuple):
    """A sentence: its pieces of lines, and how it reads."""

    pieces: tuple[Piece, ...]
    text: str
    is_double: bool = False

    def joined_with(self, following: "SentenceText", content: DocumentContent) -> "SentenceText":
        between = f" {LEFT_OUT} " if is_gap(self.pieces[-1], following.pieces[0], content) else " "
        return SentenceText((*self.pieces, *following.pieces), f"{self.text}{between}{following.text}")


def is_ended(text: str) -> bool:
    """Whether a text ends a sentence, or an item after which others follow."""
    return text.rstrip(CLOSING)[-1:] in ENDS or text.endswith((")", *GOES_ON))


def is_title(written: SentenceText | None) -> bool:
    """Whether it is a heading that the text follows on the same line: "8.1 Term of Agreement."; no value is one."""
    words = [word for word in written.text.split() if word[:1].isalpha()] if written else []
    if written is None or len(words) > TITLE_WORDS_MAX or not written.text.endswith((".", ":", "\u2014", "\u2013")):
        return False
    return not says_nothing(written.text) and not any(map(str.isdigit, without_references(written.text)))


def last_sentence(lines: LineRange | None, content: DocumentContent) -> SentenceText | None:
    return next(reversed(list(written_sentences(lines, content))), None) if lines else None


def written_sentences(lines: LineRange, content: DocumentContent) -> Iterator[SentenceText]:
    prose = prose_of(lines, content)
    for start, end in split_at(prose.text, SENTENCE):
        text = " ".join(plain_text(RULE.sub(" ", without_line_hyphens(prose, start, end, content))).split())
        if text:
            yield SentenceText(tuple(prose.pieces(start, end)), text)


def without_line_hyphens(prose: Prose, start: int, end: int, content: DocumentContent) -> str:
    """Characters [start, end) without the hyphens that only part a word at the end of a line.

    A word that the document has without a hyphen is one word; any other may be a compound.
    """
    cuts = [begin - 1 for begin in prose.begins if start < begin < end and prose.text[begin - 1] in LINE_HYPHENS]
    parts: list[str] = []
    for cut in cuts:
        before, after = LAST_WORD.search(prose.text[:cut]), FIRST_WORD.match(prose.text[cut + 1 :])
        word = match_form(f"{before[0]}{after[0]}") if before and after else ""
        parts.append(prose.text[start : cut if word and len(lexicon_of(content).lines_with_any((word,))) else cut + 1])
        start = cut + 1
    return "".join([*parts, prose.text[start:end]])


def distinct(spoken: Iterable[Spoken]) -> Iterator[Spoken]:
    """Each sentence once, from the best place that has it."""
    seen: set[str] = set()
    for each in spoken:
        if each.text not in seen:
            seen.add(each.text)
            yield each


def worth_in_words(spoken: Spoken, question: Question) -> float:
    """What speaks for a sentence, but for its meaning."""
    own, with_section = shares_of_sentence(spoken, question)
    return (
        WORDS * own
        + WORDS_OR_SECTION * with_section
        + RANK * spoken.rank
        + VALUE * (has_form(question) and is_of_form(spoken.text, question))
        + VALUE
        * (question.answer_type == "date" and any(each.type == "date" for each in values_in(spoken.text, "date")))
        + LENGTH * min(len(spoken.text.split()) / WORDS_FULL, 1.0)
        + INTRODUCES * spoken.text.endswith(":")
        + DOUBLE * spoken.is_double
        + EXEMPLIFIES * bool(EXAMPLE.match(spoken.text))
    )
