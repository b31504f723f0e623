"""How a run ended and who judged it, in the words of the pages."""

from typing import NamedTuple

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.models import Answer
from retrieval.models import RetrievalRun
from retrieval.types import ABSENT

STATUSES = {
    "found": _("Found"),
    "weak": _("No clear answer"),
    "not_found": _("Not found"),
    "cannot_tell": _("Cannot tell"),
    "clarify": _("Asked back"),
    "failed": _("Failed"),
}
KINDS = {"found": "ok", "weak": "warn", "not_found": "warn", "cannot_tell": "warn", "clarify": "warn", "failed": "fail"}
ARBITERS = {
    "model": _("Language model"),
    "rules": _("Fixed rules"),
    "rerank": _("Reranking model"),
    "none": _("Nobody, order of RRF"),
}
ROLE_NAMES = {
    "primary": _("Primary"),
    "supporting": _("Supporting"),
    "tangential": _("Tangential"),
    "discarded": _("Discarded"),
}
METHOD_NAMES = {
    "titles": _("Titles"),
    "keywords": _("Keywords"),
    "patterns": _("Patterns"),
    "vectors": _("Vectors"),
    "pinned": _("Page named"),
    "whole": _("Passed whole"),
    "references": _("References"),
    "requested": _("Asked for by the model"),
    "outline": _("Main parts"),
}
REPAIR_NAMES = {"exact": _("literal"), "truncated": _("shortened"), "rejected": _("rejected"), "none": _("not quoted")}


class Outcome(NamedTuple):
    """A state of the visual language (ok, warn, fail) and its word."""

    kind: str
    words: str


def outcome_of_run(run: RetrievalRun, answer: Answer | None) -> Outcome:
    """How a run ended, and its answer if it has one.

    A model that read the passages may still say that they do not contain the answer.
    """
    status = answer.kind if answer and run.status == "found" and answer.kind in ABSENT else run.status
    if status == "found" and answer:
        is_whole = not answer.is_partial
        return Outcome("ok", gettext("Answered")) if is_whole else Outcome("warn", gettext("Partly answered"))
    words = STATUSES.get(status, status)
    return Outcome(KINDS.get(status, "fail"), str(words))


def judge_of_run(run: RetrievalRun) -> str:
    """Who judged, in a word or two."""
    if run.status == "failed":
        return "–"
    if run.arbiter_status == "not_needed":
        return gettext("Nobody, there was no candidate")
    if run.arbiter_status == "not_run":
        return gettext("Did not run")
    return str(ARBITERS.get(run.arbiter, run.arbiter))


def judge_in_full(run: RetrievalRun) -> str:
    """Who judged, with model, prompt and mode. Needs the run's call."""
    if run.repeat:
        return gettext("%(judge)s, when it was first answered on %(day)s") % {
            "judge": judge_of_run(run),
            "day": run.repeat["on"],
        }
    call = run.llm_call
    if call is not None and run.arbiter_status == "ran":
        judge = {"model": call.model_returned or call.model, "prompt": call.prompt_version, "mode": gettext(run.mode)}
        return gettext("%(model)s, prompt %(prompt)s, %(mode)s mode") % judge
    if run.arbiter_status == "not_run" and run.status != "failed":
        return gettext("did not run; order by rules, %(mode)s mode") % {"mode": gettext(run.mode)}
    if run.arbiter_status != "ran":
        return judge_of_run(run)
    return gettext("Fixed rules, no language model") if run.arbiter == "rules" else judge_of_run(run)
