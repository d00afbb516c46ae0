"""Sends the flights to Kafka in order of scheduled departure, at a multiple of real time, keyed by origin."""

import argparse
import json
import uuid
from collections.abc import Iterator

from confluent_kafka import Consumer, TopicPartition

from examples.feed import Due, Feed
from examples.flights.source import Flight, flights
from examples.kafka import add_bootstrap, client_options


def due(source: Iterator[Flight], speed_up: float) -> Iterator[Due]:
    """Each flight at its scheduled departure, relative to the first and divided by `speed_up`; 0: at once."""
    start = None
    for flight in source:
        start = start or flight.scheduled
        at = (flight.scheduled - start).total_seconds() / speed_up if speed_up > 0 else 0.0
        yield Due(at, flight.origin.encode(), flight.value)


def next_number(bootstrap: str, topic: str) -> int:
    """The number after the greatest among the newest records of the topic's partitions.

    0 where there are none.

    A feed that began again in January would send nothing but late rows to a job that has seen June.
    """
    consumer = Consumer(
        {
            **client_options(bootstrap),
            "group.id": f"flights-loader-{uuid.uuid4()}",
            "enable.auto.commit": False,
        }
    )
    try:
        newest = []
        for partition in consumer.list_topics(topic, timeout=30).topics[topic].partitions:
            low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)
            if high > low:
                newest.append(TopicPartition(topic, partition, high - 1))
        numbers = []
        for position in newest:
            consumer.assign([position])
            message = consumer.poll(30)
            if message is not None and message.error() is None:
                numbers.append(int(json.loads(message.value() or b"")["number"]))
    finally:
        consumer.close()
    return max(numbers, default=-1) + 1


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_bootstrap(parser)
    parser.add_argument("--topic", default="flights")
    parser.add_argument(
        "--speed-up",
        type=float,
        default=3600,
        help="how many times faster than 2013 was; 0: as fast as the broker takes them",
    )
    parser.add_argument(
        "--passes", type=int, default=0, help="end after so many times through the file; 0: never"
    )
    options = parser.parse_args()
    feed = Feed(options.bootstrap, options.topic)
    feed.stop_on_signals()
    first = next_number(options.bootstrap, options.topic)
    print(f"flights from number {first:,} on, {options.speed_up:g} times as fast as they were", flush=True)
    sent = feed.send(due(flights(first, options.passes), options.speed_up))
    print(f"{sent:,} flights sent", flush=True)


if __name__ == "__main__":
    main()
