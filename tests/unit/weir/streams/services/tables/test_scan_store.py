"""Unfinished table scans between requests: found by any process, bounded, the oldest deleted first."""

import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.formats.contract import StreamContract
from tests.support.database_url import database_url
from tests.support.users import create_user, workspace_of
from weir.clusters.services.clusters import home_cluster
from weir.retention import SAVED_SCAN_TTL, SAVED_SCANS_PER_STREAM
from weir.streams.models import SavedScan, Stream
from weir.streams.services.scan import OffsetRange
from weir.streams.services.tables import scan_store
from weir.streams.services.tables.scan_store import delete, load, save
from weir.streams.services.tables.sketch import MAX_KEYS, KeySketch, digest
from weir.streams.services.tables.table_scan import Entry, TableScan
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db
FIELDS = [
    {"name": "city", "type": "string"},
    {"name": "day", "type": "date"},
    {"name": "n", "type": "decimal(10,2)"},
]
CONTRACT = StreamContract.model_validate(
    {"kind": "table", "key": ["city", "day", "n"], "fields": [*FIELDS, {"name": "v", "type": "long"}]}
)


@pytest.fixture
def stream(workspace: Workspace) -> Stream:
    return table(workspace, "cities")


def table(workspace: Workspace, name: str) -> Stream:
    return Stream.objects.create(
        workspace=workspace,
        name=name,
        cluster=home_cluster(),
        topic=name,
        topic_id="t",
        partitions=2,
        contract=CONTRACT.as_json(),
    )


def found(keys: int = 3, sketched: int = 10) -> TableScan:
    texts = [f'["Ä{n:05}","2026-01-0{1 + n % 9}","{n}.50"]' for n in range(keys)]
    entries = {
        scan_store.given_key(text, CONTRACT): Entry(n, {"key": text, "row": None}, 7)
        for n, text in enumerate(texts)
    }
    sketch = KeySketch()
    for n in range(sketched):
        number = digest(str(n))
        if sketch.wants(number):
            sketch.note(number, n, alive=n % 3 > 0)
    ranges = {0: OffsetRange(0, 10, 0, 12), 1: OffsetRange(4, 9, 3, 9)}
    after = scan_store.given_key('["A","2026-01-01","0.00"]', CONTRACT)
    bound = scan_store.given_key('["Z","2026-01-01","0.00"]', CONTRACT)
    order = list(entries)
    return TableScan(after, None, 50, ranges, {0: 5, 1: 4}, entries, order, bound, sketch, 17, 2, 7 * keys)


@pytest.mark.parametrize("sketched", [0, 10, MAX_KEYS + 500])
def test_it_comes_back_as_it_was(stream: Stream, sketched: int) -> None:
    before = found(sketched=sketched)
    after = load(stream, save(stream, before, ""))
    assert before.sketch is not None
    assert after.sketch is not None
    assert (after.sketch.rows(), after.sketch.full) == (before.sketch.rows(), before.sketch.full)
    for number in map(digest, map(str, range(sketched, sketched + 400))):  # it continues as the other would
        assert after.sketch.wants(number) == before.sketch.wants(number)
        if before.sketch.wants(number):
            before.sketch.note(number, 1, alive=True)
            after.sketch.note(number, 1, alive=True)
    assert after.sketch.rows() == before.sketch.rows()
    before.sketch = after.sketch = None
    assert after == before


def test_a_token_is_good_for_its_own_table_contract_and_time(stream: Stream, workspace: Workspace) -> None:
    token = save(stream, found(), "")
    other = table(workspace_of(create_user("eve"), "labs"), "cities")
    for asked, name in ((other, token), (stream, "unknown"), (stream, "")):
        with pytest.raises(ServiceError, match="Cursor"):
            load(asked, name)
    stream.contract = {**stream.contract, "version_by": "offset", "max_ahead": "1h"}
    with pytest.raises(ServiceError, match="Cursor"):
        load(stream, token)
    stream.refresh_from_db()
    assert load(stream, token) == load(stream, save(stream, found(), token))
    SavedScan.objects.update(at=timezone.now() - SAVED_SCAN_TTL - timedelta(seconds=1))
    with pytest.raises(ServiceError, match="Cursor"):
        load(stream, token)
    kept = save(stream, found(), "")
    assert SavedScan.objects.count() == 1  # the expired one is deleted
    delete(stream, kept)
    assert not SavedScan.objects.exists()


def test_the_oldest_of_too_many_go(
    stream: Stream, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = [save(stream, found(), "") for _ in range(SAVED_SCANS_PER_STREAM + 3)]
    assert set(SavedScan.objects.values_list("token", flat=True)) == set(tokens[3:])
    monkeypatch.setattr(scan_store, "_SHARE", 1.0)
    monkeypatch.setattr(scan_store, "SAVED_SCANS_MAX_BYTES", 3 * SavedScan.objects.earliest("at").size + 10)
    last = save(table(workspace, "others"), found(), "")
    assert set(SavedScan.objects.values_list("token", flat=True)) == {*tokens[-2:], last}


def test_who_scans_much_ends_no_scan_of_another_workspace(
    stream: Stream, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = save(stream, found(), "")
    size = SavedScan.objects.get().size
    monkeypatch.setattr(scan_store, "SAVED_SCANS_MAX_BYTES", 8 * size + 80)
    other = table(workspace_of(owner, "shop"), "other")
    others = [save(other, found(), "") for _ in range(SAVED_SCANS_PER_STREAM)]
    assert load(stream, token)
    kept = set(SavedScan.objects.filter(stream=other).values_list("token", flat=True))
    assert kept == set(others[-2:]), "a quarter"


@pytest.mark.django_db(transaction=True)
def test_another_process_finds_it(stream: Stream) -> None:
    token = save(stream, found(), "")
    script = (
        "import django; django.setup()\n"
        "from weir.streams.models import Stream\n"
        "from weir.streams.services.tables.scan_store import load\n"
        f"print(len(load(Stream.objects.get(pk={stream.pk}), {token!r}).entries))\n"
    )
    environment = {
        "DJANGO_SETTINGS_MODULE": "weir.project.settings",
        "PYTHONPATH": "platform:.",
        "DATABASE_URL": database_url("default"),
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "3", done.stderr
