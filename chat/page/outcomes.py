"""How a question ended, as a code of `retrieval.told.outcomes`, from the rows that say it, and how sure that is."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.checks import is_headline
from chat.fields.values import NOT_ASKED
from chat.models import Answer, Turn
from chat.turns.conductor import STOPPED_BY_ASKER
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.told.outcomes import outcome_code
from retrieval.told.reasons import mark_words
from retrieval.told.searched import asked_nowhere
from retrieval.types import UNANSWERED

STOPPED_RUNS = (STOPPED_BY_ASKER, NOT_ASKED)  # the failures of runs that people ended themselves, which are no errors


def outcome_of_turn(turn: Turn) -> str:
    return outcome_of_run(turn.run, getattr(turn, "answer", None), turn.state)


def outcome_of_run(run: RetrievalRun | None, answer: Answer | None, state: str = "") -> str:
    """The outcome of a run with its answer, if it has one, and of the turn that asked."""
    status, judge = (run.status, run.judge) if run else ("", "")
    state = "stopped" if run and run.failure in STOPPED_RUNS else state
    if answer is None:
        return outcome_code(status=status, judge=judge, state=state)
    if run:
        answer.run = run  # as the caller has it: the answer would ask for it anew
    return outcome_code(
        status=status,
        judge=judge,
        kind=answer.kind,
        ended=answer.ended,
        state=state,
        is_partial=answer.is_partial,
    )


class Sureness(NamedTuple):
    """How far to trust what fixed rules found, and what that was measured on (docs/benchmarks.md)."""

    words: Promise
    meaning: Promise


CLEAR_FROM = 0.7
LIKELY_FROM = 0.85  # below it more were wrong than right on documents nobody had worked with (docs/benchmarks.md)
READS_FROM = 0.4  # where one sentence does not lead; below it as many passages were right as wrong
CLEAR = Sureness(
    _("clear, as far as rules can tell"),
    _("One sentence or value says much of what you asked. When measured, most such answers were right; read it."),
)
LIKELY = Sureness(
    _("likely, as far as rules can tell"),
    _("When measured, three of four such answers quoted the right passage: judge for yourself."),
)
DOUBTFUL = Sureness(
    _("doubtful, as far as rules can tell"),
    _("When measured, only about every second such answer quoted the right passage: judge for yourself."),
)


def sureness_of(run: RetrievalRun | None, answer: Answer | None, candidates: Sequence[RunCandidate]) -> Sureness | None:
    """How sure an answer is that fixed rules found; None of all others, whose outcome or model says it.

    One of the `candidates` of the run may have been read for an answer.
    """
    if run is None or answer is None or run.status != "found" or run.judge != "rules" or answer.kind in UNANSWERED:
        return None
    if run.parsed and run.parsed.get("form") == "outline":  # nothing was searched, so nothing was measured of it
        return None
    if run.confidence < CLEAR_FROM:
        return DOUBTFUL
    is_only_read = any("first_reads" in each.reason_facts for each in candidates)  # its words do not say much of it
    if any(map(is_headline, answer.checks)) and not is_only_read:
        return CLEAR
    reads = min((each.reason_facts["reads"] for each in candidates if "reads" in each.reason_facts), default=1.0)
    return LIKELY if run.confidence >= LIKELY_FROM and reads >= READS_FROM else DOUBTFUL


def say_unmentioned(run: RetrievalRun | None, sureness: Sureness | None) -> list[str]:
    """That no page has some words, where the rules doubt what they found."""
    words = asked_nowhere(run) if run and sureness is DOUBTFUL else []
    told = _("No page that was read mentions %(words)s.") % {"words": mark_words(words, str(_("or")))}
    return [told] if words else []
