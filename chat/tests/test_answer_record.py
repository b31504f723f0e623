"""Storing an answer: where its quotes occur, its citations and ledger entry, and that its bytes stay the same."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from audit.conftest import PASSAGE, House, MakeAnswer, MakeRun
from chat.answer_record import ANSWER, answer_payload, citation_of, store_answer
from chat.checks import literal_check
from chat.drafts import AnswerDraft, CitedLines, Quoted
from chat.models import Answer, Citation, Conversation, Turn
from ledger.chain import add_salt, digest_of
from ledger.models import Entry, Salt
from reading.boxes import StoredBox
from retrieval.models import RetrievalRun, RunCandidate

BOX: StoredBox = {"page": 1, "x0": 72.0, "y0": 112.0, "x1": 540.0, "y1": 122.0}


def candidate(**changes: Any) -> RunCandidate:
    fields = {
        "content_anchor": "The rent is 5.",
        "anchor_text": "The rent is 5. It is due.",
        "anchor_pieces": [{"line_number": 7, "start": 0, "end": 5}, {"line_number": 6, "start": 2, "end": 9}],
        "anchor_first_line": 4,
        "anchor_last_line": 9,
        "anchor_first_page": 1,
        "anchor_page_label": "iv",
        "boxes": [BOX],
    }
    return RunCandidate(**(fields | changes))


def turn_of(house: House, run: RetrievalRun) -> Turn:
    conversation = Conversation.objects.create(base=house.base, user=house.asker, title="x")
    return Turn.objects.create(conversation=conversation, number=1, question=run.question, scope_name="all", run=run)


# ---- where a quote stands


@pytest.mark.parametrize(
    ("changes", "quote", "lines"),
    [
        ({}, "The rent is 5.", (6, 7)),  # the lines of its pieces, in whichever order they are
        ({}, "The rent is 5. It is due.", (4, 9)),  # the matched lines, which no piece belongs to
        ({"anchor_pieces": []}, "The rent is 5.", (4, 9)),
        ({"content_anchor": "", "anchor_pieces": []}, "The rent is 5. It is due.", (4, 9)),
    ],
)
def test_a_citation_names_the_lines_its_quote_stands_on(
    changes: dict[str, Any], quote: str, lines: tuple[int, int]
) -> None:
    citation = citation_of(Quoted(3, candidate(**changes), quote))
    assert (citation.first_line, citation.last_line) == lines
    assert (citation.marker, citation.quote, citation.boxes) == (3, quote, [BOX])


@pytest.mark.parametrize(
    ("boxes", "page", "label"),
    [
        ([BOX], 1, "iv"),
        ([BOX | {"page": 2}], 2, "2"),  # what is printed on the first page is not printed on the second
        ([], 1, "iv"),
        ([BOX | {"page": 2}, BOX], 2, "2"),
    ],
)
def test_a_citation_opens_the_page_of_its_first_box(boxes: list[dict[str, Any]], page: int, label: str) -> None:
    citation = citation_of(Quoted(1, candidate(boxes=boxes), "The rent is 5."))
    assert (citation.page, citation.page_label) == (page, label)


def test_a_line_inside_the_pages_is_cited_as_itself() -> None:
    place = CitedLines(20, 20, 3, "vi", [{**BOX, "page": 3}])
    citation = citation_of(Quoted(2, candidate(), "Revenue 5", place))
    assert (citation.first_line, citation.last_line, citation.page, citation.page_label) == (20, 20, 3, "vi")
    assert citation.boxes == place.boxes and citation.answer_id is None


# ---- storing


@pytest.mark.django_db
def test_an_answer_its_citations_and_its_entry_are_stored_together(house: House, make_run: MakeRun) -> None:
    run = make_run()
    quoted = [Quoted(marker, candidate, PASSAGE) for marker, candidate in enumerate(run.candidates.all()[:2], 1)]
    check = literal_check("x", [1])
    draft = AnswerDraft(Answer.Kind.EXTRACTIVE, "“x” [1] [2]", "note", quoted=tuple(quoted), checks=[check])
    answer = store_answer(turn_of(house, run), run, draft, {"compose": 12.5})
    stored = Answer.objects.get(pk=answer.pk)
    assert (stored.kind, stored.text, stored.note, stored.ended) == ("extractive", "“x” [1] [2]", "note", "complete")
    assert (stored.checks, stored.timings_ms, stored.llm_call) == ([check], {"compose": 12.5}, None)
    assert [(row.marker, row.quote) for row in stored.citations.order_by("marker")] == [(1, PASSAGE), (2, PASSAGE)]
    entry = Entry.objects.get(kind="answer", subject_id=str(answer.pk))
    salt = Salt.objects.get(subject=entry.subject).salt
    assert entry.payload_digest == digest_of(add_salt(ANSWER.read([answer.pk])[answer.pk], salt))


@pytest.mark.django_db
def test_a_citation_that_cannot_be_stored_leaves_no_answer(house: House, make_run: MakeRun) -> None:
    run = make_run()
    twice = tuple(Quoted(1, candidate, PASSAGE) for candidate in run.candidates.all()[:2])
    turn = turn_of(house, run)
    entries = Entry.objects.count()
    with pytest.raises(DatabaseError), transaction.atomic():
        store_answer(turn, run, AnswerDraft(Answer.Kind.EXTRACTIVE, "x", quoted=twice), {})
    assert (Answer.objects.count(), Citation.objects.count(), Entry.objects.count()) == (0, 0, entries)


@pytest.mark.django_db
def test_a_run_is_answered_once(house: House, make_run: MakeRun) -> None:
    run = make_run()
    turn = turn_of(house, run)
    store_answer(turn, run, AnswerDraft(Answer.Kind.NOT_FOUND, "No."), {})
    with pytest.raises(DatabaseError), transaction.atomic():
        store_answer(turn, run, AnswerDraft(Answer.Kind.NOT_FOUND, "Yes."), {})
    assert Answer.objects.get().text == "No."


# ---- bytes


@pytest.mark.django_db
def test_the_first_form_is_canonical_and_holds_the_citations_in_order(
    make_run: MakeRun, make_answer: MakeAnswer
) -> None:
    answer = make_answer(make_run(), text="été [1]")
    payload = answer_payload(Answer.objects.get(pk=answer.pk))
    read = json.loads(payload)
    assert payload == json.dumps(read, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    assert (read["id"], read["run"], read["text"]) == (str(answer.pk), str(answer.run_id), "été [1]")
    [citation] = read["citations"]
    assert citation["lines"] == [1, 2] and citation["quote"] == PASSAGE
    assert payload == answer_payload(answer), "from the row in memory as from the one that is read again"


@pytest.mark.django_db
def test_the_bytes_of_an_answer_hold_its_citations_and_the_exchange(make_run: MakeRun, make_answer: MakeAnswer) -> None:
    answer = make_answer(make_run())
    read = json.loads(ANSWER.read([answer.pk])[answer.pk])
    assert read["format"] == "docintel-answer-2" and read["llm_call"] is None
    assert [citation["marker"] for citation in read["citations"]] == [1] and read["citations"][0]["lines"] == [1, 2]
    assert ANSWER.read([uuid4()]) == {} and ANSWER.read([]) == {}
