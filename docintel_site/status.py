"""The status page: every part is probed, with advice if it fails."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypedDict

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from kombu.exceptions import OperationalError

from audit.keeping import selfcheck
from audit.models import RecordCheck, Rejudgement, WitnessedHead
from audit.proof.witnessing import find_contradiction
from chat.models import Extraction, ModelTest, Retrieval, Turn
from docintel_site.backups.making import MADE
from documents.models import Document, DocumentQuerySet, IngestJob, Viewer
from documents.pages.listing import DocumentRow, build_rows
from documents.storage.watched import files_seen
from jobs.lease import is_expired
from jobs.models import LeasedJob
from ledger import stamps
from ledger.heads import BadHeadFile
from ledger.models import Event
from ledger.witness import OVERDUE as WITNESS_OVERDUE
from ledger.witness import last_witnessed, own_witness
from llm import client
from llm.embeddings.cross_encoder import verify_trained_weights
from llm.embeddings.encoder import EncoderMissing, is_built
from llm.tiers import models_in_use
from reading.heavier import library_of
from reading.processes.jail import PARTS
from reading.processes.sandbox import isolation_in_force
from reading.reasons import ReadingError

# "none": left out on purpose, which is no fault; "soon": its first time has not come, so that nothing is known of it.
State = Literal["ok", "none", "soon", "warn", "fail"]
UNTRIED = ("none", "soon")

LONG_QUEUE = 500
GIGABYTE = 1_000_000_000
DISK_LOW_BYTES = 5 * GIGABYTE
DISK_FULL_BYTES = GIGABYTE // 2
LATE_AFTER = timedelta(hours=2)  # of what is done every hour
STUCK_SHOWN = UNREAD_SHOWN = 20
STUCK_AFTER_LEASES = 2  # after one lease the sweeper restarts a job; one still unattended is stuck


@dataclass(frozen=True)
class Stuck:
    """One job or question whose worker has died and that nobody has restarted."""

    title: str
    url: str
    step: str
    since: datetime | None
    what_to_do: str


@dataclass(frozen=True)
class StatusCheck:
    """One part: its state in a word, what was found, what to do, and details that only administrators see."""

    name: str
    state: State
    what: str
    what_to_do: str = ""
    detail: str = ""  # versions, hosts, paths, an error's own words: what would help an attacker


def checks() -> list[StatusCheck]:
    """Every part of the installation; rows and workers are checked only if the database and the broker answer."""
    found = [database()]
    if found[0].state != "fail":
        found += [tables(), documents(), questions(), schedule(), nightly(), backup(), witness(), *heads_of_others()]
    found.append(broker())
    if found[-1].state != "fail":
        found += [workers(), queues(), *(watching() if found[0].state != "fail" else [])]
    scans = optional_reader(_("Scans"), "ocr", _("pages without text stay unread"))
    ruled_tables = optional_reader(_("Ruled tables"), "pdfplumber", _("tables are read once, from the text"))
    return [*found, encoder(), model(), isolation(), scans, ruled_tables, mail(), time_stamps(), disk()]


def schedule() -> StatusCheck:
    """The tasks of every hour were carried out; the verification of the record's last hour leaves a row of it."""
    last = RecordCheck.objects.filter(is_whole=False).order_by("-created_at").first()
    begun = last.created_at if last else selfcheck.first_entry_at()
    is_late = begun is not None and begun < timezone.now() - LATE_AFTER
    hint = _("Retention, alerts, the trash and the check of the record wait for it. Restart; see the log beat.")
    if last:
        what = _("last carried out %(when)s UTC") % {"when": f"{last.created_at:%Y-%m-%d %H:%M}"}
    else:
        what = _("not carried out yet; the first time is an hour after the start")
    in_time: State = "ok" if last else "soon"
    return StatusCheck(_("Hourly tasks"), "warn" if is_late else in_time, what, hint if is_late else "")


def nightly() -> StatusCheck:
    """Files, rows and chain were held against each other last night, and agreed."""
    name, last, late_hint = _("Nightly check"), selfcheck.last_check(), _("Restart; see the logs of search and beat.")
    if last is None:
        is_late, what = selfcheck.is_overdue(timezone.now()), _("not carried out yet; the first time is next night")
        return StatusCheck(name, "warn" if is_late else "soon", what, late_hint if is_late else "")
    said = {"what": selfcheck.summarize(last), "when": f"{last.created_at:%Y-%m-%d %H:%M}"}
    what = _("%(what)s, %(when)s UTC") % said
    if last.fault_count:
        hint = _("“Verify the record” names each fault; docs/operations.md says what to do.")
        return StatusCheck(name, "fail", what, hint, selfcheck.describe_finding(last.faults[0]))
    is_late = selfcheck.is_overdue(timezone.now())
    return StatusCheck(name, "warn" if is_late else "ok", what, late_hint if is_late else "")


def worst(found: list[StatusCheck]) -> State:
    """The state of the whole: the worst of all; what is not set up or has not run yet does not count."""
    return max(
        (check.state for check in found if check.state not in UNTRIED), key=("ok", "warn", "fail").index, default="ok"
    )


def database() -> StatusCheck:
    """PostgreSQL answers and has pgvector."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            server = cursor.fetchone()[0]
            cursor.execute("SELECT max(extversion) FROM pg_extension WHERE extname = 'vector'")
            pgvector = cursor.fetchone()[0]
    except DatabaseError as error:
        hint = _("Start it with bin/run, or mend DATABASE_URL.")
        return StatusCheck(_("Database"), "fail", _("does not answer"), hint, first_line(error))
    if not pgvector:
        hint = _("Run manage.py migrate as a superuser.")
        return StatusCheck(_("Database"), "fail", _("answers, without pgvector"), hint, f"PostgreSQL {server}")
    detail = f"PostgreSQL {server}, pgvector {pgvector}"
    return StatusCheck(_("Database"), "ok", _("answers"), detail=detail)


def tables() -> StatusCheck:
    """Every migration is applied."""
    if waiting := open_migrations():
        said = ngettext("%(n)d migration not applied", "%(n)d migrations not applied", len(waiting))
        what, names = said % {"n": len(waiting)}, ", ".join(waiting[:3])
        return StatusCheck(_("Tables"), "fail", what, _("Run manage.py migrate."), names)
    return StatusCheck(_("Tables"), "ok", _("up to date"))


def open_migrations() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]


def documents() -> StatusCheck:
    """No document is waiting for a dead worker; how many files could not be read, which is no fault of a worker."""
    found, unread = stuck(_("Documents"), [IngestJob.objects.all()], "ingest, beat"), unread_files().count()
    if not unread:
        return found
    said = ngettext("%(n)d file could not be read", "%(n)d files could not be read", unread) % {"n": unread}
    return replace(found, what=f"{found.what}; {said}")


def unread_files() -> DocumentQuerySet:
    return Document.objects.living().filter(state=Document.State.FAILED)


def unread_rows(user: Viewer) -> list[DocumentRow]:
    """The files that could not be read and that this person may see, newest first, each with the reason."""
    shown = unread_files().visible_to(user).select_related("base", "current_parse").order_by("-created_at")
    return build_rows(list(shown[:UNREAD_SHOWN]))


def unread_by_base(user: Viewer) -> list[Any]:
    """The bases with such files of this person's, by name, each with the number of them."""
    mine = unread_files().visible_to(user).values("base_id", "base__name")
    return list(mine.annotate(count=Count("pk")).order_by("base__name", "base_id"))


def questions() -> StatusCheck:
    """No question, retrieval, extraction, judgement or test of the model is waiting for a dead worker."""
    jobs = [each.objects.all() for each in (Turn, Retrieval, Extraction, Rejudgement, ModelTest)]
    return stuck(_("Questions"), jobs, "ask, search, beat")


def stuck(name: str, kinds: "Sequence[QuerySet[Any]]", logs: str) -> StatusCheck:
    """Jobs whose worker has been silent for two leases, and the number being worked on."""

    def count_jobs(which: Q) -> int:
        return sum(jobs.filter(which).count() for jobs in kinds)

    count = count_jobs(is_stuck())
    at_work, waiting = count_jobs(Q(state=LeasedJob.RUNNING)), count_jobs(Q(state=LeasedJob.QUEUED))
    open_rows = _("%(at_work)d at work, %(waiting)d waiting") % {"at_work": at_work, "waiting": waiting}
    if count:
        hint = _("Restart the workers; what they say is in these logs: %(logs)s.") % {"logs": logs}
        what = _("%(n)d without a sign of life for two minutes") % {"n": count}
        return StatusCheck(name, "fail", f"{what}; {open_rows}", hint)
    return StatusCheck(name, "ok", open_rows)


def is_stuck() -> Q:
    """A running row without a heartbeat for two leases; the sweeper should have restarted it after one."""
    return is_expired(STUCK_AFTER_LEASES)


def stuck_work(user: Viewer) -> list[Stuck]:
    """The stuck documents and questions this person may see, with advice."""
    jobs = IngestJob.objects.filter(is_stuck(), document__in=Document.objects.visible_to(user))
    turns = Turn.objects.filter(is_stuck(), conversation__user_id=user.pk or 0)
    return [
        Stuck(
            job.document.title,
            reverse("documents:document", args=[job.document_id]),
            job.stage,
            job.heartbeat_at,
            _(
                "Restart the workers; the reading goes on by itself. "
                "If it stops again, open the document and read it again."
            ),
        )
        for job in jobs.select_related("document").order_by("heartbeat_at")[:STUCK_SHOWN]
    ] + [
        Stuck(
            turn.question,
            reverse("chat:conversation", args=[turn.conversation_id]),
            _("answering"),
            turn.heartbeat_at,
            _("Restart the workers; the answer goes on by itself. If it does not, stop it and ask again."),
        )
        for turn in turns.order_by("heartbeat_at")[:STUCK_SHOWN]
    ]


def broker() -> StatusCheck:
    """Redis accepts messages."""
    try:
        with current_app.connection_for_read() as link:
            link.ensure_connection(max_retries=1, timeout=max(1, round(settings.PING_S)))
    except (OperationalError, OSError) as error:
        hint = _("Start it with bin/run, or mend REDIS_URL.")
        return StatusCheck(_("Broker"), "fail", _("does not answer"), hint, first_line(error))
    return StatusCheck(_("Broker"), "ok", _("Redis answers"))


class ServedQueue(TypedDict):
    """What is read of Celery's words on a queue that a worker serves."""

    name: str


class EveryQueueServed(Exception):
    """Enough workers have answered."""


def queues_without_worker(answers: dict[str, list[ServedQueue]]) -> list[str]:
    served = {queue["name"] for queues_of_one in answers.values() for queue in queues_of_one}
    return [queue for queue in settings.QUEUES if queue not in served]


def describe_worker(answer: tuple[str, list[ServedQueue]]) -> str:
    """A worker's name, with its queues where the name does not say them."""
    name, served = answer[0].split("@")[0], sorted(queue["name"] for queue in answer[1])
    return name if served == [name] else f"{name} ({', '.join(served)})"


def workers() -> StatusCheck:
    """Every queue has a responding worker."""
    answers: dict[str, list[ServedQueue]] = {}

    def take(answer: dict[str, list[ServedQueue]]) -> None:
        answers.update(answer)
        if not queues_without_worker(answers):
            raise EveryQueueServed

    with suppress(EveryQueueServed):  # waiting on for others would make every *Status* take a second
        current_app.control.inspect(timeout=settings.PING_S, callback=take).active_queues()
    missing = queues_without_worker(answers)
    names = ", ".join(sorted(map(describe_worker, answers.items()))) or _("none")
    detail = _("answering: %(names)s") % {"names": names}
    if missing:
        what = _("no worker for %(missing)s") % {"missing": ", ".join(missing)}
        hint = _("Start bin/run, or the missing service; see var/logs.")
        return StatusCheck(_("Workers"), "fail", what, hint, detail)
    return StatusCheck(_("Workers"), "ok", _("every queue is served"), detail=detail)


def count_messages() -> dict[str, int]:
    with current_app.connection_for_read() as link:
        channel: Any = link.default_channel
        return {queue: channel.client.llen(queue) for queue in settings.QUEUES}


def queues() -> StatusCheck:
    """How many messages are waiting; the rows are the truth, so a lost message only costs time."""
    waiting = count_messages()
    what = ", ".join(f"{queue} {count}" for queue, count in waiting.items())
    if max(waiting.values()) > LONG_QUEUE:
        hint = _("More is coming in than the workers do; start more of them.")
        return StatusCheck(_("Queues"), "warn", _("long: %(queues)s") % {"queues": what}, hint)
    return StatusCheck(_("Queues"), "ok", _("waiting: %(queues)s") % {"queues": what})


def watching() -> list[StatusCheck]:
    """A worker has looked into each folder that is watched for a base; nothing where none is."""
    seen = [(path, files_seen(Path(path), name)) for path, name in settings.WATCHED_FOLDERS]
    unseen, count = [path for path, files in seen if files is None], sum(files or 0 for _, files in seen)
    what = ngettext("%(n)d file at the last look", "%(n)d files at the last look", count) % {"n": count}
    if unseen:
        what, hint = _("nobody has looked into one of them"), _("Its base must exist; see the log ingest.")
        return [StatusCheck(_("Watched folders"), "warn", what, hint, ", ".join(unseen))]
    return [StatusCheck(_("Watched folders"), "ok", what, detail=", ".join(path for path, _ in seen))] if seen else []


def encoder() -> StatusCheck:
    """The bundled encoder is built, and the weights beside it are those that were trained; without it search by meaning
    is off, without them nothing is read for an answer, and everything else works."""
    if not is_built():
        hint = _("Run manage.py build_encoder; it says what is missing.")
        return StatusCheck(_("Encoder"), "warn", _("not built: embeddings are off"), hint)
    try:
        verify_trained_weights()
    except EncoderMissing as error:
        hint = _("Fetch its file again; until then answers of the rules are weighed without it.")
        return StatusCheck(_("Encoder"), "warn", _("built, but nothing is read for an answer"), hint, str(error))
    return StatusCheck(_("Encoder"), "ok", _("built"))


def model() -> StatusCheck:
    """The language model answers; having none is a choice, not a fault."""
    answer = client.reachable()
    if answer is False:
        hint = _(
            "Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, in the environment that bin/run is"
            " started from, or in .env with Docker, and start it again; docs/configuration.md names the rest."
        )
        return StatusCheck(_("Model"), "none", _("answers are quotes, the rules judge"), hint)
    if answer is True:
        return StatusCheck(_("Model"), "ok", _("%(model)s answers") % {"model": ", ".join(models_in_use())})
    hint = _("Mend OPENAI_BASE_URL or the key; until then answers are quotes.")
    return StatusCheck(_("Model"), "fail", _("does not answer"), hint, str(answer))


def isolation() -> StatusCheck:
    """Files are opened in a process that is shut in; tried in one that this process starts."""
    names = {"network": _("the network"), "files": _("other files"), "programs": _("other programs")}
    try:
        in_force = isolation_in_force()
    except ReadingError as error:
        hint = _("No file can be read; see the logs, and start the workers again.")
        return StatusCheck(_("Isolation"), "fail", _("cannot be tried: %(reason)s") % {"reason": error.detail}, hint)
    missing = ", ".join(names[part] for part in PARTS if part not in in_force)
    if not missing:
        what = _("what reads a file is shut off from %(parts)s") % {"parts": ", ".join(names.values())}
        return StatusCheck(_("Isolation"), "ok", what)
    what = _("what reads a file is not shut off from %(parts)s") % {"parts": missing}
    if settings.ISOLATION_REQUIRED:
        hint = _("No file is read until the system has it (Landlock, seccomp), or DOCINTEL_ISOLATION is auto.")
        return StatusCheck(_("Isolation"), "fail", what, hint)
    hint = _("Take a Linux with Landlock and seccomp, or give the workers an account or container of their own.")
    return StatusCheck(_("Isolation"), "warn", what, hint)


def optional_reader(name: str, method: str, without: str) -> StatusCheck:
    """What reads scans, or flagged tables a second time, if the optional library is installed."""
    if library := library_of(method):
        return StatusCheck(name, "ok", _("installed"), detail=library)
    return StatusCheck(name, "none", without, _("Install requirements-ocr.txt and start the workers again."))


def mail() -> StatusCheck:
    """Mail is sent by a server, or links are passed on by hand."""
    if settings.MAIL_CONFIGURED:
        return StatusCheck(_("Mail"), "ok", _("by a mail server"), detail=settings.EMAIL_HOST)
    hint = _("Set DOCINTEL_SMTP_HOST to send invitations and links for forgotten passwords.")
    return StatusCheck(_("Mail"), "none", _("links are shown to who makes them"), hint)


def time_stamps() -> StatusCheck:
    """The heads of the ledger are stamped each hour; if not, since when."""
    name = _("Time stamps")
    if stamps.own_authority() is None:
        hint = _("Set DOCINTEL_TSA_URL, so that nobody can rewrite the record unseen.")
        return StatusCheck(name, "none", _("the heads of the ledger are not stamped"), hint)
    try:
        last = stamps.last_stamp(settings.LEDGER_HEADS)
    except BadHeadFile as error:
        return StatusCheck(name, "warn", str(error), _("Mend DOCINTEL_LEDGER_HEADS."))
    when = date_format(timezone.localtime(last), "DATETIME_FORMAT") if last else ""
    if last and timezone.now() - last <= stamps.OVERDUE:
        return StatusCheck(name, "ok", _("last one: %(when)s") % {"when": when})
    what = _("none since %(when)s") % {"when": when} if last else _("none so far")
    hint = _("The authority is asked each hour; what it says is in these logs: %(logs)s.") % {"logs": "ingest"}
    return StatusCheck(name, "warn", what, hint)


def witness() -> StatusCheck:
    """The heads of the ledger are given to a witness each hour, who has not contradicted them; if not, since when."""
    name, own = _("Witness"), own_witness()
    if own is None:
        hint = _("Set DOCINTEL_WITNESS, so that somebody else keeps the heads of the ledger.")
        return StatusCheck(name, "none", _("the heads of the ledger are given to nobody"), hint)
    found = find_contradiction(own)
    if found:
        what = _("has another hash of ledger entry %(entry)s") % {"entry": found.details["head"]}
        hint = _("The record was rewritten. Keep everything as it is and compare it with what the witness has.")
        return StatusCheck(name, "fail", what, hint, own.name)
    try:
        last = last_witnessed(settings.WITNESS_STATE, own)
    except BadHeadFile as error:
        return StatusCheck(name, "warn", _("what it took last cannot be read"), _("Remove that file."), str(error))
    when = date_format(timezone.localtime(last.at), "DATETIME_FORMAT") if last else ""
    if last and timezone.now() - last.at <= WITNESS_OVERDUE:
        return StatusCheck(name, "ok", _("took the last head: %(when)s") % {"when": when}, detail=own.name)
    what = _("took none since %(when)s") % {"when": when} if last else _("took none so far")
    hint = _("It is asked each hour; what it says is in these logs: %(logs)s.") % {"logs": "ingest"}
    return StatusCheck(name, "warn", what, hint, own.name)


def backup() -> StatusCheck:
    """When a backup was made of this installation; whether that is often enough is its owner's to say."""
    name, last = _("Backup"), Event.objects.filter(kind=MADE).order_by("-created_at").first()
    if last is None:
        hint = _("Run manage.py backup FOLDER regularly; docs/operations.md says how to restore.")
        return StatusCheck(name, "none", _("none made by manage.py backup so far"), hint)
    return StatusCheck(name, "ok", _("last one: %(when)s") % {"when": f"{last.created_at:%Y-%m-%d %H:%M} UTC"})


def heads_of_others() -> list[StatusCheck]:
    """What this installation is the witness of; nothing if nobody gives it heads."""
    given = WitnessedHead.objects.order_by("-seen_at")
    last, refused = given.first(), given.filter(is_refused=True).last()
    if last is None:
        return []
    name, who = _("Heads of others"), refused.source_name if refused else last.source_name
    if refused:
        what = _("the ledger of another installation was rewritten: entry %(entry)s") % {"entry": refused.sequence}
        return [StatusCheck(name, "fail", what, _("Tell those who rely on it; both hashes are kept."), who)]
    when = date_format(timezone.localtime(last.seen_at), "DATETIME_FORMAT")
    return [StatusCheck(name, "ok", _("the last came: %(when)s") % {"when": when}, detail=who)]


def disk() -> StatusCheck:
    """There is room for documents and page images."""
    free = shutil.disk_usage(settings.HOME).free
    what, home = _("%(free)s GB free") % {"free": number_format(round(free / GIGABYTE, 1), 1)}, str(settings.HOME)
    if free < DISK_FULL_BYTES:
        hint = _("Make room now: the database stops when the disk is full.")
        return StatusCheck(_("Disk"), "fail", what, hint, home)
    if free < DISK_LOW_BYTES:
        return StatusCheck(_("Disk"), "warn", what, _("Make room, or move the data and set DOCINTEL_HOME."), home)
    return StatusCheck(_("Disk"), "ok", what, detail=home)


def first_line(error: Exception) -> str:
    """The reason in an error's text, without the driver's further paragraphs."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
