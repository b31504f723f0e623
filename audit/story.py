"""A run in a few plain sentences, so that somebody new to it knows what happened before reading any table."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.disagreement import KEPT_ROLES
from audit.outcomes import METHOD_NAMES
from audit.reviewing import RunReviews
from chat.models import Answer
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.types import METHODS

WORDS_TOLD = 6
REFUSED = ("tangential", "discarded")


def story_of(
    run: RetrievalRun, candidates: Sequence[RunCandidate], answer: Answer | None, citations: int, reviews: RunReviews
) -> tuple[str, ...]:
    """From the question to the answer, one sentence a step."""
    if run.status == "failed":
        return (_("The question was asked, but its search failed before it was judged: nothing was answered."),)
    return (
        *reading(run),
        *searching(run, candidates),
        *judging(run, candidates),
        answering(run, answer, citations),
        reviewed(reviews),
    )


def reading(run: RetrievalRun) -> Iterator[str]:
    words = [keyword["text"] for keyword in run.parsed.get("keywords", [])]
    told = ", ".join(f"“{word}”" for word in words[:WORDS_TOLD]) + (" …" if len(words) > WORDS_TOLD else "")
    if words:
        sentence = ngettext(
            "The question was read as the words %(words)s, which were looked for in %(count)s document.",
            "The question was read as the words %(words)s, which were looked for in %(count)s documents.",
            len(run.scope),
        )
        yield sentence % {"words": told, "count": len(run.scope)}


def searching(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Iterator[str]:
    found = [name for name in METHODS if run.hit_counts.get(name)]
    if not found:
        yield _("No detector found anything.")
        return
    told = {
        "hits": sum(run.hit_counts.values()),
        "detectors": ", ".join(str(METHOD_NAMES[name]).lower() for name in found),
    }
    yield _("%(hits)s places matched, by %(detectors)s.") % told
    if candidates:
        merged = ngettext(
            "Merged, they became %(count)s candidate.", "Merged, they became %(count)s candidates.", len(candidates)
        )
        yield merged % {"count": len(candidates)}
    else:
        yield _("None of them was worth judging.")


def judging(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Iterator[str]:
    if not candidates:
        return
    kept = sum(candidate.role in KEPT_ROLES for candidate in candidates)
    refused = sum(candidate.role in REFUSED for candidate in candidates)
    told = {"kept": kept, "refused": refused}
    if run.arbiter_status == "not_run":
        yield _("The arbiter did not run, so nobody judged them; their order is by rules.")
    elif run.arbiter == "model":
        yield _("A language model judged all of them together: it kept %(kept)s and refused %(refused)s.") % told
    elif run.arbiter == "rules":
        yield _("Fixed rules judged all of them: they kept %(kept)s and refused %(refused)s.") % told
    else:
        yield _("Nobody judged them: the base has that switched off, and their order is that of the search.")


def answering(run: RetrievalRun, answer: Answer | None, citations: int) -> str:
    if answer is None:
        return _("No answer was stored.")
    if run.status in ("not_found", "cannot_tell"):
        return _("So the answer was that the documents do not say it.")
    if run.status == "clarify":
        return _("So the program asked back instead of answering.")
    if answer.kind in (Answer.Kind.NOT_FOUND, Answer.Kind.CANNOT_TELL):
        return _("On reading them the model said that they do not hold the answer.")
    told = ngettext(
        "The answer cites %(count)s passage, literally.", "The answer cites %(count)s passages, literally.", citations
    )
    return told % {"count": citations}


def reviewed(reviews: RunReviews) -> str:
    if not len(reviews):
        return _("Nobody has reviewed it yet.")
    verdict = reviews.of(None).standing
    if verdict is None:
        return _("A review has begun; the answer has no verdict yet.")
    return _("%(name)s’s verdict on the answer: %(outcome)s.") % {
        "name": verdict.reviewer_name,
        "outcome": verdict.get_outcome_display().lower(),
    }
