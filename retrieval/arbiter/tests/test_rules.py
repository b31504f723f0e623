"""The conflict rules: which evidence wins, what role follows, what is said."""

from dataclasses import replace
from typing import Any

import pytest

from documents.storage.content import DocumentContent
from retrieval.arbiter.deciding import arbitrate
from retrieval.arbiter.rules import judge_by_rules
from retrieval.candidates.aggregation import aggregate
from retrieval.question.parse import parse_question
from retrieval.tests.builders import search_of
from retrieval.told.clauses import Clause
from retrieval.told.reasons import say_passage
from retrieval.types import Candidate, Hit, Keyword, LineRange, Sentences, Verdict

UNFORMED = "no value of the kind asked for (%s) stands beside the words of the question"


@pytest.fixture
def make(policy: DocumentContent) -> Any:
    hit = Hit("keywords", policy.document_id, LineRange(3, 3), 1.0, ("premium",), 1)
    plain = aggregate([hit], parse_question("premium", [policy]), [policy], pool_max=1).candidates[0]

    def made(name: str, strength: float, **changes: Any) -> Candidate:
        return replace(plain, candidate_id=name, strength=strength, **changes)

    return made


def judged(policy: DocumentContent, *candidates: Candidate) -> dict[str, Verdict]:
    ranking = judge_by_rules(parse_question("premium", [policy]), candidates)
    assert [v.candidate_id for v in ranking.verdicts if v.role == "primary"] == [
        v.candidate_id for v in ranking.verdicts[: sum(v.role == "primary" for v in ranking.verdicts)]
    ]
    return {verdict.candidate_id: verdict for verdict in ranking.verdicts}


def test_an_exact_title_beats_any_strength(policy: DocumentContent, make: Any) -> None:
    """R48."""
    verdicts = judged(policy, make("line", 0.9, co_occurrence=True), make("title", 0.5, exact_title=True))
    assert next(iter(verdicts)) == "title"
    assert (verdicts["title"].role, verdicts["title"].rule) == ("primary", "exact title")
    assert "Its section is named" in verdicts["title"].reason


def test_meaning_alone_is_never_primary_beside_words(policy: DocumentContent, make: Any) -> None:
    near = make("near", 0.9, methods=("vectors",), matched_keywords=())
    verdicts = judged(policy, near, make("word", 0.3))
    assert verdicts["word"].role == "primary"
    assert (verdicts["near"].role, verdicts["near"].rule) == ("tangential", "meaning only")


def test_meaning_alone_is_never_primary_at_all(policy: DocumentContent, make: Any) -> None:
    assert judged(policy, make("near", 0.9, methods=("vectors",), matched_keywords=()))["near"].role != "primary"


@pytest.mark.parametrize(
    ("keyword", "text", "said", "facts"),
    [
        (
            Keyword("parental", ("parental", "parent")),
            "The parent company.",
            "“parent” for “parental”",
            {"form": "parent"},
        ),
        (Keyword("parental", ("parental", "parent")), "Parental or parent.", "“parental”", {}),
        (
            Keyword("sales", ("sales",), "dictionary", group="revenue"),
            "Net sales",
            "“sales” for “revenue”",
            {"asked": "revenue"},
        ),
        (Keyword("turnover", ("turnover",), group="revenue"), "The turnover", "“turnover”", {}),
        (
            Keyword("family leave", ("family leave", "family leaves"), "dictionary", group="parental leave"),
            "All family\nleaves are paid",
            "“family leaves” for “parental leave”",
            {"form": "family leaves", "asked": "parental leave"},
        ),
    ],
)
def test_a_form_is_said_as_it_stands_with_what_was_asked(
    policy: DocumentContent, make: Any, keyword: Keyword, text: str, said: str, facts: dict[str, str]
) -> None:
    """R48: a stem or another name is not passed off as the word of the question."""
    question = replace(parse_question("premium", [policy]), keywords=(keyword,))
    place = make("place", 0.9, matched_keywords=(keyword.text,), anchor_text=text, sentences=None)
    reason = judge_by_rules(question, [place]).verdicts[0].reason
    assert isinstance(reason, Clause) and said in reason
    told = {name: reason.facts[name][keyword.text] for name in ("form", "asked") if name in reason.facts}
    assert told == facts and reason.facts["words"] == [keyword.text]


@pytest.mark.parametrize(
    ("asked", "group", "said"),
    [
        ("Quel est le délai de préavis ?", "delai preavis", "“written notice” for “délai préavis”"),
        ("Was ist die Haftungsgrenze?", "haftungsgrenze", "“written notice” for “Haftungsgrenze”"),
        ("Quel est le chiffre d'affaires ?", "chiffre d affaires", "“written notice” for “chiffre d'affaires”"),
    ],
)
def test_what_a_name_stands_for_is_said_as_it_was_typed(
    policy: DocumentContent, make: Any, asked: str, group: str, said: str
) -> None:
    keyword = Keyword("written notice", ("written notice",), "dictionary", group=group)
    question = replace(parse_question(asked, [policy]), keywords=(keyword,))
    text = "Either party may end it by written notice."
    place = make("place", 0.9, matched_keywords=(keyword.text,), anchor_text=text, sentences=None)
    assert said in judge_by_rules(question, [place]).verdicts[0].reason


def test_another_name_that_stands_there_is_not_passed_off_as_its_concept(policy: DocumentContent, make: Any) -> None:
    """R48: a hit of “non-disclosure” has the name of its concept, which nobody printed."""
    names = ("confidentiality", "non disclosure", "secrecy")
    keywords = tuple(Keyword(name, (name,), "dictionary", group=names[0]) for name in names)
    question = replace(parse_question("premium", [policy]), keywords=(*keywords, Keyword("secret", ("secret",))))
    place = make("place", 0.9, matched_keywords=names[:1], anchor_text="ON NON-DISCLOSURE", sentences=None)
    assert "“non disclosure” for “confidentiality”" in judge_by_rules(question, [place]).verdicts[0].reason


TERMINATES, TERMINATION = (Keyword(word, (word, "terminate")) for word in ("terminates", "termination"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("may terminate this agreement", "It has “terminate” for “terminates” and “agreement” together."),
        ("may terminate it", "It has “terminate” for “terminates”."),
        ("on termination he terminates it", "It has “terminates” and “termination” together."),
    ],
)
def test_a_printed_word_is_said_once(policy: DocumentContent, make: Any, text: str, said: str) -> None:
    """R48: two words searched that stand there as one are no two pieces of evidence."""
    keywords = (TERMINATES, TERMINATION, Keyword("agreement", ("agreement",)))
    question = replace(parse_question("premium", [policy]), keywords=keywords)
    found = tuple(word.text for word in keywords if any(form in text for form in word.forms))
    place = make("place", 0.9, co_occurrence=True, matched_keywords=found, anchor_text=text, sentences=None)
    reason = judge_by_rules(question, [place]).verdicts[0].reason
    assert isinstance(reason, Clause) and reason.startswith(said)
    told = say_passage({"code": reason.code, **reason.facts})
    assert told.count("“terminate”") == said.count("“terminate”") and "beside" not in told


def test_the_rules_say_what_stands_there(policy: DocumentContent, make: Any) -> None:
    verdicts = judged(
        policy,
        make("together", 0.9, co_occurrence=True, matched_keywords=("annual", "premium")),
        make("typed", 0.8, type_match=True),
        make("one", 0.6),
        make("less", 0.3),
        make("stray", 0.1),
    )
    assert {name: verdict.reason for name, verdict in verdicts.items()} == {
        "together": "It has “annual” and “premium” together. No passage says more of what was asked.",
        "typed": "It has “premium”, with a value of the kind asked for. "
        "It says nearly as much as the best passage. 88% of the strongest.",
        "one": "It has only “premium”. It says enough to support the answer. "
        "66% of the strongest; 60% is enough for a supporting passage.",
        "less": "It has only “premium”. Another passage says clearly more. 33% of the strongest; 60% is needed.",
        "stray": "It has only “premium”. Other passages say far more. 11% of the strongest; below 25% is discarded.",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "The yearly\npremium is 12 EUR.",
            "It has “yearly” and “premium” together, with a value of the kind asked for.",
        ),
        ("The yearly premium is due.", "It has “yearly” and “premium” together."),
        ("The premium is 12 EUR.", "It has “premium”, with a value of the kind asked for."),
        ("It is 12 EUR.", ""),
    ],
)
def test_no_more_is_said_than_stands_in_what_is_quoted(
    policy: DocumentContent, make: Any, text: str, said: str
) -> None:
    """A word may stand in the title alone, and a value on a line that is not quoted."""
    found = {"co_occurrence": True, "type_match": True, "matched_keywords": ("yearly", "premium")}
    question = parse_question("How much is the yearly premium?", [policy])
    place = make("place", 0.9, anchor_text=text, sentences=None, **found)
    reason = judge_by_rules(question, [place]).verdicts[0].reason
    assert reason == f"{said} No passage says more of what was asked.".lstrip()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The yearly premium is due.", "It has “yearly” and “premium” together."),
        ("The premium, which is paid\nyearly, is due.", "It has “yearly” and “premium” together."),
        (
            "The premium is due.\nIt is paid in euros.\nA yearly report is sent.",
            "It has “yearly” and “premium”{apart}.",
        ),
        (
            "The yearly premium is due.\nIt is paid in euros.\nThe provider says so.",
            "It has “yearly”, “premium” and “provider”.",
        ),
    ],
)
@pytest.mark.parametrize("is_met", [False, True])
def test_words_are_said_to_stand_apart_only_where_they_do(
    policy: DocumentContent, make: Any, text: str, said: str, *, is_met: bool
) -> None:
    """R48: beside each other, whatever detector found them and whether a word that matters is among them."""
    found = tuple(word for word in ("yearly", "premium", "provider") if word in text)
    place = make("place", 0.9, co_occurrence=is_met, matched_keywords=found, anchor_text=text, sentences=None)
    question = parse_question("Which provider has a yearly premium?", [policy])
    reason = judge_by_rules(question, [place]).verdicts[0].reason
    assert reason.startswith(said.format(apart="" if is_met else ", but apart") + " ")


def test_roles_fall_with_strength(policy: DocumentContent, make: Any) -> None:
    """R47."""
    verdicts = judged(policy, make("a", 0.8), make("b", 0.7), make("c", 0.5), make("d", 0.3), make("e", 0.1))
    assert [verdict.role for verdict in verdicts.values()] == [
        "primary", "primary", "supporting", "tangential", "discarded",
    ]  # fmt: skip


def test_primaries_are_few(policy: DocumentContent, make: Any) -> None:
    roles = [verdict.role for verdict in judged(policy, *(make(str(n), 0.8) for n in range(20))).values()]
    assert (roles.count("primary"), roles.count("supporting")) == (3, 5)


def test_a_refusal_says_what_is_missing(policy: DocumentContent, make: Any) -> None:
    """R48: what comes earlier by its rule may be of less strength, so no more than the order is claimed."""
    candidates = [make(str(n), 0.8) for n in range(9)]
    last = judge_by_rules(parse_question("premium", [policy]), candidates).verdicts[-1]
    assert last.reason.endswith("5 passages that come earlier in the order of the rules support the answer already.")
    bare = make("bare", 0.8, anchor_text="The premium may be reviewed.", sentences=None)
    unformed = judge_by_rules(parse_question("How often is the premium reviewed?", [policy]), [bare])
    assert unformed.verdicts[0].reason.endswith(f"more: {UNFORMED % 'frequency'}.")


def test_nothing_is_primary_when_the_best_carries_too_little(policy: DocumentContent, make: Any) -> None:
    ranking = judge_by_rules(parse_question("premium", [policy]), [make("weak", 0.05)])
    assert [verdict.role for verdict in ranking.verdicts] == ["tangential"]
    assert ranking.answerable is False


def test_each_part_keeps_its_best(policy: DocumentContent, make: Any) -> None:
    verdicts = judged(policy, make("a", 0.9, parts=(1,)), make("b", 0.85, parts=(1,)), make("c", 0.3, parts=(2,)))
    assert verdicts["c"].role == "primary"
    assert verdicts["c"].reason.endswith("It comes first for its part of the question.")
    assert verdicts["b"].reason.endswith(" 94% of the strongest.")


def test_a_share_at_the_limit_is_told_as_the_limit(policy: DocumentContent, make: Any) -> None:
    verdicts = judged(policy, make("a", 0.95), make("b", 0.57))
    assert (verdicts["b"].role, "60% of the strongest" in verdicts["b"].reason) == ("supporting", True)


def test_equals_keep_the_order_of_fusion(policy: DocumentContent, make: Any) -> None:
    assert list(judged(policy, make("second", 0.5, rrf_rank=2), make("first", 0.5, rrf_rank=1))) == ["first", "second"]


def test_only_kept_candidates_are_quoted(policy: DocumentContent, make: Any) -> None:
    verdicts = judged(policy, make("a", 0.8), make("e", 0.1))
    assert verdicts["a"].raw_content_anchor == policy.lines[2].text
    assert verdicts["e"].raw_content_anchor == ""


def test_whole_sentences_are_quoted_and_of_a_table_its_rows(make: Any) -> None:
    sentences = Sentences("The premium is due.", LineRange(3, 3))
    assert make("a", 0.8, anchor_text="due. The", sentences=sentences).own_text == "The premium is due."
    rows = Sentences("", LineRange(3, 3))
    assert make("a", 0.8, anchor_text="Basic rate 12", sentences=rows).own_text == "Basic rate 12"


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("How often is the premium reviewed?", "frequency"),
        ("How fast is the premium paid back?", "duration"),
        ("What is the email for the premium?", "e-mail"),
        ("How much is the premium?", "amount"),
        ("What is the premium?", ""),
    ],
)
def test_a_value_with_a_form_must_stand_there(policy: DocumentContent, make: Any, question: str, missing: str) -> None:
    parsed = parse_question(question, [policy])
    bare = {"anchor_text": "The premium is paid back.", "sentences": None}
    ranking = judge_by_rules(parsed, [make("a", 0.8, **bare), make("b", 0.3)])
    assert ranking.answerable is not bool(missing)
    assert ranking.answerable_reason == (UNFORMED % missing if missing else "")
    assert judge_by_rules(parsed, [make("a", 0.8, type_match=True)]).answerable


def test_a_value_may_stand_on_another_line_of_the_sentence(policy: DocumentContent, make: Any) -> None:
    parsed = parse_question("How soon is the premium paid back?", [policy])
    said = Sentences("Within 6 hours of the notice\nthe premium is paid back.", LineRange(2, 3))
    assert judge_by_rules(parsed, [make("a", 0.8, anchor_text="the premium is paid back.", sentences=said)]).answerable
    assert not judge_by_rules(
        parsed, [make("a", 0.8, anchor_text="the premium is paid back.", sentences=None)]
    ).answerable


def test_two_codes_must_stand_on_a_page_together(policy: DocumentContent, make: Any) -> None:
    parsed = parse_question("Which SP-53 control maps to PR.AA-05?", [policy])
    apart = [
        make("a", 0.8, matched_keywords=("SP-53",)),
        make("b", 0.8, matched_keywords=("PR.AA-05",), anchor_pages=(2, 2)),
    ]
    ranking = judge_by_rules(parsed, apart)
    assert not ranking.answerable
    assert ranking.answerable_reason == "“PR.AA-05” and “SP-53” stand on no page together"
    together = [apart[0], replace(apart[1], anchor_pages=apart[0].anchor_pages)]
    assert judge_by_rules(parsed, together).answerable
    assert judge_by_rules(parsed, apart[:1]).answerable  # a code that stands nowhere proves nothing about the other


def test_no_arbiter_leaves_the_order_of_fusion(policy: DocumentContent, make: Any) -> None:
    candidates = [make("b", 0.1, rrf_rank=2), make("a", 0.9, rrf_rank=1)]
    search = search_of(parse_question("premium", [policy]), [policy], arbiter="none", candidates=tuple(candidates))
    ranking = arbitrate(search)
    assert [(verdict.candidate_id, verdict.role) for verdict in ranking.verdicts] == [
        ("a", "unjudged"),
        ("b", "unjudged"),
    ]


def test_without_candidates_nobody_is_asked(policy: DocumentContent) -> None:
    ranking = arbitrate(search_of(parse_question("premium", [policy]), [policy], arbiter="model"))
    assert (ranking.status, ranking.exchange) == ("not_needed", None)


@pytest.mark.parametrize(
    ("asked", "is_missed"),
    [("How much is the premium?", True), ("What is a premium?", False), ("Why is there a premium?", False)],
)
def test_only_what_asks_for_a_value_can_lack_one(
    asked: str, policy: DocumentContent, make: Any, *, is_missed: bool
) -> None:
    ranking = judge_by_rules(parse_question(asked, [policy]), [make("line", 0.9, anchor_text="The premium is due.")])
    reason = ranking.verdicts[0].reason
    assert isinstance(reason, Clause) and reason.facts.get("unvalued", False) is is_missed
