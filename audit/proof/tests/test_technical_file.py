"""The pack for a regulator: filled from real rows, checked by its own script, and no word of it claims anything."""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django.utils.translation import override
from pytest_django import Settings

from accounts.models import User
from audit.conftest import House, MakeAnswer, MakeRun, look_for_signs
from audit.keeping import tasks
from audit.models import Alert, AuditEvent
from audit.proof.evidence import VERIFIER
from audit.proof.technical_file import CROSSWALK, write_technical_file
from audit.proof.verification import verify
from audit.proof.verifier import TECHNICAL
from audit.review.reviewing import Opinion, review
from audit.review.sampling import take_sample
from audit.review.signing import of_period, of_sample, sign
from benchmarks import forging
from benchmarks.forging import BAD, CONSISTENT, OK, Files, read, write
from chat.prompts.catalogue import CATALOGUE
from documents.access import change_settings, remove_member, set_role
from documents.base_settings import BaseSettings
from documents.models import Role
from ledger.chain import digest_of, head
from ledger.heads import write_head
from ledger.holds import place

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/audit/technical-file/"
DENIAL = "no conformity with any of these texts is claimed"  # of the crosswalk
CLAIMS = re.compile(
    r"\b(compl(?:ies|y|iant|iance)|conform\w*|certifi\w+|approved|guarant\w+|conforme\w*|approuv\w+|garant\w+|"
    r"konform\w*|zertifi\w+|genehmig\w+|zugelassen\w*|homologu\w+|(?-i:CE))\b",
    re.IGNORECASE,
)


@pytest.fixture
def asked(house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any) -> House:
    """Four questions: one judged wrong by a model's record, one right, one not found, one that failed; and changes."""
    wrong, right = make_run(arbiter="model", llm_call=make_call()), make_run()
    make_answer(wrong)
    make_answer(right)
    make_run(roles="", status="not_found", arbiter_status="not_needed")
    make_run(roles="", status="failed", arbiter_status="not_run", failure="ZeroDivisionError: it broke")
    make_run(created_at=timezone.now() - timedelta(days=400))
    review(wrong, None, house.auditor, Opinion("wrong", reason="Another year."))
    review(wrong, wrong.candidates.all()[0], house.auditor, Opinion("overrule", "discarded", "It says nothing of it."))
    review(right, None, house.auditor, Opinion("agree"))
    change_settings(house.base, house.base.name, replace(BaseSettings(), passages_max=3), house.owner)
    Alert.objects.create(
        base=house.base, measure="failures", value=Decimal(25), limit=Decimal(5), of=4, opened_at=timezone.now()
    )
    return house


def written(house: House, language: str = "en") -> Files:
    out, today = BytesIO(), timezone.now().date()
    with override(language):
        write_technical_file(house.base, of_period(house.base, today, today), out, house.auditor)
    return read(out.getvalue())


def table(files: Files, name: str) -> list[list[Any]]:
    rows: list[list[Any]] = json.loads(files["data/data.json"])[name]["rows"]
    return rows


def test_every_figure_is_of_the_rows_and_has_its_denominator(asked: House) -> None:
    files = written(asked)
    figures = [(number, of) for _, number, of, _ in table(files, "figures")]
    assert figures == [(2, 4), (1, 2), (0, 2), (1, 4), (1, 4), (1, 1)]
    (alert,) = table(files, "alerts")
    assert alert[1:4] == ["25.0 %", "5.0 %", 4] and alert[5] == "–"
    assert table(files, "models")[0][:4] == ["arbiter", "llm.example.org", "model-large-2", "model-large-2-2026"]
    prompts = {name: digest for name, _, digest in table(files, "prompts")}
    assert prompts == {each.name: digest_of(each.text.encode()) for each in CATALOGUE}
    assert table(files, "limits")[-1][1:] == ["20", 20]
    assert ["passages_max", 3] in table(files, "settings")
    (changed,) = [row for row in table(files, "changes") if row[1] == "Settings changed"]
    assert "→ 3" in changed[2] and isinstance(changed[3], int)
    assert sorted(row[1] for row in table(files, "roles")) == ["Auditor", "Owner", "Viewer", "Viewer"]
    assert files["crosswalk.md"] == CROSSWALK.read_bytes()
    assert all(f"data/{name}.csv" in files for name in json.loads(files["data/data.json"]))


def test_a_changed_role_names_the_person_by_their_number_and_both_roles(house: House) -> None:
    set_role(house.base, house.viewer, Role.AUDITOR, by=house.owner)
    remove_member(house.base, house.viewer, by=house.owner)
    who = f"user:{house.viewer.pk}"
    told = [row[2] for row in table(written(house), "changes") if row[1] == "Role changed"]
    assert told == [f"{who}: Viewer → Auditor", f"{who}: Auditor → –"]
    german = [row[2] for row in table(written(house, "de"), "changes") if who in row[2]]
    assert len(german) == 2 and german != told


def test_answers_are_counted_of_those_that_can_be_reviewed(house: House, make_run: MakeRun) -> None:
    review(make_run(), None, house.auditor, Opinion("agree"))
    make_run(roles="", status="clarify", hits=[])
    figures = [(number, of) for _, number, of, _ in table(written(house), "figures")]
    assert figures == [(1, 1), (0, 1), (0, 1), (0, 2), (0, 2), (0, 0)]


def test_a_hold_on_what_a_person_asked_counts(asked: House) -> None:
    for subject in (f"base:{asked.base.pk}:user:{asked.asker.pk}", f"document:{asked.document.pk}"):
        place(subject, "Olga", "Claim 2026-114 before the court")
    assert ["Legal holds in the base, now", 2] in table(written(asked), "keeping")


def test_a_signed_period_is_in_it(house: House, make_run: MakeRun, make_answer: MakeAnswer) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    signed = make_run(created_at=yesterday)
    make_answer(signed)
    review(signed, None, house.owner, Opinion("agree"))
    look_for_signs()
    sign(of_period(house.base, yesterday.date(), yesterday.date()), house.auditor)
    sample = take_sample(house.base, 1, house.auditor)
    sign(of_sample(sample), house.auditor)
    of_days, of_drawn = table(written(house), "sign_offs")
    assert of_days[1:3] == [f"user:{house.auditor.pk}", "the first"] and of_days[4].startswith("Questions: 1;")
    assert of_days[3] == f"{yesterday:%Y-%m-%d} 00:00 – {timezone.now():%Y-%m-%d} 00:00"
    assert of_drawn[3] == f"sample of {sample.created_at:%Y-%m-%d %H:%M:%S}"


def test_what_nobody_recorded_is_left_to_the_operator_with_an_empty_field(house: House) -> None:
    report = written(house)["report.html"].decode()
    sections = re.split(r"<h2>", report)[1:-1]
    assert [section.partition(".")[0][:1] for section in sections] == list("12345679")
    assert all("Left to the operator:" in section and '<p class="fill"></p>' in section for section in sections)
    assert "Nothing was recorded." in sections[3]


@pytest.mark.parametrize("language", [code for code, _ in site.LANGUAGES])
def test_no_word_claims_anything_in_any_language(asked: House, language: str) -> None:
    files = written(asked, language)
    texts = {name: content.decode() for name, content in files.items() if not name.endswith((".py", ".css"))}
    assert DENIAL in texts["crosswalk.md"]
    found = {name: CLAIMS.findall(text.replace(DENIAL, "")) for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}
    assert f'<html lang="{language}">' in texts["report.html"]


@pytest.mark.parametrize(
    "claim",
    [
        "is compliant",
        "It conforms.",
        "Certified",
        "was approved",
        "guaranteed",
        "CE mark",
        "ist konform",
        "est conforme",
    ],
)
def test_a_claim_would_be_found(claim: str) -> None:
    assert CLAIMS.search(claim) and not CLAIMS.search("ce qui est enregistré, und was offen bleibt")


def test_people_are_named_by_their_number_alone(asked: House) -> None:
    User.objects.update(name="Quentin Wren")
    texts = {name: content.decode() for name, content in written(asked).items() if name != "export.json"}
    names = ("Quentin", "@example.org", asked.auditor.email)
    assert [name for name, text in texts.items() if any(each in text for each in names)] == []
    assert f"user:{asked.auditor.pk}" in texts["report.html"]


def test_it_is_recorded_and_its_own_script_vouches_for_it(asked: House, tmp_path: Path, settings: Settings) -> None:
    before = head()
    files = written(asked)
    event = AuditEvent.objects.get(action="technical_file")
    manifest = json.loads(files["manifest.json"])
    assert (manifest["format"], manifest["run"], manifest["base"]) == (TECHNICAL, None, str(asked.base.pk))
    assert (event.person_id, event.detail["manifest"]) == (asked.auditor.pk, digest_of(files["manifest.json"]))
    assert before.hash in files["report.html"].decode() and verify().ok
    settings.LEDGER_HEADS, settings.LEDGER_KEY = kept, _ = tmp_path / "elsewhere" / "heads.jsonl", None
    written(asked)  # so that the newest head is of a later entry
    tasks.export_head()
    path = write(tmp_path / "pack.zip", files)
    code, said = forging.check(VERIFIER, path, "--head", kept)
    assert (code, f"technical file of base {asked.base.pk}" in said) == (OK, True), said
    code, said = forging.check(VERIFIER, path)
    assert (code, "answer" in said) == (CONSISTENT, False), said
    assert files["verify.py"] == VERIFIER.read_bytes()


@pytest.mark.parametrize("name", ["report.html", "data/figures.csv", "crosswalk.md"])
def test_what_is_changed_afterwards_is_found(asked: House, tmp_path: Path, name: str) -> None:
    files, kept = written(asked), tmp_path / "heads.jsonl"
    write_head(kept, head())
    forged = files | {name: files[name] + b"\nmore"}
    code, said = forging.check(VERIFIER, write(tmp_path / "pack.zip", forged), "--head", kept)
    assert (code, f"{name} was changed" in said) == (BAD, True), said
    manifest = json.loads(forged["manifest.json"])
    manifest["files"][name] = digest_of(forged[name])
    forged["manifest.json"] = json.dumps(manifest, indent=2, sort_keys=True).encode()
    code, said = forging.check(VERIFIER, write(tmp_path / "again.zip", forged), "--head", kept)
    assert (code, "manifest.json is not the one" in said) == (BAD, True), said


# ---- the button and the command


def browse(person: Any) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_the_button_is_for_those_who_audit_the_base(asked: House) -> None:
    today = timezone.now().date().isoformat()
    sent = {"base": str(asked.base.pk), "since": today, "until": today}
    page = browse(asked.auditor).get("/audit/signoffs/").content.decode()
    assert f'action="{ADDRESS}"' in page and page.count('id="file_since"') == 1
    given = browse(asked.auditor).post(ADDRESS, sent)
    assert given.status_code == 200 and f"technical-file-{today}-{today}.zip" in given.headers["Content-Disposition"]
    assert "report.html" in read(b"".join(given.streaming_content))  # type: ignore[attr-defined]
    absent = sent | {"base": "6a1f8d3e-0000-4000-8000-000000000000"}
    for person in (asked.viewer, asked.stranger):
        refused, none = (browse(person).post(ADDRESS, each) for each in (sent, absent))
        assert (refused.status_code, none.status_code) == (404, 404)
    assert browse(asked.auditor).get(ADDRESS).status_code == 405
    assert AuditEvent.objects.filter(action="technical_file").count() == 1


def test_a_wrong_period_comes_back_to_the_form_with_what_was_typed(asked: House) -> None:
    wrong = {"base": str(asked.base.pk), "since": "2026-11-28", "until": "2026-11-01"}
    back = browse(asked.auditor).post(ADDRESS, wrong)
    page = back.content.decode()
    assert back.status_code == 400 and "The last day lies before the first." in page
    assert 'value="2026-11-28"' in page and page.count('role="alert"') == 1
    assert not AuditEvent.objects.filter(action="technical_file").exists()


def test_the_command_writes_it_and_nothing_where_there_is_no_base(
    asked: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, today = tmp_path / "out.zip", timezone.now().date().isoformat()
    call_command("export_technical_file", asked.base.name, today, today, str(out), "--language", "de")
    assert '<html lang="de">' in read(out.read_bytes())["report.html"].decode()
    assert "SHA-256 of its manifest" in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("export_technical_file", "No such base", today, today, str(tmp_path / "none.zip"))
    assert [path.name for path in tmp_path.iterdir()] == ["out.zip"]


def test_an_empty_period_says_so(asked: House) -> None:
    out = BytesIO()
    subject = of_period(asked.base, date(2020, 1, 1), date(2020, 1, 31))
    assert subject.since == datetime(2020, 1, 1, tzinfo=UTC)
    write_technical_file(asked.base, subject, out, None)
    assert all(number == 0 and of == 0 for _, number, of, _ in table(read(out.getvalue()), "figures"))
