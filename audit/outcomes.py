"""How a run ended and who judged, in the words of the pages."""

from typing import NamedTuple

from retrieval.models import RetrievalRun

STATUSES = {
    "found": "Found",
    "not_found": "Not found",
    "cannot_tell": "Cannot tell",
    "clarify": "Asked back",
    "failed": "Failed",
}
KINDS = {"found": "ok", "not_found": "warn", "cannot_tell": "warn", "clarify": "warn", "failed": "fail"}
ARBITERS = {"model": "Model", "rules": "Rules", "none": "None, RRF order"}


class Outcome(NamedTuple):
    """A state of the visual language (ok, warn, fail) and its word."""

    kind: str
    words: str


def outcome_of(run: RetrievalRun, is_answered: bool) -> Outcome:
    words = "Answered" if run.status == "found" and is_answered else STATUSES.get(run.status, run.status)
    return Outcome(KINDS.get(run.status, "fail"), words)


def judge_of(run: RetrievalRun) -> str:
    """Who judged, in a word or two."""
    if run.status == "failed":
        return "–"
    if run.arbiter_status == "not_needed":
        return "Not needed"
    if run.arbiter_status == "not_run":
        return "Did not run"
    return ARBITERS.get(run.arbiter, run.arbiter)


def judge_in_full(run: RetrievalRun) -> str:
    """Who judged, with model, prompt and mode. Needs the run's call."""
    call = run.llm_call
    if call is not None and run.arbiter_status == "ran":
        return f"{call.model_returned or call.model}, prompt {call.prompt_version}, {run.mode}"
    if run.arbiter_status == "not_run" and run.status != "failed":
        return f"did not run; order by rules, {run.mode}"
    return f"{judge_of(run)}, {run.mode}"
