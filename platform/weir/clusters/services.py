"""Verbs about clusters: register, change, give another password, forget; whether they answer."""

import secrets
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from pydantic import ValidationError

from jobs.base.problems import problem
from jobs.connections import ClusterProfile, check_password, password_context
from weir.clusters.addresses import require_allowed
from weir.clusters.clients import home_profile
from weir.clusters.models import HOME, Cluster
from weir.clusters.secrets import keyring
from weir.clusters.signals import connection_changed
from weir.clusters.topics import reachable
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import User, Workspace
from weir.workspaces.services import record_event

PATIENCE_S: Final = 5.0
_FIELDS: Final = ("bootstrap", "security", "mechanism", "username", "ca")
_NAMED: Final = {
    "bootstrap": "the servers",
    "security": "TLS",
    "mechanism": "the mechanism",
    "username": "the user",
    "ca": "the certificates",
}


@dataclass(frozen=True)
class Connection:
    """What people enter. `password` is plain here and only here; None keeps the one that is set, where nothing else changes."""

    bootstrap: str
    security: str = "PLAINTEXT"
    mechanism: str = ""
    username: str = ""
    password: str | None = None
    ca: str = ""


def home_cluster() -> Cluster:
    """The home cluster's row; what it shows follows the settings: the address for people's own tools, where there is one.

    Whom the platform signs in as is nobody's business.
    """
    shown = {"bootstrap": settings.KAFKA_OPEN_BOOTSTRAP_SERVERS, "security": "PLAINTEXT", "mechanism": ""}
    if not settings.KAFKA_OPEN_BOOTSTRAP_SERVERS:
        shown = {
            "bootstrap": settings.KAFKA_BOOTSTRAP_SERVERS,
            "security": settings.KAFKA_SECURITY,
            "mechanism": settings.KAFKA_MECHANISM,
        }
    row, _ = Cluster.objects.get_or_create(id=HOME, defaults={"name": "Home", **shown})
    if any(getattr(row, name) != value for name, value in shown.items()):
        for name, value in shown.items():
            setattr(row, name, value)
        row.save(update_fields=[*shown])
    return row


def profile_of(cluster: Cluster) -> ClusterProfile:
    """A cluster's connection profile."""
    if cluster.id == HOME:
        return home_profile()
    return ClusterProfile.model_validate(
        {
            "cluster_id": cluster.id,
            "bootstrap": cluster.bootstrap,
            "security": cluster.security,
            "mechanism": cluster.mechanism or None,
            "username": cluster.username,
            "password": cluster.password,
            "ca": cluster.ca,
        }
    )


def clusters_of(workspace: Workspace) -> list[Cluster]:
    """The home cluster first, then the workspace's own by name."""
    return [home_cluster(), *Cluster.objects.of(workspace)]


def find_cluster(workspace: Workspace, cluster_id: str) -> Cluster:
    """The home cluster or one of this workspace.

    Raises:
        NotFoundError: there is none of that id here.
    """
    if cluster_id == HOME:
        return home_cluster()
    found: Cluster | None = Cluster.objects.of(workspace).filter(pk=cluster_id).first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Cluster not found, or you don't have access.")
    return found


def draft_profile(given: Connection, cluster: Cluster | None = None) -> ClusterProfile:
    """The profile that would be saved, for a cluster that exists or for a new one; nothing is written.

    Raises:
        ServiceError: fields do not fit together, or the password that is set would be used in another way than it was given for;
            each fault has its field.
    """
    cluster_id = cluster.id if cluster is not None else f"c{secrets.token_hex(8)}"
    sealed = _kept_password(given, cluster) if cluster is not None and given.password is None else ""
    if given.password:
        try:
            sealed = keyring().seal(check_password(given.password), password_context(cluster_id))
        except ValueError as error:
            fault = problem("PARAMETER_RANGE", ("password",), str(error))
            raise ServiceError("CLUSTER_INVALID", str(error), (fault,)) from error
    body = {name: getattr(given, name) for name in _FIELDS} | {"cluster_id": cluster_id, "password": sealed}
    try:
        return ClusterProfile.model_validate({**body, "mechanism": given.mechanism or None})
    except ValidationError as error:
        faults = tuple(
            problem("PARAMETER_RANGE", tuple(str(part) for part in fault["loc"]), fault["msg"].removeprefix("Value error, "))
            for fault in error.errors(include_url=False, include_input=False)
        )
        raise ServiceError("CLUSTER_INVALID", faults[0].message, faults) from error


def _kept_password(given: Connection, cluster: Cluster) -> str:
    """The sealed password that is set, for the very connection that it was given for.

    Who could send it elsewhere (other servers, other certificates that vouch for them, PLAIN for SCRAM) could read it there, and
    nobody may read it again.

    Raises:
        ServiceError: the connection differs.
    """
    if not given.security.startswith("SASL") or not cluster.password:
        return ""
    changed = [word for name, word in _NAMED.items() if getattr(given, name) != getattr(cluster, name)]
    if not changed:
        return cluster.password
    said = f"Re-enter the password: {' and '.join(changed)} changed."
    raise ServiceError("CLUSTER_INVALID", said, (problem("PARAMETER_MISSING", ("password",), said),))


def add_cluster(workspace: Workspace, actor: User, name: str, given: Connection) -> Cluster:
    """Register a cluster; it should have been tried before (`trial.try_cluster`).

    Raises:
        ServiceError: fields do not fit together, or an address is not allowed.
        ConflictError: the name is taken.
    """
    profile = draft_profile(given)
    require_allowed(profile.bootstrap)
    return _write(Cluster(id=profile.cluster_id, workspace=workspace), actor, name, profile, "created")


def change_cluster(cluster: Cluster, actor: User, name: str, given: Connection) -> Cluster:
    """Change a cluster's connection. Running jobs are stopped and resumed with it where it differs.

    Raises:
        ServiceError: it is the home cluster, fields do not fit together, or an address is not allowed.
        ConflictError: the name is taken.
    """
    _require_own(cluster)
    profile = draft_profile(given, cluster)
    require_allowed(profile.bootstrap)
    changed = profile != profile_of(cluster)
    saved = _write(cluster, actor, name, profile, "changed")
    if changed:
        connection_changed.send(sender=Cluster, cluster_id=cluster.id, actor=actor)
    return saved


def _write(cluster: Cluster, actor: User, name: str, profile: ClusterProfile, verb: str) -> Cluster:
    if profile.password != cluster.password:
        cluster.password, cluster.password_set_at = profile.password, timezone.now() if profile.password else None
    cluster.name, cluster.mechanism = name, profile.mechanism or ""
    cluster.bootstrap, cluster.security, cluster.username, cluster.ca = profile.bootstrap, profile.security, profile.username, profile.ca
    cluster.reachable, cluster.checked_at, cluster.error = None, None, ""
    workspace = cluster.workspace
    if workspace is None or Cluster.objects.of(workspace).filter(name=name).exclude(pk=cluster.pk).exists():
        raise ConflictError("NAME_TAKEN", f"Cluster name {name!r} is taken.")
    try:
        with transaction.atomic():
            cluster.save()
            record_event(workspace, "cluster", f"Cluster {name} {verb}", actor=actor.username, subject=cluster.id)
    except IntegrityError as error:
        raise ConflictError("NAME_TAKEN", f"Cluster name {name!r} is taken.") from error
    return cluster


def delete_cluster(cluster: Cluster, actor: User) -> None:
    """Forget a cluster and its password.

    Raises:
        ServiceError: it is the home cluster.
        ConflictError: streams lie on it; they are named.
    """
    workspace = _require_own(cluster)
    streams = users_of(cluster)
    if streams:
        names = ", ".join(sorted(streams))
        raise ConflictError("IN_USE", f"Streams {names} use cluster {cluster.name}. Unregister them first.")
    with transaction.atomic():
        record_event(workspace, "cluster", f"Cluster {cluster.name} deleted", actor=actor.username, subject=cluster.id)
        cluster.delete()


def users_of(cluster: Cluster) -> dict[str, list[str]]:
    """Stream → jobs that read it, for the streams that lie on a cluster."""
    found: dict[str, list[str]] = {}
    rows: Iterable[Any] = Cluster.objects.filter(pk=cluster.pk, streams__isnull=False).values_list(
        "streams__name", "streams__uses__job_name"
    )
    for stream, job in rows:
        found.setdefault(stream, []).extend([job] if job else [])
    return found


def reseal_passwords() -> list[Cluster]:
    """Seal every password with the newest key; the clusters whose password was sealed with an older one.

    Runs that read from them go on with the new envelope, as after any other change of a connection.

    Raises:
        SealError: a password does not open; nothing is changed then.
    """
    ring = keyring()
    with transaction.atomic():
        sealed = [
            (row, ring.reseal(row.password, password_context(row.pk))) for row in Cluster.objects.select_for_update().exclude(password="")
        ]
        found = [(row, envelope) for row, envelope in sealed if envelope != row.password]
        for row, envelope in found:
            row.password = envelope
            row.save(update_fields=["password"])
    for row, _ in found:
        connection_changed.send(sender=Cluster, cluster_id=row.pk, actor=None)
    return [row for row, _ in found]


def _require_own(cluster: Cluster) -> Workspace:
    if cluster.workspace is None:
        raise ServiceError("HOME_CLUSTER", "The home cluster is configured in the installation's settings. Change it there.")
    return cluster.workspace


def check_all() -> None:
    """Ask every cluster at once whether it is there; one that does not answer holds up no other."""
    rows = [home_cluster(), *Cluster.objects.exclude(pk=HOME)]
    with ThreadPoolExecutor(min(16, len(rows)), thread_name_prefix="clusters") as pool:
        asked = {row.pk: pool.submit(_answer, row) for row in rows}
        wait(asked.values(), PATIENCE_S)
        for row in rows:
            answer = asked[row.pk]
            _note(row, answer.result() if answer.done() else "Kafka timed out.")


def _answer(row: Cluster) -> str:
    try:
        return reachable(profile_of(row))
    except ServiceError as error:
        return error.detail


def _note(row: Cluster, error: str) -> None:
    Cluster.objects.filter(pk=row.pk).update(reachable=not error, checked_at=timezone.now(), error=error[:500])
