"""Set, delete and test a workspace's receiver: the only writer of its settings."""

from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.db import transaction
from django.utils import timezone

from weir.openlineage.models import LineageEvent, LineageReceiver
from weir.openlineage.services.outbox import announce
from weir.openlineage.services.sealing import seal
from weir.openlineage.task_queue import ask_for_delivery
from weir.outgoing.http_door import AddressError, checked_url, resolved
from weir.runs.models import new_id
from weir.workspaces.errors import ConflictError, NotFoundError, ServiceError
from weir.workspaces.models import Action, Event, User, Workspace
from weir.workspaces.services.events import record_event
from weir.workspaces.services.revisions import require_revision

MAX_KEY: Final = 4_000
# The rest belongs to workers, which may deliver meanwhile.
_WRITTEN: Final = (
    "url", "enabled", "namespace", "sealed_key", "due_at", "attempts", "failed_at", "error", "revision"
)  # fmt: skip


def set_receiver(
    workspace: Workspace,
    actor: User,
    url: str,
    namespace: str,
    key: str | None,
    *,
    enabled: bool,
    revision: int | None = None,
) -> LineageReceiver:
    """Set where a workspace's events go. What waits goes to the new address.

    Args:
        workspace: of the receiver.
        actor: the user.
        url: to which events are posted, such as ``https://marquez.example.com/api/v1/lineage``.
        namespace: of the jobs; empty: ``weir.`` and the workspace's slug.
        key: sent as a bearer token; empty: none; None: the one that is there.
        enabled: False: nothing is sent, and no event is written meanwhile.
        revision: that the change was made on; None: whatever is stored.

    Raises:
        ServiceError: ADDRESS_FORBIDDEN, KEY_INVALID; KEY_NEEDED: the key that is there was given for another
            host.
        ConflictError: REVISION_OUTDATED, somebody else changed it meanwhile.
    """
    parts = _checked(url)
    if key is not None and (len(key) > MAX_KEY or any(sign <= " " or sign > "~" for sign in key)):
        raise ServiceError("KEY_INVALID", f"A key has at most {MAX_KEY:,} visible ASCII characters.")
    with transaction.atomic():
        # The workspace's row is the lock: of two who set the first receiver at once, the second changes it.
        Workspace.objects.select_for_update().get(pk=workspace.pk)
        before = LineageReceiver.objects.select_for_update().filter(workspace=workspace).first()
        if before is not None and before.sealed_key and key is None and _host(before.url) != _host(url):
            raise ServiceError("KEY_NEEDED", "The host has changed: enter the key again, or remove it.")
        receiver = before or LineageReceiver(workspace=workspace)
        require_revision(0 if before is None else before.revision, revision, "receiver")
        if before is not None:
            receiver.revision = before.revision + 1
        began = enabled and (before is None or not before.enabled)
        receiver.url, receiver.enabled = parts.geturl(), enabled
        receiver.namespace = namespace.strip() or f"weir.{workspace.slug}"
        if key is not None:
            receiver.sealed_key = seal(workspace.pk, key)
        receiver.due_at, receiver.attempts = timezone.now(), 0
        receiver.failed_at, receiver.error = None, ""
        if before is None:
            receiver.save(force_insert=True)
        else:
            receiver.save(update_fields=_WRITTEN)
        if began:
            announce(receiver)
        _record(receiver, actor, Action.CREATED if before is None else Action.CHANGED)
        transaction.on_commit(ask_for_delivery)
    return receiver


def delete_receiver(receiver: LineageReceiver, actor: User) -> None:
    """Send nothing any more; what waits is dropped."""
    with transaction.atomic():
        # Runs that are about to note an event hold the row; deleting waits for them.
        if not LineageReceiver.objects.select_for_update().filter(pk=receiver.pk).exists():
            return
        _record(receiver, actor, Action.DELETED)
        receiver.delete()


def send_test(receiver: LineageReceiver, actor: User) -> None:
    """Put a test event behind what waits, and try at once; the receiver's last delivery says what came of it.

    Raises:
        ConflictError: RECEIVER_DISABLED.
        NotFoundError: it was deleted meanwhile.
    """
    if not receiver.enabled:
        raise ConflictError("RECEIVER_DISABLED", "Nothing is sent to this receiver. Turn it on first.")
    with transaction.atomic():
        if not LineageReceiver.objects.filter(pk=receiver.pk).update(due_at=timezone.now()):
            raise NotFoundError("NOT_FOUND", "The receiver was removed meanwhile.")
        LineageEvent.objects.create(
            receiver=receiver,
            type=LineageEvent.Type.OTHER,
            run_id=new_id(),
            epoch=0,
            job_name="weir-connection-test",
        )
        _record(receiver, actor, Action.TESTED)
        transaction.on_commit(ask_for_delivery)


def _checked(url: str) -> SplitResult:
    try:
        parts = checked_url(url.strip())
        if parts.query or parts.fragment:
            raise AddressError("Remove what follows ? or #: members see the URL. The key has its own field.")
        resolved(parts)
    except AddressError as error:
        raise ServiceError("ADDRESS_FORBIDDEN", str(error)) from error
    return parts


def _host(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url.strip())
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def _record(receiver: LineageReceiver, actor: User, action: Action) -> None:
    words = {
        Action.CREATED: "Lineage receiver set to",
        Action.CHANGED: "Lineage receiver changed to",
        Action.DELETED: "Lineage receiver removed:",
        Action.TESTED: "Test event of lineage sent to",
    }[action]
    state = "" if receiver.enabled else " (off)"
    record_event(
        receiver.workspace,
        Event.Kind.LINEAGE,
        f"{words} {receiver.url}{state}",
        action=action,
        actor=actor.username,
    )
