"""What a diagnosis says beside the cause: what it rests on, its evidence, and each place of the walk."""

from dataclasses import replace
from typing import Any

from jobs.plan import Plan, plan_job
from tests.unit.weir.diagnosis.services.made_evidence import (
    BIG,
    BIG_TABLE,
    BOTH,
    FAILING_ALONE,
    FILTER,
    HOUR,
    JOIN,
    MANY,
    MINUTE,
    NOW,
    OUTPUTS,
    PAID,
    SECOND,
    SPARK_BRANCH,
    SPARK_FIELD,
    TABLE,
    TWO,
    TWO_WINDOWED,
    TYPED,
    WINDOW,
    WINDOWED_TABLE,
    counted,
    evidence,
    keyed,
    newest_of,
    old,
    planned,
    row,
    run,
    sought,
    source,
)
from weir.diagnosis.services.diagnose import diagnose
from weir.diagnosis.services.evidence import Counts, Evidence, ResultFacts
from weir.diagnosis.services.source_facts import (
    MalformedReason,
    PartitionFacts,
    Sample,
)


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


def test_what_was_not_counted_is_left_out_and_not_0() -> None:
    """The relay has stored nothing yet; an edit before one of several outputs took its count away."""
    fresh = ResultFacts(newest_us=NOW)
    uncounted = evidence(FILTER, result=fresh, counts=Counts())
    edited = evidence(OUTPUTS, output="paid", counts=counted(per_second={"big": 0.5}))
    assert [diagnose(given).cause.code for given in (uncounted, edited)] == ["OUTPUT_FLOWS"] * 2
    assert "Rows written" not in {**facts_of(uncounted), **facts_of(edited)}
    assert facts_of(evidence(FILTER, result=fresh, counts=counted(rows_out=0)))["Rows written"] == 0
    nothing = plan_job("format: 1\nname: j\nsources:\n  orders: {stream: orders}\n", TYPED)
    assert facts_of(evidence(nothing, counts=Counts())) == {}


def test_a_document_with_errors_is_judged_by_its_run_and_sources() -> None:
    plan = plan_job("format: 1\nname: j\nsources:\n  orders: {stream: orders}\n", TYPED)
    assert not plan.ok
    assert not plan.sinks
    found = diagnose(evidence(plan)).as_json()
    assert (found["cause"]["code"], found["output"], found["outputs"]) == ("CAUSE_UNKNOWN", "", [])
    assert "its steps weren't looked into" in found["cause"]["text"]


def test_what_is_not_known_is_not_claimed() -> None:
    uncounted = diagnose(evidence(FILTER, source(rows=PAID), counts=Counts())).cause
    assert (uncounted.code, "isn't known" in uncounted.text) == ("CAUSE_UNKNOWN", True)
    assert "Watermark" not in facts_of(evidence(WINDOW, watermark_us=None))
    assert "Watermark" in facts_of(evidence(WINDOW))
    of_key = sought(BIG, row(id="o1", amount="3 EUR"))
    facts = facts_of(evidence(FAILING_ALONE, of_key, key="o1", counts=counted(rows_out=5)))
    assert "Rows with such a null, counted" not in facts
    silent = diagnose(evidence(run=run("unknown"))).cause
    assert "may still be running" in silent.text


def test_a_backlog_says_when_it_is_read() -> None:
    behind = source(rows=PAID, partitions=(PartitionFacts(0, 1_100, 0, 100),))
    assert facts_of(evidence(FILTER, behind))["Done in about, without new records"] == 100.0
    shrinking = run("running", lag_health="catching_up", catch_up_us=400 * SECOND)
    assert facts_of(evidence(FILTER, behind, run=shrinking))["Done in about"] == 400.0
    unmeasured = facts_of(evidence(FILTER, behind, rows_per_second=None))
    assert unmeasured == {"Records to read": 1_000}
    half = source(rows=PAID, partitions=(PartitionFacts(0, 1_100, 0, 100), PartitionFacts(0, 50, 0, None)))
    assert facts_of(evidence(FILTER, half))["Records to read, at least"] == 1_000
    growing = run("running", lag_health="falling_behind", rate_limit=1_000)
    assert (
        "Raise the rate limit of 1,000 records/s"
        in diagnose(evidence(FILTER, behind, run=growing)).cause.remedy
    )


def test_one_is_one_and_not_several() -> None:
    one = source(rows=PAID[:1], partitions=(PartitionFacts(0, 1, 0, 1),))
    texts = [check.text for check in diagnose(evidence(FILTER, one, counts=counted({"orders": 1}))).checks]
    assert texts[1] == "Rows among the newest 1 record: 1. 0 to read."
    assert texts[2] == "1 row in, 1 out, in the newest records."
    given = evidence(FILTER, source(rows=MANY[:1]), counts=counted({"orders": 1, "big": 0}))
    assert "The run has counted 1 row in and none out." in diagnose(given).cause.text


def test_a_rate_is_not_what_a_minute_would_have() -> None:
    given = evidence(OUTPUTS, BIG, output="paid", counts=counted({"big": 9}, per_second={"big": 0.5}))
    assert facts_of(given)["Rate"] == "about 0.5 rows/s"


def test_a_join_that_gives_rows_tells_how_many_find_no_partner() -> None:
    rows = (*keyed("a", "b", "c", at_us=NOW - 5 * MINUTE), *keyed("d"))
    others = (*keyed("a", "x", at_us=NOW - 5 * MINUTE), *keyed("b", at_us=NOW - 2 * SECOND))
    given = evidence(JOIN, source(rows=rows), source("payments", others), counts=counted({"paid": 1}))
    texts = {check.place[1]: check.text for check in diagnose(given).checks if check.place[0] == "step"}
    # b's partner is too late, d's may still come
    assert texts["paid"].endswith("Without a partner on the right among the newest 3 rows of orders: 2.")


def test_a_table_tells_how_many_rows_have_no_entry_only_where_all_of_it_is_known() -> None:
    rows = keyed("a", "b", "b")
    checks = [
        diagnose(evidence(TABLE, source(rows=rows), table, counts=counted({"named": 1}))).checks
        for table in (source("customers", keyed("a")), newest_of(source("customers", keyed("a"))))
    ]
    known, unknown = ([check.text for check in found if check.place[1] == "named"] for found in checks)
    assert "Without an entry in the table among the newest 3 rows of orders: 2." in known[0]
    assert "entry in the table" not in unknown[0]


def test_a_field_that_a_table_adds_is_not_null() -> None:
    tables = (source("customers", keyed("a", "b")), source("others", keyed("ann")))
    plan = planned(
        "  named: {op: table_join, type: left, input: orders, table: customers, on: {id: id}, prefix: c_}\n"
        "  again: {op: table_join, type: left, input: named, table: others, on: {c_id: id}, prefix: o_}",
        "again",
        "orders: {stream: orders}\n  customers: {table: customers}\n  others: {table: customers}",
    )
    given = evidence(plan, source(rows=keyed("a", "b")), *tables, counts=counted({"again": 1}))
    texts = {check.place[1]: check.text for check in diagnose(given).checks}
    assert "Without an entry in the table among the newest 2 rows of orders: 0." in texts["named"]
    assert "Without" not in texts["again"]


def test_a_key_that_only_an_engine_computes_finds_no_partner_here() -> None:
    plan = planned(
        "  keyed: {op: derive, input: payments, fields: {key: soundex(order_id)}}\n"
        "  paid: {op: join, left: orders, right: keyed, on: {id: key}, prefix: p_, "
        "between: {before: 10s, after: 1m}}",
        "paid",
        BOTH,
    )
    rows = keyed("a", "b", at_us=NOW - 5 * MINUTE)
    flowing = counted({"paid": 1}, per_second={"paid": 0.5})
    given = evidence(plan, source(rows=rows), source("payments", keyed("a")), counts=flowing)
    assert not [check.text for check in diagnose(given).checks if "Without" in check.text]


def test_values_that_only_an_engine_computes_are_not_shown() -> None:
    given = evidence(SPARK_FIELD, BIG, counts=counted({"coded": 900, "big": 0}))
    found, facts = diagnose(given).cause, facts_of(given)
    assert found.text == "The run has counted 900 rows in and none out."
    assert (facts["Values of amount"], "Values of code" in facts) == ("'3' (29)", False)
    branch = facts_of(evidence(SPARK_BRANCH, BIG, counts=counted({"coded": 9, "routed.paid": 0})))
    assert not {"Rows in paid", "Rows in open"} & branch.keys()


def test_a_title_says_every_only_of_what_was_looked_at_whole() -> None:
    def title(given: Evidence) -> str:
        return diagnose(given).cause.title

    assert title(evidence(FILTER)) == "The filter lets nothing through"
    assert title(evidence(FILTER, BIG, counts=counted())) == "The newest rows don't pass the filter"
    given = evidence(FILTER, BIG, counts=counted({"orders": 900, "big": 0}))
    assert title(given) == "The filter lets nothing through"
    bad = Sample(50, malformed=(MalformedReason("FIELD_TYPE", 50, "id is a number."),))
    assert title(evidence(FILTER, source(sample=bad))) == "Every recent record is malformed"
    assert title(evidence(FILTER, source(sample=replace(bad, complete=True)))) == "Every record is malformed"
    one = source(rows=tuple(row(amount="3 EUR") for _ in range(9)))
    assert title(evidence(FAILING_ALONE, one)) == "An expression gives null for every row"
    assert title(evidence(FAILING_ALONE, newest_of(one))) == "An expression gives null for the newest rows"


def test_a_key_that_one_side_lacks_is_not_said_to_be_nowhere() -> None:
    sides = (
        sought(BIG, row(id="o1"), partners=frozenset({"payments"})),
        sought(newest_of(source("payments")), partners=frozenset({"orders"})),
    )
    assert (
        diagnose(evidence(JOIN, *sides, key="o1")).cause.title == "No recent record of payments has this key"
    )
    assert diagnose(evidence(FILTER, sought(BIG), key="o9")).cause.title == "No recent record has this key"


def test_a_source_of_another_output_is_on_the_way_only_where_it_is_the_cause() -> None:
    waiting = source("payments", partitions=(PartitionFacts(0, 90_000, 0, 100),))

    def places(plan: Plan, **changes: Any) -> list[tuple[str, str]]:
        found = diagnose(evidence(plan, source(rows=PAID), waiting, counts=counted(), **changes))
        return [(check.place[1], check.status) for check in found.checks if check.place[0] == "source"]

    assert places(TWO) == [("orders", "ok")]
    held = places(TWO_WINDOWED, watermark_us=NOW - 9 * HOUR)
    assert held == [("orders", "ok"), ("payments", "cause")]
