"""What an answer without a writer says first: the sentence asked for, with what it cannot be understood without."""

from collections.abc import Sequence

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.units import units_of
from retrieval.detectors.vectors import nearness_of
from retrieval.headlines import choosing
from retrieval.headlines.choosing import KeptPlace, Spoken, find_headlines, sentences_of_places, sentences_of_unit
from retrieval.headlines.fitting import is_fitting
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import LineRange

LEASE = content_of_lines(
    [
        "# 4. Payment",
        "4.1 Rent. The tenant pays a rent of 1,200 euros a month. This is due on the first",
        "day of the month, and the land-",
        "lord confirms each payment to the tenant. The landlord is a firm.",
        "# 5. Duties",
        "The tenant shall:",
        "(a) keep the rooms clean;",
        "(b) report damage within three days; and",
        "# 6. End",
        "Either party may end the lease with a notice of six months. The lease began on 1 March 2024.",
        "The rent was 1,100 euros in 2023 and 1,200 euros in 2024.",
        "Some 412 tenants live here. In the house opposite live 38 tenants of the same landlord.",
    ]
)


RENT = "The tenant pays a rent of 1,200 euros a month."


def place_at(line: int, content: DocumentContent = LEASE) -> KeptPlace:
    unit = units_of(content).around(line)
    section = content.toc_by_index[content.lines[line - 1].toc_index]
    return KeptPlace(f"l{line}", content, unit, LineRange(section.first_line, section.last_line))


def headlines_of(question: str, *lines: int, content: DocumentContent = LEASE) -> list[str]:
    kept = [place_at(line, content) for line in lines]
    return [each.text for each in find_headlines(parse_question(question, [content]), kept).spoken]


BANDS = {
    "en": (
        "A boat of up to 500 kg carries an anchor of 5 kg. A boat of more than 500 kg and up to 1,000 kg carries an"
        " anchor of 9 kg. A boat of more than 1,000 kg carries an anchor of 15 kg."
    ),
    "de": (
        "Für Sendungen unter 100 kg beträgt das Lagergeld 3 Euro je Tag. Für Sendungen ab 100 kg und unter 500 kg"
        " beträgt das Lagergeld 8 Euro je Tag. Für Sendungen ab 500 kg beträgt das Lagergeld 19 Euro je Tag."
    ),
    "fr": (
        "Pour les tentes jusqu'à 10 m², la taxe est de 6 euros par nuit. Pour les tentes de plus de 10 m² et jusqu'à"
        " 20 m², la taxe est de 9 euros par nuit. Pour les tentes de plus de 20 m², la taxe est de 14 euros par nuit."
    ),
}


@pytest.mark.parametrize(
    ("language", "asked", "said"),
    [
        ("en", "How heavy is the anchor of a boat of 500 kg?", "anchor of 5 kg"),
        ("en", "How heavy is the anchor of a boat of 800 kg?", "anchor of 9 kg"),
        ("en", "How heavy is the anchor of a boat of 1,400 kg?", "anchor of 15 kg"),
        ("de", "Wie hoch ist das Lagergeld für eine Sendung von 100 kg?", "8 Euro"),
        ("de", "Wie hoch ist das Lagergeld für eine Sendung von 750 kg?", "19 Euro"),
        ("fr", "Quelle est la taxe pour une tente de 10 m² ?", "6 euros"),
        ("fr", "Quelle est la taxe pour une tente de 15 m² ?", "9 euros"),
    ],
)
def test_of_the_intervals_of_a_paragraph_the_one_that_holds_the_quantity_is_said(
    language: str, asked: str, said: str
) -> None:
    content = content_of_lines(["# 4", BANDS[language]], language=language)
    [first] = headlines_of(asked, 2, content=content)
    assert said in first


def bold_words(spoken: Spoken) -> str:
    return spoken.text[slice(*spoken.bold)] if spoken.bold else spoken.text


def sentences_at(line: int) -> list[str]:
    return [each.text for each in sentences_of_unit(units_of(LEASE).around(line), LEASE)]


def test_a_sentence_has_its_heading_what_it_refers_to_and_no_ends_of_lines() -> None:
    assert sentences_at(2) == [
        "4.1 Rent. The tenant pays a rent of 1,200 euros a month.",
        f"{RENT} This is due on the first day of the month, and the landlord confirms each payment to the tenant.",
        "The landlord is a firm.",
    ]


def test_an_item_is_said_with_what_introduces_it() -> None:
    assert sentences_at(7) == ["The tenant shall: (a) keep the rooms clean;"]


def test_what_stands_between_an_item_and_its_lead_in_is_marked_as_left_out() -> None:
    assert sentences_at(8) == ["The tenant shall: […] (b) report damage within three days; and"]
    kept = [place_at(8)]
    question = parse_question("How soon must the tenant report damage?", [LEASE])
    [found] = find_headlines(question, kept).spoken
    assert found.literal == "The tenant shall:\n[…]\n(b) report damage within three days; and"


@pytest.mark.parametrize(
    ("question", "lines", "said"),
    [
        ("How much is the rent a month?", (2, 10), ["4.1 Rent. The tenant pays a rent of 1,200 euros a month."]),
        ("When did the lease begin?", (2, 10), ["The lease began on 1 March 2024."]),
        ("How much was the rent in 2022?", (11,), []),  # it names other years only
        ("How many tenants live here?", (12,), []),  # 412 and 38: no one number is told
        ("How much is the deposit in dollars?", (6,), []),  # no amount beside the words
        ("Combien coûte le loyer par mois ?", (2,), []),  # across languages sentences are not compared
    ],
)
def test_the_best_sentence_is_the_one_of_the_form_asked_for(
    question: str, lines: tuple[int, ...], said: list[str]
) -> None:
    assert headlines_of(question, *lines) == said


PEOPLE = content_of_lines(
    [
        "# Board of directors",
        "- Ana Ode-Berg, Chair, member since 2018;",
        "- Fay Koskela-Marsh, chair of the audit committee, member since 2020.",
        "# Notice",
        "The notice of the tenant takes three months.",
        "The notice of the tenant takes 3 months.",
        "# Heating",
        "The heating is repaired within two days.",
        "The heating of the cellar is repaired within two weeks.",
        "# Retention",
        "The files of the tenant are kept for 24 months.",
        "The files of the tenant are kept for two years.",
        "# Management",
        "Jane Moreau is the chief executive officer.",
        "The chief executive officer, Ms Moreau, signs every contract.",
        "# Ending",
        "The contract renews for periods of twelve months unless a party gives ninety days' notice.",
        "Either party may end it at any time by giving 180 days' notice.",
        "# Deposit",
        "The deposit is 2,000 euros.",
        "The deposit is 2,400 euros.",
        "# Insurance",
        "The insurance of the equipment covers 8,000,000 euros of damage by flood.",
    ]
)


@pytest.mark.parametrize(
    ("question", "line", "said"),
    [
        ("Who chairs the board of directors?", 2, []),
        (
            "Who chairs the audit committee?",
            3,
            ["- Fay Koskela-Marsh, chair of the audit committee, member since 2020."],
        ),
        ("How long is the notice of the tenant?", 5, ["The notice of the tenant takes 3 months."]),
        ("How fast is the heating repaired?", 8, []),
        (
            "How long are the files of the tenant kept?",
            11,
            ["The files of the tenant are kept for 24 months."],
        ),
        (
            "Who is the chief executive officer?",
            14,
            ["Jane Moreau is the chief executive officer."],
        ),
        ("How long is the notice period?", 17, []),
        ("What is the deposit?", 20, []),
    ],
)
def test_no_headline_is_contested_by_another_sentence_with_as_much_of_the_question(
    question: str, line: int, said: list[str]
) -> None:
    assert headlines_of(question, line, content=PEOPLE) == said


EXCESSES = content_of_lines(
    [
        "# Property damage",
        "Limit of the cover £2,000,000. Excess for each claim £1,000.",
        "# Injury",
        "Limit of the cover £5,000,000. Excess for each claim: nil.",
        "# Accidents",
        "The insured reports every accident in writing.",
    ]
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much is the excess for each injury claim?", ["Excess for each claim: nil."]),
        ("How much is the excess for each claim?", []),
    ],
)
def test_that_there_is_none_is_a_value_like_any_other(question: str, said: list[str]) -> None:
    assert headlines_of(question, 2, 4, content=EXCESSES) == said


def test_a_sentence_beside_a_place_has_the_title_of_its_own_section() -> None:
    """The context of a place may reach into another section: what is said there is not said of this one."""
    place = place_at(4, EXCESSES)._replace(context=LineRange(1, 6))
    spoken = {each.text: each.section for each in sentences_of_places([place])}
    assert spoken["Excess for each claim £1,000."] == "Property damage"
    assert spoken["Excess for each claim: nil."] == "Injury"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "How long are the files of the tenant kept and who insures the equipment?",
            ["The files of the tenant are kept for 24 months."],
        ),
        (
            "Who is the chief executive officer and how fast is the heating of the cellar repaired?",
            [
                "Jane Moreau is the chief executive officer.",
                "The heating of the cellar is repaired within two weeks.",
            ],
        ),
    ],
)
def test_each_part_of_a_question_has_a_headline_with_a_value_of_its_own_kind(question: str, said: list[str]) -> None:
    assert headlines_of(question, 8, 11, 14, 23, content=PEOPLE) == said


@pytest.mark.parametrize(
    ("question", "fitting", "unfitting"),
    [
        (
            "Who chairs the board?",
            "Ana Ode-Berg chairs the board of the group.",
            "Fay Koskela-Marsh is the chair of the audit committee on the board.",
        ),
        (
            "Who is the auditor?",
            "The auditor is Northgate Partners LLP.",
            "The auditor's fee was 240,000 euros.",
        ),
        (
            "Who signs the contracts of the company?",
            "The chief financial officer signs the contracts of the company.",
            "The company signs the contracts in blue ink.",
        ),
        (
            "Who is the managing director of the company?",
            "The managing director of Acme GmbH is Anna Weber.",
            "The managing director of the branch is Anna Weber.",
        ),
        (
            "Who is the chair of the audit committee?",
            "Jane Moreau is chair of the board and Fay Koskela chair of the audit committee.",
            "Jane Moreau is chair of the board, not of what audits it.",
        ),
        (
            "What is the recovery point objective?",
            "The recovery point objective is four hours.",
            "The objective of recovery is four hours.",
        ),
        (
            "What is the deposit?",
            "The deposit is 2,000 euros.",
            "The deposit is in the hands of the landlord.",
        ),
        (
            "What is the governing law?",
            "The governing law is that of Ireland.",
            "The governing law is named in the schedule.",
        ),
        (
            "What is not covered by the policy?",
            "Floods in Ireland are not covered by the policy.",
            "Fire is covered by the policy in Ireland.",
        ),
        (
            "Which document is the founding document?",
            "The founding document is the Social Contract.",
            "A majority of three to one replaces founding Documents.",
        ),
        ("learning rate?", "The learning rate was 0.5.", "The learning rates of section 5.4 are those of Table 2."),
        (
            "On what date was the lease made?",
            "The lease was made on 1 March 2024.",
            "The lease was made for a period of two years.",
        ),
        (
            "Under which licence is the library distributed?",
            "The library is distributed under the Lesser Public licence.",
            "The file on the licence is distributed with the library.",
        ),
        (
            "How long does the project leader stay?",
            "The project leader has to stay for two years.",
            "The project secretary has to stay for one year.",
        ),
        (
            "In what year was the lease made?",
            "The lease was made in May 2024.",
            "The lease was made by the landlord, who also made that of the next house.",
        ),
        (
            "How much time does the tenant have to report damage?",
            "The tenant has three days to report damage.",
            "The tenant may report damage of 4,000 euros by telephone.",
        ),
        (
            "Is there a limitation of liability?",
            "The liability has a limitation of 5,000 euros.",
            "An insurance of 5,000 euros covers any liability, including, without limitation, that for fire.",
        ),
        (
            "When does the lease end?",
            "The lease is made on 1 May 2024 and runs until 1 May 2026.",
            "EXHIBIT 3 May 4, 2024 The lease is made by the landlord and the tenant.",
        ),
        (
            "To what amount is the liability limited?",
            "The liability is limited to 10.50 euros.",
            "Exhibit 10.1 tells that the liability is limited.",
        ),
    ],
)
def test_a_headline_has_the_very_thing_and_the_kind_of_value_asked_for(
    question: str, fitting: str, unfitting: str
) -> None:
    content = content_of_lines([fitting, unfitting, *(f"The rent of house {number} is due." for number in range(20))])
    asked = parse_question(question, [content])
    assert [is_fitting(text, "", content, asked) for text in (fitting, unfitting)] == [True, False]


NOTICE = "The Customer may terminate the agreement on six months' notice"


@pytest.mark.parametrize(
    ("asked", "sentence", "is_said"),
    [
        ("How much notice must the supplier give to terminate the agreement?", f"{NOTICE}.", False),
        ("How often may the supplier audit the customer?", "The Customer may audit the Supplier twice a year.", False),
        ("May the supplier terminate the agreement?", f"{NOTICE}.", False),
        ("How soon must the customer be notified?", "The Supplier shall notify the Customer within two days.", True),
        ("May the customer data be audited twice?", "The Supplier may audit the customer data twice a year.", True),
        ("How much notice must the supplier give to terminate the agreement?", f"{NOTICE}, the Supplier on ten.", True),
        ("How much notice must the vendor give to terminate the agreement?", f"{NOTICE}.", True),
        ("Must the supplier or the customer audit the goods?", "The Customer shall audit the goods.", True),
    ],
)
def test_what_one_side_may_is_not_said_where_the_other_side_is_asked_for(
    asked: str, sentence: str, is_said: bool
) -> None:
    lines = [sentence, "The Supplier delivers.", *(f"The rent of house {number} is due." for number in range(20))]
    content = content_of_lines(lines)
    assert is_fitting(sentence, "", content, parse_question(asked, [content])) is is_said


@pytest.mark.parametrize(
    ("asked", "sentence", "is_said"),
    [
        ("When will the Thornbury branch close?", "The branch in Yate will close on 30 June 2025.", False),
        ("When will the branch in Thornbury close?", "The branch in Yate will close on 30 June 2025.", False),
        ("When will the Thornbury branch close?", "The branch in Thornbury will close on 30 June 2025.", True),
        ("When will the Thornbury branch close?", "The branches in Yate and Thornbury close on 30 June 2025.", True),
        ("When did the Thornbury agreement begin?", "The agreement, signed in Yate, did begin on 30 June 2025.", True),
    ],
)
def test_what_is_said_of_one_place_is_not_said_of_another_on_the_cover(
    asked: str, sentence: str, is_said: bool
) -> None:
    content = content_of_lines(
        [sentence, "In Thornbury all stays.", *(f"House {number} is let." for number in range(60))]
    )
    assert is_fitting(sentence, "", content, parse_question(asked, [content])) is is_said


def test_a_word_for_the_kind_of_value_need_not_be_said() -> None:
    """The first answer that everybody sees in the demonstration."""
    sentence = "The cyber policy carries a Deductible of EUR 75,000 for each claim."
    content = content_of_lines([sentence, *(f"The rent of house {number} is due." for number in range(20))])
    assert is_fitting(sentence, "", content, parse_question("What is the deductible amount?", [content]))


def test_a_part_that_leans_has_the_names_of_the_whole_question() -> None:
    said = ["In May 2022 we bought the firm of Nuance for 18 million euros.", "It was sold at a cost of 1,200 euros."]
    content = content_of_lines(said)
    kept = [place_at(line, content) for line in (1, 2)]
    question = parse_question("When was the firm of Nuance bought, and what did it cost?", [content])
    found = find_headlines(question, kept).spoken
    assert said[1] not in [each.text for each in found]


@pytest.mark.parametrize(("box", "count"), [("❏", 0), ("✘", 0), ("○", 1)])
def test_an_option_that_may_not_be_chosen_is_no_headline(box: str, count: int) -> None:
    notes = [f"The club meets in room {number}." for number in range(20)]
    content = content_of_lines(["# Consents", f"{box} The member agrees to be photographed at races.", *notes])
    assert len(headlines_of("Does the member agree to be photographed at races?", 2, content=content)) == count


@pytest.mark.parametrize(
    ("asked", "sentence", "is_said"),
    [
        ("Which protocol does the service use?", "The service does use the TLS protocol.", True),
        ("Which protocol does the service use?", "The service does use a protocol named in Annex B.", False),
        ("Which law governs the contract?", "The law that governs the contract is English law.", True),
        ("Which law governs the contract?", "Sometimes no law governs the contract.", False),
        ("Which law governs the contract?", "The law that governs the contract is told in Schedule 4.", False),
    ],
)
def test_which_one_is_answered_by_a_name_and_not_by_where_it_is_told(asked: str, sentence: str, is_said: bool) -> None:
    content = content_of_lines([sentence, *(f"The fee of year {number} is due." for number in range(20))])
    assert is_fitting(sentence, "", content, parse_question(asked, [content])) is is_said


@pytest.mark.parametrize(
    ("asked", "sentence", "is_said"),
    [
        ("How many tenants were there in 2023?", "In 2023 the tenants paid on time.", False),  # the year is no number
        ("How many tenants were there in 2023?", "In 2023 there were 412 tenants.", True),
        ("Wie lange werden Jahressicherungen aufbewahrt?", "Tagessicherungen werden 35 Tage aufbewahrt.", False),
        ("Wie lange werden Jahressicherungen aufbewahrt?", "Sicherungen jedes Jahres werden 5 Jahre aufbewahrt.", True),
        ("Wie lange werden Tagessicherungen aufbewahrt?", "Tagessicherungen werden 35 Tage aufbewahrt.", True),
    ],
)
def test_a_number_is_no_year_and_both_parts_of_a_word_are_said(asked: str, sentence: str, is_said: bool) -> None:
    language = "de" if asked.startswith("Wie") else "en"
    other = "In jedem Jahr gibt es Sicherungen." if language == "de" else "The tenants met in 2023."
    content = content_of_lines(["# 1. Text", sentence, other], language=language)
    assert is_fitting(sentence, "", content, parse_question(asked, [content])) is is_said


def test_a_sentence_about_another_code_is_no_headline() -> None:
    said = "Damage of class {} is repaired within {} days of the report, by the landlord and at his own cost."
    lines = ["# 7. Damage", said.format("P1", "seven"), said.format("P2", "thirty"), "# 8. End", "It ends."]
    content = content_of_lines(lines)
    kept = [place_at(line, content) for line in (2, 3)]
    question = parse_question("When is damage of class P2 repaired?", [content])
    assert [each.text for each in find_headlines(question, kept).spoken] == [said.format("P2", "thirty")]
    question = parse_question("When is damage of class P2 repaired?", [content])
    other = content_of_lines([*lines[:2], *lines[3:], "P2"])
    assert not find_headlines(question, [kept[0]._replace(content=other)]).spoken


def test_each_part_of_a_question_has_its_own_sentence() -> None:
    said = headlines_of("What is the rent a month, and when did the lease begin?", 2, 10)
    assert said == ["4.1 Rent. The tenant pays a rent of 1,200 euros a month.", "The lease began on 1 March 2024."]


def test_a_literal_headline_is_the_text_of_its_lines() -> None:
    unit = units_of(LEASE).around(2)
    for written in sentences_of_unit(unit, LEASE):
        for piece in written.pieces:
            assert LineRange(unit.first, unit.last).overlaps(LineRange(piece.number, piece.number))
            assert LEASE.lines[piece.number - 1].text[piece.start : piece.end].strip()


LONG = content_of_lines(
    [
        "# 8. Insurance",
        "The Agent takes out insurance, on terms that are usual in the trade and with an insurer of good name; the sum",
        "insured is at least 5,000,000 euros for each event; the Agent hands the Owner a copy of the policy within a",
        "week; and the Agent tells the Owner of every change of the policy, of the insurer or of the premium at once.",
        "# 9. Objectives",
        "The recovery plan serves the following objectives:",
        "The primary objective of the technical test is to find faults.",
        "# 10. Scores",
        "The big model reaches a score of 28.4 on the English-to-German task and takes four days.",
    ]
)


@pytest.mark.parametrize(
    ("question", "lines", "said"),
    [
        (
            "How much is the sum insured for each event?",
            (2,),
            ["the sum insured is at least 5,000,000 euros for each event;"],
        ),
        ("What objectives does the recovery plan serve?", (6,), []),  # the list is what was asked for
        ("What is the recovery point objective?", (7,), []),  # one word of a term is another thing
        ("What score does the model reach on English-to-German?", (9,), [LONG.lines[8].text]),
        ("What score does the model reach on English-to-Japanese?", (9,), []),
        ("What score does the model reach on the German task in 2019?", (9,), []),
    ],
)
def test_a_headline_is_short_whole_and_says_all_that_is_specific(
    question: str, lines: tuple[int, ...], said: list[str]
) -> None:
    kept = [place_at(line, LONG) for line in lines]
    found = find_headlines(parse_question(question, [LONG]), kept).spoken
    assert [bold_words(each) for each in found] == said


def test_a_long_sentence_is_cited_whole_where_it_stands() -> None:
    kept = [place_at(2, LONG)]
    question = parse_question("How much is the sum insured for each event?", [LONG])
    [found] = find_headlines(question, kept).spoken
    assert found.literal == "\n".join(line.text for line in LONG.lines[1:4])
    assert found.as_chosen().bold == found.bold is not None


def test_what_could_not_change_what_is_said_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [f"The landlord cleans the {thing} {n}." for n in range(8) for thing in ("lift", "yard", "attic", "stair")]
    house = content_of_lines(["# Rent and rooms", RENT, *others])
    places = [KeptPlace("l2", house, LineRange(2, 2), LineRange(1, len(house.lines)))]
    asked = parse_question("What rent does the tenant pay a month?", [house])
    read: list[str] = []

    def found(at_once: int) -> list[str]:
        read.clear()
        monkeypatch.setattr(choosing, "READ_AT_ONCE", at_once)
        return [each.text for each in find_headlines(asked, places).spoken]

    def nearness_read(texts: Sequence[str], topic: str) -> list[float]:
        read.extend(texts)
        return nearness_of(texts, topic)

    monkeypatch.setattr(choosing, "nearness_of", nearness_read)
    assert found(1) == [RENT]
    few = len(read)
    assert found(48) == [RENT] and few < len(read)
