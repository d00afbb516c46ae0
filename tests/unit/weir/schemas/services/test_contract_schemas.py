"""Contracts get the texts behind their subjects; records find theirs by id."""

import json
from typing import Any

import pytest

from jobs.formats.contract import StreamContract
from jobs.formats.record_formats import MAX_WRITERS
from tests.support.users import create_user, workspace_of
from weir.schemas.services import contract_schemas
from weir.schemas.services.contract_schemas import (
    MAX_WRITERS_CHARS,
    with_schemas,
    with_writers,
    writer_schemas,
)
from weir.schemas.services.drafts import SchemaDraft
from weir.schemas.services.registration import register
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace

pytestmark = pytest.mark.django_db


def order(*names: str, doc: str = "") -> str:
    fields = [{"name": name, "type": ["null", "long"], "default": None, "doc": doc} for name in names]
    return json.dumps({"type": "record", "name": "Order", "fields": fields})


def add(workspace: Workspace, text: str, subject: str = "orders-value") -> int:
    return int(
        register(workspace, subject, SchemaDraft("AVRO", text, []), "ann", force=True).schema.schema_id
    )


def contract() -> dict[str, Any]:
    encoding = {"format": "avro", "subject": "orders-value", "framing": "confluent"}
    return {"encoding": encoding, "fields": [{"name": "a", "type": "long"}]}


def names(text: str) -> list[str]:
    return [field["name"] for field in json.loads(text)["fields"]]


def test_the_newest_is_read_and_all_are_writers(workspace: Workspace) -> None:
    first, second = add(workspace, order("a")), add(workspace, order("a", "b"))
    filled = with_schemas(workspace, contract())["encoding"]
    assert names(filled["schema"]) == ["a", "b"]
    assert {number: names(text) for number, text in filled["writers"].items()} == {
        first: ["a"],
        second: ["a", "b"],
    }


def test_change_events_and_keys_name_subjects_too(workspace: Workspace) -> None:
    add(workspace, order("a"))
    inner = contract()["encoding"]
    filled = with_schemas(
        workspace, {"encoding": {"format": "debezium", "inner": inner}, "key_encoding": inner, "fields": []}
    )
    assert names(filled["encoding"]["inner"]["schema"]) == names(filled["key_encoding"]["schema"]) == ["a"]


def test_later_writers_are_added_and_the_reader_stays(workspace: Workspace) -> None:
    add(workspace, order("a"))
    typed = StreamContract.model_validate(with_schemas(workspace, contract()))
    later = add(workspace, order("a", "b"))
    encoding: Any = with_writers(workspace, typed).encoding
    assert (names(encoding.avro_schema), later in encoding.writers) == (["a"], True)


def test_writers_have_a_bound(workspace: Workspace) -> None:
    for number in range(3):
        add(workspace, order("a", doc=f"{number}" + "x" * (MAX_WRITERS_CHARS // 3)))
    assert list(with_schemas(workspace, contract())["encoding"]["writers"]) == [3, 2]


def test_of_many_small_versions_the_newest_are_given(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A contract takes no more, and versions may be as many as a quota allows."""
    assert 50 * MAX_WRITERS < MAX_WRITERS_CHARS, "their number is the bound of small ones"
    monkeypatch.setattr(contract_schemas, "MAX_WRITERS", 2)
    for doc in "abc":
        add(workspace, order("a", doc=doc))
    assert list(with_schemas(workspace, contract())["encoding"]["writers"]) == [3, 2]


def test_ids_are_of_one_workspace(workspace: Workspace) -> None:
    number = add(workspace, order("a"))
    assert names(writer_schemas(workspace)(number) or "") == ["a"]
    assert writer_schemas(workspace)(number + 1) is None
    assert writer_schemas(workspace_of(create_user("eve"), "other"))(number) is None


def test_a_subject_must_be_there_and_avro(workspace: Workspace) -> None:
    with pytest.raises(ServiceError) as missing:
        with_schemas(workspace, contract())
    assert missing.value.code == "SUBJECT_UNKNOWN"
    register(workspace, "orders-value", SchemaDraft("JSON", '{"type":"object"}', []), "ann")
    with pytest.raises(ServiceError) as incompatible:
        with_schemas(workspace, contract())
    assert incompatible.value.code == "SUBJECT_INCOMPATIBLE"
