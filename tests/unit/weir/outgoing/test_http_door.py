"""Addresses that notifications may not be led to."""

import socket
import threading
import time
from contextlib import closing, suppress
from typing import Any

import pytest
from pytest_django import Settings

from jobs.base.addresses import plain_address
from tests.support.receivers import http_receiver
from weir.outgoing import http_door
from weir.outgoing.http_door import AddressError, checked_url, is_allowed, post, resolved
from weir.outgoing.send_errors import SendError

FORBIDDEN = (
    "127.0.0.1",
    "127.9.9.9",
    "::1",
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "224.0.0.1",
    "ff02::1",
    "240.0.0.1",
    "255.255.255.255",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:0001::",
    "192.0.2.1",
    "198.18.0.1",
)


@pytest.mark.parametrize("text", FORBIDDEN)
def test_forbidden(settings: Settings, text: str) -> None:
    settings.PRIVATE_WEBHOOKS = False
    assert not is_allowed(plain_address(text))


@pytest.mark.parametrize("text", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"])
def test_public(settings: Settings, text: str) -> None:
    settings.PRIVATE_WEBHOOKS = False
    assert is_allowed(plain_address(text))


@pytest.mark.parametrize(
    "text", ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "224.0.0.1", "0.0.0.0"]
)
def test_link_local_is_forbidden_even_where_private_is_not(settings: Settings, text: str) -> None:
    settings.PRIVATE_WEBHOOKS = True
    assert not is_allowed(plain_address(text))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com",
        "http://example.com",
        "https://",
        "https://a:b@example.com/",
        "https://example.com:0/",
        "https://example.com:99999/",
        "https://exa mple.com/",
        "https://example.com/\r\nHost: x",
        "//example.com/",
        "https://ex\u00e4mple.com/",
        "file:///etc/passwd",
        "https://[::1",
        "",
    ],
)
def test_urls_that_are_refused_by_their_text(settings: Settings, url: str) -> None:
    settings.PRIVATE_WEBHOOKS = False
    with pytest.raises(AddressError):
        checked_url(url)


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f.1", "017700000001", "localhost", "[::ffff:7f00:1]"]
)
def test_other_ways_to_write_loopback(settings: Settings, host: str) -> None:
    settings.PRIVATE_WEBHOOKS = False
    with pytest.raises(AddressError):
        resolved(checked_url(f"https://{host}/"))


@pytest.mark.parametrize("host", ["2606:4700:4700::1111", "2606:4700:4700::ab"])
def test_an_ipv6_address_without_a_port(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """Its last group is no port."""
    settings.PRIVATE_WEBHOOKS = False
    tried: list[tuple[str, int]] = []

    def refuse(address: tuple[str, int], **_: object) -> None:
        tried.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(http_door.socket, "create_connection", refuse)
    with pytest.raises(SendError):
        post(f"https://[{host}]/hook", b"{}", {})
    assert tried == [(host, 443)]


def test_one_forbidden_address_of_several_is_enough(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRIVATE_WEBHOOKS = False
    found = [(0, 0, 0, "", (text, 443)) for text in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(http_door.socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(AddressError):
        resolved(checked_url("https://two.example/"))


def test_the_connection_goes_to_the_address_that_was_checked(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that means another address a moment later (DNS rebinding): it is resolved once."""
    settings.PRIVATE_WEBHOOKS = True
    asked: list[str] = []
    with http_receiver() as receiver:
        real = socket.getaddrinfo

        def rebinding(host: str, *more: Any, **named: Any) -> Any:
            if host != "rebinding.example":
                return real(host, *more, **named)
            asked.append(host)
            return real("127.0.0.1" if len(asked) == 1 else "192.0.2.1", *more, **named)

        monkeypatch.setattr(http_door.socket, "getaddrinfo", rebinding)
        answer = post(f"http://rebinding.example:{receiver.port}/a", b"{}", {})
        assert answer.status == 200
        ((_, headers, _),) = receiver.requests
    assert asked == ["rebinding.example"]
    assert headers["Host"] == f"rebinding.example:{receiver.port}"


def test_nobody_there_is_no_permanent_error(settings: Settings) -> None:
    settings.PRIVATE_WEBHOOKS = True
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(SendError) as caught:
            post(f"http://127.0.0.1:{free.getsockname()[1]}/", b"{}", {})
    assert not caught.value.permanent


def test_an_unknown_name_and_a_forbidden_one_are_one_error(settings: Settings) -> None:
    settings.PRIVATE_WEBHOOKS = False
    texts = set()
    for host in ("unknown.invalid", "localhost"):
        with pytest.raises(SendError) as caught:
            post(f"https://{host}/", b"{}", {})
        texts.add(str(caught.value).replace(host, "…"))
        assert not caught.value.permanent, "a name server may be away for a moment"
    assert len(texts) == 1


def test_a_url_that_is_refused_by_its_text_is_a_permanent_error(settings: Settings) -> None:
    settings.PRIVATE_WEBHOOKS = False
    with pytest.raises(SendError) as caught:
        post("http://hooks.example.com/x", b"{}", {})
    assert caught.value.permanent


def test_a_receiver_that_answers_byte_by_byte_is_broken_off(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    monkeypatch.setattr(http_door, "MAX_SECONDS", 0.5)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def drip() -> None:
            opened, _ = server.accept()
            with opened, suppress(OSError):
                opened.sendall(b"HTTP/1.1 2")
                while True:
                    opened.sendall(b"x")
                    time.sleep(0.02)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        with pytest.raises(SendError) as raised:
            post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {})
        assert not raised.value.permanent
        thread.join(60)
        assert not thread.is_alive()


def _posted_to(server: socket.socket, scheme: str) -> SendError:
    port = server.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(SendError) as raised:
        post(f"{scheme}://127.0.0.1:{port}/", b"x" * 50_000_000, {})
    assert not raised.value.permanent
    assert time.monotonic() - began < 5.0
    return raised.value


def test_a_receiver_that_takes_a_body_slowly_is_broken_off(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    monkeypatch.setattr(http_door, "MAX_SECONDS", 0.5)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def sip() -> None:
            opened, _ = server.accept()
            with opened, suppress(OSError):
                while opened.recv(10):
                    time.sleep(0.02)

        threading.Thread(target=sip, daemon=True).start()
        _posted_to(server, "http")


def test_a_tls_handshake_byte_by_byte_is_broken_off(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The beginning of an answer that never ends: each byte is in time for the socket's own timeout."""
    settings.PRIVATE_WEBHOOKS = True
    monkeypatch.setattr(http_door, "MAX_SECONDS", 0.5)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def greet() -> None:
            opened, _ = server.accept()
            with opened, suppress(OSError):
                opened.sendall(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")
                while True:
                    opened.sendall(b"\x03")
                    time.sleep(0.02)

        threading.Thread(target=greet, daemon=True).start()
        _posted_to(server, "https")


def test_a_name_that_is_looked_up_for_long_is_given_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    monkeypatch.setattr(http_door, "MAX_SECONDS", 0.2)
    answered = threading.Event()
    monkeypatch.setattr(http_door.socket, "getaddrinfo", lambda *_, **__: answered.wait(30) and [])
    began = time.monotonic()
    with pytest.raises(SendError, match=r"slow\.example could not be looked up in time") as raised:
        post("http://slow.example/", b"{}", {})
    answered.set()
    assert not raised.value.permanent
    assert time.monotonic() - began < 5.0


def test_addresses_that_do_not_answer_share_the_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRIVATE_WEBHOOKS = True
    monkeypatch.setattr(http_door, "MAX_SECONDS", 0.4)
    waited: list[float] = []

    def silent(_: object, timeout: float) -> None:
        waited.append(timeout)
        time.sleep(0.3)
        raise TimeoutError

    monkeypatch.setattr(http_door, "resolved", lambda _: ["127.0.0.1"] * 4)
    monkeypatch.setattr(http_door.socket, "create_connection", silent)
    with pytest.raises(SendError):
        post("http://silent.example/", b"{}", {})
    assert len(waited) == 2
    assert max(waited) <= 0.4
