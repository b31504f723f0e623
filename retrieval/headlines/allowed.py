"""The sentence that is said first because it reads as an answer, where none is clearly the best by its words (R54).

The cross-encoder reads the few that may be said first, as they would be shown. How clearly one is better than others
by its words no longer matters then nor, of one that reads surely, how many words of the question it lacks; all else
does: the value asked for, what is specific, no other thing and no other value, 40 words. Only in English.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import NamedTuple

from retrieval.arbiter.reads import read_sentences, with_title
from retrieval.headlines.choosing import (
    EXAMPLE,
    MEANING,
    KeptPlace,
    Spoken,
    agreeing_with,
    best_by_words,
    differ_in_value,
    in_short,
    is_begun,
    is_contested,
    is_fitting_sentence,
    is_told_apart,
    mismatch_of,
    nearness_of,
    spoken_in,
)
from retrieval.told.clauses import Clause
from retrieval.types import Question, Settled
from retrieval.words.options import is_doubtful

READ_MAX = 4
# Chosen on half of the documents of three shared sets and on near misses, judged on others (docs/benchmarks.md).
READS_MIN = 0.9
READS_ALONE = 0.97  # where its words say too little of the question
READS = 0.4  # of the logarithm of its odds, beside what speaks for a sentence


class Shown(NamedTuple):
    """A sentence as it would be shown, what its words are worth, and how far it has to read as an answer."""

    spoken: Spoken
    worth: float
    enough: float


def find_read(question: Question, kept: Sequence[KeptPlace]) -> Spoken | None:
    """The best of the sentences that may be said first, if it reads as an answer and no other does that gives another
    value; None of a question in parts.
    """
    shown = [] if question.parts else sentences_to_show(question, spoken_in(kept, question.language))
    texts = [with_title(each.spoken.text, each.spoken.section) for each in shown]
    reads = read_sentences(question, texts, shown[0].spoken.content.language) if shown else []
    if not reads:
        return None
    near = nearness_of([each.spoken.text for each in shown], question.topic)
    worths = [
        each.worth + MEANING * nearness + READS * log(chance / (1 - chance))
        for each, nearness, chance in zip(shown, near, reads, strict=True)
    ]
    best = worths.index(max(worths))
    spoken, is_sure = shown[best].spoken, reads[best] >= shown[best].enough
    others = (each.spoken for at, each in enumerate(shown) if at != best and reads[at] >= each.enough)
    # Numbers in words are not compared, so of what is counted no other sentence may answer.
    is_another = any(question.is_count or differ_in_value(spoken, each, question) for each in others)
    return replace(spoken, reads=reads[best]) if is_sure and not is_another else None


def sentences_to_show(question: Question, spoken: Sequence[Spoken]) -> list[Shown]:
    """The few sentences that may be said first if they read as an answer, the best by their words."""
    worded = best_by_words(question, spoken)
    if question.is_count and is_told_apart([each for _, each in worded], question):
        return []
    shown: list[Shown] = []
    able = agreeing_with(question, spoken)
    for worth, each in worded:
        if len(shown) < READ_MAX and each in able and may_be_read(each, question, able):
            is_enough = is_fitting_sentence(each, question) and not mismatch_of(each, question)
            short = in_short(each, question, is_read=True)
            shown += [Shown(short, worth, READS_MIN if is_enough else READS_ALONE)] if short else []
    return shown


def may_be_read(spoken: Spoken, question: Question, able: Sequence[Spoken]) -> bool:
    """Whether a sentence may be said first if it reads as an answer; an example is none."""
    return (
        is_begun(spoken)
        and not EXAMPLE.match(spoken.text)
        and is_fitting_sentence(spoken, question, is_read=True)
        and not is_doubtful(spoken.lines, question, spoken.content)
        and not mismatch_of(spoken, question, is_read=True)
        and not is_contested(spoken, able, question)
    )


def with_reads(settled: tuple[Settled, ...], read: Spoken | None) -> tuple[Settled, ...]:
    """The passages; the facts of the one whose sentence is said first for how it reads have how far."""
    if read is None:
        return settled
    of_read = next(at for at, each in enumerate(settled) if each.candidate_id == read.candidate_id)
    verdict = settled[of_read].verdict
    code, facts = (verdict.reason.code, verdict.reason.facts) if isinstance(verdict.reason, Clause) else ("", {})
    told = replace(verdict, reason=Clause(verdict.reason, code, **facts, first_reads=read.reads))
    return (*settled[:of_read], replace(settled[of_read], verdict=told), *settled[of_read + 1 :])
