"""A peer is measured from when it has read the first records, and only if it then still has some to read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.drain import drained
from bench.peers.processes import Peer


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    made = Peer("the peer", ["sleep", "600"], tmp_path / "log", ["two threads"])
    yield made
    made.stop()


def test_records_count_from_the_first_look_at_which_it_is_warm(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress, cpu = iter([0, 40, 120, 400, 1_100]), iter([2.0, 12.0])
    monkeypatch.setattr("bench.drain.cpu_below", lambda _pid: next(cpu))
    found = drained(peer, lambda: next(progress), events=1_000, warm=100, look_s=0)
    assert found["per_cpu_s"] == (1_100 - 120) / 10
    assert found["settings"] == ["two threads"]


def test_one_that_had_read_all_before_is_no_measurement(peer: Peer) -> None:
    with pytest.raises(RuntimeError, match="had read all before it could be measured"):
        drained(peer, lambda: 1_100, events=1_000, warm=100, look_s=0)


def test_one_that_ends_is_named(tmp_path: Path) -> None:
    peer = Peer("the peer", ["sh", "-c", "echo no broker"], tmp_path / "log", [])
    with pytest.raises(RuntimeError, match="the peer ended: no broker"):
        drained(peer, lambda: 0, events=1_000, warm=100, look_s=0.01)
