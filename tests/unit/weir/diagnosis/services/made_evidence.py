"""Evidence made on purpose: plans, sources, counts and rows that a cause is built from."""

from dataclasses import replace
from typing import Any

from jobs.base.instants import Instant, datetime_of
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import StartPosition
from jobs.plan import Plan, plan_job
from weir.diagnosis.services.evidence import Counts, EngineFacts, Evidence, RunFacts, StepFacts
from weir.diagnosis.services.source_facts import (
    KeyScan,
    PartitionFacts,
    Sample,
    SampledRow,
    SourceFacts,
)

SECOND, MINUTE, HOUR = 1_000_000, 60_000_000, 3_600_000_000
NOW = 1_795_000_000 * SECOND
READY = EngineFacts("ready", ready=True, last_seen_us=NOW - SECOND)
RUNNING = RunFacts("running", since_us=NOW - HOUR, last_seen_us=NOW - SECOND)

CONTRACTS = {
    "orders": {
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "status", "type": "string"},
            {"name": "amount", "type": "string"},
            {"name": "items", "type": "array<string>"},
            {"name": "at", "type": "timestamp"},
        ],
        "event_time": {"kind": "field", "field": "at"},
        "delay": "5s",
    },
    "payments": {
        "fields": [{"name": "order_id", "type": "string"}, {"name": "at", "type": "timestamp"}],
        "event_time": {"kind": "field", "field": "at"},
        "delay": "5s",
    },
    "customers": {
        "kind": "table",
        "key": ["id"],
        "fields": [{"name": "id", "type": "string"}, {"name": "name", "type": "string"}],
        "event_time": {"kind": "kafka_timestamp"},
        "delay": "0s",
    },
}
TYPED = {name: StreamContract.model_validate(written) for name, written in CONTRACTS.items()}


def planned(steps: str, output: str, sources: str = "orders: {stream: orders}", outputs: str = "") -> Plan:
    text = (
        f"format: 1\nname: j\nsources:\n  {sources}\nsteps:\n{steps}\n"
        f"outputs:\n  live: {{input: {output}, to: result}}{outputs}\n"
    )
    plan = plan_job(text, TYPED)
    assert plan.ok, [problem.message for problem in plan.problems]
    return plan


FILTER = planned("  big: {op: filter, input: orders, where: status = 'PAID'}", "big")
WINDOW = planned(
    "  n: {op: aggregate, input: orders, window: {tumbling: {size: 1h}}, emit: final, "
    "measures: {n: count()}}",
    "n",
)
UPDATES = planned(
    "  n: {op: aggregate, input: orders, window: {tumbling: {size: 1m}}, measures: {n: count()}}", "n"
)
BOTH = "orders: {stream: orders}\n  payments: {stream: payments}"
JOIN = planned(
    "  paid: {op: join, left: orders, right: payments, on: {id: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}}",
    "paid",
    BOTH,
)
CONDITION = planned(
    "  paid: {op: join, left: orders, right: payments, on: {id: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}, where: p_at > at}",
    "paid",
    BOTH,
)
TABLE = planned(
    "  named: {op: table_join, input: orders, table: customers, on: {id: id}, prefix: c_}",
    "named",
    "orders: {stream: orders}\n  customers: {table: customers}",
)


def row(at_us: int = NOW - 2 * SECOND, **values: Any) -> SampledRow:
    whole = {"id": "1", "status": "OPEN", "amount": "3", "items": ["x"], "order_id": "1", "name": "ann"}
    at = datetime_of(Instant(at_us))
    system = {"_time": at, "_timestamp": at, "_partition": 0, "_offset": 1, "_source": "s"}
    return SampledRow({**whole, "at": at, **values, **system}, at_us)


def sample(*rows: SampledRow, **changes: Any) -> Sample:
    newest = max((each.time_us for each in rows), default=NOW)
    oldest = min((each.time_us for each in rows), default=NOW)
    given = Sample(read=len(rows), rows=rows, newest_us=newest, oldest_us=oldest, complete=True)
    return replace(given, **changes)


MANY = tuple(row(NOW - (30 - second) * SECOND, id=f"o{second}") for second in range(29))


def source(name: str = "orders", rows: tuple[SampledRow, ...] = MANY, **changes: Any) -> SourceFacts:
    given = SourceFacts(
        name,
        name,
        start=StartPosition(kind="earliest"),
        partitions=(PartitionFacts(low=0, end=100, start=0, reached=100),),
        records=100,
        sample=sample(*rows),
    )
    return replace(given, **changes)


def evidence(plan: Plan = FILTER, *sources: SourceFacts, **changes: Any) -> Evidence:
    given = Evidence(
        NOW,
        RUNNING,
        plan,
        READY,
        sources or (source(),),
        Counts(batches=3, rows_in=100),
        NOW - 7 * SECOND,
        10.0,
    )
    return replace(given, **changes)


def old(seconds: int = 600) -> tuple[SampledRow, ...]:
    return tuple(replace(each, time_us=each.time_us - seconds * SECOND) for each in MANY)


def empty(**changes: Any) -> SourceFacts:
    nothing: dict[str, Any] = {"partitions": (PartitionFacts(0, 0, 0, None),), "records": None}
    return source(rows=(), **{**nothing, "sample": Sample(), **changes})


def keyed(*ids: str | None, at_us: int = NOW - 2 * SECOND) -> tuple[SampledRow, ...]:
    return tuple(row(at_us, id=key, order_id=key) for key in ids)


def newest_of(given: SourceFacts, whole_from_us: int | None = None) -> SourceFacts:
    """The same, of a topic with a million records: the sample is a small part of it."""
    assert given.sample is not None
    part = replace(given.sample, complete=False, whole_from_us=whole_from_us)
    many = (PartitionFacts(low=0, end=1_000_000, start=0, reached=1_000_000),)
    return replace(given, sample=part, partitions=many, records=1_000_000)


def counted(given: dict[str, int] | None = None, **changes: Any) -> Counts:
    return replace(Counts(batches=3, rows_in=1_000_000, since_us=NOW - HOUR, given=given or {}), **changes)


def sought(given: SourceFacts, *found: SampledRow, **changes: Any) -> SourceFacts:
    """The same, where a key was looked for in 20,000 records."""
    scan = KeyScan(("id",), read=20_000, found=len(found), complete=False, oldest_us=NOW - HOUR)
    assert given.sample is not None
    narrowed = replace(given.sample, rows=found, complete=False)
    return replace(given, key_scan=replace(scan, **changes), key_sample=narrowed)


def run(shown: str, **changes: Any) -> RunFacts:
    return replace(RUNNING, shown=shown, **changes)


FAILING = planned(
    "  typed: {op: derive, input: orders, fields: {euros: cast(amount as int)}}\n"
    "  big: {op: filter, input: typed, where: euros > 10}",
    "big",
)
TYPED_AMOUNT = "  typed: {op: derive, input: orders, fields: {euros: cast(amount as int)}}\n"
FAILING_TWICE = planned(
    f"{TYPED_AMOUNT}  cents: {{op: derive, input: typed, fields: {{cents: euros * 100}}}}\n"
    "  big: {op: filter, input: cents, where: cents > 10}",
    "big",
)
FAILING_BRANCH = planned(
    f"{TYPED_AMOUNT}  routed: {{op: branch, input: typed, branches: {{big: euros > 10, small: euros < 9}}}}",
    "routed.big",
)
FAILING_JOIN = planned(
    "  typed: {op: derive, input: orders, fields: {key: cast(cast(amount as int) as string)}}\n"
    "  paid: {op: join, left: typed, right: payments, on: {key: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}}",
    "paid",
    BOTH,
)
FAILING_ALONE = planned(TYPED_AMOUNT, "typed")
BRANCH = planned(
    "  routed: {op: branch, input: orders, branches: {paid: status = 'PAID', open: status = 'OPEN'}}",
    "routed.paid",
)
EXPLODE = planned("  each: {op: explode, input: orders, field: items, as: item}", "each")
AS_OF = planned(
    "  named: {op: table_join, input: orders, table: customers, on: {id: id}, prefix: c_, version: as_of, "
    "retention: 1d}",
    "named",
    "orders: {stream: orders}\n  customers: {table: customers}",
)
UNION = planned(
    "  renamed: {op: select, input: payments, fields: {id: order_id}}\n"
    "  some: {op: select, input: orders, fields: {id: id}}\n"
    "  all: {op: union, inputs: [some, renamed]}",
    "all",
    BOTH,
)
WINDOWED_JOIN = planned(
    "  paid: {op: join, left: orders, right: payments, on: {id: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}}\n"
    "  n: {op: aggregate, input: paid, window: {tumbling: {size: 1h}}, measures: {n: count()}, emit: final}",
    "n",
    BOTH,
)
LEFT = planned(
    "  named: {op: table_join, type: left, input: orders, table: customers, on: {id: id}, prefix: c_}\n"
    "  big: {op: filter, input: named, where: status = 'PAID'}",
    "big",
    "orders: {stream: orders}\n  customers: {table: customers}",
)

WINDOWED_TABLE = planned(
    "  named: {op: table_join, input: orders, table: customers, on: {id: id}, prefix: c_}\n"
    "  n: {op: aggregate, input: named, window: {tumbling: {size: 1h}}, measures: {n: count()}, emit: final}",
    "n",
    "orders: {stream: orders}\n  customers: {table: customers}",
)
FILTERED_WINDOW = planned(
    "  big: {op: filter, input: orders, where: status = 'PAID'}\n"
    "  n: {op: aggregate, input: big, window: {tumbling: {size: 1h}}, measures: {n: count()}, emit: final}",
    "n",
)
AGAIN = planned(
    "  named: {op: table_join, type: left, input: orders, table: customers, on: {id: id}, prefix: c_}\n"
    "  again: {op: table_join, input: named, table: others, on: {c_id: id}, prefix: o_}",
    "again",
    "orders: {stream: orders}\n  customers: {table: customers}\n  others: {table: customers}",
)
SPARK_KEY = planned(
    "  keyed: {op: derive, input: orders, fields: {key: soundex(id)}}\n"
    "  paid: {op: join, left: keyed, right: payments, on: {key: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}}",
    "paid",
    BOTH,
)
SPARK_FIELD = planned(
    "  coded: {op: derive, input: orders, fields: {code: soundex(status)}}\n"
    "  big: {op: filter, input: coded, where: code = 'P300' and amount > '2'}",
    "big",
)
SPARK_BRANCH = planned(
    "  coded: {op: derive, input: orders, fields: {code: soundex(status)}}\n"
    "  routed: {op: branch, input: coded, branches: {paid: code = 'P300', open: code = 'O150'}}",
    "routed.paid",
)
ONLY_SPARK = planned("  big: {op: filter, input: orders, where: soundex(status) = 'P300'}", "big")
BRANCHED_WINDOW = planned(
    "  routed: {op: branch, input: orders, branches: {paid: status = 'PAID', open: status = 'OPEN'}}\n"
    "  n: {op: aggregate, input: routed.paid, window: {tumbling: {size: 1h}}, measures: {n: count()}, "
    "emit: final}",
    "n",
)
OUTPUTS = planned(
    "  big: {op: filter, input: orders, where: status = 'PAID'}\n"
    "  small: {op: filter, input: orders, where: status = 'OPEN'}\n"
    "  n: {op: aggregate, input: orders, window: {tumbling: {size: 1h}}, emit: final, "
    "measures: {n: count()}}",
    "small",
    outputs="\n  paid: {input: big, to: {topic: paid}}\n  hourly: {input: n, to: {topic: hourly}}"
    "\n  open: {input: small, to: {topic: open}}",
)
CONDITION_BESIDE = planned(
    "  paid: {op: join, left: orders, right: payments, on: {id: order_id}, prefix: p_, "
    "between: {before: 10s, after: 1m}, where: p_at > at}",
    "paid",
    "orders: {stream: orders}\n  payments: {stream: payments}\n  others: {stream: orders}",
    outputs="\n  rest: {input: others, to: {topic: rest}}",
)
FINAL_MINUTES = planned(
    "  n: {op: aggregate, input: orders, window: {tumbling: {size: 1m}}, emit: final, "
    "measures: {n: count()}}",
    "n",
)
DAYS = planned(
    "  n: {op: aggregate, input: orders, window: {calendar: {unit: day, zone: Europe/Berlin}}, "
    "emit: final, measures: {n: count()}}",
    "n",
)
MONTHS = planned(
    "  n: {op: aggregate, input: orders, window: {calendar: {unit: month, zone: America/New_York}}, "
    "emit: final, measures: {n: count()}}",
    "n",
)
DISTINCT = planned("  d: {op: deduplicate, input: orders, by: [id], within: 1h}", "d")
FASTEST = planned(
    "  d: {op: deduplicate, input: orders, by: [id], within: 1h}\n  all: {op: union, inputs: [d, others]}",
    "all",
    "orders: {stream: orders}\n  others: {stream: orders}",
    "\nsettings: {watermark: max}",
)
TWO = planned(
    "  big: {op: filter, input: orders, where: status = 'PAID'}\n"
    "  got: {op: filter, input: payments, where: order_id = '1'}",
    "big",
    BOTH,
    outputs="\n  got: {input: got, to: {topic: got}}",
)
TWO_WINDOWED = planned(
    "  n: {op: aggregate, input: orders, window: {tumbling: {size: 1h}}, emit: final, "
    "measures: {n: count()}}\n"
    "  got: {op: filter, input: payments, where: order_id = '1'}",
    "n",
    BOTH,
    outputs="\n  got: {input: got, to: {topic: got}}",
)
LATE = planned(
    "  n: {op: aggregate, input: orders, window: {tumbling: {size: 1h}}, emit: final, late: dead_letter, "
    "measures: {n: count()}}",
    "n",
    outputs="\n  late: {input: n.late, to: {topic: late}}",
)
BIG = newest_of(source())
BIG_TABLE = newest_of(source("customers", keyed("x1", "x2")))
KEPT = {"n": StepFacts(state_rows=4)}

PAID = tuple(replace(each, values={**each.values, "status": "PAID"}) for each in MANY)


def every(seconds: int) -> tuple[SampledRow, ...]:
    """Rows in time, one in so many seconds."""
    return tuple(row(NOW - 2 * SECOND - back * seconds * SECOND, id=f"o{back}") for back in range(29))[::-1]


PAID_BEFORE = tuple(replace(each, values={**each.values, "status": "PAID"}) for each in old())
GONE = tuple(replace(each, time_us=each.time_us - 2 * HOUR) for each in MANY)
