"""What is read from a question, against the vocabulary of the document it is asked of."""

from dataclasses import asdict, replace

import pytest

from documents.storage.content import DocumentContent
from reading.wording import Wording
from retrieval.question.kinds import answer_rules
from retrieval.question.parse import QUESTION_MAX, owners_named, parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import ConceptTerm, ConceptTerms, Keyword
from retrieval.words.lexicon import is_foreign_to, lexicon_of


def keywords(text: str, content: DocumentContent, priority: str = "primary") -> list[str]:
    return [keyword.text for keyword in parse_question(text, [content]).keywords if keyword.priority == priority]


def test_topic_words_are_primary_and_framing_words_secondary(policy: DocumentContent) -> None:
    question = "What was the company's annual premium in 2024?"
    assert keywords(question, policy) == ["premium"]
    assert keywords(question, policy, "secondary") == ["company", "annual"]
    assert parse_question(question, [policy]).years == ("2024",)


LEDGER = content_of_lines(
    [
        ("1930 Bank 48.215,10", "table_row"),
        ("2098 Result brought forward 12.480,50-", "table_row"),
        "Paid in 2098 Result.",
    ]
)


@pytest.mark.parametrize(
    ("question", "years", "identifiers"),
    [
        ("What is the balance of account 2098?", (), ["2098"]),
        ("What is the balance of account no. 2098 in 2025?", ("2025",), ["2098"]),
        ("Quel est le solde du compte 1930 ?", (), ["1930"]),
        ("Welchen Saldo hat Konto-Nr. 1930 im Jahr 2024?", ("2024",), ["1930"]),
        ("How much is 2098 result brought forward?", (), ["2098"]),
        ("How much was credit note 312?", (), ["312"]),
        ("How much was invoice no. 20417 of March?", (), ["20417"]),
        ("May I order 500 boxes?", (), []),
        ("How much is 1930 Bank?", (), ["1930"]),
        ("How much was the result of 2098?", ("2098",), []),
        ("What was the 1930 result?", ("1930",), []),
        ("What do the accounts 2025 say?", ("2025",), []),
    ],
)
def test_a_number_that_names_a_thing_is_no_year(question: str, years: tuple[str, ...], identifiers: list[str]) -> None:
    asked = parse_question(question, [LEDGER])
    assert asked.years == years
    assert [each.text for each in asked.keywords if each.source == "identifier"] == identifiers


BERTHS = content_of_lines(
    [
        *((f"Berth {number} 1,113 357", "table_row") for number in range(1, 4)),
        *((f"December {day} 5 6", "table_row") for day in (30, 31)),
        ("Pier 4 900 800", "table_row"),
        "Section 2 and section 3 apply.",
    ]
)


@pytest.mark.parametrize(
    ("question", "identifiers"),
    [
        ("What did Berth 2 take?", ["Berth 2"]),
        ("What did berth 44 take?", ["berth 44"]),  # there is none, and it is missed
        ("What did Berth 2.5 take?", ["2.5"]),
        ("What did Pier 4 take?", []),  # one row alone names no kind of thing
        ("What was due on December 31?", []),
        ("What does section 2 say?", []),
    ],
)
def test_a_name_with_a_number_as_rows_begin_with_is_a_code(question: str, identifiers: list[str]) -> None:
    asked = parse_question(question, [BERTHS])
    assert [each.text for each in asked.keywords if each.source == "identifier"] == identifiers


def test_a_name_of_stop_words_is_missed_by_nobody_who_prints_it() -> None:
    """An option's name, for example; the same words without a hyphen say nothing."""
    options = content_of_lines(
        ["before-all runs a command before any wheels are built.", "test-skip leaves tests out."]
    )

    def named(question: str) -> list[str]:
        return [each.text for each in parse_question(question, [options]).keywords if each.source == "identifier"]

    assert named("What does the option before-all do?") == ["before-all"]
    assert named("What does before all do?") == named("What does after-all do?") == named("Is test-skip there?") == []


def test_framing_words_alone_are_what_is_asked(policy: DocumentContent) -> None:
    assert keywords("What is the total amount per year?", policy) == ["total", "amount", "per", "year"]


def test_the_documents_own_name_is_no_topic(policy: DocumentContent) -> None:
    assert keywords("Does Policy cover floods?", policy) == ["cover", "floods"]


def test_forms_are_the_inflections_the_document_has(policy: DocumentContent) -> None:
    cover = next(keyword for keyword in parse_question("covering", [policy]).keywords)
    assert set(cover.forms) == {"covering", "cover", "covers"}


@pytest.mark.parametrize(
    ("text", "identifier", "form"),
    [
        ("What is d_model?", "d_model", "dmodel"),
        ("What does ID.AM-06 say?", "ID.AM-06", "id am 06"),
        ("Explain 3.2.1", "3.2.1", "3 2 1"),
        ("Which SP 800-53 controls apply?", "800-53", "800 53"),
        ("Is there a 10-K?", "10-K", "10k"),
        ("Is the supplier certified to ISO 14001?", "ISO 14001", "iso 14001"),
        ("Gilt HRB 12345 noch?", "HRB 12345", "hrb 12345"),
    ],
)
def test_identifiers_keep_their_forms(policy: DocumentContent, text: str, identifier: str, form: str) -> None:
    """R17."""
    found = [keyword for keyword in parse_question(text, [policy]).keywords if keyword.source == "identifier"]
    assert [keyword.text for keyword in found] == [identifier]
    assert form in found[0].forms


@pytest.mark.parametrize("text", ["Is EUR 500 due?", "What was the GDP 2024?", "WHAT DOES CLAUSE 12 SAY?"])
def test_capitals_before_a_number_are_no_code_of_their_own(policy: DocumentContent, text: str) -> None:
    assert [each.text for each in parse_question(text, [policy]).keywords if each.source == "identifier"] == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Which fee is due for a boat of 12.5 metres?", []),
        ("Welche Gebühr gilt für ein Boot von 12,5 Metern oder 12.500 kg?", []),
        ("Is a 7.5-tonne lorry let in?", []),
        ("Is 2.5 % interest due on €12.50, EUR 12.50 or 1.5 million?", []),
        ("What does clause 12.5 say?", ["12.5"]),
        ("What does section 12.5 metres apart say?", ["12.5"]),
        ("What does 12.5 say of 12.5 metres?", ["12.5"]),
        ("Is ISO 12.5 met?", ["12.5"]),
        ("What does 12.5.1 m say?", ["12.5.1"]),
    ],
)
def test_a_number_that_is_measured_is_no_code(policy: DocumentContent, text: str, codes: list[str]) -> None:
    assert [each.text for each in parse_question(text, [policy]).keywords if each.source == "identifier"] == codes


def test_two_words_are_one_when_the_document_writes_them_so() -> None:
    content = content_of_lines(["The value dmodel is 512."])
    found = parse_question("What is the value of d model?", [content]).keywords[0]
    assert (found.source, found.forms) == ("identifier", ("dmodel", "d model"))


def test_a_slip_is_corrected_and_said(policy: DocumentContent) -> None:
    """R16."""
    question = parse_question("What is the notise of terminaton?", [policy])
    assert question.corrected == "What is the notise of termination?"
    assert question.notes == ("Read “terminaton” as “termination”.",)


def test_a_word_the_document_lacks_stays_as_it_is(policy: DocumentContent) -> None:
    assert keywords("What is the revenue?", policy) == ["revenue"]


@pytest.mark.parametrize(("language", "is_found"), [("und", True), ("en", False)])
def test_a_foreign_word_matches_its_look_alike_where_nobody_knows_the_language(
    policy: DocumentContent, language: str, is_found: bool
) -> None:
    """ "Anticipée" is no "anticipated", nor "effectif" "effective"."""
    question = parse_question("Quelle est la période ?", [replace(policy, language=language)])
    assert question.language == "fr"
    own = [keyword for keyword in question.keywords if keyword.is_own]
    assert ("period" in {form for keyword in own for form in keyword.forms}) is is_found


@pytest.mark.parametrize(
    ("asked", "topic", "found"),
    [
        ("Quelle est la durée du service ?", ("duree", "service"), {"services"}),
        ("Quelle est la fin du terme ?", ("fin", "terme"), set()),
        ("Wofür zahlt Acme die Gebühr?", ("zahlt", "gebuhr"), {"acme"}),
        ("Wofür zahlt Acme die Borde?", ("zahlt", "borde"), {"acme", "borden"}),
        ("Welches Recht gilt für Acmes Kunden?", ("recht", "acmes", "kunden"), {"acme"}),
        ("Wann endet und wann beginnt das Audit?", ("endet", "beginnt", "audit"), set()),
        ("Combien coûte un compte ?", ("compte",), set()),
        ("Wie hoch ist sie im ersten Jahr?", ("hoch", "ersten", "jahr"), set()),
    ],
)
def test_of_another_language_plurals_are_found_and_only_listed_words_frame(
    asked: str, topic: tuple[str, ...], found: set[str]
) -> None:
    text = "The services run during the term; Acme pays a fine at the end (Acme zahlt die Gebühren, Borden)."
    content = replace(content_of_lines(["# 1", text], language="en"), title="Acme")
    read = parse_question(asked, [content])
    assert read.topic_words == topic
    own = {form for each in read.keywords if each.is_own for form in each.forms}
    assert own & {*lexicon_of(content).lines} - {"zahlt"} == found


def test_without_a_document_no_language_is_another() -> None:
    assert parse_question("Wann haftet der Lieferant?", []).topic_words == ("haftet", "lieferant")
    assert not is_foreign_to([], "de")


def test_several_words_that_the_dictionary_carries_together_are_one() -> None:
    content = content_of_lines(["# 1", "Confidential information is not disclosed."], language="en")
    terms = (ConceptTerm("confidential information", "en"), ConceptTerm("informations confidentielles", "fr"))
    asked = "Comment sont protégées les informations confidentielles ?"
    read = parse_question(asked, [content], [ConceptTerms("secrecy", terms)])
    assert read.topic_words == ("protegees", "informations")
    french = content_of_lines(["# 1", "Les informations sont gardées."], language="fr")
    read = parse_question(asked, [french], [ConceptTerms("secrecy", terms)])
    assert read.topic_words == ("protegees", "informations", "confidentielles", "confidential information")


def test_the_dictionary_adds_every_name_of_a_concept(policy: DocumentContent) -> None:
    """R17."""
    concept = ConceptTerms(
        "premium", (ConceptTerm("premium", "en"), ConceptTerm("prime annuelle", "fr", "secondary", 0.5))
    )
    found = {k.text: k for k in parse_question("How much is the prime annuelle?", [policy], [concept]).keywords}
    assert found["premium"].source == "dictionary"
    assert found["premium"].group == "premium"
    assert "prime annuelle" not in {k.text for k in parse_question("floods?", [policy], [concept]).keywords}


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("What is the break fee?", {"break fee", "cancellation fee", "exit charges"}),
        ("What is the break fee, not the cancellation fee?", {"break fee", "exit charges"}),
        ("What is the break fee, excluding exit charge and cancellation fees?", {"break fee"}),
        ("What is the break fee, not the fee for lost keys?", {"exit charges"}),
    ],
)
def test_the_dictionary_adds_nothing_that_is_left_out(policy: DocumentContent, text: str, added: set[str]) -> None:
    """R24."""
    terms = ("break fee", "cancellation fee", "exit charges")
    concept = ConceptTerms("termination", tuple(ConceptTerm(term, "en") for term in terms))
    found = {each.text for each in parse_question(text, [policy], [concept]).keywords if each.source == "dictionary"}
    assert found == added


@pytest.mark.parametrize(
    ("text", "shape", "answer_type", "intent"),
    [
        ("How much is the premium?", "single", "amount", "field_extraction"),
        ("When does the cover begin?", "single", "date", "field_extraction"),
        ("What percentage is paid back?", "single", "percentage", "field_extraction"),
        ("List all the exclusions", "listing", "text", "listing"),
        ("Who signs the notice?", "single", "person", "field_extraction"),
        ("Is flood covered?", "single", "boolean", "field_extraction"),
        ("Why is flood covered?", "single", "explanation", "open_scoped"),
        ("What happens if we exit early?", "single", "text", "conditional_lookup"),
        ("What does page 2 say?", "single", "text", "section_retrieval"),
        ("What is a deductible?", "single", "definition", "field_extraction"),
        ("How often is the policy reviewed?", "single", "frequency", "field_extraction"),
        ("How fast is a claim settled?", "single", "duration", "field_extraction"),
        ("How fast must damage be reported?", "single", "duration", "field_extraction"),
        ("How fast may a boat of 750 kg go?", "single", "number", "field_extraction"),
        ("How heavy may a parcel be?", "single", "number", "field_extraction"),
        ("How deep must the trench be dug?", "single", "number", "field_extraction"),
        ("How many claims per hour may we file?", "single", "rate", "field_extraction"),
    ],
)
def test_it_reads_shape_type_and_intent(
    policy: DocumentContent, text: str, shape: str, answer_type: str, intent: str
) -> None:
    question = parse_question(text, [policy])
    assert (question.shape, question.answer_type, question.intent) == (shape, answer_type, intent)


@pytest.mark.parametrize("text", ["What's the cap?", "The limit?", "What is it?", "???", ""])
def test_a_vague_question_is_asked_back(policy: DocumentContent, text: str) -> None:
    assert parse_question(text, [policy]).clarification


@pytest.mark.parametrize("text", ["dropout rate?", "framework", "What does it say on page 3?", "What is the premium?"])
def test_a_short_but_clear_question_is_not(policy: DocumentContent, text: str) -> None:
    assert not parse_question(text, [policy]).clarification


def test_parts_need_a_topic_each(policy: DocumentContent) -> None:
    assert len(parse_question("What is the premium and who signs the notice?", [policy]).parts) == 2
    assert parse_question("What is the premium and what is the amount?", [policy]).parts == ()


def test_a_huge_question_is_cut_and_read(policy: DocumentContent) -> None:
    question = parse_question("premium " * 10_000, [policy])
    assert len(question.original) <= QUESTION_MAX
    assert question.keywords[0].text == "premium"


def test_a_section_is_named_only_if_the_document_has_it(policy: DocumentContent) -> None:
    assert parse_question('What does the section "Termination" say?', [policy]).hints.section == "Termination"
    assert parse_question("WSJ section 23?", [policy]).hints.section == ""


@pytest.mark.parametrize("wording", answer_rules().alternatives, ids=lambda each: f"{each.file} {each.examples[0]}")
def test_every_sign_of_an_answer_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = answer_rules().alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


def test_what_is_normalised_once_is_no_part_of_the_record(policy: DocumentContent) -> None:
    question = parse_question("What is the Prämie in the section “Fees”?", [policy])
    assert "pramie" in question.topic_form
    assert not {"topic_form", "section_form"} & asdict(question).keys()
    assert replace(question, topic="The Façade").topic_form == "the facade"


@pytest.mark.parametrize(
    ("text", "shape", "listed", "count", "is_count"),
    [
        ("What are the three instalments of the premium?", "listing", "instalments", 3, False),
        ("Which fees apply after six months?", "listing", "fees", 0, False),
        ("How many instalments are there?", "single", "instalments", 0, True),
        ("How many days of leave are there?", "single", "", 0, False),
        ("Combien de mois de préavis faut-il ?", "single", "", 0, False),
        ("Quelles sont les trois primes ?", "listing", "primes", 3, False),
        ("List the fees, each with its amount.", "nested", "fees", 0, False),
        ("What is the hierarchy of the fees?", "tree", "hierarchy", 0, False),
        ("What is the premium from 30 March 2024 onward?", "single", "", 0, False),
    ],
)
def test_what_is_listed_or_counted_is_told(
    policy: DocumentContent, text: str, shape: str, listed: str, count: int, is_count: bool
) -> None:
    question = parse_question(text, [policy])
    found = (question.shape, question.listed, question.listed_count, question.is_count)
    assert found == (shape, listed, count, is_count)


@pytest.mark.parametrize(
    ("topic", "language", "owners"),
    [
        ("What is the fee for late delivery of cargo ships?", "en", [("late", "delivery"), ("cargo", "ships")]),
        ("What is the deposit for a boat, in euros?", "en", [("boat",)]),
        ("Which fees, for example reminder fees, are due?", "en", []),
        ("Which fees, because of which boats are sold, are due?", "en", []),
        ("Quelle est la pénalité pour la livraison d'hélicoptères ?", "fr", [("livraison",), ("helicopteres",)]),
        ("Wie hoch ist die Strafe für die Lieferung von Hubschraubern?", "de", [("lieferung",), ("hubschraubern",)]),
        ("¿Cuál es la multa por la entrega de helicópteros?", "es", [("helicopteros",)]),
        ("What is the fare to Rio de Janeiro?", "en", []),
        ("Was kostet die Fahrt nach Rio de Janeiro?", "de", []),
    ],
)
def test_it_reads_what_a_thing_belongs_to(topic: str, language: str, owners: list[tuple[str, ...]]) -> None:
    assert owners_named(topic, language) == owners


def test_the_words_that_ask_for_a_duration_are_not_searched(policy: DocumentContent) -> None:
    assert "long" not in keywords("How long is the premium due?", policy)
    assert "long" in keywords("What is a long premium?", policy)


def test_keywords_of_one_group_are_kept_together(policy: DocumentContent) -> None:
    known = parse_question("Which annual premium is due?", [policy])
    added = Keyword("contribution", ("contribution",), "dictionary", group="premium")
    question = replace(known, keywords=(*known.keywords, added))
    assert [tuple(each.text for each in group) for group in question.groups] == [
        ("annual",), ("premium", "contribution"), ("due",)
    ]  # fmt: skip
    assert question.topic_words == ("premium", "due"), "“annual” only frames the topic"


def test_a_question_is_read_anew_for_each_document(policy: DocumentContent) -> None:
    """The document decides what is a slip, so no reading is kept for the next one (R26)."""
    text = "What is the notice of terminaton?"
    other = content_of_lines(["Terminaton is how this author spells it.", "The terminaton is at once."])
    first, second, third = (parse_question(text, [content]) for content in (policy, other, policy))
    assert (first.corrected, second.corrected) == ("What is the notice of termination?", text)
    assert first == third and first is not third


@pytest.mark.parametrize(
    ("lines", "primary"),
    [
        (["# Payment", "❏ Direct debit", "✔ Invoice"], ["payment"]),
        (["# Payment", "❏ Direct debit", "✔ Invoice", "The payment that is ticked applies."], ["payment", "ticked"]),
        (["# Payment", "Payment is by invoice."], ["payment", "ticked"]),  # no form: nothing there is ticked
    ],
)
def test_what_is_done_to_an_option_frames_the_question_of_a_form(lines: list[str], primary: list[str]) -> None:
    assert keywords("Which payment was ticked?", content_of_lines(lines)) == primary


@pytest.mark.parametrize(
    ("lines", "forms"),
    [
        (["All is paid in euros."], {"euros"}),
        (["All is paid in euros.", "For each day of delay USD 500 are due."], set()),
        (["All is paid in euros.", "For each day of delay $500 are due."], set()),
    ],
)
def test_a_currency_is_said_by_its_name_where_there_is_one(lines: list[str], forms: set[str]) -> None:
    (keyword,) = parse_question("Currency", [content_of_lines(lines)]).keywords
    assert {"euros", "usd"} & {*keyword.forms} == forms
