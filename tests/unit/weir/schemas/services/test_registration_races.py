"""Two who register at once."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from tests.support.database_locks import until_it_waits
from weir.schemas.models import Schema
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
