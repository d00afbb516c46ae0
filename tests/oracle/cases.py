"""Golden cases of the operators: reads `tests/golden/operators/*.yaml` into batches and expected contents.

A file is a list of cases:

    title        what the case shows
    fields       of the one stream s: name: type; a type that ends in ! is not null
    delay        of the stream, 10s
    streams      instead of fields and delay, by name: {fields, delay, event_time}; event_time names a field
                 of type long that holds the time in µs: it is not written in rows, and seconds may then have
                 six digits instead of three
    tables       by name: {fields, key: [names], version_by, delay, event_time}; a table without a delay does
                 not affect the watermark
    sources      of the document; default: one per stream and table, with its name
    settings     of the document
    steps        of the document; the last one is the output
    outputs      instead of the last step, name: node or node.port; the first is the result, the others are
                 topics
    names        of outputs that are topics: the names they write fields under, as in the document; columns
                 are then those names, and lists of nested ones
    batches      lists of rows [seconds after 2026-01-01T10:00:00Z, value of each field in order]; with
                 several streams {stream: rows}; {} is an empty batch; a tombstone is [seconds, {key: value}],
                 a heartbeat [seconds, {heartbeat: the seconds that it says}]
    columns      of the expected rows; the first may be `id`, an identity that is not a field
    identity     how many leading columns are the identity (without `id`)
    after        per batch the content so far, or `same`; window bounds in seconds as above, or as text;
                 with `outputs`, columns, identity and each entry of after are by output
    late         exact number of late (row, window) pairs, 0
    errors       step: input rows in which an error inside an expression became null; steps without any are
                 omitted
    malformed    source: malformed records; step: rows omitted because they have no key
    any_order    content when nothing is late and everything closes; default: the last of `after`; `arrival`
                 when the result depends on the order of arrival
    exact        true: there must be no empty batch between the batches (Spark adds one when the watermark
                 moved and final results are due)
    approximate  field: greatest relative error

`expression_functions.py` defines the meaning of expression texts.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.oracle.answers import Batch, Content, Contracts
from tests.oracle.records import HEARTBEAT, TOMBSTONE
from tests.oracle.values import identity, iso

NEAR: Final = "near"  # is in the names of measures that are right but for the last digits of a double

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
        contracts: by registered name, as JSON values of a stream contract.
        batches: per batch and source the records: Kafka's timestamp in µs and the JSON value, or for a
            tombstone the key alone under the name `TOMBSTONE`; beside them marks (`records.py`).
        expected_after: per batch and output the content: identity text → row, as in result records.
        late: exact number of late (row, window) pairs.
        errors: by step, rows in which an error became null.
        malformed: by source the records, by step the keyless rows, that were left out.
        only_end: only the last of the contents is known.
        order_insensitive: by output the content if nothing were late and everything closed; None: it depends
            on arrival.
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
    """All cases, in the order of files and within them. Nobody changes one: a process reads them once."""
    return list(_read_cases())


@cache
def _read_cases() -> tuple[Case, ...]:
    return tuple(
        _case(written)
        for path in sorted(FOLDER.glob("*.yaml"))
        for written in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    )


def _case(written: dict[str, Any]) -> Case:
    streams = written.get("streams") or (
        {}
        if "fields" not in written
        else {"s": {key: written[key] for key in ("fields", "delay") if key in written}}
    )
    tables = written.get("tables", {})
    sources = {name: {"stream": name} for name in streams} | {name: {"table": name} for name in tables}
    outputs = written.get("outputs") or {"out": list(written["steps"])[-1]}
    names = written.get("names", {})
    targets = [
        "result",
        *({"topic": name, **({"names": names[name]} if name in names else {})} for name in list(outputs)[1:]),
    ]
    document = {
        "format": 1,
        "name": written["title"],
        "sources": written.get("sources", sources),
        "steps": written["steps"],
        "outputs": {
            name: {"input": node, "to": to} for (name, node), to in zip(outputs.items(), targets, strict=True)
        },
    }
    if "settings" in written:
        document["settings"] = written["settings"]
    contracts = {name: _contract(registered, "delay", "10s") for name, registered in streams.items()}
    contracts |= {
        name: {**_contract(registered, "delay", None), "kind": "table", "key": registered["key"]}
        for name, registered in tables.items()
    }
    registered_of = {name: ref.get("stream") or ref.get("table") for name, ref in document["sources"].items()}
    batches = [_batch(rows, contracts, registered_of) for rows in written["batches"]]
    is_single = "outputs" not in written
    contents: list[Contents] = []
    for tables_after in written["after"]:
        contents.append(
            contents[-1] if tables_after == "same" else _contents(tables_after, written, outputs, is_single)
        )
    last: Contents | None = contents[-1]
    if "any_order" in written:
        last = (
            None
            if written["any_order"] == "arrival"
            else _contents(written["any_order"], written, outputs, is_single)
        )
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
        {"name": name, "type": type_.rstrip("!"), "nullable": not type_.endswith("!")}
        for name, type_ in registered["fields"].items()
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
    return {
        name: [_record(row, contracts[registered_of[name]]) for row in records]
        for name, records in by_source.items()
    }


def at_seconds(seconds: float) -> int:
    """The instant so many seconds after the start of the cases, in µs, a multiple of 1 ms."""
    return START + round(seconds * 1_000) * 1_000


def _record(row: list[Any], contract: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    fields = [field["name"] for field in contract["fields"]]
    if len(row) == 2 and isinstance(row[1], dict) and row[1].keys() == {"heartbeat"}:
        return at_seconds(row[0]), {HEARTBEAT: iso(at_seconds(row[1]["heartbeat"]))}
    if len(row) == 2 and isinstance(row[1], dict) and len(fields) > 1:
        return at_seconds(row[0]), {TOMBSTONE: row[1]}
    if "event_time" not in contract:
        return at_seconds(row[0]), dict(zip(fields, row[1:], strict=False))
    clock = contract["event_time"]["field"]
    at = START + round(row[0] * 1_000_000)
    return at, {clock: at, **dict(zip([name for name in fields if name != clock], row[1:], strict=False))}


def _contents(tables: Any, written: dict[str, Any], outputs: dict[str, str], is_single: bool) -> Contents:
    if is_single:
        return {
            next(iter(outputs)): _content(
                tables, written["columns"], written.get("identity", 0), written["title"]
            )
        }
    return {
        name: _content(
            tables.get(name, []),
            written["columns"][name],
            written.get("identity", {}).get(name, 0),
            written["title"],
        )
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
    """Differences of two contents.

    Doubles within 1e-9, `approximate` ones within max(2, 4 · error · value). A change of doubles that are
    right but for their last digits (`NEAR`) is as exact as they are, however little it is itself.
    """
    found = [f"missing {key}" for key in expected if key not in actual] + [
        f"unexpected {key}" for key in actual if key not in expected
    ]
    for key in expected.keys() & actual.keys():
        expected_row, row = expected[key], actual[key]
        last_digits = _last_digits(expected_row)
        if list(expected_row) != list(row):
            found.append(f"{key}: fields {list(row)} instead of {list(expected_row)}")
            continue
        found += [
            f"{key}: {name} is {row[name]!r} instead of {expected_row[name]!r}"
            for name in expected_row
            if not _equal(
                expected_row[name], row[name], approximate.get(name), last_digits if NEAR in name else 0.0
            )
        ]
    return found


def _last_digits(row: Mapping[str, Any]) -> float:
    """By how much a sum of some dozens of doubles as large as the row's largest depends on their order."""
    doubles = [abs(value) for value in row.values() if isinstance(value, float) and math.isfinite(value)]
    return max(doubles, default=0.0) * 2**-48


def all_differences(expected: Contents, actual: Contents, approximate: dict[str, float]) -> list[str]:
    """As `differences`, over all outputs."""
    return [
        f"{name}: {text}"
        for name in expected
        for text in differences(expected[name], actual.get(name, {}), approximate)
    ]


def _equal(expected: Any, actual: Any, error: float | None, digits: float = 0.0) -> bool:
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(
            _equal(a, b, error, digits) for a, b in zip(expected, actual, strict=True)
        )
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(
            _equal(expected[name], actual[name], error, digits) for name in expected
        )
    if error is not None and expected is not None and actual is not None:
        return abs(expected - actual) <= max(2, 4 * error * expected)
    if (
        isinstance(expected, bool)
        or isinstance(actual, bool)
        or not (isinstance(expected, float) and isinstance(actual, float | int))
    ):
        return type(expected) is type(actual) and bool(expected == actual)
    return math.isclose(expected, actual, rel_tol=1e-9, abs_tol=max(1e-12, digits))
