"""Both sides of a witness: a contradiction is told on the one that gave a head and on the one that was given it."""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, override

from accounts.mail import mail_administrators
from accounts.models import User
from audit.models import WitnessedHead
from ledger import witness as witnesses
from ledger.chain import time_text
from ledger.events import record
from ledger.heads import BadHeadFile, HeadFields
from ledger.models import Event
from ledger.witness import Contradicted, NotWitnessed, Witness

logger = logging.getLogger(__name__)

CONTRADICTED = "witness_contradicted"
HEADS_A_DAY_MAX = 1_000  # of one installation: twice what it gives in a day


class HeadRefused(Exception):
    """Another hash of this entry was witnessed before; the message is for people."""


class TooManyHeads(Exception):
    """One account has given as many heads in a day as two installations would."""


# ---- giving


def give_heads() -> None:
    """Give the exported heads to the witness, if there is one; whatever it does, the heads stand."""
    witness = witnesses.own_witness()
    if witness is None:
        return
    try:
        witnesses.give_heads(settings.LEDGER_HEADS, settings.LEDGER_KEY, witness, settings.WITNESS_STATE)
    except Contradicted as error:
        details = {"head": error.sequence, "value": error.hash}
        tell_contradiction(witness_subject(witness), "console", details, str(error))
    except (NotWitnessed, BadHeadFile) as error:
        logger.error("No head was witnessed. %s", error)


def witness_subject(witness: Witness) -> str:
    return f"witness:{witness.name}"


def find_contradiction(witness: Witness) -> Event | None:
    """The first contradiction by a witness. It stays: what was rewritten is not mended by what comes after."""
    found = Event.objects.filter(kind=CONTRADICTED, subject=witness_subject(witness)[:120])
    return found.order_by("created_at").first()


# ---- being given


def take_head(user: User, fields: HeadFields) -> tuple[WitnessedHead, bool]:
    """Keep a head of the installation that an account stands for, and whether it is new.

    Raises HeadRefused if another hash of that entry was kept before; that one is kept as well, as refused.
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # one head of an installation at a time
        given = WitnessedHead.objects.filter(source=user, sequence=fields["sequence"])
        kept = given.filter(is_refused=False).first()
        if kept is not None and kept.hash == fields["hash"]:
            return kept, False
        same = given.filter(is_refused=True, hash=fields["hash"]).exists()
        if not same:
            now = timezone.now()
            lately = WitnessedHead.objects.filter(source=user, seen_at__gte=now - timedelta(days=1))
            if lately.count() >= HEADS_A_DAY_MAX:
                raise TooManyHeads(f"An account may give {HEADS_A_DAY_MAX:,} heads a day.")
            head = WitnessedHead.objects.create(
                source=user,
                source_name=str(user)[:254],
                sequence=fields["sequence"],
                hash=fields["hash"],
                fields=fields,
                is_refused=kept is not None,
                seen_at=now,
            )
    if kept is None:
        return head, True
    told = f"Another hash of ledger entry {kept.sequence} was witnessed on {kept.seen_at:%d %b %Y %H:%M} UTC."
    details = {"head": kept.sequence, "from": [kept.hash, fields["hash"]], "name": str(user)}
    tell_contradiction(f"user:{user.pk}", str(user), details, f"{user}: {told}")
    raise HeadRefused(f"{told} The chain it was given from was rewritten, or the account stands for two installations.")


# ---- the alert of both


def tell_contradiction(subject: str, actor: str, details: dict[str, object], told: str) -> None:
    """A critical line in the log each time; the first time it is recorded, and administrators are mailed."""
    logger.critical("%s", told)
    with transaction.atomic():
        if Event.objects.filter(kind=CONTRADICTED, subject=subject[:120], details=details).exists():
            return
        record(CONTRADICTED, actor, subject, details)
    with override(settings.LANGUAGE_CODE):
        mail_administrators(gettext("A witness contradicts the record"), f"{told}\n\n{time_text(timezone.now())}")
