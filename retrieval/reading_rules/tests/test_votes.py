"""What a base learns of its vague words: votes, confidence, and their end by the owner (R23)."""

from dataclasses import replace

import pytest
from django.db import DatabaseError, transaction

from accounts.models import User
from documents.models import KnowledgeBase
from retrieval.models import MeaningVote, RetrievalRun
from retrieval.question.vague import APPLY_ABOVE, ASK_BELOW
from retrieval.reading_rules.rows import RuleError
from retrieval.reading_rules.votes import (
    WEIGHTS,
    defaults_of,
    reset_word,
    standings_of,
    vote_for_choice,
    vote_for_silence,
    weigh,
)
from retrieval.record.storing import store_failed_run
from retrieval.types import Meaning, VagueWord

Kind = MeaningVote.Kind
CAP = VagueWord("cap", (Meaning("liabil", "liability cap", 3), Meaning("annual", "annual cap", 1)))


def make_run(base: KnowledgeBase) -> RetrievalRun:
    user, _ = User.objects.get_or_create(email="asker@example.org")
    return store_failed_run("What is the cap?", "stopped", base=base, user=user, mode="fast")


def votes(told: str) -> list[MeaningVote]:
    """C, R and A are a choice, a refusal and a silent acceptance of one meaning, c, r and a of another."""
    kinds = {"C": Kind.CHOSEN, "R": Kind.REFUSED, "A": Kind.ACCEPTED}
    return [
        MeaningVote(
            word="cap",
            meaning="liabil" if each.isupper() else "annual",
            kind=kinds[each.upper()],
            weight=WEIGHTS[kinds[each.upper()]],
        )
        for each in told
    ]


@pytest.mark.parametrize(
    ("told", "confidence", "band", "is_due"),
    [
        ("C", 0.5, "asked", False),
        ("CC", 0.6667, "sometimes", False),
        ("CCA", 0.7143, "sometimes", False),
        ("CCAA", 0.75, "sometimes", True),
        ("CCAAC", 0.8, "sometimes", False),
        ("CCCCCC", 0.8571, "applied", False),
        ("CCR", 0.5, "asked", False),
        ("CCc", 0.5, "asked", False),
        ("CCCCCCRc", 0.6667, "sometimes", False),
    ],
)
def test_what_votes_add_up_to(told: str, confidence: float, band: str, is_due: bool) -> None:
    first = next(each for each in weigh(votes(told)) if each.meaning == "liabil")
    assert (first.confidence, first.band, first.is_due) == (confidence, band, is_due)


def test_the_bands_are_those_of_the_rule() -> None:
    assert (ASK_BELOW, APPLY_ABOVE) == (0.60, 0.85)
    assert (WEIGHTS[Kind.CHOSEN], WEIGHTS[Kind.REFUSED], WEIGHTS[Kind.ACCEPTED]) == (1.0, -1.0, 0.5)


@pytest.mark.django_db(transaction=True)
def test_a_choice_speaks_for_one_meaning_and_against_the_one_put_first(base: KnowledgeBase) -> None:
    run = make_run(base)
    vote_for_choice(run, replace(CAP, assumed="liability cap"), "annual cap")
    vote_for_choice(run, replace(CAP, assumed="liability cap"), "annual cap")  # a second click
    found = MeaningVote.objects.filter(base=base).values_list("meaning", "kind", "weight")
    assert sorted(found) == [("annual", "chosen", 1.0), ("liabil", "refused", -1.0)]
    with pytest.raises(RuleError, match="none of the meanings"):
        vote_for_choice(run, CAP, "knee cap")


@pytest.mark.django_db(transaction=True)
def test_silence_counts_once_and_not_where_something_was_said(base: KnowledgeBase) -> None:
    said, silent = make_run(base), make_run(base)
    assumed = replace(CAP, assumed="liability cap")
    vote_for_choice(said, assumed, "annual cap")
    for run in (said, silent, silent):
        vote_for_silence(run, assumed)
    assert MeaningVote.objects.filter(kind=Kind.ACCEPTED).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_reset_ends_what_was_learned_and_keeps_the_votes(base: KnowledgeBase) -> None:
    for _ in range(6):
        vote_for_choice(make_run(base), CAP, "liability cap")
    assert [(each.word, each.meaning, each.confidence) for each in defaults_of(base)] == [("cap", "liabil", 0.8571)]
    reset_word(base, "cap", "", None)
    assert (standings_of(base), defaults_of(base)) == ([], ())
    assert MeaningVote.objects.filter(base=base).count() == 7
    vote_for_choice(make_run(base), CAP, "annual cap")
    assert [(each.meaning, each.confidence) for each in defaults_of(base)] == [("annual", 0.5)]
    with pytest.raises(RuleError, match="Nothing has been learned"):
        reset_word(base, "cap", "lease", None)


@pytest.mark.django_db(transaction=True)
def test_what_is_learned_of_one_type_of_document_or_base_is_of_no_other(base: KnowledgeBase) -> None:
    other = KnowledgeBase.objects.create(name="Other")
    for _ in range(2):
        vote_for_choice(make_run(base), replace(CAP, document_type="lease"), "annual cap")
        vote_for_choice(make_run(base), CAP, "liability cap")
    assert [(each.document_type, each.meaning) for each in defaults_of(base)] == [("", "liabil"), ("lease", "annual")]
    assert defaults_of(other) == ()


@pytest.mark.django_db(transaction=True)
def test_no_vote_is_changed(base: KnowledgeBase) -> None:
    vote_for_choice(make_run(base), CAP, "liability cap")
    rows = MeaningVote.objects.filter(base=base)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(weight=5)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.delete()
