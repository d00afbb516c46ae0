"""Golden cases of the operators: `tests/golden/operators/*.yaml` read into batches of records and expected contents.

A file is a list of cases:

    title        what the case shows
    fields       of the one stream s: name: type; a type that ends in ! is not null
    delay        of the stream, 10s
    streams      instead of fields and delay, by name: {fields, delay, event_time}; event_time names a field of type long that
                 holds the time in µs: it is not written in rows, and seconds may then have six digits instead of three
    tables       by name: {fields, key: [names], version_by, delay, event_time}; without a delay a table takes no part in the watermark
    sources      of the document; without it one per stream and table, under its name
    settings     of the document
    steps        of the document; the last one is the output
    outputs      instead of the last step, name: node or node.port; the first is the result, the others are topics
    names        of outputs that are topics: under which names they write fields, as in the document; columns are then those names,
                 and lists of nested ones
    batches      lists of rows [seconds after 2026-01-01T10:00:00Z, value of each field in order]; with several streams
                 {stream: rows}; {} is an empty batch; a table's tombstone is [seconds, {key: value}]
    columns      of the expected rows; the first may be `id`, a whole identity that is not a field
    identity     how many leading columns are the identity (without `id`)
    after        per batch the whole content so far, or `same`; window bounds in seconds as above, or written out as text
                 with `outputs`, columns, identity and each entry of after are by output
    late         exact number of late (row, window) pairs, 0
    errors       step: rows that it read in which an error inside an expression became null; steps without one are left out
    malformed    source: records that are none of its rows; and step: rows that it left out because they have no key
    any_order    content when nothing is late and everything closes; the last of `after` when left out; `arrival` when the
                 answer depends on the order of arrival
    exact        true: the batches must follow each other without an empty one between (Spark adds one when the watermark
                 moved and final results are wanted)
    approximate  field: greatest relative error

Expression texts are given a meaning in `meanings.py`.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.oracle.answers import TOMBSTONE, Batch, Content, Contracts
from tests.oracle.values import identity, iso

START = 1_767_261_600_000_000  # 2026-01-01T10:00:00Z
FOLDER = Path(__file__).parent.parent / "golden" / "operators"
TIMES = ("window_start", "window_end")

Contents = dict[str, Content]  # by name of the output


@dataclass(frozen=True)
class Case:
    """One script.

    Attributes:
        title: unique.
        document: JSON text.
        contracts: by registered name, as JSON values of a stream contract; event time is the record's timestamp, or a field
            that holds the same in µs.
        batches: per batch and source the records: event time in µs and the JSON value, or for a tombstone the
            key alone under the name `TOMBSTONE`. One partition.
        expected_after: per batch and output the whole content: identity text → row as result records write it.
        late: exact number of late (row, window) pairs.
        errors: by step, rows in which an error became null.
        malformed: by source the records, by step the keyless rows, that were left out.
        only_end: only the last of the contents is known.
        order_insensitive: by output the content if nothing were late and everything closed; None: it depends on arrival.
        exact_batches: no empty batch may be added between.
        approximate: fields whose value may differ, with the relative error.
    """

    title: str
    document: str
    contracts: Contracts
    batches: list[Batch]
    expected_after: list[Contents]
    late: int
    order_insensitive: Contents | None
    exact_batches: bool = False
    approximate: dict[str, float] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    malformed: dict[str, int] = field(default_factory=dict)
    only_end: bool = False

    @property
    def outputs(self) -> dict[str, str]:
        """Name → node or port of each output; the first is the result."""
        return {name: output["input"] for name, output in json.loads(self.document)["outputs"].items()}


def load_cases() -> list[Case]:
    """All cases, in the order of files and within them."""
    return [_case(written) for path in sorted(FOLDER.glob("*.yaml")) for written in yaml.safe_load(path.read_text("utf-8"))]


def _case(written: dict[str, Any]) -> Case:
    streams = written.get("streams") or (
        {} if "fields" not in written else {"s": {key: written[key] for key in ("fields", "delay") if key in written}}
    )
    tables = written.get("tables", {})
    sources = {name: {"stream": name} for name in streams} | {name: {"table": name} for name in tables}
    outputs = written.get("outputs") or {"out": list(written["steps"])[-1]}
    names = written.get("names", {})
    targets = ["result", *({"topic": name, **({"names": names[name]} if name in names else {})} for name in list(outputs)[1:])]
    document = {
        "format": 1,
        "name": written["title"],
        "sources": written.get("sources", sources),
        "steps": written["steps"],
        "outputs": {name: {"input": node, "to": to} for (name, node), to in zip(outputs.items(), targets, strict=True)},
    }
    if "settings" in written:
        document["settings"] = written["settings"]
    contracts = {name: _contract(registered, "delay", "10s") for name, registered in streams.items()}
    contracts |= {
        name: {**_contract(registered, "delay", None), "kind": "table", "key": registered["key"]} for name, registered in tables.items()
    }
    registered_of = {name: ref.get("stream") or ref.get("table") for name, ref in document["sources"].items()}
    batches = [_batch(rows, contracts, registered_of) for rows in written["batches"]]
    whole = "outputs" not in written
    contents: list[Contents] = []
    for tables_after in written["after"]:
        contents.append(contents[-1] if tables_after == "same" else _contents(tables_after, written, outputs, whole))
    last: Contents | None = contents[-1]
    if "any_order" in written:
        last = None if written["any_order"] == "arrival" else _contents(written["any_order"], written, outputs, whole)
    return Case(
        written["title"],
        json.dumps(document),
        contracts,
        batches,
        contents,
        written.get("late", 0),
        last,
        written.get("exact", False),
        written.get("approximate", {}),
        written.get("errors", {}),
        written.get("malformed", {}),
    )


def _contract(registered: dict[str, Any], name: str, default: str | None) -> dict[str, Any]:
    fields = [
        {"name": name, "type": type_.rstrip("!"), "nullable": not type_.endswith("!")} for name, type_ in registered["fields"].items()
    ]
    contract: dict[str, Any] = {"fields": fields}
    if registered.get(name, default) is not None:
        contract[name] = registered.get(name, default)
    if "version_by" in registered:
        contract["version_by"] = registered["version_by"]
    if "event_time" in registered:
        contract["event_time"] = {"kind": "field", "field": registered["event_time"], "unit": "us"}
    return contract


def _batch(rows: Any, contracts: Contracts, registered_of: dict[str, str]) -> Batch:
    by_source = rows if isinstance(rows, dict) else {"s": rows}
    return {name: [_record(row, contracts[registered_of[name]]) for row in given] for name, given in by_source.items()}


def at_seconds(seconds: float) -> int:
    """The instant so many seconds after the start of the cases, in µs, whole ms."""
    return START + round(seconds * 1_000) * 1_000


def _record(row: list[Any], contract: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    fields = [field["name"] for field in contract["fields"]]
    if len(row) == 2 and isinstance(row[1], dict) and len(fields) > 1:
        return at_seconds(row[0]), {TOMBSTONE: row[1]}
    if "event_time" not in contract:
        return at_seconds(row[0]), dict(zip(fields, row[1:], strict=False))
    clock = contract["event_time"]["field"]
    at = START + round(row[0] * 1_000_000)
    return at, {clock: at, **dict(zip([name for name in fields if name != clock], row[1:], strict=False))}


def _contents(tables: Any, written: dict[str, Any], outputs: dict[str, str], whole: bool) -> Contents:
    if whole:
        return {next(iter(outputs)): _content(tables, written["columns"], written.get("identity", 0), written["title"])}
    return {
        name: _content(tables.get(name, []), written["columns"][name], written.get("identity", {}).get(name, 0), written["title"])
        for name in outputs
    }


def _content(table: list[list[Any]], columns: list[str], identity_width: int, title: str) -> Content:
    content: Content = {}
    for cells in table:
        shown = [_shown(column, cell) for column, cell in zip(columns, cells, strict=True)]
        if columns[0] == "id":
            content[identity(shown[0])] = _row(columns[1:], shown[1:])
        else:
            content[identity(shown[:identity_width])] = _row(columns, shown)
    assert len(content) == len(table), f"{title}: an identity stands twice"
    return content


def _row(columns: list[str | list[str]], cells: list[Any]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=True):
        *above, last = [column] if isinstance(column, str) else column
        inner = record
        for name in above:
            inner = inner.setdefault(name, {})
        inner[last] = cell
    return record


def _shown(column: str, cell: Any) -> Any:
    return iso(at_seconds(cell)) if column in TIMES and not isinstance(cell, str) else cell


def differences(expected: Content, actual: Content, approximate: dict[str, float]) -> list[str]:
    """What differs between two contents, in words; doubles within 1e-9, `approximate` fields within max(2, 4 · error · value)."""
    found = [f"missing {key}" for key in expected if key not in actual] + [f"unexpected {key}" for key in actual if key not in expected]
    for key in expected.keys() & actual.keys():
        want, have = expected[key], actual[key]
        if list(want) != list(have):
            found.append(f"{key}: fields {list(have)} instead of {list(want)}")
            continue
        found += [
            f"{key}: {name} is {have[name]!r} instead of {want[name]!r}"
            for name in want
            if not _equal(want[name], have[name], approximate.get(name))
        ]
    return found


def all_differences(expected: Contents, actual: Contents, approximate: dict[str, float]) -> list[str]:
    """As `differences`, over all outputs."""
    return [f"{name}: {text}" for name in expected for text in differences(expected[name], actual.get(name, {}), approximate)]


def _equal(want: Any, have: Any, error: float | None) -> bool:
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(_equal(a, b, error) for a, b in zip(want, have, strict=True))
    if isinstance(want, dict) and isinstance(have, dict):
        return want.keys() == have.keys() and all(_equal(want[name], have[name], error) for name in want)
    if error is not None and want is not None and have is not None:
        return abs(want - have) <= max(2, 4 * error * want)
    if isinstance(want, bool) or isinstance(have, bool) or not (isinstance(want, float) and isinstance(have, float | int)):
        return type(want) is type(have) and bool(want == have)
    return math.isclose(want, have, rel_tol=1e-9, abs_tol=1e-12)
