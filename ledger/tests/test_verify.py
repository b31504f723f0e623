"""Verifying: every way of tampering is found, and located at the entry it happened to."""

import hashlib
import random

import pytest

from ledger.chain import FORMAT, NO_HASH, DigestsOf, Head, check_entry, digest_of, head, verify
from ledger.models import Entry
from ledger.tests.conftest import Payloads, Tamper

TABLE = "ledger_entry"
FORGED = "f" * 64
INSERT_FORGED = (
    f"INSERT INTO {TABLE} SELECT 10, kind, 'forged', payload_digest, hash, '{FORGED}', created_at "
    f"FROM {TABLE} WHERE sequence = 9"
)
SWAP = (
    f"UPDATE {TABLE} SET sequence = 100 WHERE sequence = 4",
    f"UPDATE {TABLE} SET sequence = 4 WHERE sequence = 6",
    f"UPDATE {TABLE} SET sequence = 6 WHERE sequence = 100",
)


def test_it_passes_an_untouched_chain(digests_of: DigestsOf) -> None:
    found = verify(digests_of, expected=[head()])
    assert (found.ok, found.checked, found.head) == (True, 9, head())


@pytest.mark.django_db
def test_it_passes_an_empty_chain() -> None:
    assert verify(lambda entries: {}, expected=[head()]).ok


@pytest.mark.parametrize(
    ("statements", "sequence", "what"),
    [
        ([f"UPDATE {TABLE} SET payload_digest = '{FORGED}' WHERE sequence = 5"], 5, "hash"),
        ([f"UPDATE {TABLE} SET hash = '{FORGED}' WHERE sequence = 5"], 5, "hash"),
        ([f"UPDATE {TABLE} SET previous_hash = '{FORGED}' WHERE sequence = 5"], 5, "hash"),
        ([f"UPDATE {TABLE} SET kind = 'answer' WHERE sequence = 5"], 5, "hash"),
        ([f"UPDATE {TABLE} SET subject_id = 'another' WHERE sequence = 5"], 5, "hash"),
        ([f"UPDATE {TABLE} SET created_at = created_at - interval '1 microsecond' WHERE sequence = 5"], 5, "hash"),
        ([f"DELETE FROM {TABLE} WHERE sequence = 1"], 1, "hole"),
        ([f"DELETE FROM {TABLE} WHERE sequence = 5"], 5, "hole"),
        ([f"DELETE FROM {TABLE} WHERE sequence IN (5, 6)"], 5, "hole"),
        (SWAP, 4, "hash"),
        ([INSERT_FORGED], 10, "hash"),
    ],
)
def test_it_locates_tampering_with_entries(
    digests_of: DigestsOf, tamper: Tamper, statements: list[str], sequence: int, what: str
) -> None:
    tamper(*statements)
    found = verify(digests_of)
    assert found.first_bad is not None
    assert (found.first_bad.sequence, found.first_bad.what, found.checked) == (sequence, what, sequence - 1)


def test_it_locates_a_changed_payload(payloads: Payloads, digests_of: DigestsOf) -> None:
    payloads["subject-7"] = b"payload 8"
    found = verify(digests_of).first_bad
    assert found is not None
    assert (found.sequence, found.subject_id, found.what) == (7, "subject-7", "payload_changed")


def test_it_locates_a_missing_payload(payloads: Payloads, digests_of: DigestsOf) -> None:
    del payloads["subject-2"]
    found = verify(digests_of).first_bad
    assert found is not None
    assert (found.sequence, found.what) == (2, "payload_missing")


def test_it_finds_a_cut_tail_by_the_exported_head(digests_of: DigestsOf, tamper: Tamper) -> None:
    exported = head()
    tamper(f"DELETE FROM {TABLE} WHERE sequence >= 8")
    assert verify(digests_of).ok, "without the head nothing can be known"
    found = verify(digests_of, expected=[exported]).first_bad
    assert found is not None
    assert (found.sequence, found.what) == (8, "tail_cut")


def rewrite_chain(payloads: Payloads, tamper: Tamper) -> None:
    """Do what an administrator who has read our source would do: new payload, new digests, new hashes throughout."""
    payloads["subject-3"] = b"a kinder payload"
    previous, statements = NO_HASH, []
    for entry in Entry.objects.order_by("sequence"):
        digest = hashlib.sha256(payloads[entry.subject_id]).hexdigest()
        time = f"{entry.created_at:%Y-%m-%dT%H:%M:%S.%fZ}"
        lines = (FORMAT, str(entry.sequence), entry.kind, entry.subject_id, digest, previous, time)
        new = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
        statements.append(
            f"UPDATE {TABLE} SET payload_digest = '{digest}', previous_hash = '{previous}', hash = '{new}' "
            f"WHERE sequence = {entry.sequence}"
        )
        previous = new
    tamper(*statements)


def test_it_finds_a_rewritten_chain_by_the_exported_head(
    payloads: Payloads, digests_of: DigestsOf, tamper: Tamper
) -> None:
    exported = head()
    rewrite_chain(payloads, tamper)
    assert verify(digests_of).ok, "a whole rewritten chain is consistent in itself"
    found = verify(digests_of, expected=[exported]).first_bad
    assert found is not None
    assert (found.sequence, found.what) == (9, "rewritten")


def test_it_walks_only_what_is_new_since_a_trusted_head(payloads: Payloads, digests_of: DigestsOf) -> None:
    entry = Entry.objects.get(sequence=6)
    found = verify(digests_of, since=Head(6, entry.hash))
    assert (found.ok, found.checked) == (True, 3)
    payloads["subject-8"] = b"changed"
    bad = verify(digests_of, since=Head(6, entry.hash)).first_bad
    assert bad is not None
    assert bad.sequence == 8


@pytest.mark.parametrize(
    ("statement", "sequence", "what"),
    [
        (f"UPDATE {TABLE} SET hash = '{FORGED}' WHERE sequence = 6", 6, "rewritten"),
        (f"DELETE FROM {TABLE} WHERE sequence = 6", 6, "hole"),
        (f"DELETE FROM {TABLE} WHERE sequence >= 6", 6, "tail_cut"),
        (f"DELETE FROM {TABLE} WHERE sequence = 7", 7, "hole"),
    ],
)
def test_it_does_not_begin_after_a_head_that_is_no_longer_there(
    digests_of: DigestsOf, tamper: Tamper, statement: str, sequence: int, what: str
) -> None:
    since = Head(6, Entry.objects.get(sequence=6).hash)
    tamper(statement)
    found = verify(digests_of, since=since).first_bad
    assert found is not None
    assert (found.sequence, found.what) == (sequence, what)


@pytest.mark.parametrize("seed", range(20))
def test_it_misses_no_single_flipped_character(digests_of: DigestsOf, tamper: Tamper, seed: int) -> None:
    chance = random.Random(seed)
    entry = Entry.objects.get(sequence=chance.randint(1, 9))
    column = chance.choice(["kind", "subject_id", "payload_digest", "previous_hash", "hash"])
    text = getattr(entry, column)
    at = chance.randrange(len(text))
    flipped = text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]
    tamper(f"UPDATE {TABLE} SET {column} = '{flipped}' WHERE sequence = {entry.sequence}")
    found = verify(digests_of).first_bad
    assert found is not None
    assert found.sequence == entry.sequence


def test_it_checks_one_entry_for_a_page(payloads: Payloads, tamper: Tamper) -> None:
    entry = Entry.objects.get(sequence=5)
    assert check_entry(entry, digest_of(b"payload 5")) is None
    assert check_entry(Entry.objects.get(sequence=1), digest_of(b"payload 1")) is None
    changed = check_entry(entry, digest_of(b"other"))
    assert changed is not None
    assert changed.what == "payload_changed"
    tamper(f"DELETE FROM {TABLE} WHERE sequence = 4")
    torn = check_entry(entry, digest_of(b"payload 5"))
    assert torn is not None
    assert (torn.sequence, torn.what) == (4, "hole")
