"""What a stranger finds who kept nothing but the certificate of the time-stamping authority.

Somebody with every right rewrites a record and the chain after it, cuts the file of heads, signs new ones with the
installation's own key and has them stamped: each of the tamperings is found offline, by the script of an evidence pack.
"""

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import Settings

from audit.access_log import record_event
from audit.carrying.packing import write_checker
from audit.conftest import GoTo, House, MakeAnswer, MakeRun
from audit.keeping import tasks
from audit.proof.evidence import VERIFIER
from audit.proof.verification import verify
from audit.review.reviewing import Opinion, review
from benchmarks import forging
from benchmarks.forging import BAD, CONSISTENT, OK, UNREADABLE
from benchmarks.rewriting import first_pack, pack_of, rewrite_heads, stamp_again, tamper_unseen
from benchmarks.tampering import ATTACKS, cover_up
from ledger import chain
from ledger.heads import read_heads
from ledger.models import Entry
from retrieval.models import RetrievalRun
from tests.stamp_authority import StampAuthority

SEEN_INSIDE = {"an entry put in between", "a column of an entry", "an erasure pretended"}  # whatever is done to hide it


@pytest.fixture
def history(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any, go_to: GoTo
) -> list[RetrievalRun]:
    """Three runs of three days ago and two of two days ago, stamped as the schedule does; now it is today."""
    runs: list[RetrievalRun] = []
    for hours, count in ((-72, 3), (-50, 0), (-48, 2), (-26, 0), (-4, 0)):
        go_to(hours)
        for _ in range(count):
            run = make_run(question=f"Question {len(runs)}", llm_call=make_call())
            make_answer(run)
            review(run, None, house.auditor, Opinion("agree"))
            record_event(house.auditor, "trail", run.pk)
            runs.append(run)
        tasks.export_head()
    go_to(0)
    return runs


def check(pack: Path, *options: str | Path, path: str = os.defpath) -> tuple[int, str]:
    """Run the verifier as a stranger would, with nothing but Python and openssl."""
    return forging.check(VERIFIER, pack, *options, path=path)


def by_stamps(authority: StampAuthority) -> tuple[str | Path, ...]:
    return "--stamps", settings.LEDGER_HEADS, "--authority", authority.root


# ---- nothing was tampered with


def test_the_stamps_alone_vouch_for_a_pack(
    history: list[RetrievalRun], stamped: StampAuthority, tmp_path: Path
) -> None:
    pack = pack_of(history[1], tmp_path)
    code, said = check(pack, *by_stamps(stamped))
    assert code == CONSISTENT and "after entry" in said and "Take a later head" in said, said
    tasks.export_head()
    code, said = check(pack, *by_stamps(stamped))
    assert code == OK and "The stamp of entry" in said, said
    code, said = check(pack, *by_stamps(stamped), path="/nowhere")
    assert code == CONSISTENT and "no openssl of version 1.1 or later" in said, said
    both = ("--head", settings.LEDGER_HEADS, *by_stamps(stamped))
    assert check(pack, *both)[0] == OK and check(pack, *both, path="/nowhere")[0] == CONSISTENT


# ---- fifteen tamperings by somebody with every right


def test_what_was_rewritten_before_the_last_stamp_is_found_by_a_stranger(
    history: list[RetrievalRun], stamped: StampAuthority, tmp_path: Path
) -> None:
    """Each at the same history, which is made once."""
    kept = settings.LEDGER_HEADS.read_bytes()
    for number, name in enumerate(ATTACKS):
        settings.LEDGER_HEADS.write_bytes(kept)
        folder = tmp_path / f"{number}"
        folder.mkdir()
        with transaction.atomic():
            tamper_unseen(ATTACKS[name])
            heads_told = read_heads(settings.LEDGER_HEADS, Path(f"{settings.LEDGER_KEY}.pub"))
            # Inside, and by signatures, nothing tells it.
            assert name in SEEN_INSIDE or verify(expected=heads_told).ok, name
            pack = first_pack(folder)
            stamp_again()
            transaction.set_rollback(True)  # with what it left without a row
        code, said = check(pack, *by_stamps(stamped))
        is_cut = name == "the end cut off"
        assert code == BAD or (is_cut and code == CONSISTENT), (name, said)
        is_told = "first stamped" in said or (is_cut and "that nothing was cut off: there is no stamp for" in said)
        assert is_told, (name, said)


def test_what_is_newer_than_a_day_can_be_rewritten_unless_somebody_kept_a_stamp(
    history: list[RetrievalRun], make_run: MakeRun, stamped: StampAuthority, go_to: GoTo, tmp_path: Path
) -> None:
    """What is not covered: fresh stamps are in time for what is of today."""
    go_to(-2)
    run = make_run(question="Today's")
    tasks.export_head()
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(settings.LEDGER_HEADS.read_bytes())
    go_to(0)
    ask_another_question(run)
    pack = pack_of(run, tmp_path)
    stamp_again()
    assert check(pack, *by_stamps(stamped))[0] == OK
    code, said = check(pack, *by_stamps(stamped), "--within", "1")
    assert code == BAD and "first stamped" in said, said
    code, said = check(pack, "--head", kept, *by_stamps(stamped))
    assert code == BAD and "the chain was rewritten" in said, said


def ask_another_question(run: RetrievalRun) -> None:
    """Rewrite one run, the chain after it, and the heads."""
    known = set(Entry.objects.values_list("kind", "subject_id"))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE retrieval_retrievalrun SET question = 'Another' WHERE id = %s", [run.pk])
        cursor.execute("SET LOCAL session_replication_role = origin")
    cover_up(known)
    rewrite_heads()


def test_a_record_that_says_it_is_older_than_its_entry_is_found(
    history: list[RetrievalRun], make_run: MakeRun, stamped: StampAuthority, go_to: GoTo, tmp_path: Path
) -> None:
    """A run made up today, with an entry of today, that claims to be of three days ago."""
    made_up = make_run(question="Never asked", created_at=history[0].created_at)
    pack = pack_of(made_up, tmp_path)
    tasks.export_head()
    code, said = check(pack, *by_stamps(stamped))
    assert code == BAD and "run.json says it is of" in said, said
    with pytest.raises(CommandError, match="The run .* says it is older"):
        verify_with(stamped)


# ---- stamps that do not hold, or began later


def test_stamps_of_somebody_else_and_moved_ones_are_found(
    history: list[RetrievalRun], stamped: StampAuthority, tmp_path: Path
) -> None:
    pack, path = pack_of(history[0], tmp_path), settings.LEDGER_HEADS
    tasks.export_head()
    whole = path.read_text()
    with StampAuthority(tmp_path / "own") as own:
        code, said = check(pack, "--stamps", path, "--authority", own.root)
    assert code == BAD and "is none of this authority's" in said, said
    lines = [json.loads(line) for line in whole.splitlines() if "stamp" in line]
    moved = [lines[-1] | {"stamp": lines[0]["stamp"]}]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in moved))
    code, said = check(pack, *by_stamps(stamped))
    assert code == BAD and "is none of this authority's" in said, said


def test_no_stamp_crashes_the_verifier(history: list[RetrievalRun], stamped: StampAuthority, tmp_path: Path) -> None:
    pack, path = pack_of(history[0], tmp_path), settings.LEDGER_HEADS
    last = chain.head()
    stamps: list[Any] = [None, 7, "", "AAAA", "é", "MAA=", "A" * 100_000, ["x"]]
    for stamp in stamps:
        line = {"format": chain.FORMAT, "sequence": last.sequence, "hash": last.hash, "stamp": stamp}
        path.write_text(f"{json.dumps(line)}\n")
        code, said = check(pack, *by_stamps(stamped))
        assert code == BAD and "is none of this authority's" in said, (stamp, said)


def test_where_stamps_began_later_it_is_said_and_what_came_after_is_vouched_for(
    house: House, make_run: MakeRun, stamped: StampAuthority, go_to: GoTo, settings: Settings, tmp_path: Path
) -> None:
    address, settings.TSA_URL = settings.TSA_URL, ""
    go_to(-70)
    early = make_run(question="Before there were stamps")
    tasks.export_head()
    settings.TSA_URL = address
    for hours in (-48, -26, -4):
        go_to(hours)
        if hours == -26:
            late = make_run(question="After")
        tasks.export_head()
    go_to(-1)
    of_early, of_late = tmp_path / "early", tmp_path / "late"
    packs = []
    for folder, run in ((of_early, early), (of_late, late)):
        folder.mkdir()
        packs.append(pack_of(run, folder))
    tasks.export_head()
    since = ("--stamped-since", chain.time_text(Entry.objects.get(sequence=2).created_at))
    code, said = check(packs[0], *by_stamps(stamped), "--within", "12")
    assert code == BAD and "where stamps began later, or paused so long, it looks the same" in said, said
    assert check(packs[0], *by_stamps(stamped))[0] == OK  # they began within a day
    code, said = check(packs[0], *by_stamps(stamped), *since)
    assert code == CONSISTENT and "from before the day you gave with --stamped-since: run.json" in said, said
    assert check(packs[1], *by_stamps(stamped), *since)[0] == OK
    code, said = check(packs[1], *by_stamps(stamped), "--within", "12")
    assert code == CONSISTENT and "there is no stamp for 22" in said, said


def test_options_that_do_not_fit_are_said(history: list[RetrievalRun], stamped: StampAuthority, tmp_path: Path) -> None:
    pack, path = pack_of(history[0], tmp_path), settings.LEDGER_HEADS
    for options in (
        ("--stamps", path),
        ("--stamps", path, "--authority", path),
        ("--stamps", path, "--authority", tmp_path / "absent.pem"),
        (*by_stamps(stamped), "--stamped-since", "yesterday"),
    ):
        code, said = check(pack, *options)
        assert code == UNREADABLE, said


# ---- the whole ledger


def verify_with(authority: StampAuthority, *options: str) -> str:
    out = StringIO()
    given = ("--stamps", str(settings.LEDGER_HEADS), "--authority", str(authority.root), *options)
    call_command("verify_ledger", *given, stdout=out)
    return out.getvalue()


def test_verify_ledger_holds_every_entry_against_the_stamps(
    history: list[RetrievalRun], make_run: MakeRun, stamped: StampAuthority
) -> None:
    last = chain.head().sequence
    assert f"Stamps vouch for entries 1 to {last};" in verify_with(stamped)
    make_run()
    assert "Nobody outside vouches for the 1 after it." in verify_with(stamped)
    told = json.loads(verify_with(stamped, "--json"))
    assert (told["ok"], told["stamps"]["vouched_to"], told["stamps"]["pauses"]) == (True, last, [])
    tasks.export_head()
    assert "that nothing was cut off: there is no stamp for 22 hours" in verify_with(stamped, "--within", "3")


def test_verify_ledger_finds_a_rewritten_past_and_a_stamped_head_that_is_gone(
    history: list[RetrievalRun], stamped: StampAuthority
) -> None:
    kept = settings.LEDGER_HEADS.read_bytes()
    ask_another_question(history[3])
    call_command("verify_ledger", "--head", str(settings.LEDGER_HEADS), stdout=StringIO())
    with pytest.raises(CommandError, match="Ledger entry 13 bears the time .* but was first stamped at"):
        verify_with(stamped)
    settings.LEDGER_HEADS.write_bytes(kept)
    with pytest.raises(CommandError, match="is not the one that was stamped"):
        verify_with(stamped)


def test_verify_ledger_says_when_it_cannot_check_stamps(
    history: list[RetrievalRun], stamped: StampAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandError, match="The stamps cannot be checked: .*needs --authority"):
        call_command("verify_ledger", "--stamps", str(settings.LEDGER_HEADS), stdout=StringIO())
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CommandError, match="no openssl"):
        verify_with(stamped)


# ---- one set of lines in two scripts


def test_both_scripts_check_stamps_by_the_same_lines() -> None:
    def block(script: str) -> str:
        return script.partition("# ---- stamps")[2].partition("\n# ---- ")[0]

    assert block(VERIFIER.read_text()) == block(write_checker()) and "class StampClock" in block(write_checker())
