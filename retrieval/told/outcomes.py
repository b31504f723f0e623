"""How a question, a part of one, a document or a field ended: one name for each outcome, on every page."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from retrieval.types import UNANSWERED


class Outcome(NamedTuple):
    """A state of the visual language (ok, busy, warn, fail) and the name of the outcome."""

    kind: str
    words: Promise | str


OUTCOMES = {
    "found": Outcome("ok", _("Found")),
    "passages": Outcome("info", _("Passages found")),  # found, as far as fixed rules can tell: see as_judged
    "partly": Outcome("warn", _("Partly found")),
    "weak": Outcome("warn", _("No clear answer")),
    "not_found": Outcome("warn", _("Not found")),
    "cannot_tell": Outcome("warn", _("Cannot tell")),
    "clarify": Outcome("warn", _("Asked back")),
    "unjudged": Outcome("warn", _("Not judged")),
    "not_read": Outcome("warn", _("Not read")),
    "stopped": Outcome("warn", _("Stopped")),
    "failed": Outcome("fail", _("Failed")),
    # A reviewer's verdict that does not agree takes the place of what the program said, see chat.objections.
    "judged_wrong": Outcome("fail", _("Judged wrong")),
    "judged_incomplete": Outcome("warn", _("Judged incomplete")),
    "judged_unsupported": Outcome("fail", _("Judged unsupported")),
    "judged_absent": Outcome("fail", _("Judged not there")),
    "judged_overruled": Outcome("fail", _("Overruled")),
    "queued": Outcome("busy", _("Waiting")),
    "running": Outcome("busy", _("Running")),
    "empty": Outcome("info", _("Empty")),
}
# What the names mean, for whoever meets them for the first time.
MEANINGS = {
    "found": _("The documents say it: each sentence or quote is tied to literal words on a page."),
    "passages": _(
        "Fixed rules found passages that say much of what you asked; no language model has read them. Each quote is"
        " literal, but whether it answers is for you to judge."
    ),
    "partly": _("A part of what you asked is answered. The answer names what is missing."),
    "weak": _(
        "There are passages that may be about it, and none that clearly answers: read them and judge for yourself."
        " “Not found” would mean that everything was looked through and no passage answers."
    ),
    "not_found": _(
        "Everything that can be read was looked through, and no passage answers. See which words were looked for; if"
        " the documents may use others, ask with those. “No clear answer” would mean that some passages may be about"
        " it."
    ),
    "cannot_tell": _(
        "No passage that could be read answers, and something could not be read or was not searched, so it may still be"
        " there. The answer names what was left out: look there."
    ),
    "clarify": _("The question can mean several things, so it was asked back before it was answered."),
    "unjudged": _("Passages were found and nobody judged them."),
    "not_read": _("This document was not read, so nothing was asked of it."),
    "stopped": _("Somebody stopped the question before its answer was complete."),
    "judged_wrong": _("A reviewer compared the answer with the pages and found it wrong."),
    "judged_incomplete": _("A reviewer compared the answer with the pages and found that something is missing."),
    "judged_unsupported": _("A reviewer compared the answer with the pages and found that they do not say it."),
    "judged_absent": _(
        "A reviewer found that the documents do not have what was asked: its answer should be Not found."
    ),
    "judged_overruled": _("A reviewer decided otherwise on the passage that decides this answer."),
    "failed": _("Something broke before there was an answer. That says nothing about the documents."),
}
ANSWERS = {"clarification": "clarify"} | {kind: kind for kind in UNANSWERED}  # kinds of answers with another outcome


def outcome_named(code: str) -> Outcome:
    """The outcome of a code; one that nobody foresaw is shown as it is."""
    return OUTCOMES.get(code) or Outcome("fail", code)


def as_judged(outcome: str, judge: str) -> str:
    """A find that no language model judged is not called an answer; `judge` is that of a run, "" if nobody knows."""
    if outcome != "found" or judge in ("", "model"):
        return outcome
    return "unjudged" if judge == "nobody" else "passages"


def outcome_code(
    *,
    status: str = "",
    kind: str = "",
    ended: str = "complete",
    state: str = "",
    is_partial: bool = False,
    judge: str = "",
) -> str:
    """The outcome of a question from what is stored of it: its run's status and judge, its answer's kind and end.

    A model that read the passages may still say that they do not contain the answer.
    """
    if state in ("queued", "running", "failed"):
        return state
    if state == "stopped" or ended == "stopped":
        return "stopped"
    if status not in ("", "found"):
        return status
    if kind in ANSWERS:
        return ANSWERS[kind]
    if is_partial or ended != "complete":
        return "partly"
    return as_judged("found", judge) if status or kind else "empty"
