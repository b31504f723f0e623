"""Every kind of tampering an administrator can do, once each; `benchmarks audit` does two hundred of them at random."""

import random
from typing import Any

from django.db import IntegrityError, transaction

from audit.access_log import record_event
from audit.conftest import House, MakeAnswer, MakeRun
from audit.proof.verification import Report, verify
from audit.review.reviewing import Opinion, review
from benchmarks.tampering import ATTACKS, Attack, Expected, NotPossible, tampered
from ledger.chain import Head
from ledger.models import Entry

TRIES = 20  # a column that is null cannot be altered; the dice choose another


def test_it_is_found_and_located(house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any) -> None:
    """Each at the same record, which is made once."""
    for number in range(3):
        run = make_run(question=f"Question {number}", llm_call=make_call())
        make_answer(run)
        review(run, None, house.auditor, Opinion("agree"))
        record_event(house.auditor, "trail", run.pk)
    heads = [Head(*row) for row in Entry.objects.order_by("sequence").values_list("sequence", "hash")]
    assert verify(expected=heads).ok
    for name, attack in ATTACKS.items():
        expected, report = first_possible(attack, heads)
        assert not report.ok and expected.is_met(report), (name, report.sentence)
        assert verify(expected=heads).ok, name


def first_possible(attack: Attack, heads: list[Head]) -> tuple[Expected, Report]:
    """Do it, verify, and take it back."""
    for seed in range(TRIES):
        try:
            with transaction.atomic():
                expected = tampered(attack, random.Random(seed), heads)
                report = verify(expected=heads)
                transaction.set_rollback(True)
            return expected, report
        except (NotPossible, IntegrityError):
            continue
    raise AssertionError("it was never possible")
