"""When the first certificate of a cluster ends; how full its disks are is in `test_clusters.py`."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from jobs.broker_addresses import Endpoint
from jobs.connections import ClusterProfile
from tests.support.certificates import pem, private_pem, signed
from tests.support.processes import free_ports
from tests.support.silent_network import SilentNetwork
from weir.clusters.services.upkeep import MAX_S, TIMEOUT_S, _first_end

AUTHORITY, KEY = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
CA = pem(signed("ca", AUTHORITY, "ca", AUTHORITY, authority=True, ends_in=timedelta(days=900)))
Serve = Callable[[timedelta], Endpoint]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Begins a TLS server whose certificate ends in so long."""
    with ExitStack() as opened:

        def begin(ends_in: timedelta) -> Endpoint:
            certificate = signed("broker", KEY, "ca", AUTHORITY, authority=False, ends_in=ends_in)
            file = tmp_path / "chain.pem"
            file.write_text(private_pem(KEY) + pem(certificate))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(file)
            listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=answer, args=(listener, context), daemon=True).start()
            opened.callback(listener.shutdown, socket.SHUT_RDWR)
            return "127.0.0.1", listener.getsockname()[1]

        yield begin


def answer(listener: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            plain, _ = listener.accept()
        except OSError:
            return
        with suppress(OSError), context.wrap_socket(plain, server_side=True) as secured:
            secured.recv(1)


def days_left(bootstrap: list[Endpoint], brokers: list[Endpoint]) -> float | None:
    text = ",".join(f"{host}:{port}" for host, port in bootstrap)
    profile = ClusterProfile(cluster_id="c", bootstrap=text, security="SSL", ca=CA)
    ends = _first_end(profile, brokers)
    return None if ends is None else (ends - datetime.now(UTC)) / timedelta(days=1)


def test_a_certificate_that_has_ended_is_the_first_end(serve: Serve) -> None:
    expired, valid = serve(timedelta(days=-3)), serve(timedelta(days=300))
    gone = "127.0.0.1", free_ports(1)[0]
    for bootstrap in ([expired, valid], [valid, expired], [gone, expired]):
        assert days_left(bootstrap, []) == pytest.approx(-3, abs=0.01)


def test_brokers_that_are_no_bootstrap_servers_are_asked_too(serve: Serve) -> None:
    first, second = serve(timedelta(days=300)), serve(timedelta(days=5))
    assert days_left([first], [first, second]) == pytest.approx(5, abs=0.01)


def test_without_an_answer_of_every_server_the_first_end_is_not_known(serve: Serve) -> None:
    valid, gone = serve(timedelta(days=300)), ("127.0.0.1", free_ports(1)[0])
    assert days_left([valid], []) == pytest.approx(300, abs=0.01)
    assert days_left([valid, gone], []) is None
    assert days_left([valid], [gone]) is None


def test_a_server_that_nobody_trusts_says_nothing(serve: Serve) -> None:
    valid = serve(timedelta(days=300))
    stranger = ec.generate_private_key(ec.SECP256R1())
    profile = ClusterProfile(
        cluster_id="c",
        bootstrap=f"127.0.0.1:{valid[1]}",
        security="SSL",
        ca=pem(signed("other", stranger, "other", stranger, authority=True)),
    )
    assert _first_end(profile, []) is None


def test_the_addresses_of_a_name_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may have hundreds of them; the worker that waits has other clusters to ask."""
    network = SilentNetwork(monkeypatch, addresses=500)
    assert days_left([("many.example", 9092), ("more.example", 9092)], []) is None
    assert network.now <= MAX_S + TIMEOUT_S
