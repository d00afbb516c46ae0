"""The API key of a receiver: encrypted, for this workspace's receiver alone."""

from jobs.encryption import Keyring, key_of
from weir.clusters.services.keyring import keyring, rotated
from weir.openlineage.models import LineageReceiver


def seal(workspace_id: int, key: str) -> str:
    """The envelope of a key; empty for no key."""
    return keyring().encrypt(key, _context(workspace_id)) if key else ""


def unseal(receiver: LineageReceiver) -> str:
    """The key of a receiver; empty: it has none.

    Raises:
        DecryptionError: the encryption key is gone, or the envelope is another receiver's.
    """
    if not receiver.sealed_key:
        return ""
    return keyring().decrypt(receiver.sealed_key, _context(receiver.workspace_id))


def rotate(ring: Keyring) -> None:
    """Encrypt every key with the newest encryption key.

    Raises:
        DecryptionError: one does not open.
    """
    rows = LineageReceiver.objects.select_for_update(of=("self",)).select_related("workspace")
    for receiver in rows.exclude(sealed_key=""):
        context = _context(receiver.workspace_id)
        receiver.sealed_key = rotated(ring, receiver.sealed_key, context, _name(receiver))
        receiver.save(update_fields=["sealed_key"])


def with_older_keys(newest: str) -> list[str]:
    """Names of receivers whose key was encrypted with another encryption key than this."""
    rows = LineageReceiver.objects.select_related("workspace").exclude(sealed_key="")
    return [_name(row) for row in rows if key_of(row.sealed_key) != newest]


def _name(receiver: LineageReceiver) -> str:
    return f"the OpenLineage receiver of {receiver.workspace.slug}"


def _context(workspace_id: int) -> str:
    return f"openlineage-receiver/{workspace_id}/key"
