"""After a kill only results of later events count, and those that come as fast as usual end the recovery."""

from pathlib import Path

from bench.ledger import Ledger
from bench.recovery import USUAL_US, VICTIMS, _Seen

KILLED_US = 1_767_225_600_000_000


def test_results_of_earlier_events_do_not_count(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    ledger.sent_us[:3] = [KILLED_US - 1, KILLED_US + 1_000, KILLED_US + 5_000_000]
    seen = _Seen(ledger)
    seen.row({"hi": 0}, KILLED_US - 1)
    seen.killed(KILLED_US)
    seen.row({"hi": 0}, KILLED_US + 2_000_000)
    assert (seen.any, seen.first_us, seen.usual_us) == (True, 0, 0)
    seen.row({"hi": 1}, KILLED_US + 4_000_000)
    assert (seen.first_us, seen.usual_us) == (4_000_000, 0)
    seen.row({"hi": 2}, KILLED_US + 5_000_000 + USUAL_US - 1)
    assert (seen.first_us, seen.usual_us) == (4_000_000, 5_000_000 + USUAL_US - 1)
    seen.killed(KILLED_US + 10_000_000)
    assert (seen.first_us, seen.usual_us) == (0, 0)


def test_twenty_kills_of_every_part() -> None:
    assert sum(VICTIMS.values()) == 20
    assert VICTIMS.keys() == {"engine", "web", "web parent", "relay", "worker", "kafka"}
