"""The claim gate: a written answer is checked, written once more if need be, and cut to what its quotes say (R82).

Sentences whose values do not agree with each other are told to the writer too; those that still do not stay, flagged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.translation import gettext_noop

from chat.checks import AnswerCheck
from chat.figures.across import REASONS, Conflict, with_conflicts
from chat.figures.requested import AGAIN as MEND_FIGURES
from chat.figures.requested import RequestedFigures
from chat.figures.shown import ComputedFigures
from chat.writing.claims import SUPPORTED, Checked, ClaimFinding, check_claims
from chat.writing.excerpts import Excerpt
from chat.writing.writer import StreamedReply, check_sentences, without_sentences
from llm.exchange import Exchange

NOT_CHECKED = "The sentences could not be checked against what they cite: {failure}"
LEFT_OUT = "{count} sentence{s} the model wrote {is_} left out, because what {it} cite{s_} does not say so."
REWRITTEN = gettext_noop("The answer was written a second time, because the first draft said more than it cites.")
MENDED = gettext_noop("The answer was written a second time, because values of the first draft do not agree.")
Resolve = Callable[[StreamedReply], RequestedFigures]
FindConflicts = Callable[[Sequence[AnswerCheck]], Mapping[int, Conflict]]
AGAIN = """\
A draft of the answer was checked against the excerpts. These sentences of it may not stand:
{findings}
Write the answer again, with its COMPUTE block if it has one. Leave out or mend what is named; keep what is right."""


@dataclass(frozen=True)
class WriterReply:
    """What the model wrote, and how the call ended."""

    reply: StreamedReply
    exchange: Exchange | None
    failure: str = ""
    requested: RequestedFigures | None = None  # what became of the figures it asked for

    @property
    def text(self) -> str:
        """The answer, with the results of what was computed for it."""
        return self.requested.text if self.requested else self.reply.text.strip()

    @property
    def figures(self) -> ComputedFigures | None:
        return self.requested.figures if self.requested else None

    @property
    def is_whole(self) -> bool:
        return not self.failure and bool(self.reply.used or self.figures) and not self.reply.is_not_found

    def sources(self, excerpts: Sequence[Excerpt]) -> list[Excerpt]:
        """What its sentences may cite: the excerpts, and the rows its figures were computed from."""
        return [*excerpts, *(self.requested.excerpts if self.requested else ())]


@dataclass(frozen=True)
class GatedDraft:
    """The answer as it may be shown. `others` are the exchanges beside the one that wrote it, in order."""

    written: WriterReply
    text: str
    checks: list[AnswerCheck]
    notes: tuple[str, ...] = ()
    others: tuple[Exchange, ...] = ()


def pass_gate(
    first: WriterReply,
    excerpts: Sequence[Excerpt],
    rewrite: Callable[[str], WriterReply],
    find_conflicts: FindConflicts,
) -> GatedDraft:
    """Check a draft; where a sentence is refused or its values do not agree, have it written once more.

    What is refused again is left out; what still does not agree is flagged.
    """
    one = judge(first, excerpts, find_conflicts)
    if one.checked.failure:
        return gated_unchecked(first, one, (), (), one.checked.exchanges)
    if not one.faults:
        return GatedDraft(first, first.text, one.checks, (), one.checked.exchanges)
    second = rewrite(AGAIN.format(findings=list_findings(one)))
    if not second.is_whole or (first.figures and not second.figures):
        return cut(first, one, (*one.checked.exchanges, *exchanges(second.exchange)))
    two = judge(second, excerpts, find_conflicts)
    others = (*exchanges(first.exchange), *one.checked.exchanges, *two.checked.exchanges)
    why = REWRITTEN if one.checked.refused() else MENDED
    replaced = [left_out(check) for number, check in enumerate(one.checks, 1) if number in one.faults]
    if two.checked.failure:
        return gated_unchecked(second, two, replaced, (why,), others)
    final = cut(second, two, others)
    return GatedDraft(second, final.text, [*final.checks, *replaced], (why, *final.notes), others)


class CheckedDraft(NamedTuple):
    """The sentences of a draft, with what the check of claims and the rules over several values say of them."""

    sentences: list[AnswerCheck]
    conflicts: Mapping[int, Conflict]
    checked: Checked

    @property
    def faults(self) -> set[int]:
        return {*self.checked.refused(), *self.conflicts}

    @property
    def checks(self) -> list[AnswerCheck]:
        return with_findings(self.sentences, self.checked.findings)


def judge(written: WriterReply, excerpts: Sequence[Excerpt], find_conflicts: FindConflicts) -> CheckedDraft:
    sentences = check_sentences(written.text, written.sources(excerpts))
    conflicts = find_conflicts(sentences)
    checked = check_claims(sentences, written.sources(excerpts))
    return CheckedDraft(with_conflicts(sentences, conflicts), conflicts, checked)


def gated_unchecked(
    written: WriterReply,
    judged: CheckedDraft,
    replaced: Sequence[AnswerCheck],
    notes: tuple[str, ...],
    others: tuple[Exchange, ...],
) -> GatedDraft:
    """The answer where nobody could be asked whether its quotes say so."""
    note = NOT_CHECKED.format(failure=judged.checked.failure)
    return GatedDraft(written, written.text, [*judged.sentences, *replaced], (*notes, note), others)


def cut(written: WriterReply, judged: CheckedDraft, others: tuple[Exchange, ...]) -> GatedDraft:
    """The answer without the sentences that were refused, which stay among its checks."""
    refused = judged.checked.refused()
    shown = without_sentences(written.text, refused)
    checks = [left_out(each) if number in refused else each for number, each in enumerate(judged.checks, 1)]
    return GatedDraft(written, shown, checks, (count_left_out(len(refused)),) if refused else (), others)


def with_findings(sentences: Sequence[AnswerCheck], findings: Mapping[int, ClaimFinding]) -> list[AnswerCheck]:
    """The checks of the sentences with their findings. Who reads what is cited knows better than a count of words."""
    told: list[AnswerCheck] = []
    for number, each in enumerate(sentences, 1):
        found = findings.get(number)
        if found is None:
            told.append(each | {"verdict": "", "finding": ""})
            continue
        problems = [name for name in each["problems"] if name != "weak_support" or found.verdict != SUPPORTED]
        told.append(each | {"problems": problems, "verdict": found.verdict, "finding": found.words})
    return told


def left_out(check: AnswerCheck) -> AnswerCheck:
    return check | {"left_out": True}


def list_findings(judged: CheckedDraft) -> str:
    """The sentences that were refused, and those whose values do not agree, each with why."""
    told = {number: f"{REASONS[each.problem]} ({each.words})" for number, each in judged.conflicts.items()}
    told |= {
        number: f"{found.verdict.replace('_', ' ')}. {found.words}"
        for number, found in judged.checked.refused().items()
    }
    return "\n".join(
        f"- “{judged.sentences[number - 1]['sentence']}”: {told[number]}".rstrip() for number in sorted(told)
    )


def count_left_out(count: int) -> str:
    is_one = count == 1
    words = {"s": "" if is_one else "s", "is_": "is" if is_one else "are", "it": "it" if is_one else "they"}
    return LEFT_OUT.format(count=count, s_="s" if is_one else "", **words)


def exchanges(*told: Exchange | None) -> tuple[Exchange, ...]:
    return tuple(each for each in told if each)


# ---- figures that are computed


def with_requested(written: WriterReply, resolve: Resolve) -> WriterReply:
    """The draft with its results in their places, if it asked for any."""
    return replace(written, requested=resolve(written.reply)) if written.reply.block else written


def write_figures(
    first: WriterReply, resolve: Resolve, rewrite: Callable[[str], WriterReply]
) -> tuple[WriterReply, tuple[Exchange, ...]]:
    """The draft with its figures, and the exchanges beside the one that wrote it.

    Where one could not be computed it is written once more with what was found. The second draft is taken if it has
    fewer faults; a figure that is right is not given up for it.
    """
    one = with_requested(first, resolve)
    is_cut = first.failure or (first.exchange is not None and first.exchange.outcome == "stopped")
    if one.requested is None or not one.requested.findings or is_cut:
        return one, ()
    findings = "\n".join(f"- {each.name}: {each.words}" for each in one.requested.findings)
    two = with_requested(rewrite(MEND_FIGURES.format(findings=findings)), resolve)
    if two.is_whole and count_figures(two) >= count_figures(one) and count_faults(two) < count_faults(one):
        # What was refused of the first draft stays among the checks.
        requested = two.requested or RequestedFigures(two.reply.text.strip())
        kept = replace(two, requested=replace(requested, mended=one.requested.findings))
        return kept, (one.exchange,) if one.exchange else ()
    return one, (two.exchange,) if two.exchange else ()


def count_figures(written: WriterReply) -> int:
    figures = written.requested.figures if written.requested else None
    return len(figures.checks) if figures else 0


def count_faults(written: WriterReply) -> int:
    return len(written.requested.findings) if written.requested else 0
