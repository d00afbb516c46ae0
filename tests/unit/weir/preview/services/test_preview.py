"""A preview asks an engine and sums up its answer; the engine is a play that was made up."""

import json
from typing import Any

import pytest
from django.db import connection

from jobs.kafka_messages import ASK, MAX_ASK_BYTES, Answer, CancelAsk, PlayAsk
from jobs.play import PlayedBatch, PlayedRow, PlayedRows, PlayedSource, PlayResult
from tests.support.run_factories import DOCUMENT, trades
from weir.preview.services import preview as service
from weir.preview.services.answers import ANSWERS, Waiting
from weir.preview.services.preview import Asked, NoEngineError, cancel, preview
from weir.preview.services.samples import SourceChoice
from weir.runs.models import Engine
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db

LINES = "\n".join(
    json.dumps({"symbol": "A", "price": price, "at": 1_767_261_600_000 + price * 1_000}) for price in range(4)
)
TYPED = {"trades": SourceChoice(kind="lines", lines=LINES)}


@pytest.fixture
def ready_engine() -> Engine:
    return Engine.objects.create(
        id="shared-1", kind=Engine.Kind.SHARED, ready=True, state="ready", host_queue="q", slots=8
    )


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was sent to engines; each ask to play is answered at once."""
    sent: list[Any] = []

    def publish(topic: str, values: dict[str, bytes]) -> None:
        for value in values.values():
            ask = ASK.validate_json(value)
            sent.append(ask)
            if isinstance(ask, PlayAsk):
                with ANSWERS._lock:
                    ANSWERS._waiting[ask.ask_id].take(_answer(ask))

    monkeypatch.setattr(service, "publish", publish)
    monkeypatch.setattr(ANSWERS, "_running", True)
    return sent


def _answer(ask: PlayAsk) -> Answer:
    rows = PlayedRows(rows=1, first=(PlayedRow(key='["A"]', value={"n": 4}, at_us=1_767_261_600_000_000),))
    batch = PlayedBatch(
        outputs={"live": rows},
        steps={"trades": PlayedRows(rows=2), "stats": rows},
        sources={"trades": PlayedSource(records=2, malformed={"NOT_JSON": 1})},
        late=1,
        late_by_step={"stats": 1},
        watermark_us={"update": 1_767_261_600_000_000},
    )
    result = PlayResult(batches=(batch, batch), elapsed_ms=5)
    return Answer(ask_id=ask.ask_id, engine_id=ask.engine_id, at_us=1, runs=0, result=result)


@pytest.mark.usefixtures("ready_engine")
def test_the_batches_of_a_play_are_summed_up(workspace: Workspace, asks: list[Any]) -> None:
    trades(workspace)
    found = preview(workspace, Asked(DOCUMENT, TYPED, "me"))
    source, stats = found["steps"]
    assert (source["rows"], stats["rows_in"], stats["rows"], stats["late"]) == (4, 4, 2, 2)
    assert found["sources"][0]["malformed"] == [{"reason": "NOT_JSON", "records": 2}]
    assert [row["at"] for row in stats["first"]] == ["2026-01-01T10:00:00.000000Z"] * 2
    assert found["outputs"][0]["rows"] == 2


@pytest.mark.usefixtures("ready_engine")
def test_records_are_sent_in_the_order_of_arrival(workspace: Workspace, asks: list[Any]) -> None:
    trades(workspace)
    preview(workspace, Asked(DOCUMENT, TYPED, "me"))
    (only,) = asks[0].script.batches
    assert [record.value for record in only.records["trades"]] == [
        line.encode() for line in LINES.splitlines()
    ]
    assert only.closing
    assert asks[0].script.job.contracts.keys() == {"trades"}


@pytest.mark.usefixtures("ready_engine")
def test_records_of_a_reading_are_those_of_the_first_preview(workspace: Workspace, asks: list[Any]) -> None:
    trades(workspace)
    found = [preview(workspace, Asked(DOCUMENT, TYPED, "me", reading)) for reading in (0, 0, 1)]
    sent = [ask.script.batches for ask in asks]
    assert sent[0] == sent[1] != sent[2]  # typed records arrive when they are read
    assert found[0]["read_at"] == found[1]["read_at"] < found[2]["read_at"]


@pytest.mark.usefixtures("asks")
def test_without_an_engine_nothing_is_asked(workspace: Workspace) -> None:
    trades(workspace)
    with pytest.raises(NoEngineError, match="No engine is running"):
        preview(workspace, Asked(DOCUMENT, TYPED, "me"))


@pytest.mark.usefixtures("ready_engine")
def test_a_document_with_errors_is_not_asked(workspace: Workspace, asks: list[Any]) -> None:
    trades(workspace)
    with pytest.raises(ServiceError, match="The document has 1 error"):
        preview(workspace, Asked(DOCUMENT.replace("min(price)", "min(nothing)"), TYPED, "me"))
    assert asks == []


@pytest.mark.usefixtures("ready_engine")
def test_an_ask_that_is_too_large_is_refused(workspace: Workspace, asks: list[Any]) -> None:
    trades(workspace)
    document = DOCUMENT.replace("name: stats", f"name: stats\ndescription: {'x' * MAX_ASK_BYTES}", 1)
    with pytest.raises(ServiceError):
        preview(workspace, Asked(document, TYPED, "me"))
    assert asks == []


@pytest.mark.usefixtures("ready_engine")
def test_cancel_names_the_owner(workspace: Workspace, asks: list[Any]) -> None:
    cancel(workspace, "me")
    assert asks == [CancelAsk(engine_id="shared-1", owner="me")]


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("ready_engine", "asks")
def test_who_waits_for_an_engine_holds_no_connection_to_the_database(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile = []
    wait = Waiting.wait

    def noted(self: Waiting, seconds: float) -> Any:
        meanwhile.append(connection.connection)
        return wait(self, seconds)

    monkeypatch.setattr(Waiting, "wait", noted)
    trades(workspace)
    preview(workspace, Asked(DOCUMENT, TYPED, "me"))
    assert meanwhile == [None]
