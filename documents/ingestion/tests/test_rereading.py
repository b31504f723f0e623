"""Pages read again on demand (R83): a job that names them goes on where a dead worker left it, in a real worker too."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from django.db.models.functions import Now

from documents.ingestion import conductor, escalation, page_images, queueing
from documents.ingestion.rereading import flagged_pages
from documents.ingestion.tests.test_tasks import LONG_AGO, is_finished, kill_everything, wait_for, worker
from documents.models import Document, IngestJob, KnowledgeBase
from documents.tests.files import make_pdf
from reading import heavier
from reading.tests.test_heavier import SHOWN, needs_recognition, needs_tables, ruled_table, with_figure

pytestmark = pytest.mark.django_db(transaction=True)

Queued = Callable[..., IngestJob]
Stage = IngestJob.Stage
LINE = [SHOWN, 92, 250, 340, 270]


@pytest.fixture(autouse=True)
def _on_request(base: KnowledgeBase) -> None:
    base.settings = {"embeddings": "none", "recognition": "on_request"}
    base.save()


def figures(path: Path, count: int, before: bytes = b"") -> bytes:
    """Pages with a picture of text each, after others."""
    document = pymupdf.open(stream=before, filetype="pdf") if before else pymupdf.open()
    figure = pymupdf.open(with_figure(path))
    for _ in range(count):
        document.insert_pdf(figure)
    content: bytes = document.tobytes()
    return content


def keep(document: Document, number: int, *lines: list[Any]) -> None:
    path = heavier.found_path(page_images.folder_of(document.sha256), number, "ocr_picture")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"engine": "by hand", "lines": list(lines)}))


def states(document: Document) -> list[tuple[int, str]]:
    assert document.current_parse is not None
    return [(page.number, page.state) for page in flagged_pages(document, document.current_parse)]


def test_a_job_goes_on_where_a_dead_worker_left_it(
    queued: Queued, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(R83) The page that was read is not read again, and there is one new reading."""
    monkeypatch.setattr(heavier, "library_of", lambda method: f"{method} 1")
    document = conductor.finish(queued(figures(tmp_path / "a.pdf", 4)))
    given: list[int] = []

    def read(path: Path, folder: Path, wanted: Any, limits: Any, on_progress: Any) -> None:
        for one in wanted:
            given.append(one.page_number)
            keep(document, one.page_number, LINE)
            if len(given) == 1:
                raise SystemExit("the worker is killed")

    monkeypatch.setattr(escalation, "read_again_in_child", read)
    job = queueing.queue_again(document, Stage.RECOGNISE, [3, 2])
    assert queueing.queue_again(document, Stage.RECOGNISE, [1]) == job and job.pages == [2, 3]
    with pytest.raises(SystemExit):
        conductor.run(job, Stage.RECOGNISE)
    job.refresh_from_db()
    assert (job.state, given) == ("running", [2]) and states(document)[1] == (2, "open")
    IngestJob.objects.filter(pk=job.pk).update(heartbeat_at=Now() - LONG_AGO)
    document = conductor.finish(job)
    assert given == [2, 3]
    assert [parse.number for parse in document.parses.all()] == [1, 2]
    assert states(document) == [(1, "open"), (4, "open")], "the others were not asked for"


def test_a_real_worker_reads_them_even_if_the_first_is_killed(queued: Queued, tmp_path: Path) -> None:
    """(R83) What the heavier reading found is there already, so that the worker needs no optional library."""
    content = figures(tmp_path / "a.pdf", 2, make_pdf(1200))
    document = conductor.finish(queued(content))
    keep(document, 1201, LINE)
    job = queueing.queue_again(document, Stage.RECOGNISE, [1201])

    def is_reading() -> bool:
        return IngestJob.objects.filter(pk=job.pk, state="running", stage="pages", done_count__gt=0).exists()

    with worker() as first:
        wait_for(is_reading)
        kill_everything(first)
    assert document.parses.count() == 1
    with worker():
        wait_for(lambda: not IngestJob.objects.filter(state__in=("queued", "running")).exists() and is_finished())
    job.refresh_from_db()
    document.refresh_from_db()
    assert (job.state, document.parses.count()) == ("done", 2)
    assert document.current_parse is not None
    assert list(document.current_parse.lines.filter(method="ocr_picture").values_list("page_number", flat=True)) == [
        1201
    ]
    assert states(document) == [(1202, "not_installed" if not heavier.library_of("ocr_picture") else "open")]


@needs_tables
def test_the_reader_of_tables_reads_one_page(queued: Queued, tmp_path: Path) -> None:
    document = pymupdf.open(ruled_table(tmp_path / "a.pdf"))
    document.insert_pdf(pymupdf.open(tmp_path / "a.pdf"))
    kept = conductor.finish(queued(document.tobytes()))
    assert kept.current_parse is not None
    kept.current_parse.pages.update(flags=["flattened_table"])
    kept = conductor.finish(queueing.queue_again(kept, Stage.RECOGNISE, [2]))
    assert kept.current_parse is not None and kept.current_parse.number == 2
    assert set(kept.current_parse.lines.filter(method="pdfplumber").values_list("page_number", flat=True)) == {2}


@needs_recognition
def test_text_recognition_reads_one_picture(queued: Queued, tmp_path: Path) -> None:
    document = conductor.finish(queued(figures(tmp_path / "a.pdf", 2)))
    document = conductor.finish(queueing.queue_again(document, Stage.RECOGNISE, [2]))
    assert document.current_parse is not None
    assert list(document.current_parse.lines.filter(text=SHOWN).values_list("page_number", flat=True)) == [2]
    assert states(document) == [(1, "open")]
