"""Files of the chain's heads, one per line, to be kept where the database's administrator cannot reach them (AT4).

A head may be signed with an Ed25519 key. The signature is over four lines of ASCII, each ended by one line feed:

    docintel-checkpoint-1
    <sequence>
    <hash>
    <time of the export, as 2026-11-20T14:02:11.000000Z>

A time-stamping authority may have stamped the SHA-256 of these lines: `stamp` is its token (RFC 3161) in base64.
"""

import json
import os
from pathlib import Path
from typing import NotRequired, TypedDict

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from django.utils import timezone

from ledger.chain import FORMAT, Head, time_text

CHECKPOINT = "docintel-checkpoint-1"
TAIL_BYTES = 1_000_000  # of a long file: a month of heads without a stamp, or a week of stamped ones


class HeadFields(TypedDict):
    """All that is said of a head, as a line of JSON."""

    format: str
    sequence: int
    hash: str
    exported_at: str
    key: NotRequired[str]
    signature: NotRequired[str]
    stamp: NotRequired[str]


class BadHeadFile(Exception):
    """A file of heads or a key is invalid, or cannot be read or written; the message is for people."""


def write_head(path: Path, head: Head, key: Path | None = None) -> None:
    """Write one head, signed if there is a key; the file is complete or absent."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    line = head_line(head_fields(head, key))
    try:
        fresh.write_text(line)
        fresh.replace(path)
    except OSError as error:
        raise BadHeadFile(f"The head cannot be written to {path}: {error.strerror}.") from error


def add_head(path: Path, head: Head, key: Path | None = None) -> None:
    """Append a head to a file, signed if there is a key."""
    add_fields(path, head_fields(head, key))


def add_fields(path: Path, fields: HeadFields) -> None:
    """Append a head with all that is said of it, in a single write, so that nobody reads half of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            file.write(head_line(fields).encode())
    except OSError as error:
        raise BadHeadFile(f"The head cannot be written to {path}: {error.strerror}.") from error


def head_fields(head: Head, key: Path | None) -> HeadFields:
    """What is exported of a head now, with its signature if there is a key."""
    now = time_text(timezone.now())
    fields = HeadFields(format=FORMAT, sequence=head.sequence, hash=head.hash, exported_at=now)
    if key:
        signer = private_key(key)
        public = signer.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        fields |= {"key": public.hex(), "signature": signer.sign(signed_bytes(fields)).hex()}
    return fields


def head_line(fields: HeadFields) -> str:
    return json.dumps(fields) + "\n"


def signed_bytes(fields: HeadFields) -> bytes:
    parts = (CHECKPOINT, fields["sequence"], fields["hash"], fields["exported_at"])
    return "".join(f"{part}\n" for part in parts).encode()


def read_heads(path: Path, key: Path | None = None) -> list[Head]:
    """Every head in a file; with a public key, each must be signed by it. Raises BadHeadFile."""
    signer = public_key(key) if key else None
    heads = [check_head_line(line, f"{path} line {number}", signer) for number, line in read_head_lines(path)]
    if not heads:
        raise BadHeadFile(f"{path} is not an exported head; write one with verify_ledger --write-head.")
    return heads


def last_head(path: Path) -> Head | None:
    """The newest head of a file, None if there is no file yet."""
    lines = last_lines(path)
    return check_head_line(lines[-1], str(path), None) if lines else None


def last_lines(path: Path) -> list[str]:
    """The whole lines at the end of a file of heads; none if there is no file yet."""
    try:
        with path.open("rb") as file:
            start = max(file.seek(0, os.SEEK_END) - TAIL_BYTES, 0)
            file.seek(start)
            lines = file.read().decode().strip().splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise BadHeadFile(f"The head cannot be read from {path}: {error}.") from error
    return lines[1:] if start else lines


def read_head_lines(path: Path) -> list[tuple[int, str]]:
    """The heads of a file with their line; a single one may span several lines, as older programs wrote it."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadHeadFile(f"The head cannot be read from {path}: {getattr(error, 'strerror', error)}.") from error
    if is_json(text):
        return [(1, text)]
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def check_head_line(line: str, place: str, signer: Ed25519PublicKey | None) -> Head:
    try:
        fields = json.loads(line)
        if fields["format"] != FORMAT:
            raise BadHeadFile(f"{place} holds a head of format {fields['format']!r}; this is {FORMAT}.")
        head = Head(int(fields["sequence"]), str(fields["hash"]))
        if signer:
            signer.verify(bytes.fromhex(fields["signature"]), signed_bytes(fields))
    except InvalidSignature as error:
        raise BadHeadFile(f"{place} is not signed with this key: the head was made up or altered.") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        missing = "signature" if "'signature'" in str(error) else ""
        told = "has no signature" if missing else "is not an exported head; write one with verify_ledger --write-head"
        raise BadHeadFile(f"{place} {told}.") from error
    return head


# ---- keys


def make_key(path: Path) -> Path:
    """Make a key pair: a private key file only its owner can read, and the public one beside it. Never overwrites."""
    key = Ed25519PrivateKey.generate()
    public = path.with_name(f"{path.name}.pub")
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    except OSError as error:
        raise BadHeadFile(f"The key cannot be written to {path}: {error.strerror}.") from error
    return public


def private_key(path: Path) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise BadHeadFile(f"The key {path} cannot be read.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadHeadFile(f"The key {path} is not an Ed25519 key.")
    return key


def public_key(path: Path) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadHeadFile(f"The public key {path} cannot be read.") from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadHeadFile(f"The key {path} is not an Ed25519 key.")
    return key
