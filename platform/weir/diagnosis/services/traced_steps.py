"""Rows with their trails through steps that keep state, over records that were read: which rows a step puts
together. What it measures of them is not computed here.

Nothing is late here and every window is closed: what that may hide is a doubt of the rows' trails.
"""

import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from jobs.base.identities import identity_text
from jobs.base.instants import Instant, datetime_of, instant_text
from jobs.base.schemas import Field, Schema
from jobs.formats.records import json_value
from jobs.operators import OPERATORS
from jobs.operators.aggregate_bound import AggregateBound
from jobs.operators.change_bound import ChangeBound
from jobs.operators.deduplicate import DeduplicateBound
from jobs.operators.join_bound import ONE_SIDED, JoinBound
from jobs.operators.late_rows import LATE_NAMES, PORT
from jobs.operators.latest import LatestBound
from jobs.operators.sample import SampleBound
from jobs.operators.split import SplitBound
from jobs.operators.table_join_bound import TableJoinBound
from jobs.operators.throttle import ThrottleBound
from jobs.plan import Plan
from jobs.plan.model import Node, SourceBound
from weir.diagnosis.services.row_windows import Bounds, windows_of
from weir.diagnosis.services.source_facts import SampledRow
from weir.diagnosis.services.step_rows import (
    NOT_COMPUTED,
    STATELESS,
    Compute,
    StepRows,
    UnknownRowsError,
    known_rows,
    require_room,
    row_column,
    row_condition,
)
from weir.diagnosis.services.trail import Doubt, RecordPlace, Trail, grouped, identity_order, joined

_MAY_BE_LATE: Final = "rows that came too late for it are not told apart"
_HOLDS: Final = "which of equal rows came first depends on their order of arrival"
_INTERVAL: Final = "it keeps one row of each interval, by the watermark of the time"
_VERSION: Final = "which of the key's entries was the current one when the row came is not recorded"
_TIED: Final = "rows of one event time are told apart by their key, whose order is not known here"
_WORD_PARTS: Final = ("L", "M", "N")  # letters, marks, numbers
_NOT_DECIDED: Final = "only an engine can compute which rows pass"


def trail_of(row: SampledRow) -> Trail:
    """The trail of a row that has one."""
    if row.trail is None:
        raise TypeError("a row without a trail")
    return row.trail


@dataclass(frozen=True, slots=True)
class TracedSteps:
    """How rows go through the steps of a plan.

    Attributes:
        late: names of steps that may have dropped rows that came too late.
    """

    late: frozenset[str]

    @property
    def table(self) -> Mapping[str, Compute]:
        """By operator."""
        return {
            **STATELESS,
            "filter": self._selected(STATELESS["filter"]),
            "branch": self._selected(STATELESS["branch"]),
            "split": _split,
            "sample": _sampled,
            "deduplicate": self._with_late(self._first),
            "throttle": self._with_late(_throttled),
            "latest": _latest,
            "aggregate": self._with_late(self._grouped),
            "change": self._with_late(_changed),
            "join": self._with_late(self._joined),
            "table_join": self._with_late(self._enriched),
        }

    def _doubts(self, node: Node) -> tuple[Doubt, ...]:
        return (Doubt(node.name, _MAY_BE_LATE),) if node.name in self.late else ()

    def _selected(self, compute: Compute) -> Compute:
        """Rows that a condition lets pass; all of them in doubt where it reads what is not known here."""

        def selected(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
            given = inputs[0]
            gone = tuple(row for row in known_rows(given) if trail_of(row).deleted)
            alive = replace(given, rows=tuple(row for row in known_rows(given) if not trail_of(row).deleted))
            try:
                passed = compute(plan, node, [alive])
            except UnknownRowsError:
                doubt = Doubt(node.name, _NOT_DECIDED)
                rows = tuple(replace(row, trail=trail_of(row).doubted(doubt)) for row in known_rows(alive))
                passed = {
                    name: replace(alive, rows=rows)
                    for name in (node.name, *(f"{node.name}.{port}" for port in node.ports))
                }
            if plan.relation(node.inputs[0]).kind == "append":
                return passed
            # Of a changelog, a row that does not pass deletes its key.
            found = {}
            for name, out in passed.items():
                kept = {id(row.trail) for row in known_rows(out)}
                dropped = tuple(
                    replace(row, trail=replace(trail_of(row), deleted=True))
                    for row in known_rows(alive)
                    if id(row.trail) not in kept
                )
                sure = not any(trail_of(row).existence for row in known_rows(out))
                found[name] = replace(out, rows=(*known_rows(out), *(dropped if sure else ()), *gone))
            return found

        return selected

    def _with_late(self, compute: Compute) -> Compute:
        """With the late output, which any row of the input may have gone to."""

        def computed(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
            found = compute(plan, node, inputs)
            if PORT in node.ports and node.ports[PORT].late_rows:
                doubt = Doubt(node.name, _MAY_BE_LATE)
                found[f"{node.name}.{PORT}"] = StepRows(
                    tuple(replace(row, trail=trail_of(row).doubted(doubt)) for row in known_rows(inputs[0])),
                    uncomputed=inputs[0].uncomputed | LATE_NAMES,
                )
            return found

        return computed

    def _first(self, plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG002
        bound, given = node.bound, inputs[0]
        assert isinstance(bound, DeduplicateBound)
        _require_computed(bound.by, given)
        doubts = self._doubts(node)
        rows: list[SampledRow] = []
        for key, members in _by_fields(bound.by, known_rows(given)).items():
            held_until: int | None = None
            for at, same in groupby(sorted(members, key=_row_order), key=lambda row: row.time_us):
                together = list(same)
                if bound.within is not None:
                    if held_until is not None and at <= held_until:
                        continue
                    held_until = at + bound.within.us
                first = together[0]
                trail = replace(trail_of(first), identity=(*key, instant_text(Instant(at)))).doubted(*doubts)
                if bound.within is not None:
                    trail = trail.doubted(Doubt(node.name, _HOLDS))
                if len(together) > 1 and not _of_one_partition(together):
                    trail = replace(trail, members=trail.members | {Doubt(node.name, _HOLDS)})
                rows.append(replace(first, trail=trail))
        return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed)}

    def _grouped(self, plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
        bound, given = node.bound, inputs[0]
        assert isinstance(bound, AggregateBound)
        source = plan.relation(node.inputs[0])
        columns: list[Callable[[Mapping[str, Any]], Any]] = []
        for _, key in bound.by:
            column = None if key.fields & given.uncomputed else row_column(key, source)
            if column is None:
                raise UnknownRowsError(NOT_COMPUTED)
            columns.append(column)
        groups: dict[tuple[Any, ...], tuple[tuple[Any, ...], list[SampledRow]]] = {}
        for row in known_rows(given):
            values = tuple(column(row.values) for column in columns)
            groups.setdefault(tuple(map(_part, values)), (values, []))[1].append(row)
        names = [name for name, _ in bound.by]
        rows: list[SampledRow] = []
        for identity, (values, members) in groups.items():
            keys = dict(zip(names, values, strict=True))
            windows = _windows(bound, [row.time_us for row in members])
            require_room(len(rows) + len(windows))
            for window, indexes in windows.items():
                trails = [trail_of(members[index]) for index in indexes]
                rows.append(_group_row(window, identity, keys, trails, self._doubts(node)))
        measured = frozenset(measure.name for measure in bound.measures)
        return {node.name: StepRows(tuple(rows), uncomputed=measured)}

    def _joined(self, plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
        bound, (left, right) = node.bound, inputs
        assert isinstance(bound, JoinBound)
        _require_computed([pair.left for pair in bound.on], left)
        _require_computed([pair.right for pair in bound.on], right)
        names = {joined_name: field for field, joined_name in bound.names}
        uncomputed = left.uncomputed | {name for name, field in names.items() if field in right.uncomputed}
        meets, undecided = _pair_condition(plan, node, bound, uncomputed)
        doubts = (*self._doubts(node), *([Doubt(node.name, _NOT_DECIDED)] if undecided else []))
        rights = _by_fields([pair.right for pair in bound.on], known_rows(right))
        pairs: list[tuple[SampledRow, SampledRow, dict[str, Any]]] = []
        for row in known_rows(left):
            key = tuple(_part(row.values.get(pair.left)) for pair in bound.on)
            if None in key:
                continue
            for other in rights.get(key, ()):
                values = {**row.values, **{name: other.values.get(field) for name, field in names.items()}}
                if _in_bounds(bound, row, other) and meets(values):
                    pairs.append((row, other, values))
                    require_room(len(pairs))
        nothing = dict.fromkeys(node.output.schema.names)
        rows = self._of_pairs(bound, pairs, known_rows(left), known_rows(right), nothing, doubts)
        return {node.name: StepRows(tuple(rows), uncomputed=frozenset(uncomputed))}

    @staticmethod
    def _of_pairs(
        bound: JoinBound,
        pairs: list[tuple[SampledRow, SampledRow, dict[str, Any]]],
        left: tuple[SampledRow, ...],
        right: tuple[SampledRow, ...],
        nothing: Mapping[str, None],
        doubts: tuple[Doubt, ...],
    ) -> Iterable[SampledRow]:
        matched_left: dict[int, list[Trail]] = defaultdict(list)
        matched_right: set[int] = set()
        for row, other, values in pairs:
            matched_left[id(row)].append(trail_of(other))
            matched_right.add(id(other))
            if bound.type not in ONE_SIDED:
                identity = (trail_of(row).identity, trail_of(other).identity)
                trail = joined(identity, (trail_of(row), trail_of(other))).doubted(*doubts)
                yield _at(values, _pair_time(bound, row, other), trail)
        yield from _one_sided(bound, matched_left, left, doubts)
        if bound.type in ("left", "full"):
            empty = dict.fromkeys(name for _, name in bound.names)
            for row in left:
                if id(row) not in matched_left:
                    trail = replace(trail_of(row), identity=(trail_of(row).identity, None))
                    yield _at({**row.values, **empty}, row.time_us, trail.doubted(*doubts))
        if bound.type in ("right", "full"):
            for row in right:
                if id(row) not in matched_right:
                    trail = replace(trail_of(row), identity=(None, trail_of(row).identity))
                    values = {name: row.values.get(field) for field, name in bound.names}
                    yield _at({**nothing, **values}, row.time_us, trail.doubted(*doubts))

    def _enriched(self, plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
        bound, (given, table) = node.bound, inputs
        assert isinstance(bound, TableJoinBound)
        _require_computed([pair.left for pair in bound.on], given)
        _require_computed([pair.right for pair in bound.on], table)
        indexed = len(node.output.index_types) > len(plan.relation(node.inputs[0]).index_types)
        entries = _by_identity(known_rows(table))
        alive = _Table(bound, entries, node.name)
        rows: list[SampledRow] = []
        for row in known_rows(given):
            own = trail_of(row).doubted(*(self._doubts(node) if bound.version == "as_of" else ()))
            key = tuple(_part(row.values.get(pair.left)) for pair in bound.on)
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
            keys = {tuple(_part(row.values.get(name)) for name in fields) for row in versions}
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
            if tuple(_part(newest.values.get(name)) for name in fields) == key:
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


def newest_entry(versions: Iterable[SampledRow], by: str) -> SampledRow | None:
    """The entry that a table has of a key; None: there is none.

    Args:
        versions: all entries of the key, deletions included.
        by: ``offset`` or ``event_time``.
    """
    if by == "offset":
        return max(versions, key=lambda row: trail_of(row).order, default=None)
    return max(versions, key=lambda row: (row.time_us, trail_of(row).order), default=None)


def source_row(
    node: Node, values: Mapping[str, Any], time_us: int, partition: int, offset: int, *, deleted: bool = False
) -> SampledRow:
    """A record of a source as the first row of a trail.

    Args:
        node: the source.
        values: of the record, system fields included.
        time_us: its event time.
        partition: of the record.
        offset: of the record.
        deleted: it deletes a key of a table.
    """
    bound = node.bound
    assert isinstance(bound, SourceBound)
    if bound.contract.kind == "table":
        identity = tuple(_part(values.get(name)) for name in bound.contract.key)
    else:
        identity = (node.name, partition, offset)
    records = frozenset((RecordPlace(node.name, partition, offset),))
    return SampledRow(values, time_us, Trail(identity, records, (partition, offset), deleted=deleted))


def late_steps(plan: Plan) -> frozenset[str]:
    """Names of the steps of a plan that drop rows that come too late."""
    return frozenset(
        node.name
        for node in plan.live_nodes
        if node.op in OPERATORS and OPERATORS[node.op].drops_late_rows(node.bound)
    )


def _split(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, SplitBound)
    _require_computed([bound.field], given)
    rows: list[SampledRow] = []
    for row in known_rows(given):
        rest = {name: value for name, value in row.values.items() if name != bound.field}
        pieces = _pieces(row.values.get(bound.field) or "", bound.by)
        rows += [
            SampledRow(
                {**rest, bound.as_: piece.lower() if bound.lower else piece},
                row.time_us,
                trail_of(row).indexed(at),
            )
            for at, piece in enumerate(pieces)
        ]
        require_room(len(rows))
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed)}


def _pieces(text: str, by: str) -> list[str]:
    if by != "words":
        return [piece for piece in text.split(by) if piece]
    return [
        "".join(letters)
        for is_word, letters in groupby(
            text, lambda one: one == "_" or unicodedata.category(one)[0] in _WORD_PARTS
        )
        if is_word
    ]


def _sampled(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, SampleBound)
    rows = tuple(
        row
        for row in known_rows(given)
        if zlib.crc32(identity_text(trail_of(row).identity).encode()) < bound.fraction * 2**32
    )
    return {node.name: replace(given, rows=rows)}


def _throttled(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, ThrottleBound)
    doubt = Doubt(node.name, _INTERVAL)
    rows = tuple(replace(row, trail=trail_of(row).doubted(doubt)) for row in known_rows(given))
    return {node.name: replace(given, rows=rows)}


def _latest(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, LatestBound)
    by_key = plan.relation(node.inputs[0]).identity_kind == "key"
    _require_computed(bound.by, given)
    rows: list[SampledRow] = []
    for key, members in _by_fields(bound.by, known_rows(given)).items():
        if None not in key:
            newest = max(members, key=(lambda row: trail_of(row).order) if bound.by_offset else _row_order)
            tied = by_key and sum(row.time_us == newest.time_us for row in members) > 1
            doubts = (Doubt(node.name, _TIED),) if tied else ()
            rows.append(replace(newest, trail=grouped(key, (trail_of(newest),), *doubts)))
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed)}


def _changed(plan: Plan, node: Node, inputs: list[StepRows]) -> dict[str, StepRows]:  # noqa: ARG001
    bound, given = node.bound, inputs[0]
    assert isinstance(bound, ChangeBound)
    by_end = {trail_of(row).identity[1:]: trail_of(row) for row in known_rows(given)}
    rows = []
    for row in known_rows(given):
        own = trail_of(row)
        start, _, *keys = own.identity
        before = by_end.get((start, *keys))
        trail = own if before is None else joined(own.identity, (own, before))
        rows.append(replace(row, trail=trail))
    made = frozenset(field.name for changed in bound.changed for field in changed.fields)
    return {node.name: StepRows(tuple(rows), uncomputed=given.uncomputed | made)}


def _windows(bound: AggregateBound, times: list[int]) -> Mapping[Bounds | None, list[int]]:
    """The windows of a group and the indexes of their rows; None for the one that holds all."""
    if bound.window is None:
        return {None: list(range(len(times)))}
    return {window: indexes for window, indexes in windows_of(bound.window, times).items()}


def _group_row(
    window: Bounds | None,
    identity: tuple[Any, ...],
    keys: Mapping[str, Any],
    trails: list[Trail],
    doubts: tuple[Doubt, ...],
) -> SampledRow:
    if window is None:
        return SampledRow(keys, 0, grouped(identity, trails, *doubts))
    start, end = window
    values = {"window_start": datetime_of(start), "window_end": datetime_of(end), **keys}
    whole = (instant_text(Instant(start)), instant_text(Instant(end)), *identity)
    return _at(values, end - 1, grouped(whole, trails, *doubts))


def _at(values: Mapping[str, Any], time_us: int, trail: Trail) -> SampledRow:
    return SampledRow({**values, "_time": datetime_of(time_us)}, time_us, trail)


def _one_sided(
    bound: JoinBound,
    matched: Mapping[int, list[Trail]],
    left: tuple[SampledRow, ...],
    doubts: tuple[Doubt, ...],
) -> Iterable[SampledRow]:
    """Rows of semi and anti, which are left rows."""
    for row in left:
        others = matched.get(id(row), [])
        if (bound.type == "semi" and others) or (bound.type == "anti" and not others):
            own = trail_of(row)
            yield replace(row, trail=joined(own.identity, (own, *others)).doubted(*doubts))


def _pair_time(bound: JoinBound, left: SampledRow, right: SampledRow) -> int:
    match bound.time:
        case "left":
            return left.time_us
        case "right":
            return right.time_us
        case "later":
            return max(left.time_us, right.time_us)


def _in_bounds(bound: JoinBound, left: SampledRow, right: SampledRow) -> bool:
    if bound.before is None or bound.after is None:
        return True
    return -bound.before.us <= right.time_us - left.time_us <= bound.after.us


def _pair_condition(
    plan: Plan, node: Node, bound: JoinBound, uncomputed: Iterable[str]
) -> tuple[Callable[[Mapping[str, Any]], bool], bool]:
    """The condition of a pair, and whether it can't be computed here, so that every pair meets it."""
    if bound.where is None:
        return (lambda values: True), False  # noqa: ARG005
    left, right = (plan.relation(reference) for reference in node.inputs)
    of_right = {field.name: field for field in right.schema}
    fields = [Field(name, of_right[field].type, of_right[field].nullable) for field, name in bound.names]
    source = replace(left, schema=Schema((*left.schema.fields, *fields)), system=())
    try:
        holds = row_condition(bound.where, source, StepRows((), uncomputed=frozenset(uncomputed)))
    except UnknownRowsError:
        return (lambda values: True), True  # noqa: ARG005
    return (lambda values: holds(SampledRow(values, 0))), False


def _require_computed(names: Iterable[str], given: StepRows) -> None:
    if given.uncomputed.intersection(names):
        raise UnknownRowsError(NOT_COMPUTED)


def _by_fields(names: Iterable[str], rows: Iterable[SampledRow]) -> dict[tuple[Any, ...], list[SampledRow]]:
    fields = list(names)
    found: dict[tuple[Any, ...], list[SampledRow]] = defaultdict(list)
    for row in rows:
        found[tuple(_part(row.values.get(name)) for name in fields)].append(row)
    return dict(found)


def _by_identity(rows: Iterable[SampledRow]) -> dict[tuple[Any, ...], list[SampledRow]]:
    found: dict[tuple[Any, ...], list[SampledRow]] = defaultdict(list)
    for row in rows:
        found[trail_of(row).identity].append(row)
    return dict(found)


def _row_order(row: SampledRow) -> tuple[Any, ...]:
    return row.time_us, identity_order(trail_of(row).identity)


def _of_one_partition(rows: list[SampledRow]) -> bool:
    """Whether rows surely came in the order of their offsets."""
    return len({(place.source, place.partition) for row in rows for place in trail_of(row).records}) == 1


def _part(value: Any) -> Any:
    """A value as a part of an identity, which can be a key of a dictionary."""
    plain = json_value(value)
    return repr(plain) if isinstance(plain, list | dict) else plain
