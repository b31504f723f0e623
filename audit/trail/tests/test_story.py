"""A run in sentences: each way it may have gone, one and many, words cut short, and never a claim the record lacks."""

from typing import Any

import pytest
from django.utils import translation

from audit.models import Review
from audit.review.reviewing import Reviews, RunReviews
from audit.trail.story import (
    ADDED_TOLD,
    WORDS_TOLD,
    answer_sentence,
    describe_review,
    judgement_sentences,
    parts_sentences,
    quote_words,
    search_sentences,
    story_of,
    words_sentences,
)
from chat.models import Answer
from retrieval.models import RetrievalRun, RunCandidate


def run(**fields: Any) -> RetrievalRun:
    default = {
        "status": "found",
        "arbiter": "rules",
        "arbiter_status": "ran",
        "parsed": {},
        "scope": [{}],
        "hit_counts": {},
    }
    return RetrievalRun(**(default | {"searched": [], "coverage": {}, "plan": {}, "hits": []} | fields))


def keywords(**words: list[str]) -> dict[str, Any]:
    return {"keywords": [{"text": text, "source": source} for source, texts in words.items() for text in texts]}


def candidates(*roles: str) -> list[RunCandidate]:
    return [RunCandidate(role=role) for role in roles]


@pytest.mark.parametrize(
    ("count", "told", "words"),
    [
        (0, 3, ""),
        (1, 3, "“w0”"),
        (3, 3, "“w0”, “w1”, “w2”"),
        (4, 3, "“w0”, “w1”, “w2” and 1 more"),
        (50, 2, "“w0”, “w1” and 48 more"),
    ],
)
def test_words_are_cut_short(count: int, told: int, words: str) -> None:
    assert quote_words([f"w{number}" for number in range(count)], told) == words


@pytest.mark.parametrize(
    ("parsed", "documents", "told"),
    [
        ({}, 1, []),
        (keywords(direct=["rent"]), 1, ["In 1 document the search looked for the words of the question: “rent”."]),
        (
            keywords(direct=["rent"]) | {"years": ["2019"]},
            1,
            ["In 1 document the search looked for the words of the question: “rent”, “2019”."],
        ),
        (
            keywords(direct=["rent"], identifier=["A-1"]),
            2,
            ["In 2 documents the search looked for the words of the question: “rent”, “A-1”."],
        ),
        (keywords(dictionary=["lease"]), 1, ["The dictionary added words of the same meaning: “lease”."]),
        (keywords(llm_rewrite=["fee"]), 1, ["A language model added words of the same meaning: “fee”."]),
        (
            keywords(direct=["100 %s %(x)s"]),
            1,
            ["In 1 document the search looked for the words of the question: “100 %s %(x)s”."],
        ),
    ],
)  # fmt: skip
def test_what_was_looked_for(parsed: dict[str, Any], documents: int, told: list[str]) -> None:
    assert list(words_sentences(run(parsed=parsed, scope=[{}] * documents))) == told


def test_of_a_comparison_the_words_and_documents_of_its_sides_are_told() -> None:
    sides = [{"name": name, "asked": "notice", "document_ids": [name]} for name in ("lease", "policy")]
    parsed = keywords(direct=["compare", "lease", "policy", "notice"]) | {"sides": sides}
    searched = [{"text": "notice", "count": 2, "forms": ["notice"], "carried": []}]
    told = "In 2 documents the search looked for the words of the question: “notice”."
    assert list(words_sentences(run(parsed=parsed, searched=searched, scope=[{}] * 3))) == [told]


def test_many_words_are_counted_and_not_listed() -> None:
    parsed = keywords(direct=["a"] * (WORDS_TOLD + 2), dictionary=["b"] * (ADDED_TOLD + 5))
    own, added = words_sentences(run(parsed=parsed))
    assert own.endswith("and 2 more.") and added.endswith("and 5 more.")


@pytest.mark.parametrize(
    ("counts", "searched", "roles", "told"),
    [
        ({}, [], [], ["No detector found anything."]),
        ({"titles": 0}, [], ["primary"], ["No detector found anything."]),
        ({"oracle": 5}, [], [], ["No detector found anything."]),
        ({"titles": 1}, [], ["primary"], [
            "There was 1 hit: 1 in titles of sections.",
            "Hits at one place belong together, which left 1 candidate.",
        ]),
        ({"keywords": 2, "titles": 1}, [], ["primary"] * 2, [
            "There were 3 hits: 1 in titles of sections, 2 by keywords.",
            "Hits at one place belong together, which left 2 candidates.",
        ]),
        ({"vectors": 2}, [{"count": 0}], [], [
            "None of these words stands there; 2 passages are near the question in meaning.",
            "Where no word searched stands anywhere, nearness alone is no evidence, so nothing was judged.",
        ]),
        ({"vectors": 1}, [{"count": 0}, {"count": 3}], ["primary"], [
            "There was 1 hit: 1 near in meaning.",
            "Hits at one place belong together, which left 1 candidate.",
        ]),
        ({"vectors": 1}, [], ["primary"], [
            "There was 1 hit: 1 near in meaning.",
            "Hits at one place belong together, which left 1 candidate.",
        ]),
    ],
)  # fmt: skip
def test_what_was_found(counts: dict[str, int], searched: list[Any], roles: list[str], told: list[str]) -> None:
    assert list(search_sentences(run(hit_counts=counts, searched=searched), candidates(*roles))) == told


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"arbiter": "model"}, "A language model judged all of them together: it kept 2 and refused 1."),
        ({"arbiter": "rules"}, "Fixed rules judged all of them: they kept 2 and refused 1."),
        ({"arbiter": "rerank"}, "Nobody judged them: a reranking model"),
        ({"arbiter": "none"}, "Nobody judged them: the base has that switched off"),
        ({"arbiter": "model", "arbiter_status": "not_run"}, "The arbiter did not run"),
    ],
)
def test_who_judged_and_how_much_was_kept(fields: dict[str, str], words: str) -> None:
    [told] = judgement_sentences(run(**fields), candidates("primary", "supporting", "discarded", "unjudged"))
    assert told.startswith(words)
    assert list(judgement_sentences(run(**fields), [])) == []


@pytest.mark.parametrize(
    ("status", "kind", "citations", "words"),
    [
        ("found", None, 0, "No answer was stored."),
        ("not_found", None, 0, "No answer was stored."),
        ("not_found", "not_found", 0, "So the answer was “not found”."),
        ("cannot_tell", "cannot_tell", 0, "So the answer was that it cannot be told"),
        ("clarify", "clarification", 0, "So the program asked back"),
        ("found", "not_found", 0, "On reading them the model said"),
        ("found", "generated", 1, "The answer gives 1 quote, word for word"),
        ("found", "extractive", 3, "The answer gives 3 quotes, word for word"),
        ("found", "generated", 0, "The answer gives 0 quotes"),
    ],
)
def test_what_was_answered(status: str, kind: str | None, citations: int, words: str) -> None:
    asked = run(status=status)
    assert answer_sentence(asked, Answer(run=asked, kind=kind) if kind else None, citations).startswith(words)


def reviewed(*outcomes: str) -> Reviews:
    return Reviews(tuple(Review(outcome=outcome, reviewer_name="Ada") for outcome in outcomes))


@pytest.mark.parametrize(
    ("reviews", "words"),
    [
        ({}, "No person has reviewed it yet."),
        ({7: reviewed("agree")}, "A review has begun; the answer has no verdict yet."),
        ({None: reviewed("agree")}, "Ada’s verdict on the answer: agree."),
        ({None: reviewed("agree", "wrong")}, "Ada’s verdict on the answer: wrong."),  # the last one stands
        ({None: Reviews((), (Review(outcome="agree"),))}, "A review has begun; the answer has no verdict yet."),
    ],
)
def test_what_people_said(reviews: dict[int | None, Reviews], words: str) -> None:
    assert describe_review(RunReviews(reviews)) == words


def test_a_run_that_failed_claims_nothing() -> None:
    [told] = story_of(run(status="failed", hit_counts={"titles": 3}), candidates("primary"), None, 0, RunReviews())
    assert "failed before it was judged" in told


def test_a_question_back_tells_of_no_search() -> None:
    told = story_of(run(status="clarify"), [], Answer(kind="clarification"), 0, RunReviews())
    assert not any("detector" in each for each in told) and len(told) == 2


def test_words_of_the_question_keep_their_accents() -> None:
    asked = run(question="Combien étaient présents ?", parsed=keywords(direct=["presents"]))
    told = story_of(asked, [], Answer(run=asked, kind="not_found"), 0, RunReviews())
    assert any("“présents”" in each for each in told)


def test_a_story_is_told_in_the_language_of_the_reader() -> None:
    asked = run(parsed=keywords(direct=["rent"], dictionary=["lease"]), hit_counts={"titles": 2})
    arguments = (asked, candidates("primary"), Answer(run=asked, kind="generated"), 1, RunReviews())
    english = story_of(*arguments)
    with translation.override("fr"):
        french = story_of(*arguments)
    assert len(english) == len(french) == 7 and not set(english) & set(french)
    assert "“rent”" in " ".join(english) and "«\u00a0rent\u00a0»" in " ".join(french)


def test_a_further_pass_for_a_list_is_told() -> None:
    asked = run(hit_counts={"keywords": 3}, hits=[{"fetched": True}, {"fetched": False}, {}])
    told = story_of(asked, candidates("primary"), Answer(run=asked, kind="extractive"), 1, RunReviews())
    assert "A list was not complete, so the search looked once more and added 1 place." in told


def test_what_became_of_each_part_is_told_unless_all_was_found() -> None:
    found = {"subject": "rent", "kind": "independent", "outcome": "found", "missing": [], "candidate_ids": ["p1-l1-1"]}
    lost = found | {"subject": "shoe size", "outcome": "not_found", "missing": ["shoe"], "candidate_ids": []}
    told = [list(parts_sentences(run(plan={"parts": parts}), None)) for parts in ([], [found, found], [found, lost])]
    words = (
        "The question has parts. Passages found: rent. Not found: shoe size – no page that was read mentions “shoe”."
    )
    assert told == [[], [], [words]]
    asked = run(plan={"parts": [found, lost | {"kind": "conditional"}]})
    [case] = parts_sentences(asked, None)
    assert case == words.replace("has parts", "names a case")
    item = {"asked": "rent", "outcome": "found", "code": "", "type": "", "reason": "", "missing": []}
    answer = Answer(run=asked, items=[item, item | {"asked": "shoe size", "outcome": "not_found", "missing": ["shoe"]}])
    assert [*parts_sentences(asked, answer)] == [case]
