"""How large a step's state becomes: entries and bytes, from rates and keys (`jobs.plan.forecast`)."""

from dataclasses import dataclass
from typing import Final

from jobs.base.durations import Duration
from jobs.base.types import BYTES, STRING, Array, DataType, Map, Struct
from jobs.operators.relation import Relation

ASSUMED_PIECES: Final = 10
"""Rows that split and explode are taken to make of one; nothing is known about values when a job is planned.
"""

CONTAINER_BYTES: Final = 100
_TEXT_BYTES: Final = 24
_NUMBER_BYTES: Final = 8
_DAY: Final = Duration(86_400_000_000)


@dataclass(frozen=True, slots=True)
class InputRate:
    """What comes to a step.

    Attributes:
        rate: rows per second of all inputs; None: unknown.
        keys: different keys; None: unknown.
        delay: the greatest watermark delay of the job's sources.
    """

    rate: float | None
    keys: int | None
    delay: Duration

    def rows_in(self, span: Duration) -> int | None:
        """Rows that come within a span; None: unknown."""
        return None if self.rate is None else round(self.rate * span.us / 1_000_000)

    @property
    def rows_in_a_day(self) -> int | None:
        """Rows that come within a day; None: unknown."""
        return self.rows_in(_DAY)


def least(*counts: int | None) -> int | None:
    """The least of those that are known; None when none is."""
    known = [count for count in counts if count is not None]
    return min(known) if known else None


def entry_per_key(bound: object, given: InputRate) -> int | None:  # noqa: ARG001
    """One entry per key; where these are unknown, a day's rows."""
    return given.keys if given.keys is not None else given.rows_in_a_day


def no_entries(bound: object, given: InputRate) -> int | None:  # noqa: ARG001
    """The step keeps nothing."""
    return 0


def one_row(bound: object) -> int:  # noqa: ARG001
    """At most one row comes out for each that comes in."""
    return 1


def pieces(bound: object) -> int:  # noqa: ARG001
    """A row is taken apart into several."""
    return ASSUMED_PIECES


def row_bytes(bound: object, inputs: tuple[Relation, ...]) -> int:  # noqa: ARG001
    """Bytes of an entry that is a row of an input."""
    fields = [field for relation in inputs for field in relation.schema]
    return sum(value_bytes(field.type) for field in fields) // max(1, len(inputs))


def value_bytes(data_type: DataType) -> int:
    """Bytes of a value, an estimate by its type."""
    if isinstance(data_type, Array | Map | Struct):
        return CONTAINER_BYTES
    return _TEXT_BYTES if data_type in (STRING, BYTES) else _NUMBER_BYTES
