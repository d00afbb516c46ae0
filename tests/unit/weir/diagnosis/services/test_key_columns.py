"""In which columns of its sources an output's key stands."""

from jobs.plan import Plan
from tests.unit.weir.diagnosis.services.made_evidence import FILTER, JOIN, TABLE, UNION, planned
from weir.diagnosis.services.key_columns import key_columns


def fields_of(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {source: found.fields for source, found in key_columns(plan, plan.outputs[0]).items()}


def test_the_key_of_a_group_is_followed_to_its_source() -> None:
    steps = (
        "  renamed: {op: rename, input: orders, fields: {status: state}}\n"
        "  n: {op: aggregate, input: renamed, by: [state], window: {tumbling: {size: 1h}}, "
        "measures: {n: count()}}"
    )
    assert fields_of(planned(steps, "n")) == {"orders": ("status",)}


def test_a_join_has_the_key_on_both_sides() -> None:
    found = key_columns(JOIN, JOIN.outputs[0])
    assert fields_of(JOIN) == {"orders": ("id",), "payments": ("order_id",)}
    assert found["orders"].partners == {"payments"}
    assert fields_of(TABLE) == {"orders": ("id",), "customers": ("id",)}


def test_without_a_key_every_value_may_be_meant_but_times() -> None:
    assert fields_of(FILTER) == {"orders": ("amount", "id", "status")}
    assert fields_of(UNION) == {"orders": ("amount", "id", "status"), "payments": ("order_id",)}
