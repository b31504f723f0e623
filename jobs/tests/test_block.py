"""A value of a block is gone with it, however it ends, and the one before is there again."""

from contextvars import ContextVar

import pytest

from jobs.block import with_value

_mood: ContextVar[str] = ContextVar("mood", default="calm")


def test_blocks_lie_in_each_other() -> None:
    with with_value(_mood, "busy"):
        with with_value(_mood, "wild"):
            assert _mood.get() == "wild"
        assert _mood.get() == "busy"
    assert _mood.get() == "calm"


def test_an_error_ends_the_block_as_well() -> None:
    with pytest.raises(ValueError, match="stop"), with_value(_mood, "busy"):
        raise ValueError("stop")
    assert _mood.get() == "calm"
