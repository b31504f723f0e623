"""The generated base says what its facts claim, and the tally sees a run that does not add up."""

from dataclasses import replace

import pytest

from benchmarks.full_search import SETTINGS, Tally, line_words, pick
from benchmarks.generated import FACTS_EACH, PAGES, make_facts, make_pages, shelve_agreements
from retrieval.corpus import retrieve_among
from retrieval.types import RetrievalResult

AGREEMENTS = 12


def test_a_planted_fact_is_said_once_and_an_absent_one_nowhere() -> None:
    facts = make_facts(FACTS_EACH)
    planted: dict[int, list[str]] = {}
    for fact in facts:
        if fact.document is not None:
            planted.setdefault(fact.document, []).append(fact.sentence)
    texts = [" ".join(line for page in make_pages(number, planted[number]) for line in page) for number in planted]
    whole = " ".join(texts)
    assert all(whole.count(fact.sentence) == 1 for fact in facts if fact.sentence)
    sites = {fact.question.split(" at the ")[1].split(" site")[0]: fact for fact in facts}
    assert len(sites) == FACTS_EACH + FACTS_EACH // 2, "a near miss names the site of a planted fact"
    missing = [site for site, fact in sites.items() if fact.document is None and not fact.is_near]
    assert len(missing) == FACTS_EACH // 2 and not any(site in whole for site in missing)
    assert facts == make_facts(FACTS_EACH), "the same at every run"


def test_planted_and_absent_ones_are_picked_alike() -> None:
    kinds = [(fact.document is not None, fact.is_near) for fact in pick(make_facts(FACTS_EACH), 8)]
    assert kinds == [(True, False)] * 4 + [(False, False)] * 2 + [(False, True)] * 2


@pytest.mark.django_db
def test_the_tally_sees_what_does_not_add_up() -> None:
    [fact] = [fact for fact in make_facts(FACTS_EACH) if fact.document == 3]
    base = shelve_agreements(AGREEMENTS, [fact])
    assert shelve_agreements(AGREEMENTS, [fact]) == base, "none is made twice"
    tally = Tally(base, {document.pk: line_words(document) for document in base})
    result = retrieve_among(fact.question, base, settings=SETTINGS, arbiter="rules")
    tally.add(fact, lambda text: result)
    figures = tally.figures()
    assert figures["outcomes"]["planted"] == {"found": 1} and figures["planted_answered_right"] == 1
    assert (figures["lists_all"], figures["wrong_counts"]) == (1, 0)
    [word, *words] = result.searched
    wrong: list[RetrievalResult] = [
        replace(result, searched=(replace(word, count=0 if word.count else 1), *words)),
        replace(result, coverage=replace(result.coverage, pages=PAGES)),
        replace(result, documents=result.documents[1:]),
    ]
    answers = iter(wrong)
    for _ in wrong:
        tally.add(fact, lambda text: next(answers))
    figures = tally.figures()
    assert figures["wrong_counts"] == 3 and figures["lists_all"] == 0.75
