"""One line per step with the seconds it took."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def say(text: str, end: str = "\n") -> None:
    """Print immediately; a closed terminal must not prevent anything from being stopped."""
    with suppress(OSError):
        print(text, end=end, flush=True)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Print a step's name when it begins, and its seconds when it is done."""
    began = time.monotonic()
    say(f"  {name:<34}", end="")
    try:
        yield
    except BaseException:
        say("not done")
        raise
    say(f"{time.monotonic() - began:5.1f} s")
