"""Printed values: each kind in several languages, what is unclear and therefore no value, and where a value stands."""

from decimal import Decimal
from itertools import pairwise

import pytest

from reading.values.currencies import CURRENCIES
from reading.values.months import MONTHS
from retrieval.words.printed import READERS, Value, decimal_of, values_in


def read(text: str, answer_type: str) -> list[tuple[str, str, str]]:
    return [(value.value, value.currency, value.unit) for value in values_in(text, answer_type)]


# ---- amounts


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("$500", [("500", "USD", "")]),
        ("US$ 1,250.00", [("1250", "USD", "")]),
        ("EUR 12.500", [("12500", "EUR", "")]),
        ("12.500,75 €", [("12500.75", "EUR", "")]),
        ("12 500 euros".replace(" ", "\u202f", 1), [("12500", "EUR", "")]),
        ("£3 million", [("3000000", "GBP", "")]),
        ("月額１，８５０円とし", [("1850", "JPY", "")]),
        ("一件につき５００万円とする", [("5000000", "JPY", "")]),
        ("￥１，８５０（税込）", [("1850", "JPY", "")]),
        ("¥5万", [("50000", "JPY", "")]),
        ("上限は￥５万とし、", [("50000", "JPY", "")]),
        ("¥5万円 and $3億", [("50000", "JPY", ""), ("300000000", "USD", "")]),
        ("¥5千", []),
        ("¥5万3千", []),
        ("5万¥", []),
        ("売上は1億5000万円", []),  # in two parts
        ("三百500円", []),
        ("$1,125 million", [("1125000000", "USD", "")]),
        ("$1.125 billion", []),  # 1,125 million, or 1,125 billion
        ("$0.125 billion", [("125000000", "USD", "")]),
        ("1.5 billion dollars", [("1500000000", "USD", "")]),
        ("2,5 Mrd EUR", [("2500000000", "EUR", "")]),
        ("¥ 0.5", [("0.5", "JPY", "")]),
        ("The rent is 48 pounds a month.", [("48", "GBP", "month")]),
        ("1.5 million pounds sterling", [("1500000", "GBP", "")]),
        ("The parcel weighs 48 pounds.", []),
        ("CHF 40 per month", [("40", "CHF", "month")]),
        ("40 euros each year", [("40", "EUR", "year")]),
        ("-$5", [("-5", "USD", "")]),
        ("\u2212 5 euros", [("-5", "EUR", "")]),
        ("$(5)", [("-5", "USD", "")]),
        ("$5 and €6", [("5", "USD", ""), ("6", "EUR", "")]),
        ("5 million of dollars", [("5000000", "USD", "")]),
        ("EUR 12.480,50-", [("-12480.5", "EUR", "")]),
        ("EUR 12.480,50-, EUR 3", [("-12480.5", "EUR", ""), ("3", "EUR", "")]),
        ("\u2013$5", [("-5", "USD", "")]),
        *((f"a result of {sign}$5", [("-5", "USD", "")]) for sign in "\u2010\u2011\u2012\u2013\ufe63\uff0d"),
        *((f"EUR 12,50{sign} was lost", [("-12.5", "EUR", "")]) for sign in "\u2010\u2011\u2012\ufe63\uff0d"),
        ("the fee\u2014$5 a month\u2014is due", [("5", "USD", "month")]),
        ("the fee \u2014 $5 \u2014 is due", [("5", "USD", "")]),
        ("ISO\u20115 euros", [("5", "EUR", "")]),
        ("$5-$10", [("5", "USD", ""), ("10", "USD", "")]),
        ("$5 - $10", [("5", "USD", ""), ("10", "USD", "")]),
        ("a $500-per-day fee", [("500", "USD", "")]),
        ("10 000 €", []),  # a space may part two columns as well as the thousands
    ],
)
def test_an_amount_names_its_currency(text: str, amounts: list[tuple[str, str, str]]) -> None:
    assert read(text, "amount") == amounts


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("a fee of EUR 12.50 D in zone 4", "en", ["12.5"]),
        ("a fee of EUR 12.50 D in zone 4", "fr", []),
        ("a fee of EUR 12.50 D in zone 4", "", []),  # a value is rather left out than of the wrong sign
        ("a fee of EUR 12.50 CR", "de", []),
        ("1.234,50 H EUR, 20 EUR", "de", ["20"]),
        ("sale a EUR 80,00 debe", "it", ["80"]),
        ("5,50 % Haben", "en", ["5.5"]),
    ],
)
def test_the_side_of_an_account_is_read_in_the_language_of_its_text(
    text: str, language: str, values: list[str]
) -> None:
    answer_type = "percentage" if "%" in text else "amount"
    assert [value.value for value in values_in(text, answer_type, language)] == values


@pytest.mark.parametrize(
    "text",
    [
        "",
        "500",
        "12,500",
        "(500)",
        "5 %",
        "$",
        "dollars",
        "a$",
        "$five",
        "loss ($ 1,250)",  # a sign in brackets is a loss in a table and an aside in a sentence
        "5 dollarsign",
        "v1.2.3 €",
        "\ufffd$4,684",
        "$\ufffd4,684",
        "EUR 4.684,00\ufffd",
        "GBP 80.00 CR",
        "1.234,50 H EUR",
        "the fee - $25",  # a minus, or a dash
        "- $25",  # a minus, or a bullet
        "$5-10",
        "$5\u201110",
        "$5\u201410",
        "the result was \u2014$5",  # a minus, or the dash of an aside
        "la cuota \u20145 euros\u2014 se paga",
        "$5\u2014",
        "5-10 euros",
        "EUR 500-\nper day",  # a minus, or a word that goes on
        "5 to 10 million dollars",
        "zwischen 5 und 10 Euro",
        "10 1/2 million dollars",
        "$1/2 million",
        "1.2.3.4 EUR",
    ],
)
def test_what_is_unclear_is_no_amount(text: str) -> None:
    assert read(text, "amount") == []


# ---- percentages, durations


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("5%", ["5"]),
        ("5 %", ["5"]),
        ("12.5 percent", ["12.5"]),
        ("2,75 %", ["2.75"]),
        ("-3 %", ["-3"]),
        ("\u22123%", ["-3"]),
        ("\u20113%, 4 %\u2011, 5%-ige", ["-3", "-4", "5"]),
        ("die 5%- und 10%-Beteiligungen", ["10"]),
        ("a 5%- or 10%-share, a loss of 4 %-", ["10", "-4"]),
        ("a change of \u20143%", []),
        ("3 pour cent, 4 Prozent", ["3", "4"]),
        ("\u20133 % or 4%", ["-3", "4"]),
        ("3-5%", []),
        ("3% - 5%", ["3", "5"]),
        ("3 to 5%, between 3 and 5 percent, 3 ou 5 %, 3 bis 5 Prozent", []),
        ("3% to 5%, un 7 %, Article 3 and 8 %", ["3", "5", "7", "8"]),
        ("8 1/2 %, 1/2 %", []),
        ("Section 4.1 and 5%, as of December 31 and 10%, 24/7 and 99.9%", ["5", "10", "99.9"]),
        ("\ufffd5 %", []),
        ("0 %", ["0"]),
        ("1,000 %", []),
        ("4.375%", []),  # four and three eighths, or four thousand and more
        ("0.375 % and 1,234.5 %", ["0.375", "1234.5"]),
        ("4.3750 %", ["4.375"]),
        ("percent", []),
        ("5 percentile", []),
        ("a5%", []),
        ("", []),
    ],
)
def test_percentages(text: str, values: list[str]) -> None:
    assert [value for value, _, _ in read(text, "percentage")] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("thirty days", [("30", "day")]),
        ("seventy-two hours", [("72", "hour")]),
        ("seventy-two (72) hours", [("72", "hour")]),
        ("Forty-eight hours, 2.5 hours", [("48", "hour")]),
        ("10-30 days", []),  # a range
        ("thirty (30) days", [("30", "day")]),
        ("twelve (12) calendar months", [("12", "month")]),
        ("an 18-month term", [("18", "month")]),
        ("10 business days and 2 years", [("10", "day"), ("2", "year")]),
        ("one Week", [("1", "week")]),
        ("days", []),
        ("a few days", []),
        ("daily", []),
        ("forty days", [("40", "day")]),
        ("umpteen days", []),  # no number we know, and no digits beside it
        ("30 dayss", []),
        ("trente (30) jours, dix-huit mois et 2 ans", [("30", "day"), ("18", "month"), ("2", "year")]),
        ("vierundzwanzig Stunden, 3 Monaten, fünf Jahre", [("24", "hour"), ("3", "month"), ("5", "year")]),
        ("treinta (30) días o seis meses", [("30", "day"), ("6", "month")]),
        ("$10 an hour", []),
        ("un jour", [("1", "day")]),
        ("one hundred and twenty days, twenty four hours", [("120", "day"), ("24", "hour")]),
        ("cent vingt jours ou vingt et un mois", [("120", "day"), ("21", "month")]),
        ("einhundertachtzig Tage, fünfzehn Bankarbeitstage", [("180", "day"), ("15", "day")]),
        ("ciento veinte días o treinta y seis meses", [("120", "day"), ("36", "month")]),
        ("three to six months, 30 or 60 days", []),
        ("entre trois et six mois; zwischen 3 und 6 Monaten; 3–6 months; de 3 a 6 meses", []),
        ("thirty or sixty days, 30/60 days", []),
        ("one thousand two hundred days, 10 000 jours", []),
        ("deux ans et demi, dos años y medio, two years and a half", []),
        ("thirty (60) days", []),  # which of the two holds?
        ("one year and six months", [("1", "year"), ("6", "month")]),
        ("Article 3 and thirty days", [("30", "day")]),
        ("three (3) to six (6) months; within 30, 60 and 90 days", []),
        ("the twenty-second day", []),
        (f"30 ({'9' * 5000}) days", []),
        ("twenty five-year notes, one hundred one-day passes, 5 hundert Stunden", []),
        ("No. 5 and 30 days, Section 5.2 and 31 days, § 5 und 32 Tage", [("30", "day"), ("31", "day"), ("32", "day")]),
        ("on March 31 and 30 days after, Rule 13 and 10 days", [("30", "day"), ("10", "day")]),
        ("Within 30 or 60 days; five- to seven-year terms; 30—60 days; siete u ocho meses", []),
        ("the 2024 year, a second lien, three quarters of the members, à neuf heures", []),
        ("30 (thirty) days, 30 (sixty) days", [("30", "day")]),
    ],
)
def test_durations(text: str, values: list[tuple[str, str]]) -> None:
    assert [(value, unit) for value, _, unit in read(text, "duration")] == values


# ---- dates


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-01", "2024-03-01"),
        ("1 March 2024", "2024-03-01"),
        ("1st of March 2024", "2024-03-01"),
        ("this 3rd day of April, 1996", "1996-04-03"),
        ("March 1, 2024", "2024-03-01"),
        ("Mar. 1st, 2024", "2024-03-01"),
        ("1er août 2024", "2024-08-01"),
        ("3. Dezember 2021", "2021-12-03"),
        ("5 mayo 2020", "2020-05-05"),
        ("1.3.2024", "2024-03-01"),
        ("31/12/2024", "2024-12-31"),
        ("12/31/2024", "2024-12-31"),
        ("4/4/2024", "2024-04-04"),
        ("29 February 2024", "2024-02-29"),
        ("MARCH 1, 2024", "2024-03-01"),
    ],
)
def test_a_day_of_the_calendar(text: str, day: str) -> None:
    assert [value.value for value in values_in(text, "date")] == [day]


@pytest.mark.parametrize(
    "text",
    [
        "1 to 5 March 2024, 1 March and 1 September 2024, March 1 to May 5, 2024",
        "4/3/2024",  # the third of April to some and the fourth of March to others
        "30 February 2024",
        "29 February 2023",
        "2024-13-01",
        "13/13/2024",
        "0/0/2024",
        "00.00.2024",
        "32 March 2024",
        "March 2024",
        "1 Marchy 2024",
        "1/3/24",
        "12024-03-01",
        "2024-03-011",
        "1.3.2024.5",
        "0000-01-01",
        "",
    ],
)
def test_what_is_no_day_or_two_is_no_date(text: str) -> None:
    assert values_in(text, "date") == []


def test_a_date_may_be_asked_for_and_a_duration_said() -> None:
    found = values_in("by 1 March 2024 or within thirty days", "date")
    assert [(value.type, value.value) for value in found] == [("date", "2024-03-01"), ("duration", "30")]


@pytest.mark.parametrize(
    "text",
    ["Section 3 and 5 March 2024", "Article 12 to March 5, 2024", "§ 5 und 5. März 2024", "17:30 and 5 March 2024"],
)
def test_what_only_numbers_shares_no_year(text: str) -> None:
    assert [value.value for value in values_in(text, "date")] == ["2024-03-05"]


def test_a_price_for_so_many_is_no_fraction() -> None:
    text = "$0.10/1,000 requests, €99/12 users"
    assert [value.value for value in values_in(text, "amount")] == ["0.1", "99"]


def test_two_days_with_a_year_each_are_two() -> None:
    text = "between 3 May 2024 and 5 June 2024 or on June 7, 2024"
    assert [value.value for value in values_in(text, "date")] == ["2024-05-03", "2024-06-05", "2024-06-07"]


def test_of_two_readings_of_one_place_the_longer_one_is_kept() -> None:
    assert [value.value for value in values_in("on 2024-03-01 or 1.3.2024", "date")] == ["2024-03-01"] * 2


# ---- where a value stands


@pytest.mark.parametrize(
    ("text", "answer_type", "printed"),
    [
        ("It costs $ 1,250.00 a month.", "amount", ["$ 1,250.00 a month"]),
        ("It costs  500 euros.", "amount", ["500 euros"]),
        ("a fee of 5 % on 3%", "percentage", ["5 %", "3%"]),
        ("due 1 March 2024.", "date", ["1 March 2024"]),
        ("vence el 1 de marzo de 2024.", "date", ["1 de marzo de 2024"]),
        ("el 31 de agosto del 2024", "date", ["31 de agosto del 2024"]),
        ("artículo 1 de 2024", "date", []),
        ("within thirty (30) days after", "duration", ["thirty (30) days"]),
    ],
)
def test_a_value_says_where_it_is_printed(text: str, answer_type: str, printed: list[str]) -> None:
    assert [text[value.start : value.end] for value in values_in(text, answer_type)] == printed


@pytest.mark.parametrize("answer_type", ["", "text", "boolean", "number", "person", "AMOUNT"])
def test_another_type_has_no_values(answer_type: str) -> None:
    assert values_in("$ 5, 5 %, 1 March 2024, thirty days", answer_type) == []


@pytest.mark.parametrize("answer_type", sorted(READERS))
def test_values_never_overlap_and_come_in_order(answer_type: str) -> None:
    text = "$5 5% 1 March 2024 2024-03-01 thirty (30) days 18-month 12 € 3 % " * 50
    found = values_in(text, answer_type)
    assert len(found) >= 50
    assert all(first.end <= second.start for first, second in pairwise(found))


# ---- tables


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("1,250", "1250"),
        ("1.250", "1250"),
        ("1.250,5", "1250.5"),
        ("1,250.5", "1250.5"),
        ("1,5", "1.5"),
        ("0.125", "0.125"),
        ("1,000,000", "1000000"),
        ("1\u202f000", "1000"),
        ("7", "7"),
    ],
)
def test_a_number_is_read_whichever_sign_parts_its_thousands(number: str, value: str) -> None:
    assert decimal_of(number) == Decimal(value)


def test_the_tables_are_what_they_should_be() -> None:
    assert sorted(set(MONTHS.values())) == list(range(1, 13)) and all(name == name.lower() for name in MONTHS)
    assert set(CURRENCIES.values()) == {"USD", "EUR", "GBP", "CHF", "JPY"}


def test_a_value_cannot_be_changed() -> None:
    value = Value("amount", "5", 0, 2, "USD")
    with pytest.raises(AttributeError):
        value.value = "6"  # type: ignore[misc]
