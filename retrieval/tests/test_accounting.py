"""Every document of a scope is accounted for, and nothing is called absent that nobody looked at (R57)."""

import json
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from django.db import DatabaseError, transaction

from accounts.models import User
from documents.base_settings import BaseSettings
from documents.models import Document, IngestJob, KnowledgeBase
from reading.reasons import REASONS
from retrieval import accounting
from retrieval.conftest import Keep, fillers
from retrieval.corpus import DOCUMENTS_MAX, retrieve_among
from retrieval.models import RetrievalRun
from retrieval.record.as_json import looked_at, result_json, stored_result_json
from retrieval.record.ledger_forms import RUN
from retrieval.record.storing import store_run
from retrieval.types import RetrievalResult, ScopeDocument

pytestmark = pytest.mark.django_db
WITHOUT = BaseSettings(embeddings="none")
MANY = 40


def ask(question: str, documents: Sequence[Document], arbiter: str = "rules") -> RetrievalResult:
    return retrieve_among(question, documents, settings=WITHOUT, arbiter=arbiter)


def states(result: RetrievalResult) -> Counter[str]:
    return Counter(each.state for each in result.documents)


def row_of(result: RetrievalResult, document: Document) -> ScopeDocument:
    [row] = [each for each in result.documents if each.document_id == str(document.pk)]
    return row


def failed(keep: Keep, title: str, code: str) -> Document:
    document = keep(title, state=Document.State.FAILED)
    IngestJob.objects.create(
        document=document, state=IngestJob.State.FAILED, reason_code=code, error_for_people=REASONS[code]
    )
    return document


def test_a_document_that_failed_beside_one_that_was_read_leaves_a_doubt(keep: Keep) -> None:
    """R57, the first reproduction: "not found" was said with "1 of 1 pages have text"."""
    documents = [keep("Policy", "# Premium\n\nThe premium is due in March."), failed(keep, "Annex", "no_text")]
    result = ask("What about earthquakes?", documents)
    assert result.status == "cannot_tell"
    assert [gate.code for gate in result.gates if gate.fired] == ["G0", "G1"]
    assert "1 of 2 documents could not be read: Annex (No page has text" in result.not_found_reason
    evidence = {gate.code: gate.evidence for gate in result.gates}["G0"]
    assert evidence.startswith("2 documents: 1 read line by line, 1 could not be read; 1 of 1 page has text; 1 of 2")
    row = row_of(result, documents[1])
    assert (row.state, row.cause, row.parse_id, row.pages) == ("unreadable", "no_text", "", None)
    assert row.sha256 == documents[1].sha256


def test_a_page_without_text_outside_the_shortlist_leaves_a_doubt(keep: Keep) -> None:
    """R57, the second reproduction: 13 documents, the answer on a page nobody could read, and "20 of 20 pages"."""
    documents = fillers(keep, 12)
    scan = keep("Zz", "# Weather\n\nNothing of note.", blind=[2])
    result = ask("What about earthquakes in region 3?", [*documents, scan])
    assert row_of(result, scan).state == "counted"
    assert ask("What about earthquakes?", [*documents, scan]).status == "cannot_tell"
    result = ask("What about earthquakes?", [*documents, scan])
    assert result.coverage.pages == 14 and result.coverage.pages_with_text == 13
    assert "13 of 14 pages have text; not readable: Zz, p. 2" in result.not_found_reason
    assert ask("What about earthquakes?", documents).status == "not_found", "without that page all was looked at"


def test_forty_documents_are_all_accounted_for(keep: Keep) -> None:
    documents = fillers(keep, MANY - 3)
    wanted = keep("Terms", "# Fees\n\nThe cancellation fee is forty dollars, payable in region 7.")
    waiting, locked = keep("Later", state="waiting"), failed(keep, "Locked", "encrypted")
    scope = [*documents, waiting, wanted, locked]
    result = ask("What is the cancellation fee in region 7?", scope)
    assert [each.document_id for each in result.documents] == [str(document.pk) for document in scope]
    assert states(result) == {"read": DOCUMENTS_MAX, "counted": MANY - DOCUMENTS_MAX - 2, "unreadable": 2}
    coverage = result.coverage
    figures = (coverage.documents, coverage.read, coverage.counted, coverage.unreadable_documents, coverage.pages)
    assert figures == (MANY, DOCUMENTS_MAX, MANY - DOCUMENTS_MAX - 2, 2, MANY - 2)
    assert [row_of(result, each).cause for each in (waiting, locked)] == ["waiting", "encrypted"]
    assert row_of(result, locked).reason == REASONS["encrypted"]
    assert {seen["document_id"] for seen in result.scope} == {
        each.document_id for each in result.documents if each.state == "read"
    }
    best = row_of(result, wanted)
    assert best.place and (best.place.rank, best.place.of) == (1, MANY - 2)
    assert best.place.words and best.place.fused and best.place.meaning is None
    ranks = [each.place.rank for each in result.documents if each.place and each.place.rank]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))
    left_out = next(each for each in result.documents if each.state == "counted")
    assert left_out.place and left_out.reason == accounting.RANKED and "region" in left_out.words
    assert result.status == "found" and result.confidence > 0.6, "what nobody read makes what was found no less sure"


def test_the_reasons_name_the_figure_that_holds(keep: Keep) -> None:
    named = (accounting.RANKED, accounting.UNRANKED, accounting.FILLED, accounting.GAVE_WAY, accounting.WIDENED)
    assert all(f" {DOCUMENTS_MAX} " in sentence for sentence in named)


def test_words_nobody_has_are_proof_in_documents_that_were_only_counted(keep: Keep) -> None:
    result = ask("What about earthquakes?", fillers(keep, MANY))
    assert (result.status, states(result)["counted"]) == ("not_found", MANY - DOCUMENTS_MAX)
    assert result.coverage.gaps == ()
    evidence = {gate.code: gate.evidence for gate in result.gates}["G0"]
    assert evidence == "40 documents: 10 read line by line, 30 searched for words only; 40 of 40 pages have text"


def test_the_languages_of_the_whole_scope_count_also_of_documents_nobody_read(keep: Keep) -> None:
    """R57: "not found" was said of a French document that the words of an English question could not be in."""
    english = fillers(keep, DOCUMENTS_MAX + 1)
    french = keep("Zz", "# Météo\n\nLe tremblement de terre de la nuit n'est pas couvert par le contrat.")
    assert ask("What about earthquakes?", english).status == "not_found"
    result = ask("What about earthquakes?", [*english, french])
    assert row_of(result, french).state == "counted"
    assert (result.status, result.not_found_reason.partition("; ")[2]) == (
        "cannot_tell",
        "but the question is in English and some of the text in French",
    )
    assert ask("What rained?", [*english, french]).status != "cannot_tell", "what is there needs no proof"


def test_a_judgement_is_no_proof_where_documents_nobody_read_have_the_words(keep: Keep) -> None:
    words = "seismology volcano glacier tsunami avalanche hurricane tornado blizzard drought landslide thirty"
    documents = [
        keep(f"Lot {number:02}", f"# Notice\n\nThe notice of lot {number} is thirty days.") for number in range(14)
    ]
    result = ask(f"What about {words}?", documents)
    assert (result.status, [gate.code for gate in result.gates if gate.fired]) == ("weak", ["G0", "G3"])
    assert result.not_found_reason.endswith(
        "; besides, 4 documents were searched for words only; 4 of them hold “thirty”"
    )
    others = [*documents[:8], *fillers(keep, 6)]
    for read in (others, documents[:8]):  # none that was only counted has a word, or all were read
        assert "besides" not in ask(f"What about {words}?", read).not_found_reason


def test_a_second_pass_accounts_for_the_documents_of_both(keep: Keep) -> None:
    silent = keep("NIKE_2018_10K", "# A\n\nIt rained on the hall.")
    telling = keep("ZENITH_2019", "# A\n\nNo earthquake was insured.")
    result = ask("Was an earthquake insured by Nike in 2018?", [silent, telling, *fillers(keep, 12)])
    assert result.status == "weak", "it tells of another company and another year"
    assert row_of(result, silent).state == row_of(result, telling).state == "read"
    assert (row_of(result, silent).reason, row_of(result, telling).reason) == (accounting.NAMED, accounting.WIDENED)
    assert states(result) == {"read": DOCUMENTS_MAX, "counted": 4}
    assert result.timings_ms["first_pass"] > 0
    ids = [candidate.candidate_id for candidate in result.candidates]
    assert len(ids) == len(set(ids))


def test_a_second_pass_keeps_what_was_refused_in_the_documents_named(keep: Keep) -> None:
    """peers.md 0.1: of two passes one was dropped, with its candidates and the reasons they were refused for."""
    named = keep("NIKE_2018_10K", "# Losses\n\nAn earthquake was mourned at the head office.")
    telling = keep("ZENITH_2019", "# Insurance\n\nThe director paid the premium for the earthquake.")
    result = ask("Who paid the earthquake premium of Nike in 2018?", [named, telling, *fillers(keep, 12)])
    assert "first_pass" in result.timings_ms
    refused = {each.document_id: each.verdict for each in result.candidates}
    assert set(refused) == {str(named.pk), str(telling.pk)} and all(verdict.reason for verdict in refused.values())


def test_where_the_documents_named_answer_the_others_are_counted(keep: Keep) -> None:
    named = keep("NIKE_2018_10K", "# Insurance\n\nNo earthquake was insured.")
    result = ask("Was an earthquake insured by Nike in 2018?", [named, *fillers(keep, 3)])
    assert (result.status, states(result)) == ("found", {"read": 1, "counted": 3})
    assert row_of(result, named).reason == accounting.NAMED
    assert {each.reason for each in result.documents if each.state == "counted"} == {accounting.OTHERS_NAMED}


def test_a_document_without_text_is_not_called_read(keep: Keep) -> None:
    scan = keep("Scan", "# x\n\ny", blind=[1])
    result = ask("What about earthquakes?", [keep("Policy", "# A\n\nThe premium."), scan])
    assert (row_of(result, scan).state, row_of(result, scan).cause) == ("unreadable", "no_text")
    assert result.status == "cannot_tell"


def test_a_stored_run_lists_them_as_the_result_did(keep: Keep, base: KnowledgeBase) -> None:
    scope = [*fillers(keep, 12), keep("Later", state="reading")]
    result = ask("Where did it rain in region 3?", scope)
    user = User.objects.create_user("asker@example.org", name="Asker")
    run = RetrievalRun.objects.get(pk=store_run(result, base=base, user=user, mode="fast").pk)
    told, kept = (
        json.dumps(each, default=str, sort_keys=True) for each in (result_json(result), stored_result_json(run))
    )
    assert told == kept
    assert (
        looked_at(run.coverage) == "13 documents: 10 read line by line, 2 searched for words only, 1 could not be read"
    )
    listed = result_json(result)["documents"]
    assert [each["document_id"] for each in listed] == [str(document.pk) for document in scope]
    read = next(each for each in listed if each["state"] == "read")  # which of the equals are read is not told
    assert read["file_name"] == f"{read['title']}.md", "of those that were read the rest is kept, too"
    assert (listed[-1]["state"], listed[-1]["parse_id"], listed[-1]["scores"]) == ("unreadable", None, None)
    ranked = next(each for each in listed if each["state"] == "counted")
    assert ranked["reason"] == f"rank {ranked['rank']} of 12; {accounting.RANKED}"


def test_no_row_of_a_document_can_be_changed_or_deleted(keep: Keep, base: KnowledgeBase) -> None:
    user = User.objects.create_user("asker@example.org", name="Asker")
    run = store_run(ask("Where did it rain?", fillers(keep, 3)), base=base, user=user, mode="fast")
    changes: list[Callable[[], object]] = [
        lambda: run.documents.update(state="read", cause="none"),
        lambda: run.documents.update(words=[]),
        lambda: run.documents.all()._raw_delete("default"),
    ]
    for change in changes:
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert json.loads(RUN.read([run.pk])[run.pk])["format"] == "docintel-run-4"
    for document in run.documents.all():
        assert document.parse and document.parse.is_recorded, "what a run counted in stays, too"
