"""Formulas are read from a question's own definition, from its wording, or from a metric's usual name; else none is."""

import pytest

from chat.figures.formulas import (
    Metric,
    Unit,
    asked_text,
    formula_of,
    known_metrics,
    metric_named,
    read_comparison,
    ways_of_asking,
    write_formula,
)
from reading.wording import Wording


@pytest.mark.parametrize(
    ("question", "words", "unit"),
    [
        pytest.param(
            "What is the FY2015 cash ratio? "
            "Cash ratio is defined as: cash from operations / total current liabilities.",
            "cash from operations 2015 ÷ total current liabilities 2015",
            "ratio",
            id="defined with a slash",
        ),
        pytest.param(
            "What is the FY2021 net position? Define net position as total assets less total liabilities.",
            "total assets 2021 − total liabilities 2021",
            "amount",
            id="defined in words",
        ),
        pytest.param(
            "What is the FY2017 ROA? "
            "ROA is defined as: FY2017 net income / (average total assets between FY2016 and FY2017).",
            "net income 2017 ÷ average of total assets 2016 and 2017",
            "ratio",
            id="an average of two years",
        ),
        pytest.param(
            "What is the FY2019 CCC? CCC is defined as: DIO - DPO. DIO is defined as: 365 * inventory / COGS. "
            "DPO is defined as: 365 * accounts payable / (COGS + change in inventory between FY2018 and FY2019).",
            "365 × inventory 2019 ÷ cogs 2019"
            " − 365 × accounts payable 2019 ÷ (cogs 2019 + change of inventory 2018 and 2019)",
            "ratio",
            id="definitions inside a definition",
        ),
        pytest.param(
            "What is the year-over-year change in unadjusted operating income from FY2015 to FY2016?",
            "operating income 2016 ÷ operating income 2015 − 1",
            "percent",
            id="growth",
        ),
        pytest.param(
            "What is Acme's total revenue CAGR from FY2020 to FY2022?",
            "(total revenue 2022 ÷ total revenue 2020) ^ (1/2) − 1",
            "percent",
            id="compound growth",
        ),
        pytest.param(
            "What is the FY2015 depreciation and amortization (D&A from cash flow statement) % margin?",
            "depreciation and amortization 2015 ÷ revenue 2015",
            "percent",
            id="a share of revenue",
        ),
        pytest.param(
            "What is the average of cost of sales as a % of revenue from FY2016 to FY2017?",
            "(cost of sales 2016 ÷ revenue 2016 + cost of sales 2017 ÷ revenue 2017) ÷ 2",
            "percent",
            id="an average of shares",
        ),
        pytest.param(
            "Does it have positive working capital based on 2022 data?",
            "total current assets 2022 − total current liabilities 2022",
            "amount",
            id="a well-known metric",
        ),
    ],
)
def test_a_formula_is_read(question: str, words: str, unit: Unit) -> None:
    formula = formula_of(asked_text(question))
    assert formula is not None
    assert (write_formula(formula.expression), formula.unit) == (words, unit)


@pytest.mark.parametrize(
    "question",
    [
        "What is the working capital?",
        "What is the working capital in 2020 and 2021 and 2022?",
        "How is attention computed?",
        "What is the rate? The rate is defined as: / / revenue.",
        "What is the FY2020 loop? Loop is defined as: (((revenue.",
        "What was the growth of revenue from FY2022 to FY1066?",
        "What is FY2020 " + "(" * 5000,
        "",
    ],
)
def test_what_is_not_clear_has_no_formula(question: str) -> None:
    assert formula_of(asked_text(question)) is None


def test_a_definition_that_uses_itself_ends() -> None:
    formula_of(asked_text("What is the FY2020 loop? Loop is defined as: loop / loop."))


def test_a_metric_said_to_change_is_computed_for_both_years() -> None:
    both = read_comparison(asked_text("Does Acme have an improving operating margin as of FY2022?"))
    assert [write_formula(each.expression) for each in both] == [
        "operating income 2021 ÷ revenue 2021",
        "operating income 2022 ÷ revenue 2022",
    ]
    assert read_comparison(asked_text("What drove the operating margin change in FY2022?")) == ()
    assert read_comparison(asked_text("Is the operating margin good?")) == ()


@pytest.mark.parametrize(
    ("question", "places", "scale"),
    [
        ("What is the FY2020 current ratio? Round your answer to two decimal places.", 2, None),
        ("What is the FY2020 working capital in USD millions?", None, 1_000_000),
        ("What is the FY2020 quick ratio (round to one decimal place)?", 1, None),
    ],
)
def test_places_and_units_are_those_asked_for(question: str, places: int | None, scale: int | None) -> None:
    formula = formula_of(asked_text(question))
    assert formula is not None and (formula.places, formula.scale) == (places, scale)


@pytest.mark.parametrize("metric", known_metrics(), ids=lambda metric: metric.name)
def test_every_metric_is_named_by_its_examples_only(metric: Metric) -> None:
    found = [formula_of(asked_text(question)) for question in metric.examples]
    assert [(each.name, each.unit) for each in found if each] == [(metric.name, metric.unit)] * len(metric.examples)
    assert metric not in [metric_named(asked_text(question)) for question in metric.counter_examples]


@pytest.mark.parametrize("wording", ways_of_asking().alternatives, ids=lambda each: each.examples[0])
def test_every_way_of_asking_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = ways_of_asking().alone(wording)
    assert [text for text in wording.examples if not alone.search(asked_text(text))] == []
    assert [text for text in wording.counter_examples if alone.search(asked_text(text))] == []
