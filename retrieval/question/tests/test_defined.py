"""What a document itself says is the value of a term: where it defines it, and the date of its preamble."""

import pytest

from retrieval.question.defined import value_given
from retrieval.question.kinds import SHIPPED
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Expected

TERMS = content_of_lines(
    [
        "# SUPPLY AGREEMENT",
        "This Supply Agreement is made and entered into as of 3 May 2021 (the “Effective",
        "Date”) by and between Acme Ltd, and Globex GmbH. It is signed on 4 May 2021.",
        "# Term",
        "It lasts for two (2) years (the “Initial Term”) and renews for six (6) months (each a “Renewal Term”,",
        "and together with the Initial Term, the “Term”).",
        "“Fee” means an amount of 900 euros, and from 2025 on 950 euros.",
        "The “Cap” is high. It was 5,000 euros in the first year (the “Cap”) and is 6,000 euros (the “Cap”) now.",
    ],
    title="Supply Agreement",
)


@pytest.mark.parametrize(
    ("name", "kind", "value", "lines"),
    [
        ("Effective date", "date", "2021-05-03", (2, 2)),
        ("What is the effective date?", "date", "2021-05-03", (2, 2)),
        ("Agreement date", "date", "2021-05-03", (2, 2)),
        ("Initial term", "duration", "2", (5, 5)),
        ("Renewal term", "duration", "6", (5, 5)),
        ("Term", "duration", "", ()),  # two of them together
        ("Fee", "amount", "", ()),  # two of them
        ("Cap", "amount", "", ()),  # defined twice
        ("Notice period", "duration", "", ()),
        ("Fee", "text", "", ()),
    ],
)
def test_a_defined_term_has_the_value_of_its_definition(
    name: str, kind: str, value: str, lines: tuple[int, ...]
) -> None:
    """(R54, R87)"""
    given = value_given(Expected(kind).of(parse_question(name, [TERMS]), SHIPPED.patterns_of), TERMS)
    assert (given.value.value if given else "", tuple(given.lines) if given else ()) == (value, lines)


@pytest.mark.parametrize(
    ("name", "kind", "lines", "value"),
    [
        ("Fee", "amount", ["“Fee” means the amount stated in the Order Form;", "“Deposit” means $5,000;"], ""),
        ("Deposit", "amount", ["“Fee” means the amount stated in the Order Form;", "“Deposit” means $5,000;"], "5000"),
        ("Fee", "amount", ["“Fee” means the amount stated in the Order Form", "“Deposit” means $5,000"], ""),
        ("Fee", "amount", ["“Fee” means the amount stated below", "# Deposit", "The deposit is $5,000"], ""),
        ("Fee", "amount", ["“Fee” means the amount stated below", "Deposit: $5,000"], ""),
        ("Fee", "amount", ["“Fee” means the amount below", "The deposit is $5,000"], ""),
        ("Fee", "amount", ['"Fee" means what is agreed;', '"Deposit" means $5,000'], ""),
        ("Deposit", "amount", ['"Fee" means what is agreed;', '"Deposit" means $5,000'], "5000"),
        ("Fee", "amount", ["“Fee” means what is agreed in writing; the deposit is $5,000;"], ""),
        (
            "Security deposit",
            "amount",
            ["There is a rent of $10,000 per month and a sum equal to three months’ rent (the “Security Deposit”)."],
            "",
        ),
        (
            "Effective date",
            "date",
            ["It begins on the later of 1 May 2024 and the date all consents are obtained (the “Effective Date”)."],
            "",
        ),
        ("Expiry date", "date", ["“Expiry Date” means the date falling 12 months after 1 January 2024."], ""),
        ("Expiry date", "date", ["“Expiry Date” means 12 months from 1 January 2024."], ""),
        ("Expiry date", "date", ["“Expiry Date” means 1 January 2024."], "2024-01-01"),
        (
            "Notice period",
            "duration",
            ["“Notice Period” means 30 days for the Supplier and 90 days for the Customer."],
            "",
        ),
        ("Notice period", "duration", ["“Notice Period” means a period of 30 days."], "30"),
        ("Losses", "amount", ["“Losses” includes fines of $50,000."], ""),
        ("Cap", "amount", ["Each side is liable up to $50,000 (the “Cap”)."], ""),
        ("Cap", "amount", ["It insures itself for $50,000 (subject to the “Cap”)."], ""),
        ("Fee", "amount", ["“Fee” means $50 per seat."], ""),
        ("Fee", "amount", ["“Fee” means half of $5,000."], ""),
        ("Expiry date", "date", ["It ends on the second anniversary of 1 May 2024 (the “Expiry Date”)."], ""),
        ("Fee", "amount", ["“Fee” means $50 plus the costs of travel."], ""),
        ("Fee", "amount", ["The Customer pays $50, which the Supplier books as income (the “Fee”)."], ""),
        ("Fee", "amount", ["The Customer pays a price of $50 a month (the “Fee”)."], "50"),
        (
            "Effective date",
            "date",
            ["The lease, dated as of 3 May 2018 (the “Effective Date”), is signed."],
            "2018-05-03",
        ),
        ("Renewal term", "duration", ["It renews for terms of six (6) months (each a “Renewal Term”)."], "6"),
    ],
)
def test_a_definition_gives_the_one_value_that_it_says_of_its_term(
    name: str, kind: str, lines: list[str], value: str
) -> None:
    """(R54, R87)"""
    content = content_of_lines(["# Terms", *lines], title="Terms")
    given = value_given(Expected(kind).of(parse_question(name, [content]), SHIPPED.patterns_of), content)
    assert (given.value.value if given else "") == value


@pytest.mark.parametrize(
    ("language", "name", "kind", "line", "value"),
    [
        ("de", "Kaufpreis", "amount", "Der „Kaufpreis“ bezeichnet 900 Euro.", "900"),
        ("de", "Kaufpreis", "amount", "Der „Kaufpreis“ bezeichnet den höheren Betrag aus 900 Euro.", ""),
        ("de", "Grenze", "amount", "Gehaftet wird bis zu 900 Euro (die „Grenze“).", ""),
        ("fr", "Plafond", "amount", "Le « Plafond » signifie 900 euros.", "900"),
        ("fr", "Plafond", "amount", "Il est tenu jusqu’à concurrence de 900 euros (le « Plafond »).", ""),
        ("es", "Tope", "amount", "El «Tope» significa 900 euros.", "900"),
        ("es", "Tope", "amount", "Responde hasta 900 euros (el «Tope»).", ""),
    ],
)
def test_a_definition_in_another_language_gives_its_value(
    language: str, name: str, kind: str, line: str, value: str
) -> None:
    """(R54, R87)"""
    content = content_of_lines(["# 1", line], title="1", language=language)
    given = value_given(Expected(kind).of(parse_question(name, [content]), SHIPPED.patterns_of), content)
    assert (given.value.value if given else "") == value


@pytest.mark.parametrize(
    ("between", "date"),
    [
        ("by and between Acme, Inc. (“Acme”) and Globex GmbH (the “Effective Date”).", "2021-05-03"),
        ("by and between Acme, Inc. and Globex GmbH, and binds them from the closing date (the “Effective Date”).", ""),
        ("by and between Acme, Inc. and Globex GmbH and begins on 1 June 2021, unless ended (“Effective Date”).", ""),
        ("between Acme, Inc. and Globex GmbH (the “Effective Date”).", "2021-05-03"),
        ("between Acme, Inc. and Globex GmbH and enters into force once it is licensed (the “Effective Date”).", ""),
        ("between Acme, Inc. and Globex GmbH and takes effect upon signature by both (the “Effective Date”).", ""),
        ("and takes effect upon signature by both parties (the “Effective Date”).", ""),
        ("between Acme, Inc. and Globex GmbH, effective upon Closing (the “Effective Date”).", ""),
        (", effective upon Closing (the “Effective Date”).", ""),
        ("by Acme, Inc. and Globex GmbH (the “Effective Date”). “Effective Date” means the day after Closing.", ""),
    ],
)
def test_a_preamble_calls_the_date_of_the_agreement_something_behind_the_parties(between: str, date: str) -> None:
    """(R54, R87)"""
    lines = ["# SUPPLY AGREEMENT", f"This Supply Agreement is made on 3 May 2021 {between}", "# Fees", "None are due."]
    content = content_of_lines(lines, title="Supply Agreement")
    asked = Expected("date").of(parse_question("Effective date", [content]), SHIPPED.patterns_of)
    given = value_given(asked, content)
    assert (given.value.value if given else "") == date


@pytest.mark.parametrize(
    ("name", "term"), [("Tenant", "Tenant"), ("Closing", "Closing"), ("Termination date", "Termination Date")]
)
def test_a_preamble_gives_its_date_to_no_party_no_event_and_no_end(name: str, term: str) -> None:
    """(R54, R87)"""
    line = f"This Lease Agreement is made on 3 May 2021 between Acme, Inc. and Globex GmbH (the “{term}”)."
    content = content_of_lines(["# LEASE AGREEMENT", line, "# Fees", "None are due."], title="Lease Agreement")
    asked = Expected("date").of(parse_question(name, [content]), SHIPPED.patterns_of)
    assert value_given(asked, content) is None


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("It is settled by three (3) impartial arbitrators, of whom each party names one (1) arbitrator.", "3"),
        ("There are three arbitrators. The two arbitrators that were named choose the third.", "3"),
        ("It is settled by a sole arbitrator.", "1"),
        ("Each party names one arbitrator.", ""),
        ("It is settled by one or three arbitrators.", ""),
        ("There are three arbitrators. In urgent cases there are five arbitrators.", ""),
        ("It is settled by at least three arbitrators.", ""),
        ("There shall be three (3) arbitrators appointed in accordance with the Rules.", "3"),
        ("The number of arbitrators shall be three. An award of two of the arbitrators is binding.", "3"),
        ("The number of arbitrators shall be one or three.", ""),
        ("The arbitrators are appointed by the ICC. Within 30 days the arbitrators shall meet.", ""),
        ("Within ten (10) days the arbitrators shall meet.", ""),
        ("See Section 14 Arbitrators.", ""),
        ("It is settled by one arbitrator. Above USD 5,000,000, a panel of three arbitrators decides.", ""),
        ("Each side names one arbitrator and two arbitrators so named choose the chair.", ""),
        ("No single arbitrator may decide.", ""),
        ("It is not a sole arbitrator who decides.", ""),
        ("There are thirteen arbitrators. Two arbitrators are enough.", ""),
    ],
)
def test_how_many_there_are_is_the_number_of_all_of_them(said: str, count: str) -> None:
    """(R54, R87)"""
    content = content_of_lines(["# 12 Arbitrators", said], title="Disputes")
    given = value_given(parse_question("Number of arbitrators", [content]), content)
    assert (given.value.value if given else "") == count


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("The Company has 250 employees. In Leith 12 employees work in sales.", ""),
        ("The Company has 1.25 employees a shop.", ""),
        ("The Company has 40 employees.", "40"),
    ],
)
def test_a_number_too_great_to_be_read_leaves_open_how_many_there_are(said: str, count: str) -> None:
    """(R54, R87)"""
    content = content_of_lines(["# Staff", said], title="Staff")
    given = value_given(parse_question("Number of employees", [content]), content)
    assert (given.value.value if given else "") == count
