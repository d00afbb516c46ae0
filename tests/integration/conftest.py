"""Fixtures of integration tests: the one Spark session of the process."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.support.java_options import COMPILE_QUICKLY
from tests.support.spark_session import local_session

# From the start as much room for new objects as there may be in the end: collecting them took 0.4 s of each document's processor time,
# and half as much with 900 MB.
ROOM = "-Xmn640m"
# With two files side by side, a long one that begins last is waited for alone.
# Shares of the random documents come after the files, to fill both processes to the end (`tests/support/shares.py`).
LONGEST_FIRST = (
    "test_random_cases.py",
    "test_metamorphic.py",
    "test_stateful_chains.py",
    "test_golden_cases.py",
    "test_whole_system.py",
    "test_flights_full.py",
    "test_engine_process.py",
)

_IN_ITS_FILE = pytest.StashKey[bool]()


def pytest_itemcollected(item: pytest.Item) -> None:
    """With --dist loadgroup a file goes to one process, as its fixtures want, except for tests that say their own group."""
    if item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(item.config.rootpath))))
        item.stash[_IN_ITS_FILE] = True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """After the order was drawn: the files that take longest begin, and what is cut into shares comes last."""
    items.sort(key=lambda item: (_IN_ITS_FILE not in item.stash, item.path.name not in LONGEST_FIRST))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local session with the engine's configuration; only one can be in a process, so all tests share it."""
    with local_session(tmp_path_factory.mktemp("spark"), f"{COMPILE_QUICKLY} {ROOM}") as session:
        yield session
