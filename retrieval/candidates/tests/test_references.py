"""What a text points to, what is meant by it, and what following it brings."""

from dataclasses import replace

import pytest

from documents.storage.content import DocumentContent
from retrieval.candidates.references import TARGETS_MAX, Followed, Reference, follow, references_in, resolve_reference
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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see Section 7.2", ["Section 7.2"]),
        ("(see Table 3 row (E))", ["Table 3 row (E)"]),
        (
            "In Table 3 rows (A) and (B), and further in rows (C) and (D)",
            ["Table 3 row (A)", "Table 3 row (B)", "Table 3 row (C)", "Table 3 row (D)"],
        ),
        ("as shown in Fig. 4 and in Appendix B", ["Figure 4", "Appendix B"]),
        ("Tableau 2, annexe C et article 5", ["Table 2", "Appendix C", "Section 5"]),
        ("Note 5 says so; Note 5 again", ["Note 5"]),
        ("rows (C) of no table", []),
        ("the section about a table", []),
        ("a sectional view, 3 tables", []),
    ],
)
def test_it_reads_what_a_text_points_to(text: str, found: list[str]) -> None:
    assert [str(reference) for reference, _ in references_in(text)] == found


@pytest.mark.parametrize(
    ("reference", "begins"),
    [
        (Reference("section", "7.2"), "Penalties"),
        (Reference("appendix", "a"), "Appendix A. Definitions"),
        (Reference("table", "3"), "Table 3: What is charged"),
        (Reference("table", "3", "(b)"), "(B) second week"),
        (Reference("table", "3", "(c)"), "Table 3: What is charged"),  # a row of another table: the table at least
    ],
)
def test_a_reference_means_lines(contract: DocumentContent, reference: Reference, begins: str) -> None:
    place = resolve_reference(reference, contract)
    assert place is not None
    assert contract.lines[place.first - 1].text.startswith(begins)


@pytest.mark.parametrize(
    "reference", [Reference("table", "9"), Reference("section", "9"), Reference("table", "9", "(a)")]
)
def test_a_reference_may_lead_nowhere(contract: DocumentContent, reference: Reference) -> None:
    assert resolve_reference(reference, contract) is None


def ask(content: DocumentContent, mode: str = "thorough") -> RetrievalResult:
    question = "How is the late fee explained?"
    return retrieve(question, [content], settings=SETTINGS, mode=mode, arbiter="rules")  # type: ignore[arg-type]


def test_thorough_mode_brings_what_the_best_passage_points_to(contract: DocumentContent) -> None:
    result = ask(contract)
    referred = {each.referred: each for each in result.candidates if each.referred}
    assert set(referred) == {
        "Section 7.2, named on p. 1", "Table 3 row (B), named on p. 1", "Appendix A, named on p. 1",
    }  # fmt: skip
    assert {each.verdict.role for each in referred.values()} == {"supporting"}
    assert "points here" in referred["Section 7.2, named on p. 1"].verdict.reason
    assert "(A) first week" in referred["Table 3 row (B), named on p. 1"].context.text  # the whole table is handed on
    flag = next(flag for flag in result.plan.flags if flag.name == "cross_references")
    assert flag.on and flag.reason.startswith("followed: ")


@pytest.mark.parametrize("mode", ["fast", "balanced"])
def test_other_modes_follow_nothing(contract: DocumentContent, mode: str) -> None:
    result = ask(contract, mode)
    assert not any(candidate.referred for candidate in result.candidates)
    assert not result.plan.is_on("cross_references")


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
    assert Followed((), ()).outcome == "the best passages point nowhere else"


def test_it_goes_one_hop_and_takes_few() -> None:
    text = ", ".join(f"Table {number}" for number in range(1, 30))
    tables = [(f"Table {number}: see Table {number + 1}", "caption") for number in range(1, 30)]
    content = content_of_lines(["# Fees", f"The late fee is explained in {text}.", "---", *tables])  # type: ignore[list-item]
    candidates: tuple[Candidate, ...] = ask(content, "balanced").candidates
    assert len(follow(candidates, [content]).hits) == TARGETS_MAX
    assert sum(bool(each.referred) for each in ask(content).candidates) == TARGETS_MAX
