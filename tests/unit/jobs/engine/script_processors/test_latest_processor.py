"""The state of latest with a time to live, driven by Spark's own tester of stateful processors."""

import json
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql.streaming.tws_tester import TwsTester

from jobs.engine.script_processors.latest_processor import LatestProcessor

KEY = "[1]"


def frame(*given: tuple[int, list[Any] | str, str]) -> pd.DataFrame:
    """What came for one key: (time in µs, order key, row; one that begins with - takes the key away)."""
    texts = [order_key if isinstance(order_key, str) else json.dumps(order_key) for _, order_key, _ in given]
    return pd.DataFrame(
        [
            [KEY, at, text, row, f"key of {row}", row.startswith("-")]
            for (at, _, row), text in zip(given, texts, strict=True)
        ]
    )


def said(out: pd.DataFrame) -> list[tuple[str, bool]]:
    return [] if out.empty else list(zip(out["_row"], out["_deleted"], strict=True))


def following(*, by_order_key: bool = False) -> TwsTester:
    return TwsTester(
        LatestProcessor(by_order_key, 10_000),
        timeMode="EventTime",
        outputMode="Update",
        eventTimeExtractor=lambda row: 2**62,
    )


def test_only_the_newest_row_is_given_out() -> None:
    state = following()
    rows = frame((5_000, ["s", 0, 1], "b"), (5_000, ["s", 0, 0], "a"), (4_000, ["s", 0, 9], "old"))
    assert said(state.testInPandas(KEY, rows)) == [("b", False)]
    assert said(state.testInPandas(KEY, frame((5_000, ["s", 0, 0], "a")))) == []
    assert said(state.testInPandas(KEY, frame((6_000, ["s", 0, 2], "-c")))) == [("-c", True)]
    assert said(state.testInPandas(KEY, frame((5_500, ["s", 0, 3], "d")))) == []


def test_decimals_in_places_are_exact() -> None:
    state = following()
    rows = frame(
        (5_000, '["k",10000000000000000.02]', "b"),
        (5_000, '["k",10000000000000000.01]', "a"),
        (5_000, '["k",9.00]', "c"),
    )
    assert said(state.testInPandas(KEY, rows)) == [("b", False)]


def test_by_place_a_later_offset_is_newer_whatever_its_time() -> None:
    state = following(by_order_key=True)
    assert said(state.testInPandas(KEY, frame((5_000, [0, 1], "a")))) == [("a", False)]
    assert said(state.testInPandas(KEY, frame((1_000, [0, 2], "b")))) == [("b", False)]


def test_a_key_lives_until_the_watermark_is_past_its_newest_row() -> None:
    state = following()
    state.testInPandas(KEY, frame((5_500, ["s", 0, 0], "a")))
    assert said(state.setWatermark(14)) == []
    state.testInPandas(KEY, frame((5_501, ["s", 0, 1], "b")))
    assert said(state.setWatermark(15)) == []
    assert said(state.setWatermark(16)) == [("key of b", True)]
    assert state.peekValueState("newest", KEY) is None


def test_a_row_whose_time_has_passed_takes_its_key_away_at_once() -> None:
    state = following()
    state.setWatermark(100)
    assert said(state.testInPandas(KEY, frame((5_000, ["s", 0, 0], "a")))) == [("key of a", True)]
    assert state.peekValueState("newest", KEY) is None
