"""`manage.py ask "QUESTION" --document PATH_OR_ID | --base NAME`: ask from the shell, through the chat's own code.

A file is kept in a base of whoever asks, called FILES_NAME: each `--user` has one of their own, with nobody else in it,
and that of the command line is open to administrators. Roles that the shell gives are recorded as any other.
"""

import json
import os
import sys
import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils.text import capfirst

from accounts.models import User
from accounts.people import find_person
from chat.asking import QuestionError, check_question, keep_question
from chat.handing_over import FILES_NAME, SHELL_EMAIL
from chat.models import Answer, Turn
from chat.page.outcomes import say_unmentioned, sureness_of
from chat.page.struck_quotes import MARKED, mark_quote
from chat.scope import QuestionScope, ScopeError, choose
from chat.turns.conductor import AnsweringFailed, answer_turn
from chat.turns.repeats import describe_repeat
from chat.turns.replies import answer_json
from chat.writing.phrases import cited_pages, describe_place
from documents import access
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase, Role
from documents.storage.uploads import UploadRefused
from ledger.management.refusals import explain_error
from reading.matching import join_without_space
from reading.rows import STRUCK_MARK, STRUCK_TOLD
from retrieval.candidates.plain import one_line
from retrieval.models import RetrievalRun
from retrieval.record.as_json import result_json, stored_result_json
from retrieval.told.outcomes import outcome_named
from retrieval.told.searched import words_searched
from retrieval.types import UNANSWERED, RetrievalResult

SHELL_NAME = "Command line"


class Command(BaseCommand):
    help = "Ask a question of a document or a base, and print the answer with its citations."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--document", metavar="PATH_OR_ID", help="a file, which is read first, or a document's id")
        where.add_argument("--base", metavar="NAME_OR_ID")
        parser.add_argument("--mode", choices=("fast", "balanced", "thorough"), default="balanced")
        parser.add_argument("--arbiter", choices=("model", "hybrid", "rules", "none", "rerank"))
        parser.add_argument("--every-document", action="store_true", help="search each document of a base on its own")
        whose = "who asks, and in whose own base a file is kept; by default the user of the command line"
        parser.add_argument("--user", metavar="EMAIL", help=whose)
        parser.add_argument("--json", action="store_true", help="print the RetrievalResult with answer and run_id")

    def handle(self, *args: Any, **options: Any) -> None:
        with explain_error(QuestionError, ScopeError, UploadRefused, AnsweringFailed):
            user = find_user(options["user"])
            question = check_question(without_surrogates(options["question"]))
            scope, is_full = self.find_scope(user, options), options["every_document"]
            turn = keep_question(user, scope, question, options["mode"], form_id=uuid.uuid4(), is_full_search=is_full)
            result = answer_turn(turn.pk, arbiter=options["arbiter"])
        turn = Turn.objects.select_related("run", "answer").get(pk=turn.pk)
        if turn.state == Turn.State.FAILED:
            raise CommandError(turn.error_for_people)
        has_result = result is not None or (turn.run and turn.run.repeat)
        self.stdout.write(as_json(turn, result) if options["json"] and has_result else as_text(turn))

    def find_scope(self, user: User, options: dict[str, Any]) -> QuestionScope:
        if options["base"]:
            return open_scope(user, access.find_base(without_surrogates(options["base"])), options["user"])
        given = options["document"]
        if os.path.isfile(given):  # pathlib raises for a name that is too long
            return QuestionScope(command_base(user), (self.read(Path(given), user),))
        document = find_document(given)
        return QuestionScope(open_scope(user, document.base, options["user"]).base, (document,))

    def read(self, path: Path, user: User) -> Document:
        """Read a file and embed it; progress goes to stderr, so that stdout is only the JSON."""

        def watch(stage: str, done: int, total: int) -> None:
            if sys.stderr.isatty():
                self.stderr.write(f"\r{path.name}: {stage} {done} of {total}   ", ending="")

        document = ingest_path(path, command_base(user), user, watch)
        if document.current_parse_id is None:
            job = document.jobs.first()
            raise CommandError(f"{path.name} cannot be read. {job.error_for_people if job else ''}".strip())
        return document


def without_surrogates(text: str) -> str:
    """What a shell passed, as a database takes it: bytes that are not UTF-8 come as lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def find_user(email: str | None) -> User:
    if email is None:
        known = User.objects.filter(email=SHELL_EMAIL).first()
        return known or User.objects.create_user(SHELL_EMAIL, None, name=SHELL_NAME, is_active=False)
    return find_person(without_surrogates(email))


def command_base(user: User) -> KnowledgeBase:
    """The base for files that a person asks from the shell; that of the command line is open to administrators too."""
    names = (FILES_NAME, SHELL_NAME) if user.email == SHELL_EMAIL else (FILES_NAME,)
    mine = KnowledgeBase.objects.with_role(user, Role.OWNER, Role.EDITOR)
    base = mine.living().filter(name__in=names, created_by=user).first() or access.create_base(user, FILES_NAME)
    if user.email == SHELL_EMAIL:
        for administrator in User.objects.filter(is_superuser=True, is_active=True):
            let_in(base, administrator, Role.OWNER)
    return base


def let_in(base: KnowledgeBase, user: User, role: Role) -> None:
    """Give a person a role in a base, on record, unless they have one."""
    if not access.role_in(user, base):
        access.set_role(base, user, role)


def find_document(given: str) -> Document:
    document: Document | None = Document.objects.filter(pk__in=access.ids_in(given)).first()
    if document is None:
        raise CommandError(f"{given} is neither a file nor the id of a document.")
    return document


def open_scope(user: User, base: KnowledgeBase, email: str | None) -> QuestionScope:
    """The whole base. Whoever has the server's shell may ask any base; the members' list then shows it."""
    if email is None:
        let_in(base, user, Role.VIEWER)
    return choose(user, f"base:{base.pk}")


def as_json(turn: Turn, result: RetrievalResult | None) -> str:
    """The RetrievalResult, stored where the answer was given before, with the answer, as one JSON object."""
    answer: Answer | None = getattr(turn, "answer", None)
    fields = {
        "run_id": str(turn.run_id),
        "answered_before": describe_repeat(turn),
        "answer": answer_json(answer) if answer else None,
    }
    told = result_json(result) if result else stored_result_json(cast(RetrievalRun, turn.run))
    return json.dumps(told | fields, ensure_ascii=False, indent=2, default=str)


def as_text(turn: Turn) -> str:
    """The answer as text for a terminal."""
    answer: Answer | None = getattr(turn, "answer", None)
    if answer is None or turn.run is None:
        return "No answer was written."
    sureness = sureness_of(turn.run, answer, list(turn.run.candidates.all()))
    text, cited = answer.text, []
    for citation in answer.citations.select_related("candidate"):
        place = describe_place(citation.candidate, cited_pages(citation), with_document=True)
        marked = mark_quote(citation)
        told = f"\n    ({STRUCK_TOLD})" if marked != citation.quote else ""
        said, shown = (f"\u201c{one_line(each)}\u201d [{citation.marker}]" for each in (citation.quote, marked))
        text = text.replace(said, shown)
        cited.append(f"[{citation.marker}] {place}\n    {join_without_space(marked)}{told}")
    lines = [answer.note, text, capfirst(f"{sureness.words}. {sureness.meaning}") if sureness else ""]
    lines += say_unmentioned(turn.run, sureness)
    if answer.kind in UNANSWERED:
        words = ", ".join(f"{word['text']} {word['count']}" for word in words_searched(turn.run))
        outcome = f"{outcome_named(answer.kind).words}."
        lines = [outcome, text, f"Words searched: {words}" if words else ""]
    return MARKED.sub(rf"{STRUCK_MARK}\1{STRUCK_MARK}", "\n\n".join(filter(None, lines + cited)))
