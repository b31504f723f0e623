"""What can be read and rebuilt years later: after documents are read again, prompts change and files are purged."""

from typing import Any
from unittest.mock import patch

from django.test import Client
from django.utils.html import escape

from audit.review.replay import rebuild
from documents.ingestion.conductor import finish
from documents.ingestion.queueing import queue_again
from documents.ingestion.trash import move_to_trash, purge_document
from documents.models import Document
from retrieval.arbiter.model import FORMS
from retrieval.models import RetrievalRun, RunCandidate

REPLAYS = 200
GOLDEN_PAGES = 20  # AT14


def run(client: Client) -> dict[str, Any]:
    """Replays and golden pages after each change, over one set of runs; the documents are deleted at the end."""
    runs = list(RetrievalRun.objects.exclude(llm_call=None).select_related("llm_call")[:REPLAYS])
    golden = list(RunCandidate.objects.filter(position=1).exclude(anchor_text="")[:GOLDEN_PAGES])
    golden += [last_of(candidate) for candidate in golden]  # the first of each run and its most refused one
    found = {"as recorded": after(client, runs, golden)}
    for document in Document.objects.all():
        finish(queue_again(document))
    found["documents read again"] = after(client, runs, golden)
    text = "Quite other instructions."
    other = [form._replace(told=form.told._replace(version="99", text=text)) for form in FORMS]
    with patch("audit.review.replay.FORMS", other):
        found["prompt changed"] = after(client, runs, golden)
    for document in Document.objects.all():
        move_to_trash(document)
        purge_document(document)
    found["documents deleted"] = after(client, runs, golden, gone="document deleted")
    return found


def last_of(candidate: RunCandidate) -> RunCandidate:
    return RunCandidate.objects.filter(run=candidate.run_id).order_by("-position")[0]


def after(client: Client, runs: list[RetrievalRun], golden: list[RunCandidate], gone: str = "") -> dict[str, int]:
    """How many requests are still rebuilt byte for byte, and how many pages still show everything."""
    replays = [found for found in map(rebuild, runs) if found]
    return {
        "replays": len(replays),
        "byte_equal": sum(found.ok for found in replays),
        "pages": len(golden),
        "readable": sum(is_readable(client, candidate, gone) for candidate in golden),
    }


def is_readable(client: Client, candidate: RunCandidate, gone: str) -> bool:
    """Whether the page has question, text, reason, page, boxes and digest, and says that the document is gone."""
    page = client.get(f"/audit/runs/{candidate.run_id}/", {"candidate": candidate.candidate_id}).content.decode()
    digests = [seen["sha256"] for seen in candidate.run.scope]
    words = [candidate.run.question, candidate.reason, *candidate.context_text.splitlines(), *digests, gone]
    marks = ["hl-anchor", "hl-context", f"<strong>Page {candidate.anchor_first_page}</strong>"]
    return all(escape(text) in page for text in words) and all(mark in page for mark in marks)
