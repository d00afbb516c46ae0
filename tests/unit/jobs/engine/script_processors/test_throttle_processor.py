"""The state of throttle, driven by Spark's own tester of stateful processors."""

import json
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql.streaming.tws_tester import TwsTester

from jobs.engine.script_processors.throttle_processor import ThrottleProcessor

KEY = "[1]"


def frame(*rows: tuple[int, str]) -> pd.DataFrame:
    """What came for one key: time in ms and row; its offset is its position."""
    return pd.DataFrame(
        [[KEY, at * 1_000, json.dumps(["s", 0, offset]), row] for offset, (at, row) in enumerate(rows)]
    )


def passed(out: pd.DataFrame) -> list[Any]:
    return [] if out.empty else list(out["_row"])


def throttle(*, last: bool, slack_us: int = 0) -> TwsTester:
    return TwsTester(
        ThrottleProcessor(10_000_000, slack_us, last),
        timeMode="EventTime",
        outputMode="Append",
        eventTimeExtractor=lambda row: 2**62,
    )


def test_rows_wait_for_the_watermark_and_the_first_of_an_interval_passes() -> None:
    state = throttle(last=False)
    assert passed(state.testInPandas(KEY, frame((11_000, "c"), (4_000, "b"), (1_000, "a")))) == []
    assert passed(state.setWatermark(4_000)) == ["a"]
    assert passed(state.setWatermark(11_000)) == ["c"]


def test_of_rows_of_one_time_the_first_in_row_order_passes() -> None:
    state = throttle(last=False)
    state.testInPandas(KEY, frame((1_000, "a"), (1_000, "b")))
    assert passed(state.setWatermark(1_000)) == ["a"]


def test_the_last_row_passes_when_its_interval_is_over() -> None:
    state = throttle(last=True)
    state.testInPandas(KEY, frame((1_000, "a"), (4_000, "b")))
    assert passed(state.setWatermark(10_999)) == []
    assert passed(state.setWatermark(11_000)) == ["b"]


def test_the_last_row_passes_when_a_later_interval_begins() -> None:
    state = throttle(last=True)
    state.testInPandas(KEY, frame((1_000, "a"), (4_000, "b"), (30_000, "c"), (50_000, "d")))
    assert passed(state.setWatermark(30_000)) == ["b"]
    assert passed(state.setWatermark(60_000)) == ["c", "d"]


def test_slack_holds_rows_and_intervals_longer() -> None:
    state = throttle(last=True, slack_us=2_000_000)
    state.testInPandas(KEY, frame((1_000, "a")))
    assert passed(state.setWatermark(12_999)) == []
    assert passed(state.setWatermark(13_000)) == ["a"]


def test_nothing_is_kept_of_an_interval_that_is_over() -> None:
    state = throttle(last=False)
    state.testInPandas(KEY, frame((1_000, "a")))
    state.setWatermark(5_000)
    assert state.peekValueState("throttle", KEY) is not None
    state.setWatermark(11_000)
    assert state.peekValueState("throttle", KEY) is None
