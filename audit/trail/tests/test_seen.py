"""Seen is shown: chat, audit, evidence and programs give the very bytes that were judged, recorded and vouched for."""

import html
import json
import re
import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.test import Client

from audit import conftest
from audit.conftest import House, MakeAnswer, MakeRun
from audit.proof.evidence import write_evidence
from chat.models import Conversation
from retrieval.candidates.plain import one_line
from retrieval.models import RetrievalRun

# What escaping, trimming and normal forms would change.
PASSAGE = "The “ﬁne print” says: <b>5 & 6</b>\u00a0%, cafe\u0301 – 𝛼 'x' &amp; \\n {{ y }}."
RECT = re.compile(
    r'<rect\s+class="hl-anchor[^"]*"\s+x="([\d.]+)"\s+y="([\d.]+)"\s+width="([\d.]+)"\s+height="([\d.]+)"'
)


@pytest.fixture
def run(make_run: MakeRun, make_answer: MakeAnswer, monkeypatch: pytest.MonkeyPatch) -> RetrievalRun:
    monkeypatch.setattr(conftest, "PASSAGE", PASSAGE)
    run = make_run()
    make_answer(run)
    return run


def texts(page: str, pattern: str) -> list[str]:
    """What stands between the tags, as a browser reads it."""
    return [html.unescape(found.replace("<br>", "\n")) for found in re.findall(pattern, page, re.DOTALL)]


def test_every_way_out_gives_the_same_bytes(house: House, run: RetrievalRun, signed_in: Any) -> None:
    candidate = run.candidates.order_by("position")[0]
    citation = run.answer.citations.get()
    auditor, asker = signed_in(house.auditor), Client()
    asker.force_login(house.asker, backend="allauth.account.auth_backends.AuthenticationBackend")
    chat = asker.get(f"/ask/{Conversation.objects.get().pk}/").content.decode()
    pane = asker.get(f"/ask/turns/{run.answer.turn_id}/page/1").content.decode()
    trail = auditor.get(f"/audit/runs/{run.pk}/").content.decode()
    told = auditor.get(f"/api/v1/runs/{run.pk}").json()
    candidates = auditor.get(f"/api/v1/runs/{run.pk}/candidates").json()
    packed = BytesIO()
    write_evidence(run, packed, house.auditor)
    with zipfile.ZipFile(packed) as pack:
        report = pack.read("report.html").decode()
        record = json.loads(pack.read("run.json").partition(b"\n")[2])
        answered = json.loads(pack.read("answer.json").partition(b"\n")[2])

    raw = [
        citation.quote,
        texts(report, r"<blockquote>(.*?)</blockquote>")[0],
        answered["citations"][0]["quote"],
        told["answer"]["citations"][0]["quote"],
    ]
    assert [quote.encode() for quote in raw] == [PASSAGE.encode()] * 4
    # On the pages a quote over several lines is one: white space becomes a blank, and nothing else changes.
    shown = [
        texts(chat, r'<q class="doc">(.*?)</q>')[0],
        texts(trail, r'<q class="doc">(.*?)</q>')[0],
        texts(trail, r'<div class="quote">.*?<p class="doc">(.*?) (?:<del>|</p>)')[0],
    ]
    assert [quote.encode() for quote in shown] == [one_line(PASSAGE).encode()] * 3
    contexts = [
        candidate.context_text,
        texts(trail, r'<p class="doc lines-kept">(.*?)</p>')[0],
        record["candidates"][0]["context_text"],
        candidates["results"][0]["text"],
    ]
    assert [text.encode() for text in contexts] == [f"{PASSAGE}\n{PASSAGE}".encode()] * 4
    briefs = [
        record["candidates"][0]["brief"],
        texts(trail, r"What the arbiter read\s*</summary>\s*<pre[^>]*>(.*?)</pre>")[0],
    ]
    assert briefs == [candidate.brief] * 2
    reasons = [row.reason for row in run.candidates.order_by("position")]
    assert all(html.escape(reason) in page for reason in reasons for page in (chat, trail, report))
    assert RECT.findall(pane)[0] == RECT.findall(trail)[0] != []
    assert record["candidates"][0]["boxes"] == told["answer"]["citations"][0]["boxes"] == candidate.boxes
