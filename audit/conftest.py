"""A base with its people, a read document and runs over it, written straight to the tables."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from audit.models import RunSign
from audit.runs.signs import LOOKED
from benchmarks.rewriting import clocks_at
from chat.answer_record import ANSWER
from chat.models import Answer, Citation, Conversation, Turn
from documents.models import Document, KnowledgeBase, Line, Membership, Page, Parse
from ledger.heads import make_key
from llm.conftest import serve
from llm.exchange import request_digest
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate, RunDocument
from retrieval.record.ledger_forms import RUN
from tests.stamp_authority import StampAuthority

__all__ = ["serve"]  # a model server

PASSAGE = "We compute the dot products of the query with all keys, and apply a softmax function."
RAW_REPLY = '{"rankings":[{"candidate_id":"p1-l1-2","role":"primary"}],"note":"as sent, \\u00e9 <b>"}'

MakeRun = Callable[..., RetrievalRun]
MakeAnswer = Callable[..., Answer]
Tamper = Callable[..., None]
GoTo = Callable[[float], None]


@dataclass(frozen=True)
class House:
    """Who may see what: the asker is a viewer, the stranger belongs to another base."""

    base: KnowledgeBase
    document: Document
    parse: Parse
    owner: User
    auditor: User
    asker: User
    viewer: User
    stranger: User


def person(name: str) -> User:
    return User.objects.create_user(f"{name}@example.org", name=name.capitalize())


@pytest.fixture
def house(db: None) -> House:
    people = {name: person(name) for name in ("owner", "auditor", "asker", "viewer", "stranger")}
    base, elsewhere = (KnowledgeBase.objects.create(name=name) for name in ("Model governance", "Elsewhere"))
    roles = {"owner": "owner", "auditor": "auditor", "asker": "viewer", "viewer": "viewer"}
    for name, role in roles.items():
        Membership.objects.create(base=base, user=people[name], role=role)
    Membership.objects.create(base=elsewhere, user=people["stranger"], role="owner")
    document = make_document(base)
    return House(base=base, document=document, parse=make_parse(document), **people)


def make_document(base: KnowledgeBase, title: str = "Attention paper") -> Document:
    return Document.objects.create(
        base=base,
        title=title,
        file_name="paper.pdf",
        file="nowhere/paper",
        sha256=hashlib.sha256(title.encode()).hexdigest(),
        size_bytes=1,
        media_type="application/pdf",
        state=Document.State.READY,
    )


def make_parse(document: Document) -> Parse:
    parse = Parse.objects.create(
        document=document,
        number=3,
        parser_version="1",
        language="en",
        page_count=2,
        line_count=4,
        toc_origin="outline",
        toc_strength="strong",
    )
    for number in (1, 2):
        Page.objects.create(parse=parse, number=number, label=f"p{number}", width=612, height=792, text_layer="text")
    for number in range(1, 5):
        Line.objects.create(
            parse=parse,
            number=number,
            number_on_page=number,
            page_number=1,
            toc_index=1,
            text=PASSAGE,
            match=PASSAGE.lower(),
            x0=72,
            y0=100 + 12 * number,
            x1=540,
            y1=110 + 12 * number,
            kind="body",
            method="test",
        )
    return parse


def look_for_signs() -> None:
    """Say of every run that it was looked at for signs of risk, as the sweep does of settled ones."""
    rows = [RunSign(run=run, name=LOOKED) for run in RetrievalRun.objects.all()]
    RunSign.objects.bulk_create(rows, ignore_conflicts=True)


@pytest.fixture
def make_call(db: None) -> Callable[..., LLMCall]:
    def make(**changes: Any) -> LLMCall:
        request = {"model": "model-large-2", "instructions": "Judge.", "input": "<candidates>…</candidates>"}
        fields = {
            "purpose": "arbiter",
            "host": "llm.example.org",
            "api": "responses",
            "model": "model-large-2",
            "model_returned": "model-large-2-2026",
            "prompt_name": "arbiter",
            "prompt_version": "14",
            "parameters": {"temperature": 0},
            "request": request,
            "request_sha256": request_digest(request),
            "raw_reply": RAW_REPLY,
            "tokens_in": 9412,
            "tokens_out": 1806,
            "latency_ms": 3890,
            "attempts": 1,
            "outcome": "ok",
            "started_at": timezone.now(),
        }
        return LLMCall.objects.create(**(fields | changes))

    return make


@pytest.fixture
def make_run(house: House) -> MakeRun:
    """A recorded run with its candidates and its ledger entry; `roles` gives one candidate each, in order.

    `states` gives one document of the scope each; without any it is a run from before they were listed. `pictures` are
    boxes of pictures that each candidate has beside its own, `section` is the title of the section that each is in.
    """

    def make(
        roles: str = "primary supporting tangential discarded",
        methods: Sequence[str] = (),
        states: str = "",
        pictures: Sequence[dict[str, Any]] = (),
        section: str | None = None,
        **changes: Any,
    ) -> RetrievalRun:
        with transaction.atomic():
            listed = {"coverage": coverage_of(states.split())} if states else {}
            run = RetrievalRun.objects.create(**(run_fields(house) | listed | changes))
            for position, state in enumerate(states.split(), start=1):
                RunDocument.objects.create(**document_fields(house, run, position, state))
            for position, role in enumerate(roles.split(), start=1):
                fields = candidate_fields(house, run, position, role)
                shown = {"methods": methods or fields["methods"], "boxes": [*fields["boxes"], *pictures]}
                titled = {} if section is None else {"section_title": section}
                RunCandidate.objects.create(**(fields | shown | titled))
            RUN.vouch(run.pk)
        return run

    return make


def run_fields(house: House) -> dict[str, Any]:
    return {
        "base": house.base,
        "base_name": house.base.name,
        "asked_by": house.asker,
        "asked_by_name": house.asker.name,
        "question": "How is attention computed?",
        "parsed": {
            "original": "How is attention computed?",
            "corrected": "How is attention computed?",
            "language": "en",
            "intent": "section_retrieval",
            "shape": "single",
            "answer_type": "text",
            "keywords": [
                {"text": "attention", "forms": ["attention"], "source": "direct", "priority": "primary", "group": ""}
            ],
            "phrases": [],
            "years": [],
            "hints": {"pages": [], "section": "", "layout": ""},
            "parts": [],
            "exclusions": [],
            "instructions": [],
            "clarification": "",
            "form": "",
            "notes": [],
            "parsed_by": "rules",
        },
        "plan": {
            "flags": [
                {"name": "titles", "on": True, "reason": "5 of 22 titles contain ‘attention’"},
                {"name": "vectors", "on": False, "reason": "the keyword signal is clean"},
            ]
        },
        "scope": [
            {
                "document_id": str(house.document.pk),
                "title": house.document.title,
                "file_name": house.document.file_name,
                "sha256": house.document.sha256,
                "parse_id": str(house.parse.pk),
                "parse_number": house.parse.number,
                "pages": 2,
            }
        ],
        "settings": {"ranking": "arbiter"},
        "mode": "balanced",
        "arbiter": "rules",
        "arbiter_status": "ran",
        "status": "found",
        "gates": [{"code": "G1", "name": "zero hits", "fired": False, "evidence": "212 hits on 3 of 3 keywords"}],
        "searched": [{"text": "attention", "forms": ["attention"], "count": 91}],
        "coverage": {"documents": 1, "pages": 2, "pages_with_text": 2, "sections": 22, "unreadable": []},
        "confidence": 0.93,
        "methods_used": ["titles", "keywords"],
        "hits": [
            {
                "method": "keywords",
                "document_id": str(house.document.pk),
                "lines": [1, 2],
                "score": 4.0,
                "matched_keywords": ["attention"],
                "toc_index": 1,
                "exact_title": False,
                "co_occurrence": True,
                "type_match": False,
                "detail": "line score 4",
            }
        ],
        "hit_counts": {"titles": 5, "keywords": 148},
        "contradictions": [],
        "violations": [],
        "toc_shown": "<toc>\n[1] Model Architecture\n  [2] Attention\n    [3] Scaled Dot-Product Attention\n</toc>",
        "timings_ms": {"parse": 4.0, "arbitrate": 3890.0},
        "code_version": "0.1",
        "created_at": timezone.now(),
    }


def coverage_of(states: list[str]) -> dict[str, Any]:
    counts = {"read": states.count("read"), "counted": states.count("counted")}
    pages = 2 * (len(states) - states.count("unreadable"))
    return counts | {
        "documents": len(states),
        "unreadable_documents": states.count("unreadable"),
        "pages": pages,
        "pages_with_text": pages,
        "sections": 22,
        "unreadable": [],
        "gaps": [],
    }


def document_fields(house: House, run: RetrievalRun, position: int, state: str) -> dict[str, Any]:
    """The first is the document of the house, the others are deleted since."""
    is_lost = state == "unreadable"
    return {
        "run": run,
        "position": position,
        "document_id": house.document.pk if position == 1 else uuid4(),
        "parse_id": None if is_lost else house.parse.pk,
        "parse_number": None if is_lost else 1,
        "title": f"=Paper {position}",
        "sha256": f"{position:064}",
        "pages": None if is_lost else 2,
        "pages_with_text": None if is_lost else 2,
        "state": state,
        "cause": "waiting" if is_lost else "",
        "reason": "it still waits to be read" if is_lost else "the 10 best are read line by line",
        "rank": None if is_lost else position,
        "ranked": None if is_lost else 30,
        "words_score": None if is_lost else 0.25,
        "fused_score": None if is_lost else 0.01,
        "words": ["attention"] if state == "counted" else [],
    }


def candidate_fields(house: House, run: RetrievalRun, position: int, role: str) -> dict[str, Any]:
    box = {"page": 1, "x0": 72.0, "y0": 112.0, "x1": 540.0, "y1": 122.0}
    return {
        "run": run,
        "position": position,
        "candidate_id": f"p1-l{position}-{position + 1}",
        "document": house.document,
        "parse": house.parse,
        "document_title": house.document.title,
        "methods": ["titles", "keywords"] if position % 2 else ["vectors"],
        "matched_keywords": ["attention"],
        "toc_index": 3,
        "section_title": f"Section {position}",
        "breadcrumb": f"Model Architecture > Section {position}",
        "exact_title": False,
        "co_occurrence": True,
        "type_match": False,
        "line_score": 4.0,
        "rrf_rank": position,
        "role": role,
        "reason": f"Reason {position}",
        "rule": "rule 2",
        "raw_content_anchor": f"{PASSAGE} This gives equation (1)",
        "content_anchor": PASSAGE,
        "anchor_repair": {"status": "truncated", "original_length": 19, "final_length": 15, "reason": ""},
        "anchor_pieces": [{"line_number": position, "start": 0, "end": 40}],
        "boxes": [box],
        "context_boxes": [box | {"y1": 150.0}, box | {"page": 2}],
        "anchor_first_line": position,
        "anchor_last_line": position + 1,
        "anchor_first_page": 1,
        "anchor_last_page": 1,
        "anchor_page_label": "p1",
        "anchor_text": PASSAGE,
        "context_first_line": 1,
        "context_last_line": 4,
        "context_first_page": 1,
        "context_last_page": 2,
        "context_text": f"{PASSAGE}\n{PASSAGE}",
        "snippet": PASSAGE,
        "brief": f"[p1-l{position}] Section {position}: {PASSAGE}",
        "page_width": 612,
        "page_height": 792,
    }


@pytest.fixture
def make_answer(house: House) -> MakeAnswer:
    """A recorded answer that cites the run's first candidate, with its ledger entry."""

    def make(run: RetrievalRun, **changes: Any) -> Answer:
        conversation = Conversation.objects.create(base=house.base, user=house.asker, title=run.question[:80])
        turn = Turn.objects.create(
            conversation=conversation, number=1, question=run.question, scope_name="all", run=run, state="done"
        )
        sentence = "It is computed from dot products."
        check = {"sentence": sentence, "markers": [1], "supported": 0.9, "numbers": [], "problems": ["weak_support"]}
        fields = {
            "turn": turn,
            "run": run,
            "kind": "generated",
            "text": f"{sentence} [1]",
            "ended": "complete",
            "checks": [check],
            "timings_ms": {"compose": 2400.0},
            "created_at": timezone.now(),
        }
        with transaction.atomic():
            answer = Answer.objects.create(**(fields | changes))
            candidate = run.candidates.order_by("position")[0]
            Citation.objects.create(
                answer=answer,
                marker=1,
                candidate=candidate,
                quote=candidate.content_anchor,
                page=1,
                page_label="p1",
                first_line=1,
                last_line=2,
                boxes=candidate.boxes,
            )
            ANSWER.vouch(answer.pk)
        return answer

    return make


@pytest.fixture
def signed_in(client: Client) -> Callable[[User], Client]:
    """The browser of a person who has signed in."""

    def sign_in(user: User) -> Client:
        client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
        return client

    return sign_in


@pytest.fixture
def browse(client: Client, signed_in: Callable[[User], Client]) -> Callable[..., Any]:
    """Open an address as a person, or as nobody if none is given."""

    def open_as(user: User | None, address: str, **headers: str) -> Any:
        client.logout()
        if user is not None:
            signed_in(user)
        return client.get(address, headers=headers)

    return open_as


@pytest.fixture
def tamper(db: None) -> Tamper:
    """Run a statement as the database's administrator could, with triggers disabled."""

    def run(statement: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(statement)
            cursor.execute("SET LOCAL session_replication_role = origin")

    return run


@pytest.fixture(scope="session")
def stamp_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StampAuthority]:
    with StampAuthority(tmp_path_factory.mktemp("authority")) as authority:
        yield authority


@pytest.fixture
def stamped(stamp_authority: StampAuthority, settings: Settings) -> Iterator[StampAuthority]:
    """The authority that stamps the heads of this installation."""
    settings.TSA_URL, settings.TSA_CERTIFICATES = stamp_authority.url, stamp_authority.root
    yield stamp_authority
    stamp_authority.behaviour, stamp_authority.clock = "good", timedelta()


@pytest.fixture
def go_to(stamped: StampAuthority, settings: Settings, tmp_path: Path) -> Iterator[GoTo]:
    """Set all clocks, ours, the database's for the ledger and the authority's, to so many hours from now.

    The heads are kept, signed and stamped in a folder of the test's own.
    """
    settings.LEDGER_HEADS, settings.LEDGER_KEY = tmp_path / "elsewhere" / "heads.jsonl", tmp_path / "ledger.pem"
    make_key(settings.LEDGER_KEY)
    with ExitStack() as gone_to:

        def go(hours: float) -> None:
            gone_to.close()
            gone_to.enter_context(clocks_at(hours, stamped))

        yield go
