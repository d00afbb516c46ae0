"""Which result topics the relay reads: those of every job's current generation."""

from dataclasses import dataclass

from django.db.models import F

from weir.runs.models import Desired, Generation, Job


@dataclass(frozen=True, slots=True)
class ResultSource:
    """A result topic and how long its rows are kept.

    Attributes:
        job_id: whose result it is.
        generation: of that job.
        topic: its name.
        retention_ms: rows appended longer ago are pruned; None where only a tombstone removes a key (`compact`).
        append_only: rows are only added, so that their number may be bounded.
    """

    job_id: str
    generation: int
    topic: str
    retention_ms: int | None
    append_only: bool


def current_sources() -> dict[str, ResultSource]:
    """Topic name → source, for every job that is not being deleted and has a result topic."""
    rows = Generation.objects.filter(number=F("job__generation"), topics_ready=True, job__kind=Job.Kind.JOB)
    rows = rows.exclude(job__desired=Desired.DELETED)
    return {row.result_topic: _source(row) for row in rows}


def _source(row: Generation) -> ResultSource:
    append_only = row.result.get("identity_kind") == "row"
    ages = append_only or bool(row.result.get("windowed"))
    return ResultSource(row.job_id, row.number, row.result_topic, row.retention_ms if ages else None, append_only)
