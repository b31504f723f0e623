"""How far a question is, stage by stage, and what was done for its answer in one line, in the asker's words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from chat.writing.phrases import count_in_words
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.search import MODEL_ARBITERS
from retrieval.types import KEPT_ROLES, METHODS

STAGE_NAMES = {
    "parsed": gettext_lazy("Question"),
    "plan": gettext_lazy("Plan"),
    "hits": gettext_lazy("Search"),
    "candidates": gettext_lazy("Passages"),
    "arbiter": gettext_lazy("Judgement"),
    "written": gettext_lazy("Answer"),
}
SECONDS_MIN = 0.1


@dataclass(frozen=True)
class Stage:
    """One cell of the progress strip: done, now or todo."""

    key: str
    name: str
    detail: str
    state: str


def waiting_stages() -> list[Stage]:
    """The strip of a question nobody has begun with."""
    names = list(STAGE_NAMES.items())
    return [Stage(key, str(name), "\u2013", "todo" if number else "now") for number, (key, name) in enumerate(names)]


def finished_stages(run: RetrievalRun, candidates: Sequence[RunCandidate], written: str) -> list[Stage]:
    """The strip of a question that was answered, `written` after so long, or that ended before."""
    details = stage_details(run, candidates) | {"written": written}
    return [
        Stage(key, str(name), details[key], "done" if details[key] else "todo") for key, name in STAGE_NAMES.items()
    ]


def stage_details(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> dict[str, str]:
    """A word or figure for each stage of a run; "" for a stage not reached."""
    is_failed = run.status == "failed"
    places = sum(run.hit_counts.values()) if run.hit_counts else 0
    keywords = run.parsed.get("keywords")
    return {
        "parsed": "" if keywords is None else count_in_words(len(keywords), "search word"),
        "plan": count_in_words(count_searches(run), "search") if run.plan.get("flags") else "",
        "hits": "" if is_failed else count_in_words(places, "place"),
        "candidates": "" if is_failed else count_in_words(len(candidates), "passage"),
        "arbiter": "" if is_failed else judged_words(run, sum(each.role in KEPT_ROLES for each in candidates)),
    }


def say_stage(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a browser shows of a stage that a worker told in figures: its detail, or that it begins, with a note."""
    name = told["name"]
    if not told.keys().isdisjoint(("done", "detail", "begins")):  # of a full search; told by an older worker
        return told
    if told.get("started"):
        return {"name": name, "begins": True} | ({"note": note} if (note := stage_note(told)) else {})
    details = {
        "parsed": ("keywords", "search word"),
        "plan": ("detectors", "search"),
        "hits": ("hits", "place"),
        "candidates": ("candidates", "passage"),
    }
    if name in details:
        figure, noun = details[name]
        return {"name": name, "detail": count_in_words(told.get(figure, 0), noun)}
    return {"name": name, "detail": kept_in_words(told.get("kept", 0))}


def stage_note(told: Mapping[str, Any]) -> str:
    """What to know of a stage that takes a while; "" of the others."""
    if told.get("is_checked"):
        return gettext("What appears now is a draft: it is checked against its quotes before it becomes the answer.")
    if told.get("again"):
        return gettext("The model asked to see more, which was looked up; a second call reads it with the rest.")
    if not told.get("of") or told.get("arbiter") not in MODEL_ARBITERS:
        return ""
    words = ngettext(
        "The model reads at most %(count)s passage. The question is kept if you leave this page.",
        "The model reads at most %(count)s passages. The question is kept if you leave this page.",
        told["of"],
    )
    return words % {"count": told["of"]}


def count_searches(run: RetrievalRun) -> int:
    """How many kinds of search the plan enabled, as shown while it ran; `methods_used` has only those with hits."""
    return sum(flag["on"] for flag in run.plan.get("flags", ()) if flag["name"] in METHODS)


def judged_words(run: RetrievalRun, kept: int) -> str:
    if run.arbiter_status == "not_run":
        return gettext("did not run")
    return kept_in_words(kept) if run.arbiter_status == "ran" else gettext("not needed")


def kept_in_words(count: int) -> str:
    return gettext("%(count)s kept") % {"count": count}


def describe_work(run: RetrievalRun, cited: int, passages: int, written: str) -> str:
    """What was done for an answer: the documents searched, the passages cited of those found, the time it took.

    A repeated answer and an outline were not searched for.
    """
    coverage = run.coverage if run.status != "clarify" and not run.repeat and count_searches(run) else {}
    documents = coverage.get("documents", 0)
    part = coverage["read"] + coverage["counted"] if "read" in coverage else documents
    if part < documents:
        words = ngettext(
            "Searched %(part)s of %(count)s document", "Searched %(part)s of %(count)s documents", documents
        )
    else:
        words = ngettext("Searched %(count)s document", "Searched %(count)s documents", documents)
    searched = words % {
        "count": number_format(documents, force_grouping=True),
        "part": number_format(part, force_grouping=True),
    }
    told = {"cited": cited, "all": number_format(passages, force_grouping=True)}
    found = (
        ngettext("cited %(cited)s of %(all)s passage", "cited %(cited)s of %(all)s passages", passages) % told
        if cited
        else count_in_words(passages, "passage")
    )
    work = [searched if documents else "", found if passages else ""]
    took = gettext("took %(time)s") % {"time": written} if written and not any(work) else written
    return ", ".join(filter(None, [*work, took]))


def in_seconds(seconds: float) -> str:
    """A time as people read it: "0.8 s"."""
    return gettext("%(seconds)s s") % {"seconds": number_format(round(max(seconds, SECONDS_MIN), 1), 1)}
