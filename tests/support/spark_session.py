"""One small local Spark session for conformance tests: the confs that every engine has, nothing that listens outside."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

CONFS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.restrictedMode.enabled": "true",
    "spark.sql.reflect.allowList": r"none\.None",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.avro.schemaUrlAllowedSchemes": "none",
    "spark.driver.memory": "1g",
    "spark.log.level": "WARN",
}


@contextmanager
def local_session(warehouse: Path, **more: Any) -> Iterator[SparkSession]:
    """A session on local[2] that is stopped at the end; `more` are confs with points written as double underscores."""
    builder = SparkSession.builder.master("local[2]").appName("weir-tests")
    confs = {**CONFS, "spark.sql.warehouse.dir": str(warehouse), **{key.replace("__", "."): value for key, value in more.items()}}
    for key, value in confs.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
