"""Instructions, hints, exclusions and parts are told from the topic."""

import pytest

from reading.matching import match_form
from reading.wording import Wording
from retrieval.question.phrasing import (
    around_asked,
    asks_for_own_date,
    asks_for_parties,
    layout_named,
    lines_beside_asked,
    name_subject,
    objects_named,
    phrasing_rules,
    read_phrasing,
    section_named,
    split_condition,
    split_parts,
    split_scope,
)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What is the premium? Round your answer to two decimal places.", "What is the premium?"),
        (
            "You are a banker and your only resource is: the balance sheet. Here's the question: what is the premium?",
            "what is the premium?",
        ),
        (
            "Does Acme have a good margin? If margin is not a useful metric, then state that and explain why.",
            "Does Acme have a good margin?",
        ),
        ("According to the details in the balance sheet, how much cash is there?", "how much cash is there?"),
        ("What is the premium? Base your judgments on the statement of income.", "What is the premium?"),
        ("Taking into account the balance sheet, how much cash is there?", "how much cash is there?"),
        ("What is the fee (in USD millions)?", "What is the fee ?"),
        ("Answer the question.", "Answer the question."),
        ("Define working capital.", "Define working capital."),
        # Other words than any known set has, and other languages: it is the grammar that counts.
        ("Which fees apply? Draft your reply as a solicitor would.", "Which fees apply?"),
        ("Consulting only Annex B, who signs?", "who signs?"),
        ("Respond to this question without any jargon: who signs?", "who signs?"),
        ("When does it end? If nothing is said, tell me so.", "When does it end?"),
        ("Quel est le loyer ? Merci de citer la page.", "Quel est le loyer ?"),
        ("D'après l'annexe, quel est le loyer ? Si rien n'est prévu, dites-le.", "quel est le loyer ?"),
        ("Wie hoch ist die Miete? Bitte runden Sie auf ganze Euro.", "Wie hoch ist die Miete?"),
        ("Según el anexo, ¿cuál es la renta? Responda en una frase.", "¿cuál es la renta?"),
        # What looks like an instruction and is the topic.
        (
            "If the tenant does not pay, what does the lease say?",
            "If the tenant does not pay, what does the lease say?",
        ),
        ("Who is told? Describe the response to a breach.", "Who is told? Describe the response to a breach."),
        ("Following a breach, who is told?", "Following a breach, who is told?"),
    ],
)
def test_it_takes_instructions_out_of_the_topic(text: str, topic: str) -> None:
    """R24."""
    assert read_phrasing(text).topic == topic


def test_it_remembers_where_an_instruction_points() -> None:
    phrasing = read_phrasing("What is net income? Respond by using the cash flow statement and the balance sheet.")
    assert phrasing.named_parts == ("cash flow statement", "balance sheet")


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("What is the premium in dollars, not euros?", ("euros",)),
        ("Which fees apply except reminder fees?", ("reminder fees",)),
    ],
)
def test_exclusions_never_reach_the_topic(text: str, excluded: tuple[str, ...]) -> None:
    """R24."""
    phrasing = read_phrasing(text)
    assert phrasing.exclusions == excluded
    assert excluded[0] not in phrasing.topic


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("What does section 3.2 say?", "3.2"),
        ("Explain clause 7a", "7a"),
        ('In the section "Positional cover", what is covered?', "Positional cover"),
        ("What is in Appendix B?", "B"),
        ("Which sections are there?", ""),
    ],
)
def test_it_reads_the_section_a_question_names(text: str, section: str) -> None:
    assert section_named(text) == section


def test_it_reads_the_layout_a_question_names() -> None:
    assert [layout_named(text) for text in ("in the table", "the figure shows", "nothing")] == ["table", "figure", ""]


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("What is due in the second table?", ["Table"]),
        ("What is due in Table 3 row (E)?", ["Table 3 (E)"]),
        ("Compare figure 2 and figure 4", ["Figure 2", "Figure 4"]),
        ("What does the appendix say of fees?", ["Appendix"]),
        ("Quels frais sont dus selon l'annexe ?", ["Appendix"]),
        ("Quel est le total du tableau ?", ["Table"]),
        ("Give the fees as a table", []),
        ("What is in the table of contents?", []),
        ("What were the sales figures?", []),
    ],
)
def test_it_reads_the_things_a_question_points_to(text: str, objects: list[str]) -> None:
    """(R21)"""
    assert list(map(str, objects_named(text))) == objects


@pytest.mark.parametrize(
    ("text", "around", "topic"),
    [
        ("What is the rent? Just the sentence.", "line", "What is the rent?"),
        ("Show me the paragraph on rent", "paragraph", "rent"),
        ("What is the rent, and quote the whole section", "section", "What is the rent"),
        ("What is the rent in the fee table, with the full page?", "page", "What is the rent fee ?"),
        ("Quel est le loyer, avec la page entière ?", "page", "Quel est le loyer ?"),
        ("Montrez-moi toute la section sur le loyer", "section", "le loyer"),
        ("Citez tout le paragraphe concernant le loyer", "paragraph", "le loyer"),
        ("Quel est le loyer ? Seulement la phrase.", "line", "Quel est le loyer ?"),
        ("Show me the whole chapter on rent", "chapter", "rent"),
        ("What is the rent, with the whole document?", "document", "What is the rent ?"),
        ("Montrez-moi tout le chapitre sur le loyer", "chapter", "le loyer"),
        ("What is the sentence for theft?", "", "What is the sentence for theft?"),
    ],
)
def test_it_reads_how_much_is_wanted_and_does_not_search_these_words(text: str, around: str, topic: str) -> None:
    """(R21, R71)"""
    assert (around_asked(text), split_scope(text)[0]) == (around, topic)


@pytest.mark.parametrize(
    ("text", "before", "after", "topic"),
    [
        ("What is the rent, with 2 lines before and 10 after?", 2, 10, "What is the rent ?"),
        ("What is the rent, with five lines after it?", 0, 5, "What is the rent ?"),
        ("Give the 3 lines before and the twelve lines below: the rent", 3, 12, ": the rent"),
        ("Quel est le loyer, avec deux lignes avant et 5 après ?", 2, 5, "Quel est le loyer ?"),
        ("What are the lines before the rent?", 0, 0, "What are the lines before the rent?"),
        ("What was due 2 days before?", 0, 0, "What was due 2 days before?"),
        ("Were 2 lines after 2019 drawn?", 0, 0, "Were 2 lines after 2019 drawn?"),
        ("Are the two lines above EBITDA restated?", 0, 0, "Are the two lines above EBITDA restated?"),
        ("With 2 lines before and payment after termination", 2, 0, "and payment after termination"),
    ],
)
def test_it_reads_how_many_lines_are_wanted_before_and_after(text: str, before: int, after: int, topic: str) -> None:
    """(R21)"""
    assert (*lines_beside_asked(text), split_scope(text)[0]) == (before, after, topic)


@pytest.mark.parametrize(
    ("topic", "parts"),
    [
        ("What is d_model and what is d_k?", ("What is d_model", "what is d_k?")),
        ("Who signs? When does it end?", ("Who signs?", "When does it end?")),
        ("What is the rent, and the shoe size?", ("What is the rent?", "What is the shoe size?")),
        ("Quel est le loyer, et la caution ?", ("Quel est le loyer?", "Quel est la caution?")),
        ("Was ist die Miete, und die Kaution?", ("Was ist die Miete?", "Was ist die Kaution?")),
        ("Who pays rent; who repairs the roof?", ("Who pays rent", "who repairs the roof?")),
        ("What is the fee, and by when is it due?", ("What is the fee", "by when is it due?")),
        ("Wie hoch ist die Miete und bis wann gilt sie?", ("Wie hoch ist die Miete", "bis wann gilt sie?")),
        ("Quel est le loyer et à quelle date est-il dû ?", ("Quel est le loyer", "à quelle date est-il dû ?")),
        ("What is the difference between a lease, and the other?", ()),
        ("What are the rights, and the duties, of the tenant?", ()),
        ("What are terms and conditions?", ()),
        ("What is working capital? Define it as assets less liabilities.", ()),
    ],
)
def test_it_splits_a_compound_question(topic: str, parts: tuple[str, ...]) -> None:
    assert tuple(part.text for part in split_parts(topic)) == parts


@pytest.mark.parametrize(
    ("topic", "second", "kind"),
    [
        ("First, what is the rent, then who pays the tax?", "who pays the tax?", "sequential"),
        ("What is the rent, and when is it due?", "when is it due?", "sequential"),
        ("What is the rent? Then who pays the tax?", "who pays the tax?", "sequential"),
        ("Quel est le loyer, puis qui paie les charges ?", "qui paie les charges ?", "sequential"),
        ("What is the rent and who pays the tax?", "who pays the tax?", "independent"),
    ],
)
def test_a_part_that_leans_on_the_one_before_is_told(topic: str, second: str, kind: str) -> None:
    first, then = split_parts(topic)
    assert (first.kind, then.text, then.kind) == ("independent", second, kind)
    assert not first.text.casefold().startswith("first")


@pytest.mark.parametrize(
    ("topic", "condition", "asked"),
    [
        ("If the vessel sinks, what is the notice period?", "the vessel sinks", "what is the notice period?"),
        ("Who pays if the rent is late?", "the rent is late", "Who pays?"),
        ("En cas de vol, qui paie ?", "vol", "qui paie ?"),
        ("Was gilt, wenn die Miete fehlt?", "die Miete fehlt", "Was gilt?"),
        ("Does it say if pets are allowed?", "", "Does it say if pets are allowed?"),
        ("What is the rent?", "", "What is the rent?"),
    ],
)
def test_the_case_in_which_something_is_asked_is_told(topic: str, condition: str, asked: str) -> None:
    assert split_condition(topic) == (condition, asked)


def test_a_part_is_named_by_what_it_is_about() -> None:
    assert name_subject("What is the shoe size of the chairman?") == "shoe size of the chairman"
    assert name_subject("who signs?") == "who signs"
    assert name_subject("Quelle est l'adresse ?") == "adresse"


@pytest.mark.parametrize("wording", phrasing_rules().alternatives, ids=lambda each: f"{each.file} {each.examples[0]}")
def test_every_alternative_is_found_in_its_examples_only(wording: Wording) -> None:
    alone = phrasing_rules().alone(wording)
    assert [text for text in wording.examples if not alone.search(text)] == []
    assert [text for text in wording.counter_examples if alone.search(text)] == []


@pytest.mark.parametrize(
    ("asked", "is_all"),
    [
        ("Parties", True),
        ("Who are the parties to this agreement?", True),
        ("Vertragsparteien", True),
        ("Wer sind die Parteien des Vertrags?", True),
        ("Qui sont les parties au contrat ?", True),
        ("¿Quiénes son las partes del contrato?", True),
        ("Which party may end the agreement?", False),
        ("Party", False),
        ("What do the parties pay?", False),
    ],
)
def test_a_name_of_a_field_asks_for_all_parties(asked: str, *, is_all: bool) -> None:
    assert asks_for_parties(match_form(asked)) is is_all


@pytest.mark.parametrize(
    ("asked", "is_own"),
    [
        ("Agreement date", True),
        ("When was the lease made?", True),
        ("Datum des Vertrags", True),
        ("Quelle est la date de l'accord ?", True),
        ("Fecha del contrato", True),
        ("Effective date", False),
        ("Date of the notice under the agreement", False),
    ],
)
def test_a_name_of_a_field_asks_for_the_date_of_the_agreement(asked: str, *, is_own: bool) -> None:
    assert asks_for_own_date(match_form(asked)) is is_own
