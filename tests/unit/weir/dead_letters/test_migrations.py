"""What becomes of stored redrives."""

import json

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from pytest_django import Settings

from tests.support.run_factories import job_of
from weir.dead_letters.models import Redrive, Validator
from weir.streams.models import Stream
from weir.workspaces.models import User, Workspace


@pytest.mark.every_database
@pytest.mark.django_db(databases=["default", "results"], transaction=True)
def test_an_edit_that_was_stored_as_json_is_its_text(
    workspace: Workspace, owner: User, settings: Settings
) -> None:
    settings.MIGRATION_MODULES = {}  # also where tables were made from the models
    job = job_of(workspace, owner)
    stream = Stream.objects.get(workspace=workspace)
    validator = Validator.objects.create(workspace=workspace, stream=stream, job=job)
    edit = [{"op": "set", "path": ["größe", "n"], "value": 1.5}, {"op": "remove", "path": ['a"b']}]
    loader = MigrationLoader(connection)
    before = loader.project_state(("dead_letters", "0004_start_from"))
    migration = loader.get_migration("dead_letters", "0005_edit_text")
    with connection.schema_editor() as editor:
        migration.unapply(before.clone(), editor)
    try:
        then = before.apps.get_model("dead_letters", "Redrive")
        then.objects.create(id="r1", validator_id=validator.pk, created_by="ann", rate=1, edit=edit)
    finally:
        with connection.schema_editor() as editor:
            migration.apply(before.clone(), editor)
    assert json.loads(Redrive.objects.get(pk="r1").edit) == edit
