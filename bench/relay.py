"""How many result rows a second the relay stores, and how long a small job's rows wait beside a large one's.

`measure` starts `python -m bench.relay`, which has Django set up, once for each database.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Producer

from bench.databases import DATABASES, database, run_with_django
from bench.percentiles import percentile
from bench.trials import Trials
from bench.usage import Strangers, cpu_below
from tests.support.kafka_node import KafkaServer

SHAPES: Final = {"folded": 1_000, "each its own": 0}
"""Name → keys over which the records are spread; 0: each record has a key of its own."""
_TICK_S: Final = 0.1
_HEADERS: Final = [("epoch", b"1"), ("newest-input", b"1700000000000000")]


def measure(folder: Path, records: int) -> dict[str, Any]:
    """Rows per second and per core by database and shape.

    Args:
        folder: new.
        records: of the large job.

    Returns:
        records, keys, strangers (cores), failed, and by database and shape: rows_per_second,
        rows_per_core_second, relay_cores, database_cores, and waits of the small job's rows in seconds.
    """
    folder.mkdir(parents=True)
    strangers, parts = Strangers(folder), Trials()
    kafka = KafkaServer(folder / "kafka")
    kafka.start()
    try:
        found = {}

        def drained(name: str) -> dict[str, Any]:
            with database(name) as (variables, pid):
                variables = {**variables, "KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap}
                return run_with_django(folder / name, variables, "bench.relay", str(records), str(pid))

        for name in DATABASES:
            one = parts.run(name, partial(drained, name))
            if one is not None:
                found[name] = one
            print(name, one, flush=True)
    finally:
        kafka.stop()
    return {
        "records": records,
        "keys": SHAPES["folded"],
        "strangers": strangers.cores(),
        "databases": found,
        "failed": parts.end(),
    }


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
    """A job whose one row changes ten times a second: how long each change waits until it is stored. The
    changes count that are sent from `begin` on; those before let the relay find the topic.
    """

    def __init__(self, topic: str, job_id: str) -> None:
        self.delays: list[float] = []
        self._topic, self._job_id = topic, job_id
        self._counts, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "_SmallJob":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def begin(self) -> None:
        """From here on changes count."""
        self._counts.set()

    def _run(self) -> None:
        from weir.results.models import ResultRow  # noqa: PLC0415 - Django is set up by now

        producer = Producer({"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "linger.ms": 0})
        rows = ResultRow.objects.using("results").filter(job_id=self._job_id)
        number = 0
        while not self._stop.wait(_TICK_S):
            number += 1
            counts, wanted = self._counts.is_set(), f'{{"n":{number}}}'
            producer.produce(self._topic, wanted, '["tick"]', partition=0, headers=_HEADERS)
            producer.flush(10)
            sent = time.monotonic()
            while rows.values_list("value", flat=True).first() != wanted:
                if self._stop.is_set():
                    break
                time.sleep(0.02)
            if counts:
                self.delays.append(time.monotonic() - sent)


def main() -> None:
    """Measure on the database of the environment; the last line is the numbers as JSON."""
    import django  # noqa: PLC0415 - the environment decides whether there is one

    django.setup()
    from bench.relay_jobs import job_with_topic, make_tables, stored  # noqa: PLC0415

    records, pid = int(sys.argv[1]), int(sys.argv[2])
    make_tables()
    found = {}
    for number, (shape, keys) in enumerate(SHAPES.items()):
        fill = partial(_rows, records=records, keys=keys)
        job_id, _ = job_with_topic(f"large-{number}", fill)
        small_id, small_topic = job_with_topic(f"small-{number}")
        command = [sys.executable, "-m", "django", "relay"]
        with subprocess.Popen(command) as process:
            try:
                found[shape] = _drained(process, pid, partial(stored, job_id), records)
                # The relay runs and waits; now a large backlog is there at once.
                with _SmallJob(small_topic, small_id) as small:
                    again_id, _ = job_with_topic(f"again-{number}", fill)
                    small.begin()
                    _await_stored(process, partial(stored, again_id), records)
                    delays = small.delays
            finally:
                process.terminate()
        found[shape]["small job's rows, s"] = {
            "count": len(delays),
            "p50": round(percentile(delays, 0.5), 3) if delays else None,
            "max": round(max(delays), 3) if delays else None,
        }
    print(json.dumps(found))


def _await_stored(relay: subprocess.Popen[bytes], stored: Callable[[], int], records: int) -> int:
    """Wait until so many records are stored; how many are.

    Raises:
        RuntimeError: the relay has ended.
    """
    while (now := stored()) < records:
        if relay.poll() is not None:
            raise RuntimeError(f"the relay ended with {relay.returncode}")
        time.sleep(0.05)
    return now


def _drained(
    relay: subprocess.Popen[bytes], database: int, stored: Callable[[], int], records: int
) -> dict[str, Any]:
    """From the first stored rows to the last ones.

    Raises:
        RuntimeError: the relay has ended, or had stored all by then.
    """
    first = _await_stored(relay, stored, 1)
    if first >= records:
        raise RuntimeError("all were stored before it could be measured: more records")
    cpu, of_server, began = cpu_below(relay.pid), _server_seconds(database), time.monotonic()
    rows = _await_stored(relay, stored, records) - first
    took = time.monotonic() - began
    used = cpu_below(relay.pid) - cpu
    return {
        "rows_per_second": round(rows / took),
        "rows_per_core_second": round(rows / max(used, 0.01)),
        "relay_cores": round(used / took, 2),
        "database_cores": round((_server_seconds(database) - of_server) / took, 2),
    }


def _server_seconds(pid: int) -> float:
    """Processor time of a database and its connections; 0 where it is no process."""
    return cpu_below(pid) if pid else 0.0


if __name__ == "__main__":
    main()
