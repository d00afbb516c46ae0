"""What tests are played against: a version of a job, or a document that no job has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.formats.contract import StreamContract
from jobs.plan import Plan
from weir.job_tests.models import JobTestRun
from weir.job_tests.services.tests import plan_of
from weir.runs.services.planning import carried_contracts, plan_carried, plan_in
from weir.streams.services.streams import catalog
from weir.workspaces.models import Workspace


@dataclass(frozen=True)
class Subject:
    """A document and the contracts by which it was planned.

    Attributes:
        plan: of the document; it may have errors.
        contracts: by registered name.
    """

    plan: Plan
    contracts: Mapping[str, StreamContract]


def subject_of_document(workspace: Workspace, document: str, streams: Mapping[str, Any] | None) -> Subject:
    """A document over streams that it brings along, which nobody has to register.

    Args:
        workspace: whose registered streams it reads without `streams`.
        document: as text.
        streams: contracts by name; None: those of the workspace.

    Raises:
        ServiceError: CONTRACT_INVALID.
    """
    if streams is None:
        return Subject(plan_in(workspace, document), catalog(workspace))
    contracts = carried_contracts(streams)
    return Subject(plan_carried(document, contracts), contracts)


def subject_of(run: JobTestRun) -> Subject:
    """What a run's tests are played against, as it is now."""
    if run.job is None:
        return subject_of_document(run.scope, run.document, run.streams)
    return Subject(plan_of(run.job, run.version), catalog(run.job.workspace))
