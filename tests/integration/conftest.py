"""Fixtures of integration tests: the one Spark session of the process."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.support.spark_session import local_session

# Every case is a plan of its own that runs once: the optimising compiler costs more than it saves (186 s of CPU, not 131). Without it a
# JVM takes 48 MB for compiled code, not 240; a session of many cases filled them, and Spark ended the JVM.
COMPILE_QUICKLY = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
# With two files side by side, a long one that begins last is waited for alone.
LONGEST_FIRST = ("test_random_cases.py", "test_metamorphic.py", "test_whole_system.py", "test_one_pass.py", "test_engine_process.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """After the order was drawn: the files that take longest begin."""
    items.sort(key=lambda item: item.path.name not in LONGEST_FIRST)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session with the engine's configuration; only one can be in a process, so all tests share it."""
    with local_session(tmp_path_factory.mktemp("spark"), COMPILE_QUICKLY) as session:
        yield session
