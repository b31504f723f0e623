"""An upgrade drill: what earlier programs stored is brought up to date, and its record and answers are the same.

Each state is a database that the program of that commit made: `migrate`, then `ask` about `documents/tests/files.py`'s
PDF with QUESTION and ABSENT, then `pg_dump --inserts`. The first is early, the last of 23 November 2026.
"""

import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from pytest_django import DjangoDbBlocker, Settings

from accounts.models import User
from audit.proof.verification import verify
from chat.asking import keep_question
from chat.models import Answer
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from docintel_site.status import open_migrations
from documents.models import KnowledgeBase
from ledger.chain import Head
from ledger.models import Entry
from retrieval.models import RetrievalRun, RunCandidate

STATES = Path(__file__).parent / "states"
QUESTION, ABSENT = "How long are records of a supplier kept?", "What is the boiling point of mercury?"
PRIMARY = ["Records of a supplier are kept for seven years after the contract has ended, résumés for\ntwo."]
ENTRIES = 4  # two runs and two answers
HEADS = {
    "8c79bfd": "a73ee7820cc00853388dde746c38d36a3f2efe261ca72c11c2c72382547668c3",
    "83dc7d0": "092ab87d66465481d2c0d4cb343558621dd5d879c96f2913ba0d8cf55f355cab",
    "9ab8939": "e4c6ee5eb4e9d21fb9d9e8ca5becf063093ef137afba8d471cb474fad72a8ec9",
    "ea623db": "549e09eb114e8627f85e6e1ef57c25213156cddd18f24136453aad115ad0e325",
}
NEWEST = "ea623db"  # the one that may have nothing to migrate


@contextmanager
def database_of(state: str) -> Iterator[None]:
    """This process works with a database of its own, loaded with an earlier state."""
    ours, name = connection.settings_dict["NAME"], f"{connection.settings_dict['NAME']}_{state}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    connection.close()
    connection.settings_dict["NAME"] = name
    ContentType.objects.clear_cache()
    try:
        with connection.cursor() as cursor:
            cursor.execute(lzma.decompress((STATES / f"{state}.sql.xz").read_bytes()).decode())
        connection.close()  # the dump has emptied its session's search path
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = ours
        ContentType.objects.clear_cache()
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
        connection.close()


def primary_anchors(run: RetrievalRun) -> list[str]:
    rows = RunCandidate.objects.filter(run=run, role="primary").order_by("position")
    return list(rows.values_list("content_anchor", flat=True))


@pytest.mark.parametrize("state", HEADS)
def test_an_earlier_state_is_upgraded_and_says_the_same(
    state: str, django_db_setup: None, django_db_blocker: DjangoDbBlocker, settings: Settings, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT, settings.PAGE_IMAGE_ROOT = tmp_path / "files", tmp_path / "images"
    with django_db_blocker.unblock(), database_of(state):
        assert open_migrations() or state == NEWEST
        call_command("migrate", interactive=False, verbosity=0)
        assert open_migrations() == []
        head = Head(ENTRIES, HEADS[state])
        report = verify(expected=[head])
        assert (report.sentence, report.verification.head) == ("", head)
        old = RetrievalRun.objects.get(question=QUESTION)
        assert primary_anchors(old) == PRIMARY
        assert not RunCandidate.objects.filter(run__question=ABSENT, role="primary").exists()
        asked = keep_question(
            User.objects.get(), QuestionScope(KnowledgeBase.objects.get()), QUESTION, "balanced", form_id=uuid4()
        )
        answer_turn(asked.pk)
        new = RetrievalRun.objects.exclude(pk=old.pk).get(question=QUESTION)
        assert primary_anchors(new) == PRIMARY
        assert Answer.objects.filter(run=new).exists()
        report = verify(expected=[head])
        assert report.ok and Entry.objects.count() > ENTRIES, report.sentence
