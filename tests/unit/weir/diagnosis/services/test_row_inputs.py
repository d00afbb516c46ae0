"""By which version of a job a row of its result is explained; no record is read."""

import json

import pytest

from tests.support.run_factories import DOCUMENT, job_of, running
from weir.diagnosis.services import row_inputs
from weir.results.models import ResultRow
from weir.results.services.records import key_digest
from weir.runs.models import Run
from weir.runs.services.versions import add_version
from weir.workspaces.models import User, Workspace

pytestmark = pytest.mark.django_db(databases=["default", "results"])
UNWINDOWED = DOCUMENT.replace("    window: {hopping: {size: 5s, advance: 1s}}\n", "")
KEY = '["A"]'


@pytest.mark.parametrize("observed", ["running", "stopped", "failed"])
def test_a_version_that_has_not_run_explains_no_row(
    workspace: Workspace, owner: User, monkeypatch: pytest.MonkeyPatch, observed: str
) -> None:
    """The newest version has a window, whose bounds the row's key lacks."""
    job = job_of(workspace, owner, UNWINDOWED)
    run = running(job)
    add_version(job, owner, DOCUMENT)
    Run.objects.filter(pk=run.pk).update(observed=observed)
    ResultRow.objects.using("results").create(
        job_id=job.pk,
        generation=1,
        digest=key_digest(KEY),
        key=KEY,
        value=json.dumps({"symbol": "A", "n": 2, "low": 1.0}),
        newest_input_us=1,
        epoch=1,
        partition=0,
        offset=0,
        timestamp_ms=1,
    )
    monkeypatch.setattr(row_inputs, "_read", lambda *given: [])
    found = row_inputs.row_inputs(job, KEY)
    assert (found["version"], found["key"]) == (1, ["A"])
    # As of a producer that writes microseconds for milliseconds.
    ResultRow.objects.using("results").update(newest_input_us=1_013_609_203_200_000_000)
    assert row_inputs.row_inputs(job, KEY)["newest_input"] == "9999-12-31T23:59:59.999999Z"
