"""Newest records come first, however small the budget is."""

from dataclasses import replace

import pytest

from tests.support.fake_topic import PROFILE, FakeTopic
from weir.streams.services import browse
from weir.streams.services.browse import scan_page
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.scan import Budget
from weir.streams.services.topic_ref import TopicRef


def pages(ref: TopicRef, query: BrowseQuery) -> list[tuple[int | None, int | None]]:
    """Partitions and offsets of all pages, 20 at most."""
    seen: list[tuple[int | None, int | None]] = []
    for _ in range(20):
        page = scan_page(ref, query)
        seen += [(message.partition(), message.offset()) for message in page.messages]
        if page.next is None:
            break
        query = replace(query, cursor=page.next)
    return seen


@pytest.mark.parametrize("budget", [Budget(records=1), Budget(size=10)])
def test_pages_get_on_where_the_budget_has_not_room_for_a_record_of_each_partition(
    monkeypatch: pytest.MonkeyPatch, budget: Budget
) -> None:
    log = FakeTopic(monkeypatch, 3)
    for number in range(9):
        log.write(b"k", b"larger than ten bytes", number % 3, time_ms=number)
    monkeypatch.setattr(browse, "watermarks", lambda *_, **__: log.ends())
    seen = pages(TopicRef(PROFILE, "t", 3), BrowseQuery(budget=budget))
    assert [[n for at, n in seen if at == p] for p in range(3)] == [[2, 1, 0]] * 3


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_records_whose_timestamps_are_out_of_order_come_once(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """As producers that write event times as Kafka timestamps send them."""
    log = FakeTopic(monkeypatch, 2)
    for at, times in enumerate(([10, 90, 40, 20], [30, 80, 5])):
        for time_ms in times:
            log.write(b"k", b"v", at, time_ms)
    monkeypatch.setattr(browse, "watermarks", lambda *_, **__: log.ends())
    seen = pages(TopicRef(PROFILE, "t", 2), BrowseQuery(limit=limit))
    assert [n for at, n in seen if at == 0] == [3, 2, 1, 0]
    assert [n for at, n in seen if at == 1] == [2, 1, 0]
