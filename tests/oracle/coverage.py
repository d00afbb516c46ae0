"""What random documents are made of, counted: so that what is never drawn is seen.

.venv/bin/python -m tests.oracle.coverage [documents] [seed]   writes docs/random-documents.md
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jobs.base.types import type_text
from jobs.operators import OPERATORS
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.join_bound import JoinBound
from jobs.operators.latest import LatestBound
from jobs.operators.table_join_bound import TableJoinBound
from jobs.operators.throttle import ThrottleBound
from jobs.plan import Plan
from jobs.plan.model import SOURCE, Node
from tests.oracle import random_rows
from tests.oracle.answers import node_of, references
from tests.oracle.coverage_options import EXPECTED_OPTIONS, OPTION_TITLES, RARE_OPTIONS, option_features
from tests.oracle.coverage_rows import EXPECTED_ROWS, counted_rows, missing_rows
from tests.oracle.drawing import drawn
from tests.oracle.random_cases import jobs
from tests.oracle.random_jobs import Job, kind_of, refused
from tests.oracle.random_names import OF_KAFKA, WORDS
from tests.oracle.random_states import MEASURES

PAGE: Final = Path(__file__).parent.parent.parent / "docs" / "random-documents.md"
DOCUMENTS: Final = 2_000
SEED: Final = 1
ROWS_EACH: Final = 4
"""Rows are counted of every fourth as many documents: the oracle plays them, which takes longer."""

JOINS: Final = ("inner", "left", "right", "full", "semi", "anti")
TABLE_JOINS: Final = tuple(
    f"{version} {type_}"
    for version in ("current", "as_of", "broadcast", "broadcast by part")
    for type_ in ("inner", "left")
)
WINDOWS: Final = (
    *("none update", "session final", "sliding final"),
    *(f"{kind} {emit}" for kind in ("tumbling", "hopping", "calendar") for emit in ("update", "final")),
)
KEYED: Final = ("aggregate", "deduplicate", "latest", "join", "table_join", "throttle")
NESTED: Final = ("struct", "array", "map")
NAMES: Final = (
    "word of SQL",
    "column of Kafka",
    "in two cases",
    "step as a field",
    "step as a word of SQL",
    "source as a field",
    "field as a source",
    "measure as a field that is read",
    "as a prefix would make it",
    "both sides of a join, with a prefix",
    "both sides of a join, without a prefix",
    "both sides of a table join, with a prefix",
    "both sides of a union",
)
SHAPES: Final = (
    *(
        "outputs 1",
        "outputs 2",
        "outputs 3",
        "read by two steps",
        "read by a step and an output",
        "late rows to an output",
    ),
    *(
        "condition on the bounds of a window",
        "a stream joined with what is made of it",
        "steps over a table",
        "malformed possible",
    ),
)


def features(job: Job) -> Iterator[str]:
    """What a document has, each as ``group: feature``; once or more."""
    plan = job.plan(job.topics)
    yield f"watermark: {'max' if job.settings.get('watermark') == 'max' else 'min'}"
    yield f"mode: {plan.mode.mode}"
    yield f"queries: {len(plan.queries)}"
    for node in plan.live_nodes:
        if node.op != SOURCE:
            yield f"operator: {node.op}"
            yield from _edges(plan, node)
            yield from _kinds(job, node)
            yield from _keys(plan, node)
    yield from _names(job, plan)
    yield from _shapes(job, plan)
    yield from option_features(job, plan)


def _edges(plan: Plan, node: Node) -> Iterator[str]:
    for reference in node.inputs:
        above = plan.node(node_of(reference))
        op = "table" if above.op == SOURCE and above.output.kind == "upsert" else above.op
        yield f"neighbours: {op} → {node.op}"
        kinds = {kind_of(type_text(field.type)) for field in plan.relation(reference).schema}
        yield from (f"nested: {kind} into {node.op}" for kind in kinds & set(NESTED))


def _kinds(job: Job, node: Node) -> Iterator[str]:
    written = job.steps[node.name]
    match node.op:
        case "join":
            yield f"join: {written['type']}"
            yield f"join condition: {written['type']} {'with' if 'where' in written else 'without'}"
        case "table_join":
            bound = node.bound
            assert isinstance(bound, TableJoinBound)
            version = (
                bound.version
                if bound.broadcast is None
                else "broadcast"
                if bound.broadcast.by_key
                else "broadcast by part"
            )
            yield f"table join: {version} {bound.type}"
        case "aggregate":
            bound = node.bound
            assert isinstance(bound, AggregateBound)
            kind = "none" if written["window"] == "none" else next(iter(written["window"]))
            yield f"window: {kind} {bound.emit}"
            yield from (f"measure: {measure.function}" for measure in bound.measures)
        case "latest":
            yield f"latest: {'ttl' if 'ttl' in written else 'for ever'}"
        case "throttle":
            yield f"throttle: {written['keep']}"
        case "deduplicate":
            yield f"deduplicate: {'exact' if written['within'] == 'exact' else 'within'}"


def _key_kind(type_: str) -> str:
    return "wide decimal" if type_ == random_rows.WIDE else kind_of(type_)


def _keys(plan: Plan, node: Node) -> Iterator[str]:
    match node.bound:
        case AggregateBound(by=by):
            types = [expression.type for _, expression in by]
        case DeduplicateBound(by=names) | LatestBound(by=names) | ThrottleBound(by=names):
            schema = plan.relation(node.inputs[0]).schema
            types = [found.type for name in names if (found := schema.get(name)) is not None]
        case JoinBound(on=on) | TableJoinBound(on=on):
            types = [pair.type for pair in on]
        case _:
            types = []
    yield from (f"key: {_key_kind(type_text(found))} of {node.op}" for found in types)
    yield from (f"keys: {len(types)} of {node.op}" for _ in range(node.op in KEYED))


def _names(job: Job, plan: Plan) -> Iterator[str]:
    live = {node.name for node in plan.live_nodes}
    sources = live & job.contracts.keys()
    fields = {name for node in plan.live_nodes for name in node.output.schema.names}
    yield from ("name: word of SQL" for name in fields if name.lower() in WORDS)
    yield from ("name: column of Kafka" for name in fields if name in OF_KAFKA)
    yield from ("name: step as a field" for name in live - sources if name in fields)
    yield from ("name: step as a word of SQL" for name in live - sources if name in WORDS)
    yield from ("name: source as a field" for name in sources if name in fields and name != "s")
    yield from ("name: field as a source" for name in fields & sources)
    for node in plan.live_nodes:
        names = node.output.schema.names
        if len({name.lower() for name in names}) < len(names):
            yield "name: in two cases"
        if node.op == SOURCE:
            continue
        sides = [set(plan.relation(reference).schema.names) for reference in node.inputs]
        if len(sides) > 1 and sides[0] & sides[1]:
            what = {"join": "join", "table_join": "table join", "union": "union"}[node.op]
            prefix = (
                ""
                if node.op == "union"
                else f", {'with' if job.steps[node.name].get('prefix') else 'without'} a prefix"
            )
            yield f"name: both sides of a {what}{prefix}"
        written = job.steps[node.name]
        if prefixed := written.get("prefix") and node.op in ("join", "table_join"):
            prefixed = {f"{written['prefix']}{name}" for name in sides[1]}
            yield from ("name: as a prefix would make it" for name in sides[0] & prefixed)
        yield from (
            "name: measure as a field that is read"
            for name in written.get("measures", ())
            if name in sides[0]
        )


def _shapes(job: Job, plan: Plan) -> Iterator[str]:
    yield f"shape: outputs {min(3, len(plan.sinks))}"
    steps = {node.name: job.steps[node.name] for node in plan.live_nodes if node.op != SOURCE}
    read = Counter(reference for step in steps.values() for reference in references(step))
    outputs = Counter(sink.reference for sink in plan.sinks)
    yield from (
        "shape: read by two steps"
        for reference, times in read.items()
        if times > 1 and reference not in job.contracts
    )
    yield from ("shape: read by a step and an output" for reference in read if reference in outputs)
    yield from (
        "shape: late rows to an output"
        for reference in outputs
        if reference.endswith(".late") and node_of(reference) in steps
    )
    for step in steps.values():
        texts = [str(step.get("where", "")), *map(str, step.get("branches", {}).values())]
        if any(re.search(r"\bwindow_(start|end)\b", text) for text in texts):
            yield "shape: condition on the bounds of a window"
        above = [plan.relation(reference).sources for reference in references(step)]
        if step["op"] == "join" and above[0] & above[1]:
            yield "shape: a stream joined with what is made of it"
        if step["op"] == "table_join" and step["table"] in steps:
            yield "shape: steps over a table"
    if any(not field["nullable"] for name in job.contracts for field in job.contracts[name]["fields"]):
        yield "shape: malformed possible"


ROWS: Final = (
    "filter",
    "derive",
    "select",
    "drop",
    "flatten",
    "split",
    "sample",
    "rename",
    "cast",
    "explode",
    "branch",
    "union",
)
APPEND_ONLY_OPERATORS: Final = (
    "aggregate",
    "change",
    "deduplicate",
    "latest",
    "throttle",
    "join",
    "split",
    "explode",
    "union",
)
IMPOSSIBLE: Final[dict[str, str]] = {
    **{
        f"{above} → change": "a change reads an aggregate"
        for above in (*OPERATORS, "source", "table")
        if above != "aggregate"
    },
    **{f"latest → {below}": "what is updated is not append-only" for below in APPEND_ONLY_OPERATORS},
    **{f"table → {below}": "a table is not append-only" for below in APPEND_ONLY_OPERATORS},
    "latest → table_join": "a step cannot be looked up yet, and what is updated is not append-only",
}
"""Neighbours that the check refuses, whatever stands around them, and why."""


def expected_features() -> Iterator[str]:
    """All that has to be drawn."""
    yield from (f"operator: {op}" for op in OPERATORS)
    yield from (f"join: {type_}" for type_ in JOINS)
    yield from (f"join condition: {type_} {how}" for type_ in JOINS for how in ("with", "without"))
    yield from (f"table join: {kind}" for kind in TABLE_JOINS)
    yield from (f"window: {kind}" for kind in WINDOWS)
    yield from (
        f"measure: {name}"
        for name in sorted(
            {text.partition("(")[0] for text, *_ in MEASURES} | {"top_rows", "bottom_rows", "count_if"}
        )
    )
    yield from (f"latest: {how}" for how in ("ttl", "for ever"))
    yield from (f"deduplicate: {how}" for how in ("exact", "within"))
    yield from (f"throttle: {how}" for how in ("first", "last"))
    yield from (f"key: {_key_kind(type_)} of {op}" for op in KEYED for type_ in random_rows.KEYS)
    yield from (f"keys: {number} of {op}" for op in KEYED for number in (1, 2))
    yield "keys: 0 of aggregate"
    pairs = (f"{above} → {below}" for above in ("source", "table", *OPERATORS) for below in OPERATORS)
    yield from (f"neighbours: {pair}" for pair in pairs if pair not in IMPOSSIBLE)
    # What a change reads is grouped by, or is a number.
    yield from (f"nested: {kind} into {op}" for kind in NESTED for op in OPERATORS if op != "change")
    yield from (f"name: {feature}" for feature in NAMES)
    yield from (f"shape: {feature}" for feature in SHAPES)
    yield from (f"watermark: {policy}" for policy in ("min", "max"))
    yield from (f"mode: {mode}" for mode in ("microbatch", "realtime"))
    yield from (f"queries: {number}" for number in (1, 2))
    yield from EXPECTED_OPTIONS


def counted(documents: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """In how many documents each feature is; and how often a drawn step was refused, by code."""
    refused.clear()
    found: Counter[str] = Counter()
    for job in drawn(documents, seed, jobs()):
        found.update(set(features(job)))
    return found, Counter(refused)


RARE: Final = (
    "neighbours: ",
    "key: wide decimal",
    "name: as a prefix",
    "table join: broadcast by part",
    "join condition: anti",
    *RARE_OPTIONS,
)


def missing(found: Counter[str], *, rare: bool = True) -> list[str]:
    """Features that should occur and do not; with `rare` also those that take many documents."""
    return [
        feature
        for feature in expected_features()
        if not found[feature] and (rare or not feature.startswith(RARE))
    ]


def page(documents: int, seed: int, found: Counter[str], refusals: Counter[str], rows: Counter[str]) -> str:
    """The text of docs/random-documents.md: `found` in the documents, `rows` in what is sent to them."""
    counts = _groups([*expected_features(), *sorted(set(found) - set(expected_features()))], found)
    reasons: dict[str, list[str]] = {}
    for pair, reason in IMPOSSIBLE.items():
        reasons.setdefault(reason, []).append(pair)
    impossible = "\n".join(f"- {reason}: {', '.join(pairs)}" for reason, pairs in reasons.items())
    above = ("source", "table", *OPERATORS)
    head = f"| above ↓ below → | {' | '.join(OPERATORS)} |\n|{'---|' * (len(OPERATORS) + 1)}"
    lines = "\n".join(
        f"| {one} | {' | '.join(_cell(found, one, other) for other in OPERATORS)} |" for one in above
    )
    refused_text = ", ".join(f"{code} {times}" for code, times in sorted(refusals.items()))
    return TEXT.format(
        documents=documents,
        seed=seed,
        counts=counts,
        head=head,
        lines=lines,
        rows=_groups([*EXPECTED_ROWS], rows),
        row_documents=documents // ROWS_EACH,
        impossible=impossible,
        refused=refused_text,
    )


def _groups(features: list[str], found: Counter[str]) -> str:
    """Lines of a table: each group with its features and how often they were found."""
    groups: dict[str, list[str]] = {}
    for feature in features:
        group, _, name = feature.partition(": ")
        if group != "neighbours":
            groups.setdefault(group, []).append(f"{name} {found[feature]}")
    return "\n".join(
        f"| {TITLES.get(group, group)} | {' · '.join(names)} |" for group, names in groups.items()
    )


def _cell(found: Counter[str], above: str, below: str) -> str:
    pair = f"{above} → {below}"
    return (
        "–" if pair in IMPOSSIBLE and not found[f"neighbours: {pair}"] else str(found[f"neighbours: {pair}"])
    )


TITLES: Final = {
    "keys": "how many keys",
    "key": "type of a key",
    "nested": "nested fields that flow into a step",
    "name": "names",
    "shape": "shape",
    **OPTION_TITLES,
}
TEXT: Final = """# Random documents: what is drawn, and how often

The engine is compared with the oracle (`tests/oracle`, plain Python over lists) on random documents over
random rows. `.venv/bin/python -m tests.oracle.coverage {documents} {seed}` writes this page;
`tests/integration/oracle/test_coverage.py` fails when a feature below is never drawn, or when the page is out
of date.

A document is drawn step by step (`random_jobs.py`): one stream, a union of two, or a stream and a table; up
to three stateless steps, then up to three with state and steps between; perhaps another branch, and steps on
the way that are outputs, too. In half of the documents names are plain. In the others they are SQL keywords,
Kafka's columns, names that differ in case only, names of steps and sources, and names that look prefixed;
measures and keys may have the names of their fields. Streams have delays of their own, and every fourth an
event time from a field (`random_times.py`), from which Kafka's timestamp differs. A refused step is left out,
if the reason can't be avoided; any other problem fails the test.

Rows (`random_rows.py`) come in one to three batches, out of order and late, with duplicates, with nulls in
nullable fields (keys, too) and sometimes in others, with NaN, the greatest and least numbers, empty texts,
arrays and maps, and times around clock changes, around a day that a zone skipped, at the beginning of 1970
and in 2099. A batch has up to twelve rows, and one of five has heartbeat records between them, alone or
beside a value that would be a row, some without a time.
Keys are also decimals of 30 digits, and texts that are empty, of 300 letters, beyond 16 bits, or
one letter written in two ways; doubles, and so NaN, are refused as keys. A table has up to four key fields.
Mostly, a much later row closes everything at the end; behind half of these come rows of before, which are
late, or just in time for what is closing. In half of the documents the records of each source lie
in two or three partitions, of which some may get none; those of a table's key lie in one.

They are played in micro-batches. Those of one partition that real-time mode allows, and whose times a broker
takes, are played in that mode too, a thirtieth as many (`test_random_real_time.py`).

In {documents} documents (seed {seed}), so many have:

| | |
|---|---|
{counts}

Of {row_documents} of them, played by the oracle over their rows, so many have:

| | |
|---|---|
{rows}

## Neighbours

How many documents have a step right below another; – is refused by the check in any document.

{head}
{lines}

Refused in any document:

{impossible}

Drawn steps were refused {refused} times, and left out.
"""


def main(arguments: list[str]) -> None:
    """Writes the page, and prints what is missing."""
    documents, seed = (int(text) for text in (*arguments, str(DOCUMENTS), str(SEED))[:2])
    found, refusals = counted(documents, seed)
    rows = counted_rows(documents // ROWS_EACH, seed)
    PAGE.write_text(page(documents, seed, found, refusals, rows), "utf-8")
    print("\n".join([*missing(found), *missing_rows(rows)]) or "nothing is missing")


if __name__ == "__main__":
    main(sys.argv[1:])
