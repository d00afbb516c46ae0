"""The Origin of a WebSocket handshake: scheme, host and port are those of the address that was
asked, or of a trusted one.
"""

import pytest
from pytest_django import Settings

from weir.project.websocket_auth import is_own_origin


def own(origin: str, host: str = "localhost:8400", scheme: str = "ws", forwarded: str = "") -> bool:
    return is_own_origin(origin, {b"host": host, b"x-forwarded-proto": forwarded}, scheme)


@pytest.mark.parametrize(
    ("origin", "host", "scheme"),
    [
        ("http://localhost:8400", "localhost:8400", "ws"),
        ("http://LOCALHOST:8400", "localhost:8400", "ws"),
        ("http://127.0.0.1:8400", "127.0.0.1:8400", "ws"),
        ("http://[::1]:8400", "[::1]:8400", "ws"),
        ("http://localhost", "localhost", "ws"),
        ("http://localhost:80", "localhost", "ws"),
        ("https://localhost", "localhost:443", "wss"),
    ],
)
def test_our_own(origin: str, host: str, scheme: str) -> None:
    assert own(origin, host, scheme)


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:9999",  # another program on the same machine
        "http://localhost",
        "https://localhost:8400",
        "ws://localhost:8400",
        "http://localhost.:8400",
        "http://localhost:8400.evil.example",
        "http://localhost:8400@evil.example",
        "http://evil@localhost:8400",
        "http://localhost:8400/x",
        "http://127.0.0.1:8400",
        "http://evil.example:8400",
        "http://localhost:84000000",
        "http://[::1",
        "null",
        "",
        "file://",
    ],
)
def test_foreign(origin: str) -> None:
    assert not own(origin)


def test_a_host_that_is_not_ours_is_no_origin(settings: Settings) -> None:
    assert not own("http://evil.example:8400", "evil.example:8400")
    settings.ALLOWED_HOSTS = [".example"]
    assert own("http://evil.example:8400", "evil.example:8400")


@pytest.mark.parametrize(
    ("origin", "ours"),
    [("https://weir.example", True), ("http://weir.example", False), ("https://weir.example:8443", False)],
)
def test_behind_a_proxy_that_ends_tls(settings: Settings, origin: str, ours: bool) -> None:
    settings.ALLOWED_HOSTS = ["weir.example"]
    assert not own(origin, "weir.example", forwarded="https") or origin.startswith("http://"), (
        "the header is not believed without the setting"
    )
    settings.BEHIND_TLS = True
    assert own(origin, "weir.example", forwarded="https") == ours


def test_without_the_header_a_proxy_is_not_tls(settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.BEHIND_TLS = ["weir.example"], True
    assert not own("https://weir.example", "weir.example", scheme="wss")


@pytest.mark.parametrize(
    ("origin", "ours"),
    [
        ("https://weir.example:8443", True),
        ("https://weir.example", False),
        ("https://a.trusted.example", True),
        ("https://trusted.example", False),
        ("https://eviltrusted.example", False),
        ("http://a.trusted.example", False),
    ],
)
def test_trusted_origins(settings: Settings, origin: str, ours: bool) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://weir.example:8443", "https://*.trusted.example"]
    assert own(origin) == ours
