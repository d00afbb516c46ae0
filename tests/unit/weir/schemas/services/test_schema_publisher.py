"""A schema is published to engines before its client gets the id."""

import json

import pytest

from jobs.kafka_messages import SCHEMAS_WHOLE_KEY, WriterSchema
from tests.support.users import client_of
from weir.schemas.models import Schema
from weir.schemas.services import schema_publisher
from weir.workspaces.errors import UnreachableError
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db

ORDER = json.dumps(
    {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}, separators=(",", ":")
)
Told = dict[str, bytes | None]


def register(
    owner: User, workspace: Workspace, schema: str = ORDER, kind: str = "AVRO", **more: object
) -> tuple[int, dict[str, object]]:
    body = json.dumps({"schema": schema, "schemaType": kind, **more})
    address = f"/registry/{workspace.slug}/subjects/{more.pop('subject', 'orders-value')}/versions"
    answer = client_of(owner).post(address, data=body, content_type="application/json")
    return answer.status_code, answer.json()


def texts(told: Told) -> dict[str, str]:
    return {
        key: WriterSchema.model_validate_json(value).text for key, value in told.items() if value is not None
    }


def test_a_schema_is_told_once(owner: User, workspace: Workspace, told_schemas: Told) -> None:
    assert register(owner, workspace)[0] == 200
    assert texts(told_schemas) == {"ops/1": ORDER}
    told_schemas.clear()
    assert register(owner, workspace)[0] == 200
    schema_publisher.publish_pending()
    assert told_schemas == {}


def test_json_schemas_are_no_concern_of_engines(
    owner: User, workspace: Workspace, told_schemas: Told
) -> None:
    assert register(owner, workspace, '{"type":"object"}', "JSON")[0] == 200
    schema_publisher.publish_pending()
    assert told_schemas == {}


def test_types_of_references_are_written_out(owner: User, workspace: Workspace, told_schemas: Told) -> None:
    money = {"type": "record", "name": "Money", "fields": [{"name": "cents", "type": "long"}]}
    priced = {"type": "record", "name": "Priced", "fields": [{"name": "price", "type": "Money"}]}
    assert register(owner, workspace, json.dumps(money), subject="money")[0] == 200
    uses = [{"name": "Money", "subject": "money", "version": 1}]
    assert register(owner, workspace, json.dumps(priced), references=uses)[0] == 200
    assert json.loads(texts(told_schemas)["ops/2"])["fields"] == [{"name": "price", "type": money}]


def test_a_broker_that_is_away_is_told_of_and_asked_again(
    owner: User, workspace: Workspace, told_schemas: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = schema_publisher.publish

    def silent(topic: str, values: Told) -> None:
        raise UnreachableError("BROKER_UNREACHABLE", f"{topic} does not answer.")

    monkeypatch.setattr(schema_publisher, "publish", silent)
    status, answer = register(owner, workspace)
    assert (status, answer["error_code"]) == (500, 50002)
    assert "ID 1" in str(answer["message"])
    subject = f"/registry/{workspace.slug}/subjects/orders-value"
    latest = client_of(owner).get(f"{subject}/versions/latest")
    known = client_of(owner).post(subject, json.dumps({"schema": ORDER}), content_type="application/json")
    for other in (latest, known):
        assert (other.status_code, other.json()["error_code"]) == (500, 50002), "nobody else hears its ID"
    schema_publisher.publish_pending()
    monkeypatch.setattr(schema_publisher, "publish", answers)
    status, answer = register(owner, workspace)
    assert (status, answer["id"], list(told_schemas)) == (200, 1, ["ops/1"])


def test_a_new_topic_is_told_everything(owner: User, workspace: Workspace, told_schemas: Told) -> None:
    register(owner, workspace)
    told_schemas.clear()
    schema_publisher.republish_all()
    schema_publisher.publish_pending()
    assert list(told_schemas) == ["ops/1"]
    assert not Schema.objects.filter(published=False).exists()


def test_a_topic_is_told_once_that_it_has_all_schemas(
    owner: User, workspace: Workspace, told_schemas: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_publisher, "_BATCH_SIZE", 2)
    for number in range(5):
        register(owner, workspace, subject=f"s{number}", schema=ORDER.replace("Order", f"O{number}"))
    schema_publisher.note_topic("first")
    schema_publisher.publish_pending()
    assert list(told_schemas)[-1] == SCHEMAS_WHOLE_KEY
    told_schemas.clear()
    schema_publisher.publish_pending()
    assert not told_schemas
    schema_publisher.republish_all()
    schema_publisher.note_topic("second")
    schema_publisher.publish_pending()
    assert list(told_schemas) == [*(f"ops/{number}" for number in (5, 4, 3, 2, 1)), SCHEMAS_WHOLE_KEY]


@pytest.mark.django_db(transaction=True)
def test_a_schema_that_is_gone_for_good_is_retracted(
    owner: User, workspace: Workspace, told_schemas: Told
) -> None:
    register(owner, workspace)
    client, address = client_of(owner), f"/registry/{workspace.slug}/subjects/orders-value"
    assert client.delete(address).status_code == 200
    assert told_schemas["ops/1"] is not None
    assert client.delete(f"{address}?permanent=true").status_code == 200
    assert told_schemas == {"ops/1": None}


@pytest.mark.django_db(transaction=True)
def test_all_schemas_of_a_subject_are_retracted_at_once(
    owner: User, workspace: Workspace, told_schemas: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each alone would wait for a broker that is away."""
    for number in range(3):
        assert register(owner, workspace, wide("Order", f"{number}"))[0] == 200
    calls: list[Told] = []
    monkeypatch.setattr(schema_publisher, "publish", lambda topic, values: calls.append(values))
    client, address = client_of(owner), f"/registry/{workspace.slug}/subjects/orders-value"
    assert client.delete(address).status_code == 200
    assert calls == []
    assert client.delete(f"{address}?permanent=true").json() == [1, 2, 3]
    assert calls == [{f"ops/{number}": None for number in (1, 2, 3)}]


def wide(name: str, doc: str, **more: object) -> str:
    return json.dumps({"type": "record", "name": name, "doc": doc, "fields": [], **more}, ensure_ascii=False)


def test_what_engines_cannot_be_given_is_refused(
    owner: User, workspace: Workspace, told_schemas: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    symbols = [f"S{number:06}" for number in range(20_000)]
    parts = []
    for name in "AB":
        enum = json.dumps({"type": "enum", "name": name, "symbols": symbols})
        assert register(owner, workspace, enum, subject=name)[0] == 200
        parts.append({"name": name, "subject": name, "version": 1})
    fields = [{"name": name.lower(), "type": name} for name in "AB"]
    of_both = json.dumps({"type": "record", "name": "C", "fields": fields})
    status, answer = register(owner, workspace, of_both, references=parts)
    assert (status, answer["error_code"]) == (422, 42209)
    monkeypatch.setattr(schema_publisher, "MAX_MESSAGE_BYTES", 400)
    status, answer = register(owner, workspace, wide("D", "x" * 500))
    assert (status, answer["error_code"]) == (422, 42209)
    assert sorted(told_schemas) == ["ops/1", "ops/2"]


def test_one_schema_that_is_too_large_does_not_hold_up_others(
    owner: User, workspace: Workspace, told_schemas: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(owner, workspace)
    register(owner, workspace, wide("Note", "x" * 500), subject="notes")
    told_schemas.clear()
    monkeypatch.setattr(schema_publisher, "MAX_MESSAGE_BYTES", 400)
    schema_publisher.republish_all()
    schema_publisher.publish_pending()
    assert list(told_schemas) == ["ops/1"]
    assert not Schema.objects.filter(published=False).exists()
