"""A Spark session of this process alone, with an engine's static configuration: no broker, no platform."""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from jobs.connections import ClusterProfile
from jobs.engine.inherited import inherited
from jobs.engine.launch import ROOT, static_configuration, tmp_dir
from jobs.engine.session import open_session
from jobs.kafka_messages import EngineSettings

SLOTS: Final = 4
MEMORY_MB: Final = 1_024
# Each plan runs once or a few times: the optimising compiler costs more than it saves.
_COMPILE_QUICKLY: Final = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
_NO_BROKER: Final = ClusterProfile(cluster_id="none", bootstrap="127.0.0.1:1")


class NoSparkError(RuntimeError):
    """Spark does not start here; the message says why."""


@contextmanager
def local_session(slots: int = SLOTS, memory_mb: int = MEMORY_MB) -> Iterator[tuple[SparkSession, Path]]:
    """A session and a folder for what is played; both are gone at the end.

    A process can have one only: the class path of its JVM is that of its first session.

    Args:
        slots: tasks at a time.
        memory_mb: of the JVM's heap.

    Raises:
        NoSparkError: Weir's Java classes have not been compiled, or the JVM does not start.
    """
    with tempfile.TemporaryDirectory(prefix="weir-tests-") as made:
        folder = Path(made)
        settings = EngineSettings(
            engine_id="tests",
            incarnation="tests",
            kind="dedicated",
            home=_NO_BROKER,
            master="local",
            slots=slots,
            driver_memory_mb=memory_mb,
            jars_dir=os.environ.get("WEIR_JARS_DIR", str(ROOT / "jvm" / "lib")),
            data_dir=str(folder),
        )
        tmp_dir(settings).mkdir(parents=True)
        try:
            session = _open(settings, folder)
        except (FileNotFoundError, PySparkException, Py4JError) as error:
            raise NoSparkError(f"Spark doesn't start: {error}") from error
        try:
            yield session, folder
        finally:
            with suppress(Py4JError, OSError):  # its JVM may have ended before
                session.stop()


def _open(settings: EngineSettings, folder: Path) -> SparkSession:
    confs = {**static_configuration(settings), "spark.sql.warehouse.dir": str(folder / "warehouse")}
    confs["spark.driver.extraJavaOptions"] += f" {_COMPILE_QUICKLY}"
    _only_what_engines_inherit()
    builder = SparkSession.builder
    for name, value in confs.items():
        builder = builder.config(name, value)
    session = open_session(builder)
    logging.getLogger("py4j").setLevel(logging.ERROR)
    return session


def _only_what_engines_inherit() -> None:
    """The JVM and its Python workers get the environment of this process: no secret of it is theirs."""
    kept = inherited(os.environ)
    for name in set(os.environ) - set(kept):
        if not name.startswith(("PYTHON", "PYSPARK", "SPARK", "JAVA")):
            del os.environ[name]
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
