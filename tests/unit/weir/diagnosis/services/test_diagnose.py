"""Every cause is made on purpose, and the diagnosis names it and no other."""

from dataclasses import replace
from typing import Any

import pytest

from jobs.base.instants import Instant, datetime_of
from jobs.formats.contract import StreamContract
from jobs.kafka_messages import StartPosition
from jobs.plan import Plan, plan_job
from weir.diagnosis.services.diagnose import diagnose
from weir.diagnosis.services.evidence import (
    Counts,
    EngineFacts,
    Evidence,
    KeyScan,
    MalformedReason,
    PartitionFacts,
    ResultFacts,
    RunFacts,
    Sample,
    SampledRow,
    SourceFacts,
    StepFacts,
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
    system = {"_time": datetime_of(Instant(at_us)), "_partition": 0, "_offset": 1, "_source": "s"}
    return SampledRow({**whole, "at": datetime_of(Instant(at_us)), **values, **system}, at_us)


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
GONE = tuple(replace(each, time_us=each.time_us - 2 * HOUR) for each in MANY)

# code, place, evidence
CASES: list[tuple[str, str, Evidence]] = [
    ("NEVER_STARTED", "", evidence(run=run("never_started"), engine=None)),
    ("STOPPED", "", evidence(run=run("stopped"))),
    ("STOPPED", "", evidence(run=run("stopping"))),
    ("FAILED", "", evidence(run=run("failed", failure=("DATA_LOST", "Records are gone.")))),
    (
        "RETRYING",
        "",
        evidence(run=run("failed", failure=("ENGINE_ERROR", "It broke."), retry_at_us=NOW + 5 * SECOND)),
    ),
    ("WAITING_FOR_ENGINE", "", evidence(run=run("starting"), engine=None)),
    (
        "ENGINE_FAILED",
        "",
        evidence(run=run("starting"), engine=EngineFacts("failed", ready=False, failure="Memory.")),
    ),
    ("ENGINE_STARTING", "", evidence(run=run("starting"), engine=EngineFacts("starting", ready=False))),
    ("ENGINE_STARTING", "", evidence(run=run("starting"), engine=EngineFacts("ready", ready=False))),
    ("ENGINE_SILENT", "", evidence(run=run("unknown"))),
    ("ENGINE_SILENT", "", evidence(engine=EngineFacts("lost", ready=False))),
    ("AT_CAPACITY", "", evidence(run=run("queued", failure=("AT_CAPACITY", "20 runs use 1.8 of 2 cores.")))),
    ("RUN_STARTING", "", evidence(run=run("starting"))),
    ("REPLAYING", "", evidence(run=run("replaying"))),
    ("CLUSTER_UNREACHABLE", "orders", evidence(run=run("waiting"))),
    (
        "CLUSTER_UNREACHABLE",
        "orders",
        evidence(FILTER, empty(state="unreachable", detail="No answer.", partitions=(), sample=None)),
    ),
    ("TOPIC_DELETED", "orders", evidence(FILTER, empty(state="deleted", partitions=(), sample=None))),
    ("TOPIC_RECREATED", "orders", evidence(FILTER, empty(state="recreated", partitions=(), sample=None))),
    ("TOPIC_EMPTY", "orders", evidence(FILTER, empty(), counts=Counts())),
    ("TOPIC_EMPTY", "orders", evidence(FILTER, empty(partitions=(PartitionFacts(9, 9, 9, None),)))),
    ("TABLE_EMPTY", "customers", evidence(TABLE, source(), replace(empty(static=True), name="customers"))),
    (
        "START_AFTER_NEWEST",
        "orders",
        evidence(FILTER, source(rows=old(), records=None, partitions=(PartitionFacts(0, 100, 100, 100),))),
    ),
    (
        "FIRST_BATCH",
        "orders",
        evidence(FILTER, source(partitions=(PartitionFacts(0, 100, 0, 20),)), counts=Counts()),
    ),
    (
        "ALL_MALFORMED",
        "orders",
        evidence(
            FILTER,
            source(rows=(), sample=Sample(), malformed=100, reasons=(MalformedReason("NOT_JSON", 100),)),
        ),
    ),
    (
        "ALL_MALFORMED",
        "orders",
        evidence(
            FILTER,
            source(sample=Sample(50, malformed=(MalformedReason("FIELD_TYPE", 50, "id is a number."),))),
        ),
    ),
    (
        "MOSTLY_MALFORMED",
        "orders",
        evidence(
            FILTER,
            source(
                sample=None,
                malformed=99,
                reasons=(MalformedReason("NOT_JSON", 98, example=(1, 17)), MalformedReason("FIELD_TYPE", 1)),
            ),
        ),
    ),
    (
        "FILTER_PASSES_NONE",  # what was malformed is mended
        "big",
        evidence(FILTER, source(malformed=100, reasons=(MalformedReason("NOT_JSON", 100),))),
    ),
    ("FILTER_PASSES_NONE", "big", evidence(FILTER)),
    ("FILTER_PASSES_NONE", "big", evidence(LEFT, source(), replace(empty(static=True), name="customers"))),
    (
        "EXPRESSION_NULL",
        "typed",
        evidence(FAILING, source(rows=tuple(row(amount="3 EUR") for _ in range(9)))),
    ),
    (
        "EXPRESSION_NULL",  # a later expression reads it
        "typed",
        evidence(FAILING_TWICE, source(rows=tuple(row(amount="3 EUR") for _ in range(9)))),
    ),
    (
        "EXPRESSION_NULL",
        "typed",
        evidence(FAILING_BRANCH, source(rows=tuple(row(amount="3 EUR") for _ in range(9)))),
    ),
    (
        "EXPRESSION_NULL",
        "typed",
        evidence(
            FAILING_JOIN,
            source(rows=tuple(row(amount="3 EUR") for _ in range(9))),
            source("payments", keyed("c", "d")),
        ),
    ),
    (
        "EXPRESSION_NULL",  # rows pass with it
        "typed",
        evidence(FAILING_ALONE, source(rows=tuple(row(amount="3 EUR") for _ in range(9)))),
    ),
    (
        "EXPRESSION_NULL",  # counted by the run
        "typed",
        evidence(
            FAILING_ALONE,
            BIG,
            counts=counted({"orders": 900}, steps={"typed": StepFacts(expression_nulls=890)}),
        ),
    ),
    (
        "CAUSE_UNKNOWN",  # some nulls are usual
        "",
        evidence(
            FAILING_ALONE,
            BIG,
            counts=counted({"orders": 900}, steps={"typed": StepFacts(expression_nulls=90)}),
        ),
    ),
    ("BRANCH_GETS_NONE", "routed", evidence(BRANCH)),
    ("ARRAYS_EMPTY", "each", evidence(EXPLODE, source(rows=tuple(row(items=[]) for _ in range(9))))),
    (
        "JOIN_NO_PARTNER",
        "paid",
        evidence(JOIN, source(rows=keyed("a", "b")), source("payments", keyed("c", "d"))),
    ),
    (
        "JOIN_KEYS_DIFFER",
        "paid",
        evidence(JOIN, source(rows=keyed("a-1", "b-2")), source("payments", keyed("A-1", "x"))),
    ),
    (
        "JOIN_KEYS_DIFFER",
        "paid",
        evidence(JOIN, source(rows=keyed("007", "9")), source("payments", keyed("7", "x"))),
    ),
    (
        "JOIN_KEYS_DIFFER",
        "paid",
        evidence(JOIN, source(rows=keyed('"a"', '"b"')), source("payments", keyed("a", "x"))),
    ),
    (
        "JOIN_KEYS_DIFFER",
        "paid",
        evidence(JOIN, source(rows=keyed("7.0", "9.5")), source("payments", keyed("7", "1"))),
    ),
    (
        "JOIN_KEYS_DIFFER",  # a number against a text
        "paid",
        evidence(JOIN, source(rows=keyed("17", "18")), source("payments", keyed("PAY-a", "PAY-b"))),
    ),
    (
        "JOIN_KEYS_NULL",
        "paid",
        evidence(JOIN, source(rows=keyed(None, None)), source("payments", keyed("c", "d"))),
    ),
    (
        "JOIN_TIMES_APART",
        "paid",
        evidence(JOIN, source(rows=keyed("a")), source("payments", keyed("a", at_us=NOW - HOUR))),
    ),
    (
        "JOIN_CONDITION_FALSE",
        "paid",
        evidence(
            CONDITION,
            source(rows=keyed("a")),
            source("payments", keyed("a")),
            counts=counted({"orders": 9, "payments": 9, "paid": 0}),
        ),
    ),
    (
        "TABLE_KEY_NEVER_MATCHES",
        "named",
        evidence(TABLE, source(rows=keyed("a")), source("customers", keyed("zz"), static=True)),
    ),
    (
        "ALL_LATE",
        "n",
        evidence(
            UPDATES, source(rows=GONE, sample=sample(*GONE, newest_us=NOW)), counts=Counts(3, 100, 0, 90)
        ),
    ),
    (
        "WATERMARK_AHEAD",
        "n",
        evidence(UPDATES, watermark_us=NOW + 400 * 24 * HOUR, counts=Counts(3, 100, 0, 90)),
    ),
    (
        "WATERMARK_HELD_BACK",
        "payments",
        evidence(
            WINDOWED_JOIN,
            source(rows=(row(NOW - 605 * SECOND, id="a"), *MANY)),
            source(
                "payments", tuple(replace(each, values={**each.values, "order_id": "a"}) for each in old())
            ),
            counts=Counts(3, 100),
        ),
    ),
    ("WATERMARK_STANDS", "orders", evidence(WINDOW, source(rows=old()))),
    ("WINDOW_OPEN", "n", evidence(WINDOW)),
    (
        "ROWS_HELD",
        "named",
        evidence(AS_OF, source(rows=keyed("a")), source("customers", keyed("a"))),
    ),
    (
        "NO_NEW_RECORDS",
        "orders",
        evidence(
            UPDATES,
            source(rows=old()),
            counts=Counts(9, 100, 40),
            result=ResultFacts(newest_us=NOW - 600 * SECOND),
        ),
    ),
    (
        "CATCHING_UP",
        "orders",
        evidence(
            FILTER,
            source(rows=PAID, partitions=(PartitionFacts(0, 90_000, 0, 100),)),
            counts=Counts(9, 100, 0),
        ),
    ),
    (
        "RESULTS_EXPIRED",
        "",
        evidence(FILTER, source(rows=PAID), counts=Counts(9, 100, 40)),
    ),
    ("CAUSE_UNKNOWN", "", evidence(FILTER, source(rows=PAID))),
    # Of one key
    ("KEY_NOT_SEEN", "orders", evidence(FILTER, sought(BIG), key="o999")),
    (
        "KEY_NOT_SEEN",
        "payments",
        evidence(
            JOIN,
            sought(BIG, row(id="o1"), partners=frozenset({"payments"})),
            sought(newest_of(source("payments")), partners=frozenset({"orders"})),
            key="o1",
        ),
    ),
    (
        "CAUSE_UNKNOWN",  # the entry of a large table may be older than what was scanned
        "",
        evidence(
            TABLE,
            sought(BIG, row(id="o1"), partners=frozenset({"customers"})),
            sought(replace(BIG_TABLE, is_table=True), partners=frozenset({"orders"})),
            key="o1",
        ),
    ),
    (
        "KEY_NOT_SEEN",
        "customers",
        evidence(
            TABLE,
            sought(BIG, row(id="o1"), partners=frozenset({"customers"})),
            sought(
                replace(BIG_TABLE, is_table=True), partners=frozenset({"orders"}), complete=True, near="O1"
            ),
            key="o1",
        ),
    ),
    (
        "FILTER_PASSES_NONE",  # though rows of other keys flow
        "big",
        evidence(
            FILTER,
            sought(source(rows=PAID), row(id="o1", status="OPEN")),
            key="o1",
            result=ResultFacts(newest_us=NOW),
        ),
    ),
    (
        "KEY_HAS_ROW",
        "",
        evidence(FILTER, sought(BIG, row(id="o1")), key="o1", result=ResultFacts(NOW, key_row_us=NOW - HOUR)),
    ),
    ("WINDOW_OPEN", "n", evidence(WINDOW, sought(BIG, row(id="o1")), key="o1")),
    # Of other outputs than the result
    (
        "OUTPUT_FLOWS",
        "",
        evidence(OUTPUTS, BIG, output="paid", counts=counted({"big": 9}, per_second={"big": 0.5})),
    ),
    (
        "FILTER_PASSES_NONE",
        "big",
        evidence(
            OUTPUTS,
            BIG,
            output="paid",
            counts=counted({"orders": 9, "small": 9}, rows_out=9),
            result=ResultFacts(newest_us=NOW),
        ),
    ),
    (
        "WATERMARK_STANDS",
        "orders",
        evidence(OUTPUTS, source(rows=old()), output="hourly", counts=counted(rows_out=9)),
    ),
    ("CAUSE_UNKNOWN", "", evidence(OUTPUTS, BIG, output="open", counts=counted(rows_out=9))),
    ("NO_LATE_ROWS", "n", evidence(LATE, BIG, output="late", counts=counted({"n": 3}, rows_out=3))),
    (
        "CAUSE_UNKNOWN",  # late rows are counted, and where they are is not known here
        "",
        evidence(LATE, BIG, output="late", counts=counted({"n": 3, "n.late": 2}, rows_out=3)),
    ),
    ("WINDOW_OPEN", "n", evidence(LATE, BIG, counts=counted(steps=KEPT))),
    (
        "CAUSE_UNKNOWN",  # rows of another step are late
        "",
        evidence(
            UPDATES,
            source(rows=GONE, sample=sample(*GONE, newest_us=NOW)),
            counts=Counts(3, 100, 0, 90, steps={"n": StepFacts(late=0)}),
        ),
    ),
    # What the run has counted overrules a sample that is a part of the records.
    (
        "WINDOW_OPEN",
        "n",
        evidence(WINDOWED_TABLE, BIG, BIG_TABLE, counts=counted({"orders": 900, "named": 7})),
    ),
    ("WINDOW_OPEN", "n", evidence(WINDOWED_TABLE, BIG, BIG_TABLE, counts=counted())),
    ("WINDOW_OPEN", "n", evidence(FILTERED_WINDOW, BIG, counts=counted({"orders": 900}, steps=KEPT))),
    ("WINDOW_OPEN", "n", evidence(FILTERED_WINDOW, BIG, counts=counted({"n": 1}))),
    ("WINDOW_OPEN", "n", evidence(BRANCHED_WINDOW, BIG, counts=counted({"routed.paid": 1}))),
    (
        "WINDOW_OPEN",
        "n",
        evidence(
            WINDOWED_JOIN,
            BIG,
            newest_of(source("payments", keyed("x", "y"))),
            counts=counted({"orders": 900, "payments": 900, "paid": 5}),
        ),
    ),
    (
        "CAUSE_UNKNOWN",
        "",
        evidence(JOIN, BIG, newest_of(source("payments", keyed("x", "y"))), counts=counted()),
    ),
    (
        "CAUSE_UNKNOWN",  # the payments before the sample may be the partners
        "",
        evidence(JOIN, BIG, newest_of(source("payments", keyed("x")), NOW - 20 * SECOND), counts=counted()),
    ),
    (
        "CAUSE_UNKNOWN",
        "",
        evidence(JOIN, BIG, newest_of(source("payments", keyed("o1", at_us=NOW - HOUR))), counts=counted()),
    ),
    ("CAUSE_UNKNOWN", "", evidence(TABLE, BIG, BIG_TABLE, counts=counted())),
    # And it names causes that a sample can't show.
    (
        "TABLE_KEY_NEVER_MATCHES",
        "named",
        evidence(WINDOWED_TABLE, BIG, BIG_TABLE, counts=counted({"orders": 900, "named": 0})),
    ),
    (
        "JOIN_NO_PARTNER",
        "paid",
        evidence(
            JOIN,
            BIG,
            newest_of(source("payments", keyed("x", "y"))),
            counts=counted({"orders": 900, "payments": 900, "paid": 0}),
        ),
    ),
    (
        "JOIN_NO_PARTNER",
        "paid",
        evidence(JOIN, BIG, newest_of(source("payments", keyed("x")), NOW - 50 * SECOND), counts=counted()),
    ),
    (
        "JOIN_KEYS_DIFFER",
        "paid",
        evidence(JOIN, BIG, newest_of(source("payments", keyed("O1", "O2"))), counts=counted()),
    ),
    ("FILTER_PASSES_NONE", "big", evidence(ONLY_SPARK, BIG, counts=counted({"orders": 900, "big": 0}))),
    (
        "FILTER_PASSES_NONE",  # it did let rows through, and lets none through now
        "big",
        evidence(
            FILTER,
            BIG,
            counts=counted({"orders": 900, "big": 7}, rows_out=7, per_second={"orders": 5.0, "big": 0.0}),
            result=ResultFacts(newest_us=NOW - HOUR),
        ),
    ),
    (
        "CAUSE_UNKNOWN",  # rare rows pass, though none of the newest
        "",
        evidence(
            FILTER,
            BIG,
            counts=counted({"orders": 900, "big": 7}, rows_out=7, per_second={"orders": 5.0, "big": 0.1}),
            result=ResultFacts(newest_us=NOW - MINUTE),
        ),
    ),
    (
        "ROWS_HELD",  # a join as of a time gives nothing before the watermark has passed
        "named",
        evidence(AS_OF, BIG, BIG_TABLE, counts=counted({"orders": 900, "customers": 9, "named": 0})),
    ),
    (
        "OUTPUT_FLOWS",
        "",
        evidence(FILTER, counts=Counts(9, 100, 40), result=ResultFacts(newest_us=NOW - SECOND)),
    ),
]


@pytest.mark.parametrize(
    ("code", "place", "given"), CASES, ids=[f"{at} {case[0]}" for at, case in enumerate(CASES)]
)
def test_the_cause_is_named(code: str, place: str, given: Evidence) -> None:
    found = diagnose(given)
    assert (found.cause.code, found.cause.place[1]) == (code, place), found.as_json()
    assert found.cause.title
    assert found.cause.text
    assert found.cause.remedy or found.cause.waits


def facts_of(given: Evidence) -> dict[str, Any]:
    return {fact.label: fact.value for fact in diagnose(given).cause.facts}


def test_a_finding_says_what_it_rests_on() -> None:
    sampled = diagnose(evidence(FILTER, BIG, counts=counted())).cause
    assert sampled.basis == "sample"
    assert "The newest 29 of about 1,000,000 records were looked at." in sampled.text
    assert "The run doesn't count the rows of this step." in sampled.text
    given = evidence(FILTER, BIG, counts=counted({"orders": 900, "big": 0}))
    reported = diagnose(given).cause
    assert reported.basis == "reported"
    assert "The run has counted 900 rows in and none out." in reported.text
    facts = facts_of(given)
    assert (facts["Rows in, counted"], facts["Rows out, counted"]) == (900, 0)
    assert facts["Counted since"].startswith("2026-11-18T")
    earlier = diagnose(evidence(FILTER, BIG, counts=counted({"orders": 900, "big": 7}))).cause
    assert earlier.title == "The newest rows don't pass the filter"
    assert "Earlier rows passed." in earlier.text


def test_malformed_records_have_an_example_and_a_beginning() -> None:
    reported = facts_of(
        evidence(
            FILTER,
            source(sample=None, malformed=99, reasons=(MalformedReason("NOT_JSON", 98, example=(1, 17)),)),
        )
    )
    assert reported["Example"] == "partition 1, offset 17"
    begun = Sample(
        50,
        malformed=(MalformedReason("FIELD_TYPE", 50, "id is a number.", (0, 41)),),
        malformed_since_us=NOW - MINUTE,
        oldest_us=NOW - HOUR,
    )
    facts = facts_of(evidence(FILTER, source(sample=begun, malformed=60)))
    assert (facts["Example"], facts["Malformed, of all that the run read"]) == ("partition 0, offset 41", 0.6)
    assert "Malformed since" in facts
    endless = replace(begun, malformed_since_us=NOW - HOUR)
    assert "Malformed at least since" in facts_of(evidence(FILTER, source(sample=endless)))


def test_silent_partitions_are_named() -> None:
    parts = (
        PartitionFacts(0, 50, 0, 50, number=0, newest_us=NOW - SECOND),
        PartitionFacts(0, 50, 0, 50, number=1, newest_us=NOW - HOUR),
        PartitionFacts(0, 0, 0, 0, number=2),
    )
    checks = diagnose(evidence(FILTER, source(partitions=parts))).checks
    assert checks[1].text.endswith("No record for a minute in partitions 1, 2.")
    quiet = tuple(replace(part, newest_us=NOW - HOUR) for part in parts[:2])
    facts = facts_of(evidence(WINDOW, source(rows=old(), partitions=quiet)))
    assert {"Newest record of partition 0", "Newest record of partition 1"} <= facts.keys()


def test_shares_of_keys_and_their_kinds_are_said() -> None:
    apart = source("payments", keyed("a", at_us=NOW - HOUR))
    facts = facts_of(evidence(JOIN, source(rows=keyed("a", "b")), apart))
    assert (facts["Left keys found on the right"], facts["Right keys found on the left"]) == (0.5, 1.0)
    kinds = evidence(JOIN, source(rows=keyed("17")), source("payments", keyed("PAY-a")))
    assert "left side are numbers, those of the right are texts" in diagnose(kinds).cause.text


def test_an_answer_about_a_key_says_what_was_scanned() -> None:
    given = evidence(FILTER, sought(BIG, near="O999", malformed=3), key="o999")
    found = diagnose(given).cause
    assert "None of the newest 20,000 of about 1,000,000 records of orders has it in id." in found.text
    facts = facts_of(given)
    assert (facts["Records scanned"], facts["A similar key that is there"]) == (20_000, "O999")
    assert facts["Malformed records with this record key"] == 3
    assert facts["Oldest record scanned"].startswith("2026-11-18T")
    passed_none = evidence(FILTER, sought(source(rows=PAID), row(status="OPEN")), key="o1")
    assert "Only rows with the key o1 count." in diagnose(passed_none).cause.text


def test_every_output_can_be_asked_about() -> None:
    found = diagnose(evidence(OUTPUTS, BIG, output="hourly")).as_json()
    assert found["output"] == "hourly"
    assert [one["name"] for one in found["outputs"]] == ["live", "paid", "hourly", "open"]
    assert [check["place"]["name"] for check in found["checks"]] == ["", "orders", "n", ""]


def test_a_step_is_shown_with_what_the_run_counted() -> None:
    given = evidence(
        WINDOWED_TABLE, BIG, BIG_TABLE, counts=counted({"orders": 9, "customers": 5, "named": 7})
    )
    checks = {check.place[1]: check for check in diagnose(given).checks}
    assert (checks["named"].status, checks["named"].text) == ("ok", "14 rows in, 7 out, counted by the run.")


def test_a_document_with_errors_is_judged_by_its_run_and_sources() -> None:
    plan = plan_job("format: 1\nname: j\nsources:\n  orders: {stream: orders}\n", TYPED)
    assert not plan.ok
    assert not plan.sinks
    found = diagnose(evidence(plan)).as_json()
    assert (found["cause"]["code"], found["output"], found["outputs"]) == ("CAUSE_UNKNOWN", "", [])
