"""Signatures, lists of exhibits and definitions of the parties take no place in the pool, unless they are asked for."""

import pytest

from documents.storage.content import DocumentContent
from reading.wording import Wording
from retrieval.candidates.noise import name_noise, noise_signs
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import RetrievalResult

CONTRACT = [
    "# Agreement",
    'Acme Ltd and Globex Inc. (each a "Party" and together the "Parties") agree as follows.',
    "# 1. Term",
    "A party may end this agreement with a notice of three months.",
    "# 2. Signatures",
    "In witness whereof each party has signed this agreement with its notice.",
    "By: Ann Osei",
    "Name: Ann Osei",
    "Title: Director",
    "---",
    "# Exhibits",
    "4.1 Agreement on the notice of a party (incorporated by reference to Exhibit 4.1 to Form S-4)",
    "4.2 Agreement on the term of a party (incorporated by reference to Exhibit 4.2 to Form S-4)",
    "4.3 Agreement on the end of a party (incorporated by reference to Exhibit 4.3 to Form S-4)",
]


OTHER_PAGES = [line for page in range(8) for line in ("---", f"# Annex {page}", "The premises are kept clean and dry.")]


def ask(question: str) -> RetrievalResult:
    return retrieve(question, [content_of_lines([*CONTRACT, *OTHER_PAGES])], settings=SETTINGS, arbiter="rules")


def shown(result: RetrievalResult) -> str:
    return "\n".join(candidate.anchor_text for candidate in result.candidates)


@pytest.fixture
def contract() -> DocumentContent:
    return content_of_lines(CONTRACT)


@pytest.mark.parametrize(
    ("line", "words", "what"),
    [
        (2, {"party"}, "the definition of the parties"),
        (2, {"party", "acme"}, ""),
        (4, {"party"}, ""),
        (6, {"notice"}, "a block of signatures"),
        (11, {"notice"}, "a list of exhibits"),
        (10, {"notice"}, ""),
    ],
)
def test_what_holds_no_answer_is_named(line: int, words: set[str], what: str, contract: DocumentContent) -> None:
    assert name_noise(line, words, "may a party end it with a notice", contract) == what


@pytest.mark.parametrize(
    ("line", "asked"), [(2, "which parties are there"), (6, "has each party signed"), (11, "which exhibits are filed")]
)
def test_what_is_asked_for_is_kept(line: int, asked: str, contract: DocumentContent) -> None:
    assert name_noise(line, {"party"}, asked, contract) == ""


def test_it_is_left_out_of_the_pool_with_its_reason() -> None:
    result = ask("May a party end the agreement with a notice?")
    assert "three months" in shown(result) and "Ann Osei" not in shown(result) and "Form S-4" not in shown(result)
    reasons = {left.reason for left in result.left_out}
    assert "a block of signatures, which is not asked for" in reasons


PAPER = [
    "# 1 Results",
    "Roofs that were cleaned kept their colour for five years.",
    "# References",
    "[1] Harlow, D. (2011). Cleaning roofs with zinc. Roof Studies 4.",
    "[2] Okafor, N. (2015). How often should roofs be cleaned? Journal of Moss 2.",
    "[3] Brandt, L. (2018). The cost of cleaned roofs. Building Economics 31.",
]
ANNEX = [*PAPER, *["The tenant cleans the roofs twice a year and keeps them dry."] * 7]  # without a title
AGREEMENTS = [
    "# 8.2 References",
    "[1] Master Agreement on cleaned roofs with Acme S.A., 2019.",
    "[2] Framework Agreement on moss with Globex B.V., 2020.",
    "[3] Lease of roofs with Initech S.A., 2021.",
]
STANDARDS = [  # no works of authors
    "# References",
    "ISO/IEC 27001 (2013), information security.",
    "ISO 22301 (2019), business continuity; the first edition of cleaned roofs is used.",
    "General Data Protection Regulation (2016).",
]


@pytest.mark.parametrize(
    ("line", "asked", "written", "what"),
    [
        (5, "how often should roofs be cleaned", PAPER, "a bibliography"),
        (5, "which work on cleaned roofs is cited", PAPER, ""),
        (2, "how often should roofs be cleaned", PAPER, ""),
        (
            2,
            "to what do references apply",
            ["# References", "References to roofs are to those of 2011.", "So be it."],
            "",
        ),
        (3, "which edition is used", STANDARDS, ""),
        (2, "who cleans the roofs", AGREEMENTS, ""),
        (12, "how often are roofs cleaned", ANNEX, ""),
        (5, "how often are roofs cleaned", ANNEX, "a bibliography"),
        (5, "how often are roofs cleaned", [*PAPER[:2], "# 8.2 References", *PAPER[3:]], "a bibliography"),
        (5, "how often are roofs cleaned", [*PAPER[:2], "# A. References", *PAPER[3:]], "a bibliography"),
        (5, "which journal speaks of cleaned roofs", PAPER, ""),
    ],
)
def test_a_bibliography_takes_no_room_unless_works_are_asked_for(
    line: int, asked: str, written: list[str], what: str
) -> None:
    assert name_noise(line, {"roofs"}, asked, content_of_lines(written)) == what


def test_works_that_are_asked_for_are_shown_and_no_title_of_one_answers() -> None:
    content = content_of_lines([*PAPER, *OTHER_PAGES])
    asked = {
        text: retrieve(text, [content], settings=SETTINGS, arbiter="rules")
        for text in ("Which work by Okafor is cited?", "How often should roofs be cleaned?")
    }
    cited, often = asked.values()
    assert "Okafor" in shown(cited) and "Okafor" not in shown(often)
    assert "a bibliography, which is not asked for" in {left.reason for left in often.left_out}


def test_a_document_of_nothing_else_is_still_searched() -> None:
    content = content_of_lines([*CONTRACT[4:9], "---", "Other text."])
    result = retrieve("Which agreement does each party give notice of?", [content], settings=SETTINGS, arbiter="rules")
    assert result.candidates


@pytest.mark.parametrize("wording", noise_signs().alternatives, ids=lambda each: f"{each.file} {each.examples[0]}")
def test_every_sign_of_noise_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = noise_signs().alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


def test_where_the_parties_are_asked_for_their_definition_is_no_noise(contract: DocumentContent) -> None:
    assert name_noise(2, {"party"}, "parties", contract) == ""
