"""What only running headers and footers say is found, once, and counts for absence."""

from pathlib import Path

import pytest

from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.tests.pdfs import write_pdf
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, Written, content_of_lines, content_of_reading
from retrieval.types import RetrievalResult

HEADER = "Policy number AB-7731-X   Policyholder: Acme Bakery SARL"
TOPICS = ("flood", "fire", "theft", "storm", "glass", "transport")


def pages(count: int = 4) -> list[list[str]]:
    return [
        [f"The {TOPICS[page]} cover, {TOPICS[n]} apart, is for losses of {page * 37 + n * n} days." for n in range(6)]
        for page in range(count)
    ]


@pytest.fixture
def policy_file(tmp_path: Path) -> DocumentContent:
    path = write_pdf(tmp_path / "policy.pdf", pages(), header=HEADER, footer=True)
    return content_of_reading(read_pdf(path, Limits()), path)


def ask(content: DocumentContent, question: str) -> RetrievalResult:
    return retrieve(question, [content], settings=SETTINGS, arbiter="rules")


@pytest.mark.parametrize("question", ["What is the policy number?", "Who is the policyholder?"])
def test_a_running_header_answers(policy_file: DocumentContent, question: str) -> None:
    result = ask(policy_file, question)
    assert result.status == "found"
    best = result.candidates[0]
    assert best.verdict.role == "primary"
    assert "AB-7731-X" in best.quote.text and "Acme Bakery SARL" in best.quote.text
    assert best.anchor_pages == (1, 1) and best.section_title == "Running head"


def test_it_is_searched_once_and_says_where_it_stands(policy_file: DocumentContent) -> None:
    result = ask(policy_file, "Who is the policyholder?")
    assert [word.count for word in result.searched] == [1]
    (best,) = [each for each in result.candidates if each.running]
    assert best.running == "at the head of 4 pages"
    assert best.breadcrumb == best.brief.candidate.breadcrumb == "Running head, at the head of 4 pages"
    assert "It is a heading repeated on many pages." in best.verdict.reason
    assert best.context.text == best.anchor_text and best.snippet == " ".join(best.anchor_text.split())
    assert [box.page_number for box in best.boxes] == [1]


def test_it_answers_for_any_page_it_stands_on(policy_file: DocumentContent) -> None:
    result = ask(policy_file, "What is the policy number on page 3?")
    assert any(each.running for each in result.candidates)


def test_page_numbers_are_not_searched(tmp_path: Path) -> None:
    lines = [[*page, f"Page {number} of 6"] for number, page in enumerate(pages(6), 1)]
    path = write_pdf(tmp_path / "numbered.pdf", lines, footer=True)
    content = content_of_reading(read_pdf(path, Limits()), path)
    assert sum(line.kind == "furniture" for line in content.lines) >= 6
    assert content.running_heads == {}


def test_a_head_with_its_page_number_is_one_line(tmp_path: Path) -> None:
    lines = [[*page, f"Acme Bakery SARL contract 2024 - {number + 8}"] for number, page in enumerate(pages(6))]
    path = write_pdf(tmp_path / "numbered.pdf", lines)
    content = content_of_reading(read_pdf(path, Limits()), path)
    (head,) = content.running_heads.values()
    assert head.pages == (1, 2, 3, 4, 5, 6)


def test_two_policies_bound_together_are_two_heads() -> None:
    written: list[Written] = []
    for number, name in enumerate(["AB-7731-X", "AB-7731-X", "CD-9040-Y", "CD-9040-Y"], 1):
        written += [(f"Policy {name}", "furniture"), f"Text of page {number}.", (str(number), "furniture"), "---"]
    content = content_of_lines(written[:-1])
    assert [head.pages for head in content.running_heads.values()] == [(1, 2), (3, 4)]
    assert ask(content, "Is CD-9040-Y a policy?").candidates[0].anchor_pages == (3, 3)


def test_a_head_that_repeats_the_text_is_not_searched_again() -> None:
    head: Written = ("Notice of termination", "furniture")
    written = [head, "# 4 Notice of termination", "It takes thirty days.", "---", head, "More of it."]
    content = content_of_lines(written)
    assert content.running_heads == {}


def test_a_file_whose_every_line_repeats_is_searched(tmp_path: Path) -> None:
    notice = ["Acme Bakery SARL", "Deliveries are accepted until eleven in the morning", "at the gate in Mill Street."]
    path = write_pdf(tmp_path / "notice.pdf", [notice] * 4)
    content = content_of_reading(read_pdf(path, Limits()), path)
    assert {line.kind for line in content.lines} == {"furniture"}
    assert "Mill Street" in " ".join(passage.text for passage in content.passages)
    result = ask(content, "Until when are deliveries accepted?")
    assert result.status == "found"
    assert result.candidates[0].quote.text == "\n".join(notice[1:])
    assert ask(content, "Who is the helicopter pilot?").status == "not_found"


def test_a_head_lends_nothing_to_the_text_below_it() -> None:
    head: Written = ("Bakery insurance policy", "furniture")
    with_head = content_of_lines(
        [head, "# Cover", "The premium is due.", "---", head, "# Fees", "The premium is late."]
    )
    result = ask(with_head, "What is the premium of the bakery?")
    text = {each.anchor_pages[0]: each for each in result.candidates if not each.running}
    assert text[1].strength == text[2].strength


def test_a_paragraph_over_a_page_break_is_quoted_without_the_head() -> None:
    head: Written = ("Bakery policy", "furniture")
    content = content_of_lines(["# Notice", "Notice must be given in", "---", head, "writing by the customer."])
    assert content.text_between(2, 4, searched_only=True) == "Notice must be given in\nwriting by the customer."
    assert content.text_between(3, 3, searched_only=True) == "Bakery policy"


def test_passages_end_with_the_heads(policy_file: DocumentContent) -> None:
    last = policy_file.passages[-1]
    assert (last.kind, last.text, last.first_line) == ("running", policy_file.lines[0].text, 1)
    assert sum("AB-7731-X" in passage.text for passage in policy_file.passages) == 1
