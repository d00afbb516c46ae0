import json
import subprocess
import sys

import pytest

from jobs.document_text import read_text
from jobs.formats.contract import StreamContract
from jobs.formats.decoding import decode
from jobs.formats.records import Row
from jobs.plan import PASSES, plan_job
from tests.oracle.cases import Case, load_cases
from tests.support.plan_helpers import contract, found, planned

TWENTY = """\
format: 2
name: ""
colour: red
sources:
  s: {stream: s, delay: soon}
  t: {stream: nowhere}
  u: {strem: s}
steps:
  1a: {op: filter, input: s, where: x > 0}
  b: {op: filtr, input: s}
  c: {op: filter, input: missing, where: x > }
  d: {op: filter, input: s, where: nothing > 0}
  e: {op: derive, input: s, fields: {_a: x, b: rand(), c: sqrtt(x)}}
  f: {op: select, input: s, fields: [k, k, kk]}
  g: {op: split, input: s, field: x, as: k}
  h: {op: filter, input: h, where: flag}
  i:
    op: aggregate
    input: s
    window: {hopping: {size: 5s, advance: 6s}}
    grace: -1s
    by: [y]
    measures: {a: sum(k), b: median(x), c: "percentile(x, 7)"}
    emit: never
    i: {}
  i: {op: filter, input: s, where: flag}
outputs:
  out: {input: i, to: kafka}
settings: {mode: fast, trigger: 0s}
"""


def test_all_problems_at_once_each_at_its_place() -> None:
    plan = plan_job(TWENTY, {"s": contract()})
    expected = {
        ("PARAMETER_RANGE", "format"),
        ("PARAMETER_RANGE", "name"),
        ("PARAMETER_RANGE", "colour"),
        ("PARAMETER_RANGE", "sources.s.delay"),
        ("PARAMETER_RANGE", "sources.t.stream"),
        ("PARAMETER_RANGE", "sources.u.strem"),
        ("NAME_INVALID", "steps.1a"),
        ("PARAMETER_RANGE", "steps.b.op"),
        ("INPUT_COUNT", "steps.c.input"),
        ("EXPRESSION_INVALID", "steps.c.where"),
        ("FIELD_UNKNOWN", "steps.d.where"),
        ("NAME_RESERVED", "steps.e.fields._a"),
        ("NONDETERMINISTIC", "steps.e.fields.b"),
        ("FUNCTION_UNKNOWN", "steps.e.fields.c"),
        ("NAME_TAKEN", "steps.f.fields.1"),
        ("FIELD_UNKNOWN", "steps.f.fields.2"),
        ("TYPE_MISMATCH", "steps.g.field"),
        ("NAME_TAKEN", "steps.g.as"),
        ("CYCLE", "steps.h.input"),
        ("WINDOW_RANGE", "steps.i.window.hopping.advance"),
        ("PARAMETER_RANGE", "steps.i.grace"),
        ("KEY_TYPE", "steps.i.by.0"),
        ("MEASURE_TYPE", "steps.i.measures.a"),
        ("MEASURE_UNKNOWN", "steps.i.measures.b"),
        ("PARAMETER_RANGE", "steps.i.measures.c"),
        ("PARAMETER_RANGE", "steps.i.emit"),
        ("PARAMETER_RANGE", "steps.i.i"),
        ("NAME_TAKEN", "steps.i"),
        ("PARAMETER_RANGE", "outputs.out.to"),
        ("PARAMETER_RANGE", "settings.mode"),
        ("PARAMETER_RANGE", "settings.trigger"),
    }
    assert {row for row in found(plan) if row[0] != "STEP_UNUSED"} == expected
    assert not plan.ok
    text = read_text(TWENTY)
    lines = {".".join(p.path): text.locate(p.path, p.span) for p in plan.problems}
    assert lines["steps.e.fields.c"] == (13, 59, 13, 64)
    assert lines["steps.i.measures.b"] == (23, 30, 23, 36)
    assert all(lines.values())


@pytest.mark.parametrize(
    "document", ["", "a: [", "[]", "format: 1", "{}", "x" * 2_000_000, "steps: {a: {op: filter}}"]
)
def test_never_raises(document: str) -> None:
    plan = plan_job(document, {})
    assert not plan.ok
    assert plan.as_json()["problems"]
    assert plan.as_json()["document"] is None


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.title)
def test_golden_cases_are_sound_and_their_rows_have_the_planned_fields(case: Case) -> None:
    contracts = {name: StreamContract.model_validate(written) for name, written in case.contracts.items()}
    plan = plan_job(case.document, contracts)
    assert plan.ok, plan.problems
    assert plan.document is not None
    streams = {
        name: contracts[ref.registered]
        for name, ref in plan.document.sources.items()
        if contracts[ref.registered].kind == "stream"
    }
    for name, read in streams.items():
        records = [record for batch in case.batches for record in batch.get(name, [])]
        malformed = [
            values
            for at, values in records
            if not isinstance(decode(json.dumps(values).encode(), None, read, at), Row)
        ]
        assert len(malformed) == case.malformed.get(name, 0)
    output = plan.relation(plan.outputs[0])
    for contents in case.expected_after:
        for row in next(iter(contents.values())).values():
            assert tuple(row) == output.schema.names
            assert all(row[f.name] is not None for f in output.schema if not f.nullable)


def test_the_form_of_the_api() -> None:
    answer = planned({"kept": {"op": "filter", "input": "s", "where": "x > 0"}}).as_json()
    assert list(answer) == [
        "problems",
        "nodes",
        "outputs",
        "queries",
        "mode",
        "fingerprint",
        "slots",
        "document",
    ]
    assert answer["nodes"][0]["op"] == "source"
    assert (answer["nodes"][1]["identity"], answer["nodes"][1]["identity_kind"]) == (
        ["_source", "_partition", "_offset"],
        "row",
    )


def test_identities_are_said_in_words() -> None:
    sources = {"s": {"stream": "s"}, "s2": {"stream": "s"}}
    steps = {
        "pairs": {
            "op": "join",
            "left": "s",
            "right": "s2",
            "on": {"k": "k"},
            "between": {"after": "1s"},
            "prefix": "r_",
        },
        "words": {"op": "split", "input": "pairs", "field": "k"},
        "both": {"op": "union", "inputs": ["words", "s"]},
        "sums": {
            "op": "aggregate",
            "input": "both",
            "by": ["x"],
            "measures": {"n": "count()"},
            "window": {"tumbling": {"size": "5s"}},
        },
    }
    plan = planned(steps, sources=sources)
    assert plan.ok, plan.problems
    said = {node["name"]: (node["identity_kind"], node["identity"]) for node in plan.as_json()["nodes"]}
    assert said["pairs"] == ("pair", ["left row", "right row"])
    assert said["words"] == ("pair", ["left row", "right row", "index 1"])
    assert said["both"] == ("union", ["input", "row of the input"])
    assert said["sums"] == ("key", ["window_start", "window_end", "x"])


def test_passes_are_named_in_order() -> None:
    assert [one.__name__ for one in PASSES] == [
        "resolve",
        "graph",
        "check",
        "split_inputs",
        "limits",
        "outputs",
        "lineage",
        "split_queries",
        "watermark",
        "prune_columns",
        "mode",
        "lint",
        "fingerprint",
    ]


def test_planning_loads_neither_django_nor_spark() -> None:
    foreign = {"django", "pyspark", "rest_framework", "celery"}
    imported = "{m.split('.')[0] for m in sys.modules}"
    code = f"import sys, jobs.plan; print(sorted({imported} & {foreign}))"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
