import time

from weir.lag.services.rates import ReadRate

S = 1_000_000


def rate_of(*samples: tuple[int, int]) -> ReadRate:
    rate = ReadRate()
    for at_s, records in samples:
        rate.add(at_s * S, records)
    return rate


def test_too_little_is_no_rate() -> None:
    assert ReadRate().per_second(100 * S) is None
    assert rate_of((10, 0), (12, 500)).per_second(12 * S) is None


def test_it_is_over_the_time_that_is_known() -> None:
    assert rate_of((10, 0), (20, 100)).per_second(20 * S) == 10.0


def test_it_is_over_the_last_minute() -> None:
    rate = rate_of((0, 0), (10, 6_000), *((second, 20) for second in range(12, 200, 2)))
    assert rate.per_second(198 * S) == 10.0


def test_a_run_that_falls_silent_slows_down_to_nothing() -> None:
    rate = rate_of((0, 0), (30, 600))
    assert rate.per_second(60 * S) == 10.0
    assert rate.per_second(91 * S) == 0.0


def test_a_report_from_the_past_is_counted_now() -> None:
    assert rate_of((10, 0), (20, 50), (15, 50)).per_second(20 * S) == 10.0


def test_after_the_clock_was_set_back_a_rate_is_known_soon() -> None:
    now_s = time.time_ns() // 1_000_000_000
    rate = rate_of((now_s + 3_600, 0), (now_s + 3_610, 500), (now_s, 50), (now_s + 10, 100))
    assert rate.per_second((now_s + 10) * S) == 10.0
