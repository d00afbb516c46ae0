"""Which clusters a workspace may use, by what they say of themselves."""

import pytest

from jobs import cluster_identity
from jobs.broker_addresses import resolve, resolve_all
from jobs.cluster_identity import (
    MAX_BROKERS,
    RESOLVE_TIMEOUT_S,
    ClusterIdentity,
    ClusterRefusedError,
    Home,
    SlowNamesError,
    require_foreign,
)

HOME = Home("home", frozenset({("127.0.0.1", 9092)}))


def require(*brokers: tuple[str, int]) -> None:
    require_foreign(ClusterIdentity("theirs", brokers), HOME, private_allowed=True)


def test_each_broker_is_a_thread_of_each_client() -> None:
    brokers = [("203.0.113.7", port) for port in range(1, MAX_BROKERS + 2)]
    require(*brokers[:-1])
    with pytest.raises(ClusterRefusedError, match="more than 500 brokers"):
        require(*brokers)


def test_names_that_no_server_answers_for_hold_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver waits some ten seconds for each name of a domain whose server is silent."""
    now = 0.0
    asked: list[str] = []

    def resolve(host: str, *_: object, **__: object) -> None:
        nonlocal now
        asked.append(host)
        now += 10.0
        raise OSError("timed out")

    monkeypatch.setattr(cluster_identity, "allowed_addresses", resolve)
    monkeypatch.setattr(cluster_identity.time, "monotonic", lambda: now)
    with pytest.raises(SlowNamesError):
        require(*((f"b{number}.example", 9092) for number in range(400)))
    assert now <= RESOLVE_TIMEOUT_S + 10.0


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example", "." + "é" * 70])
def test_a_broker_whose_name_is_none_is_as_one_that_is_unknown(host: str) -> None:
    """Python refuses to look such names up, with an error of its own."""
    require((host, 9092), ("203.0.113.7", 9092))
    with pytest.raises(OSError, match="not a host name"):
        resolve(host, 9092)
    assert resolve_all([(host, 9092), ("127.0.0.1", 9092)]) == {("127.0.0.1", 9092)}
