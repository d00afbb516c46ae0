"""The one way out to addresses that people give: POST to a checked address, and nowhere else.

The name is resolved once, every address it has is checked, and the connection goes to the address that was
checked: a name that means another address a moment later changes nothing. Redirects are not followed, no
proxy of the environment is used, all of it has one deadline, and answers are read to a bound in size.
"""

import http.client
import socket
import ssl
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from jobs.base.addresses import Address, is_usable, plain_address
from weir.outgoing.send_errors import SendError

TIMEOUT_S: Final = 10.0  # of each wait for the receiver
# Of one POST, from looking up the name to the end of the answer: a receiver that takes or sends a byte now
# and then would hold a worker.
MAX_SECONDS: Final = 20.0
MAX_URL: Final = 2_000
_MAX_ANSWER: Final = 4_096


class AddressError(ValueError):
    """An address that notifications may not go to. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a receiver said: its status, and after how many seconds to come again (None: it did not say).

    Its text is not kept: whoever chooses the address would read an internal service through it.
    """

    status: int
    retry_after_s: int | None

    @property
    def refusal(self) -> str:
        """What it said instead of 2xx; empty when it took what was posted."""
        if 200 <= self.status < 300:
            return ""
        if 300 <= self.status < 400:
            return f"The receiver answered {self.status}: redirects aren't followed. Enter the final address."
        return f"The receiver answered {self.status}."


def checked_url(url: str) -> SplitResult:
    """A URL that notifications may go to, as far as its text tells.

    Raises:
        AddressError: not such a URL.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressError("Not a valid URL.") from error
    if len(url) > MAX_URL or any(sign <= " " or sign > "~" for sign in url):
        raise AddressError(f"A URL has at most {MAX_URL:,} visible ASCII characters.")
    if parts.scheme not in ("https", "http") or not parts.hostname or port == 0:
        raise AddressError("Enter a URL that begins with https://.")
    if parts.scheme == "http" and not settings.PRIVATE_WEBHOOKS:
        raise AddressError("Use https://: over http, anybody on the way can read and change messages.")
    if parts.username is not None or parts.password is not None:
        raise AddressError("Remove name and password from the URL.")
    return parts


def resolved(parts: SplitResult) -> list[str]:
    """The addresses of a URL's host, if all of them are allowed.

    Raises:
        AddressError: one is not allowed, or the name is unknown: where private addresses are forbidden, the
            two are one error, because the difference would tell the names of this network.
    """
    host, port = _host_and_port(parts)
    refused = AddressError(
        f"{host} isn't allowed: it is unknown, or has a loopback, link-local, private or reserved address."
    )
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise refused from error
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    if not addresses or not all(is_allowed(plain_address(text)) for text in addresses):
        raise refused
    return addresses


def is_allowed(address: Address) -> bool:
    """Whether notifications may go to this address (`plain_address`)."""
    return is_usable(address, private_allowed=settings.PRIVATE_WEBHOOKS)


def post(url: str, body: bytes, headers: dict[str, str]) -> Answer:
    """POST a body. It takes `MAX_SECONDS` at most.

    Raises:
        SendError: the text of the URL is not allowed (permanent); or its name is unknown or leads where
            nothing may go, which a name server may tell otherwise a moment later, or nobody answered in time
            (not permanent).
    """
    try:
        parts = checked_url(url)
    except AddressError as error:
        raise SendError(str(error), permanent=True) from error
    with _Deadline(MAX_SECONDS) as deadline:
        return _posted(parts, body, headers, deadline)


def _posted(parts: SplitResult, body: bytes, headers: dict[str, str], deadline: "_Deadline") -> Answer:
    try:
        addresses = _resolved_before(deadline, parts)
    except AddressError as error:
        raise SendError(str(error), permanent=False) from error
    target = parts.path or "/"
    if parts.query:
        target += f"?{parts.query}"
    connection = _connection(parts, addresses, deadline)
    try:
        connection.request("POST", target, body, {"User-Agent": "Weir", "Connection": "close", **headers})
        answer = connection.getresponse()
        answer.read(_MAX_ANSWER)
        return Answer(answer.status, _seconds(answer.getheader("Retry-After")))
    except (OSError, http.client.HTTPException) as error:
        raise SendError(
            f"{parts.hostname} did not answer: {type(error).__name__}.", permanent=False
        ) from error
    finally:
        connection.close()


class _Deadline:
    """Breaks off what waits for a socket when the seconds are over.

    Args:
        seconds: from now.
    """

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._timer: threading.Timer | None = None
        self._watched: socket.socket | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._timer is not None and self._watched is not None:
            self._timer.cancel()
            self._timer.join()
            self._watched.close()

    def left(self) -> float:
        """Seconds until it.

        Raises:
            TimeoutError: none.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def watch(self, opened: socket.socket) -> None:
        """Break off this connection. TLS takes over the socket's descriptor, so a copy of it is held."""
        self._timer = threading.Timer(max(0.0, self._until - time.monotonic()), self._break_off)
        self._watched = opened.dup()
        self._timer.daemon = True
        self._timer.start()

    def _break_off(self) -> None:
        if self._watched is not None:
            with suppress(OSError):
                self._watched.shutdown(socket.SHUT_RDWR)


def _resolved_before(deadline: _Deadline, parts: SplitResult) -> list[str]:
    """As `resolved`. A look-up cannot be broken off, so a thread of its own waits for it, for as long as the
    system's resolver does.

    Raises:
        AddressError: as there.
        SendError: not in time.
    """
    found: Future[list[str]] = Future()

    def look_up() -> None:
        try:
            found.set_result(resolved(parts))
        except Exception as error:  # noqa: BLE001 - of whoever waits for it
            found.set_exception(error)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        return found.result(deadline.left())
    except FutureTimeoutError as error:
        raise SendError(
            f"The name {parts.hostname} could not be looked up in time.", permanent=False
        ) from error


def _connection(parts: SplitResult, addresses: list[str], deadline: _Deadline) -> http.client.HTTPConnection:
    """A connection to one of these addresses; the name is for TLS and the Host header."""
    host, port = _host_and_port(parts)  # without a port http.client looks for one in an IPv6 address
    connection: Any
    if parts.scheme == "http":
        connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    else:
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, port, timeout=TIMEOUT_S, context=context)
    # http.client opens its socket by this attribute; the address is the only thing that changes.
    connection._create_connection = lambda address, *_, **__: _open(addresses, address[1], deadline)
    return connection  # type: ignore[no-any-return]


def _host_and_port(parts: SplitResult) -> tuple[str, int]:
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _open(addresses: list[str], port: int, deadline: _Deadline) -> socket.socket:
    failed: OSError = OSError("no address")
    for address in addresses[:4]:
        timeout_s = min(TIMEOUT_S, deadline.left())
        try:
            opened = socket.create_connection((address, port), timeout=timeout_s)
        except OSError as error:
            failed = error
            continue
        opened.settimeout(TIMEOUT_S)
        deadline.watch(opened)
        return opened
    raise failed


def _seconds(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 6 else None
