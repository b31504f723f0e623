"""Many lasting objects made without the cyclic garbage collector looking through all of them again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Leave out garbage collection; who switched it off switches it on, so that threads may overlap.

    Rows of a content are tuples without cycles, and there are a million of them in a process that answers.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
