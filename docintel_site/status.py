"""The status page: every part is probed, with advice if it fails."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from kombu.exceptions import OperationalError

from audit.models import Rejudgement
from chat.models import Retrieval, Turn
from documents.models import Document, IngestJob, Viewer
from jobs.lease import is_expired
from jobs.models import LeasedJob
from llm import client
from llm.embeddings.encoder import is_built
from llm.tiers import models_in_use

State = Literal["ok", "warn", "fail"]

QUEUES = ("ingest", "sweep", "embed", "ask", "search")
PING_S = 1
LONG_QUEUE = 500
GIGABYTE = 1_000_000_000
DISK_LOW_BYTES = 5 * GIGABYTE
DISK_FULL_BYTES = GIGABYTE // 2
STUCK_SHOWN = 20
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
    """One part: its state in a word, what was found, and what to do."""

    name: str
    state: State
    what: str
    what_to_do: str = ""


def checks() -> list[StatusCheck]:
    """Every part of the installation; rows and workers are checked only if the database and the broker answer."""
    found = [database()]
    if found[0].state != "fail":
        found += [tables(), documents(), questions()]
    found.append(broker())
    if found[-1].state != "fail":
        found += [workers(), queues()]
    return [*found, encoder(), model(), mail(), disk()]


def worst(found: list[StatusCheck]) -> State:
    """The state of the whole: the worst of all."""
    return max((check.state for check in found), key=("ok", "warn", "fail").index, default="ok")


def database() -> StatusCheck:
    """PostgreSQL answers and has pgvector."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            server = cursor.fetchone()[0]
            cursor.execute("SELECT max(extversion) FROM pg_extension WHERE extname = 'vector'")
            pgvector = cursor.fetchone()[0]
    except DatabaseError as error:
        what = _("does not answer: %(reason)s") % {"reason": first_line(error)}
        return StatusCheck(_("Database"), "fail", what, _("Start it with bin/run, or mend DATABASE_URL."))
    if not pgvector:
        what = _("PostgreSQL %(server)s without pgvector") % {"server": server}
        return StatusCheck(_("Database"), "fail", what, _("Run manage.py migrate as a superuser."))
    return StatusCheck(_("Database"), "ok", f"PostgreSQL {server}, pgvector {pgvector}")


def tables() -> StatusCheck:
    """Every migration is applied."""
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _backwards in waiting[:3])
        said = ngettext(
            "%(n)d migration not applied: %(names)s", "%(n)d migrations not applied: %(names)s", len(waiting)
        )
        what = said % {"n": len(waiting), "names": names}
        return StatusCheck(_("Tables"), "fail", what, _("Run manage.py migrate."))
    return StatusCheck(_("Tables"), "ok", _("up to date"))


def documents() -> StatusCheck:
    """No document is waiting for a dead worker."""
    return stuck(_("Documents"), [IngestJob.objects.all()], "ingest, beat")


def questions() -> StatusCheck:
    """No question, retrieval or judgement is waiting for a dead worker."""
    return stuck(_("Questions"), [Turn.objects.all(), Retrieval.objects.all(), Rejudgement.objects.all()], "ask, beat")


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
            link.ensure_connection(max_retries=1, timeout=PING_S)
    except (OperationalError, OSError) as error:
        what = _("does not answer: %(reason)s") % {"reason": first_line(error)}
        return StatusCheck(_("Broker"), "fail", what, _("Start it with bin/run, or mend REDIS_URL."))
    return StatusCheck(_("Broker"), "ok", _("Redis answers"))


def workers() -> StatusCheck:
    """Every queue has a responding worker."""
    answers = current_app.control.inspect(timeout=PING_S).active_queues() or {}
    served = {queue["name"] for queues_of_one in answers.values() for queue in queues_of_one}
    missing = [queue for queue in QUEUES if queue not in served]
    names = ", ".join(sorted(name.split("@")[0] for name in answers)) or _("none")
    if missing:
        said = {"missing": ", ".join(missing), "names": names}
        what = _("no worker for %(missing)s (answering: %(names)s)") % said
        return StatusCheck(_("Workers"), "fail", what, _("Start bin/run, or the missing service; see var/logs."))
    return StatusCheck(_("Workers"), "ok", _("answering: %(names)s") % {"names": names})


def queues() -> StatusCheck:
    """How many messages are waiting; the rows are the truth, so a lost message only costs time."""
    with current_app.connection_for_read() as link:
        channel: Any = link.default_channel
        waiting = {queue: channel.client.llen(queue) for queue in QUEUES}
    what = ", ".join(f"{queue} {count}" for queue, count in waiting.items())
    if max(waiting.values()) > LONG_QUEUE:
        hint = _("More is coming in than the workers do; start more of them.")
        return StatusCheck(_("Queues"), "warn", _("long: %(queues)s") % {"queues": what}, hint)
    return StatusCheck(_("Queues"), "ok", _("waiting: %(queues)s") % {"queues": what})


def encoder() -> StatusCheck:
    """The bundled encoder is built; without it search by meaning is off and everything else works."""
    if is_built():
        return StatusCheck(_("Encoder"), "ok", _("built"))
    hint = _("Run manage.py build_encoder; it says what is missing.")
    return StatusCheck(_("Encoder"), "warn", _("not built: embeddings are off"), hint)


def model() -> StatusCheck:
    """The language model answers; having none is a choice, not a fault."""
    answer = client.reachable()
    if answer is False:
        hint = _("Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.")
        return StatusCheck(_("Model"), "ok", _("none: answers are quotes, the rules judge"), hint)
    if answer is True:
        return StatusCheck(_("Model"), "ok", _("%(model)s answers") % {"model": ", ".join(models_in_use())})
    hint = _("Mend OPENAI_BASE_URL or the key; until then answers are quotes.")
    return StatusCheck(_("Model"), "fail", str(answer), hint)


def mail() -> StatusCheck:
    """Mail is sent by a server, or links are passed on by hand."""
    if settings.MAIL_CONFIGURED:
        return StatusCheck(_("Mail"), "ok", _("by %(host)s") % {"host": settings.EMAIL_HOST})
    hint = _("Set DOCINTEL_SMTP_HOST to send invitations and links for forgotten passwords.")
    return StatusCheck(_("Mail"), "ok", _("none: links are shown to who makes them"), hint)


def disk() -> StatusCheck:
    """There is room for documents and page images."""
    free = shutil.disk_usage(settings.HOME).free
    what = _("%(free)s GB free in %(home)s") % {"free": number_format(free / GIGABYTE, 1), "home": settings.HOME}
    if free < DISK_FULL_BYTES:
        return StatusCheck(_("Disk"), "fail", what, _("Make room now: the database stops when the disk is full."))
    if free < DISK_LOW_BYTES:
        return StatusCheck(_("Disk"), "warn", what, _("Make room, or move the data and set DOCINTEL_HOME."))
    return StatusCheck(_("Disk"), "ok", what)


def first_line(error: Exception) -> str:
    """The reason in an error's text, without the driver's further paragraphs."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
