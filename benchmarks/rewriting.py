"""Somebody with every right rewrites the past: the record, the chain after it, the file of heads and its stamps."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from audit.proof.evidence import NotRecorded, write_evidence
from benchmarks.tampering import Attack, NotPossible, cover_up, tampered
from ledger import chain, heads, stamps
from ledger.models import Entry
from retrieval.models import RetrievalRun
from tests.stamp_authority import StampAuthority

TRIES = 20  # a column that is null cannot be altered; the dice choose another


@contextmanager
def clocks_at(hours: float, authority: StampAuthority) -> Iterator[None]:
    """All clocks, ours, the database's for the ledger and the authority's, are so many hours from now."""
    real, before = timezone.now, authority.clock

    def now() -> datetime:
        return real() + timedelta(hours=hours)

    shifted = f"clock_timestamp() + interval '{hours * 3600:.0f} seconds'"
    append = chain.APPEND.replace("clock_timestamp()", shifted)
    authority.clock = timedelta(hours=hours)
    try:
        with patch.object(timezone, "now", now), patch.object(chain, "APPEND", append):
            yield
    finally:
        authority.clock = before


def tamper_unseen(attack: Attack) -> None:
    """Do it, make the chain fit, and write, sign and stamp the file of heads anew."""
    before = chain.head()
    known = set(Entry.objects.values_list("kind", "subject_id"))
    for seed in range(TRIES):
        try:
            with transaction.atomic():
                tampered(attack, random.Random(seed), [before])
                cover_up(known)
                if chain.head() == before:
                    raise NotPossible  # what was altered is computed anew: nothing is left of it
        except (NotPossible, IntegrityError):
            continue
        return rewrite_heads()
    raise AssertionError("it was never possible")


def rewrite_heads() -> None:
    """Keep the lines that still fit, stamps included, and add a fresh head to them."""
    path, now = settings.LEDGER_HEADS, dict(Entry.objects.values_list("sequence", "hash"))
    lines = [(line, json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(f"{line}\n" for line, told in lines if now.get(told["sequence"]) == told["hash"]))
    stamp_again()


def stamp_again() -> None:
    """Export the head of now, and have it stamped."""
    heads.add_head(settings.LEDGER_HEADS, chain.head(), settings.LEDGER_KEY)
    authority = stamps.own_authority()
    assert authority is not None
    stamps.stamp_waiting(settings.LEDGER_HEADS, settings.LEDGER_KEY, authority)


def pack_of(run: RetrievalRun, folder: Path) -> Path:
    path = folder / "pack.zip"
    with path.open("wb") as out:
        write_evidence(run, out, None)
    return path


def first_pack(folder: Path) -> Path:
    """The pack of the earliest run that is still there."""
    for run in RetrievalRun.objects.order_by("created_at"):
        try:
            return pack_of(run, folder)
        except NotRecorded:
            continue
    raise AssertionError("no run is left")
