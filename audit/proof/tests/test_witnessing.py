"""A witness keeps the first hash of each head; another one is refused, and told loudly on both sides (AT4)."""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import pytest
from django.core import mail
from django.db import DatabaseError, transaction
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from accounts.tokens import make_token
from audit.conftest import MakeRun, Tamper
from audit.keeping import tasks
from audit.models import WitnessedHead
from audit.proof import witnessing
from docintel_site import status
from ledger import witness as witnesses
from ledger.chain import FORMAT, Head
from ledger.heads import add_head, head_fields, read_heads
from ledger.models import Entry, Event
from ledger.witness import NotWitnessed, Witness, give, last_witnessed

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/witness/heads"
ONE, OTHER = "a" * 64, "b" * 64


class PlainWitness:
    """Any HTTP server that keeps what it is given first, unless its behaviour says otherwise."""

    def __init__(self) -> None:
        self.kept: dict[int, str] = {}
        self.given: list[dict[str, Any]] = []
        self.tokens: list[str | None] = []
        self.behaviour = "good"
        witness = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                head = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                witness.given.append(head)
                witness.tokens.append(self.headers["Authorization"])
                if witness.behaviour == "silent":
                    time.sleep(3)
                code = {"broken": 500, "redirecting": 302}.get(witness.behaviour, 201)
                if code == 201 and witness.kept.setdefault(head["sequence"], head["hash"]) != head["hash"]:
                    code = 409
                self.send_response(code)
                self.send_header("Location", f"{witness.url}elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def plain() -> Iterator[PlainWitness]:
    with PlainWitness() as witness:
        yield witness


@pytest.fixture
def heads(settings: Settings, tmp_path: Path) -> Path:
    settings.LEDGER_HEADS, settings.WITNESS_STATE = tmp_path / "heads.jsonl", tmp_path / "witness.json"
    return tmp_path / "heads.jsonl"


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss@example.org", "a long password")


def last_by(witness: str, heads: Path) -> int | None:
    found = last_witnessed(heads.with_name("witness.json"), Witness(witness))
    return found.head.sequence if found else None


# ---- giving


def test_each_hour_the_new_heads_are_given_and_the_last_again(
    make_run: MakeRun, heads: Path, plain: PlainWitness, settings: Settings
) -> None:
    settings.WITNESS, settings.WITNESS_TOKEN = plain.url, "dk_secret"
    for _ in range(2):
        make_run()
        tasks.export_head()
        tasks.export_head()
    assert [head["sequence"] for head in plain.given] == [1, 1, 1, 2, 2]
    assert set(plain.tokens) == {"Bearer dk_secret"} and last_by(plain.url, heads) == 2
    assert plain.kept == dict(Entry.objects.values_list("sequence", "hash"))
    assert status.witness().state == "ok" and status.witness().detail == "127.0.0.1"


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [("broken", "answered 500"), ("redirecting", "answered 302"), ("silent", "no reply within 1 s")],
)
def test_a_witness_that_fails_stops_no_head_and_is_asked_again(
    make_run: MakeRun,
    heads: Path,
    plain: PlainWitness,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    behaviour: str,
    told: str,
) -> None:
    monkeypatch.setattr(witnesses, "DEADLINE_S", 1.0 if behaviour == "silent" else 600.0)
    settings.WITNESS, plain.behaviour = plain.url, behaviour
    make_run()
    with caplog.at_level(logging.ERROR):
        tasks.export_head()
    assert [head.sequence for head in read_heads(heads)] == [1]
    assert f"No head was witnessed. The witness 127.0.0.1 {'gave ' if 'reply' in told else ''}{told}" in caplog.text
    assert (status.witness().state, status.witness().what) == ("warn", "took none so far")
    plain.behaviour = "good"
    tasks.export_head()
    assert last_by(plain.url, heads) == 1 and len(plain.given) == 2


def test_a_file_elsewhere_is_a_witness(make_run: MakeRun, heads: Path, settings: Settings, tmp_path: Path) -> None:
    settings.WITNESS = str(tmp_path / "elsewhere" / "heads.jsonl")
    make_run()
    for _ in range(2):
        tasks.export_head()
    assert read_heads(Path(settings.WITNESS)) == read_heads(heads)
    with pytest.raises(NotWitnessed, match="cannot be written"):
        give(Witness("/proc/heads.jsonl"), head_fields(Head(1, ONE), None))


def test_one_more_witness_begins_with_the_newest_heads(heads: Path, plain: PlainWitness, settings: Settings) -> None:
    for number in range(1, 31):
        add_head(heads, Head(number, f"{number:064x}"))
    witnesses.give_heads(heads, None, Witness(plain.url), settings.WITNESS_STATE)
    assert sorted(plain.kept) == list(range(11, 31))
    with PlainWitness() as second:
        witnesses.give_heads(heads, None, Witness(second.url), settings.WITNESS_STATE)
        assert sorted(second.kept) == list(range(11, 31))


def rewrite(tamper: Tamper, heads: Path) -> None:
    """What somebody with every right does: another hash, and heads to fit."""
    tamper(f"UPDATE ledger_entry SET hash = '{OTHER}' WHERE sequence = 1")
    heads.unlink()
    add_head(heads, Head(1, OTHER))


@pytest.mark.parametrize("kind", ["address", "file"])
def test_a_rewritten_chain_is_contradicted_for_good(
    make_run: MakeRun,
    heads: Path,
    plain: PlainWitness,
    settings: Settings,
    tamper: Tamper,
    boss: User,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    kind: str,
) -> None:
    settings.WITNESS = plain.url if kind == "address" else str(tmp_path / "kept.jsonl")
    settings.MAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    make_run()
    tasks.export_head()
    rewrite(tamper, heads)
    with caplog.at_level(logging.CRITICAL):
        witnessing.give_heads()
        witnessing.give_heads()
    assert caplog.text.count("another hash of ledger entry 1: this chain was rewritten") == 2
    [event] = Event.objects.filter(kind="witness_contradicted")
    assert event.details == {"head": 1, "value": OTHER} and event.actor == "console"
    [letter] = mail.outbox
    assert letter.to == ["boss@example.org"] and "this chain was rewritten" in letter.body
    plain.kept[1] = OTHER
    assert status.witness().state == "fail" and "ledger entry 1" in status.witness().what


def test_a_chain_that_was_cut_off_is_contradicted(
    make_run: MakeRun, heads: Path, plain: PlainWitness, settings: Settings, tamper: Tamper
) -> None:
    settings.WITNESS = plain.url
    make_run(), make_run()
    tasks.export_head()
    tamper("DELETE FROM ledger_entry WHERE sequence = 2")
    witnessing.give_heads()
    assert Event.objects.get(kind="witness_contradicted").details == {"head": 2, "value": ""}


def test_what_it_took_last_is_not_guessed(heads: Path, plain: PlainWitness, settings: Settings) -> None:
    settings.WITNESS = plain.url
    settings.WITNESS_STATE.write_text("half")
    witnessing.give_heads()
    assert plain.given == [] and (status.witness().state, status.witness().detail[-6:]) == ("warn", " last.")


# ---- another installation


def head(sequence: int = 7, digest: str = ONE, **more: Any) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "sequence": sequence,
        "hash": digest,
        "exported_at": "2026-11-20T14:02:11.000000Z",
        **more,
    }


@pytest.fixture
def asker() -> Callable[..., Any]:
    """POST a head with a token of a person; with their scopes."""

    def ask(user: User, body: Any, *scopes: str) -> Any:
        token = make_token(user, "Witness", scopes or ("witness",), 7)[1]
        sent = body if isinstance(body, str) else json.dumps(body)
        headers = {"authorization": f"Bearer {token}"}
        return Client().post(ADDRESS, sent, content_type="application/json", headers=headers)

    return ask


def test_the_first_hash_is_kept_and_another_refused(
    asker: Callable[..., Any], boss: User, caplog: pytest.LogCaptureFixture
) -> None:
    others = User.objects.create_user("others@example.org", "a long password")
    assert status.heads_of_others() == []
    assert [asker(others, head()).status_code for _ in range(2)] == [201, 200]
    assert status.heads_of_others()[0].state == "ok"
    with caplog.at_level(logging.CRITICAL):
        refused = [asker(others, head(digest=OTHER)) for _ in range(2)]
    assert [(reply.status_code, reply.json()["code"]) for reply in refused] == [(409, "head_refused")] * 2
    assert "Another hash of ledger entry 7 was witnessed on" in refused[0].json()["detail"]
    assert caplog.text.count("Another hash of ledger entry 7") == 2
    assert Event.objects.get(kind="witness_contradicted").details["from"] == [ONE, OTHER]
    assert list(WitnessedHead.objects.order_by("seen_at").values_list("hash", "is_refused")) == [
        (ONE, False),
        (OTHER, True),
    ]
    assert asker(others, head()).status_code == 200
    [check] = status.heads_of_others()
    assert (check.state, check.detail) == ("fail", "others@example.org") and "entry 7" in check.what


def test_accounts_are_apart_and_only_administrators_see_all(asker: Callable[..., Any], boss: User) -> None:
    people = [User.objects.create_user(f"{name}@example.org", "a long password") for name in ("first", "second")]
    for person, digest in zip(people, (ONE, OTHER), strict=True):
        assert asker(person, head(digest=digest, key="c" * 64, signature="d" * 128, stamp="QUJD")).status_code == 201

    def seen_by(person: User) -> list[dict[str, Any]]:
        token = make_token(person, "Reader", ["witness"], 7)[1]
        found = Client().get(ADDRESS, headers={"authorization": f"Bearer {token}"}).json()["results"]
        return list(found)

    assert [row["hash"] for row in seen_by(people[0])] == [ONE]
    assert [row["hash"] for row in seen_by(boss)] == [OTHER, ONE]
    # What was given comes back as it was: the rows are a file of heads for verify_ledger and verify.py.
    assert seen_by(people[1])[0]["head"] == head(digest=OTHER, key="c" * 64, signature="d" * 128, stamp="QUJD")


def test_a_token_needs_the_scope_and_others_do_not_open_it(asker: Callable[..., Any]) -> None:
    person = User.objects.create_user("others@example.org", "a long password")
    assert asker(person, head(), "read", "ask", "write", "audit").status_code == 403
    token = make_token(person, "Witness", ["witness"], 7)[1]
    for address in ("/api/v1/bases", "/api/v1/runs", "/api/v1/me"):
        assert Client().get(address, headers={"authorization": f"Bearer {token}"}).status_code == 403
    assert WitnessedHead.objects.count() == 0


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        head(0),
        head(-1),
        head(2**63),
        head(digest="A" * 64),
        head(digest=f"{ONE}\n"),
        head() | {"format": "another"},
        head(more=1),
        head(signature="é" * 128),
        head(stamp="x" * 50_001),
        head(exported_at=1),
        head(exported_at="x" * 41),
    ],
)
def test_what_is_no_head_is_refused(asker: Callable[..., Any], body: Any) -> None:
    person = User.objects.create_user("others@example.org", "a long password")
    assert asker(person, body).status_code == 400
    assert WitnessedHead.objects.count() == 0


def test_an_account_cannot_fill_the_disk(asker: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnessing, "HEADS_A_DAY_MAX", 2)
    person = User.objects.create_user("others@example.org", "a long password")
    assert [asker(person, head(number)).status_code for number in (1, 2, 3, 2)] == [201, 201, 429, 200]
    assert asker(person, head(2, OTHER)).status_code == 429


def test_nobody_takes_a_head_back(asker: Callable[..., Any]) -> None:
    person = User.objects.create_user("others@example.org", "a long password")
    asker(person, head())
    for change in (
        lambda: WitnessedHead.objects.update(hash=OTHER),
        lambda: WitnessedHead.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="Cannot"), transaction.atomic():
            change()
    person.delete()
    assert WitnessedHead.objects.get().source_name == "others@example.org"


@pytest.mark.django_db(transaction=True)
def test_one_installation_is_the_witness_of_another(
    make_run: MakeRun, heads: Path, settings: Settings, live_server: Any, tamper: Tamper
) -> None:
    """Over HTTP, with a second ledger's worth of heads; both sides are this program."""
    account = User.objects.create_user("second@example.org", "a long password")
    settings.WITNESS = f"{live_server.url}{ADDRESS}"
    settings.WITNESS_TOKEN = make_token(account, "Second", ["witness"], 7)[1]
    for _ in range(3):
        make_run()
        tasks.export_head()
    kept = dict(WitnessedHead.objects.filter(source=account).values_list("sequence", "hash"))
    assert kept == dict(Entry.objects.filter(sequence__in=kept).values_list("sequence", "hash")) and len(kept) == 3
    last = max(kept)
    with transaction.atomic():
        tamper(f"UPDATE ledger_entry SET hash = '{OTHER}' WHERE sequence = {last}")
    witnessing.give_heads()
    assert WitnessedHead.objects.get(is_refused=True).hash == OTHER
    assert {event.subject for event in Event.objects.filter(kind="witness_contradicted")} == {
        "witness:localhost",
        f"user:{account.pk}",
    }
    assert status.witness().state == "fail" and status.heads_of_others()[0].state == "fail"
