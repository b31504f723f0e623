"""What following the references of the best passages brings (R14, R75)."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from reading.registry.objects import Registry
from retrieval.candidates.references import TARGETS_MAX, Followed, follow
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import Candidate, RetrievalResult


@pytest.fixture
def contract() -> DocumentContent:
    content = content_of_lines(
        [
            "# Fees",
            "The late fee is explained in Section 7.2 and shown in Table 3 row (B), see also Appendix A.",
            "---",
            "# Penalties",
            "Penalties grow with every week that passes.",
            "---",
            ("Table 3: What is charged", "caption"),
            ("(A) first week 10 20", "table_row"),
            ("(B) second week 30 40", "table_row"),
            ("Table 4: What is not charged", "caption"),
            ("(C) nothing 0 0", "table_row"),
            "---",
            "# Appendix A. Definitions",
            "A week has seven days.",
            "---",
            "# Unrelated",
            "Nothing here.",
        ]
    )
    toc = tuple(entry._replace(number="7.2") if entry.title == "Penalties" else entry for entry in content.toc)
    return replace(content, toc=toc)


def ask(
    content: DocumentContent, mode: str = "thorough", question: str = "How is the late fee explained?"
) -> RetrievalResult:
    return retrieve(question, [content], settings=SETTINGS, mode=mode, arbiter="rules")


def test_thorough_mode_brings_what_the_best_passage_points_to(contract: DocumentContent) -> None:
    result = ask(contract)
    referred = {each.referred: each for each in result.candidates if each.referred}
    assert set(referred) == {
        "Section 7.2, named on p. 1", "Table 3 row (B), named on p. 1", "Appendix A, named on p. 1",
    }  # fmt: skip
    assert {each.verdict.role for each in referred.values()} == {"supporting"}
    assert "points to this place" in referred["Section 7.2, named on p. 1"].verdict.reason
    assert "(A) first week" in referred["Table 3 row (B), named on p. 1"].context.text  # the whole table is handed on
    flag = next(flag for flag in result.plan.flags if flag.name == "cross_references")
    assert flag.on and flag.reason.startswith("followed: ")


@pytest.mark.parametrize("mode", ["fast", "balanced"])
def test_other_modes_follow_nothing_unless_the_question_points(contract: DocumentContent, mode: str) -> None:
    """(R75): "in Section …", "in the table" are followed in every mode."""
    result = ask(contract, mode)
    assert not any(candidate.referred for candidate in result.candidates)
    assert not result.plan.is_on("cross_references")
    pointed = ask(contract, mode, "How is the late fee explained in the appendix?")
    assert "Section 7.2, named on p. 1" in {each.referred for each in pointed.candidates}


def test_a_table_is_handed_on_from_its_caption(contract: DocumentContent) -> None:
    lines = [line.text for line in contract.lines]
    lines[1] = "The late fee is explained in Table 3."
    written = content_of_lines(["# Fees", lines[1], "---", *((line.text, line.kind) for line in contract.lines[4:9])])
    caption = next(each for each in ask(written).candidates if each.referred)
    assert "(B) second week" in caption.context.text


def test_what_leads_nowhere_is_told(contract: DocumentContent) -> None:
    written = content_of_lines(["# Fees", "The late fee is explained in Table 9 and in Section 12."])
    flag = next(flag for flag in ask(written).plan.flags if flag.name == "cross_references")
    assert flag.reason == "led nowhere: Table 9, Section 12"
    assert Followed((), (), ()).outcome == "the best passages point nowhere else"


@pytest.mark.parametrize("mode", ["fast", "balanced", "thorough"])
def test_after_judging_it_is_told_in_every_mode_where_the_kept_passages_point(mode: str) -> None:
    """(R75) With the page where that is, or that it is nowhere; of what was not kept nothing is told."""
    lines = ["# Fees", "The late fee is explained in Section 7.2 and in Table 9.", "---", "# Penalties", "They grow."]
    others = ["---", "# Weather", "Rain is explained in Section 8.1.", "---", "# Snow", "Much."]
    content = content_of_lines([*lines, *others])
    numbers = {"Penalties": "7.2", "Snow": "8.1"}
    content = replace(content, toc=tuple(each._replace(number=numbers.get(each.title, "")) for each in content.toc))
    result = ask(content, mode, "What is the late fee?")
    [reason] = [flag.reason for flag in result.plan.flags if flag.name == "cross_references"]
    assert [each.section_title for each in result.kept()] == ["Fees"]
    nowhere = "what was kept names Table 9, which is nowhere"
    assert reason.endswith(f"; what was kept points to Section 7.2 (p. 2); {nowhere}")


def test_it_goes_one_hop_and_takes_few() -> None:
    text = ", ".join(f"Table {number}" for number in range(1, 30))
    tables = [(f"Table {number}: see Table {number + 1}", "caption") for number in range(1, 30)]
    content = content_of_lines(["# Fees", f"The late fee is explained in {text}.", "---", *tables])  # type: ignore[list-item]
    candidates: tuple[Candidate, ...] = ask(content, "balanced").candidates
    assert len(follow(candidates, [content]).hits) == TARGETS_MAX
    assert sum(bool(each.referred) for each in ask(content).candidates) == TARGETS_MAX


def test_a_stored_registry_is_used_as_it_is_and_an_older_reading_makes_its_own(contract: DocumentContent) -> None:
    """(R14) One way: what is followed is what the registry says, stored at ingestion or computed from the rows."""
    own = [each for each in ask(contract).candidates if each.referred]
    stored = replace(contract, stored_registry=contract.registry)
    assert [each.referred for each in ask(stored).candidates if each.referred] == [each.referred for each in own]
    emptied = replace(contract, stored_registry=Registry((), ()))
    assert not any(each.referred for each in ask(emptied).candidates)
