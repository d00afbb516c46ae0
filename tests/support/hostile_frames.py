"""Frames that a socket refuses: parser, protocol and browser tests share the list."""

import json
from typing import Any, Final

_GOOD: Final[dict[str, Any]] = {"op": "subscribe", "id": 1, "channel": "results/abc", "workspace": "ops"}


def _with(**changed: Any) -> str:
    return json.dumps({**_GOOD, **changed})


HOSTILE_FRAMES: Final = {
    "empty": "",
    "not JSON": "subscribe results",
    "half a frame": _with()[:20],
    "two values": "{} {}",
    "a number": "7",
    "an array": "[]",
    "null": "null",
    "no op": "{}",
    "unknown op": '{"op":"eval","id":1}',
    "op of another type": '{"op":["subscribe"],"id":1}',
    "no id": json.dumps({name: value for name, value in _GOOD.items() if name != "id"}),
    "a NUL in the workspace": _with(workspace="o\0ps"),
    "a NUL in the channel": _with(channel="group/home/a\0b"),
    "negative id": _with(id=-1),
    "id as text": _with(id="1"),
    "id as fraction": _with(id=1.5),
    "id as boolean": _with(id=True),
    "huge id": _with(id=10**40),
    "deep nesting": "[" * 5_000 + "]" * 5_000,
    "deep nesting in a field": '{"op":"subscribe","id":' + "[" * 5_000 + "]" * 5_000 + "}",
    "NaN": '{"op":"subscribe","id":NaN}',
    "larger than a frame may be": _with(cursor="x" * 70_000),
    "a long channel": _with(channel="results/" + "x" * 5_000),
    "a path in the channel": _with(channel="results/../../etc/passwd"),
    "an empty subject": _with(channel="results/"),
    "a wildcard": _with(channel="results/*"),
    "SQL in the channel": _with(channel="results/1' or '1'='1"),
    "line ends in the channel": _with(channel="results/a\r\nx"),
    "a null character": _with(channel="results/a\x00"),
    "look-alike letters": _with(channel="rеsults/abc"),
    "a channel of another kind": _with(channel="jobs/abc"),
    "negative interval": _with(interval_ms=-1),
    "interval of a year": _with(interval_ms=31_536_000_000),
    "limit without end": _with(limit=10**9),
    "a workspace of another type": _with(workspace={"$ne": None}),
    "lone surrogates": '{"op":"subscribe","id":1,"channel":"\\ud800","workspace":"ops"}',
}
