"""Time stamps of exported heads by an authority of RFC 3161 (AT4): that a head stood at a time, said by one outside.

Nobody gets a stamp of yesterday. Whoever rewrites the chain today can sign new heads with a stolen key, but has to have
them stamped today, and the entries before them say that they are older. The verifiers look for exactly that.
"""

import base64
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from http.client import HTTPException
from pathlib import Path

from cryptography.x509 import Certificate, load_pem_x509_certificates
from django.conf import settings
from django.utils import timezone
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from ledger.chain import Head
from ledger.heads import BadHeadFile, add_fields, check_head_line, head_fields, last_lines, signed_bytes
from ledger.outside import NoReply, post, within

DEADLINE_S = (
    30.0 * settings.PATIENCE
)  # for one stamp, whatever the authority does; the sweeping worker has other work too
REPLY_BYTES_MAX = 32_768  # a token with the certificates of three authorities above it has 8,000
APART_MAX = timedelta(hours=1)  # of the authority's clock and ours; later every check would call our entries late
AT_ONCE = 20  # heads an hour: the newest, and those of evidence packs made meanwhile
OVERDUE = timedelta(hours=3)  # since the last stamp: two hours in a row failed
GRANTED = bytes.fromhex("3003020100")  # the status before a token in a whole response


class NoStamp(Exception):
    """The authority gave no stamp that holds; the message is for people."""


@dataclass(frozen=True)
class Authority:
    """Who is asked for stamps, and the certificates by which a stamp is known to be theirs."""

    url: str
    certificates: Path


def own_authority() -> Authority | None:
    """The authority of this installation; None where heads are not stamped."""
    certificates: Path | None = settings.TSA_CERTIFICATES
    return Authority(settings.TSA_URL, certificates) if settings.TSA_URL and certificates else None


def stamp_waiting(path: Path, key: Path | None, authority: Authority) -> None:
    """Have the newest head stamped, and those exported since the last stamp; each is appended again, with its stamp.

    The newest is stamped again when nothing was recorded meanwhile: stamps without a pause show that nothing was cut
    off. Raises NoStamp, BadHeadFile; what was stamped before stays.
    """
    for head in waiting_heads(path):
        fields = head_fields(head, key)
        token = request_stamp(signed_bytes(fields), authority)
        add_fields(path, fields | {"stamp": base64.b64encode(token).decode()})


def waiting_heads(path: Path) -> list[Head]:
    """The newest head of a file, after those above the last stamped one."""
    lines = last_lines(path)
    heads = sorted({check_head_line(line, str(path), None) for line in lines})
    stamped = [check_head_line(line, str(path), None) for line in lines if '"stamp"' in line]
    above = [head for head in heads if head.sequence > max(stamped).sequence] if stamped else []
    return sorted({*above[-AT_ONCE:], *heads[-1:]})


def last_stamp(path: Path) -> datetime | None:
    """When the authority last stamped a head of a file; None if none of its last heads has a stamp."""
    stamped = [line for line in last_lines(path) if '"stamp"' in line]
    if not stamped:
        return None
    try:
        token = base64.b64decode(json.loads(stamped[-1])["stamp"])
        return decode_timestamp_response(response_of(token)).tst_info.gen_time
    except (ValueError, KeyError, TypeError) as error:
        raise BadHeadFile(f"The last stamp in {path} cannot be read.") from error


def response_of(token: bytes) -> bytes:
    """A token as the whole response it came in (DER)."""
    content = GRANTED + token
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8)
    return b"\x30" + bytes([0x80 + len(size)]) + size + content


# ---- asking the authority


def request_stamp(message: bytes, authority: Authority) -> bytes:
    """A token over the SHA-256 of a message, checked against the authority's certificates. Raises NoStamp."""
    request = TimestampRequestBuilder().data(message).hash_algorithm(HashAlgorithm.SHA256).build()
    verifier = VerifierBuilder.from_request(request)
    for certificate in read_certificates(authority.certificates):
        verifier = verifier.add_root_certificate(certificate)
    raw = within_deadline(authority.url, request.as_bytes())
    try:
        reply = decode_timestamp_response(raw)
        if reply.status != 0:
            raise NoStamp(f"The time-stamping authority refused: {'; '.join(reply.status_string) or reply.status}.")
        verifier.build().verify_message(reply, message)
    except (VerificationError, ValueError) as error:
        raise NoStamp(f"The time-stamping authority's reply does not hold: {error}") from error
    refuse_other_clock(reply)
    return reply.time_stamp_token()


def read_certificates(path: Path) -> set[Certificate]:
    try:
        return set(load_pem_x509_certificates(path.read_bytes()))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it holds no certificates in PEM"
        raise NoStamp(f"{path} cannot be read: {reason}.") from error


def refuse_other_clock(reply: TimeStampResponse) -> None:
    theirs, ours = reply.tst_info.gen_time, timezone.now()
    if abs(theirs - ours) > APART_MAX:
        raise NoStamp(f"The clock of the time-stamping authority says {theirs:%d %b %Y %H:%M} UTC, ours {ours:%H:%M}.")


def within_deadline(url: str, body: bytes) -> bytes:
    """The authority's reply to a request. Raises NoStamp."""
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    try:
        found = within(DEADLINE_S, post, url, body, headers, REPLY_BYTES_MAX)
    except NoReply as error:
        raise NoStamp(f"The time-stamping authority gave no reply {error}.") from error
    except (OSError, HTTPException, ValueError) as error:
        raise NoStamp(f"The time-stamping authority gave no reply: {error}.") from error
    if len(found) > REPLY_BYTES_MAX:
        raise NoStamp(f"The time-stamping authority's reply is larger than {REPLY_BYTES_MAX:,} bytes.")
    return found
