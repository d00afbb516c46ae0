"""Throughput of each format's decoder in records per CPU-second, beside the simplest PySpark equivalent."""

import csv
import io
import json
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.avro.functions import from_avro

from bench.operators import cpu_of, from_files
from bench.trials import Trials
from bench.usage import Strangers
from jobs.engine.columns import column
from jobs.engine.sources.kafka import read_source
from jobs.formats.contract import StreamContract
from jobs.formats.framing import framed
from jobs.operators.relation import Relation
from jobs.plan import SourceBound
from tests.support.spark_session import local_session

BEGIN_MS = 1_767_261_600_000
FIELDS = {"id": "long", "k": "string", "x": "int", "y": "double", "ok": "boolean", "at": "long"}
DDL = ", ".join(f"{name} {kind}" for name, kind in FIELDS.items())
EVENT_DDL = f"op string, after struct<{', '.join(f'{name}: {kind}' for name, kind in FIELDS.items())}>"
BODY = "substring(value, 6)"  # behind the frame
AT = {"kind": "field", "field": "at", "unit": "ms"}
AVRO = {
    "type": "record",
    "name": "R",
    "fields": [{"name": name, "type": kind} for name, kind in FIELDS.items()],
}
ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "fields": [
        {"name": "before", "type": ["null", AVRO]},
        {"name": "after", "type": ["null", "R"]},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"]},
    ],
}
Row = dict[str, Any]
_FEWER: Final = 10  # times: of two sizes is told what a query's start costs, and what a record does


@dataclass(frozen=True)
class BenchFormat:
    """A format: its contract, an encoder of rows, and hand-written PySpark to decode it.

    by_hand: raw values → rows; None where PySpark has no equivalent.
    """

    name: str
    contract: dict[str, Any]
    write: Callable[[Row], bytes]
    by_hand: Callable[[DataFrame], DataFrame] | None = None


def _row(number: int) -> Row:
    return {
        "id": number,
        "k": f"k{number % 10_000}",
        "x": number % 1_000 - 500,
        "y": number % 977 / 8,
        "ok": number % 2 == 0,
        "at": BEGIN_MS + number,
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _csv(row: Row) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(
        [str(value).lower() if isinstance(value, bool) else value for value in row.values()]
    )
    return out.getvalue().encode()


def _writer(schema: dict[str, Any]) -> Callable[[Any], bytes]:
    parsed = fastavro.parse_schema(json.loads(json.dumps(schema)))

    def write(value: Any) -> bytes:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, value)
        return framed(1, out.getvalue())

    return write


def _framed(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": "avro",
        "schema": json.dumps(schema),
        "framing": "confluent",
        "writers": {"1": json.dumps(schema)},
    }


def _event(row: Row) -> Row:
    return {"before": None, "after": row, "op": "u", "ts_ms": row["at"]}


def _declared(**more: Any) -> dict[str, Any]:
    return {
        "fields": [{"name": name, "type": kind} for name, kind in FIELDS.items()],
        "event_time": AT,
        **more,
    }


def _rows_after(events: DataFrame) -> DataFrame:
    return events.where("e.op IN ('c', 'u', 'r')").select(F.col("e.after").alias("v"))


def _text(frame: DataFrame) -> DataFrame:
    return frame.select(F.col("value").cast("string").alias("line"), F.col("timestamp").alias("_time"))


def _timed(frame: DataFrame) -> DataFrame:
    return frame.select("v.*").withColumn("_time", F.timestamp_millis("at"))


_WRITE_EVENT = _writer(ENVELOPE)
FORMATS = (
    BenchFormat(
        "json",
        _declared(),
        _json,
        lambda raw: _timed(raw.select(F.from_json(F.col("value").cast("string"), DDL).alias("v"))),
    ),
    BenchFormat(
        "csv",
        _declared(format="csv"),
        _csv,
        lambda raw: _timed(raw.select(F.from_csv(F.col("value").cast("string"), DDL).alias("v"))),
    ),
    BenchFormat("text", {"format": "text", "fields": [{"name": "line", "type": "string"}]}, _json, _text),
    BenchFormat(
        "debezium, json",
        _declared(format="debezium"),
        lambda row: _json(_event(row)),
        lambda raw: _timed(
            _rows_after(raw.select(F.from_json(F.col("value").cast("string"), EVENT_DDL).alias("e")))
        ),
    ),
    BenchFormat(
        "avro, framed",
        _declared(encoding=_framed(AVRO)),
        _writer(AVRO),
        lambda raw: _timed(raw.select(from_avro(F.expr(BODY), json.dumps(AVRO)).alias("v"))),
    ),
    BenchFormat(
        "debezium, avro, framed",
        _declared(encoding={"format": "debezium", "inner": _framed(ENVELOPE)}),
        lambda row: _WRITE_EVENT(_event(row)),
        lambda raw: _timed(_rows_after(raw.select(from_avro(F.expr(BODY), json.dumps(ENVELOPE)).alias("e")))),
    ),
)


def measure(folder: Path, rows: int, runs: int) -> dict[str, Any]:
    """Measure every format.

    Args:
        folder: new, for records and checkpoints.
        rows: of each format.
        runs: that count, of each; one more goes before them.

    Returns:
        rows, runs, strangers (cores), failed, and by format: bytes per record, ours and by_hand (records per
        CPU-second; null: no way), and apart, by side: start (CPU-seconds of a query without its records) and
        more (nanoseconds of CPU for each record).
    """
    strangers, parts = Strangers(folder), Trials()
    found: dict[str, Any] = {}
    with local_session(folder) as spark:
        for index, each in enumerate(FORMATS):
            one = parts.run(each.name, partial(_format, spark, folder, index, rows, runs))
            if one is not None:
                found[each.name] = one
            print(f"{each.name}: {one}", flush=True)
    return {
        "rows": rows, "runs": runs, "strangers": strangers.cores(), "formats": found, "failed": parts.end(),
    }  # fmt: skip


def _format(spark: SparkSession, folder: Path, index: int, rows: int, runs: int) -> dict[str, Any]:
    each, few = FORMATS[index], max(rows // _FEWER, 1)
    size = _write(folder / str(index), each, rows)
    _write(folder / f"{index}-few", each, few)
    used: dict[tuple[str, str], list[float]] = {}
    for number in range(runs + 1):
        for side, name in product(_sides(each), (str(index), f"{index}-few")):
            frame = _read(spark.newSession(), folder, index, side, name)
            took = cpu_of(frame, "append", folder / f"{side}-{name}-{number}")
            used.setdefault((side, name), []).append(took)
    whole, part = (
        {side: statistics.median(used[side, name][1:]) for side in _sides(each)}
        for name in (str(index), f"{index}-few")
    )
    rates = {side: round(rows / seconds) for side, seconds in whole.items()}
    more = {side: (whole[side] - part[side]) / (rows - few) for side in whole}
    return {
        "bytes": size,
        "ours": rates["ours"],
        "by_hand": rates.get("by_hand"),
        "start": {side: round(part[side] - few * more[side], 2) for side in whole},
        "more": {side: round(more[side] * 1e9) for side in whole},
    }


def _sides(each: BenchFormat) -> tuple[str, ...]:
    return ("ours",) if each.by_hand is None else ("ours", "by_hand")


def _read(session: SparkSession, folder: Path, index: int, side: str, name: str) -> DataFrame:
    """The records of a folder as a side decodes them."""
    raw, by_hand = from_files(session, folder, name), FORMATS[index].by_hand
    if side != "ours" and by_hand is not None:
        return by_hand(raw)
    contract = StreamContract.model_validate(FORMATS[index].contract)
    bound = SourceBound(contract, contract.schema_of_rows.names)
    rows = read_source("s", raw, bound, Relation(contract.schema_of_rows)).frame
    return rows.select(*map(column, contract.schema_of_rows.names), "_time")


def _write(target: Path, each: BenchFormat, rows: int) -> int:
    """Records as Kafka's source gives them; the mean length of their values."""
    target.mkdir(parents=True)
    values = [each.write(_row(number)) for number in range(rows)]
    headers = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    table = pa.table(
        {
            "key": pa.nulls(rows, pa.binary()),
            "value": pa.array(values, pa.binary()),
            "topic": pa.array(["t"] * rows),
            "partition": pa.array([0] * rows, pa.int32()),
            "offset": pa.array(range(rows), pa.int64()),
            "timestamp": pa.array(
                [(BEGIN_MS + number) * 1_000 for number in range(rows)], pa.timestamp("us", "UTC")
            ),
            "headers": pa.nulls(rows, headers),
        }
    )
    pq.write_table(table, target / "records.parquet")
    return round(sum(map(len, values)) / rows)
