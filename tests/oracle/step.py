"""Base of the oracle's steps: takes one batch of its inputs and returns one batch of its outputs."""

from dataclasses import dataclass
from typing import Any

from tests.oracle.measures import evaluate
from tests.oracle.values import Flow, Row, flow_of, moment

Types = dict[str, str | None]


@dataclass(frozen=True)
class Clock:
    """The watermarks of one batch, L(n) and E(n).

    `endless`: nothing is late, everything closes when `closing`.
    """

    late: int = 0
    close: int = 0
    endless: bool = False
    closing: bool = False

    def refuses(self, at: int) -> bool:
        """What ends at this instant, slack included, is late."""
        return not self.endless and at <= self.late

    def closes(self, at: int) -> bool:
        """What ends at this instant, slack included, is done."""
        return self.closing if self.endless else at <= self.close

    def passed(self, at: int) -> bool:
        """As `closes`, strictly after."""
        return self.closing if self.endless else at < self.close


class Step:
    """One step.

    Attributes:
        name: of the step.
        written: its parameters as in the document.
        inputs: the steps or sources that it reads, by node; ports share their node's.
        upsert: its results form a changelog.
        slack: how far its rows may trail the watermark, in µs.
        late: rows, or (row, window) pairs, refused so far.
        errors: rows so far in which an error inside an expression became null.
        malformed: records, or rows, left out so far.
        roots: names of the sources above it.
        row_ids: its identities begin with a source's name.
        key: of a table, its key fields.
        version_by: of a table, offset or event_time.
        types: of its fields, in order; None where the oracle need not know.
    """

    def __init__(self, name: str, written: dict[str, Any], inputs: list["Step"]) -> None:
        self.name, self.written, self.inputs = name, written, inputs
        self.upsert = bool(inputs) and inputs[0].upsert
        self.slack = max((step.slack for step in inputs), default=0)
        self.late = self.errors = self.malformed = 0
        self.roots: list[str] = [root for step in inputs for root in step.roots]
        self.row_ids = all(step.row_ids for step in inputs)
        self.key: list[str] = list(inputs[0].key) if inputs else []
        self.version_by: str = inputs[0].version_by if inputs else "offset"
        self.types: Types = self.made_types(inputs[0].types) if inputs else {}

    def made_types(self, types: Types) -> Types:
        """Fields of the output with the types that are known, in order."""
        return dict(types)

    def batch(self, flows: list[Flow], clock: Clock) -> dict[str, Flow]:
        """One batch: port → what flows out; "" is the step itself."""
        raise NotImplementedError

    def fails(self, row: Row) -> bool:
        """True when an expression of the step had an error in this row; late rows count, too."""
        return False

    def refused(self, rows: list[Row], clock: Clock, slack: int | None = None) -> Flow:
        """The late port: the rows with the watermark that refused them; `slack` where they are judged by
        another than that of the results.
        """
        slack = self.slack if slack is None else slack
        mark = {"late_step": self.name, "late_watermark": moment(clock.late)}
        return flow_of(
            [row.having({**row.values, **mark, "late_by": clock.late - slack - row.t}) for row in rows]
        )


def evaluated(fields: dict[str, Any], row: Row) -> dict[str, Any]:
    """Named expressions over a row."""
    return {name: evaluate(str(text), row) for name, text in fields.items()}


def keys_of(by: Any, row: Row) -> list[Any]:
    """The values of `by`: a list of fields, or name → expression."""
    if isinstance(by, dict):
        return list(evaluated(by, row).values())
    return [row.values[name] for name in by]


def names_of(by: Any) -> list[str]:
    """The names that `by` gives."""
    return list(by)
