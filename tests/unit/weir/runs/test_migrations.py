"""What becomes of stored runs and versions."""

import importlib
from typing import Any

import pytest
from django.apps import apps

from tests.support.run_factories import job_of, running
from weir.runs.models import Generation, JobVersion
from weir.workspaces.models import User, Workspace

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(databases=["default", "results"])]

DEDUPLICATED = {"kind": "append", "identity": ["id", "_time"], "identity_kind": "key", "windowed": False}
HOURLY = {**DEDUPLICATED, "identity": ["window_start", "window_end"], "windowed": True}
LATEST = {**DEDUPLICATED, "kind": "upsert", "identity": ["id"]}


@pytest.mark.parametrize(
    ("result", "identity", "kind", "retention"),
    [
        (DEDUPLICATED, [], "row", 1),
        (HOURLY, HOURLY["identity"], "key", None),
        (LATEST, LATEST["identity"], "key", None),
        ({}, None, None, None),
    ],
    ids=["deduplicated", "windowed", "latest", "a validator's"],
)
def test_appended_rows_are_described_as_such_and_their_topics_expire(
    workspace: Workspace, owner: User, result: dict[str, Any], identity: Any, kind: Any, retention: int | None
) -> None:
    running(job_of(workspace, owner))
    for model in (Generation, JobVersion):
        model.objects.update(result=result)
    importlib.import_module("weir.runs.migrations.0031_appended_rows").describe_anew(apps, None)
    for model in (Generation, JobVersion):
        found = model.objects.get().result
        assert (found.get("identity"), found.get("identity_kind")) == (identity, kind)
    assert Generation.objects.get().topic_retention_ms == retention
