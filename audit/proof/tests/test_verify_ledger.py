"""The command: passes untouched records, finds every changed row, exports a head that exposes a cut or rewrite."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit.conftest import MakeAnswer, MakeRun, Tamper
from ledger.models import Entry


def verified(*arguments: str) -> str:
    out = StringIO()
    call_command("verify_ledger", *arguments, stdout=out)
    return out.getvalue()


def finding(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("verify_ledger", "--json", *arguments, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_it_names_count_head_and_time(make_run: MakeRun, make_answer: MakeAnswer) -> None:
    make_answer(make_run())
    last = Entry.objects.get(sequence=2)
    said = verified()
    assert said.startswith("2 entries verified in ")
    assert f"#2 {last.hash}" in said
    found = json.loads(verified("--json"))
    assert (found["ok"], found["checked"], found["head"]) == (True, 2, {"sequence": 2, "hash": last.hash})


@pytest.mark.parametrize(
    ("statement", "sequence", "kind", "what"),
    [
        ("UPDATE retrieval_retrievalrun SET question = question || ' '", 1, "run", "payload_changed"),
        ("UPDATE retrieval_retrievalrun SET confidence = 0.94", 1, "run", "payload_changed"),
        ("UPDATE retrieval_retrievalrun SET created_at = created_at - interval '1 s'", 1, "run", "payload_changed"),
        ("UPDATE retrieval_runcandidate SET role = 'primary' WHERE position = 4", 1, "run", "payload_changed"),
        ("UPDATE retrieval_runcandidate SET reason = 'Kinder' WHERE position = 4", 1, "run", "payload_changed"),
        ("UPDATE retrieval_runcandidate SET boxes = '[]' WHERE position = 1", 1, "run", "payload_changed"),
        ("DELETE FROM retrieval_runcandidate WHERE position = 4", 1, "run", "payload_changed"),
        ("UPDATE llm_llmcall SET raw_reply = '{}' WHERE purpose = 'arbiter'", 1, "run", "payload_changed"),
        ("UPDATE llm_llmcall SET request = '{}' WHERE purpose = 'answer'", 2, "answer", "payload_changed"),
        ("UPDATE llm_llmcall SET tokens_out = 1 WHERE purpose = 'answer'", 2, "answer", "payload_changed"),
        ("UPDATE chat_answer SET text = 'Never mind'", 2, "answer", "payload_changed"),
        ("UPDATE chat_citation SET quote = 'other'", 2, "answer", "payload_changed"),
        ("DELETE FROM chat_citation", 2, "answer", "payload_changed"),
        ("DELETE FROM chat_citation; DELETE FROM chat_answer", 2, "answer", "payload_missing"),
        ("UPDATE ledger_entry SET created_at = created_at - interval '1 day' WHERE sequence = 2", 2, "answer", "hash"),
    ],
)
def test_it_locates_a_changed_row(
    make_run: MakeRun,
    make_answer: MakeAnswer,
    make_call: Any,
    tamper: Tamper,
    statement: str,
    sequence: int,
    kind: str,
    what: str,
) -> None:
    answer = make_answer(make_run(arbiter="model", llm_call=make_call()), llm_call=make_call(purpose="answer"))
    verified()
    tamper(statement)
    bad = finding()["first_bad"]
    assert (bad["sequence"], bad["kind"], bad["what"]) == (sequence, kind, what)
    assert bad["subject_id"] == str(answer.run_id if kind == "run" else answer.pk)
    with pytest.raises(CommandError, match=rf"Ledger entry {sequence} \({kind} "):
        verified()


@pytest.mark.parametrize("kind", ["run", "answer"])
def test_it_finds_a_row_that_was_never_recorded(
    make_run: MakeRun, make_answer: MakeAnswer, tamper: Tamper, kind: str
) -> None:
    answer = make_answer(make_run())
    sequence, subject_id = {"run": (1, answer.run_id), "answer": (2, answer.pk)}[kind]
    tamper(f"DELETE FROM ledger_entry WHERE sequence >= {sequence}")
    with pytest.raises(CommandError, match=f"The {kind} {subject_id} has no ledger entry"):
        verified()


def test_it_finds_a_cut_end_by_the_exported_head(make_run: MakeRun, tamper: Tamper, tmp_path: Path) -> None:
    head = str(tmp_path / "head.json")
    run = [make_run(), make_run()][1]
    verified("--write-head", head)
    for table in ("ledger_entry WHERE sequence = 2", f"retrieval_runcandidate WHERE run_id = '{run.pk}'"):
        tamper(f"DELETE FROM {table}")
    tamper(f"DELETE FROM retrieval_retrievalrun WHERE id = '{run.pk}'")
    verified()
    assert finding("--since-head", head)["first_bad"]["what"] == "tail_cut"


def test_it_walks_only_what_is_new(make_run: MakeRun, tamper: Tamper, tmp_path: Path) -> None:
    head = str(tmp_path / "head.json")
    make_run()
    verified("--write-head", head)
    make_run()
    assert verified("--since-head", head, "--only-new").startswith("1 entries")
    assert verified("--since-head", head).startswith("2 entries")


def test_it_exports_no_head_of_a_bad_chain(make_run: MakeRun, tamper: Tamper, tmp_path: Path) -> None:
    make_run()
    tamper("UPDATE retrieval_retrievalrun SET question = 'Other?'")
    with pytest.raises(CommandError):
        verified("--write-head", str(tmp_path / "head.json"))
    assert not list(tmp_path.iterdir())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("", "is not an exported head"),
        ("[]", "is not an exported head"),
        ('{"format": "docintel-ledger-1"}', "is not an exported head"),
        ('{"format": "other", "sequence": 1, "hash": "a"}', "holds a head of format 'other'"),
    ],
)
def test_it_explains_a_file_that_is_no_head(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "head.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CommandError, match=message):
        verified("--since-head", str(path))


@pytest.mark.django_db
def test_it_explains_options_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--only-new needs --head"):
        verified("--only-new")
    with pytest.raises(CommandError, match="cannot be written"):
        verified("--write-head", str(tmp_path / "absent" / "head.json"))


@pytest.mark.django_db
def test_it_says_when_there_is_no_ledger_to_read(tamper: Tamper) -> None:
    tamper("ALTER TABLE ledger_entry RENAME TO elsewhere")
    with pytest.raises(CommandError, match='The ledger cannot be read: relation "ledger_entry" does not exist'):
        verified()
