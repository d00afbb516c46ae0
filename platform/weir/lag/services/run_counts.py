"""What a run has counted since it began: rows in and out, and what became no row, with the reasons."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from jobs.kafka_messages import CopyReport, MalformedExample, ProgressReport, SourceRead


@dataclass(slots=True)
class SourceCounts:
    """Records of one source: all that were read, the malformed ones by reason, one example of each reason."""

    records: int = 0
    malformed: Counter[str] = field(default_factory=Counter)
    examples: dict[str, MalformedExample] = field(default_factory=dict)

    def add(self, read: SourceRead) -> None:
        """Add what one batch read."""
        self.records += read.records
        self.malformed.update(read.malformed)
        if read.example is not None:
            self.examples[read.example.reason] = read.example

    def as_json(self) -> dict[str, Any]:
        """For the API, the most frequent reason first."""
        return {
            "records": self.records,
            "malformed": self.malformed.total(),
            "reasons": [
                {"reason": reason, "records": count, "example": self._example(reason)}
                for reason, count in self.malformed.most_common()
            ],
        }

    def _example(self, reason: str) -> dict[str, Any] | None:
        example = self.examples.get(reason)
        return None if example is None else example.model_dump()

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> "SourceCounts":
        """What `as_json` wrote."""
        reasons = stored["reasons"]
        return cls(
            stored["records"],
            Counter({one["reason"]: one["records"] for one in reasons}),
            {
                one["reason"]: MalformedExample.model_validate(one["example"])
                for one in reasons
                if one["example"] is not None
            },
        )


@dataclass(slots=True)
class StepCounts:
    """What engines count by step: rows with a null because an expression failed, and results with a null
    because a measure passed its limit; late rows, at least so many, and rows left out because their key has a
    null, both None where they are not counted.
    """

    expression_nulls: int = 0
    limit_reached: int = 0
    late: int | None = None
    keyless: int | None = None


@dataclass(slots=True)
class RunCounts:
    """Counts of a run. `batches` is 0 until the run has reported one: then nothing is known yet.

    `steps` are those that a report has named; `given` are rows by ``node`` or ``node.port``, where they are
    counted, tombstones included. `newest` is the last batch of each query, with when it began (µs).
    """

    batches: int = 0
    rows_in: int = 0
    rows_out: int = 0
    late: int = 0
    expression_nulls: int = 0
    sources: dict[str, SourceCounts] = field(default_factory=dict)
    steps: dict[str, StepCounts] = field(default_factory=dict)
    given: Counter[str] = field(default_factory=Counter)
    newest: dict[str, tuple[int, int]] = field(default_factory=dict)

    def knows(self, report: ProgressReport) -> bool:
        """Whether a batch is counted already: Kafka may give a report twice, and a relay that begins again
        reads the last ones again. A batch that an engine computes again began later.
        """
        newest = self.newest.get(report.query or "")
        return newest is not None and report.batch <= newest[0] and report.began_us <= newest[1]

    def add(self, report: ProgressReport) -> None:
        """Add a batch. Records that several queries read are counted by one of them (`ProgressReport`)."""
        self.newest[report.query or ""] = report.batch, report.began_us
        self.batches += 1
        self.rows_in += report.rows_in
        self.rows_out += report.rows_out
        self.late += report.late
        self.expression_nulls += sum(report.expression_nulls.values())
        for source, read in report.read.items():
            self.sources.setdefault(source, SourceCounts()).add(read)
        self._add_steps(report)
        for reference, rows in report.given.items():
            self.given[reference] += rows

    def _add_steps(self, report: ProgressReport) -> None:
        for step, rows in report.expression_nulls.items():
            self._step(step).expression_nulls += rows
        for step, rows in report.limit_reached.items():
            self._step(step).limit_reached += rows
        for step, state in report.steps.items():
            self._step(step).late = (self._step(step).late or 0) + state.late
        for step, rows in report.malformed.items():
            if step not in report.read:
                self._step(step).keyless = (self._step(step).keyless or 0) + rows

    def _step(self, name: str) -> StepCounts:
        return self.steps.setdefault(name, StepCounts())

    def add_copy(self, report: CopyReport) -> None:
        """A table was copied, from its first record: what an earlier copy counted is counted again."""
        for source, read in report.read.items():
            self.sources[source] = SourceCounts()
            self.sources[source].add(read)

    def as_json(self) -> dict[str, Any]:
        """For the API, which leaves out `newest`, and for `of_json`."""
        return {
            "batches": self.batches,
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "late": self.late,
            "expression_nulls": self.expression_nulls,
            "sources": {name: source.as_json() for name, source in self.sources.items()},
            "steps": {name: asdict(step) for name, step in self.steps.items()},
            "given": dict(self.given),
            "newest": self.newest,
        }

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> "RunCounts":
        """What `as_json` wrote, so that a relay which begins again goes on counting. Steps are counted from
        here on where an older relay wrote it.
        """
        parts = ("sources", "steps", "given", "newest")
        plain = {name: value for name, value in stored.items() if name not in parts}
        sources = {name: SourceCounts.of_json(source) for name, source in stored["sources"].items()}
        steps = {name: StepCounts(**step) for name, step in stored.get("steps", {}).items()}
        newest = {query: (batch, began_us) for query, (batch, began_us) in stored.get("newest", {}).items()}
        given = Counter(stored.get("given", {}))
        return cls(**plain, sources=sources, steps=steps, given=given, newest=newest)
