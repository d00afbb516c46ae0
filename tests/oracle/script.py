"""The two answers: scripted (batch by batch, with watermark and lateness) and order-insensitive."""

import json
import unicodedata
from dataclasses import dataclass, field
from typing import Any

import yaml

from tests.oracle.measures import evaluate, measure
from tests.oracle.values import Row, identity, micros, moment, typed

Entry = tuple[list[Any], Row | None]  # identity, row or tombstone
Content = dict[str, dict[str, Any]]
Contracts = dict[str, dict[str, Any]]
Batch = dict[str, list[tuple[int, dict[str, Any]]]]


@dataclass
class Source:
    """A stream as a case gives it."""

    types: dict[str, str]
    delay: int
    greatest: int | None = None
    offset: int = 0


@dataclass
class Groups:
    """State of one aggregate: rows by (window, key)."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    keys: dict[str, tuple[tuple[int, int] | None, list[Any]]] = field(default_factory=dict)


class Oracle:
    """Runs one document over batches of rows."""

    def __init__(self, document: str, contracts: Contracts, *, endless: bool = False) -> None:
        """With `endless` nothing is late, and everything closes when `close` is called."""
        self.document = yaml.safe_load(document)
        self.endless = endless
        self.sources = {name: self._source(ref, contracts[ref["stream"]]) for name, ref in self.document["sources"].items()}
        self.steps = self._ordered()
        self.groups = {name: Groups() for name, step in self.steps if step["op"] == "aggregate"}
        self.watermarks = [0, 0]  # W(n-2), W(n-1)
        self.late = 0
        self.content: dict[str, Row] = {}
        self.closing = False

    @staticmethod
    def _source(ref: dict[str, Any], contract: dict[str, Any]) -> Source:
        types = {f["name"]: f["type"] for f in contract["fields"]}
        return Source(types, micros(ref.get("delay", contract.get("delay", "10s"))))

    def _ordered(self) -> list[tuple[str, dict[str, Any]]]:
        ready, rest, ordered = set(self.sources), dict(self.document.get("steps", {})), []
        while rest:
            name = next(name for name, step in rest.items() if step["input"] in ready)
            ordered.append((name, rest.pop(name)))
            ready.add(name)
        return ordered

    def batch(self, rows: Batch) -> None:
        """One batch: per source its rows (event time in µs, values)."""
        flows: dict[str, list[Entry]] = {name: self._read(name, rows.get(name, [])) for name in self.sources}
        for name, step in self.steps:
            flows[name] = getattr(self, "_" + step["op"])(name, step, flows[step["input"]])
        for id_, row in flows[next(iter(self.document["outputs"].values()))["input"]]:
            key = identity(id_)
            self.content.pop(key, None)
            if row is not None:
                self.content[key] = row
        marks = [0 if s.greatest is None else max(0, s.greatest - s.delay) for s in self.sources.values()]
        self.watermarks = [self.watermarks[1], max(self.watermarks[1], min(marks))]

    def close(self) -> None:
        """The end of time, for the order-insensitive answer."""
        self.closing = True
        self.batch({})

    def result(self) -> Content:
        return {key: row.values for key, row in self.content.items()}

    def _read(self, name: str, rows: list[tuple[int, dict[str, Any]]]) -> list[Entry]:
        source = self.sources[name]
        read: list[Entry] = []
        for t, values in rows:
            id_ = [name, 0, source.offset]
            system = {"_source": name, "_partition": 0, "_offset": source.offset}
            source.offset += 1
            source.greatest = max(source.greatest or 0, t // 1_000 * 1_000)
            read.append((id_, Row({field: typed(values.get(field), type_) for field, type_ in source.types.items()}, t, id_, system)))
        return read

    def _filter(self, name: str, step: dict[str, Any], entries: list[Entry]) -> list[Entry]:
        if self._is_changelog(step["input"]):
            return [(id_, row if row is not None and evaluate(step["where"], row) is True else None) for id_, row in entries]
        return [(id_, row) for id_, row in entries if row is not None and evaluate(step["where"], row) is True]

    def _is_changelog(self, name: str) -> bool:
        step = dict(self.steps).get(name)
        if step is None:
            return False
        if step["op"] == "aggregate":
            return step.get("emit", "update") == "update"
        return self._is_changelog(step["input"])

    def _derive(self, name: str, step: dict[str, Any], entries: list[Entry]) -> list[Entry]:
        return [(id_, row and Row({**row.values, **_evaluated(step["fields"], row)}, row.t, row.id, row.system)) for id_, row in entries]

    def _select(self, name: str, step: dict[str, Any], entries: list[Entry]) -> list[Entry]:
        fields = step["fields"] if isinstance(step["fields"], dict) else {field: field for field in step["fields"]}
        return [(id_, row and Row(_evaluated(fields, row), row.t, row.id, row.system)) for id_, row in entries]

    def _split(self, name: str, step: dict[str, Any], entries: list[Entry]) -> list[Entry]:
        made: list[Entry] = []
        for id_, row in entries:
            assert row is not None
            rest = {field: value for field, value in row.values.items() if field != step["field"]}
            for at, piece in enumerate(_pieces(row.values[step["field"]], step.get("by", "words"))):
                word = piece.lower() if step.get("lower") else piece
                made.append(([*id_, at], Row({**rest, step.get("as", "word"): word}, row.t, [*id_, at], row.system)))
        return made

    def _aggregate(self, name: str, step: dict[str, Any], entries: list[Entry]) -> list[Entry]:
        groups, lag = self.groups[name], self._lag(step)
        late_mark, close_mark = self.watermarks
        changed: dict[str, None] = {}
        for _, row in entries:
            assert row is not None
            by = step.get("by", [])
            key = list((_evaluated(by, row) if isinstance(by, dict) else {field: row.values[field] for field in by}).values())
            for window in _windows(step.get("window"), row.t):
                if window and not self.endless and window[1] + lag <= late_mark:
                    self.late += 1
                    continue
                group = json.dumps([window, identity(key)])
                groups.keys[group] = (window, key)
                groups.rows.setdefault(group, []).append(row)
                changed[group] = None
        final = step.get("emit", "update") == "final"
        emitted = [] if final else [self._result(step, groups, group) for group in changed]
        closed = [g for g, (window, _) in groups.keys.items() if window and self._closes(window[1] + lag, close_mark)]
        if final:
            emitted += [self._result(step, groups, group) for group in closed]
        for group in closed:
            del groups.keys[group], groups.rows[group]
        return emitted

    def _closes(self, end: int, close_mark: int) -> bool:
        return self.closing if self.endless else end <= close_mark

    def _lag(self, step: dict[str, Any]) -> int:
        own = micros(step.get("grace", "0s")) if _is_windowed(step) else 0
        upstream = dict(self.steps).get(step["input"])
        while upstream is not None:
            own += micros(upstream.get("grace", "0s")) if upstream["op"] == "aggregate" else 0
            upstream = dict(self.steps).get(upstream["input"])
        return own

    def _result(self, step: dict[str, Any], groups: Groups, group: str) -> Entry:
        window, key = groups.keys[group]
        rows = groups.rows[group]
        bounds = [moment(window[0]), moment(window[1])] if window else []
        by = step.get("by", [])
        values = dict(zip(["window_start", "window_end"], bounds, strict=False)) | dict(zip(by, key, strict=True))
        values |= {name: measure(str(text), rows) for name, text in step["measures"].items()}
        t = window[1] - 1 if window else max(row.t for row in rows)
        return [*bounds, *key], Row(values, t, [*bounds, *key])


def _is_windowed(step: dict[str, Any]) -> bool:
    return step["op"] == "aggregate" and step.get("window") not in (None, "none")


def _evaluated(fields: dict[str, Any], row: Row) -> dict[str, Any]:
    return {name: evaluate(str(text), row) for name, text in fields.items()}


def _windows(window: Any, t: int) -> list[tuple[int, int] | None]:
    """All windows that hold t; [None] when there are none to speak of."""
    if window in (None, "none"):
        return [None]
    (kind, written), *_ = window.items()
    size = micros(written["size"])
    advance = micros(written["advance"]) if kind == "hopping" else size
    start = (t - micros(written.get("offset", "0s"))) // advance * advance + micros(written.get("offset", "0s"))
    found: list[tuple[int, int] | None] = []
    while start + size > t:
        found.append((start, start + size))
        start -= advance
    return found


def _pieces(text: str | None, by: str) -> list[str]:
    if text is None:
        return []
    if by != "words":
        return [piece for piece in text.split(by) if piece]
    marked = "".join(c if c == "_" or unicodedata.category(c)[0] in "LMN" else " " for c in text)
    return [piece for piece in marked.split(" ") if piece]


def scripted(document: str, contracts: Contracts, batches: list[Batch]) -> tuple[list[Content], int]:
    """The content after each batch, and the number of late (row, window) pairs."""
    oracle = Oracle(document, contracts)
    contents = []
    for batch in batches:
        oracle.batch(batch)
        contents.append(oracle.result())
    return contents, oracle.late


def any_order(document: str, contracts: Contracts, batches: list[Batch]) -> Content:
    """The order-insensitive answer: nothing is late, everything closes at the end."""
    oracle = Oracle(document, contracts, endless=True)
    for batch in batches:
        oracle.batch(batch)
    oracle.close()
    return oracle.result()
