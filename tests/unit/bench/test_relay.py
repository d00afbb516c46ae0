"""A relay that ends, or has stored all before it could be measured, is no measurement."""

import subprocess
from collections.abc import Iterator

import pytest

from bench.relay import _await_stored, _drained


@pytest.fixture
def relay() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def test_a_relay_that_ends_does_not_hang_the_section() -> None:
    with subprocess.Popen(["false"]) as ended, pytest.raises(RuntimeError, match="the relay ended with 1"):
        _await_stored(ended, lambda: 0, 1)


def test_all_at_once_is_no_measurement(relay: subprocess.Popen[bytes]) -> None:
    with pytest.raises(RuntimeError, match="more records"):
        _drained(relay, 0, lambda: 100, 100)


def test_rows_count_from_those_that_were_seen_first(
    relay: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, cpu = iter([0, 20, 60, 120]), iter([1.0, 3.0])
    monkeypatch.setattr("bench.relay.cpu_below", lambda _pid: next(cpu))
    assert _drained(relay, 0, lambda: next(stored), 120)["rows_per_core_second"] == 50
