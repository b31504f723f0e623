"""From a stored run to an answer: which kind it becomes and why, what the writer reads, and what is said of faults."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from audit.conftest import PASSAGE, House, MakeRun, candidate_fields, run_fields
from chat.checks import literal_check
from chat.conftest import Serve
from chat.drafts import AnswerDraft, Quoted
from chat.figures.answer import NOTE as FIGURE_NOTE
from chat.figures.shown import ComputedFigures
from chat.turns.compose import (
    AMENDED,
    AMENDED_IF,
    NO_LITERAL_QUOTE,
    NO_MODEL,
    NO_PRIMARY,
    PARTIAL,
    PICTURE_NOT_READ,
    RERANKED,
    SIGN_NOT_READ,
    STOPPED,
    TOO_LONG,
    UNJUDGED,
    Kind,
    WriterContext,
    compose,
    notes_on,
    with_figures,
)
from chat.writing.excerpt_rows import excerpts_of, holds, is_reranked
from chat.writing.writer import ANSWER_CHARACTERS_MAX, StreamedReply
from documents.base_settings import BaseSettings
from documents.storage.content import load_content
from retrieval.models import RetrievalRun, RunCandidate

pytestmark = pytest.mark.django_db

Judged = Callable[..., RetrievalRun]


@dataclass
class Reader:
    """What a reader was shown, and whether he has had enough."""

    shown: list[str] = field(default_factory=list)
    is_tired: bool = False

    def writing(self, mode: str = "balanced", **settings: Any) -> WriterContext:
        return WriterContext(mode, BaseSettings(**settings), self.shown.append, lambda: self.is_tired)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def judged(house: House, make_run: MakeRun) -> Judged:
    """A run with one candidate for each of the given changes; no sentence there has what is asked for, an address."""
    parsed = run_fields(house)["parsed"] | {"answer_type": "boolean"}

    def make(*candidates: dict[str, Any], **run: Any) -> RetrievalRun:
        made = make_run(roles="", **({"parsed": parsed} | run))
        for position, changes in enumerate(candidates, 1):
            words = {"content_anchor": f"Sentence {position}.", "anchor_text": f"Sentence {position}, as matched."}
            fields = candidate_fields(house, made, position, "primary") | words | changes
            RunCandidate.objects.create(**fields)
        return made

    return make


# ---- which kind of answer


@pytest.mark.parametrize(
    ("run", "roles", "kind", "note"),
    [
        ({"status": "not_found"}, [], Kind.NOT_FOUND, ""),
        ({"status": "cannot_tell"}, [], Kind.CANNOT_TELL, ""),
        ({"status": "clarify"}, ["primary"], Kind.CLARIFICATION, ""),
        ({}, ["supporting", "tangential"], Kind.NOT_FOUND, ""),
        ({}, [], Kind.NOT_FOUND, ""),
        ({}, ["primary"], Kind.EXTRACTIVE, NO_MODEL),
        ({"arbiter": "model"}, ["primary"], Kind.EXTRACTIVE, NO_MODEL),
        ({"arbiter": "rerank"}, ["primary"], Kind.EXTRACTIVE, RERANKED),
        ({"arbiter": "none"}, ["unjudged"], Kind.EXTRACTIVE, UNJUDGED),
        ({"arbiter_status": "not_run"}, ["unjudged"], Kind.EXTRACTIVE, "Nobody judged these passages"),
        ({"status": "cannot_tell", "arbiter_status": "not_run"}, ["primary"], Kind.CANNOT_TELL, ""),
    ],
)
def test_the_run_decides_what_kind_of_answer_it_gets(
    judged: Judged, reader: Reader, run: dict[str, Any], roles: list[str], kind: Kind, note: str
) -> None:
    draft = compose(judged(*({"role": role} for role in roles), **run), reader.writing())
    assert draft.kind == kind and draft.note.startswith(note) and bool(draft.note) is bool(note)
    assert bool(draft.quoted) is (kind == Kind.EXTRACTIVE)
    assert draft.exchange is None and reader.shown == []


@pytest.mark.parametrize(
    ("conditions", "notes"),
    [([], []), ([False], [AMENDED]), ([True], [AMENDED_IF]), ([False, True, False], [AMENDED, AMENDED_IF])],
)
def test_a_clause_that_is_changed_on_a_condition_only_is_not_called_amended(
    judged: Judged, reader: Reader, conditions: list[bool], notes: list[str]
) -> None:
    told = [{"clause": "6.2", "is_conditional": each, "candidate_ids": []} for each in conditions]
    draft = compose(judged({}, contradictions=[{"point": "the rent", "candidate_ids": []}, *told]), reader.writing())
    assert draft.note == " ".join([NO_MODEL, *notes])


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("", NO_PRIMARY),
        ("   ", NO_PRIMARY),
        ("none of the words occurs", "None of the words occurs."),
        ("what do you mean?", "What do you mean?"),
        ("état inconnu", "État inconnu."),
    ],
)
def test_an_absence_is_told_as_a_sentence(judged: Judged, reader: Reader, reason: str, text: str) -> None:
    assert compose(judged(status="not_found", not_found_reason=reason), reader.writing()).text == text


def test_a_question_back_is_the_one_that_was_read(judged: Judged, reader: Reader) -> None:
    run = judged(status="clarify", parsed={"clarification": "Which lease <b>do</b> you mean?"})
    assert compose(run, reader.writing()).text == "Which lease <b>do</b> you mean?"


def test_why_the_arbiter_did_not_run_is_said(judged: Judged, reader: Reader) -> None:
    told = {"arbiter_status": "not_run", "arbiter_failure": "The server does not answer."}
    assert compose(judged({"role": "unjudged"}, **told), reader.writing()).note.endswith("The server does not answer.")
    silent = compose(judged({"role": "unjudged"}, arbiter_status="not_run"), reader.writing())
    assert silent.note == silent.note.strip()


# ---- quotes


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("the year 2022", " What is missing: The year 2022."),
        ("", ""),
    ],
)
def test_what_is_missing_from_a_partial_answer_is_said_first(
    judged: Judged, reader: Reader, reason: str, said: str
) -> None:
    draft = compose(judged({}, answerable=False, answerable_reason=reason), reader.writing())
    assert draft.kind == "extractive" and draft.note == f"Only a part of the question is answered.{said} {NO_MODEL}"
    absent = compose(judged(status="not_found", answerable=False, answerable_reason=reason), reader.writing())
    assert PARTIAL not in absent.note


def test_quotes_come_primary_first_and_each_text_once(judged: Judged, reader: Reader) -> None:
    run = judged(
        {"role": "supporting"},
        {"role": "primary"},
        {"role": "primary", "content_anchor": "Sentence 2."},
        {"role": "discarded"},
    )
    draft = compose(run, reader.writing())
    assert draft.text == "“Sentence 2.” [1]\n\n“Sentence 1.” [2]"
    assert [quoted.marker for quoted in draft.quoted] == [1, 2]


@pytest.mark.parametrize(
    ("mode", "chosen", "count"),
    [
        ("balanced", {}, 8),
        ("fast", {}, 3),
        ("balanced", {"per_document_max": 1}, 8),  # one document alone may give them all
        ("balanced", {"passages_max": 2}, 2),
        ("thorough", {"passages_max": 2, "per_document_max": 12}, 3),
        ("thorough", {"passages_max": 12, "per_document_max": 12}, 12),
    ],
)
def test_no_more_is_quoted_than_mode_and_base_allow(
    judged: Judged, reader: Reader, mode: str, chosen: dict[str, int], count: int
) -> None:
    draft = compose(judged(*[{}] * 14), reader.writing(mode, **chosen))
    assert len(draft.quoted) == count and f"[{count}]" in draft.text and f"[{count + 1}]" not in draft.text


def test_the_best_sentence_comes_first_and_is_one_of_the_citations(
    judged: Judged, reader: Reader, house: House
) -> None:
    """It is the one that the run has."""
    line = load_content(house.parse).lines[0]
    chosen = {"candidate_id": "p1-l1-2", "text": line.text, "pieces": [[line.number, 0, len(line.text)]]}
    plan = run_fields(house)["plan"] | {"headlines": [chosen]}
    draft = compose(judged(*[{}] * 3, plan=plan), reader.writing("fast", passages_max=2))
    headline, _, quote = draft.text.partition("\n\n")
    assert headline.endswith("[1]") and " ".join(draft.quoted[0].quote.split()) in headline
    assert quote == "“Sentence 1.” [2]" and len(draft.quoted) == 2
    assert draft.checks[0]["typed"]["type"] == "sentence"


@pytest.mark.parametrize(
    ("run", "changes"),
    [({"arbiter": "rerank"}, {}), ({"arbiter": "none"}, {"role": "unjudged"}), ({}, {"content_anchor": ""})],
)
def test_what_nobody_judged_or_quoted_literally_has_no_headline(
    judged: Judged, reader: Reader, house: House, run: dict[str, Any], changes: dict[str, Any]
) -> None:
    draft = compose(judged(changes, parsed=run_fields(house)["parsed"], **run), reader.writing())
    assert draft.text.startswith("“Sentence 1") and not draft.checks


def test_where_no_quote_survived_the_matched_lines_stand_and_it_is_said(judged: Judged, reader: Reader) -> None:
    draft = compose(judged({"content_anchor": ""}, {"content_anchor": ""}), reader.writing())
    assert draft.note == f"{NO_LITERAL_QUOTE} {NO_MODEL}"
    assert draft.text.startswith("“Sentence 1, as matched.” [1]")


def test_one_quote_that_survived_stands_alone(judged: Judged, reader: Reader) -> None:
    draft = compose(judged({"content_anchor": ""}, {}), reader.writing())
    assert (draft.note, draft.text) == (NO_MODEL, "“Sentence 2.” [1]")


def test_a_figure_that_was_computed_goes_behind_what_was_written() -> None:
    quoted = Quoted(2, RunCandidate(), "Revenue 5")
    said, computed = literal_check("It is high.", [1]), literal_check("The margin is 20 %.", [2])
    figures = ComputedFigures("The margin is 20 %. [2]", (quoted,), [computed])
    draft = with_figures(
        AnswerDraft(Kind.GENERATED, "It is high. [1]", checks=[said]), figures, [FIGURE_NOTE], figures.checks
    )
    assert draft.text == "It is high. [1]\n\nThe margin is 20 %. [2]" and draft.note == FIGURE_NOTE
    assert draft.quoted == (quoted,) and draft.checks == [said, computed]


# ---- with a model


def test_a_written_answer_cites_only_what_it_used(judged: Judged, reader: Reader, serve: Serve) -> None:
    """R88."""
    serve()
    draft = compose(judged({}, {}, {}), reader.writing())
    assert (draft.kind, draft.ended, draft.note) == (Kind.GENERATED, "complete", "")
    assert [quoted.marker for quoted in draft.quoted] == [1, 2], "of three that were given"
    assert "".join(reader.shown).strip() == draft.text and draft.exchange is not None


def test_what_a_reranker_ordered_is_said_beside_a_written_answer(judged: Judged, reader: Reader, serve: Serve) -> None:
    serve()
    assert compose(judged({"rule": "relevance 0.91"}, arbiter="rerank"), reader.writing()).note == RERANKED


@pytest.mark.parametrize("roles", [["supporting"], ["tangential", "discarded"], []])
def test_without_a_primary_passage_no_model_is_asked(
    judged: Judged, reader: Reader, serve: Serve, roles: list[str]
) -> None:
    server = serve()
    assert compose(judged(*({"role": role} for role in roles)), reader.writing()).kind == Kind.NOT_FOUND
    assert server.requests == []


def test_nothing_is_sent_where_no_quote_survived(judged: Judged, reader: Reader, serve: Serve) -> None:
    server = serve()
    draft = compose(judged({"content_anchor": ""}), reader.writing())
    assert draft.kind == Kind.EXTRACTIVE and draft.note.startswith(NO_LITERAL_QUOTE) and server.requests == []


@pytest.mark.parametrize(("state", "is_said"), [("not_read", True), ("read", False), ("", False)])
def test_a_cited_picture_that_was_not_read_is_said(judged: Judged, reader: Reader, state: str, is_said: bool) -> None:
    """(R85) The quote stays that of the lines."""
    place = {"page": 1, "x0": 1.0, "y0": 1.0, "x1": 2.0, "y1": 2.0}
    boxes = [place, place | {"picture": state}] if state else [place]
    draft = compose(judged({"boxes": boxes}), reader.writing())
    assert draft.note.endswith(PICTURE_NOT_READ) == is_said
    assert draft.quoted[0].quote in draft.text


@pytest.mark.parametrize(("quote", "is_said"), [("Net result \ufffd4 684", True), ("Net \ufffd result 4 684", False)])
def test_a_sign_that_could_not_be_read_is_said(judged: Judged, reader: Reader, quote: str, is_said: bool) -> None:
    draft = compose(judged({"content_anchor": quote}), reader.writing())
    assert draft.note.endswith(SIGN_NOT_READ) == is_said and quote in draft.text


def test_a_reader_who_stops_at_once_gets_what_there_is(judged: Judged, reader: Reader, serve: Serve) -> None:
    serve()
    reader.is_tired = True
    draft = compose(judged({}), reader.writing())
    assert (draft.kind, draft.ended, draft.note) == (Kind.GENERATED, "stopped", STOPPED)


def test_what_the_model_failed_of_is_said_and_the_document_quoted(judged: Judged, reader: Reader, serve: Serve) -> None:
    serve("empty")
    draft = compose(judged({}), reader.writing())
    assert draft.kind == Kind.EXTRACTIVE and "Sentence 1." in draft.text
    assert "the document is quoted instead" in draft.note and ".)" not in draft.note


# ---- excerpts


def candidate(**changes: Any) -> RunCandidate:
    fields = {
        "document_title": "Lease",
        "breadcrumb": "Part > Rent",
        "section_title": "Rent",
        "context_text": "The whole context.",
        "context_first_line": 1,
        "context_last_line": 9,
        "context_first_page": 1,
        "context_last_page": 1,
        "rule": "rule 2",
    }
    return RunCandidate(**(fields | changes))


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({}, "pages", "1"),
        ({"context_last_page": 3}, "pages", "1–3"),
        ({}, "section", "Part > Rent"),
        ({"breadcrumb": ""}, "section", "Rent"),
        ({"rule": "relevance 0.9"}, "relevance", "0.9"),
        ({"rule": "rule 2"}, "relevance", ""),
        ({"rule": ""}, "relevance", ""),
        ({}, "text", "The whole context."),
    ],
)
def test_an_excerpt_says_where_it_is_from(changes: dict[str, Any], name: str, value: str) -> None:
    [excerpt] = excerpts_of([Quoted(4, candidate(**changes), "quote")], {})
    assert getattr(excerpt, name) == value and excerpt.number == 4 and excerpt.quote == "quote"


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ((1, 9), (2, 8), "second"),
        ((1, 9), (1, 9), "second"),
        ((1, 9), (2, 10), "The whole context."),
        ((2, 8), (1, 9), "The whole context."),
        ((1, 9), (10, 12), "The whole context."),
    ],
)
def test_a_context_inside_an_earlier_one_is_not_sent_twice(
    first: tuple[int, int], second: tuple[int, int], text: str
) -> None:
    quotes = [
        Quoted(number, candidate(context_first_line=lines[0], context_last_line=lines[1]), words)
        for number, (lines, words) in enumerate(((first, "first"), (second, "second")), 1)
    ]
    assert [excerpt.text for excerpt in excerpts_of(quotes, {})] == ["The whole context.", text]


def test_the_lines_of_another_document_are_no_part_of_this_one(house: House) -> None:
    here, there = candidate(parse_id=house.parse.pk), candidate(parse_id=house.base.pk)
    assert holds(here, here) and not holds(here, there)
    assert is_reranked(candidate(rule="relevance 1")) and not is_reranked(candidate(rule="irrelevance 1"))


# ---- notes


@pytest.mark.parametrize(
    ("text", "failure", "is_stopped", "told"),
    [
        ("Fine [1].", "", False, []),
        ("Fine [1].", "", True, [STOPPED]),
        ("Fine [1].", "It hung up.", False, ["The answer broke off: It hung up. What had arrived is shown."]),
        ("Fine [1].", "It hung up.", True, [STOPPED]),
        ("x" * (ANSWER_CHARACTERS_MAX + 1) + " [1].", "", False, [TOO_LONG]),
        ("Fine [1] [7].", "", False, ["1 citation of passages that were not given to the model was removed."]),
        ("Fine [7] [8].", "", False, ["2 citations of passages that were not given to the model were removed."]),
        ("Fine [7].", "", True, [STOPPED, "1 citation of passages that were not given to the model was removed."]),
    ],
)
def test_what_is_said_of_a_reply(text: str, failure: str, is_stopped: bool, told: list[str]) -> None:
    reply = StreamedReply([1])
    reply.feed(text)
    reply.finish()
    assert notes_on(reply, failure, is_stopped) == told


def test_the_passage_of_the_record_is_what_is_quoted(make_run: MakeRun, reader: Reader) -> None:
    """The rows of the audit's own fixture: four candidates with one and the same quote."""
    assert compose(make_run(), reader.writing()).text == f"“{PASSAGE}” [1]"
