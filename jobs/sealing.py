"""Sealed secrets: AES-256-GCM envelopes that only fit the place they were made for (`docs/architecture.md#secrets`).

An envelope is ``v1:<key id>:<nonce>:<ciphertext>``, the last two base64url without padding. Its associated data names what
the secret belongs to, so that an envelope copied to another row does not open. Keys come from a file of mode 0600, newest
first, one ``<key id>:<base64url of 32 bytes>`` a line: the first seals, all of them open.
"""

import base64
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION: Final = "v1"
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32


class SealError(ValueError):
    """An envelope does not open, or keys cannot be read. The message never holds secret text."""


@dataclass(frozen=True)
class Keyring:
    """Keys by id, the newest first."""

    keys: tuple[tuple[str, bytes], ...]

    def seal(self, secret: str, belongs_to: str) -> str:
        """An envelope of this secret.

        Args:
            secret: any text.
            belongs_to: table, row and field, such as ``cluster/home/password``; needed again to open it.
        """
        key_id, key = self.keys[0]
        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(key).encrypt(nonce, secret.encode("utf-8"), _associated(belongs_to))
        return ":".join((_VERSION, key_id, _text(nonce), _text(sealed)))

    def open(self, envelope: str, belongs_to: str) -> str:
        """The secret of an envelope.

        Raises:
            SealError: not an envelope, its key is not here, it was changed, or it belongs to something else.
        """
        parts = envelope.split(":")
        if len(parts) != 4 or parts[0] != _VERSION:
            raise SealError("not an encrypted secret")
        key = dict(self.keys).get(parts[1])
        if key is None:
            raise SealError(f"the secret's key {parts[1][:40]!r} isn't in the key file")
        try:
            return AESGCM(key).decrypt(_bytes(parts[2]), _bytes(parts[3]), _associated(belongs_to)).decode("utf-8")
        except (InvalidTag, ValueError) as error:
            raise SealError("the secret was modified or encrypted for something else") from error

    def reseal(self, envelope: str, belongs_to: str) -> str:
        """The same secret under the newest key; an envelope that has it already comes back as it is.

        Raises:
            SealError: see `open`.
        """
        if key_of(envelope) == self.keys[0][0]:
            return envelope
        return self.seal(self.open(envelope, belongs_to), belongs_to)


def read_keys(path: Path) -> Keyring:
    """The keys of a file.

    Raises:
        SealError: others may read the file, or a line is no key.
        FileNotFoundError: there is none.
    """
    if path.stat().st_mode & 0o077:
        raise SealError(f"{path} is readable by others; set its mode to 0600")
    keys = [_key(line, path) for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
    if not keys:
        raise SealError(f"{path} contains no key")
    if len({key_id for key_id, _ in keys}) < len(keys):
        raise SealError(f"{path} contains a duplicate key name")
    return Keyring(tuple(keys))


def add_key(path: Path) -> str:
    """Put a new key at the top of a file, which is made where missing; the key's id. Older keys still open."""
    older = path.read_text(encoding="ascii") if path.exists() else ""
    key_id = secrets.token_hex(4)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{key_id}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(f"{key_id}:{_text(os.urandom(_KEY_BYTES))}\n{older}", encoding="ascii")
    draft.replace(path)
    return key_id


def keep_newest_key(path: Path) -> int:
    """Take all keys but the newest out of a file; how many went. What was sealed with them does not open any more.

    Raises:
        SealError: see `read_keys`.
    """
    key_id, key = (ring := read_keys(path)).keys[0]
    draft = path.with_name(f"{path.name}.{key_id}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(f"{key_id}:{_text(key)}\n", encoding="ascii")
    draft.replace(path)
    return len(ring.keys) - 1


def key_of(envelope: str) -> str:
    """The id of the key that sealed an envelope; empty for what is none."""
    parts = envelope.split(":")
    return parts[1] if len(parts) == 4 else ""


def _key(line: str, path: Path) -> tuple[str, bytes]:
    key_id, _, text = line.strip().partition(":")
    try:
        key = _bytes(text)
    except ValueError as error:
        raise SealError(f"{path} has an invalid line") from error
    if not key_id or len(key) != _KEY_BYTES:
        raise SealError(f"{path} has an invalid line")
    return key_id, key


def _associated(belongs_to: str) -> bytes:
    return f"weir:{_VERSION}:{belongs_to}".encode()


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
