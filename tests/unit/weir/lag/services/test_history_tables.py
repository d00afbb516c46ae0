"""History in three resolutions, of jobs; groups are in the tests of their app."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from weir.lag.models import LagPoint
from weir.lag.services.history import JOB_POINTS
from weir.lag.services.history_tables import downsample, purge_expired, resolution_for, write_points

pytestmark = pytest.mark.django_db(databases=["default", "results"])
S = 1_000_000
T0 = 1_800_000_000 * S  # a full quarter of an hour


def point(job_id: str, at_s: int, lag: float | None, **more: float) -> LagPoint:
    spans = {"lag_seconds": lag, "lag_seconds_min": lag, "lag_seconds_max": lag}
    return LagPoint(job_id=job_id, resolution_s=10, at_us=T0 + at_s * S, **(spans | more))


def spans(resolution_s: int, job_id: str = "j") -> list[Any]:
    rows = LagPoint.objects.filter(resolution_s=resolution_s, job_id=job_id).order_by("at_us")
    measured = rows.values_list("at_us", "lag_seconds", "lag_seconds_min", "lag_seconds_max")
    return [((at - T0) // S, *values) for at, *values in measured]


def test_a_peak_of_seconds_is_still_there_after_a_month() -> None:
    lags = [2.0] * 90
    lags[40] = 500.0
    lags[41] = 1.0
    write_points(JOB_POINTS, [point("j", 10 * at, lag, malformed=1) for at, lag in enumerate(lags)])
    downsample(JOB_POINTS, T0 + 920 * S)
    assert spans(60)[6] == (360, pytest.approx((4 * 2 + 501) / 6), 1, 500)
    assert [row[3] for row in spans(60)] == [2] * 6 + [500] + [2] * 8
    assert spans(900) == [(0, pytest.approx(sum(lags) / 90), 1, 500)]
    assert LagPoint.objects.get(resolution_s=900).malformed == 90


def test_a_gap_stays_a_gap_and_an_unknown_value_unknown() -> None:
    write_points(JOB_POINTS, [point("j", 0, 3), point("j", 130, None)])
    downsample(JOB_POINTS, T0 + 200 * S)
    assert spans(60) == [(0, 3, 3, 3), (120, None, None, None)]


def test_points_of_a_clock_that_was_ahead_keep_no_later_ones_from_being_made() -> None:
    ahead_s = 20 * 3_600
    write_points(JOB_POINTS, [point("j", 0, 1.0), point("j", ahead_s, 9.0)])
    downsample(JOB_POINTS, T0 + (ahead_s + 1_000) * S)
    write_points(JOB_POINTS, [point("j", 120, 2.0)])
    downsample(JOB_POINTS, T0 + 1_000 * S)
    assert (120, 2, 2, 2) in spans(60)


def test_a_minute_waits_for_its_last_point() -> None:
    write_points(JOB_POINTS, [point("j", 10 * at, at) for at in range(6)])
    downsample(JOB_POINTS, T0 + 79 * S)
    assert spans(60) == []
    downsample(JOB_POINTS, T0 + 80 * S)
    assert spans(60) == [(0, 2.5, 0, 5)]


def test_what_was_written_while_nobody_downsampled_is_made_up_for() -> None:
    write_points(JOB_POINTS, [point("j", 60 * at, at) for at in range(5)])
    downsample(JOB_POINTS, T0 + 400 * S)
    write_points(JOB_POINTS, [point("j", 60 * at, at) for at in range(5, 9)])
    downsample(JOB_POINTS, T0 + 800 * S)
    assert [at for at, *_ in spans(60)] == [60 * at for at in range(9)]


def test_as_many_queries_for_a_hundred_jobs_as_for_one(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    write_points(JOB_POINTS, [point(f"j{number}", 0, number) for number in range(100)])
    with django_assert_max_num_queries(9, using="results"):
        downsample(JOB_POINTS, T0 + 100 * S)
    assert spans(60, "j7") == [(0, 7, 7, 7)]


def test_a_month_of_a_job_is_4680_rows() -> None:
    for resolution_s, ages_s in {
        10: (3_590, 3_610),
        60: (86_300, 86_500),
        900: (2_591_000, 2_593_000),
    }.items():
        for age_s in ages_s:
            LagPoint.objects.create(job_id="j", resolution_s=resolution_s, at_us=T0 - age_s * S)
    while not purge_expired(JOB_POINTS, T0):
        pass
    assert sorted(LagPoint.objects.values_list("resolution_s", flat=True)) == [10, 60, 900]
    assert 3_600 // 10 + 86_400 // 60 + 30 * 86_400 // 900 == 4_680


@pytest.mark.parametrize(
    ("minutes", "age_minutes", "expected"),
    [
        (60, 60, 10),
        (240, 240, 60),
        (1_440, 1_440, 60),
        (60, 1_440, 60),
        (60, 3_000, 900),
        (43_200, 43_200, 900),
    ],
)
def test_a_range_gets_the_finest_points_that_are_kept_for_it(
    minutes: int, age_minutes: int, expected: int
) -> None:
    assert resolution_for(minutes * 60 * S, age_minutes * 60 * S) == expected
