"""The sample that is stored with a stream."""

import pytest
from django.test import Client

from tests.support.run_factories import trades
from tests.support.users import client_of
from weir.streams.models import StoredSample
from weir.streams.services.stored_samples import MAX_RECORDS, stored_lines
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db

ROUTE = "/api/v1/workspaces/ops/streams/trades/sample"
LINES = '{"symbol": "A"}\n\n{nonsense\n'


@pytest.fixture
def ann(owner: User, workspace: Workspace) -> Client:
    trades(workspace)
    return client_of(owner)


def put(client: Client, lines: str) -> int:
    return int(client.put(ROUTE, {"lines": lines}, content_type="application/json").status_code)


def test_a_sample_is_kept_as_it_was_written_and_replaced_and_deleted(ann: Client) -> None:
    assert ann.get(ROUTE).json() == {"lines": "", "records": 0, "changed_at": None, "changed_by": None}
    assert put(ann, LINES) == 200
    found = ann.get(ROUTE).json()
    assert (found["lines"], found["records"], found["changed_by"]) == (LINES, 2, "ann")
    assert put(ann, '{"symbol": "B"}') == 200
    assert stored_lines(StoredSample.objects.get().stream) == '{"symbol": "B"}'
    for _ in range(2):
        assert put(ann, " \n") == 200
        assert not StoredSample.objects.exists()
    assert Event.objects.filter(text="Sample of trades deleted").count() == 1


@pytest.mark.parametrize(
    "line",
    [
        '{"value_base64": "%"}',
        '{"value_base64": 5}',
        '{"value_base64": ["a"]}',
        '{"value_json": {"a": "b"}}',
        '{"value": 1, "key": {"a": 1}}',
        '{"value": 1, "key": "\\ud800"}',
        '{"value": 1, "key_json": [1]}',
        '{"value": 1, "headers": {"trace": "1"}}',
        '{"value": 1, "headers": "trace"}',
        '{"value": 1, "headers": ["trace"]}',
        '{"value": 1, "headers": [{"value": "x"}]}',
        '{"value": 1, "headers": [{"name": {}}]}',
        '{"value": 1, "headers": [{"name": "\\ud800"}]}',
        '{"value": 1, "headers": [{"name": "a", "value": "\\ud800"}]}',
        '{"value": 1, "headers": [{"name": "a", "value": true}]}',
        '{"value": 1, "partition": "first"}',
        '{"value": 1, "partition": true}',
        '{"value": 1, "partition": -1}',
        '{"value": 1, "partition": 2147483648}',
        '{"offset": 1, "timestamp": 1, "value_base64": {}, "key_base64": null, "headers": []}',
        '{"offset": 1, "timestamp": "", "value_base64": "", "key_base64": "", "headers": [{"value": "x"}]}',
    ],
)
def test_what_can_be_no_record_is_refused_with_its_line(ann: Client, line: str) -> None:
    answer = ann.put(ROUTE, {"lines": f"1\n{line}"}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (422, "RECORD_INVALID")
    assert "Line 2" in answer.json()["detail"]


def test_a_sample_of_too_many_records_is_refused(ann: Client) -> None:
    assert put(ann, "1\n" * (MAX_RECORDS + 1)) == 422
