"""Every document of a scope searched on its own: each has a finding, and no doubt is left that reading could lift."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
from django.db import DatabaseError, transaction
from pytest_django import Settings

from accounts.models import User
from documents.base_settings import BaseSettings
from documents.models import Document, KnowledgeBase, Parse
from documents.storage.store import erase_parses
from retrieval import accounting
from retrieval.conftest import Keep, fillers
from retrieval.corpus import DOCUMENTS_MAX, retrieve_among
from retrieval.filters import Filters
from retrieval.full_search import doubt_absence, search_each
from retrieval.models import RetrievalRun
from retrieval.record.as_json import looked_at, result_json, stored_result_json
from retrieval.record.ledger_forms import RUN
from retrieval.record.storing import store_run
from retrieval.told.columns import StoredCoverage
from retrieval.types import DocumentResult, RetrievalResult

pytestmark = pytest.mark.django_db
WITHOUT = BaseSettings(embeddings="none")
DOUBTED = "What about seismology volcano glacier tsunami avalanche hurricane tornado blizzard drought thirty?"
QUESTION = "How often is the crane at the Holtiford site inspected?"


def search(question: str, documents: Sequence[Document], **options: object) -> RetrievalResult:
    return search_each(question, documents, settings=WITHOUT, **options)  # type: ignore[arg-type]


def findings(result: RetrievalResult) -> dict[str, DocumentResult]:
    return {each.title: each.finding for each in result.documents if each.finding}


def sites(keep: Keep, count: int) -> list[Document]:
    """Agreements that name every word of the question but the site."""
    return [
        keep(f"Site {number:02}", f"# Equipment\n\nThe crane at site {number} is often inspected by its firm.")
        for number in range(count)
    ]


def test_it_lifts_the_doubt_about_documents_that_were_only_counted(keep: Keep) -> None:
    documents = [
        keep(f"Lot {number:02}", f"# Notice\n\nThe notice of lot {number} is thirty days.") for number in range(14)
    ]
    doubted = retrieve_among(DOUBTED, documents, settings=WITHOUT, arbiter="rules")
    assert "4 documents were searched for words only" in doubted.not_found_reason
    result = search(DOUBTED, documents)
    assert "besides" not in result.not_found_reason and result.coverage.gaps == ()
    assert (result.coverage.read, result.coverage.counted, result.coverage.alone) == (14, 0, 14)
    assert {each.state for each in result.documents} == {"read"}


def test_it_finds_what_lies_outside_the_shortlist(keep: Keep) -> None:
    """The shortlist prefers documents that repeat the words; only one names the site."""
    documents = sites(keep, 30)
    text = "# Equipment\n\nAt the Holtiford site the crane is inspected every 47 days by Castor Engineering."
    wanted = keep("Zenith", text)
    result = search(QUESTION, [*documents, wanted])
    found = findings(result)
    assert len(found) == 31 and found["Zenith"].status == "found"
    assert found["Zenith"].page == 1 and found["Zenith"].quote in text
    assert found["Zenith"].confidence > max(one.confidence for title, one in found.items() if title != "Zenith")
    assert (result.status, result.candidates[0].document_id) == ("found", str(wanted.pk))
    assert "every 47 days" in result.candidates[0].quote.text


def test_absence_is_shown_in_each_document(keep: Keep) -> None:
    result = search("What about earthquakes?", fillers(keep, 25))
    assert (result.status, result.coverage.gaps) == ("not_found", ())
    assert {one.status for one in findings(result).values()} == {"not_found"}
    assert [word.count for word in result.searched] == [0]
    assert {one.quote for one in findings(result).values()} == {""}, "nothing is quoted for an absence"


def test_words_and_pages_are_counted_over_all(keep: Keep) -> None:
    documents = [*fillers(keep, 24), keep("Scan", "# Weather\n\nIt rained.", blind=[2])]
    result = search("Where has it rained in region 3?", documents)
    counts = {word.text: word.count for word in result.searched}
    assert (counts["rained"], counts["region"]) == (25, 24)
    coverage = result.coverage
    assert (coverage.pages, coverage.pages_with_text, coverage.sections) == (26, 25, 25)
    assert coverage.unreadable == ("Scan, p. 2",)


def test_what_cannot_be_read_still_leaves_a_doubt(keep: Keep) -> None:
    scope = [*fillers(keep, 12), keep("Later", state="waiting"), keep("Blank", "# x\n\ny", blind=[1])]
    result = search("What about earthquakes?", scope)
    assert result.status == "cannot_tell"
    assert "2 of 14 documents could not be read: Later" in result.not_found_reason
    assert len(findings(result)) == 12, "a document without text has no finding"


def test_one_that_takes_too_long_is_named_and_holds_nothing_up(keep: Keep, settings: Settings) -> None:
    usual = settings.DETECTION_DEADLINE_S

    def hurry(done: int, of: int) -> None:
        settings.DETECTION_DEADLINE_S = 1e-9 if done == 3 else usual

    result = search("What about earthquakes in region 3?", fillers(keep, 12), on_document=hurry)
    slow = result.documents[3]
    assert (slow.state, slow.cause, slow.finding) == ("unsearched", "too_slow", None)
    assert slow.reason == accounting.CAUSES["too_slow"]
    assert result.coverage.gaps == (f"1 document was not searched: Filler 03 ({slow.reason})",)
    assert (
        looked_at(cast("StoredCoverage", vars(result.coverage))) == "12 documents: 11 read line by line, 1 not searched"
    )


def test_one_that_takes_too_long_is_not_read_again_with_the_others(keep: Keep, settings: Settings) -> None:
    """Its finding would be lost with all others, just where an absence is to be shown."""
    usual = settings.DETECTION_DEADLINE_S

    def hurry(done: int, of: int) -> None:
        settings.DETECTION_DEADLINE_S = 1e-9 if done == 0 else usual

    result = search("What about earthquakes?", fillers(keep, 2), on_document=hurry)
    assert [seen["title"] for seen in result.scope] == ["Filler 01"]
    assert (result.status, result.documents[0].state) == ("cannot_tell", "unsearched")


def test_an_absence_that_one_document_contradicts_is_doubted_in_every_part(keep: Keep) -> None:
    result = search("What about earthquakes, and what is the shoe size?", fillers(keep, 2))
    assert {part.outcome for part in result.parts} == {"not_found"}
    found = replace(result.documents[0], finding=DocumentResult("found", "", 0.9, 1))
    doubted = doubt_absence(replace(result, documents=(found, *result.documents[1:])), set())
    assert (doubted.status, {part.outcome for part in doubted.parts}) == ("weak", {"weak"})
    assert not any(part.missing for part in doubted.parts), "a page would say that no page mentions them"
    assert all("“Filler 00” may answer it" in said for said in (doubted.not_found_reason, doubted.parts[0].reason))


def test_one_that_is_deleted_meanwhile_is_not_called_searched(keep: Keep) -> None:
    documents = fillers(keep, 12)

    def delete(done: int, of: int) -> None:
        if done == 3:
            Document.objects.filter(pk=documents[3].pk).update(current_parse=None)
            erase_parses(Parse.objects.filter(document=documents[3]))

    result = search("What about earthquakes?", documents, on_document=delete)
    assert (result.status, result.documents[3].state, result.documents[3].cause) == (
        "cannot_tell", "unsearched", "changed"
    )  # fmt: skip
    assert "1 document was not searched: Filler 03 (it was read again or deleted" in result.not_found_reason


def test_progress_is_told_for_each_document_and_may_end_it(keep: Keep) -> None:
    told: list[tuple[int, int]] = []
    documents = fillers(keep, 4)
    search("What about earthquakes?", documents, on_document=lambda done, of: told.append((done, of)))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]

    def stop(done: int, of: int) -> None:
        if done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        search("What about earthquakes?", documents, on_document=stop)


def test_at_most_ten_are_judged_together_and_the_others_keep_their_finding(keep: Keep) -> None:
    documents = [
        keep(f"Term {number:02}", f"# Fees\n\nThe cancellation fee of contract {number} is {number + 40} dollars.")
        for number in range(15)
    ]
    result = search("What is the cancellation fee?", documents)
    assert result.status == "found" and len(result.scope) == DOCUMENTS_MAX
    assert [one.status for one in findings(result).values()] == ["found"] * 15
    reasons = [each.reason for each in result.documents]
    assert (reasons.count(accounting.TOGETHER), reasons.count(accounting.ALONE)) == (DOCUMENTS_MAX, 5)
    assert f" {DOCUMENTS_MAX} " in accounting.TOGETHER


def test_a_vague_question_is_asked_back_before_anything_is_searched(keep: Keep) -> None:
    result = search("Why?", fillers(keep, 12))
    assert (result.status, findings(result)) == ("clarify", {})
    assert len(result.documents) == 12 and {each.state for each in result.documents} == {"unsearched"}


def test_filters_hold_in_every_document(keep: Keep) -> None:
    result = search("Where did it rain?", fillers(keep, 12), filters=Filters(pages=(7,)))
    assert result.status == "cannot_tell" and "page 7" in result.not_found_reason


def test_without_any_document_nothing_is_searched() -> None:
    result = search("Where did it rain?", [])
    assert result.status in ("not_found", "cannot_tell") and result.documents == ()


def test_the_record_keeps_every_finding(keep: Keep, base: KnowledgeBase) -> None:
    result = search("Where did it rain in region 3?", fillers(keep, 12))
    user = User.objects.create_user("asker@example.org", name="Asker")
    run = RetrievalRun.objects.get(pk=store_run(result, base=base, user=user, mode="balanced").pk)
    told, kept = (
        json.dumps(each, default=str, sort_keys=True) for each in (result_json(result), stored_result_json(run))
    )
    assert told == kept
    entry = json.loads(RUN.read([run.pk])[run.pk])
    assert entry["format"] == "docintel-run-5"
    assert [each["finding"]["status"] for each in entry["documents"]] == [
        one.status for one in findings(result).values()
    ]
    with pytest.raises(DatabaseError), transaction.atomic():
        run.documents.update(finding={"status": "found"})
