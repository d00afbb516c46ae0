"""History in three resolutions, and the lease of the watch."""

import time

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.support.group_rows import stored_group, watched
from weir.clusters.models import HOME
from weir.consumer_groups.models import ClusterWatch, GroupPoint, GroupTopic
from weir.consumer_groups.services import history, lease
from weir.consumer_groups.services.health import SEVERITY, Kind

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]
S = 1_000_000
T0 = 1_800_000_000 * S  # a full quarter of an hour


def measured(at_us: int, lag: int, health: str = "fine") -> None:
    GroupTopic.objects.update(lag_records=lag, health=health, in_rate=lag / 10)
    ClusterWatch.objects.update(passed_at_us=at_us)
    history.add_points([HOME], at_us)


def points(resolution_s: int) -> list[tuple[int, int, int]]:
    found = GroupPoint.objects.filter(resolution_s=resolution_s).order_by("at_us")
    return [
        ((at - T0) // S, lag, severity)
        for at, lag, severity in found.values_list("at_us", "lag_records", "severity")
    ]


def test_coarser_points_have_the_greatest_lag_and_the_worst_health_of_their_time() -> None:
    watched()
    stored_group("g", {"t": 0})
    for number in range(12):
        measured(T0 + number * 10 * S + 3, number, "stopped" if number == 4 else "fine")
        history.downsample([HOME], T0 + number * 10 * S + 3)
    history.downsample([HOME], T0 + 120 * S)
    fine, stopped = SEVERITY[Kind.FINE], SEVERITY[Kind.STOPPED]
    assert points(60) == [(0, 5, stopped), (60, 11, fine)]
    history.downsample([HOME], T0 + 900 * S)
    assert points(900) == [(0, 11, stopped)]
    assert GroupPoint.objects.get(resolution_s=60, at_us=T0).in_rate == pytest.approx(0.25)


def test_what_was_written_while_nobody_downsampled_is_made_up_for() -> None:
    watched()
    stored_group("g", {"t": 0})
    for number in range(30):
        measured(T0 + number * 10 * S, number)
    history.downsample([HOME], T0 + 300 * S)
    assert [at for at, _, _ in points(60)] == [0, 60, 120, 180, 240]


def test_an_old_pass_is_no_point_of_now() -> None:
    watched()
    stored_group("g", {"t": 5})
    ClusterWatch.objects.update(passed_at_us=T0)
    history.add_points([HOME], T0 + 61 * S)
    assert not GroupPoint.objects.exists()


def test_as_many_queries_for_a_hundred_groups_as_for_one(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    watched()
    for number in range(100):
        stored_group(f"g{number}", {"t": number})
    ClusterWatch.objects.update(passed_at_us=T0)
    with django_assert_max_num_queries(6, using="results"):
        history.add_points([HOME], T0)
    with django_assert_max_num_queries(9, using="results"):
        history.downsample([HOME], T0 + 60 * S)
    assert len(points(60)) == 100


def test_points_are_kept_as_long_as_their_resolution() -> None:
    watched()
    stored_group("g", {"t": 5})
    series = GroupTopic.objects.get()
    for resolution_s in (10, 60, 900):
        for age_s in (3_500, 3_700, 86_000, 87_000, 29 * 86_400, 31 * 86_400):
            GroupPoint.objects.create(
                series=series, resolution_s=resolution_s, at_us=T0 - age_s * S, lag_records=1, severity=0
            )
    while history.purge_expired(T0):
        pass
    assert [len(points(each)) for each in (10, 60, 900)] == [1, 3, 5]


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
    assert history.resolution_for(minutes * 60 * S, age_minutes * 60 * S) == expected


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
