"""What is in force comes before what was: agreements with amendments, asked together."""

from dataclasses import asdict

import pytest

from documents.storage.content import DocumentContent
from retrieval.amendments.in_force import VersionGroup, is_answering
from retrieval.amendments.versions import find_versions, lines_of_clause
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.told.reasons import state_of_version
from retrieval.types import ClauseState, RetrievalResult

LEASE = content_of_lines(
    [
        "# Warehouse Lease",
        "Made on 3 May 2018 between Harrow Estates Ltd and Pine Storage Ltd.",
        "# 4. Rent",
        "4.1 The Tenant shall pay a yearly rent of £90,000.",
        "4.2 The rent is due within ten (10) days after the start",
        "of each quarter.",
        "# 5. Repair",
        "5.1 The Tenant keeps the roof in repair.",
        "# 7. Parking",
        "7.1 The Tenant may use twelve parking spaces.",
    ],
    title="Warehouse Lease, Harrow Estates Ltd and Pine Storage Ltd, 3 May 2018",
    number=1,
)
FIRST = content_of_lines(
    [
        "# First Deed of Variation",
        "Made on 2 June 2020 to the Warehouse Lease of 3 May 2018.",
        "# Changes",
        "1. In clause 4.1 the words “£90,000” are replaced by “£104,000” with effect from 1 July 2020.",
        "2. Clause 7.1 is deleted with effect from 1 January 2021.",
    ],
    title="First Deed of Variation",
    number=2,
)
SECOND = content_of_lines(
    [
        "# Second Deed of Variation",
        "Made on 4 March 2023 to the Warehouse Lease of 3 May 2018, as amended.",
        "# Changes",
        "1. Clause 4.1 is replaced by the following:",
        "“4.1 The Tenant shall pay a yearly rent of £118,000.”",
        "2. This Deed takes effect on 1 April 2023.",
    ],
    title="Second Deed of Variation",
    number=3,
)
ALL = [LEASE, FIRST, SECOND]


def ask(question: str, contents: list[DocumentContent] = ALL) -> RetrievalResult:
    return retrieve(question, contents, settings=SETTINGS, arbiter="rules")


def test_a_clause_has_its_versions_newest_first_with_their_days() -> None:
    rent, parking = find_versions(ALL)
    assert (rent.clause, parking.clause) == ("4.1", "7.1")
    assert [each.in_force for each in rent.each] == [
        ClauseState("2023-04-01"),
        ClauseState("2020-07-01", "2023-04-01", "replaced"),
        ClauseState("", "2020-07-01", "replaced"),
    ]
    assert [each.in_force.change for each in parking.each] == ["", "deleted"]
    assert rent.each[0].lines == (4, 5) and rent.each[2].lines == (4, 4)


@pytest.mark.parametrize(
    ("question", "said", "first"),
    [
        ("What is the yearly rent?", ["£118,000", "£104,000", "£90,000"], 1),
        ("What does clause 4.1 say?", ["£118,000", "£104,000", "£90,000"], 1),
        ("What was the yearly rent in 2021?", ["£104,000", "£118,000", "£90,000"], 1),
        ("What was the yearly rent on 5 May 2019?", ["£90,000", "£118,000", "£104,000"], 1),
        ("What was the yearly rent in March 2023?", ["£104,000", "£118,000", "£90,000"], 1),
        ("What was the yearly rent in April 2023?", ["£118,000", "£104,000", "£90,000"], 1),
        ("What was the yearly rent in 2020?", ["£104,000", "£90,000", "£118,000"], 2),  # it changed within the year
    ],
)
def test_the_version_in_force_comes_first_and_the_others_say_what_became_of_them(
    question: str, said: list[str], first: int
) -> None:
    result = ask(question)
    kept = [each for each in result.kept() if "£" in each.quote.text]
    assert result.status == "found"
    assert all(value in each.quote.text for value, each in zip(said, kept, strict=True))
    assert [each.verdict.role for each in kept].count("primary") == first
    assert not any("says clearly more" in each.verdict.reason for each in kept)
    assert any(each.verdict.reason.endswith("those in force come first.") for each in kept)
    (told,) = result.ranking.contradictions
    assert told.candidate_ids == tuple(each.candidate_id for each in kept) and told.clause == "4.1"
    assert "replaced from 2023-04-01" in told.point


def test_an_amendment_of_the_future_replaces_nothing_yet() -> None:
    future = content_of_lines(
        ["# Deed of Variation", "Made on 2 June 2020 to the Warehouse Lease of 3 May 2018.", "# Changes",
         "1. In clause 4.1 the words “£90,000” are replaced by “£118,000” with effect from 1 January 2999."],
        title="Deed of Variation", number=2,
    )  # fmt: skip
    for question, value in (
        ("What is the yearly rent?", "£90,000"),
        ("What is the yearly rent on 5 May 2020?", "£90,000"),
        ("What is the yearly rent on 5 May 2999?", "£118,000"),
    ):
        kept = [each for each in ask(question, [LEASE, future]).kept() if "£" in each.quote.text]
        assert [each.verdict.role for each in kept] == ["primary", "supporting"], question
        assert value in kept[0].quote.text and ("replaced" in kept[0].quote.text) == (value == "£118,000"), question


def test_an_amendment_that_does_not_say_from_when_it_holds_decides_nothing_about_a_time() -> None:
    undated = content_of_lines(
        ["# Deed of variation", "Made to the Warehouse Lease of 3 May 2018.", "# 1. Changes",
         "1.1 In clause 4.1 the words “£90,000” are replaced by “£118,000”."],
        title="Deed of variation", number=2,
    )  # fmt: skip
    (rent,) = find_versions([LEASE, undated])
    group = VersionGroup(rent, ())
    assert [is_answering(each, group, ("2019-01-01", "2019-12-31")) for each in rent.each] == [True, True]
    assert [is_answering(each, group, None) for each in rent.each] == [True, False]


def test_a_deleted_clause_is_shown_with_what_deletes_it() -> None:
    result = ask("How many parking spaces may the Tenant use?")
    quotes = {each.quote.text: each.verdict.role for each in result.kept()[:2]}
    assert quotes == {
        "2. Clause 7.1 is deleted with effect from 1 January 2021.": "primary",
        "7.1 The Tenant may use twelve parking spaces.": "supporting",
    }


def test_a_clause_deleted_on_a_condition_answers_beside_what_deletes_it() -> None:
    deed = content_of_lines(
        ["# Deed of Variation", "Made on 2 June 2020 to the Warehouse Lease of 3 May 2018.", "# Changes",
         "1. Clause 7.1 is deleted with effect from 1 January 2021 if the Tenant has no vehicles."],
        title="Deed of Variation", number=2,
    )  # fmt: skip
    result = ask("How many parking spaces may the Tenant use?", [LEASE, deed])
    first = {each.quote.text[:10]: each.verdict.role for each in result.kept()[:2]}
    assert first == {"1. Clause ": "primary", "7.1 The Te": "primary"}
    (told,) = result.ranking.contradictions
    assert told.in_force == (
        ClauseState("2021-01-01", condition="if the Tenant has no vehicles"),
        ClauseState("", "2021-01-01", "added", "if the Tenant has no vehicles"),
    )
    assert "in force from 2021-01-01, “if the Tenant has no vehicles”" in told.point
    assert "added from 2021-01-01, “if the Tenant has no vehicles”" in told.point
    assert [state_of_version(asdict(each)) for each in told.in_force] == [
        "may be in force from 1 Jan 2021: “if the Tenant has no vehicles”",
        "may be amended from 1 Jan 2021: “if the Tenant has no vehicles”",
    ]


def test_a_change_without_a_condition_comes_before_one_that_may_not_be() -> None:
    later = content_of_lines(
        ["# Second Deed of Variation", "Made on 4 March 2023 to the Warehouse Lease of 3 May 2018.", "# Changes",
         "1. Clause 7.1 is replaced by “None.” with effect from 1 April 2023."],
        title="Second Deed of Variation", number=3,
    )  # fmt: skip
    deed = content_of_lines(
        ["# Deed of Variation", "Made on 2 June 2020 to the Warehouse Lease of 3 May 2018.", "# Changes",
         "1. Clause 7.1 is deleted with effect from 1 January 2021 unless the Tenant pays."],
        title="Deed of Variation", number=2,
    )  # fmt: skip
    (parking,) = find_versions([LEASE, deed, later])
    assert [each.in_force.change for each in parking.each] == ["", "replaced", "replaced"]
    assert parking.each[2].in_force.ends == "2023-04-01"
    assert not any(each.in_force.condition for each in parking.each)  # what later words replace is told as that


STORAGE_1 = content_of_lines(
    [
        "# First Amendment to the Storage Contract of Pell Carpets",
        "1. In clause 3 the words “£420 a month” are replaced by “£465 a month” with effect from 1 June 2020.",
        "2. Clause 12 is deleted with effect from 1 July 2020.",
    ],
    title="First Amendment to the Storage Contract of Pell Carpets",
    number=2,
)


STORAGE = content_of_lines(
    [
        "# Storage Contract of Pell Carpets",
        "# 3 Rent",
        "The rent is £420 a month.",
        "# 12 Insurance",
        "Goods are insured up to £15,000.",
    ],
    title="Storage Contract of Pell Carpets",
    number=1,
)


def test_the_number_of_a_heading_needs_no_full_stop() -> None:
    asked = ("the rent a month", "insured")
    rent, insurance = (ask(f"What is {each}?", [STORAGE, STORAGE_1]) for each in asked)
    assert "£465" in rent.kept()[0].quote.text and rent.kept()[1].verdict.role == "supporting"
    assert "deleted" in insurance.kept()[0].quote.text


def test_a_clause_that_nobody_amends_is_answered_as_without_amendments() -> None:
    question = "Who keeps the roof in repair?"
    alone, among = ask(question, [LEASE]), ask(question)
    assert among.ranking.contradictions == () and among.status == alone.status == "found"
    assert among.kept()[0].quote.text == alone.kept()[0].quote.text


def test_a_german_supplement_replaces_a_paragraph_of_a_clause() -> None:
    lease = content_of_lines(
        ["# Mietvertrag", "vom 3. Mai 2018 zwischen Hafen GmbH und Nord GmbH.", "§ 4 Miete",
         "(1) Die monatliche Miete beträgt 900 Euro.", "(2) Sie ist am dritten Werktag fällig.", "§ 5 Reparaturen",
         "(1) Der Vermieter repariert das Dach."],
        title="Mietvertrag", language="de", number=1,
    )  # fmt: skip
    supplement = content_of_lines(
        ["# Nachtrag Nr. 1", "vom 2. Juni 2020 zum Mietvertrag vom 3. Mai 2018.",
         "1. § 4 Abs. 1 wird mit Wirkung ab dem 1. Juli 2020 wie folgt neu gefasst:",
         "„(1) Die monatliche Miete beträgt 990 Euro.“"],
        title="Nachtrag Nr. 1", language="de", number=2,
    )  # fmt: skip
    kept = [each.quote.text for each in ask("Wie hoch ist die monatliche Miete?", [lease, supplement]).kept()]
    assert "990 Euro" in kept[0] and "900 Euro" in kept[1]


def test_a_year_that_picks_no_version_is_a_word_like_others() -> None:
    assert ask("Who kept the roof in repair in 1999?").status != "found"


def test_an_amendment_changes_only_the_one_document_it_names() -> None:
    other = content_of_lines(
        ["# Warehouse Lease", "Made on 9 August 2019 between Harrow Estates Ltd and Elm Ltd.", "# 4. Rent",
         "4.1 The Tenant shall pay a yearly rent of £20,000."],
        title="Warehouse Lease, Harrow Estates Ltd and Elm Ltd, 9 August 2019",
        number=4,
    )  # fmt: skip
    undated = content_of_lines(
        ["# Warehouse Lease", "# 4. Rent", "4.1 The rent is £1."], title="Warehouse Lease", number=5
    )
    assert {each.document_id for found in find_versions([*ALL, other]) for each in found.each}.isdisjoint(
        {other.document_id}
    )
    assert find_versions([FIRST, other]) == ()
    assert find_versions([LEASE, FIRST, undated]) == ()  # it may be of either


@pytest.mark.parametrize(
    ("clause", "lines"),
    [
        (("4.1",), (3, 4)),
        (("4",), (2, 6)),
        (("4.2", "(b)"), (6, 6)),
        (("30",), None),
        (("6",), (7, 8)),
        (("5",), None),
    ],
)
def test_a_clause_goes_from_its_number_to_the_next(clause: tuple[str, ...], lines: tuple[int, int] | None) -> None:
    content = content_of_lines(
        [
            "Rent is paid under clause",
            "4. Rent",
            "4.1 It is due within",
            "30 days of the date in clause 6.2 and",
            "4.2 It is paid (a) in cash",
            "(b) by transfer",
            "# § 6 Repair",
            "6.2 and 6.3 apply.",
        ]
    )
    assert lines_of_clause(content, clause) == lines
