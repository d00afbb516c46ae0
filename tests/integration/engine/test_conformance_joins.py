"""Spark's behaviour that the lowering of joins relies on.

When null rows are emitted, which rows are late, and how far the watermark trails after a join.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from tests.support.batch_query import BatchQuery, Frames

pytestmark = pytest.mark.integration

SIDE = "k STRING, at DOUBLE, n INT"
Pairs = list[tuple[Any, Any]]


@pytest.fixture
def join(spark: SparkSession, tmp_path: Path) -> Callable[..., BatchQuery]:
    def start(
        kind: str,
        before: str,
        after: str,
        mode: str = "append",
        then: Callable[[DataFrame], DataFrame] | None = None,
    ) -> BatchQuery:
        def build(frames: Frames) -> DataFrame:
            left, right = (_side(frames[name], name) for name in ("l", "r"))
            first, last = (f"lt + INTERVAL '{bound}' DAY TO SECOND" for bound in (before, after))
            bounds = f"rt >= {first} AND rt <= {last}"
            joined = left.join(right, F.expr(f"lk = rk AND {bounds}"), kind)
            return (
                then(joined)
                if then
                else joined.select(*[name for name in ("l", "r") if name in joined.columns])
            )

        return BatchQuery(spark, tmp_path / "script", {"l": SIDE, "r": SIDE}, build, mode)

    return start


def _side(frame: DataFrame, name: str) -> DataFrame:
    at = F.expr("timestamp_micros(cast(round(at * 1000) * 1000 AS BIGINT))").alias(f"{name}t")
    return frame.select(F.col("k").alias(f"{name}k"), F.col("n").alias(name), at).withWatermark(
        f"{name}t", "0 seconds"
    )


def rows(*values: tuple[str, float, int]) -> list[dict[str, Any]]:
    return [{"k": k, "at": at, "n": n} for k, at, n in values]


def pairs(out: list[dict[str, Any]]) -> Pairs:
    return sorted(((row.get("l"), row.get("r")) for row in out), key=str)


def test_a_row_without_partner_comes_when_the_watermark_is_past_its_bound(
    join: Callable[..., BatchQuery],
) -> None:
    """Strictly past, by a millisecond: `E(n) > l.t + after`."""
    query = join("left_outer", "0 00:00:00", "0 00:00:05")
    assert query.batch({"l": rows(("a", 100, 1)), "r": rows(("z", 105, 1))}) == []
    assert query.batch({"l": rows(("z", 200, 2)), "r": rows(("y", 105, 2))}) == []  # E = 100
    assert query.batch({"l": rows(("z", 200, 3)), "r": rows(("y", 105.001, 3))}) == []  # E = 105, not past it
    assert pairs(query.batch({"r": rows(("y", 106, 4))})) == [(1, None)]  # E = 105.001


def test_a_semi_join_loses_a_pair_that_comes_when_it_is_due(join: Callable[..., BatchQuery]) -> None:
    """Neither row is late, and an inner join emits the pair.

    Spark 4.3 reads the right side of a semi join first and drops right rows that are past their bound. When
    this test fails, Spark was fixed: remove the limitation.
    """
    query = join("left_semi", "0 00:00:00", "0 00:00:00")
    query.batch({"l": rows(("a", 100, 1)), "r": rows(("a", 100, 1))})
    assert query.batch({"l": rows(("b", 50, 2)), "r": rows(("b", 50, 2))}) == []  # L = 0, E = 100


@pytest.mark.long
def test_after_a_restart_the_watermark_waits_for_every_source(join: Callable[..., BatchQuery]) -> None:
    """Spark restores the query's watermark, not its sources'.

    One that is silent since the restart holds it back.
    """
    query = join("inner", "0 00:00:00", "0 00:00:05")
    query.batch({"l": rows(("a", 200, 1)), "r": rows(("b", 100, 1))})
    query.batch({"r": rows(("b", 150, 2))})
    query.batch({"l": rows(("a", 120, 3)), "r": rows(("b", 150, 3))})
    query.batch({"r": rows(("b", 150, 4))})
    assert [progress["eventTime"]["watermark"][14:23] for progress in query.progress] == [
        "00:00.000",
        "01:40.000",
        "01:40.000",
        "02:00.000",
    ]


def test_a_row_whose_bound_has_passed_when_it_comes(join: Callable[..., BatchQuery]) -> None:
    """A row that is not late but can find no partner: its null row comes in its own batch, or never."""
    query = join("left_outer", "0 00:00:00", "0 00:00:05")
    query.batch({"l": rows(("a", 100, 1)), "r": rows(("z", 100, 1))})
    query.batch({"l": rows(("b", 200, 2)), "r": rows(("z", 200, 2))})  # E = 100
    out = query.batch({"l": rows(("c", 150, 3))})  # L = 100, E = 200
    assert (3, None) in pairs(out)


@pytest.mark.long
def test_rows_behind_the_watermark_before_are_late(join: Callable[..., BatchQuery]) -> None:
    query = join("inner", "0 00:00:00", "0 00:00:05")
    query.batch({"l": rows(("a", 100, 1)), "r": rows(("z", 100, 1))})
    assert pairs(query.batch({"l": rows(("a", 90, 2)), "r": rows(("a", 94, 2))})) == [(2, 2)]  # L = 1970
    assert query.batch({"l": rows(("a", 100, 3)), "r": rows(("a", 99, 3))}) == []  # L = 100
    assert pairs(query.batch({"l": rows(("b", 100.001, 4)), "r": rows(("b", 100.001, 4))})) == [(4, 4)]
    assert (
        sum(
            state["numRowsDroppedByWatermark"]
            for progress in query.progress
            for state in progress["stateOperators"]
        )
        == 2
    )


@pytest.mark.parametrize(
    ("kind", "before", "after", "trails"),
    [
        ("inner", "0 00:00:00", "0 00:00:05", 5.001),
        ("inner", "-0 00:00:07", "0 00:00:05", 7.001),
        ("left_semi", "-0 00:00:07", "0 00:00:05", 5.001),
        ("left_semi", "-0 00:00:07", "0 00:00:00", 0.001),
        ("left_semi", "-0 00:00:07", "-0 00:00:02", 0),
    ],
)
def test_the_watermark_behind_a_join(
    join: Callable[..., BatchQuery], kind: str, before: str, after: str, trails: float
) -> None:
    """It trails by the wider bound and one millisecond, behind a semi join by `after` alone: the window
    [100, 110) closes at 110 plus that.
    """

    def counted(joined: DataFrame) -> DataFrame:
        return joined.groupBy(F.window("lt", "10 seconds")).agg(F.count("*").alias("l"))

    query = join(kind, before, after, then=counted)
    # The right row fits all the bounds.
    at = 102 if not after.startswith("-") and after != "0 00:00:00" else 98
    query.batch({"l": rows(("a", 101, 1)), "r": rows(("a", at, 1))})
    mark = 110 + trails
    query.batch({"l": rows(("z", mark - 0.001, 2)), "r": rows(("y", mark - 0.001, 2))})
    assert query.batch({"l": rows(("z", mark, 3)), "r": rows(("y", mark, 3))}) == []  # E = mark − 1 ms
    assert pairs(query.batch({"l": rows(("z", mark, 4))})) == [(1, None)]  # E = mark
