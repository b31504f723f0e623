"""A pack in the order of Annex IV of the EU AI Act: what an installation recorded of a base in a period.

It claims nothing of the system. What is recorded is shown with what it was counted of; what only the operator can know
is named in each section, with an empty field.
"""

import json
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Max, Min, Q
from django.template.loader import render_to_string
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from audit.access_log import record_event
from audit.alerts.measures import MEASURES, say_value
from audit.alerts.watching import limits_of
from audit.carrying.belongings import describe_base
from audit.keeping.changes import RecordedChange, describe_events, in_bases
from audit.keeping.erasure import hold_subjects
from audit.keeping.retention import days_kept
from audit.models import Alert, RecordCheck, SelfCheck, SignOff
from audit.proof.evidence import STYLE, VERIFIER, PackWriter, entry_of, write_chain
from audit.proof.verifier import MADE_AS, TECHNICAL
from audit.review.golden import CHECK
from audit.review.signing import Subject, describe_sign_off, runs_of
from audit.statistics.period import absent_count, calls_for, signs_in, standing_reviews
from audit.statistics.quality import quality_of
from chat.prompts.catalogue import CATALOGUE
from documents.models import Document, KnowledgeBase, Membership, Role, Viewer
from documents.spreadsheet import write_csv
from ledger.chain import digest_of, head, time_text
from ledger.holds import holds_on
from ledger.models import Event
from retrieval.models import RetrievalRunQuerySet
from retrieval.version import program_version

CROSSWALK = Path(settings.BASE_DIR) / "docs" / "crosswalk.md"
# Changes whose details name no person; of the others, but for who was given which role, the report has the kind, the
# time and the entry of the ledger.
IMPERSONAL = {
    *("settings_changed", "guidance_changed", "reading_rules_changed", "learned_word_changed", "meaning_reset"),
    *("alert_opened", "alert_closed", "alert_limits_changed", "retention_set", "embedding_begun", "embedding_switched"),
}
README = """\
What DocIntel recorded of one base in one period, in the order of Annex IV of the EU AI Act.

report.html      all of it, to be read in any browser; what only the operator can say is named, with an empty field
data/            every table of the report as CSV, and data.json with all of them
crosswalk.md     what rules about records and AI ask for, which test shows what, and what is left to the operator
manifest.json    the SHA-256 of every file above
export.json      what the ledger recorded when this was made, with the SHA-256 of manifest.json
ledger.jsonl     the entries of the ledger from the head that the report names to that record, or a little further

To check it: python3 verify.py PACK.zip --head HEADS.jsonl
Take verify.py from the DocIntel project and the heads from where they were kept out of reach of whoever runs DocIntel.
Fill the fields in in a copy: a changed file no longer has the digest of the manifest.
"""


class ReportTable(NamedTuple):
    """A table of the report, and the CSV of that name."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class ReportSection(NamedTuple):
    """A section in the order of Annex IV; `left` is what the installation cannot know."""

    title: str
    tables: Sequence[ReportTable]
    left: str


class Recorded(NamedTuple):
    """What the sections are filled from: the base, the period, its questions and its recorded changes."""

    base: KnowledgeBase
    subject: Subject
    runs: RetrievalRunQuerySet
    events: Sequence[Event]

    def within(self, moment: str) -> Q:
        return Q(**{f"{moment}__gte": self.subject.since, f"{moment}__lt": self.subject.until})


def write_technical_file(base: KnowledgeBase, subject: Subject, out: IO[bytes], by: Viewer | None) -> str:
    """Write and record the pack of a base in a period, in the language in force. Return its manifest's SHA-256.

    1. the tables  2. the report, the crosswalk and the verifier  3. the manifest of all these  4. the record that it
    was made, which names the manifest's digest and has an entry of its own  5. the chain from the head to that entry
    """
    end = head()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        pack = PackWriter(file)
        sections = list(annex_sections(record_of(base, subject)))
        tables = [table for section in sections for table in section.tables]
        for table in tables:
            pack.add(f"data/{table.name}.csv", write_csv([table.columns, *table.rows]).encode())
        data = {table.name: {"columns": table.columns, "rows": table.rows} for table in tables}
        pack.add("data/data.json", json.dumps(data, ensure_ascii=False, indent=1, default=str).encode())
        shown = {"subject": subject, "sections": sections, "head": end, "language": get_language()}
        pack.add("report.html", render_to_string("audit/technical_file.html", shown).encode())
        pack.add("report.css", STYLE.read_bytes())
        pack.add("crosswalk.md", CROSSWALK.read_bytes())
        pack.add("verify.py", VERIFIER.read_bytes())
        pack.add("README.txt", README.encode())
        period = {"base": str(base.pk), "since": time_text(subject.since), "until": time_text(subject.until)}
        sha256 = pack.add_manifest(format=TECHNICAL, run=None, **period)
        recorded = entry_of("audit_event", record_event(by, MADE_AS[TECHNICAL], None, manifest=sha256, **period).pk)
        write_chain(file, recorded, end.sequence or recorded.sequence)
    return sha256


def record_of(base: KnowledgeBase, subject: Subject) -> Recorded:
    found = Event.objects.filter(in_bases(KnowledgeBase.objects.filter(pk=base.pk)))
    record = Recorded(base, subject, runs_of(subject), ())
    return record._replace(events=list(found.filter(record.within("created_at")).order_by("created_at", "id")))


# ---- the sections


def annex_sections(record: Recorded) -> Iterator[ReportSection]:
    """In the order of Annex IV, points 1 to 9; last what vouches for the record."""
    yield ReportSection(
        _("1. General description"),
        [table_of_installation(record), table_of_documents(record)],
        _("the intended purpose, who provides and who deploys the system, its hardware, instructions for its use"),
    )
    yield ReportSection(
        _("2. Elements and process of development"),
        [table_of_models(record), table_of_prompts(), table_of_settings(record)],
        _("how the models were trained and on what data, the choices of design, security of machine and network"),
    )
    yield ReportSection(
        _("3. Monitoring, functioning and control"),
        [table_of_roles(record)],
        _("who oversees the system and is trained for it, what documents it is meant for, when it is not to be used"),
    )
    yield ReportSection(
        _("4. Performance and its limits"),
        [table_of_figures(record), table_of_golden_checks(record)],
        _("what accuracy the use needs, measured on own documents; for whom it works less well"),
    )
    yield ReportSection(
        _("5. Risk management"),
        [table_of_signs(record), table_of_limits(record)],
        _("the system of risk management of Article 9: known and foreseeable risks, and what is done about each"),
    )
    yield ReportSection(
        _("6. Changes over the lifetime"),
        [table_of_programs(record), table_of_changes(record)],
        _("why each change was made, changes that are planned, and changes of the machine and of the models’ servers"),
    )
    yield ReportSection(
        _("7. and 8. Standards and declaration"),
        [],
        _(
            "the standards that are applied, and the declaration of Article 47. This pack claims none. crosswalk.md "
            "names what rules about records and AI ask for, and which test shows what"
        ),
    )
    yield ReportSection(
        _("9. Monitoring after the system is in use"),
        [table_of_alerts(record), table_of_sign_offs(record), table_of_self_checks(record), table_of_keeping(record)],
        _("the plan of Article 72, and reports of serious incidents by Article 73"),
    )


def table_of_installation(record: Recorded) -> ReportTable:
    subject, base = record.subject, record.base
    rows = [
        (_("Program"), f"DocIntel {program_version()}"),
        (_("Base"), f"{base.name} ({base.pk})"),
        (_("Period (UTC)"), say_period(subject)),
        (_("Questions asked"), record.runs.count()),
        (_("Documents now"), Document.objects.filter(base=base).living().count()),
    ]
    return ReportTable("installation", _("What this is about"), (_("What"), _("Value")), rows)


def table_of_documents(record: Recorded) -> ReportTable:
    living = Document.objects.filter(base=record.base).living().order_by("created_at", "pk")
    rows = list(living.values_list("pk", "media_type", "size_bytes", "sha256"))
    return ReportTable("documents", _("Documents"), (_("Document"), _("Type"), _("Bytes"), "SHA-256"), rows)


def table_of_models(record: Recorded) -> ReportTable:
    calls = calls_for(record.runs).values("purpose", "host", "model", "model_returned", "prompt_name", "prompt_version")
    counted = calls.annotate(number=Count("pk"), failed=Count("pk", filter=~Q(outcome__in=("ok", "stopped"))))
    rows = [tuple(row.values()) for row in counted.order_by("purpose", "host", "model", "prompt_version")]
    columns = (_("For"), _("Server"), _("Model"), _("As it names itself"), _("Prompt"), _("Version"))
    return ReportTable("models", _("Models that were asked"), (*columns, _("Calls"), _("Failed")), rows)


def table_of_prompts() -> ReportTable:
    rows = [(prompt.name, prompt.version, digest_of(prompt.text.encode())) for prompt in CATALOGUE]
    return ReportTable("prompts", _("Prompts of this program"), (_("Prompt"), _("Version"), "SHA-256"), rows)


def table_of_settings(record: Recorded) -> ReportTable:
    """Settings one by one; of dictionary, rules of reading and guidance how many there are, and a digest."""
    told = describe_base(record.base)
    rows: list[tuple[str, Any]] = list(told["settings"].items())
    for name in ("packs", "concepts", "terms", "rules", "guidance"):
        written = json.dumps(told[name], ensure_ascii=False, sort_keys=True)
        rows.append((name, f"{len(told[name])}, SHA-256 {digest_of(written.encode())}"))
    return ReportTable("settings", _("Settings, dictionary and rules of the base, now"), (_("What"), _("Value")), rows)


def table_of_roles(record: Recorded) -> ReportTable:
    members = Membership.objects.filter(base=record.base).order_by("role", "user_id")
    rows = [(f"user:{row.user_id}", row.get_role_display()) for row in members]
    return ReportTable("roles", _("Who has which role, now"), (_("Person"), _("Role")), rows)


def table_of_figures(record: Recorded) -> ReportTable:
    runs, quality, standing = record.runs, quality_of(record.runs, ""), standing_reviews(record.runs)
    counted = runs.order_by().aggregate(absent=absent_count(), failed=Count("pk", filter=Q(status="failed")))
    runs_asked, asked, reviewed = runs.count(), _("questions asked"), _("answers with a verdict")
    rows = [
        (_("Answers looked at by a reviewer"), quality.reviewed, quality.answers, _("answers to review")),
        (_("Answers judged wrong"), quality.wrong, quality.reviewed, reviewed),
        (_("Answers judged incomplete or not supported"), quality.faulty, quality.reviewed, reviewed),
        (_("Questions without an answer: not found, or it cannot be told"), counted["absent"], runs_asked, asked),
        (_("Questions that ended without a result, by an error or stopped"), counted["failed"], runs_asked, asked),
        (
            _("Passages whose role a reviewer overruled"),
            sum(each.original != each.given for each in standing),
            len(standing),
            _("passages looked at"),
        ),
    ]
    columns = (_("Figure"), _("Number"), _("Of"), _("Of what"))
    return ReportTable("figures", _("Figures of the period"), columns, rows)


def table_of_golden_checks(record: Recorded) -> ReportTable:
    rows = [
        (
            say_moment(event.created_at),
            " ".join((event.details["arbiter"], event.details["model"])).strip(),
            event.details["verdicts"],
            event.details["kept"],
            event.details["broken_count"],
        )
        for event in record.events
        if event.kind == CHECK
    ]
    columns = (_("When (UTC)"), _("Judge"), _("Verdicts"), _("Kept"), _("Broken"))
    return ReportTable("golden_checks", _("Checks against the auditors’ verdicts"), columns, rows)


def table_of_signs(record: Recorded) -> ReportTable:
    rows = [(sign.words, sign.runs, sign.reviewed, sign.waiting) for sign in signs_in(record.runs)]
    columns = (_("Sign of risk"), _("Questions"), _("Answer has a verdict"), _("Waiting"))
    return ReportTable("signs", _("Signs of risk"), columns, rows)


def table_of_limits(record: Recorded) -> ReportTable:
    rows = [
        (str(MEASURES[name].words), "–" if each.limit is None else each.limit, each.least)
        for name, each in limits_of(record.base).items()
    ]
    columns = (_("Measure"), _("Limit"), _("Counted of at least"))
    return ReportTable("limits", _("What is watched, now"), columns, rows)


def table_of_programs(record: Recorded) -> ReportTable:
    seen = record.runs.order_by().values("code_version")
    found = seen.annotate(first=Min("created_at"), last=Max("created_at"), number=Count("pk")).order_by("first")
    rows = [(row["code_version"], say_moment(row["first"]), say_moment(row["last"]), row["number"]) for row in found]
    columns = (_("Program"), _("First question (UTC)"), _("Last (UTC)"), _("Questions"))
    return ReportTable("programs", _("Versions of the program that answered"), columns, rows)


def table_of_changes(record: Recorded) -> ReportTable:
    rows = [
        (say_moment(change.event.created_at), change.words, say_change(change), change.sequence)
        for change in describe_events(record.events)
    ]
    columns = (_("When (UTC)"), pgettext("noun", "Change"), _("What exactly"), _("Entry of the ledger"))
    return ReportTable("changes", _("Changes recorded in the ledger"), columns, rows)


def say_change(change: RecordedChange) -> str:
    """What is told of a change; a person whose role changed by their number alone, as in the table of roles."""
    event = change.event
    if event.kind == "role_changed":
        roles = (dict(Role.choices).get(event.details[when], "–") for when in ("before", "after"))
        return f"user:{event.details['member']}: {' → '.join(map(str, roles))}"
    return "; ".join(f"{name}: {value}" for name, value in change.details if event.kind in IMPERSONAL)


def table_of_alerts(record: Recorded) -> ReportTable:
    rows = [
        (
            str(MEASURES[alert.measure].words) if alert.measure in MEASURES else alert.measure,
            say_value(alert.value, alert.currency),
            say_value(alert.limit, alert.currency),
            alert.of,
            say_moment(alert.opened_at),
            say_moment(alert.closed_at) if alert.closed_at else "–",
        )
        for alert in Alert.objects.filter(record.within("opened_at"), base=record.base).order_by("opened_at")
    ]
    columns = (_("Measure"), _("Value"), _("Limit"), _("Counted"), _("Opened (UTC)"), _("Closed (UTC)"))
    return ReportTable("alerts", _("Alerts and how they ended"), columns, rows)


def table_of_sign_offs(record: Recorded) -> ReportTable:
    found = SignOff.objects.filter(record.within("created_at"), base=record.base).order_by("created_at")
    rows = [
        (
            say_moment(row.created_at),
            f"user:{row.signer_id}",
            _("the second") if row.first_id else _("the first"),
            _("sample of %(when)s") % {"when": say_moment(row.sample.created_at)} if row.sample else say_period(row),
            describe_sign_off(row),
            row.head_sequence,
        )
        for row in found.select_related("sample")
    ]
    what = (_("Signature"), _("Period (UTC)"), _("What"))
    columns = (_("When (UTC)"), _("Signed by"), *what, _("Head of the ledger"))
    return ReportTable("sign_offs", _("Sign-offs"), columns, rows)


def table_of_self_checks(record: Recorded) -> ReportTable:
    """Of the whole installation: files, readings and entries held against the rows; the last check of the ledger."""
    found = SelfCheck.objects.filter(record.within("created_at")).order_by("created_at")
    rows: list[tuple[Any, ...]] = [
        (say_moment(row.created_at), _("Files, rows and ledger"), row.entries, row.fault_count) for row in found
    ]
    checks = RecordCheck.objects.filter(record.within("ended_at"), state=RecordCheck.State.DONE)
    last = checks.order_by("ended_at").last()
    if last and last.ended_at:
        rows.append((say_moment(last.ended_at), _("Ledger"), last.checked, int(bool(last.fault))))
    columns = (_("When (UTC)"), _("What was checked"), _("Entries"), _("Faults"))
    return ReportTable("self_checks", _("Checks of the record"), columns, rows)


def table_of_keeping(record: Recorded) -> ReportTable:
    kinds = [event.kind for event in record.events]
    rows = [
        (_("Days the words of questions are kept, now"), days_kept(record.base)),
        (_("Legal holds in the base, now"), len(holds_on(hold_subjects(record.base)))),
        (_("Records whose words were erased in the period"), kinds.count("erased")),
        (_("Erasures of a person’s content in the period"), kinds.count("person_erased")),
    ]
    return ReportTable("keeping", _("Keeping and erasure"), (_("What"), _("Number")), rows)


def say_period(row: Subject | SignOff) -> str:
    return f"{row.since:%Y-%m-%d %H:%M} – {row.until:%Y-%m-%d %H:%M}"


def say_moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"
