"""The bound form of a table join, which its lowering and its script read."""

from dataclasses import dataclass
from typing import Literal

from jobs.base.durations import Duration
from jobs.operators.broadcast import Broadcast
from jobs.operators.join_fields import KeyPair

Version = Literal["current", "as_of"]


@dataclass(frozen=True, slots=True)
class TableJoinBound:
    """What the lowering needs.

    Attributes:
        type: inner or left.
        on: the pairs of stream field and table field; in the order of the table's key if they use exactly its
            key fields, which is optional for a broadcast table only.
        names: (table field, its name in the joined row) of every table field, in order.
        version: current or as_of.
        retention: how long as_of keeps versions.
        newest_by: what decides which of two records of a table's key is newer.
        slack: of the input; as_of releases rows that much later.
        broadcast: how the table is broadcast; None: it is a streaming input, kept as state.
    """

    type: Literal["inner", "left"]
    on: tuple[KeyPair, ...]
    names: tuple[tuple[str, str], ...]
    version: Version
    retention: Duration
    newest_by: Literal["offset", "event_time"]
    slack: Duration
    broadcast: Broadcast | None = None
