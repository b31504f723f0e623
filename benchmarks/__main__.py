"""`python -m benchmarks retrieval | requests | speed | scale --data DIR --questions FILE`, `… parsing --data DIR`, `… audit`."""

import argparse
import json
import os
import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from benchmarks.scratch import installation

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.questions import GoldQuestion
    from retrieval.types import ConceptTerms

ROOT = Path(__file__).resolve().parent.parent
AUDIT_PARTS = ("faults", "replays", "append", "tampering", "verify", "pages", "export", "lasting")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    retrieval = commands.add_parser("retrieval", help="quality on questions with gold evidence")
    retrieval.add_argument("--data", type=Path, required=True, help="the folder the question file's paths start from")
    retrieval.add_argument("--questions", type=Path, required=True, help="a JSON Lines file of questions")
    retrieval.add_argument("--arbiter", choices=["rules", "none", "model", "hybrid", "rerank"], default="rules")
    retrieval.add_argument("--replies", type=Path, help="a folder of kept replies, for --arbiter model")
    retrieval.add_argument(
        "--scope",
        choices=["document", "base"],
        default="document",
        help="ask of the gold document, or of every document of its folder at once",
    )
    retrieval.add_argument("--no-baselines", action="store_true", help="leave out the neighbours")
    retrieval.add_argument("--out", type=Path, help="where to write everything as JSON")
    requests = commands.add_parser("requests", help="the arbiter's requests as files, to be answered elsewhere")
    requests.add_argument("--data", type=Path, required=True, help="the folder the question file's paths start from")
    requests.add_argument("--questions", type=Path, required=True, help="a JSON Lines file of questions")
    requests.add_argument("--out", type=Path, required=True, help="the folder to write <digest>.json into")
    speed = commands.add_parser("speed", help="retrieval without a model on a long filing, beside rank_bm25")
    scale = commands.add_parser("scale", help="how the choice of documents grows with the rows of a base")
    arbiter = commands.add_parser("arbiter", help="the size of the one call, and the time we add to the model's own")
    derived = commands.add_parser("derived", help="figures computed by code, against the gold answers")
    for measuring in (speed, scale, arbiter, derived):
        measuring.add_argument(
            "--data", type=Path, required=True, help="the folder the question file's paths start from"
        )
        measuring.add_argument("--questions", type=Path, required=True, help="a JSON Lines file of questions")
        measuring.add_argument("--out", type=Path, help="where to write everything as JSON")
    for asking in (retrieval, requests, speed, scale, arbiter, derived):
        asking.add_argument(
            "--dictionary",
            choices=["packs", "none"],
            default="packs",
            help="the expert dictionary: the packs that ship, as every new base has them, or none",
        )
    parsing = commands.add_parser("parsing", help="how well and how fast documents are read")
    parsing.add_argument("--data", type=Path, required=True, help="a folder of PDFs, with or without question files")
    parsing.add_argument("--out", type=Path, help="where to write everything as JSON")
    audit = commands.add_parser("audit", help="the record under faults, load and attack; and the pages of the audit")
    audit.add_argument("--part", nargs="+", choices=AUDIT_PARTS, default=AUDIT_PARTS, help="what to measure")
    audit.add_argument("--questions", type=int, default=1000, help="asked under faults")
    audit.add_argument("--entries", type=int, default=100_000, help="in the ledger that is verified")
    audit.add_argument("--runs", type=int, default=100_000, help="in the lists that are opened")
    audit.add_argument("--out", type=Path, help="where to write everything as JSON")
    pages = commands.add_parser("pages", help="weight and time of pages, from a real web server")
    pages.add_argument(
        "--document", type=Path, nargs="*", default=[], help="PDFs beside the samples; the longest is opened"
    )
    pages.add_argument("--out", type=Path, help="where to write everything as JSON")
    api = commands.add_parser("api", help="the API against its own description, by generated requests")
    api.add_argument("--cases", type=int, default=6000, help="requests, an equal share to each operation")
    api.add_argument("--out", type=Path, help="where to write everything as JSON")
    canaries = commands.add_parser("canaries", help="does anything of one base ever reach a person of another")
    canaries.add_argument("--questions", type=int, default=500, help="asked in two bases of 50 facts each, in turn")
    canaries.add_argument("--out", type=Path, help="where to write everything as JSON")
    anchors = commands.add_parser("anchors", help="is every quote literal, in the chat, the audit and to programs")
    anchors.add_argument("--data", type=Path, required=True, help="the folder the question files' paths start from")
    anchors.add_argument("--questions", type=Path, required=True, nargs="+", help="JSON Lines files of questions")
    anchors.add_argument("--out", type=Path, help="where to write everything as JSON")
    hostile = commands.add_parser("hostile", help="documents that give orders, and a model that obeys them")
    hostile.add_argument("--out", type=Path, help="where to write everything as JSON")
    quotes = commands.add_parser("quotes", help="calibration on changed quotes, and crops of the page read back")
    quotes.add_argument("--data", type=Path, required=True, help="the folder with papers/ and financebench/")
    quotes.add_argument("--mutations", type=int, default=10_000, help="quotes changed at random")
    quotes.add_argument("--crops", type=int, default=2_000, help="quotes whose boxes are cropped and read")
    quotes.add_argument("--out", type=Path, help="where to write everything as JSON")
    wording = commands.add_parser("wording", help="on how many questions of each set every word of the rules fires")
    weights = commands.add_parser("weights", help="fit the ranking weights on one half of the sets, judge on the other")
    for fitting in (wording, weights):
        fitting.add_argument("--data", type=Path, required=True, help="the folder the question files' paths start from")
        fitting.add_argument("--questions", type=Path, required=True, nargs="+", help="JSON Lines files of questions")
        fitting.add_argument("--out", type=Path, help="where to write everything as JSON")
    weights.add_argument(
        "--names", nargs="+", default=[], help="the weights that may move, if not all: KEYWORD_WEIGHT …"
    )
    weights.add_argument("--rounds", type=int, default=3, help="of the search, at most")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
    if options.command == "audit":
        with installation():
            return run_audit(options)
    if options.command == "pages":
        with installation():
            return run_pages(options)
    if options.command == "api":
        with installation():
            return run_api(options)
    if options.command == "canaries":
        os.environ.setdefault("DOCINTEL_LOG_LEVEL", "ERROR")  # of what is refused there would be thousands of lines
        with installation():
            return run_canaries(options)
    if options.command == "anchors":
        with installation():
            return run_anchors(options)
    if options.command == "hostile":
        with installation():
            return run_hostile(options)
    if options.command == "parsing":
        with installation():
            return run_parsing(options)
    if options.command == "scale" or (options.command == "retrieval" and options.scope == "base"):
        from benchmarks.shelf import database

        with database():
            return {"retrieval": run_scope, "scale": run_growth}[options.command](options)
    django.setup()
    runs = {"requests": run_requests, "retrieval": run_retrieval, "speed": run_speed}
    runs |= {"arbiter": run_arbiter, "derived": run_derived, "quotes": run_quotes}
    runs |= {"wording": run_wording, "weights": run_weights}
    return runs[options.command](options)


def run_audit(options: argparse.Namespace) -> int:
    from benchmarks import audit

    figures = audit.run(tuple(options.part), questions=options.questions, entries=options.entries, listed=options.runs)
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1, default=str))
    return 0


def run_api(options: argparse.Namespace) -> int:
    from benchmarks import contract

    figures = contract.run(options.cases)
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    return 1 if figures["server_errors"] or figures["schema_breaks"] else 0


def run_canaries(options: argparse.Namespace) -> int:
    from benchmarks import canaries

    figures = canaries.run(options.questions)
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    return 1 if figures["leaks"] else 0


def run_pages(options: argparse.Namespace) -> int:
    from benchmarks import pages

    figures = pages.run(options.document)
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    print(f"commit {figures['commit']}, load {figures['load']}")
    for name, row in {**figures["pages"], "pictures of pages": figures["images"]}.items():
        print(f"{name:34}  {row}")
    return 0


def run_parsing(options: argparse.Namespace) -> int:
    from benchmarks import parsing
    from benchmarks.questions import QuestionFileError

    try:
        figures = parsing.run(options.data)
    except (OSError, QuestionFileError) as error:
        print(f"The folder cannot be measured: {error}", file=sys.stderr)
        return 1
    if not figures["documents"]:
        print(f"No readable PDF in {options.data}", file=sys.stderr)
        return 1
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    for name in parsing.PRINTED:
        print(f"{name:34}  {figures[name]}")
    return 0


def asked_questions(options: argparse.Namespace) -> "list[GoldQuestion]":
    """The questions of the file; none, and why on the error stream, when they or their documents are not there."""
    from benchmarks.questions import QuestionFileError, load_questions

    try:
        questions = load_questions(options.questions)
    except (OSError, QuestionFileError) as error:
        print(f"The questions cannot be read: {error}", file=sys.stderr)
        return []
    missing = sorted({one.document for one in questions if not (options.data / one.document).is_file()})
    if missing or not questions:
        print(f"Not in {options.data}: {', '.join(missing) or 'any question'}", file=sys.stderr)
        return []
    return questions


def chosen_dictionary(options: argparse.Namespace) -> "tuple[ConceptTerms, ...]":
    from retrieval.dictionary.load import pack_concepts

    return pack_concepts() if options.dictionary == "packs" else ()


def run_requests(options: argparse.Namespace) -> int:
    from benchmarks import requests
    from benchmarks.library import Library

    questions = asked_questions(options)
    if not questions:
        return 1
    exported = requests.export(questions, Library(options.data), options.out, chosen_dictionary(options))
    for name, figure in exported.items():
        print(f"{name:20}  {figure}")
    return 0


def run_retrieval(options: argparse.Namespace) -> int:
    from benchmarks import retrieval
    from benchmarks.library import Library
    from benchmarks.requests import kept_replies

    if options.replies and (options.arbiter != "model" or not options.replies.is_dir()):
        print("--replies needs --arbiter model and a folder that exists.", file=sys.stderr)
        return 1
    questions = asked_questions(options)
    if not questions:
        return 1
    with kept_replies(options.replies) if options.replies else nullcontext() as replies:
        figures = retrieval.run(
            questions,
            Library(options.data),
            arbiter=options.arbiter,
            baselines=not options.no_baselines,
            dictionary=chosen_dictionary(options),
        )
    if replies:
        figures["replies"] = {"asked": len(replies.bodies), "missing": replies.missing}
        print(f"{len(replies.bodies)} requests, {len(replies.missing)} without a kept reply")
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    print_figures(figures)
    return 0


def run_scope(options: argparse.Namespace) -> int:
    from benchmarks import scope
    from benchmarks.library import Library

    if options.replies or options.arbiter == "model":
        print("--scope base is measured with the rules or with none.", file=sys.stderr)
        return 1
    questions = asked_questions(options)
    if not questions:
        return 1
    figures = scope.run(
        questions, Library(options.data), arbiter=options.arbiter, dictionary=chosen_dictionary(options)
    )
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    print(f"{figures['questions']} questions of {figures['documents']} documents at once, commit {figures['commit']}")
    for name in scope.PRINTED:
        print(f"{name:28}  {figures[name]}")
    return 0


def run_speed(options: argparse.Namespace) -> int:
    from benchmarks import speed
    from benchmarks.library import Library

    return run_measure(options, lambda asked: speed.run(asked, Library(options.data), chosen_dictionary(options)))


def run_arbiter(options: argparse.Namespace) -> int:
    from benchmarks import arbiter
    from benchmarks.library import Library

    return run_measure(options, lambda asked: arbiter.run(asked, Library(options.data), chosen_dictionary(options)))


def run_derived(options: argparse.Namespace) -> int:
    from benchmarks import derived
    from benchmarks.library import Library

    return run_measure(options, lambda asked: derived.run(asked, Library(options.data), chosen_dictionary(options)))


def run_quotes(options: argparse.Namespace) -> int:
    from benchmarks import quotes

    figures = quotes.run(options.data, options.mutations, options.crops)
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    for name in quotes.PRINTED:
        print(f"{name:16}  {figures[name]}")
    return 1 if figures["violations"] else 0


def run_hostile(options: argparse.Namespace) -> int:
    from benchmarks import hostile

    figures = hostile.run()
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    for name in hostile.PRINTED:
        print(f"{name:18}  {figures[name]}")
    return 1 if any(figures["effects"].values()) or not figures["record_verifies"] else 0


def run_anchors(options: argparse.Namespace) -> int:
    from benchmarks import anchors
    from benchmarks.library import Library

    sets = [asked_questions(argparse.Namespace(data=options.data, questions=path)) for path in options.questions]
    if not all(sets):
        return 1
    figures = anchors.run([question for asked in sets for question in asked], Library(options.data))
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    for name in anchors.PRINTED:
        print(f"{name:12}  {figures[name]}")
    return 0


def run_wording(options: argparse.Namespace) -> int:
    from benchmarks import fitted

    sets = asked_sets(options)
    if not sets:
        return 1
    rows = fitted.run(sets)
    if options.out:
        options.out.write_text(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1))
    print(f"{len(rows)} words and alternatives; those that fire on one question only, and its set:")
    for row in (row for row in rows if row.total == 1):
        [name] = [name for name, count in row.counts.items() if count]
        print(f"{name:14}  {row.file}  {row.section}  {row.text}")
    return 0


def run_weights(options: argparse.Namespace) -> int:
    from benchmarks import weights
    from benchmarks.library import Library
    from retrieval.dictionary.load import pack_concepts

    sets = asked_sets(options)
    if not sets:
        return 1
    figures = weights.run(sets, Library(options.data), pack_concepts(), names=options.names, rounds=options.rounds)
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    for when in ("before", "after"):
        for half, found in figures[when].items():
            print(f"{when:7} {half:9} {found['measure']:.4f}  {found['sets']}")
    print(f"changed: {figures['changed'] or 'nothing'}; held-out half no worse: {figures['held_out_is_no_worse']}")
    return 0


def asked_sets(options: argparse.Namespace) -> "dict[str, list[GoldQuestion]]":
    """The questions of each file, by its name; none when one cannot be read."""
    sets = {
        path.stem: asked_questions(argparse.Namespace(data=options.data, questions=path)) for path in options.questions
    }
    return sets if all(sets.values()) else {}


def run_growth(options: argparse.Namespace) -> int:
    from benchmarks import scale
    from benchmarks.library import Library

    return run_measure(options, lambda asked: scale.run(asked, Library(options.data), chosen_dictionary(options)))


def run_measure(options: argparse.Namespace, measure: "Callable[[list[GoldQuestion]], dict[str, Any]]") -> int:
    """Take the figures of a question file, write them, and print one a line."""
    questions = asked_questions(options)
    if not questions:
        return 1
    figures = measure(questions)
    if options.out:
        options.out.write_text(json.dumps(figures, ensure_ascii=False, indent=1))
    for name, figure in figures.items():
        print(f"{name:20}  {figure}")
    return 0


def print_figures(figures: dict[str, Any]) -> None:
    """The table people read: one row a method, the same columns."""
    columns = ["1", "3", "5", "10", "pool"]
    print(f"{figures['questions']} questions, commit {figures['commit']}, arbiter {figures['settings']['arbiter']}")
    print(f"{'gold page among the first':28}" + "".join(f"{column:>8}" for column in columns))
    rows = {"docintel": figures, **figures["baselines"]}
    for name, row in rows.items():
        cells = [row["page_hit"].get(column) for column in columns]
        print(f"{name:28}" + "".join(f"{'–' if cell is None else format(cell, '.3f'):>8}" for cell in cells))
    for name in ("section_hit", "literal_anchor_rate", "false_not_found", "absent_refused", "not_found", "vectors_on"):
        print(f"{name:28}  {figures[name]}")
    latency = figures["latency_ms"]
    print(f"{'latency_ms':28}  p50 {latency['p50']}, p95 {latency['p95']}")
    for stage, figure in latency["by_stage"].items():
        print(f"{'  ' + stage:28}  p50 {figure['p50']}, p95 {figure['p95']}")


def in_a_sentence() -> int | str:
    """The exit code of `main`; a package that only development brings is named with how to install it."""
    try:
        return main()
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package and (ROOT / package).exists():
            raise  # of our own: a fault
        pip = f"{sys.executable} -m pip install -r requirements-dev.txt"
        return f"The benchmarks need the development packages ({error}). In {ROOT}: {pip}"


if __name__ == "__main__":
    raise SystemExit(in_a_sentence())
