"""How many result rows a second the relay stores, and how long a small job's rows wait beside a large one's.

`measure` starts `python -m bench.relay`, which has Django set up, once for each database.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

import psutil
from confluent_kafka import Producer

from bench.databases import DATABASES, database, run_with_django
from bench.usage import cpu_seconds, with_children
from tests.support.kafka_node import KafkaServer

SHAPES: Final = {"folded": 1_000, "each its own": 0}
"""Name → keys over which the records are spread; 0: each record has a key of its own."""
_TICK_S: Final = 0.1
_HEADERS: Final = [("epoch", b"1"), ("newest-input", b"1700000000000000")]


def measure(folder: Path, records: int, _runs: int) -> dict[str, Any]:
    """Rows per second and per core by database and shape.

    Args:
        folder: new.
        records: of the large job.
    """
    folder.mkdir(parents=True)
    kafka = KafkaServer(folder / "kafka")
    kafka.start()
    try:
        found = {}
        for name in DATABASES:
            with database(name) as (variables, pid):
                variables = {**variables, "KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap}
                found[name] = run_with_django(folder / name, variables, "bench.relay", str(records), str(pid))
            print(name, found[name], flush=True)
    finally:
        kafka.stop()
    return {"records": records, "keys": SHAPES["folded"], "databases": found}


def _rows(topic: str, records: int, keys: int) -> None:
    """What a windowed count over symbols gives."""
    producer = Producer(
        {"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "linger.ms": 50, "batch.size": 500_000}
    )
    for number in range(records):
        symbol = f"S{number % keys if keys else number:07d}"
        value = (
            '{"window_start":"2026-11-25T02:00:00.000000Z","window_end":"2026-11-25T02:00:10.000000Z",'
            f'"symbol":"{symbol}","n":{number},"mean":{number * 1.25}}}'
        )
        key = f'["2026-11-25T02:00:00.000000Z","2026-11-25T02:00:10.000000Z","{symbol}"]'
        while True:
            try:
                producer.produce(topic, value, key, partition=number % 2, headers=_HEADERS)
                break
            except BufferError:
                producer.poll(0.1)
    producer.flush(60)


class _SmallJob:
    """A job whose one row changes ten times a second: how long each change waits until it is stored."""

    def __init__(self, topic: str, job_id: str) -> None:
        self.delays: list[float] = []
        self._topic, self._job_id = topic, job_id
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        from weir.results.models import ResultRow  # noqa: PLC0415 - Django is set up by now

        producer = Producer({"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "linger.ms": 0})
        rows = ResultRow.objects.using("results").filter(job_id=self._job_id)
        number = 0
        while not self._stop.is_set():
            number += 1
            producer.produce(self._topic, f'{{"n":{number}}}', '["tick"]', partition=0, headers=_HEADERS)
            producer.flush(10)
            sent = time.monotonic()
            wanted = f'{{"n":{number}}}'
            while rows.values_list("value", flat=True).first() != wanted and not self._stop.is_set():
                time.sleep(0.02)
            self.delays.append(time.monotonic() - sent)
            self._stop.wait(_TICK_S)

    def end(self) -> list[float]:
        """The delays, sorted, without the first: the relay had to find the topic."""
        self._stop.set()
        self._thread.join()
        return sorted(self.delays[1:-1])


def main() -> None:
    """Measure on the database of the environment; the last line is the numbers as JSON."""
    import django  # noqa: PLC0415 - the environment decides whether there is one

    django.setup()
    from bench.relay_jobs import job_with_topic, make_tables, stored  # noqa: PLC0415

    records, pid = int(sys.argv[1]), int(sys.argv[2])
    make_tables()
    found = {}
    for number, (shape, keys) in enumerate(SHAPES.items()):
        job_id, topic = job_with_topic(f"large-{number}")
        small_id, small_topic = job_with_topic(f"small-{number}")
        _rows(topic, records, keys)
        command = [sys.executable, "-m", "django", "relay"]
        with subprocess.Popen(command) as process:
            try:
                found[shape] = _drained(process.pid, pid, lambda job=job_id: stored(job), records)
            finally:
                process.terminate()
        with subprocess.Popen(command) as process:
            again_id, again = job_with_topic(f"again-{number}")
            _rows(again, records // 2, keys)
            small = _SmallJob(small_topic, small_id)
            try:
                _drained(process.pid, pid, lambda job=again_id: stored(job), records // 2)
            finally:
                delays = small.end()
                process.terminate()
        found[shape]["small job's rows, s"] = {
            "count": len(delays),  # none where so few records of the large job are drained at once
            "p50": round(delays[len(delays) // 2], 3) if delays else None,
            "max": round(delays[-1], 3) if delays else None,
        }
    print(json.dumps(found))


def _drained(relay: int, database: int, stored: Any, records: int) -> dict[str, Any]:
    """From the first stored rows to the last ones."""
    processes = [psutil.Process(relay)]
    while not (first := stored()):
        time.sleep(0.05)
    cpu, of_server, began = cpu_seconds(processes), _server_seconds(database), time.monotonic()
    while (now := stored()) < records:
        time.sleep(0.05)
    took = time.monotonic() - began
    used = cpu_seconds(processes) - cpu
    rows = now - first
    return {
        "rows_per_second": round(rows / took),
        "rows_per_core_second": round(rows / used),
        "relay_cores": round(used / took, 2),
        "database_cores": round((_server_seconds(database) - of_server) / took, 2),
    }


def _server_seconds(pid: int) -> float:
    """Processor time of a database and its connections; 0 where it is no process."""
    return cpu_seconds(with_children(pid)) if pid else 0.0


if __name__ == "__main__":
    main()
