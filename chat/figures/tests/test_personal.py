"""What tells who somebody is, as far as it is recognised: nothing here is promised beyond these forms."""

import pytest

from chat.figures.personal import find_personal


def found(text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.names[0]) for each in find_personal(text)]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("Rent is paid by Mr. Smith.", "person", "Mr. Smith"),
        ("Mit Frau Müller und der Gesellschaft", "person", "Frau Müller"),
        ("représentée par Mme Claire Dupont", "person", "Mme Claire Dupont"),
        ("la Sra. García paga", "person", "Sra. García"),
        ("Signed by John Q. Public", "person", "John Q. Public"),
        ("/s/ Peter Pan", "person", "Peter Pan"),
        ("made between Jane Roe (the “Tenant”) and Acme Ltd.", "person", "Jane Roe"),
        ("The Chairman Bob Stone opens", "person", "Chairman Bob Stone"),
        ("Attention: Jane Roe", "person", "Jane Roe"),
        ("Attn.: Timothy Curry & Dr. Jonn Beeson", "person", "Dr. Jonn Beeson"),
        ("z. Hd.: Karl Schmidt und Eva Braun", "person", "Eva Braun"),
        ("Kathleen T. Hogan\n50", "person", "Kathleen T. Hogan"),
        ("write to jane.roe@example.co.uk.", "email", "jane.roe@example.co.uk"),
        ("call +44 20 7946 0958 today", "phone", "+44 20 7946 0958"),
        ("Telefon: 030 123456", "phone", "030 123456"),
        ("au 01.23.45.67.89", "phone", "01.23.45.67.89"),
        ("(212) 555-0100", "phone", "(212) 555-0100"),
        ("212.555.0100 (voice)", "phone", "212.555.0100"),
        ("Facsimile: 1-650-555-0100", "phone", "1-650-555-0100"),
        ("IBAN DE89 3704 0044 0532 0130 00, BIC", "account", "DE89 3704 0044 0532 0130 00"),
        ("card 4111 1111 1111 1111", "card", "4111 1111 1111 1111"),
        ("AHV 756.9217.0769.85", "id", "756.9217.0769.85"),
        ("DNI 12345678Z", "id", "12345678Z"),
        ("Steuer-ID 86095742719", "id", "86095742719"),
        ("NIR 2 55 08 14 168 025 38", "id", "2 55 08 14 168 025 38"),
        ("wohnhaft Hauptstraße 12a, 10115 Berlin, und", "address", "Hauptstraße 12a, 10115 Berlin"),
        ("Calle de Alcalá 45, 28014 Madrid", "address", "Calle de Alcalá 45, 28014 Madrid"),
        ("San Diego, California 92127-1000", "address", "San Diego, California 92127-1000"),
        ("Milton, Ontario L9T 1Y1", "address", "L9T 1Y1"),
    ],
)
def test_it_finds(text: str, kind: str, name: str) -> None:
    assert (kind, name) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "The rent is 12,500 euros a month and is due on 2024-03-31, or 31.12.2024.",
        "Total 10 000 000, in 2019 - 2024, invoice 2024-000123, section 3.2.1.",
        "The Chief Information Security Officer informs the Managing Director.",
        "IBAN DE88 3704 0044 0532 0130 00 and card 4111 1111 1111 1112 have a wrong check digit.",
        "Muster GmbH and Acme Widgets, Inc. are firms.",
        "Between Monday and Friday the offices are open.",
        "Attention: Legal Department and General Counsel",
    ],
)
def test_it_leaves(text: str) -> None:
    assert found(text) == []


def test_the_words_of_a_name_that_goes_on_in_the_next_line_are_found() -> None:
    names = {name for each in find_personal("agreed with Herrn Dr. Karl\nSchmidt on") for name in each.names}
    assert {"Karl", "Schmidt"} <= names


def test_who_is_named_with_a_title_somewhere_is_found_without_one_everywhere() -> None:
    text = (
        "What does Satya Nadella earn?\nMr. Nadella was appointed in 2014. The Nadella Plan is his, and Nadella signs."
    )
    hidden = {name for each in find_personal(text) for name in each.names}
    assert {"Satya Nadella", "Satya", "Nadella"} <= hidden
    assert not {"What", "The", "Plan"} & hidden


def test_a_label_behind_a_name_is_no_part_of_it() -> None:
    hidden = {
        name for each in find_personal("Name: Kevin Hicks Name: Ann Fish\nTitle: Principal") for name in each.names
    }
    assert hidden == {"Kevin Hicks", "Kevin", "Hicks", "Ann Fish", "Ann", "Fish"}


def test_an_address_over_two_lines_is_found_in_each() -> None:
    (first, *_) = [each for each in find_personal("10 Downing Street\nLondon SW1A 2AA") if len(each.names) > 1]
    assert first.names == ("10 Downing Street", "London SW1A 2AA")


def test_a_known_name_is_found_wherever_it_is_unless_it_is_a_firms() -> None:
    known = ("Jane Quillfeather", "Acme Ltd.", "the Tenant")
    assert [each.names for each in find_personal("", known)] == [("Jane Quillfeather", "Jane", "Quillfeather")]
