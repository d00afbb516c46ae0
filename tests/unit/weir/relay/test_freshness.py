"""Freshness grows while no result comes, and is written no oftener than people notice."""

import pytest

from weir.relay.freshness import GROWTH, Freshness
from weir.relay.result_topics import FollowedTopic

SECOND = 1_000_000
NOW = 1_000 * SECOND


def topic(job: str = "j") -> FollowedTopic:
    return FollowedTopic(job, 1, f"{job}.1-r", f"weir.results.{job}.1-r", None, append_only=False)


def test_results_are_as_old_as_their_newest_input() -> None:
    freshness = Freshness(lambda source: 0)
    assert freshness.due(NOW, [(topic(), NOW - 40_000)]) == [("j.1-r", 40)]
    assert freshness.due(NOW + 2 * SECOND, [(topic(), NOW + 2 * SECOND - 30_000)]) == [("j.1-r", 30)]


def test_it_grows_without_results() -> None:
    freshness = Freshness(lambda source: 0)
    freshness.due(NOW, [(topic(), NOW)])
    shown = [freshness.due(NOW + tick * 2 * SECOND, [(topic(), 0)]) for tick in range(1, 1_800)]  # an hour
    written = [ms for due in shown for _, ms in due]
    assert written[0] == 2_000
    assert written == sorted(written)
    assert written[-1] >= 3_600_000 / GROWTH
    assert len(written) < 150


def test_nothing_is_said_before_the_first_result() -> None:
    assert Freshness(lambda source: 0).due(NOW, [(topic(), 0)]) == []


def test_a_relay_that_begins_again_knows_what_is_stored() -> None:
    asked: list[str] = []

    def stored(source: FollowedTopic) -> int:
        asked.append(source.job_id)
        return NOW - 60 * SECOND

    freshness = Freshness(stored)
    assert freshness.due(NOW, [(topic(), 0)]) == [("j.1-r", 60_000)]
    freshness.due(NOW, [(topic(), 0)])
    assert asked == ["j"]


def test_an_older_input_does_not_make_results_older() -> None:
    freshness = Freshness(lambda source: 0)
    freshness.due(NOW, [(topic(), NOW)])
    assert freshness.due(NOW + SECOND, [(topic(), NOW - 50 * SECOND)]) == [("j.1-r", 1_000)]


def test_a_topic_that_is_not_followed_any_more_is_forgotten() -> None:
    freshness = Freshness(lambda source: 0)
    freshness.due(NOW, [(topic("a"), NOW), (topic("b"), NOW)])
    assert freshness.due(NOW + 9 * SECOND, [(topic("b"), 0)]) == [("b.1-r", 9_000)]
    assert freshness.due(NOW + 9 * SECOND, [(topic("a"), 0), (topic("b"), 0)]) == []


@pytest.mark.parametrize("known", ["of a row that comes", "of a row that is stored"])
def test_an_input_of_the_future_is_as_old_as_its_result(known: str) -> None:
    """A producer's clock that is an hour ahead would keep it at 0 for an hour without results."""
    ahead = NOW + 3_600 * SECOND
    freshness = Freshness(lambda source: ahead if known == "of a row that is stored" else 0)
    freshness.due(NOW, [(topic(), ahead if known == "of a row that comes" else 0)])
    assert freshness.ages_ms(NOW + 60 * SECOND) == {"j.1-r": 60_000}
