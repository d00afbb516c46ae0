"""What rooms above may listen to."""

from typing import Final

from django.dispatch import Signal

# A job is gone, with its topics and checkpoints. Arguments: job_id (str), generations (list of numbers).
job_deleted: Final = Signal()
