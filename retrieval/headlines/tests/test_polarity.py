"""A sentence that says the opposite of a little word of the question is not said first."""

import pytest

from reading.wording import Wording
from retrieval.headlines.polarity import (
    denial_asked,
    denial_unsaid,
    denies_thing,
    leaves_need_open,
    opposed_word,
    other_direction,
    polar_words,
)
from retrieval.headlines.tests.test_choosing import headlines_of
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines

COURSE = content_of_lines(
    ["# Prices", "The course costs 480 euros with lunch.", "The course costs 430 euros without lunch.", "# Rooms",
     "A seminar room costs 200 euros a day with projector.", "Rooms are let to members only."]
)  # fmt: skip


@pytest.mark.parametrize("wording", polar_words().alternatives, ids=lambda each: f"{each.language}-{each.section}")
def test_each_little_word_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = polar_words().of_language(wording.language).alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("Who voted against the bridge?", "Ms Abara voted for the new bridge.", "against the bridge"),
        ("Who voted for the bridge?", "Ms Abara voted against the bridge.", "for the bridge"),
        ("Who voted against the bridge?", "Ms Abara voted for the bridge and Mr Osei against the bridge.", ""),
        ("What is the fee for late delivery?", "The fee for late delivery is set off against the price.", ""),
        ("What claims has the buyer against the seller?", "The buyer may claim damages for delay.", ""),
        ("Was kostet das Zimmer ohne Frühstück?", "Das Zimmer kostet 90 Euro mit Frühstück.", "ohne Frühstück"),
        ("Qui a voté contre le projet ?", "Mme Dubois a voté pour le projet.", "contre le projet"),
        ("¿Cuánto cuesta la sala sin proyector?", "La sala con proyector cuesta 200 euros.", "sin proyector"),
    ],
)
def test_the_opposite_is_of_the_same_thing(question: str, text: str, said: str) -> None:
    assert opposed_word(text, parse_question(question, [])) == said


DUTY = "Do I have to share the report?"
CAUSE, CONSENT = "May the lease be ended without cause?", "May the lease be assigned without consent?"


@pytest.mark.parametrize(
    ("question", "text", "is_open"),
    [
        (CAUSE, "The lease may be ended by either party with cause on a month's notice.", True),
        (CAUSE, "What is owed survives the end of the lease, regardless of the cause therefor.", True),
        (CAUSE, "The tenant may end the lease for non-cause.", False),
        (CAUSE, "The tenant may end the lease at any time on a month's notice.", False),
        (CONSENT, "Any notice, consent or demand required by the lease shall be in writing.", True),
        (CONSENT, "No delegation of a duty shall be deemed an assignment of the lease.", True),
        (CONSENT, "The tenant may assign the lease with the landlord's written consent.", False),
        (CONSENT, "The lease shall not be assigned.", False),
        (CONSENT, "Consent to an assignment of the lease is required.", False),
        (DUTY, "You must not copy the report.", True),
        (DUTY, "Copies of the report are prohibited.", True),
        (DUTY, "You must share the report and must not copy it.", False),
        (DUTY, "You are not required to share the report.", False),
        ("May I share the report?", "You must not share the report.", False),
        ("Muss ich den Bericht teilen?", "Der Bericht darf nicht kopiert werden.", True),
        ("Dois-je partager le rapport ?", "On ne doit pas copier le rapport.", True),
        ("¿Debo compartir el informe?", "El informe no debe copiarse.", True),
        ("Muss ich den Bericht teilen?", "Der Mieter muss den Bericht nicht teilen.", False),
        ("Is the lease assigned?", "No delegation of a duty shall be deemed an assignment of the lease.", False),
        ("Darf der Mieter ohne Zustimmung untervermieten?", "Die Untervermietung bedarf der Zustimmung.", False),
        ("Darf der Mieter ohne Grund kündigen?", "Der Mieter kann mit Grund kündigen.", True),
        ("Le bail peut-il être cédé sans accord ?", "Le bail est cédé avec les meubles.", True),
        ("¿Puede cederse el contrato sin permiso?", "El contrato se cede con el permiso del dueño.", False),
    ],
)
def test_what_may_be_done_without_a_thing_is_told_by_whether_it_is_needed(
    question: str, text: str, *, is_open: bool
) -> None:
    assert leaves_need_open(text, parse_question(question, [])) is is_open


@pytest.mark.parametrize(
    ("question", "lines", "said"),
    [
        ("How much does the course cost with lunch?", (2, 3), ["The course costs 480 euros with lunch."]),
        ("How much does the course cost without lunch?", (2, 3), ["The course costs 430 euros without lunch."]),
        ("How much does a seminar room cost a day without projector?", (5,), []),
        ("Does a seminar room cost 200 euros a day without projector?", (5,), [COURSE.lines[4].text]),  # it says when
    ],
)
def test_of_two_opposites_the_one_asked_for_is_said(question: str, lines: tuple[int, ...], said: list[str]) -> None:
    assert headlines_of(question, *lines, content=COURSE) == said


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which damage is not covered?", "not"),
        ("What is excluded from the cover?", "excluded"),
        ("Welche Schäden sind nicht versichert?", "nicht"),
        ("Quels dommages ne sont pas couverts ?", "pas"),
        ("¿Qué daños no están cubiertos?", "no"),
        ("Which damage is covered?", ""),
        ("Which damage is covered other than fire?", ""),  # what is left out is no denial
        ("What happens if the rent is not paid?", ""),
        ("Which claims of not more than 500 euros are paid?", ""),
        ("Is hail not covered?", ""),
        ("How much is the fee for not appearing?", ""),
    ],
)
def test_a_question_asks_what_is_not_so_by_a_word_of_its_own(question: str, word: str) -> None:
    assert denial_asked(parse_question(question, [])) == word


@pytest.mark.parametrize(
    ("question", "text", "word"),
    [
        ("Which damage is not covered?", "The policy covers damage by fire.", "not"),
        ("Which damage is not covered?", "Damage to tyres is excluded.", ""),
        ("Which drivers are not insured?", "All drivers except learners are insured.", ""),
        ("Which damage is not covered?", "It covers damage of not more than 500 euros.", "not"),
        ("Welche Schäden sind nicht versichert?", "Versichert sind Schäden durch Feuer.", "nicht"),
        ("Wer zahlt die Umlage nicht?", "Alle Mitglieder außer Ehrenmitgliedern zahlen die Umlage.", ""),
        ("Which damage is covered?", "The policy covers damage by fire.", ""),
    ],
)
def test_a_text_denies_something_or_it_says_only_what_is_so(question: str, text: str, word: str) -> None:
    assert denial_unsaid(text, parse_question(question, [])) == word


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("In which quarter did deliveries increase?", "Deliveries fell in the second quarter.", "increase"),
        ("In which quarter did deliveries increase?", "Deliveries rose in the second quarter.", ""),
        ("When did fees drop?", "Fees rose in May and fell in June.", ""),
        ("When does the rent fall due?", "The rent increases each year on 1 May.", ""),
        ("Which costs fall under the cap?", "The cap rises by 3% a year.", ""),
        ("Wann sank der Umsatz?", "Der Umsatz stieg im Mai.", "sank"),
        ("Quand les ventes ont-elles baissé ?", "Les ventes ont augmenté en mai.", "baissé"),
        ("¿Cuándo bajaron las ventas?", "Las ventas aumentaron en mayo.", "bajaron"),
    ],
)
def test_what_went_the_other_way_is_another_thing(question: str, text: str, said: str) -> None:
    assert other_direction(text, parse_question(question, [])) == said


SALES = content_of_lines(
    ["# May", "Sales of the northern branch rose in May 2024.", "# June", "Any increase is reported to the board.",
     "# July", "Sales of the southern branch fell in July 2024."]
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "line", "is_said"),
    [
        ("When did sales of the northern branch increase?", 2, True),  # though the document says it elsewhere
        ("When did sales of the northern branch fall?", 2, False),
        ("When did sales of the southern branch increase?", 6, False),
        ("When did sales of the southern branch decline?", 6, True),
    ],
)
def test_a_direction_may_be_said_in_another_word(question: str, line: int, *, is_said: bool) -> None:
    assert headlines_of(question, line, content=SALES) == ([SALES.lines[line - 1].text] if is_said else [])


@pytest.mark.parametrize(
    ("question", "text", "is_denied"),
    [
        ("Is there a garden?", "There is no garden behind the house.", True),
        ("Is there a garden?", "No, the yard is all that it has.", True),
        ("Is there a garden?", "The garden is watered with no hose.", False),
        ("Is a deposit charged?", "No deposit is charged for keys.", True),
        ("Is there a minimum term?", "There is no more to say of a minimum term.", False),
        ("Gibt es einen Garten?", "Es gibt keinen Garten.", True),
        ("Gibt es einen Garten?", "Nein, nur einen Hof.", True),
        ("Gibt es einen Garten?", "Der Garten hat keinen Zaun.", False),
        ("Y a-t-il un jardin ?", "Il n'y a pas de jardin.", True),
        ("Y a-t-il un jardin ?", "Le jardin n'a pas de clôture.", False),
        ("¿Hay un jardín?", "No hay jardín.", True),
        ("¿Hay un jardín?", "El jardín no se riega.", False),
    ],
)
def test_a_text_denies_the_thing_that_is_asked_about(question: str, text: str, *, is_denied: bool) -> None:
    assert denies_thing(text, parse_question(question, [content_of_lines([text])])) is is_denied


def test_what_another_sentence_denies_is_not_said_first_as_if_it_were_so() -> None:
    used, denied = "Visitors may use the car park of the station.", "There is no car park at the house."
    for content in (content_of_lines(["# Rules", used, denied]), content_of_lines(["# Rules", denied, used])):
        assert headlines_of("Is there a car park?", 2, 3, content=content) in ([], [denied])
    assert headlines_of("Is there a car park?", 2, content=content_of_lines(["# Rules", denied])) == [denied]
    assert headlines_of("Is there a car park?", 2, content=content_of_lines(["# Rules", used])) == [used]
