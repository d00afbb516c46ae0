"""Joins with tables batch by batch as `docs/semantics/table-join.md` says, each batch after a restart."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.plan import plan_job
from tests.support.batch_document import BatchDocument
from tests.support.batch_plan import BatchPlan
from tests.support.plan_helpers import contract

pytestmark = pytest.mark.integration

S = 1_000_000
ORDERS = contract(
    {"k": "string", "n": "int", "at": "timestamp", "price": "decimal(10,2)", "big": "long"}, delay="0s"
)
RATES = {"code": "string", "rate": "decimal(6,3)", "tags": "array<string>"}


def start(spark: SparkSession, folder: Path, steps: dict[str, Any], **table: Any) -> BatchPlan:
    document = {
        "format": 1,
        "name": "tables",
        "sources": {"orders": {"stream": "orders"}, "rates": {"table": "rates"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }
    plan = plan_job(
        document, {"orders": ORDERS, "rates": contract(RATES, kind="table", key=["code"], **table)}
    )
    assert plan.ok, plan.problems
    return BatchPlan(spark, folder / "script", plan)


def join(**more: Any) -> dict[str, Any]:
    return {
        "op": "table_join",
        "input": "orders",
        "table": "rates",
        "type": "left",
        "on": {"k": "code"},
        **more,
    }


def order(seconds: float, k: str | None, n: int = 1, **more: Any) -> tuple[int, dict[str, Any]]:
    return round(seconds * S), {"k": k, "n": n, **more}


def rate(at: float, code: str, value: str | None) -> tuple[int, dict[str, Any]]:
    return round(at * S), {"code": code, "_deleted": True} if value is None else {
        "code": code,
        "rate": value,
        "tags": [value],
    }


def rates(out: list[Any]) -> dict[str, Any]:
    return {identity: row["rate"] for _, identity, row in out}


def test_the_table_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    """All entries of a batch before its rows; nulls and unknown keys give nulls; what was joined stays."""
    query = start(spark, tmp_path, {"joined": join()})
    full = {"n": 9, "at": "2026-01-01T00:00:00.000001Z", "price": "1.50", "big": 9007199254740993}
    out = query.batch(
        {"orders": [order(5, "a", **full), order(6, "b"), order(7, None)], "rates": [rate(9, "a", "1.100")]}
    )
    assert {identity: row for _, identity, row in out} == {
        '["orders",0,0]': {"k": "a", **full, "code": "a", "rate": "1.100", "tags": ["1.100"]},
        '["orders",0,1]': {
            "k": "b",
            "n": 1,
            "at": None,
            "price": None,
            "big": None,
            "code": None,
            "rate": None,
            "tags": None,
        },
        '["orders",0,2]': {
            "k": None,
            "n": 1,
            "at": None,
            "price": None,
            "big": None,
            "code": None,
            "rate": None,
            "tags": None,
        },
    }
    out = query.batch(
        {
            "orders": [order(1, "a"), order(1, "b")],
            "rates": [rate(1, "a", "1.200"), rate(1, "b", "2.000"), rate(0, "b", "2.100")],
        }
    )
    assert rates(out) == {'["orders",0,3]': "1.200", '["orders",0,4]': "2.100"}
    out = query.batch({"orders": [order(1, "a"), order(1, "b")], "rates": [rate(1, "a", None)]})
    assert rates(out) == {'["orders",0,5]': None, '["orders",0,6]': "2.100"}


@pytest.mark.long
def test_an_older_entry_changes_nothing_where_event_time_decides(spark: SparkSession, tmp_path: Path) -> None:
    query = start(
        spark,
        tmp_path,
        {
            "kept": {"op": "filter", "input": "rates", "where": "rate < 5"},
            "joined": join(type="inner", table="kept"),
        },
        version_by="event_time",
    )
    out = query.batch(
        {
            "orders": [order(1, "a"), order(1, "b")],
            "rates": [rate(5, "a", "1.000"), rate(4, "a", "2.000"), rate(5, "b", "1.000")],
        }
    )
    assert rates(out) == {'["orders",0,0]': "1.000", '["orders",0,1]': "1.000"}
    out = query.batch(
        {
            "orders": [order(1, "a"), order(1, "b")],
            "rates": [rate(5, "a", "3.000"), rate(7, "b", None), rate(6, "b", "2.000")],
        }
    )
    assert rates(out) == {'["orders",0,2]': "3.000"}
    out = query.batch(
        {"orders": [order(1, "a"), order(1, "b")], "rates": [rate(6, "a", "9.000"), rate(6, "b", "2.000")]}
    )
    assert rates(out) == {}, "the filter took a away, the older entry brings b not back"


@pytest.mark.long
def test_updated_results_behind_a_table(spark: SparkSession, tmp_path: Path) -> None:
    counted = {
        "op": "aggregate",
        "input": "joined",
        "window": {"tumbling": {"size": "10s"}},
        "by": ["rate"],
        "measures": {"n": "count()"},
    }
    query = start(spark, tmp_path, {"joined": join(type="inner"), "counted": counted})
    out = query.batch({"orders": [order(1, "a"), order(2, "a")], "rates": [rate(1, "a", "1.000")]})
    assert [row and (row["rate"], row["n"]) for _, _, row in out] == [("1.000", 2)]
    out = query.batch({"orders": [order(3, "a")]})
    assert [row and (row["rate"], row["n"]) for _, _, row in out] == [("1.000", 3)]


def test_the_table_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    """The contract's example 6.10, scripted: entries are applied before the releases of their batch."""
    query = start(spark, tmp_path, {"joined": join(version="as_of")})
    assert (
        query.batch({"orders": [order(5, "EUR"), order(4, "USD")], "rates": [rate(0.5, "EUR", "1.100")]})
        == []
    )
    out = query.batch({"rates": [rate(3, "EUR", "1.150")]})
    assert rates(out) == {'["orders",0,0]': "1.150", '["orders",0,1]': None}
    entries = [rate(10, "EUR", "1.200"), rate(20, "EUR", None)]
    # 5 is late, as the watermark before was 5; a millisecond after it is held.
    assert (
        query.batch(
            {"orders": [order(at, "EUR") for at in (9.999999, 10, 15, 20, 5, 5.001)], "rates": entries}
        )
        == []
    )
    out = query.batch({"orders": [order(30, None), order(31, "USD")]})
    assert rates(out) == {
        '["orders",0,2]': "1.150",
        '["orders",0,3]': "1.200",
        '["orders",0,4]': "1.200",
        '["orders",0,5]': None,
        '["orders",0,7]': "1.150",
    }
    assert query.late == 1
    assert '["orders",0,8]' in rates(query.batch({}))


@pytest.mark.long
def test_final_results_behind_an_as_of_join(spark: SparkSession, tmp_path: Path) -> None:
    """Rows wait for the watermark without being late.

    [0, 10) closes in the batch that releases its last row.
    """
    counted = {
        "op": "aggregate",
        "input": "joined",
        "window": {"tumbling": {"size": "10s"}},
        "by": ["rate"],
        "measures": {"n": "count()"},
        "emit": "final",
    }
    query = start(spark, tmp_path, {"joined": join(version="as_of"), "counted": counted})
    assert query.batch({"orders": [order(5, "a"), order(9.999, "a")], "rates": [rate(1, "a", "1.000")]}) == []
    assert query.batch({"orders": [order(10, "z")]}) == []
    out = query.batch({})
    assert [(row["rate"], row["n"]) for _, _, row in out if row] == [("1.000", 2)]


@pytest.mark.long
def test_a_table_with_a_delay_holds_rows_back(spark: SparkSession, tmp_path: Path) -> None:
    query = start(
        spark, tmp_path, {"joined": join(version="as_of", type="inner", retention="10s")}, delay="0s"
    )
    assert query.batch({"orders": [order(5, "a"), order(30, "a")], "rates": [rate(1, "a", "1.000")]}) == []
    assert query.batch({"orders": [order(30, "z")], "rates": [rate(4, "a", "2.000")]}) == []
    out = query.batch({"orders": [order(31, "a")], "rates": [rate(29, "a", "3.000")]})
    assert rates(out) == {}
    out = query.batch({"orders": [order(31, "z")], "rates": [rate(31, "a", "4.000")]})
    assert rates(out) == {'["orders",0,0]': "2.000"}
    out = query.batch({})
    assert rates(out) == {'["orders",0,1]': "3.000", '["orders",0,3]': "4.000"}


@pytest.mark.long
def test_change_data_from_record_to_result(spark: SparkSession, tmp_path: Path) -> None:
    """Snapshot, update, delete and tombstone of Debezium: the profile that each click finds."""
    users = contract(
        {"id": "long", "region": "string!"},
        kind="table",
        key=["id"],
        encoding={"format": "debezium"},
    )
    document = {
        "format": 1,
        "name": "profiles",
        "sources": {"clicks": {"stream": "clicks"}, "users": {"table": "users"}},
        "steps": {
            "joined": {
                "op": "table_join",
                "input": "clicks",
                "table": "users",
                "type": "left",
                "on": {"user": "id"},
            }
        },
        "outputs": {"out": {"input": "joined", "to": "result"}},
    }
    clicks = contract({"user": "int", "page": "string"})
    query = BatchDocument(spark, tmp_path / "script", document, {"clicks": clicks, "users": users})

    def change(op: str, id_: int, region: str | None) -> tuple[float, Any, Any]:
        after = {"id": id_, "region": region} if region else None
        return (
            1,
            {"payload": {"op": op, "before": None, "after": after, "ts_ms": 5}, "schema": {}},
            {"id": id_},
        )

    def seen(out: dict[str, Any]) -> list[tuple[int, str | None]]:
        return [(row["user"], row["region"]) for _, row in sorted(out.items())]

    clicked = [(2, {"user": 1, "page": "a"}), (2, {"user": 2, "page": "b"})]
    assert seen(query.batch(users=[change("r", 1, "EU"), change("c", 2, "US")], clicks=clicked)) == [
        (1, "EU"),
        (2, "US"),
    ]
    assert seen(
        query.batch(
            users=[change("u", 1, "APAC"), change("d", 2, None), (1, None, {"id": 2})], clicks=clicked
        )
    ) == [
        (1, "APAC"),
        (2, None),
    ]
    assert seen(query.batch(users=[(1, "no change", {"id": 1}), change("c", 2, "US")], clicks=clicked)) == [
        (1, "APAC"),
        (2, "US"),
    ]


@pytest.mark.long
def test_a_key_of_many_versions_in_any_order(spark: SparkSession, tmp_path: Path) -> None:
    """More than fit into one value: those between, before and after the ones that are kept already."""
    drawn = Random(5)
    query = start(spark, tmp_path, {"joined": join(version="as_of", retention="1h")})
    entries = [(drawn.randrange(500), number) for number in range(1_700)]
    orders = [order(drawn.randrange(1, 499) + 0.5, "a", number) for number in range(100)]
    written = [rate(at, "a", f"{number / 1_000:.3f}") for at, number in entries]
    query.batch({"rates": written[:600]})
    query.batch({"rates": written[600:1_300], "orders": orders})
    out = query.batch({"rates": written[1_300:], "orders": [order(600, "z")]})
    out += query.batch({})
    found = {row["n"]: row["rate"] for _, _, row in out if row is not None and row["k"] == "a"}
    expected = {}
    for us, values in orders:
        _, number = max((at, number) for at, number in entries if at * S <= us)
        expected[values["n"]] = f"{number / 1_000:.3f}"
    assert found == expected


def test_versions_go_although_nothing_more_comes_of_their_key(spark: SparkSession, tmp_path: Path) -> None:
    """All but the newest, once the watermark is past the retention."""
    query = start(spark, tmp_path, {"joined": join(version="as_of", retention="1m")})

    def kept(state: str) -> list[int]:
        """Bytes by key, or by chunk."""
        read = spark.read.format("statestore").option("stateVarName", state)
        value = "length(value.value)" if state != "chunks" else "length(user_map_value.value)"
        rows = read.load(str(tmp_path / "script" / "checkpoint")).selectExpr(f"{value} AS bytes").collect()
        return sorted(row["bytes"] for row in rows)

    many = [rate(at / 10, "many", "1.000") for at in range(600)]
    gone = [rate(1, "gone", "1.000"), rate(2, "gone", None)]
    query.batch({"orders": [order(1, "x")], "rates": [*many, *gone, rate(1, "one", "1.000")]})
    assert len(kept("chunks")) == 1
    before = kept("versions")
    query.batch({"orders": [order(100, "many")]})
    query.batch({"orders": [order(101, "x")]})
    half = kept("versions")
    assert (half[0], half[1]) < (before[0], before[1])  # the deletion alone is left of one
    query.batch({"orders": [order(300, "many")]})
    query.batch({})
    assert kept("chunks") == []
    after = kept("versions")
    assert len(after) == 3
    assert max(after) < 200


def test_rows_without_a_key_do_not_meet_in_one(spark: SparkSession, tmp_path: Path) -> None:
    """They find nothing, and all of them in one state value would be read and written with each batch."""
    query = start(spark, tmp_path, {"joined": join(version="as_of")})
    waiting = [order(5 + n / 1_000, None, n) for n in range(200)]
    assert query.batch({"orders": waiting, "rates": [rate(0.5, "EUR", "1.100")]}) == []
    (state,) = query.query.progress[-1]["stateOperators"]
    assert state["numRowsTotal"] > 100
    out = query.batch({"orders": [order(100, "EUR")]})
    assert sorted(row["n"] for _, _, row in out) == list(range(200))
    assert {row["rate"] for _, _, row in out} == {None}
