"""An export that ends early says in its last line what ended it."""

import json

import pytest
from asgiref.sync import sync_to_async

from jobs.formats.contract import StreamContract
from tests.support.fake_topic import PROFILE, FakeTopic
from weir.clusters.models import HOME
from weir.clusters.services.clusters import home_cluster
from weir.streams.services import browse, record_filter
from weir.streams.services.browse_page import BrowseQuery
from weir.streams.services.export import export
from weir.streams.services.ownership import TopicReading, set_owner
from weir.streams.services.topic_ref import TopicRef
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import Membership, Workspace

pytestmark = pytest.mark.django_db(transaction=True)
CONTRACT = StreamContract.model_validate({"fields": [{"name": "s", "type": "string"}]})


@pytest.mark.parametrize("ended_by", ["filter", "cluster"])
async def test_what_ended_an_export_is_said_as_it_was(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, ended_by: str
) -> None:
    log = FakeTopic(monkeypatch, 1)
    for size in [1] * 1_000 + [10_000]:
        log.write(b"k", json.dumps({"s": "a" * size}).encode(), time_ms=1_780_000_000_000)
    looks = 0

    def watermarks(*_: object, **__: object) -> dict[tuple[str, int], tuple[int, int]]:
        nonlocal looks
        looks += 1
        if ended_by == "cluster" and looks > 2:
            raise UnreachableError("BROKER_UNREACHABLE", "Kafka cluster k:9092 timed out.")
        return log.ends()

    monkeypatch.setattr(browse, "watermarks", watermarks)
    monkeypatch.setattr(record_filter, "MAX_WORK", 1_000)
    await sync_to_async(set_owner)(await sync_to_async(home_cluster)(), workspace, "t", 1)
    member = await sync_to_async(Membership.objects.get)(workspace=workspace)
    ref = TopicRef(PROFILE, "t", 1, CONTRACT, reading=TopicReading(workspace.pk, HOME, "t"))
    query = BrowseQuery(origin="earliest", where="upper(s) <> ''")
    lines = "".join([piece async for piece in export("jsonl", ref, query, 10_000, member)]).splitlines()
    assert len(lines) == 1_001
    expected = {
        "filter": "1,000 records, then The filter can't be evaluated for record 1000 of partition 0",
        "cluster": "1,000 records, then the cluster failed: Kafka cluster k:9092 timed out.",
    }
    assert json.loads(lines[-1])["stopped"].startswith(expected[ended_by])
