"""The OpenAPI document: every operation in exactly one described area, under a name of its own."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from weir.project.api_areas import TAGS, area_of

DOCUMENT: Any = yaml.load(
    (Path(__file__).resolve().parents[4] / "docs/openapi.yaml").read_text(), yaml.CSafeLoader
)
OPERATIONS: list[tuple[str, dict[str, Any]]] = [
    (path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for operation in methods.values()
    if "operationId" in operation
]


def test_every_operation_has_one_described_tag() -> None:
    described = {tag["name"]: tag["description"] for tag in DOCUMENT["tags"]}
    used = Counter(tag for _, operation in OPERATIONS for tag in operation["tags"])
    assert len(OPERATIONS) > 70
    assert all(len(operation["tags"]) == 1 for _, operation in OPERATIONS)
    assert used.keys() == described.keys() == {tag["name"] for tag in TAGS}
    assert max(used.values()) < len(OPERATIONS) / 4, "one tag for nearly everything says nothing"
    assert all(described.values())


def test_names_of_operations_are_unique_and_readable() -> None:
    names = [operation["operationId"] for _, operation in OPERATIONS]
    assert len(set(names)) == len(names)
    assert not [name for name in names if not name.islower() or not name.replace("_", "").isalpha()]


@pytest.mark.parametrize("wanted", ["yaml", "json"])
def test_the_served_document_is_the_one_in_the_repository(wanted: str) -> None:
    answer = Client().get("/api/v1/schema", {"format": wanted})
    assert wanted in answer["Content-Type"] or "openapi" in answer["Content-Type"]
    assert yaml.load(answer.content, yaml.CSafeLoader)["paths"].keys() == DOCUMENT["paths"].keys()


def test_the_document_is_written_once_however_often_anybody_asks() -> None:
    Client().get("/api/v1/schema")
    began = time.thread_time()
    for _ in range(100):
        assert Client().get("/api/v1/schema").status_code == 200
    assert time.thread_time() - began < 2.0, "each would take 0.2 s"


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("/api/v1/workspaces/{slug}/jobs/{job_id}/lag", "lag"),
        ("/api/v1/workspaces/{slug}/jobs/{job_id}/start", "jobs"),
        ("/api/v1/workspaces/{slug}/streams/{name}/dead-letters/discard", "dead letters"),
        ("/api/v1/workspaces/{slug}/clusters/{cluster}/topics", "topics"),
        ("/api/v1/workspaces/{slug}/clusters/test", "clusters"),
        ("/api/v1/examples", "reference"),
    ],
)
def test_areas(path: str, area: str) -> None:
    assert area_of(path) == area


def test_a_route_without_an_area_is_an_error() -> None:
    with pytest.raises(LookupError):
        area_of("/api/v1/workspaces/{slug}/something-new")


def test_tokens_are_bearer_tokens() -> None:
    assert DOCUMENT["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_no_request_takes_members_that_it_does_not_know() -> None:
    """`StrictSerializer` says so and refuses them, at every level of a body."""
    bodies = [
        (path, content["schema"])
        for path, operation in OPERATIONS
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]
    assert len(bodies) > 40
    assert [found for path, schema in bodies for found in _open_objects(schema, path)] == []


def _open_objects(schema: dict[str, Any], at: str) -> Iterator[str]:
    """Where a schema has objects that may have any member."""
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        yield at
    for name, member in schema.get("properties", {}).items():
        yield from _open_objects(member, f"{at}.{name}")
    for part in [*schema.get("allOf", []), *schema.get("anyOf", []), *schema.get("oneOf", [])]:
        yield from _open_objects(part, at)
    if "items" in schema:
        yield from _open_objects(schema["items"], f"{at}[]")


def test_the_page_names_codes_that_there_are() -> None:
    root = Path(__file__).resolve().parents[4]
    page = (root / "docs/reference/problems.md").read_text("utf-8").partition("# Errors of the REST API")[2]
    sources = "".join(path.read_text("utf-8") for path in (root / "platform/weir").rglob("*.py"))
    codes = set(re.findall(r"`([A-Z]{2,}(?:_[A-Z]+)*)`", page))
    assert len(codes) > 20
    assert [code for code in sorted(codes) if f'"{code}"' not in sources] == []


def test_every_operation_says_what_its_errors_are() -> None:
    problem = {"$ref": "#/components/schemas/ProblemDetails"}
    for path, operation in OPERATIONS:
        error = operation["responses"]["default"]
        assert error["content"] == {"application/problem+json": {"schema": problem}}, path
    required = DOCUMENT["components"]["schemas"]["ProblemDetails"]["required"]
    answer = Client().get("/api/v1/workspaces")
    assert answer["Content-Type"] == "application/problem+json"
    assert set(required) <= answer.json().keys()
