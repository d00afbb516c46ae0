"""Routes that compute something from what a person sends, each given as much work as a body can hold: an answer in bounded time."""

import json
import time
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests.support.hostile_documents import DOCUMENTS
from tests.support.weir_people import client_of, member
from tests.support.weir_runs import CONTRACT, job_of
from weir.workspaces.models import Role, User, Workspace
from weir.workspaces.scope import WorkspaceView

pytestmark = pytest.mark.django_db(databases=["default", "results"])

SECONDS = 6.0  # of processor time; below 2 s where nothing else runs
ROOT = "/api/v1/workspaces/ops"
MANY = [{"name": f"f{at}", "type": "string"} for at in range(2_000)]
DEEP = "array<" * 15 + "int" + ">" * 15
HEAVY = {"properties": {f"p{at}": {"anyOf": [{"pattern": "(a?){25}a{25}"}] * 20} for at in range(300)}}
DOUBLING = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(40)}
SCHEMAS = (
    {"schema_type": "AVRO", "schema": json.dumps({"type": "record", "name": "R", "fields": MANY})},
    {"schema_type": "JSON", "schema": json.dumps(HEAVY)},
    {"schema_type": "JSON", "schema": json.dumps({"$defs": DOUBLING, "$ref": "#/$defs/d0"})},
)
CONTRACTS = (
    {**CONTRACT, "fields": [{"name": f"f{at}", "type": f"struct<{','.join(f'm{i}:{DEEP}' for i in range(20))}>"} for at in range(500)]},
    {**CONTRACT, "fields": [*CONTRACT["fields"], *({"name": f"f{at}", "type": "long"} for at in range(1_900))]},
)
ENCODINGS = tuple({"encoding": {"kind": kind, "schema": body["schema"]}} for body in SCHEMAS for kind in ("avro", "json"))

BODIES: dict[str, tuple[Any, ...]] = {
    "check": tuple({"document": text} for text in DOCUMENTS.values()),
    "check/script": tuple({"document": text} for text in DOCUMENTS.values()),
    "check/forecast": tuple({"document": text, "rates": {}, "keys": {}} for text in DOCUMENTS.values()),
    "jobs/<str:job_id>/verdict": tuple({"document": text} for text in DOCUMENTS.values()),
    "schemas/<str:subject>/check": SCHEMAS,
    "streams/<str:name>/impact": tuple({"contract": contract} for contract in CONTRACTS),
    "encodings/fields": ENCODINGS,
}
"""Of routes that a viewer may send to. Those that only look at a broker, and are bounded by its answers, are in `ASKING`."""
ASKING = frozenset(("live-ticket", "streams/fit", "streams/infer", "streams/<str:name>/records/check", "clusters/try", "leave"))


def sent_by_viewers() -> set[str]:
    """Routes below a workspace that a viewer may send a body to."""
    found = set()
    pending: list[tuple[str, Any]] = [("", one) for one in get_resolver().url_patterns]
    while pending:
        prefix, one = pending.pop()
        path = prefix + str(one.pattern)
        if isinstance(one, URLResolver):
            pending += [(path, inner) for inner in one.url_patterns]
        elif isinstance(one, URLPattern):
            view = getattr(one.callback, "view_class", None)
            allowed = getattr(view, "roles", {}) if view and issubclass(view, WorkspaceView) else {}
            if path.startswith("api/v1/workspaces/<slug:slug>/") and allowed.get("POST") == Role.VIEWER:
                found.add(path.removeprefix("api/v1/workspaces/<slug:slug>/"))
    return found


def test_every_route_that_computes_is_tried() -> None:
    assert sent_by_viewers() - ASKING == set(BODIES)


@pytest.mark.parametrize("route", BODIES)
def test_a_hostile_body_is_answered_in_bounded_time(owner: User, workspace: Workspace, route: str) -> None:
    job = job_of(workspace, owner)
    client = client_of(member(workspace, "vera", Role.VIEWER))
    path = route.replace("<str:job_id>", job.id).replace("<str:name>", "trades").replace("<str:subject>", "s-value")
    for body in BODIES[route]:
        began = time.thread_time()
        answer = client.post(f"{ROOT}/{path}", body, format="json")
        took = time.thread_time() - began
        assert took < SECONDS, (route, json.dumps(body)[:200])
        assert answer.status_code < 500, (route, answer.content[:300])
