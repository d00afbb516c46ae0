"""Records which streams a job uses, so that other apps do not delete them: topics, streams, the registry."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from jobs.document import JobDocument
from weir.clusters.models import HOME
from weir.runs.models import Job
from weir.runs.services.planning import versions_in_use, written_topics
from weir.streams.models import Stream, StreamUse


def streams_read(document: Mapping[str, Any]) -> set[str]:
    """Names of the streams and tables that a stored document reads.

    Args:
        document: in plain values; it may be of an older version of Weir, which this one can't read.
    """
    return {source.get("stream") or source.get("table") for source in document.get("sources", {}).values()}


def record_uses(job: Job) -> None:
    """Record what a job's newest and running versions read and write; called in the
    transaction that changes either.

    A job that runs an older version uses its streams until it is stopped or restarted, whatever was saved
    since. A validator does not count as a use: a stream may be unregistered together with its validator.
    """
    fresh = Job.objects.select_related("workspace").get(pk=job.pk)
    StreamUse.objects.filter(job_id=fresh.pk).delete()
    if fresh.kind != Job.Kind.JOB:
        return
    names: set[str] = set()
    topics: set[str] = set()
    for version in versions_in_use(fresh):
        names |= streams_read(version.document)
        try:
            document = JobDocument.model_validate(version.document)
        except (
            ValidationError
        ):  # of an older version of Weir; its job can be stopped and deleted all the same
            continue
        topics |= set(written_topics(fresh.workspace, document).values())
    own = Stream.objects.of(fresh.workspace)
    used = own.filter(name__in=names) | own.filter(cluster_id=HOME, topic__in=topics)
    # Held, because a stream is deleted once nothing uses it; in one order, because others hold several, too.
    held = used.order_by("pk").select_for_update(no_key=True)
    StreamUse.objects.bulk_create(
        StreamUse(stream=stream, job_id=fresh.pk, job_name=fresh.name) for stream in held
    )
