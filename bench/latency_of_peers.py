"""P2 for the peers: event → first result that holds it, at a consumer of their result topic."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from bench.clients import TopicClient
from bench.ledger import Latencies
from bench.peers.processes import Peer, streams_latency, tutorial
from bench.results import summary
from bench.steady import PARTITIONS, Load, create_topics
from bench.usage import Strangers


def measure_peer(
    bootstrap: str,
    data: Path,
    name: str,
    folder: Path,
    rate: float,
    warm_seconds: float,
    seconds: float,
    table: str = "",
    on_row: Callable[[dict[str, Any]], int] = lambda row: int(row["hi"]),
) -> tuple[dict[str, Any], HdrHistogram]:
    """Run one peer under load and measure it.

    Args:
        bootstrap: servers.
        data: the data folder of the system whose broker it is.
        name: streams, microbatch, or join (Kafka Streams with a table).
        folder: for its files, new.
        rate: events per second.
        warm_seconds: from its first result to the first event that counts.
        seconds: how long to measure.
        table: topic of the table that it joins.
        on_row: called for every result row; the number of the greatest event in it.

    Returns:
        Numbers for the report, and the histogram.
    """
    source, target = f"bench.{name}.in", f"bench.{name}.out"
    create_topics(bootstrap, source, target)
    peer = _peer(name, bootstrap, source, target, folder, table)
    with Load(bootstrap, source, rate, folder) as load:
        latencies = Latencies(load.ledger)
        client = TopicClient(
            bootstrap, target, PARTITIONS, lambda row, now: latencies.result(on_row(row), now)
        )
        client.start()
        assert client.ready.wait(30), "the result topic cannot be read"
        peer.start()
        try:
            wait_for_first(latencies, peer)
            time.sleep(warm_seconds)
            strangers = Strangers(data)
            latencies.recording = True
            time.sleep(seconds)
            latencies.recording = False
            stranger_cores = strangers.cores()
            peer.check()
        finally:
            peer.stop()
            client.close()
    numbers = {
        "settings": peer.settings,
        "strangers": stranger_cores,
        "results": latencies.results,
        "latency_ms": summary(latencies.histogram),
    }
    return numbers, latencies.histogram


def wait_for_first(latencies: Latencies, peer: Peer, deadline_seconds: float = 300) -> None:
    """Wait for a peer's first result.

    Raises:
        RuntimeError: it ended, or gave none before the deadline.
    """
    end = time.monotonic() + deadline_seconds
    while latencies.greatest_seen() < 0:
        peer.check()
        if time.monotonic() > end:
            raise RuntimeError(f"{peer.name} gave no result within {deadline_seconds} s")
        time.sleep(0.02)


def _peer(name: str, bootstrap: str, source: str, target: str, folder: Path, table: str) -> Peer:
    if name == "microbatch":
        return tutorial(bootstrap, source, target, folder / name, PARTITIONS, "0 seconds")
    return streams_latency(bootstrap, source, table, target, folder / name, PARTITIONS)
