"""Result topics that the relay follows: those of every job's current generation."""

from dataclasses import dataclass

from django.db.models import F

from weir.runs.models import Desired, Generation, Job


@dataclass(frozen=True, slots=True)
class FollowedTopic:
    """A result topic and the retention of its rows.

    Attributes:
        job_id: of the result.
        generation: of that job.
        run_id: of the run that executes it.
        topic: its name.
        retention_ms: older rows are deleted; None if only a tombstone deletes a key (compacted topic).
        append_only: rows are only added, so their number can be limited.
    """

    job_id: str
    generation: int
    run_id: str
    topic: str
    retention_ms: int | None
    append_only: bool


def followed_topics() -> dict[str, FollowedTopic]:
    """Followed topics by name, of every job that is not being deleted."""
    rows = Generation.objects.annotate(run_key=F("run__pk")).filter(run__isnull=False)
    rows = rows.filter(number=F("job__generation"), topics_ready=True, job__kind=Job.Kind.JOB)
    rows = rows.exclude(job__desired=Desired.DELETED)
    # Asked every second, of stopped jobs, too: without the contracts of their sources.
    rows = rows.only("job_id", "number", "result_topic", "result", "retention_ms")
    return {row.result_topic: _followed(row) for row in rows}


def _followed(row: Generation) -> FollowedTopic:
    windowed = bool(row.result.get("windowed"))
    append_only = row.result.get("identity_kind") == "row"
    expires = append_only or windowed
    return FollowedTopic(
        row.job_id,
        row.number,
        row.run_key,  # type: ignore[attr-defined]  # annotated: runs are large
        row.result_topic,
        row.retention_ms if expires else None,
        append_only,
    )
