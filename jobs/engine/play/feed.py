"""What a play's queries read: records that are added batch by batch, kept in the JVM's memory."""

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from jobs.engine.columns import column
from jobs.engine.play.jvm_rows import RowClasses, jvm_rows, row_classes
from jobs.expressions.texts_sql import string_sql
from jobs.play import PlayRecord

EXCHANGED: Final = ""
"""The name under which an exchange's records are added; no source has it."""

_ROWS: Final = "source STRING, records STRING"
_RECORDS: Final = (
    "array<struct<k: string, v: string, p: int, o: bigint, at: bigint, "
    "h: array<struct<k: string, v: string>>>>"
)


@dataclass(frozen=True, slots=True)
class Record:
    """A record with its place."""

    sent: PlayRecord
    offset: int

    def as_json(self) -> dict[str, Any]:
        """The member names of `_RECORDS`."""
        headers = [{"k": header.key, "v": _base64(header.value)} for header in self.sent.headers]
        return {
            "k": _base64(self.sent.key),
            "v": _base64(self.sent.value),
            "p": self.sent.partition,
            "o": self.offset,
            "at": self.sent.timestamp_us,
            "h": headers or None,
        }


Records = Mapping[str, Iterable[Record]]


class Feed:
    """A streaming source whose every `add` is one batch of a query that reads nothing else.

    It outlives the query: one that is started again on the same checkpoint goes on where it stopped.

    Args:
        session: of the query.
    """

    def __init__(self, session: SparkSession) -> None:
        self._session, self._classes = session, row_classes(session.sparkContext._jvm)
        schema = self._classes.types.fromDDL(_ROWS)
        self._stream = self._classes.stream.apply(
            session._jsparkSession, 1, self._classes.encoders.row(schema)
        )

    def add(self, records: Records) -> None:
        """The records of one batch by source; none: a batch that reads nothing."""
        self._stream.addData(self._classes.seq.toSeq(_source_rows(self._classes, records)))

    def raw(self, source: str) -> DataFrame:
        """The columns of Kafka's records of one source."""
        return _raw(DataFrame(self._stream.toDF(), self._session), source)


def static_records(session: SparkSession, source: str, records: Iterable[Record]) -> DataFrame:
    """The columns of Kafka's records of one source, as a batch."""
    classes = row_classes(session.sparkContext._jvm)
    rows = _source_rows(classes, {source: records})
    held = session._jsparkSession.createDataFrame(rows, classes.types.fromDDL(_ROWS))
    return _raw(DataFrame(held, session), source)


def _source_rows(classes: RowClasses, records: Records) -> list[Any]:
    """A row per source that holds all its records: each row would be a call to the JVM."""
    written = [
        [source, json.dumps([record.as_json() for record in sent])] for source, sent in records.items()
    ]
    return jvm_rows(classes, written)


def _raw(frame: DataFrame, source: str) -> DataFrame:
    own = frame.where(column(f"source = {string_sql(source)}"))
    exploded = own.select(column(f"explode(from_json(records, '{_RECORDS}'))", "r"))
    return exploded.select(
        column("unbase64(r.k)", "key"),
        column("unbase64(r.v)", "value"),
        column(string_sql(source), "topic"),
        column("r.p", "partition"),
        column("r.o", "offset"),
        column("timestamp_micros(r.at)", "timestamp"),
        column("transform(r.h, h -> named_struct('key', h.k, 'value', unbase64(h.v)))", "headers"),
    )


def _base64(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()
