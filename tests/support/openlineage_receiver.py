"""A receiver of OpenLineage events that holds each to OpenLineage's own JSON Schemas."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs

from tests.support.receivers import HttpReceiver, http_receiver

_FOLDER = Path(__file__).parent / "data" / "openlineage"
_SCHEMAS = {found["$id"]: found for found in (json.loads(one.read_text()) for one in _FOLDER.glob("*.json"))}
_REGISTRY = jsonschema_rs.Registry([(name, schema) for name, schema in _SCHEMAS.items()])


def problems_of(value: Any, schema_url: str) -> list[str]:
    """Why a value is not what its schema asks for."""
    assert schema_url.partition("#")[0] in _SCHEMAS, schema_url  # never fetched
    validator = jsonschema_rs.validator_for(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": schema_url},
        registry=_REGISTRY,
        validate_formats=True,
    )
    return [f"{'/'.join(map(str, one.instance_path))}: {one.message}" for one in validator.iter_errors(value)]


def event_problems(event: dict[str, Any]) -> list[str]:
    """Why an event, or one of its facets, is not valid."""
    found = problems_of(event, event["schemaURL"])
    datasets = [*event["inputs"], *event["outputs"]]
    for holder in (event["run"], event["job"], *datasets):
        for facet in holder["facets"].values():
            found += problems_of(facet, facet["_schemaURL"])
    return found


class LineageCatalog:
    """The valid events that arrived, in order."""

    def __init__(self, receiver: HttpReceiver) -> None:
        self.receiver = receiver
        self.url = f"http://127.0.0.1:{receiver.port}/api/v1/lineage"

    @property
    def events(self) -> list[dict[str, Any]]:
        """All that were posted; fails where one is not valid."""
        found = [json.loads(body) for _, _, body in self.receiver.requests]
        assert [problem for event in found for problem in event_problems(event)] == []
        return found

    @property
    def types(self) -> list[str]:
        return [event["eventType"] for event in self.events]


@contextmanager
def lineage_catalog() -> Iterator[LineageCatalog]:
    with http_receiver() as receiver:
        yield LineageCatalog(receiver)
