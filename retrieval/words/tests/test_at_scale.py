"""Words over many documents say what PostgreSQL's search over every passage says."""

import random
from functools import reduce
from operator import or_
from uuid import UUID

import pytest
from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Count, F, Max
from pytest_django import DjangoAssertNumQueries

from documents.models import Document, Parse, Passage, Word
from documents.storage.store import erase_parses, index_passages
from documents.storage.words import read_phrases
from retrieval.conftest import Keep
from retrieval.words import at_scale
from retrieval.words.at_scale import count_groups, rank_by_words

pytestmark = pytest.mark.django_db
SAID = "net income costs of goods sold long-term debt 10-K e-mail the insured insurance premium premiums 4.5 a/b it's"
PHRASES = [
    "net income",
    "income net",
    "cost of goods",
    "goods cost",
    "long-term debt",
    "term debt",
    "10-k",
    "e-mail",
    "insurance",
    "the premium",
    "4.5",
    "the of",
    "net net",
    "unheard of",
]


def made(keep: Keep, count: int = 8, seed: int = 1) -> list[Document]:
    """Documents of random words in several sections, so that words stand together by chance."""
    chance = random.Random(seed)
    return [
        keep(
            f"Made {number}",
            "\n\n".join(
                f"# Part {part}\n\n{' '.join(chance.choices(SAID.split(), k=chance.randint(1, 60)))}."
                for part in range(chance.randint(1, 6))
            ),
        )
        for number in range(count)
    ]


def query_of(phrases: list[str], config: str) -> SearchQuery:
    return reduce(or_, (SearchQuery(phrase, config=config, search_type="phrase") for phrase in phrases))


def asked_of_postgres(phrases: list[str], documents: list[Document]) -> tuple[dict[UUID, int], dict[UUID, float]]:
    """The number of passages with one of the phrases by parse, and the best rank by document."""
    counts, ranks = {}, {}
    for document in documents:
        parse = document.current_parse
        assert parse is not None
        query = query_of(phrases, parse.search_config)
        rows = Passage.objects.filter(parse=parse, search=query).order_by()
        found = rows.aggregate(count=Count("pk"), best=Max(SearchRank(F("search"), query)))
        if found["count"]:
            counts[parse.pk], ranks[document.pk] = found["count"], found["best"]
    return counts, ranks


def test_counts_are_those_of_a_search_over_the_passages(keep: Keep) -> None:
    """R55, R57: words are counted exactly, phrases by the places of their words."""
    documents = made(keep)
    chance = random.Random(2)
    groups = {phrase: [phrase] for phrase in PHRASES}
    groups |= {f"some {number}": chance.sample(PHRASES, 3) for number in range(12)}
    found = count_groups(groups, documents)
    for name, phrases in groups.items():
        assert found[name] == asked_of_postgres(phrases, documents)[0], name
    assert found["net income"] and found["cost of goods"] and not found["unheard of"]


def test_ranks_are_those_of_a_search_over_the_passages(keep: Keep) -> None:
    documents = made(keep)
    for phrases in (["income", "premium"], ["net", "debt", "long-term debt", "unheard"], ["insurance"]):
        ranks = asked_of_postgres(phrases, documents)[1]
        assert rank_by_words(phrases, documents) == pytest.approx(ranks, abs=2e-6)
    assert rank_by_words(["unheard of"], documents) == {} == rank_by_words([], documents)


def test_a_phrase_does_not_go_on_in_the_next_passage(keep: Keep) -> None:
    document = keep("Ends", "# A\n\nThe year of gross\n\n# B\n\nmargin was good.")
    assert count_groups({"gross margin": ["gross margin"]}, [document]) == {"gross margin": {}}


def test_words_follow_what_is_searched(keep: Keep) -> None:
    document = keep("Changed", "# A\n\nThe rent is due.")
    parse = document.current_parse
    assert isinstance(parse, Parse)
    assert count_groups({"rent": ["rent"]}, [document])["rent"] == {parse.pk: 1}
    index_passages(parse, [(parse.passages.get(text__contains="rent").index, "A lease, by the month")])
    assert count_groups({"rent": ["rent"], "lease": ["lease"]}, [document]) == {"rent": {}, "lease": {parse.pk: 1}}
    Document.objects.filter(pk=document.pk).update(current_parse=None)
    erase_parses(Parse.objects.filter(pk=parse.pk))
    assert not Word.objects.filter(parse_id=parse.pk).exists()


def test_the_commonest_words_are_left_out_of_a_ranking_that_would_read_too_much(
    keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [keep(f"Common {number}", "# A\n\nThe site is open.") for number in range(4)]
    rare = keep("Rare", "# A\n\nThe quarry is shut.")
    monkeypatch.setattr(at_scale, "PLACES_MAX", 3)
    assert list(rank_by_words(["site", "quarry"], [*documents, rare])) == [rare.pk]
    assert sum(count_groups({"site": ["site", "sites"]}, documents)["site"].values()) == 4


def test_a_scope_is_counted_in_a_few_queries(keep: Keep, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    documents = made(keep, 3)
    with django_assert_num_queries(3):
        count_groups({phrase: [phrase, "premium"] for phrase in PHRASES}, documents)


def test_phrases_of_stop_words_alone_say_nothing() -> None:
    assert read_phrases(["the of", "net income"], "english") == {"net income": (("net", 0), ("incom", 1))}


def test_runs_without_spaces_are_counted_by_their_pairs(keep: Keep) -> None:
    document = keep(
        "Storage",
        "# A\n\n保管料は、毎月の末日までに支払う。寄託者が\n解約するときは通知する。\n\n# B\n\n保証と管理と料金。",
    )
    found = count_groups(
        {"fee": ["保管 管料"], "broken": ["寄託 託者"], "other": ["管理 理料"], "word": ["通知"]}, [document]
    )
    parse = document.current_parse
    assert parse is not None
    assert found == {"fee": {parse.pk: 1}, "broken": {parse.pk: 1}, "other": {}, "word": {parse.pk: 1}}
