"""How a question ended, as a code of `retrieval.told.outcomes`, from the rows that say it."""

from chat.fields.values import NOT_ASKED
from chat.models import Answer, Turn
from chat.turns.conductor import STOPPED_BY_ASKER
from retrieval.models import RetrievalRun
from retrieval.told.outcomes import outcome_code

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
