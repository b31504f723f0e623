from collections.abc import Sequence

import pytest

from reading.layout.lines import PageLine
from reading.matching import match_form
from reading.plain_text import read_markdown, read_plain_text
from reading.rows import LineKind
from reading.titles import TITLE_CHARS, find_title

Printed = str | tuple[str, float]
LARGE, BODY, SMALL = 16.0, 10.0, 8.0
RIGHT = 540.0


def line_of(printed: Printed, y: float, page_number: int = 1, kind: LineKind = "body") -> PageLine:
    """A line at a height; a size other than the body's is given with its text."""
    text, size = printed if isinstance(printed, tuple) else (printed, BODY)
    right = min(RIGHT, 72 + 5 * len(text))
    return PageLine(page_number, text, match_form(text), 72, y, right, y + size, size, False, 0, (), kind)


def page_of(*printed: Printed, page_number: int = 1) -> list[PageLine]:
    return [line_of(each, 72 + 18 * place, page_number) for place, each in enumerate(printed)]


BODY_LINES = [
    "A line of the text that follows, long enough to be one, as it goes on to the right margin of the page."
] * 12
CHECK_MARKS = [
    "Indicate by check mark whether the registrant has filed all reports required to be filed, and so on."
] * 12


def cover(*middle: Printed, form: str = "FORM 10-K") -> list[PageLine]:
    return page_of(
        ("UNITED STATES", LARGE), ("SECURITIES AND EXCHANGE COMMISSION", LARGE), (form, LARGE), *middle, *CHECK_MARKS
    )


CHARTER = ("(Exact name of registrant as specified in its charter)", SMALL)


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        pytest.param(
            cover("FOR THE FISCAL YEAR ENDED MAY 31, 2023", ("Wexford Shoes, Inc .", 18), CHARTER),
            "Wexford Shoes, Inc., Form 10-K, fiscal year ended May 31, 2023",
            id="an annual report",
        ),
        pytest.param(
            cover(
                "For the quarterly period ended December 31, 2022",
                "Commission file number 1-10635",
                ("NORTHERN FERRIES AND", 14),
                ("HARBOURS PLC", 14),
                CHARTER,
                form="FORM 10-Q",
            ),
            "NORTHERN FERRIES AND HARBOURS PLC, Form 10-Q, quarterly period ended December 31, 2022",
            id="a name over two lines",
        ),
        pytest.param(
            cover(
                "Date of report (Date of earliest event reported):",
                "August 30, 2023",
                ("Wexford & Sons", 16),
                CHARTER,
                form="FORM 8-K/A",
            ),
            "Wexford & Sons, Form 8-K/A, August 30, 2023",
            id="a current report",
        ),
        pytest.param(
            cover(
                "July 1, 2022",
                "Date of Report (Date of earliest event reported)",
                ("WEXFORD PLC", 16),
                CHARTER,
                form="FORM 8-K",
            ),
            "WEXFORD PLC, Form 8-K, July 1, 2022",
            id="its date above the label",
        ),
        pytest.param(
            cover("For the Fiscal Year Ended June 30, 2016", ("WEXFORD CORPORATION", 21), "WASHINGTON 91-1144442"),
            "WEXFORD CORPORATION, Form 10-K, fiscal year ended June 30, 2016",
            id="a name without its label is the largest print",
        ),
        pytest.param(
            cover("For the fiscal year ended December 31, 2017", "Commission File Number 001-02217", CHARTER),
            "",
            id="a cover whose name is a drawing",
        ),
        pytest.param(
            page_of("As we said in our report on Form 10-K, the fiscal year ended May 31, 2023 was good.", *BODY_LINES),
            "",
            id="a text that names a form",
        ),
    ],
)
def test_a_filing_is_called_by_registrant_form_and_period(lines: Sequence[PageLine], title: str) -> None:
    assert find_title(lines, "Wexford 2023 Proxy" if title else "") == title


@pytest.mark.parametrize(
    ("printed", "title"),
    [
        (
            [
                "Exhibit 10.1",
                "SPONSORSHIP AGREEMENT",
                'This agreement is entered into as of the 31st day of March, 1998, by and between Alder, Inc., a',
                'California corporation, located at 555 Broadway, Redwood City ("Alder"), and Birch Shops, a Delaware',
                'corporation, located at 130 Madison Avenue ("Client"). Alder and Client agree as follows.',
            ],
            "SPONSORSHIP AGREEMENT, Alder, Inc. and Birch Shops, March 31, 1998",
        ),
        (
            [
                "NON-DISCLOSURE AGREEMENT",
                "NON-DISCLOSURE AGREEMENT",
                'This Agreement is made on 28 September 2006 (the "Date") between Alder, Inc. ("Alder"), a Delaware',
                'corporation with its office at 4690 Millennium Drive, and Birch Capital L.P. ("Birch"), and Cedar LLC',
                '("Cedar"), WHEREAS the parties wish to talk, and Doveton plc ("Doveton") wishes to listen',
            ],
            "NON-DISCLOSURE AGREEMENT, Alder, Inc., Birch Capital L.P. et al., 28 September 2006",
        ),
        (
            [
                "MUTUAL NON-DISCLOSURE AGREEMENT",
                "between:",
                '(1) Alder Europe Limited, registered number 22 ("Alder")',
                "and",
                '(2) [Supplier], registered number [no.] ("[name]")',
            ],
            "MUTUAL NON-DISCLOSURE AGREEMENT, Alder Europe Limited",
        ),
        (
            ["AMENDMENT NO. 2 TO", "MASTER SERVICES AGREEMENT", "This amendment is between the parties."],
            "AMENDMENT NO. 2 TO MASTER SERVICES AGREEMENT",
        ),
        (["BLANK FORM", "LEASE", "This lease is made on ______ between ________ and ________."], "BLANK FORM LEASE"),
        (
            [
                "CONTRAT DE PRESTATION DE SERVICES",
                "Entre les soussignés :",
                "Aulne SAS, société par actions simplifiée au capital de 10 000 euros (« Aulne »)",
                "et",
                "Bouleau Conseil SARL, dont le siège est à Lyon (« le Prestataire »)",
                "Fait à Paris le 3 avril 2021.",
            ],
            "CONTRAT DE PRESTATION DE SERVICES, Aulne SAS et Bouleau Conseil SARL, 3 avril 2021",
        ),
        (
            ["Lizenzvertrag", "zwischen der Erle GmbH (“Erle”) und der Birke AG (“Birke”) am 3. März 2020"],
            "Lizenzvertrag, 3. März 2020",
        ),
        (
            [
                "Service Agreement",
                "This Service Agreement is made on 3 March 2023 between Alder Ltd and Birch GmbH.",
                "1. Services",
            ],
            "Service Agreement, Alder Ltd and Birch GmbH, 3 March 2023",
        ),
        (
            ["LEASE", "This is made on 3 March 2023 between Birch No. 5 Fund LP and Alder Works, Inc.", "2. Term"],
            "LEASE, Birch No. 5 Fund LP and Alder Works, Inc., 3 March 2023",
        ),
        (
            ["Mietvertrag", "zwischen Erle GmbH und Birke AG.", "§ 1 Mietsache"],
            "Mietvertrag, Erle GmbH und Birke AG",
        ),
    ],
)  # fmt: skip
def test_an_agreement_is_called_by_its_title_parties_and_date(printed: list[str], title: str) -> None:
    assert find_title(page_of(*printed, *BODY_LINES), "document_13.txt") == title


def test_an_agreement_in_a_sentence_is_no_title() -> None:
    lines = page_of("This License Agreement is between you and us.", "Sections follow", *BODY_LINES)
    assert find_title(lines) == ""


@pytest.mark.parametrize("parties", [2, 9])
def test_a_title_is_never_longer_than_a_line_of_a_list(parties: int) -> None:
    names = " and ".join(
        f'The Very Long Established Trading Company {place}, Inc. ("P{place}")' for place in range(parties)
    )
    lines = page_of("SHAREHOLDERS AGREEMENT", f"This agreement is made on May 1, 2001 between {names}", *BODY_LINES)
    title = find_title(lines)
    assert title.startswith("SHAREHOLDERS AGREEMENT, The Very Long") and len(title) <= TITLE_CHARS
    assert len(find_title(page_of(("A long word and another " * 7, LARGE), *BODY_LINES))) <= TITLE_CHARS


def test_a_release_is_called_by_company_and_what_it_announces() -> None:
    lines = page_of(
        "FOR IMMEDIATE RELEASE",
        "New Ross, Ireland (January 24, 2023) – Wexford & Sons (NYSE: WXF) today announced results for fourth-",
        "quarter and full year 2022. “Our results reflect the strength of our business,” said the chief executive.",
        *BODY_LINES,
    )
    assert find_title(lines) == "Wexford & Sons, results for fourth-quarter and full year 2022"
    headline = ("Wexford reports fiscal 2022 results", LARGE)
    lines = page_of(headline, *(line.text for line in lines))
    assert find_title(lines) == headline[0]


FIPS = [("FIPS PUB 199", LARGE), ("Standards for Security", 20), ("Categorization", 20)]
ATTENTION = [("Attention Is All You Need", 17)]
UNTITLED = ["a text without any title"]


@pytest.mark.parametrize(
    ("printed", "declared", "title"),
    [
        (FIPS, "", "Standards for Security Categorization"),
        (FIPS, "FIPS 199, Standards for Security Categorization", "FIPS 199, Standards for Security Categorization"),
        (ATTENTION, "10-K - 02/08/2023", "Attention Is All You Need"),
        (ATTENTION, "Attention", "Attention Is All You Need"),
        (["Exhibit (d)(5)", ("PERSONAL and CONFIDENTIAL", 17)], "", ""),
        (UNTITLED, "Handbook of the Harbour", "Handbook of the Harbour"),
        (UNTITLED, "Microsoft Word - draft3.doc", ""),
        (UNTITLED, "draft3.doc", ""),
        (UNTITLED, "Untitled", ""),
        (UNTITLED, "PowerPoint Presentation", ""),
        (UNTITLED, "12/2021", ""),
        (UNTITLED, "word " * 60, ""),
        (["HARBOUR RULES"], "", "HARBOUR RULES"),
        ([("1 Scope", LARGE)], "Rules of the Harbour", "Rules of the Harbour"),
        ([("1 Scope", LARGE)], "", ""),
    ],
)
def test_other_documents_are_called_by_their_largest_print(printed: list[Printed], declared: str, title: str) -> None:
    assert find_title(page_of(*printed, *BODY_LINES), declared) == title


def test_nothing_is_found_in_nothing() -> None:
    assert find_title([]) == ""
    assert find_title([], "Handbook") == "Handbook"
    assert find_title(page_of(("HARBOUR RULES", LARGE), page_number=9)) == ""


def test_texts_are_called_the_same_way() -> None:
    agreement = (
        '# Consulting Agreement\n\nThis agreement is made on 2 May 2021 between Alder Ltd ("A") and Birch Ltd ("B").\n'
    )
    assert read_markdown(agreement).title == "Consulting Agreement, Alder Ltd and Birch Ltd, 2 May 2021"
    assert read_markdown("# 13. Recovery policy\n\nWhat follows a disaster.\n").title == "13. Recovery policy"
    assert read_plain_text("HARBOUR RULES\n\nShips enter by day.\n").title == "HARBOUR RULES"
    assert read_plain_text("Ships enter by day.\n").title == ""
