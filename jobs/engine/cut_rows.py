"""Rows on their way from one stage to the other (`jobs.plan.cuts`): written as records of the job's own topic, read as rows.

A record is a row as text, with the engine's own columns, or a heartbeat: what the stage above knows of time. Rows may run
ahead of its watermark by the delay of its sources, so heartbeats alone move that of the reader. The writer may repeat a
batch that was not committed when it was killed; the reader knows such rows again by identity and time until its watermark
is past them, and then they are late.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from jobs.engine.columns import column, quoted, shifted
from jobs.engine.counting import KEPT
from jobs.engine.formats.decode_columns import unused_sql
from jobs.engine.identity import identity_text
from jobs.engine.row_texts import row_of_text, text_of
from jobs.engine.rows import CARRIED, THERE, TIME, WATERMARKED, Rows
from jobs.messages import HEADER_EPOCH
from jobs.plan import Cut, Plan, Sink

STEP_MS: Final = 100
"""A heartbeat stays this much behind the watermark: rows that come later may lie exactly on it, and must not be late.

So may rows of an outer join that found no partner: each such join tells them up to two milliseconds of watermark late.
"""

_MARK: Final = "_mark"
_TEXT: Final = "_text"
_PASSED: Final = "_passed"
_ID: Final = "_passed_id"
_CLOCK: Final = "_clock"
_FOREIGN: Final = "raise_error('a record of the topic between the stages is neither a row nor a heartbeat')"


def heartbeat(watermark_us: int) -> bytes:
    """The value of a heartbeat, once every row of a batch is written.

    Args:
        watermark_us: of that batch, in µs; 0 before the first.
    """
    return json.dumps({"mark": max(0, watermark_us // 1_000 - STEP_MS)}).encode()


def passed_sources(plan: Plan) -> frozenset[str]:
    """Names of the sources that flow into rows that pass a cut."""
    return frozenset(source for stage in plan.stages for cut in stage.reads for source in plan.relation(cut.reference).sources)


@dataclass(frozen=True, slots=True)
class _Shape:
    """The columns of the rows that pass a cut, as the stage above makes them."""

    schema: StructType
    system: tuple[str, ...]


class CutRows:
    """The cuts of one attempt of a run. Rows are written before they are read: only then are their columns known.

    Args:
        plan: of the whole document, without errors.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._shapes: dict[int, _Shape] = {}

    def record(self, sink: Sink, rows: Rows, epoch: int) -> list[Column]:
        """Columns key, value and headers of a record of the topic between the stages.

        Args:
            sink: of a cut.
            rows: that pass it.
            epoch: of the run; it is told to people only, since a stale writer can but repeat what is there.
        """
        assert sink.cut is not None
        passed = self._plan.passed[sink.reference]
        system = tuple(name for name in rows.system if name not in (CARRIED, THERE))
        columns = [F.col(quoted(name)) for name in (*passed, *system)]
        self._shapes[sink.cut] = _Shape(_unmarked(rows.frame.select(*columns).schema), system)
        value = text_of(F.struct(F.lit(sink.cut).alias("cut"), F.struct(*columns).alias("row")))
        headers = F.array(F.struct(F.lit(HEADER_EPOCH).alias("key"), F.lit(str(epoch)).cast("binary").alias("value")))
        return [column(f"cast({identity_text(rows)} AS BINARY)", "key"), value.cast("binary").alias("value"), headers.alias("headers")]

    def read(self, reads: tuple[Cut, ...], raw: DataFrame) -> Mapping[str, Rows]:
        """The rows of these cuts, each once, under the watermark of the stage that has made them.

        Args:
            reads: of the stage that reads.
            raw: Kafka's own columns of the topic's one partition.
        """
        return {cut.reference: self._rows(cut, raw) for cut in reads}

    def _rows(self, cut: Cut, raw: DataFrame) -> Rows:
        shape, relation = self._shapes[cut.number], self._plan.relation(cut.reference)
        whole = StructType([StructField("cut", IntegerType()), StructField("mark", LongType()), StructField("row", shape.schema)])
        texts = raw.select(column("cast(value AS STRING)", _TEXT))
        parsed = texts.select(row_of_text(whole, _TEXT).alias(_PASSED))
        at = f"timestamp_millis(coalesce({_PASSED}.mark, if({_PASSED}.cut IS NULL, {_FOREIGN}, 0L)))"
        trailing = -(-relation.spark_slack.us // 1_000)  # as far as the steps behind the cut count on
        marked = parsed.select(column(_PASSED), column(at, _MARK)).withWatermark(_MARK, f"{trailing} milliseconds")
        # Spark would push the choice of rows below the watermark, which must see every heartbeat: an observed metric stops that.
        seen = marked.observe(f"{KEPT}cut {cut.number}", column(f"count_if({_PASSED}.cut = {cut.number})", "rows"))
        chosen = seen.where(column(f"{_PASSED}.cut = {cut.number}")).select(f"{_PASSED}.row.*")
        told = chosen.select(
            *(column(quoted(name)) for name in shape.schema.names),
            column(identity_text(Rows(chosen, relation, shape.system)), _ID),
            column(shifted(TIME, relation.slack.us - relation.spark_slack.us)).alias(_CLOCK, metadata=WATERMARKED),
        )
        once = told.dropDuplicates([_ID, _CLOCK])
        unread = set(relation.schema.names).difference(shape.schema.names)
        declared = [column(unused_sql(f) if f.name in unread else quoted(f.name), f.name) for f in relation.schema]
        system = [column(name).alias(name, metadata=WATERMARKED) if name == TIME else column(name) for name in shape.system]
        return Rows(once.select(*declared, *system), relation, shape.system)


def _unmarked(schema: StructType) -> StructType:
    """The same columns without the marks of another query's watermark; read from texts, any of them may be null."""
    return StructType([StructField(field.name, field.dataType) for field in schema])
