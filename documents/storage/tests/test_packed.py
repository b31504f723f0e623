"""The rows of a reading as one value: exactly those of the tables, never another program's, and made for old ones."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.ingestion.tasks import pack_readings
from documents.ingestion.trash import move_to_trash, purge_document
from documents.models import Document, KnowledgeBase, Packed, Parse
from documents.storage import content, derived, packed
from documents.storage.content import DERIVED, read_content, stored_with_reading
from documents.storage.derived import changed_values, pack_outdated
from documents.storage.packed import (
    ROWS,
    SEAL_BYTES,
    pack,
    pack_rows,
    read_packed,
    read_tables_of,
    store_packed,
    unpack_rows,
)
from documents.storage.store import stored_reading
from documents.tests.readings import HANDBOOK, make_document, store_rows, store_text
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown, read_plain_text
from reading.rows import ImageRow, LineSpan, Reading

pytestmark = pytest.mark.django_db

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
REFERRING = "# Fees\n\nSee Appendix B and Section 9, Note 2 and Appendix A.\n\n# Appendix A\n\nWhat is charged.\n"


def packed_of(parse: Parse) -> dict[str, bytes]:
    values = read_packed(parse)
    assert values is not None
    return values


def with_odd_rows() -> Reading:
    """Numbers equal across types and signs or of numpy, letters that become others, and rows out of their order."""
    reading = read_plain_text("İSTANBUL, Straße, ẞ and ΟΔΟΣ\nTrue 1 1.0 0 -0.0\n\nlower case already\nthe last\n")
    spans = (LineSpan(0, 3, 1, 2.25), LineSpan(4, 8, -0.0, 4.0, True))
    lines = [reading.lines[0]._replace(spans=spans, x0=-0.0, y0=-3, x1=1e-7), *reading.lines[1:]]
    lines[1] = lines[1]._replace(spans=(LineSpan(0, 1, 1.0, 2), LineSpan(1, 2, np.float64(2), 3.5)), match="Another")
    lines[1] = lines[1]._replace(x0=np.float64(0.5), column=np.int64(1))  # type: ignore[arg-type]
    images = (ImageRow(1, 2, 1, 2, 3, 4, 5, 6), ImageRow(1, 1, 0.1, 0.2, 0.3, 0.4, 5, 6))
    return Reading("", "und", reading.pages, tuple(lines), reading.toc, images=images)


@pytest.mark.parametrize(
    "make",
    [
        lambda: read_markdown(HANDBOOK),
        lambda: read_markdown(REFERRING),
        lambda: read_plain_text("One"),
        with_odd_rows,
        lambda: read_pdf(SAMPLES / "annual-report.pdf", Limits()),
        lambda: read_pdf(SAMPLES / "outsourcing-agreement.pdf", Limits()),
    ],
    ids=["markdown", "references", "one line", "odd rows", "report", "agreement"],
)
def test_what_is_packed_are_the_rows_of_the_tables_to_the_last_digit_and_type(base: KnowledgeBase, make: Any) -> None:
    parse = store_rows(make_document(base), make())
    rows = read_tables_of(parse)
    assert repr(unpack_rows(packed_of(parse)[ROWS])) == repr(rows)
    assert repr(unpack_rows(pack_rows(rows))) == repr(rows)


def test_a_content_is_read_without_a_row_of_its_lines(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base), REFERRING)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        found = read_content(parse)
    assert not any(name in each["sql"] for each in asked for name in ("documents_line", "documents_tocentry"))
    Packed.objects.all().delete()
    assert read_content(parse) == found and found.stored_registry is not None


@pytest.mark.parametrize("is_stored", [True, False], ids=["of another program", "never packed"])
def test_a_reading_that_this_program_did_not_pack_is_read_from_its_rows_until_it_does(
    base: KnowledgeBase, caplog: pytest.LogCaptureFixture, *, is_stored: bool
) -> None:
    parse = store_text(make_document(base), REFERRING)
    before = stored_reading(parse), read_content(parse)
    stored = Packed.objects.filter(parse=parse)
    stored.update(version="0-older", value=b"of another form") if is_stored else stored.delete()
    assert (stored_reading(parse), read_content(parse)) == before and changed_values(parse) == []
    pack_readings()
    assert repr(unpack_rows(packed_of(parse)[ROWS])) == repr(read_tables_of(parse))
    assert (stored_reading(parse), read_content(parse)) == before and pack_outdated() == 0
    assert "were changed" not in caplog.text


def another_text(parse: Parse, value: bytes) -> bytes:
    """Other lines as somebody would put them there who may write to the database: with the seal of what was there."""
    lines = [line._replace(text=line.text.replace("Fees", "Fines")) for line in read_tables_of(parse).lines]
    forged = packed_of(parse) | {ROWS: pack_rows(read_tables_of(parse)._replace(lines=tuple(lines)))}
    store_packed(parse, forged)
    return value[:SEAL_BYTES] + bytes(Packed.objects.get(parse=parse).value)[SEAL_BYTES:]


CHANGES: dict[str, Callable[[Parse, bytes], bytes]] = {
    "cut off": lambda _, value: value[:-9],
    "only a seal": lambda _, value: value[:SEAL_BYTES],
    "less than a seal": lambda _, value: value[:5],
    "empty": lambda _, value: b"",
    "what would end the process": lambda _, value: value[:SEAL_BYTES] + b"(" + b"\xff\xff\xff\x7f" + b"[" * 9,
    "another text": another_text,
}


@pytest.mark.parametrize("change", CHANGES)
def test_of_a_changed_value_nothing_is_read_and_the_check_names_it(
    base: KnowledgeBase, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    parse = store_text(make_document(base), REFERRING)
    intact = read_content(parse)
    assert changed_values(parse) == []
    value = bytes(Packed.objects.get(parse=parse).value)
    Packed.objects.filter(parse=parse).update(value=CHANGES[change](parse, value))
    found = read_content(parse)
    assert found == intact and found.derived == {} and stored_reading(parse).lines == intact.lines
    assert changed_values(parse) == sorted([ROWS, *DERIVED]) and "was changed" in caplog.text


def test_a_value_of_another_reading_or_version_does_not_fit(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (store_text(make_document(base, f"{text}.md"), f"# {text}\n\n{text}") for text in ("one", "two"))
    Packed.objects.filter(parse=second).update(value=Packed.objects.get(parse=first).value)
    assert read_packed(second) == {} and [line.text for line in read_content(second).lines] == ["two", "two"]
    Packed.objects.update(version="2-next")
    monkeypatch.setattr(packed, "VERSION", "2-next")
    assert read_packed(first) == {}


def test_rows_that_were_changed_are_named_too(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base), REFERRING)
    parse.lines.filter(number=2).update(text="See nothing.")
    assert changed_values(parse) == [ROWS, "units"]


def test_a_value_that_another_program_derived_is_named(base: KnowledgeBase) -> None:
    """As when its number was not raised with it."""
    parse = store_text(make_document(base), REFERRING)
    store_packed(parse, packed_of(parse) | {"units": pack(())})
    assert changed_values(parse) == ["units"]


def test_only_what_can_be_asked_is_packed_anew_and_not_longer_than_given(
    base: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    document = make_document(base, "a.md")
    store_text(document)
    asked = {store_text(document, "# Another\n\ntext").pk, store_text(make_document(base, "b.md")).pk}
    store_text(make_document(base, "thrown.md", trashed_at=timezone.now()))
    store_text(make_document(base, "replaced.md", replaced_at=timezone.now()))
    store_text(make_document(KnowledgeBase.objects.create(name="Gone", deleted_at=timezone.now())))
    store_rows(make_document(base, "empty.md"), Reading("", "en", (), (), ()))
    Packed.objects.all().delete()
    assert [pack_outdated(seconds=0) for _ in range(3)] == [1, 1, 0]
    assert {row.parse_id for row in Packed.objects.all()} == asked
    told = [each.message.split()[:3] for each in caplog.records if "packed anew" in each.message]
    assert told == [["1", "of", "2"], ["1", "of", "1"]]


def test_what_another_living_program_packed_is_left_to_it(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    store_text(make_document(base))
    Packed.objects.update(version="of-a-program-that-is-gone")

    def packed_by(version: str) -> int:
        for module in (packed, derived):
            monkeypatch.setattr(module, "VERSION", version)
        return pack_outdated()

    assert [packed_by(version) for version in ("release-1", "release-2") * 2] == [1, 0, 0, 0]
    store_text(make_document(base, "another.md"))
    assert set(Packed.objects.values_list("version", flat=True)) == {"release-1", "release-2"}
    assert [packed_by(version) for version in ("release-1", "release-2")] == [0, 0]
    cache.delete("packing:release-1")  # as some minutes after it ended
    assert [packed_by("release-2"), packed_by("release-1")] == [1, 0]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function whose values are stored, and the documents it was computed for."""
    known: dict[str, Any] = {}
    for module in (content, derived):
        monkeypatch.setattr(module, "DERIVED", known)
    computed: list[str] = []

    @stored_with_reading("lengths", list, lambda plain, content: (content.title, *plain))
    def lengths_of(content: Any) -> tuple[Any, ...]:
        computed.append(content.title)
        return (content.title, *(len(line.text) for line in content.lines))[1:]

    return lengths_of, computed


def test_what_is_derived_is_computed_when_a_document_is_read_and_not_when_it_is_asked(
    base: KnowledgeBase, counted: Any
) -> None:
    lengths_of, computed = counted
    parse = store_text(make_document(base))
    assert computed == ["Handbook"]
    stored = lengths_of(read_content(parse))
    assert computed == ["Handbook"] and stored == ("Handbook", *(len(line.text) for line in parse.lines.all()))
    Packed.objects.update(version="2")
    assert lengths_of(read_content(parse)) == stored[1:] and computed == ["Handbook"] * 2, "of another version"
    assert (pack_outdated(), pack_outdated()) == (1, 0)
    assert lengths_of(read_content(parse)) == stored and computed == ["Handbook"] * 3


def test_what_cannot_be_derived_keeps_no_document_out_and_is_tried_once_by_each_version(
    base: KnowledgeBase, counted: Any, caplog: pytest.LogCaptureFixture
) -> None:
    tried = []

    def fail(content: Any) -> Any:
        tried.append(content.title)
        raise IndexError(content.title)

    ask = stored_with_reading("failing", list, lambda plain, _: plain)(fail)
    parse = store_text(make_document(base))
    assert set(packed_of(parse)) == {ROWS, "lengths"} and "failing of reading" in caplog.text
    assert changed_values(parse) == [] and len(tried) == 2
    with pytest.raises(IndexError):
        ask(read_content(parse))
    assert pack_outdated() == 0 and len(tried) == 3
    Packed.objects.update(version="of-another-program")
    assert (pack_outdated(), pack_outdated(), len(tried)) == (1, 0, 4)


@pytest.mark.parametrize("spans", [[[0, 3, "x", 2.25]], [[0]]], ids=["cannot be packed", "cannot be read"])
def test_a_reading_that_cannot_be_packed_keeps_no_other_from_it_and_is_told_once(
    base: KnowledgeBase, caplog: pytest.LogCaptureFixture, spans: Any
) -> None:
    parses = [store_text(make_document(base, f"{number}.md")) for number in range(4)]
    odd = parses[1]
    odd.lines.filter(number=2).update(spans=spans)
    assert [changed_values(parse) for parse in parses] == [[], [ROWS], [], []]
    Packed.objects.all().delete()
    caplog.clear()
    assert (pack_outdated(), pack_outdated()) == (4, 0)
    assert [str(odd.pk) in each.message for each in caplog.records if each.levelname == "ERROR"] == [True]
    assert ROWS not in packed_of(odd) and all(ROWS in packed_of(parse) for parse in parses if parse != odd)
    assert [changed_values(parse) for parse in parses] == [[], [], [], []]


def test_a_reading_that_cannot_be_packed_is_stored_and_read_from_its_rows(base: KnowledgeBase) -> None:
    reading = read_markdown(HANDBOOK)
    odd = reading.lines[0]._replace(text=type("Text", (str,), {})("Handbook"))  # of which `marshal` knows nothing
    parse = store_rows(make_document(base), replace(reading, lines=(odd, *reading.lines[1:])))
    assert ROWS not in packed_of(parse)
    assert read_content(parse).lines == stored_reading(parse).lines == reading.lines


def test_the_database_erases_what_is_packed_with_a_reading_for_processes_that_know_of_none(base: KnowledgeBase) -> None:
    parse = store_text(make_document(base))
    Document.objects.update(current_parse=None)
    with connection.cursor() as cursor:
        for table in ("word", "passage", "line", "page", "tocentry"):
            cursor.execute(f"DELETE FROM documents_{table} WHERE parse_id = %s", [parse.pk])
        cursor.execute("DELETE FROM documents_parse WHERE id = %s", [parse.pk])
    assert not Packed.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_document_that_is_deleted_while_it_is_packed_is_gone_with_what_is_packed(
    base: KnowledgeBase, counted: Any
) -> None:
    with transaction.atomic():
        parse = store_text(make_document(base))
    failed: list[Exception] = []
    eraser = Thread(target=erase, args=[parse, failed])

    def derive(content: Any) -> list[int]:
        eraser.start()
        eraser.join()
        return []

    stored_with_reading("slow", list, lambda plain, _: plain)(derive)
    Packed.objects.update(version="of-another-program")
    assert pack_outdated() == 0
    assert not failed and not Parse.objects.exists() and not Packed.objects.exists()


def erase(parse: Parse, failed: list[Exception]) -> None:
    try:
        move_to_trash(parse.document)
        purge_document(parse.document)
    except DatabaseError as error:
        failed.append(error)
    finally:
        connection.close()
