"""What an answer without a writer says of each quote: a whole sentence, or a table's row."""

from uuid import UUID

import pytest

from chat.writing.extractive import choose_quotes, value_part
from documents.base_settings import BaseSettings
from retrieval.models import RunCandidate

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


def candidates_of(*documents: str) -> list[RunCandidate]:
    return [
        RunCandidate(
            document_id=UUID(int=ord(name)), position=place, role="supporting", content_anchor=f"{name} {place}"
        )
        for place, name in enumerate("".join(documents), 1)
    ]


@pytest.mark.parametrize(("mode", "count"), [("fast", 3), ("balanced", 8), ("thorough", 12)])
def test_one_document_may_give_all_citations(mode: str, count: int) -> None:
    quoted = choose_quotes(candidates_of("a" * 14), mode, BaseSettings())
    assert [each.candidate.position for each in quoted] == list(range(1, count + 1))


def test_one_document_of_several_gives_no_more_than_its_share() -> None:
    quoted = choose_quotes(candidates_of("a" * 7, "b" * 2), "balanced", BaseSettings())
    assert [each.quote[0] for each in quoted] == list("aaaaabb")
