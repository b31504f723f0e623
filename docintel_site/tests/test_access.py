"""Who gets in: every page and API route for everybody one can be. A route or method without a row here fails."""

import json
import re
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Scope, Token, User
from accounts.tokens import make_token, revoke_token
from audit.carrying.checker import IMPORTED
from audit.carrying.keeping import path_of
from audit.models import CarriedArchive, CarriedRun, Rejudgement, ReviewSample, SignOff
from audit.review.rejudging import ask_for_replay
from audit.review.replay import Judge
from chat.asking import keep_question
from chat.fields.extracting import keep_extraction
from chat.fields.grid import keep_grid
from chat.models import Conversation, Extraction, Retrieval, Share, Turn
from chat.prompts.guidance import change_guidance
from chat.scope import QuestionScope as Asked
from chat.sharing.links import share_inside, share_outside
from chat.turns.conductor import answer_turn
from chat.turns.evidence import keep_retrieval
from documents.access import create_base, set_role
from documents.guarding.guard import ChangeProposed
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase, ProposedChange
from documents.tests.files import make_pdf
from ledger.chain import digest_of
from ledger.events import record
from retrieval.forms.fields import Field
from retrieval.models import Concept, RetrievalRun, Term
from tests.scripted_llm import ScriptedLLM

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ROLES = ("viewer", "editor", "auditor", "owner")
CALLERS = ("anonymous", "stranger", *ROLES, "token", "revoked", "link")  # the last has a link to an answer, no account
QUESTION = "How long are records of a supplier kept?"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"

# Who each row is for. The viewer asked the question of the site below, so conversation, turn and run are the viewer's.
EVERYBODY = ("stranger", *ROLES)
READ = ROLES
WRITE = ("editor", "owner")
OWN = ("owner",)
AUDIT = ("auditor", "owner")
ASKER = ("viewer",)
LINK = ("link",)
TRAIL = ("viewer", "auditor", "owner")
NOBODY = ()
OUTSIDERS = ("stranger", "anonymous")


class Row(NamedTuple):
    """A method of a route: whom it is for, what it answers them, and what is sent."""

    who: tuple[str, ...]
    status: int = 200
    body: str = ""
    others: int = 404


CHAT = {
    "GET ask/": Row(EVERYBODY),
    "POST ask/": Row(EVERYBODY, 400),
    "GET ask/<uuid:conversation_id>/": Row(ASKER),
    "POST ask/<uuid:conversation_id>/": Row(ASKER, 400),
    "POST ask/<uuid:conversation_id>/rename": Row(ASKER, 302),
    "POST ask/<uuid:conversation_id>/delete": Row(ASKER, 302),
    "POST ask/<uuid:conversation_id>/restore": Row(ASKER, 302),
    "GET ask/<uuid:conversation_id>/export.<str:form>": Row(ASKER),
    "GET ask/<uuid:conversation_id>/share/": Row(ASKER),
    "POST ask/<uuid:conversation_id>/share/": Row(ASKER, 200, "whom=outside&days=1"),
    "GET ask/links/": Row(EVERYBODY),
    "GET ask/links/<uuid:share_id>/": Row(READ),
    "POST ask/links/<uuid:share_id>/revoke/": Row(("viewer", "owner"), 302),
    "GET shared/<str:token>/": Row(LINK),
    "GET shared/<str:token>/<uuid:document_id>/<int:number>/": Row(LINK),
    "GET ask/trash/": Row(EVERYBODY),
    "GET ask/fields/": Row(EVERYBODY),
    "POST ask/fields/": Row(EVERYBODY, 400),
    "GET ask/fields/<uuid:extraction_id>/": Row(ASKER),
    "GET ask/fields/<uuid:extraction_id>/export.<str:form>": Row(ASKER),
    "POST ask/fields/<uuid:extraction_id>/stop": Row(ASKER, 302),
    "GET ask/fields/grids/<uuid:grid_id>/": Row(ASKER),
    "GET ask/fields/grids/<uuid:grid_id>/export.<str:form>": Row(ASKER),
    "POST ask/fields/grids/<uuid:grid_id>/stop": Row(ASKER, 302),
    "GET ask/turns/<uuid:turn_id>/": Row(ASKER, 302),
    "GET ask/turns/<uuid:turn_id>/events": Row(ASKER),
    "GET ask/turns/<uuid:turn_id>/page/<int:marker>": Row(ASKER),
    "GET ask/turns/<uuid:turn_id>/near/<int:position>": Row(ASKER),
    "GET ask/documents/<uuid:document_id>/suggested": Row(READ),
    "POST ask/turns/<uuid:turn_id>/stop": Row(ASKER, 302),
    "POST ask/turns/<uuid:turn_id>/feedback": Row(ASKER, 302),
    "POST ask/turns/<uuid:turn_id>/retry": Row(ASKER, 302),
    "POST ask/turns/<uuid:turn_id>/search-rest": Row(ASKER, 302),
    "GET ask/turns/<uuid:turn_id>/read-again": Row(ASKER, 302),
    "POST ask/turns/<uuid:turn_id>/read-again": Row(
        NOBODY
    ),  # an asker who may not write; test_read_again has the roles
    "POST ask/turns/<uuid:turn_id>/meaning": Row(ASKER, 302, "meaning=none"),
}
# The stranger owns another base, and so has a list and a queue of their own.
AUDITING = {
    "GET audit/": Row(EVERYBODY),
    "GET audit/export.csv": Row(EVERYBODY),
    "GET audit/export.jsonl": Row(EVERYBODY),
    "GET audit/export.html": Row(EVERYBODY),
    "GET audit/judged-passages.jsonl": Row(EVERYBODY),  # empty but for owners
    "GET audit/changes/": Row(("stranger", *AUDIT)),
    "GET audit/quality/<uuid:base_id>/": Row(AUDIT),
    "GET audit/alerts/<uuid:base_id>/": Row(AUDIT),
    "POST audit/alerts/<uuid:base_id>/limits/": Row(("owner",), 400),
    "GET audit/proposals/<uuid:base_id>/": Row(AUDIT),
    "POST audit/proposals/<uuid:base_id>/<uuid:proposal_id>/check/": Row(AUDIT, 302),
    "POST audit/proposals/<uuid:base_id>/<uuid:proposal_id>/effect/": Row(OWN, 302),
    "POST audit/proposals/<uuid:base_id>/<uuid:proposal_id>/withdraw/": Row(OWN, 302),
    "GET audit/verify/": Row(("stranger", *AUDIT)),
    "GET audit/verify/heads.jsonl": Row(("stranger", *AUDIT)),
    "POST audit/verify/run/": Row(("stranger", *AUDIT), 302),
    "GET audit/keeping/<uuid:base_id>/": Row(AUDIT),
    "GET audit/keeping/<uuid:base_id>/days/": Row(("owner",), 302),
    "POST audit/keeping/<uuid:base_id>/days/": Row(("owner",), 302),
    "POST audit/keeping/<uuid:base_id>/hold/": Row(("owner",), 302),
    "POST audit/keeping/<uuid:base_id>/release/": Row(("owner",), 302),
    "GET audit/keeping/<uuid:base_id>/erase/": Row(("owner",), 302),
    "POST audit/keeping/<uuid:base_id>/erase/": Row(("owner",), 302),
    "GET audit/figures/": Row(EVERYBODY),
    "GET audit/coverage/<uuid:document_id>/": Row(READ),
    "GET audit/citing/<uuid:document_id>/<int:line>/": Row(READ),
    "GET audit/comments/<uuid:document_id>/": Row(READ),
    "POST audit/comments/<uuid:document_id>/": Row(READ, 302, "text=Seen."),
    "GET audit/queue/": Row(("stranger", *AUDIT)),
    "POST audit/queue/draw/": Row(AUDIT, 302, "base={base}&size=1", others=400),
    "GET audit/queue/<uuid:sample_id>/": Row(AUDIT),
    "POST audit/technical-file/": Row(AUDIT, 200, "base={base}&since=2026-01-01&until=2026-01-02"),
    "GET audit/signoffs/": Row(("stranger", *AUDIT)),
    "POST audit/signoffs/": Row(("stranger", *AUDIT), 400, "base={base}"),  # with days: test_signing.py
    "GET audit/signoffs/sample/<uuid:sample_id>/": Row(AUDIT, 302),
    "POST audit/signoffs/sample/<uuid:sample_id>/": Row(AUDIT, 409),
    "GET audit/signoffs/<uuid:sign_off_id>/second/": Row(AUDIT, 302),
    "POST audit/signoffs/<uuid:sign_off_id>/second/": Row(AUDIT),
    "GET audit/golden/": Row(("stranger", *AUDIT)),
    "GET audit/golden/questions.jsonl": Row(("stranger", *AUDIT)),
    "POST audit/golden/check/": Row(AUDIT, 302, "base={base}&arbiter=rules"),
    "GET audit/carried/<uuid:base_id>/": Row(AUDIT),
    "GET audit/carried/archives/<uuid:archive_id>/archive.zip": Row(AUDIT),
    "GET audit/carried/archives/<uuid:archive_id>/<uuid:run_id>.jsonl": Row(AUDIT),
    "POST audit/carried/archives/<uuid:archive_id>/remove/": Row(("owner",), 302, "reason=They+asked+us+to"),
    "GET audit/runs/<uuid:run_id>/": Row(TRAIL),
    "GET audit/runs/<uuid:run_id>/documents.csv": Row(TRAIL),
    "GET audit/runs/<uuid:run_id>/evidence/": Row(TRAIL),
    "POST audit/runs/<uuid:run_id>/replay/": Row(AUDIT, 302, "arbiter=model"),
    "GET audit/rejudgements/<uuid:rejudgement_id>/": Row(AUDIT),
    "POST audit/runs/<uuid:run_id>/assign/": Row(AUDIT, 302),
    "GET audit/runs/<uuid:run_id>/reviews/": Row(TRAIL, 302),
    "POST audit/runs/<uuid:run_id>/reviews/": Row(TRAIL, 400),
    "GET audit/runs/<uuid:run_id>/calls/<uuid:call_id>/request/": Row(TRAIL),
    "GET audit/runs/<uuid:run_id>/calls/<uuid:call_id>/reply/": Row(TRAIL),
}
BASES = {
    "GET bases/": Row(EVERYBODY),
    "POST bases/": Row(EVERYBODY, 302, "name=Mine"),
    "GET bases/<uuid:pk>/": Row(READ),
    "POST bases/<uuid:pk>/upload/": Row(WRITE, 400),
    "POST bases/<uuid:pk>/documents/": Row(WRITE, 302, "action=trash"),
    "GET bases/<uuid:pk>/search/": Row(READ, 302),
    "GET bases/<uuid:pk>/members/": Row(READ),
    "POST bases/<uuid:pk>/members/": Row(OWN, 302, "email=stranger@example.org&role=viewer"),
    "POST bases/<uuid:pk>/members/<int:user_pk>/": Row(OWN, 302, "role=editor"),
    "POST bases/<uuid:pk>/members/<int:user_pk>/link/": Row(NOBODY),  # owners who administer: documents/tests
    "GET bases/<uuid:pk>/settings/": Row(("editor", "auditor", "owner")),
    "POST bases/<uuid:pk>/settings/": Row(OWN, 400, "name="),
    "POST bases/<uuid:pk>/take-over/": Row(NOBODY),  # administrators only
    "POST bases/<uuid:pk>/read-again/": Row(WRITE, 302),
    "POST bases/<uuid:pk>/embed-again/": Row(OWN, 302),
    "POST bases/<uuid:pk>/delete/": Row(OWN, 302),
    "GET bases/<uuid:pk>/fields/": Row(READ),
    "POST bases/<uuid:pk>/fields/": Row(OWN, 302, "name=Dossier&kind=text"),
    "POST bases/<uuid:pk>/fields/<int:field_pk>/name/": Row(OWN, 302, "name=Dossier"),
    "POST bases/<uuid:pk>/fields/<int:field_pk>/delete/": Row(OWN, 302),
    "POST bases/<uuid:pk>/filters/": Row(READ, 302, "name=Mine&q=keys"),
    "POST bases/<uuid:pk>/filters/<int:filter_pk>/delete/": Row(READ, 302),
    "GET bases/<uuid:pk>/trash/": Row(WRITE),
    "GET bases/<uuid:pk>/dictionary/": Row(READ),
    "POST bases/<uuid:pk>/dictionary/": Row(WRITE, 400, "concept="),
    "POST bases/<uuid:pk>/dictionary/packs/": Row(WRITE, 302),
    "GET bases/<uuid:pk>/dictionary/models/": Row(READ),
    "POST bases/<uuid:pk>/dictionary/models/": Row(OWN, 302, "what=default&tier=small"),
    "GET bases/<uuid:pk>/model/": Row(READ),
    "POST bases/<uuid:pk>/model/choose/": Row(OWN, 302, "model="),
    "POST bases/<uuid:pk>/model/test/": Row(OWN, 302),
    "GET bases/<uuid:pk>/reading-rules/": Row(READ),
    "POST bases/<uuid:pk>/reading-rules/": Row(OWN, 400, "kind=vague"),
    "POST bases/<uuid:pk>/reading-rules/switch/": Row(OWN, 400),
    "POST bases/<uuid:pk>/reading-rules/again/": Row(OWN, 400),
    "POST bases/<uuid:pk>/reading-rules/import/": Row(OWN, 400),
    "GET bases/<uuid:pk>/reading-rules/reading-rules.csv": Row(READ),
    "POST bases/<uuid:pk>/reading-rules/reset/": Row(OWN, 400),
    "GET bases/<uuid:pk>/prompts/": Row(OWN),
    "GET bases/<uuid:pk>/prompts/<str:name>/": Row(OWN),
    "POST bases/<uuid:pk>/prompts/<str:name>/": Row(OWN, 302, "text=Short+answers.&why=Readers+ask+for+it&seen=0"),
    "POST bases/<uuid:pk>/dictionary/learned/<int:word_pk>/": Row(NOBODY),  # none; test_learned_words has the roles
    "GET bases/<uuid:pk>/dictionary/import/": Row(WRITE),
    "POST bases/<uuid:pk>/dictionary/import/": Row(WRITE, 400),
    "GET bases/<uuid:pk>/dictionary/dictionary.csv": Row(READ),
    "GET bases/<uuid:pk>/dictionary/<int:concept_pk>/": Row(READ),
    "POST bases/<uuid:pk>/dictionary/<int:concept_pk>/": Row(WRITE, 400),
    "POST bases/<uuid:pk>/dictionary/<int:concept_pk>/delete/": Row(WRITE, 302),
    "POST bases/<uuid:pk>/dictionary/<int:concept_pk>/terms/": Row(WRITE, 400),
    "POST bases/<uuid:pk>/dictionary/<int:concept_pk>/terms/<int:term_pk>/": Row(WRITE, 400),
}
DOCUMENTS = {
    "GET documents/<uuid:pk>/": Row(READ),
    "GET documents/<uuid:pk>/newest/": Row(READ, 302),
    "GET documents/<uuid:pk>/row/": Row(READ),
    "GET documents/<uuid:pk>/pages/<int:number>/": Row(READ),
    "GET documents/<uuid:pk>/pages/<int:number>/image/": Row(READ),
    "GET documents/<uuid:pk>/thumbnail/": Row(READ),
    "GET documents/<uuid:pk>/original/": Row(READ),
    "POST documents/<uuid:pk>/read-again/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/attachments/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/unlock/": Row(WRITE, 302, "password=x"),
    "POST documents/<uuid:pk>/improve/": Row(NOBODY),  # there is nothing to improve; test_recognition has the roles
    "POST documents/<uuid:pk>/rename/": Row(WRITE, 302),
    "GET documents/<uuid:pk>/card/": Row(WRITE),
    "POST documents/<uuid:pk>/card/": Row(WRITE, 302, "type=letter"),
    "POST documents/<uuid:pk>/card/undo/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/contents/": Row(WRITE, 302, "source=automatic"),
    "POST documents/<uuid:pk>/describe/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/replace/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/stop/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/trash/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/restore/": Row(WRITE, 302),
    "POST documents/<uuid:pk>/purge/": Row(OWN, 302),
}
SITE = {
    "GET status/": Row(EVERYBODY),
    "GET requirements/": Row(EVERYBODY),
    "POST demo/": Row(NOBODY),  # administrators; see test_first_run
    "GET first-files/": Row(NOBODY),  # the same
    "POST first-files/": Row(NOBODY),
    "GET people/": Row(NOBODY),  # administrators only
    "POST people/": Row(NOBODY),
    "POST people/<int:pk>/": Row(NOBODY),
    "GET accounts/sessions/": Row(EVERYBODY),
    "POST accounts/sessions/": Row(EVERYBODY, 302),
    "GET accounts/tokens/": Row(EVERYBODY),
    "POST accounts/tokens/": Row(EVERYBODY, 200, "name=Client&scopes=read&days=7"),
    "POST accounts/tokens/<uuid:pk>/revoke/": Row(OWN, 302),
}
API = {
    "GET api/v1/me": Row(EVERYBODY),
    "GET api/v1/schema/": Row(EVERYBODY),
    "GET api/v1/docs/": Row(EVERYBODY),
    "GET api/v1/bases": Row(EVERYBODY),
    "POST api/v1/bases": Row(EVERYBODY, 201, '{{"name": "Mine"}}'),
    "GET api/v1/bases/<uuid:base_id>": Row(READ),
    "PATCH api/v1/bases/<uuid:base_id>": Row(OWN, 200, '{{"name": "Renamed"}}'),
    "GET api/v1/bases/<uuid:base_id>/documents": Row(READ),
    "POST api/v1/bases/<uuid:base_id>/documents": Row(WRITE, 400),
    "GET api/v1/bases/<uuid:base_id>/fields": Row(READ),
    "POST api/v1/bases/<uuid:base_id>/fields": Row(OWN, 201, '{{"name": "Dossier", "kind": "text"}}'),
    "PATCH api/v1/bases/<uuid:base_id>/fields/<int:field_id>": Row(NOBODY, 200, '{{"name": "Dossier"}}'),
    "DELETE api/v1/bases/<uuid:base_id>/fields/<int:field_id>": Row(NOBODY),  # none; documents/metadata has the roles
    "GET api/v1/bases/<uuid:base_id>/filters": Row(READ),
    "POST api/v1/bases/<uuid:base_id>/filters": Row(READ, 201, '{{"name": "Mine", "query": {{"q": "keys"}}}}'),
    "DELETE api/v1/bases/<uuid:base_id>/filters/<int:filter_id>": Row(NOBODY),  # none; documents/metadata has the roles
    "GET api/v1/bases/<uuid:base_id>/search": Row(READ, 400),
    "GET api/v1/bases/<uuid:base_id>/tiers": Row(READ),
    "PUT api/v1/bases/<uuid:base_id>/tiers": Row(OWN, 200, '{{"default": "small"}}'),
    "GET api/v1/bases/<uuid:base_id>/dictionary": Row(READ),
    "POST api/v1/bases/<uuid:base_id>/dictionary": Row(WRITE, 200, '{{"rows": [{{"concept": "zz", "term": "zz"}}]}}'),
    "DELETE api/v1/bases/<uuid:base_id>/dictionary/<int:concept_id>": Row(WRITE, 204),
    "GET api/v1/bases/<uuid:base_id>/proposals/<uuid:proposal_id>": Row(AUDIT),
    "GET api/v1/bases/<uuid:base_id>/reading-rules": Row(READ),
    "PUT api/v1/bases/<uuid:base_id>/reading-rules": Row(OWN, 200, '{{"again_of": 0, "why": "back", "seen": 0}}'),
    "POST api/v1/bases/<uuid:base_id>/reading-rules/reset": Row(OWN, 400, '{{"word": "cap"}}'),
    "GET api/v1/bases/<uuid:base_id>/prompts": Row(OWN),
    "GET api/v1/bases/<uuid:base_id>/prompts/<str:name>": Row(OWN),
    "POST api/v1/bases/<uuid:base_id>/prompts/<str:name>": Row(
        OWN, 200, '{{"text": "Short answers.", "why": "Readers ask for it", "seen": 0}}'
    ),
    "GET api/v1/documents/<uuid:document_id>": Row(READ),
    "PATCH api/v1/documents/<uuid:document_id>": Row(WRITE, 200, '{{"title": "Renamed"}}'),
    "GET api/v1/documents/<uuid:document_id>/card": Row(READ),
    "PATCH api/v1/documents/<uuid:document_id>/card": Row(WRITE, 200, '{{"summary": "Ours."}}'),
    "DELETE api/v1/documents/<uuid:document_id>/card": Row(WRITE, 200),
    "DELETE api/v1/documents/<uuid:document_id>": Row(WRITE, 204),
    "POST api/v1/documents/<uuid:document_id>/unlock": Row(WRITE, 409, '{{"password": "x"}}'),
    "GET api/v1/documents/<uuid:document_id>/original": Row(READ),
    "GET api/v1/documents/<uuid:document_id>/lines": Row(READ),
    "GET api/v1/documents/<uuid:document_id>/toc": Row(READ),
    "GET api/v1/documents/<uuid:document_id>/passages": Row(READ),
    "GET api/v1/documents/<uuid:document_id>/pages": Row(READ),
    "GET api/v1/documents/<uuid:document_id>/images": Row(READ),
    "GET api/v1/documents/<uuid:document_id>/objects": Row(READ),
    "GET api/v1/documents/<uuid:document_id>/references": Row(READ),
    "POST api/v1/retrieve": Row(READ, 202, '{{"message": "records", "knowledge_base_id": "{base}"}}'),
    "GET api/v1/retrievals/<uuid:retrieval_id>": Row(ASKER),
    "POST api/v1/extract": Row(READ, 202, '{{"fields": [{{"name": "records"}}], "knowledge_base_id": "{base}"}}'),
    "GET api/v1/extractions/<uuid:extraction_id>": Row(ASKER),
    "POST api/v1/extractions/<uuid:extraction_id>/stop": Row(ASKER, 202),
    "POST api/v1/grids": Row(READ, 202, '{{"fields": [{{"name": "records"}}], "knowledge_base_id": "{base}"}}'),
    "GET api/v1/grids/<uuid:grid_id>": Row(ASKER),
    "POST api/v1/grids/<uuid:grid_id>/stop": Row(ASKER, 202),
    "POST api/v1/chat": Row(READ, 202, '{{"message": "records", "knowledge_base_id": "{base}"}}'),
    "POST api/chat": Row(READ, 202, '{{"message": "records", "knowledge_base_id": "{base}"}}'),
    "GET api/v1/turns/<uuid:turn_id>": Row(ASKER),
    "GET api/v1/turns/<uuid:turn_id>/events": Row(ASKER),
    "POST api/v1/turns/<uuid:turn_id>/search-rest": Row(ASKER, 202),
    "POST api/v1/turns/<uuid:turn_id>/read-again": Row(NOBODY),
    "POST api/v1/turns/<uuid:turn_id>/meaning": Row(ASKER, 400, '{{"meaning": "none"}}'),
    "POST api/v1/turns/<uuid:turn_id>/stop": Row(ASKER, 202),
    "POST api/v1/turns/<uuid:turn_id>/feedback": Row(ASKER, 201, '{{"kind": "helpful"}}'),
    "GET api/v1/runs": Row(EVERYBODY),
    "GET api/v1/runs/<uuid:run_id>": Row(TRAIL),
    "GET api/v1/runs/<uuid:run_id>/candidates": Row(TRAIL),
    "GET api/v1/runs/<uuid:run_id>/documents": Row(TRAIL),
    "GET api/v1/runs/<uuid:run_id>/reviews": Row(TRAIL),
    "POST api/v1/runs/<uuid:run_id>/reviews": Row(TRAIL, 400),
    "GET api/v1/runs/<uuid:run_id>/evidence": Row(TRAIL),
    "GET api/v1/witness/heads": Row(EVERYBODY),
    "POST api/v1/witness/heads": Row(EVERYBODY, 400),
}
TABLE = {**CHAT, **AUDITING, **BASES, **DOCUMENTS, **SITE, **API}
# Open to whoever comes, whatever the method; first_run and the accounts have their own tests.
OPEN = {"", "favicon.ico", "welcome/<str:token>/", "invitation/<str:token>/", "language/"}
# What browsers may keep: pictures of pages for their reader, the rest for everybody.
PICTURES = {
    "GET documents/<uuid:pk>/pages/<int:number>/image/",
    "GET documents/<uuid:pk>/thumbnail/",
}
PUBLIC = {"GET favicon.ico", "GET static/site.css"}
HEADERS = ("Permissions-Policy", "Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy")
# Other people's applications below one address: the same for every role, and nothing of a base in them.
FOREIGN = ("admin/", "accounts/")


@dataclass
class Site:
    """A base with one of everything in it, and somebody for every part there is."""

    people: dict[str, User]
    base: KnowledgeBase
    document: Document
    run: RetrievalRun
    turn: Turn
    concept: Concept
    term: Term
    sample: ReviewSample
    sign_off: SignOff
    retrieval: Retrieval
    extraction: Extraction
    grid: Extraction
    rejudgement: Rejudgement
    proposal: ProposedChange
    share: Share
    archive: CarriedArchive
    token: Token
    secrets: dict[str, str]
    clients: dict[str, Client] = field(default_factory=dict)

    def address(self, row: str, *, absent: bool = False, caller: str = "") -> str:
        """The address of a route with what stands on the site, or with ids nobody has; its token has only the link."""
        route = row.partition(" ")[2].replace("bases/<uuid:pk>", "bases/<uuid:base_id>")
        route = route.replace("fields/<uuid:extraction_id>/export.<str:form>", "fields/<uuid:extraction_id>/export.csv")
        route = route.replace("grids/<uuid:grid_id>/export.<str:form>", "grids/<uuid:grid_id>/export.csv")
        route = route.replace("tokens/<uuid:pk>", "tokens/<uuid:token_id>")
        route = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<str:\1>", route).strip("^$").replace("\\Z", "")
        route = route.replace("<str:token>", self.secrets["link"] if caller == "link" else uuid.uuid4().hex)
        if route.startswith("shared/"):
            route = route.replace("<int:number>", str(self.turn.answer.citations.all()[0].page))
        return re.sub(r"<(\w+:)?(\w+)>", lambda part: str(self.value(part[1] or "", part[2], absent)), route)

    def value(self, kind: str, name: str, absent: bool) -> Any:
        known = {
            "base_id": self.base.pk,
            "document_id": self.document.pk,
            "pk": self.document.pk if kind == "uuid:" else self.people["viewer"].pk,
            "token_id": self.token.pk,
            "run_id": self.run.pk,
            "call_id": self.run.llm_call_id,
            "turn_id": self.turn.pk,
            "conversation_id": self.turn.conversation_id,
            "concept_id": self.concept.pk,
            "concept_pk": self.concept.pk,
            "term_pk": self.term.pk,
            "sample_id": self.sample.pk,
            "sign_off_id": self.sign_off.pk,
            "retrieval_id": self.retrieval.pk,
            "extraction_id": self.extraction.pk,
            "grid_id": self.grid.grid,
            "rejudgement_id": self.rejudgement.pk,
            "proposal_id": self.proposal.pk,
            "share_id": self.share.pk,
            "archive_id": self.archive.pk,
            "user_pk": self.people["viewer"].pk,
            **dict.fromkeys(("field_pk", "field_id", "filter_pk", "filter_id"), 1),  # of none
            "form": "md",
            "name": "answer",
        }
        if absent and kind == "uuid:":
            return uuid.uuid4()
        return known.get(name, 1)

    def client(self, caller: str) -> tuple[Client, dict[str, str]]:
        """A browser or a program of somebody."""
        if caller not in self.clients:
            self.clients[caller] = browser(self.people[caller]) if caller in self.people else Client()
        secret = self.secrets.get(caller) if caller != "link" else None
        return self.clients[caller], {"Authorization": f"Bearer {secret}"} if secret else {}

    def status(self, caller: str, row: str, body: str = "") -> int:
        return int(self.answer(caller, row, body).status_code)

    def answer(self, caller: str, row: str, body: str = "") -> Any:
        client, headers = self.client(caller)
        with undone():
            self.prepare(row)
            text = body.format(base=self.base.pk) if body else ""
            return send(client, row, self.address(row, caller=caller), text, **headers)

    def answers(self, caller: str, row: str, body: str) -> list[tuple[int, str]]:
        """What somebody is told of a thing that is there and of one that is not."""
        client, _ = self.client(caller)
        told = []
        for absent in (False, True):
            with undone():
                self.prepare(row)
                text = body.format(base=self.base.pk) if body else ""
                address = self.address(row, absent=absent)
                told.append(said(send(client, row, address, text), address))
        return told

    def as_token(self, secret: str, row: str) -> Any:
        with undone():
            return send(Client(), row, self.address(row), Authorization=f"Bearer {secret}")

    def prepare(self, row: str) -> None:
        if row.endswith("/restore"):
            Conversation.objects.update(deleted_at=timezone.now())


@contextmanager
def undone() -> Iterator[None]:
    """Whatever happens inside never was."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def said(response: Any, address: str) -> tuple[int, str]:
    """Status and body, without the tokens of its forms and the address itself, which are never the same."""
    text = re.sub(r'(csrfmiddlewaretoken" value=")[^"]+', r"\1", response.content.decode())
    return response.status_code, text.replace(address, "")


@pytest.fixture
def site(transactional_db: None, settings: Settings, tmp_path: Path) -> Site:
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "images"
    settings.CARRIED_ROOT = tmp_path / "carried"
    people = {name: User.objects.create_user(f"{name}@example.org", "quiet-harbour-91") for name in CALLERS[1:6]}
    base = create_base(people["owner"], "Suppliers")
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none", "outside_links": "on"})
    base.refresh_from_db()
    for role in ROLES[:-1]:
        set_role(base, people[role], role)
    create_base(people["stranger"], "Elsewhere")
    path = tmp_path / "policy.pdf"
    path.write_bytes(make_pdf())
    document = ingest_path(path, base, people["owner"])
    turn = keep_question(people["viewer"], Asked(base, (document,)), QUESTION, "balanced", form_id=uuid.uuid4())
    with ScriptedLLM("good") as model:
        settings.LLM_BASE_URL, settings.LLM_API_KEY = model.base_url, "sk-test"
        settings.LLM_MODEL, settings.LLM_CONFIGURED = "scripted", True
        answer_turn(turn.pk)
    settings.LLM_BASE_URL, settings.LLM_API_KEY, settings.LLM_CONFIGURED = "", "", False
    turn.refresh_from_db()
    assert turn.run is not None and turn.run.llm_call_id is not None
    concept = Concept.objects.create(base=base, name="retention period")
    term = Term.objects.create(concept=concept, language="en", text="kept for", priority="primary", weight=1.0)
    token, secret = make_token(people["owner"], "Living", Scope.values, 1)
    gone, old = make_token(people["owner"], "Revoked", Scope.values, 1)
    revoke_token(gone, people["owner"])
    settings.API_ANSWER_WAIT_S = 0
    settings.API_RATE = settings.ASK_RATE = settings.LINK_RATE = 1_000_000
    second_auditor = User.objects.create_user("signer@example.org")
    set_role(base, second_auditor, "auditor")
    signer = browser(second_auditor)
    signer.post("/audit/queue/draw/", {"base": base.pk, "size": 1, "seed": "1"})
    sample = ReviewSample.objects.get()
    signer.post(f"/audit/runs/{turn.run.pk}/reviews/", {"candidate": "", "outcome": "agree"})
    asked_once_more = signer.post(f"/audit/signoffs/sample/{sample.pk}/")
    signer.post(f"/audit/signoffs/sample/{sample.pk}/", {"seen": asked_once_more.context["statement"].digest})
    signed = SignOff.objects.get()
    retrieval = keep_retrieval(people["viewer"], Asked(base), QUESTION, "balanced")
    extraction = keep_extraction(people["viewer"], Asked(base), [Field("Records", QUESTION)], "balanced")
    (grid,) = keep_grid(people["viewer"], Asked(base), [Field("Records", QUESTION)], "balanced")
    judged = ask_for_replay(people["auditor"], turn.run, Judge("rules"), 1)
    inside = share_inside(people["viewer"], turn.conversation)
    _, link = share_outside(people["viewer"], turn.conversation, turn, 1)
    proposal = propose(base, people["owner"])
    secrets = {"token": secret, "revoked": old, "link": link}
    return Site(
        people,
        base,
        document,
        turn.run,
        turn,
        concept,
        term,
        sample,
        signed,
        retrieval,
        extraction,
        grid,
        judged,
        proposal,
        inside,
        keep_archive(base, turn.run),
        token,
        secrets,
    )


def propose(base: KnowledgeBase, owner: User) -> ProposedChange:
    """What is proposed while a golden check is required; it is not, afterwards."""
    held = dict(base.settings)
    KnowledgeBase.objects.filter(pk=base.pk).update(settings=held | {"golden_check": "on"})
    with pytest.raises(ChangeProposed) as proposed:
        change_guidance(base, "arbiter", "Amounts are net.", "House style", owner, seen=0)
    KnowledgeBase.objects.filter(pk=base.pk).update(settings=held)
    return proposed.value.proposal


def keep_archive(base: KnowledgeBase, run: RetrievalRun) -> CarriedArchive:
    """What an import of a base with one question keeps."""
    name, content = f"records/{run.pk}.jsonl", b"{}\n"
    manifest = json.dumps({"files": {name: digest_of(content)}}).encode()
    archive = CarriedArchive.objects.create(
        base=base,
        from_base=uuid.uuid4(),
        from_name="Suppliers",
        exported_at=timezone.now(),
        program="1",
        manifest_sha256=digest_of(manifest),
        head_sequence=1,
        head_hash="0" * 64,
        is_vouched=True,
    )
    CarriedRun.objects.create(
        archive=archive, run_id=run.pk, question=QUESTION, outcome="found", asked_at=timezone.now()
    )
    record(IMPORTED, "console", f"base:{base.pk}", {"manifest": archive.manifest_sha256})
    path_of(archive).parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path_of(archive), "w") as file:
        file.writestr("manifest.json", manifest)
        file.writestr(name, content)
    return archive


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def routes(patterns: Any = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every route of the site as it is written."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route, pattern


def is_foreign(route: str) -> bool:
    ours = any(row.partition(" ")[2] == route for row in TABLE)
    return route.startswith(FOREIGN) and not ours


def methods_of(view: Any) -> list[str]:
    """The methods a view of the API has; any may be sent to a page."""
    return [method for method in METHODS if hasattr(view.cls, method.lower())] if hasattr(view, "cls") else []


def send(client: Client, row: str, address: str, body: str = "", **headers: str) -> Any:
    method, _, route = row.partition(" ")
    kind = JSON if route.startswith("api/") else FORM
    response = client.generic(method, f"/{address}", body, kind, headers=headers)
    if response.streaming and not response.is_async:  # type: ignore[attr-defined]
        list(response)
    return response


# ---- the table is whole


def test_every_route_has_its_row() -> None:
    rowed = {row.partition(" ")[2] for row in TABLE}
    missing = [route for route, _ in routes() if route not in rowed | OPEN and not is_foreign(route)]
    assert missing == [], "a route without a row in docintel_site/tests/test_access.py"
    assert rowed - {route for route, _ in routes()} == set(), "a row without a route"


def test_every_method_of_the_api_has_its_row() -> None:
    views = {route: pattern.callback for route, pattern in routes()}
    methods = {f"{method} {route}" for route, view in views.items() for method in methods_of(view)}
    assert methods == API.keys()
    unscoped = {row for row in methods if not row.endswith(("schema/", "docs/")) and scope_of(views, row) is None}
    assert unscoped == set(), "a method without a scope"


def scope_of(views: dict[str, Any], row: str) -> str | None:
    method, _, route = row.partition(" ")
    scope: str | None = getattr(views[route].cls, "scopes", {}).get(method)
    return scope


# ---- the table holds


def test_no_cell_is_wrong(site: Site) -> None:
    """Nor is an answer kept by a cache, but pictures of pages by the reader's own, or may use what no page needs."""
    wrong: list[tuple[str, str, object]] = []
    kept: set[str] = set()
    for row, (who, status, body, others) in TABLE.items():
        for caller in CALLERS:
            answered = site.answer(caller, row, body)
            if answered.status_code != expected(row, caller, who, status, others):
                wrong.append((row, caller, answered.status_code))
            if caller in {*who[-1:], *OUTSIDERS}:
                wrong += [(row, caller, name) for name in missing_headers(answered, row)]
                if is_kept(answered):
                    kept.add(row)
    for row in (*(f"GET {route}" for route in OPEN), "GET static/site.css"):
        for caller in OUTSIDERS:
            answered = site.answer(caller, row)
            wrong += [(row, caller, name) for name in missing_headers(answered, row)]
            if is_kept(answered):
                kept.add(row)
    assert wrong == []
    assert kept == PICTURES | PUBLIC
    assert len(TABLE) * len(CALLERS) > 600


def is_kept(answered: Any) -> bool:
    """Whether a cache may keep an answer."""
    return not {"no-store", "private"} <= {*answered.headers["Cache-Control"].split(", ")}


def missing_headers(answered: Any, row: str) -> Iterator[str]:
    """The headers that an answer should have; a picture that may be kept is one, and for its reader alone."""
    said = answered.headers["Cache-Control"].split(", ")
    if row in PICTURES and is_kept(answered) and (answered.status_code != 200 or "private" not in said):
        yield "Cache-Control"
    yield from (name for name in HEADERS if name not in answered.headers)


def test_no_page_and_no_call_asks_a_model_itself(site: Site, settings: Settings) -> None:
    """Only workers do, and none is at work here; the page of the status asks which models there are."""
    with ScriptedLLM("good") as model:
        settings.LLM_BASE_URL, settings.LLM_API_KEY = model.base_url, "sk-test"
        settings.LLM_MODEL, settings.LLM_CONFIGURED = "scripted", True
        for row, (who, status, body, _) in TABLE.items():
            for caller in who[-1:]:
                assert site.status(caller, row, body) == status, row
        asked = {request.path for request in model.requests}
    assert asked <= {"/v1/models"}


def expected(row: str, caller: str, who: tuple[str, ...], status: int, others: int) -> int:
    is_api = " api/" in row
    if who == LINK:
        return status if caller == "link" else others
    if caller in ("anonymous", "revoked", "link") or (caller == "token" and not is_api):
        return 401 if is_api else 302
    role = "owner" if caller == "token" else caller
    return status if role in who else others


def test_a_method_without_a_row_is_not_answered(site: Site) -> None:
    answered = []
    for route in {row.partition(" ")[2] for row in TABLE}:
        for method in METHODS:
            row = f"{method} {route}"
            caller = next((one for other, (who, *_) in TABLE.items() if other.endswith(f" {route}") for one in who), "")
            if row not in TABLE and caller and site.status(caller, row) != 405:
                answered.append(row)
    assert answered == []


def test_absent_and_forbidden_are_one_answer(site: Site) -> None:
    told_apart = []
    for row, (who, _, body, others) in TABLE.items():
        strangers = [caller for caller in EVERYBODY if caller not in who]
        if "<" in row and others == 404 and strangers:
            forbidden, absent = site.answers(strangers[0], row, body)
            if forbidden != absent:
                told_apart.append(row)
    assert told_apart == []


def test_each_token_opens_what_its_scopes_say(site: Site) -> None:
    views = {route: pattern.callback for route, pattern in routes()}
    for scope in Scope.values:
        others = [one for one in Scope.values if one != scope]
        secret = make_token(site.people["viewer"], scope, others, 1)[1]
        for row in API:
            refused = site.as_token(secret, row)
            is_closed = scope_of(views, row) == scope
            assert (refused.status_code == 403) == is_closed, (row, scope)
            assert not is_closed or f"“{scope}”" in refused.json()["detail"]


def test_nothing_changes_without_the_token_of_a_form(site: Site) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(site.people["owner"])
    unsafe = [row for row in TABLE if not row.startswith("GET ")]
    assert {row: send(client, row, site.address(row)).status_code for row in unsafe} == dict.fromkeys(unsafe, 403)


@pytest.mark.parametrize("prefix", FOREIGN)
def test_what_others_wrote_is_the_same_for_every_role(site: Site, prefix: str) -> None:
    for route in {route for route, _ in routes() if route.startswith(prefix) and is_foreign(route)}:
        cells = {caller: site.status(caller, f"GET {route}") for caller in CALLERS}
        assert len({cells[role] for role in EVERYBODY}) == 1, (route, cells)
        assert cells["anonymous"] == cells["token"] == cells["revoked"], (route, cells)
        assert prefix != "admin/" or set(cells.values()) <= {302, 403, 404}, (route, cells)
