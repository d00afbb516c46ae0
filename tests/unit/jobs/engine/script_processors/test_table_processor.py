"""State of table joins, with Spark's tester for stateful processors: what is held, emitted and removed."""

from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pytest
from pyspark.sql.streaming.tws_tester import TwsTester

from jobs.engine.script_processors.table_processor import AsOfProcessor, CurrentProcessor

KEY = "[1]"


def frame(*given: tuple[str, int, int, str | None]) -> pd.DataFrame:
    """What came for one key: (entry or row, time in µs, offset, text)."""
    columns: list[list[Any]] = [
        [KEY, int(side == "row"), at, 0, offset, text] for side, at, offset, text in given
    ]
    return pd.DataFrame(columns)


def pairs(out: pd.DataFrame) -> list[tuple[str, str | None]]:
    return [] if out.empty else list(zip(out["_row"], out["_entry"], strict=True))


def as_of(retention_us: int = 1_000_000_000, *, inner: bool = False) -> TwsTester:
    return TwsTester(
        AsOfProcessor(inner, 0, retention_us),
        timeMode="EventTime",
        outputMode="Append",
        eventTimeExtractor=lambda row: 2**62,
    )


def test_entries_first_then_rows() -> None:
    tester = TwsTester(CurrentProcessor(inner=False, by_event_time=False))
    assert pairs(
        tester.testInPandas(KEY, frame(("row", 1, 0, "r"), ("entry", 5, 2, "b"), ("entry", 9, 1, "a")))
    ) == [("r", "b")]
    assert pairs(tester.testInPandas(KEY, frame(("row", 1, 0, "r"), ("entry", 5, 3, None)))) == [("r", None)]
    assert tester.peekValueState("entry", KEY) is None


def test_an_inner_join_drops_rows_without_an_entry() -> None:
    tester = TwsTester(CurrentProcessor(inner=True, by_event_time=False))
    assert pairs(tester.testInPandas(KEY, frame(("row", 1, 0, "r")))) == []


@pytest.mark.parametrize(("at", "found"), [(4, None), (5, "late"), (6, "late")])
def test_by_event_time_a_deletion_is_remembered(at: int, found: str | None) -> None:
    tester = TwsTester(CurrentProcessor(inner=False, by_event_time=True))
    tester.testInPandas(KEY, frame(("entry", 1, 0, "a"), ("entry", 5, 1, None)))
    assert pairs(tester.testInPandas(KEY, frame(("row", 1, 0, "r"), ("entry", at, 2, "late")))) == [
        ("r", found)
    ]


def test_rows_are_held_until_the_watermark_reaches_them() -> None:
    tester = as_of()
    rows = frame(
        ("row", 7_000, 0, "r7"), ("row", 5_500, 0, "r5"), ("entry", 5_000, 0, "v5"), ("entry", 6_000, 1, "v6")
    )
    assert pairs(tester.testInPandas(KEY, rows)) == []
    assert pairs(tester.setWatermark(5)) == []
    assert pairs(tester.testInPandas(KEY, frame(("row", 5_001, 0, "r")))) == []
    assert pairs(tester.setWatermark(6)) == [("r", "v5"), ("r5", "v5")]
    assert pairs(tester.setWatermark(7)) == [("r7", "v6")]
    assert tester.peekValueState("held", KEY) is None


def test_of_equal_times_the_newer_place_counts_and_a_deletion_is_a_version() -> None:
    tester = as_of()
    entries = (
        ("entry", 11_000, 2, "b"),
        ("entry", 11_000, 1, "a"),
        ("entry", 13_000, 3, None),
        ("entry", 15_000, 4, "c"),
    )
    rows = (
        ("row", 10_999, 0, "r0"),
        ("row", 11_000, 0, "r1"),
        ("row", 13_000, 0, "r3"),
        ("row", 15_001, 0, "r5"),
    )
    tester.testInPandas(KEY, frame(*entries, *rows))
    assert pairs(tester.setWatermark(20)) == [("r0", None), ("r1", "b"), ("r3", None), ("r5", "c")]


def test_versions_older_than_the_retention_go_but_for_the_newest_of_them() -> None:
    tester = as_of(retention_us=5_000)
    tester.testInPandas(KEY, frame(*(("entry", at * 1_000, at, f"v{at}") for at in (1, 2, 3, 9))))
    tester.setWatermark(10)
    tester.testInPandas(KEY, frame(("entry", 11_000, 11, "v11")))
    assert tester.peekValueState("versions", KEY) == (
        [3_000, 9_000, 11_000],
        [0, 0, 0],
        [3, 9, 11],
        ["v3", "v9", "v11"],
    )


def test_the_newest_of_the_old_versions_stays_although_it_is_a_deletion() -> None:
    tester = as_of(retention_us=5_000)
    tester.testInPandas(KEY, frame(("entry", 1_000, 1, "a"), ("entry", 2_000, 2, None)))
    tester.setWatermark(10)
    tester.testInPandas(KEY, frame(("entry", 2_500, 3, None)))
    assert tester.peekValueState("versions", KEY) == ([2_500], [0], [3], [None])


def test_an_older_entry_does_not_bring_a_deleted_key_back() -> None:
    tester = as_of(retention_us=5_000)
    tester.setWatermark(30)
    tester.testInPandas(KEY, frame(("entry", 10_000, 1, None)))
    tester.testInPandas(KEY, frame(("entry", 9_000, 2, "a"), ("row", 40_000, 0, "r")))
    assert pairs(tester.setWatermark(60)) == [("r", None)]
