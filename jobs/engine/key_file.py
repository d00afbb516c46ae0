"""The engine's key file, which decrypts the passwords of clusters when a client is created.

It is set once per process: Spark's sources are created deep inside plans, which should not carry secrets.
"""

from pathlib import Path
from typing import Final

from jobs.connections import NO_DECRYPTION, PasswordDecryptor

_current: Final[list[PasswordDecryptor]] = [NO_DECRYPTION]


def use_key_file(path: str | None) -> None:
    """Decrypt passwords with this file from now on; it may be created later."""
    _current[0] = PasswordDecryptor(Path(path)) if path else NO_DECRYPTION


def decryptor() -> PasswordDecryptor:
    """The decryptor of this process."""
    return _current[0]
