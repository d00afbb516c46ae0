"""Hostile WebSocket frames: an error frame or a close each; a well-behaved neighbour notices nothing."""

import json
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection

from tests.support.rest import Rest
from weir.live.requests import MAX_FRAME

pytestmark = [pytest.mark.integration, pytest.mark.chaos]


def _subscription(**fields: Any) -> str:
    """A request with these fields changed or added."""
    return json.dumps({"op": "subscribe", "id": 1, "channel": "runs", "workspace": "WS", **fields})


FRAMES = {
    "not JSON": "{",
    "nothing": "",
    "a list": "[]",
    "a number": "7",
    "null": "null",
    "deep nesting": "[" * 30_000,
    "no op": "{}",
    "unknown op": '{"op": "drop"}',
    "op of another type": '{"op": {"$gt": ""}}',
    "no channel": '{"op": "subscribe", "id": 1}',
    "unknown channel": '{"op": "subscribe", "id": 1, "channel": "secrets/1", "workspace": "WS"}',
    "path in a channel": _subscription(channel="results/../../etc/passwd"),
    "SQL in a channel": '{"op": "subscribe", "id": 1, "channel": "results/1 OR 1=1", "workspace": "WS"}',
    "unknown job": '{"op": "subscribe", "id": 1, "channel": "results/000000000000", "workspace": "WS"}',
    "foreign workspace": '{"op": "subscribe", "id": 1, "channel": "runs", "workspace": "somebody-elses"}',
    "id of another type": '{"op": "subscribe", "id": [1], "channel": "runs", "workspace": "WS"}',
    "huge id": '{"op": "subscribe", "id": 1e400, "channel": "runs", "workspace": "WS"}',
    "negative interval": _subscription(interval_ms=-1),
    "forged cursor": _subscription(channel="results/000000000000", cursor="AAAA"),
    "long cursor": _subscription(cursor="A" * 60_000),
    "NUL in a name": '{"op": "subscribe", "id": 1, "channel": "runs\\u0000", "workspace": "WS"}',
    "lone surrogate": '{"op": "subscribe", "id": 1, "channel": "\\ud800", "workspace": "WS"}',
    "unsubscribe of nothing": '{"op": "unsubscribe", "id": 99}',
    "prototype": _subscription(__proto__={"admin": True}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_hostile_frame_disturbs_nobody(rest: Rest, name: str) -> None:
    with rest.socket() as neighbour, rest.socket() as hostile:
        code = _close_code(hostile, FRAMES[name].replace("WS", rest.workspace), rest.workspace)
        assert code in (None, 1008, 1009, 4400)
        _subscribe(neighbour, rest.workspace)


@pytest.mark.parametrize("payload", [b"\x00\xff\xfe", b"{}"], ids=["octets", "JSON as octets"])
def test_binary_frames(rest: Rest, payload: bytes) -> None:
    with rest.socket() as hostile:
        assert _close_code(hostile, payload, rest.workspace) in (None, 1003, 1008, 4400)


def test_a_frame_that_is_a_little_too_long_is_answered(rest: Rest) -> None:
    with rest.socket() as socket:
        socket.send("A" * (MAX_FRAME + 1))
        assert json.loads(socket.recv(timeout=10))["code"] == "FRAME_TOO_LARGE"
        _subscribe(socket, rest.workspace)


def test_an_oversized_frame(rest: Rest) -> None:
    with rest.socket() as neighbour, rest.socket() as hostile:
        # The server reads no further: the reset that follows may overtake its close frame.
        assert _close_code(hostile, b"A" * 200_000, rest.workspace) in (1009, CloseCode.ABNORMAL_CLOSURE)
        _subscribe(neighbour, rest.workspace)


@pytest.mark.long
def test_a_flood_of_frames_disturbs_nobody(rest: Rest) -> None:
    with rest.socket() as hostile, rest.socket() as neighbour:
        with suppress(ConnectionClosed):
            for number in range(10_000):
                hostile.send(_subscription(id=number, workspace=rest.workspace))
        _subscribe(neighbour, rest.workspace)


def _close_code(socket: ClientConnection, frame: str | bytes, workspace: str) -> int | None:
    """Send a frame; the code of the close that it led to, or None when the connection still serves."""
    try:
        socket.send(frame)
        _subscribe(socket, workspace)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else CloseCode.ABNORMAL_CLOSURE
    return None


def _subscribe(socket: ClientConnection, workspace: str) -> None:
    socket.send(json.dumps({"op": "subscribe", "id": 424242, "channel": "runs", "workspace": workspace}))
    while True:
        frame = json.loads(socket.recv(timeout=20))
        if frame.get("id") == 424242 and frame["op"] == "subscribed":
            return
