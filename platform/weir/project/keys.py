"""Key files: made once, readable by their owner only."""

import os
import secrets
from pathlib import Path


def key_from_file(path: Path) -> str:
    """The text of a key file; a missing one is made with 64 random characters and mode 0600.

    Several processes may start at once: the first to create the file wins, the others read what it wrote.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600, exist_ok=False)
        draft.write_text(secrets.token_urlsafe(48), encoding="ascii")
        try:
            os.link(draft, path)  # fails when another process was first; never overwrites
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii").strip()
