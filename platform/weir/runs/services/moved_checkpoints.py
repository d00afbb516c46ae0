"""Checkpoints that were moved: generations know the address of theirs, which no longer holds then."""

from typing import Final

from weir.runs.models import Generation
from weir.runs.services.checkpoint_folder import checkpoint_root, local_folder

_PARTS: Final = 3  # below the root of all checkpoints: workspace, job, number of the generation


def find_moved() -> int:
    """Give every generation whose checkpoint is elsewhere its own one below `CHECKPOINT_URL`, where there is
    such a folder. No run may be under way.

    That the other one still exists doesn't matter: the copy of a data folder must leave the original alone.

    Returns:
        The number of generations that have another checkpoint now.
    """
    root, count = checkpoint_root(), 0
    for generation in Generation.objects.only("checkpoint"):
        if generation.checkpoint.startswith(f"{root}/"):  # asked of SQLite, letters of either case are one
            continue
        url = "/".join([root, *generation.checkpoint.rsplit("/", _PARTS)[1:]])
        folder = local_folder(url)
        if folder is not None and folder.is_dir():
            count += Generation.objects.filter(pk=generation.pk).update(checkpoint=url)
    return count


def move_from(old: str) -> int:
    """Give every generation whose checkpoint was below another root the same one below `CHECKPOINT_URL`.

    Args:
        old: the former `CHECKPOINT_URL`.

    Returns:
        The number of generations that have another checkpoint now.
    """
    before, root, count = f"{old.rstrip('/')}/", checkpoint_root(), 0
    for generation in Generation.objects.only("checkpoint"):
        if not generation.checkpoint.startswith(before):
            continue
        url = f"{root}/{generation.checkpoint.removeprefix(before)}"
        count += Generation.objects.filter(pk=generation.pk).update(checkpoint=url)
    return count
