"""How likely the best passages answer: each signal alone, what they add up to, and what is said in doubt."""

import re
from dataclasses import replace

import pytest

from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from reading.tests.pdfs import with_struck
from retrieval.arbiter.evidence import (
    Signals,
    lead_of,
    limit_for,
    probability_of,
    read_fit,
    unmentioned_owners,
    weigh_evidence,
)
from retrieval.arbiter.specific import specific_words, words_nowhere
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import content_of_lines
from retrieval.types import Hit, LineRange, RetrievalResult
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import weigh_terms

OPEN = BaseSettings(risk_max=100, embeddings="none")
WHOLE = Signals(coverage=1.0, lead=0.1, formed=1.0, specific=1.0)


@pytest.fixture
def report() -> DocumentContent:
    return content_of_lines(
        [
            "Annual report 2023 of Harbour Lines",
            *["The ferries run daily."] * 45,  # the cover ends before the next page
            "---",
            "# Staff",
            "In 2021 the crew of the Albatross had twelve sailors on board.",
            "---",
            "# Freight",
            "The freight terminal of Porto handles containers and timber.",
        ],
        title="Harbour Lines",
    )


def ask(text: str, content: DocumentContent, settings: BaseSettings = OPEN) -> RetrievalResult:
    return retrieve(text, [content], settings=settings, arbiter="rules")


def signals(text: str, content: DocumentContent) -> Signals:
    result = ask(text, content)
    return weigh_evidence(result.question, result.candidates, [content], result.hits, 100).signals


def test_coverage_is_the_share_of_the_question_by_rarity(report: DocumentContent) -> None:
    whole = signals("How many sailors had the crew on board?", report)
    half = signals("How many sailors and helicopters had the crew on board?", report)
    none = signals("How many sailors, helicopters, submarines, gliders and rockets are there?", report)
    assert whole.coverage > 0.95 > half.coverage > none.coverage > 0


def test_where_the_question_says_where_to_look_coverage_is_whole(report: DocumentContent) -> None:
    assert signals("What does page 2 tell of helicopters?", report).coverage == 1.0


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How many sailors had the Albatross in 2021?", {"albatross", "2021"}),
        ("Does the terminal of Porto take timber?", {"porto"}),
        ("WHAT DOES IT SAY?", set()),
        ("What is it? Sailors on board?", set()),
        ("", set()),
    ],
)
def test_names_and_years_are_what_is_specific(question: str, names: set[str], report: DocumentContent) -> None:
    assert specific_words(parse_question(question, [report])) == names


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("How many sailors had the crew of the Albatross in 2021?", 1.0),
        ("How many sailors had the crew of the Albatross in 2019?", 0.5),  # a year that no page has
        ("How many sailors had the crew of the Pelican in 2019?", 0.0),
        ("How many sailors had the crew of the Albatross in 2023?", 1.0),  # the year of the report, on its cover
        ("How many sailors does Harbour have?", 1.0),  # in the title
        ("How many sailors are on board?", 1.0),
    ],
)
def test_what_is_specific_must_be_on_the_page_or_on_the_cover(
    question: str, share: float, report: DocumentContent
) -> None:
    assert signals(question, report).specific == share


def test_a_swapped_year_or_name_is_doubted(report: DocumentContent) -> None:
    right = ask("How many sailors had the crew of the Albatross in 2021?", report, BaseSettings())
    assert right.status == "found"
    for text in ("the Albatross in 2019", "the Pelican in 2021", "Porto"):  # Porto is on another page
        wrong = ask(f"How many sailors had the crew of {text}?", report, BaseSettings())
        assert wrong.status == "weak", text
        assert wrong.confidence < right.confidence
        assert wrong.candidates and not wrong.kept()


def test_the_lead_is_the_distance_to_the_passages_behind() -> None:
    def near(*cosines: float) -> list[Hit]:
        return [Hit("vectors", "d", LineRange(1, 1), cosine, detail="passage") for cosine in cosines]

    assert lead_of(near(0.5, 0.9, 0.4, 0.4, 0.4, 0.3, 0.1)) == pytest.approx(0.6)
    assert lead_of(near(0.9, 0.5)) == pytest.approx(0.4)
    assert lead_of(near(0.9)) is None
    title = [replace(hit, detail="title: Staff") for hit in near(0.9, 0.1)]
    assert lead_of([*title, Hit("keywords", "d", LineRange(1, 1), 1.0)]) is None


@pytest.mark.parametrize("name", ["coverage", "lead", "formed", "specific"])
def test_every_signal_speaks_for_an_answer(name: str) -> None:
    assert probability_of(replace(WHOLE, **{name: 0.0})) < probability_of(WHOLE) <= 1


def test_an_unknown_lead_counts_as_the_usual_one() -> None:
    unknown = replace(WHOLE, coverage=0.5, lead=None)
    assert probability_of(unknown) == probability_of(replace(unknown, **read_fit(False).unknown))


@pytest.mark.parametrize("is_read", [False, True])
def test_less_risk_needs_more_probability(is_read: bool) -> None:
    limits = [limit_for(risk, is_read=is_read) for risk in (5, 10, 20, 40, 80, 100)]
    assert limits == sorted(limits, reverse=True)
    assert 0 < limits[3] < limits[0] <= 1 and limits[-1] == 0
    risks = [risk for _, risk, _ in read_fit(is_read).curve]
    lost = [share for _, _, share in read_fit(is_read).curve]
    assert risks == sorted(risks, reverse=True) and lost == sorted(lost)


def test_a_base_chooses_its_risk(report: DocumentContent) -> None:
    question = "Which sailors, helicopters and submarines had the crew?"
    outcomes = [ask(question, report, BaseSettings(risk_max=risk)).status for risk in (5, 100)]
    assert outcomes == ["weak", "found"]


def test_doubt_names_what_is_nowhere_first(report: DocumentContent) -> None:
    result = ask("How many helicopters and submarines handle containers for sailors?", report, BaseSettings())
    assert result.status == "weak"
    assert result.not_found_reason.startswith(
        "no page that was read mentions “helicopters” or “submarines”, and the best passage does not have"
    )
    assert result.not_found_reason in result.gates[-1].evidence


def test_what_another_document_mentions_is_not_said_to_be_nowhere(report: DocumentContent) -> None:
    other = content_of_lines(["Helicopters land on the roof."], title="Roofs", number=2)
    question = "How many helicopters and submarines handle containers for sailors?"
    result = retrieve(question, [report, other], settings=BaseSettings(), arbiter="rules")
    assert result.status == "weak"
    assert "no page that was read mentions “submarines”" in result.not_found_reason


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What is the freight of helicopters?", {"helicopters"}),
        ("What is the freight of the cargo helicopters?", {"cargo", "helicopters"}),
        ("What is the freight of containers?", set()),
        ("What is the freight of timber helicopters?", set()),  # a part of it is mentioned
        ("Is there freight of helicopters?", set()),  # whether it is there is what is asked
        ("What is the freight of helicopters and who is the captain?", set()),  # the other part may be there
        ("Quel est le fret des conteneurs ?", set()),  # in another language other words are expected
    ],
)
def test_what_a_thing_belongs_to_and_nobody_mentions_is_specific(
    question: str, missing: set[str], report: DocumentContent
) -> None:
    asked = ask(question, report).question
    assert unmentioned_owners(asked, [report], [weigh_terms(asked, lexicon_of(report))]) == missing


def test_a_name_or_year_that_nobody_says_is_said_first_and_answers_nothing(report: DocumentContent) -> None:
    for text, missing in (("the Pelican", "Pelican"), ("the Albatross in 2019", "2019")):
        result = ask(f"How many sailors had the crew of {text} on board?", report)  # although every risk is taken
        assert result.status == "weak"
        assert result.not_found_reason.startswith(f"no page that was read mentions “{missing}”")


LEASE = content_of_lines(
    [
        "Die Wartung der Gastherme im Haus veranlasst der Vermieter.",
        "Schäden durch Wasser sind zu melden.",
        "Der Vertrag gilt auf Dauer.",
        "Hunde sind an der Leine zu führen.",
    ],
    title="Vertrag",
    language="de",
)


def test_a_noun_is_no_name_where_every_noun_has_a_capital() -> None:
    """A noun that stands elsewhere is a word like others, one that stands nowhere is missed."""
    question = parse_question("Was gilt im Haus der Firma Dr. Kerbholz für Hunde von IBM?", [LEASE])
    assert specific_words(question) == {"firma", "dr", "kerbholz", "ibm"}
    assert words_nowhere(question, [LEASE]) == ["dr", "firma", "ibm", "kerbholz"]


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ("Wer zahlt bei der Reparatur der Therme?", ["reparatur"]),
        ("Gibt es einen Rücktritt vom Vertrag?", ["rucktritt"]),
        ("Was gilt für die Höhe der Schäden in Euro?", []),
        ("Wer haftet im Treppenhaus für Wasserschäden?", ["treppenhaus"]),
        ("Was gilt für Hundeschäden?", ["hundeschaden"]),  # both parts are there, and nowhere together
    ],
)
def test_a_noun_written_as_one_with_another_is_not_missed(asked: str, missing: list[str]) -> None:
    assert words_nowhere(parse_question(asked, [LEASE]), [LEASE]) == missing


VAULT = content_of_lines(
    [
        "OpenSSH 9.0 mends 8 faults and 6 leaks.",
        "Backups meet ISO/IEC 27001.",
        "The Chief Financial Officer signs for Research and Development.",
        "An audit of each store is kept; non-fungible tokens are not.",
        "Exports are encrypted at rest, parts even twice.",
    ],
    title="Vault",
)


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ("Are exports encrypted with AES?", ["aes"]),
        ("Are exports encrypted for PhD theses?", ["phd"]),
        ("Which faults does OpenSSH 8.6 mend?", ["8.6"]),  # 8 and 6 are there, and no 8.6
        ("Which faults does OpenSSH 9.0 mend?", []),
        ("There were 8.6 of them: which faults are mended?", []),  # names nothing
        ("Do backups meet ISO 27001?", []),
        ("Does the CFO sign for it?", []),  # its words are there, with capitals
        ("Are NFT kept?", []),  # … or joined by a hyphen
        ("Is it signed for Pet insurance?", ["pet"]),  # no abbreviation
        ("Are exports NOT encrypted?", []),
        ("Are exports encrypted in phase II, is that OK?", []),
        ("ARE EXPORTS ENCRYPTED WITH AES?", []),
    ],
)
def test_words_in_capitals_and_versions_are_names(asked: str, missing: list[str]) -> None:
    assert words_nowhere(parse_question(asked, [VAULT]), [VAULT]) == missing


def test_a_document_without_lines_names_nothing() -> None:
    blank = content_of_lines([], title="Vault")
    assert words_nowhere(parse_question("Are exports encrypted with AES?", [blank]), [blank]) == ["aes"]


@pytest.mark.parametrize(
    ("asked", "missing"),
    [("Are exports encrypted with AES at rest?", "AES"), ("Which faults does OpenSSH 8.6 mend?", "8.6")],
)
def test_a_word_in_capitals_or_a_version_that_nobody_says_answers_nothing(asked: str, missing: str) -> None:
    result = ask(asked, VAULT)
    assert result.status == "weak"
    assert result.not_found_reason.startswith(f"no page that was read mentions “{missing}”")


UPKEEP = content_of_lines(
    [
        "# 1.2 First run",
        "It takes two minutes on a small server and is told in section 1.5.",
        "# 2 Settings",
        "Automatic-Reboot restarts the machine; the time is told, and the limit of downloads is 256.",
        "With -s 5 it is silent; 7-Zip reads log.txt.",
        "# Version 2.1",
        "- The limit of downloads is 512.",
        "# Version 2.0",
        "- Logs are rotated. It needs Python",
        "3.9 or later.",
        "# 1.9",
        "- The limit of downloads is 128.",
    ],
    title="Upkeep",
)


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ("What changed in version 1.2?", ["1.2"]),  # the number of a section
        ("What changed in release 1.5?", ["1.5"]),  # … that is pointed to
        ("What changed in Upkeep 2.2?", ["2.2"]),
        ("What changed in v2.3?", ["2.3"]),
        ("What changed in the 2.1.0 release?", []),
        ("What changed in Upkeep 1.9?", []),
        ("Does it need version 3.9 of Python?", []),  # at the head of a line, and no number of a section
        ("What is the default of Automatic-Reboot-Time?", ["Automatic-Reboot-Time"]),
        ("What does Automatic-Reboot do?", []),
        ("Is it silent with -s?", []),
        ("Is it silent with -5?", ["-5"]),
        ("Is it silent with --quiet?", ["--quiet"]),
        ("Is it silent -if at all- from 3 -5?", []),  # dashes
        ("Does it read .zip logs?", [".zip"]),
        ("Does it read .txt logs?", []),
        ("Which proxy does it use?", ["proxy"]),
        ("What proxy does it use?", ["proxy"]),
        ("Which server does it take two minutes on?", []),
        ("Which country is it made in?", []),  # a name may tell
    ],
)
def test_a_version_a_name_in_one_piece_and_what_is_asked_for_must_be_there(asked: str, missing: list[str]) -> None:
    assert words_nowhere(parse_question(asked, [UPKEEP]), [UPKEEP]) == missing


NEEDS = content_of_lines(
    [
        "# Needs",
        "It needs TLS version 1.2, is built with the new Gizmo 1.4, and since Release 1.6 it is quick.",
        "The old Upkeep version 1.7 was slow.",
        "Colours changed in 1.8.",
    ],
    title="Upkeep",
)


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ("What changed in version 1.2?", ["1.2"]),
        ("What changed in version 1.4?", ["1.4"]),
        ("What changed in version 1.6?", []),
        ("What changed in version 1.7?", []),
        ("What changed in version 1.8?", []),
        ("Does it need TLS version 1.2?", []),
    ],
)
def test_the_version_of_another_thing_is_not_the_one_asked_for(asked: str, missing: list[str]) -> None:
    assert words_nowhere(parse_question(asked, [NEEDS]), [NEEDS]) == missing


PARCELS = content_of_lines(
    [
        "# Parcels",
        "Parcels that are sent back must be wrapped, and who has sent a parcel back keeps the slip.",
        "# Office",
        "Parcels go to Harbour Mail, 12 Quay Street, Penmorrow.",
        "# News",
        "The e-mail about parcels comes on Mondays; to stop the e-mail, tick the box in your profile.",
        "# Catch",
        "Of herring 512 tonnes were landed.",
    ],
    title="Handbook",
)


def test_a_place_with_an_address_leads_where_something_is_sent() -> None:
    """(R20) The other place has more of the question."""
    assert "Quay Street" in ask("To which address are parcels sent back?", PARCELS).kept()[0].own_text
    assert "Quay Street" in ask("Where do I send a parcel back?", PARCELS).kept()[0].own_text
    assert "wrapped" in ask("How are parcels sent back?", PARCELS).kept()[0].own_text


@pytest.mark.parametrize(
    ("asked", "said"),
    [("How can I stop the e-mail?", "tick the box"), ("How much herring was landed?", "512 tonnes")],
)
def test_no_value_of_another_kind_is_missed(asked: str, said: str) -> None:
    """(R20)"""
    result = ask(asked, PARCELS)
    assert result.status == "found" and said in result.kept()[0].own_text


def test_an_address_for_email_that_is_asked_for_is_missed() -> None:
    result = ask("What is the e-mail address for parcels?", PARCELS)
    assert result.status != "found" and "e-mail" in result.not_found_reason


@pytest.mark.parametrize(
    ("asked", "named", "unnamed"),
    [
        ("Which yachts join the ferries for good after I tack?", "yachts", ("good", "tack")),
        ("Who tacks with the yachts and the ferries?", "yachts", ("tacks",)),
        ("Which good do the ferries and the yachts carry?", "good", ()),
    ],
)
def test_what_somebody_does_and_idioms_are_not_said_to_be_missing(
    asked: str, named: str, unnamed: tuple[str, ...], report: DocumentContent
) -> None:
    reason = ask(asked, report).not_found_reason
    assert f"“{named}”" in reason and not any(f"“{word}”" in reason for word in unnamed)


def test_a_german_verb_is_not_said_to_be_missing() -> None:
    content = content_of_lines(["# Optionen", "Die Option foodbox bestimmt die Nahrung."], language="de")
    reason = ask("Was bewirkt die Option landmass?", content).not_found_reason
    assert "“landmass”" in reason and "bewirkt" not in reason


@pytest.mark.parametrize(("version", "limit"), [("2.1", "512"), ("1.9", "128")])
def test_what_a_change_log_says_of_another_version_is_not_quoted(version: str, limit: str) -> None:
    result = ask(f"What is the limit of downloads in version {version}?", UPKEEP)
    assert result.status == "found" and limit in result.candidates[0].own_text
    quoted = {each.section_title for each in result.kept()}
    assert quoted <= {"2 Settings", version, f"Version {version}"}


def test_where_a_change_log_says_it_of_other_versions_only_it_is_weak() -> None:
    log = content_of_lines(
        ["# Version 2.1", "- The limit of downloads is 512.", "# Version 2.0", "- Logs are rotated."], title="Upkeep"
    )
    result = ask("What is the limit of downloads in version 2.0?", log)
    assert not any("512" in each.own_text for each in result.kept())
    assert "not of “2.0”" in " ".join(each.verdict.reason for each in result.candidates)


DEPOSITS = content_of_lines(
    [
        "# 1 Deposit",
        ("- Parcels up to 10 kg: deposit of 30 euros", "list_item"),
        ("- Parcels over 10 kg and up to 25 kg: deposit of 60 euros", "list_item"),
        ("- Parcels over 25 kg and up to 40 kg: deposit of 100 euros", "list_item"),
        "# 2 Insurance",
        "Each parcel is insured.",
    ]
)


@pytest.mark.parametrize(("weight", "deposit"), [("10 kg", "30"), ("18 kg", "60"), ("40 kg", "100")])
def test_of_the_items_of_a_list_the_one_whose_interval_holds_the_quantity_is_quoted(weight: str, deposit: str) -> None:
    result = ask(f"What is the deposit for a parcel of {weight}?", DEPOSITS)
    assert result.status == "found"
    first, *rest = [each.own_text for each in result.kept()]
    assert f"deposit of {deposit} euros" in first and not any("deposit of" in each for each in rest)


def test_where_no_interval_holds_the_quantity_nothing_is_found() -> None:
    scale = content_of_lines(
        [
            "# Deposit",
            "Parcels up to 10 kg need a deposit of 30 euros, parcels over 10 kg and up to 25 kg one of 60 euros.",
        ]
    )
    result = ask("What is the deposit for a parcel of 60 kg?", scale)
    assert result.kept() == () and "“60 kg”" in result.not_found_reason


PACKER = content_of_lines(
    [
        "# Questions about Packer",
        "1. Can Packer open .zip archives?",
        "Not by itself. See the folder extras.",
        "2. Does Packer infringe any patents?",
        "As far as we know, no.",
        "3. Why does Packer end with signal 17?",
        "It was told to.",
        "4. What does exit code 3 mean?",
        "The archive is damaged.",
    ],
    title="Packer by Tarbak Ltd",
)


@pytest.mark.parametrize(
    ("question", "printed"),
    [
        ("Does Packer infringe any trademarks?", "Does Packer infringe any patents?"),
        ("Why does Packer end with signal 11?", "Why does Packer end with signal 17?"),
        ("What does exit code 4 mean?", "What does exit code 3 mean?"),
        ("Does Packer violate any patents?", ""),
        ("What does exit code 3 mean?", ""),
        ("Why does Packer end with signal 17?", ""),
        ("Why does Packer, by Tarbak Ltd, end with signal 17?", ""),
    ],
)
def test_the_answer_to_another_printed_question_is_none(question: str, printed: str) -> None:
    result = ask(question, PACKER)
    reasons = " ".join([result.not_found_reason, *(each.verdict.reason for each in result.candidates)])
    assert (result.status == "found") is not bool(printed)
    assert (f"answers another question: “{printed}”" in reasons) is bool(printed)


def test_what_is_missing_is_spelled_as_it_was_asked() -> None:
    result = ask("Wer übernimmt die Wartung der Heizkörper?", LEASE)
    assert "“Heizkörper”" in result.not_found_reason


def test_an_option_that_is_missing_is_named_with_its_hyphen() -> None:
    assert "mentions “-5”" in ask("What is restarted with -5?", UPKEEP, BaseSettings()).ranking.answerable_reason


def test_a_code_that_is_missing_is_named_once() -> None:
    content = content_of_lines(["The SLA of a P1 finding is 7 days.", "The SLA of a P2 finding is 30 days."])
    result = ask("What is the SLA for a P4 finding?", content, BaseSettings())
    assert "“P4”" in result.ranking.answerable_reason and "“p4”" not in result.ranking.answerable_reason


def test_a_word_that_is_struck_through_is_said_to_be_so() -> None:
    written = ["# Termination", "The landlord may end the lease with a month's notice.", "# Stays", "Or suspend it."]
    text = content_of_lines(written)
    lines = tuple(with_struck(line, "Or suspend it.") if line.number == 4 else line for line in text.lines)
    struck = replace(text, lines=lines)
    result = ask("When may the landlord suspend the fire insurance?", struck, BaseSettings(embeddings="none"))
    reason = result.ranking.answerable_reason
    assert "“suspend” stands only where the words are struck through" in reason
    assert "no page that was read mentions “fire” or “insurance”" in reason


def test_no_reason_denies_a_word_that_the_passage_has_or_names_words_that_only_frame(report: DocumentContent) -> None:
    result = ask("How much did the sailors of the Pelican spend to take the crew on board?", report, BaseSettings())
    assert result.status in ("weak", "not_found")
    for word in ("spend", "take", "sailors", "crew"):
        assert f"“{word}”" not in result.not_found_reason


FEES = [
    "# Fees",
    "The cleaning fee is set by the landlord and is due with the rent.",
    "The fee for a lost key is told to the tenant.",
    "# Pets",
    "Tenants may keep birds. The tenant and the landlord talk of dogs, of cats and of the common garden.",
    "# Deposit",
    "The deposit is not raised during the first five years at all.",
]


def test_without_a_value_of_the_kind_asked_for_in_the_quotes_it_is_weak_at_most() -> None:
    content = content_of_lines([*FEES, "---", "# Costs", "Other costs are 40 euros."])
    result = ask("How much is the cleaning fee that is due with the rent?", content, BaseSettings(embeddings="none"))
    assert result.status in ("weak", "not_found") and not result.kept()
    assert result.confidence < limit_for(BaseSettings().risk_max, is_read=True)


def test_the_number_of_a_clause_is_no_amount() -> None:
    content = content_of_lines(["# 5 Fees", "5.1 The Customer pays the total monthly fee below.", "5.2 Parties."])
    asked = "How much is the total monthly fee?"
    assert ask(asked, content, BaseSettings(embeddings="none")).status in ("weak", "not_found")


def test_the_rate_of_an_hour_is_an_amount() -> None:
    content = content_of_lines(["# Lawyers", "The lawyers agree their hourly rate with the insurer beforehand."])
    asked = "What is the hourly rate of the lawyers?"
    assert ask(asked, content, BaseSettings(embeddings="none")).status in ("weak", "not_found")


def test_by_how_much_is_answered_by_not_at_all() -> None:
    content = content_of_lines(FEES)
    result = ask("By how much is the deposit raised in the first five years?", content, BaseSettings(embeddings="none"))
    assert result.status == "found" and "not raised" in result.kept()[0].quote.text


def test_whether_something_is_allowed_is_answered_by_the_rule_about_it() -> None:
    house = content_of_lines(FEES, title="House rules")
    animals = content_of_lines(["# Animals", "Dogs must not be taken along by a tenant."], title="Animals", number=2)
    asked = "May the tenant keep dogs in the common garden?"
    result = retrieve(asked, [house, animals], settings=BaseSettings(embeddings="none"), arbiter="rules")
    assert result.kept()[0].quote.text == "Dogs must not be taken along by a tenant."


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("May we copy patient files to a memory card?", "Patient files must never be copied to loose media."),
        ("Am I allowed to post the door code to a friend?", "Under no circumstances is a door code posted."),
        ("May I show patient files at a fair?", "Showing patient files outside is prohibited."),
    ],
)
def test_the_rule_about_the_thing_comes_before_what_shares_more_words(question: str, rule: str) -> None:
    """Where it is taken to and how is no part of the thing; the rule with the same act comes before others on it."""
    it = content_of_lines(
        [
            "# IT",
            "A memory card is issued to a friend of the house at a fair.",
            "---",
            "# Doors",
            "The code is secret.",
        ],
        title="IT",
    )
    care = content_of_lines(
        [
            "# Care",
            "Patient files must never be copied to loose media.",
            "---",
            "# Fairs",
            "Showing patient files outside is prohibited.",
            "---",
            "# Doors",
            "Under no circumstances is a door code posted.",
        ],
        title="Care",
        number=2,
    )
    result = retrieve(question, [it, care], settings=BaseSettings(embeddings="none"), arbiter="rules")
    assert result.kept()[0].quote.text == rule


@pytest.mark.parametrize(
    ("language", "question", "said"),
    [
        ("en", "How much is the penalty?", "The penalty is 5 % of the price."),
        ("en", "How much commission is paid?", "A commission of 3 per cent of the net sales is paid."),
        ("de", "Wie hoch ist die Vertragsstrafe?", "Die Vertragsstrafe beträgt 5 % des Preises."),
        ("en", "How soon is the penalty paid back?", "The penalty is promptly paid back."),
    ],
)
def test_a_value_that_is_told_in_another_way_is_not_absent(language: str, question: str, said: str) -> None:
    """(R54) It was told as not found; whether a share, or no more than haste, is what is wanted the reader says."""
    lines = [
        "# Terms",
        said,
        "---",
        "# Transport",
        "The goods are sent by rail.",
        "---",
        "# Storage",
        "They are kept dry.",
    ]
    result = ask(question, content_of_lines(lines, language=language), BaseSettings())
    assert (result.status, result.kept()) == ("weak", ())
    assert said in result.candidates[0].anchor_text
    unshared = [re.sub(r"5 %|3 per cent|promptly", "part", line) for line in lines]
    without = content_of_lines(unshared, language=language)
    assert ask(question, without, BaseSettings()).status == "not_found"
