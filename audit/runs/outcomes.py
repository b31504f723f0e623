"""How a run ended and who judged it, in the words of the pages."""

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from retrieval.models import RetrievalRun
from retrieval.told.outcomes import OUTCOMES

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


class MethodWords(NamedTuple):
    """What proposes a place: its name, how many hits it had, and of a detector what it looks for."""

    name: "_StrPromise"
    hits: "_StrPromise"
    looks_for: "_StrPromise | str" = ""


RUN_STATUSES = ("found", "weak", "not_found", "cannot_tell", "clarify", "failed")
STATUSES = {status: OUTCOMES[status].words for status in RUN_STATUSES}
ARBITERS = {
    "model": _("Language model"),
    "rules": _("Fixed rules"),
    "rerank": _("Reranking model"),
    "none": _("Nobody, order of the search"),
}
ROLE_NAMES = {
    "primary": _("Primary"),
    "supporting": _("Supporting"),
    "tangential": _("Tangential"),
    "discarded": _("Discarded"),
}
METHOD_WORDS = {
    "titles": MethodWords(_("Titles"), _("%(count)s in titles of sections"), _("words in titles of sections")),
    "keywords": MethodWords(_("Keywords"), _("%(count)s by keywords"), _("words in the text")),
    "patterns": MethodWords(_("Patterns"), _("%(count)s by the form of the answer"), _("values of the form asked for")),
    "vectors": MethodWords(_("Vectors"), _("%(count)s near in meaning"), _("passages near in meaning")),
    "pinned": MethodWords(_("Page named"), _("%(count)s on the page the question names")),
    "whole": MethodWords(_("Passed whole"), _("%(count)s because all of so short a document is judged")),
    "references": MethodWords(_("References"), _("%(count)s where another passage points")),
    "requested": MethodWords(_("Asked for by the model"), _("%(count)s where the model asked to look")),
    "outline": MethodWords(_("Main parts"), _("%(count)s as a main part of its document")),
}
METHOD_NAMES = {method: words.name for method, words in METHOD_WORDS.items()}
REPAIR_NAMES = {"exact": _("literal"), "truncated": _("shortened"), "rejected": _("rejected"), "none": _("not quoted")}


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
        judge = {"model": call.answered_by, "prompt": call.prompt_version, "mode": gettext(run.mode)}
        return gettext("%(model)s, prompt %(prompt)s, %(mode)s mode") % judge
    if run.arbiter_status == "not_run" and run.status != "failed":
        return gettext("did not run; order by rules, %(mode)s mode") % {"mode": gettext(run.mode)}
    if run.arbiter_status != "ran":
        return judge_of_run(run)
    return gettext("Fixed rules, no language model") if run.arbiter == "rules" else judge_of_run(run)
