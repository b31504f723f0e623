"""Which quotes an answer without a writer shows, and how many."""

from uuid import UUID

import pytest

from chat.writing.extractive import choose_quotes, citations_max, quoted_text
from documents.base_settings import BaseSettings
from documents.pages.plain_choices import PLAIN
from retrieval.models import RunCandidate


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


def test_quotes_are_said_whole_and_in_one_line() -> None:
    (candidate,) = candidates_of("a")
    candidate.content_anchor = "\u2022 The customer\u2019s confi-\ndential data is\nreturned."
    assert quoted_text(choose_quotes([candidate], "fast", BaseSettings())) == (
        "\u201c- The customer\u2019s confi-dential data is returned.\u201d [1]"
    )


NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 8: "eight", 12: "twelve"}


def test_the_settings_say_how_many_quotes_there_are_in_each_mode() -> None:
    """R95: what a mode gives at most stands above what a base allows."""
    said = {code: str(option.effect) for code, option in PLAIN["quotes"].items()}
    chosen = {code: BaseSettings.from_json(dict(option.sets)) for code, option in PLAIN["quotes"].items()}
    most = {
        code: [citations_max(mode, settings) for mode in ("fast", "balanced", "thorough")]
        for code, settings in chosen.items()
    }
    for code in ("few", "usual"):
        fast, balanced, thorough = (NUMBERS[number] for number in most[code])
        told = f"most {fast} quotes in fast mode, {balanced} in balanced, {thorough} in thorough; "
        assert f"{told}{NUMBERS[chosen[code].per_document_max]} of one document" in said[code].replace(
            "At most", "most"
        )
    assert most["many"] == most["usual"] and "As many quotes in each mode as “Some”" in said["many"]
    assert f"up to {NUMBERS[chosen['many'].per_document_max]} of one document" in said["many"]
