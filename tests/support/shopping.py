"""Two streams of a shop, views and buys by user, with records as they happen."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

from confluent_kafka import Producer

from tests.support.system import System

FIELDS: Final = {
    "views": {"user": "string!", "page": "string", "at": "timestamp!"},
    "buys": {"user": "string!", "amount": "double", "at": "timestamp!"},
}
_EVERY_S: Final = 0.05


@contextmanager
def shopping(system: System, username: str, workspace: str) -> Iterator[dict[str, str]]:
    """The names of both streams, by what they are for; each gets a record every 50 ms."""
    names = {name: f"{name}_{uuid4().hex[:6]}" for name in FIELDS}
    for name, fields in FIELDS.items():
        contract: dict[str, Any] = {
            "fields": [
                {"name": field, "type": type_.rstrip("!"), "nullable": not type_.endswith("!")}
                for field, type_ in fields.items()
            ],
            "event_time": {"kind": "field", "field": "at"},
            "delay": "1s",
        }
        registered = {
            "name": names[name],
            "topic": names[name],
            "create": {"partitions": 1},
            "contract": contract,
        }
        system.rest(username, workspace).post("streams", registered)
    ended = threading.Event()
    feed = threading.Thread(target=_feed, args=(system, names, ended))
    feed.start()
    try:
        yield names
    finally:
        ended.set()
        feed.join()


def _feed(system: System, names: dict[str, str], ended: threading.Event) -> None:
    producer = Producer({"bootstrap.servers": system.bootstrap})
    number = 0
    while not ended.wait(_EVERY_S):
        record = {"user": "abc"[number % 3], "at": datetime.now(UTC).isoformat().replace("+00:00", "Z")}
        producer.produce(names["views"], json.dumps({**record, "page": f"/{number % 5}"}))
        producer.produce(names["buys"], json.dumps({**record, "amount": float(number % 50)}))
        producer.poll(0)
        number += 1
    producer.flush()
