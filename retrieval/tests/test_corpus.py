"""Which documents of a large base are read, by SQL inside the scope."""

from collections.abc import Callable

import numpy as np
import pytest

from documents.base_settings import BaseSettings
from documents.cards.types import Card
from documents.cards.versions import edit_card
from documents.models import Document, KnowledgeBase, Parse
from documents.naming import rename_document
from documents.storage.store import copy_vectors
from llm.embeddings.bundled import MODEL_KEY, embed_texts, is_available
from retrieval import corpus
from retrieval.accounting import RANKED_BY_CARD
from retrieval.conftest import Keep
from retrieval.corpus import (
    DOCUMENTS_MAX,
    Shortlist,
    account_of_scope,
    content_for,
    retrieve_among,
    search_chosen,
    searched_phrases,
    shortlist,
)
from retrieval.full_search import search_each
from retrieval.pipeline import carry_out
from retrieval.question.parse import parse_question
from retrieval.search import SearchOptions
from retrieval.tests.builders import SETTINGS
from retrieval.types import ABSENT, ConceptTerm, ConceptTerms, ScopeAccount
from retrieval.words.at_scale import rank_by_words
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db
WITHOUT = BaseSettings(embeddings="none")
BY_WORDS = SearchOptions(WITHOUT)


def many(keep: Keep, count: int = DOCUMENTS_MAX + 5) -> list[Document]:
    return [
        keep(f"Filler {number}", f"# Weather\n\nIt rained in region {number} on that long and quiet day.")
        for number in range(count)
    ]


def embed(document: Document) -> None:
    parse = document.current_parse
    assert isinstance(parse, Parse)
    passages = list(parse.passages.order_by("index"))
    copy_vectors(parse, MODEL_KEY, passages, np.asarray(embed_texts([passage.text for passage in passages])))
    parse.embedding_model = MODEL_KEY
    parse.save(update_fields=["embedding_model"])


def test_a_few_documents_are_all_read(keep: Keep) -> None:
    documents = [keep("One", "# A\n\nThe premium is due."), keep("Two", "# B\n\nNothing.")]
    assert shortlist("premium", documents, BY_WORDS).chosen == tuple(documents)


def test_of_many_the_ones_with_the_words_are_read(keep: Keep) -> None:
    """R104."""
    documents = many(keep)
    wanted = keep("Terms", "# Fees\n\nThe cancellation fees are forty dollars.")
    chosen = shortlist("What is the cancellation fee?", [*documents, wanted], BY_WORDS).chosen
    assert len(chosen) == DOCUMENTS_MAX
    assert wanted in chosen


def test_of_many_the_one_that_is_named_is_read(keep: Keep) -> None:
    documents = many(keep)
    wanted = keep("Zanzibar treaty", "# A\n\nIt rained.")
    assert wanted in shortlist("What does the Zanzibar treaty say?", [*documents, wanted], BY_WORDS).chosen


@pytest.mark.parametrize(
    ("card", "asked"),
    [
        (Card("invoice"), "What do the invoices say?"),
        (Card("letter", ("Oxwich Haulage Ltd",)), "What did Oxwich Haulage write?"),
        (Card("report", period="2019"), "What is told of 2019?"),
    ],
)
def test_of_many_the_one_whose_card_says_what_is_asked_is_read(keep: Keep, card: Card, asked: str) -> None:
    """(R15) By its type, a party or its period; none of these words stands in its text."""
    documents = [*many(keep), keep("Scan 7", "# A\n\nIt snowed.")]
    assert documents[-1] not in shortlist(asked, documents, BY_WORDS).chosen
    edit_card(documents[-1], card)
    Document.objects.filter(pk=documents[-1].pk).update(title="Scan 7")  # a card may name it, which chooses as well
    chosen = shortlist(asked, list(Document.objects.order_by("created_at")), BY_WORDS)
    assert documents[-1] in chosen.chosen and chosen.reason_of(documents[-1]) == RANKED_BY_CARD


def test_of_many_the_nearest_in_meaning_is_read(keep: Keep) -> None:
    if not is_available():
        pytest.skip("the encoder's weights are not installed")
    documents = many(keep)
    wanted = keep("Deed", "# A\n\nEither party may terminate this contract by giving written notice.")
    for document in [*documents, wanted]:
        embed(document)
    assert (
        wanted in shortlist("How do I quit the agreement early?", [*documents, wanted], SearchOptions(SETTINGS)).chosen
    )


def test_the_order_of_the_documents_is_kept(keep: Keep) -> None:
    documents = many(keep)
    chosen = shortlist("region rain", documents, BY_WORDS).chosen
    assert list(chosen) == [document for document in documents if document in chosen]


def test_a_document_that_was_renamed_is_recorded_and_accounted_for_under_its_new_name(keep: Keep) -> None:
    keep("Handbook", "# Fees\n\nThe yearly fee is 5 euros.")
    told = []
    for title in ("Handbook", "Rules of 2027"):
        rename_document(Document.objects.get(), title)
        result = retrieve_among("What is the yearly fee?", list(Document.objects.all()), settings=WITHOUT)
        told.append((result.scope[0]["title"], result.documents[0].title))
    assert told == [("Handbook", "Handbook"), ("Rules of 2027", "Rules of 2027")]


def test_no_row_outside_the_scope_is_looked_at(keep: Keep) -> None:
    """R101."""
    other = KnowledgeBase.objects.create(name="Other")
    secret = keep("Secret", "# Fees\n\nThe cancellation fees are a secret.", other)
    documents = many(keep)
    assert secret not in shortlist("What is the cancellation fee?", documents, BY_WORDS).chosen
    account = account_for("What is the cancellation fee?", documents, documents[:1])
    assert account.counts == {"cancellation": 0, "fee": 0}


def account_for(
    text: str, documents: list[Document], read: list[Document], dictionary: tuple[ConceptTerms, ...] = ()
) -> ScopeAccount:
    """The account of a scope of which some documents are read, whatever was asked."""
    contents = content_for(read)
    question = parse_question(text, contents, dictionary)
    return account_of_scope(documents, contents, Shortlist(tuple(read), {}), question)


def test_absence_is_shown_over_documents_that_were_not_read(keep: Keep) -> None:
    documents = many(keep)
    hidden = keep("Hidden", "# A\n\nEarthquakes are covered.")
    account = account_for("Are earthquakes covered?", [*documents, hidden], documents[:1])
    assert (len(account.documents), account.counts["earthquakes"]) == (len(documents) + 1, 1)
    only = Shortlist((documents[0],), {})
    options = SearchOptions(WITHOUT, arbiter="rules")
    result = carry_out(search_chosen("What about earthquakes?", [*documents, hidden], only, options))
    assert result.searched[0].count == 1


def test_first_pages_that_are_dropped_from_memory_are_read_again(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may drop them at any time, and so does a base with more documents than are kept."""
    monkeypatch.setattr(corpus, "COVERS_MAX", 1)
    one, other = keep("One", "# Fees\n\nThe fee."), keep("Other", "# Notice\n\nThe notice.")
    assert [name.cover for name in corpus.read_document_names([one])] == ["Fees The fee."]
    assert [name.cover for name in corpus.read_document_names([one, other])] == ["Fees The fee.", "Notice The notice."]


def test_a_question_without_words_chooses_something(keep: Keep) -> None:
    assert len(shortlist("???", many(keep), BY_WORDS).chosen) == DOCUMENTS_MAX


def test_a_document_that_was_not_read_is_left_out(keep: Keep) -> None:
    document = keep("One", "# A\n\nx")
    document.current_parse = None
    result = retrieve_among("x", [document], settings=WITHOUT)
    assert (result.scope, result.documents[0].state) == ((), "unreadable")


@pytest.mark.parametrize("state", ["waiting", "failed"])
def test_documents_of_one_name_are_not_compared_while_one_has_no_reading(keep: Keep, state: str) -> None:
    """What is not read would have no column, and nothing would say so."""
    documents = [keep(f"Lease of the {name}", f"# Rent\n\nThe rent of the {name} is due.") for name in ("mill", "barn")]
    asked = "Compare the leases on rent"
    assert retrieve_among(asked, documents, settings=WITHOUT, arbiter="rules").question.form == "compare"
    documents.append(keep("Lease of the shed", state=state))
    for search in (retrieve_among, search_each):
        result = search(asked, documents, settings=WITHOUT, arbiter="rules")
        assert result.question.form == "" and result.coverage.gaps


def test_of_a_company_and_year_only_those_documents_are_read(keep: Keep) -> None:
    reports = [keep(f"NIKE_{year}_10K", f"# Fees\n\nThe fees of {year}.") for year in (2018, 2019)]
    documents = [*many(keep), *reports]
    assert shortlist("What were the fees of Nike in FY2019?", documents, BY_WORDS).chosen == (reports[1],)
    assert list(shortlist("What were the fees of Nike?", documents, BY_WORDS).chosen) == reports


def test_a_few_documents_are_all_read_unless_the_year_is_named_too(keep: Keep) -> None:
    documents = [keep("NIKE_2019_10K", "# A\n\nx"), keep("ADOBE_2019_10K", "# A\n\ny")]
    assert list(shortlist("What are the fees of Nike?", documents, BY_WORDS).chosen) == documents
    assert list(shortlist("What are the fees of Nike in 2019?", documents, BY_WORDS).chosen) == documents[:1]


def test_the_company_on_the_first_page_chooses_too(keep: Keep) -> None:
    wanted = keep("000123-22", "# Annual report\n\nZenith Mills Company\n\nNothing else.")
    assert shortlist("Does Zenith Mills pay?", [*many(keep), wanted], BY_WORDS).chosen == (wanted,)


def test_where_the_named_document_is_silent_the_others_are_read(keep: Keep) -> None:
    reports = [keep("NIKE_2018_10K", "# A\n\nIt rained."), keep("NIKE_2019_10K", "# A\n\nNo earthquake was insured.")]
    result = retrieve_among(
        "Was an earthquake insured by Nike in 2018?", reports, settings=WITHOUT, arbiter="rules", mode="fast"
    )
    assert result.status == "weak"  # it tells of an earthquake, but not of 2018
    assert result.candidates[0].document_id == str(reports[1].pk)


def test_a_model_is_asked_once_about_the_documents_named(keep: Keep, serve: Callable[..., ScriptedLLM]) -> None:
    server = serve("good")
    silent = keep("NIKE_2018_10K", "# A\n\nIt insures the roof of the hall, and all of the walls that are in it.")
    telling = keep("NIKE_2019_10K", "# A\n\nNo earthquake was insured.")
    documents = [*many(keep), silent, telling]
    result = retrieve_among("Was an earthquake insured by Nike in 2018?", documents, settings=WITHOUT, arbiter="model")
    assert {seen["document_id"] for seen in result.scope} == {str(silent.pk)}
    assert result.status in ABSENT and len(server.requests) == 1


def test_what_no_document_has_is_not_found_anywhere(keep: Keep) -> None:
    reports = [keep("NIKE_2018_10K", "# A\n\nIt rained."), keep("NIKE_2019_10K", "# A\n\nIt was sunny.")]
    result = retrieve_among("Was an earthquake insured by Nike in 2018?", reports, settings=WITHOUT, arbiter="rules")
    assert result.status == "not_found"
    assert {word.text: word.count for word in result.searched}["earthquake"] == 0


CAPEX = (ConceptTerms("capex", (ConceptTerm("capex", ""), ConceptTerm("purchases of property and equipment", "en"))),)


def test_terms_of_the_dictionary_choose_documents_and_count_elsewhere(keep: Keep) -> None:
    documents = many(keep)
    wanted = keep("Flows", "# A\n\nPurchases of property and equipment were 12.")
    assert (
        wanted
        in shortlist("How high was capex?", [*documents, wanted], SearchOptions(WITHOUT, dictionary=CAPEX)).chosen
    )
    account = account_for("How high was capex?", [*documents, wanted], documents[:1], CAPEX)
    assert account.counts["capex"] == 1


def test_full_text_finds_french_with_and_without_accents(keep: Keep) -> None:
    text = "# Résiliation\n\nLe délai de préavis est de trois mois et la prime est remboursée à l'assuré dans ce cas."
    wanted = keep("Contrat", text)
    assert wanted.current_parse
    assert (wanted.current_parse.language, wanted.current_parse.search_config) == ("fr", "french")
    for question in ("Quel est le délai de préavis ?", "Quel est le delai de preavis ?", "Quels sont les délais ?"):
        assert rank_by_words(searched_phrases(question, ()), [wanted]).keys() == {wanted.pk}


def test_files_attached_to_documents_that_were_only_counted_are_a_gap(keep: Keep) -> None:
    """(R57)"""
    documents = many(keep)
    for document in documents:
        parse = document.current_parse
        assert parse is not None
        parse.note("attached", [[f"{document.title}.csv", "b" * 64]])
    result = retrieve_among("What about earthquakes?", documents, settings=WITHOUT, arbiter="rules")
    assert result.status == "cannot_tell" and "15 attached files were not read" in result.not_found_reason


@pytest.mark.parametrize(
    ("language", "asked", "said"),
    [
        ("th", "What about earthquakes?", "the words of a text in Thai cannot be told apart"),
        ("pl", "Kiedy wypada trzęsienie?", "words in Polish may not be found in every form"),
    ],
)
def test_no_absence_is_told_in_a_language_whose_words_or_forms_are_not_known(
    keep: Keep, language: str, asked: str, said: str
) -> None:
    """(R57) Of the documents that were only counted as well."""
    documents = many(keep)
    counted = documents[DOCUMENTS_MAX:] if language == "th" else documents
    Parse.objects.filter(document__in=counted).update(language=language)
    result = retrieve_among(asked, list(Document.objects.order_by("title")), settings=WITHOUT, arbiter="rules")
    assert result.status == "cannot_tell" and said in result.not_found_reason
