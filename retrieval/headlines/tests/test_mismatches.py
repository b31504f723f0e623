"""A sentence that has the words of a question and is about another thing is not said first."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from retrieval.headlines.mismatches import other_bound, other_label, other_number, other_quantity, words_lacking
from retrieval.headlines.tests.test_choosing import headlines_of
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.words.tokens import normalise_words

WORKS = content_of_lines(
    [
        "# Roof",
        "The roof of block D is renewed between 1 May and 31 July 2025.",
        "# Storage",
        "Cloud storage is not part of the licence; 100 GB cost 2.50 euros a month.",
        "# Drivers",
        "The age of a driver must be at least 21, and the licence two years old.",
        "# Apprentices",
        "Apprentices are trained in eleven trades.",
        "# Home",
        "Employees may work from home on up to two days a week.",
        "# Litter",
        "The litter pick is on 23 March, and Ms Abara asked for a weight limit.",
        "# Costs",
        "Costs were 184,300 euros, mainly because the lift failed twice. The fees rose by 3% in May.",
        "# Law",
        "The law of the Province of Ontario governs this contract.",
        "# Colours",
        "Countries and states choose a colour of their own.",
        "# Incidents",
        "There were 5% more calls than in 2022. Of these calls 1,104 were fires.",
        "# Phones",
        "Employees may use private phones for company mail. Private laptops are kept in the safe.",
    ]
)


@pytest.mark.parametrize(
    ("question", "line", "is_said"),
    [
        ("When is the roof of block D renewed?", 2, True),
        ("When is the roof of block C renewed?", 2, False),
        ("Is the roof of block C renewed?", 2, False),
        ("What do 100 GB of cloud storage cost?", 4, True),
        ("What do 500 GB of cloud storage cost?", 4, False),
        ("What is the minimum age of a driver?", 6, True),
        ("What is the maximum age of a driver?", 6, False),
        ("On how many days a week may employees work from home?", 10, True),
        ("On how many days a week may apprentices work from home?", 10, False),  # the document has them elsewhere
        ("Which state's or country's law governs this contract?", 16, True),  # a law needs no such word
        ("Who organises the litter pick?", 12, False),  # any sentence has a name
        ("May apprentices work from home?", 10, False),
        ("Are employees allowed to work from home?", 10, True),
    ],
)
def test_it_is_about_what_was_asked_for(question: str, line: int, *, is_said: bool) -> None:
    assert headlines_of(question, line, content=WORKS) == ([WORKS.lines[line - 1].text] if is_said else [])


@pytest.mark.parametrize(("thing", "is_said"), [("phones", True), ("laptops", False), ("tablets", True)])
def test_what_is_allowed_of_one_thing_is_not_said_of_another_beside_it(thing: str, *, is_said: bool) -> None:
    """A tablet, of which nothing is said, may be another word for it."""
    said = headlines_of(f"May employees use private {thing} for company mail?", 22, content=WORKS)
    assert said == (["Employees may use private phones for company mail."] if is_said else [])


@pytest.mark.parametrize(
    ("title", "is_said"), [("Report", True), ("Report 2022", True), ("Report 2023", False), ("Report 2022/2023", True)]
)
def test_a_year_on_the_cover_is_not_that_of_a_report_of_another(title: str, *, is_said: bool) -> None:
    content = replace(WORKS, title=title)
    assert bool(headlines_of("How many fires were there in 2022?", 20, content=content)) is is_said


def test_why_is_answered_by_a_sentence_with_a_reason_only() -> None:
    reason = "Costs were 184,300 euros, mainly because the lift failed twice."
    assert headlines_of("Why were the costs 184,300 euros?", 14, content=WORKS) == [reason]
    assert headlines_of("Why did the fees rise?", 14, content=WORKS) == []


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("What is recommendation 8?", "Recommendations 3 and 11 are due.", True),
        ("What is recommendation 8?", "Recommendations 3, 8 and 11 are due.", False),
        ("When does phase 2 end?", "Phases 1 to 3 end in May.", False),
        ("When does phase 4 end?", "Phases 1-3 end in May.", True),
        ("What does clause 5 say?", "Clause 5.2 says so.", False),
        ("What does clause 5.1 say?", "Clause 5.2 says so.", True),
        ("May I claim EUR 500?", "Up to EUR 300 are paid.", False),  # a currency names nothing
        ("Wie lange läuft der Vertrag für das Los B?", "Die Lose A und C laufen zwei Jahre.", True),
    ],
)
def test_other_labels_are_other_things(question: str, text: str, *, is_other: bool) -> None:
    assert bool(other_label(text, parse_question(question, []))) is is_other


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("What is BCJ2 used for?", "The BCJ filter is used for programs.", "BCJ2"),
        ("What is BCJ2 used for?", "The BCJ and BCJ2 filters are used for programs.", ""),
        ("What were sales in Q3?", "Sales in Q4 were 12 million.", "Q3"),
        ("What were sales in Q3?", "Sales in the third quarter were 12 million.", ""),
        ("What does BCJ do?", "BCJ2 splits a program.", ""),  # its name in full may be the longer one
        ("What happened in 2019?", "In 2020 it burnt.", ""),  # years are compared as such
    ],
)
def test_a_name_with_a_number_is_not_the_one_without_it(question: str, text: str, other: str) -> None:
    assert other_number(text, parse_question(question, [])) == other


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("What is the range with a rider of 100 kg?", "It is 110 km with a rider of 75 kg.", True),
        ("What is the fee for 10 days?", "The fee is 5 euros a day for up to 14 days.", False),
        ("What is the fee for 10 days?", "The fee is 5 euros for 10 days and 6 for 14 days.", False),
        ("What is the fee for 10 days?", "The fee is 5 euros.", False),
        ("Was kostet ein Paket von 40 kg?", "Ein Paket von 20 kg kostet 9 Euro.", True),
        ("Was kostet ein Paket von 40 kg?", "Ein Paket bis 20 kg kostet 9 Euro.", False),
    ],
)
def test_other_quantities_are_other_things(question: str, text: str, *, is_other: bool) -> None:
    assert bool(other_quantity(text, parse_question(question, []))) is is_other


@pytest.mark.parametrize(
    ("question", "texts", "is_other"),
    [
        ("What is the highest fine?", ["The fine is at least 50 euros.", "The minimum fine is 50 euros."], True),
        (
            "What is the highest fine?",
            ["The fine is at least 50 and at most 90 euros.", "The fine is 50 euros."],
            False,
        ),
        ("Wie hoch ist die Mindeststrafe?", ["Die Strafe beträgt höchstens 50 Euro."], True),
        ("Quel est le montant maximum ?", ["Le montant est d'au moins 50 euros."], True),
        ("¿Cuál es la edad mínima?", ["La edad máxima es de 70 años."], True),
    ],
)
def test_the_least_is_not_the_most(question: str, texts: Sequence[str], *, is_other: bool) -> None:
    asked = parse_question(question, [])
    assert [bool(other_bound(text, asked)) for text in texts] == [is_other] * len(texts)


@pytest.mark.parametrize(
    ("question", "text", "is_said"),
    [
        ("May competing products be sold?", "The products that are sold shall be approved.", False),
        ("May competing products be sold?", "No products may be sold that compete with ours.", True),
        ("May products be sold?", "The products that are sold shall be approved.", True),
        ("Dürfen konkurrierende Produkte verkauft werden?", "Die Produkte werden in Läden verkauft.", False),
    ],
)
def test_what_a_thing_is_like_is_said_of_it(question: str, text: str, *, is_said: bool) -> None:
    content = content_of_lines([text, *(f"The rent of house {number} is due." for number in range(20))])
    asked = parse_question(question, [content])
    assert (words_lacking(normalise_words(text), asked, content) == []) is is_said
