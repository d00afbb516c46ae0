"""What a cluster says of itself at the first question."""

import socket
from typing import Any

import pytest
from kafka.errors import SaslAuthenticationFailedError

from jobs import cluster_probe
from jobs.cluster_probe import ProbeError, probe
from jobs.connections import ClusterProfile


def test_a_brokers_own_words_are_cut_to_what_can_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """They become the state of its cluster; PostgreSQL takes no NUL, and pages show a line."""

    def refuse(*_: Any, **__: Any) -> None:
        raise SaslAuthenticationFailedError("go\0away\n" * 10_000)

    monkeypatch.setattr(cluster_probe.socket, "create_connection", lambda *_: socket.socket())
    monkeypatch.setattr(cluster_probe, "_asked", refuse)
    with pytest.raises(ProbeError) as caught:
        probe(ClusterProfile(cluster_id="c1", bootstrap="b:1"))
    assert caught.value.reason == "user_refused"
    assert "go away go" in str(caught.value)
    assert len(str(caught.value)) == 300
