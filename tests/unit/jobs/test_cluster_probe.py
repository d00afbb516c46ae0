"""What a cluster says of itself at the first question."""

import socket
from typing import Any

import pytest
from kafka.errors import KafkaConnectionError, SaslAuthenticationFailedError

from jobs import cluster_probe
from jobs.cluster_probe import ProbeError, probe
from jobs.connections import ClusterProfile, PasswordDecryptor


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


@pytest.mark.parametrize(("security", "reason"), [("SASL_PLAINTEXT", "closed"), ("PLAINTEXT", "unanswered")])
def test_a_connection_that_ends_while_a_user_signs_in_may_be_a_broker_that_restarts(
    monkeypatch: pytest.MonkeyPatch, security: str, reason: str
) -> None:
    def hang_up(*_: Any, **__: Any) -> None:
        raise KafkaConnectionError("socket disconnected")

    monkeypatch.setattr(cluster_probe.socket, "create_connection", lambda *_: socket.socket())
    monkeypatch.setattr(cluster_probe, "_asked", hang_up)
    user = {"username": "ann", "password": "v1:x", "mechanism": "SCRAM-SHA-256"} if "SASL" in security else {}
    profile = ClusterProfile.model_validate(
        {"cluster_id": "c1", "bootstrap": "b:1", "security": security, **user}
    )
    monkeypatch.setattr(PasswordDecryptor, "password", lambda *_: "pw")
    with pytest.raises(ProbeError) as caught:
        probe(profile)
    assert caught.value.reason == reason
