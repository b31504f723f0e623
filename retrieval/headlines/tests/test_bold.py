"""Which words of a sentence that is said first are bold: of a long one the clauses that answer, and nothing is cut."""

from typing import NamedTuple

import pytest

from retrieval.headlines.bold import find_bold
from retrieval.headlines.choosing import Spoken, find_headlines
from retrieval.headlines.tests.test_choosing import bold_words, place_at
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines

OTHERS = {
    "en": "The rent of house {} is due.",
    "de": "Die Miete des Hauses {} ist fällig.",
    "fr": "Le loyer de la maison {} est dû.",
    "es": "La renta de la casa {} se paga.",
}


class Told(NamedTuple):
    """One sentence in a language: what is asked, what it begins with, the clause that answers, and what follows."""

    asked: str
    preface: str
    kept: str
    condition: str
    aside: str
    exception: str
    clause: str
    rest: str


WATER = {
    "en": Told(
        "Within how many days is damage of the cellar reported?",
        "Whatever else both sides have to pay or to do under this lease and the rules of the house and of its garden,",
        "and the tenant keeps whatever is needed to find its cause in a dry place that an expert can go and see,",
        "Where water has come into the house or a part of it and whatever else both sides have to do under this lease,",
        "and for as long as the house stands on the ground on which it was built,",
        "Except for water that has come into the house from the river and has been seen by the landlord,",
        "damage of the cellar is reported within three days,",
        "and the tenant keeps whatever is needed to find its cause so that an expert can see it in its place.",
    ),
    "de": Told(
        "Innerhalb welcher Frist wird ein Schaden am Keller gemeldet?",
        "Was auch immer beide Seiten aufgrund des Vertrags und der Ordnung des Hauses zu zahlen und zu tun haben,",
        "und der Mieter hebt alles auf und zeigt dem Gutachter an seinem Ort alles, was dieser zu sehen wünscht,",
        "Wenn Wasser in das Haus eingedrungen ist und was auch immer beide Seiten nach diesem Vertrag zu tun haben,",
        "und solange das Haus auf dem Grund steht, auf dem es einmal erbaut worden ist und stehen bleibt,",
        "Ausgenommen Wasser aus dem Fluss oder dem See hinter dem Haus des Vermieters,",
        "wird ein Schaden am Keller innerhalb von drei Tagen gemeldet,",
        "und der Mieter hebt alles auf und zeigt dem Gutachter alles, was dieser an seinem Ort zu sehen wünscht.",
    ),
    "fr": Told(
        "Dans quel délai un dégât de la cave est-il signalé ?",
        "Quelles que soient les obligations des deux parties en vertu du bail et du règlement de la maison,",
        "et le locataire garde et montre à l’expert tout ce que celui-ci voudra voir à sa place et en paix,",
        "Lorsque de l’eau est entrée dans la maison et quelles que soient les obligations des deux parties du bail,",
        "et aussi longtemps que la maison se dresse sur le terrain où elle fut bâtie,",
        "Sauf pour l’eau de la rivière ou du lac derrière la maison du bailleur,",
        "un dégât de la cave est signalé dans un délai de trois jours,",
        "et le locataire garde et montre à l’expert tout ce que celui-ci voudra voir à sa place et en paix.",
    ),
    "es": Told(
        "¿En qué plazo se comunica un daño del sótano?",
        "Cualesquiera que sean las obligaciones de ambas partes según el contrato y las reglas de la casa,",
        "y el arrendatario guarda y enseña al perito todo lo que este quiera ver en su sitio y con tranquilidad,",
        "Cuando haya entrado agua en la casa y cualesquiera que sean las obligaciones de ambas partes del contrato,",
        "y mientras la casa siga en pie sobre el terreno en el que fue construida,",
        "Salvo el agua del río o del lago que está detrás de la casa del arrendador,",
        "un daño del sótano se comunica en un plazo de tres días,",
        "y el arrendatario guarda y enseña al perito todo lo que este quiera ver en su sitio y con toda tranquilidad.",
    ),
}


def found_in(sentence: str, asked: str, language: str = "en") -> list[Spoken]:
    others = (OTHERS[language].format(number) for number in range(20))
    content = content_of_lines([sentence, *others], language=language)
    return list(find_headlines(parse_question(asked, [content]), [place_at(1, content)]).spoken)


@pytest.mark.parametrize("language", WATER)
def test_a_long_sentence_is_shown_whole_and_the_clause_of_its_value_is_bold(language: str) -> None:
    told = WATER[language]
    last = {"en": "and so on.", "de": "und alles bleibt so.", "fr": "et tout reste.", "es": "y todo queda así."}
    sentence = f"{told.preface} {told.kept} {told.clause} {last[language]}"
    [found] = found_in(sentence, told.asked, language)
    assert (found.text, bold_words(found)) == (sentence, told.clause)
    assert not found_in(f"{told.condition} {told.aside} {told.clause} {told.rest}", told.asked, language)


@pytest.mark.parametrize("language", WATER)
def test_a_condition_or_exception_before_the_clause_is_bold_where_there_is_room(language: str) -> None:
    told = WATER[language]
    for before in (told.condition, told.exception):
        [found] = found_in(f"{before} {told.clause} {told.rest}", told.asked, language)
        assert bold_words(found) == f"{before} {told.clause}"
    assert not found_in(f"{told.exception} {told.condition} {told.aside} {told.clause}", told.asked, language)


ON = "and by each of them in turn " * 6  # too many words to be bold with what comes before


@pytest.mark.parametrize(
    ("text", "is_of_value", "bold"),
    [
        ("Made on 2 May, in the town of Yate", True, "Made on 2 May, in the town of Yate"),
        (f"Made on 2 May, in the town of Yate {ON}", True, None),  # four words are the end of an enumeration
        (f"This deed is made on 2 May, in Yate {ON}", True, "This deed is made on 2 May,"),
        (f"This deed is made on 2 May, in Yate {ON}", False, None),
        (f"This deed is made on 2 May, and a copy is kept {ON}", False, "This deed is made on 2 May,"),
        (f"The deed of S. Miller is of 2 May; nothing else {ON}", False, "The deed of S. Miller is of 2 May;"),
        (f"{ON} to (i) end all of it on 2 May, (ii) sing {ON}", True, "end all of it on 2 May,"),
        (f"{ON} (as was said before by both) unless they end it by 2 May", True, "unless they end it by 2 May"),
        (f"{ON} six (6) months after it was signed on 2 May", True, None),
        (f"{ON}, which was then signed by both on 2 May", True, None),
    ],
)
def test_clauses_begin_and_end_at_signs_items_and_long_brackets(text: str, is_of_value: bool, bold: str | None) -> None:
    found = find_bold(text, lambda each: float("2 May" in each), lambda _: True, is_of_value=is_of_value)
    assert (text[slice(*found)] if found else None) == bold


def test_a_long_sentence_is_shown_whole_with_the_clause_bold_that_says_what_was_asked() -> None:
    long = (
        "Following the first term of two years and whatever either side may have said before it, in writing or not, in "
        "the office of the landlord or in the rooms of the house, the tenant shall not sublet the cellar to anybody, "
        "and all that was agreed on heating, light, water, keys and the care of the garden goes on as it was."
    )
    [found] = found_in(long, "May the tenant sublet the cellar?")
    assert found.text == found.literal == long
    assert bold_words(found) == "the tenant shall not sublet the cellar to anybody,"


PREFACE = (
    "Following the first term of two years and whatever either side may have said, in writing or by word of mouth, in "
    "the office of the landlord or in the rooms of the house, "
)
REST = "as was agreed on heating, light, water, keys and the care of the garden between both of them in the same year."


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        (f"{PREFACE}the tenant may sublet the cellar, unless the landlord has objected, {REST}", "unless"),
        (
            f"{PREFACE}the tenant may sublet the cellar, only with the landlord's consent, {REST}",
            "only with",
        ),
        (f"{PREFACE}the tenant may sublet the cellar, until the landlord gives notice, {REST}", "until"),
        (f"{PREFACE}the tenant may sublet the cellar, with the exception of two rooms, {REST}", "exception"),
        (f"{PREFACE}the tenant may sublet the cellar, save where the house is sold, {REST}", "save where"),
        (
            f"It is forbidden by the rules, {PREFACE}that the tenant may sublet the cellar, and {REST}",
            "forbid",
        ),
        (
            f"Nothing in this lease, {PREFACE}means that the tenant may sublet the cellar, and {REST}",
            "Nothing",
        ),
        (f"The landlord does not, {PREFACE}agree that the tenant may sublet the cellar, and {REST}", "not"),
    ],
)
def test_no_denial_condition_or_exception_stands_outside_the_bold_words(sentence: str, condition: str) -> None:
    """Bold words that leave out "unless" or "nothing" would be a wrong answer with a literal quote."""
    found = found_in(sentence, "May the tenant sublet the cellar?")
    assert all(condition in bold_words(each) for each in found)


def test_a_denial_at_the_end_of_a_sentence_stays_with_it() -> None:
    sentence = (
        "Der Vermieter des Hauses haftet für alle Schäden im Keller und in den übrigen Räumen des Hauses und auf den "
        "Wegen des Gartens, die von den Bewohnern der anderen Häuser, ihren Gästen oder den von ihnen bestellten Boten "
        "aus Unachtsamkeit oder mit Absicht herbeigeführt worden sind, nicht und auch für deren Folgen nicht."
    )
    assert not found_in(sentence, "Haftet der Vermieter für Schäden im Keller?", "de")


DEPOSIT = (
    "The tenant pays a deposit of 5,000 pounds, and each of the parties keeps all of its books, accounts and papers in "
    "good order at its own office and shows them to the other party or to its auditors every year{}"
)


@pytest.mark.parametrize(
    ("rest", "is_shown"),
    [
        (".", True),
        (", and the deposit of 5,000 pounds is kept at a bank.", True),
        (", but 1,000 pounds if the tenant is a student.", False),
        (", but a student pays a fifth of it.", False),
        (", provided that a student pays a fifth of it.", False),
        ("; however, a student pays a fifth of it.", False),
        (", subject to the approval of the board of the bank.", False),
        (", notwithstanding which a student pays a fifth of it.", False),
        (", and all of this is void as soon as the house is sold.", False),
        (", save where the landlord has sold the house.", False),
        (", and the deposit of the shop is 1,000 pounds.", False),
    ],
)
def test_a_value_is_not_bold_where_an_exception_or_another_value_stands_outside(rest: str, *, is_shown: bool) -> None:
    found = found_in(DEPOSIT.format(rest), "How much deposit does the tenant pay?")
    assert [bold_words(each) for each in found] == ["The tenant pays a deposit of 5,000 pounds,"] * is_shown


@pytest.mark.parametrize(
    ("language", "rest"),
    [
        ("en", "but within ten days where the house stands empty."),
        ("en", "and damage of the roof is reported within ten days."),
        ("de", "jedoch ein Schaden in einem leeren Haus etwas später."),
        ("de", "und sobald das Haus verkauft ist, gilt dies alles als erledigt."),
        ("de", "und ein Schaden am Dach wird innerhalb von zehn Tagen gemeldet."),
        ("fr", "mais un dégât d’une maison vide un peu plus tard."),
        ("fr", "et dès que la maison est vendue tout cela est caduc."),
        ("fr", "et un dégât du toit est signalé dans un délai de dix jours."),
        ("es", "pero un daño de una casa vacía algo más tarde."),
        ("es", "y en cuanto se venda la casa todo esto queda extinguido."),
        ("es", "y un daño del tejado se comunica en un plazo de diez días."),
    ],
)
def test_nor_in_any_language_what_stands_behind_it(language: str, rest: str) -> None:
    told = WATER[language]
    begun = told.clause[0].upper() + told.clause[1:]
    if language == "de":
        begun = "Ein Schaden am Keller wird innerhalb von drei Tagen gemeldet,"
    whole = f"{begun} {told.kept} {told.kept} {told.kept[:-1]}"
    [found] = found_in(f"{whole}.", told.asked, language)
    assert bold_words(found) == begun
    assert not found_in(f"{whole}, {rest}", told.asked, language)
