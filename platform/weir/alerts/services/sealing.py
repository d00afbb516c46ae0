"""The configuration of a channel: encrypted as one text, for this channel alone."""

import json
from typing import Any

from jobs.encryption import Keyring, key_of
from weir.alerts.models import Channel
from weir.clusters.services.keyring import keyring, rotated


def seal(channel_id: str, configuration: dict[str, Any]) -> str:
    """The envelope of a configuration."""
    return keyring().encrypt(json.dumps(configuration), _context(channel_id))


def unseal(channel: Channel) -> dict[str, Any]:
    """The configuration of a channel.

    Raises:
        DecryptionError: its key is gone, or the envelope is another channel's.
    """
    found: dict[str, Any] = json.loads(keyring().decrypt(channel.sealed, _context(channel.pk)))
    return found


def rotate(ring: Keyring) -> None:
    """Encrypt every configuration with the newest key.

    Raises:
        DecryptionError: one does not open.
    """
    for channel in Channel.objects.select_for_update(of=("self",)).select_related("workspace"):
        channel.sealed = rotated(ring, channel.sealed, _context(channel.pk), _name(channel))
        channel.save(update_fields=["sealed"])


def with_older_keys(newest: str) -> list[str]:
    """Names of channels whose configuration was encrypted with another key than this."""
    rows = Channel.objects.select_related("workspace")
    return [_name(row) for row in rows if key_of(row.sealed) != newest]


def _name(channel: Channel) -> str:
    return f"the channel {channel.name} of {channel.workspace.slug}"


def _context(channel_id: str) -> str:
    return f"alert-channel/{channel_id}/configuration"
