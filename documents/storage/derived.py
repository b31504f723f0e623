"""A reading is packed with what is derived of it, so that no question over many documents derives it anew.

`storage.content.stored_with_reading` says of a function that its value is. Of a reading that another program packed, it
is derived where it is asked for, until `pack_outdated` has packed it.
"""

import logging
from time import monotonic

from django.core.cache import cache
from django.db import transaction

from documents.models import Document, Packed, Parse
from documents.storage.content import DERIVED, content_of_rows
from documents.storage.packed import (
    ROWS,
    VERSION,
    ReadingRows,
    pack,
    pack_rows,
    read_packed,
    read_tables_of,
    store_packed,
    unpack,
)

logger = logging.getLogger(__name__)

SECONDS = 15.0  # of a run: documents that wait for the worker wait as long
LIVING_S = 600  # that a program counts as living after it packed readings, which it does each minute if it has the time


def pack_reading(parse: Parse, rows: ReadingRows) -> None:
    """Pack a reading that has lines; in the transaction that stores its rows, or that has it locked."""
    if rows.lines:
        store_packed(parse, packed_values(parse, rows))


def packed_values(parse: Parse, rows: ReadingRows) -> dict[str, bytes]:
    """The rows and what is derived of them. What fails is told to whoever asks for it, and keeps no document out."""
    content, values = content_of_rows(parse.document, parse, rows), {}
    for name in (ROWS, *DERIVED):
        try:
            values[name] = pack_rows(rows) if name == ROWS else pack(DERIVED[name](content))
        except Exception:
            logger.exception("%s of reading %s cannot be packed", name, parse.pk)
    return values


def values_of_tables(parse: Parse) -> dict[str, bytes]:
    """The same of a reading that is stored; nothing of one whose rows are none that the program wrote."""
    try:
        rows = read_tables_of(parse)
    except (TypeError, ValueError):
        logger.exception("The rows of reading %s cannot be read", parse.pk)
        return {}
    return packed_values(parse, rows)


def pack_outdated(seconds: float = SECONDS) -> int:
    """Pack readings that can be asked and that this program has not packed, until so long has passed; how many.

    One by one, each as a whole, in no order: one that ends the worker keeps no other from its turn.
    """
    asked = Document.objects.answering().filter(base__deleted_at=None).values("current_parse")
    outdated = Parse.objects.filter(line_count__gt=0, pk__in=asked).exclude(packed__version__in=living_versions())
    waiting = list(outdated.order_by("?").values_list("pk", flat=True))
    packed, end = 0, monotonic() + seconds
    for pk in waiting:
        if parse := outdated.filter(pk=pk).first():
            packed += pack_anew(parse)
        if monotonic() >= end:
            break
    if waiting:
        logger.info("%d of %d readings of another version were packed anew", packed, len(waiting))
    return packed


def living_versions() -> list[str]:
    """The versions of programs that pack readings at this time: what one of them packed is left to it.

    Else two programs at once, as of two releases or secret keys, would pack all readings against each other.
    """
    cache.set(f"packing:{VERSION}", True, LIVING_S)
    stored = Packed.objects.exclude(version=VERSION).values_list("version", flat=True).distinct()
    return [VERSION, *(version for version in stored if cache.get(f"packing:{version}"))]


def pack_anew(parse: Parse) -> bool:
    """Pack a stored reading, unless it is being erased at this moment or is gone; whether it was packed."""
    values = values_of_tables(parse)  # before it is locked: who stores an answer waits for it
    with transaction.atomic():
        if locked := Parse.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=parse.pk).first():
            store_packed(parse, values)
    return locked is not None


def changed_values(parse: Parse) -> list[str]:
    """The names of what this program packed of a parse and is not what its rows give."""
    packed = read_packed(parse)
    if packed is None:
        return []
    made = values_of_tables(parse)
    named = {name for name in packed or made if name in (ROWS, *made)}
    return sorted(name for name in named if not is_equal(packed.get(name), made.get(name)))


def is_equal(packed: bytes | None, other: bytes | None) -> bool:
    """Whether two values are the same to the last digit and type; their bytes depend on what shares an object."""
    return packed is not None and other is not None and repr(unpack(packed)) == repr(unpack(other))
