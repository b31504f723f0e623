"""Every command of `python -m benchmarks`: one entry in COMMANDS says what it takes, measures, prints and fails on.

A measurement returns its figures, or None after printing on stderr why there are none.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from benchmarks.printing import (
    Figures,
    print_answers,
    print_cases,
    print_confidence,
    print_contextual,
    print_fields,
    print_json,
    print_named,
    print_nothing,
    print_pages,
    print_retrieval,
    print_rows,
    print_strategies,
    print_weights,
    print_wording,
)
from benchmarks.scratch import installation
from benchmarks.survives import PARTS as SURVIVAL_PARTS
from benchmarks.survives.verdicts import is_any_failed, print_verdicts
from benchmarks.vectors import CACHE

if TYPE_CHECKING:
    from benchmarks.questions import GoldQuestion
    from retrieval.types import ConceptTerms

AUDIT_PARTS = ("faults", "replays", "append", "tampering", "verify", "pages", "export")

Options = argparse.Namespace


def asked_questions(options: Options) -> "list[GoldQuestion]":
    """The questions of the file; None, with the reason on stderr, if they or their documents are missing."""
    from benchmarks.questions import QuestionFileError, load_questions

    try:
        questions = load_questions(options.questions)
    except (OSError, QuestionFileError) as error:
        complain(f"The questions cannot be read: {error}")
        return []
    missing = sorted({one.document for one in questions if not (options.data / one.document).is_file()})
    if missing or not questions:
        complain(f"Not in {options.data}: {', '.join(missing) or 'any question'}")
        return []
    return questions


def asked_sets(options: Options) -> "dict[str, list[GoldQuestion]]":
    """The questions of each file, by its name; None if one of them cannot be read."""
    sets = {path.stem: asked_questions(Options(data=options.data, questions=path)) for path in options.questions}
    return sets if all(sets.values()) else {}


def asked_in_sets(options: Options) -> "list[GoldQuestion]":
    return list(chain.from_iterable(asked_sets(options).values()))


def measure_confidence(options: Options) -> Figures | None:
    from benchmarks import confidence
    from benchmarks.library import Library

    sets = asked_sets(options)
    if not sets:
        return None
    figures = confidence.run(sets, Library(options.data), chosen_dictionary(options), options.unread)
    if options.write:
        confidence.write_fit(figures)
        if not options.unread:
            confidence.PICTURE.write_text(confidence.draw_curve(figures), encoding="utf-8")
    return figures


def chosen_dictionary(options: Options) -> "tuple[ConceptTerms, ...]":
    from retrieval.dictionary.load import pack_concepts

    return pack_concepts() if getattr(options, "dictionary", "packs") == "packs" else ()


VALUES: dict[str, Callable[[Options], Any]] = {"dictionary": chosen_dictionary}  # what an option stands for


def measure(
    module: str,
    *names: str,
    asked: Callable[[Options], Any] | None = None,
    function: str = "run",
    **renamed: str,
) -> Callable[[Options], Figures | None]:
    """What a module measures with these options, some of which it calls otherwise.

    With `asked` it is given those questions first, and the library of their documents; without questions it does not
    run.
    """

    def take(options: Options) -> Figures | None:
        run: Callable[..., Figures] = getattr(import_module(f"benchmarks.{module}"), function)
        wanted = {name: name for name in names} | renamed
        given = {argument: VALUES.get(name, attrgetter(name))(options) for argument, name in wanted.items()}
        if asked is None:
            return run(**given)
        from benchmarks.library import Library

        questions = asked(options)
        return run(questions, Library(options.data), **given) if questions else None

    return take


def complain(message: str) -> None:
    print(message, file=sys.stderr)


def measure_retrieval(options: Options) -> Figures | None:
    if options.scope == "base" and (options.replies or options.arbiter == "model"):
        complain("--scope base is measured with the rules or with none.")
        return None
    if options.scope == "base":
        return measure("scope", "arbiter", "dictionary", asked=asked_questions)(options)
    return measure_documents(options)


def measure_documents(options: Options) -> Figures | None:
    from benchmarks import retrieval
    from benchmarks.library import Library
    from benchmarks.narrowed import narrowing
    from benchmarks.requests import kept_replies

    if options.replies and (options.arbiter != "model" or not options.replies.is_dir()):
        complain("--replies needs --arbiter model and a folder that exists.")
        return None
    questions = asked_questions(options)
    if not questions:
        return None
    replying = kept_replies(options.replies) if options.replies else nullcontext()
    with replying as replies, narrowing() if options.narrowed else nullcontext():
        figures = retrieval.run(
            questions,
            Library(options.data),
            arbiter=options.arbiter,
            baselines=not options.no_baselines,
            dictionary=chosen_dictionary(options),
        )
    if replies:
        figures["replies"] = {"asked": len(replies.bodies), "missing": replies.missing}
    return figures


def measure_parsing(options: Options) -> Figures | None:
    from benchmarks import parsing
    from benchmarks.questions import QuestionFileError

    try:
        figures = parsing.run(options.data)
    except (OSError, QuestionFileError) as error:
        complain(f"The folder cannot be measured: {error}")
        return None
    if not figures["documents"]:
        complain(f"No readable PDF in {options.data}")
        return None
    return figures


def measure_answers(options: Options) -> Figures | None:
    from benchmarks import answers
    from benchmarks.library import Library

    if (options.replies or options.requests) and options.arbiter != "model":
        complain("--replies and --requests need --arbiter model.")
        return None
    model = {"with_model": options.arbiter == "model", "replies": options.replies, "out": options.requests}
    sets = asked_sets(options)
    return {name: answers.run(asked, Library(options.data), **model) for name, asked in sets.items()} if sets else None


def measure_cases(options: Options) -> Figures | None:
    from benchmarks import cases

    try:
        folders = {folder: cases.load_cases(folder, options.only) for folder in options.data}
    except cases.CaseError as error:
        complain(f"The cases cannot be asked: {error}")
        return None
    figures = cases.run(folders)
    cases.write_said(figures, options.said)
    return figures | {"said": str(options.said)}


def measure_wording(options: Options) -> Figures | None:
    from benchmarks import fitted

    sets = asked_sets(options)
    return {"words": [asdict(row) for row in fitted.run(sets)]} if sets else None


def measure_contextual(options: Options) -> Figures | None:
    from benchmarks import contextual
    from benchmarks.library import Library

    sets = asked_sets(options)
    if options.documents:
        sets = {name: [one for one in asked if one.document in options.documents] for name, asked in sets.items()}
    if not sets or not all(sets.values()):
        complain("No question of a set is about the documents.")
        return None
    try:
        return contextual.run(
            sets, Library(options.data), chosen_dictionary(options), options.replies, options.requests
        )
    except contextual.ReplyFileError as error:
        complain(f"The replies cannot be used: {error}")
        return None


def measure_drawn(options: Options) -> Figures | None:
    from benchmarks import cases, drawn

    questions = asked_in_sets(options)
    try:
        of_cases = cases.load_cases(options.cases) if options.cases else []
    except cases.CaseError as error:
        complain(f"The cases cannot be asked: {error}")
        return None
    asked = [drawn.Asked(each.id, each.question, (options.data / each.document,)) for each in questions]
    asked += [
        drawn.Asked(each.id, each.question, tuple(options.cases / name for name in each.files)) for each in of_cases
    ]
    return drawn.run(asked, options.quotes) if questions else None


# ---- the environment of a measurement; Django is set up inside


@contextmanager
def django_alone(options: Options) -> Iterator[None]:
    django.setup()
    yield


def quietly_alone(options: Options) -> AbstractContextManager[None]:
    os.environ.setdefault("DOCINTEL_LOG_LEVEL", "ERROR")  # peers say at length what they load
    return django_alone(options)


def own_installation(options: Options) -> AbstractContextManager[None]:
    return installation()


def installation_for_contract(options: Options) -> AbstractContextManager[None]:
    import_module("schemathesis")  # what is missing is said before a server is started for nothing
    return installation()


def quiet_installation(options: Options) -> AbstractContextManager[None]:
    os.environ.setdefault("DOCINTEL_LOG_LEVEL", "ERROR")  # refused requests would log thousands of lines
    return installation()


def kept_database(options: Options) -> AbstractContextManager[None]:
    from benchmarks.shelf import database

    return database()


def where_scope_asks(options: Options) -> AbstractContextManager[None]:
    return kept_database(options) if options.scope == "base" else django_alone(options)


def where_scale_grows(options: Options) -> AbstractContextManager[None]:
    from benchmarks.shelf import database

    return database(options.home) if options.home else installation()


# ---- the table


Option = tuple[str, Mapping[str, Any]]  # of the command line: its name, and how argparse takes it


def option(name: str, **settings: Any) -> Option:
    return name, settings


@dataclass(frozen=True)
class Command:
    """`around` is entered before measuring; `is_failed` makes the exit code of figures that were taken."""

    help: str
    options: tuple[Option, ...]
    measure: Callable[[Options], Figures | None]
    show: Callable[[Figures], None] = print_rows
    around: Callable[[Options], AbstractContextManager[None]] = django_alone
    is_failed: Callable[[Figures], bool] = lambda figures: False


OUT = option("--out", type=Path, help="where to write everything as JSON")
DATA = option("--data", type=Path, required=True, help="the folder the question file's paths start from")
QUESTIONS = option("--questions", type=Path, required=True, help="a JSON Lines file of questions")
DICTIONARY = option(
    "--dictionary",
    choices=["packs", "none"],
    default="packs",
    help="the expert dictionary: the packs that ship, as every new base has them, or none",
)
ASKING = (DATA, QUESTIONS, DICTIONARY, OUT)
SETS = (DATA, option("--questions", type=Path, required=True, nargs="+", help="JSON Lines files of questions"))
FIELD_SETS = sorted((Path(__file__).parent / "questions" / "fields").glob("*.json"))

COMMANDS: dict[str, Command] = {
    "retrieval": Command(
        "quality on questions with gold evidence",
        (
            *ASKING,
            option("--arbiter", choices=["rules", "none", "model", "hybrid", "rerank"], default="rules"),
            option("--replies", type=Path, help="a folder of kept replies, for --arbiter model"),
            option(
                "--scope",
                choices=["document", "base"],
                default="document",
                help="ask of the gold document, or of every document of its folder at once",
            ),
            option("--no-baselines", action="store_true", help="leave out the neighbours"),
            option("--narrowed", action="store_true", help="search only the sections titles and lines agree on"),
        ),
        measure_retrieval,
        print_retrieval,
        where_scope_asks,
    ),
    "requests": Command(
        "the arbiter's requests as files, to be answered elsewhere",
        (
            *(DATA, QUESTIONS, DICTIONARY),
            option("--out", dest="folder", type=Path, required=True, help="the folder to write <digest>.json into"),
            option("--replies", type=Path, help="replies to earlier requests: only what has none is written"),
        ),
        measure("requests", "dictionary", "replies", asked=asked_questions, function="export", out="folder"),
    ),
    "strategies": Command(
        "contextual retrieval (150 + 150 passages, fused and reranked) beside the arbiter: quality, tokens and time",
        (
            *SETS,
            DICTIONARY,
            option(
                "--replies", type=Path, help="replies of a model to the arbiter's requests; without, its row is open"
            ),
            OUT,
        ),
        measure("strategies", "dictionary", "replies", asked=asked_sets),
        print_strategies,
    ),
    "techniques": Command(
        "what each technique of contextual retrieval adds: how often no passage on a gold page is among the first",
        (*SETS, OUT),
        measure("techniques", asked=asked_sets),
        print_strategies,
    ),
    "contextual": Command(
        "contextual retrieval with a model's sentences and order, and the arbiter, from files of replies: also cost",
        (
            DATA,
            option("--questions", type=Path, required=True, nargs="+", help="JSON Lines files of questions"),
            option("--documents", nargs="+", default=[], help="ask of these only, by their paths from --data"),
            DICTIONARY,
            option("--replies", type=Path, help="a folder with annotation/, arbiter/ and rerank/"),
            option("--requests", type=Path, help="a folder to write what has no reply into"),
            OUT,
        ),
        measure_contextual,
        print_contextual,
    ),
    "claims": Command(
        "does the claim check stop wrong sentences and let right ones pass",
        (
            DATA,
            option("--replies", type=Path, help="replies to the requests: what has none is not counted"),
            option("--requests", type=Path, help="a folder to write the requests without a reply into"),
            OUT,
        ),
        measure("claims", "data", "replies", out="requests"),
        print_named("claims", 18),
    ),
    "figures": Command(
        "figures computed as a writer's replies ask for them, against the gold answers",
        (
            *ASKING,
            option("--replies", type=Path, help="replies to the requests: what has none is not counted as right"),
            option("--requests", type=Path, help="a folder to write the requests without a reply into"),
            option("--arbiter-replies", type=Path, help="replies of the arbiter; without them the rules judge"),
            option(
                "--evidence",
                choices=["gold", "retrieved"],
                default="gold",
                help="what the writer is given: the gold pages first, or only what was retrieved",
            ),
        ),
        measure(
            "figures", "dictionary", "evidence", "replies", "arbiter_replies", asked=asked_questions, out="requests"
        ),
        print_named("figures", 16),
    ),
    "speed": Command(
        "a question without a model and an ingest, beside LangChain, FAISS, rank_bm25 and bare extraction",
        (
            *ASKING,
            option("--rounds", type=int, default=3, help="how often each question is asked"),
            option("--ingests", type=int, default=2, help="how often the filing is read and embedded"),
        ),
        measure("speed", "dictionary", "rounds", "ingests", asked=asked_questions),
        around=quietly_alone,
    ),
    "scale": Command(
        "how a question to a base, and to one document in it, grow with the passages of the base",
        (
            option("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="in passages, grown to in turn"),
            option("--home", type=Path, help="a folder to keep the base in for the next run; without, it is deleted"),
            option("--picture", type=Path, help="where to draw how the times grow, as SVG"),
            OUT,
        ),
        measure("scale", "sizes", "picture"),
        print_json,
        where_scale_grows,
    ),
    "full_search": Command(
        "is every one of 1,000 generated documents accounted for, and how long does searching each on its own take",
        (
            option("--documents", type=int, default=1000, help="agreements of ten pages; made at the first run"),
            option("--searches", type=int, default=8, help="facts for which every document is searched"),
            OUT,
        ),
        measure("full_search", "documents", "searches"),
        print_json,
        kept_database,
        lambda figures: any(
            part["false_not_found"] or part["wrong_counts"] or part["lists_all"] != 1
            for part in (figures["question"], figures["full_search"])
        ),
    ),
    "arbiter": Command(
        "the size of the one call, and the time we add to the model's own",
        ASKING,
        measure("arbiter", "dictionary", asked=asked_questions),
    ),
    "derived": Command(
        "figures computed by code, against the gold answers",
        ASKING,
        measure("derived", "dictionary", asked=asked_questions),
    ),
    "parsing": Command(
        "how well and how fast documents are read",
        (option("--data", type=Path, required=True, help="a folder of PDFs, with or without question files"), OUT),
        measure_parsing,
        print_named("parsing", 34),
        own_installation,
    ),
    "audit": Command(
        "the record under faults, load and attack; and the pages of the audit",
        (
            option("--part", nargs="+", choices=AUDIT_PARTS, default=AUDIT_PARTS, help="what to measure"),
            option("--questions", type=int, default=1000, help="asked under faults"),
            option("--entries", type=int, default=100_000, help="in the ledger that is verified"),
            option("--runs", type=int, default=100_000, help="in the lists that are opened"),
            OUT,
        ),
        measure("audit", "questions", "entries", parts="part", listed="runs"),
        print_nothing,
        own_installation,
    ),
    "pages": Command(
        "weight and time of pages, from a real web server",
        (
            option(
                "--document", type=Path, nargs="*", default=[], help="PDFs beside the samples; the longest is opened"
            ),
            OUT,
        ),
        measure("pages", documents="document"),
        print_pages,
        own_installation,
    ),
    "retries": Command(
        "calls to a model server that fails now and then, or is away for a while",
        (option("--calls", type=int, default=200, help="to each server"), OUT),
        measure("retries", "calls"),
        print_json,
    ),
    "api": Command(
        "the API against its own description, by generated requests",
        (option("--cases", type=int, default=6000, help="requests, an equal share to each operation"), OUT),
        measure("contract", "cases"),
        print_json,
        installation_for_contract,
        lambda figures: bool(figures["server_errors"] or figures["schema_breaks"]),
    ),
    "canaries": Command(
        "does anything of one base ever reach a person of another",
        (option("--questions", type=int, default=500, help="asked in two bases of 50 facts each, in turn"), OUT),
        measure("canaries", "questions"),
        print_json,
        quiet_installation,
        lambda figures: bool(figures["leaks"]),
    ),
    "anchors": Command(
        "is every quote literal, in the chat, the audit and to programs",
        (
            *SETS,
            OUT,
        ),
        measure("anchors", asked=asked_in_sets),
        print_named("anchors", 12),
        own_installation,
    ),
    "answers": Command(
        "is the headline of an answer right, and are its quotes whole and its typed values those asked for",
        (
            *SETS,
            option("--arbiter", choices=["rules", "model"], default="rules", help="who judges and writes"),
            option("--replies", type=Path, help="replies to the model's requests: what has none is not counted"),
            option("--requests", type=Path, help="a folder to write the requests without a reply into"),
            OUT,
        ),
        measure_answers,
        print_answers,
        own_installation,
    ),
    "cases": Command(
        "small cases with right values: how many answers are right, refused, beside the point, false",
        (
            option(
                "--data", type=Path, required=True, action="append", help="a folder with questions.jsonl; may repeat"
            ),
            option(
                "--only", nargs="+", default=[], help="how the ids begin that are asked: 11-band-bounds, 03-rows/q2"
            ),
            option("--said", type=Path, default=CACHE / "cases.md", help="where to write what was said"),
            OUT,
        ),
        measure_cases,
        print_cases,
        quiet_installation,
    ),
    "fields": Command(
        "named fields of agreements against values that a person read: found, weak, missed, and which of these right",
        (
            DATA,
            option("--questions", dest="sets", type=Path, nargs="+", default=FIELD_SETS, help="files of true values"),
            OUT,
        ),
        measure("fields", "data", "sets"),
        print_fields,
        kept_database,
    ),
    "pairs": Command(
        "write invented documents with answered questions and near misses as a folder for `cases`",
        (
            option("--out", dest="folder", type=Path, required=True, help="the folder to write into"),
            option("--language", choices=["en", "de", "fr", "es"], default="en"),
            option("--first", type=int, default=0, help="the first document, from 0"),
            option("--count", type=int, default=15, help="how many documents"),
        ),
        measure("pairs", "folder", "language", "first", "count"),
    ),
    "train_reader": Command(
        "train a reader of question and sentence together; needs requirements-train.txt, and hours",
        (
            option("--training", type=Path, required=True, help="the folder of texts for training"),
            option(
                "--folder", type=Path, required=True, help="where the weights go, and what a stopped run goes on from"
            ),
            option("--judged", type=Path, help="passages that a model judged, as the owner of a base exports them"),
            option("--layers", type=int, default=4, help="of the encoder's six"),
            option("--epochs", type=float, default=2),
            option("--seed", type=int, default=1),
            OUT,
        ),
        measure("train_reader", "training", "folder", "layers", "epochs", "seed", "judged"),
        print_json,
    ),
    "wording": Command(
        "on how many questions of each set every word of the rules fires",
        (
            *SETS,
            OUT,
        ),
        measure_wording,
        print_wording,
    ),
    "weights": Command(
        "fit the ranking weights on one half of the sets, judge on the other",
        (
            *SETS,
            option("--names", nargs="+", default=[], help="the weights that may move, if not all: KEYWORD_WEIGHT …"),
            option("--rounds", type=int, default=3, help="of the search, at most"),
            OUT,
        ),
        measure("weights", "dictionary", "names", "rounds", asked=asked_sets),
        print_weights,
    ),
    "confidence": Command(
        "fit what the rules' evidence is worth, each half judged by the other: absent questions answered, others not",
        (
            *SETS,
            option("--write", action="store_true", help="write what was fitted where the product reads it"),
            option("--unread", action="store_true", help="the fit for passages that are not read for an answer"),
            DICTIONARY,
            OUT,
        ),
        measure_confidence,
        print_confidence,
    ),
    "hostile": Command(
        "documents that give orders, and a model that obeys them",
        (OUT,),
        measure("hostile"),
        print_named("hostile", 18),
        own_installation,
        lambda figures: any(figures["effects"].values()) or not figures["record_verifies"],
    ),
    "load": Command(
        "many follow their answers at once; questions and lists while documents are read, against alone",
        (
            option("--streams", type=int, default=100, help="that are open at once"),
            option("--documents", type=int, default=100, help="that are read meanwhile"),
            OUT,
        ),
        measure("load", "streams", "documents"),
        print_json,
        lambda options: nullcontext(),
        lambda figures: bool(figures["streams"].get("errors") or figures["beside"]["failed_requests"]),
    ),
    "survives": Command(
        "a real installation under kills, hostile files and texts, forgers, crowds, failing servers and a deploy",
        (
            option("--short", action="store_true", help="a part of each drill, for bin/test"),
            option("--part", nargs="+", choices=SURVIVAL_PARTS, default=(), help="which drills"),
            option("--data", type=Path, help="a folder of files to upload and ask beside the generated ones"),
            OUT,
        ),
        measure("survives", "data", parts="part", is_short="short"),
        print_verdicts,
        lambda options: nullcontext(),
        is_any_failed,
    ),
    "quotes": Command(
        "calibration on changed quotes, and crops of the page read back",
        (
            option("--data", type=Path, required=True, help="the folder with papers/ and financebench/"),
            option("--mutations", type=int, default=10_000, help="quotes changed at random"),
            option("--crops", type=int, default=2_000, help="quotes whose boxes are cropped and read"),
            OUT,
        ),
        measure("quotes", "mutations", "crops", folder="data"),
        print_named("quotes", 16),
        is_failed=lambda figures: bool(figures["violations"]),
    ),
    "drawn": Command(
        "quotes of answers by rules, read again with Tesseract from the picture of the page",
        (
            *SETS,
            option("--cases", type=Path, help="a folder of cases, whose questions are among those asked"),
            option("--quotes", type=int, default=300, help="how many are looked at"),
            OUT,
        ),
        measure_drawn,
        print_named("drawn", 16),
    ),
}
