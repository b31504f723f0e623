"""Heads are stamped by a real authority of RFC 3161, and one that fails, in whatever way, costs but its stamp."""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from ledger import heads, stamps
from ledger.chain import Head
from ledger.heads import add_head, last_head, make_key, read_heads
from ledger.stamps import Authority, NoStamp, last_stamp, request_stamp, stamp_waiting, waiting_heads
from tests.stamp_authority import StampAuthority

FIRST, SECOND, THIRD = Head(4, "a" * 64), Head(9, "b" * 64), Head(11, "c" * 64)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StampAuthority]:
    with StampAuthority(tmp_path_factory.mktemp("authority")) as authority:
        yield authority


@pytest.fixture
def server(running: StampAuthority) -> Iterator[StampAuthority]:
    yield running
    running.behaviour, running.clock = "good", timedelta()


@pytest.fixture
def authority(server: StampAuthority) -> Authority:
    return Authority(server.url, server.root)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "heads.jsonl"


def stamped_in(path: Path) -> list[int]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line["sequence"] for line in lines if "stamp" in line]


def test_the_newest_head_is_stamped_and_stamped_again_each_time(path: Path, authority: Authority) -> None:
    add_head(path, FIRST)
    assert last_stamp(path) is None
    began = timezone.now().replace(microsecond=0)
    stamp_waiting(path, None, authority)
    stamp_waiting(path, None, authority)
    assert stamped_in(path) == [4, 4]
    at = last_stamp(path)
    assert at is not None and began <= at <= timezone.now()


def test_heads_since_the_last_stamp_are_stamped_in_order_and_older_ones_are_not(
    path: Path, authority: Authority
) -> None:
    add_head(path, Head(2, "0" * 64))
    add_head(path, FIRST)
    assert waiting_heads(path) == [FIRST]
    stamp_waiting(path, None, authority)
    add_head(path, SECOND)
    add_head(path, THIRD)
    stamp_waiting(path, None, authority)
    assert stamped_in(path) == [4, 9, 11]
    for number in range(20, 60):
        add_head(path, Head(number, "d" * 64))
    assert [head.sequence for head in waiting_heads(path)] == [*range(40, 60)]


def test_a_signed_head_with_a_stamp_is_read_as_before(path: Path, authority: Authority, tmp_path: Path) -> None:
    """Heads of older programs stay readable, and a stamp is one more field of a line."""
    public = make_key(tmp_path / "ledger.pem")
    add_head(path, FIRST, tmp_path / "ledger.pem")
    stamp_waiting(path, tmp_path / "ledger.pem", authority)
    assert read_heads(path, public) == [FIRST, FIRST] and last_head(path) == FIRST


def test_the_longest_stamp_leaves_the_last_head_readable(path: Path) -> None:
    longest = base64.b64encode(b"\x30" * stamps.REPLY_BYTES_MAX).decode()
    for head in (FIRST, SECOND):
        heads.add_fields(path, heads.head_fields(head, None) | {"stamp": longest})
    assert last_head(path) == SECOND
    for _ in range(40):
        heads.add_fields(path, heads.head_fields(THIRD, None) | {"stamp": longest})
    assert path.stat().st_size > heads.TAIL_BYTES and last_head(path) == THIRD


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("broken", "HTTP Error 500"),
        ("redirecting", "HTTP Error 302"),
        ("junk", "does not hold"),
        ("empty", "does not hold"),
        ("huge", "larger than 32,768 bytes"),
        ("refusing", "refused: too often"),
        ("repeating", "Nonce mismatch"),
        ("dripping", "no reply within 1 s"),
    ],
)
def test_a_stamp_that_does_not_hold_is_none(
    server: StampAuthority, authority: Authority, monkeypatch: pytest.MonkeyPatch, behaviour: str, told: str
) -> None:
    request_stamp(b"another message", authority)
    asked = server.asked
    server.behaviour = behaviour
    monkeypatch.setattr(stamps, "DEADLINE_S", 1.0 if behaviour == "dripping" else 600.0)
    with pytest.raises(NoStamp, match=told):
        request_stamp(b"message", authority)
    assert server.asked == asked + 1


def test_an_authority_that_is_not_there_or_not_the_one_of_the_certificates_gives_none(
    server: StampAuthority, authority: Authority, tmp_path: Path
) -> None:
    with pytest.raises(NoStamp, match="no reply: .*refused"):
        request_stamp(b"message", Authority("http://127.0.0.1:9/", server.root))
    with StampAuthority(tmp_path / "other") as other, pytest.raises(NoStamp, match="does not hold"):
        request_stamp(b"message", Authority(other.url, server.root))
    for bad in (tmp_path / "absent.pem", Path(__file__)):
        with pytest.raises(NoStamp, match="cannot be read"):
            request_stamp(b"message", Authority(authority.url, bad))


def test_a_clock_that_goes_wrong_is_said_before_every_entry_seems_late(
    server: StampAuthority, authority: Authority
) -> None:
    server.clock = timedelta(hours=-3)
    with pytest.raises(NoStamp, match="The clock of the time-stamping authority says"):
        request_stamp(b"message", authority)
    server.clock = timedelta(minutes=-50)
    assert request_stamp(b"message", authority)


def test_a_stamp_that_was_spoilt_in_the_file_is_said(path: Path) -> None:
    add_head(path, FIRST)
    heads.add_fields(path, heads.head_fields(FIRST, None) | {"stamp": "AAAA"})
    with pytest.raises(heads.BadHeadFile, match="last stamp"):
        last_stamp(path)
