"""Fixtures of integration tests: the one Spark session of the process, and a queue in memory."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.support.java_options import COMPILE_QUICKLY, COMPILE_WELL
from tests.support.spark_session import local_session

# A large young generation from the start: garbage collection took 0.4 s of CPU for each document (half with
# 900 MB). Over thousands of documents it still took an eighth of a session's CPU.
YOUNG_GENERATION_MB = {False: 640, True: 1_536}  # by: make test-long
FIRST_OLD_GENERATION_MB = 256
HEAP_MB = {False: 2_048, True: 4_096}
# Long files first: with two workers, a long file that starts last would run alone. Shares of random documents
# come after the files and keep both workers busy until the end (`tests/support/shares.py`).
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
    """With --dist loadgroup each file goes to one worker, for its fixtures; tests may set another group."""
    if item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(item.config.rootpath))))
        item.stash[_IN_ITS_FILE] = True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the longest files to the front and shares to the end, after the random order was drawn."""
    items.sort(key=lambda item: (_IN_ITS_FILE not in item.stash, item.path.name not in LONGEST_FIRST))


@pytest.fixture(autouse=True)
def _in_one_process(queue_in_memory: None, quick_passwords: None) -> None:
    """As all tests here need."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[SparkSession]:
    """A local session with the engine's configuration; all tests share it, since a process has only one."""
    is_long = pytestconfig.option.markexpr.startswith("long")  # make test-long
    compiling = COMPILE_WELL if is_long else COMPILE_QUICKLY
    young_mb = YOUNG_GENERATION_MB[is_long]
    options = f"{compiling} -Xms{young_mb + FIRST_OLD_GENERATION_MB}m -Xmn{young_mb}m"
    with local_session(tmp_path_factory.mktemp("spark"), options, HEAP_MB[is_long]) as session:
        yield session
