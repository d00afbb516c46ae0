"""The history of a job and of a consumer group by REST."""

import time
from typing import Any

import pytest

from jobs.base.instants import Instant, instant_text
from tests.support.group_rows import stored_group, watched
from tests.support.run_factories import job_of
from tests.support.users import client_of
from weir.consumer_groups.models import GroupPoint, GroupTopic
from weir.lag.models import LagPoint
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
S = 1_000_000


def now_us() -> int:
    """The present, to ten seconds."""
    return time.time_ns() // 1000 // (10 * S) * 10 * S


def asked(owner: User, path: str, **query: str | int) -> dict[str, Any]:
    answer = client_of(owner).get(f"/api/v1/workspaces/ops/{path}", query)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_a_range_of_a_job_has_its_points_and_its_gaps(workspace: Workspace, owner: User) -> None:
    job, now = job_of(workspace, owner), now_us()
    for ago_s, lag in ((7_200, 9.0), (600, 2.0), (300, None), (0, 1.5)):
        LagPoint.objects.create(
            job_id=job.pk, resolution_s=10, at_us=now - ago_s * S, malformed=1,
            lag_seconds=lag, lag_seconds_min=lag, lag_seconds_max=lag and lag * 2,
        )  # fmt: skip
    path = f"jobs/{job.pk}/lag/history"
    last = asked(owner, path, until=instant_text(Instant(now + S)), minutes=30)
    assert (last["resolution_s"], len(last["at"])) == (10, 3)
    assert last["measures"]["lag_seconds"] == {
        "avg": [2, None, 1.5],
        "min": [2, None, 1.5],
        "max": [4, None, 3],
    }
    assert (last["counts"]["malformed"], last["measures"]["state_bytes"]["avg"]) == ([1, 1, 1], [None] * 3)
    long = asked(owner, path, minutes=1_440)
    assert (long["resolution_s"], long["at"]) == (60, [])


def test_a_range_of_the_first_year_has_no_points(workspace: Workspace, owner: User) -> None:
    path = f"jobs/{job_of(workspace, owner).pk}/lag/history"
    assert asked(owner, path, until="0001-01-01T00:00:01Z")["at"] == []


@pytest.mark.parametrize("minutes", ["0", "43201", "x"])
def test_a_range_is_bounded(workspace: Workspace, owner: User, minutes: str) -> None:
    path = f"/api/v1/workspaces/ops/jobs/{job_of(workspace, owner).pk}/lag/history"
    assert client_of(owner).get(path, {"minutes": minutes}).status_code == 400


def test_a_group_is_put_together_from_its_topics(workspace: Workspace, owner: User) -> None:
    watched()
    stored_group("g", {"a": 1, "b": 1})
    for series, lag in zip(GroupTopic.objects.order_by("topic"), (10, 20), strict=True):
        GroupPoint.objects.create(
            series=series, resolution_s=10, at_us=now_us() - 60 * S, severity=1 if lag == 10 else 7,
            lag_records=lag, lag_records_max=lag + 5, lag_seconds=lag, in_rate=1,
        )  # fmt: skip
    path = "consumer-group-history/home/g"
    found = asked(owner, path)
    assert found["measures"]["lag_records"] == {"avg": [30], "min": [None], "max": [40]}
    assert found["measures"]["lag_seconds"]["avg"] == [20]
    assert (found["measures"]["in_rate"]["avg"], found["health"]) == ([2], ["stopped"])
    assert asked(owner, path, topic="a")["measures"]["lag_records"]["avg"] == [10]
