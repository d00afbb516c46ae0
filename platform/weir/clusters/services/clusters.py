"""Registered clusters: register, change, delete, and their connection profiles."""

import secrets
import ssl
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from jobs.base.problems import problem
from jobs.connections import ClusterProfile, check_password, password_context
from weir.clusters.models import HOME, Cluster
from weir.clusters.services.addresses import require_allowed
from weir.clusters.services.clients import home_profile
from weir.clusters.services.keyring import keyring
from weir.clusters.signals import connection_changed
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.quotas import require_room
from weir.workspaces.services.revisions import require_revision
from weir.workspaces.services.uniqueness import unique_or

_FIELDS: Final = ("bootstrap", "security", "mechanism", "username", "ca")


_FIELD_NAMES: Final = {
    "bootstrap": "the servers",
    "security": "TLS",
    "mechanism": "the mechanism",
    "username": "the user",
    "ca": "the certificates",
}


@dataclass(frozen=True)
class Connection:
    """A connection as entered. `password` is plain text only here; None keeps the current
    one, if nothing else changes.
    """

    bootstrap: str
    security: str = "PLAINTEXT"
    mechanism: str = ""
    username: str = ""
    password: str | None = None
    ca: str = ""


def home_cluster() -> Cluster:
    """The home cluster's row, updated from the settings: the address for users' own tools, if there is one.

    The platform's own user is never shown.
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
    """A cluster's connection profile.

    Raises:
        ServiceError: CONNECTION_UNREADABLE, an older version of Weir has saved it, and this one can't use it.
    """
    found = find_profile(cluster)
    if found is None:
        raise ServiceError(
            "CONNECTION_UNREADABLE",
            f"The saved connection of cluster {cluster.name} can't be used. Enter it again.",
        )
    return found


def find_profile(cluster: Cluster) -> ClusterProfile | None:
    """A cluster's connection profile; None: an older version of Weir saved it, and this one can't use it."""
    if cluster.id == HOME:
        return home_profile()
    stored = {
        "cluster_id": cluster.id,
        "bootstrap": cluster.bootstrap,
        "security": cluster.security,
        "mechanism": cluster.mechanism or None,
        "username": cluster.username,
        "password": cluster.password,
        "ca": cluster.ca,
    }
    try:
        return ClusterProfile.model_validate(stored)
    except ValidationError:
        return None


def profiles_of_all() -> dict[str, ClusterProfile]:
    """The connection profiles of all clusters by id, without those that can't be used."""
    return _usable(all_clusters())


def profiles_of(ids: Collection[str]) -> dict[str, ClusterProfile]:
    """As `profiles_of_all`, of those of these clusters that there are."""
    own = Cluster.objects.filter(pk__in=set(ids) - {HOME})
    return _usable([*([home_cluster()] if HOME in ids else []), *own])


def _usable(clusters: Iterable[Cluster]) -> dict[str, ClusterProfile]:
    found = {cluster.pk: find_profile(cluster) for cluster in clusters}
    return {cluster_id: profile for cluster_id, profile in found.items() if profile is not None}


def all_clusters() -> list[Cluster]:
    """Every cluster of the installation, the home cluster first."""
    return [home_cluster(), *Cluster.objects.exclude(pk=HOME)]


def clusters_of(workspace: Workspace) -> list[Cluster]:
    """The home cluster first, then the workspace's own by name."""
    return [home_cluster(), *Cluster.objects.of(workspace)]


def get_cluster(workspace: Workspace, cluster_id: str) -> Cluster:
    """The home cluster or one of this workspace.

    Raises:
        NotFoundError: the workspace has no cluster with this id.
    """
    if cluster_id == HOME:
        return home_cluster()
    found: Cluster | None = Cluster.objects.of(workspace).filter(pk=cluster_id).first()
    if found is None:
        raise NotFoundError("NOT_FOUND", "Cluster not found, or you don't have access.")
    return found


def draft_profile(given: Connection, cluster: Cluster | None = None) -> ClusterProfile:
    """The profile that would be saved for an existing or a new cluster; nothing is written.

    Raises:
        ServiceError: the fields are inconsistent, or the current password would be used for another
            connection than it was given for; the problems contain the field of each error.
    """
    cluster_id = cluster.id if cluster is not None else f"c{secrets.token_hex(8)}"
    body = {name: getattr(given, name) for name in _FIELDS} | {
        "cluster_id": cluster_id,
        "password": _encrypted_password(given, cluster, cluster_id),
    }
    try:
        profile = ClusterProfile.model_validate({**body, "mechanism": given.mechanism or None})
    except ValidationError as error:
        errors = tuple(
            problem(
                "PARAMETER_RANGE",
                tuple(str(part) for part in detail["loc"]),
                detail["msg"].removeprefix("Value error, "),
            )
            for detail in error.errors(include_url=False, include_input=False)
        )
        raise ServiceError("CLUSTER_INVALID", errors[0].message, errors) from error
    _require_certificates(profile.ca)
    return profile


def _require_certificates(ca: str) -> None:
    if not ca:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=ca)
    except (ssl.SSLError, ValueError) as error:
        text = "The certificates can't be read. Paste them whole, as they were issued."
        raise ServiceError("CLUSTER_INVALID", text, (problem("PARAMETER_RANGE", ("ca",), text),)) from error


def _encrypted_password(given: Connection, cluster: Cluster | None, cluster_id: str) -> str:
    """The password that was entered, else the cluster's current one; empty for none.

    Raises:
        ServiceError: it is not valid, or the current one may not be used for this connection.
    """
    if given.password:
        try:
            return keyring().encrypt(check_password(given.password), password_context(cluster_id))
        except ValueError as error:
            invalid = problem("PARAMETER_RANGE", ("password",), str(error))
            raise ServiceError("CLUSTER_INVALID", str(error), (invalid,)) from error
    return _kept_password(given, cluster) if cluster is not None and given.password is None else ""


def _kept_password(given: Connection, cluster: Cluster) -> str:
    """The current encrypted password, if the connection is the one that it was given for.

    With another connection (other servers, other CA certificates, PLAIN instead of SCRAM) a user could send
    the password to a server that reveals it.

    Raises:
        ServiceError: the connection has changed.
    """
    if not given.security.startswith("SASL") or not cluster.password:
        return ""
    changed = [word for name, word in _FIELD_NAMES.items() if getattr(given, name) != getattr(cluster, name)]
    if not changed:
        return cluster.password
    text = f"Re-enter the password: {' and '.join(changed)} changed."
    raise ServiceError("CLUSTER_INVALID", text, (problem("PARAMETER_MISSING", ("password",), text),))


def add_cluster(workspace: Workspace, actor: User, name: str, given: Connection) -> Cluster:
    """Register a cluster. Its connection should have been tested before (`connection_test.test_connection`).

    Raises:
        ServiceError: the fields are inconsistent, or an address is not allowed; QUOTA_REACHED.
        UnreachableError: the servers' names take too long to look up.
        ConflictError: the name is taken.
    """
    require_room("clusters", Cluster.objects.of(workspace).count())
    profile = draft_profile(given)
    require_allowed(profile.bootstrap)
    return _write(Cluster(id=profile.cluster_id, workspace=workspace), actor, name, profile, Action.CREATED)


def change_cluster(
    cluster: Cluster, actor: User, name: str, given: Connection, revision: int | None = None
) -> Cluster:
    """Change a cluster's connection. If it differs, running jobs are restarted with it.

    Args:
        cluster: of the actor's workspace.
        actor: the user.
        name: of the cluster.
        given: its connection.
        revision: that the change was made on; None: whatever is stored.

    Raises:
        ServiceError: it is the home cluster, the fields are inconsistent, or an address is not allowed.
        UnreachableError: the servers' names take too long to look up.
        ConflictError: the name is taken; REVISION_OUTDATED, somebody else changed it meanwhile.
    """
    _require_own(cluster)
    require_allowed(draft_profile(given, cluster).bootstrap)
    with transaction.atomic():
        # Names are looked up before: the row is held for as long as it takes to write it.
        held = Cluster.objects.select_for_update().get(pk=cluster.pk)
        require_revision(held.revision, revision, "cluster")
        profile = draft_profile(given, held)
        changed = profile != find_profile(held)
        held.revision += 1
        saved = _write(held, actor, name, profile, Action.CHANGED)
    if changed:
        connection_changed.send(sender=Cluster, cluster_id=cluster.id, actor=actor)
    return saved


def _write(cluster: Cluster, actor: User, name: str, profile: ClusterProfile, action: Action) -> Cluster:
    if profile.password != cluster.password:
        cluster.password, cluster.password_set_at = (
            profile.password,
            timezone.now() if profile.password else None,
        )
    cluster.name, cluster.mechanism = name, profile.mechanism or ""
    cluster.bootstrap, cluster.security, cluster.username, cluster.ca = (
        profile.bootstrap,
        profile.security,
        profile.username,
        profile.ca,
    )
    cluster.reachable, cluster.checked_at, cluster.error = None, None, ""
    cluster.disk_used_share, cluster.certificate_expires_at = None, None
    workspace = _require_own(cluster)
    with unique_or(ConflictError("NAME_TAKEN", f"Cluster name {name!r} is taken.")):
        cluster.save()
        record_event(
            workspace,
            "cluster",
            f"Cluster {name} {action.value}",
            actor=actor.username,
            subject=cluster.id,
            action=action,
        )
    return cluster


def delete_cluster(cluster: Cluster, actor: User) -> None:
    """Delete a cluster and its password.

    Raises:
        ServiceError: it is the home cluster.
        ConflictError: streams use it; the message names them.
    """
    workspace = _require_own(cluster)
    with transaction.atomic():
        # Held, so that no stream is registered on it meanwhile.
        Cluster.objects.select_for_update().get(pk=cluster.pk)
        streams = users_of(cluster)
        if streams:
            names = ", ".join(sorted(streams))
            raise ConflictError(
                "IN_USE", f"Streams {names} use cluster {cluster.name}. Unregister them first."
            )
        record_event(
            workspace,
            "cluster",
            f"Cluster {cluster.name} deleted",
            actor=actor.username,
            subject=cluster.id,
            action=Action.DELETED,
        )
        cluster.delete()


def users_of(cluster: Cluster) -> dict[str, list[str]]:
    """Streams of a cluster, each with the jobs that read it."""
    found: dict[str, list[str]] = {}
    rows: Iterable[Any] = Cluster.objects.filter(pk=cluster.pk, streams__isnull=False).values_list(
        "streams__name", "streams__uses__job_name"
    )
    for stream, job in rows:
        found.setdefault(stream, []).extend([job] if job else [])
    return found


def _require_own(cluster: Cluster) -> Workspace:
    if cluster.workspace is None:
        raise ServiceError(
            "HOME_CLUSTER", "The home cluster is configured in the installation's settings. Change it there."
        )
    return cluster.workspace
