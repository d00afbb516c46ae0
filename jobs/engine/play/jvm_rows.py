"""Rows of texts made in the JVM in few calls, for what reads from its memory."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class RowClasses:
    """Java's classes: for each name the gateway searches every package above it in each of 300 jars."""

    types: Any
    encoders: Any
    stream: Any
    rows: Any
    seq: Any
    json: Any
    table: Any


@cache
def row_classes(jvm: Any) -> RowClasses:
    """The classes of this JVM."""
    sql = jvm.org.apache.spark.sql
    return RowClasses(
        sql.types.StructType,
        sql.Encoders,
        sql.execution.streaming.runtime.MemoryStream,
        sql.RowFactory,
        jvm.PythonUtils,
        jvm.com.fasterxml.jackson.databind.ObjectMapper(),
        jvm.java.lang.Class.forName("[[Ljava.lang.Object;"),
    )


def jvm_rows(classes: RowClasses, written: Sequence[Sequence[str | None]]) -> list[Any]:
    """A row of the JVM for each of these: one call for all values, then one for each row."""
    table = classes.json.readValue(json.dumps(written), classes.table)
    return [classes.rows.create(table[at]) for at in range(len(written))]
