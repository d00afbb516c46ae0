"""Key files: made once, readable by their owner only."""

import secrets
from pathlib import Path

from jobs.base.made_once import made_once


def key_from_file(path: Path) -> str:
    """The text of a key file; a missing one is made with 64 random characters and mode 0600."""
    made_once(path, _write)
    return path.read_text(encoding="ascii").strip()


def _write(draft: Path) -> None:
    draft.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(secrets.token_urlsafe(48), encoding="ascii")
