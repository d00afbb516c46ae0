"""Every cause is made on purpose, and the diagnosis names it and no other. Long, because the table is."""

from dataclasses import replace

import pytest

from jobs.base.instants import MAX_INSTANT
from tests.unit.weir.diagnosis.services.made_evidence import (
    AGAIN,
    AS_OF,
    BIG,
    BIG_TABLE,
    BRANCH,
    BRANCHED_WINDOW,
    CONDITION,
    CONDITION_BESIDE,
    DAYS,
    DISTINCT,
    EXPLODE,
    FAILING,
    FAILING_ALONE,
    FAILING_BRANCH,
    FAILING_JOIN,
    FAILING_TWICE,
    FASTEST,
    FILTER,
    FILTERED_WINDOW,
    FINAL_MINUTES,
    GONE,
    HOUR,
    JOIN,
    KEPT,
    LATE,
    LEFT,
    MANY,
    MINUTE,
    MONTHS,
    NOW,
    ONLY_SPARK,
    OUTPUTS,
    PAID,
    PAID_BEFORE,
    SECOND,
    SPARK_BRANCH,
    SPARK_KEY,
    TABLE,
    TWO,
    TWO_WINDOWED,
    UNION,
    UPDATES,
    WINDOW,
    WINDOWED_JOIN,
    WINDOWED_TABLE,
    counted,
    empty,
    every,
    evidence,
    keyed,
    newest_of,
    old,
    row,
    run,
    sample,
    sought,
    source,
)
from weir.diagnosis.services.diagnose import diagnose
from weir.diagnosis.services.evidence import Counts, EngineFacts, Evidence, ResultFacts, StepFacts
from weir.diagnosis.services.source_facts import (
    MalformedReason,
    PartitionFacts,
    Sample,
)

OTHERS = newest_of(source("others", keyed("ann")))
BACKLOG = source(rows=PAID, partitions=(PartitionFacts(0, 90_000, 0, 100),))
EXPIRED = source(rows=(), partitions=(PartitionFacts(100, 100, 0, 100),), sample=Sample(complete=True))
RARE = counted({"orders": 900, "big": 7}, rows_out=7, per_second={"orders": 5.0, "big": 0.1})
LATE_ROWS = Counts(3, 100, 0, 90)
LAST = MAX_INSTANT - 1
"""The last instant of the calendar: a local day later, or one that began earlier, has no date any more."""
AT_LAST = (*MANY, row(LAST))
DAYS_BEFORE = tuple(replace(each, time_us=each.time_us - 48 * HOUR) for each in MANY)
OTHER_BACKLOG = replace(BACKLOG, name="payments", topic="payments")
TWO_COUNTED = counted({"orders": 900, "big": 40, "payments": 100, "got": 9}, rows_out=49)
WRITTEN = ResultFacts(newest_us=NOW - 600 * SECOND)
# code, place, evidence
CASES: list[tuple[str, str, Evidence]] = [
    ("NEVER_STARTED", "", evidence(run=run("never_started"), engine=None)),
    ("STOPPED", "", evidence(run=run("stopped"))),
    ("STOPPING", "", evidence(run=run("stopping"))),
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
    (
        "HOST_OVERLOADED",
        "",
        evidence(
            run=run("unknown"),
            engine=EngineFacts("ready", ready=True, overload="Overloaded: 2.0 of 2 cores."),
        ),
    ),
    ("ENGINE_SILENT", "", evidence(engine=EngineFacts("lost", ready=False))),
    ("AT_CAPACITY", "", evidence(run=run("queued", failure=("AT_CAPACITY", "20 runs use 1.8 of 2 cores.")))),
    ("STARTS_IN_TURN", "", evidence(run=run("queued", failure=("STARTS_IN_TURN", "One by one.")))),
    ("RUN_STARTING", "", evidence(run=run("starting"))),
    ("REPLAYING", "", evidence(run=run("replaying"))),
    ("CLUSTER_UNREACHABLE", "", evidence(run=run("waiting"))),  # another than those of the sources
    (
        "CLUSTER_UNREACHABLE",
        "payments",
        evidence(
            JOIN,
            source(),
            replace(empty(state="unreachable", partitions=(), sample=None), name="payments"),
            run=run("waiting"),
        ),
    ),
    (
        "CLUSTER_UNREACHABLE",
        "orders",
        evidence(FILTER, empty(state="unreachable", detail="No answer.", partitions=(), sample=None)),
    ),
    ("TOPIC_DELETED", "orders", evidence(FILTER, empty(state="deleted", partitions=(), sample=None))),
    ("TOPIC_RECREATED", "orders", evidence(FILTER, empty(state="recreated", partitions=(), sample=None))),
    ("TOPIC_EMPTY", "orders", evidence(FILTER, empty(), counts=Counts())),
    ("TOPIC_EMPTY", "orders", evidence(FILTER, empty(partitions=(PartitionFacts(9, 9, 9, None),)))),
    # What the run had read has expired
    ("TOPIC_EMPTY", "orders", evidence(FILTER, EXPIRED, counts=counted({"big": 40}, rows_out=40))),
    ("TOPIC_EMPTY", "orders", evidence(WINDOW, EXPIRED, counts=counted(rows_out=3), result=WRITTEN)),
    ("TOPIC_EMPTY", "orders", evidence(WINDOW, EXPIRED, counts=counted())),
    ("TOPIC_EMPTY", "orders", evidence(WINDOWED_JOIN, EXPIRED, replace(EXPIRED, name="payments"))),
    (
        "NO_NEW_RECORDS",
        "payments",
        evidence(UNION, EXPIRED, source("payments", rows=old()), counts=counted(rows_out=3)),
    ),
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
        "FIRST_BATCH",  # no position is known yet
        "orders",
        evidence(
            FILTER, source(partitions=(PartitionFacts(0, 100, 0, None),), records=None), counts=Counts()
        ),
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
        evidence(
            JOIN, source(rows=keyed("a", "b", at_us=NOW - 90 * SECOND)), source("payments", keyed("c", "d"))
        ),
    ),
    (
        "CAUSE_UNKNOWN",  # a payment may come a minute after its order
        "",
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
        "JOIN_KEYS_NULL",
        "paid",
        evidence(JOIN, source(rows=keyed("a", "b")), source("payments", keyed(None, None))),
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
    # Rows that were in time: the watermark has passed them since, because they and later ones moved it.
    ("WINDOW_OPEN", "n", evidence(FINAL_MINUTES, source(rows=every(180)), counts=Counts(3, 100, 0, 1))),
    ("ROWS_HELD", "n", evidence(DAYS, source(rows=every(20)), counts=Counts(3, 100, 0, 1))),
    ("CAUSE_UNKNOWN", "", evidence(DISTINCT, source(rows=every(20)), counts=Counts(3, 100, 0, 1))),
    (
        "CAUSE_UNKNOWN",  # a faster source moved it
        "",
        evidence(
            FASTEST, source(rows=every(180)[:-1]), source("others", every(1)), counts=Counts(3, 100, 0, 1)
        ),
    ),
    (
        "CAUSE_UNKNOWN",  # heartbeats did
        "",
        evidence(
            DISTINCT,
            source(sample=sample(*every(180)[:-1], newest_us=NOW, heartbeat_us=NOW - SECOND)),
            counts=Counts(3, 100, 0, 1),
        ),
    ),
    ("ALL_LATE", "d", evidence(FASTEST, source(rows=GONE), source("others", every(1)), counts=LATE_ROWS)),
    (
        "ALL_LATE",  # a row in the sample moved it
        "n",
        evidence(UPDATES, source(rows=(row(), *GONE), sample=sample(row(), *GONE)), counts=LATE_ROWS),
    ),
    (
        "ALL_LATE",
        "n",
        evidence(
            DAYS,
            source(rows=DAYS_BEFORE, sample=sample(*DAYS_BEFORE, newest_us=NOW)),
            counts=LATE_ROWS,
        ),
    ),
    (
        "WATERMARK_AHEAD",
        "n",
        evidence(UPDATES, watermark_us=NOW + 400 * 24 * HOUR, counts=Counts(3, 100, 0, 90)),
    ),
    *(
        (
            "WATERMARK_AHEAD",
            "n",
            evidence(plan, source(rows=AT_LAST), watermark_us=LAST - 5 * SECOND, counts=LATE_ROWS),
        )
        for plan in (DAYS, MONTHS)
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
    (
        "WINDOW_OPEN",  # heartbeats move the watermark of a source without rows
        "n",
        evidence(
            WINDOWED_JOIN,
            BIG,
            newest_of(
                source("payments", rows=(), sample=Sample(9, newest_us=NOW, heartbeat_us=NOW - SECOND)),
            ),
            counts=counted({"orders": 9, "payments": 9, "paid": 1}),
        ),
    ),
    (
        "WATERMARK_HELD_BACK",
        "payments",
        evidence(
            WINDOWED_JOIN,
            BIG,
            newest_of(source("payments", rows=(), sample=Sample(9, newest_us=NOW))),
            counts=counted({"orders": 9, "payments": 9, "paid": 1}),
        ),
    ),
    (
        "WINDOW_OPEN",  # nothing is known of a source that can't be read
        "n",
        evidence(
            WINDOWED_JOIN,
            BIG,
            source("payments", sample=None),
            counts=counted({"orders": 9, "payments": 9, "paid": 1}),
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
        "CATCHING_UP",  # the window that the watermark has reached is closed by records that wait
        "orders",
        evidence(WINDOW, BACKLOG, counts=Counts(9, 100, 0), watermark_us=NOW - 9 * HOUR),
    ),
    ("WINDOW_OPEN", "n", evidence(WINDOW, counts=Counts(9, 100, 0), watermark_us=NOW - 9 * HOUR)),
    (
        "FALLING_BEHIND",
        "orders",
        evidence(FILTER, BACKLOG, counts=Counts(9, 100), run=run("running", lag_health="falling_behind")),
    ),
    (
        "NOT_READING",
        "orders",
        evidence(
            FILTER,
            BACKLOG,
            counts=Counts(9, 100),
            run=run("running", lag_health="stopped"),
            rows_per_second=0.0,
        ),
    ),
    (
        "CAUSE_UNKNOWN",  # whether everything was read is not known of one partition
        "",
        evidence(
            UPDATES,
            source(rows=old(), partitions=(PartitionFacts(0, 9, 0, 9), PartitionFacts(0, 9, 0, None))),
            counts=Counts(9, 100, 40),
            result=ResultFacts(newest_us=NOW - 600 * SECOND),
        ),
    ),
    (
        "NO_NEW_RECORDS",  # of a partition that is empty, everything was read
        "orders",
        evidence(
            UPDATES,
            source(rows=old(), partitions=(PartitionFacts(0, 9, 0, 9), PartitionFacts(4, 4, 4, None))),
            counts=Counts(9, 100, 40),
            result=ResultFacts(newest_us=NOW - 600 * SECOND),
        ),
    ),
    ("CAUSE_UNKNOWN", "", evidence(LATE, BIG, output="late", counts=Counts())),  # nothing was counted yet
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
    # Sources of another output say nothing of this one,
    (
        "NO_NEW_RECORDS",
        "orders",
        evidence(TWO, source(rows=PAID_BEFORE), OTHER_BACKLOG, counts=TWO_COUNTED, result=WRITTEN),
    ),
    (
        "NO_NEW_RECORDS",
        "orders",
        evidence(TWO, source(rows=PAID_BEFORE), source("payments"), counts=TWO_COUNTED, result=WRITTEN),
    ),
    (
        "FIRST_BATCH",
        "payments",
        evidence(TWO, BACKLOG, OTHER_BACKLOG, output="got", counts=Counts()),
    ),
    (
        "WINDOW_OPEN",
        "n",
        evidence(TWO_WINDOWED, source(), OTHER_BACKLOG, counts=counted({"orders": 900})),
    ),
    (
        "JOIN_CONDITION_FALSE",
        "paid",
        evidence(
            CONDITION_BESIDE,
            source(rows=keyed("a")),
            source("payments", keyed("a")),
            replace(BACKLOG, name="others"),
            counts=counted({"orders": 9, "payments": 9, "paid": 0}),
        ),
    ),
    (
        "CATCHING_UP",  # but they hold back the watermark of a query that reads both
        "payments",
        evidence(TWO_WINDOWED, source(), OTHER_BACKLOG, counts=counted(), watermark_us=NOW - 9 * HOUR),
    ),
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
    ("CAUSE_UNKNOWN", "", evidence(AGAIN, BIG, BIG_TABLE, OTHERS, counts=counted())),  # no null is known
    ("CAUSE_UNKNOWN", "", evidence(SPARK_KEY, BIG, source("payments", keyed("O000")), counts=counted())),
    # And it names causes that a sample can't show.
    (
        "TABLE_KEY_NEVER_MATCHES",
        "named",
        evidence(WINDOWED_TABLE, BIG, BIG_TABLE, counts=counted({"orders": 900, "named": 0})),
    ),
    (
        "TABLE_KEY_NEVER_MATCHES",
        "again",
        evidence(AGAIN, BIG, BIG_TABLE, OTHERS, counts=counted({"named": 900, "again": 0})),
    ),
    (
        "JOIN_NO_PARTNER",
        "paid",
        evidence(
            SPARK_KEY,
            BIG,
            newest_of(source("payments", keyed("O000"))),
            counts=counted({"keyed": 900, "payments": 900, "paid": 0}),
        ),
    ),
    (
        "BRANCH_GETS_NONE",
        "routed",
        evidence(SPARK_BRANCH, BIG, counts=counted({"coded": 9, "routed.paid": 0})),
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
        evidence(
            JOIN,
            BIG,
            newest_of(source("payments", keyed("x", at_us=NOW + 60 * SECOND)), NOW - 50 * SECOND),
            counts=counted(),
        ),
    ),
    (
        "CAUSE_UNKNOWN",  # the partners of the newest orders may still come
        "",
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
        "RESULTS_EXPIRED",  # rare rows pass, though none of the newest
        "",
        evidence(FILTER, BIG, counts=RARE),
    ),
    (
        "OUTPUT_FLOWS",  # the row of the newest input is not the one that was written last
        "",
        evidence(FILTER, BIG, counts=RARE, result=ResultFacts(newest_us=NOW - 5 * MINUTE)),
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
