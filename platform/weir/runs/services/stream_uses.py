"""Which streams a job uses, written down for those below who must not take them away: topics, streams, the registry."""

from jobs.document import JobDocument
from weir.clusters.models import HOME
from weir.runs.models import Job
from weir.runs.planning import versions_in_use, written_topics
from weir.streams.models import Stream, StreamUse


def write_uses(job: Job) -> None:
    """Note what a job's newest version and the one that runs read and write; called in the transaction that changes either.

    A job that runs by an older version goes on with its streams until it is stopped or started again, whatever was saved since.
    What guards read is no use: a stream may be forgotten with its guard.
    """
    fresh = Job.objects.select_related("workspace").get(pk=job.pk)
    StreamUse.objects.filter(job_id=fresh.pk).delete()
    if fresh.kind != Job.Kind.JOB:
        return
    names: set[str] = set()
    topics: set[str] = set()
    for version in versions_in_use(fresh):
        document = JobDocument.model_validate(version.document)
        names |= {source.registered for source in document.sources.values()}
        topics |= set(written_topics(fresh.workspace, document).values())
    own = Stream.objects.of(fresh.workspace)
    used = own.filter(name__in=names) | own.filter(cluster_id=HOME, topic__in=topics)
    StreamUse.objects.bulk_create(StreamUse(stream=stream, job_id=fresh.pk, job_name=fresh.name) for stream in used.distinct())
