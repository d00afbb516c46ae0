"""What a cluster says of itself at the first question."""

from typing import Any

import pytest
from kafka.errors import KafkaConnectionError, SaslAuthenticationFailedError

from jobs import cluster_probe
from jobs.cluster_probe import ProbeError, probe
from jobs.connections import ClusterProfile, PasswordDecryptor
from tests.support.silent_network import SilentNetwork


class _Opened:
    def close(self) -> None:
        pass


@pytest.fixture
def port_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_probe, "connect", lambda *_: _Opened())


@pytest.mark.usefixtures("port_is_open")
def test_a_brokers_own_words_are_cut_to_what_can_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """They become the state of its cluster; PostgreSQL takes no NUL, and pages show a line."""

    def refuse(*_: Any, **__: Any) -> None:
        raise SaslAuthenticationFailedError("go\0away\n" * 10_000)

    monkeypatch.setattr(cluster_probe, "_asked", refuse)
    with pytest.raises(ProbeError) as caught:
        probe(ClusterProfile(cluster_id="c1", bootstrap="127.0.0.1:1"))
    assert caught.value.reason == "user_refused"
    assert "go away go" in str(caught.value)
    assert len(str(caught.value)) == 300


@pytest.mark.usefixtures("port_is_open")
@pytest.mark.parametrize(("security", "reason"), [("SASL_PLAINTEXT", "closed"), ("PLAINTEXT", "unanswered")])
def test_a_connection_that_ends_while_a_user_signs_in_may_be_a_broker_that_restarts(
    monkeypatch: pytest.MonkeyPatch, security: str, reason: str
) -> None:
    def hang_up(*_: Any, **__: Any) -> None:
        raise KafkaConnectionError("socket disconnected")

    monkeypatch.setattr(cluster_probe, "_asked", hang_up)
    user = {"username": "ann", "password": "v1:x", "mechanism": "SCRAM-SHA-256"} if "SASL" in security else {}
    profile = ClusterProfile.model_validate(
        {"cluster_id": "c1", "bootstrap": "127.0.0.1:1", "security": security, **user}
    )
    monkeypatch.setattr(PasswordDecryptor, "password", lambda *_: "pw")
    with pytest.raises(ProbeError) as caught:
        probe(profile)
    assert caught.value.reason == reason


@pytest.mark.parametrize("bootstrap", ["many.example:9092", "many.example:9092,more.example:9092"])
def test_the_addresses_of_a_name_share_the_time(monkeypatch: pytest.MonkeyPatch, bootstrap: str) -> None:
    """A name may have hundreds of them, and its owner decides which of them answer."""
    network = SilentNetwork(monkeypatch, addresses=500)
    with pytest.raises(ProbeError) as caught:
        probe(ClusterProfile(cluster_id="c1", bootstrap=bootstrap), timeout_s=4.0)
    assert caught.value.reason == "unanswered"
    assert 3.0 < network.now <= 5.0
