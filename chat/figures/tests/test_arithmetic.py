"""Formulas a model wrote: what is calculated, what is refused, and how they are written out."""

from decimal import Decimal

import pytest

from chat.figures.arithmetic import (
    Calculated,
    ExpressionError,
    Quantity,
    Ranked,
    calculate,
    read_expression,
    subtracted_names,
    write_out,
)

USD = (("USD", 1),)
VALUES: dict[str, Calculated] = {
    "a": Quantity(Decimal(150), USD),
    "b": Quantity(Decimal(120), USD),
    "c": Quantity(Decimal(-30), USD),
    "p": Quantity(Decimal("0.246")),
    "n": Quantity(Decimal(4), (("shares", 1),)),
    "c1": Quantity(Decimal("0.5")),
    "is_so": True,
}


@pytest.mark.parametrize(
    ("formula", "value", "units"),
    [
        ("(a - b) / b", "0.25", ()),
        ("a − b", "30", USD),
        ("a ÷ b × 2", "2.5", ()),
        ("avg(a, b)", "135", USD),
        ("sum(a, b, c)", "240", USD),
        ("min(a, b, c)", "-30", USD),
        ("max(a, b)", "150", USD),
        ("a - abs(c)", "120", USD),
        ("-c", "30", USD),
        ("round(a / 7, 2)", "21.43", USD),
        ("(a / b) ^ (1/2)", "1.118033988749894848204586834", ()),
        ("365 * avg(a, b) / b", "410.625", ()),
        ("a / n", "37.5", (("USD", 1), ("shares", -1))),
        ("p - 20%", "0.046", ()),
        ("c1 * 2", "1", ()),
        ("a - 0", "150", USD),
        ("0.1 + 0.2", "0.3", ()),
    ],
)
def test_it_calculates_in_decimals_with_units(formula: str, value: str, units: tuple[tuple[str, int], ...]) -> None:
    """R78."""
    assert calculate(read_expression(formula), VALUES) == Quantity(Decimal(value), units)


@pytest.mark.parametrize(
    ("formula", "result"),
    [
        ("a > b", True),
        ("a / b > 1.2", True),
        ("a / b > 1.25", False),
        ("p > 20 %", True),
        ("a > b > c", True),
        ("a > 149.5", True),
        ("c < -40", False),
        ("a > b and b < c", False),
        ("a < b or c < 0", True),
        ("a != b", True),
        ("argmax(a, b, c)", Ranked(("a",), False)),
        ("argmin(a, b, c)", Ranked(("c",), False)),
        ("rank(c, a, b)", Ranked(("a", "b", "c"), True)),
    ],
)
def test_it_compares_and_ranks(formula: str, result: Calculated) -> None:
    assert calculate(read_expression(formula), VALUES) == result


@pytest.mark.parametrize(
    "formula",
    [
        "",
        "a +",
        "a; b",
        "a = b",
        "__import__('os').system('true')",
        "a.real",
        "a[0]",
        "(lambda: a)()",
        "[x for x in (a,)]",
        "a if b else c",
        "f'{a}'",
        "'a' * 1000",
        "a % b",
        "a // b",
        "a @ b",
        "~a",
        "not a",
        "a is b",
        "a in (b,)",
        "(a := 1)",
        "True",
        "None",
        "1j",
        "1e999",
        "print(a)",
        "avg()",
        "sum(*a)",
        "max(a, key=b)",
        "argmax(a + 1, b)",
        "9" * 30,
        "(" * 300 + "a" + ")" * 300,
        "-" * 100 + "a",
        "+".join(["a"] * 200),
        "a" * 500,
        "\x00",
    ],
)
def test_it_refuses_what_is_no_formula(formula: str) -> None:
    with pytest.raises(ExpressionError):
        read_expression(formula)


@pytest.mark.parametrize(
    "formula",
    [
        "a / 0",
        "a / (b - b)",
        "0 / 0",
        "9 ** 9 ** 9",
        "p ** 100",
        "(0 - 8) ** (1 / 3)",
        "a ** 2",
        "1000000000000 * 1000000000000 * 1000000000000",
        "unknown + a",
        "a + p",
        "a > n",
        "a + 5",
        "avg(a, p)",
        "is_so + 1",
        "a and b",
        "round(a, 2.5)",
        "round(a, 99)",
        "abs(a, b)",
        "argmax(a, p)",
        "rank(a, a)",
        "argmax(a, a)",
        "argmax(a, b) + 1",
    ],
)
def test_it_gives_no_result_where_there_is_none(formula: str) -> None:
    with pytest.raises(ExpressionError):
        calculate(read_expression(formula), VALUES)


def test_values_that_are_not_numbers_stop_it() -> None:
    for bad in ("NaN", "Infinity", "sNaN"):
        with pytest.raises(ExpressionError):
            calculate(read_expression("a * 2"), {"a": Quantity(Decimal(bad))})


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("(a-b)/b", "(revenue 2022 − revenue 2021) ÷ revenue 2021"),
        ("a-(b-c)", "revenue 2022 − (revenue 2021 − loss)"),
        ("a-b+c", "revenue 2022 − revenue 2021 + loss"),
        ("a/(b*c)", "revenue 2022 ÷ (revenue 2021 × loss)"),
        ("avg(a,b) > 5", "average of (revenue 2022, revenue 2021) > 5"),
        ("a > b and b > c", "(revenue 2022 > revenue 2021) and (revenue 2021 > loss)"),
        ("-(a+b)", "−(revenue 2022 + revenue 2021)"),
        ("(a/b)**(1/2)-1", "(revenue 2022 ÷ revenue 2021) ^ (1 ÷ 2) − 1"),
    ],
)
def test_it_writes_a_formula_for_people(formula: str, words: str) -> None:
    named = {"a": "revenue 2022", "b": "revenue 2021", "c": "loss"}
    assert write_out(read_expression(formula), named) == words


def test_it_names_what_is_subtracted_as_it_stands() -> None:
    assert list(subtracted_names(read_expression("a - b - abs(c)"))) == [(("a",), "b")]
