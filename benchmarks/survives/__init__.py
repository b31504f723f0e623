"""`python -m benchmarks survives`: a real installation is hit; goal, measured and verdict of each drill."""

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.survives.verdicts import Verdict, as_figures

if TYPE_CHECKING:
    from benchmarks.survives.site import Site

PARTS = (
    *("tampering", "kills", "files", "fairness", "formulas", "parallel", "packs", "payloads", "provider", "disk"),
    *("restarts", "stops", "hangs", "strangers", "deploy", "servers"),
)
# Of the short form; the others last minutes, and tests hold what they show.
SHORT_PARTS = tuple(part for part in PARTS if part not in ("restarts", "stops", "hangs", "strangers"))
DAMAGED = {True: 6, False: 120}  # generated files beside those made by hand, by whether it is short
# Documents, questions, kills among each, and how much of the work is done at the last.
KILLS = {True: (10, 16, 5, 4, 0.0), False: (100, 200, 50, 50, 0.9)}
ASKED = {True: 16, False: 200}  # each alone, then all at once
RESTARTS = {True: 2, False: 50}  # of the worker that answers, with eight questions waiting each
ROUNDS = {True: 2, False: 30}  # of payloads; with thirty each stands alone
WAITING = {True: 40, False: 500}  # files of one person, before the one of another
VECTORS = 80_000  # of long files of one person, beside a short one of another; only in the long form
SEED = 1
OUTAGE_S = {True: 20.0, False: 300.0}
AWAY_S = {True: 5.0, False: 30.0}


def run(parts: Sequence[str], *, is_short: bool, data: Path | None = None) -> dict[str, Any]:
    """The drills at one installation, which is made for them and removed; without `parts` those of the form."""
    from benchmarks.survives.site import installed

    began = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it, nothing is left behind
    with installed() as site:
        from benchmarks.retrieval import commit  # needs Django

        verdicts = list(drills(site, parts or (SHORT_PARTS if is_short else PARTS), is_short=is_short, data=data))
    return {
        "commit": commit(),
        "is_short": is_short,
        "seconds": round(time.monotonic() - began),
        "verdicts": as_figures(verdicts),
    }


def drills(site: "Site", parts: Sequence[str], *, is_short: bool, data: Path | None) -> Iterator[Verdict]:
    """What was killed comes back after a minute; other drills use that time.

    A worker tells of a killed process ten seconds later (billiard), so whoever reads the logs for faults comes before.
    """
    from benchmarks.survives import (
        deploy,
        disk,
        fairness,
        files,
        hangs,
        packs,
        parallel,
        payloads,
        provider,
        restarts,
        servers,
        sinks,
        stops,
        strangers,
        tampering,
    )
    from benchmarks.survives.kills import Kills
    from benchmarks.survives.mutations import damaged, handmade

    kills = Kills(site, *KILLS[is_short])
    hostile = [*handmade(), *damaged(DAMAGED[is_short], SEED)]
    steps: list[tuple[str, Callable[[], Iterable[Verdict] | None]]] = [
        ("tampering", lambda: tampering.drill(site)),  # rewrites the whole record fifteen times: it is short yet
        ("files", lambda: files.drill(site, hostile, "Hostile files")),
        ("files", lambda: files.drill(site, files.from_folder(data), "Files of a folder") if data else None),
        ("fairness", lambda: fairness.drill(site, WAITING[is_short])),
        ("fairness", lambda: None if is_short else fairness.drill_long(site, VECTORS)),
        ("kills", kills.begin),
        ("formulas", lambda: sinks.drill(site)),
        ("parallel", lambda: parallel.drill(site, ASKED[is_short])),
        ("packs", lambda: packs.drill(site)),
        ("payloads", lambda: payloads.drill(site, ROUNDS[is_short])),
        ("provider", lambda: provider.drill(site, OUTAGE_S[is_short])),
        ("kills", kills.verdicts),
        ("disk", lambda: disk.drill(site)),
        ("restarts", lambda: restarts.drill(site, RESTARTS[is_short])),
        ("stops", lambda: stops.drill(site)),
        ("hangs", lambda: hangs.drill(site, AWAY_S[is_short])),
        ("strangers", lambda: strangers.drill(site)),
        ("deploy", lambda: deploy.drill(site)),
        ("servers", lambda: servers.drill(site, AWAY_S[is_short])),
    ]
    for part, do in steps:
        if part in parts:
            yield from (replace(verdict, part=part) for verdict in do() or ())
