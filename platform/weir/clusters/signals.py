"""Signals of this app."""

from typing import Final

from django.dispatch import Signal

# A cluster's connection has changed. Arguments: cluster_id (str), actor (User; None: the system).
connection_changed: Final = Signal()

# The encryption key was rotated: encrypt again what isn't a cluster's password, within this transaction.
# Arguments: ring (jobs.encryption.Keyring).
keys_rotated: Final = Signal()

# Before older keys are removed: receivers return names of what still needs one (list of str).
# Arguments: newest (id of the newest key).
keys_in_use: Final = Signal()
