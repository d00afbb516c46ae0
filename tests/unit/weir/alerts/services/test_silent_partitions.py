"""Which partition of a source is silent while others are not; the clock is the test's."""

import pytest

from weir.alerts.models import StandingMark
from weir.alerts.services.silent_partitions import SilentPartitions
from weir.alerts.services.standing import Standing

pytestmark = pytest.mark.django_db
S = 1_000_000
MINUTE = 60


class Source:
    """A source whose partitions get a record when they are said to, looked at every 10 s."""

    def __init__(self, partitions: int = 3) -> None:
        self.ends = dict.fromkeys(range(partitions), 100)
        self.second = 1_000_000
        self.restart()

    def restart(self) -> None:
        self.standing = Standing()
        self.silent = SilentPartitions(self.standing)

    def play(self, seconds: int, *moving: int, every_s: int = 10) -> tuple[int, float] | None:
        """What the last look says."""
        found = None
        for _ in range(seconds // 10):
            self.second += 10
            for number in moving:
                self.ends[number] += self.second % every_s == 0
            found = self.silent.longest("source", self.ends, self.second * S)
            self.standing.store()
        return found


def test_one_of_three_that_gets_nothing_more_is_named() -> None:
    source = Source()
    assert source.play(2 * MINUTE, 0, 1, 2) is None
    assert source.play(10 * MINUTE, 0, 2) == (1, 600)
    assert source.play(10, 0, 1, 2) is None


def test_the_longest_silent_one_is_named() -> None:
    source = Source()
    source.play(2 * MINUTE, 0, 1, 2)
    source.play(5 * MINUTE, 0, 1)
    assert source.play(5 * MINUTE, 0) == (2, 600)


def test_a_source_that_is_silent_as_a_whole_has_no_silent_partition() -> None:
    source = Source()
    source.play(2 * MINUTE, 0, 1, 2)
    assert source.play(10 * MINUTE) is None


def test_a_partition_that_never_got_a_record_is_unused_and_not_silent() -> None:
    assert Source().play(60 * MINUTE, 0, 1) is None


def test_a_partition_with_rare_records_is_held_to_its_own_rhythm() -> None:
    source = Source(2)
    for _ in range(4):
        source.play(19 * MINUTE + 50, 0)
        assert source.play(10, 0, 1) is None
    assert source.play(50 * MINUTE, 0) is None
    assert source.play(20 * MINUTE, 0) == (1, 70 * MINUTE)


def test_where_the_watch_began_cuts_no_rhythm_off() -> None:
    """One that gets a record every 20 min, watched since a minute before the next."""
    source = Source(2)
    source.play(MINUTE, 0)
    assert source.play(10, 0, 1) is None
    assert source.play(19 * MINUTE + 50, 0) is None
    assert source.play(10, 0, 1) is None
    assert source.play(59 * MINUTE, 0) is None
    assert source.play(2 * MINUTE, 0) == (1, 61 * MINUTE)


def test_silence_survives_a_restart_of_the_relay_and_its_mark_goes_with_it() -> None:
    source = Source()
    source.play(2 * MINUTE, 0, 1, 2)
    source.play(10 * MINUTE, 0, 2)
    source.restart()
    assert source.play(2 * MINUTE, 0, 2) == (1, 720)
    assert StandingMark.objects.count() == 1
    source.play(10, 0, 1, 2)
    assert not StandingMark.objects.exists()


def test_a_topic_that_was_made_anew_begins_anew() -> None:
    source = Source()
    source.play(2 * MINUTE, 0, 1, 2)
    source.play(10 * MINUTE, 0, 2)
    source.ends = dict.fromkeys(range(3), 0)
    assert source.play(10, 0, 2) is None
