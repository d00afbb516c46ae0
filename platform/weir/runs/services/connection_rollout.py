"""Jobs take a cluster's changed connection: those that read from it stop at a batch's end and go
on with it where they were.

It is compared what a run was given with what the cluster's row says now, so that a task that was lost, a
worker that died or a cluster that did not answer costs nothing but time: a later tick does what was left
undone. Validators do the same in their own tick.
"""

from typing import Any, Final

import structlog
from django.db.models import F

from jobs.encryption import key_of
from jobs.run_states import ENDED
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.clusters import find_profile
from weir.clusters.services.keyring import keyring
from weir.clusters.signals import keys_in_use
from weir.runs.models import Desired, Generation, Job, Run
from weir.runs.services.given_profiles import given_profiles
from weir.runs.services.job_lock import JobChangedError
from weir.runs.services.start import start_job
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Action, User
from weir.workspaces.services.events import record_event

_LOG: Final = structlog.get_logger("weir.connection_rollout")


def reconnect(cluster: Cluster, actor: User | None) -> dict[str, str]:
    """Stop and resume every running job that reads from this cluster through an older connection.

    A job that cannot use the new connection keeps running with the old one: the new address may
    lead to another topic, or the password may be mistyped. The job resumes with its current
    version, not with a newer one.

    Args:
        cluster: as it is saved now.
        actor: who changed it; None: a retry of the system.

    Returns:
        Reason by name of a job that could not be resumed.
    """
    failed: dict[str, str] = {}
    for known in _outdated(cluster):
        generation = next(iter(_outdated(cluster, pk=known.pk)), None)
        if generation is None:
            continue  # started anew while the others were looked at, and so with the new connection
        job = generation.job
        try:
            start_job(job, actor, "resume", version=generation.run.version, again=True)
        except JobChangedError:
            continue  # likewise; else the next tick does it
        except ServiceError as error:
            _LOG.warning("a job could not use its cluster's new connection", job=job.id, error=error.detail)
            failed[job.name] = error.detail
            if actor is not None:  # once for each change, not with every later attempt
                text = (
                    f"{job.name} still uses the old connection of {cluster.name}. "
                    f"New connection failed: {error.detail}"
                )
                record_event(
                    job.workspace, job.kind, text, actor=actor.username, subject=job.id, action=Action.FAILED
                )
    return failed


def roll_out_connections() -> None:
    """One tick: retry the rollout for clusters that answered last time."""
    for cluster in Cluster.objects.select_related("workspace").exclude(pk=HOME).filter(reachable=True):
        reconnect(cluster, None)


def encrypted_with_older_keys() -> list[str]:
    """Clusters, and runs that may resume with the password that they were given,
    which still need an older key.

    Raises:
        DecryptionError: the key file cannot be read.
    """
    newest = keyring().keys[0][0]
    found = [
        f"the cluster {row.name}"
        for row in Cluster.objects.exclude(password="")
        if key_of(row.password) != newest
    ]
    alive = Run.objects.select_related("generation__job").exclude(observed__in=ENDED, desired=Desired.STOPPED)
    for run in alive:
        given = [profile.password for profile in given_profiles(run.generation)]
        if any(envelope and key_of(envelope) != newest for envelope in given):
            found.append(f"the run of {run.generation.job.name}")
    for _, names in keys_in_use.send(sender=Cluster, newest=newest):
        found += list(names or ())
    return sorted(found)


def _outdated(cluster: Cluster, **which: Any) -> list[Generation]:
    """The generations of running jobs, with these properties, that were given another connection to this
    cluster than the present one.
    """
    present = find_profile(cluster)
    current = Generation.objects.select_related("job__workspace", "run").filter(
        job__workspace=cluster.workspace_id,
        job__kind=Job.Kind.JOB,
        job__desired=Desired.RUNNING,
        number=F("job__generation"),
        run__isnull=False,
        **which,
    )
    return [
        generation
        for generation in current
        if any(given.cluster_id == cluster.pk and given != present for given in given_profiles(generation))
    ]
