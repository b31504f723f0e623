"""`manage.py replay RUN…`: check that the request can be rebuilt, and whether the brief is judged the same again."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from audit.access_log import record_event
from audit.review.replay import CannotReplay, Judge, Rebuilt, Rejudged, rebuild, rejudge, summary
from documents.base_settings import BaseSettings, asking_as
from llm.models import LLMCall
from retrieval.models import RetrievalRun

REPEATS_MAX = 50
JudgedAnew = tuple[RetrievalRun, Rejudged | CannotReplay]


class Command(BaseCommand):
    help = "Rebuild the arbiter's requests from the stored rows and compare them; with --arbiter also judge anew."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("runs", nargs="*", type=UUID, metavar="RUN")
        parser.add_argument("--last", type=int, metavar="N", help="the last N runs a model judged")
        parser.add_argument("--arbiter", choices=["rules", "model"], help="judge the stored briefs again, too")
        parser.add_argument("--model", default="", metavar="NAME", help="with --arbiter model: another model")
        parser.add_argument("--prompt", choices=["current", "stored"], default="current", help="whose instructions")
        parser.add_argument("--repeat", type=int, default=1, metavar="N", help="judge N times, for the stability")
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["repeat"] <= REPEATS_MAX:
            raise CommandError(f"--repeat must lie between 1 and {REPEATS_MAX}.")
        runs = list(choose_runs(options["runs"], options["last"]))
        rebuilt = [found for found in map(rebuild, runs) if found]
        judge = Judge(options["arbiter"], options["model"], options["prompt"])
        judged = [(run, judge_anew(run, judge, options["repeat"])) for run in runs] if options["arbiter"] else []
        if options["json"]:
            self.stdout.write(json.dumps(findings(runs, rebuilt, judged), indent=2))
        else:
            self.write_findings(runs, rebuilt, judged)
        failed = [found for found in rebuilt if not found.ok]
        if failed:
            raise CommandError(f"{len(failed)} of {len(rebuilt)} replays differ, the first is run {failed[0].run_id}.")

    def write_findings(self, runs: list[RetrievalRun], rebuilt: list[Rebuilt], judged: list[JudgedAnew]) -> None:
        equal = sum(found.ok for found in rebuilt)
        self.stdout.write(
            f"{equal} of {len(rebuilt)} requests rebuilt byte for byte; {len(runs) - len(rebuilt)} runs asked no model."
        )
        for note in sorted({found.note for found in rebuilt if found.note}):
            self.stdout.write(f"Note: {note}.")
        for run, judgement in judged:
            if isinstance(judgement, CannotReplay):
                told = str(judgement)
            else:
                flips = [f"{flip.candidate_id} {flip.before} → {flip.after}" for flip in judgement.flips]
                told = f"stability {judgement.stability:.2f}; {'; '.join(flips) or 'no role flips'}"
            self.stdout.write(f"{run.pk}: {told}")


def judge_anew(run: RetrievalRun, judge: Judge, repeats: int) -> Rejudged | CannotReplay:
    """Judge a stored brief again and record that; or the reason why it cannot be."""
    try:
        with asking_as(BaseSettings.from_json(run.base.settings), run.base):
            found = rejudge(run, judge, repeats=repeats)
    except CannotReplay as error:
        return error
    calls = [str(LLMCall.objects.record(exchange).pk) for exchange in found.exchanges]
    record_event(None, "replay", run.pk, calls=calls, **summary(found))
    return found


def choose_runs(run_ids: list[UUID], last: int | None) -> Iterator[RetrievalRun]:
    runs = RetrievalRun.objects.select_related("llm_call")
    if last:
        yield from runs.exclude(llm_call=None)[:last]
    elif not run_ids:
        raise CommandError("Name runs, or --last N.")
    for run_id in run_ids:
        run = runs.filter(pk=run_id).first()
        if run is None:
            raise CommandError(f"There is no run {run_id}.")
        yield run


def findings(runs: list[RetrievalRun], rebuilt: list[Rebuilt], judged: list[JudgedAnew]) -> dict[str, object]:
    return {
        "runs": len(runs),
        "rebuilt": len(rebuilt),
        "equal": sum(found.ok for found in rebuilt),
        "differing": [asdict(found) | {"run_id": str(found.run_id)} for found in rebuilt if not found.ok],
        "judged": [judgement_json(*each) for each in judged],
    }


def judgement_json(run: RetrievalRun, found: Rejudged | CannotReplay) -> dict[str, object]:
    if isinstance(found, CannotReplay):
        return {"run": str(run.pk), "error": str(found)}
    return {"run": str(run.pk), **summary(found), "flips": [asdict(flip) for flip in found.flips]}
