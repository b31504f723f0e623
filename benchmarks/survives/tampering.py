"""Somebody with root and the database's superuser rewrites the past, and a stranger looks for it offline."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.survives.packs import asked_and_reviewed, pack_of
from benchmarks.survives.site import Site
from benchmarks.survives.verdicts import Verdict, verdict_of
from tests.stamp_authority import StampAuthority

STAMPED_AT_H, REWRITTEN_AT_H = (0, 20), 40  # a day is what a stamp may be late


def drill(site: Site) -> Iterator[Verdict]:
    """What the site recorded is stamped, then rewritten two days later, one way after the other."""
    from django.test import override_settings

    from ledger.heads import make_key

    person, runs = asked_and_reviewed(site, "Rewritten")
    for run in runs:
        pack_of(person, run)  # is recorded too
    with TemporaryDirectory() as name:
        folder = Path(name)
        key = folder / "ledger.pem"
        make_key(key)
        with (
            StampAuthority(folder / "authority") as authority,
            override_settings(
                TSA_URL=authority.url,
                TSA_CERTIFICATES=authority.root,
                LEDGER_HEADS=folder / "heads.jsonl",
                LEDGER_KEY=key,
            ),
        ):
            yield rewritten(authority, folder)


def rewritten(authority: StampAuthority, folder: Path) -> Verdict:
    from benchmarks.forging import OK
    from benchmarks.rewriting import clocks_at, stamp_again
    from benchmarks.tampering import ATTACKS
    from ledger.models import Entry

    for hours in STAMPED_AT_H:
        with clocks_at(hours, authority):
            stamp_again()
    genuine, said = judged_after(None, authority, folder)
    found = {name: judged_after(attack, authority, folder) for name, attack in ATTACKS.items()}
    missed = [name for name, (code, said) in found.items() if not is_found(name, code, said)]
    counts: dict[str, Any] = {
        "entries": Entry.objects.count(),
        "kinds": len(found),
        "found": len(found) - len(missed),
        "missed": missed,
        "genuine": "OK" if genuine == OK else said,
    }
    goal = f"{len(found)} tamperings by root before the last stamp, all after it rewritten: found offline by the stamps"
    return verdict_of("rewritten by root", goal, counts, "missed", reached=genuine == OK)


def judged_after(attack: Any, authority: StampAuthority, folder: Path) -> tuple[int, str]:
    """What the verifier says of the earliest pack after an attack, which is taken back; the heads are those of then."""
    from django.conf import settings
    from django.db import transaction

    from audit.proof.evidence import VERIFIER
    from benchmarks.forging import check
    from benchmarks.rewriting import clocks_at, first_pack, stamp_again, tamper_unseen

    kept = settings.LEDGER_HEADS.read_bytes()
    with clocks_at(REWRITTEN_AT_H, authority), transaction.atomic():
        if attack is not None:
            tamper_unseen(attack)
        pack = first_pack(folder)
        stamp_again()
        transaction.set_rollback(True)
    stamps = ("--stamps", settings.LEDGER_HEADS, "--authority", authority.root)
    told = check(VERIFIER, pack, *stamps, path=os.defpath)
    settings.LEDGER_HEADS.write_bytes(kept)
    return told


def is_found(name: str, code: int, said: str) -> bool:
    """An end that was cut off leaves nothing that is wrong, but a time for which there is no stamp."""
    from benchmarks.forging import BAD, CONSISTENT

    if name == "the end cut off" and code == CONSISTENT:
        return "that nothing was cut off: there is no stamp for" in said
    return code == BAD and "first stamped" in said
