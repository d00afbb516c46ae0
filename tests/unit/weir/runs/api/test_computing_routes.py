"""Routes that compute something from what a person sends, each given as much work as a body can hold:
an answer in bounded time.
"""

import json
import time
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

from jobs.formats.contract import StreamContract
from jobs.plan import pipeline
from tests.support.alerting import World
from tests.support.hostile_documents import DOCUMENTS
from tests.support.hostile_sql import TEXTS
from tests.support.run_factories import CONTRACT, DOCUMENT, job_of
from tests.support.users import client_of, member
from weir.clusters.services.clusters import home_cluster
from weir.runs.models import Job
from weir.runs.services import planning
from weir.streams.models import Stream
from weir.workspaces.api.base_view import WorkspaceView
from weir.workspaces.models import User, Workspace
from weir.workspaces.roles import Role

pytestmark = [pytest.mark.django_db(databases=["default", "results"]), pytest.mark.thorough]

SECONDS = 6.0  # of processor time; below 2 s where nothing else runs
# The budget of a document is divided by this where every route is tried: what is bounded by
# it takes that much less
SHARE = 10
# s of processor time beside the budget, for a body of up to 2 MiB and 100,000 values; below 1.4 where
# nothing else runs
READING = 3.0
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
REGISTRY = "/registry/ops"
WRITING = "documents/to-sql"  # bounded by the length of its answer, not by the budget of a document


def avro(fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"schemaType": "AVRO", "schema": json.dumps({"type": "record", "name": "R", "fields": fields})}


def json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {"schemaType": "JSON", "schema": json.dumps(schema)}


WIDE = [{"name": f"f{at}", "type": "int"} for at in range(3_000)]
UNION = [
    {"type": "record", "name": f"U{at}", "fields": [{"name": f"m{i}", "type": "int"} for i in range(20)]}
    for at in range(120)
]
MUTUAL = [
    {
        "name": f"r{at}",
        "type": {
            "type": "record",
            "name": f"T{at}",
            "fields": [{"name": "next", "type": ["null", f"T{max(0, at - 1)}"]}],
        },
    }
    for at in range(400)
]
SYMBOLS = [f"s{at}" for at in range(25_000)]
INT_X, NULL_X = {"name": "x", "type": "int"}, {"name": "x", "type": "null"}


def named_twice(levels: int, last: list[Any]) -> dict[str, Any]:
    """Records each of which names the next one twice; `last`: the fields of the last."""
    record: dict[str, Any] = {"type": "record", "name": f"R{levels}", "fields": last}
    for at in range(levels - 1, -1, -1):
        fields = [{"name": "a", "type": record}, {"name": "b", "type": f"R{at + 1}"}]
        record = {"type": "record", "name": f"R{at}", "fields": fields}
    return record


def branching(levels: int, leaf: object) -> list[Any]:
    """A default whose every level fits two branches of a union, until its leaf fits none."""
    kind: Any = "int"
    default = leaf
    for at in range(levels):
        first = {"type": "record", "name": f"A{at}", "fields": [{"name": "a", "type": kind}]}
        again = "int" if at == 0 else [f"A{at - 1}", f"B{at - 1}"]
        kind = [first, {"type": "record", "name": f"B{at}", "fields": [{"name": "a", "type": again}]}]
        default = {"a": default}
    return [{"name": "d", "type": kind, "default": default}]


def enum(symbols: list[str]) -> dict[str, Any]:
    return {"name": "e", "type": {"type": "enum", "name": "E", "symbols": symbols}}


def many_symbols(symbols: list[str]) -> dict[str, Any]:
    items = {"type": "enum", "name": "E", "symbols": symbols}
    return {"name": "d", "type": {"type": "array", "items": items}, "default": symbols[::-1]}


def web(step: int) -> dict[str, Any]:
    """Definitions that refer to each other in a way that takes long to come round."""
    names = [f"d{at}" for at in range(300)]
    return {
        "$ref": "#/$defs/d0",
        "$defs": {
            name: {
                "type": "object",
                "properties": {f"p{i}": {"$ref": f"#/$defs/d{(at * step + i) % 300}"} for i in range(12)},
            }
            for at, name in enumerate(names)
        },
    }


REGISTRY_SCHEMAS = {
    "avro with many fields": (avro(WIDE), avro([*WIDE, {"name": "more", "type": "int", "default": 1}])),
    "avro with fields in another order": (avro(WIDE), avro(WIDE[::-1])),
    "avro with many aliases": (
        avro(WIDE),
        avro([{**field, "aliases": [f"a{at}_{i}" for i in range(5)]} for at, field in enumerate(WIDE)]),
    ),
    "avro with unions of records": (
        avro([{"name": "u", "type": UNION}]),
        avro([{"name": "u", "type": UNION[::-1]}]),
    ),
    "avro with records that name each other": (avro(MUTUAL), avro(MUTUAL[::-1])),
    "avro with records that stand in a thousand million places": (
        {"schemaType": "AVRO", "schema": json.dumps(named_twice(30, [INT_X]))},
        {"schemaType": "AVRO", "schema": json.dumps(named_twice(30, [INT_X, {"name": "y", "type": "int"}]))},
    ),
    "avro with items that may have no width": (
        avro([{"name": "z", "type": {"type": "array", "items": named_twice(40, [NULL_X])}}]),
        avro([{"name": "z", "type": {"type": "array", "items": named_twice(40, [NULL_X])}}]),
    ),
    "avro with a default of unions in unions": (avro(branching(24, "no number")), avro(branching(24, 1))),
    "avro with a huge enum": (avro([enum(SYMBOLS)]), avro([enum(SYMBOLS[::-1])])),
    "avro with a default of many symbols": (
        avro([many_symbols(SYMBOLS[:14_000])]),
        avro([many_symbols(SYMBOLS[:14_000][::-1])]),
    ),
    "json with values that are objects": (
        json_schema({"enum": [{"a": at} for at in range(15_000)]}),
        json_schema({"enum": [{"b": at} for at in range(15_000)]}),
    ),
    "json with many that are required": (
        json_schema({"type": "object", "required": [f"a{at}" for at in range(20_000)]}),
        json_schema({"type": "object", "required": [f"b{at}" for at in range(20_000)]}),
    ),
    "json with references that lead deeper than a stack": (json_schema(web(5)), json_schema(web(7))),
    "json with many members": (
        json_schema({"properties": {f"p{at}": {"type": "string"} for at in range(100_000)}}),
        json_schema({"properties": {f"p{at}": {"type": "number"} for at in range(100_000)}}),
    ),
    "json with fewer members": (
        json_schema(
            {
                "properties": {f"p{at}": {"type": "string"} for at in range(5_000)},
                "required": [f"p{at}" for at in range(5_000)],
            }
        ),
        json_schema(
            {
                "properties": {f"p{at}": {"type": "number"} for at in range(5_000)},
                "additionalProperties": False,
            }
        ),
    ),
    "json with choices of choices": (
        json_schema(HEAVY),
        json_schema({**HEAVY, "additionalProperties": False}),
    ),
    "json with definitions that double": (
        json_schema({"$defs": DOUBLING, "$ref": "#/$defs/d0"}),
        json_schema({"$defs": DOUBLING, "$ref": "#/$defs/d1"}),
    ),
}
CONTRACTS = (
    {
        **CONTRACT,
        "fields": [
            {"name": f"f{at}", "type": f"struct<{','.join(f'm{i}:{DEEP}' for i in range(20))}>"}
            for at in range(500)
        ],
    },
    {
        **CONTRACT,
        "fields": [*CONTRACT["fields"], *({"name": f"f{at}", "type": "long"} for at in range(1_900))],
    },
)
ENCODINGS = tuple(
    {"encoding": {"kind": kind, "schema": body["schema"]}} for body in SCHEMAS for kind in ("avro", "json")
)

SMALL_TEST = json.dumps({"format": 1, "name": "t", "batches": [], "expect": {}})
JOB_TESTS = tuple(
    json.dumps({"format": 1, "name": "t", "batches": batches, "expect": {"outputs": {"live": expected}}})
    for batches, expected in (
        ([{"records": {"trades": [{"values": {"price": 1}}] * 2_000}}], {}),
        ([{"records": {"trades": [{"values": {f"f{at}": at for at in range(40_000)}}]}}], {}),
        ([{"heartbeats": {f"s{at}": "1s" for at in range(40_000)}}], {}),
        ([{"sleep": at} for at in range(40_000)], {}),
        ([{}], {"rows": [{f"unknown{at}": 1 for at in range(45)}] * 1_000}),
        ([{}] * 100, {"rows": [{"n": [[[[[1]]]]] * 20}] * 900}),
    )
)

CONDITIONS = (
    "regexp_like(repeat('a', 25), '" + "a?" * 400 + "a" * 400 + "')",
    "length(" + "repeat(" * 60 + "'a'" + ", 99)" * 60 + ") > 1",
    " or ".join(f"n = {at}" for at in range(180)),
    "n > " + "(" * 900 + "1" + ")" * 900,
    "'%a%a%a%a%b' like '" + "%a" * 900 + "%b'",
    "exists(sequence(1, 100000), x -> exists(sequence(1, 100000), y -> x + y < 0))",
    "exists(sequence(1, 250), x -> exists(sequence(1, 250), y -> x + y < 0))",
    "exists(sequence(1, 60), x -> exists(sequence(1, 60), y -> x + y < 0))",
)
ROWS = 5_000  # stored, for rules over them
RULES = tuple(
    {"document": {"format": 1, "watch": {"kind": "rows", "job": "<job>", "where": where}}}
    for where in CONDITIONS
)

BODIES: dict[str, tuple[Any, ...]] = {
    "alert-rules/check": RULES,
    "documents/check": tuple({"document": text} for text in DOCUMENTS.values()),
    "documents/script": tuple({"document": text} for text in DOCUMENTS.values()),
    "documents/sql": tuple({"text": text} for text in TEXTS.values()),
    "documents/to-sql": tuple({"document": text} for text in DOCUMENTS.values()),
    "documents/forecast": tuple(
        {"document": text, "rates": {}, "key_counts": {}} for text in DOCUMENTS.values()
    ),
    "documents/measured-load": tuple({"document": text} for text in DOCUMENTS.values()),
    "jobs/<str:job_id>/diff": tuple({"document": text} for text in DOCUMENTS.values()),
    "jobs/<str:job_id>/row-inputs": tuple(
        {"key": key} for key in ("x" * 99_000, "[" * 99_000, "x" * 1_500_000)
    ),
    "jobs/<str:job_id>/test-check": tuple({"document": text} for text in JOB_TESTS),
    # A hostile part with ordinary others: each part has its own budget.
    "documents/test-check": (
        *({"document": text, "test": SMALL_TEST} for text in DOCUMENTS.values()),
        *({"document": DOCUMENT, "test": text} for text in JOB_TESTS),
        *(
            {"document": DOCUMENT, "test": SMALL_TEST, "streams": {"trades": contract}}
            for contract in CONTRACTS
        ),
    ),
    "schemas/<str:subject>/check": SCHEMAS,
    "streams/<str:name>/impact": tuple({"contract": contract} for contract in CONTRACTS),
    "encodings/fields": ENCODINGS,
}
"""Of routes that a viewer may send to. Those that only look at a broker, and are bounded by its answers,
are in `ASKING`.
"""
ASKING = frozenset(
    (
        "live-ticket",
        "samples/validate",
        "samples/infer",
        "streams/<str:name>/records/check",
        "clusters/test",
        "leave",
    )
)


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
            asked = view.rights.get("POST") if view and issubclass(view, WorkspaceView) else None
            if path.startswith("api/v1/workspaces/<slug:slug>/") and asked and Role.VIEWER.may(asked):
                found.add(path.removeprefix("api/v1/workspaces/<slug:slug>/"))
    return found


def test_every_route_that_computes_is_tried() -> None:
    assert sent_by_viewers() - ASKING == set(BODIES)


@pytest.mark.parametrize("route", BODIES)
def test_a_hostile_body_is_answered_in_bounded_time(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    """A tenth of the budget is a tenth of the time, whatever the document."""
    job = job_with_rows(workspace, owner) if route == "alert-rules/check" else job_of(workspace, owner)
    client = client_of(member(workspace, "vera", Role.VIEWER))
    path = (
        route.replace("<str:job_id>", job.id)
        .replace("<str:name>", "trades")
        .replace("<str:subject>", "s-value")
    )
    monkeypatch.setattr(pipeline, "MAX_WORK", pipeline.MAX_WORK // SHARE)
    monkeypatch.setattr(planning, "CHECK_TIMEOUT_S", planning.CHECK_TIMEOUT_S / SHARE)
    for given in BODIES[route]:
        body = json.loads(json.dumps(given).replace("<job>", job.id)) if given in RULES else given
        took, answer = answered(client, f"{ROOT}/{path}", body)
        assert took < (SECONDS / SHARE + READING if "document" in body and route != WRITING else SECONDS), (
            route,
            json.dumps(body)[:200],
        )
        assert answer.status_code < 500, (route, answer.content[:300])


MANY_WRONG_ITEMS: dict[str, dict[str, Any]] = {
    "schemas/x/check": {"schema": "x", "references": [0] * 200_000},
    "streams/trades/records": {"records": [0] * 200_000},
    "consumer-group-offsets/home/g": {"target": "latest", "partitions": {"t": ["x"] * 9_000}},
}


@pytest.mark.parametrize("route", MANY_WRONG_ITEMS)
def test_of_very_many_wrong_items_the_first_are_told(owner: User, workspace: Workspace, route: str) -> None:
    job_of(workspace, owner)
    answer = client_of(owner).post(f"{ROOT}/{route}", MANY_WRONG_ITEMS[route], format="json")
    assert answer.status_code == 400, answer.content[:300]
    assert len(answer.content) < 20_000


@pytest.mark.parametrize("load", [{"rates": {"trades": 1e308}}, {"key_counts": {"stats": 10**4_299}}])
def test_a_forecast_of_no_real_load_is_refused(
    owner: User, workspace: Workspace, load: dict[str, Any]
) -> None:
    body = {"document": DOCUMENT, "rates": {}, "key_counts": {}, **load}
    answer = client_of(owner).post(f"{ROOT}/documents/forecast", body, format="json")
    assert answer.status_code == 400, answer.content[:300]


WIDE_STRUCT = f"struct<{','.join(f'm{at}:long' for at in range(300))}>"
LARGE_TYPES = [{"name": f"f{at}", "type": WIDE_STRUCT} for at in range(40)]
OF_STREAMS = (
    ("documents/check", {"document": DOCUMENT}),
    ("documents/script", {"document": DOCUMENT}),
    ("documents/sql", {"text": "SELECT symbol, price FROM trades"}),
    ("documents/test-check", {"document": DOCUMENT, "test": SMALL_TEST}),
    ("documents/forecast", {"document": DOCUMENT, "rates": {}, "key_counts": {}}),
    ("documents/measured-load", {"document": DOCUMENT}),
    ("jobs/<str:job_id>/diff", {"document": DOCUMENT}),
    ("streams/<str:name>/impact", {"contract": CONTRACT}),
    ("schemas/<str:subject>/check", SCHEMAS[0]),
)


def large_streams(workspace: Workspace, count: int) -> None:
    """Streams with large contracts, as an older version of Weir has saved them."""
    contract = StreamContract.model_validate({**CONTRACT, "fields": LARGE_TYPES, "event_time": {}}).as_json()
    Stream.objects.bulk_create(
        Stream(
            workspace=workspace, name=f"large{at}", cluster=home_cluster(), topic=f"large{at}", topic_id="t",
            partitions=1, contract=contract,
        )
        for at in range(count)
    )  # fmt: skip


@pytest.mark.parametrize(("route", "body"), OF_STREAMS, ids=[route for route, _ in OF_STREAMS])
def test_contracts_that_nothing_names_cost_nothing(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, route: str, body: dict[str, Any]
) -> None:
    read: list[str] = []
    typed = Stream.stream_contract.fget

    def counting(stream: Stream) -> StreamContract:
        read.append(stream.name)
        return typed(stream)

    monkeypatch.setattr(Stream, "stream_contract", property(counting))
    job = job_of(workspace, owner)
    large_streams(workspace, 30)
    read.clear()
    path = (
        route.replace("<str:job_id>", job.id)
        .replace("<str:name>", "trades")
        .replace("<str:subject>", "s-value")
    )
    _, answer = answered(client_of(member(workspace, "vera", Role.VIEWER)), f"{ROOT}/{path}", body)
    assert answer.status_code == 200, answer.content
    assert set(read) <= {"trades"}


def test_a_document_that_names_one_of_many_streams_checks_it_alone(owner: User, workspace: Workspace) -> None:
    job_of(workspace, owner)
    large_streams(workspace, 30)
    client = client_of(member(workspace, "vera", Role.VIEWER))

    def problems(document: str) -> list[tuple[list[str], str, str]]:
        _, answer = answered(client, f"{ROOT}/documents/check", {"document": document})
        return [(each["path"], each["code"], each["hint"]) for each in answer.json()["problems"]]

    path = ["sources", "trades", "stream"]
    wrong = DOCUMENT.replace("{stream: trades}", "{stream: tradse}")
    assert (path, "PARAMETER_RANGE", "Did you mean trades?") in problems(wrong)
    other = problems(DOCUMENT.replace("{stream: trades}", "{stream: large7}"))
    assert other
    assert path not in [each[0] for each in other]


def test_contracts_are_read_within_the_bound_of_a_check(
    owner: User, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_of(workspace, owner)
    large_streams(workspace, 19)
    sources = "".join(f"  s{at}: {{stream: large{at}}}\n" for at in range(19))
    document = DOCUMENT.replace("  trades: {stream: trades}\n", f"  trades: {{stream: trades}}\n{sources}")
    assert sources in document
    monkeypatch.setattr(planning, "CHECK_TIMEOUT_S", 0.05)
    client = client_of(member(workspace, "vera", Role.VIEWER))
    _, answer = answered(client, f"{ROOT}/documents/check", {"document": document})
    assert answer.status_code == 200, answer.content
    large = [each["path"] for each in answer.json()["problems"] if each["code"] == "DOCUMENT_TOO_LARGE"]
    assert ["sources", "s18", "stream"] in large
    assert ["sources", "trades", "stream"] not in large


def job_with_rows(workspace: Workspace, owner: User) -> Job:
    world = World(workspace, owner)
    world.store(*({"symbol": f"S{at}", "n": at} for at in range(ROWS)))
    return world.job


@pytest.mark.parametrize("name", ["branches", "wide"])
def test_a_hostile_document_is_checked_in_bounded_time(owner: User, workspace: Workspace, name: str) -> None:
    """With the whole budget, and what is too large is named."""
    job_of(workspace, owner)
    took, answer = answered(
        client_of(member(workspace, "vera", Role.VIEWER)),
        f"{ROOT}/documents/check",
        {"document": DOCUMENTS[name]},
    )
    assert took < SECONDS
    problems = answer.json()["problems"]
    for problem in problems:
        if problem["code"] == "DOCUMENT_TOO_LARGE":
            assert problem["path"][0] == "steps"
    assert problems or name == "wide"


@pytest.mark.parametrize("schema", REGISTRY_SCHEMAS)
def test_a_hostile_schema_is_looked_at_in_bounded_time(
    owner: User, workspace: Workspace, schema: str
) -> None:
    """By a viewer who looks it up or compares it, and by an editor who registers it and
    then a changed one.
    """
    before, after = REGISTRY_SCHEMAS[schema]
    viewer, editor = (
        client_of(member(workspace, "vera", Role.VIEWER)),
        client_of(member(workspace, "edda", Role.EDITOR)),
    )
    tried = [
        (editor, "subjects/s-value/versions", before),
        (viewer, "subjects/s-value", before),
        (viewer, "compatibility/subjects/s-value/versions", after),
        (viewer, "compatibility/subjects/s-value/versions/latest", after),
        (editor, "subjects/s-value/versions", after),
    ]
    for client, path, body in tried:
        took, answer = answered(client, f"{REGISTRY}/{path}", body)
        assert took < SECONDS, (schema, path)
        assert answer.status_code < 500, (schema, path, answer.content[:300])


def answered(client: APIClient, path: str, body: dict[str, Any]) -> tuple[float, Any]:
    """Seconds of processor time of this thread, and the answer."""
    began = time.thread_time()
    answer = client.post(path, body, format="json")
    return time.thread_time() - began, answer
