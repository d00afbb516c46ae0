"""A steady producer: one event at a time, each with the instant it was sent, which also goes into the ledger.

Run as ``python -m bench.load --bootstrap … --topic … --rate 1000 --ledger FILE``; SIGTERM ends it after a
flush.
"""

import argparse
import json
import signal
import time
from pathlib import Path

from confluent_kafka import KafkaError, Producer

from bench.ledger import KEYS, Ledger

_STOP = False


def _stop(*_: object) -> None:
    global _STOP
    _STOP = True


def main() -> None:
    parser = argparse.ArgumentParser(description="steady load")
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--rate", type=float, required=True, help="events per second")
    parser.add_argument("--ledger", type=Path, required=True)
    parser.add_argument("--partitions", type=int, default=2)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    send(options.bootstrap, options.topic, options.rate, Ledger(options.ledger), options.partitions)


def send(bootstrap: str, topic: str, rate: float, ledger: Ledger, partitions: int) -> None:
    """Send events number 0, 1, 2, … at a fixed pace until SIGTERM.

    Args:
        bootstrap: servers.
        topic: with at least `partitions` partitions; a key's events go to partition key mod `partitions`.
        rate: events per second, counted from the first event: a delayed event does not delay the next.
        ledger: gets every instant of sending, in µs.
        partitions: how many to spread over.

    Raises:
        SystemExit: the broker did not take all of them, so that the ledger is wrong.
    """
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "linger.ms": 0,
            "acks": "all",
            "enable.idempotence": True,  # a broker that is killed must not make the load double its events
            "queue.buffering.max.messages": 2_000_000,
        }
    )
    refused: list[KafkaError] = []
    began = time.monotonic()
    number = 0
    while not _STOP:
        due = began + number / rate
        wait = due - time.monotonic()
        if wait > 0:
            producer.poll(0)
            time.sleep(wait)
        now = time.time_ns() // 1000
        key = number % KEYS
        ledger.sent_us[number] = now
        value = json.dumps({"k": f"k{key}", "g": number, "sent": now}).encode()
        producer.produce(
            topic,
            value,
            f"k{key}".encode(),
            partition=key % partitions,
            timestamp=now // 1000,
            on_delivery=lambda error, _: refused.append(error) if error is not None else None,
        )
        number += 1
    unsent = producer.flush(60)
    if refused or unsent:
        raise SystemExit(f"{len(refused) + unsent} events were not written: {refused[:1]}")


if __name__ == "__main__":
    main()
