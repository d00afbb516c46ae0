"""Encryption of secrets with AES-256-GCM (`docs/architecture.md#secrets`).

An envelope is ``v1:<key id>:<nonce>:<ciphertext>``, the last two base64url without padding. Its associated
data is the context of the secret (table, row and field), so that an envelope copied to another row cannot be
decrypted. Keys come from a file of mode 0600, newest first, one ``<key id>:<base64url of 32 bytes>`` per
line: the first encrypts, all of them decrypt. A file that its owner may not write (mode 0400) is a copy of
what is kept elsewhere, such as a Secret of Kubernetes, and is not changed.

    python -m jobs.encryption    # prints a line with a new key, for such a file
"""

import base64
import os
import secrets
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION: Final = "v1"
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32


class DecryptionError(ValueError):
    """An envelope cannot be decrypted, or keys cannot be read. The message never contains secret text."""


@dataclass(frozen=True)
class Keyring:
    """Keys by id, newest first."""

    keys: tuple[tuple[str, bytes], ...]

    def encrypt(self, secret: str, context: str) -> str:
        """Encrypt a secret.

        Args:
            secret: any text.
            context: table, row and field, such as ``cluster/home/password``; needed again to decrypt it.
        """
        key_id, key = self.keys[0]
        nonce = os.urandom(_NONCE_BYTES)
        ciphertext = AESGCM(key).encrypt(nonce, secret.encode("utf-8"), _associated(context))
        return ":".join((_VERSION, key_id, _text(nonce), _text(ciphertext)))

    def decrypt(self, envelope: str, context: str) -> str:
        """Decrypt an envelope.

        Raises:
            DecryptionError: it is no envelope, its key is unknown, or it was modified or made for another
                context.
        """
        parts = envelope.split(":")
        if len(parts) != 4 or parts[0] != _VERSION:
            raise DecryptionError("not an encrypted secret")
        key = dict(self.keys).get(parts[1])
        if key is None:
            raise DecryptionError(f"the secret's key {parts[1][:40]!r} isn't in the key file")
        try:
            return (
                AESGCM(key).decrypt(_bytes(parts[2]), _bytes(parts[3]), _associated(context)).decode("utf-8")
            )
        except (InvalidTag, ValueError) as error:
            raise DecryptionError("the secret was modified or encrypted for something else") from error

    def rotate(self, envelope: str, context: str) -> str:
        """Encrypt a secret again with the newest key; an envelope of that key is returned unchanged.

        Raises:
            DecryptionError: see `decrypt`.
        """
        if key_of(envelope) == self.keys[0][0]:
            return envelope
        return self.encrypt(self.decrypt(envelope, context), context)


def read_keys(path: Path) -> Keyring:
    """Read the keys of a file.

    Raises:
        DecryptionError: others may read the file, it has no keys or duplicate ids, or a line is not a key.
        FileNotFoundError: the file does not exist.
    """
    if path.stat().st_mode & 0o077:
        raise DecryptionError(f"{path} is readable by others; set its mode to 0600")
    keys = [_key(line, path) for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
    if not keys:
        raise DecryptionError(f"{path} contains no key")
    if len({key_id for key_id, _ in keys}) < len(keys):
        raise DecryptionError(f"{path} contains a duplicate key name")
    return Keyring(tuple(keys))


def new_key() -> tuple[str, str]:
    """The id of a new key, and its line of a file."""
    key_id = secrets.token_hex(4)
    return key_id, f"{key_id}:{_text(os.urandom(_KEY_BYTES))}"


def add_key(path: Path) -> str:
    """Add a new key at the top of a file, which is created if missing, and return its id.

    Older keys still decrypt.

    Raises:
        DecryptionError: the file is a copy (mode 0400).
    """
    older = path.read_text(encoding="ascii") if path.exists() else ""
    _check_original(path)
    key_id, line = new_key()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{key_id}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(f"{line}\n{older}", encoding="ascii")
    draft.replace(path)
    return key_id


def drop_old_keys(path: Path) -> int:
    """Remove all keys but the newest from a file, and return how many were removed.

    Secrets that they encrypted can't be decrypted any more.

    Raises:
        DecryptionError: the file is a copy (mode 0400), or see `read_keys`.
    """
    _check_original(path)
    key_id, key = (ring := read_keys(path)).keys[0]
    draft = path.with_name(f"{path.name}.{key_id}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(f"{key_id}:{_text(key)}\n", encoding="ascii")
    draft.replace(path)
    return len(ring.keys) - 1


def key_of(envelope: str) -> str:
    """Id of the key that encrypted an envelope; empty if it is not an envelope."""
    parts = envelope.split(":")
    return parts[1] if len(parts) == 4 else ""


def _check_original(path: Path) -> None:
    # By its mode and not by trying: a folder that can be written, such as a pod's memory, lets any file be
    # replaced, and what is encrypted with a key that is only there is lost with the pod.
    if path.exists() and not path.stat().st_mode & stat.S_IWUSR:
        raise DecryptionError(
            f"{path} is a copy (mode 0400) and isn't changed. Change the file where it is kept, restart all "
            "processes, then run rotate_keys --rotate-only."
        )


def _key(line: str, path: Path) -> tuple[str, bytes]:
    key_id, _, text = line.strip().partition(":")
    try:
        key = _bytes(text)
    except ValueError as error:
        raise DecryptionError(f"{path} has an invalid line") from error
    if not key_id or len(key) != _KEY_BYTES:
        raise DecryptionError(f"{path} has an invalid line")
    return key_id, key


def _associated(context: str) -> bytes:
    return f"weir:{_VERSION}:{context}".encode()


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


if __name__ == "__main__":
    sys.stdout.write(f"{new_key()[1]}\n")
