"""Files that the first of several processes creates for all of them, such as keys."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def create_once(path: Path, write: Callable[[Path], object]) -> None:
    """Create a file if it does not exist; if several processes try at the same time, the first one wins.

    Args:
        path: of the file.
        write: writes the content to the path that it is given, a temporary file in the same folder; it must
            create the folder if needed.
    """
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    write(draft)
    try:
        os.link(draft, path)  # never overwrites: fails if another process was first
    except FileExistsError:
        pass
    finally:
        draft.unlink()
