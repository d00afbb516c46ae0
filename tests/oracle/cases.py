"""Golden cases of the operators: `tests/golden/operators/*.yaml` read into batches of records and expected contents.

A file is a list of cases:

    title        what the case shows
    fields       of the one stream s: name: type; a type that ends in ! is not null
    delay        of the stream, 10s
    steps        of the document; the last one is the output
    batches      lists of rows [seconds after 2026-01-01T10:00:00Z, value of each field in order]; {} is an empty batch
    columns      of the expected rows; the first may be `id`, a whole identity that is not a field
    identity     how many leading columns are the identity (without `id`)
    after        per batch the whole content so far, or `same`; window bounds in seconds as above
    late         exact number of late (row, window) pairs, 0
    any_order    content when nothing is late and everything closes; the last of `after` when left out
    exact        true: the batches must follow each other without an empty one between (Spark adds one when the watermark
                 moved and final results are wanted)
    approximate  field: greatest relative error
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.oracle.script import Batch, Content, Contracts
from tests.oracle.values import identity, iso

START = 1_767_261_600_000_000  # 2026-01-01T10:00:00Z
FOLDER = Path(__file__).parent.parent / "golden" / "operators"
TIMES = ("window_start", "window_end")


@dataclass(frozen=True)
class Case:
    """One script.

    Attributes:
        title: unique.
        document: JSON text.
        contracts: by stream name, as JSON values of a stream contract; event time is the record's timestamp.
        batches: per batch and source the records: event time in µs (whole ms) and the JSON value. One partition.
        expected_after: per batch the whole content: identity text → row as result records write it.
        late: exact number of late (row, window) pairs.
        order_insensitive: the content if nothing were late and everything closed.
        exact_batches: no empty batch may be added between.
        approximate: fields whose value may differ, with the relative error.
    """

    title: str
    document: str
    contracts: Contracts
    batches: list[Batch]
    expected_after: list[Content]
    late: int
    order_insensitive: Content
    exact_batches: bool = False
    approximate: dict[str, float] = field(default_factory=dict)

    @property
    def final(self) -> bool:
        """True when some step emits final results, so that Spark runs in append mode."""
        return '"final"' in self.document


def load_cases() -> list[Case]:
    """All cases, in the order of files and within them."""
    return [_case(written) for path in sorted(FOLDER.glob("*.yaml")) for written in yaml.safe_load(path.read_text("utf-8"))]


def _case(written: dict[str, Any]) -> Case:
    fields = written["fields"]
    steps = written["steps"]
    document = {
        "format": 1,
        "name": written["title"],
        "sources": {"s": {"stream": "s"}},
        "steps": steps,
        "outputs": {"out": {"input": list(steps)[-1], "to": "result"}},
    }
    contract = {
        "fields": [{"name": name, "type": type_.rstrip("!"), "nullable": not type_.endswith("!")} for name, type_ in fields.items()],
        "delay": written.get("delay", "10s"),
    }
    batches = [{"s": [_record(row, list(fields)) for row in batch]} if batch else {} for batch in written["batches"]]
    contents: list[Content] = []
    for table in written["after"]:
        contents.append(contents[-1] if table == "same" else _content(table, written))
    last = _content(written["any_order"], written) if "any_order" in written else contents[-1]
    return Case(
        written["title"],
        json.dumps(document),
        {"s": contract},
        batches,
        contents,
        written.get("late", 0),
        last,
        written.get("exact", False),
        written.get("approximate", {}),
    )


def _at(seconds: float) -> int:
    return START + round(seconds * 1_000) * 1_000


def _record(row: list[Any], fields: list[str]) -> tuple[int, dict[str, Any]]:
    return _at(row[0]), dict(zip(fields, row[1:], strict=False))


def _content(table: list[list[Any]], written: dict[str, Any]) -> Content:
    columns = written["columns"]
    content: Content = {}
    for cells in table:
        shown = [iso(_at(cell)) if column in TIMES else cell for column, cell in zip(columns, cells, strict=True)]
        if columns[0] == "id":
            content[identity(shown[0])] = dict(zip(columns[1:], shown[1:], strict=True))
        else:
            content[identity(shown[: written["identity"]])] = dict(zip(columns, shown, strict=True))
    assert len(content) == len(table), f"{written['title']}: an identity stands twice"
    return content


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


def _equal(want: Any, have: Any, error: float | None) -> bool:
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(_equal(a, b, error) for a, b in zip(want, have, strict=True))
    if error is not None and want is not None and have is not None:
        return abs(want - have) <= max(2, 4 * error * want)
    if isinstance(want, bool) or isinstance(have, bool) or not (isinstance(want, float) and isinstance(have, float | int)):
        return type(want) is type(have) and bool(want == have)
    return math.isclose(want, have, rel_tol=1e-9, abs_tol=1e-12)
