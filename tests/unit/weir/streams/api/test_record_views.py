"""Records of requests, as they reach the producer."""

import base64
import json
from typing import Any

import pytest

from tests.support.run_factories import trades
from tests.support.users import client_of
from weir.streams.api import record_views
from weir.streams.services.record_input import NewRecord
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
RECORDS = "/api/v1/workspaces/ops/streams/trades/records"
FIELDS = [{"name": "price", "type": "decimal(20,2)"}]


@pytest.mark.parametrize("route", ["records", "export"])
def test_records_from_a_time_need_the_time(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    stream = trades(workspace)
    monkeypatch.setattr(record_views, "get_readable_stream", lambda *_: stream)
    answer = client_of(owner).get(f"/api/v1/workspaces/ops/streams/trades/{route}", {"from": "time"})
    assert (answer.status_code, answer.json()["code"]) == (422, "TIME_MISSING")


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, workspace: Workspace) -> list[NewRecord]:
    """What is written to a stream of prices."""
    found: list[NewRecord] = []

    def produce(_: Any, __: Any, records: list[NewRecord]) -> list[tuple[int, int]]:
        found.extend(records)
        return [(0, at) for at, _ in enumerate(records)]

    monkeypatch.setattr(record_views, "produce", produce)
    stream = trades(workspace)
    stream.contract = {"fields": FIELDS}
    stream.save()
    return found


def test_numbers_are_written_as_they_came(written: list[NewRecord], owner: User) -> None:
    value = '{"price":123456789012345678.91,"more":[1e3,1.10]}'
    line = '"{\\"key\\":1.10,\\"value\\":{\\"price\\":123456789012345678.91,\\"more\\":[1e3,1.10]}}"'
    body = f'{{"records":[{{"value":{value},"key":1.10}},{{"line":{line}}}]}}'
    answer = client_of(owner).post(RECORDS, body, content_type="application/json")
    assert answer.status_code == 201, answer.json()
    assert written == [NewRecord(value.encode(), b"1.10")] * 2


@pytest.mark.parametrize(
    "header",
    [("trace", "x" * 100_000), ("", "1"), ("a" * 300, ""), (" ", None)],
    ids=lambda header: header[0][:9],
)
def test_an_exported_record_keeps_its_headers(
    written: list[NewRecord], owner: User, header: tuple[str, str | None]
) -> None:
    name, value = header
    exported = {
        "offset": 7,
        "timestamp": "2026-01-01T00:00:00Z",
        "value_base64": base64.b64encode(b'{"price":1}').decode(),
        "key_base64": base64.b64encode(b"k" * 200_000).decode(),
        "headers": [{"name": name, "value": value, "value_is_text": True}],
    }
    body = {"records": [{"line": json.dumps(exported)}]}
    answer = client_of(owner).post(RECORDS, body, format="json")
    assert answer.status_code == 201, answer.json()
    headers = ((name, None if value is None else value.encode()),)
    assert written == [NewRecord(b'{"price":1}', b"k" * 200_000, headers)]


def test_a_number_that_is_out_of_range_is_refused(written: list[NewRecord], owner: User) -> None:
    body = '{"records":[{"value":{"price":1e999}}]}'
    answer = client_of(owner).post(RECORDS, body, content_type="application/json")
    assert (answer.status_code, written) == (400, [])
