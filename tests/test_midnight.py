"""A test that would begin just before midnight begins after it."""

from datetime import UTC, datetime

import pytest

from tests.midnight import seconds_to_wait


@pytest.mark.parametrize(
    ("moment", "seconds"), [("23:58:59", 0), ("23:59:00", 60), ("23:59:59", 1), ("00:00:00", 0), ("12:00:00", 0)]
)
def test_none_begins_in_the_last_minute_of_a_day(moment: str, seconds: int) -> None:
    assert seconds_to_wait(datetime.fromisoformat(f"2026-12-31T{moment}").replace(tzinfo=UTC).timestamp()) == seconds
