"""Estimates of a step's state size: entries and bytes, from input rates and numbers of keys
(`jobs.plan.forecast`).
"""

from dataclasses import dataclass, replace
from typing import Final, TypeVar

from jobs.base.durations import Duration
from jobs.base.types import BYTES, STRING, Array, DataType, Map, Struct
from jobs.operators.relation import Relation

Number = TypeVar("Number", int, float)

ASSUMED_PIECES: Final = 10
"""Rows that split and explode are taken to make of one; nothing is known about values when a job is planned.
"""

CONTAINER_BYTES: Final = 100
_TEXT_BYTES: Final = 24
_NUMBER_BYTES: Final = 8
_DAY: Final = Duration(86_400_000_000)


@dataclass(frozen=True, slots=True)
class InputRate:
    """The input rate of a step.

    Attributes:
        rate: rows per second of all inputs together; None: unknown.
        keys: number of distinct keys; None: unknown.
        delay: the longest watermark delay of the job's sources.
        inputs: rows per second of each input; None: unknown.
    """

    rate: float | None
    keys: int | None
    delay: Duration
    inputs: tuple[float | None, ...] = ()

    def of_input(self, at: int) -> "InputRate":
        """The same of one input alone, by its index."""
        return replace(self, rate=self.inputs[at], inputs=())

    def rows_in(self, span: Duration) -> int | None:
        """The number of rows that arrive within a span; None: unknown."""
        return None if self.rate is None else round(self.rate * span.us / 1_000_000)

    @property
    def rows_in_a_day(self) -> int | None:
        """The number of rows that arrive within a day; None: unknown."""
        return self.rows_in(_DAY)


def least(*counts: int | None) -> int | None:
    """The smallest of the known counts; None when none is known."""
    known = [count for count in counts if count is not None]
    return min(known) if known else None


def total(*numbers: Number | None) -> Number | None:
    """The sum of counts or rates; None when one is unknown."""
    return None if None in numbers else sum(number for number in numbers if number is not None)


def each(count: int | None, entries: int) -> int | None:
    """`entries` for each of so many rows or keys; None when their number is unknown."""
    return None if count is None else count * entries


def entry_per_key(bound: object, given: InputRate) -> int | None:  # noqa: ARG001
    """One entry per key; if the number of keys is unknown, one per row of a day; None if that is unknown
    too.
    """
    return given.keys if given.keys is not None else given.rows_in_a_day


def no_entries(bound: object, given: InputRate) -> int | None:  # noqa: ARG001
    """The step keeps no state."""
    return 0


def one_row(bound: object) -> int:  # noqa: ARG001
    """At most one output row per input row."""
    return 1


def pieces(bound: object) -> int:  # noqa: ARG001
    """The assumed number of output rows per input row of split and explode."""
    return ASSUMED_PIECES


def row_bytes(bound: object, inputs: tuple[Relation, ...]) -> int:  # noqa: ARG001
    """Estimated bytes of an entry that holds one input row; the average over several inputs."""
    fields = [field for relation in inputs for field in relation.schema]
    return sum(value_bytes(field.type) for field in fields) // max(1, len(inputs))


def value_bytes(data_type: DataType) -> int:
    """Estimated bytes of a value of this type."""
    if isinstance(data_type, Array | Map | Struct):
        return CONTAINER_BYTES
    return _TEXT_BYTES if data_type in (STRING, BYTES) else _NUMBER_BYTES
