"""Small cases with right values: is what the product says of each right, a refusal, beside the point, or false?

Every file of a case is read as an upload is, in a base of its own of a separate installation, and every question is
asked as a person does without a model. Aids (regular expressions) judge; what was said is written down for reading.
"""

import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.answers import headline_of
from benchmarks.retrieval import commit

if TYPE_CHECKING:
    from accounts.models import User
    from chat.models import Conversation, Turn
    from documents.models import KnowledgeBase

FILE_NAME = "questions.jsonl"
QUOTES_MAX = 3
ANSWERED = frozenset({"extractive", "generated"})
VERDICTS = ("right", "refused", "poor", "harmful")
PRINTED = ("questions", *VERDICTS, "said")
OUTCOME_WORDS = {
    "weak": "not found, or cannot tell",  # where an aid takes either for right, it takes this
    "not_found": "not found",
    "cannot_tell": "cannot tell",
    "failed": "cannot be read",
}


class CaseError(ValueError):
    """The cases cannot be read; the message says which line and why."""


class CaseQuestion(NamedTuple):
    """A question of a case; `expect` and `must_not` are regular expressions, "" for none.

    `files` are paths relative to the folder of the cases; several are one base. `page` is a physical one.
    """

    id: str
    files: tuple[str, ...]
    question: str
    expect: str
    must_not: str
    page: int | None
    is_absent: bool
    follows: str  # the id of the question before it in the same conversation


class Said(NamedTuple):
    """What a person is told: the outcome with its own words, the headline, the first quotes with their pages."""

    outcome: str
    confidence: float
    headline: str
    words: str  # why there is no answer, or how it was made
    quotes: tuple[tuple[int, str, str], ...] = ()  # page, printed page, text

    @property
    def told(self) -> str:
        """Headline and quotes in one line, which the aids look at."""
        return flat(" ".join((self.headline, *(text for _, _, text in self.quotes))))

    @property
    def is_answered(self) -> bool:
        return self.outcome in ANSWERED


def load_cases(folder: Path, only: Sequence[str] = ()) -> list[CaseQuestion]:
    """The questions of a folder whose id begins with one of `only`, and those they follow. Raises CaseError."""
    path = folder / FILE_NAME
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CaseError(str(error)) from error
    questions = []
    for number, line in enumerate(lines, start=1):
        try:
            questions += [read_case(json.loads(line))] if line.strip() else []
        except (ValueError, KeyError, TypeError, re.error) as error:
            raise CaseError(f"{path}, line {number}: {error!r}") from error
    chosen = {each.id for each in questions if not only or each.id.startswith(tuple(only))}
    for each in reversed(questions):
        chosen |= {each.follows} if each.id in chosen else set()
    chosen_ones = [each for each in questions if each.id in chosen]
    missing = sorted({name for each in chosen_ones for name in each.files if not (folder / name).is_file()})
    if missing or not chosen_ones:
        raise CaseError(f"Not in {folder}: {', '.join(missing) or 'any such question'}")
    return chosen_ones


def read_case(row: Mapping[str, Any]) -> CaseQuestion:
    files = [row["file"]] if isinstance(row["file"], str) else row["file"]
    expect, must_not = (row.get(name) or "" for name in ("expect", "must_not"))
    re.compile(expect)
    re.compile(must_not)
    return CaseQuestion(
        str(row["id"]),
        tuple(files),
        row["question"],
        expect,
        must_not,
        row.get("page"),
        bool(row.get("absent")),
        row.get("follow_up_of") or "",
    )


def run(folders: Mapping[Path, Sequence[CaseQuestion]]) -> dict[str, Any]:
    """Read the files, ask every question, judge by the aids."""
    from accounts.models import User

    person, _ = User.objects.get_or_create(email="reader@example.org", defaults={"name": "Reader"})
    rows: list[dict[str, Any]] = []
    for folder, questions in folders.items():
        rows += ask_folder(person, folder, questions)
    counts = Counter(row["verdict"] for row in rows)
    return {
        "questions": len(rows),
        **{verdict: counts[verdict] for verdict in VERDICTS},
        "rows": rows,
        "commit": commit(),
    }


def ask_folder(person: "User", folder: Path, questions: Iterable[CaseQuestion]) -> list[dict[str, Any]]:
    bases: dict[tuple[str, ...], tuple[KnowledgeBase, str]] = {}
    conversations: dict[str, Conversation] = {}
    rows = []
    for asked in questions:
        if asked.files not in bases:
            bases[asked.files] = filled_base(person, folder, asked.files)
        base, refusal = bases[asked.files]
        if refusal:
            said = Said("failed", 0.0, "", refusal)
        else:
            turn = ask(person, base, asked.question, conversations.get(asked.follows))
            conversations[asked.id] = turn.conversation
            said = said_by(turn)
        rows.append(row_of(asked, said))
    return rows


def filled_base(person: "User", folder: Path, files: Iterable[str]) -> "tuple[KnowledgeBase, str]":
    """A new base with the files, and why one of them was refused or cannot be read, "" if none was."""
    from documents import access
    from documents.ingestion.conductor import ingest_path
    from documents.storage.uploads import UploadRefused

    base = access.create_base(person, f"Case {uuid.uuid4()}")
    refusals = []
    for name in files:
        try:
            document = ingest_path(folder / name, base, person)
        except UploadRefused as error:
            refusals.append(error.message)
            continue
        if document.current_parse_id is None:
            refusals.append(" ".join(job.error_for_people for job in document.jobs.all()))
    return base, " ".join(refusals)


def ask(person: "User", base: "KnowledgeBase", question: str, conversation: "Conversation | None") -> "Turn":
    from chat.asking import keep_question
    from chat.models import Turn
    from chat.scope import QuestionScope
    from chat.turns.conductor import answer_turn

    scope = QuestionScope(base)
    turn = keep_question(person, scope, question, "balanced", form_id=uuid.uuid4(), conversation=conversation)
    answer_turn(turn.pk, arbiter="rules")
    return Turn.objects.select_related("run", "answer", "conversation").get(pk=turn.pk)


def said_by(turn: "Turn") -> Said:
    confidence = turn.run.confidence if turn.run else 0.0
    if not hasattr(turn, "answer"):
        return Said(turn.state, confidence, "", turn.error_for_people)
    answer = turn.answer
    is_answered = answer.kind in ANSWERED
    headline = headline_of(answer, [check["typed"] for check in answer.checks if check.get("typed")])
    quotes = answer.citations.order_by("marker")[:QUOTES_MAX]
    return Said(
        answer.kind,
        confidence,
        flat(headline),
        flat(answer.note if is_answered else f"{answer.note} {answer.text}"),
        tuple((each.page, each.page_label, flat(each.quote)) for each in quotes),
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def row_of(asked: CaseQuestion, said: Said) -> dict[str, Any]:
    return {"id": asked.id, "question": asked.question, "verdict": verdict_on(asked, said), **said._asdict()}


def verdict_on(asked: CaseQuestion, said: Said) -> str:
    """What the aids say of an answer, one of VERDICTS.

    Harmful is what is answered where nothing is to be found, or what must not be said. A refusal is right where nothing
    is to be found or the aid takes its words; a weak answer is a refusal, whatever it quotes.
    """
    if not said.is_answered:
        words = f"{OUTCOME_WORDS.get(said.outcome, '')} {said.words}"
        return "right" if asked.is_absent or is_in(asked.expect, words) else "refused"
    if asked.is_absent:
        return "harmful" if said.headline else "poor"
    if is_in(asked.must_not, said.told):
        return "harmful"
    is_on_page = asked.page is None or any(page == asked.page for page, _, _ in said.quotes)
    return "right" if is_on_page and is_in(asked.expect, said.told) else "poor"


def is_in(aid: str, text: str) -> bool:
    return bool(aid) and re.search(aid, text) is not None


def write_said(figures: Mapping[str, Any], path: Path) -> None:
    """What was said to every question, in Markdown, for somebody to read."""
    parts = [f"# What was said, commit {figures['commit']}\n"]
    for row in figures["rows"]:
        quotes = "".join(
            f"{number}. p. {page}{f' (printed {label})' if label else ''}: {text}\n"
            for number, (page, label, text) in enumerate(row["quotes"], start=1)
        )
        parts.append(
            f"## {row['id']}: {row['verdict']}\n\n{row['question']}\n\n"
            f"*{row['outcome']}, {row['confidence']:.2f}* {row['words']}\n\n**{row['headline'] or 'no headline'}**\n\n"
            f"{quotes}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")
