"""Which entries of a table rows meet."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from jobs.operators.table_join_bound import TableJoinBound
from jobs.plan import Plan
from jobs.plan.model import Node
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import StepRows, known_rows, require_room
from weir.diagnosis.services.traced.rows import identity_part, newest_entry, require_computed, trail_of
from weir.diagnosis.services.trail import Doubt, Trail, joined

_VERSION: Final = "which of the key's entries was the current one when the row came is not recorded"


def enriched_rows(
    plan: Plan, node: Node, inputs: list[StepRows], doubts: tuple[Doubt, ...]
) -> dict[str, StepRows]:
    """Each row with the entries of the table that it may have met."""
    bound, (given, table) = node.bound, inputs
    assert isinstance(bound, TableJoinBound)
    require_computed([pair.left for pair in bound.on], given)
    require_computed([pair.right for pair in bound.on], table)
    indexed = len(node.output.index_types) > len(plan.relation(node.inputs[0]).index_types)
    entries = _by_identity(known_rows(table))
    alive = _Table(bound, entries, node.name)
    rows: list[SampledRow] = []
    for row in known_rows(given):
        own = trail_of(row).doubted(*(doubts if bound.version == "as_of" else ()))
        key = tuple(identity_part(row.values.get(pair.left)) for pair in bound.on)
        found = [] if None in key else alive.entries(key, row.time_us)
        deletions = [] if None in key else alive.deletions(key, row.time_us)
        if not found and (bound.type == "left" or (None not in key and alive.may_have(key))):
            trail = joined(own.identity, (own, *deletions))
            trail = replace(trail, members=trail.members | alive.doubts(key))
            empty = dict.fromkeys(name for _, name in bound.names)
            rows.append(replace(row, values={**row.values, **empty}, trail=trail))
        for entry in found:
            of_entry = trail_of(entry)
            identity = (*own.identity, *of_entry.identity) if indexed else own.identity
            trail = joined(identity, (own, of_entry))
            trail = replace(trail, members=trail.members | alive.doubts(key))
            values = {name: entry.values.get(field) for field, name in bound.names}
            rows.append(replace(row, values={**row.values, **values}, trail=trail))
            require_room(len(rows))
    added = {name for field, name in bound.names if field in table.uncomputed}
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed | added)}


class _Table:
    """A table's entries, looked up by the fields of a join."""

    def __init__(
        self, bound: TableJoinBound, entries: Mapping[tuple[Any, ...], list[SampledRow]], step: str
    ) -> None:
        self._bound = bound
        self._step = step
        self._by_key: dict[tuple[Any, ...], dict[tuple[Any, ...], list[SampledRow]]] = defaultdict(dict)
        fields = [pair.right for pair in bound.on]
        for identity, versions in entries.items():
            keys = {tuple(identity_part(row.values.get(name)) for name in fields) for row in versions}
            for key in keys:
                self._by_key[key][identity] = versions

    def entries(self, key: tuple[Any, ...], at_us: int) -> list[SampledRow]:
        """The entries that a row of an event time meets."""
        fields = [pair.right for pair in self._bound.on]
        found = []
        for versions in self._by_key.get(key, {}).values():
            newest = self._newest(versions, at_us)
            if newest is None or trail_of(newest).deleted:
                continue
            if tuple(identity_part(newest.values.get(name)) for name in fields) == key:
                found.append(newest)
        return found

    def deletions(self, key: tuple[Any, ...], at_us: int) -> list[Trail]:
        """The deletions that a row of an event time meets instead."""
        newest = (self._newest(versions, at_us) for versions in self._by_key.get(key, {}).values())
        return [trail_of(row) for row in newest if row is not None and trail_of(row).deleted]

    def may_have(self, key: tuple[Any, ...]) -> bool:
        """Whether there is any entry of a key, deletions included."""
        return key in self._by_key

    def doubts(self, key: tuple[Any, ...]) -> frozenset[Doubt]:
        """Why another version of the key's entries may have been met."""
        several = any(len(versions) > 1 for versions in self._by_key.get(key, {}).values())
        doubted = several and self._bound.version == "current"
        return frozenset((Doubt(self._step, _VERSION),)) if doubted else frozenset()

    def _newest(self, versions: list[SampledRow], at_us: int) -> SampledRow | None:
        if self._bound.version == "as_of":
            reached = [row for row in versions if row.time_us <= at_us]
            return max(reached, key=lambda row: (row.time_us, trail_of(row).order), default=None)
        return newest_entry(versions, self._bound.newest_by)


def _by_identity(rows: Iterable[SampledRow]) -> dict[tuple[Any, ...], list[SampledRow]]:
    found: dict[tuple[Any, ...], list[SampledRow]] = defaultdict(list)
    for row in rows:
        found[trail_of(row).identity].append(row)
    return dict(found)
