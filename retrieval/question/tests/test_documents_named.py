"""The documents a question names."""

import pytest

from retrieval.question.documents_named import Name, documents_named

NAMES = [
    Name("0000004962-23-000006 AMERICANEXPRESS_2022_10K.pdf", "AMERICAN EXPRESS COMPANY for the year 2022"),
    Name("0001410636-22-000048 AMERICANWATERWORKS_2021_10K.pdf", "American Water Works Company, Inc."),
    Name("FORM 10-K", "JOHNSON & JOHNSON annual report for the fiscal year ended January 1, 2023"),
    Name("2022 Fourth-Quarter JOHNSON_JOHNSON_2022Q4_EARNINGS.pdf", "New Brunswick, N.J."),
    Name("JOHNSON_JOHNSON_2023Q2_EARNINGS.pdf", "in respect of any rates"),
    Name("ADVANCED MICRO DEVICES, INC. annual_2015.pdf", "Common stock"),
    Name("NIKE_2018_10K.pdf", "fiscal year"),
    Name("NIKE_2019_10K.pdf", "fiscal year"),
    Name("AMCOR PLC, Form 8-K, July 1, 2022 amcor.pdf", "Date of Report"),
    Name("AMCOR PLC, Form 10-Q, quarterly period ended December 31, 2022 AMCOR_2023Q2_10Q.pdf", "Date of Report"),
]


@pytest.mark.parametrize(
    ("question", "places", "has_year"),
    [
        pytest.param("What is the tax rate of American Express in 2022?", [0], True, id="words of a name in one piece"),
        pytest.param("Does AMEX have an improving margin?", [0], False, id="beginnings of the words"),
        pytest.param("How much did American Water Works pay in FY2021?", [1], True, id="the longest name wins"),
        pytest.param("Did JnJ grow?", [2, 3, 4], False, id="initials"),
        pytest.param("Did J&J grow in Q2 of FY2023?", [4], True, id="initials with a sign, and the quarter"),
        pytest.param("Did Johnson & Johnson grow in 2022?", [3], True, id="a sign inside a name"),
        pytest.param("What was AMD's margin in FY15?", [5], True, id="a year of two digits"),
        pytest.param("Nike's average from FY2016 to FY2018?", [6], True, id="the latest of several years"),
        pytest.param("What did Nike earn in FY2017?", [6], True, id="the next year's report tells of it"),
        pytest.param("What did Nike earn in 2003?", [6, 7], False, id="no report of that year"),
        pytest.param("Compare Nike in 2018 with AMD in 2015.", [5, 6], True, id="two companies, each with its year"),
        pytest.param("What was the agenda of AMCOR's 8k filing in 2022?", [8], True, id="the form of a filing"),
        pytest.param("What does Amcor's 10 - Q of 2022 say?", [9], True, id="a form with blanks"),
        pytest.param("What does Nike's form 8-K say?", [6, 7], False, id="no filing of that form"),
        pytest.param("What is the ROA of the company?", [], False, id="a measure is no company"),
        pytest.param("what is the premium?", [], False, id="no name"),
        pytest.param("", [], False, id="nothing"),
    ],
)
def test_it_finds_the_documents_named(question: str, places: list[int], has_year: bool) -> None:
    assert documents_named(question, NAMES) == (places, has_year)


def test_a_name_of_most_documents_tells_none_apart() -> None:
    names = [Name(f"ACME report {number}", "") for number in range(5)]
    assert documents_named("What does Acme pay?", names) == ([], False)


def test_a_word_of_the_dictionary_is_no_name() -> None:
    names = [Name("Sales guide", ""), Name("Other", ""), Name("Third", "")]
    assert documents_named("How are Sales booked?", names) == ([0], False)
    assert documents_named("How are Sales booked?", names, known={"sales"}) == ([], False)
