"""The hub knows which jobs are looked at: those whose results an open subscription follows."""

from weir.live.connection import Connection
from weir.live.result_subscription import ResultSubscription
from weir.live.results_channel import ResultsChannel
from weir.live.run_registry import RunRegistry


async def _taken(_text: str) -> None:
    return None


async def _closed(_code: int) -> None:
    return None


async def test_jobs_are_followed_as_long_as_a_subscription_is_open() -> None:
    results = ResultsChannel(None, None, RunRegistry(lambda _job: None))  # type: ignore[arg-type]  # nothing is read
    connection = Connection(_taken, _closed, None, person="ann")
    readers = [ResultSubscription(connection, number, job, 1, 100, 10) for number, job in enumerate("aab")]
    for reader in readers:
        results._readers[reader.job_id][reader] = connection
    assert results.followed_jobs == {"a", "b"}
    readers[0].closed = readers[2].closed = True
    assert results.followed_jobs == {"a"}
    connection.release()
