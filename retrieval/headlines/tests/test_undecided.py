"""A sentence that has the words of a question and leaves it open is not said first."""

import pytest

from reading.wording import Wording
from retrieval.headlines.tests.test_choosing import headlines_of
from retrieval.headlines.undecided import (
    is_yet_to_be,
    lacks_any_value,
    lacks_holder,
    supposes_contrary,
    tells_only_receipt,
    undecided_words,
)
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines


@pytest.mark.parametrize("wording", undecided_words().alternatives, ids=lambda each: f"{each.language}-{each.section}")
def test_each_expression_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = undecided_words().of_language(wording.language).alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


@pytest.mark.parametrize(
    ("question", "text", "is_open"),
    [
        ("Has the subsidy been applied for?", "The subsidy will be applied for in May.", True),
        ("Has the subsidy been applied for?", "The subsidy is applied for every year.", True),
        ("Has the subsidy been applied for?", "If the subsidy has been applied for, the bank is told.", True),
        ("Has the subsidy been applied for?", "The subsidy was applied for in May.", False),
        ("Has the subsidy been applied for?", "The subsidy has not yet been applied for.", False),
        ("Has the firm sold its plant?", "The firm sold its plant in May and will rent it.", False),
        ("Has the firm sold its plant?", "The firm will sell its plant.", True),
        ("Does the firm sell its plant?", "The firm will sell its plant.", False),
        ("Has the firm a plant?", "The firm will build a plant.", False),
        ("Did the board approve the plan?", "The plan must be approved by the board.", True),
        ("Did the board approve the plan?", "The board approved the plan.", False),
        ("When was the plan last tested?", "The plan will be tested on 1 May 2021.", True),
        ("When was the plan last tested?", "The plan was tested on 1 May 2021.", False),
        ("When was the lease signed?", "This lease is made on 1 May 2021.", False),
        ("Who approved the plan?", "The plan must be approved by the chairman.", True),
        ("Who approves the plan?", "The plan must be approved by the chairman.", False),
        ("Ist der Förderantrag gestellt worden?", "Der Förderantrag wird im Mai gestellt.", True),
        ("Ist der Förderantrag gestellt worden?", "Der Förderantrag wurde im Mai gestellt.", False),
        ("Hat der Mieter die Gebühr gezahlt?", "Die Gebühr muss im Mai gezahlt werden.", True),
        ("Hat der Mieter die Gebühr gezahlt?", "Der Mieter hat die Gebühr im Mai gezahlt.", False),
        ("Wann wurde der Plan geprüft?", "Der Plan wird am 1. Mai 2021 geprüft.", True),
        ("Le loyer a-t-il été payé ?", "Le loyer doit être payé en mai.", True),
        ("Le loyer a-t-il été payé ?", "Le loyer a été payé en mai.", False),
        ("¿Se ha pagado la renta?", "La renta debe pagarse en mayo.", True),
        ("¿Se ha pagado la renta?", "La renta se pagó en mayo.", False),
    ],
)
def test_what_is_to_be_does_not_tell_what_has_happened(question: str, text: str, *, is_open: bool) -> None:
    assert is_yet_to_be(text, parse_question(question, [content_of_lines([text])])) is is_open


@pytest.mark.parametrize(
    ("question", "text", "is_open"),
    [
        ("Who is the chairman of the board?", "The chairman of the board is Ms Abara.", False),
        ("Who is the chairman of the board?", "Ms Abara, chairman of the board, opens the meeting.", False),
        ("Who is the chairman of the board?", "Ms Abara acts as its chairman.", False),
        ("Who is the director of the Trade Office?", "Letters are addressed to the Director, Trade Office.", True),
        ("Who is the director of the Trade Office?", "Write to the Director, Ms Abara.", False),
        ("Who is the landlord?", "Acme Ltd (the “Landlord”) lets the rooms.", False),
        ("Who is the owner of the project?", "It is approved by the team and by the impacted asset owner.", True),
        (
            "Who is the chairman of the board?",
            "One member shall be an officer or the chairman of Audit Team.",
            True,
        ),
        (
            "Who is the chairman of the board?",
            "It has the head or the chairman of the steering team or similar within Acme Holding, Bern Ltd.",
            True,
        ),
        ("Who is the fee paid by?", "The fee is paid by the tenant.", False),
        ("Who is responsible for the plan?", "The owner keeps the plan.", False),
        ("Wer ist der Vorsitzende des Beirats?", "Der Vorsitzende des Beirats ist Frau Abara.", False),
        ("Wer ist der Vorsitzende des Beirats?", "Der Beirat wählt einen Vorsitzenden und zwei Mitglieder.", True),
        ("Qui est le président du conseil ?", "Le président du conseil est Mme Abara.", False),
        ("¿Quién es el presidente del consejo?", "El presidente del consejo es la señora Abara.", False),
    ],
)
def test_that_there_is_an_office_does_not_tell_who_holds_it(question: str, text: str, *, is_open: bool) -> None:
    assert lacks_holder(text, parse_question(question, [content_of_lines([text])])) is is_open


@pytest.mark.parametrize(
    ("question", "text", "is_open"),
    [
        ("Must customers be told within 72 hours?", "Customers are told at the discretion of the officer.", True),
        ("Must customers be told within 72 hours?", "Customers are told within three days.", False),
        ("Is a fee of 50 euros due?", "No fee is due.", False),
        ("Must customers be told?", "Customers are told.", False),
    ],
)
def test_a_sentence_without_a_value_says_nothing_of_one(question: str, text: str, *, is_open: bool) -> None:
    assert lacks_any_value(text, parse_question(question, [content_of_lines([text])])) is is_open


@pytest.mark.parametrize(
    ("question", "line", "is_said"),
    [
        ("Is the roof renewed?", 2, True),
        ("Has the roof been renewed?", 2, False),
        ("Has the lift been renewed?", 3, True),
    ],
)
def test_what_is_left_open_is_not_said_first(question: str, line: int, *, is_said: bool) -> None:
    content = content_of_lines(["# Works", "The roof is renewed every ten years.", "The lift was renewed in May."])
    assert headlines_of(question, line, content=content) == ([content.lines[line - 1].text] if is_said else [])


@pytest.mark.parametrize(
    ("question", "text", "is_only"),
    [
        ("How long is the notice period?", "A notice by e-mail is deemed received one hour after it is sent.", True),
        (
            "How long is the notice period?",
            "Notice by post is considered given five (5) days after mailing.",
            True,
        ),
        ("How long is the notice period?", "The notice period is 30 days; a notice is deemed given on posting.", False),
        ("When is a notice by e-mail received?", "A notice by e-mail is deemed received after one hour.", False),
        ("Who gives the notice?", "A notice by e-mail is deemed received one hour after it is sent.", False),
        ("Wie lang ist die Kündigungsfrist?", "Die Kündigung gilt nach drei Tagen als zugegangen.", True),
        ("Wie lang ist die Kündigungsfrist?", "Die Kündigungsfrist ist drei Monate.", False),
        ("Quelle est la durée du préavis ?", "La notification est réputée reçue deux jours après l'envoi.", True),
        ("¿Cuánto dura el preaviso?", "La notificación se considerará recibida dos días después.", True),
    ],
)
def test_when_something_counts_as_received_is_no_other_period(question: str, text: str, *, is_only: bool) -> None:
    assert tells_only_receipt(text, parse_question(question, [content_of_lines([text])])) is is_only


ACKNOWLEDGED = "Within how many days is a security report acknowledged?"
CONFIRMED = "Innerhalb von wie vielen Tagen wird eine Meldung bestätigt?"
CONFIRMED_IN_FRENCH = "Sous combien de jours un signalement est-il confirmé ?"


@pytest.mark.parametrize(
    ("question", "text", "is_contrary"),
    [
        (ACKNOWLEDGED, "If you do not receive an acknowledgement of your report within 6 days, write to us.", True),
        (ACKNOWLEDGED, "Please write again if no acknowledgement of the report arrives within 6 days.", True),
        (ACKNOWLEDGED, "Should the report not be acknowledged within 6 days, write to us again.", True),
        (ACKNOWLEDGED, "Each security report is acknowledged within 5 days.", False),
        (ACKNOWLEDGED, "Each report is acknowledged within 5 days; if not, write again.", False),
        (
            "Within how many days must the rent be paid?",
            "The landlord may end the lease unless the rent is paid within 14 days.",
            True,
        ),
        (  # what happens then is asked
            "After how many days may the landlord end the lease?",
            "If the rent is not paid within 14 days, the landlord may end the lease.",
            False,
        ),
        (  # what must be done so long before
            "How much notice ends the lease?",
            "If notice is not given one month before its end, the lease goes on.",
            False,
        ),
        (
            "How soon must the supplier acknowledge an order?",
            "If the supplier fails to acknowledge an order within 2 days, it counts as refused.",
            True,
        ),
        (  # such a case is asked about
            "Within how many days is a report that is not acknowledged closed?",
            "If a report is not acknowledged within 6 days, it is closed.",
            False,
        ),
        (CONFIRMED, "Erhalten Sie innerhalb von 6 Tagen keine Bestätigung Ihrer Meldung, schreiben Sie uns.", True),
        (CONFIRMED, "Wenn Ihre Meldung nicht binnen 6 Tagen bestätigt wird, schreiben Sie uns.", True),
        (CONFIRMED, "Jede Meldung wird innerhalb von 5 Tagen bestätigt.", False),
        (
            "Wie lang ist die Kündigungsfrist des Vertrags?",
            "Der Vertrag verlängert sich, wenn er nicht drei Monate vor Ablauf gekündigt wird.",
            False,
        ),
        (CONFIRMED_IN_FRENCH, "Si votre signalement n'est pas confirmé sous 6 jours, écrivez-nous.", True),
        (CONFIRMED_IN_FRENCH, "À défaut de confirmation du signalement sous 6 jours, écrivez-nous.", True),
        (CONFIRMED_IN_FRENCH, "Chaque signalement est confirmé sous 5 jours.", False),
        ("¿En cuántos días se confirma un aviso?", "Si no recibe confirmación de su aviso en 6 días, escriba.", True),
        ("¿En cuántos días se confirma un aviso?", "Cada aviso se confirma en 5 días.", False),
    ],
)
def test_a_case_in_which_it_does_not_happen_does_not_tell_by_when(
    question: str, text: str, *, is_contrary: bool
) -> None:
    assert supposes_contrary(text, parse_question(question, [content_of_lines([text])])) is is_contrary


@pytest.mark.parametrize("stated", [["Each security report is acknowledged within 5 days."], []])
def test_a_case_in_which_it_does_not_happen_is_not_said_first(stated: list[str]) -> None:
    supposed = "If you receive no acknowledgement of your security report within 6 days, write to us."
    content = content_of_lines(["# Reports", supposed, *stated])
    assert headlines_of(ACKNOWLEDGED, 2, content=content) == stated
