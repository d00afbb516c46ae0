"""Deletes a job: its runs stop, then its topics, checkpoints and database rows are deleted."""

import shutil
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction

from jobs.run_states import LIVE
from weir.clusters.models import Cluster
from weir.clusters.services.clients import home_profile
from weir.clusters.services.groups import delete_group
from weir.clusters.services.reachability import translate_errors
from weir.clusters.services.topics import delete_topics
from weir.runs.models import Desired, Engine, Generation, Job, Run
from weir.runs.services.checkpoint_folder import local_folder
from weir.runs.services.dead_letter_topics import delete_dead_letter_topic, is_validator
from weir.runs.services.engine_hosts import roomiest_host, silent_hosts
from weir.runs.services.engines import delete_engine
from weir.runs.services.feeds import stop_unused_feeds
from weir.runs.services.given_profiles import given_profiles
from weir.runs.services.placement import WITHOUT_PROCESS, dedicated_engine_id
from weir.runs.services.run_publisher import mirror_group, publish_tombstone
from weir.runs.services.stop import request_stop
from weir.runs.signals import job_deleted, job_row_needed
from weir.runs.task_queue import FINISH_DELETION, enqueue
from weir.streams.models import StreamUse
from weir.workspaces.errors import ServiceError, UnreachableError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import name_of, record_event

_LOG: Final = structlog.get_logger("weir.runs")


@transaction.atomic
def delete_job(job: Job, actor: User | None) -> None:
    """Delete a job: it disappears for users at once and its name is free; its data is
    deleted step by step.
    """
    locked = Job.objects.select_for_update().filter(pk=job.pk).exclude(desired=Desired.DELETED).first()
    if locked is None:
        return
    locked.desired = Desired.DELETED
    locked.name = f"{locked.name[:80]} ({locked.id})"
    locked.save(update_fields=["desired", "name"])
    request_stop(locked)
    StreamUse.objects.filter(job_id=job.id).delete()
    record_event(
        job.workspace,
        job.kind,
        f"Job {job.name} deleted",
        actor=name_of(actor),
        subject=job.id,
        action=Action.DELETED,
    )
    transaction.on_commit(lambda: _ask([job]))


def finish_deletions() -> None:
    """Queue every unfinished deletion again."""
    if jobs := list(Job.objects.filter(desired=Desired.DELETED)):
        _ask(jobs)


def _ask(jobs: list[Job]) -> None:
    """Ask the host that has the files of a job's own engine; without one, any that sees the checkpoints. A
    silent host is not asked: it keeps the files of an engine that has ended, and the job of another.
    """
    silent, any_host = silent_hosts(), roomiest_host()
    for job in jobs:
        engine = Engine.objects.filter(pk=dedicated_engine_id(job)).first()
        if engine is None or (engine.host_queue in silent and engine.state in WITHOUT_PROCESS):
            enqueue(FINISH_DELETION, job.id, queue=any_host)
        elif engine.host_queue not in silent:
            enqueue(FINISH_DELETION, job.id, queue=engine.host_queue)


def finish_deletion(job_id: str) -> bool:
    """Remove what is left of a deleted job once no engine has a run of it or is to have one; True when all is
    gone.

    Raises:
        UnreachableError: the cluster does not answer; the reconciler asks again.
    """
    job = Job.objects.filter(pk=job_id, desired=Desired.DELETED).select_related("workspace").first()
    if job is None:
        return True
    if not _is_over(job) or not delete_engine(dedicated_engine_id(job)):
        return False
    generations = list(Generation.objects.filter(job=job))
    for run_id in Run.objects.filter(generation__job=job).values_list("id", flat=True):
        publish_tombstone(run_id)
    _delete_topics(job, generations)
    for generation in generations:
        delete_checkpoint(generation.checkpoint)
    _delete_mirror_groups(job, generations)
    # While there is a row, the reconciler asks again: whatever else there is goes before it.
    numbers = [generation.number for generation in generations]
    job_deleted.send(sender=Job, job_id=job_id, generations=numbers)
    if any(needed for _, needed in job_row_needed.send(sender=Job, job_id=job_id)):
        return False
    with transaction.atomic():
        if not _is_over(job):  # the brokers took their time
            return False
        job.delete()
    stop_unused_feeds()
    return True


@transaction.atomic
def _is_over(job: Job) -> bool:
    """Whether no engine has a run of the job; one that should run is asked to stop, whoever wanted it."""
    locked = Job.objects.select_for_update().filter(pk=job.pk).first()
    if locked is None:
        return True
    runs = Run.objects.filter(generation__job=locked)
    is_wanted = runs.filter(desired=Desired.RUNNING).exists()
    request_stop(locked)
    return not is_wanted and not runs.filter(observed__in=LIVE).exists()


def _delete_topics(job: Job, generations: list[Generation]) -> None:
    """Delete the topics that were created for a job; a validator has one for all its generations."""
    if is_validator(job):
        delete_dead_letter_topic(generations)
        return
    delete_topics(home_profile(), [topic for generation in generations for topic in generation.topics])


def _delete_mirror_groups(job: Job, generations: list[Generation]) -> None:
    """Delete the consumer groups that mirror its positions, on every cluster that it read, unless a
    new job has taken its name.

    A cluster other than home that does not answer or does not allow it keeps its group: it may be gone for
    good, and must not keep the rest of the job. One that is known not to answer is not asked.
    """
    slug, home = job.workspace.slug, home_profile()
    names = {document["name"] for document in job.versions.values_list("document", flat=True)}
    names -= set(Job.objects.filter(workspace=job.workspace, name__in=names).values_list("name", flat=True))
    profiles = {profile for each in generations for profile in given_profiles(each)}
    silent = set(Cluster.objects.filter(reachable=False).values_list("id", flat=True)) - {home.cluster_id}
    for profile in profiles:
        if profile.cluster_id in silent:
            _LOG.info("mirror groups are kept: their cluster does not answer", cluster=profile.cluster_id)
            continue
        for name in names:
            try:
                with translate_errors(profile):
                    delete_group(profile, mirror_group(slug, name))
            except ServiceError as error:
                if profile.cluster_id == home.cluster_id and isinstance(error, UnreachableError):
                    raise
                _LOG.info(
                    "a mirror group is kept", cluster=profile.cluster_id, job=job.id, error=error.detail
                )


def delete_checkpoint(url: str) -> None:
    """Remove a checkpoint's folder, and its job's when that is empty. Only below the configured
    root, and only local folders.
    """
    found, configured = local_folder(url), local_folder(settings.CHECKPOINT_URL)
    if found is None:
        _LOG.info("a checkpoint is kept; only local folders are deleted", checkpoint=url)
        return
    folder, root = found.resolve(), configured.resolve() if configured is not None else None
    if root is None or root not in folder.parents:
        _LOG.warning("a checkpoint is kept; only those below CHECKPOINT_URL are deleted", checkpoint=url)
        return
    if folder.exists():
        shutil.rmtree(folder)
    if folder.parent != root and folder.parent.exists() and not any(folder.parent.iterdir()):
        folder.parent.rmdir()
