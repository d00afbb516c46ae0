from typing import Any

import pytest

from jobs.base.durations import parse_duration
from jobs.base.types import LONG, STRING
from jobs.operators import OPERATORS
from jobs.operators.broadcast import Broadcast
from jobs.operators.join_fields import KeyPair
from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan import Plan, diff, plan_job
from tests.support.plan_helpers import contract, document, found, schema

ORDERS = contract({"currency": "string", "shop": "int", "amount": "double", "rate": "int"})
RATES = contract(
    {"code": "string", "shop": "long", "rate": "decimal(6,3)!", "note": "string"},
    kind="table",
    key=["code", "shop"],
)
SOURCES = {"orders": {"stream": "orders"}, "rates": {"table": "rates"}}
STEP = {
    "op": "table_join",
    "input": "orders",
    "table": "rates",
    "on": {"shop": "shop", "currency": "code"},
    "prefix": "r_",
}


def plan_of(steps: dict[str, Any], sources: dict[str, Any] | None = None) -> Plan:
    return plan_job(document(steps, sources=sources or SOURCES), {"orders": ORDERS, "rates": RATES})


def joined(*without: str, **changes: Any) -> Plan:
    return plan_of(
        {"step": {name: value for name, value in {**STEP, **changes}.items() if name not in without}}
    )


def test_rows_keep_their_identity_and_time() -> None:
    plan = joined()
    assert plan.problems == ()
    assert schema(plan) == {
        "currency": "string",
        "shop": "int",
        "amount": "double",
        "rate": "int",
        "code": "string!",
        "r_shop": "long!",
        "r_rate": "decimal(6,3)!",
        "note": "string",
    }
    output = plan.node("step").output
    assert (output.kind, output.identity_kind, "_offset" in output.system) == ("append", "row", True)
    assert plan.node("step").bound == TableJoinBound(
        type="inner",
        on=(KeyPair("currency", "code", STRING), KeyPair("shop", "shop", LONG)),
        names=(("code", "code"), ("shop", "r_shop"), ("rate", "r_rate"), ("note", "note")),
        version="current",
        retention=parse_duration("1d"),
        newest_by="offset",
        slack=parse_duration("0s"),
    )


def test_a_table_is_a_changelog_of_its_key() -> None:
    relation = joined().node("rates").output
    assert (relation.kind, relation.identity_kind, relation.identity) == ("upsert", "key", ("code", "shop"))


def test_fields_of_a_table_may_be_missing_in_a_left_join() -> None:
    assert schema(joined(type="left"))["r_rate"] == "decimal(6,3)"


def test_a_filter_may_stand_between() -> None:
    assert plan_of(
        {"kept": {"op": "filter", "input": "rates", "where": "rate > 1"}, "step": {**STEP, "table": "kept"}}
    ).ok


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        ({"on": {"currency": "code"}}, "JOIN_KEY", "on"),
        ({"on": {"currency": "code", "shop": "shop", "amount": "rate"}}, "JOIN_KEY_TYPE", "on.amount"),
        ({"on": {}}, "JOIN_NO_KEY", "on"),
        ({"on": {"currency": "code", "shp": "shop"}}, "FIELD_UNKNOWN", "on.shp"),
        ({"on": {"shop": "code", "currency": "shop"}}, "JOIN_KEY_TYPE", "on.shop"),
        ({"prefix": ""}, "NAME_TAKEN", "prefix"),
        ({"table": "orders"}, "KIND_MISMATCH", "table"),
        ({"input": "rates"}, "KIND_MISMATCH", "input"),
        ({"version": "next"}, "PARAMETER_RANGE", "version"),
        ({"retention": "400d", "version": "as_of"}, "PARAMETER_RANGE", "retention"),
        ({"broadcast": {}, "version": "as_of"}, "PARAMETER_RANGE", "broadcast"),
        ({"broadcast": {"max_rows": 0}}, "PARAMETER_RANGE", "broadcast.max_rows"),
        ({"broadcast": {"max_rows": 100_001}}, "PARAMETER_RANGE", "broadcast.max_rows"),
        ({"broadcast": {"refresh": "9s"}}, "PARAMETER_RANGE", "broadcast.refresh"),
        ({"broadcast": {}, "on": {"shop": "shop", "amount": "rate"}}, "JOIN_KEY_TYPE", "on.amount"),
        ({"broadcast": {}, "table": "orders"}, "KIND_MISMATCH", "table"),
    ],
)
def test_problems(changes: dict[str, Any], code: str, place: str) -> None:
    assert (code, f"steps.step.{place}") in found(joined(**changes))


def test_results_of_the_same_job_are_no_table_yet() -> None:
    steps = {
        "counts": {"op": "aggregate", "input": "orders", "by": ["currency"], "measures": {"n": "count()"}},
        "step": {**STEP, "table": "counts", "on": {"currency": "currency"}},
    }
    assert ("CHAIN_UPDATE", "steps.step.table") in found(plan_of(steps))


@pytest.mark.parametrize(
    ("sources", "place"),
    [({"orders": {"table": "orders"}}, "orders.table"), ({"rates": {"stream": "rates"}}, "rates.stream")],
)
def test_a_stream_is_no_table(sources: dict[str, Any], place: str) -> None:
    assert ("PARAMETER_RANGE", f"sources.{place}") in found(plan_of({"step": STEP}, {**SOURCES, **sources}))


def test_versions_are_kept_while_rows_wait_for_them() -> None:
    counts = {
        "op": "aggregate",
        "input": "orders",
        "window": {"tumbling": {"size": "1m"}},
        "grace": "1h",
        "by": ["currency", "shop"],
        "measures": {"n": "count()"},
        "emit": "final",
    }
    step = {**STEP, "input": "counts", "version": "as_of", "retention": "30m"}
    assert ("PARAMETER_RANGE", "steps.step.retention") in found(plan_of({"counts": counts, "step": step}))


def test_what_it_asks_of_the_engine() -> None:
    row = OPERATORS["table_join"]
    current, as_of = (joined(version=version).node("step").bound for version in ("current", "as_of"))
    assert ("update" in row.output_modes(current), "update" in row.output_modes(as_of)) == (True, False)
    assert (row.drops_late_rows(current), row.drops_late_rows(as_of)) == (False, True)
    assert (row.realtime(current), "micro-batch mode" in row.realtime(as_of)) == ("", True)
    assert "1d" in row.state(as_of, ()).why


@pytest.mark.parametrize("changes", [{"version": "as_of"}, {"type": "left"}])
def test_these_changes_give_the_state_another_meaning(changes: dict[str, Any]) -> None:
    assert joined().fingerprint != joined(**changes).fingerprint


def test_auto_takes_real_time_mode_for_the_table_as_it_is() -> None:
    current, as_of, copied = joined(), joined(version="as_of"), joined(broadcast={})
    assert (current.mode.mode, as_of.mode.mode) == ("realtime", "microbatch")
    assert current.slots == 3, "the stream's, the table's and the state's partition"
    assert (current.reads_changing_table, copied.reads_changing_table) == (True, False)


def test_only_fields_that_are_read_are_stored() -> None:
    """A field more that nothing reads is no other state; another name of one that is read is."""
    shown = {"op": "select", "input": "step", "fields": ["amount", "r_rate"]}
    more = {"op": "derive", "input": "orders", "fields": {"aside": "amount * 2"}}
    base, wider = (
        plan_of({"more": more, "step": {**STEP, "input": name}, "shown": shown})
        for name in ("orders", "more")
    )
    assert base.fingerprint == wider.fingerprint
    assert wider.node("step").reads == ({"currency", "shop", "amount"}, {"code", "shop", "rate"})
    renamed = {"op": "rename", "input": "orders", "fields": {"amount": "worth"}}
    other = plan_of(
        {
            "more": renamed,
            "step": {**STEP, "input": "more"},
            "shown": {**shown, "fields": {"amount": "worth", "r_rate": "r_rate"}},
        }
    )
    assert other.problems == ()
    assert other.fingerprint != base.fingerprint


def test_a_copy_is_joined_by_any_fields() -> None:
    plan = joined(broadcast={}, on={"currency": "note"}, type="left")
    assert plan.problems == ()
    assert plan.node("step").bound.broadcast == Broadcast(100_000, None, by_key=False)
    assert plan.node("step").output.index_types == (STRING, LONG), (
        "several matches are told apart by the table's key"
    )
    assert (plan.streaming, plan.static) == ({"orders", "step"}, {"rates"})
    assert (plan.mode.mode, plan.slots, plan.node("step").state.kind) == ("realtime", 1, "none")


def test_by_its_key_a_copy_keeps_the_identity() -> None:
    bound = joined(broadcast={"max_rows": 5}).node("step").bound
    assert bound.broadcast == Broadcast(5, None, by_key=True)
    assert [pair.right for pair in bound.on] == ["code", "shop"]
    assert joined(broadcast={}).node("step").output.index_types == ()


def test_a_copy_is_taken_again_between_micro_batches() -> None:
    plan = joined(broadcast={"refresh": "5m"})
    assert plan.problems == ()
    assert plan.node("step").bound.broadcast == Broadcast(100_000, parse_duration("5m"), by_key=True)
    assert plan.mode.mode == "microbatch"
    steps = {"step": {**STEP, "broadcast": {"refresh": "5m"}}}
    written = {**document(steps, sources=SOURCES), "settings": {"mode": "realtime"}}
    assert ("MODE_NOT_POSSIBLE", "settings.mode") in found(
        plan_job(written, {"orders": ORDERS, "rates": RATES})
    )


def test_what_stands_between_a_table_and_its_copy_is_read_once_too() -> None:
    plan = plan_of(
        {
            "kept": {"op": "filter", "input": "rates", "where": "rate > 1"},
            "step": {**STEP, "table": "kept", "broadcast": {}},
        }
    )
    assert (plan.static, plan.node("step").output.sources) == ({"rates", "kept"}, {"orders"})


def test_a_copy_is_no_state() -> None:
    """Whatever changes about it, a generation goes on; and so it does when the copy's stream waits longer."""
    count = {"counts": {"op": "aggregate", "input": "step", "by": ["currency"], "measures": {"n": "count()"}}}

    def counted(**changes: Any) -> Plan:
        return plan_of({"step": {**STEP, **changes}, **count})

    copied = counted(broadcast={})
    assert copied.fingerprint == counted(broadcast={"max_rows": 5}, on={"shop": "shop"}).fingerprint
    delayed = plan_of(
        {"step": {**STEP, "broadcast": {}}, **count}, {**SOURCES, "rates": {"table": "rates", "delay": "9s"}}
    )
    assert copied.fingerprint == delayed.fingerprint
    assert copied.fingerprint != counted().fingerprint, "a table that is kept is state"


def test_fields_of_a_copy_that_are_counted_are_state() -> None:
    count = {"counts": {"op": "aggregate", "input": "step", "by": ["note"], "measures": {"n": "count()"}}}
    old, new = (
        plan_of({"step": {**STEP, "broadcast": {}, "type": type_}, **count}) for type_ in ("inner", "left")
    )
    verdict = diff(old, new)
    assert [(change.path, change.breaks_state) for change in verdict.changes] == [
        (("steps", "step", "type"), True)
    ]


def test_a_prefix_does_not() -> None:
    assert joined().fingerprint == joined(prefix="other_").fingerprint != ""
