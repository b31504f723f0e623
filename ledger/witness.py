"""Heads of the chain, given each hour to a witness (AT4): a file elsewhere, an HTTPS address, or another installation.

A witness keeps the first hash it is given of an entry. Whoever rewrites the chain later cannot take that one back, and
with the next head the hash of the last witnessed entry is given again, as the chain has it by then.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone

from ledger.chain import Head, time_text
from ledger.heads import BadHeadFile, HeadFields, add_fields, check_head_line, head_fields, last_lines
from ledger.models import Entry
from ledger.outside import NoReply, post, within

DEADLINE_S = 30.0 * settings.PATIENCE  # for one head, whatever the witness does; the sweeping worker has other work too
REPLY_BYTES_MAX = 32_768
AT_ONCE = 20  # heads an hour: the newest, and those of evidence packs made meanwhile
OVERDUE = timedelta(hours=3)  # since the last one: two hours in a row failed


class NotWitnessed(Exception):
    """The witness took no head; the message is for people."""


class Contradicted(Exception):
    """The witness has another hash of an entry than this chain, which was rewritten; the message is for people."""

    def __init__(self, sequence: int, found: str, told: str) -> None:
        super().__init__(told)
        self.sequence = sequence
        self.hash = found


@dataclass(frozen=True)
class Witness:
    """Who is given the heads: an address, with the token for it if it asks for one, or the path of a file."""

    place: str
    token: str = ""

    @property
    def is_asked(self) -> bool:
        return self.place.startswith(("https://", "http://"))

    @property
    def name(self) -> str:
        """The host, or the path."""
        return (urlsplit(self.place).hostname or "") if self.is_asked else self.place


@dataclass(frozen=True)
class Witnessed:
    """The last head a witness took, and when."""

    head: Head
    at: datetime


def own_witness() -> Witness | None:
    """The witness of this installation; None where heads are given to nobody."""
    return Witness(settings.WITNESS, settings.WITNESS_TOKEN) if settings.WITNESS else None


def give_heads(path: Path, key: Path | None, witness: Witness, state: Path) -> None:
    """Give the last witnessed head again, as the chain has it now, and those of the file after it.

    Raises NotWitnessed, Contradicted, BadHeadFile; what was taken before stays noted in `state`.
    """
    last = last_witnessed(state, witness)
    for fields in due_heads(path, key, last.head if last else None):
        try:
            within(DEADLINE_S, give, witness, fields)
        except NoReply as error:
            raise NotWitnessed(f"The witness {witness.name} gave no reply {error}.") from error
        note(state, witness, fields)


def due_heads(path: Path, key: Path | None, last: Head | None) -> Iterator[HeadFields]:
    """The last witnessed entry as it is now, then the newest line of each later head."""
    if last is not None:
        now = Entry.objects.filter(sequence=last.sequence).values_list("hash", flat=True).first()
        if now is None:
            told = f"The witness has a hash of ledger entry {last.sequence}, and this chain has no such entry."
            raise Contradicted(last.sequence, "", told)
        yield head_fields(Head(last.sequence, now), key)
    newest: dict[int, HeadFields] = {}
    for line in last_lines(path):
        head = check_head_line(line, str(path), None)
        if last is None or head.sequence > last.sequence:
            newest[head.sequence] = json.loads(line)
    yield from (newest[sequence] for sequence in sorted(newest)[-AT_ONCE:])


def give(witness: Witness, fields: HeadFields) -> None:
    """Give one head. Raises NotWitnessed, Contradicted."""
    if witness.is_asked:
        give_by_request(witness, fields)
    else:
        give_to_file(Path(witness.place), fields)


def give_by_request(witness: Witness, fields: HeadFields) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if witness.token:
        headers["Authorization"] = f"Bearer {witness.token}"
    try:
        post(witness.place, json.dumps(fields).encode(), headers, REPLY_BYTES_MAX)
    except HTTPError as error:
        if error.code == HTTPStatus.CONFLICT:
            raise contradiction(witness, fields) from error
        raise NotWitnessed(f"The witness {witness.name} answered {error.code} {error.reason}.") from error
    except (OSError, HTTPException, ValueError) as error:
        raise NotWitnessed(f"The witness {witness.name} gave no reply: {error}.") from error


def give_to_file(path: Path, fields: HeadFields) -> None:
    """Add a head to a file, unless it has that head already."""
    try:
        kept = [check_head_line(line, str(path), None) for line in last_lines(path)]
        hashes = {head.hash for head in kept if head.sequence == fields["sequence"]}
        if hashes - {fields["hash"]}:
            raise contradiction(Witness(str(path)), fields)
        if not hashes:
            add_fields(path, fields)
    except BadHeadFile as error:
        raise NotWitnessed(f"The file of the witness fails. {error}") from error


def contradiction(witness: Witness, fields: HeadFields) -> Contradicted:
    sequence = fields["sequence"]
    told = f"The witness {witness.name} has another hash of ledger entry {sequence}: this chain was rewritten."
    return Contradicted(sequence, fields["hash"], told)


# ---- what the witness took last


def last_witnessed(state: Path, witness: Witness) -> Witnessed | None:
    """The last head a witness took; None if it has taken none, also where another one was asked before."""
    try:
        kept = json.loads(state.read_text())
        if kept["place"] != witness.place:
            return None
        return Witnessed(Head(int(kept["sequence"]), str(kept["hash"])), datetime.fromisoformat(kept["at"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadHeadFile(f"{state} cannot be read: it says which head was witnessed last.") from error


def note(state: Path, witness: Witness, fields: HeadFields) -> None:
    kept = {"place": witness.place, "sequence": fields["sequence"], "hash": fields["hash"]}
    fresh = state.with_name(f"{state.name}.part")
    try:
        fresh.write_text(json.dumps(kept | {"at": time_text(timezone.now())}))
        fresh.replace(state)
    except OSError as error:
        raise BadHeadFile(f"{state} cannot be written: {error.strerror}.") from error
