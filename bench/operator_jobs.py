"""The jobs whose throughput is measured.

A document of ours, and the same written by hand in PySpark where that can be done plainly.

Both read JSON records and write JSON records. Hand-written ones count no errors inside expressions, and give
no row an identity unless the job has a key.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

FIELDS = {
    "k": "string",
    "id": "long",
    "x": "int",
    "y": "double",
    "price": "decimal(10,2)",
    "line": "string",
    "tags": "array<string>",
}
SCHEMA = "k string, id long, x int, y double, price decimal(10,2), line string, tags array<string>"
DELAY = "10 seconds"
SPARK_KINDS = {"semi": "left_semi", "anti": "left"}  # Spark has no streaming anti join
WORDS = r"[\p{L}\p{M}\p{N}_]+"

Streams = Mapping[str, DataFrame]
ByHand = Callable[[Streams], DataFrame]


@dataclass(frozen=True)
class BenchJob:
    """One operator at work.

    Attributes:
        name: in the report.
        steps: of our document, whose last step is the result.
        by_hand: rows of the streams by name → result rows; None where Spark has no plain way to the same
            answer.
        mode: output mode of the hand-written query.
        sources: streams and tables that are read as they grow.
        static: tables that are read once, at the start.
        native: Spark has the operator itself, so that ours is held against the hand-written one.
    """

    name: str
    steps: dict[str, Any]
    by_hand: ByHand | None
    mode: str = "append"
    sources: tuple[str, ...] = ("s",)
    static: tuple[str, ...] = ()
    native: bool = True


def _one(
    step: dict[str, Any], by_hand: Callable[[DataFrame], DataFrame] | None, name: str = "", **more: Any
) -> BenchJob:
    by_streams = None if by_hand is None else (lambda streams: by_hand(streams["s"]))
    return BenchJob(name or step["op"], {"step": {"input": "s", **step}}, by_streams, **more)


def _windowed(frame: DataFrame, window: str) -> DataFrame:
    grouped = frame.groupBy(F.expr(window).alias("w"), "k").agg(
        F.count("*").alias("n"), F.sum("x").alias("total"), F.min("y").alias("low")
    )
    return grouped.select("w.start", "w.end", "k", "n", "total", "low")


def _aggregate(
    name: str, window: dict[str, Any] | None, by_hand: str | None, emit: str, **more: Any
) -> BenchJob:
    step: dict[str, Any] = {
        "op": "aggregate",
        "by": ["k"],
        "measures": {"n": "count()", "total": "sum(x)", "low": "min(y)"},
        "emit": emit,
    }
    if window is not None:
        step["window"] = window
    hand = None if by_hand is None else (lambda frame: _windowed(frame, by_hand))
    return _one(step, hand, name, mode="append" if emit == "final" else "update", **more)


def _joined(kind: str) -> ByHand:
    def join(streams: Streams) -> DataFrame:
        left, right = streams["s"].alias("l"), streams["r"].alias("r")
        condition = "l.id = r.id AND r._time >= l._time AND r._time <= l._time + INTERVAL '1' SECOND"
        joined = left.join(right, F.expr(condition), SPARK_KINDS.get(kind, kind))
        if kind == "semi":
            return joined.select("l.k", "l.id", "l.x")
        if kind == "anti":
            return joined.where("r.id IS NULL").select("l.k", "l.id", "l.x")
        return joined.select("l.k", "l.id", "l.x", F.col("r.y").alias("r_y"))

    return join


def _broadcast(streams: Streams) -> DataFrame:
    small = streams["t"].select("k", F.col("x").alias("t_x"), F.col("line").alias("t_line"))
    return streams["s"].join(F.broadcast(small), "k", "left").select("k", "id", "x", "t_x", "t_line")


def _table_join(name: str, shown: bool = False, **more: Any) -> dict[str, Any]:
    steps: dict[str, Any] = {
        name: {
            "op": "table_join",
            "input": "s",
            "table": "t",
            "type": "left",
            "on": {"k": "k"},
            "prefix": "t_",
            **more,
        }
    }
    return steps | (
        {"shown": {"op": "select", "input": name, "fields": ["k", "id", "x", "t_x", "t_line"]}}
        if shown
        else {}
    )


def _most(streams: Streams) -> DataFrame:
    counts = (
        streams["s"].groupBy(F.window("_time", "10 seconds").alias("w"), "k").agg(F.count("*").alias("n"))
    )
    tops = counts.groupBy(F.window(F.window_time("w"), "10 seconds").alias("w")).agg(
        F.expr("max_by(struct(k, n), struct(n, k), 10)").alias("most")
    )
    return tops.select("w.start", "w.end", "most")


def _join(kind: str) -> BenchJob:
    steps = {
        "pairs": {
            "op": "join",
            "left": "s",
            "right": "r",
            "type": kind,
            "on": {"id": "id"},
            "between": {"after": "1s"},
            "prefix": "r_",
        },
        "shown": {
            "op": "select",
            "input": "pairs",
            "fields": ["k", "id", "x", *(() if kind in ("semi", "anti") else ("r_y",))],
        },
    }
    return BenchJob(f"join, {kind}", steps, _joined(kind), sources=("s", "r"))


def _without_window(frame: DataFrame) -> DataFrame:
    return frame.groupBy("k").agg(F.count("*").alias("n"), F.sum("x").alias("total"), F.min("y").alias("low"))


def _newest(frame: DataFrame) -> DataFrame:
    row = F.struct("id", "x", "y", "price", "line", "tags")
    return (
        frame.groupBy("k")
        .agg(F.max_by(row, F.struct("_time", "partition", "offset")).alias("row"))
        .select("k", "row.*")
    )


JOBS: tuple[BenchJob, ...] = (
    BenchJob("nothing but reading and writing", {}, lambda streams: streams["s"]),
    _one({"op": "filter", "where": "x > 0 and y < 900"}, lambda s: s.where("x > 0 AND y < 900")),
    _one(
        {"op": "derive", "fields": {"z": "x * 2 + 1", "loud": "upper(k)"}},
        lambda s: s.withColumn("z", F.expr("try_add(try_multiply(x, 2), 1)")).withColumn(
            "loud", F.upper("k")
        ),
    ),
    _one({"op": "select", "fields": ["k", "x", "y"]}, lambda s: s.select("k", "x", "y")),
    _one({"op": "rename", "fields": {"x": "x2"}}, lambda s: s.withColumnRenamed("x", "x2")),
    _one({"op": "drop", "fields": ["line", "tags"]}, lambda s: s.drop("line", "tags")),
    _one(
        {"op": "cast", "fields": {"x": "string", "y": "long"}},
        lambda s: s.withColumns({"x": F.expr("string(x)"), "y": F.expr("bigint(y)")}),
    ),
    _one(
        {"op": "explode", "field": "tags", "as": "tag"},
        lambda s: s.select("k", "id", "x", "y", "price", "line", F.explode("tags").alias("tag")),
    ),
    _one(
        {"op": "split", "field": "line", "lower": True},
        lambda s: s.select(
            "k",
            "id",
            "x",
            "y",
            "price",
            "tags",
            F.explode(F.regexp_extract_all("line", F.lit(WORDS), F.lit(0))).alias("word"),
        ).withColumn("word", F.lower("word")),
    ),
    _one(
        {"op": "sample", "fraction": 0.5},
        lambda s: s.where(F.crc32(F.concat_ws(",", "partition", "offset").cast("binary")) < 2**31),
    ),
    BenchJob(
        "branch",
        {
            "sides": {"op": "branch", "input": "s", "branches": {"up": "x > 0"}, "rest": "down"},
            "up": {"op": "select", "input": "sides.up", "fields": ["k", "x"]},
        },
        lambda streams: streams["s"].where("x > 0").select("k", "x"),
    ),
    BenchJob(
        "union",
        {"both": {"op": "union", "inputs": ["s", "r"]}},
        lambda streams: streams["s"].unionByName(streams["r"]),
        sources=("s", "r"),
    ),
    _one(
        {"op": "deduplicate", "by": ["k", "x"], "within": "exact"},
        lambda s: s.dropDuplicates(["k", "x", "_time"]),
        "deduplicate, exact",
    ),
    _one(
        {"op": "deduplicate", "by": ["k"], "within": "10s"},
        lambda s: s.dropDuplicatesWithinWatermark(["k"]),
        "deduplicate within 10 s",
    ),
    _one(
        {"op": "aggregate", "by": ["k"], "measures": {"n": "count()", "total": "sum(x)", "low": "min(y)"}},
        _without_window,
        "aggregate, no window",
        mode="update",
    ),
    _aggregate("aggregate, tumbling", {"tumbling": {"size": "10s"}}, "window(_time, '10 seconds')", "update"),
    _aggregate(
        "aggregate, tumbling, final", {"tumbling": {"size": "10s"}}, "window(_time, '10 seconds')", "final"
    ),
    _aggregate(
        "aggregate, hopping",
        {"hopping": {"size": "10s", "advance": "5s"}},
        "window(_time, '10 seconds', '5 seconds')",
        "update",
    ),
    _aggregate(
        "aggregate, session", {"session": {"gap": "2s"}}, "session_window(_time, '2 seconds')", "final"
    ),
    _aggregate(
        "aggregate, calendar day",
        {"calendar": {"unit": "day", "zone": "UTC"}},
        "window(_time, '1 day')",
        "update",
    ),
    _aggregate("aggregate, sliding", {"sliding": {"size": "2s"}}, None, "final", native=False),
    _one({"op": "latest", "by": ["k"]}, _newest, mode="update"),
    _one(
        {"op": "latest", "by": ["k"], "ttl": "10s"},
        None,
        "latest, taken away after 10 s",
        mode="update",
        native=False,
    ),
    *map(_join, ("inner", "left", "right", "full", "semi", "anti")),
    BenchJob("table_join, current", _table_join("looked_up"), None, sources=("s", "t"), native=False),
    BenchJob(
        "table_join, as of",
        _table_join("looked_up", version="as_of", retention="1h"),
        None,
        sources=("s", "t"),
        native=False,
    ),
    BenchJob(
        "table_join, broadcast", _table_join("looked_up", shown=True, broadcast={}), _broadcast, static=("t",)
    ),
    BenchJob(
        "aggregate of an aggregate, top 10",
        {
            "counts": {
                "op": "aggregate",
                "input": "s",
                "window": {"tumbling": {"size": "10s"}},
                "by": ["k"],
                "measures": {"n": "count()"},
                "emit": "final",
            },
            "most": {
                "op": "aggregate",
                "input": "counts",
                "window": {"tumbling": {"size": "10s"}},
                "measures": {"most": "top_rows(10, by n, [k, n])"},
                "emit": "final",
            },
        },
        _most,
    ),
    BenchJob(
        "change",
        {
            "counts": {
                "op": "aggregate",
                "input": "s",
                "window": {"tumbling": {"size": "10s"}},
                "by": ["k"],
                "measures": {"n": "count()"},
                "emit": "update",
            },
            "changes": {"op": "change", "input": "counts", "of": ["n"]},
        },
        None,
        native=False,
    ),
)
