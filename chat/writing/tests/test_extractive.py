"""What an answer without a writer says of each quote: a whole sentence, or a table's row."""

import pytest

from chat.writing.extractive import value_part

DEDUCTIBLE = (
    "The cyber policy carries a Deductible of EUR 75,000 for each claim. The Deductible is borne by the\n"
    "Provider and shall not be charged to the Customer in any form."
)
SUMMARY = (
    "Initial Term Five (5) years from the Commencement Date\nAnnual premium EUR 18,400, being a share,\ninvoiced in May"
)


@pytest.mark.parametrize(
    ("text", "keywords", "said"),
    [
        (DEDUCTIBLE, ["deductible"], "The cyber policy carries a Deductible of EUR 75,000 for each claim."),
        (SUMMARY, ["annual", "premium"], "Annual premium EUR 18,400, being a share,"),
        ("Under No. 5 the fee\nis 12 euros. It is due\nin June.", ["fee"], "Under No. 5 the fee\nis 12 euros."),
        ("The fee is agreed\nfrom time to time.", ["fee"], "The fee is agreed\nfrom time to time."),
        ("Of 12 pages\nnone is about it.", ["fee"], "Of 12 pages\nnone is about it."),
    ],
)
def test_a_value_is_said_in_its_sentence_or_row(text: str, keywords: list[str], said: str) -> None:
    assert value_part(text, keywords) == said
