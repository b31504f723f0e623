"""A run in a few plain sentences, so that newcomers know what happened before reading any table."""

from collections import Counter
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.review.reviewing import RunReviews
from audit.runs.disagreement import REFUSED_ROLES
from audit.runs.outcomes import METHOD_WORDS
from chat.models import Answer
from chat.page.part_outcomes import KIND_WORDS, item_rows, part_rows
from chat.page.scope_table import FINDINGS, describe_scope
from documents.pages.phrasing import within_sentence
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.told.outcomes import OUTCOMES
from retrieval.told.planned import mark_each
from retrieval.told.searched import OF_THE_QUESTION, foreign_told, keywords_told
from retrieval.types import ABSENT, KEPT_ROLES
from retrieval.words.tokens import as_typed

WORDS_TOLD, ADDED_TOLD = 6, 3


def story_of(
    run: RetrievalRun, candidates: Sequence[RunCandidate], answer: Answer | None, citations: int, reviews: RunReviews
) -> tuple[str, ...]:
    """From the question to the answer, one sentence per step."""
    if run.status == "failed":
        return (_("The question was asked, but its search failed before it was judged: nothing was answered."),)
    return (
        *repeat_sentences(run),
        *words_sentences(run),
        *(search_sentences(run, candidates) if run.status != "clarify" else ()),
        *judgement_sentences(run, candidates),
        *parts_sentences(run, answer),
        answer_sentence(run, answer, citations),
        describe_review(reviews),
    )


def repeat_sentences(run: RetrievalRun) -> Iterator[str]:
    """That the answer was given before, and that the steps that follow were taken then."""
    if run.repeat:
        yield _(
            "The same question was answered before, on %(day)s, from the same documents with the same settings: that "
            "answer was given again, and nothing was searched, judged or written anew. It came about like this."
        ) % {"day": run.repeat["on"]}


def words_sentences(run: RetrievalRun) -> Iterator[str]:
    keywords, sides = keywords_told(run), run.parsed.get("sides", ())
    asked = [each["text"] for each in keywords if each["source"] in OF_THE_QUESTION]
    if sides:  # what is compared, and that it is, was searched on no side
        asked = [text for text in asked if any(text == word["text"] for word in run.searched)]
    own = [as_typed(text, run.question) for text in asked]
    own += [year for year in run.parsed.get("years", ()) if year not in own]
    count = len({each for side in sides for each in side["document_ids"]}) or len(run.scope)
    if own:
        sentence = ngettext(
            "In %(count)s document the search looked for the words of the question: %(words)s.",
            "In %(count)s documents the search looked for the words of the question: %(words)s.",
            count,
        )
        yield sentence % {"words": quote_words(own, WORDS_TOLD), "count": count}
    if foreign := foreign_told(run):
        yield foreign
    if alone := run.coverage.get("alone"):
        found = Counter(run.documents.exclude(finding=None).values_list("finding__status", flat=True))
        sentence = ngettext(
            "%(alone)s document was searched by itself (%(findings)s).",
            "%(alone)s documents were searched one by one (%(findings)s); those that say most were judged together.",
            alone,
        )
        told = ", ".join(f"{OUTCOMES[status].words}: {found[status]}" for status in FINDINGS if found[status])
        if told:  # of an erased run nothing is left to tell
            yield sentence % {"alone": alone, "findings": told}
    if run.coverage.get("counted") or run.coverage.get("unreadable_documents"):
        yield _("The scope has %(scope)s.") % {"scope": describe_scope(run.coverage)}
    lists = (("dictionary", _("The dictionary")), ("everyday", _("The list of everyday words")))
    for source, adder in (*lists, ("llm_rewrite", _("A language model"))):
        added = [keyword["text"] for keyword in keywords if keyword["source"] == source]
        if added:
            yield _("%(adder)s added words of the same meaning: %(words)s.") % {
                "adder": adder,
                "words": quote_words(added, ADDED_TOLD),
            }
    if learned := [keyword["text"] for keyword in keywords if keyword["source"] == "learned"]:
        words = _("It also looked for words learned from earlier questions, with less weight: %(words)s.")
        yield words % {"words": quote_words(learned, ADDED_TOLD)}


def quote_words(words: Sequence[str], told: int) -> str:
    """The first words in quotation marks, and how many more there are."""
    listed = mark_each(words[:told])
    more = len(words) - told
    return listed if more <= 0 else _("%(words)s and %(count)s more") % {"words": listed, "count": more}


def search_sentences(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Iterator[str]:
    found = {name: run.hit_counts[name] for name in METHOD_WORDS if run.hit_counts.get(name)}
    if not found:
        yield _("No detector found anything.")
        return
    hits = sum(found.values())
    how = ", ".join(str(METHOD_WORDS[name].hits) % {"count": count} for name, count in found.items())
    told = {"hits": hits, "how": how}
    if set(found) == {"vectors"} and run.searched and not any(word["count"] for word in run.searched):
        none = ngettext(
            "None of these words stands there; %(hits)s passage is near the question in meaning.",
            "None of these words stands there; %(hits)s passages are near the question in meaning.",
            hits,
        )
        yield none % told
    else:
        yield ngettext("There was %(hits)s hit: %(how)s.", "There were %(hits)s hits: %(how)s.", hits) % told
    if fetched := sum(bool(hit.get("fetched")) for hit in run.hits):
        again = ngettext(
            "A list was not complete, so the search looked once more and added %(count)s place.",
            "A list was not complete, so the search looked once more and added %(count)s places.",
            fetched,
        )
        yield again % {"count": fetched}
    if candidates:
        merged = ngettext(
            "Hits at one place belong together, which left %(count)s candidate.",
            "Hits at one place belong together, which left %(count)s candidates.",
            len(candidates),
        )
        yield merged % {"count": len(candidates)}
        if left := len(run.plan.get("left_out", [])):
            more = ngettext(
                "%(count)s more place was found and not judged; it is listed below the candidates.",
                "%(count)s more places were found and not judged; they are listed below the candidates.",
                left,
            )
            yield more % {"count": left}
    else:
        yield _("Where no word searched stands anywhere, nearness alone is no evidence, so nothing was judged.")


def judgement_sentences(run: RetrievalRun, candidates: Sequence[RunCandidate]) -> Iterator[str]:
    if not candidates:
        return
    kept = sum(candidate.role in KEPT_ROLES for candidate in candidates)
    refused = sum(candidate.role in REFUSED_ROLES for candidate in candidates)
    told = {"kept": kept, "refused": refused}
    if run.arbiter_status == "not_run":
        yield _("The arbiter did not run, so nobody judged them; their order is by rules.")
    elif run.arbiter == "model":
        if run.hit_counts.get("requested"):
            yield _("A language model judged them, asked to see more, and that was looked up once.")
        yield _("A language model judged all of them together: it kept %(kept)s and refused %(refused)s.") % told
    elif run.arbiter == "rules":
        yield _("Fixed rules judged all of them: they kept %(kept)s and refused %(refused)s.") % told
    elif run.arbiter == "rerank":
        yield _("Nobody judged them: a reranking model put them in order, as this base is set.")
    else:
        yield _("Nobody judged them: the base has that switched off, and their order is that of the search.")


def parts_sentences(run: RetrievalRun, answer: Answer | None) -> Iterator[str]:
    """What became of each part of the question, where not all of it was found."""
    rows = item_rows(answer) if answer else []
    rows = rows if len(rows) > 1 else part_rows(run)
    if any(row.why for row in rows):
        has_case = any(row.kind == str(KIND_WORDS["conditional"]) for row in part_rows(run))
        said = _("The question names a case. %(parts)s") if has_case else _("The question has parts. %(parts)s")
        yield said % {"parts": " ".join(row.line for row in rows)}


def answer_sentence(run: RetrievalRun, answer: Answer | None, citations: int) -> str:
    if answer is None:
        return _("No answer was stored.")
    if run.status == "not_found":
        return _("So the answer was “not found”.")
    if run.status == "weak":
        return _("None of them answers clearly enough, so the answer was only what comes nearest.")
    if run.status == "cannot_tell":
        return _("So the answer was that it cannot be told from what could be read.")
    if run.status == "clarify":
        return _("So the program asked back instead of answering.")
    if answer.kind in ABSENT:
        return _("On reading them the model said that they do not hold the answer.")
    if answer.is_partial:
        return ngettext(
            "The answer gives %(count)s quote, word for word as on the page, and says that a part is missing.",
            "The answer gives %(count)s quotes, word for word as on the page, and says that a part is missing.",
            citations,
        ) % {"count": citations}
    told = ngettext(
        "The answer gives %(count)s quote, word for word as on the page.",
        "The answer gives %(count)s quotes, word for word as on the page.",
        citations,
    )
    return told % {"count": citations}


def describe_review(reviews: RunReviews) -> str:
    if not len(reviews):
        return _("No person has reviewed it yet.")
    verdict = reviews.of(None).standing
    if verdict is None:
        return _("A review has begun; the answer has no verdict yet.")
    return _("%(name)s’s verdict on the answer: %(outcome)s.") % {
        "name": verdict.reviewer_name,
        "outcome": within_sentence(verdict.get_outcome_display()),
    }
