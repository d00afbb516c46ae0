"""Every route that takes a topic's name refuses those of the service and of Kafka, on every cluster,
before it asks any broker.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from jobs.base.topic_names import may_be_made
from tests.support.run_factories import CONTRACT, DOCUMENT, trades
from tests.support.users import client_of
from weir.clusters.models import Cluster
from weir.live import lookups
from weir.live.requests import Subscribe, parse_channel
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
RESERVED = [
    "weir.runs",
    "weir.reports",
    "weir.schemas",
    "weir.results.j.1",
    "weir.exchange.j.1",
    "weir.dead.j",
    "weir.any",
    "__consumer_offsets",
]
CONFUSED = [
    "weir_dead_j",
    "weir_runs",
    "_.consumer_offsets",
]  # Kafka takes them for the same as a reserved name
CLUSTERS = [
    "home",
    "c0",
]  # nobody listens at either address: a request that reached a broker would be answered by 503
NEW = {"name": "mine", "contract": CONTRACT}

Body = Callable[[str, str], dict[str, Any]]  # of topic and cluster
# (method, route) → the body that names the topic; None where the path does. Status and code of the refusal.
ROUTES: dict[tuple[str, str], tuple[Body | None, int, str]] = {
    ("get", "clusters/{cluster}/topics/{topic}"): (None, 404, "TOPIC_NOT_FOUND"),
    ("patch", "clusters/{cluster}/topics/{topic}"): (
        lambda *_: {"retention_ms": 60_000},
        404,
        "TOPIC_NOT_FOUND",
    ),
    ("delete", "clusters/{cluster}/topics/{topic}"): (None, 404, "TOPIC_NOT_FOUND"),
    ("get", "clusters/{cluster}/topics/{topic}/records"): (None, 404, "TOPIC_NOT_FOUND"),
    ("get", "clusters/{cluster}/topics/{topic}/export"): (None, 404, "TOPIC_NOT_FOUND"),
    ("get", "clusters/{cluster}/topics/{topic}/records/{partition}/{offset}"): (None, 404, "TOPIC_NOT_FOUND"),
    ("post", "clusters/{cluster}/topics"): (
        lambda topic, _: {"name": topic, "partitions": 1},
        422,
        "TOPIC_INVALID",
    ),
    ("post", "streams"): (
        lambda topic, cluster: {**NEW, "topic": topic, "cluster": cluster},
        422,
        "TOPIC_INVALID",
    ),
    ("post", "samples/validate"): (
        lambda topic, cluster: {"topic": topic, "cluster": cluster, "contract": CONTRACT},
        404,
        "TOPIC_NOT_FOUND",
    ),
    ("post", "samples/infer"): (
        lambda topic, cluster: {"topic": topic, "cluster": cluster},
        404,
        "TOPIC_NOT_FOUND",
    ),
}
# A document names topics, too: those that its outputs go to.
DOCUMENTS = ["jobs", "documents/check"]
WORKSPACE = "/api/v1/workspaces/{slug}/"


def described() -> dict[str, Any]:
    return dict(SchemaGenerator().get_schema(request=None, public=True))


def names_a_topic(schema: Any, schemas: dict[str, Any], seen: frozenset[str] = frozenset()) -> bool:
    """Whether a body of this schema has a member ``topic`` anywhere."""
    if isinstance(schema, list):
        return any(names_a_topic(part, schemas, seen) for part in schema)
    if not isinstance(schema, dict):
        return False
    reference = str(schema.get("$ref", "")).rpartition("/")[2]
    if reference and reference not in seen and names_a_topic(schemas[reference], schemas, seen | {reference}):
        return True
    properties = schema.get("properties", {})
    return "topic" in properties or any(
        names_a_topic(part, schemas, seen) for name, part in schema.items() if name != "$ref"
    )


def test_the_table_holds_every_route_that_takes_a_topic() -> None:
    """From the routes themselves: a path with a topic, or a body that names one."""
    api = described()
    found = set()
    for path, operations in api["paths"].items():
        for method, operation in operations.items():
            body = [part["schema"] for part in operation.get("requestBody", {}).get("content", {}).values()]
            if "{topic}" in path or names_a_topic(body, api["components"]["schemas"]):
                found.add((method, path.removeprefix(WORKSPACE)))
    made_by_name = {("post", "clusters/{cluster}/topics")}  # it calls the topic `name`
    assert found == set(ROUTES) - made_by_name


@pytest.fixture
def client(workspace: Workspace, owner: User) -> Client:
    Cluster.objects.create(id="c0", workspace=workspace, name="Far", bootstrap="127.0.0.1:1")
    return client_of(owner)


@pytest.mark.parametrize("topic", RESERVED)
@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("route", sorted(ROUTES), ids=" ".join)
def test_it_is_refused(client: Client, route: tuple[str, str], cluster: str, topic: str) -> None:
    method, path = route
    body, status, code = ROUTES[route]
    filled = path.format(cluster=cluster, topic=topic, partition=0, offset=0)
    answer = getattr(client, method)(
        "/api/v1/workspaces/ops/" + filled, *([] if body is None else [body(topic, cluster)])
    )
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content


@pytest.mark.parametrize("topic", [*RESERVED, *CONFUSED])
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_none_is_made(client: Client, cluster: str, topic: str) -> None:
    base = "/api/v1/workspaces/ops/"
    made = client.post(f"{base}clusters/{cluster}/topics", {"name": topic, "partitions": 1})
    with_stream = client.post(
        f"{base}streams", {**NEW, "topic": topic, "cluster": cluster, "create": {"partitions": 1}}
    )
    assert [(answer.status_code, answer.json()["code"]) for answer in (made, with_stream)] == [
        (422, "TOPIC_INVALID")
    ] * 2


@pytest.mark.parametrize("topic", RESERVED)
@pytest.mark.parametrize("path", DOCUMENTS)
def test_no_job_writes_to_it(client: Client, workspace: Workspace, path: str, topic: str) -> None:
    trades(workspace)
    document = DOCUMENT.replace("outputs:", f"outputs:\n  copy: {{input: trades, to: {{topic: {topic}}}}}")
    answer = client.post(f"/api/v1/workspaces/ops/{path}", {"document": document}).json()
    errors = [found for found in answer["problems"] if found["severity"] == "error"]
    assert [found["path"] for found in errors] == [["outputs", "copy", "to", "topic"]], answer


@pytest.mark.parametrize("topic", RESERVED)
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_nobody_follows_it(
    client: Client, owner: User, workspace: Workspace, cluster: str, topic: str
) -> None:
    channel = parse_channel(
        Subscribe(op="subscribe", id=1, workspace="ops", channel=f"topic/{cluster}/{topic}")
    )
    assert (channel.kind, channel.cluster, channel.subject) == ("topic", cluster, topic)
    assert lookups.find_topic(owner.pk, workspace.pk, channel.cluster, channel.subject) is None


@pytest.mark.parametrize(
    ("name", "free"),
    [
        ("orders", True),
        ("a_b", True),
        ("weir_orders", False),
        ("_._x", False),
        ("WEIR.RUNS", False),
        ("Weir_x", False),
    ],
)
def test_names_that_kafka_takes_for_reserved_ones(name: str, free: bool) -> None:
    assert may_be_made(name) is free
