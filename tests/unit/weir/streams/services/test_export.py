"""An export that ends early says in its last line what ended it."""

import json
from dataclasses import replace

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


async def exported(workspace: Workspace, form: str, ref: TopicRef, query: BrowseQuery) -> list[str]:
    """The lines of a file."""
    await sync_to_async(set_owner)(await sync_to_async(home_cluster)(), workspace, "t", 1)
    member = await sync_to_async(Membership.objects.get)(workspace=workspace)
    ref = replace(ref, reading=TopicReading(workspace.pk, HOME, "t"))
    return "".join([piece async for piece in export(form, ref, query, 10_000, member)]).splitlines()


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
    query = BrowseQuery(origin="earliest", where="upper(s) <> ''")
    lines = await exported(workspace, "jsonl", TopicRef(PROFILE, "t", 1, CONTRACT), query)
    assert len(lines) == 1_001
    expected = {
        "filter": "1,000 records, then The filter can't be evaluated for record 1000 of partition 0",
        "cluster": "1,000 records, then the cluster failed: Kafka cluster k:9092 timed out.",
    }
    assert json.loads(lines[-1])["stopped"].startswith(expected[ended_by])


@pytest.mark.parametrize("origin", ["earliest", "newest"])
async def test_what_retention_deletes_meanwhile_is_said(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, origin: str
) -> None:
    log = FakeTopic(monkeypatch, 1)
    for number in range(1_000):
        log.write(b"k", json.dumps({"s": str(number)}).encode(), time_ms=1_780_000_000_000)
    looks = 0

    def watermarks(*_: object, **__: object) -> dict[tuple[str, int], tuple[int, int]]:
        nonlocal looks
        looks += 1
        return log.ends() if looks <= 1 else {("t", 0): (900 if origin == "earliest" else 100, 1_000)}

    monkeypatch.setattr(browse, "watermarks", watermarks)
    lines = await exported(
        workspace, "jsonl", TopicRef(PROFILE, "t", 1, CONTRACT), BrowseQuery(origin=origin)
    )  # type: ignore[arg-type]
    assert json.loads(lines[-1])["stopped"].endswith("retention deleted others while these were exported")
    assert len(lines) < 1_001


async def test_a_deletion_is_no_row_of_nulls(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    log = FakeTopic(monkeypatch, 1)
    log.write(b'"a"', b'{"v":null}', time_ms=1_780_000_000_000)
    log.write(b'"a"', None, time_ms=1_780_000_000_000)
    monkeypatch.setattr(browse, "watermarks", lambda *_, **__: log.ends())
    fields = [{"name": "id", "type": "string"}, {"name": "v", "type": "int", "nullable": True}]
    table = StreamContract.model_validate({"kind": "table", "key": ["id"], "fields": fields})
    lines = await exported(workspace, "csv", TopicRef(PROFILE, "t", 1, table), BrowseQuery(origin="earliest"))
    assert [line.split(",")[-4:] for line in lines] == [
        ["id", "v", "_deleted", "_malformed"],
        ["a", "", "false", ""],
        ["a", "", "true", ""],
    ]
    lines = await exported(
        workspace, "jsonl", TopicRef(PROFILE, "t", 1, table), BrowseQuery(origin="earliest")
    )
    assert [json.loads(line)["deleted"] for line in lines] == [False, True]
