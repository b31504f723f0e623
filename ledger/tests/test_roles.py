"""As the application's role, eight of eight attacks on an insert-only table are refused, and honest work goes on."""

import os
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from ledger.chain import FLUSH, append
from ledger.models import Entry
from ledger.roles import insert_only_tables, restrict

ROLE = f"docintel_test_app_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"  # roles belong to the whole server
ATTACKS = {
    "update": ["UPDATE ledger_entry SET kind = 'forged'"],
    "delete": ["DELETE FROM ledger_entry"],
    "truncate": ["TRUNCATE ledger_entry"],
    "drop": ["DROP TABLE ledger_entry CASCADE"],
    "disable_trigger": ["ALTER TABLE ledger_entry DISABLE TRIGGER ALL", "DELETE FROM ledger_entry"],
    "replication_role": ["SET session_replication_role = replica", "DELETE FROM ledger_entry"],
    "bulk_sql": [
        "INSERT INTO ledger_entry SELECT * FROM ledger_entry ON CONFLICT (sequence) DO UPDATE SET kind = 'forged'"
    ],
    "library_bypass": [
        "SELECT set_config('pgtrigger.ignore', '{ledger_entry:no_delete}', true)",
        "DELETE FROM ledger_entry",
    ],
}
FURTHER = {
    "replace_function": [
        (
            "CREATE OR REPLACE FUNCTION pgtrigger_no_update_0e8a8() RETURNS trigger "
            "AS 'BEGIN RETURN NEW; END' LANGUAGE plpgsql"
        )
    ],
    "become_owner": ["ALTER TABLE ledger_entry OWNER TO CURRENT_USER"],
    "grant_itself": ["GRANT ALL ON ledger_entry TO CURRENT_USER", "DELETE FROM ledger_entry"],
    "become_superuser": ["ALTER ROLE CURRENT_USER SUPERUSER"],
    "shadow_table": ["CREATE TABLE ledger_entry_new (x int)"],
    "reset_role": ["RESET ROLE", "DELETE FROM ledger_entry"],
    "lock": ["SELECT * FROM ledger_entry FOR UPDATE"],
}


@pytest.fixture
def as_app(transactional_db: None) -> Iterator[Any]:
    """A connection of the application's own, to the database of the tests."""
    with transaction.atomic():
        append("run", "subject-1", b"payload")
    password = restrict(ROLE)
    chosen = connection.settings_dict
    address = {"host": chosen["HOST"], "port": chosen["PORT"], "dbname": chosen["NAME"]}
    address = {name: value for name, value in address.items() if value}
    try:
        with psycopg.connect(**address, user=ROLE, password=password, autocommit=True) as opened:
            yield opened
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP OWNED BY {ROLE}")
            cursor.execute(f"DROP ROLE {ROLE}")


@pytest.mark.parametrize("attack", [*ATTACKS.values(), *FURTHER.values()], ids=[*ATTACKS, *FURTHER])
def test_it_refuses(as_app: Any, attack: list[str]) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), as_app.transaction():
        for statement in attack:
            if as_app.execute(statement).rowcount == 0 and statement.startswith(("DELETE", "UPDATE")):
                raise AssertionError("let through, with nothing to do")
    assert list(Entry.objects.values_list("kind", "subject_id")) == [("run", "subject-1")]


def test_honest_work_goes_on(as_app: Any) -> None:
    with as_app.transaction():
        as_app.execute("SELECT pg_advisory_xact_lock(1)")
        as_app.execute(
            "INSERT INTO ledger_entry SELECT 2, kind, 'subject-2', payload_digest, hash, repeat('a', 64), now() FROM "
            "ledger_entry"
        )
        as_app.execute("UPDATE accounts_user SET name = 'x'")
        as_app.execute("DELETE FROM django_session")
        as_app.execute(FLUSH)
    assert Entry.objects.count() == 2


def test_it_covers_every_insert_only_table_and_can_be_run_again(as_app: Any) -> None:
    assert {"ledger_entry", "llm_llmcall", "retrieval_retrievalrun", "retrieval_runcandidate"} <= {
        *insert_only_tables()
    }
    restrict(ROLE)
    for table in insert_only_tables():
        rights = "SELECT has_table_privilege(%s, %s), has_table_privilege(%s, 'INSERT')"
        for right in ("UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES"):
            assert as_app.execute(rights, [table, right, table]).fetchone() == (False, True), (table, right)


def test_the_command_takes_the_password_from_the_environment(
    as_app: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("APP_PASSWORD", "")
    with pytest.raises(CommandError, match="APP_PASSWORD is empty"):
        call_command("restrict_database", role=ROLE, password_from="APP_PASSWORD")
    monkeypatch.setenv("APP_PASSWORD", "letters4and5digits")
    call_command("restrict_database", role=ROLE, password_from="APP_PASSWORD")
    assert "letters4and5digits" not in capsys.readouterr().out


def test_the_command_refuses_the_role_itself(as_app: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {ROLE}")
    try:
        with pytest.raises(CommandError, match="may not create roles"):
            call_command("restrict_database")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE")
