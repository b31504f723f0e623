"""The ledger against the rows: what each kind vouches for, rows without an entry, and the check of one entry."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.access_log import record_event
from audit.conftest import House, MakeAnswer, MakeRun, Tamper
from audit.proof.verification import (
    FIRST_FORM,
    PAYLOADS,
    VOUCHED,
    Report,
    Unrecorded,
    by_kind,
    digests_of,
    fault_sentence,
    find_unrecorded,
    first_form,
    payload_of,
    salts_of,
    standing_of,
    verify,
)
from ledger.chain import ENTRIES_A_BATCH, Fault, Head, Verification, digest_of
from ledger.events import record
from ledger.models import Entry, Salt

FAULT = Fault(7, "run", "abc", "payload_changed", "it was changed")


def entry(sequence: int, kind: str = "run", subject_id: str = "") -> Entry:
    return Entry(sequence=sequence, kind=kind, subject_id=subject_id or str(uuid4()), payload_digest="x")


# ---- words


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (FAULT, "Ledger entry 7 (run abc) is bad: it was changed."),
        (Fault(8, "", "", "hole", "it is missing"), "Ledger entry 8 is bad: it is missing."),
    ],
)
def test_a_fault_in_words(fault: Fault, words: str) -> None:
    assert fault_sentence(fault) == words


@pytest.mark.parametrize(
    ("fault", "unrecorded", "is_ok", "words"),
    [
        (None, None, True, ""),
        (FAULT, None, False, "Ledger entry 7 (run abc) is bad: it was changed."),
        (None, Unrecorded("answer", "a1"), False, "The answer a1 has no ledger entry."),
        (FAULT, Unrecorded("answer", "a1"), False, "Ledger entry 7 (run abc) is bad: it was changed."),
    ],
)
def test_a_report_says_the_first_fault(
    fault: Fault | None, unrecorded: Unrecorded | None, is_ok: bool, words: str
) -> None:
    report = Report(Verification(3, Head(3, "h"), fault), unrecorded)
    assert (report.ok, report.sentence) == (is_ok, words)


# ---- kinds


def test_every_kind_that_must_be_vouched_for_can_be_read() -> None:
    assert set(VOUCHED) <= set(PAYLOADS) and set(FIRST_FORM) <= set(VOUCHED)
    assert set(PAYLOADS) - set(VOUCHED) == {"reading", "look", "shared", "exchange"}, (
        "which are found by their run or answer"
    )
    for kind, payload in PAYLOADS.items():
        assert payload.kind == kind
        if kind in VOUCHED:
            assert payload.table == VOUCHED[kind]._meta.db_table


@pytest.mark.parametrize("subject_id", ["", "7", "not an id", "x" * 64])
def test_a_subject_that_is_no_id_of_ours_vouches_for_nothing(subject_id: str) -> None:
    good = entry(1)
    assert by_kind([Entry(sequence=2, kind="run", subject_id=subject_id), good]) == {
        "run": {UUID(good.subject_id): good}
    }


def test_entries_are_grouped_by_kind() -> None:
    entries = [entry(1), entry(2, "answer"), entry(3)]
    assert {kind: len(group) for kind, group in by_kind(entries).items()} == {"run": 2, "answer": 1}
    assert by_kind([]) == {}


# ---- rows


@pytest.mark.django_db
def test_the_digests_are_those_of_the_entries(make_run: MakeRun, make_answer: MakeAnswer) -> None:
    make_answer(make_run())
    record("trashed", "Olga", "document:7", {})
    entries = list(Entry.objects.all())
    assert {one.kind for one in entries} >= {"run", "answer", "event"}
    assert digests_of(entries) == {one.sequence: one.payload_digest for one in entries}
    for one in entries:
        payload = payload_of(one)
        assert payload is not None and digest_of(payload) == one.payload_digest


@pytest.mark.django_db
def test_what_is_gone_or_of_an_unknown_kind_has_no_digest(make_run: MakeRun) -> None:
    make_run()
    assert digests_of([entry(901), entry(902, "moon"), entry(903, "run", "no id")]) == {}
    assert payload_of(entry(901)) is None and digests_of([]) == {}
    assert first_form("moon", uuid4()) is None and first_form("run", uuid4()) is None


@pytest.mark.django_db
def test_a_salt_belongs_to_its_entry(make_run: MakeRun) -> None:
    first, second = make_run(), make_run()
    one, two = (Entry.objects.get(kind="run", subject_id=str(run.pk)) for run in (first, second))
    salts = salts_of([one, two])
    assert set(salts) == {one.sequence, two.sequence} and salts[one.sequence] != salts[two.sequence]
    assert salts_of([]) == {}


@pytest.mark.django_db
def test_another_salt_or_none_is_found(make_run: MakeRun, tamper: Tamper) -> None:
    run = make_run()
    assert standing_of("run", run.pk).ok
    tamper(f"UPDATE ledger_salt SET salt = '{'0' * 32}'")
    assert not standing_of("run", run.pk).ok
    tamper("DELETE FROM ledger_salt")
    assert not Salt.objects.exists() and not standing_of("run", run.pk).ok


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE retrieval_retrievalrun SET question = 'Another?'", "the row it vouches for was changed"),
        ("UPDATE retrieval_runcandidate SET role = 'primary' WHERE position = 4", "the row it vouches for was changed"),
        ("DELETE FROM retrieval_runcandidate; DELETE FROM retrieval_retrievalrun", "the row it vouches for is gone"),
        ("UPDATE ledger_entry SET kind = 'run', payload_digest = repeat('0', 64)", "was altered"),
    ],
)
def test_the_standing_of_one_run(make_run: MakeRun, tamper: Tamper, statement: str, told: str) -> None:
    run = make_run()
    good = standing_of("run", run.pk)
    assert good.ok and good.sentence == "" and good.sequence is not None and len(good.hash) == 64
    tamper(statement)
    bad = standing_of("run", run.pk)
    assert not bad.ok and told in bad.sentence and bad.sequence == good.sequence


@pytest.mark.django_db
def test_what_has_no_entry_does_not_stand(house: House) -> None:
    subject = uuid4()
    standing = standing_of("run", subject)
    assert (standing.sequence, standing.ok, standing.sentence) == (
        None,
        False,
        f"The run {subject} has no ledger entry.",
    )


@pytest.mark.django_db
def test_rows_without_an_entry_are_found_oldest_first(
    make_run: MakeRun, make_answer: MakeAnswer, tamper: Tamper
) -> None:
    runs = [make_run() for _ in range(3)]
    answer = make_answer(runs[0])
    assert list(find_unrecorded()) == [] and verify().ok
    tamper("DELETE FROM ledger_entry WHERE kind IN ('run', 'answer')")
    found = list(find_unrecorded())
    assert found == [*(Unrecorded("run", str(run.pk)) for run in runs), Unrecorded("answer", str(answer.pk))]


# ---- what it costs


def queries_of(work: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        work()
    return len(captured)


@pytest.mark.django_db(transaction=True)
def test_a_longer_chain_makes_appending_and_checking_a_batch_no_dearer() -> None:
    """AT5, without a clock: the statements of one record and of one batch do not grow with what was recorded."""
    text = "x" * 20_000
    first = queries_of(lambda: record_event(None, "measured", None, text=text))
    for _ in range(20):
        record_event(None, "measured", None, text=text)
    short = queries_of(verify)
    for _ in range(100):
        record_event(None, "measured", None, text=text)
    assert Entry.objects.count() < ENTRIES_A_BATCH
    assert queries_of(lambda: record_event(None, "measured", None, text=text)) == first
    assert queries_of(verify) == short and verify().ok
