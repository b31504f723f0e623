"""Two database roles: the owner migrates, the application works. Only this makes insert-only tables really so.

A table's owner can disable its triggers and empty it. The role `docintel_app` owns nothing: it may read and insert
in insert-only tables, and do what the application needs in all others.
"""

import secrets

from django.apps import apps
from django.db import connection, transaction
from psycopg import sql

APP_ROLE = "docintel_app"
PASSWORD_BYTES = 24
INSERT_ONLY = "no_update"  # the trigger of every insert-only model


class CannotRestrict(Exception):
    """The roles cannot be set up from this connection; the message is for people."""


def insert_only_tables() -> list[str]:
    """The tables whose models refuse updates."""
    return sorted(
        model._meta.db_table
        for model in apps.get_models()
        if any(trigger.name == INSERT_ONLY for trigger in getattr(model._meta, "triggers", ()))
    )


def restrict(role: str, password: str = "") -> str:
    """Create or repair the application's role and return its password. Run as the owner, after each migration."""
    password = password or secrets.token_urlsafe(PASSWORD_BYTES)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user")
        if not any(cursor.fetchone() or ()):
            raise CannotRestrict("This connection may not create roles. Connect as the owner of the database.")
        cursor.execute("SELECT current_user = %s, EXISTS (SELECT FROM pg_roles WHERE rolname = %s)", [role, role])
        is_itself, exists = cursor.fetchone() or (False, False)
        if is_itself:
            raise CannotRestrict(f"This connection is {role} itself. Connect as the owner of the database.")
        for statement in statements(role, password, exists=exists):
            cursor.execute(statement)
    return password


def statements(role: str, password: str, *, exists: bool) -> list[sql.Composed]:
    """The grants of the application's role: first everything, then less on insert-only tables."""
    name, kept = sql.Identifier(role), sql.SQL(", ").join(map(sql.Identifier, insert_only_tables()))
    make = "ALTER" if exists else "CREATE"
    templates = (
        make + " ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD {password}",
        "GRANT USAGE ON SCHEMA public TO {role}",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC, {role}",
        "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
        "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
        "REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON {kept} FROM {role}, PUBLIC",
    )
    values = {"role": name, "kept": kept, "password": sql.Literal(password)}
    return [sql.SQL(template).format(**values) for template in templates]
