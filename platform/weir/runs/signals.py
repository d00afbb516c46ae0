"""Signals for other apps."""

from typing import Final

from django.dispatch import Signal

# A job is deleted: its topics and checkpoints are gone, its row goes next. It may come again.
# Arguments: job_id (str), generations (list of numbers).
job_deleted: Final = Signal()

# Asks whether somebody still needs the row of a deleted job of which nothing else is left. A receiver that
# does returns True and is asked again later. Arguments: job_id (str).
job_row_needed: Final = Signal()

# A job has a new version, which is committed. Arguments: job (Job), actor (User).
version_made: Final = Signal()

# A job was made from an example. Arguments: job (Job), actor (User), tests (list of str: documents, YAML).
example_used: Final = Signal()

# An execution of a run begins, reads, or has ended; sent once for each, in the transaction that says so.
# Arguments: run (Run), state (Observed), reason (str: why it ended), failure (dict or None).
execution_changed: Final = Signal()
