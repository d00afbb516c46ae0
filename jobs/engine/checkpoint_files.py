"""The files of Spark's checkpoints, wherever they are."""

from typing import Any

from pyspark.sql import SparkSession


def checkpoint_files(session: SparkSession) -> Any:
    """`weir.checkpoints.CheckpointFiles` of the JVM."""
    jvm: Any = session.sparkContext._jvm
    return jvm.weir.checkpoints.CheckpointFiles(session._jsparkSession)


def names_in(files: Any, folder: str) -> list[str]:
    """What is in a folder, by `checkpoint_files`; nothing where there is no such folder."""
    names: str = files.names(folder)
    return names.split("/") if names else []
