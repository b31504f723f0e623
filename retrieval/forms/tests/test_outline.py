"""An outline has the title and the first whole sentence of each main part, and nothing that is no text."""

import pytest

from retrieval.forms.outline import PARTS_MAX, outline_of
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, Written, content_of_lines, shared_content

LEASE: list[Written] = [
    ("Lease of the Warehouse", "heading"),
    "This lease is made between Acme Limited and Globex Limited on the first of May.",
    "# Contents",
    ("1. Rent ........ 2", "contents"),
    "# 1. Rent",
    "ends in mid-sentence, which no outline may begin with.",
    "The rent is 12,500 euros a month and is due on the first working day.",
    "It is paid by bank transfer and never in cash or by cheque.",
    "# 2. Repairs",
    "The landlord repairs the roof and the walls of the whole building.",
    "# Signatures",
    "Signed by both of the parties in the presence of two witnesses of age.",
]


def quoted(lines: list[Written], title: str = "Lease of the Warehouse") -> list[tuple[str, str]]:
    content = content_of_lines(lines, title=title)
    result = retrieve("Summarise this document", [content], settings=SETTINGS, arbiter="rules")
    assert all(each.quote.repair.status == "exact" and each.boxes for each in result.candidates)
    return [(each.section_title, " ".join(each.quote.text.split())) for each in result.candidates]


def test_it_has_the_title_and_the_first_whole_sentence_of_each_part() -> None:
    assert quoted(LEASE) == [
        ("Lease of the Warehouse", "Lease of the Warehouse"),
        ("", "This lease is made between Acme Limited and Globex Limited on the first of May."),
        ("1. Rent", "The rent is 12,500 euros a month and is due on the first working day."),
        ("2. Repairs", "The landlord repairs the roof and the walls of the whole building."),
    ]


def test_it_is_a_run_that_says_what_was_done() -> None:
    content = content_of_lines(LEASE, title="Lease of the Warehouse")
    result = retrieve("What is this about?", [content], settings=SETTINGS)
    assert (result.status, result.ranking.arbiter, result.question.form) == ("found", "rules", "outline")
    assert [flag.name for flag in result.plan.flags] == ["outline"] and result.searched == ()
    assert {each.verdict.rule for each in result.candidates} == {"outline"}
    reasons = {each.verdict.reason for each in result.candidates}
    assert {"First whole sentence of the part “1. Rent”.", "First whole sentence before the first part."} <= reasons
    assert {each.methods for each in result.candidates} == {("outline",)} and len(result.hits) == 4


def test_the_longest_parts_are_kept_and_the_others_named() -> None:
    lines: list[Written] = [("Manual of the House", "heading")]
    for number in range(1, 21):
        lines += [f"# {number}. Chapter", f"Chapter number {number} tells what there is to say of its matter."]
        lines += ["More words follow in the same paragraph of the text."] * (number % 7)
    content = content_of_lines(lines, title="Manual of the House")
    result = retrieve("summary", [content], settings=SETTINGS)
    numbers = [int(each.section_title.partition(".")[0]) for each in result.candidates[1:]]
    assert len(result.candidates) == PARTS_MAX and numbers == sorted(numbers)
    assert len(result.left_out) == 21 - PARTS_MAX and {6, 13, 20} <= set(numbers)
    assert not {each.section_title for each in result.left_out} & {each.section_title for each in result.candidates}


def test_without_a_table_of_contents_the_passages_are_told() -> None:
    lines: list[Written] = ["The tenant pays the deposit before it moves into the house.", "---"]
    assert quoted([*lines, "The deposit is returned within thirty days of the end."], "Letter")[0] == (
        "",
        "The tenant pays the deposit before it moves into the house.",
    )


def test_a_part_that_begins_with_a_table_is_told_by_its_heading() -> None:
    rows: list[Written] = [(f"Item {number} 100 200", "table_row") for number in range(8)]
    lines: list[Written] = ["# 1. Fees", *rows, "There are no other fees than those of the table above."]
    lines += ["# 2. Term", "The term of this agreement is three years from its date."]
    assert quoted(lines)[0] == ("1. Fees", "1. Fees")


def test_several_documents_have_an_outline_each_and_those_named_alone() -> None:
    first = content_of_lines(LEASE, title="Lease of the Warehouse")
    second = content_of_lines(
        [
            "# A. Scope",
            "This policy covers all of the machines in the hall.",
            "# B. Term",
            "It ends after a year of use it has had.",
        ],
        title="Policy of Acme",
        number=2,
    )
    both = outline_of(parse_question("Summarise these documents", [first, second]), [first, second])
    assert {each.document_id for each in both.candidates} == {first.document_id, second.document_id}
    assert len({each.candidate_id for each in both.candidates}) == len(both.candidates)
    one = outline_of(parse_question("Summarise the policy of Acme", [first, second]), [first, second])
    assert {each.document_id for each in one.candidates} == {second.document_id}


def test_a_document_without_a_sentence_is_not_outlined() -> None:
    result = retrieve("Summarise this document", [content_of_lines(["42"])], settings=SETTINGS)
    assert (result.status, result.candidates) == ("not_found", ())
    assert result.not_found_reason == "no part of what was read has a whole sentence"


@pytest.mark.parametrize(
    "name",
    [
        "ndas/nda-21.pdf",
        "contracts/GSVINC_05_15_1998_EX_10_SPONSORSHIP_AGREEMENT.pdf",
        "papers/1706.03762v7.pdf",
        "papers/NIST.CSWP.29.pdf",
    ],
)
def test_a_real_document_is_told_in_whole_sentences_of_its_parts(name: str) -> None:
    content = shared_content(name)
    result = retrieve("Summarise this document", [content], settings=SETTINGS)
    assert 8 <= len(result.candidates) <= PARTS_MAX
    for each in result.candidates:
        text = " ".join(each.quote.text.split())
        assert each.quote.repair.status == "exact" and text
        assert text == each.section_title or text.endswith((".", ":", ";")), text
    assert [each.anchor.first for each in result.candidates] == sorted(each.anchor.first for each in result.candidates)
