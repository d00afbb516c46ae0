"""Who receives results: a WebSocket client of Weir, and a plain Kafka consumer for the peers.

The peers' client reads their result topic directly, which leaves out the hop to a browser: that favours them.
"""

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, Message, TopicPartition
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection

Row = dict[str, Any]
OnRow = Callable[[Row, int], None]  # the row's value and the instant of its arrival in µs

RECONNECT_SECONDS = 0.05


class RefusedError(Exception):
    """The server answered with an error."""


class Client(threading.Thread):
    """Calls `on_row` for every result as it arrives, until closed. `close` raises an error of the thread."""

    def __init__(self, on_row: OnRow) -> None:
        super().__init__(daemon=True)
        self.on_row = on_row
        self.ready = threading.Event()
        self._done = threading.Event()
        self._error: Exception | None = None

    def run(self) -> None:
        """Read until closed."""
        try:
            self.read()
        except (ConnectionClosed, RefusedError) as error:
            if not self._done.is_set():
                self._error = error

    def read(self) -> None:
        """Read results until `_done` is set."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop reading.

        Raises:
            ConnectionClosed: the connection ended before.
            RefusedError: the server refused before.
        """
        self._done.set()
        self.join(15)
        if self._error is not None:
            raise self._error


class SocketClient(Client):
    """Subscribes to a job's results at `/ws/live`, with interval 0 by default."""

    def __init__(
        self,
        open_socket: Callable[[], ClientConnection],
        workspace: str,
        job_id: str,
        on_row: OnRow,
        interval_ms: int = 0,
    ) -> None:
        super().__init__(on_row)
        self._socket = open_socket()
        self._subscription = {
            "op": "subscribe", "id": 1, "channel": f"results/{job_id}", "workspace": workspace,
            "interval_ms": interval_ms,
        }  # fmt: skip
        self.cursor: str | None = None
        self.on_frame: OnRow | None = None  # gets snapshots and deltas whole, before their rows
        self.conflated = 0
        self.states: list[tuple[int, str]] = []
        self.gaps: list[str] = []

    def read(self) -> None:
        """Read frames; rows of snapshots and deltas count alike."""
        self._read_from(self._socket)

    def _read_from(self, opened: ClientConnection) -> None:
        with opened as socket:
            socket.send(json.dumps({**self._subscription, "cursor": self.cursor}))
            while not self._done.is_set():
                try:
                    text = socket.recv(timeout=0.5)
                except TimeoutError:
                    continue
                self._frame(json.loads(text), time.time_ns() // 1000)

    def _frame(self, frame: Row, now_us: int) -> None:
        self.cursor = frame.get("cursor") or self.cursor
        match frame["op"]:
            case "snapshot" | "delta":
                if self.on_frame is not None:
                    self.on_frame(frame, now_us)
                self.conflated += frame.get("conflated", 0)
                for row in frame["rows"]:
                    if row["v"] is not None:
                        self.on_row(row["v"], now_us)
            case "subscribed":
                self.ready.set()
            case "status":
                self.states.append((now_us, frame["observed"]))
            case "gap":
                self.gaps.append(frame["reason"])
            case "error":
                raise RefusedError(f"the server refused: {frame}")


class ResumingClient(SocketClient):
    """Connects again when its connection ends, and goes on from its last cursor, as the interface does."""

    def __init__(
        self,
        open_socket: Callable[[], ClientConnection],
        workspace: str,
        job_id: str,
        on_row: OnRow,
    ) -> None:
        super().__init__(open_socket, workspace, job_id, on_row)
        self._open_socket = open_socket
        self.connections = 1

    def read(self) -> None:
        """Read frames over as many connections as it takes."""
        opened: ClientConnection | None = self._socket
        while not self._done.is_set():
            if opened is not None:
                try:
                    self._read_from(opened)
                except (ConnectionClosed, RefusedError):
                    opened = None
                continue
            try:
                opened = self._open_socket()
                self.connections += 1
            except (OSError, WebSocketException):  # nobody listens yet
                self._done.wait(RECONNECT_SECONDS)


class TopicClient(Client):
    """Reads a topic from its end on, with the least waiting that a consumer can be set to.

    Args:
        bootstrap: servers.
        topic: whose values are rows as JSON.
        partitions: how many it has.
        on_row: called for each.
        options: of the consumer, instead of `bootstrap`.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        on_row: OnRow,
        options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(on_row)
        self._consumer = Consumer({
            **(options or {"bootstrap.servers": bootstrap}), "group.id": "bench.client",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 20, "fetch.queue.backoff.ms": 1, "auto.offset.reset": "latest",
        })  # fmt: skip
        self._topic, self._partitions = topic, partitions

    def read(self) -> None:
        """Read records, whose values are rows as JSON."""
        starts = []
        for partition in range(self._partitions):
            _, end = self._consumer.get_watermark_offsets(TopicPartition(self._topic, partition), timeout=10)
            starts.append(TopicPartition(self._topic, partition, end))
        self._consumer.assign(starts)
        self.ready.set()
        while not self._done.is_set():
            record = self._consumer.poll(0.2)
            if record is None or record.error() is not None:
                continue
            value = record.value()
            if value is not None:
                self.on_record(record, json.loads(value), time.time_ns() // 1000)
        self._consumer.close()

    def on_record(self, record: Message, row: Row, now_us: int) -> None:  # noqa: ARG002 - for subclasses
        """A record with a value arrived."""
        self.on_row(row, now_us)
