"""Pages that an answer rests on or failed with are read again on demand, and the question is asked again (R83)."""

import json
import uuid
from pathlib import Path
from typing import Any, cast

import pymupdf
import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from audit.proof.verification import verify
from chat.asking import keep_question
from chat.models import Answer, PageNotice, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.page_notices import StoredPage, noticed_page, order_reading
from chat.turns.replies import read_turn
from documents.access import set_role
from documents.ingestion import escalation, page_images, queueing, rereading, tasks
from documents.ingestion.conductor import finish, ingest_path
from documents.models import Document, IngestJob, KnowledgeBase, Role
from reading import heavier
from reading.reasons import refusal
from reading.tests.test_heavier import SHOWN

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "In which quarter did deliveries increase?"
ON_PAGE = "Who counted the stock?"
WRITTEN = (
    "The stock was counted by Miller and Sons in December.",
    "Deliveries are drawn in the chart below.",
    "Returns were checked at the warehouse in Lyon.",
)


@pytest.fixture
def report(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings, monkeypatch: Any) -> Document:
    """Three pages with a picture of text each, which is not read by itself."""
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "page_images"
    monkeypatch.setattr(tasks, "wake", lambda job: None)
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none", "recognition": "on_request"})
    base.refresh_from_db()
    path = tmp_path / "report.pdf"
    path.write_bytes(report_with_figures())
    return ingest_path(path, base, tenant)


def report_with_figures() -> bytes:
    drawn = pymupdf.open().new_page(width=300, height=120)
    drawn.insert_text((20, 60), SHOWN, fontsize=16)
    document = pymupdf.open()
    for number, text in enumerate(WRITTEN, 1):
        page = document.new_page()
        page.insert_text((72, 90), text)
        page.insert_image(pymupdf.Rect(72, 200, 372, 320), pixmap=drawn.get_pixmap(dpi=150))
        page.insert_text((72, 400), f"Figure {number}: A chart")
    content: bytes = document.tobytes()
    return content


def install(monkeypatch: pytest.MonkeyPatch, *methods: str) -> None:
    monkeypatch.setattr(heavier, "library_of", lambda method: f"{method} 1" if method in methods else "")


def find_on(document: Document, *numbers: int, lines: Any = ((SHOWN, 92, 250, 340, 270),)) -> None:
    """Put what the heavier reading would have found of pages where it keeps it."""
    for number in numbers:
        path = heavier.found_path(page_images.folder_of(document.sha256), number, "ocr_picture")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"engine": "by hand", "lines": [list(line) for line in lines]}))


def read_by_hand(monkeypatch: pytest.MonkeyPatch, lines: Any = ((SHOWN, 92, 250, 340, 270),)) -> list[int]:
    """Put a reader in the place of the optional library; the numbers of the pages it was given."""
    given: list[int] = []

    def read(path: Path, folder: Path, wanted: Any, limits: Any, on_progress: Any) -> None:
        given.extend(one.page_number for one in wanted)
        folder.mkdir(parents=True, exist_ok=True)
        for one in wanted:
            found = {"engine": "by hand", "lines": [list(line) for line in lines]}
            heavier.found_path(folder, one.page_number, one.method).write_text(json.dumps(found))

    monkeypatch.setattr(escalation, "read_again_in_child", read)
    return given


def ask_of(document: Document, user: User, text: str = ON_PAGE) -> Turn:
    turn = keep_question(user, QuestionScope(document.base, (document,)), text, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Turn.objects.select_related("answer", "conversation", "run").get(pk=turn.pk)


def page_of(client: Client, turn: Turn) -> str:
    return client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()


def read_again(client: Client, turn: Turn) -> int:
    return client.post(reverse("chat:read_again", args=[turn.pk])).status_code


def states(turn: Turn) -> list[tuple[int, str]]:
    told = read_turn(turn.pk)["badly_read"]
    return [(page["page"], page["state"]) for page in told["pages"]] if told else []


# ---- what an answer says


def test_an_answer_says_what_it_rests_on_and_offers_another_reading(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(R83)"""
    install(monkeypatch, "ocr_picture")
    turn = ask_of(report, tenant)
    notice = PageNotice.objects.get(answer=turn.answer)
    assert (notice.why, [page["number"] for page in notice.pages]) == ("rests", [1]), "and not what else is flagged"
    assert notice.pages[0]["state"] == "open" and notice.pages[0]["flags"] == ["opaque_figure"]
    client.force_login(tenant)
    page = page_of(client, turn)
    assert "rests on a page that was probably not read well" in page and "Read these pages again" in page
    trail = client.get(reverse("audit:trail", args=[turn.run_id])).content.decode()
    assert "rests on a page that was probably not read well" in trail
    exported = client.get(reverse("chat:export", args=[turn.conversation_id, "md"])).content.decode()
    assert "Note: This answer rests on a page" in exported
    with pytest.raises(DatabaseError), transaction.atomic():
        PageNotice.objects.update(why="lacks")
    assert verify().ok


def test_an_answer_that_lacks_something_names_every_flagged_page(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr_picture")
    turn = ask_of(report, tenant, "How many helicopters were bought?")
    assert turn.answer.kind in (Answer.Kind.NOT_FOUND, Answer.Kind.CANNOT_TELL)
    assert states(turn) == [(1, "open"), (2, "open"), (3, "open")]
    client.force_login(tenant)
    assert "What is missing may stand there" in page_of(client, turn)


def test_without_a_reader_it_says_what_to_install_and_offers_nothing(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    turn = ask_of(report, tenant)
    client.force_login(tenant)
    page = page_of(client, turn)
    assert states(turn) == [(1, "not_installed")]
    assert "finds under “Status” how" in page and "Read these pages again" not in page
    assert read_again(client, turn) == 302 and not report.jobs.filter(stage="recognise").exists()
    install(monkeypatch, "ocr_picture")
    assert "Read these pages again" in page_of(client, turn), "what can be done is told as it is now"
    assert PageNotice.objects.get().pages[0]["state"] == "not_installed"


def test_what_was_read_again_in_vain_is_said_and_not_offered(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr_picture")
    find_on(report, 1, lines=())
    turn = ask_of(report, tenant)
    client.force_login(tenant)
    page = page_of(client, turn)
    assert states(turn) == [(1, "tried")]
    assert "found nothing more" in page and "Read these pages again" not in page


def test_pages_that_were_read_well_are_not_mentioned(client: Client, report: Document, tenant: User) -> None:
    find_on(report, 1, 2, 3)
    finish(queueing.queue_again(report))
    report.refresh_from_db()
    turn = ask_of(report, tenant)
    assert not PageNotice.objects.exists() and read_turn(turn.pk)["badly_read"] is None


# ---- the reading


def test_only_these_pages_are_read_and_the_question_is_asked_again(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(R83)"""
    install(monkeypatch, "ocr_picture")
    given = read_by_hand(monkeypatch)
    turn = ask_of(report, tenant, QUESTION)
    client.force_login(tenant)
    first = report.current_parse
    noticed = [page for page, _ in states(turn)]
    assert [read_again(client, turn) for _ in range(3)] == [302, 302, 302]
    job = report.jobs.get(state="queued")
    assert (job.stage, job.pages, job.parse_id) == ("recognise", noticed, report.current_parse_id), "one, however often"
    assert set(states(turn)) == {(page, "reading") for page in noticed}
    polled = client.get(reverse("chat:read_again", args=[turn.pk]), headers={"HX-Request": "true"}).content.decode()
    assert "read again" in polled and "every 3s" in polled and "Read these pages again" not in polled
    finish(job)
    report.refresh_from_db()
    assert given == noticed and first and report.current_parse_id != first.pk
    assert [state for _, state in states(turn)] == ["read"] * len(noticed)
    page = page_of(client, turn)
    assert "since this answer" in page and "every 3s" not in page
    client.post(reverse("chat:retry", args=[turn.pk]), {"form_id": str(uuid.uuid4())})
    again = turn.conversation.turns.get(again_of=turn)
    answer_turn(again.pk)
    assert SHOWN in Answer.objects.get(turn=again).text


def test_in_an_automatic_base_no_other_page_is_read_with_them(
    report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr_picture")
    given = read_by_hand(monkeypatch)
    turn = ask_of(report, tenant)
    KnowledgeBase.objects.filter(pk=report.base_id).update(settings={"embeddings": "none", "recognition": "automatic"})
    (job,) = order_reading(tenant, turn)
    finish(job)
    report.refresh_from_db()
    assert given == [1] and report.current_parse is not None
    assert list(report.current_parse.lines.filter(method="ocr_picture").values_list("page_number", flat=True)) == [1]
    assert report.jobs.get(pk=job.pk).state == "done"


def test_a_reading_that_finds_nothing_leaves_the_document_as_it_is(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr_picture")
    read_by_hand(monkeypatch, lines=())
    turn = ask_of(report, tenant)
    before = report.current_parse_id
    (job,) = order_reading(tenant, turn)
    finish(job)
    report.refresh_from_db()
    assert report.current_parse_id == before and states(turn) == [(1, "tried")]
    client.force_login(tenant)
    page = page_of(client, turn)
    assert "found nothing more" in page and "Read these pages again" not in page
    assert order_reading(tenant, turn) == []
    later = ask_of(report, tenant, ON_PAGE + " Say it.")
    assert states(later) == [(1, "tried")]


def test_a_reading_that_fails_says_so_and_is_offered_again(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr_picture")

    def fail(*_: Any) -> None:
        raise refusal("parse_timeout", seconds=9)

    monkeypatch.setattr(escalation, "read_again_in_child", fail)
    turn = ask_of(report, tenant)
    (job,) = order_reading(tenant, turn)
    finish(job)
    job.refresh_from_db()
    report.refresh_from_db()
    assert (job.state, report.state) == ("failed", "ready")
    client.force_login(tenant)
    page = page_of(client, turn)
    assert "The last attempt failed." in page and "longer than 9 seconds" in page
    assert "Read these pages again" in page


def test_a_document_that_is_being_worked_on_waits(
    client: Client, report: Document, tenant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr_picture")
    turn = ask_of(report, tenant)
    other = queueing.queue_again(report)
    assert order_reading(tenant, turn) == [] and states(turn) == [(1, "busy")]
    client.force_login(tenant)
    assert "is being worked on" in page_of(client, turn)
    finish(other)
    assert states(turn) == [(1, "open")]
    Document.objects.filter(pk=report.pk).update(trashed_at="2026-01-01T00:00Z")
    assert states(turn) == [(1, "gone")] and order_reading(tenant, turn) == []


def test_pages_without_text_are_recognised_too(
    base: KnowledgeBase, tenant: User, report: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr")
    given = read_by_hand(monkeypatch)
    document = pymupdf.open(stream=report_with_figures(), filetype="pdf")
    for _ in range(2):
        page = document.new_page()
        page.insert_image(page.rect, pixmap=document[0].get_pixmap(dpi=60))
    path = tmp_path / "scanned.pdf"
    path.write_bytes(document.tobytes())
    scanned = ingest_path(path, base, tenant)
    assert scanned.current_parse is not None and scanned.current_parse.unreadable_pages == [4, 5]
    finish(queueing.queue_again(scanned, IngestJob.Stage.RECOGNISE, [5]))
    scanned.refresh_from_db()
    assert given == [5] and scanned.current_parse.unreadable_pages == [4]
    pages = rereading.flagged_pages(scanned, scanned.current_parse)
    assert {(page.number, page.state) for page in pages} == {*((n, "not_installed") for n in (1, 2, 3)), (4, "open")}


# ---- who may


def test_only_who_may_change_the_documents_has_them_read(
    client: Client, report: Document, viewer: User, tenant: User, stranger: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, "ocr_picture")
    asked, own = ask_of(report, viewer), ask_of(report, tenant)
    addresses = [reverse(f"{name}:read_again", args=[asked.pk]) for name in ("chat", "api")]
    client.force_login(viewer)
    page = page_of(client, asked)
    assert "An editor or an owner" in page and "Read these pages again" not in page
    assert [client.post(address).status_code for address in addresses] == [404, 404]
    assert client.post(reverse("chat:read_again", args=[own.pk])).status_code == 404, "somebody else's"
    assert client.get(addresses[0]).status_code == 302
    for person in (tenant, stranger):
        client.force_login(person)
        assert [client.post(address).status_code for address in addresses] == [404, 404]
        assert client.get(addresses[0]).status_code == 404
    assert not report.jobs.filter(stage="recognise").exists()
    set_role(report.base, viewer, Role.EDITOR)
    client.force_login(viewer)
    assert Client(enforce_csrf_checks=True).post(addresses[0]).status_code == 403
    told = client.post(addresses[1])
    assert told.status_code == 202 and told.json()["badly_read"]["is_reading"]
    assert report.jobs.filter(stage="recognise", state="queued").count() == 1


def test_there_is_nothing_to_read_again_without_a_notice(client: Client, report: Document, tenant: User) -> None:
    find_on(report, 1, 2, 3)
    finish(queueing.queue_again(report))
    report.refresh_from_db()
    turn = ask_of(report, tenant)
    client.force_login(tenant)
    assert read_again(client, turn) == 404
    assert client.post(reverse("api:read_again", args=[turn.pk])).status_code == 404


def test_a_page_that_was_noticed_without_a_label_is_called_by_its_number() -> None:
    kept = {"document": str(uuid.uuid4()), "title": "Report", "number": 3, "label": "", "flags": []}
    stored = cast("StoredPage", kept)  # without what else is stored today
    assert noticed_page(stored, "open").page_label == "3"
