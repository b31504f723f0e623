"""Check that every quote shown in chat, audit and API is literal at its offsets.

Each question is asked as a person would, in a separate installation: by rules without a key, and with scripted models
that quote well, with wrong endings, with other characters, and text that does not exist.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from benchmarks.questions import GoldQuestion
from benchmarks.retrieval import commit
from tests.scripted_llm import ScriptedLLM

if TYPE_CHECKING:
    from accounts.models import User
    from benchmarks.library import Library
    from chat.models import Citation, Turn
    from documents.models import Document, KnowledgeBase
    from retrieval.models import RunCandidate

MODELS = ("good", "wrong-quote", "typographic-quote", "invented-quote")
PRINTED = ("questions", "chat", "audit", "programs", "repairs")


def run(questions: Sequence[GoldQuestion], library: "Library") -> dict[str, Any]:
    """Ask every question in every way; count quotes shown, literal quotes and repairs, by arbiter."""
    from accounts.models import User
    from benchmarks.shelf import shelve
    from documents import access
    from documents.models import Role

    person = User.objects.create_user("asker@example.org", name="Asker")
    documents = shelve([question.document for question in questions], library)
    access.set_role(next(iter(documents.values())).base, person, Role.OWNER)
    figures: dict[str, Any] = {"questions": len(questions), "commit": commit()}
    totals = {name: Counter[str]() for name in ("chat", "audit", "programs")}
    repairs: dict[str, Counter[str]] = {}
    for model in ("", *MODELS):
        repairs[model or "rules"] = Counter()
        with scripted(model):
            for question in questions:
                turn = asked_turn(person, documents[question.document], question.question)
                count(turn, totals, repairs[model or "rules"])
    figures |= {name: {"shown": total["shown"], "literal": total["literal"]} for name, total in totals.items()}
    figures["repairs"] = {name: dict(sorted(counted.items())) for name, counted in repairs.items()}
    return figures


@contextmanager
def scripted(behaviour: str) -> Iterator[None]:
    """Configure a scripted model inside the block; none for ""."""
    from django.test.utils import override_settings

    with ScriptedLLM(behaviour) if behaviour else nullcontext() as server:
        address = {"LLM_BASE_URL": server.base_url, "LLM_API_KEY": "scripted"} if server else {}
        with override_settings(LLM_CONFIGURED=server is not None, **address):
            yield


def asked_turn(person: "User", asked: "Document | KnowledgeBase", question: str, mode: str = "balanced") -> "Turn":
    """The answer to a question of a document, or of a whole base."""
    from chat.asking import keep_question
    from chat.models import Turn
    from chat.scope import QuestionScope
    from chat.turns.conductor import answer_turn
    from documents.models import Document

    scope = QuestionScope(asked.base, (asked,)) if isinstance(asked, Document) else QuestionScope(asked)
    turn = keep_question(person, scope, question, mode, form_id=uuid.uuid4(), is_fresh=True)
    answer_turn(turn.pk)
    return Turn.objects.select_related("run", "answer").get(pk=turn.pk)


def count(turn: "Turn", totals: dict[str, Counter[str]], repairs: Counter[str]) -> None:
    """Count one turn: its citations, its candidates on the trail, and both in the API."""
    from chat.turns.replies import answer_json

    assert turn.run is not None
    parse_lines: dict[Any, dict[int, tuple[str, str]]] = {}

    def lines_of(candidate: "RunCandidate") -> dict[int, tuple[str, str]]:
        if candidate.parse_id not in parse_lines:
            rows = candidate.parse.lines.values_list("number", "text", "kind")
            parse_lines[candidate.parse_id] = {number: (text, kind) for number, text, kind in rows}
        return parse_lines[candidate.parse_id]

    for candidate in turn.run.candidates.all():
        repairs[candidate.anchor_repair["status"]] += 1
        if candidate.content_anchor:
            pieces = [
                lines_of(candidate)[piece["line_number"]][0][piece["start"] : piece["end"]]
                for piece in candidate.anchor_pieces
            ]
            book(totals["audit"], "\n".join(pieces) == candidate.content_anchor)
    citations = list(turn.answer.citations.select_related("candidate__parse")) if hasattr(turn, "answer") else []
    for citation in citations:
        book(totals["chat"], stands_there(citation, lines_of(citation.candidate)))
    for citation, told in zip(citations, answer_json(turn.answer)["citations"] if citations else [], strict=True):
        is_same = (told["quote"], told["lines"]) == (citation.quote, [citation.first_line, citation.last_line])
        book(totals["programs"], is_same and stands_there(citation, lines_of(citation.candidate)))


def stands_there(citation: "Citation", lines: dict[int, tuple[str, str]]) -> bool:
    """Whether a quote is in its lines, joined as the page shows them, with or without page furniture between.

    What introduces an item may stand further up; then what is left out between them is marked.
    """
    from retrieval.candidates.shown import LEFT_OUT

    *lead_in, own = citation.quote.split(f"\n{LEFT_OUT}\n")
    above = range(1, citation.first_line)
    numbers = range(citation.first_line, citation.last_line + 1)
    return stands_in(lines, numbers, own) and all(stands_in(lines, above, part) for part in lead_in)


def stands_in(lines: dict[int, tuple[str, str]], numbers: range, text: str) -> bool:
    every = "\n".join(lines[number][0] for number in numbers)
    return text in every or text in "\n".join(searched(lines[number] for number in numbers))


def searched(lines: Iterable[tuple[str, str]]) -> list[str]:
    from reading.rows import UNSEARCHED_KINDS

    return [text for text, kind in lines if kind not in UNSEARCHED_KINDS]


def book(total: Counter[str], is_literal: bool) -> None:
    total["shown"] += 1
    total["literal"] += is_literal
