"""The schedule: a head is exported whenever there is a new entry, signed if there is a key, never of a broken chain.

Where there is a time-stamping authority the newest is stamped each time; one that fails stops nothing.
"""

import json
import logging
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from audit.conftest import MakeRun, Tamper
from audit.keeping import tasks
from audit.proof.verification import payload_of
from ledger import chain
from ledger.heads import make_key, read_heads
from ledger.models import Entry
from ledger.stamps import last_stamp
from tests.stamp_authority import StampAuthority

pytestmark = pytest.mark.django_db


@pytest.fixture
def heads(settings: Settings, tmp_path: Path) -> Path:
    settings.LEDGER_HEADS, settings.LEDGER_KEY = tmp_path / "heads.jsonl", tmp_path / "ledger.pem"
    make_key(settings.LEDGER_KEY)
    return tmp_path / "heads.jsonl"


def test_a_head_is_exported_when_there_is_something_new(make_run: MakeRun, heads: Path) -> None:
    for _ in range(2):
        make_run()
        tasks.export_head()
        tasks.export_head()
    assert [head.sequence for head in read_heads(heads, Path(f"{heads.parent}/ledger.pem.pub"))] == [1, 2]


def test_no_head_is_exported_of_a_broken_chain(make_run: MakeRun, heads: Path, tamper: Tamper) -> None:
    make_run()
    tasks.export_head()
    run = make_run()
    tamper(f"UPDATE retrieval_retrievalrun SET question = 'Forged?' WHERE id = '{run.pk}'")
    with pytest.raises(tasks.LedgerBroken, match="Ledger entry 2"):
        tasks.export_head()
    assert len(read_heads(heads)) == 1


def stamped_in(path: Path) -> list[int]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line["sequence"] for line in lines if "stamp" in line]


def test_each_hour_the_newest_head_is_stamped_whether_or_not_there_is_a_new_one(
    make_run: MakeRun, heads: Path, stamped: StampAuthority
) -> None:
    make_run()
    for _ in range(3):
        tasks.export_head()
    assert stamped_in(heads) == [1, 1, 1]
    make_run()
    tasks.export_head()
    assert stamped_in(heads) == [1, 1, 1, 2] and last_stamp(heads) is not None
    assert {head.sequence for head in read_heads(heads, Path(f"{heads.parent}/ledger.pem.pub"))} == {1, 2}


def test_an_authority_that_fails_stops_no_head_and_is_asked_again(
    make_run: MakeRun, heads: Path, stamped: StampAuthority, caplog: pytest.LogCaptureFixture
) -> None:
    make_run()
    stamped.behaviour = "broken"
    with caplog.at_level(logging.ERROR):
        tasks.export_head()
    assert [head.sequence for head in read_heads(heads)] == [1] and stamped_in(heads) == []
    assert "No head was stamped (last stamp: none). The time-stamping authority gave no reply" in caplog.text
    stamped.behaviour = "good"
    tasks.export_head()
    assert stamped_in(heads) == [1]
    stamped.behaviour = "broken"
    with caplog.at_level(logging.ERROR):
        tasks.export_head()
    assert "No head was stamped (last stamp: 20" in caplog.text


def test_no_head_of_a_broken_chain_is_stamped(
    make_run: MakeRun, heads: Path, stamped: StampAuthority, tamper: Tamper
) -> None:
    make_run()
    tamper("UPDATE retrieval_retrievalrun SET question = 'Forged?'")
    with pytest.raises(tasks.LedgerBroken):
        tasks.export_head()
    assert not heads.exists()


def test_an_administrators_rewrite_is_found_by_the_checkpoint(make_run: MakeRun, heads: Path, tamper: Tamper) -> None:
    """AT4."""
    runs = [make_run() for _ in range(3)]
    tasks.export_head()
    make_run()
    tamper(f"UPDATE retrieval_retrievalrun SET question = 'Forged?' WHERE id = '{runs[1].pk}'")
    rewrite(tamper, first=2)
    call_command("verify_ledger", stdout=StringIO())  # nothing inside can tell
    signed = {"checkpoint": heads, "key": Path(f"{heads.parent}/ledger.pem.pub")}
    with pytest.raises(CommandError, match="Ledger entry 3 .* the chain was rewritten"):
        call_command("verify_ledger", **signed)
    with pytest.raises(CommandError, match="the chain was rewritten"):
        call_command("verify_ledger", head=heads)
    with pytest.raises(tasks.LedgerBroken, match="rewritten"):
        tasks.export_head()
    with pytest.raises(CommandError, match="need each other"):
        call_command("verify_ledger", checkpoint=heads)


def rewrite(tamper: Tamper, first: int) -> None:
    """Compute every digest and hash anew from an entry on, as somebody with every right could."""
    previous = ""
    for entry in Entry.objects.filter(sequence__gte=first).order_by("sequence"):
        entry.payload_digest = chain.digest_of(payload_of(entry) or b"")
        entry.previous_hash = previous or entry.previous_hash
        previous = entry.hash = chain.hash_of(entry)
        tamper(
            f"UPDATE ledger_entry SET payload_digest = '{entry.payload_digest}', hash = '{entry.hash}', "
            f"previous_hash = '{entry.previous_hash}' WHERE sequence = {entry.sequence}"
        )


def test_the_schedule_applies_the_rules_of_retention(make_run: MakeRun) -> None:
    make_run()
    tasks.apply_retention()
    assert Entry.objects.count() == 1
