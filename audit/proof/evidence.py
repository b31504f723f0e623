"""The evidence pack of a run: one zip to be read and checked without DocIntel and without trusting it."""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext, override

from audit.access_log import record_event
from audit.keeping.erasure import erasure_of
from audit.proof.verification import payload_of
from audit.proof.verifier import MADE_AS
from audit.review.comments import Thread, arrange_threads
from audit.review.reviewing import reviews_of
from audit.runs.glossary import terms_in_order
from audit.trail.candidates import Choice, Row
from audit.trail.gather import Trail, gather
from chat.answer_record import exchanges_apart
from chat.models import Answer, Turn
from chat.page.thread import ShownTurn, with_rows
from chat.writing.phrases import cited_pages
from documents.ingestion.page_images import NoPageImage, has_image, make_page_image
from documents.models import Document, Line, Page, Viewer
from documents.pages.sheet import CLASSES, SheetBox, box_of
from ledger.chain import digest_of, entries_after, time_text
from ledger.models import Entry
from llm.exchange import request_bytes
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.record.storing import answer_unstored, calls_beside, unfinished_calls

FORMAT = "docintel-evidence-2"
VERIFIER = Path(__file__).with_name("verifier.py")
STYLE = Path(settings.BASE_DIR) / "static" / "report.css"
CROP_MARGIN = 24.0  # points above and below a marked passage
LANGUAGE = "en"  # of the report, whoever exports it: it is passed on to strangers
SHOWN_ROLES = ("primary", "supporting", "unjudged")
PAGES_MAX = 40  # images; the report has the texts of the other pages
README = """\
Evidence of one question answered by DocIntel.

report.html      the whole decision, to be read in any browser
run.json         the run with every candidate, byte for byte what the ledger vouches for
answer.json      the answer with its citations, the same
reviews/         what auditors said about it, the same
calls/           every request to a model, and its reply as received
pages/           images of the cited pages, and the text of those that have no picture
comments.json    what people said of the lines of those pages, as it was when this pack was made
manifest.json    the SHA-256 of every file above
export.json      what the ledger recorded when this pack was made: who made it, and the SHA-256 of manifest.json
ledger.jsonl     the entries of the ledger from this run to that record, or a little further

To check it: python3 verify.py PACK.zip --head HEADS.jsonl
or:          python3 verify.py PACK.zip --stamps HEADS.jsonl --authority ROOT.pem
unpacked:    the same in this folder without PACK.zip, and with HEADS.jsonl outside it

Take verify.py from the DocIntel project rather than from the pack if you do not trust who made the pack, and the heads
from where they were kept out of reach of whoever runs DocIntel. With --stamps the heads may come from anybody, since
only those count that a time-stamping authority has stamped; ROOT.pem is its certificate, from itself, and openssl is
needed. The verdict, and the exit code:

OK               0  everything fits, and a head or a stamp at or after every entry vouches for all of it
BAD              1  something was changed, replaced, added or left out; it is named
(unreadable)     2  the pack or the heads cannot be read
CONSISTENT ONLY  3  nothing contradicts the rest, but something is vouched for by nobody outside; it is named.
                    Without a head a pack that was invented from beginning to end looks the same.

A head that was kept after the pack was made covers it when it is of its last entries; the file of heads DocIntel adds \
to
each hour (ledger-heads.jsonl) has one for every pack. For any later head add --ledger with the ledger.jsonl of a pack \
of
this run made after that head. With a head from before the pack was made, and the SHA-256 of manifest.json from whoever
made it, add --manifest SHA256.

The SHA-256 of the original documents is in run.json: of those that were read under "scope", of every document of the
scope, read or not, under "documents" (a run from before they were listed has none). The page images are a rendering of
the documents that were read.
"""


class NotRecorded(Exception):
    """The run has no ledger entry, or was erased, so a pack would prove nothing; the message is for people."""


@dataclass(frozen=True)
class Crop:
    """The marked part of one page: an image in the pack, and rectangles on it in PDF points."""

    page: int
    image: str
    width: float
    height: float
    top: float
    bottom: float
    boxes: tuple[SheetBox, ...]

    @property
    def has_picture(self) -> bool:
        return any(box.css == CLASSES["picture"] for box in self.boxes)

    @property
    def view(self) -> str:
        return f"0 {self.top:.1f} {self.width:.1f} {self.bottom - self.top:.1f}"


@dataclass(frozen=True)
class ReportPassage:
    """One candidate in the report; without crops only its text is shown."""

    row: Row
    crops: tuple[Crop, ...]


class PackWriter:
    """Writes a zip and collects its manifest."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self.zip = file
        self.files: dict[str, str] = {}
        self.subjects: list[dict[str, Any]] = []

    def add(self, name: str, content: bytes) -> None:
        self.zip.writestr(name, content)
        self.files[name] = digest_of(content)

    def add_manifest(self, **about: str | None) -> str:
        """Add the manifest of the files so far, with the format and what the pack is about; return its SHA-256."""
        manifest = {**about, "exported_at": time_text(timezone.now()), "subjects": self.subjects, "files": self.files}
        written = json.dumps(manifest, indent=2, sort_keys=True).encode()
        self.zip.writestr("manifest.json", written)
        return digest_of(written)

    def vouched(self, name: str, entry: Entry) -> None:
        """The record as it is now; if it was altered, the pack has the altered form, which its verifier detects."""
        self.add(name, payload_of(entry) or b"")
        subject = {"kind": entry.kind, "subject_id": entry.subject_id, "sequence": entry.sequence}
        self.subjects.append({"file": name} | subject)


def write_evidence(run: RetrievalRun, out: IO[bytes], by: Viewer | None) -> str:
    """Write and record a run's pack. Return its manifest's SHA-256, to be noted elsewhere. Raises NotRecorded.

    1. the records with the bytes the ledger vouches for  2. requests and replies  3. images of the kept pages
    4. the report and the verifier  5. the manifest of all these  6. the record that this pack was made, which names the
    manifest's digest and has an entry of its own  7. the chain from the run to that entry or further

    Packs of one's own runs are recorded too: that record vouches for the pack's content.
    """
    refuse_erased(run)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        pack = PackWriter(file)
        with override(LANGUAGE), transaction.atomic():
            add_records(pack, run)
        pack.add("verify.py", VERIFIER.read_bytes())
        pack.add("README.txt", README.encode())
        sha256 = pack.add_manifest(format=FORMAT, run=str(run.pk))
        # Committed before the chain is read: writing a long one must not block anybody's question.
        recorded = record_event(by, MADE_AS[FORMAT], run.pk, manifest=sha256)
        write_chain(file, entry_of("audit_event", recorded.pk), min(each["sequence"] for each in pack.subjects))
    return sha256


def add_records(pack: PackWriter, run: RetrievalRun) -> None:
    """Add what the ledger vouches for, and the readable copies."""
    for name, entry in entries_of(run).items():
        pack.vouched(name, entry)
    trail = gather(run, Choice(), reviews_of(run))
    assert trail is not None
    for exchange in trail.exchanges:
        if exchange.is_erased:
            continue
        pack.add(f"calls/{exchange.name}-request.json", request_bytes(exchange.call.request))
        pack.add(f"calls/{exchange.name}-reply.txt", exchange.call.raw_reply.encode())
    passages = passages_of(trail, add_pages(pack, trail))
    threads = threads_of(trail)
    pack.add(
        "comments.json", json.dumps([fields_of_thread(each) for each in threads], indent=2, ensure_ascii=False).encode()
    )
    pack.add("report.html", report(run, trail, passages, threads).encode())
    pack.add("report.css", STYLE.read_bytes())


def refuse_erased(run: RetrievalRun) -> None:
    erasure = erasure_of(run)
    if erasure:
        told = {"day": erasure.created_at.date(), "by": erasure.actor, "why": erasure.details["why"]}
        words = gettext(
            "The words of this question were erased on %(day)s by %(by)s (%(why)s), so a pack would prove nothing."
        )
        raise NotRecorded(words % told)


def entries_of(run: RetrievalRun) -> dict[str, Entry]:
    """The ledger entries of the run, its answer and its reviews, by file name."""
    answer = Answer.objects.filter(run=run).first()
    wanted = {"run.json": ("run", run.pk)}
    if answer:
        wanted["answer.json"] = ("answer", answer.pk)
        kept = LLMCall.objects.filter(pk__in=exchanges_apart(answer)).exclude(request_sha256="")  # of examples erased
        wanted |= {f"exchanges/{pk}.json": ("exchange", pk) for pk in sorted(kept.values_list("pk", flat=True))}
    beside = {kind: call.pk for kind, call in calls_beside(run).items() if call.request_sha256}  # of a field erased
    wanted |= {f"{kind}.json": (kind, pk) for kind, pk in beside.items()}
    unfinished = [call.pk for call in unfinished_calls(run) if call.request_sha256]
    wanted |= {f"exchanges/{pk}.json": ("exchange", pk) for pk in unfinished}
    if unstored := answer_unstored(run):
        wanted["unstored.json"] = ("event", unstored.pk)
    reviews = run.reviews.order_by("created_at").values_list("pk", flat=True)
    wanted |= {f"reviews/{pk}.json": ("review", pk) for pk in reviews}
    return {name: entry_of(kind, pk) for name, (kind, pk) in wanted.items()}


def entry_of(kind: str, subject_id: UUID) -> Entry:
    entry = Entry.objects.filter(kind=kind, subject_id=str(subject_id)).first()
    if entry is None:
        words = gettext("The %(kind)s %(subject)s has no ledger entry, so a pack would prove nothing.")
        raise NotRecorded(words % {"kind": kind, "subject": subject_id})
    return entry


def write_chain(file: zipfile.ZipFile, recorded: Entry, first: int) -> None:
    """Add the record of an archive, which no manifest lists, and the chain from an entry, line by line."""
    file.writestr("export.json", payload_of(recorded) or b"")
    with file.open("ledger.jsonl", "w", force_zip64=True) as chain:
        for line in segment(first):
            chain.write(line.encode())


def segment(first: int) -> Iterator[str]:
    """The chain from an entry to its end, one JSON object per line, with only the hashed fields."""
    for entry in entries_after(first - 1):
        fields = {
            "sequence": entry.sequence,
            "kind": entry.kind,
            "subject_id": entry.subject_id,
            "payload_digest": entry.payload_digest,
            "previous_hash": entry.previous_hash,
            "time": time_text(entry.created_at),
            "hash": entry.hash,
        }
        yield json.dumps(fields) + "\n"


# ---- the report


def report(run: RetrievalRun, trail: Trail, passages: list[ReportPassage], threads: list[Thread]) -> str:
    shown = {
        "run": run,
        "trail": trail,
        "passages": passages,
        "values": values_shown(trail),
        "threads": threads,
        "terms": terms_in_order(),
        "now": timezone.now(),
    }
    return render_to_string("audit/report.html", shown)


def values_shown(trail: Trail) -> list[dict[str, object]]:
    """The typed values of the answer as its reader sees them."""
    turn_id = trail.answer.answer.turn_id if trail.answer else None  # the answer of a field has no turn
    return ShownTurn(with_rows(Turn.objects).get(pk=turn_id)).typed if turn_id else []


def threads_of(trail: Trail) -> list[Thread]:
    """The comments on the cited pages of the readings that were cited."""
    cited = trail.answer.citations if trail.answer else ()
    places = dict.fromkeys((each.candidate.parse_id, number) for each in cited for number in cited_pages(each))
    return [thread for parse_id, number in places for thread in arrange_threads(parse_id, page_number=number)]


def fields_of_thread(thread: Thread) -> dict[str, object]:
    first = thread.first
    return {
        "document_id": str(first.document_id),
        "page": first.page_number,
        "lines": [first.first_line, first.last_line],
        "words": thread.words,
        "comments": [
            {"by": each.author_name, "at": time_text(each.created_at), "text": each.text}
            for each in (first, *thread.replies)
        ],
    }


def add_pages(pack: PackWriter, trail: Trail) -> dict[tuple[str, int], str]:
    """Add the images of the kept pages; return their names by document and page."""
    documents = {
        str(row.pk): row for row in Document.objects.filter(pk__in=[seen["document_id"] for seen in trail.run.scope])
    }
    shas = {seen["document_id"]: seen["sha256"] for seen in trail.run.scope}
    names: dict[tuple[str, int], str] = {}
    for document_id, number in kept_pages(trail)[:PAGES_MAX]:
        document = documents.get(document_id)
        # A file that replaced the one the run saw would show something else.
        image = find_page_image(document, number) if document and document.sha256 == shas.get(document_id) else None
        if image is not None:
            names[document_id, number] = f"pages/{document_id[:8]}-{number}.webp"
            pack.add(names[document_id, number], image.read_bytes())
        elif lines := page_text(trail.run, document_id, number):
            pack.add(f"pages/{document_id[:8]}-{number}.txt", lines.encode())
    return names


def page_text(run: RetrievalRun, document_id: str, number: int) -> str:
    """The text of a page that has no picture, as the run read it; "" if that reading is gone."""
    parses = [seen["parse_id"] for seen in run.scope if seen["document_id"] == document_id]
    lines = Line.objects.filter(parse__in=parses, page_number=number).order_by("number")
    return "\n".join(lines.values_list("text", flat=True))


def kept_pages(trail: Trail) -> list[tuple[str, int]]:
    """The document and page of every citation and of all that is marked on kept candidates; the cited ones first."""
    cited = trail.answer.citations if trail.answer else ()
    quoted = [(str(each.candidate.document_id), number) for each in cited for number in cited_pages(each)]
    kept = [row.candidate for row in trail.table.rows if row.candidate.role in SHOWN_ROLES]
    marked = [(str(row.document_id), int(box["page"])) for row in kept for box in (*row.boxes, *row.context_boxes)]
    return list(dict.fromkeys([*quoted, *marked]))


def find_page_image(document: Document, number: int) -> Path | None:
    try:
        return make_page_image(document, number) if has_image(document, number) else None
    except (NoPageImage, OSError):  # the record has the texts all the same
        return None


def passages_of(trail: Trail, images: dict[tuple[str, int], str]) -> list[ReportPassage]:
    return [ReportPassage(row, tuple(crops_of(row.candidate, images))) for row in trail.table.rows]


def crops_of(candidate: RunCandidate, images: dict[tuple[str, int], str]) -> Iterator[Crop]:
    if candidate.role not in SHOWN_ROLES:
        return
    marked = [("context", box) for box in candidate.context_boxes] + [("anchor", box) for box in candidate.boxes]
    for number in sorted({int(box["page"]) for _, box in marked}):
        name = images.get((str(candidate.document_id), number))
        if name is None:
            continue
        here = [box for _, box in marked if box["page"] == number]
        size = Page.objects.filter(parse=candidate.parse_id, number=number).values_list("width", "height").first()
        width, height = size or (candidate.page_width, candidate.page_height)
        yield Crop(
            page=number,
            image=name,
            width=width,
            height=height,
            top=max(min(box["y0"] for box in here) - CROP_MARGIN, 0),
            bottom=min(max(box["y1"] for box in here) + CROP_MARGIN, height),
            boxes=tuple(box_of(kind, box) for kind, box in marked if box["page"] == number),
        )
