"""Types, shapes and vague words: what ships is data, and a base changes it row by row (R103)."""

import pytest

from documents.storage.content import DocumentContent
from retrieval.detectors.patterns import detect_patterns
from retrieval.question.kinds import ANSWER_TYPES, SHIPPED, ReadingRules, RuleRow, shipped_keys, shipped_rows
from retrieval.question.linear import check_pattern
from retrieval.question.parse import parse_question
from retrieval.question.values import ValueWording, value_wordings
from retrieval.tests.builders import content_of_lines

POLICY_NUMBER = (
    RuleRow("asks", "policy_number", "en", "policy number"),
    RuleRow("printed", "policy_number", "", r"\b[A-Z]{2}-\d{6}\b"),
)


@pytest.mark.parametrize("wording", value_wordings(), ids=lambda each: f"{each.file} {each.examples[0]}")
def test_every_value_is_found_in_its_examples_only(wording: ValueWording) -> None:
    assert [text for text in wording.examples if not wording.is_in(text)] == []
    assert [text for text in wording.counter_examples if wording.is_in(text)] == []


@pytest.mark.parametrize("wording", value_wordings(), ids=lambda each: f"{each.file} {each.examples[0]}")
def test_every_value_that_ships_keeps_the_limits_of_those_that_people_write(wording: ValueWording) -> None:
    assert check_pattern(wording.pattern) == wording.pattern


def test_every_row_that_ships_is_told_from_the_others() -> None:
    assert len(shipped_keys()) == len(shipped_rows()) > 100


@pytest.mark.parametrize(
    ("text", "answer_type"),
    [
        ("What is the postcode of the office?", "postcode"),
        ("To which address are notices sent?", "address"),
        ("Which party pays the premium?", "party"),
        ("In which capacity does she sign?", "role"),
        ("Who signs the notice?", "person"),
        ("Quelle est l’adresse du siège ?", "address"),
        ("Quel est le code postal du siège ?", "postcode"),
        ("Qui sont les parties ?", "party"),
        ("Wie lautet die Anschrift des Vermieters?", "address"),
        ("Wie lautet die Postleitzahl?", "postcode"),
        ("How does the policy address floods?", "explanation"),
        ("Is notice given at the registered address?", "boolean"),
        ("How much disk space does it need?", "number"),
        ("How much memory?", "number"),
        ("How much storage fee is due?", "amount"),
        ("Wie viel Strom wird verbraucht?", "number"),
        ("Wie viel Stromsteuer ist fällig?", "amount"),
        ("Combien de mémoire faut-il ?", "number"),
        ("¿Cuánto espacio se alquila?", "number"),
    ],
)
def test_the_words_that_ask_for_a_type(text: str, answer_type: str) -> None:
    """(R20)"""
    assert SHIPPED.type_of(text) == answer_type
    assert answer_type in ANSWER_TYPES


@pytest.mark.parametrize(
    ("text", "answer_type"),
    [
        ("How can I stop the e-mail?", "explanation"),
        ("How do I change my e-mail address?", "explanation"),
        ("How is the due date determined?", "explanation"),
        ("How is the fee calculated?", "explanation"),
        ("How many e-mails may I send?", "number"),
        ("How much does the website cost?", "amount"),
        ("Who sets the date?", "person"),
        ("When is the e-mail sent?", "date"),
        ("Which party receives the e-mail?", "party"),
        ("What is the subject of the e-mail?", "text"),
        ("What happens if the e-mail bounces?", "text"),
        ("Wie kann ich die E-Mails abbestellen?", "explanation"),
        ("Wie ändere ich meine E-Mail-Adresse?", "explanation"),
        ("Wer verschickt die E-Mail?", "person"),
        ("Nenne den Betreff der E-Mail", "text"),
        ("Comment arrêter les courriels ?", "explanation"),
        ("Qui envoie le courriel ?", "person"),
        ("¿Cómo puedo cancelar el correo electrónico?", "explanation"),
        ("¿Qué pasa si el correo electrónico se pierde?", "text"),
        ("如何确定交货日期？", "explanation"),
        ("支払期日はどのように決まりますか。", "explanation"),
    ],
)
def test_a_noun_that_something_else_is_asked_about_tells_no_type(text: str, answer_type: str) -> None:
    """(R20)"""
    assert SHIPPED.type_of(text) == answer_type


@pytest.mark.parametrize(
    ("text", "answer_type"),
    [
        ("What is the e-mail?", "email"),
        ("Which e-mail is for claims?", "email"),
        ("How can I contact the office by e-mail?", "email"),
        ("By what date must it be paid?", "date"),
        ("How did the effective date change?", "date"),
        ("How high is the interest rate?", "percentage"),
        ("Wie ist die Telefonnummer des Vermieters?", "phone"),
        ("Wie erreiche ich den Dienst per E-Mail?", "email"),
        ("Bis wann muss die E-Mail beantwortet werden?", "date"),
        ("Comment joindre le service par e-mail ?", "email"),
        ("¿Cuál es el correo electrónico?", "email"),
        ("Where do I send the form?", "address"),
        ("Wohin schicke ich die Kündigung?", "address"),
        ("Où dois-je envoyer la lettre ?", "address"),
        ("¿Dónde envío el formulario?", "address"),
    ],
)
def test_a_noun_that_is_asked_for_tells_the_type(text: str, answer_type: str) -> None:
    """(R20)"""
    assert SHIPPED.type_of(text) == answer_type


def test_only_what_is_sent_may_go_to_an_address_for_email() -> None:
    assert SHIPPED.patterns_of("email")[0] in SHIPPED.patterns_of("address", "To which address do I write?")[0]
    assert SHIPPED.patterns_of("email")[0] not in SHIPPED.patterns_of("address", "What is the office address?")[0]


@pytest.mark.parametrize(
    ("text", "answer_type"),
    [
        ("How much herring was landed?", "number"),
        ("How much may a parcel weigh?", "number"),
        ("How much of the catch is herring?", "number"),
        ("How much herring tax is due?", "amount"),
        ("How much rent is due?", "amount"),
        ("How much do I pay for the herring?", "amount"),
        ("Wie viel Hering wurde angelandet?", "number"),
        ("Wie viel Miete ist zu zahlen?", "amount"),
        ("Combien pèse le colis ?", "number"),
        ("Combien coûte le colis ?", "amount"),
        ("¿Cuánto arenque se desembarcó?", "number"),
        ("¿Cuánto alquiler se paga?", "amount"),
    ],
)
def test_how_much_of_a_thing_asks_for_money_by_a_word_for_that_only(text: str, answer_type: str) -> None:
    """(R20)"""
    assert SHIPPED.type_of(text) == answer_type


def test_a_base_adds_a_type_with_its_words_and_values() -> None:
    """(R20, R103) A value of the new type beside a word of the question counts as two signals."""
    rules = ReadingRules(POLICY_NUMBER, 1)
    content = content_of_lines(["The policy number of the flood cover is AB-123456.", "The policy covers the number."])
    question = parse_question("What is the policy number of the flood cover?", [content], (), rules)
    hits = detect_patterns(question, content)
    assert question.answer_type == "policy_number"
    assert [(hit.lines.first, hit.type_match) for hit in hits] == [(1, True)]
    assert parse_question("What is the policy number?", [content]).answer_type == "text"


def test_a_base_switches_off_what_ships() -> None:
    """(R103)"""
    row = next(each.row for each in shipped_rows() if each.row.key[:3] == ("asks", "percentage", "en"))
    rules = ReadingRules((row._replace(is_on=False),), 1)
    assert SHIPPED.type_of("What is the gross margin?") == "percentage"
    assert rules.type_of("What is the gross margin?") == "text"
    assert rules.type_of("When does it end?") == "date", "the others stay on"


def test_a_base_switches_off_a_value_that_ships() -> None:
    rows = [each.row._replace(is_on=False) for each in shipped_rows() if each.row.name == "url"]
    assert SHIPPED.patterns_of("url") != ("", "")
    assert ReadingRules(tuple(rows), 1).patterns_of("url") == ("", "")


def test_a_base_adds_words_for_a_shape() -> None:
    rules = ReadingRules((RuleRow("shape", "listing", "en", "give me every"),), 1)
    assert (SHIPPED.shape_of("Give me every fee"), rules.shape_of("Give me every fee")) == ("single", "listing")


def test_the_longest_words_of_a_base_win() -> None:
    rows = (RuleRow("asks", "short", "", "number"), RuleRow("asks", "long", "", "policy number"))
    assert ReadingRules(rows, 1).type_of("What is the policy number?") == "long"


def test_vague_words_are_added_and_switched_off(policy: DocumentContent) -> None:
    """(R23, R103)"""
    off = ReadingRules((RuleRow("vague", "", "en", "cap", is_on=False),), 1)
    own = ReadingRules((RuleRow("vague", "", "en", "widget"),), 1)
    assert parse_question("What's the cap?", [policy]).clarification
    assert not parse_question("What's the cap?", [policy], (), off).clarification
    assert parse_question("What's the widget?", [policy], (), own).clarification
    assert not parse_question("What's the widget?", [policy]).clarification


def test_the_digest_is_of_the_rows_whatever_their_order() -> None:
    assert ReadingRules(POLICY_NUMBER).digest == ReadingRules(POLICY_NUMBER[::-1]).digest != ""
    assert (SHIPPED.digest, SHIPPED.number) == ("", 0)


def test_the_patterns_in_force_are_kept_with_the_question(policy: DocumentContent) -> None:
    question = parse_question("What is the policy number?", [policy], (), ReadingRules(POLICY_NUMBER, 1))
    assert (question.value_pattern, question.printed_pattern) == ("", r"(?:\b[A-Z]{2}-\d{6}\b)")


@pytest.mark.parametrize(
    ("question", "language", "answer_type"),
    [
        ("Was ist die Kündigungsfrist?", "de", "text"),
        ("Was sind die Pflichten des Mieters?", "de", "text"),
        ("Was kostet die Verwaltung der Wohnung?", "de", "amount"),
        ("Ist der Diebstahl versichert?", "de", "boolean"),
        ("Will das Unternehmen den Vertrag verlängern?", "de", "boolean"),
        ("Est-ce que le vol est couvert par le contrat ?", "fr", "boolean"),
        ("Was the notice given in time?", "en", "boolean"),
        ("May notice be given by e-mail?", "en", "boolean"),
    ],
)
def test_a_yes_or_no_is_asked_for_in_the_words_of_the_language(question: str, language: str, answer_type: str) -> None:
    """R20: "was" begins another question in German than in English."""
    read = parse_question(question, [content_of_lines(["# 1", "Die Frist beträgt drei Monate."], language=language)])
    assert (read.language, read.answer_type) == (language, answer_type)
