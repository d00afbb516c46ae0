"""Operators, formats and state: rows per CPU-second beside what else one could write."""

from collections.abc import Callable, Iterable
from typing import Final

from bench.aims import Aim, Numbers, Report, Verdict

_OPERATORS: Final = """
Rows per CPU-second of a job of one operator, {rows:,} rows of each stream, median of {runs} runs after one
that warms up; JSON records in and out, no broker; strangers took {strangers} cores meanwhile. The same job is
written by hand in PySpark and played twice. "By hand" decodes records as ours does, and leaves the operator
alone to be compared: the aim is for operators that Spark has itself. "Trusting" decodes
with a bare `from_json`: a text where a number should be, or something behind the value, goes unnoticed, and
no malformed record is counted. Neither counts errors inside expressions or gives rows an identity. What has
no plain counterpart stands alone.

| | ours, rows/CPU-s | by hand | CPU, ours / by hand | trusting | CPU, ours / trusting |
|---|---|---|---|---|---|
"""

_FORMATS: Final = """
Records per CPU-second of decoding alone: {rows:,} records of six fields with an event time, median of {runs}
runs after one that warms up, no broker; strangers took {strangers} cores meanwhile. Ours gives every record a
row or a reason and counts them. The hand-written PySpark trusts its input: `from_json`, `from_csv`, a cast,
or `from_avro` with one schema. Ours reads Avro of several versions that follow each other, each by its own
schema. "A record more" is what each costs without the start of a query, told from a run with a tenth of the
records: ours plans more, which counts once in the life of a job.

| | bytes per record | ours, records/CPU-s | by hand | CPU, ours / by hand | start | a record more |
|---|---|---|---|---|---|---|
"""

_STATE: Final = """
Rows per CPU-second of all processes but the broker, from JSON records in Kafka to JSON records in Kafka:
{rows:,} rows after {warm:,} that warm up, {keys:,} keys, {keys:,} entries of the table, two partitions, state
in RocksDB with changelog on both sides. {order} Ours in
micro-batches, as it drains a backlog, so that a window's row is written once a batch; Kafka Streams writes it
when it leaves the record cache: hence other numbers of results, of all rows, those that warm up included.
Kafka Streams' sliding windows are others: one more for each row that leaves. Its windows that are emitted
when they close are kept for ten minutes: it emits once a second, in which a drain reads minutes of event
time, and windows that its stores keep no more are never emitted. Strangers took {strangers} cores
meanwhile.

| | ours, rows/CPU-s | Kafka Streams | ours / Kafka Streams | results, ours | Kafka Streams |
|---|--:|--:|--:|--:|--:|
"""

_WITHIN: Final = 1.1
_OF_STREAMS: Final = 0.7
_PYTHON_STATE: Final = {"table_join, current": 3_553, "table_join, as of": 4_531, "aggregate, sliding": 5_059}
"""Rows per CPU-second of 2026-11-22, when Python workers held the state."""
_KINDS: Final = {
    "current": "table_join, current / KTable join",
    "as_of": "table_join, as of / join with a versioned store, grace 10 s",
    "sliding": "sliding windows of 2 s, final / the same, emitted when they close",
    "join": "join of two streams, inner, within 1 s, rows of both",
    "aggregate": "aggregate per key, no window",
    "tumbling": "tumbling windows of 10 s",
    "hopping": "hopping windows of 10 s by 5 s",
    "session": "sessions of 2 s, final / the same, emitted when they close",
    "deduplicate": "deduplicate, each row twice, within 10 s / a processor with a window store",
    "latest": "latest / reduce",
    "filter": "filter, without state",
}
_ASKED_FIRST: Final = ("current", "as_of", "sliding")
_STATELESS: Final = ("filter",)
# Format → its share of the CPU of the same by hand
_OF_FORMATS: Final = {
    "json": 0.6,
    "csv": 0.8,
    "text": 1.2,
    "debezium, json": 0.7,
    "avro, framed": 1.2,
    "debezium, avro, framed": 1.2,
}


def _operators(numbers: Numbers) -> str:
    rows = ""
    for name, job in numbers["jobs"].items():
        if job["by_hand"] is None:
            rows += f"| {name} | {job['ours']:,} | – | – | – | – |\n"
            continue
        ratio, beside = job["by_hand"] / job["ours"], job["trusting"] / job["ours"]
        rows += f"| {name} | {job['ours']:,} | {job['by_hand']:,} | {ratio:.2f} "
        rows += f"| {job['trusting']:,} | {beside:.2f} |\n"
    return _OPERATORS.format(**numbers) + rows


def _beside_by_hand(numbers: Numbers) -> Verdict | None:
    native = {name: job for name, job in numbers["jobs"].items() if job["native"]}
    above = [name for name, job in native.items() if job["by_hand"] / job["ours"] > _WITHIN]
    failed = bool(numbers.get("failed"))
    shown = f"{len(native) - len(above)} of {len(native)} jobs{_but('above', above)}"
    return Verdict(f"{shown}{'; others failed' if failed else ''}", not above and not failed)


def _formats(numbers: Numbers) -> str:
    rows = ""
    for name, each in numbers["formats"].items():
        hand = each["by_hand"]
        beside = f"{hand:,} | {hand / each['ours']:.2f}" if hand else "– | –"
        rows += f"| {name} | {each['bytes']} | {each['ours']:,} | {beside} | {_apart(each)} |\n"
    return _FORMATS.format(**numbers) + rows


def _apart(each: Numbers) -> str:
    """Start and cost of a record; an older bench did not tell them apart."""
    if "more" not in each:
        return "– | –"
    start, more = each["start"], each["more"]
    if "by_hand" not in more:
        return f"{start['ours']} s | {more['ours']} ns"
    ratio = f", {more['ours'] / more['by_hand']:.2f}" if more["by_hand"] > 0 else ""
    return f"{start['ours']} / {start['by_hand']} s | {more['ours']} / {more['by_hand']} ns{ratio}"


def _format_aim(name: str, limit: float) -> Aim:
    def judge(numbers: Numbers) -> Verdict | None:
        each = numbers["formats"].get(name)
        if each is None or not each["by_hand"]:
            return None
        ratio = each["by_hand"] / each["ours"]
        return Verdict(f"{ratio:.2f}", ratio <= limit)

    return Aim(f"{name}: CPU ≤ {limit:g} × by hand", judge)


def _state(numbers: Numbers) -> str:
    rows = ""
    for kind, each in numbers["kinds"].items():
        ratio = each["ours"] / each["streams"]
        out = " | ".join(f"{each[side]:,}" if side in each else "–" for side in ("ours_out", "streams_out"))
        rows += f"| {_KINDS[kind]} | {each['ours']:,} | {each['streams']:,} | {ratio:.2f} | {out} |\n"
    starts = [f"{each['start']} s" for each in numbers["kinds"].values() if "start" in each]
    started = (
        f"\nThe start of our queries is not in it, as the peer runs already: {', '.join(starts)} of CPU.\n"
        if starts
        else ""
    )
    order = "All rows lie in the topics before a side reads them."
    if any("ours_out" not in each for each in numbers["kinds"].values()):  # an older bench
        order = "Kafka Streams read its rows while they were written."
    return (
        _STATE.format(**numbers, order=order)
        + rows
        + started
        + f"\nThe peer: {', '.join(numbers['settings'])}.\n"
    )


def _beside_streams(wanted: Iterable[str]) -> Callable[[Numbers], Verdict | None]:
    """Judge some kinds; one that failed is not met, and of a bench that had none of them nothing is said."""

    def judge(numbers: Numbers) -> Verdict | None:
        found = {kind: numbers["kinds"][kind] for kind in wanted if kind in numbers["kinds"]}
        if not found:
            return None
        under = [kind for kind, each in found.items() if each["ours"] / each["streams"] < _OF_STREAMS]
        missing = [kind for kind in wanted if kind not in found]
        reached = len(found) - len(under)
        shown = f"{reached} of {len(found)}{_but('below', under)}{_but('not measured', missing)}"
        return Verdict(shown, not under and not missing)

    return judge


def _beside_python_state(numbers: Numbers) -> Verdict | None:
    found = {name: numbers["jobs"].get(name) for name in _PYTHON_STATE}
    times = [each["ours"] / _PYTHON_STATE[name] for name, each in found.items() if each is not None]
    return Verdict(f"{min(times):.1f}", min(times) >= 10) if len(times) == len(found) else None


def _but(where: str, names: list[str]) -> str:
    return f"; {where}: {', '.join(names)}" if names else ""


OPERATORS: Final = Report(
    "Operators",
    _operators,
    (
        Aim(f"CPU ≤ {_WITHIN} × the same by hand", _beside_by_hand),
        Aim("joins with tables, sliding windows: rows per CPU-second ≥ 10 × in Python", _beside_python_state),
    ),
)
FORMATS: Final = Report(
    "Formats", _formats, tuple(_format_aim(name, limit) for name, limit in _OF_FORMATS.items())
)
STATE: Final = Report(
    "State beside Kafka Streams",
    _state,
    (
        Aim(
            f"joins with tables, sliding windows: rows per CPU-second ≥ {_OF_STREAMS} × Kafka Streams",
            _beside_streams(_ASKED_FIRST),
        ),
        Aim(
            f"the other operators with state: ≥ {_OF_STREAMS} × Kafka Streams",
            _beside_streams([kind for kind in _KINDS if kind not in (*_ASKED_FIRST, *_STATELESS)]),
        ),
    ),
)
