import time

from hypothesis import given, settings
from hypothesis import strategies as st

from weir.lag.services.end_offsets import EndOffsetHistory, LagTime

S = 1_000_000


def history(*samples: tuple[float, int]) -> EndOffsetHistory:
    found = EndOffsetHistory()
    for at_s, end in samples:
        found.observe(int(at_s * S), end)
    return found


def test_no_sample_no_answer() -> None:
    assert history().lag(5, 9 * S) is None


def test_at_the_end_there_is_no_lag() -> None:
    assert history((1, 10)).lag(10, 9 * S) == LagTime(0.0)


def test_between_two_samples_it_is_interpolated() -> None:
    assert history((10, 100), (20, 200)).lag(150, 30 * S) == LagTime(15.0)


def test_before_the_history_it_is_a_lower_bound() -> None:
    assert history((10, 100), (20, 200)).lag(50, 30 * S) == LagTime(20.0, lower_bound=True)


def test_a_pause_of_the_input_does_not_count_as_lag_of_what_came_after() -> None:
    found = history((0, 100), (10, 100), (20, 100), (60, 100), (62, 200))
    lag = found.lag(100, 62 * S)
    assert lag is not None
    assert lag.seconds <= 2.0


def test_an_end_that_runs_backwards_is_left_out() -> None:
    assert history((1, 10), (3, 5)).end == 10


def test_after_the_clock_was_set_back_samples_count_again() -> None:
    now_s = time.time()
    found = history((now_s - 20, 100), (now_s - 10, 200), (now_s + 3_600, 300), (now_s, 310))
    assert (found.end, found.seen_us) == (310, int(now_s * S))
    lag = found.lag(200, int(now_s * S))
    assert lag is not None
    assert round(lag.seconds) == 10
    alone = history((now_s + 3_600, 300), (now_s, 310))
    assert (alone.end, alone.seen_us) == (310, int(now_s * S))


@settings(deadline=None)  # a busy machine takes long over one example
@given(
    st.lists(st.tuples(st.integers(1, 3_000_000), st.integers(0, 50)), min_size=2, max_size=60),
    st.integers(0, 1000),
)
def test_the_lag_is_never_negative_and_falls_with_the_position(steps, position) -> None:
    found, at, end = EndOffsetHistory(), 0, 0
    for span, more in steps:
        at, end = at + span, end + more
        found.observe(at, end)
    here, there = found.lag(position, at), found.lag(position + 1, at)
    assert here is not None
    assert there is not None
    assert here.seconds >= there.seconds >= 0
    assert found.end == end
