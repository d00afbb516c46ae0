"""Rotates the key that encrypts the clusters' passwords."""

from django.db import transaction

from jobs.connections import password_context
from weir.clusters.models import Cluster
from weir.clusters.services.keyring import keyring, rotated
from weir.clusters.signals import connection_changed, keys_rotated


def rotate_passwords() -> list[Cluster]:
    """Encrypt every password with the newest key, and return the clusters whose password had an older one.

    Runs that read from them are restarted with the new envelope, as after any other change of the connection.

    Raises:
        DecryptionError: a password does not open; nothing is changed then.
    """
    ring = keyring()
    with transaction.atomic():
        envelopes = [
            (
                row,
                rotated(ring, row.password, password_context(row.pk), f"the password of cluster {row.name}"),
            )
            for row in Cluster.objects.select_for_update().exclude(password="")
        ]
        found = [(row, envelope) for row, envelope in envelopes if envelope != row.password]
        for row, envelope in found:
            row.password = envelope
            row.save(update_fields=["password"])
        keys_rotated.send(sender=Cluster, ring=ring)
    for row, _ in found:
        connection_changed.send(sender=Cluster, cluster_id=row.pk, actor=None)
    return [row for row, _ in found]
