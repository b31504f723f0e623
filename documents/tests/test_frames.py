"""A document in pandas: the same rows, and no process that does not ask for it loads the library."""

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from documents.frames import line_df, table_df, table_lines_df, toc_df
from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from retrieval.tests.builders import content_of_reading

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "samples" / "annual-report.pdf"


@pytest.fixture(scope="module")
def report() -> DocumentContent:
    return content_of_reading(read_pdf(REPORT, Limits()), REPORT)


def test_lines_and_contents_are_rows(report: DocumentContent) -> None:
    lines: Any = line_df(report)
    toc: Any = toc_df(report)
    assert len(lines) == len(report.lines) and len(toc) == len(report.toc)
    assert lines.loc[245, "text"].startswith("Revenue")
    entry = toc[toc.title == "Consolidated Income Statement"].iloc[0]
    assert entry.first_line <= 245 <= entry.last_line


def test_a_table_is_a_frame_with_the_line_behind_each_cell(report: DocumentContent) -> None:
    table = report.tables_on_page(10)[0]
    frame: Any = table_df(table)
    lines: Any = table_lines_df(table)
    assert frame.attrs == {"title": "Consolidated Income Statement", "unit": "EUR thousand", "page": 10}
    of_2024 = frame.xs("2024", axis="columns", level="period").droplevel("group").iloc[:, 0]
    assert (
        of_2024["Gross profit"]
        == Decimal(175915)
        == of_2024["Revenue"] + of_2024["Cost of products sold"] + (of_2024["Cost of services"])
    )
    assert lines.shape == frame.shape and lines.iloc[0, 0] == 245
    assert report.lines[int(lines.iloc[0, 0]) - 1].text.startswith("Revenue")
    assert isinstance(frame.index, pd.MultiIndex)


def test_no_server_and_no_worker_loads_pandas() -> None:
    program = (
        "import sys; import docintel_site.asgi; from django.urls import get_resolver; get_resolver().url_patterns;"
        " import documents.ingestion.tasks, chat.turns.tasks, audit.keeping.tasks; print('pandas' in sys.modules)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
