"""Encodes the rows of an exchange (`jobs.plan.exchanges`) as records of the job's internal topic, and decodes
them.

A record is a row as JSON, with the engine's own columns, or a watermark record. Rows may be ahead of the
upstream watermark by the delay of its sources, so only watermark records move the watermark of the reader.
After a crash the writer may repeat an uncommitted batch. The reader drops the duplicates by identity and
event time; once its watermark has passed them, Spark drops them as late.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from jobs.engine.columns import column, quoted, shifted
from jobs.engine.formats.decode_columns import unused_sql
from jobs.engine.identity import identity_bytes, identity_text
from jobs.engine.observed_metrics import block_filter_pushdown
from jobs.engine.row_json import json_of, row_from_json
from jobs.engine.rows import PACKED, PRESENT, TIME, WATERMARK_COLUMN, Rows
from jobs.kafka_messages import HEADER_EPOCH
from jobs.plan import Exchange, Plan, Sink

WATERMARK_MARGIN_MS: Final = 100
"""A watermark record stays this much behind the watermark: later rows may lie exactly on it, and must not be
late.

So may the unmatched rows of an outer join: each such join emits them up to two milliseconds of watermark
late.
"""

_WATERMARK: Final = "_watermark"
_JSON: Final = "_json"
_RECORD: Final = "_record"
_ID: Final = "_exchange_id"
_CLOCK: Final = "_clock"
_INVALID: Final = "raise_error('a record of the exchange topic is neither a row nor a watermark record')"


def watermark_record(watermark_us: int) -> bytes:
    """The value of a watermark record, which is published after all rows of a batch were written.

    Args:
        watermark_us: of that batch, in µs; 0 before the first.
    """
    return json.dumps({"watermark_ms": max(0, watermark_us // 1_000 - WATERMARK_MARGIN_MS)}).encode()


def exchanged_sources(plan: Plan) -> frozenset[str]:
    """Names of the sources upstream of an exchange."""
    return frozenset(
        source
        for query in plan.queries
        for one in query.exchange_in
        for source in plan.relation(one.reference).sources
    )


@dataclass(frozen=True, slots=True)
class _Shape:
    """The columns of an exchange's rows, as the upstream query makes them."""

    schema: StructType
    system: tuple[str, ...]


class ExchangeCodec:
    """Encodes and decodes the exchanges of one attempt of a run.

    Encode first: decoding needs the columns that encoding finds.

    Args:
        plan: of the whole document, without errors.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._shapes: dict[int, _Shape] = {}

    def encode(self, sink: Sink, rows: Rows, epoch: int) -> list[Column]:
        """Columns key, value and headers of a record of the exchange topic.

        Args:
            sink: of an exchange.
            rows: the rows of the exchange.
            epoch: of the run; informative only, since a writer of a lower epoch can only repeat rows.
        """
        assert sink.exchange is not None
        fields = self._plan.exchanged_fields[sink.reference]
        system = tuple(name for name in rows.system if name not in (PACKED, PRESENT))
        columns = [F.col(quoted(name)) for name in (*fields, *system)]
        self._shapes[sink.exchange] = _Shape(_without_metadata(rows.frame.select(*columns).schema), system)
        value = json_of(F.struct(F.lit(sink.exchange).alias("exchange"), F.struct(*columns).alias("row")))
        headers = F.array(
            F.struct(F.lit(HEADER_EPOCH).alias("key"), F.lit(str(epoch)).cast("binary").alias("value"))
        )
        return [
            column(identity_bytes(rows), "key"),
            value.cast("binary").alias("value"),
            headers.alias("headers"),
        ]

    def decode(self, exchanges: tuple[Exchange, ...], raw: DataFrame) -> Mapping[str, Rows]:
        """The rows of these exchanges without duplicates, under the watermark of the upstream query.

        Args:
            exchanges: those that the query reads.
            raw: the Kafka source's columns, of the topic's only partition.
        """
        return {exchange.reference: self._rows(exchange, raw) for exchange in exchanges}

    def _part(self, exchange: Exchange) -> Plan:
        """The part of the query that reads an exchange."""
        (query,) = (query for query in self._plan.queries if exchange in query.exchange_in)
        return self._plan.for_query(query)

    def _rows(self, exchange: Exchange, raw: DataFrame) -> Rows:
        number = exchange.number
        shape, relation = self._shapes[number], self._part(exchange).relation(exchange.reference)
        schema = StructType(
            [
                StructField("exchange", IntegerType()),
                StructField("watermark_ms", LongType()),
                StructField("row", shape.schema),
            ]
        )
        texts = raw.select(column("cast(value AS STRING)", _JSON))
        parsed = texts.select(row_from_json(schema, _JSON).alias(_RECORD))
        # Rows have the instant 0 here, so that only watermark records move the watermark.
        time = (
            f"timestamp_millis(coalesce({_RECORD}.watermark_ms, if({_RECORD}.exchange IS NULL, "
            f"{_INVALID}, 0L)))"
        )
        trailing = -(-relation.spark_slack.us // 1_000)  # downstream steps rely on Spark applying this part
        watermarked = parsed.select(column(_RECORD), column(time, _WATERMARK)).withWatermark(
            _WATERMARK, f"{trailing} milliseconds"
        )
        # The watermark must see every watermark record.
        observed = block_filter_pushdown(f"exchange {number}", watermarked)
        chosen = observed.where(column(f"{_RECORD}.exchange = {number}")).select(f"{_RECORD}.row.*")
        timed = chosen.select(
            *(column(quoted(name)) for name in shape.schema.names),
            column(identity_text(Rows(chosen, relation, shape.system)), _ID),
            column(shifted(TIME, relation.not_applied(relation.slack).us)).alias(
                _CLOCK, metadata=WATERMARK_COLUMN
            ),
        )
        distinct = timed.dropDuplicates([_ID, _CLOCK])
        unread = set(relation.schema.names).difference(shape.schema.names)
        declared = [
            column(unused_sql(f) if f.name in unread else quoted(f.name), f.name) for f in relation.schema
        ]
        system = [
            column(name).alias(name, metadata=WATERMARK_COLUMN) if name == TIME else column(name)
            for name in shape.system
        ]
        return Rows(distinct.select(*declared, *system), relation, shape.system)


def _without_metadata(schema: StructType) -> StructType:
    """The same columns, all nullable as in parsed JSON, without metadata of the other query's watermark."""
    return StructType([StructField(field.name, field.dataType) for field in schema])
