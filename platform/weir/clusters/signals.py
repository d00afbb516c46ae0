"""Signals of this app."""

from typing import Final

from django.dispatch import Signal

# A cluster's connection has changed. Arguments: cluster_id (str), actor (User; None: the system).
connection_changed: Final = Signal()
