"""Fills a topic as fast as it goes, with events of the kinds that sections count: a backlog.

Run as ``python -m bench.fill``, once for each partition, by `fill`.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import Producer

from bench.ledger import KEYS
from weir.embedded.layout import REPOSITORY

PARTITIONS: Final = 2
KINDS: Final[dict[str, Callable[[int, int, int], tuple[str, str]]]] = {
    # number, its event time in µs and how many keys there are → key and value
    "count": lambda number, at, keys: (
        f"k{number % keys}",
        f'{{"k":"k{number % keys}","g":{number},"sent":{at}}}',
    ),
    "six": lambda number, at, keys: (
        f"k{number % keys}",
        f'{{"id":{number},"k":"k{number % keys}","at":{at // 1000},"x":{number % 1000 - 500},'
        f'"y":{number % 977 / 4},"note":"a note of event {number % 100}"}}',
    ),
    "keyed": lambda number, at, keys: (
        f"c{number % keys:08d}",
        f'{{"k":"c{number % keys:08d}","g":{number},"sent":{at}}}',
    ),
}


def fill(
    bootstrap: str, topic: str, kind: str, count: int, begin_us: int, step_us: int = 1_000, keys: int = KEYS
) -> float:
    """Write events and wait until the broker has them; their number modulo 2 is their partition.

    Args:
        bootstrap: servers.
        topic: with two partitions.
        kind: of `KINDS`.
        count: of all events.
        begin_us: event time of the first.
        step_us: from one event's time to the next.
        keys: how many keys they have.

    Returns:
        How many seconds it took.

    Raises:
        CalledProcessError: the broker did not take them.
    """
    began = time.monotonic()
    numbers = [str(number) for number in (count, begin_us, step_us, keys)]
    command = [sys.executable, "-m", "bench.fill", bootstrap, topic, kind, *numbers]
    processes = [
        subprocess.Popen([*command, str(partition)], cwd=REPOSITORY) for partition in range(PARTITIONS)
    ]
    for process in processes:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, command)
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description="fill a partition")
    for name in ("bootstrap", "topic", "kind"):
        parser.add_argument(name)
    for name in ("count", "begin_us", "step_us", "keys", "partition"):
        parser.add_argument(name, type=int)
    options = parser.parse_args()
    settings = {"linger.ms": 50, "batch.size": 1_000_000, "compression.type": "lz4", "acks": "all"}
    producer = Producer({"bootstrap.servers": options.bootstrap, "enable.idempotence": True, **settings})
    record = KINDS[options.kind]
    for number in range(options.partition, options.count, PARTITIONS):
        key, value = record(number, options.begin_us + number * options.step_us, options.keys)
        while True:
            try:
                producer.produce(options.topic, value, key, partition=options.partition)
                break
            except BufferError:
                producer.poll(0.05)
        if number % 1_000 < PARTITIONS:
            producer.poll(0)
    if producer.flush(120):
        raise SystemExit("the broker did not take all events")


if __name__ == "__main__":
    main()
