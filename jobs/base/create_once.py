"""Files that the first of several processes makes for all of them, such as keys."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def create_once(path: Path, write: Callable[[Path], object]) -> None:
    """Make a file where it is missing; of several processes that find none, the first to make it wins.

    Args:
        path: of the file.
        write: writes a draft at the path that it is given, in the same folder, which it makes where it is
            missing.
    """
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    write(draft)
    try:
        os.link(draft, path)  # fails when another process was first; never overwrites
    except FileExistsError:
        pass
    finally:
        draft.unlink()
