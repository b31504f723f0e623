"""The sentence that is said first because it reads as an answer, where none is clearly the best by its words (R54).

The cross-encoder reads the few that may be said first, as they would be shown. How clearly one is better than others
by its words no longer matters then, nor how many words of the question it lacks, unless yes or no is asked; all else
does: the value asked for, what is specific, no other thing and no other value, 40 words that say it. Only in English.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from retrieval.arbiter.reads import read_sentences, with_title
from retrieval.headlines.choosing import (
    EXAMPLE,
    KeptPlace,
    Spoken,
    agreeing_with,
    best_by_words,
    differ_in_value,
    is_begun,
    is_contested,
    is_fitting_sentence,
    is_told_apart,
    mismatch_of,
    spoken_in,
    with_bold,
)
from retrieval.told.clauses import Clause
from retrieval.types import Question, Settled
from retrieval.words.options import is_doubtful

READ_MAX = 4
READS_MIN = 0.97  # below it wrong ones begin (docs/benchmarks.md)


def find_read(question: Question, kept: Sequence[KeptPlace]) -> Spoken | None:
    """Of the sentences that may be said first the one that reads most as an answer, if it surely does and no other does
    that gives another value; None of a question in parts.
    """
    shown = [] if question.parts else sentences_to_show(question, spoken_in(kept, question))
    texts = [with_title(each.text, each.section) for each in shown]
    reads = read_sentences(question, texts, shown[0].content.language) if shown else []
    sure = [replace(each, reads=read) for each, read in zip(shown, reads, strict=False) if read >= READS_MIN]
    if not sure:
        return None
    best, *others = sorted(sure, key=lambda each: -(each.reads or 0))
    # Numbers in words are not compared, so of what is counted no other sentence may answer.
    is_another = any(
        question.is_count or differ_in_value(best.bold_alone, each.bold_alone, question) for each in others
    )
    return None if is_another else best


def sentences_to_show(question: Question, spoken: Sequence[Spoken]) -> list[Spoken]:
    """The few sentences that may be said first if they read as an answer, the best by their words, as they would be
    shown.
    """
    worded = [each for _, each in best_by_words(question, spoken)]
    if question.is_count and is_told_apart(worded, question):
        return []
    able = agreeing_with(question, spoken)
    shown = (with_bold(each, question) for each in worded if each in able and may_be_read(each, question))
    settled = (each for each in shown if each and not is_contested(each.bold_alone, able, question))
    return list(islice(settled, READ_MAX))


def may_be_read(spoken: Spoken, question: Question) -> bool:
    """Whether a sentence may be said first if it reads as an answer; an example is none."""
    return (
        is_begun(spoken)
        and not EXAMPLE.match(spoken.text)
        and is_fitting_sentence(spoken, question, is_read=True)
        and not is_doubtful(spoken.lines, question, spoken.content)
        and not mismatch_of(spoken, question, is_read=True)
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
