"""The filtered list of runs as CSV, JSON Lines and HTML, and what a model judged of their passages.

All of it is written in batches, so that memory stays constant (AT15).
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db.models import F
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import override

from audit.models import Review
from audit.runs.listing import HEAVY, NEWEST_FIRST, Listed, RunKey, key_of_run, list_runs
from documents.keyset import rows_after
from documents.models import KnowledgeBase, Role, Viewer
from documents.spreadsheet import write_csv
from ledger.chain import time_text
from ledger.models import Entry
from retrieval.models import RetrievalRun, RetrievalRunQuerySet, RunCandidate
from retrieval.record.as_json import document_json
from retrieval.told.outcomes import outcome_named

RUNS_A_BATCH = 500
PASSAGES_A_BATCH = 500
BY_RUN = ("run_id", "position")
JUDGED = ("run", "position", "role", "document", "section_title", "anchor_text", "content_anchor")
STYLE = Path(settings.BASE_DIR) / "static" / "report.css"


class ExportedRun(NamedTuple):
    """A run as it is exported; the names are those of the columns and of the keys."""

    run: str
    asked_at: str
    base: str
    asked_by: str
    question: str
    outcome: str
    judged_by: str
    candidates: int
    kept: int
    confidence: float | None
    reason: str
    verdict: str
    reviews: int
    objections: int
    ledger_sequence: int | None
    ledger_hash: str
    program: str


DOCUMENT_COLUMNS = (
    *("document_id", "title", "sha256", "parse_id", "parse_number", "pages", "pages_with_text", "state", "cause"),
    *("reason", "rank", "ranked", "words_score", "meaning_score", "name_score", "fused_score", "words"),
    *("finding", "finding_reason", "finding_confidence", "finding_page", "finding_quote"),
)

Write = Callable[[list[ExportedRun]], str]


async def stream_runs(runs: RetrievalRunQuerySet, write: Write, head: str = "", tail: str = "") -> AsyncIterator[str]:
    """Yield the text of every run, newest first, one query per batch: no connection is held while a client reads."""
    yield head
    after: RunKey | None = None
    while batch := await sync_to_async(batch_after)(runs, after):
        rows, after = batch
        yield write(rows)
    yield tail


def batch_after(runs: RetrievalRunQuerySet, key: RunKey | None) -> tuple[list[ExportedRun], RunKey] | None:
    found = rows_after(runs, NEWEST_FIRST, key) if key else runs.order_by(*NEWEST_FIRST)
    batch = list(found.defer(*HEAVY)[:RUNS_A_BATCH])
    with override("en"):  # the words are the same for every reader
        return (list(records(list_runs(batch))), key_of_run(batch[-1])) if batch else None


def records(rows: list[Listed]) -> Iterator[ExportedRun]:
    ids = [each.run.pk for each in rows]
    entries = {
        entry.subject_id: entry for entry in Entry.objects.filter(kind="run", subject_id__in=[str(pk) for pk in ids])
    }
    outcomes = list(Review.objects.filter(run__in=ids).values_list("run_id", "outcome"))
    for each in rows:
        run, entry = each.run, entries.get(str(each.run.pk))
        given = [outcome for run_id, outcome in outcomes if run_id == run.pk]
        yield ExportedRun(
            str(run.pk),
            time_text(run.created_at),
            run.base_name,
            run.asked_by_name,
            run.question,
            str(outcome_named(each.outcome).words),
            each.judge,
            each.candidates,
            each.kept,
            run.confidence,
            run.failure or run.not_found_reason,
            str(each.reviewed_as.words),
            len(given),
            sum(outcome != "agree" for outcome in given),
            entry.sequence if entry else None,
            entry.hash if entry else "",
            run.code_version,
        )


async def stream_judged(runs: RetrievalRunQuerySet, owner: Viewer) -> AsyncIterator[str]:
    """What a model judged of each passage of these runs, a line each, for training: of bases the person owns only."""
    after: tuple[Any, ...] | None = None
    while batch := await sync_to_async(judged_after)(runs, owner, after):
        yield "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in batch)
        after = (batch[-1]["run"], batch[-1]["position"])


def judged_after(runs: RetrievalRunQuerySet, owner: Viewer, key: tuple[Any, ...] | None) -> list[dict[str, Any]]:
    own = runs.filter(base__in=KnowledgeBase.objects.with_role(owner, Role.OWNER), arbiter="model")
    judged = RunCandidate.objects.filter(run__in=own.exclude(question="")).exclude(role="unjudged")
    judged = judged.exclude(anchor_text="")  # erased
    found = rows_after(judged, BY_RUN, key) if key else judged.order_by(*BY_RUN)
    return list(found.values(*JUDGED, question=F("run__question"))[:PASSAGES_A_BATCH])


def write_documents(run: RetrievalRun) -> str:
    """The documents of a run's scope as CSV, in its order."""
    lines: list[Iterable[Any]] = [DOCUMENT_COLUMNS]
    for row in run.documents.order_by("position"):
        found = row.finding or dict.fromkeys(("status", "reason", "confidence", "page", "quote"), "")
        finding = {f"finding_{name}": found[name] for name in ("reason", "confidence", "page", "quote")}
        own = {"words": "; ".join(row.words), "finding": found["status"]}
        cells = {**vars(row), **document_json(row), **finding, **own}
        lines.append([cells[name] for name in DOCUMENT_COLUMNS])
    return write_csv(lines)


def as_json_lines(rows: list[ExportedRun]) -> str:
    return "".join(json.dumps(row._asdict(), ensure_ascii=False) + "\n" for row in rows)


# ---- HTML: one self-contained file


def html_head(filters: dict[str, str]) -> str:
    """The beginning of the file: its style, its date, and which runs it contains."""
    told = ", ".join(f"{name}: {value}" for name, value in filters.items()) or "no filter"
    return format_html(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Runs of DocIntel</title>\n'
        "<style>\n{}</style>\n</head>\n<body>\n<h1>Runs of DocIntel</h1>\n"
        '<p class="meta">Made {} UTC. Newest first; {}.</p>\n',
        mark_safe(STYLE.read_text()),
        f"{timezone.now():%Y-%m-%d %H:%M:%S}",
        told,
    )


HTML_TAIL = "</body>\n</html>\n"


def as_html(rows: list[ExportedRun]) -> str:
    return "".join(map(run_html, rows))


def run_html(row: ExportedRun) -> str:
    told = [(name, value) for name, value in row._asdict().items() if name != "question" and value not in (None, "")]
    facts = format_html_join("", "<dt>{}</dt><dd>{}</dd>", ((name.replace("_", " "), value) for name, value in told))
    return format_html("<h2>{}</h2>\n<dl>{}</dl>\n", row.question or "Erased", facts)
