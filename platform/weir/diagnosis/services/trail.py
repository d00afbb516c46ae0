"""How a row came about: its identity, and the records that it was made of."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self


class RecordPlace(NamedTuple):
    """A record: name of the source in the document, partition, offset."""

    source: str
    partition: int
    offset: int


class Doubt(NamedTuple):
    """A step that can't be followed with certainty, and why not."""

    step: str
    reason: str


NO_DOUBTS = frozenset[Doubt]()


@dataclass(frozen=True, slots=True)
class Trail:
    """How a row came about.

    Attributes:
        identity: parts of the row's identity in the form of result keys (`jobs.base.identities`), tuples for
            nested ones.
        records: that the row was made of, as far as they were read.
        order: partition and offset of the newest of them, which orders entries of a table.
        existence: why the row may not exist at all, although its records were read. Of a row that is known to
            exist it says nothing.
        members: why some of `records` may have had no part in it.
        deleted: it deletes its key.
    """

    identity: tuple[Any, ...]
    records: frozenset[RecordPlace]
    order: tuple[int, int] = (0, 0)
    existence: frozenset[Doubt] = NO_DOUBTS
    members: frozenset[Doubt] = NO_DOUBTS
    deleted: bool = False

    def indexed(self, at: int) -> Self:
        """The trail of one element of the row's array or text."""
        return replace(self, identity=(*self.identity, at))

    def below(self, name: str) -> Self:
        """The trail of the same row behind a union that tells its inputs apart."""
        return replace(self, identity=(name, *self.identity))

    def doubted(self, *doubts: Doubt) -> Self:
        """The same trail of a row that may not exist."""
        return replace(self, existence=self.existence | frozenset(doubts))


def joined(identity: tuple[Any, ...], trails: Iterable[Trail]) -> Trail:
    """The trail of a row that is made of several, all of which it needs."""
    made = list(trails)
    return Trail(
        identity,
        frozenset[RecordPlace]().union(*(trail.records for trail in made)),
        max((trail.order for trail in made), default=(0, 0)),
        NO_DOUBTS.union(*(trail.existence for trail in made)),
        NO_DOUBTS.union(*(trail.members for trail in made)),
    )


def grouped(identity: tuple[Any, ...], trails: Iterable[Trail], *doubts: Doubt) -> Trail:
    """The trail of a row over a group: whichever of its rows don't exist had no part in it."""
    whole = joined(identity, trails)
    return replace(whole, existence=NO_DOUBTS, members=whole.members | whole.existence | frozenset(doubts))


def identity_order(part: Any) -> tuple[Any, ...]:
    """What orders identities (`docs/semantics/identity-and-results.md#row-order`)."""
    match part:
        case None:
            return (0,)
        case bool():
            return (1, part)
        case int():
            return (2, part)
        case tuple():
            return (4, tuple(map(identity_order, part)))
        case _:
            return (3, str(part))
