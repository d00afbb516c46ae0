"""Fixtures of integration tests: the one Spark session of the process."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.support.spark_session import local_session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session with the engine's configuration; only one can be in a process, so all tests share it."""
    with local_session(tmp_path_factory.mktemp("spark")) as session:
        yield session
