import asyncio
import csv
import io
import json
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections

from tests.support.users import member
from weir.results.services.export import RowsLostError, export
from weir.results.services.fencing import Fence
from weir.results.services.purge import delete_generation
from weir.results.services.queries import read_by_key
from weir.results.services.records import ResultRecord
from weir.results.services.store import TopicFlush, clear_outdated, open_topic, store
from weir.workspaces.models import Membership, Workspace
from weir.workspaces.roles import Role

pytestmark = pytest.mark.every_database


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
async def test_everything_is_in_the_file(workspace: Workspace) -> None:
    ann = await member_of(workspace, "ann2")
    await _store()
    lines = [
        json.loads(line)
        for line in ("".join([part async for part in export("jsonl", "job", 1, ann)])).splitlines()
    ]
    assert sorted(line["key"][0] for line in lines) == list(range(2_100))
    assert lines[0]["value"].keys() == {"n", "text"}
    rows = list(csv.reader(io.StringIO("".join([part async for part in export("csv", "job", 1, ann)]))))
    assert rows[0] == ["_key", "n", "text", "_newest_input_us", "_partial"]
    assert len(rows) == 2_101
    assert all(row[2] == "'=cmd" for row in rows[1:])


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
async def test_a_table_has_the_fields_of_rows_before_and_after_an_edit(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit that keeps state leaves rows as they were written until they change."""
    monkeypatch.setattr("weir.results.services.export.CHUNK_ROWS", 1)
    ann = await member_of(workspace, "ann2")
    await _store([{"n": 1, "mean": 2.5}, {"n": 1, "text": "x"}, {"n": 2, "mean": 1.5, "share": 0.5}])
    parts = export("csv", "job", 1, ann, ["n", "mean", "share"])
    header, *rows = csv.reader(io.StringIO("".join([part async for part in parts])))
    assert header == ["_key", "n", "mean", "share", "text", "_newest_input_us", "_partial"]
    assert sorted(row[1:5] for row in rows) == [
        ["1", "", "", "x"],
        ["1", "2.5", "", ""],
        ["2", "1.5", "0.5", ""],
    ]
    lines = "".join([part async for part in export("jsonl", "job", 1, ann, ["n"])]).splitlines()
    assert {tuple(json.loads(line)["value"]) for line in lines} == {
        ("n", "mean"),
        ("n", "text"),
        ("n", "mean", "share"),
    }


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
async def test_a_result_without_rows_is_a_table_of_its_fields(workspace: Workspace) -> None:
    ann = await member_of(workspace, "ann2")
    parts = export("csv", "job", 1, ann, ["n"])
    assert "".join([part async for part in parts]).splitlines() == ["_key,n,_newest_input_us,_partial"]


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
async def test_exports_of_one_person_take_turns(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _store()
    reading: Counter[str] = Counter()
    most: Counter[str] = Counter()

    for who in ("ann", "bob"):
        await sync_to_async(open_topic)(job_id=who, generation=1, topic=who, topic_id="id", partitions=1)

    def slow(who: str, *args: Any) -> Any:
        reading[who] += 1
        most[who] = max(most[who], reading[who])
        time.sleep(0.02)
        reading[who] -= 1
        return read_by_key("job", *args)

    monkeypatch.setattr("weir.results.services.export.read_by_key", slow)

    async def whole(who: str, person: Membership) -> int:
        return "".join([part async for part in export("jsonl", who, 1, person)]).count("\n")

    ann, bob = await member_of(workspace, "ann2"), await member_of(workspace, "bob")
    people = [("ann", ann)] * 5 + [("bob", bob)] * 2
    assert await asyncio.gather(*(whole(*person) for person in people)) == [2_100] * 7
    assert most == {"ann": 1, "bob": 1}


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
async def test_an_export_ends_when_its_person_is_removed(workspace: Workspace) -> None:
    await _store()
    ann = await member_of(workspace, "ann2")
    parts = export("jsonl", "job", 1, ann)
    first = await anext(parts)
    await Membership.objects.filter(pk=ann.pk).adelete()
    assert first
    with pytest.raises(RowsLostError):  # what ended well would be taken for the whole
        await anext(parts)


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
@pytest.mark.parametrize("name", ["jsonl", "csv"])
async def test_an_export_breaks_when_its_generation_is_replaced(workspace: Workspace, name: str) -> None:
    """Its rows are deleted then, a slice at a time."""
    await _store()
    ann = await member_of(workspace, "ann2")
    current = [True]
    parts = export(name, "job", 1, ann, is_current=lambda: current[0])
    assert await anext(parts)
    current[0] = False
    await sync_to_async(delete_generation)("job", 1)
    with pytest.raises(RowsLostError):
        "".join([part async for part in parts])


@pytest.mark.django_db(transaction=True, databases=["default", "results"])
@pytest.mark.parametrize("name", ["jsonl", "csv"])
async def test_an_export_breaks_when_its_result_is_read_from_its_topic_again(
    workspace: Workspace, name: str
) -> None:
    """As after days without the relay: the rows go, a slice at a time, and come again."""
    await _store()
    ann = await member_of(workspace, "ann2")
    parts = export(name, "job", 1, ann)
    assert await anext(parts)
    await sync_to_async(clear_outdated)("job", 1, "another", None)
    with pytest.raises(RowsLostError):
        "".join([part async for part in parts])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no pool")
@pytest.mark.django_db(transaction=True, databases=["default", "results"])
async def test_exports_give_their_connections_back(workspace: Workspace) -> None:
    ann = await member_of(workspace, "ann2")
    await _store()

    def used() -> int:
        stats = connections["results"].pool.get_stats()
        return int(stats["pool_size"] - stats["pool_available"])

    before = used()
    for _ in range(4):
        assert [part async for part in export("jsonl", "job", 1, ann)]
    assert used() == before


async def member_of(workspace: Workspace, name: str) -> Membership:
    user = await sync_to_async(member)(workspace, name, Role.VIEWER)
    return await Membership.objects.aget(user=user)


async def _store(values: Sequence[dict[str, Any]] = ()) -> None:
    stored = values or [{"n": at, "text": "=cmd"} for at in range(2_100)]

    def write() -> None:
        topic = open_topic(job_id="job", generation=1, topic="t", topic_id="id", partitions=1)
        rows = [
            ResultRecord(f"[{at}]", json.dumps(value), at, False, 1, 0, at, 0)
            for at, value in enumerate(stored)
        ]
        store([TopicFlush(topic.pk, "job", 1, "t", rows, {0: (0, len(rows))}, Fence())])

    await sync_to_async(write)()
