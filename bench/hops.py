"""Where an event's milliseconds go on the way to the client: when each of its stations has it.

What can be known without changing what is measured: plain consumers of the input and of the result topic see
what Spark and the hub see, a result's Kafka timestamp is when the sink wrote it (in whole milliseconds), and
a frame says when the hub sent it. A result names the greatest event that it holds, and is measured for that.
"""

import time
from typing import Any, Final

from confluent_kafka import Message

from bench.clients import Row, SocketClient, TopicClient
from bench.ledger import Ledger, new_histogram
from bench.results import summary
from bench.steady import PARTITIONS
from tests.support.result_topics import result_topic_of
from tests.support.system import System

STATIONS: Final = ("input", "sink", "result", "hub", "client")
_HALF_MS_US: Final = 500  # a timestamp in whole milliseconds is half of one early, on average


class _Stations:
    """Time from sending until an event was at each station."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.histograms = {name: new_histogram() for name in STATIONS}

    def seen(self, station: str, number: int, at_us: int) -> None:
        """A station has an event."""
        self.histograms[station].record_value(max(1, at_us - int(self._ledger.sent_us[number])))

    def frame(self, frame: Row, now_us: int) -> None:
        """The client got a frame."""
        for row in frame["rows"] if frame["op"] == "delta" else ():
            if row["v"] is not None:
                self.seen("hub", row["v"]["hi"], frame["at_us"])
                self.seen("client", row["v"]["hi"], now_us)


class _ResultTopic(TopicClient):
    """A result topic, with the instants at which its records were written."""

    def __init__(self, options: dict[str, Any], topic: str, stations: _Stations) -> None:
        super().__init__(
            "", topic, PARTITIONS, lambda row, now: stations.seen("result", row["hi"], now), options
        )
        self._stations = stations

    def on_record(self, record: Message, row: Row, now_us: int) -> None:
        """A record came."""
        written_us = record.timestamp()[1] * 1_000 + _HALF_MS_US
        self._stations.seen("sink", row["hi"], written_us)
        super().on_record(record, row, now_us)


def measure_hops(
    system: System, job: str, topic: str, client: SocketClient, ledger: Ledger, seconds: float
) -> dict[str, Any]:
    """Follow the events of a running job, after what else is measured of it.

    Args:
        system: that runs it.
        job: its id.
        topic: of its events.
        client: of its results.
        ledger: of its events.
        seconds: how long.

    Returns:
        By station: count and percentiles of the time since sending, in milliseconds.
    """
    stations = _Stations(ledger)
    generation = system.rest("bench", "bench").get(f"jobs/{job}")["generation"]
    result = result_topic_of(system.kafka_options, job, generation)
    readers = [
        TopicClient(
            system.bootstrap, topic, PARTITIONS, lambda row, now: stations.seen("input", row["g"], now)
        ),
        _ResultTopic(system.kafka_options, result, stations),
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        assert reader.ready.wait(30), "a topic cannot be read"
    client.on_frame = stations.frame
    time.sleep(seconds)
    client.on_frame = None
    for reader in readers:
        reader.close()
    return {name: summary(histogram) for name, histogram in stations.histograms.items()}
