"""One small local Spark session for conformance tests, with an engine's static configuration."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from jobs.base.cds_path import cds_path
from jobs.connections import ClusterProfile
from jobs.engine.launch import spark_jars, static_configuration, tmp_dir
from jobs.engine.session import open_session
from jobs.kafka_messages import EngineSettings
from tests.support.cds_archive import KEPT
from tests.support.desired_runs import engine_settings
from tests.support.warm_python import warm_python
from weir.embedded.jars import install_jars
from weir.embedded.java_classes import compile_classes, outdated

ROOT = Path(__file__).resolve().parents[2]
SLOTS = 48  # real-time queries hold theirs; slots are logical


@contextmanager
def local_session(folder: Path, java_options: str = "", heap_mb: int = 2_048) -> Iterator[SparkSession]:
    """A session that is stopped at the end. A process can have one only: its class path is that of its first.

    Args:
        folder: for its files.
        java_options: on top of an engine's.
        heap_mb: of the JVM. Thousands of queries are started in it, and Spark keeps something of each.
    """
    install_jars()
    if outdated():
        compile_classes()
    home = ClusterProfile(cluster_id="tests", bootstrap="127.0.0.1:1")
    settings = engine_settings(home, folder, slots=SLOTS, driver_memory_mb=heap_mb)
    tmp_dir(settings).mkdir(parents=True)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"  # as `jobs.engine.submit` says it to an engine
    confs = static_configuration(settings, _class_data(settings))
    confs["spark.driver.extraJavaOptions"] += f" {java_options}"
    # Rows that a test hands over: as many partitions as there are slots took two seconds of waiting.
    confs["spark.default.parallelism"] = "1"
    builder = SparkSession.builder
    for name, value in {**confs, "spark.sql.warehouse.dir": str(folder / "warehouse")}.items():
        builder = builder.config(name, value)
    with warm_python() as python:
        os.environ["PYSPARK_PYTHON"] = python
        session = open_session(builder)
        logging.getLogger("py4j.clientserver").setLevel(
            logging.ERROR
        )  # it says goodbye to streams that pytest has closed
        try:
            yield session
        finally:
            session.stop()


def _class_data(settings: EngineSettings) -> Path | None:
    """What an engine of tests has recorded; a session records nothing."""
    archive = cds_path(KEPT.parent, spark_jars(settings))
    return archive if archive is not None and archive.exists() else None
