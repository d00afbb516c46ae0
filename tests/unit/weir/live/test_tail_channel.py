"""Where a tail goes on after its topic could not be read, without a broker."""

import time
from typing import Any, cast

from confluent_kafka import Message

from tests.support.fake_topic import READING, Record
from weir.live.tail_channel import BATCH_FILTER_TIME_S, TailSubscription, TailTopic
from weir.live.tail_view import Chosen


def test_goes_on_where_it_was() -> None:
    tail = TailTopic({0: 10, 1: 20}, frozenset())
    tail.read([Record(0, 10, b"", None), Record(0, 11, b"", None)])
    tail.lost(0, "topic_gone")
    assert tail.broken
    assert tail.resume_offsets({0: 15, 1: 25, 2: 3}) == {0: 12, 1: 20, 2: 3}


def test_another_topic_of_the_name_is_read_from_its_end() -> None:
    tail = TailTopic({0: 10}, frozenset())
    tail.lost(0, "topic_gone")
    assert tail.resume_offsets({0: 4}) == {0: 4}


def test_what_retention_took_is_passed_over() -> None:
    tail = TailTopic({0: 10}, frozenset())
    tail.lost(0, "below_start")
    tail.lost(0, "topic_gone")
    assert tail.resume_offsets({0: 90}) == {0: 90}


class SlowView:
    """A filter that takes so much processor time per batch."""

    chooses = True

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def choose(self, messages: list[Message]) -> Chosen:
        end = time.thread_time() + self.seconds
        while time.thread_time() < end:
            pass
        return Chosen(len(messages), len(messages), messages)


async def test_filters_of_many_readers_share_the_time_of_a_batch_and_take_turns() -> None:
    nothing: Any = None
    views: list[Any] = [SlowView(BATCH_FILTER_TIME_S / 5) for _ in range(40)]
    readers = [TailSubscription(nothing, at, READING, view, 10) for at, view in enumerate(views)]
    tail = TailTopic({0: 0}, frozenset(readers), allowed=lambda wanted: wanted)
    batch: Any = [Record(0, 0, b"", None)]
    seen: set[int] = set()
    rounds = 0
    while len(seen) < len(readers):
        began = time.thread_time()
        found = tail.read(batch)
        assert time.thread_time() - began < 2 * BATCH_FILTER_TIME_S
        assert {chosen.arrived for _, chosen in found} == {1}, "who is not served learns what arrived"
        served = {reader.id for reader, chosen in found if chosen.evaluated}
        assert not served & seen or len(seen) > len(readers) - len(served), (
            "nobody is served twice before all"
        )
        seen |= served
        rounds += 1
    assert rounds > 3


async def test_who_may_no_longer_read_a_topic_gets_nothing_of_a_batch() -> None:
    """The topic was deleted and made by another workspace since the batch before; rights are read later."""
    nothing: Any = None
    reader = TailSubscription(nothing, 1, READING, cast("Any", SlowView(0)), 10)
    tail = TailTopic({0: 0}, frozenset({reader}), allowed=lambda wanted: ())
    assert tail.read([Record(0, 0, b"theirs", None)]) == []


def test_a_topic_with_a_large_batch_leaves_the_consumer_of_the_others() -> None:
    """It goes on where it was, with the consumer that only such topics share."""
    tail = TailTopic({0: 0}, frozenset())
    tail.read([Record(0, at, b"x" * 900_000, None) for at in range(36)])
    assert not tail.broken, "as large as what several fetches bring"
    tail.read([Record(0, at, b"x" * 900_000, None) for at in range(36, 76)])
    assert (tail.broken, tail.large) == (True, True)
    assert tail.resume_offsets({0: 800}) == {0: 76}
    alone = TailTopic({0: 0}, frozenset(), on_large_consumer=True)
    alone.read([Record(0, at, b"x" * 900_000, None) for at in range(40)])
    assert not alone.broken
