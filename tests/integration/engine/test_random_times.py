"""Event times in SQL are those of Python's decoder, for each rule, and values at random near to what it
takes.
"""

from collections import Counter
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.columns import column
from jobs.engine.formats.native import decoder_sql
from jobs.formats.contract import StreamContract
from jobs.formats.contract_check import check_contract
from jobs.formats.event_time import event_time
from jobs.formats.event_time_sql import event_time_sql, time_reason_sql
from jobs.formats.json_records import read_json
from jobs.formats.record_formats import JsonEncoding
from jobs.formats.records import Malformed
from tests.support.random_times import contract_of, random_record, random_rules

pytestmark = pytest.mark.integration

RECORDS = 400
RULES_AT_A_TIME = 12  # of one plan
NOW_US = 1_767_261_600_000_000


def seen_by_spark(
    spark: SparkSession, contracts: list[StreamContract], records: list[bytes]
) -> list[list[Any]]:
    """The event time by each contract of each record, or why it has none."""
    frame = spark.createDataFrame([(record,) for record in records], "value BINARY").coalesce(1)
    found: list[list[Any]] = [[] for _ in records]
    for begin in range(0, len(contracts), RULES_AT_A_TIME):
        part = contracts[begin : begin + RULES_AT_A_TIME]
        read = column(decoder_sql("value", part[0], part[0].read_fields), "_read")
        now = column(f"timestamp_micros({NOW_US}L)", "_timestamp")
        values = frame.select(read).select("_read.*", now)
        micros = [column(event_time_sql(contract), f"t{at}") for at, contract in enumerate(part)]
        reasons = [
            column(
                f"array({time_reason_sql(f't{at}', '_timestamp', contract)}, cast(t{at} AS STRING))", f"r{at}"
            )
            for at, contract in enumerate(part)
        ]
        rows = values.select("_timestamp", *micros).select(*reasons).collect()
        for row, times in zip(rows, found, strict=True):
            times += [reason or int(time) for reason, time in row]
    return found


def test_the_same_times(spark: SparkSession) -> None:
    random = Random("event times")
    contracts = [contract_of(rule) for rule in random_rules(random)]
    assert [check_contract(contract) for contract in contracts] == [[]] * len(contracts)
    records = [random_record(random) for _ in range(RECORDS)]
    drawn: Counter[tuple[int, str]] = Counter()
    wrong = []
    for record, times in zip(records, seen_by_spark(spark, contracts, records), strict=True):
        values = read_json(record, JsonEncoding(), contracts[0].read_fields)
        assert not isinstance(values, Malformed), (record, values)
        for at, (contract, got) in enumerate(zip(contracts, times, strict=True)):
            found = event_time(values, contract, NOW_US)
            expected = found.reason if isinstance(found, Malformed) else found
            drawn[at, "time" if isinstance(expected, int) else expected] += 1
            if got != expected:
                wrong.append(f"{contract.event_time} of {record!r}: {got} instead of {expected}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])
    for at, contract in enumerate(contracts):
        if contract.event_time.kind == "field":
            assert drawn[at, "time"] + drawn[at, "TIME_RANGE"] >= 3, contract.event_time
