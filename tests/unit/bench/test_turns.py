"""A side is measured from when it has read the first records, stands still while others have their turn, and
one that fails leaves the others.
"""

import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from bench.peers.processes import Peer
from bench.trials import Trials
from bench.turns import Side, in_turn
from tests.support.processes import wait_until


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    made = Peer("the peer", ["sleep", "600"], tmp_path / "log", ["two threads"])
    yield made
    made.stop()


@pytest.fixture
def counted_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at a processor time is a second later: sleeping programs use none."""
    seconds = count()
    monkeypatch.setattr("bench.turns.cpu_below", lambda _pid: next(seconds))


def side(peer: Peer, read: Callable[[], int], check: Callable[[], None] = lambda: None) -> Side:
    return Side(peer, read, check, warm=100, records=1_100)


def test_records_count_from_the_first_look_at_which_it_is_warm(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress, cpu = iter([0, 40, 120, 400, 1_100]), iter([2.0, 12.0])
    monkeypatch.setattr("bench.turns.cpu_below", lambda _pid: next(cpu))
    measured = side(peer, lambda: next(progress))
    assert measured.turn(60)
    assert measured.rates["per_cpu_s"] == (1_100 - 120) / 10
    assert measured.rates["settings"] == ["two threads"]


def test_a_pause_is_not_counted(peer: Peer, counted_cpu: None) -> None:
    progress = iter([100, *[500] * 5, 1_100])
    measured = side(peer, lambda: next(progress))
    assert not measured.turn(0.05)
    time.sleep(2)
    assert measured.turn(60)
    assert measured.rates["per_s"] > 1_000 / 2


def test_it_stands_still_between_its_turns(peer: Peer) -> None:
    measured = side(peer, lambda: 0)
    for _ in range(2):
        assert not measured.turn(0.1)
        process = psutil.Process(peer.pid)
        wait_until(lambda process=process: process.status() == psutil.STATUS_STOPPED, 10, "it is stopped")
    measured.end()
    assert not psutil.pid_exists(process.pid)


def test_one_that_had_read_all_before_is_no_measurement(peer: Peer) -> None:
    with pytest.raises(RuntimeError, match="had read all before it could be measured"):
        side(peer, lambda: 1_100).turn(60)


def test_one_that_ends_is_named(tmp_path: Path) -> None:
    ended = Peer("the peer", ["sh", "-c", "echo no broker"], tmp_path / "log", [])
    with pytest.raises(RuntimeError, match="the peer ended: no broker"):
        side(ended, lambda: 0).turn(60)


def test_one_that_fails_leaves_the_others(peer: Peer, tmp_path: Path, counted_cpu: None) -> None:
    def wrong() -> None:
        raise RuntimeError("7 of 11 events of a key were counted")

    def reads(numbers: list[int]) -> Callable[[], int]:
        left = iter(numbers)
        return lambda: next(left)

    other = Peer("the other", ["sleep", "600"], tmp_path / "other", [])
    parts = Trials()
    found: dict[str, Any] = in_turn(
        {
            "wrong": side(other, reads([100, 1_100]), wrong),
            "right": side(peer, reads([100, 1_100])),
        },
        parts,
    )
    assert list(found) == ["right"]
    assert parts.failed == "wrong: RuntimeError: 7 of 11 events of a key were counted"


def test_where_all_fail_nothing_was_measured(peer: Peer) -> None:
    with pytest.raises(RuntimeError, match="had read all before"):
        in_turn({"one": side(peer, lambda: 1_100)}, Trials())
