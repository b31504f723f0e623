"""Starts and ends are told by the words of each language, and compared only where they are of one thing (R82)."""

import pytest

from reading.wording import Wording
from retrieval.words.periods import (
    NamedDate,
    Reversed,
    find_reversed,
    find_reversed_pairs,
    is_only_length,
    is_other_side,
    period_words,
    side_asked,
    tells_other_side,
    thing_asked,
)
from retrieval.words.printed import dates_in


@pytest.mark.parametrize("entry", period_words().alternatives, ids=lambda each: each.pattern)
def test_each_entry_matches_its_examples_only(entry: Wording) -> None:
    pattern = period_words().alone(entry)
    assert all(pattern.search(example) for example in entry.examples)
    assert entry.counter_examples and not any(pattern.search(each) for each in entry.counter_examples)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The lease commences on 1 March 2025 and expires on 1 March 2024.", ("1 March 2025", "1 March 2024")),
        ("It runs from March 1, 2025\nto February 1, 2024.", ("March 1, 2025", "February 1, 2024")),
        ("Le bail prend effet le 1 mars 2025 et expire le 1 mars 2024.", ("1 mars 2025", "1 mars 2024")),
        ("Der Vertrag beginnt am 1. März 2025 und endet am 1. März 2024.", ("1. März 2025", "1. März 2024")),
        ("El contrato comienza el 1 marzo 2025 y vence el 1 marzo 2024.", ("1 marzo 2025", "1 marzo 2024")),
        ("The lease commences on 1 March 2024 and expires on 1 March 2025.", None),
        ("One lease ended on 1 March 2023, and another began on 1 May 2023.", None),
        ("It commences on 1 March 2025. The old one expired on 1 March 2024.", None),
        ("Effective October 1, 1980, the benefits of those who retired prior to January 1, 1978, rise.", None),
        ("The lease commences on 1 March 2025 and was signed on 1 March 2024.", None),
    ],
)
def test_a_start_after_its_end_is_found_in_one_clause(text: str, found: tuple[str, str] | None) -> None:
    assert find_reversed(text) == ([Reversed(*found)] if found else [])


@pytest.mark.parametrize(
    ("start", "end", "is_found"),
    [
        ("Effective date", "Expiration of the agreement", True),
        ("When does the lease start?", "When does the lease end?", True),
        ("Mietbeginn", "Mietende", True),
        ("Start of the renewal", "Expiry date", False),
        ("Start of the second lease", "End of the first lease", False),
        ("Signature", "Expiry date", False),
    ],
)
def test_two_dates_are_compared_that_were_asked_of_one_thing(start: str, end: str, is_found: bool) -> None:
    late, early = (("2025-03-01", "1 March 2025"), ("2024-03-01", "1 March 2024"))
    one, two = NamedDate(start, *late, frozenset("a"), (1,)), NamedDate(end, *early, frozenset("a"), (2,))
    assert [*find_reversed_pairs([one, two])] == ([(one, two)] if is_found else [])
    elsewhere = two._replace(documents=frozenset("b"))
    in_order = [one._replace(value="2023-03-01"), two]
    assert [*find_reversed_pairs([one, elsewhere])] == [] == [*find_reversed_pairs(in_order)]


@pytest.mark.parametrize(
    ("asked", "text", "fits"),
    [
        ("When does the agreement end?", "The term runs from March 15, 2019 through March 15, 2022.", ["2022-03-15"]),
        ("When does the agreement start?", "The term runs from March 15, 2019 through March 15, 2022.", ["2019-03-15"]),
        ("When does the agreement end?", "This agreement is effective March 15, 2019.", []),
        ("When was it signed?", "This agreement is effective March 15, 2019.", ["2019-03-15"]),
        ("When does the agreement end?", "It was signed on March 15, 2019.", []),
        ("When does the agreement start?", "It was signed on March 15, 2019.", ["2019-03-15"]),
        ("When does the covenant end?", 'This Covenant (this "Agreement") is made this 3rd day of April, 1996 by', []),
        ("When does the agreement end?", "Payment is due on March 15, 2019.", ["2019-03-15"]),
        ("Wann endet der Vertrag?", "Der Vertrag beginnt am 1. März 2024 und endet am 1. März 2025.", ["2025-03-01"]),
    ],
)
def test_a_start_is_no_end(asked: str, text: str, fits: list[str]) -> None:
    assert [each.value for each in dates_in(text) if not is_other_side(asked, text, each)] == fits


@pytest.mark.parametrize(
    ("text", "language", "is_length"),
    [
        ("The Tenant may end the lease by giving six months' notice.", "en", True),
        ("After the first three years the Tenant may end it on six months' notice.", "en", True),
        ("The warranty expires 24 months after delivery.", "en", False),
        ("The board must decide within thirty (30) days of the request.", "en", False),
        ("The sublease terminates upon the sale.", "en", False),  # no duration at all
        ("Die Laufzeit beträgt zwei Jahre.", "de", True),
        ("Die Zahlung ist innerhalb von 14 Tagen fällig.", "de", False),
        ("Le préavis est de trois mois.", "fr", True),
        ("La garantie prend fin deux ans après la livraison.", "fr", False),
        ("El plazo es de dos años.", "es", True),
        ("El pago vence 30 días después de la entrega.", "es", False),
    ],
)
def test_a_length_tells_when_only_where_it_is_counted_from_or_to(text: str, language: str, *, is_length: bool) -> None:
    assert is_only_length(text, language) == is_length


def test_a_name_of_both_is_of_neither() -> None:
    assert side_asked("From the start to the end") == "" and thing_asked("Start date") == frozenset()


@pytest.mark.parametrize(
    ("asked", "text", "is_other"),
    [
        ("When does the lease end?", 'The lease is effective 7/1/98 (the "Effective Date").', True),
        ("When does the lease begin?", "The lease ends with the last day of the fair.", True),
        ("Wann endet der Vertrag?", "Der Vertrag beginnt mit dem ersten Tag der Messe.", True),
        ("Quand le bail expire-t-il ?", "Le bail commence le premier jour de la foire.", True),
        ("¿Cuándo vence el contrato?", "El contrato comienza el primer día de la feria.", True),
        ("When does the lease end?", "This lease is made this 1st day of --- November, 2003.", True),
        ("When does the lease end?", "The lease commences 7/1/98 and expires 7/1/99.", False),
        ("When does the lease end?", "Effective through 6/30/03.", False),
        ("When does the lease end?", "The lease starts on 7/1/98 and runs five years to 6/30/03.", False),
        ("When does the lease end?", "The lease is effective 7/1/98, lapses on 6/30/99.", False),
        ("Wann endet der Vertrag?", "Der Vertrag beginnt am 7/1/98 und läuft bis zum 6/30/03.", False),
        ("Quand le bail expire-t-il ?", "Le bail commence et court du 7/1/98 au 6/30/03.", False),
        ("¿Cuándo vence el contrato?", "El contrato comienza y corre del 7/1/98 al 6/30/03.", False),
        ("When is the rent due?", "The lease is effective 7/1/98.", False),
        ("When does the lease end?", "It lasts for the whole of the fair.", False),
    ],
)
def test_what_tells_of_a_start_alone_tells_no_end(asked: str, text: str, is_other: bool) -> None:
    assert tells_other_side(asked, text) is is_other
