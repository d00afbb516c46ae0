"""What is done every some seconds goes on when the clock was set back."""

from datetime import UTC, datetime, timedelta

import pytest

from weir.alerts.services.intervals import is_due

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("last_s", "due"), [(None, True), (-10, True), (-9, False), (0, False), (1, True), (3_600, True)]
)
def test_it_is_due_after_its_time_and_when_the_last_one_is_still_to_come(
    last_s: int | None, due: bool
) -> None:
    last = None if last_s is None else NOW + timedelta(seconds=last_s)
    assert is_due(last, NOW, timedelta(seconds=10)) is due
