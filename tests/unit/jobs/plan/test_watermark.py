"""The pass that decides the watermark's delay and policy."""

from jobs.plan import plan_job
from tests.support.plan_helpers import contract, found

TWO = """
format: 1
name: two
sources:
  a: {{stream: a}}
  b: {{stream: b}}
steps:
  of_a: {{op: filter, input: a, where: x > 0}}
  of_b: {{op: filter, input: b, where: x > 0}}
outputs:
  live: {{input: of_a, to: result}}
  more: {{input: of_b, to: {target}}}
settings: {{watermark: max}}
"""


def test_the_fastest_source_decides_only_with_a_warning() -> None:
    plan = plan_job(TWO.format(target="{topic: t}"), {"a": contract(), "b": contract()})
    assert ("WATERMARK_MAX", "settings.watermark") in found(plan)


def test_with_one_source_there_is_nothing_to_decide() -> None:
    document = (
        TWO.format(target="{topic: t}").replace("  b: {stream: b}\n", "").replace("input: b", "input: a")
    )
    plan = plan_job(document, {"a": contract()})
    assert ("WATERMARK_MAX", "settings.watermark") not in found(plan)


def test_every_node_says_what_moves_its_event_time() -> None:
    document = """
format: 1
name: three
sources:
  a: {stream: a, delay: 3s}
  t: {table: t, delay: 1m}
  small: {table: t}
steps:
  known: {op: table_join, input: a, table: t, on: {k: k}, version: as_of, prefix: t_}
  named: {op: table_join, input: known, table: small, on: {k: k}, broadcast: {}, prefix: s_}
  unused: {op: filter, input: a, where: x > 0}
outputs:
  live: {input: named, to: result}
"""
    plan = plan_job(document, {"a": contract(), "t": contract({"k": "string!"}, kind="table", key=("k",))})
    assert plan.ok, plan.problems
    said = {node["name"]: node["watermarks"] for node in plan.as_json()["nodes"]}
    both = [{"query": "append", "delays": {"a": "3s", "t": "1m"}, "policy": "min"}]
    assert said == {"a": both, "t": both, "small": [], "known": both, "named": both, "unused": []}


def test_a_query_that_reads_an_exchange_waits_for_the_slowest_source() -> None:
    document = """
format: 1
name: exchanged
sources:
  a: {stream: a}
  b: {stream: b}
steps:
  all: {op: union, inputs: [a, b]}
  visits: {op: aggregate, input: all, window: {session: {gap: 5s}}, by: [k], measures: {n: count()}}
  last: {op: latest, input: visits, by: [k]}
  now: {op: aggregate, input: all, by: [k], measures: {n: count()}}
outputs:
  last: {input: last, to: result}
  now: {input: now, to: {topic: t}}
settings: {watermark: max}
"""
    plan = plan_job(document, {"a": contract(), "b": contract()})
    assert plan.ok, plan.problems
    assert plan.has_exchange
    assert {one.query: one.policy for one in plan.node("all").watermarks} == {
        "append": "max",
        "update": "min",
    }
