"""A list has as many items as the question or the passages say there are, or says how many of them it has (R76)."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.checks import TypedValue
from chat.conftest import Serve
from chat.drafts import Quoted
from chat.figures.typed import check_length, find_typed_list
from chat.models import Answer
from chat.page.thread import length_words
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import KnowledgeBase
from reading.rows import LineKind
from retrieval.models import RunCandidate
from retrieval.question.parse import parse_question
from retrieval.tests.builders import DATA, content_of_lines
from retrieval.types import Question
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db(transaction=True)

HANDBOOK = """\
# Handbook of the yard

## Gates

There are four gates: North, South, East, and West. Each gate has a keeper.

## Duties of the keeper

The keeper has three duties:

- to open the gate at dawn;
- to keep a log of lorries; and
- to lock the gate at dusk.

## Lorries

The keeper stops lorries for the following five checks:

1. the papers of the driver;
2. the seals of the load;
3. the weight of the lorry.

## Ramps

Every ramp is swept on Mondays by the keeper.
"""

AskIt = Callable[[str], Answer]


@pytest.fixture
def ask_it(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> AskIt:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "handbook.md"
    path.write_text(HANDBOOK)
    document = ingest_path(path, base, tenant)

    def ask(question: str) -> Answer:
        turn = keep_question(tenant, QuestionScope(base, (document,)), question, "balanced", form_id=uuid.uuid4())
        answer_turn(turn.pk)
        return Answer.objects.select_related("run", "turn").get(turn=turn)

    return ask


def list_in(answer: Answer) -> TypedValue:
    found: list[TypedValue] = [check["typed"] for check in answer.checks if check.get("typed")]
    assert len(found) == 1
    return found[0]


def items_of(answer: Answer) -> list[str]:
    return [item["text"] for item in list_in(answer)["items"]]


def test_a_list_in_a_sentence_is_whole(ask_it: AskIt) -> None:
    assert items_of(ask_it("What are the four gates?")) == ["North", "South", "East", "West"]


def test_the_list_of_the_stated_length_is_chosen(ask_it: AskIt) -> None:
    answer = ask_it("What are the three duties of the keeper?")
    assert items_of(answer) == [
        "to open the gate at dawn;",
        "to keep a log of lorries; and",
        "to lock the gate at dusk.",
    ]
    assert list_in(answer)["stated"] == 3


def test_a_list_that_is_too_short_says_so(ask_it: AskIt, client: Client) -> None:
    answer = ask_it("What are the checks that the keeper stops lorries for?")
    assert (len(list_in(answer)["items"]), list_in(answer)["stated"]) == (3, 5)
    client.force_login(answer.turn.conversation.user)
    page = on_one_line(client.get(reverse("chat:conversation", args=[answer.turn.conversation_id])))
    assert "3 of 5 found, as listed at" in page


def test_how_many_counts_what_is_listed(ask_it: AskIt) -> None:
    answer = ask_it("How many duties does the keeper have?")
    assert (len(items_of(answer)), list_in(answer)["counted"]) == (3, "duties")
    assert length_words(list_in(answer)) == "3, counted in the list at"


@pytest.mark.parametrize(("thing", "is_counted"), [("doors", False), ("tasks", True)])
def test_what_is_counted_is_named_by_what_introduces_the_list(thing: str, *, is_counted: bool) -> None:
    """A list as long as what is asked for may be one of something else."""
    lines = ["# Store", f"The store has three {thing}.", "Everyday tasks are:", "- sweep;", "- dust;", "- lock up."]
    content = content_of_lines([line if line[0] != "-" else (line, "list_item") for line in lines])
    quoted = Quoted(1, RunCandidate(parse_id=uuid.uuid4(), anchor_first_line=2, anchor_last_line=2), lines[1])
    question = parse_question(f"How many {thing} does the store have?", [content])
    found = find_typed_list(question, [quoted], {quoted.candidate.parse_id: content})
    assert (found is not None) is is_counted


DEPOT: list[str | tuple[str, LineKind]] = [
    "# Parcel Depot",
    "The lockers are opened at six, emptied at noon, and locked at dusk.",
    "# Sizes of the lockers",
    "The four lockers are A, B, C, and D.",
    "# Forklifts",
    "Members of staff may use any of these options:",
    *((f"- option {number} of the list;", "list_item") for number in range(1, 13)),
    "A member may rent at most the following lockers:",
    ("- the small one;", "list_item"),
    ("- the large one.", "list_item"),
]


@pytest.mark.parametrize(
    ("question", "line", "length"),
    [
        ("How many lockers does the depot have?", 2, ""),  # what is done with them
        ("How many lockers does the depot have?", 4, "4, counted in the list at"),
        ("How many options do forklifts have?", 6, "12, counted in the list at"),
        ("How many options do cranes have?", 6, ""),  # of another thing
        ("At most how many lockers may a member rent?", 19, ""),
        ("What is the maximum number of lockers that a member may rent?", 19, ""),
        ("How many lockers may a member rent?", 19, "2, counted in the list at"),
        ("Which fees are there?", 6, ""),
        ("Which options are there?", 6, "12 items, as listed at"),
    ],
)
def test_nothing_else_is_counted(question: str, line: int, length: str) -> None:
    content = content_of_lines(DEPOT, title="Parcel Depot")
    place = {"anchor_first_line": line, "anchor_last_line": line, "context_last_line": line + 3}
    quoted = Quoted(1, RunCandidate(parse_id=uuid.uuid4(), **place), "")
    found = find_typed_list(parse_question(question, [content]), [quoted], {quoted.candidate.parse_id: content})
    assert (length_words(found["typed"]) if found else "") == length


def test_the_pass_is_told_in_the_plan(ask_it: AskIt, client: Client) -> None:
    answer = ask_it("What are the checks that the keeper stops lorries for?")
    [flag] = [each for each in answer.run.plan["flags"] if each["name"] == "list_pass"]
    assert flag["on"] and flag["reason"] == "5 checks are stated, and the places found list 3; no other place does"
    client.force_login(answer.turn.conversation.user)
    page = on_one_line(client.get(reverse("audit:trail", args=[answer.run_id])))
    assert "Further pass for a list" in page and "the places found list 3" in page


@pytest.mark.parametrize(
    "question", ["What are the six functions of the framework?", "How many functions does the framework have?"]
)
def test_the_six_functions_of_the_framework_are_six(base: KnowledgeBase, tenant: User, question: str) -> None:
    """The review's question, which was answered "2 items"; the list begins on one page and ends on the next."""
    path = DATA / "papers" / "NIST.CSWP.29.pdf"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    document = ingest_path(path, base, tenant)
    turn = keep_question(tenant, QuestionScope(base, (document,)), question, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    items = items_of(Answer.objects.get(turn=turn))
    names = ("govern", "identify", "protect", "detect", "respond", "recover")
    assert [item.split()[0].lower() for item in items] == list(names)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"type": "list", "items": [1, 2], "stated": 6}, "2 of 6 found, as listed at"),
        ({"type": "list", "items": [1, 2], "stated": 2}, "2 items, as listed at"),
        ({"type": "amount", "value": "1"}, ""),
    ],
)
def test_the_length_of_a_list_is_said(typed: TypedValue, words: str) -> None:
    assert length_words(typed) == words


@pytest.mark.parametrize(("count", "problems"), [(6, []), (4, ["list_incomplete"]), (1, [])])
def test_a_written_list_that_is_too_short_is_flagged(count: int, problems: list[str]) -> None:
    question = Question("", "", "en", "listing", "listing", "text", (), listed="functions", listed_count=6)
    text = "They are:\n" + "\n".join(f"- function {number} [1]" for number in range(count))
    found = check_length(question, [], {}, text)
    assert [problem for check in found for problem in check["problems"]] == problems
    assert not found or found[0]["sentence"] == "4 of 6 functions"


def test_a_model_writes_and_its_list_is_counted(ask_it: AskIt, serve: Serve) -> None:
    serve("good")
    answer = ask_it("What are the four gates?")
    assert answer.kind == "generated"
    assert all("list_incomplete" not in check["problems"] for check in answer.checks)
