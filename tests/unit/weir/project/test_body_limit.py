"""Request bodies are bounded, whether their length is said or not."""

import json
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from weir.project import body_limit
from weir.project.body_limit import BodyLimit


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


async def _ask(parts: list[bytes], headers: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    caller = ApplicationCommunicator(
        BodyLimit(_echo, most=10), {"type": "http", "method": "POST", "path": "/", "headers": headers}
    )
    for at, part in enumerate(parts):
        await caller.send_input({"type": "http.request", "body": part, "more_body": at < len(parts) - 1})
    start = await caller.receive_output(2)
    body = await caller.receive_output(2)
    return start["status"], body["body"]


async def test_what_fits_passes() -> None:
    assert await _ask([b"12345", b"67890"], []) == (200, b"10")


@pytest.mark.parametrize(
    ("parts", "headers"),
    [
        ([b""], [(b"content-length", b"11")]),
        ([b""], [(b"content-length", b"-1")]),
        ([b"123456", b"78901"], []),
        ([b"1" * 11, b"2"], []),
    ],
)
async def test_what_does_not_is_refused(parts: list[bytes], headers: list[tuple[bytes, bytes]]) -> None:
    status, body = await _ask(parts, headers)
    assert status == 413
    assert json.loads(body)["code"] == "TOO_LARGE"


@pytest.mark.parametrize("said", [[(b"content-length", b"30")], []])
async def test_the_answer_comes_when_all_was_sent(said: list[tuple[bytes, bytes]]) -> None:
    """A client that still sends would get a reset instead."""
    caller = ApplicationCommunicator(
        BodyLimit(_echo, most=10), {"type": "http", "method": "POST", "path": "/", "headers": said}
    )
    for _ in range(2):
        await caller.send_input({"type": "http.request", "body": b"1" * 15, "more_body": True})
    assert await caller.receive_nothing(0.1)
    await caller.send_input({"type": "http.request", "body": b"", "more_body": False})
    assert (await caller.receive_output(2))["status"] == 413


async def test_a_body_without_end_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "MAX_DISCARDED", 100)
    caller = ApplicationCommunicator(
        BodyLimit(_echo, most=10),
        {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-length", b"1000")]},
    )
    for _ in range(10):
        await caller.send_input({"type": "http.request", "body": b"1" * 10, "more_body": True})
    assert (await caller.receive_output(2))["status"] == 413


async def test_a_client_that_stops_sending_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "DISCARD_TIMEOUT_S", 0.01)
    caller = ApplicationCommunicator(
        BodyLimit(_echo, most=10),
        {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-length", b"1000")]},
    )
    assert (await caller.receive_output(2))["status"] == 413
