"""Where a tail goes on after its topic could not be read, without a broker."""

from tests.support.fake_topic import Record
from weir.live.tail_channel import TailTopic


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
