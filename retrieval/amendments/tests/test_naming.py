"""Which contract an amendment is about, where it says no more than its kind and its date."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.amendments.naming import head_word_of, is_named_by_date, naming_words
from retrieval.amendments.versions import find_versions
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.words.tokens import normalise_words


def contract(title: str, made: str, language: str = "en", number: int = 1) -> DocumentContent:
    return content_of_lines(
        [f"# {title}", made, "# 4. Fees", "4.1 The fee is 90 euro a month.", "# 5. Notice", "5.1 Notice is one month."],
        title=title,
        language=language,
        number=number,
    )


def amendment(title: str, made: str = "", language: str = "en", number: int = 2) -> DocumentContent:
    changes = {
        "en": "1. In clause 4.1 the words “90 euro” are replaced by “99 euro”.",
        "de": "1. In Ziffer 4.1 werden die Worte „90 euro“ durch die Worte „99 euro“ ersetzt.",
        "fr": "À l’article 4.1, les mots « 90 euro » sont remplacés par les mots « 99 euro ».",
        "es": "En la cláusula 4.1 se sustituyen las palabras «90 euro» por «99 euro».",
    }
    return content_of_lines([f"# {title}", made, changes[language]], title=title, language=language, number=number)


@pytest.mark.parametrize(
    ("language", "title", "made", "amending"),
    [
        ("en", "Consultancy Agreement", "Dated 3 May 2019", "Amendment No. 2 to the Agreement dated 3 May 2019"),
        ("en", "Consultancy Agreement", "Made on 3 May 2019", "Variation of the Agreement made on May 3, 2019"),
        ("en", "Lease of the north workshop", "Dated 3 May 2019", "Deed varying a Lease dated as of 3 May 2019"),
        ("en", "Services Contract No. 118", "Dated 3 May 2019", "Amendment to the Contract No. 118 of 3 May 2019"),
        ("de", "Pachtvertrag über Ackerland", "vom 2. März 2020", "Nachtrag Nr. 1 zum Pachtvertrag vom 02.03.2020"),
        ("de", "Pachtvertrag über Ackerland", "vom 2. März 2020", "Änderung des Vertrages vom 2. März 2020"),
        ("de", "Landpachtvertrag", "vom 2. März 2020", "2. Nachtrag zum bestehenden Pachtvertrag vom 2. März 2020"),
        ("fr", "Contrat de maintenance", "conclu le 8 mars 2021", "Avenant n° 1 au contrat du 8 mars 2021"),
        ("fr", "Bail commercial", "signé le 8 mars 2021", "Avenant n° 2 au bail initial en date du 8 mars 2021"),
        ("fr", "Convention d’assistance", "du 8 mars 2021", "Avenant à la convention d’assistance du 8 mars 2021"),
        ("es", "Contrato de suministro", "8 de marzo de 2021", "Adenda n.º 1 al contrato de fecha 8 de marzo de 2021"),
        ("es", "Contrato de obra", "8 de marzo de 2021", "Modificación del contrato de obra de 8 de marzo de 2021"),
    ],
)  # fmt: skip
def test_a_contract_is_known_by_its_kind_and_its_own_date(language: str, title: str, made: str, amending: str) -> None:
    target, changing = contract(title, made, language), amendment(amending, language=language)
    (fee,) = find_versions([target, changing])
    assert fee.clause == "4.1" and fee.each[-1].in_force.change == "replaced"


@pytest.mark.parametrize(
    ("language", "title", "made", "amending"),
    [
        ("en", "Consultancy Agreement", "Dated 4 May 2019", "Amendment No. 2 to the Agreement dated 3 May 2019"),
        ("en", "Consultancy Agreement", "Dated 3 May 2019", "Amendment No. 2 to the Loan Agreement dated 3 May 2019"),
        ("en", "Consultancy Agreement", "Dated 3 May 2019", "Amendment No. 2 to the Lease dated 3 May 2019"),
        ("en", "Consultancy Agreement", "Dated 3 May 2019", "This Agreement dated 3 May 2019 amends another"),
        ("en", "Consultancy Agreement", "Dated 3 May 2019", "Amendment Agreement dated 3 May 2019"),
        ("en", "Consultancy Agreement", "Dated 3 May 2019", "Amendment to the Agreement. Signed on 3 May 2019"),
        ("en", "Services Contract No. 118", "Dated 3 May 2019", "Amendment to the Contract No. 119 of 3 May 2019"),
        ("en", "Consultancy Agreement", "Undated", "Amendment No. 2 to the Agreement dated 3 May 2019"),
        ("en", "Consultancy Agreement", "under the Agreement of 3 May 2019", "Change of the Agreement of 3 May 2019"),
        ("de", "Pachtvertrag über Ackerland", "vom 2. März 2020", "Nachtrag zum Mietvertrag vom 2. März 2020"),
        ("de", "Pachtvertrag", "vom 2. März 2020", "Nachtrag zum Pachtvertrag, unterzeichnet am 3. März 2020"),
        ("de", "Unterpachtvertrag", "zum Pachtvertrag vom 2. März 2020", "Nachtrag zum Pachtvertrag vom 2. März 2020"),
        ("fr", "Contrat de maintenance", "conclu le 8 mars 2021", "Avenant n° 1 au contrat de prêt du 8 mars 2021"),
        ("fr", "Contrat de maintenance", "conclu le 8 mars 2021", "Avenant n° 1 du 8 mars 2021"),
        ("es", "Contrato de suministro", "de 8 de marzo de 2021", "Adenda al contrato de obra de 8 de marzo de 2021"),
    ],
)  # fmt: skip
def test_another_kind_or_another_date_is_another_contract(language: str, title: str, made: str, amending: str) -> None:
    target, changing = contract(title, made, language), amendment(amending, language=language)
    assert not is_named_by_date(changing, target)


def test_nothing_is_linked_where_two_contracts_have_the_date() -> None:
    first, second = (
        contract("Consultancy Agreement", "Dated 3 May 2019"),
        contract("Supply Agreement", "3 May 2019", number=3),
    )
    third = contract("Supply Agreement", "Dated 9 May 2019", number=4)
    changing = amendment("Amendment No. 2 to the Agreement dated 3 May 2019")
    assert find_versions([first, second, changing]) == ()
    (fee,) = find_versions([first, third, changing])
    assert {each.document_id for each in fee.each} == {first.document_id, changing.document_id}


def test_the_one_with_the_whole_title_goes_before_one_of_the_same_date() -> None:
    supply, both = contract("Supply Agreement", "3 May 2019"), contract("Agreement on supply", "3 May 2019", number=3)
    changing = amendment("Amendment to the Supply Agreement dated 3 May 2019")
    assert is_named_by_date(changing, both)
    (fee,) = find_versions([supply, both, changing])
    assert fee.each[-1].document_id == supply.document_id


def test_a_title_alone_names_no_contract_of_another_date_than_the_one_that_is_said() -> None:
    older = contract("Supply Agreement", "Dated 9 May 2017")
    assert find_versions([older, amendment("Amendment to the Supply Agreement dated 3 May 2019")]) == ()
    assert find_versions([older, amendment("Amendment to the Supply Agreement", "Signed on 3 May 2019")]) != ()


def test_what_replaces_a_clause_stands_before_it() -> None:
    changing = amendment("Nachtrag Nr. 1 zum Vertrag vom 2. März 2020", language="de")
    result = retrieve(
        "Wie hoch ist die fee a month?",
        [contract("Pachtvertrag über Ackerland", "vom 2. März 2020", "de"), changing],
        settings=SETTINGS,
        arbiter="rules",
    )
    kept = [each for each in result.kept() if "euro" in each.quote.text]
    assert "99 euro" in kept[0].quote.text and [each.document_id for each in kept].count(changing.document_id) == 1


def test_a_clause_of_one_word_of_the_question_stays_an_answer_and_gives_way_to_what_replaces_it() -> None:
    agreement = content_of_lines(
        ["# Hire Agreement", "Dated 3 May 2019", "4.1 The fee is 90 euro.", "5.1 The notice is one month.",
         "6.1 The keeper cleans the hall.", "7.1 The keys are returned."],
        title="Hire Agreement", number=1,
    )  # fmt: skip
    changing = content_of_lines(
        ["# Amendment No. 1 to the Agreement dated 3 May 2019",
         "1. In clause 5.1 the words “one month” are replaced by “ten weeks”."],
        title="Amendment No. 1", number=2,
    )  # fmt: skip
    result = retrieve("Which notice applies?", [agreement, changing], settings=SETTINGS, arbiter="rules")
    quotes = {each.quote.text: each.verdict.role for each in result.kept()}
    assert [role for text, role in quotes.items() if "ten weeks" in text] == ["primary"]
    assert [role for text, role in quotes.items() if "is one month" in text] == ["supporting"]


@pytest.mark.parametrize("wording", naming_words().alternatives, ids=lambda each: f"{each.file}-{each.section}")
def test_each_wording_finds_its_examples_and_no_counter_example(wording) -> None:  # type: ignore[no-untyped-def]
    expression = naming_words().alone(wording)
    for text in wording.examples:
        assert expression.match(text), text
    for text in wording.counter_examples:
        assert not expression.match(text), text


@pytest.mark.parametrize(
    ("title", "language", "head"),
    [
        ("The Warehouse Lease", "en", "lease"),
        ("Lease of the workshop", "en", "lease"),
        ("Mietvertrag Nr. 7 über Garagen", "de", "mietvertrag"),
        ("Contrat de bail", "fr", "contrat"),
        ("Bail commercial", "fr", "bail"),
        ("2021", "en", ""),
    ],
)
def test_the_head_of_a_title_says_what_it_is(title: str, language: str, head: str) -> None:
    assert head_word_of(normalise_words(title), language) == head


@pytest.mark.parametrize(
    ("title", "written", "is_sure"),
    [
        ("Credit Agreement", ["1. Clause 4.1 of the Security Agreement is deleted."], False),
        ("Credit Agreement", ["1. Clause 4.1 of the Credit Agreement is deleted."], True),
        ("Credit Agreement", ["1. Clause 4.1 of the Existing Agreement is deleted."], True),
        ("Lease Agreement", ["1. Clause 4.1 of the Lease is deleted."], True),
        ("Lease Agreement", ["1. Clause 4.1 of the Parent Guaranty (the “Lease Guaranty”) is deleted."], False),
        ("Credit Agreement", ["1. The Security Agreement is amended as follows: clause 4.1 is deleted."], False),
        ("Credit Agreement", ["1. The Security Agreement is amended as follows:", "(a) Clause 4.1 is deleted."], False),
        ("Credit Agreement", ["# 2. Amendments to the Parent Guaranty", "2.1 Clause 4.1 is deleted."], False),
        ("Credit Agreement", ["# 2. Amendments to the Credit Agreement", "2.1 Clause 4.1 is deleted."], True),
        ("Credit Agreement", ["# 2. Points discussed", "2.1 Clause 4.1 is deleted."], False),
        ("Credit Agreement", ["# Recitals", "A. Clause 4.1 is deleted."], False),
        ("Credit Agreement", ["# Recitals", "A. The parties agree:", "1. Clause 4.1 is deleted."], True),
    ],
)
def test_a_clause_of_another_contract_and_what_is_not_agreed_take_nothing_away(
    title: str, written: list[str], is_sure: bool
) -> None:
    name = f"First Amendment to the {title} dated 3 May 2019"
    changing = content_of_lines([f"# {name}", *written], title=name, number=2)
    (fee,) = find_versions([contract(title, "Dated 3 May 2019"), changing])
    assert (fee.each[-1].in_force.change == "deleted") is is_sure
