"""The documents of jobs, planned once more with a new contract of a stream that they read: whether they have
errors then, and whether their next start can go on with its state. All jobs within one bound of processor
time, because a workspace has as many as its editors save.
"""

import time
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from jobs.formats.contract import StreamContract
from jobs.plan import Plan, PlanningContext, diff, empty_measures, plan_job
from weir.runs.models import Desired, Generation, Job, JobVersion
from weir.runs.services.kept_state import kept_by
from weir.runs.services.planning import current_generation, versions_in_use
from weir.runs.services.stream_uses import streams_read
from weir.streams.models import Stream, find_contract
from weir.streams.services.streams import catalog
from weir.workspaces.models import Workspace

MAX_CPU_S: Final = 5.0  # processor time of this thread, for all jobs that a change is reviewed with
NOT_CHECKED: Final = (
    "This job wasn't checked: the jobs that read the stream take too long to check. "
    "Check its document by itself."
)
_LEAST_S: Final = 0.01


@dataclass(frozen=True)
class Reviewed:
    """What a new contract does to a job's documents, the newest and the one that runs.

    Attributes:
        errors: that they have with it and have not with the present one.
        resets: why the job's next start cannot go on with its state then, although it could now.
    """

    errors: tuple[str, ...] = ()
    resets: tuple[str, ...] = ()


class JobReview:
    """One review of a change.

    Args:
        workspace: of the jobs.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._streams = catalog(workspace)
        self._until = time.thread_time() + MAX_CPU_S
        self._in_use = cache(self._read_in_use)  # a job is asked for twice

    @property
    def is_over(self) -> bool:
        """True when no more may be checked; what was not is counted as broken."""
        return time.thread_time() > self._until

    def reads(self, stream: str, job_id: str) -> bool:
        """Whether a job that uses a stream reads it, by its newest version or by the one that runs: one that
        only writes it never meets its records.

        Args:
            stream: its name.
            job_id: of a job that uses it.
        """
        job, versions = self._in_use(job_id)
        return job is None or any(stream in streams_read(each.document) for each in versions)

    def of_job(self, stream: str, job_id: str, contract: StreamContract) -> Reviewed:
        """The review of one job.

        Args:
            stream: its name.
            job_id: of a job that reads it.
            contract: the stream's new one.
        """
        job, versions = self._in_use(job_id)
        if job is None:
            return Reviewed()
        generation = current_generation(job)
        changed = ChainMap({stream: contract}, self._streams)  # type: ignore[arg-type]  # it is only read
        errors: dict[str, None] = {}
        resets: dict[str, None] = {}
        for version in versions:
            named = "" if version.number == job.version else f"running version {version.number}: "
            found = self._of_version(version, changed, generation)
            # What both versions have is said once, of the newest.
            errors |= {f"{named}{error}": None for error in found.errors if error not in errors}
            resets |= dict.fromkeys(found.resets)
        return Reviewed(tuple(errors), tuple(resets))

    def _read_in_use(self, job_id: str) -> tuple[Job | None, list[JobVersion]]:
        job: Job | None = Job.objects.filter(pk=job_id, workspace=self._workspace).first()
        return job, [] if job is None else versions_in_use(job)

    def _of_version(
        self, version: JobVersion, changed: Mapping[str, StreamContract], generation: Generation | None
    ) -> Reviewed:
        partitions = generation.shuffle_partitions if generation is not None else None
        now, after = (self._plan(version, streams, partitions) for streams in (self._streams, changed))
        if self.is_over:
            return Reviewed((NOT_CHECKED,))
        before = {problem.message for problem in now.problems if problem.severity == "error"}
        errors = tuple(
            f"{'.'.join(p.path)}: {p.message}"
            for p in after.problems
            if p.severity == "error" and p.message not in before
        )
        empty = empty_measures(kept_by(generation), now) if generation is not None else None
        if errors or generation is None or empty is None:
            return Reviewed(errors)
        if after.fingerprint == now.fingerprint or empty_measures(kept_by(generation), after) == empty:
            return Reviewed(errors)
        changes = diff(now, after, adapts=False).changes
        return Reviewed((), tuple(each.sentence for each in changes if each.breaks_state))

    def _plan(
        self, version: JobVersion, streams: Mapping[str, StreamContract], partitions: int | None
    ) -> Plan:
        left = max(_LEAST_S, self._until - time.thread_time())
        # A contract makes no loop, and the version had none when it was saved.
        context = PlanningContext(home_topics={})
        if partitions is not None:
            context = replace(context, shuffle_partitions=partitions)
        return plan_job(version.document, streams, context, seconds=left)


def held_contracts(job_id: str, stream: Stream) -> list[StreamContract | None]:
    """The contract that a running job began with, where the stream has another by now; None: an older version
    of Weir has saved it, and this one can't read it.
    """
    job = Job.objects.filter(pk=job_id, desired=Desired.RUNNING).first()
    generation = current_generation(job) if job is not None else None
    if generation is None:
        return []
    held = [
        find_contract(source.get("contract"))
        for source in generation.sources.values()
        if source.get("stream") == stream.name
    ]
    return [contract for contract in held if contract != stream.stream_contract]
