"""Follow-ups by rules: what leans on the question before is completed, what stands alone is left, doubt is said."""

import pytest

from chat.followup.gaps import gaps
from chat.followup.rules import read_follow_up
from reading.wording import Wording

RENT = "What is the rent a month?"
REVENUE = "What was the revenue of Apple in 2013?"
NOTICE = "What is the notice period of the tenant?"
CARRIED = "How much insurance must be carried?"
REPAIRS = "Who repairs the roof?"


@pytest.mark.parametrize(
    ("typed", "last", "rewritten"),
    [
        ("and in 2014?", REVENUE, "What was the revenue of Apple in 2014?"),
        ("And 2014?", REVENUE, "What was the revenue of Apple in 2014?"),
        ("2014?", REVENUE, "What was the revenue of Apple in 2014?"),
        ("what about fiscal 2014?", REVENUE, "What was the revenue of Apple in fiscal 2014?"),
        ("how about for FY2014", REVENUE, "What was the revenue of Apple in FY2014?"),
        ("and in 2014?", "What was the net income?", "What was the net income in 2014?"),
        (
            "et en 2014 ?",
            "Quel \u00e9tait le chiffre d'affaires en 2013 ?",
            "Quel \u00e9tait le chiffre d'affaires en 2014 ?",
        ),
        ("und 2014?", "Wie hoch war der Umsatz 2013?", "Wie hoch war der Umsatz 2014?"),
        (
            "And if Ada dies?",
            "How much is ABG paid in the first contract year?",
            "How much is ABG paid in the first contract year if Ada dies?",
        ),
        ("what about if it rains?", "Who repairs the roof?", "Who repairs the roof if it rains?"),
        ("und wenn er stirbt?", "Wer zahlt die Miete?", "Wer zahlt die Miete wenn er stirbt?"),
        ("and Microsoft?", REVENUE, "What was the revenue of Microsoft in 2013?"),
        ("what about the net income?", REVENUE, "What was the net income of Apple in 2013?"),
        ("what about net income?", REVENUE, "What was the net income of Apple in 2013?"),
        ("What about the deposit?", RENT, "What is the deposit a month?"),
        ("and the doors?", REPAIRS, "Who repairs the doors?"),
        ("and for the doors?", "Who pays for the roof?", "Who pays for the doors?"),
        ("and after a fire?", "What notice is needed?", "What notice is needed after a fire?"),
        ("When is it due?", RENT, "When is the rent due?"),
        ("When is it returned?", "What is the deposit?", "When is the deposit returned?"),
        ("How did it change?", REVENUE, "How did the revenue of Apple change?"),
        (
            "What are its parts?",
            "What is the scaled dot-product attention?",
            "What are the scaled dot-product attention's parts?",
        ),
        ("What does this mean?", "What is the notice period?", "What does the notice period mean?"),
        ("How old is he?", "Who is the chief executive of Apple?", "How old is the chief executive of Apple?"),
        ("and how long does it last?", "What is the warranty?", "And how long does the warranty last?"),
        ("For how long?", "What is the notice period?", "For how long is the notice period?"),
        ("and until when?", "Must the tenant give notice?", "Until when must the tenant give notice?"),
        ("Why?", "Must the tenant give notice?", "Why must the tenant give notice?"),
        ("When?", "How much does the tenant pay?", "When does the tenant pay?"),
        ("What about them?", "Which expenses are reimbursed?", "What about the expenses?"),
        ("Who pays them?", "Which fees apply?", "Who pays the fees?"),
        ("and in Germany?", "What is the parental leave?", "What is the parental leave in Germany?"),
        (
            "Pour combien de temps ?",
            "Quel est le délai de préavis ?",
            "Pour combien de temps est le délai de préavis ?",
        ),
        (
            "Et quand ?",
            "Le locataire doit-il payer les charges ?",
            "Quand le locataire doit-il payer les charges ?",
        ),
        ("Qui les paie ?", "Quelles sont les charges ?", "Qui paie les charges ?"),
        ("Qui les paie ?", "Quels frais sont dus ?", "Qui paie ces frais ?"),
        ("Bis wann?", "Muss der Mieter kündigen?", "Bis wann muss der Mieter kündigen?"),
        ("Wann?", "Wie hoch ist die Kaution?", "Wann ist die Kaution?"),
        ("Wer bezahlt sie?", "Was sind die Nebenkosten?", "Wer bezahlt die Nebenkosten?"),
        ("Wer bezahlt sie?", "Welche Kosten sind erstattet?", "Wer bezahlt diese Kosten?"),
        ("But you said 30 days, right?", NOTICE, NOTICE),
        ("but I was told it is two weeks", NOTICE, NOTICE),
        ("Are you sure?", NOTICE, NOTICE),
        ("It is 30 days, isn't it?", NOTICE, NOTICE),
        ("But the notice is 30 days?", NOTICE, NOTICE),
        ("But 30 days is enough, correct?", NOTICE, NOTICE),
        ("But that is still 30 days, no?", NOTICE, NOTICE),
        ("I was told that pets are allowed in the garden, right?", NOTICE, "Pets are allowed in the garden?"),
        ("Well, the agent told me that the deposit is returned.", NOTICE, "The deposit is returned?"),
        ("Mais vous avez dit 30 jours, non ?", "Quel est le préavis ?", "Quel est le préavis ?"),
        ("When is it due?", "Can I pay the rent?", "When is the rent due?"),
        ("When is he heard?", "Who is the eldest son of the tenant?", "When is the eldest son of the tenant heard?"),
        ("and Microsoft?", "Can I buy Apple here?", "Can I buy Microsoft here?"),
        ("Can I end it?", "What is the lease?", "Can I end the lease?"),
        ("I'm told it is free, right?", NOTICE, NOTICE),
        ("And to whom?", CARRIED, "How much insurance must be carried to whom?"),
        ("And with whom?", CARRIED, "How much insurance must be carried with whom?"),
        ("And through whom?", CARRIED, "How much insurance must be carried through whom?"),
        ("And at which address?", CARRIED, "How much insurance must be carried at which address?"),
        ("And for which period?", CARRIED, "How much insurance must be carried for which period?"),
        ("and by what percentage?", CARRIED, "How much insurance must be carried by what percentage?"),
        ("and in what form?", CARRIED, "How much insurance must be carried in what form?"),
        ("what about by when?", CARRIED, "How much insurance must be carried by when?"),
        ("and a dog?", REPAIRS, "Who repairs a dog?"),
        ("Und an wen?", "Wie hoch ist die Miete?", "Wie hoch ist die Miete an wen?"),
        ("Et à qui ?", "Quel est le loyer ?", "Quel est le loyer à qui?"),
        ("¿Y a quién?", "¿Cuál es el alquiler?", "Cuál es el alquiler a quién?"),
        ("¿Y en 2014?", "¿Cuál fue el importe en 2013?", "Cuál fue el importe en 2014?"),
        ("¿Y en 2014?", "¿Cuál fue el importe?", "Cuál fue el importe en 2014?"),
        ("¿Y la fianza?", "¿Cuál es el alquiler?", "Cuál es la fianza?"),
        ("¿Por cuánto tiempo?", "¿Debe el inquilino pagar?", "Por cuánto tiempo debe el inquilino pagar?"),
        ("¿Quién los paga?", "¿Cuáles son los gastos?", "Quién paga los gastos?"),
        ("Pero usted dijo que son 30 días, ¿verdad?", "¿Cuál es el plazo?", "Cuál es el plazo?"),
        ("Aber Sie haben gesagt, dass es 30 Tage sind", "Wie lang ist die Frist?", "Wie lang ist die Frist?"),
    ],
)
def test_it_completes_what_leans_on_the_question_before(typed: str, last: str, rewritten: str) -> None:
    assert read_follow_up(typed, last) == ("rewritten", rewritten)


@pytest.mark.parametrize(
    "typed",
    [
        "What was the revenue of Microsoft in 2014?",
        "Who repairs the roof?",
        "What is the warranty and how long does it last?",
        "Is it possible to end the lease early?",
        "How long does it take to get the deposit back?",
        "What does this agreement say about pets?",
        "What are the conditions of these terms?",
        "Does Northern Tools pay its rent by transfer?",
        "and what is the deposit?",
        "and by when must the rent be paid?",
        "And to whom must the notice be sent?",
        "Und bis wann muss die Miete gezahlt werden?",
        "List all obligations of the tenant",
        "deposit",
        "Quel est le loyer ?",
        "If a tenant leaves, must they pay?",
        "For how long is the lease?",
        "Können Sie das erklären?",
        "Wie hoch ist die Miete?",
        "and I?",
        "You must give notice when?",
        "¿Quién repara el tejado?",
    ],
)
def test_it_leaves_what_stands_alone(typed: str) -> None:
    assert read_follow_up(typed, RENT) == ("alone", typed)


@pytest.mark.parametrize(
    ("typed", "last"),
    [
        *(
            (typed, CARRIED)
            for typed in (
                "And within how many days must notice be given?",
                "And during which months is the office closed?",
                "And through whom are notices given?",
                "So, what is the deposit?",
            )
        ),
        *(
            (typed, "Wie hoch ist die Miete?")
            for typed in (
                "Und an wen muss die Kündigung gehen?",
                "Und nach wie vielen Tagen ist Verzug?",
                "Und von wem wird die Kaution gehalten?",
                "Und mit welcher Frist endet der Vertrag?",
                "Und wofür haftet der Mieter?",
            )
        ),
        *(
            (typed, "Quel est le loyer ?")
            for typed in (
                "Et à qui faut-il payer ?",
                "Et de quel montant est le dépôt ?",
                "Et jusqu'à quand court le bail ?",
                "Et jusqu’à quand court le bail ?",
                "Et d’après quel indice le loyer varie-t-il ?",
            )
        ),
        *(
            (typed, "¿Cuál es el alquiler?")
            for typed in ("¿Y a quién se paga la renta?", "¿Y de cuánto es el depósito?", "¿Y ante quién se reclama?")
        ),
    ],
)
def test_it_asks_a_whole_question_behind_a_preposition_as_typed(typed: str, last: str) -> None:
    assert read_follow_up(typed, last) == ("alone", typed)


@pytest.mark.parametrize(
    ("typed", "last"),
    [
        ("and in 2015?", "How did the revenue change from 2013 to 2014?"),
        ("and if it burns?", "Who repairs the roof if it leaks?"),
        ("and Google?", "Is the revenue of Apple higher than that of Microsoft?"),
        ("Why?", RENT),
        ("how much?", REPAIRS),
        ("For how long?", REPAIRS),
        ("And until when must it be kept?", "How much insurance must be carried?"),  # the words stay, none is left out
        ("And before when must it be paid?", CARRIED),
        ("And 30 days is enough?", CARRIED),  # none of its words is in the question before
        ("And in May?", CARRIED),
        ("By when?", "What notice must the tenant give?"),  # without the notice it would be another question
        ("What about them?", "Does the tenant repair the roof?"),
        ("Wer bezahlt sie?", "Wer zahlt?"),
        ("and the doors?", "Does the tenant repair the roof?"),
        ("How old is he?", REPAIRS),
        ("When is it due?", "Why?"),
        ("When is it due?", "Can I sublet?"),
        ("Can I end it?", "Can I sublet?"),
        ("How old is he?", "May I ask when I'm invited?"),
        ("What are its effects?", "Does the tenant repair the roof?"),
    ],
)
def test_it_says_so_when_it_cannot_be_certain(typed: str, last: str) -> None:
    assert read_follow_up(typed, last) == ("unclear", typed)


@pytest.mark.parametrize("row", gaps().alternatives, ids=lambda row: f"{row.language} {row.section} {row.pattern[:20]}")
def test_every_row_of_words_matches_its_examples_and_not_the_others(row: Wording) -> None:
    pattern = gaps().alone(row)
    assert [text for text in row.examples if not pattern.search(text)] == []
    assert [text for text in row.counter_examples if pattern.search(text)] == []


@pytest.mark.parametrize(
    "typed", ["?", "and", "and ?", "it", "\u2026", "and " + "x " * 2000, "it " * 1300, "the " * 1000]
)
@pytest.mark.parametrize("last", ["?", "the " * 1000, "(" * 4000, "A " * 2000])
def test_it_survives_anything(typed: str, last: str) -> None:
    assert read_follow_up(typed, last).question
    assert read_follow_up(last, typed).outcome in ("alone", "rewritten", "unclear")
