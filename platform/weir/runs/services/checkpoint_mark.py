"""Tells whether this host sees the checkpoints that the others write: a file at their root holds a text that
the database knows.
"""

import secrets
from typing import Final

from django.conf import settings
from django.db.models import Q

from weir.runs.models import ReconcilerState
from weir.runs.services.checkpoint_folder import local_folder

_NAME: Final = ".weir-checkpoints"


def sees_checkpoints(*, alone: bool) -> bool:
    """Whether the checkpoints of this host are those of the others.

    An object store is the same for all, so only folders are looked at.

    Args:
        alone: no other host is known. It may then set the mark again, as after its folder was made anew.
    """
    root = local_folder(settings.CHECKPOINT_URL)
    if root is None:
        return True
    file = root / _NAME
    ReconcilerState.objects.get_or_create(pk=1)
    try:
        found = file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        found = ""
    if not found and (alone or not _known()):
        found = secrets.token_hex(16)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(found, encoding="utf-8")
    # Of two hosts that begin at the same time, the first to say so decides.
    may_set = Q() if alone else Q(checkpoints_mark="")
    ReconcilerState.objects.filter(may_set, pk=1).update(checkpoints_mark=found)
    return bool(found) and found == _known()


def _known() -> str:
    return ReconcilerState.objects.values_list("checkpoints_mark", flat=True).get(pk=1)
