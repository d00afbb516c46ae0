"""The two answers: scripted (batch by batch, with watermark and lateness) and order-insensitive."""

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import localcontext
from typing import Any

from tests.oracle import aggregates, joins, keyed, rows
from tests.oracle.records import HEARTBEAT, PARTITION, TOMBSTONE, time_of
from tests.oracle.step import Clock, Step
from tests.oracle.values import Entry, Flow, Row, identity, micros, rows_of, typed

Content = dict[str, dict[str, Any]]
Contracts = dict[str, dict[str, Any]]
Batch = dict[str, list[tuple[int, dict[str, Any]]]]

STEPS: dict[str, type[Step]] = {
    "filter": rows.Filter,
    "derive": rows.Derive,
    "select": rows.Select,
    "rename": rows.Rename,
    "drop": rows.Drop,
    "cast": rows.Cast,
    "flatten": rows.Flatten,
    "explode": rows.Explode,
    "split": rows.Split,
    "union": rows.Union,
    "branch": rows.Branch,
    "sample": rows.Sample,
    "deduplicate": keyed.Deduplicate,
    "latest": keyed.Latest,
    "throttle": keyed.Throttle,
    "aggregate": aggregates.Aggregate,
    "change": aggregates.Change,
    "join": joins.Join,
    "table_join": joins.TableJoin,
}


class Source(Step):
    """A stream or table as a case gives it; offsets of each partition from 0."""

    def __init__(self, name: str, reference: dict[str, Any], contract: dict[str, Any]) -> None:
        super().__init__(name, reference, [])
        self.contract = contract
        self.types = {f["name"]: f["type"] for f in contract["fields"]}
        self.needed = [f["name"] for f in contract["fields"] if not f["nullable"]]
        self.upsert = contract.get("kind") == "table"
        self.key = contract.get("key", [])
        self.version_by = contract.get("version_by", "offset")
        delay = reference.get("delay", contract.get("delay", None if self.upsert else "10s"))
        self.delay = None if delay is None else micros(delay)
        self.roots, self.row_ids = [name], True
        self.greatest: int | None = None
        self.offsets: Counter[int] = Counter()

    @property
    def mark(self) -> int:
        """w_s: how far this source lets the watermark go."""
        return 0 if self.greatest is None or self.delay is None else max(0, self.greatest - self.delay)

    def read(self, records: list[tuple[int, dict[str, Any]]]) -> Flow:
        """The next records."""
        read = []
        for timestamp, values in records:
            partition = values.get(PARTITION, 0)
            offset = self.offsets[partition]
            system = {"_source": self.name, "_partition": partition, "_offset": offset}
            id_ = [self.name, partition, offset]
            self.offsets[partition] += 1
            gone = TOMBSTONE in values
            made = {
                field: typed((values[TOMBSTONE] if gone else values).get(field), type_)
                for field, type_ in self.types.items()
            }
            beats = HEARTBEAT in values
            t = time_of(self.contract, values, timestamp)
            needed = [] if beats else self.key if gone else [*self.key, *self.needed]
            if t is None or any(made[field] is None for field in needed):
                self.malformed += 1
                continue
            self.greatest = max(self.greatest or 0, t // 1_000 * 1_000)
            if beats:
                continue
            if self.upsert:
                id_ = [made[field] for field in self.key]
            read.append(Entry(id_, None if gone else Row(made, t, id_, system), t))
        return read


class Oracle:
    """Runs one document over batches of rows."""

    def __init__(self, document: str, contracts: Contracts, *, endless: bool = False) -> None:
        """With `endless` nothing is late, and everything closes when `close` is called."""
        self.document = json.loads(document)
        self.endless = endless
        self.sources = {
            name: Source(name, ref, contracts[ref.get("stream") or ref.get("table")])
            for name, ref in self.document["sources"].items()
        }
        self.nodes: dict[str, Step] = dict(self.sources)
        self._add_steps(dict(self.document.get("steps", {})))
        self.outputs = {name: output["input"] for name, output in self.document["outputs"].items()}
        self.names = {
            name: output["to"].get("names", {})
            for name, output in self.document["outputs"].items()
            if output["to"] != "result"
        }
        self.watermarks = [0, 0]  # W(n-2), W(n-1)
        self.contents: dict[str, dict[str, Row]] = {name: {} for name in self.outputs}

    def _add_steps(self, rest: dict[str, dict[str, Any]]) -> None:
        while rest:
            name = next(
                name
                for name, step in rest.items()
                if all(node_of(ref) in self.nodes for ref in references(step))
            )
            step = rest.pop(name)
            self.nodes[name] = STEPS[step["op"]](
                name, step, [self.nodes[node_of(ref)] for ref in references(step)]
            )

    @property
    def below_changelogs(self) -> frozenset[str]:
        """The nodes that read a changelog, and changes of results that are written again. There is one change
        of a key for each batch that has some, so what they count depends on how batches are cut.
        """
        return frozenset(
            name
            for name, node in self.nodes.items()
            if any(above.upsert for above in node.inputs)
            or (isinstance(node, aggregates.Change) and node.upsert)
        )

    @property
    def late(self) -> int:
        """Late (row, window) pairs, or rows, of all steps that an output depends on."""
        live: list[Step] = []
        below = [self.nodes[node_of(reference)] for reference in self.outputs.values()]
        while below:
            step = below.pop()
            live += [] if step in live else [step]
            below += step.inputs
        return sum(step.late for step in live)

    @property
    def errors(self) -> dict[str, int]:
        """By step, rows in which an error became null; steps without one are left out."""
        return {name: self.nodes[name].errors for name in self._live() if self.nodes[name].errors}

    @property
    def malformed(self) -> dict[str, int]:
        """Omitted records by source, and rows without a key by step; nodes without any are left out."""
        return {name: self.nodes[name].malformed for name in self._live() if self.nodes[name].malformed}

    def _live(self) -> list[str]:
        """The nodes that an output depends on."""
        found: list[str] = []
        below = [node_of(reference) for reference in self.outputs.values()]
        while below:
            name = below.pop()
            found += [] if name in found else [name]
            below += (
                [node_of(reference) for reference in references(self.document["steps"][name])]
                if name not in self.sources
                else []
            )
        return found

    def batch(self, records: Batch, *, closing: bool = False) -> None:
        """One batch: per source its records (Kafka's timestamp in µs, values)."""
        with localcontext() as context:
            context.prec = 400  # a cast of the greatest double has 310 digits; Python keeps 28 by itself
            self._batch(records, closing)

    def _batch(self, records: Batch, closing: bool) -> None:
        clock = Clock(*self.watermarks, self.endless, closing)
        flows: dict[str, Flow] = {
            name: source.read(records.get(name, [])) for name, source in self.sources.items()
        }
        for name, step in self.nodes.items():
            if isinstance(step, Source):
                continue
            read = [flows[reference] for reference in references(step.written)]
            step.errors += sum(step.fails(row) for row in rows_of(read[0]))
            out = step.batch(read, clock)
            flows |= {f"{name}.{port}" if port else name: flow for port, flow in out.items()}
        for output, reference in self.outputs.items():
            for entry in flows[reference]:
                self.contents[output].pop(identity(entry.id), None)
                if entry.row is not None:
                    self.contents[output][identity(entry.id)] = entry.row
        marks = [source.mark for source in self.sources.values() if source.delay is not None]
        choose = max if self.document.get("settings", {}).get("watermark") == "max" else min
        self.watermarks = [self.watermarks[1], max(self.watermarks[1], choose(marks))]

    def begin_anew(self) -> None:
        """A restart: Spark restores the job's watermark, but not how far each source had advanced."""
        for source in self.sources.values():
            source.greatest = None

    def close(self) -> None:
        """The end of time, for the order-insensitive answer."""
        self.batch({}, closing=True)

    def result(self) -> dict[str, Content]:
        """By output the content, as it is written."""
        return {
            output: {key: written(row.values, self.names.get(output, {})) for key, row in content.items()}
            for output, content in self.contents.items()
        }


def written(values: dict[str, Any], names: dict[str, str | list[str]]) -> dict[str, Any]:
    """A row under the names, or at the paths, that an output writes its fields as."""
    record: dict[str, Any] = {}
    for name, value in values.items():
        path = names.get(name, name)
        *above, last = [path] if isinstance(path, str) else path
        inner = record
        for outer in above:
            inner = inner.setdefault(outer, {})
        inner[last] = value
    return record


def references(step: dict[str, Any]) -> list[str]:
    """What a step reads, in order."""
    if step["op"] == "union":
        return list(step["inputs"])
    if step["op"] == "join":
        return [step["left"], step["right"]]
    return [step["input"], step["table"]] if step["op"] == "table_join" else [step["input"]]


def node_of(reference: str) -> str:
    """The node of ``node`` or ``node.port``."""
    return reference.partition(".")[0]


def scripted(
    document: str, contracts: Contracts, batches: list[Batch], starts: frozenset[int] = frozenset()
) -> tuple[list[dict[str, Content]], int]:
    """Contents after each batch, and the number of late (row, window) pairs.

    starts: batches that begin in a new process.
    """
    oracle = Oracle(document, contracts)
    contents = []
    for number, batch in enumerate(batches):
        if number in starts:
            oracle.begin_anew()
        oracle.batch(batch)
        contents.append(oracle.result())
    return contents, oracle.late


@dataclass(frozen=True)
class Counts:
    """A script's counts.

    Late (row, window) pairs, rows with errors by step, malformed and keyless rows by node.
    """

    late: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    malformed: dict[str, int] = field(default_factory=dict)


def counts_of(document: str, contracts: Contracts, batches: list[Batch]) -> Counts:
    """What a script counts, by its end."""
    return answered(document, contracts, batches)[1]


def answered(
    document: str, contracts: Contracts, batches: list[Batch]
) -> tuple[list[dict[str, Content]], Counts]:
    """The contents after each batch, and what is counted by the end."""
    oracle = Oracle(document, contracts)
    contents = []
    for batch in batches:
        oracle.batch(batch)
        contents.append(oracle.result())
    return contents, Counts(oracle.late, oracle.errors, oracle.malformed)


def any_order(document: str, contracts: Contracts, batches: list[Batch]) -> dict[str, Content]:
    """The order-insensitive answer: nothing is late, everything closes at the end."""
    oracle = Oracle(document, contracts, endless=True)
    for batch in batches:
        oracle.batch(batch)
    oracle.close()
    return oracle.result()
