"""Copies of real questions with their ledger entries, as many as an installation has after years."""

import secrets
import time
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from audit.access_log import record_event
from audit.auditor_record import PAYLOADS as AUDITED
from audit.models import AuditEvent
from chat.answer_record import ANSWER
from chat.models import Answer, Citation
from ledger import chain
from ledger.models import Entry, Salt
from ledger.payload import SALT_BYTES, Payload
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.record.ledger_forms import RUN

QUESTIONS_A_ROUND = 250
SECONDS_APART = 37  # 100,000 questions in 43 days
CANDIDATES_LISTED = 20
READ = AUDITED[AuditEvent]

COPIES = """
CREATE TEMP TABLE copies ON COMMIT DROP AS
SELECT r.id AS run, gen_random_uuid() AS new_run, r.llm_call_id AS call, gen_random_uuid() AS new_call,
    a.id AS answer, gen_random_uuid() AS new_answer, a.llm_call_id AS answer_call, gen_random_uuid() AS new_answer_call,
    gen_random_uuid() AS new_event, now() - make_interval(secs => %s * (%s + row_number() OVER ())) AS moment
FROM (SELECT * FROM retrieval_retrievalrun ORDER BY random() LIMIT %s) r
JOIN chat_answer a ON a.run_id = r.id
"""


def grow(entries: int) -> dict[str, Any]:
    """Copy questions until the ledger has the given number of entries: for each its run, its answer and one read."""
    record_event(None, "measured", None)  # the read that is copied
    began, before = time.monotonic(), chain.head().sequence
    while chain.head().sequence < entries:
        with transaction.atomic(), connection.cursor() as cursor:
            missing = -(-(entries - chain.head().sequence) // 3)
            cursor.execute(COPIES, [SECONDS_APART, chain.head().sequence // 3, min(missing, QUESTIONS_A_ROUND)])
            for statement in COPYING:
                cursor.execute(statement)
            cursor.execute("SELECT new_run, new_answer, new_event FROM copies ORDER BY moment")
            enter(cursor.fetchall())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return {"copied_entries": chain.head().sequence - before, "copying_s": round(time.monotonic() - began)}


def copying(model: Any, source: str, **changed: str) -> str:
    """SQL that copies rows of a model, `o`, with other keys."""
    columns = [field.column for field in model._meta.concrete_fields]
    chosen = [changed.get(column, f"o.{column}") for column in columns]
    quoted = ", ".join(f'"{column}"' for column in columns)
    return f"INSERT INTO {model._meta.db_table} ({quoted}) SELECT {', '.join(chosen)} FROM {source}"


COPYING = (
    copying(LLMCall, "llm_llmcall o JOIN copies c ON c.call = o.id", id="c.new_call"),
    copying(LLMCall, "llm_llmcall o JOIN copies c ON c.answer_call = o.id", id="c.new_answer_call"),
    copying(
        RetrievalRun,
        "retrieval_retrievalrun o JOIN copies c ON c.run = o.id",
        id="c.new_run",
        llm_call_id="CASE WHEN o.llm_call_id IS NOT NULL THEN c.new_call END",
        created_at="c.moment",
    ),
    copying(
        RunCandidate,
        "retrieval_runcandidate o JOIN copies c ON c.run = o.run_id",
        id="nextval(pg_get_serial_sequence('retrieval_runcandidate', 'id'))",
        run_id="c.new_run",
    ),
    copying(
        Answer,
        "chat_answer o JOIN copies c ON c.answer = o.id",
        id="c.new_answer",
        run_id="c.new_run",
        turn_id="gen_random_uuid()",
        llm_call_id="CASE WHEN o.llm_call_id IS NOT NULL THEN c.new_answer_call END",
        created_at="c.moment",
    ),
    copying(
        Citation,
        "chat_citation o JOIN copies c ON c.answer = o.answer_id "
        "JOIN retrieval_runcandidate was ON was.id = o.candidate_id "
        "JOIN retrieval_runcandidate n ON n.run_id = c.new_run AND n.position = was.position",
        id="nextval(pg_get_serial_sequence('chat_citation', 'id'))",
        answer_id="c.new_answer",
        candidate_id="n.id",
    ),
    copying(
        AuditEvent,
        "(SELECT * FROM audit_auditevent LIMIT 1) o CROSS JOIN copies c",
        id="c.new_event",
        action="'trail'",
        run_id="c.new_run",
        detail="jsonb_build_object('candidate', 'p1-l1-2')",
        created_at="c.moment",
    ),
)


def enter(questions: list[tuple[UUID, UUID, UUID]]) -> None:
    """Chain the copies in bulk, with the hashes `append` would compute one by one."""
    runs, answers, events = zip(*questions, strict=True)
    written = RUN.read(runs) | ANSWER.read(answers) | READ.read(events)
    previous, entries, salts = chain.head(), [], []
    for kind, subject in ((kind, pk) for question in questions for kind, pk in zip(KINDS, question, strict=True)):
        salt = secrets.token_hex(SALT_BYTES)
        entry = Entry(
            sequence=previous.sequence + 1,
            kind=kind.kind,
            subject_id=str(subject),
            payload_digest=chain.digest_of(chain.add_salt(written[subject], salt)),
            previous_hash=previous.hash,
            created_at=timezone.now(),
        )
        entry.hash = chain.hash_of(entry)
        previous = chain.Head(entry.sequence, entry.hash)
        entries.append(entry)
        salts.append(Salt(subject=entry.subject, salt=salt))
    Entry.objects.bulk_create(entries)
    Salt.objects.bulk_create(salts)


KINDS: tuple[Payload, Payload, Payload] = (RUN, ANSWER, READ)


# ---- runs for lists


def thin_runs(count: int) -> None:
    """Add runs with 20 candidates each: real rows, with the longest texts cut, which no list reads."""
    short = {name: f"left(o.{name}, 300)" for name in ("context_text", "brief", "snippet", "anchor_text")}
    missing = count - RetrievalRun.objects.count()
    if missing <= 0:
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE copies ON COMMIT DROP AS SELECT r.id AS run, gen_random_uuid() AS new_run, "
            "now() - make_interval(secs => %s * i) AS moment, i FROM generate_series(1, %s) i JOIN LATERAL ("
            "SELECT id FROM sources WHERE number = i %% (SELECT count(*) FROM sources)) r ON true".replace(
                "sources",
                "(SELECT run_id AS id, row_number() OVER () - 1 AS number FROM retrieval_runcandidate "
                "WHERE position = 20 LIMIT 200) AS sources",
            ),
            [SECONDS_APART, missing],
        )
        cursor.execute(
            copying(
                RetrievalRun,
                "retrieval_retrievalrun o JOIN copies c ON c.run = o.id",
                id="c.new_run",
                question="o.question || ' ' || c.i",
                hits="'[]'::jsonb",
                toc_shown="left(o.toc_shown, 200)",
                llm_call_id="NULL",
                created_at="c.moment",
            )
        )
        cursor.execute(
            copying(
                RunCandidate,
                f"retrieval_runcandidate o JOIN copies c ON c.run = o.run_id AND o.position <= {CANDIDATES_LISTED}",
                id="nextval(pg_get_serial_sequence('retrieval_runcandidate', 'id'))",
                run_id="c.new_run",
                reason="o.reason || ' ' || left(c.new_run::text, 8)",
                **short,
            )
        )
        cursor.execute("ANALYZE")
