"""The claim gate: a written answer is checked, written once more if need be, and cut to what its quotes say (R82)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from chat.figures.requested import RequestedFigures
from chat.figures.shown import ComputedFigures
from chat.writing.claims import SUPPORTED, Checked, ClaimFinding, check_claims
from chat.writing.excerpts import Excerpt
from chat.writing.writer import StreamedReply, check_sentences, without_sentences
from llm.exchange import Exchange

NOT_CHECKED = "The sentences could not be checked against what they cite: {failure}"
LEFT_OUT = "{count} sentence{s} the model wrote {is_} left out, because what {it} cite{s_} does not say so."
REWRITTEN = gettext_noop("The answer was written a second time, because the first draft said more than it cites.")
AGAIN = """\
A draft of the answer was checked against the excerpts. These sentences of it may not stand:
{findings}
Write the answer again, with its COMPUTE block if it has one. Leave out or mend what is named; keep what is right."""


@dataclass(frozen=True)
class Written:
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
class Gated:
    """The answer as it may be shown. `others` are the exchanges beside the one that wrote it, in order."""

    written: Written
    text: str
    checks: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    others: tuple[Exchange, ...] = ()


def pass_gate(first: Written, excerpts: Sequence[Excerpt], rewrite: Callable[[str], Written]) -> Gated:
    """Check a draft; where a sentence is refused, have it written once more, and leave out what is refused again."""
    sentences = check_sentences(first.text, first.sources(excerpts))
    checked = check_claims(sentences, first.sources(excerpts))
    others = exchanges(checked.exchange)
    if checked.failure:
        return Gated(first, first.text, sentences, (NOT_CHECKED.format(failure=checked.failure),), others)
    if not checked.refused():
        return Gated(first, first.text, with_findings(sentences, checked.findings), (), others)
    second = rewrite(AGAIN.format(findings=list_findings(sentences, checked)))
    if not second.is_whole or (first.figures and not second.figures):
        return cut(first, sentences, checked, (*others, *exchanges(second.exchange)))
    others = (*exchanges(first.exchange), *others)
    refused = [left_out(each) for each in with_findings(sentences, checked.findings) if each["verdict"] != SUPPORTED]
    sentences = check_sentences(second.text, second.sources(excerpts))
    checked = check_claims(sentences, second.sources(excerpts))
    others = (*others, *exchanges(checked.exchange))
    if checked.failure:
        note = NOT_CHECKED.format(failure=checked.failure)
        return Gated(second, second.text, [*sentences, *refused], (REWRITTEN, note), others)
    final = cut(second, sentences, checked, others)
    return Gated(second, final.text, [*final.checks, *refused], (REWRITTEN, *final.notes), others)


def cut(
    written: Written, sentences: Sequence[Mapping[str, Any]], checked: Checked, others: tuple[Exchange, ...]
) -> Gated:
    """The answer without the sentences that were refused, which stay among its checks."""
    refused = checked.refused()
    shown = without_sentences(written.text, refused)
    checks = with_findings(sentences, checked.findings)
    checks = [left_out(each) if number in refused else each for number, each in enumerate(checks, 1)]
    return Gated(written, shown, checks, (count_left_out(len(refused)),) if refused else (), others)


def with_findings(sentences: Sequence[Mapping[str, Any]], findings: Mapping[int, ClaimFinding]) -> list[dict[str, Any]]:
    """The checks of the sentences with their findings. Who reads what is cited knows better than a count of words."""
    told: list[dict[str, Any]] = []
    for number, each in enumerate(sentences, 1):
        found = findings.get(number)
        if found is None:
            told.append(dict(each) | {"verdict": "", "finding": ""})
            continue
        problems = [name for name in each["problems"] if name != "weak_support" or found.verdict != SUPPORTED]
        told.append(dict(each) | {"problems": problems, "verdict": found.verdict, "finding": found.words})
    return told


def left_out(check: Mapping[str, Any]) -> dict[str, Any]:
    return dict(check) | {"left_out": True}


def list_findings(sentences: Sequence[Mapping[str, Any]], checked: Checked) -> str:
    return "\n".join(
        f"- “{sentences[number - 1]['sentence']}”: {found.verdict.replace('_', ' ')}. {found.words}".rstrip()
        for number, found in checked.refused().items()
    )


def count_left_out(count: int) -> str:
    is_one = count == 1
    words = {"s": "" if is_one else "s", "is_": "is" if is_one else "are", "it": "it" if is_one else "they"}
    return LEFT_OUT.format(count=count, s_="s" if is_one else "", **words)


def exchanges(*told: Exchange | None) -> tuple[Exchange, ...]:
    return tuple(each for each in told if each)
