"""Two who register, or register and delete, at once."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections, transaction

from tests.support.database_locks import until_it_waits
from weir.schemas.errors import RegistryError
from weir.schemas.models import Schema
from weir.schemas.services import registration
from weir.schemas.services.deletion import delete_version
from weir.schemas.services.drafts import SchemaDraft
from weir.schemas.services.registration import register
from weir.workspaces.models import User, Workspace

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]
KEY = SchemaDraft("AVRO", json.dumps("string"), [])


def test_two_subjects_that_get_the_same_schema_at_once_share_its_id(
    workspace: Workspace, owner: User, told_schemas: dict[str, bytes | None]
) -> None:
    """As when a program starts that writes keys of one kind to several topics."""
    first = register(workspace, "clicks-key", SchemaDraft("AVRO", json.dumps("long"), []), owner.username)

    def second() -> int:
        try:
            return register(workspace, "trades-key", KEY, owner.username).schema.schema_id
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            made = register(workspace, "quotes-key", KEY, owner.username)
            other = pool.submit(second)
            until_it_waits(other)
        assert other.result(60) == made.schema.schema_id == first.schema.schema_id + 1
    assert Schema.objects.count() == 2


def record_with(field: str, kind: str, **more: Any) -> SchemaDraft:
    text = json.dumps({"type": "record", "name": "R", "fields": [{"name": field, "type": kind}], **more})
    return SchemaDraft("AVRO", text, [])


def meanwhile(monkeypatch: pytest.MonkeyPatch, done: Callable[[], Any]) -> list[bool]:
    """Does this once, when the next registration has compared; lists whether each was in a transaction."""
    reviews: list[bool] = []

    def reviewed(workspace: Workspace, name: str, new: Any) -> None:
        reviews.append(connection.in_atomic_block)
        if len(reviews) == 1:
            done()

    monkeypatch.setattr(registration, "require_no_breakage", reviewed)
    return reviews


@pytest.mark.usefixtures("told_schemas")
def test_nobody_waits_for_a_comparison(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite a transaction that writes holds up all others."""
    reviews = meanwhile(monkeypatch, lambda: None)
    compares = []
    conflicts = registration._conflicts
    monkeypatch.setattr(
        registration,
        "_conflicts",
        lambda *given: compares.append(connection.in_atomic_block) or conflicts(*given),
    )
    for kind in ("int", "long"):
        register(workspace, "clicks-value", record_with("id", kind), owner.username)
    assert (reviews, compares) == ([False] * 2, [False] * 2)


@pytest.mark.usefixtures("told_schemas")
def test_a_version_that_was_made_meanwhile_is_compared_too(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(workspace, "clicks-value", record_with("id", "int"), owner.username)

    def other() -> None:
        register(workspace, "clicks-value", record_with("id", "double"), owner.username)

    meanwhile(monkeypatch, other)
    with pytest.raises(RegistryError) as refused:
        register(workspace, "clicks-value", record_with("id", "long"), owner.username)
    assert refused.value.code == 409


@pytest.mark.usefixtures("told_schemas")
def test_where_others_register_again_and_again_one_waits_for_the_lock(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = iter(range(100))
    reviews: list[bool] = []

    def reviewed(workspace: Workspace, name: str, new: Any) -> None:
        reviews.append(connection.in_atomic_block)
        if not reviews[-1]:
            with monkeypatch.context() as inner:
                inner.setattr(registration, "require_no_breakage", lambda *_: None)
                register(workspace, name, record_with("id", "int", doc=str(next(docs))), owner.username)

    monkeypatch.setattr(registration, "require_no_breakage", reviewed)
    made = register(workspace, "clicks-value", record_with("id", "int", doc="mine"), owner.username)
    assert (made.version, reviews) == (4, [False, False, False, True])


@pytest.mark.usefixtures("told_schemas")
def test_a_schema_does_not_refer_to_one_that_was_deleted_meanwhile(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(workspace, "money", record_with("cents", "long"), owner.username)
    delete_version(workspace, "money", "1", owner.username)
    meanwhile(monkeypatch, lambda: delete_version(workspace, "money", "1", owner.username, permanent=True))
    of_money = {"type": "record", "name": "Priced", "fields": [{"name": "price", "type": "R"}]}
    uses = [{"name": "R", "subject": "money", "version": 1}]
    with pytest.raises(RegistryError, match="the reference R doesn't exist"):
        register(workspace, "priced", SchemaDraft("AVRO", json.dumps(of_money), uses), owner.username)
    assert not Schema.objects.filter(text__contains="Priced").exists()
