"""Documents are planned with the workspace's streams, and with where these are."""

from typing import Any

import pytest

from jobs.plan import PlanningContext
from tests.support.plan_helpers import planned
from tests.support.run_factories import trades
from weir.clusters.models import Cluster
from weir.runs.services.planning import plan_in, result_of
from weir.streams.models import Stream
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db


def copies(stream: str, topic: str) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "copies",
        "sources": {"s": {"stream": stream}},
        "outputs": {"live": {"input": "s", "to": "result"}, "copy": {"input": "s", "to": {"topic": topic}}},
    }


@pytest.fixture
def far(workspace: Workspace) -> Stream:
    """The stream trades of another cluster, whose topic at home is the stream copied."""
    trades(workspace, name="copied", topic="trades")
    stream = trades(workspace, name="trades", topic="trades")
    stream.cluster = Cluster.objects.create(id="far", workspace=workspace, name="far", bootstrap="b:1")
    stream.save()
    return stream


@pytest.mark.parametrize("topic", ["trades", "copied"])
@pytest.mark.usefixtures("far")
def test_a_topic_of_another_cluster_is_copied_to_one_of_its_name_at_home(
    workspace: Workspace, topic: str
) -> None:
    assert plan_in(workspace, copies("trades", topic)).problems == ()


@pytest.mark.parametrize("topic", ["trades", "copied"])
@pytest.mark.usefixtures("far")
def test_a_job_does_not_write_what_it_reads(workspace: Workspace, topic: str) -> None:
    assert [found.message for found in plan_in(workspace, copies("copied", topic)).problems] == [
        "Loop: source s reads this topic."
    ]


_HOURLY = {
    "op": "aggregate",
    "input": "s",
    "by": ["k"],
    "measures": {"n": "count()"},
    "window": {"tumbling": {"size": "1h"}},
}


def test_a_result_says_whether_another_output_has_windows() -> None:
    steps = {"one": {"op": "latest", "input": "s", "by": ["k"]}, "two": _HOURLY}
    of = {"live": {"input": "one", "to": "result"}, "hours": {"input": "two", "to": {"topic": "t"}}}
    plan = planned(steps, PlanningContext(topics={"t": "t"}), outputs=of)
    assert plan.ok, plan.problems
    described = result_of(plan)
    assert (described["windowed"], described["windowed_outputs"]) == (False, True)


@pytest.mark.parametrize(
    ("steps", "kind", "identity"),
    [
        ({"one": {"op": "deduplicate", "input": "s", "by": ["id"], "within": "1h"}}, "row", []),
        (
            {
                "one": {"op": "deduplicate", "input": "s", "by": ["id"], "within": "1h"},
                "two": {"op": "filter", "input": "one", "where": "x > 1"},
            },
            "row",
            [],
        ),
        ({"one": _HOURLY}, "key", ["window_start", "window_end", "k"]),
        ({"one": {**_HOURLY, "emit": "final"}}, "key", ["window_start", "window_end", "k"]),
        ({"one": {"op": "latest", "input": "s", "by": ["k"]}}, "key", ["k"]),
    ],
    ids=["deduplicate", "behind it", "update", "final", "latest"],
)
def test_a_result_has_keys_where_a_row_may_come_again(
    steps: dict[str, Any], kind: str, identity: list[str]
) -> None:
    """All others go after the retention: nothing would ever replace them."""
    plan = planned(steps)
    assert plan.problems == ()
    described = result_of(plan)
    assert (described["identity_kind"], described["identity"]) == (kind, identity)
