"""The same deliveries by a layer of Channels: each result is sent to a group of all viewers.

Its layer is in memory, which spares it the hop to Valkey that several web processes would need.
"""

import asyncio
import json
import os
import threading
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from confluent_kafka import Consumer, TopicPartition
from django.conf import settings

GROUP = "results"
settings.configure(
    CHANNEL_LAYERS={
        "default": {
            "BACKEND": "channels.layers.InMemoryChannelLayer",
            "CONFIG": {"capacity": 100_000},  # drops nothing
        }
    }
)


class Viewer(AsyncWebsocketConsumer):
    """A viewer of all results."""

    groups = (GROUP,)

    async def result(self, event: dict[str, Any]) -> None:
        """A result, as its frame."""
        await self.send(text_data=event["text"])


def _read(loop: asyncio.AbstractEventLoop) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"],
            "group.id": "bench.group-send",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 50,
        }
    )
    topic = os.environ["BENCH_TOPIC"]
    end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=30)[1]
    consumer.assign([TopicPartition(topic, 0, end)])
    while True:
        record = consumer.poll(1.0)
        if record is None or record.error() is not None:
            continue
        key, value = record.key() or b"null", record.value() or b"null"
        row = {"k": json.loads(key), "v": json.loads(value), "t": record.timestamp()[1]}
        text = json.dumps({"op": "delta", "id": 1, "rows": [row]}, separators=(",", ":"))
        sent = get_channel_layer().group_send(GROUP, {"type": "result", "text": text})
        asyncio.run_coroutine_threadsafe(sent, loop).result()


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The ASGI application."""
    if scope["type"] == "lifespan":
        await receive()
        threading.Thread(target=_read, args=(asyncio.get_running_loop(),), daemon=True).start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
    elif scope["type"] == "websocket":
        await Viewer.as_asgi()(scope, receive, send)
