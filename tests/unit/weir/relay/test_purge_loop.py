import threading
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connections
from django.test.utils import CaptureQueriesContext

from tests.support.run_factories import job_of, running
from weir.relay import purge_loop
from weir.relay.purge_loop import PurgeLoop
from weir.results.models import ResultRow, ResultTopic
from weir.results.services.purge import SLICE_ROWS, oldest_ms
from weir.results.services.records import key_digest
from weir.results.services.store import open_topic
from weir.runs.models import Generation, Job
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
NOW_MS = 1_800_000_000_000
DAY_MS = 86_400_000


@pytest.fixture
def job(workspace: Workspace, owner: User) -> Job:
    """A job whose windowed result is kept for a day."""
    job = job_of(workspace, owner)
    running(job)
    Generation.objects.update(result={"identity_kind": "key", "windowed": True}, retention_ms=DAY_MS)
    open_topic(job_id=job.pk, generation=1, topic="topic", topic_id="id", partitions=1)
    return job


def write(job: Job, *timestamps_ms: int, generation: int = 1) -> None:
    ResultRow.objects.using("results").bulk_create(
        ResultRow(
            job_id=job.pk,
            generation=generation,
            digest=key_digest(str(at)),
            key=str(at),
            value="{}",
            newest_input_us=at,
            epoch=1,
            partition=0,
            offset=at,
            timestamp_ms=timestamp_ms,
        )
        for at, timestamp_ms in enumerate(timestamps_ms)
    )


def kept() -> list[int]:
    return sorted(ResultRow.objects.using("results").values_list("timestamp_ms", flat=True))


def test_all_expired_rows_go_at_once_however_many(job: Job) -> None:
    write(job, *[NOW_MS - DAY_MS - 1] * (SLICE_ROWS + 10), NOW_MS - DAY_MS)
    PurgeLoop(threading.Event()).purge(NOW_MS)
    assert kept() == [NOW_MS - DAY_MS]


def test_a_look_at_many_rows_has_more_time_than_a_request(job: Job) -> None:
    if connections["results"].vendor != "postgresql":
        pytest.skip("SQLite gives a statement the time that it takes")
    write(job, *[NOW_MS - DAY_MS - 1] * 3_000, NOW_MS)
    with connections["results"].cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 1")
    assert oldest_ms(job.pk, 1) == NOW_MS - DAY_MS - 1


def test_a_result_that_the_database_does_not_manage_keeps_none_from_being_purged(
    job: Job, workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(job, NOW_MS - DAY_MS - 1, NOW_MS)
    for generation in (7, 8):  # of jobs that are gone
        open_topic(job_id="gone", generation=generation, topic="t", topic_id="id", partitions=1)

    def refuse(*_: object) -> int:
        raise OperationalError("canceling statement due to statement timeout")

    monkeypatch.setattr(purge_loop, "delete_generation", refuse)
    monkeypatch.setattr(type(connections), "close_all", lambda _: None)  # the test's own is in memory
    PurgeLoop(threading.Event()).purge(NOW_MS)
    assert kept() == [NOW_MS]


def test_of_a_result_that_is_appended_to_the_newest_rows_stay(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    Generation.objects.update(result={"identity_kind": "row", "windowed": False})
    monkeypatch.setattr(purge_loop, "RESULT_MAX_ROWS", 10)
    times = range(NOW_MS, NOW_MS + 3 * SLICE_ROWS)
    write(job, *times)
    with CaptureQueriesContext(connections["results"]) as queries:
        PurgeLoop(threading.Event()).purge(NOW_MS)
    assert kept() == list(times)[-10:]
    assert sum("COUNT(" in query["sql"] for query in queries) == 1, "however many slices"


def test_rows_are_looked_through_again_when_the_oldest_expires(job: Job) -> None:
    """Of ten million rows each look takes seconds."""
    write(job, NOW_MS - DAY_MS + 60_000, NOW_MS)
    loop = PurgeLoop(threading.Event())
    loop.purge(NOW_MS)
    with CaptureQueriesContext(connections["results"]) as early:
        loop.purge(NOW_MS + 59_000)
    assert not [query for query in early.captured_queries if "timestamp_ms" in query["sql"]]
    loop.purge(NOW_MS + 60_001)
    assert kept() == [NOW_MS]


def test_a_shorter_retention_counts_at_once(job: Job) -> None:
    write(job, NOW_MS - DAY_MS // 2, NOW_MS)
    loop = PurgeLoop(threading.Event())
    loop.purge(NOW_MS)
    Generation.objects.update(retention_ms=DAY_MS // 4)
    loop.purge(NOW_MS + 30_000)
    assert kept() == [NOW_MS]


def test_a_replaced_generation_goes_and_one_that_has_just_begun_stays(job: Job) -> None:
    write(job, NOW_MS, NOW_MS)
    open_topic(job_id=job.pk, generation=2, topic="next", topic_id="id2", partitions=1)
    write(job, *[NOW_MS] * (SLICE_ROWS + 10), generation=2)
    loop = PurgeLoop(threading.Event())
    loop.purge(NOW_MS)
    assert [topic.generation for topic in ResultTopic.objects.using("results").all()] == [1]
    assert ResultRow.objects.using("results").filter(generation=2).count() == 0
    assert len(kept()) == 2


def test_it_stops_between_two_slices(job: Job) -> None:
    write(job, *[NOW_MS - DAY_MS - 1] * SLICE_ROWS)
    stop = threading.Event()
    stop.set()
    PurgeLoop(stop).purge(NOW_MS)
    assert len(kept()) == SLICE_ROWS


def test_a_row_that_is_written_anew_while_it_is_to_be_deleted_stays(job: Job) -> None:
    """As of an old window that a late record changes."""
    write(job, NOW_MS - 2 * DAY_MS, NOW_MS - 3 * DAY_MS)
    meanwhile = [NOW_MS]

    def write_first(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if sql.startswith("DELETE") and meanwhile:
            ResultRow.objects.using("results").filter(offset=0).update(timestamp_ms=meanwhile.pop())
        return execute(sql, parameters, many, context)

    with connections["results"].execute_wrapper(write_first):
        PurgeLoop(threading.Event()).purge(NOW_MS)
    assert kept() == [NOW_MS]


def test_an_error_that_nobody_expects_does_not_end_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Django's InterfaceError, which is no DatabaseError."""
    stop, asked = threading.Event(), list[int]()
    loop = PurgeLoop(stop)

    def purge(now_ms: int) -> None:
        asked.append(now_ms)
        if len(asked) == 2:
            stop.set()
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(purge_loop, "RESULT_PURGE_INTERVAL_S", 0)
    monkeypatch.setattr(loop, "purge", purge)
    thread = threading.Thread(target=loop.run)  # it closes the connections of its thread
    thread.start()
    thread.join()
    assert len(asked) == 2
