"""Every accepted pair of consecutive stateful steps, over fixed batches with late rows and several windows.

Each first step gives a key `k` and a number `x`, so that each second step can read it.
"""

import json
from collections.abc import Iterator
from typing import Any

from jobs.formats.contract import StreamContract
from jobs.plan import plan_job
from tests.oracle.answers import Batch, Contracts, counts_of, scripted
from tests.oracle.cases import Case, at_seconds
from tests.oracle.records import TOMBSTONE
from tests.oracle.values import as_json

Step = dict[str, Any]

CONTRACTS: Contracts = {
    "s": {
        "fields": [
            {"name": "k", "type": "string", "nullable": True},
            {"name": "x", "type": "int", "nullable": True},
        ],
        "delay": "2s",
    },
    "q": {
        "fields": [
            {"name": "k", "type": "string", "nullable": True},
            {"name": "y", "type": "int", "nullable": True},
        ],
        "delay": "2s",
    },
    "t": {
        "kind": "table",
        "key": ["k"],
        "fields": [
            {"name": "k", "type": "string", "nullable": False},
            {"name": "v", "type": "int", "nullable": True},
        ],
    },
}

WINDOWS: dict[str, Step] = {
    "tumbling": {"window": {"tumbling": {"size": "10s"}}, "emit": "final"},
    "hopping": {"window": {"hopping": {"size": "20s", "advance": "10s"}}, "emit": "final", "grace": "1s"},
    "calendar": {"window": {"calendar": {"unit": "day", "zone": "Europe/Berlin"}}, "emit": "final"},
    "session": {"window": {"session": {"gap": "5s"}}},
    "sliding": {"window": {"sliding": {"size": "8s"}}},
    "tumbling update": {"window": {"tumbling": {"size": "10s"}}},
    "none": {"window": "none"},
}
# As first steps these keep the same state, and give rows in the same way, as another one.
AS_OTHERS = (
    "aggregate hopping",
    "aggregate calendar",
    "join right",
    "join where",
    "join inner from the right",
    "join left from the right",
    "join anti from the right",
    "table_join broadcast",
)
JOINS = ("inner", "left", "right", "full", "semi", "anti")
BETWEEN = {"before": "3s", "after": "5s"}


def aggregate(window: Step, reads: str) -> Step:
    """The total of each key; two measures that tell which rows there were, and in which order they stand."""
    measures = {"x": "sum(x)", "n": "count()", "least": "first(x)", "most": "max(x)"}
    return {"op": "aggregate", "input": reads, "by": ["k"], "measures": measures, **window}


def join(type_: str, left: str, right: str, **more: Any) -> Step:
    """Of two streams, with a prefix for equal names."""
    prefix = "one_" if "s" in (left, right) else "two_"
    return {
        "op": "join",
        "left": left,
        "right": right,
        "type": type_,
        "on": {"k": "k"},
        "prefix": prefix,
        **more,
    }


def table_join(version: str, reads: str) -> Step:
    """With the table as it is, as it was, or as it was at the start."""
    kind = {"broadcast": {}, "version": "current"} if version == "broadcast" else {"version": version}
    return {
        "op": "table_join",
        "input": reads,
        "table": "t",
        "type": "left",
        "on": {"k": "k"},
        "prefix": "one_" if reads == "s" else "two_",
        **kind,
    }


def steps_over(reads: str, other: str = "q") -> dict[str, dict[str, Step]]:
    """Name → stateful steps that read this node and, for joins, another stream; the last is the result."""
    found: dict[str, dict[str, Step]] = {
        f"aggregate {name}": {"a": aggregate(window, reads)} for name, window in WINDOWS.items()
    }
    for emit in ("final", "update"):
        below = aggregate({"window": {"tumbling": {"size": "10s"}}, "emit": emit}, reads)
        found[f"change {emit}"] = {
            "a": below,
            "b": {"op": "change", "input": "a", "of": ["x"], "missing": "zero"},
        }
    for within in ("exact", "15s"):
        found[f"deduplicate {within}"] = {
            "a": {"op": "deduplicate", "input": reads, "by": ["k"], "within": within}
        }
    for ttl in ({}, {"ttl": "20s"}):
        found["latest ttl" if ttl else "latest"] = {"a": {"op": "latest", "input": reads, "by": ["k"], **ttl}}
    for keep in ("first", "last"):
        found[f"throttle {keep}"] = {
            "a": {"op": "throttle", "input": reads, "by": ["k"], "every": "10s", "keep": keep}
        }
    for type_ in JOINS:
        found[f"join {type_}"] = {"a": join(type_, reads, other, between=BETWEEN)}
    found["join unbounded"] = {"a": join("inner", reads, other)}
    found["join where"] = {"a": join("inner", reads, other, between=BETWEEN, where="x > 1", time="left")}
    for type_ in ("inner", "left", "anti"):
        found[f"join {type_} from the right"] = {"a": join(type_, other, reads, between=BETWEEN)}
    for version in ("current", "as_of", "broadcast"):
        found[f"table_join {version}"] = {"a": table_join(version, reads)}
    return found


def _named(steps: dict[str, Step], prefix: str) -> dict[str, Step]:
    """The steps under names of their own."""
    references = ("input", "left", "right")

    def moved(step: Step) -> Step:
        return {
            name: f"{prefix}{value}" if name in references and value in steps else value
            for name, value in step.items()
        }

    return {f"{prefix}{name}": moved(step) for name, step in steps.items()}


def _document(steps: dict[str, Step], result: str) -> str:
    read = {
        value
        for step in steps.values()
        for name, value in step.items()
        if name in ("input", "left", "right", "table")
    }
    sources = {name: {"table" if name == "t" else "stream": name} for name in CONTRACTS if name in read}
    outputs = {"out": {"input": result, "to": "result"}}
    return json.dumps({"format": 1, "name": "chain", "sources": sources, "steps": steps, "outputs": outputs})


def chains() -> Iterator[tuple[str, str]]:
    """Title and document of every chain that the check accepts."""
    catalog = {name: StreamContract.model_validate(written) for name, written in CONTRACTS.items()}
    for first, below in steps_over("s").items():
        if first in AS_OTHERS:
            continue
        lower = _named(below, "first_")
        for second, above in steps_over(list(lower)[-1]).items():
            upper = _named(above, "second_")
            document = _document(lower | upper, list(upper)[-1])
            plan = plan_job(document, catalog)
            # Rows of another query bring their time a batch later, so keys are removed a batch later.
            if plan.ok and not (plan.has_exchange and "ttl" in second):
                yield f"{first}, {second}", document


def _script() -> list[Batch]:
    """Times never lie full seconds after a watermark, so that its resolution does not matter."""
    rows: list[dict[str, list[tuple[float, str | None, int | None]]]] = [
        {
            "s": [(1.2, "a", 1), (3.2, "b", 2), (12.3, "a", 3)],
            "q": [(2.2, "a", 10), (11.3, "b", 20)],
            "t": [(0.1, "a", 100)],
        },
        {"s": [(14.4, "b", 4), (9.2, "a", 5)], "q": [(15.4, "a", 11)], "t": [(13.1, "b", 200)]},
        {
            "s": [(31.6, "a", 6), (33.6, "b", 7), (32.2, None, 1)],
            "q": [(30.6, "b", 21), (33.7, "a", 12)],
            "t": [(30.1, "a", 101)],
        },
        {"s": [(2.4, "a", 8), (30.2, "b", 9)], "q": [(3.4, "a", 13), (29.6, "a", 14)]},
        {
            "s": [(58.6, "a", 10), (58.6, "b", 11), (58.6, "a", 10)],
            "q": [(59.7, "a", 15), (57.1, None, 1)],
            "t": [(50.1, "b", None)],
        },
        {"s": [(75.6, "a", 12), (4.4, "b", 13)], "q": [(76.8, "b", 22), (5.6, "b", 23)]},
        {"s": [(80.1, "b", None), (79.3, "a", 12)], "q": [(78.2, "a", 16)], "t": [(77.7, "b", 201)]},
        {"s": [(500_000.2, "z", 1)], "q": [(500_000.2, "z", 1)]},
        {},
    ]
    return [
        {name: [_record(name, *row) for row in records] for name, records in batch.items()} for batch in rows
    ]


def _record(source: str, seconds: float, key: str | None, number: int | None) -> tuple[int, dict[str, Any]]:
    if source == "t":
        return at_seconds(seconds), {TOMBSTONE: {"k": key}} if number is None else {"k": key, "v": number}
    return at_seconds(seconds), {"k": key, "x" if source == "s" else "y": number}


def chain_case(title: str, document: str) -> Case:
    """A chain with the oracle's answer."""
    read = json.loads(document)["sources"]
    contracts = {name: contract for name, contract in CONTRACTS.items() if name in read}
    batches = [{name: records for name, records in batch.items() if name in read} for batch in _script()]
    contents, counts = scripted(document, contracts, batches)[0], counts_of(document, contracts, batches)
    after = [
        {name: {key: as_json(row) for key, row in found.items()} for name, found in by_output.items()}
        for by_output in contents
    ]
    return Case(
        title,
        document,
        contracts,
        batches,
        after,
        counts.late,
        None,
        True,
        errors=counts.errors,
        malformed=counts.malformed,
    )
