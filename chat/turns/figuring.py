"""The figures of a written answer: computed as the model asked, which may mend what the check of its inputs refused."""

from collections.abc import Callable
from dataclasses import replace

from chat.figures.requested import AGAIN, RequestedFigures
from chat.turns.gating import Written
from chat.writing.writer import StreamedReply
from llm.exchange import Exchange

Resolve = Callable[[StreamedReply], RequestedFigures]


def with_requested(written: Written, resolve: Resolve) -> Written:
    """The draft with its results in their places, if it asked for any."""
    return replace(written, requested=resolve(written.reply)) if written.reply.block else written


def write_figures(
    first: Written, resolve: Resolve, rewrite: Callable[[str], Written]
) -> tuple[Written, tuple[Exchange, ...]]:
    """The draft with its figures, and the exchanges beside the one that wrote it.

    Where one could not be computed it is written once more with what was found. The second draft is taken if it has
    fewer faults; a figure that is right is not given up for it.
    """
    one = with_requested(first, resolve)
    is_cut = first.failure or (first.exchange is not None and first.exchange.outcome == "stopped")
    if one.requested is None or not one.requested.findings or is_cut:
        return one, ()
    findings = "\n".join(f"- {each.name}: {each.words}" for each in one.requested.findings)
    two = with_requested(rewrite(AGAIN.format(findings=findings)), resolve)
    if two.is_whole and count_figures(two) >= count_figures(one) and count_faults(two) < count_faults(one):
        # What was refused of the first draft stays among the checks.
        requested = two.requested or RequestedFigures(two.reply.text.strip())
        kept = replace(two, requested=replace(requested, mended=one.requested.findings))
        return kept, (one.exchange,) if one.exchange else ()
    return one, (two.exchange,) if two.exchange else ()


def count_figures(written: Written) -> int:
    figures = written.requested.figures if written.requested else None
    return len(figures.checks) if figures else 0


def count_faults(written: Written) -> int:
    return len(written.requested.findings) if written.requested else 0
