"""Records whose Kafka timestamp lies after the year 9999, as producers write that take microseconds for
milliseconds: they are shown, and with this timestamp as event time they are malformed.
"""

import json
from typing import Any, cast

import pytest
from asgiref.sync import sync_to_async

from jobs.formats.contract import StreamContract
from tests.support.fake_topic import PROFILE, FakeTopic, Record
from tests.support.run_factories import trades
from tests.support.users import client_of
from weir.clusters.models import HOME
from weir.clusters.services.clusters import home_cluster
from weir.streams.api import sample_views
from weir.streams.services import browse, sampling
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.decoding import timestamp_us
from weir.streams.services.export import export
from weir.streams.services.ownership import TopicReading, set_owner
from weir.streams.services.scan import Budget
from weir.streams.services.tables import browse as table_browse
from weir.streams.services.tables.browse import table_page
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.models import Membership, User, Workspace

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "results"])
FIELDS = [{"name": "id", "type": "long"}, {"name": "at", "type": "long"}]
BY_KAFKA = StreamContract.model_validate({"fields": FIELDS})
BY_FIELD = StreamContract.model_validate(
    {"fields": FIELDS, "event_time": {"kind": "field", "field": "at", "unit": "ms"}}
)
TABLE = StreamContract.model_validate({**BY_FIELD.as_json(), "kind": "table", "key": ["id"]})
AT_MS = 1_750_000_000_000
NEVER = "9999-12-31T23:59:59.999999Z"


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> FakeTopic:
    """Three records, the second with a timestamp in microseconds."""
    made = FakeTopic(monkeypatch, 1)
    for number, time_ms in enumerate((AT_MS, AT_MS * 1_000, AT_MS)):
        made.write(str(number).encode(), json.dumps({"id": number, "at": AT_MS}).encode(), 0, time_ms)
    for module in (browse, sampling):
        monkeypatch.setattr(module, "watermarks", lambda *_, **__: made.ends())
    return made


@pytest.mark.parametrize("origin", ["newest", "earliest"])
def test_a_page_shows_it_with_the_others(log: FakeTopic, origin: Any) -> None:
    shown = browse.browse(log.ref(BY_KAFKA), BrowseQuery(origin=origin))["records"]
    assert sorted(record["offset"] for record in shown) == [0, 1, 2]
    (far,) = [record for record in shown if record["offset"] == 1]
    assert (far["timestamp"], far["malformed"]["reason"]) == (NEVER, "TIME_RANGE")


def test_its_time_is_that_which_engines_hold() -> None:
    """So that it is found behind the rows that it is in."""
    far = Record(0, 0, b"", None, AT_MS * 1_000)
    assert timestamp_us(cast(Any, far)) == 1_013_609_203_200_000_000


def test_a_condition_sees_it(log: FakeTopic) -> None:
    query = BrowseQuery(where="_timestamp > timestamp '2030-01-01'")
    assert [record["offset"] for record in browse.browse(log.ref(BY_FIELD), query)["records"]] == [1]


async def test_an_export_goes_on_behind_it(log: FakeTopic, workspace: Workspace) -> None:
    await sync_to_async(set_owner)(await sync_to_async(home_cluster)(), workspace, "t", 1)
    member = await sync_to_async(Membership.objects.get)(workspace=workspace)
    ref = TopicRef(PROFILE, "t", 1, BY_FIELD, reading=TopicReading(workspace.pk, HOME, "t"))
    pieces = [piece async for piece in export("jsonl", ref, BrowseQuery(origin="earliest"), 10, member)]
    lines = [json.loads(line) for line in "".join(pieces).splitlines()]
    assert [line["offset"] for line in lines] == [0, 1, 2]
    assert lines[1]["timestamp"] == NEVER


def test_the_rows_of_a_table_have_it(
    log: FakeTopic, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = trades(workspace)
    table.contract = TABLE.as_json()
    monkeypatch.setattr(table_browse, "stream_ref", lambda _: log.ref(TABLE))
    page = table_page(table, 10, None, Budget())
    assert (page["complete"], page["newest"]) == (True, NEVER)
    assert [row["timestamp"] == NEVER for row in page["rows"]] == [False, True, False]


def test_the_profile_of_the_stream_counts_it(
    log: FakeTopic, workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = trades(workspace)
    stream.contract = BY_FIELD.as_json()
    monkeypatch.setattr(sample_views, "get_readable_stream", lambda *_: stream)
    monkeypatch.setattr(sample_views, "stream_ref", lambda _: log.ref(BY_FIELD))
    profile = client_of(owner).get("/api/v1/workspaces/ops/streams/trades/profile").json()
    assert (profile["records"], profile["newest"]) == (3, NEVER)
