"""P6: many people watch results. One web process on a real broker; results are written as engines write them.

Beside it the way of Channels' own documentation: `group_send` to all viewers (`bench/peers/group_send.py`).
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

import requests
from confluent_kafka import Producer

from bench.trials import Trials
from bench.usage import Strangers, cpu_below, memory, with_children
from bench.viewers import Viewer, Viewing
from jobs.kafka_messages import ASKS_TOPIC, REPORTS_TOPIC, RUNS_TOPIC
from tests.support.kafka_node import KafkaServer
from tests.support.processes import ServerProcess, free_ports, wait_until
from tests.support.valkey_node import ValkeyServer
from tests.support.web_processes import WebProcesses
from weir.embedded.layout import REPOSITORY

WORKSPACE: Final = "bench"
PER_PERSON: Final = 25  # connections; a person may have 30
RATE: Final = 5.0  # results per second of each job
KEYS: Final = 10
SETTLE_S: Final = 5.0
LARGE: Final = 8_000  # bytes of a result, so that what is not read soon fills the kernel's buffers


def measure(folder: Path, viewers: int, seconds: int) -> dict[str, Any]:
    """Deliveries per core, latency and memory: one job, fifty jobs, a tenth that stops reading; and the peer.

    Args:
        folder: for data and logs, new.
        viewers: how many connections.
        seconds: how long each is measured.
    """
    strangers, parts = Strangers(folder), Trials()
    found: dict[str, dict[str, Any]] = {}
    kafka, valkey = KafkaServer(folder / "kafka"), ValkeyServer(folder / "valkey")
    kafka.start()
    valkey.start()
    try:
        for topic in (RUNS_TOPIC, REPORTS_TOPIC, ASKS_TOPIC):
            kafka.create_topic(topic)
        shapes: dict[str, dict[str, Any]] = {
            "one job": {"jobs": 1},
            "one job, 4 times the results": {"jobs": 1, "rate": 4 * RATE},
            "fifty jobs": {"jobs": 50},
            "a tenth stops reading, large results": {"jobs": 1, "size": LARGE, "stalled": viewers // 10},
        }
        measured: dict[str, Callable[[], dict[str, Any]]] = {
            name: partial(_ours, folder / str(number), kafka, valkey, viewers, seconds, **shape)
            for number, (name, shape) in enumerate(shapes.items())
        }
        measured["group_send, one job"] = partial(_peer, folder / "peer", kafka, viewers, seconds)
        for name, part in measured.items():
            one = parts.run(name, part)
            if one is not None:
                found[name] = one
            print(f"P6 {name}: {one}", flush=True)
    finally:
        valkey.stop()
        kafka.stop()
    return {
        "viewers": viewers,
        "seconds": seconds,
        "rate": RATE,
        "strangers": strangers.cores(),
        "shapes": found,
        "failed": parts.end(),
    }


def _ours(
    folder: Path,
    kafka: KafkaServer,
    valkey: ValkeyServer,
    viewers: int,
    seconds: int,
    jobs: int,
    rate: float = RATE,
    size: int = 0,
    stalled: int = 0,
) -> dict[str, Any]:
    topics = {f"weir.results.bench{folder.name}x{number}.1": "" for number in range(jobs)}
    for topic in topics:
        kafka.create_topic(topic, 1, {"cleanup.policy": "compact,delete", "retention.ms": "-1"})
        topics[topic] = kafka.topic_id(topic)
    settings = {"KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap}
    web = WebProcesses(folder, valkey.url, 1, settings)
    web.start()
    try:
        people = -(-viewers // PER_PERSON)
        code = f"from bench.viewed_jobs import make; print(make({WORKSPACE!r}, {topics!r}, {people}))"
        made = json.loads(web.manage("shell", "-v", "0", "-c", code).splitlines()[-1])
        watched = [
            Viewer(cookie, _subscription(job), number < stalled)
            for number, cookie, job in zip(
                range(viewers), cycle(made["cookies"]), cycle(made["jobs"].values()), strict=False
            )
        ]
        (pid,) = web.pids
        viewing = Viewing(int(web.addresses[0].rpartition(":")[2]), "/ws/live", watched, SETTLE_S, seconds)
        return _view(viewing, kafka.bootstrap, list(topics), rate, size, pid)
    finally:
        web.stop()


def _peer(folder: Path, kafka: KafkaServer, viewers: int, seconds: int) -> dict[str, Any]:
    folder.mkdir(parents=True)
    topic = "bench.group-send"
    kafka.create_topic(topic)
    (port,) = free_ports(1)
    variables = {
        "KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap,
        "BENCH_TOPIC": topic,
        "PYTHONPATH": str(REPOSITORY),
    }
    command = [
        "env",
        *(f"{name}={value}" for name, value in variables.items()),
        sys.executable,
        "-m",
        "uvicorn",
    ]
    command += ["bench.peers.group_send:application", "--port", str(port), "--log-level", "warning"]
    process = ServerProcess(command, folder / "peer.log")
    process.start()
    try:
        wait_until(lambda: _listens(port), 60, f"the peer listens; see {process.log}")
        viewing = Viewing(port, "/", [Viewer("", "")] * viewers, SETTLE_S, seconds)
        return _view(viewing, kafka.bootstrap, [topic], RATE, 0, process.pid)
    finally:
        process.stop()


def _listens(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/", timeout=5).status_code > 0
    except requests.RequestException as error:
        return "refused" not in str(error)


def _subscription(job_id: str) -> str:
    return json.dumps(
        {
            "op": "subscribe",
            "id": 1,
            "channel": f"results/{job_id}",
            "workspace": WORKSPACE,
            "cursor": None,
            "interval_ms": 0,
        }
    )


def _view(
    viewing: Viewing, bootstrap: str, topics: list[str], rate: float, size: int, pid: int
) -> dict[str, Any]:
    """Let viewers watch what is written, and measure the server's process meanwhile."""
    viewers = subprocess.Popen(
        [sys.executable, "-m", "bench.viewers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(REPOSITORY / "platform"), str(REPOSITORY)])},
    )
    assert viewers.stdin is not None
    assert viewers.stdout is not None
    with viewers, _written(bootstrap, topics, rate, size):
        viewers.stdin.write(json.dumps(asdict(viewing)) + "\n")
        viewers.stdin.flush()
        assert viewers.stdout.readline() == "ready\n", "the viewers did not get so far"
        time.sleep(viewing.settle_seconds)
        used, began, first = cpu_below(pid), time.monotonic(), memory(with_children(pid))
        viewed: Mapping[str, Any] = json.loads(viewers.stdout.readline())
        cores = (cpu_below(pid) - used) / (time.monotonic() - began)
        last = memory(with_children(pid))
    per_second = viewed["deliveries"] / viewing.seconds
    return {
        "deliveries_per_second": round(per_second),
        "cores": round(cores, 3),
        "deliveries_per_core_second": round(per_second / cores) if cores else None,
        "latency_ms": viewed["latency_ms"],
        "lost": viewed["lost"],
        "pss_mb": [round(first[0]), round(last[0])],
    }


@contextmanager
def _written(bootstrap: str, topics: list[str], rate: float, size: int) -> Iterator[None]:
    """Results at an even pace, each with the moment at which it was sent."""
    done = threading.Event()

    def write() -> None:
        producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
        pause = 1 / (rate * len(topics))
        due = time.monotonic()
        pairs = cycle((topic, key) for key in range(KEYS) for topic in topics)
        for number, (topic, key) in enumerate(islice(pairs, None)):
            due += pause
            if done.wait(max(0.0, due - time.monotonic())):
                break
            row = {"k": f"k{key}", "n": number, "pad": "x" * size, "sent": time.time_ns() // 1_000}
            headers = [("epoch", b"1"), ("newest-input", str(row["sent"]).encode())]
            text = json.dumps(row, separators=(",", ":"))
            producer.produce(topic, text.encode(), json.dumps([row["k"]]).encode(), headers=headers)
            producer.poll(0)
        producer.flush(10)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(15)
