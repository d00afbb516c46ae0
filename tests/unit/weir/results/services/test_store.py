import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import DataError, connections
from django.test.utils import CaptureQueriesContext

from weir.results.models import ResultRow, ResultTopic
from weir.results.services.fencing import Fence
from weir.results.services.purge import delete_generation, purge_older, purge_oldest, surplus_rows
from weir.results.services.queries import read_by_key, read_position, read_snapshot
from weir.results.services.records import ResultRecord
from weir.results.services.store import (
    StaleOffsetsError,
    TopicFlush,
    clear_outdated,
    move_offset,
    open_topic,
    store,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]


def record(
    key: str, value: str | None, offset: int = 0, newest_input_us: int = 0, timestamp_ms: int = 0
) -> ResultRecord:
    return ResultRecord(f'["{key}"]', value, newest_input_us, False, 1, 0, offset, timestamp_ms)


def flush(
    pk: int, rows: list[ResultRecord], advances: dict[int, tuple[int, int]], fence: Fence | None = None
) -> TopicFlush:
    return TopicFlush(pk, "job", 1, "topic", rows, advances, fence or Fence())


@pytest.fixture
def pk() -> int:
    return open_topic(job_id="job", generation=1, topic="topic", topic_id="id", partitions=2).pk


def content() -> dict[str, str]:
    return {row.key: row.value for row in read_snapshot("job", 1, 1000).rows}


def test_rows_and_offsets_are_stored_together(pk: int) -> None:
    store([flush(pk, [record("a", '{"n":1}'), record("b", '{"n":2}')], {0: (0, 2)}, Fence({0: 3}, 3, 77))])
    store(
        [
            flush(
                pk,
                [record("a", '{"n":3}'), record("b", None), record("never", None)],
                {0: (2, 5), 1: (0, 4)},
                Fence({0: 3, 1: 3}, 3, 77),
            )
        ]
    )
    assert content() == {'["a"]': '{"n":3}'}
    assert read_position("job", 1) == ("id", {0: 5, 1: 4}, Fence({0: 3, 1: 3}, 3, 77))


def test_a_slower_relay_stores_nothing(pk: int) -> None:
    store([flush(pk, [record("a", '{"n":1}')], {0: (0, 2)})])
    with pytest.raises(StaleOffsetsError):
        store([flush(pk, [record("a", '{"n":9}')], {1: (0, 1), 0: (0, 3)})])
    assert content() == {'["a"]': '{"n":1}'}
    assert read_position("job", 1)[1] == {0: 2, 1: 0}


def test_a_topic_that_was_made_anew_starts_over(pk: int) -> None:
    store([flush(pk, [record("a", '{"n":1}')], {0: (0, 2)})])
    again = open_topic(job_id="job", generation=1, topic="topic", topic_id="other", partitions=2)
    assert again.offsets == {0: 0, 1: 0}
    assert content() == {}


def test_while_a_result_is_cleared_nobody_sees_a_part_of_it(pk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir.results.services.purge.SLICE_ROWS", 2)
    monkeypatch.setattr("weir.results.services.store.SLICE_ROWS", 2)
    store([flush(pk, [record(f"k{at}", "{}", at) for at in range(5)], {0: (0, 5)})])
    seen, steps = [], 0
    while not clear_outdated("job", 1, "another", None):
        seen.append(content())
        steps += 1
    assert seen == [{}] * 2
    assert steps == 2
    assert not ResultRow.objects.exists()
    assert clear_outdated("job", 1, "another", None), "nothing is left to clear"


@pytest.mark.parametrize(
    ("whole_from", "goes_on"),
    [({0: 2, 1: 5}, True), ({0: 3}, False), ({}, True), (None, True)],
)
def test_rows_that_may_lack_deletions_are_read_anew(
    pk: int, whole_from: dict[int, int] | None, goes_on: bool
) -> None:
    """Of the other partition nothing was stored, so nothing can have been deleted."""
    store([flush(pk, [record("a", '{"n":1}')], {0: (0, 2)})])
    again = open_topic(
        job_id="job", generation=1, topic="topic", topic_id="id", partitions=2, whole_from=whole_from
    )
    assert again.offsets == {0: 2 if goes_on else 0, 1: 0}
    assert content() == ({'["a"]': '{"n":1}'} if goes_on else {})
    assert (again.pk == pk) is goes_on


def test_opening_again_goes_on(pk: int) -> None:
    store([flush(pk, [], {0: (0, 2)}, Fence({0: 4}, 4, 9))])
    again = open_topic(job_id="job", generation=1, topic="topic", topic_id="id", partitions=3)
    assert (again.pk, again.offsets) == (pk, {0: 2, 1: 0, 2: 0})
    assert (again.fence.epoch, again.fence.since_ms, again.fence.partitions[0]) == (4, 9, 4)


def test_many_rows_in_one_flush(pk: int) -> None:
    store([flush(pk, [record(str(at), "{}", newest_input_us=at) for at in range(2_500)], {0: (0, 2_500)})])
    store([flush(pk, [record(str(at), None) for at in range(0, 2_500, 2)], {0: (2_500, 3_000)})])
    assert ResultRow.objects.count() == 1_250


def test_a_snapshot_is_newest_first_and_says_how_many_there_are(pk: int) -> None:
    store([flush(pk, [record(str(at), "{}", newest_input_us=at) for at in range(10)], {0: (0, 10)})])
    found = read_snapshot("job", 1, 3)
    assert [row.newest_input_us for row in found.rows] == [9, 8, 7]
    assert (found.total, found.offsets, found.topic_id) == (10, {0: 10, 1: 0}, "id")


def test_pages_join_without_loss(pk: int) -> None:
    store([flush(pk, [record(str(at), "{}", newest_input_us=at // 3) for at in range(20)], {0: (0, 20)})])
    seen, after, ended = [], None, False
    while not ended:
        page = read_snapshot("job", 1, 3, after)
        assert page.total == 20
        seen += [row.key for row in page.rows]
        after, ended = (page.rows[-1].newest_input_us, page.rows[-1].digest), page.ended
    assert len(seen) == len(set(seen)) == 20
    by_key, last = [], ""
    while rows := read_by_key("job", 1, 7, last):
        by_key += [row.key for row in rows]
        last = rows[-1].digest
    assert sorted(by_key) == sorted(seen)


def test_large_rows_make_short_pages(pk: int) -> None:
    large = json.dumps({"x": "x" * 1_000})
    store([flush(pk, [record(str(at), large, newest_input_us=at) for at in range(7)], {0: (0, 7)})])
    first = read_snapshot("job", 1, 100, max_characters=2_500)
    assert ([row.newest_input_us for row in first.rows], first.total, first.ended) == ([6, 5, 4], 7, False)
    rest = read_snapshot("job", 1, 100, (4, first.rows[-1].digest), max_characters=10_000)
    assert ([row.newest_input_us for row in rest.rows], rest.ended) == ([3, 2, 1, 0], True)
    assert len(read_by_key("job", 1, 100, "", max_characters=1)) == 1, "a row larger than the bound is a page"


def test_more_rows_than_are_counted_are_said_to_be_more(pk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir.results.services.queries.COUNTED_ROWS", 5)
    rows = [record(str(at), "{}", newest_input_us=at) for at in range(7)]
    store([flush(pk, rows, {0: (0, 7)})])
    first = read_snapshot("job", 1, 2)
    assert (len(first.rows), first.total, first.total_exact) == (2, 5, False)
    whole = read_snapshot("job", 1, 10)
    assert (whole.total, whole.total_exact) == (7, True)


def test_pruning_follows_timestamp_and_number(pk: int) -> None:
    store(
        [
            flush(
                pk,
                [record(str(at), "{}", newest_input_us=at, timestamp_ms=at) for at in range(10)],
                {0: (0, 10)},
            )
        ]
    )
    assert purge_older("job", 1, 4) == 4
    assert surplus_rows("job", 1, 3) == 3
    assert purge_oldest("job", 1, 3) == 3
    assert sorted(row.newest_input_us for row in read_snapshot("job", 1, 10).rows) == [7, 8, 9]
    assert surplus_rows("job", 1, 3) == 0


@pytest.mark.parametrize(
    "purge",
    [
        lambda: purge_older("job", 1, 4),
        lambda: purge_oldest("job", 1, 3),
        lambda: delete_generation("job", 1),
    ],
)
def test_a_slice_is_deleted_without_looking_through_the_other_rows(pk: int, purge: Callable[[], int]) -> None:
    results = connections["results"]
    if results.vendor != "sqlite":
        pytest.skip("PostgreSQL plans by what it knows of the table, and these few rows it reads anyway")
    rows = [record(str(at), "{}", newest_input_us=at, timestamp_ms=at) for at in range(10)]
    store([flush(pk, rows, {0: (0, 10)})])
    with CaptureQueriesContext(results) as queries:
        assert purge() > 0
    deletes = [
        each["sql"] for each in queries if each["sql"].startswith("DELETE") and "resultrow" in each["sql"]
    ]
    with results.cursor() as cursor:
        plans = [cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() for sql in deletes[:1]]
    assert [plan[0][3] for plan in plans] == ["SEARCH results_resultrow USING INTEGER PRIMARY KEY (rowid=?)"]


def test_forgetting_leaves_nothing(pk: int) -> None:
    store([flush(pk, [record("a", "{}")], {0: (0, 1)})])
    delete_generation("job", 1)
    assert not ResultRow.objects.exists()
    assert not ResultTopic.objects.exists()
    assert read_snapshot("job", 1, 10).rows == []


def test_what_is_stored_while_a_generation_is_deleted_goes_with_it(pk: int) -> None:
    """A relay that follows the generation still may store rows at any moment before its offsets are gone."""
    store([flush(pk, [record("a", "{}")], {0: (0, 1)})])
    late: list[TopicFlush] = [flush(pk, [record("late", "{}")], {0: (1, 2)})]

    def store_late(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if late and sql.startswith("DELETE") and ResultRow._meta.db_table in sql:
            store([late.pop()])
        return result

    with connections["results"].execute_wrapper(store_late), suppress(StaleOffsetsError):
        delete_generation("job", 1)
    assert not late
    assert not ResultTopic.objects.exists()
    assert not ResultRow.objects.exists(), "no purge would look for them"


def test_a_relay_that_begins_later_does_not_set_an_offset_back(pk: int) -> None:
    store([flush(pk, [record("a", "{}")], {0: (0, 9)})])
    move_offset(pk, 0, 0, 5)  # it saw 0 when it opened the topic, and the log begins at 5
    assert read_position("job", 1)[1] == {0: 9, 1: 0}
    move_offset(pk, 0, 9, 12)
    assert read_position("job", 1)[1] == {0: 12, 1: 0}


def test_an_error_while_rows_are_copied_is_one_that_the_relay_waits_for(pk: int) -> None:
    """Of psycopg itself it would end the relay, and with it reports, alerts and consumer groups."""
    if connections["results"].vendor != "postgresql":
        pytest.skip("SQLite copies nothing")
    with pytest.raises(DataError):
        store([flush(pk, [record("a", '{"n":"\0"}')], {0: (0, 1)})])
