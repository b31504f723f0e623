"""`manage.py golden_set --base NAME`: write the reviewed questions for the benchmarks, or check a change by them."""

import json
import shutil
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import override

from audit.review.golden import (
    Golden,
    GoldenCheck,
    check_golden,
    file_name_of,
    golden_of,
    question_rows,
    record_check,
    reviewed_runs,
    say_check,
)
from audit.review.replay import Judge
from documents.access import find_base
from documents.models import Document, KnowledgeBase

ACTOR = "console"


class Command(BaseCommand):
    help = (
        "Write what auditors reviewed as a folder that `python -m benchmarks retrieval` reads, or judge the stored "
        "briefs again (--check) and say which reviewed verdicts the present model, prompt or rules would break."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--base", required=True, metavar="NAME")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--out", type=Path, metavar="DIR", help="write DIR/questions.jsonl and the documents")
        what.add_argument("--check", choices=["rules", "model"], help="judge again; exit 1 when a verdict breaks")
        parser.add_argument("--model", default="", help="with --check model: another model than the configured one")
        parser.add_argument("--last", type=int, metavar="N", help="the last N reviewed runs only")
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        base = find_base(options["base"])
        runs = list(reviewed_runs(base)[: options["last"]])
        if options["out"]:
            self.write([golden for golden in map(golden_of, runs) if golden], options["out"])
        else:
            judge = Judge(options["check"], model=options["model"])
            self.judge_again(base, runs, judge, as_json=options["json"])

    def write(self, goldens: Sequence[Golden], folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        rows = list(question_rows(goldens))
        named = {row["document"] for row in rows}
        missing = [name for name in sorted(named) if not copy_document(name, goldens, folder)]
        kept = [row for row in rows if row["document"] not in missing]
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
        (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
        for name in missing:
            self.stderr.write(f"{name} is not here any more; its questions are left out.")
        self.stdout.write(
            f"{len(kept)} questions over {len(named) - len(missing)} documents in {folder}. Now: "
            f"python -m benchmarks retrieval --data {folder} --questions {folder / 'questions.jsonl'}"
        )

    def judge_again(self, base: KnowledgeBase, runs: Sequence[Any], judge: Judge, *, as_json: bool) -> None:
        found = check_golden(runs, judge, ACTOR)
        record_check(base, found, ACTOR)
        if as_json:
            self.stdout.write(json.dumps(asdict(found), indent=2, ensure_ascii=False))
        else:
            self.write_check(found)
        if found.broken:
            raise CommandError(f"{len(found.broken)} of {found.verdicts} reviewed verdicts would break.")

    def write_check(self, found: GoldenCheck) -> None:
        with override("en"):
            ending = say_check(len(found.broken) + found.still_wrong, found.verdicts, len(found.not_judged))
        styles = {"ok": self.style.SUCCESS, "warn": self.style.WARNING, "fail": self.style.ERROR}
        self.stdout.write(styles[ending.kind](f"{ending.words}."))
        self.stdout.write(describe_check(found))


def copy_document(name: str, goldens: Sequence[Golden], folder: Path) -> bool:
    """Copy the file a golden document was read from, found by digest; False if there is none."""
    shas = {seen["sha256"] for golden in goldens for seen in golden.run.scope if file_name_of(seen) == name}
    document = Document.objects.filter(sha256__in=shas).first()
    if document is None or not Path(document.file.path).exists():
        return False
    with document.file.open("rb") as source, open(folder / Path(name).name, "wb") as target:
        shutil.copyfileobj(source, target)
    return True


def describe_check(found: GoldenCheck) -> str:
    judge = f"{found.model}, prompt {found.prompt_version}" if found.model else found.arbiter
    head = (
        f"{found.verdicts} reviewed verdicts of {found.runs} runs, judged again by {judge}: {found.kept} stand, "
        f"{len(found.broken)} break, {found.mended} wrong ones are mended, {found.still_wrong} stay wrong."
    )
    broken = [
        f"  {each.wanted} → {each.now}: {each.section_title} ({each.candidate_id}), “{each.question}”"
        for each in found.broken
    ]
    return "\n".join([head, *broken, *(f"  not judged: {reason}" for reason in found.not_judged)])
