"""Every golden case on Spark.

Compared after each batch in micro-batch mode, without a broker, and at the end in real-time mode on a broker.

The cases run side by side, because most of their time is waiting; each is judged on its own.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from pyspark.sql import SparkSession

from jobs.kafka_messages import RunMode
from tests.oracle.cases import Case, load_cases
from tests.support.real_time_case import play_in_real_time, real_time_allows
from tests.support.spark_case import SIDE_BY_SIDE, play
from tests.support.spark_engine import Bench

pytestmark = pytest.mark.integration

CASES = load_cases()
IN_EVERY_RUN = (
    "a row that was taken away is no row, whatever it held",
    "final windows behind a join close when its rows can no longer come",
)

Outcomes = Callable[[Case, RunMode], list[str]]


@pytest.fixture(scope="module")
def outcome(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outcomes]:
    """Starts all selected cases at the first question."""
    items = [item for item in request.session.items if getattr(item, "module", None) is request.module]
    asked = [
        item.callspec.params
        for item in items
        if "mode" in getattr(getattr(item, "callspec", None), "params", {})
    ]  # type: ignore[attr-defined]
    bench: Bench | None = (
        request.getfixturevalue("bench") if any(params["mode"] == "realtime" for params in asked) else None
    )
    pool = ThreadPoolExecutor(SIDE_BY_SIDE)

    def start(case: Case, mode: RunMode) -> Future[list[str]]:
        if mode == "realtime":
            assert bench is not None
            return pool.submit(play_in_real_time, spark, bench, case)
        return pool.submit(play, spark, tmp_path_factory.mktemp("case"), case)

    futures = {
        (params["case"].title, params["mode"]): start(params["case"], params["mode"]) for params in asked
    }
    yield lambda case, mode: futures[case.title, mode].result()
    pool.shutdown(cancel_futures=True)


def modes(case: Case) -> list[RunMode]:
    """The modes in which the case says something."""
    return ["microbatch", "realtime"] if real_time_allows(case) else ["microbatch"]


def short_or_long(case: Case) -> list[pytest.MarkDecorator]:
    """The contract's worked examples and a few more run with every change; all cases take minutes."""
    return [] if case.title.startswith("6.") or case.title in IN_EVERY_RUN else [pytest.mark.long]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("case", "mode"),
    [
        pytest.param(case, mode, id=f"{case.title}: {mode}", marks=short_or_long(case))
        for case in CASES
        for mode in modes(case)
    ],
)
def test_case(outcome: Outcomes, case: Case, mode: RunMode) -> None:
    assert outcome(case, mode) == []
