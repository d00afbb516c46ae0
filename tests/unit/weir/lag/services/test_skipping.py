"""When a job says that it skips records of a source."""

from typing import Any

import pytest

from jobs.kafka_messages import MalformedExample, SourceRead
from weir.lag.services.skipping import WINDOW_US, SourceSkips, Threshold

T = 1_767_261_600_000_000
EXAMPLE = MalformedExample(reason="KEY_INVALID", partition=1, offset=7)


def read(records: int, **malformed: int) -> SourceRead:
    return SourceRead(records=records, malformed=malformed, example=EXAMPLE if malformed else None)


def alert(*batches: tuple[int, SourceRead], threshold: Threshold | None = None) -> dict[str, Any] | None:
    skips = SourceSkips()
    for at_us, counted in batches:
        skips.add(counted, at_us, threshold or Threshold())
    return skips.alert("s")


@pytest.mark.parametrize(
    ("records", "malformed", "said"),
    [(0, 0, False), (100, 0, False), (1, 1, True), (3, 3, True), (100, 19, False), (100, 20, True),
     (400, 20, True), (401, 20, False),
     (10_000, 499, False), (10_000, 500, True)],
)  # fmt: skip
def test_when(records: int, malformed: int, said: bool) -> None:
    counted = read(records, **({"KEY_INVALID": malformed} if malformed else {}))
    assert (alert((T, counted)) is not None) == said


def test_what_is_said() -> None:
    assert alert((T, read(10)), (T + 1, read(90, KEY_INVALID=50, FIELD_TYPE=20))) == {
        "source": "s",
        "records": 100,
        "malformed": 70,
        "share": 0.7,
        "reason": "KEY_INVALID",
        "reason_records": 50,
        "example": {"reason": "KEY_INVALID", "partition": 1, "offset": 7},
        "since": "2026-01-01T10:00:00.000001Z",
    }


def test_not_quite_all_is_not_all() -> None:
    (found,) = (alert((T, read(500_000, KEY_INVALID=499_980))),)
    assert found is not None
    assert found["share"] == 0.9999


def test_a_table_that_was_read_once_stays_as_it_was() -> None:
    """Batches without a record of it are no news of it."""
    later = [(T + minutes * 60_000_000, read(0)) for minutes in range(1, 60)]
    found = alert((T, read(26_120, KEY_INVALID=26_120)), *later)
    assert found is not None
    assert (found["share"], found["since"]) == (1.0, "2026-01-01T10:00:00.000000Z")


def test_it_ends_when_the_last_minutes_were_good() -> None:
    bad, good = (T, read(100, FIELD_TYPE=50)), read(10)
    assert alert(bad, (T + WINDOW_US - 1, good)) is not None
    assert alert(bad, (T + WINDOW_US + 20_000_000, good)) is None


def test_many_batches_within_a_moment_are_one_count() -> None:
    found = alert(*[(T + number, read(1, NOT_JSON=1)) for number in range(50)])
    assert found is not None
    assert (found["records"], found["malformed"]) == (50, 50)


def test_the_threshold_is_a_setting() -> None:
    counted = (T, read(100, NOT_JSON=1))
    assert alert(counted) is None
    assert alert(counted, threshold=Threshold(share=0.01, minimum=1)) is not None


def test_what_another_process_told_goes_on_with_each_reason_that_it_had() -> None:
    told = alert((T, read(10)), (T + 1, read(90, KEY_INVALID=50, FIELD_TYPE=20)))
    assert told is not None
    skips = SourceSkips.of_alert(told, T + 2)
    assert skips.alert("s") == told
    skips.add(read(100, FIELD_TYPE=51), T + 3, Threshold())
    found = skips.alert("s")
    assert found is not None
    assert (found["reason"], found["reason_records"], found["malformed"]) == ("FIELD_TYPE", 51, 121)
