"""The ids of what is being worked on: request, turn, job and run. Each line of the log names those that are known."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from types import MappingProxyType

from jobs.block import with_value

NAMES = ("request", "turn", "job", "run")
NOTHING: Mapping[str, str] = MappingProxyType({})
# A request's tasks and threads have copies of its context, and so the same dictionary.
_known: ContextVar[dict[str, str] | None] = ContextVar("ids", default=None)


def known_ids() -> Mapping[str, str]:
    """The ids by name, of this thread or task."""
    return _known.get() or NOTHING


def note_ids(**ids: object) -> None:
    """Add ids for the rest of what is being worked on, for everything that works on it."""
    known = _known.get()
    if known is None:
        _known.set(with_ids(ids))
    else:
        known.update(with_ids(ids))


def noted_ids(**ids: object) -> AbstractContextManager[None]:
    """Add ids for a block; what is noted inside is forgotten with it."""
    return with_value(_known, with_ids(ids))


def start_with(ids: Mapping[str, str]) -> None:
    """Forget what was known and begin with these: a thread of a worker does one task after the other."""
    _known.set({name: str(ids[name]) for name in NAMES if ids.get(name)})


def with_ids(ids: Mapping[str, object]) -> dict[str, str]:
    return {**known_ids(), **{name: str(value) for name, value in ids.items()}}
