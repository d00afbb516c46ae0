"""What rooms above may listen to."""

from typing import Final

from django.dispatch import Signal

# A cluster is reached in another way than before. Arguments: cluster_id (str), actor (User; None: the system).
connection_changed: Final = Signal()
