"""A results table of many keys: how long a snapshot takes, and how long a slice of deleted rows holds up
what the relay stores.

`measure` starts `python -m bench.results_table`, which has Django set up, once for each database.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.databases import DATABASES, database, run_with_django
from bench.percentiles import percentile
from bench.trials import Trials
from bench.usage import Strangers

SNAPSHOT_ROWS: Final = 10_000
SNAPSHOTS: Final = 20
PURGES: Final = 20
WRITTEN: Final = 1_000  # rows of one flush of the relay
FLUSHES: Final = 20
_FILL: Final = 100_000  # rows of a transaction
_JOB: Final = "bench"


def measure(folder: Path, rows: int) -> dict[str, Any]:
    """Fill a table in each database, and measure it.

    Args:
        folder: new.
        rows: of the table, each with a key of its own.

    Returns:
        rows, snapshot_rows, strangers (cores), failed, and by database: fill_rows_per_second, and in
        milliseconds snapshot, flush, purge (slices of expired rows), oldest (looks through all rows) and
        delete (slices of the whole table), each with p50, p95, max and total_s, the seconds of all.
    """
    folder.mkdir(parents=True)
    strangers, parts = Strangers(folder), Trials()
    found = {}

    def table(name: str) -> dict[str, Any]:
        with database(name) as (variables, _):
            return run_with_django(folder / name, variables, "bench.results_table", str(rows))

    for name in DATABASES:
        one = parts.run(name, partial(table, name))
        if one is not None:
            found[name] = one
        print(name, one, flush=True)
    return {
        "rows": rows,
        "snapshot_rows": min(rows, SNAPSHOT_ROWS),
        "flush_rows": WRITTEN,
        "strangers": strangers.cores(),
        "databases": found,
        "failed": parts.end(),
    }


def main() -> None:
    """Measure on the database of the environment; the last line is the numbers as JSON."""
    import django  # noqa: PLC0415 - the environment decides whether there is one

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from weir.results.services.purge import (  # noqa: PLC0415
        SLICE_ROWS,
        delete_generation,
        oldest_ms,
        purge_older,
    )
    from weir.results.services.queries import read_snapshot  # noqa: PLC0415

    call_command("migrate", database="results", verbosity=0)
    rows = int(sys.argv[1])
    table = _Table()
    began = time.monotonic()
    for first in range(0, rows, _FILL):
        table.write(range(first, min(first + _FILL, rows)))
    fill = time.monotonic() - began
    old = _BEGIN_MS + rows // 2  # rows before it are expired
    print(
        json.dumps(
            {
                "fill_rows_per_second": round(rows / fill),
                "snapshot": _timed(SNAPSHOTS, lambda _: read_snapshot(_JOB, 1, SNAPSHOT_ROWS)),
                "flush": _timed(FLUSHES, lambda number: table.write(_some(rows, number))),
                "purge": _timed(PURGES, lambda _: purge_older(_JOB, 1, old)),
                "oldest": _timed(3, lambda _: oldest_ms(_JOB, 1)),
                "delete": _timed(rows // SLICE_ROWS, lambda _: delete_generation(_JOB, 1)),
            }
        )
    )


_BEGIN_MS: Final = 1_767_225_600_000


def _some(rows: int, number: int) -> range:
    """The numbers of one flush: keys from all over the table, as of a job whose keys change at random."""
    step = max(1, rows // WRITTEN)
    return range(number % step, rows, step)


class _Table:
    """Rows of one generation, as the relay writes them."""

    def __init__(self) -> None:
        from weir.results.services.store import open_topic  # noqa: PLC0415 - Django is set up by now

        self._at = open_topic(job_id=_JOB, generation=1, topic="bench", topic_id="bench", partitions=1)
        self._written = 0

    def write(self, numbers: range) -> None:
        """Store a row for each number; each has a key and a time of its own, later rows are newer."""
        from weir.results.services.records import ResultRecord  # noqa: PLC0415
        from weir.results.services.store import TopicFlush, store  # noqa: PLC0415

        records = [
            ResultRecord(
                key=f'["{number:08d}"]',
                value=f'{{"symbol":"{number:08d}","n":{number},"mean":{number * 1.25}}}',
                newest_input_us=(_BEGIN_MS + number) * 1_000,
                partial=False,
                epoch=1,
                partition=0,
                offset=number,
                timestamp_ms=_BEGIN_MS + number,
            )
            for number in numbers
        ]
        before, self._written = self._written, self._written + len(records)
        moved = {0: (before, self._written)}
        store([TopicFlush(self._at.pk, _JOB, 1, "bench", records, moved, self._at.fence)])


def _timed(times: int, work: Callable[[int], object]) -> dict[str, float]:
    """Milliseconds of calls, which get their number; the first counts as well."""
    found = []
    for number in range(times):
        began = time.monotonic()
        work(number)
        found.append(round((time.monotonic() - began) * 1_000, 1))
    return {
        "p50": percentile(found, 0.5),
        "p95": percentile(found, 0.95),
        "max": max(found),
        "total_s": round(sum(found) / 1_000, 1),
    }


if __name__ == "__main__":
    main()
