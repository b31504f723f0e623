"""How text is cut may be chosen for an upload (R96): in the browser, by API, by the command; kept with the reading."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from documents.base_settings import BaseSettings, SettingsError
from documents.ingestion import conductor, tasks
from documents.models import Document, IngestJob, KnowledgeBase
from documents.pages.listing import find_outdated
from documents.tests.files import upload_of

pytestmark = pytest.mark.django_db
FIXED = {"chunking": "fixed", "chunk_size": 300, "chunk_overlap": 50}
TEXT = ("# One\n\n" + "The tenant keeps the book. " * 30 + "\n\n# Two\n\n" + "The rent is due. " * 30).encode()
Upload = Callable[..., tuple[int, Any]]


@pytest.fixture(autouse=True)
def base_without_vectors(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "wake", lambda job: None)
    base.settings = {"embeddings": "none"}
    base.save()


def by_browser(client: Client, base: KnowledgeBase, **chosen: Any) -> tuple[int, Any]:
    files = {"files": [upload_of(TEXT, "lease.md")], **chosen}
    reply = client.post(reverse("documents:upload", args=[base.pk]), files, headers={"Accept": "application/json"})
    return reply.status_code, reply.content.decode()


def by_api(client: Client, base: KnowledgeBase, **chosen: Any) -> tuple[int, Any]:
    files = {"files": [upload_of(TEXT, "lease.md")], **chosen}
    reply = client.post(f"/api/v1/bases/{base.pk}/documents", files)
    return reply.status_code, reply.content.decode()


def read() -> Document:
    conductor.ingest(IngestJob.objects.get())
    return Document.objects.get()


@pytest.mark.parametrize("upload", [by_browser, by_api])
def test_a_cutting_of_its_own_is_kept_with_the_reading(upload: Upload, signed_in: Client, base: KnowledgeBase) -> None:
    """(R96)"""
    status, _ = upload(signed_in, base, **FIXED)
    document = read()
    assert status in (200, 201) and document.cutting == FIXED and document.current_parse is not None
    assert FIXED.items() <= document.current_parse.settings.items()
    assert all(len(passage.text) <= 340 for passage in document.current_parse.passages.all())
    assert not find_outdated(base).exists(), "the base says otherwise, and it is not asked"
    base.settings |= {"chunking": "page"}
    base.save()
    assert not find_outdated(base).exists()
    base.settings |= {"contextualisation": "none"}
    base.save()
    assert find_outdated(base).exists()


@pytest.mark.parametrize("upload", [by_browser, by_api])
def test_without_one_the_base_decides(upload: Upload, signed_in: Client, base: KnowledgeBase) -> None:
    upload(signed_in, base, chunking="", chunk_size="") if upload is by_browser else upload(signed_in, base)
    document = read()
    assert document.cutting == {} and document.current_parse is not None
    assert document.current_parse.settings["chunking"] == "section"
    base.settings |= {"chunking": "page"}
    base.save()
    assert find_outdated(base).exists()


def test_reading_again_keeps_it(signed_in: Client, base: KnowledgeBase) -> None:
    by_api(signed_in, base, chunking="page")
    document = read()
    conductor.ingest(IngestJob.objects.create(document=document))
    document.refresh_from_db()
    assert document.current_parse is not None and document.current_parse.number == 2
    assert document.current_parse.settings["chunking"] == "page"


@pytest.mark.parametrize("upload", [by_browser, by_api])
@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"chunking": "words"}, "words"),
        ({"chunking": "fixed", "chunk_size": 10}, "chunk_size"),
        ({"chunking": "fixed", "chunk_size": "x"}, "number"),
        ({"chunking": "fixed", "chunk_size": 300, "chunk_overlap": 400}, "overlap"),
        ({"chunking": "page", "chunk_size": 300}, "fixed length only"),
        ({"chunk_overlap": 30}, "fixed length only"),
    ],
)
def test_a_wrong_choice_is_told_and_nothing_is_taken(
    upload: Upload, signed_in: Client, base: KnowledgeBase, chosen: dict[str, Any], told: str
) -> None:
    status, said = upload(signed_in, base, **chosen)
    assert status == 400 and (told in said or "integer" in said) and not Document.objects.exists()


def test_the_same_key_with_another_cutting_is_another_request(signed_in: Client, base: KnowledgeBase) -> None:
    key = {"Idempotency-Key": "7e9f0d0a-5f0e-4c53-9d3b-d9a0cbbd4f11"}
    address = f"/api/v1/bases/{base.pk}/documents"
    first = signed_in.post(address, {"files": [upload_of(TEXT, "lease.md")], **FIXED}, headers=key)
    again = signed_in.post(address, {"files": [upload_of(TEXT, "lease.md")], **FIXED}, headers=key)
    other = signed_in.post(address, {"files": [upload_of(TEXT, "lease.md")]}, headers=key)
    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 422)
    [shown] = signed_in.get(address).json()["results"]
    assert shown["cutting"] == FIXED


def ingest(path: Path, *options: str) -> str:
    out = StringIO()
    call_command("ingest", str(path), "--base", "Leases", *options, stdout=out)
    return out.getvalue()


def test_the_command_takes_it_too(tmp_path: Path) -> None:
    KnowledgeBase.objects.create(name="Leases", settings={"embeddings": "none"})
    path = tmp_path / "lease.md"
    path.write_bytes(TEXT)
    with pytest.raises(CommandError, match="fixed length only"):
        ingest(path, "--chunk-size", "300")
    assert "1 of 1 files" in ingest(path, "--chunking", "fixed", "--chunk-size", "300", "--chunk-overlap", "50")
    assert Document.objects.get().cutting == FIXED


def test_the_form_has_it_under_a_fold(signed_in: Client, base: KnowledgeBase) -> None:
    page = signed_in.get(reverse("documents:base", args=[base.pk])).content.decode()
    fold = page[page.index('<details class="advanced"') : page.index("</details>", page.index("advanced"))]
    assert "As this base: By section" in fold and all(f'name="{name}"' in fold for name in FIXED)


def test_what_is_not_said_of_a_fixed_length_is_the_bases() -> None:
    chosen = BaseSettings(chunk_size=800, chunk_overlap=20)
    assert chosen.cutting({"chunking": "fixed"}) == {"chunking": "fixed", "chunk_size": 800, "chunk_overlap": 20}
    assert chosen.cutting({}) == {} and chosen.cutting({"chunking": "page"}) == {"chunking": "page"}
    with pytest.raises(SettingsError):
        chosen.cutting({"chunking": "fixed", "chunk_size": 10})
