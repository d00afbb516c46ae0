"""Steps with state behind each other.

Every pair that the check accepts gives what the oracle gives, batch by batch.

The pairs are found by asking the check (`tests/oracle/chains.py`): what becomes possible is played without
being named here.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession

from tests.oracle.chains import chain_case, chains
from tests.support.spark_case import SIDE_BY_SIDE, play

pytestmark = pytest.mark.integration

CHAINS = dict(chains())
# One of each kind of state over each other, Spark's own and that of our operators.
WITH_EVERY_CHANGE = (
    "aggregate tumbling, aggregate hopping",
    "aggregate session, join left",
    "join left, aggregate session",
    "table_join as_of, deduplicate exact",
    "table_join current, join anti",
)

Outcomes = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def outcome(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outcomes]:
    """Starts all selected cases at the first question; most of their time is waiting."""
    items = [item for item in request.session.items if getattr(item, "module", None) is request.module]
    asked: list[str] = [item.callspec.params["title"] for item in items if hasattr(item, "callspec")]

    def start(title: str) -> list[str]:
        return play(spark, tmp_path_factory.mktemp("chain"), chain_case(title, CHAINS[title]), compiled=False)

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        futures: dict[str, Future[list[str]]] = {title: pool.submit(start, title) for title in asked}
        yield lambda title: futures[title].result()


def test_those_of_every_change_are_accepted() -> None:
    assert set(WITH_EVERY_CHANGE) <= CHAINS.keys()


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    "title",
    [
        pytest.param(title, marks=pytest.mark.thorough if title in WITH_EVERY_CHANGE else pytest.mark.long)
        for title in CHAINS
    ],
)
def test_chain(outcome: Outcomes, title: str) -> None:
    assert outcome(title) == []
