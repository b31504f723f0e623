"""How well and how fast documents are read: contents found without the outline, rows kept whole, time, memory."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import pymupdf
from django.core.files import File

from benchmarks.metrics import mean
from benchmarks.questions import load_questions
from benchmarks.retrieval import commit
from documents.ingestion.conductor import ingest
from documents.models import KnowledgeBase
from documents.storage.uploads import accept_upload
from reading.layout.kinds import numbering_of
from reading.limits import Limits
from reading.matching import goes_on_without_space, identifier_form, is_split_word
from reading.outline.headings import VERIFIED
from reading.outline.typography import USABLE_ENTRIES
from reading.pdf import PDF_ERRORS, TEXT_FLAGS, OutlineItem, open_pdf, read_pdf_outline
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown, read_plain_text
from reading.reasons import ReadingError
from reading.rows import UNSEARCHED_KINDS, LineRow, Reading, TocRow

ROOT = Path(__file__).resolve().parent.parent
LONG_PAGES, RECOVERED_ENTRIES = 50, 10  # a filing this long must have this many verified entries
TITLE_SHARE = 2.5  # a line this many times as long as a title is a sentence that happens to contain it
ROUNDS = 2  # the best of every timing counts, since the machine has other work
HEAD_LINES, AMOUNTS_MIN = 14, 20  # a statement page has its name in its first lines, and this many amounts
STATEMENT = re.compile(
    r"statements? of (?:\w+ ){0,3}(?:operations|income|earnings|cash flows?|financial (?:position|condition)|equity)"
    r"|balance sheets?|bilan|compte de resultat|flux de tresorerie"
)
PRINTED = (
    "documents",
    "refused",
    "toc_f1",
    "toc_printed",
    "toc_f1_by_origin",
    "toc_recovered_share",
    "outline_title_on_first_line",
    "outline_titles",
    "orphan_number_lines",
    "parse_ratio",
    "ready_ratio",
    "child_peak_mb",
    "quotes_literal",
)
NUMBER_ONLY = re.compile(r"[\d\s.,()$€£%+\-–—−]*\d[\d\s.,()$€£%+\-–—−]*")
# Also before a title in lower case; of an appendix a letter, which outlines give without its word: "A Proofs".
LEADING_NUMBER = re.compile(r"^\s*(?:\d+(?:\.\d+)*[.)]?\s+(?=[^\W\d])|[A-Z](?:\.\d+)*\s+(?=[A-Z]))")
AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+|\d+\.\d+|\b\d{1,3}\b")


class Seconds(NamedTuple):
    """The wall-clock time of something, and this process's CPU time."""

    wall: float
    cpu: float


NO_TIME = Seconds(0.0, 0.0)


@dataclass
class Measured:
    """The figures of one file; None where a figure does not apply to it."""

    document: str
    pages: int = 0
    lines: int = 0
    native_entries: int = 0
    toc_origin: str = ""
    toc_strength: str = ""
    toc_entries: int = 0
    verified_entries: int = 0
    hidden_origin: str = ""
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    precision_printed: float | None = None
    recall_printed: float | None = None
    f1_printed: float | None = None
    titles_on_first_line: int | None = None
    titles_not_printed: int | None = None
    statement_lines: int = 0
    orphan_lines: int = 0
    bare: Seconds = NO_TIME
    parse: Seconds = NO_TIME
    ready: Seconds = NO_TIME
    missing_titles: list[str] = field(default_factory=list)
    surplus_titles: list[str] = field(default_factory=list)


def run(folder: Path, say: Callable[[str], None] = print) -> dict[str, Any]:
    """All measures over a folder of PDFs and the quotes of its question files, JSON-ready; refused files are named."""
    measured: list[Measured] = []
    refused: dict[str, str] = {}
    for path in filter(has_pages, sorted(folder.rglob("*.pdf"))):
        name = path.relative_to(folder).as_posix()
        try:
            one = measure(path, name)
        except ReadingError as error:
            refused[name] = error.code
            continue
        measured.append(one)
        say(f"{one.document:52} {one.toc_origin:17} {one.toc_entries:4} entries, F1 {shown(one.f1)}")
    longest = max(measured, key=lambda one: one.pages, default=None)
    return {
        **figures_of(measured),
        "refused": refused,
        "child_peak_mb": child_peak_mb(folder / longest.document) if longest else None,
        **quotes_of(folder),
        **context_of_run(measured),
    }


def has_pages(path: Path) -> bool:
    """Whether a file is a PDF that can be opened; others are not measured here."""
    try:
        with pymupdf.open(path, filetype="pdf") as document:
            return document.is_pdf and not document.needs_pass and document.page_count > 0
    except PDF_ERRORS:
        return False


def child_peak_mb(path: Path) -> float:
    """The most memory the reading child took for a file, in MB of 1,000,000 bytes.

    In a small separate process: a child's peak includes the parent it was forked from, and ours is large.
    """
    program = (
        "import resource, sys, pathlib; from reading.processes import sandbox, starting;"
        "sandbox.read_in_child(pathlib.Path(sys.argv[1])); starting.stop();"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", program, str(path.resolve())]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return round(int(finished.stdout) * 1024 / 1e6, 1)


def measure(path: Path, name: str) -> Measured:
    """Read one file in a child up to its passages, bare, normally, and with its outline hidden. Raises ReadingError."""
    # The child first: it survives a hostile file, and refuses it before this process opens it.
    ready, _ = best_of(lambda: make_ready(path))
    bare, _ = best_of(lambda: read_bare(path))
    parse, reading = best_of(lambda: read_pdf(path, Limits()))
    with open_pdf(path, Limits()) as document:
        outline, _ = read_pdf_outline(document, Limits())
    found = [entry for entry in reading.toc if entry.origin != "front"]
    one = Measured(
        name,
        len(reading.pages),
        len(reading.lines),
        len(outline),
        reading.report["toc_origin"],
        reading.report["toc_strength"],
        len(found),
        sum(entry.confidence >= VERIFIED for entry in found),
        bare=bare,
        parse=parse,
        ready=ready,
    )
    one.statement_lines, one.orphan_lines = statement_counts(reading)
    if outline:
        compare_outline(one, outline, reading, path)
    return one


def make_ready(path: Path) -> None:
    """Upload and ingest a file until it answers keyword questions, as a worker does. Raises ReadingError."""
    with path.open("rb") as file:
        document = accept_upload(KnowledgeBase.objects.create(name="Measured"), None, File(file, name=path.name))
    job = document.jobs.get()
    ingest(job)
    job.refresh_from_db()
    if job.reason_code:
        raise ReadingError(job.reason_code, job.error_for_people, job.error_for_admins)


def best_of(work: Callable[[], Any]) -> tuple[Seconds, Any]:
    """The shortest of several runs, and the result of the last."""
    rounds: list[Seconds] = []
    for _ in range(ROUNDS):
        began, began_cpu = perf_counter(), process_time()
        result = work()
        rounds.append(Seconds(round(perf_counter() - began, 4), round(process_time() - began_cpu, 4)))
    return Seconds(min(one.wall for one in rounds), min(one.cpu for one in rounds)), result


def read_bare(path: Path) -> int:
    """The extraction every reader needs: each page's text dictionary, unused."""
    blocks = 0
    with pymupdf.open(path, filetype="pdf") as document:
        for index in range(document.page_count):
            with suppress(*PDF_ERRORS):
                blocks += len(document[index].get_text("dict", flags=TEXT_FLAGS)["blocks"])
    return blocks


# ---- tables of contents
#
# `f1` counts every difference. The figures `_printed` ask what a reader of the pages could find: they ignore
# entries whose title is not on their page, and our entries inside a section the outline leaves undivided.


def compare_outline(one: Measured, outline: Sequence[OutlineItem], reading: Reading, path: Path) -> None:
    """Compare the recovered table of contents with the file's own, and the own titles with their first lines."""
    hidden = read_pdf(path, replace(Limits(), outline_entries=0))
    one.hidden_origin = hidden.report["toc_origin"]
    native = Counter(key_of(entry) for entry in outline)
    found = Counter((title_key(entry.title), entry.first_page) for entry in hidden.toc if entry.origin != "front")
    matched = (native & found).total()
    one.precision = matched / found.total() if found else 0.0
    one.recall = matched / native.total()
    one.f1 = 2 * matched / (native.total() + found.total())
    printed = native - Counter(key_of(entry) for entry in outline if not is_printed(entry, reading.lines))
    if printed.total() >= USABLE_ENTRIES:
        matched = (printed & found).total()
        judged = found.total() - sum(is_finer(entry, reading.toc) for entry in surplus_of(hidden.toc, native))
        one.precision_printed = matched / judged if judged else 0.0
        one.recall_printed = matched / printed.total()
        one.f1_printed = 2 * matched / (printed.total() + judged)
    one.missing_titles = [f"p{page} {title}" for title, page in (native - found).elements()]
    one.surplus_titles = [f"p{page} {title}" for title, page in (found - native).elements()]
    own = [entry for entry in reading.toc if entry.origin == "outline"]
    one.titles_on_first_line = sum(carries_title(entry.title, reading.lines, entry.first_line - 1) for entry in own)
    one.titles_not_printed = sum(not is_printed(entry, reading.lines) for entry in outline)


def key_of(entry: OutlineItem) -> tuple[str, int]:
    return title_key(entry.title), entry.page_number


def surplus_of(toc: Sequence[TocRow], native: Counter[tuple[str, int]]) -> Iterator[TocRow]:
    """Entries the file's own outline does not have."""
    for entry in toc:
        if entry.origin != "front" and not native[title_key(entry.title), entry.first_page]:
            yield entry


def is_finer(entry: TocRow, toc: Sequence[TocRow]) -> bool:
    """Whether an entry is inside a section that the file's outline leaves undivided: finer, so not wrong."""
    own = [row for row in toc if row.origin == "outline"]
    around = [row for row in own if row.first_line < entry.first_line <= row.last_line]
    return bool(around) and not any(row.parent_index == around[-1].index for row in own)


def title_key(title: str) -> str:
    """A title for comparison: match form, letters and digits, without its printed number."""
    return identifier_form(LEADING_NUMBER.sub("", numbering_of(title)[1])) or identifier_form(title)


def carries_title(title: str, lines: Sequence[LineRow], index: int) -> bool:
    """Whether the title begins on that line, word for word, possibly continuing on the next ones."""
    first, *following = [identifier_form(line.text) for line in lines[index : index + 4]]
    return 0 <= (first + "".join(following)).find(title_key(title)) < len(first)


def is_printed(entry: OutlineItem, lines: Sequence[LineRow]) -> bool:
    """Whether a line of the entry's page is just its title; some outlines name things that are not printed."""
    longest = TITLE_SHARE * len(title_key(entry.title))
    return any(
        carries_title(entry.title, lines, index)
        for index, line in enumerate(lines)
        if line.page_number == entry.page_number
        and line.kind not in UNSEARCHED_KINDS
        and len(title_key(line.text)) <= longest
    )


# ---- statements


def statement_counts(reading: Reading) -> tuple[int, int]:
    """Lines on pages of financial statements, and those of them that are a number without its label."""
    pages: dict[int, list[LineRow]] = defaultdict(list)
    for line in reading.lines:
        if line.kind not in UNSEARCHED_KINDS:
            pages[line.page_number].append(line)
    on_statements = [line for lines in pages.values() if is_statement(lines) for line in lines]
    return len(on_statements), sum(NUMBER_ONLY.fullmatch(line.text) is not None for line in on_statements)


def is_statement(lines: Sequence[LineRow]) -> bool:
    """A page named as a financial statement near its top, and full of amounts."""
    is_named = any(STATEMENT.search(line.match) and len(line.match) < 100 for line in lines[:HEAD_LINES])
    return is_named and sum(len(AMOUNT.findall(line.text)) > 1 for line in lines) >= AMOUNTS_MIN


# ---- quotes


def quotes_of(folder: Path) -> dict[str, Any]:
    """The share of gold quotes of `questions.jsonl` or `questions/` found word for word in the stored lines, line ends
    joined; and those not found.
    """
    missing: list[str] = []
    count = 0
    texts: dict[str, tuple[str, ...]] = {}
    for question_file in sorted((*folder.glob("questions.jsonl"), *folder.glob("questions/*.jsonl"))):
        for question in load_questions(question_file):
            if question.quotes and question.document not in texts:
                texts[question.document] = tuple(joined_texts(read_any(folder / question.document)))
            for quote in question.quotes:
                count += 1
                if not any(" ".join(quote.split()) in text for text in texts[question.document]):
                    missing.append(f"{question.id}: {quote}")
    return {
        "quotes": count,
        "quotes_literal": round(1 - len(missing) / count, 4) if count else None,
        "quotes_missing": missing,
    }


def read_any(path: Path) -> Reading:
    if path.suffix.lower() == ".pdf":
        return read_pdf(path, Limits())
    read = read_markdown if path.suffix.lower() == ".md" else read_plain_text
    return read(path.read_text("utf-8"))


def joined_texts(reading: Reading) -> Iterator[str]:
    """The document's lines as one text: with and without the hyphens at line ends, furniture left out or not."""
    for lines in ([line for line in reading.lines if line.kind not in UNSEARCHED_KINDS], reading.lines):
        for drop_hyphens in (True, False):
            yield " ".join(join_lines([line.text for line in lines], drop_hyphens=drop_hyphens).split())


def join_lines(texts: Sequence[str], *, drop_hyphens: bool) -> str:
    """Consecutive lines as one text.

    A hyphen at a line end is dropped with `drop_hyphens` if a lower-case letter follows, else kept without a space, so
    that one of the two forms is correct.
    """
    parts: list[str] = []
    for text, following in zip_longest(texts, texts[1:], fillvalue=""):
        kept = text.rstrip() if following else text
        is_split = bool(following) and is_split_word(kept, following.lstrip())
        parts.append(kept[:-1] if is_split and drop_hyphens else kept)
        if following and not is_split and not goes_on_without_space(kept, following.lstrip()):
            parts.append(" ")
    return "".join(parts)


# ---- figures


def figures_of(measured: Sequence[Measured]) -> dict[str, Any]:
    """The figures over all files."""
    with_outline = [one for one in measured if one.f1 is not None]
    long_ones = [one for one in measured if not one.native_entries and one.pages > LONG_PAGES]
    origins = sorted({one.hidden_origin for one in with_outline})
    native = sum(one.native_entries for one in with_outline)
    on_line = sum(one.titles_on_first_line or 0 for one in with_outline)
    absent = sum(one.titles_not_printed or 0 for one in with_outline)
    return {
        "documents": len(measured),
        "toc_f1": mean([one.f1 or 0.0 for one in with_outline]),
        "toc_printed": printed_by_kind(measured),
        "toc_f1_by_origin": {
            origin: mean([one.f1 or 0.0 for one in with_outline if one.hidden_origin == origin]) for origin in origins
        },
        "toc_recovered_share": mean([float(one.verified_entries >= RECOVERED_ENTRIES) for one in long_ones]),
        "toc_origins": dict(Counter(one.toc_origin for one in measured)),
        "outline_title_on_first_line": share(on_line, native - absent),
        "outline_titles": {"native": native, "on_first_line": on_line, "not_printed_on_their_page": absent},
        "orphan_number_lines": share(sum(o.orphan_lines for o in measured), sum(o.statement_lines for o in measured)),
        # Both in this process, whose CPU time is not affected by other work on the machine.
        "parse_ratio": share(sum(one.parse.cpu for one in measured), sum(one.bare.cpu for one in measured)),
        "ready_ratio": share(sum(one.ready.wall for one in measured), sum(one.bare.wall for one in measured)),
    }


def printed_by_kind(measured: Sequence[Measured]) -> dict[str, dict[str, float | None]]:
    """The contents found against the printed entries, by the folder a document is in, and over all documents."""
    kinds: dict[str, list[Measured]] = defaultdict(list)
    for one in measured:
        if one.f1_printed is not None:
            kinds[Path(one.document).parent.as_posix()].append(one)
            kinds["all"].append(one)
    return {
        kind: {
            "documents": len(alike),
            "precision": mean([one.precision_printed or 0.0 for one in alike]),
            "recall": mean([one.recall_printed or 0.0 for one in alike]),
            "f1": mean([one.f1_printed or 0.0 for one in alike]),
        }
        for kind, alike in sorted(kinds.items())
    }


def share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def shown(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.3f}"


def context_of_run(measured: Sequence[Measured]) -> dict[str, Any]:
    return {
        "ready_includes": "taking the upload, reading in a child process, cutting passages, storing and indexing them",
        "commit": commit(),
        "per_document": [asdict(one) for one in measured],
    }
