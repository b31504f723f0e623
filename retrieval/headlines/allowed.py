"""The sentence that is said first because it reads as an answer, where none is clearly the best by its words (R54).

The cross-encoder reads the few that may be said first, as they would be shown. How clearly one is better than others
by its words no longer matters then, nor how many words of the question it lacks; all else does: the value asked for,
what is specific, no other thing and no other value, 40 words. Only in English.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import log

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
READS_MIN = 0.97  # below it wrong ones begin (docs/benchmarks.md)
READS = 0.4  # of the logarithm of its odds, beside what speaks for a sentence


def find_read(question: Question, kept: Sequence[KeptPlace]) -> Spoken | None:
    """The best of the sentences that may be said first, if it reads as an answer and no other does that gives another
    value; None of a question in parts.
    """
    shown = [] if question.parts else sentences_to_show(question, spoken_in(kept, question.language))
    texts = [with_title(each.text, each.section) for _, each in shown]
    reads = read_sentences(question, texts, shown[0][1].content.language) if shown else []
    if not reads:
        return None
    near = nearness_of([each.text for _, each in shown], question.topic)
    worths = [
        worth + MEANING * nearness + READS * log(chance / (1 - chance))
        for (worth, _), nearness, chance in zip(shown, near, reads, strict=True)
    ]
    best = worths.index(max(worths))
    spoken = shown[best][1]
    others = [each for at, (_, each) in enumerate(shown) if at != best and reads[at] >= READS_MIN]
    # Numbers in words are not compared, so of what is counted no other sentence may answer.
    is_another = any(question.is_count or differ_in_value(spoken, each, question) for each in others)
    return None if reads[best] < READS_MIN or is_another else replace(spoken, reads=reads[best])


def sentences_to_show(question: Question, spoken: Sequence[Spoken]) -> list[tuple[float, Spoken]]:
    """The few sentences that may be said first if they read as an answer, the best by their words, as they would be
    shown, each with how much speaks for it but for its meaning.
    """
    worded = best_by_words(question, spoken)
    if question.is_count and is_told_apart([each for _, each in worded], question):
        return []
    shown: list[tuple[float, Spoken]] = []
    able = agreeing_with(question, spoken)
    for worth, each in worded:
        if len(shown) < READ_MAX and each in able and may_be_read(each, question, able):
            short = in_short(each, question, is_read=True)
            shown += [(worth, short)] if short else []
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
