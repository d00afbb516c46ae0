"""History in three resolutions, and the lease of the watch."""

import time

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.support.group_rows import stored_group, watched
from weir.clusters.models import HOME
from weir.consumer_groups.models import ClusterWatch, GroupPoint, GroupTopic
from weir.consumer_groups.services import history, lease
from weir.consumer_groups.services.history import GROUP_POINTS
from weir.lag.services.history_tables import downsample
from weir.runs.services.lag_health import SEVERITY, Kind

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
S = 1_000_000
T0 = 1_800_000_000 * S  # a full quarter of an hour


def measured(at_us: int, lag: int, health: str = "fine") -> None:
    GroupTopic.objects.update(lag_records=lag, health=health, in_rate=lag / 10, at_us=at_us)
    ClusterWatch.objects.update(passed_at_us=at_us)
    history.add_points([HOME], at_us)


def points(resolution_s: int) -> list[tuple[int, float | None, float | None, int]]:
    found = GroupPoint.objects.filter(resolution_s=resolution_s).order_by("at_us")
    return [
        ((at - T0) // S, mean, most, severity)
        for at, mean, most, severity in found.values_list(
            "at_us", "lag_records", "lag_records_max", "severity"
        )
    ]


def test_coarser_points_have_the_greatest_lag_and_the_worst_health_of_their_time() -> None:
    watched()
    stored_group("g", {"t": 0})
    for number in range(12):
        measured(T0 + number * 10 * S + 3, number, "stopped" if number == 4 else "fine")
    downsample(GROUP_POINTS, T0 + 140 * S)
    fine, stopped = SEVERITY[Kind.FINE], SEVERITY[Kind.STOPPED]
    assert points(60) == [(0, 2.5, 5, stopped), (60, 8.5, 11, fine)]
    downsample(GROUP_POINTS, T0 + 920 * S)
    assert points(900) == [(0, 5.5, 11, stopped)]
    assert GroupPoint.objects.get(resolution_s=60, at_us=T0).in_rate == pytest.approx(0.25)


def test_points_from_before_means_were_kept_have_the_greatest_alone() -> None:
    watched()
    stored_group("g", {"t": 0})
    series = GroupTopic.objects.get()
    GroupPoint.objects.create(
        series=series, resolution_s=60, at_us=T0, lag_records_max=7, in_rate=2, severity=1
    )
    downsample(GROUP_POINTS, T0 + 920 * S)
    point = GroupPoint.objects.get(resolution_s=900)
    assert (point.lag_records, point.lag_records_max) == (None, 7)
    assert (point.in_rate, point.in_rate_min, point.in_rate_max) == (2, None, 2)


def test_a_lag_in_time_that_is_a_lower_bound_is_in_no_point() -> None:
    watched()
    stored_group("g", {"t": 5}, seconds_by="at_least")
    measured(T0, 5)
    GroupTopic.objects.update(seconds_by="record")
    measured(T0 + 10 * S, 5)
    found = GroupPoint.objects.order_by("at_us").values_list("lag_records", "lag_seconds", "lag_seconds_max")
    assert list(found) == [(5, None, None), (5, 1.5, 1.5)]


def test_an_old_pass_is_no_point_of_now() -> None:
    watched()
    stored_group("g", {"t": 5})
    ClusterWatch.objects.update(passed_at_us=T0)
    history.add_points([HOME], T0 + 61 * S)
    assert not GroupPoint.objects.exists()


def test_an_old_conclusion_is_no_point_of_now_unless_nothing_was_to_be_read() -> None:
    watched()
    ClusterWatch.objects.update(passed_at_us=T0)
    stored_group("behind", {"t": 5}, at_us=T0 - 61 * S)
    stored_group("settled", {"t": 0}, at_us=T0 - 3_600 * S)
    history.add_points([HOME], T0)
    assert [point.series.group for point in GroupPoint.objects.select_related("series")] == ["settled"]


def test_a_group_has_no_point_while_one_of_its_topics_waits_for_its_turn() -> None:
    """Of a group that is behind, the topics that it has read would show that it reads everything."""
    watched()
    ClusterWatch.objects.update(passed_at_us=T0)
    stored_group("g", {"a": 0, "b": 5}, at_us=T0 - 61 * S)
    GroupTopic.objects.filter(topic="a").update(at_us=T0)
    stored_group("other", {"b": 0}, at_us=T0 - 61 * S)
    history.add_points([HOME], T0)
    assert [point.series.group for point in GroupPoint.objects.select_related("series")] == ["other"]


def test_as_many_queries_for_a_hundred_groups_as_for_one(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    watched()
    for number in range(100):
        stored_group(f"g{number}", {"t": number}, at_us=T0)
    ClusterWatch.objects.update(passed_at_us=T0)
    with django_assert_max_num_queries(6, using="results"):
        history.add_points([HOME], T0)
    assert len(points(10)) == 100


def test_one_holder_has_the_lease_until_it_ends() -> None:
    assert lease.renew("one", ["a", "b"]) == {"a", "b"}
    assert lease.renew("two", ["a", "b", "c"]) == {"c"}
    assert lease.renew("one", ["a", "b"]) == {"a", "b"}
    assert lease.holds("one", "a")
    assert not lease.holds("two", "a")
    ClusterWatch.objects.filter(pk="a").update(expires_us=time.time_ns() // 1000 - 1)
    assert lease.renew("two", ["a", "b", "c"]) == {"a", "c"}
    assert not lease.holds("one", "a")
    lease.release("two")
    assert lease.renew("one", ["a", "b", "c"]) == {"a", "b", "c"}
