"""The key file that seals clusters' passwords: made when the first one is saved."""

import os
from pathlib import Path

from django.conf import settings

from jobs.sealing import Keyring, add_key, read_keys


def keyring() -> Keyring:
    """The keys of this installation; of several processes that find none, the first to make them wins.

    Raises:
        SealError: others may read the file, or it holds no keys.
    """
    path: Path = settings.SEAL_KEY_FILE
    if not path.exists():
        draft = path.with_name(f"{path.name}.first.{os.getpid()}")
        add_key(draft)
        try:
            os.link(draft, path)  # fails when another process was first; never overwrites
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return read_keys(path)
