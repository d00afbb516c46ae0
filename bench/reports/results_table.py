"""A results table of many keys: snapshots and retention."""

from typing import Final

from bench.aims import Numbers, Report, at_most

_TEXT: Final = """
A result of {rows:,} keys, written as the relay writes it. Snapshot: the newest {snapshot_rows:,} rows with
their offsets, as a browser that subscribes gets them. The relay deletes expired rows and deleted results
beside what it stores, in slices of 2,500 rows, and pauses as long as each took: a slice is the longest that
it holds up a flush. "Oldest" looks through all rows for the oldest, which is done again when that one
expires. "All" are the slices that delete the table, as after a job. Milliseconds; one process, warm caches.
Strangers took {strangers} cores.

| database | filled, rows/s | snapshot p50 | p95 | max | flush of {flush_rows:,} rows p50 | max | expired slice p50 | max | oldest p50 | max | deleted slice p50 | max | all, s |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""  # noqa: E501 - a row of a table


def _text(numbers: Numbers) -> str:
    rows = ""
    for name, at in numbers["databases"].items():
        times = [at["snapshot"][each] for each in ("p50", "p95", "max")]
        times += [
            at[what][each] for what in ("flush", "purge", "oldest", "delete") for each in ("p50", "max")
        ]
        shown = " | ".join(f"{time:,.0f}" for time in [*times, at["delete"]["total_s"]])
        rows += f"| {name} | {at['fill_rows_per_second']:,} | {shown} |\n"
    return _TEXT.format(**numbers) + rows


def _slowest(numbers: Numbers, *what: str) -> float:
    return max(float(at[each]["max"]) for at in numbers["databases"].values() for each in what)


RESULTS_TABLE: Final = Report(
    "A results table of ten million keys",
    _text,
    (
        at_most(
            "snapshot of the newest 10,000, p95 of both databases",
            200,
            "ms",
            lambda numbers: max(at["snapshot"]["p95"] for at in numbers["databases"].values()),
        ),
        at_most(
            "retention holds the relay up for",
            1,
            "s",
            lambda numbers: _slowest(numbers, "purge") / 1_000,
        ),
        at_most(
            "deleting the whole result holds the relay up for",
            1,
            "s",
            lambda numbers: _slowest(numbers, "delete") / 1_000,
        ),
    ),
)
