"""A model looks over recovered contents over real HTTP: what is kept, added or refused, and what a failure does."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pymupdf
import pytest

from documents.base_settings import BaseSettings
from documents.ingestion import conductor, queueing
from documents.ingestion.contents import (
    ContentsOutcome,
    NamedHeading,
    below_given,
    is_printed_there,
    merge,
    passes_of,
    start_of_entry,
)
from documents.ingestion.improving import may_check_contents
from documents.models import IngestJob, KnowledgeBase, Packed, Parse
from llm.conftest import Serve
from llm.models import LLMCall
from reading.outline.headings import SectionStart
from reading.plain_text import read_markdown
from reading.rows import Reading

Queued = Callable[..., IngestJob]
PARTS = ("Scope of Delivery", "Prices and Payment", "Liability", "Term and Notice", "Final Provisions")


def without_outline() -> bytes:
    """Five parts told by print alone; in each a numbered heading in bold, no larger than the text."""
    document = pymupdf.open()
    for number, title in enumerate(PARTS, start=1):
        page = document.new_page()
        page.insert_text((72, 90), title, fontname="hebo", fontsize=16)
        for row in range(12):
            page.insert_text(
                (72, 130 + 15 * row), f"The parties agree on matter {row} of part {number} as written here."
            )
        page.insert_text((72, 360), f"{number}.1 Exceptions", fontname="hebo")
        for row in range(12):
            page.insert_text((72, 400 + 15 * row), f"Nothing else than exception {row} of part {number} is agreed on.")
    content: bytes = document.tobytes()
    return content


def read(queued: Queued, base: KnowledgeBase, **settings: str) -> Parse:
    base.settings = {"embeddings": "none", "recognition": "on_request", **settings}
    base.save()
    parse = conductor.finish(queued(without_outline())).current_parse
    assert parse is not None
    return parse


def titles(parse: Parse) -> list[tuple[int, str, str]]:
    return list(parse.toc_entries.exclude(origin="front").values_list("level", "title", "origin"))


# ---- the stage


@pytest.mark.django_db
def test_without_a_model_nothing_is_asked(queued: Queued, base: KnowledgeBase) -> None:
    """(R13) The default costs nothing where there is no model."""
    parse = read(queued, base)
    assert "contents" not in parse.report and parse.number == 1
    assert {origin for *_, origin in titles(parse)} == {"headings"}


@pytest.mark.django_db
def test_recovered_contents_are_looked_over_and_what_it_took_is_recorded(
    queued: Queued, base: KnowledgeBase, serve: Serve
) -> None:
    server = serve()
    parse = read(queued, base)
    told = parse.report["contents"]
    assert (told["passes"], told["not_printed"], told["failure"], told["mode"]) == (1, 1, "", "auto")
    assert len(server.requests) == 1 and LLMCall.objects.get().purpose == "contents"
    assert told["calls"] == [str(LLMCall.objects.get().pk)]
    assert not any("nowhere" in title for _, title, _ in titles(parse))
    assert {title for _, title, _ in titles(parse)} >= set(PARTS)


@pytest.mark.django_db
def test_changed_contents_are_a_new_parse_of_the_same_lines(
    queued: Queued, base: KnowledgeBase, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve()
    first = read(queued, base, contents_check="none")
    missed = first.toc_entries.get(title__startswith="3.1")
    missed.delete()  # as if its heading had been missed
    Packed.objects.filter(parse=first).delete()
    second = conductor.finish(queueing.queue_again(first.document, IngestJob.Stage.CONTENTS)).current_parse
    assert second is not None and second.number == first.number + 1
    found = second.toc_entries.get(title__startswith="3.1")
    assert (found.origin, found.first_line, found.last_page) == ("model", missed.first_line, missed.last_page)
    assert second.lines.get(number=found.first_line).toc_index == found.index
    assert second.report["contents"]["added"] == 1
    assert list(second.lines.values_list("number", "text")) == list(first.lines.values_list("number", "text"))
    assert second.passages.count() and second.images.count() == first.images.count()


@pytest.mark.django_db
def test_reading_again_asks_nothing_anew(queued: Queued, base: KnowledgeBase, serve: Serve) -> None:
    server = serve()
    first = read(queued, base)
    again = conductor.finish(queueing.queue_again(first.document)).current_parse
    assert again is not None and again.number > first.number and len(server.requests) == 1
    assert titles(again) == titles(first) and again.report["contents"]["calls"] == []


@pytest.mark.django_db
@pytest.mark.parametrize("behaviour", ["unauthorized", "prose"])
def test_a_failure_changes_nothing_and_is_recorded(
    queued: Queued, base: KnowledgeBase, serve: Serve, behaviour: str
) -> None:
    serve(behaviour)
    parse = read(queued, base)
    assert parse.number == 1 and parse.report["contents"]["failure"]
    assert {title for _, title, _ in titles(parse)} >= set(PARTS)
    assert LLMCall.objects.exclude(outcome="ok").filter(purpose="contents").exists()
    assert IngestJob.objects.get().state == "done"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("mode", "origin", "strength", "level", "lines", "is_wanted"),
    [
        ("none", "headings", "weak", 1, 100, False),
        ("auto", "headings", "medium", 1, 100, True),
        ("auto", "printed_contents", "medium", 3, 100, False),
        ("auto", "printed_contents", "weak", 3, 100, True),
        ("auto", "outline", "strong", 2, 100, False),
        ("auto", "outline", "strong", 2, 100_000, True),  # one or two levels for a thousand pages
        ("auto", "outline", "strong", 3, 100_000, False),
        ("auto", "headings", "medium", 1, 100_001, False),
        ("extend", "outline", "strong", 2, 100, True),
        ("extend", "outline", "strong", 3, 100, False),
        ("extend", "headings", "medium", 1, 100, False),
        ("composite", "outline", "strong", 3, 100, True),
    ],
)
def test_a_mode_says_which_contents_are_looked_over(
    queued: Queued,
    base: KnowledgeBase,
    settings: Any,
    mode: str,
    origin: str,
    strength: str,
    level: int,
    lines: int,
    is_wanted: bool,
) -> None:
    from documents.tests.readings import make_document, store_text

    parse = store_text(make_document(base), "# A\n\nText.\n")
    parse.toc_entries.update(origin=origin, level=level)
    parse.toc_origin, parse.toc_strength, parse.line_count = origin, strength, lines
    settings.LLM_CONFIGURED = True
    assert may_check_contents(parse, BaseSettings(contents_check=mode)) is is_wanted
    settings.LLM_CONFIGURED = False
    assert not may_check_contents(parse, BaseSettings(contents_check=mode))


# ---- a reply and the contents

TEXT = "\n\n".join(
    f"# {title}\n\nWhat is agreed on is written here.\n\n{n}.1 Exceptions" for n, title in enumerate(PARTS)
)


@pytest.fixture
def reading() -> Reading:
    return read_markdown(TEXT)


def starts_of(reading: Reading, origin: str) -> list[SectionStart]:
    return [replace(start_of_entry(entry), origin=origin) for entry in reading.toc]  # type: ignore[arg-type]


def test_what_a_model_names_must_be_printed_on_its_line(reading: Reading) -> None:
    assert is_printed_there(NamedHeading(line=1, level=1, title="Scope of Delivery"), reading.lines)
    assert is_printed_there(NamedHeading(line=1, level=1, title="scope of  delivery"), reading.lines)
    assert not is_printed_there(NamedHeading(line=1, level=1, title="Scope of Deliveries"), reading.lines)
    assert not is_printed_there(NamedHeading(line=1, level=1, title="Prices and Payment"), reading.lines)
    assert not is_printed_there(NamedHeading(line=1, level=1, title=" "), reading.lines)


def test_declared_entries_stay_and_recovered_ones_may_go(reading: Reading) -> None:
    shown = frozenset(range(1, len(reading.lines) + 1))
    found = [NamedHeading(line=entry.first_line, level=1, title=entry.title) for entry in reading.toc[:4]]
    found.append(NamedHeading(line=3, level=2, title="0.1 Exceptions"))
    outcome = ContentsOutcome("", "composite")
    recovered = merge(starts_of(reading, "headings"), found, shown, reading.lines, outcome)
    assert [(one.level, one.title, one.origin) for one in recovered][:3] == [
        (1, PARTS[0], "headings"),
        (2, "0.1 Exceptions", "model"),
        (1, PARTS[1], "headings"),
    ]
    assert (outcome.added, outcome.dropped, len(recovered)) == (1, 1, 5)
    declared = merge(starts_of(reading, "outline"), found, shown, reading.lines, ContentsOutcome("", "extend"))
    assert [one.title for one in declared if one.origin == "outline"] == list(PARTS)


@pytest.mark.parametrize("found", [[], [NamedHeading(line=1, level=1, title=PARTS[0])]])
def test_a_reply_that_drops_most_is_not_used(reading: Reading, found: list[NamedHeading]) -> None:
    starts, outcome = starts_of(reading, "headings"), ContentsOutcome("", "auto")
    assert merge(starts, found, frozenset(range(1, 20)), reading.lines, outcome) == starts
    assert "left out most" in outcome.failure


def test_added_entries_are_below_what_the_file_declares() -> None:
    given = SectionStart(2, "", "A", 0, 1, "outline", 1.0)
    added = SectionStart(1, "", "B", 5, 1, "model", 0.8)
    assert [one.level for one in below_given([added, given, added])] == [1, 2, 3]


def test_there_are_three_passes_at_most() -> None:
    long = "\n\n".join(f"# Part {number} {'of a long title ' * 8}\n\nText." for number in range(1, 1200))
    reading = read_markdown(long)
    passes = list(passes_of(reading, starts_of(reading, "headings")))
    assert len(passes) == 3 and all(len(prompt) < 30_000 for prompt, _ in passes)
    shown = [lines for _, lines in passes]
    assert not shown[0] & shown[1] and max(shown[0]) < min(shown[1])
