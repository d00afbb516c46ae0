"""Unfinished passes between looks: found by any process, bounded, the oldest forgotten first."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from jobs.formats.contract import StreamContract
from tests.support.users import create_user, workspace_of
from weir.clusters.services import home_cluster
from weir.streams.models import Stream, WaitingPass
from weir.streams.scanning import Stretch
from weir.streams.tables import waiting
from weir.streams.tables.passing import Entry, Pass
from weir.streams.tables.sketch import MOST, KeySketch, digest
from weir.streams.tables.waiting import forget, keep, take
from weir.workspaces.models import Workspace
from weir.workspaces.refusals import RefusalError

pytestmark = pytest.mark.django_db
FIELDS = [{"name": "city", "type": "string"}, {"name": "day", "type": "date"}, {"name": "n", "type": "decimal(10,2)"}]
CONTRACT = StreamContract.model_validate({"kind": "table", "key": ["city", "day", "n"], "fields": [*FIELDS, {"name": "v", "type": "long"}]})


@pytest.fixture
def stream(workspace: Workspace) -> Stream:
    return table(workspace, "cities")


def table(workspace: Workspace, name: str) -> Stream:
    return Stream.objects.create(
        workspace=workspace, name=name, cluster=home_cluster(), topic=name, topic_id="t", partitions=2, contract=CONTRACT.as_json()
    )


def found(keys: int = 3, sketched: int = 10) -> Pass:
    texts = [f'["Ä{n:05}","2026-01-0{1 + n % 9}","{n}.50"]' for n in range(keys)]
    held = {waiting.given_key(text, CONTRACT): Entry(n, {"key": text, "row": None}, 7) for n, text in enumerate(texts)}
    sketch = KeySketch()
    for n in range(sketched):
        number = digest(str(n))
        if sketch.wants(number):
            sketch.note(number, n, alive=n % 3 > 0)
    stretches = {0: Stretch(0, 10, 0, 12), 1: Stretch(4, 9, 3, 9)}
    after = waiting.given_key('["A","2026-01-01","0.00"]', CONTRACT)
    bound = waiting.given_key('["Z","2026-01-01","0.00"]', CONTRACT)
    order = list(held)
    return Pass(after, None, 50, stretches, {0: 5, 1: 4}, held, order, bound, sketch, 17, 2, 7 * keys)


@pytest.mark.parametrize("sketched", [0, 10, MOST + 500])
def test_it_comes_back_as_it_was(stream: Stream, sketched: int) -> None:
    before = found(sketched=sketched)
    after = take(stream, keep(stream, before, ""))
    assert before.sketch is not None
    assert after.sketch is not None
    assert (after.sketch.rows(), after.sketch.full) == (before.sketch.rows(), before.sketch.full)
    for number in map(digest, map(str, range(sketched, sketched + 400))):  # it goes on as the other would
        assert after.sketch.wants(number) == before.sketch.wants(number)
        if before.sketch.wants(number):
            before.sketch.note(number, 1, alive=True)
            after.sketch.note(number, 1, alive=True)
    assert after.sketch.rows() == before.sketch.rows()
    before.sketch = after.sketch = None
    assert after == before


def test_a_token_is_good_for_its_own_table_contract_and_time(stream: Stream, workspace: Workspace) -> None:
    token = keep(stream, found(), "")
    other = table(workspace_of(create_user("eve"), "labs"), "cities")
    for asked, name in ((other, token), (stream, "unknown"), (stream, "")):
        with pytest.raises(RefusalError, match="Cursor"):
            take(asked, name)
    stream.contract = {**stream.contract, "version_by": "offset", "max_ahead": "1h"}
    with pytest.raises(RefusalError, match="Cursor"):
        take(stream, token)
    stream.refresh_from_db()
    assert take(stream, token) == take(stream, keep(stream, found(), token))
    WaitingPass.objects.update(at=timezone.now() - waiting.KEPT - timedelta(seconds=1))
    with pytest.raises(RefusalError, match="Cursor"):
        take(stream, token)
    kept = keep(stream, found(), "")
    assert WaitingPass.objects.count() == 1  # what waited too long is gone
    forget(stream, kept)
    assert not WaitingPass.objects.exists()


def test_the_oldest_of_too_many_go(stream: Stream, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = [keep(stream, found(), "") for _ in range(waiting.MOST_OF_A_STREAM + 3)]
    assert set(WaitingPass.objects.values_list("token", flat=True)) == set(tokens[3:])
    monkeypatch.setattr(waiting, "MOST_BYTES", 3 * WaitingPass.objects.earliest("at").size + 10)
    last = keep(table(workspace, "others"), found(), "")
    assert set(WaitingPass.objects.values_list("token", flat=True)) == {*tokens[-2:], last}


@pytest.mark.django_db(transaction=True)
def test_another_process_finds_it(stream: Stream) -> None:
    token = keep(stream, found(), "")
    script = (
        "import django; django.setup()\n"
        "from weir.streams.models import Stream\n"
        "from weir.streams.tables.waiting import take\n"
        f"print(len(take(Stream.objects.get(pk={stream.pk}), {token!r}).held))\n"
    )
    place = Path(connection.settings_dict["NAME"])
    assert place.is_absolute()
    environment = {"DJANGO_SETTINGS_MODULE": "weir.project.settings", "PYTHONPATH": "platform:.", "DATABASE_URL": f"sqlite:///{place}"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "3", done.stderr
