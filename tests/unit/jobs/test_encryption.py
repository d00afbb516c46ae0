"""Secrets can be decrypted only with their key, unchanged, and in their context."""

import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.encryption import DecryptionError, Keyring, add_key, drop_old_keys, read_keys

REPOSITORY = Path(__file__).parents[3]
RING = Keyring((("k2", b"2" * 32), ("k1", b"1" * 32)))


@given(st.text(max_size=200), st.text(max_size=50))
def test_what_was_sealed_opens(secret: str, place: str) -> None:
    assert RING.decrypt(RING.encrypt(secret, place), place) == secret


def test_the_newest_key_seals_and_two_seals_differ() -> None:
    one, two = RING.encrypt("secret", "a"), RING.encrypt("secret", "a")
    assert one.startswith("v1:k2:")
    assert one != two


def test_a_swapped_envelope_does_not_open() -> None:
    envelope = RING.encrypt("secret", "cluster/1/password")
    with pytest.raises(DecryptionError, match="encrypted for something else"):
        RING.decrypt(envelope, "cluster/2/password")


@pytest.mark.parametrize("at", [2, 3])
def test_a_changed_envelope_does_not_open(at: int) -> None:
    parts = RING.encrypt("secret", "a").split(":")
    parts[at] = ("A" if parts[at][0] != "A" else "B") + parts[at][1:]
    with pytest.raises(DecryptionError):
        RING.decrypt(":".join(parts), "a")


@pytest.mark.parametrize(
    "text", ["", "v1", "v2:k1:a:b", "v1:k9:AAAA:AAAA", "v1:k1:!:!", "plain text", "v1:k1:AAAA:"]
)
def test_what_is_no_envelope_is_refused(text: str) -> None:
    with pytest.raises(DecryptionError):
        RING.decrypt(text, "a")


def test_rotation_opens_the_old_and_seals_with_the_new(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "encryption.keys"
    first = add_key(file)
    old = read_keys(file).encrypt("secret", "a")
    second = add_key(file)
    ring = read_keys(file)
    assert [key_id for key_id, _ in ring.keys] == [second, first]
    assert ring.decrypt(old, "a") == "secret"
    new = ring.rotate(old, "a")
    assert new.startswith(f"v1:{second}:")
    assert ring.rotate(new, "a") == new
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "encryption.keys"
    add_key(file)
    file.chmod(0o644)
    with pytest.raises(DecryptionError, match="0600"):
        read_keys(file)


@pytest.mark.parametrize("change", [add_key, drop_old_keys])
def test_a_copy_is_not_changed(tmp_path: Path, change: Callable[[Path], object]) -> None:
    """In a pod the folder can be written, and what only that file has is gone with the pod."""
    file = tmp_path / "encryption.keys"
    add_key(file)
    add_key(file)
    file.chmod(0o400)
    before = file.read_text()
    with pytest.raises(DecryptionError, match="is a copy"):
        change(file)
    assert (file.read_text(), [each.name for each in tmp_path.iterdir()]) == (before, [file.name])


def test_a_printed_key_is_one(tmp_path: Path) -> None:
    file = tmp_path / "encryption.keys"
    command = [sys.executable, "-m", "jobs.encryption"]
    file.write_bytes(subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True).stdout)
    file.chmod(0o400)
    assert read_keys(file).decrypt(read_keys(file).encrypt("secret", "a"), "a") == "secret"


@pytest.mark.parametrize("content", ["", "k1", "k1:AAAA", ":" + "A" * 43, "k1:" + "!" * 43])
def test_a_file_without_good_keys_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "encryption.keys"
    file.touch(mode=0o600)
    file.write_text(content)
    with pytest.raises(DecryptionError):
        read_keys(file)
