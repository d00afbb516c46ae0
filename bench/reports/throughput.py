"""Operators, formats and state: rows per CPU-second beside what else one could write."""

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
in RocksDB with changelog on both sides. Ours in micro-batches, as it drains a backlog, so that a window's row
is written once a batch; Kafka Streams writes it when it leaves the record cache. Kafka Streams' sliding
windows are others: one more for each row that leaves. The aim is for the first three. Strangers took
{strangers} cores meanwhile.

| | ours, rows/CPU-s | Kafka Streams | ours / Kafka Streams |
|---|---|---|---|
"""

_WITHIN: Final = 1.1
_OF_STREAMS: Final = 0.7
_KINDS: Final = {
    "current": "table_join, current / KTable join",
    "as_of": "table_join, as of / join with a versioned store, grace 10 s",
    "sliding": "sliding windows of 2 s, final / the same, emitted when they close",
    "filter": "filter",
    "tumbling": "tumbling windows of 10 s",
    "hopping": "hopping windows of 10 s by 5 s",
    "session": "sessions of 2 s, final / the same, emitted when they close",
}
_HELD: Final = ("current", "as_of", "sliding")
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


def _beside_by_hand(numbers: Numbers) -> Verdict:
    native = {name: job for name, job in numbers["jobs"].items() if job["native"]}
    above = [name for name, job in native.items() if job["by_hand"] / job["ours"] > _WITHIN]
    return Verdict(f"{len(native) - len(above)} of {len(native)} jobs{_but('above', above)}", not above)


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
        rows += f"| {_KINDS[kind]} | {each['ours']:,} | {each['streams']:,} | {ratio:.2f} |\n"
    return _STATE.format(**numbers) + rows + f"\nThe peer: {', '.join(numbers['settings'])}.\n"


def _beside_streams(numbers: Numbers) -> Verdict:
    kinds = {kind: each for kind, each in numbers["kinds"].items() if kind in _HELD}
    under = [kind for kind, each in kinds.items() if each["ours"] / each["streams"] < _OF_STREAMS]
    return Verdict(f"{len(kinds) - len(under)} of {len(kinds)}{_but('below', under)}", not under)


def _but(where: str, names: list[str]) -> str:
    return f"; {where}: {', '.join(names)}" if names else ""


OPERATORS: Final = Report(
    "Operators", _operators, (Aim(f"CPU ≤ {_WITHIN} × the same by hand", _beside_by_hand),)
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
            _beside_streams,
        ),
    ),
)
